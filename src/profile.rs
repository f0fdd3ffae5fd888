//! Profiles: the placements of k queens on the first k columns, for each k from 0 to N (OEIS A319284).
//!
//! Unlike a count, a profile is many numbers, so it has no ledger.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::board::{Placement, Size};
use crate::engine::backtrack::Backtrack;
use crate::engine::lanes::Isa;
use crate::engine::{EngineKind, Method};
use crate::oeis;
use crate::plan::{Plan, PrefixPlan, Units};
use crate::run::self_check::{self, SelfCheckError, Step};
use crate::run::{CountError, threads};
use crate::subject::Subject;
use crate::tally::Overflow;
use crate::watch::{Steps, Watch};

/// The placements of k queens on the first k columns of a board, for each k from 0 to N.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Profile {
    /// For each k. The last number is the number of solutions, and their sum is the number of nodes of a plain backtracking
    /// search.
    #[cfg_attr(feature = "serde", serde(rename = "profile", serialize_with = "crate::tally::all_as_text"))]
    pub placements: Vec<u128>,
    /// The instruction set that counted.
    pub isa: Isa,
    /// The number of threads.
    pub threads: usize,
    /// Wall time, without the self-check and starting the threads.
    #[cfg_attr(feature = "serde", serde(rename = "seconds", serialize_with = "crate::ledger::seconds"))]
    pub elapsed: Duration,
}

impl Profile {
    /// Counts by backtracking, on this instruction set or the best, which takes about eight times as long for each further
    /// N.
    ///
    /// ```
    /// use queens::{Profile, Size, Watch};
    /// let profile = Profile::count(Size::new(8)?, None, 2, &Watch::default())?;
    /// assert_eq!(profile.placements, [1, 8, 42, 140, 344, 568, 550, 312, 92]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the processor lacks the instruction set, the self-check fails, a sum does not fit in 128 bits, the threads
    /// cannot be started, or it is stopped.
    pub fn count(size: Size, isa: Option<Isa>, threads: usize, watch: &Watch) -> Result<Self, CountError> {
        let method = Method::choose(EngineKind::Backtrack.into(), isa, size)?;
        let engine = Backtrack::new(method.isa).expect("the processor has it");
        let pool = threads::pool(threads)?;
        let levels = |worker: &mut _, task: &Placement| engine.levels(worker, task);
        self_check::check_by(Some(method), &size.into(), Step::Profile, &|board| check(board, &levels))?;
        let start = Instant::now();
        let placements = pool.install(|| count(size, &levels, watch))?;
        Ok(Self { placements, isa: method.isa, threads: pool.current_num_threads(), elapsed: start.elapsed() })
    }
}

/// Compares the profile of a small board with the published one, or its last number where none is.
fn check<W: Default>(
    board: &Subject,
    levels: &(impl Fn(&mut W, &Placement) -> Vec<u64> + Sync),
) -> Result<(), SelfCheckError> {
    let n = board.n();
    let found = count(Size::new(n).expect("a small board"), levels, &Watch::default()).expect(self_check::FITS);
    let published = |queens| {
        let solutions = oeis::QUEENS.term(n).filter(|_| queens == n);
        oeis::PROFILE.term(n * (n + 1) / 2 + queens).or(solutions)
    };
    let terms = found.into_iter().enumerate().filter_map(|(queens, found)| Some((queens, found, published(queens)?)));
    for (queens, found, expected) in terms {
        if found != expected {
            let board = format!("of {queens} queens in a profile of {n}×{n}");
            return Err(SelfCheckError::Wrong { board, found, expected });
        }
    }
    Ok(())
}

