//! Counts the solutions that a rotation of the board leaves unchanged, without checkpoints, on all threads.
//!
//! These solutions are exact covers of numbered items ([`turns`]). A count consists of thousands of cuts, and a join
//! counts the covers of each cut ([`cover`]).

mod cover;
mod list;
#[cfg(test)]
mod tests;
mod turns;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::board::{Rotation, Size};
use crate::engine::choose_isa;
use crate::engine::lanes::Isa;
use crate::names::ValueError;
use crate::report::{CountError, Report};
use crate::run::{HOUR, MINUTE, Threads, run_off_pool, self_check};
use crate::watch::{Steps, Watch};

/// A request to count the solutions that a rotation leaves unchanged.
///
/// ```
/// use queens::{Rotation, Watch, symmetric::SymmetricRequest};
/// let twelve = SymmetricRequest::new(Rotation::Quarter, 12)?.threads(1).count(&Watch::default())?;
/// assert_eq!((twelve.count, twelve.engine), (8, "cover"));
/// # Ok::<(), queens::CountError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "a request does nothing until `count` is called"]
pub struct SymmetricRequest {
    rotation: Rotation,
    n: usize,
    isa: Option<Isa>,
    threads: usize,
}

impl SymmetricRequest {
    /// The solutions on an n×n board that this rotation leaves unchanged; fails unless `n` is in [`Rotation::sizes`].
    pub fn new(rotation: Rotation, n: usize) -> Result<Self, CountError> {
        let is_counted = rotation.sizes().contains(&n);
        let sizes = *rotation.sizes().end();
        let refused =
            || format!("solutions that a {rotation} turn leaves unchanged are counted for N = 0 to {sizes}, not {n}");
        is_counted.then_some(Self { rotation, n, isa: None, threads: 0 }).ok_or_else(|| ValueError(refused()).into())
    }

    /// Uses this instruction set instead of the processor's best.
    pub fn isa(self, isa: impl Into<Option<Isa>>) -> Self {
        Self { isa: isa.into(), ..self }
    }

    /// Sets the number of threads, see [`Request::threads`](crate::Request::threads).
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Counts. `watch` reports progress and can stop the count.
    ///
    /// On one core, this takes seconds for N = 30 (half) or 57 (quarter), and two to four hours for the largest boards.
    /// Each next board that has such solutions takes two to four times as long.
    pub fn count(self, watch: &Watch) -> Result<Report, CountError> {
        run_off_pool(|| self.count_here(watch))
    }

    fn count_here(self, watch: &Watch) -> Result<Report, CountError> {
        let Self { rotation, n, isa, threads } = self;
        let isa = choose_isa(isa)?;
        let check = || check(rotation, isa);
        let mut problem = turns::problem(rotation, n);
        let threads = Threads::start(threads, problem.cuts.len(), watch, &check)?;
        let begun = Instant::now();
        // Shuffled, so that finished cuts are a fair sample for estimating the time left.
        fastrand::Rng::with_seed(0).shuffle(&mut problem.cuts);
        let steps = Steps::begin(watch, problem.cuts.len() as u64, None);
        let (counter, covers) = (|| problem.counter(isa), AtomicU64::new(0));
        threads.for_each(problem.cuts.iter().copied(), counter, |count, cut| {
            // Relaxed: the pool has ended when the sum is read. The sum cannot wrap: no board has 2^48 covers.
            covers.fetch_add(count(cut), Ordering::Relaxed);
            steps.add();
            threads.check_again(HOUR).map(drop)
        })?;
        let elapsed = begun.elapsed();
        threads.check_all(MINUTE)?;
        Ok(Report {
            n,
            prefix: None,
            symmetry: Some(rotation),
            count: problem.weight * u128::from(covers.into_inner()),
            engine: "cover",
            isa,
            threads: threads.number(),
            elapsed,
            checked: threads.checked,
        })
    }
}

/// The number of solutions up to symmetry (OEIS A002562), given the numbers of all solutions and of those unchanged by
/// a half (A032522) and a quarter turn (A033148); `None` if the numbers contradict each other.
///
/// For N > 1, no reflection leaves a solution unchanged: a queen and its mirror image would share a row, a column or a
/// diagonal. So an orbit has two solutions if a quarter turn leaves them unchanged, else four if a half turn does, else
/// eight.
///
/// ```
/// use queens::{Size, symmetric::orbits};
/// let eight = Size::new(8)?;
/// assert_eq!((orbits(eight, 92, [4, 0]), orbits(eight, 93, [4, 0])), (Some(12), None));
/// # Ok::<(), queens::ValueError>(())
/// ```
pub fn orbits(size: Size, all: u128, [half, quarter]: [u128; 2]) -> Option<u128> {
    // Up to N = 1, every symmetry leaves the only solution unchanged.
    if size.get() <= 1 {
        return Some(1).filter(|_| [all, half, quarter] == [1; 3]);
    }
    let (in_eights, in_fours) = (all.checked_sub(half)?, half.checked_sub(quarter)?);
    let are_whole = in_eights % 8 == 0 && in_fours % 4 == 0 && quarter % 2 == 0;
    are_whole.then_some(in_eights / 8 + in_fours / 4 + quarter / 2)
}

/// The self-check: the kernels, and every cut of a small board, which is odd and so has a centre queen.
fn check(rotation: Rotation, isa: Isa) -> Result<(), String> {
    self_check::check_kernels_of_join(isa)?;
    let n = if rotation == Rotation::Half { 15 } else { 21 };
    let problem = turns::problem(rotation, n);
    let covers: u64 = problem.cuts.iter().copied().map(problem.counter(isa)).sum();
    let board = format!("unchanged by a {rotation} turn on {n}×{n}");
    let expected = rotation.sequence().term(n).expect("the terms of small boards are published");
    self_check::compare(&board, problem.weight * u128::from(covers), expected)
}
