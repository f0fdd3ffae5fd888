//! Solutions that a turn of the board leaves unchanged, counted in one go on all threads.
//!
//! [`turns`] describes them as exact covers of numbered items, and cuts each count in thousands of small ones;
//! [`cover`] counts the covers of one cut by a join of two sides.

mod cover;
mod list;
#[cfg(test)]
mod tests;
mod turns;

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::engine::lanes::Isa;
use crate::engine::{EngineKind, Method, MethodError};
use crate::oeis::{self, Sequence};
use crate::request::Report;
use crate::run::{CountError, SelfCheckError, for_each_unit, pool, self_check};
use crate::watch::{Steps, Watch};

/// A turn of the board about its centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Rotation {
    /// By 180 degrees.
    Half,
    /// By 90 degrees. The direction does not matter: a solution that one leaves unchanged, the other does too.
    Quarter,
}

impl Rotation {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Half, Self::Quarter];

    /// The sizes of board that are counted.
    pub const fn sizes(self) -> RangeInclusive<usize> {
        match self {
            Self::Half => 0..=34,
            Self::Quarter => 0..=69,
        }
    }

    /// The published terms: A032522 or A033148.
    pub fn sequence(self) -> &'static Sequence {
        match self {
            Self::Half => &oeis::HALF_TURN,
            Self::Quarter => &oeis::QUARTER_TURN,
        }
    }

    /// Its name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::Quarter => "quarter",
        }
    }
}

impl fmt::Display for Rotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Counts the solutions on a board of `n` columns and rows that a turn leaves unchanged. `isa` is the fastest unless
/// given; with 0 threads there is one for every core.
///
/// On one core that takes seconds for N = 30 (half) or 57 (quarter), and two to four hours for the last boards; each
/// further board that has such solutions takes two to four times as long.
///
/// ```
/// use queens::{Rotation, Watch, symmetric};
/// let twelve = symmetric::count(Rotation::Quarter, 12, None, 0, &Watch::default())?;
/// assert_eq!((twelve.count, twelve.engine), (8, "cover"));
/// # Ok::<(), queens::CountError>(())
/// ```
///
/// # Errors
/// If `n` is not in [`Rotation::sizes`], the processor lacks the instruction set, the self-check fails, the threads
/// cannot be started, or it was stopped.
pub fn count(
    rotation: Rotation,
    n: usize,
    isa: Option<Isa>,
    threads: usize,
    watch: &Watch,
) -> Result<Report, CountError> {
    if !rotation.sizes().contains(&n) {
        return Err(CountError::Symmetric { rotation, n });
    }
    let isa = isa.unwrap_or_else(Isa::best);
    if !isa.is_available() {
        return Err(MethodError::Missing(isa).into());
    }
    let pool = pool(threads)?;
    let begun = Instant::now();
    check(rotation, isa)?;
    let problem = turns::problem(rotation, n);
    let steps = Steps::begin(watch, "counting cuts", problem.cuts.len() as u64, None);
    // Shuffled, so that the cuts that are counted are a fair sample for telling the time left.
    let mut order: Vec<usize> = (0..problem.cuts.len()).collect();
    fastrand::Rng::with_seed(0).shuffle(&mut order);
    let (counters, covers) = (isa.with(&problem).expect("the processor has it"), AtomicU64::new(0));
    for_each_unit(&pool, &order, watch, &counters, |count, cut| {
        // Relaxed: the pool is left after all of them. No sum can wrap: no board has 2^48 covers.
        covers.fetch_add(count(problem.cuts[cut]), Ordering::Relaxed);
        steps.add();
        Ok(())
    })?;
    Ok(Report {
        n,
        prefix: None,
        symmetry: Some(rotation),
        count: problem.weight * u128::from(covers.into_inner()),
        engine: "cover",
        isa,
        threads: pool.current_num_threads(),
        elapsed: begun.elapsed(),
    })
}

/// The self-check: the kernels, and every cut of a small board. It is odd, so it has a queen in its centre.
fn check(rotation: Rotation, isa: Isa) -> Result<(), SelfCheckError> {
    self_check::check_kernels(Method { engine: EngineKind::Join, isa })?;
    let n = if rotation == Rotation::Half { 15 } else { 21 };
    let problem = turns::problem(rotation, n);
    let counters = isa.with(&problem).expect("the processor has it");
    let covers: u64 = problem.cuts.iter().copied().map(counters()).sum();
    let board = format!("unchanged by a {rotation} turn on {n}×{n}");
    self_check::compare(board, problem.weight * u128::from(covers), rotation.sequence().term(n))
}