/// Adds up the ways to place more and more queens after those of each task of the plan, on the threads of the pool that
/// calls.
fn count<W: Default>(
    size: Size,
    levels: &(impl Fn(&mut W, &Placement) -> Vec<u64> + Sync),
    watch: &Watch,
) -> Result<Vec<u128>, CountError> {
    let (n, plan) = (size.get(), PrefixPlan::new(&Placement::empty(size)));
    let steps = Steps::begin(watch, "counting placements", plan.units() as u64);
    let unit = |worker: &mut W, unit| {
        let mut sums = vec![0_u128; n + 1];
        for task in plan.unit(unit) {
            if watch.is_stopped() {
                return Err(CountError::Stopped);
            }
            // The task itself is one way to place its queens.
            let ways = std::iter::once(1).chain(levels(worker, &task.task));
            for (sum, ways) in sums[task.task.len()..].iter_mut().zip(ways) {
                *sum = sum.checked_add(u128::from(ways) * u128::from(task.weight)).ok_or(Overflow)?;
            }
        }
        steps.done.fetch_add(1, Ordering::Relaxed);
        Ok(sums)
    };
    let add = |a: Vec<u128>, b: Vec<u128>| {
        a.into_iter()
            .zip(b)
            .map(|(a, b)| a.checked_add(b).ok_or(Overflow))
            .collect::<Result<Vec<_>, _>>()
            .map_err(CountError::from)
    };
    let units = (0..plan.units()).into_par_iter().with_max_len(1).map_init(W::default, unit);
    let mut placements = units.try_reduce(|| vec![0; n + 1], add)?;
    // No task counts the queens that it begins with: there is one empty board, and the first queen may be in any row.
    placements[0] = 1;
    if n > 1 {
        placements[1] = n as u128;
    }
    Ok(placements)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::naive::Naive;
    use crate::watch::Progress;

    fn profile(n: usize, isa: Option<Isa>, threads: usize) -> Profile {
        Profile::count(Size::new(n).unwrap(), isa, threads, &Watch::default()).unwrap()
    }

    /// By every set, and by the oracle.
    #[test]
    fn the_published_triangle() {
        let mut published = oeis::PROFILE.terms;
        for n in 0..=12 {
            let row;
            (row, published) = published.split_at(n + 1);
            for threads in [1, 2, 3] {
                assert_eq!(profile(n, None, threads).placements, row, "N = {n} on {threads} threads");
            }
            if n <= 9 {
                let oracle = count(
                    Size::new(n).unwrap(),
                    &|(): &mut (), task: &Placement| Naive.levels(task),
                    &Watch::default(),
                );
                assert_eq!(oracle.unwrap(), row, "N = {n} by the oracle");
            }
        }
        assert!(published.is_empty());
    }

    /// Boards beyond the published triangle: the last number is the number of solutions, and the number for two queens is
    /// that of pairs of rows more than one apart.
    #[test]
    fn larger_boards_end_in_the_count() {
        for isa in Isa::available() {
            for n in [13, 14] {
                let Profile { placements, isa: counted, .. } = profile(n, Some(isa), 2);
                assert_eq!((counted, placements[n]), (isa, oeis::QUEENS.term(n).unwrap()));
                assert_eq!(placements[2], ((n - 1) * (n - 2)) as u128);
            }
        }
    }

    /// A wrong level is found, not only a wrong count.
    #[test]
    fn a_wrong_level_fails_the_self_check() {
        for wrong in 0..6 {
            let levels = |(): &mut (), task: &Placement| {
                let mut levels = Naive.levels(task);
                levels[wrong] += u64::from(task.rows().eq([3, 5]));
                levels
            };
            let eight: Subject = Size::new(8).unwrap().into();
            assert!(check(&eight, &|(): &mut (), task: &Placement| Naive.levels(task)).is_ok());
            let Err(SelfCheckError::Wrong { board, found, expected }) = check(&eight, &levels) else {
                panic!("{wrong} more queens")
            };
            assert_eq!((board, found - expected), (format!("of {} queens in a profile of 8×8", wrong + 3), 2));
        }
    }

    /// Who watches sees the units that are counted, and may stop it.
    #[test]
    fn a_profile_is_watched_and_stopped() {
        let watch = Watch::default();
        Profile::count(Size::new(9).unwrap(), None, 2, &watch).unwrap();
        let Progress { done, total, share, .. } = watch.progress();
        assert_eq!((done, total, share.to_bits()), (28, 28, 1f64.to_bits()));
        watch.stop();
        assert_eq!(Profile::count(Size::new(9).unwrap(), None, 2, &watch).unwrap_err(), CountError::Stopped);
        assert_eq!(watch.progress().done, 0);
    }
}
