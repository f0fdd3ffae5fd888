//! Timing the engines: every combination of size, engine and number of threads, each answer asserted.
//!
//! A machine warms up, throttles and serves others meanwhile, so the runs of one combination are not made in a row:
//! after a warm-up, each round runs every combination once, and every other round goes backwards, so that a steady
//! drift falls on all of them alike. What is reported is the median.

use crate::board::Size;
use crate::engine::Method;
use crate::oeis;
use crate::request::Request;
use crate::run::CountError;

/// Seconds that a run lasts at least: quicker counts are repeated within it, for the clock and the threads have jitter.
pub const SHORTEST_RUN: f64 = 0.05;

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combination {
    /// The board.
    pub size: Size,
    /// The engine and its instruction set.
    pub method: Method,
    /// The number of threads, at least 1.
    pub threads: usize,
}

/// A combination and its times.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// What was timed.
    pub combination: Combination,
    /// What it counted.
    pub count: u128,
    /// Seconds for one count in each run, in the order of the runs; at least one.
    pub seconds: Vec<f64>,
}

/// Why the timings are void.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The engine found another number than it should.
    #[error("{} on {} threads finds {found} solutions for N = {} instead of {expected}", .0.method.engine, .0.threads, .0.size, found = .1, expected = .2)]
    Wrong(Combination, u128, u128),
    /// A count failed.
    #[error(transparent)]
    Count(#[from] CountError),
}

impl Timing {
    /// The middle one of the times in seconds, or the mean of the middle two.
    pub fn median(&self) -> f64 {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
    }

