//! Solutions that a turn of the board leaves unchanged, counted in one go on all threads.
//!
//! They are exact covers of numbered items. Each count is cut into thousands of small ones, and the covers of a cut are counted
//! by a join of two sides.

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

/// A count to make of the solutions that a turn leaves unchanged: the turn, the board, the instruction set, the threads.
///
/// ```
/// use queens::{Rotation, Watch, symmetric::SymmetricRequest};
/// let twelve = SymmetricRequest::new(Rotation::Quarter, 12)?.threads(1).count(&Watch::default())?;
/// assert_eq!((twelve.count, twelve.engine), (8, "cover"));
/// # Ok::<(), queens::CountError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is told to"]
pub struct SymmetricRequest {
    rotation: Rotation,
    n: usize,
    isa: Option<Isa>,
    threads: usize,
}

impl SymmetricRequest {
    /// The solutions on a board of `n` columns and rows that this turn leaves unchanged.
    pub fn new(rotation: Rotation, n: usize) -> Result<Self, CountError> {
        let is_counted = rotation.sizes().contains(&n);
        let sizes = *rotation.sizes().end();
        let refused =
            || format!("solutions that a {rotation} turn leaves unchanged are counted for N = 0 to {sizes}, not {n}");
        is_counted.then_some(Self { rotation, n, isa: None, threads: 0 }).ok_or_else(|| ValueError(refused()).into())
    }

    /// Uses this instruction set instead of the best that the processor has.
    pub fn isa(self, isa: impl Into<Option<Isa>>) -> Self {
        Self { isa: isa.into(), ..self }
    }

    /// Uses this many threads, see [`Request::threads`](crate::Request::threads).
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Counts. `watch` shows how far it is, and stops it.
    ///
    /// On one core that takes seconds for N = 30 (half) or 57 (quarter), and two to four hours for the last boards; each
    /// further board that has such solutions takes two to four times as long.
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
        // So that the cuts that are counted are a fair sample for telling the time left.
        fastrand::Rng::with_seed(0).shuffle(&mut problem.cuts);
        let steps = Steps::begin(watch, "counting cuts", problem.cuts.len() as u64, None);
        let (counter, covers) = (|| problem.counter(isa), AtomicU64::new(0));
        threads.for_each(problem.cuts.iter().copied(), counter, |count, cut| {
            // Relaxed: the pool is left after all of them. No sum can wrap: no board has 2^48 covers.
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

/// The number of solutions up to symmetry (OEIS A002562) of a board with `all` solutions, of which so many are unchanged by a
/// half turn (A032522) and by a quarter turn (A033148); `None` if the three numbers contradict each other.
///
/// For N > 1 no reflection leaves any solution unchanged: a queen and its mirror image would share a row, a column or a
/// diagonal. So the solutions that a quarter turn leaves unchanged are in classes of two, others that a half turn does in
/// classes of four, and all others in classes of eight.
///
/// ```
/// use queens::{Size, symmetric::classes};
/// let eight = Size::new(8)?;
/// assert_eq!((classes(eight, 92, [4, 0]), classes(eight, 93, [4, 0])), (Some(12), None));
/// # Ok::<(), queens::ValueError>(())
/// ```
pub fn classes(size: Size, all: u128, [half, quarter]: [u128; 2]) -> Option<u128> {
    // Up to N = 1 every symmetry leaves the one solution unchanged, reflections too.
    if size.get() <= 1 {
        return Some(1).filter(|_| [all, half, quarter] == [1; 3]);
    }
    let (in_eights, in_fours) = (all.checked_sub(half)?, half.checked_sub(quarter)?);
    let are_whole = in_eights % 8 == 0 && in_fours % 4 == 0 && quarter % 2 == 0;
    are_whole.then_some(in_eights / 8 + in_fours / 4 + quarter / 2)
}

/// The self-check: the kernels, and every cut of a small board. It is odd, so it has a queen in its centre.
fn check(rotation: Rotation, isa: Isa) -> Result<(), String> {
    self_check::check_kernels_of_join(isa)?;
    let n = if rotation == Rotation::Half { 15 } else { 21 };
    let problem = turns::problem(rotation, n);
    let covers: u64 = problem.cuts.iter().copied().map(problem.counter(isa)).sum();
    let board = format!("unchanged by a {rotation} turn on {n}×{n}");
    let expected = rotation.sequence().term(n).expect("the terms of small boards are published");
    self_check::compare(&board, problem.weight * u128::from(covers), expected)
}
