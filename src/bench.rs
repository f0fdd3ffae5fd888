//! Times the engines for every combination of size, engine and number of threads, and checks each count.
//!
//! While it is measured, a machine warms up, throttles and serves others. So the runs of one combination do not follow one
//! another: after a warm-up, each round runs every combination once, and every second round goes backwards, so that a
//! steady drift affects all of them alike. The result is the median.

use std::time::Duration;

use crate::board::Size;
use crate::engine::Method;
use crate::oeis;
use crate::request::Request;
use crate::run::CountError;

/// The least time of a run. Quicker counts are repeated within a run, because the clock and the threads have jitter.
pub const SHORTEST_RUN: Duration = Duration::from_millis(50);

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
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timing {
    /// What was timed.
    pub combination: Combination,
    /// What it counted.
    pub count: u128,
    /// The time of one count in each run, in the order of the runs; at least one.
    pub times: Vec<Duration>,
}

/// Why there are no timings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The engine found a wrong number.
    #[error("{} on {} threads finds {found} solutions for N = {} instead of {expected}", .0.method.engine, .0.threads, .0.size, found = .1, expected = .2)]
    Wrong(Combination, u128, u128),
    /// A count failed.
    #[error(transparent)]
    Count(#[from] CountError),
}

impl Timing {
    /// The median of the times: the middle one, or the mean of the two in the middle.
    pub fn median(&self) -> Duration {
        let mut sorted = self.times.clone();
        sorted.sort_unstable();
        let middle = sorted.len() / 2;
        if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2 }
    }

    /// The shortest time.
    pub fn fastest(&self) -> Duration {
        self.times.iter().copied().min().unwrap_or_default()
    }

    /// The longest time.
    pub fn slowest(&self) -> Duration {
        self.times.iter().copied().max().unwrap_or_default()
    }

    /// How many times as fast as on one thread, if `timings` has that too.
    ///
    /// Divided by the number of threads, this is the parallel efficiency.
    pub fn speed_up(&self, timings: &[Self]) -> Option<f64> {
        let one = Combination { threads: 1, ..self.combination };
        timings.iter().find(|timing| timing.combination == one).map(|one| one.median().div_duration_f64(self.median()))
    }
}

/// Times every combination `runs` times. Before each warm-up and each run it calls `before` with the number of those done, the
/// number of all, and the next combination.
///
/// ```
/// use queens::bench::{Combination, bench};
/// use queens::{Method, Size};
/// let size = Size::new(9)?;
/// let method = Method::choose(None, None, size)?;
/// let combinations = [1, 2].map(|threads| Combination { size, method, threads });
/// let timings = bench(&combinations, 1, |done, all, _| assert!(done < all))?;
/// assert_eq!(timings[1].count, 352);
/// assert!(timings[1].speed_up(&timings).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a count fails or is wrong: it must be the published one or, if none is published, the first one found.
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
        let (count, warm_up) = time(combination, 1, expected(combination.size, &timings))?;
        // The warm-up also says how often a count fits a run; it is replaced by the first run.
        timings.push(Timing { combination, count, times: vec![warm_up] });
        done += 1;
    }
    let repeats = |timing: &Timing| SHORTEST_RUN.div_duration_f64(timing.times[0]).ceil().clamp(1.0, 1e4) as u32;
    let repeats: Vec<u32> = timings.iter().map(repeats).collect();
    for timing in &mut timings {
        timing.times.clear();
    }
    for run in 0..runs {
        for step in 0..timings.len() {
            let index = if run % 2 == 0 { step } else { timings.len() - 1 - step };
            let timing = &mut timings[index];
            before(done, all, &timing.combination);
            timing.times.push(time(timing.combination, repeats[index], Some(timing.count))?.1);
            done += 1;
        }
    }
    Ok(timings)
}

/// The published number or, if there is none, the first one found.
fn expected(size: Size, timings: &[Timing]) -> Option<u128> {
    let found = || timings.iter().find(|timing| timing.combination.size == size).map(|same| same.count);
    oeis::QUEENS.term(size.get()).or_else(found)
}

/// Counts `repeats` times, and returns the number and the mean of the times.
fn time(combination: Combination, repeats: u32, expected: Option<u128>) -> Result<(u128, Duration), BenchError> {
    let Combination { size, method, threads } = combination;
    let request = Request::solutions(size).engine(method.engine).isa(method.isa).threads(threads);
    let (mut found, mut elapsed) = (0, Duration::ZERO);
    for _ in 0..repeats {
        let report = request.count()?;
        (found, elapsed) = (report.count, elapsed + report.elapsed);
        if let Some(expected) = expected.filter(|expected| *expected != found) {
            return Err(BenchError::Wrong(combination, found, expected));
        }
    }
    Ok((found, elapsed / repeats))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lanes::Isa;
    use crate::engine::{EngineKind, fault};
    use crate::plan::{HalvesPlan, Units};
    use std::sync::atomic::{AtomicU64, Ordering};

    fn combination(threads: usize) -> Combination {
        let method = Method { engine: EngineKind::Backtrack, isa: Isa::Portable };
        Combination { size: Size::new(9).unwrap(), method, threads }
    }

    fn timing(threads: usize, seconds: &[u64]) -> Timing {
        let times = seconds.iter().copied().map(Duration::from_secs).collect();
        Timing { combination: combination(threads), count: 352, times }
    }

    #[test]
    fn medians_and_speed_up() {
        assert_eq!(timing(1, &[5, 1, 3]).median(), Duration::from_secs(3));
        assert_eq!(timing(1, &[5, 1, 3, 2]).median(), Duration::from_millis(2500));
        let middle = timing(1, &[5, 1, 7, 2]);
        assert_eq!([middle.fastest(), middle.slowest()].map(|time| time.as_secs()), [1, 7]);
        let timings = [timing(1, &[8]), timing(2, &[5])];
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
        assert!(timings.iter().all(|timing| timing.count == 352 && timing.times.len() == 3));
    }

    #[test]
    fn the_first_number_found_stands_for_one_that_nobody_published() {
        let of = |n, count| {
            let combination = Combination { size: Size::new(n).unwrap(), ..combination(1) };
            Timing { combination, count, ..timing(1, &[1]) }
        };
        let timings = [of(27, 1), of(28, 2), of(28, 3)];
        let expected = [27, 28, 29].map(|n| expected(Size::new(n).unwrap(), &timings));
        assert_eq!(expected, [oeis::QUEENS.term(27), Some(2), None]);
    }

    /// Each run must find the published number or, if there is none, the first one found.
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