    /// The shortest time.
    pub fn fastest(&self) -> f64 {
        self.seconds.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The longest time.
    pub fn slowest(&self) -> f64 {
        self.seconds.iter().copied().fold(0.0, f64::max)
    }

    /// How many times faster than on one thread, where `timings` has that too.
    ///
    /// The parallel efficiency is this over the number of threads.
    pub fn speed_up(&self, timings: &[Self]) -> Option<f64> {
        let one = Combination { threads: 1, ..self.combination };
        timings.iter().find(|timing| timing.combination == one).map(|one| one.median() / self.median())
    }
}

/// Times every combination `runs` times, calling `before` ahead of each warm-up and each run with the number of those
/// done and to be done.
///
/// ```
/// use queens::bench::{Combination, bench};
/// use queens::{Choice, Method, Size};
/// let size = Size::new(9)?;
/// let method = Method::choose(Choice::Auto, None, size)?;
/// let combinations = [1, 2].map(|threads| Combination { size, method, threads });
/// let timings = bench(&combinations, 1, |done, all, _| assert!(done < all))?;
/// assert_eq!(timings[1].count, 352);
/// assert!(timings[1].speed_up(&timings).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where a count fails or is wrong: not the published one or, where none is published, not the first one found.
pub fn bench(
    combinations: &[Combination],
    runs: usize,
    mut before: impl FnMut(usize, usize, &Combination),
) -> Result<Vec<Timing>, BenchError> {
    let all = combinations.len() * (runs + 1);
    let mut done = 0;
    let mut timings: Vec<Timing> = Vec::with_capacity(combinations.len());
    for &combination in combinations {
        before(done, all, &combination);
        let found = timings.iter().find(|timing| timing.combination.size == combination.size).map(|same| same.count);
        let expected = oeis::QUEENS.term(combination.size.get()).or(found);
        let (count, seconds) = time(combination, 1, expected)?;
        // The warm-up also says how often a count fits a run; it is replaced by the first run.
        timings.push(Timing { combination, count, seconds: vec![seconds] });
        done += 1;
    }
    let repeats: Vec<usize> =
        timings.iter().map(|timing| (SHORTEST_RUN / timing.seconds[0]).ceil().clamp(1.0, 1e4) as usize).collect();
    for timing in &mut timings {
        timing.seconds.clear();
    }
    for run in 0..runs {
        for step in 0..timings.len() {
            let index = if run % 2 == 0 { step } else { timings.len() - 1 - step };
            let timing = &mut timings[index];
            before(done, all, &timing.combination);
            timing.seconds.push(time(timing.combination, repeats[index], Some(timing.count))?.1);
            done += 1;
        }
    }
    Ok(timings)
}

/// Counts some times: the number, and the mean of the seconds.
fn time(combination: Combination, repeats: usize, expected: Option<u128>) -> Result<(u128, f64), BenchError> {
    let Combination { size, method, threads } = combination;
    let request = Request::solutions(size).engine(method.engine).isa(method.isa).threads(threads);
    let (mut found, mut seconds) = (0, 0.0);
    for _ in 0..repeats {
        let report = request.count()?;
        (found, seconds) = (report.count, seconds + report.elapsed.as_secs_f64());
        if let Some(expected) = expected.filter(|expected| *expected != found) {
            return Err(BenchError::Wrong(combination, found, expected));
        }
    }
    Ok((found, seconds / repeats as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lanes::Isa;
    use crate::engine::{EngineKind, fault};
    use crate::plan::Plan;
    use crate::plan::halves::HalvesPlan;
    use std::sync::atomic::{AtomicU64, Ordering};

    fn combination(threads: usize) -> Combination {
        let method = Method { engine: EngineKind::Backtrack, isa: Isa::Portable };
        Combination { size: Size::new(9).unwrap(), method, threads }
    }

    fn timing(threads: usize, seconds: &[f64]) -> Timing {
        Timing { combination: combination(threads), count: 352, seconds: seconds.to_vec() }
    }

    #[test]
    fn medians_and_speed_up() {
        assert!((timing(1, &[5.0, 1.0, 3.0]).median() - 3.0).abs() < 1e-12);
        assert!((timing(1, &[5.0, 1.0, 3.0, 2.0]).median() - 2.5).abs() < 1e-12);
        let middle = timing(1, &[5.0, 1.0, 7.0, 2.0]);
        assert_eq!([middle.fastest(), middle.slowest()].map(|seconds| seconds as u64), [1, 7]);
        let timings = [timing(1, &[4.0]), timing(2, &[2.5])];
        assert!((timings[1].speed_up(&timings).unwrap() - 1.6).abs() < 1e-12);
        assert_eq!(timings[1].speed_up(&timings[1..]), None);
        assert!((timings[0].speed_up(&timings).unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn every_other_round_goes_backwards() {
        let combinations = [combination(1), combination(2)];
        let mut order = Vec::new();
        let timings = bench(&combinations, 3, |done, all, at| order.push((done, all, at.threads))).unwrap();
        let threads: Vec<usize> = order.iter().map(|step| step.2).collect();
        assert_eq!(threads, [1, 2, 1, 2, 2, 1, 1, 2]);
        assert_eq!((order[7].0, order[7].1), (7, 8));
        assert!(timings.iter().all(|timing| timing.count == 352 && timing.seconds.len() == 3));
    }

    /// The published number is what is asserted, and then the first one found: in each run.
    #[test]
    fn a_join_that_errs_once_voids_the_timings() {
        static TASKS: AtomicU64 = AtomicU64::new(0);
        let method = Method { engine: EngineKind::Join, isa: Isa::Portable };
        let twelve = [Combination { size: Size::new(12).unwrap(), method, threads: 1 }];
        let wrong = fault::with(|n, _, _| u64::from(n == 12), || bench(&twelve, 1, |_, _, _| {}));
        assert!(matches!(wrong, Err(BenchError::Wrong(_, _, 14_200))), "{wrong:?}");
        // Right in the warm-up, wrong in a task of the first run.
        let plan = HalvesPlan::new(Size::new(12).unwrap());
        let tasks: u64 = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
        assert!((250..=500).contains(&tasks), "the task after 500 is in the second count: there are {tasks}");
        let late: fault::Fault = |n, _, _| u64::from(n == 12 && TASKS.fetch_add(1, Ordering::Relaxed) == 500);
        let wrong = fault::with(late, || bench(&twelve, 1, |_, _, _| {}));
        assert!(matches!(wrong, Err(BenchError::Wrong(_, _, 14_200))), "{wrong:?}");
    }

    #[test]
    fn a_wrong_answer_voids_the_timings() {
        let error = time(combination(2), 1, Some(353)).unwrap_err().to_string();
        assert_eq!(error, "backtrack on 2 threads finds 352 solutions for N = 9 instead of 353");
    }
}
