//! Times the engines for every combination of size, engine and number of threads, and checks each count.
//!
//! While it is measured, a machine warms up, throttles and serves others. So the runs of one combination do not follow one
//! another: after a warm-up, each round runs every combination once, and every second round goes backwards, so that a
//! steady drift affects all of them alike. The result is the median.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::board::Size;
use crate::engine::Method;
use crate::oeis;
use crate::request::Request;
use crate::run::CountError;
use crate::watch::{Progress, Stop, Watch, Watched, lock};

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

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.threads == 1 { "" } else { "s" };
        write!(f, "N = {}, {}, {} thread{s}", self.size, self.method.engine, self.threads)
    }
}

/// A benchmark that goes on: its combination in hand, the runs that are done, and the timings so far.
struct Timed {
    begun: Instant,
    /// Of all runs, the warm-up included.
    total: usize,
    so_far: Mutex<(Option<Combination>, usize, Vec<Timing>)>,
}

impl Watched<Vec<Timing>> for Timed {
    fn progress(&self) -> Progress {
        let (combination, done, _) = &*lock(&self.so_far);
        let (doing, share) = (combination.map(|next| next.to_string()), *done as f64 / self.total.max(1) as f64);
        let (done, total, elapsed) = (*done as u64, self.total as u64, self.begun.elapsed());
        Progress { doing: doing.unwrap_or_default(), done, total, share, elapsed, ..Progress::default() }
    }

    fn known(&self) -> Option<Vec<Timing>> {
        Some(lock(&self.so_far).2.iter().filter(|timing| !timing.times.is_empty()).cloned().collect())
    }
}

/// Times every combination `runs` times. If it is stopped, it returns the times of the runs that have ended by then.
///
/// ```
/// use queens::bench::{Combination, bench};
/// use queens::{Method, Size, Watch};
/// let size = Size::new(9)?;
/// let method = Method::choose(None, None, size)?;
/// let combinations = [1, 2].map(|threads| Combination { size, method, threads });
/// let timings = bench(&combinations, 1, &Watch::default())?;
/// assert_eq!(timings[1].count, 352);
/// assert!(timings[1].speed_up(&timings).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a count fails or is wrong: it must be the published one or, if none is published, the first one found.
pub fn bench(combinations: &[Combination], runs: usize, watch: &Watch<Vec<Timing>>) -> Result<Vec<Timing>, BenchError> {
    let (total, so_far) = (combinations.len() * (runs + 1), Mutex::default());
    let timed = Arc::new(Timed { begun: Instant::now(), total, so_far });
    watch.begin(Arc::clone(&timed) as _);
    let mut repeats = Vec::with_capacity(combinations.len());
    for (index, combination) in order(combinations.len(), runs).map(|index| (index, combinations[index])) {
        let expected = {
            let (next, _, timings) = &mut *lock(&timed.so_far);
            *next = Some(combination);
            expected(combination.size, timings)
        };
        let (count, time) = match time(combination, repeats.get(index).copied().unwrap_or(1), expected, watch.flag()) {
            Err(BenchError::Count(CountError::Stopped)) => break,
            timed => timed?,
        };
        let (_, done, timings) = &mut *lock(&timed.so_far);
        *done += 1;
        if repeats.len() == index {
            // The warm-up says how often a count fits a run.
            repeats.push(SHORTEST_RUN.div_duration_f64(time).ceil().clamp(1.0, 1e4) as u32);
            timings.push(Timing { combination, count, times: Vec::with_capacity(runs) });
        } else {
            timings[index].times.push(time);
        }
    }
    Ok(timed.known().expect("it was begun"))
}

/// The combinations in the order in which they are run: the warm-up, and so many runs.
fn order(combinations: usize, runs: usize) -> impl Iterator<Item = usize> {
    let round =
        move |round| (0..combinations).map(move |step| if round % 2 == 0 { combinations - 1 - step } else { step });
    (0..combinations).chain((1..=runs).flat_map(round))
}

/// The published number or, if there is none, the first one found.
fn expected(size: Size, timings: &[Timing]) -> Option<u128> {
    let found = || timings.iter().find(|timing| timing.combination.size == size).map(|same| same.count);
    oeis::QUEENS.term(size.get()).or_else(found)
}

/// Counts `repeats` times, and returns the number and the mean of the times.
fn time(
    combination: Combination,
    repeats: u32,
    expected: Option<u128>,
    stop: &Stop,
) -> Result<(u128, Duration), BenchError> {
    let Combination { size, method, threads } = combination;
    let request = Request::solutions(size).engine(method.engine).isa(method.isa).threads(threads);
    let (mut found, mut elapsed) = (0, Duration::ZERO);
    for _ in 0..repeats {
        let report = request.prepare_until(stop).map_err(CountError::from)?.count()?;
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

    /// The warm-up and the first run go forwards.
    #[test]
    fn every_other_round_goes_backwards() {
        assert!(order(2, 3).eq([0, 1, 0, 1, 1, 0, 0, 1]));
        let timings = bench(&[combination(1), combination(2)], 3, &Watch::default()).unwrap();
        assert!(timings.iter().all(|timing| timing.count == 352 && timing.times.len() == 3));
    }

    /// It says what it times, and a stop leaves the runs that have ended.
    #[test]
    fn a_stop_leaves_what_was_timed() {
        let long = Combination { size: Size::new(18).unwrap(), ..combination(2) };
        for (combinations, least) in [(vec![combination(1); 9], 1), (vec![long], 0)] {
            let (watch, runs) = (Watch::default(), 1_000_000);
            let timings = std::thread::scope(|scope| {
                let timing = scope.spawn(|| bench(&combinations, runs, &watch).unwrap());
                // A run of the first ones, or the warm-up of the other.
                while watch.progress().done < 9 * least + least || watch.progress().doing.is_empty() {
                    std::thread::yield_now();
                }
                assert_eq!(watch.progress().doing, combinations[0].to_string());
                watch.stop();
                timing.join().unwrap()
            });
            let Progress { done, total, share, .. } = watch.progress();
            assert_eq!(total, (runs as u64 + 1) * combinations.len() as u64);
            assert!(share < 1.0 && (share - done as f64 / total as f64).abs() < 1e-12);
            let times: usize = timings.iter().map(|timing| timing.times.len()).sum();
            assert!(times as u64 >= least && timings.iter().all(|timing| !timing.times.is_empty()), "{timings:?}");
        }
        assert_eq!(
            [1, 2].map(|threads| combination(threads).to_string()),
            ["N = 9, backtrack, 1 thread", "N = 9, backtrack, 2 threads"]
        );
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
        let wrong = fault::with(|n, _, _| u64::from(n == 12), || bench(&twelve, 1, &Watch::default()));
        assert!(matches!(wrong, Err(BenchError::Wrong(_, _, 14_200))), "{wrong:?}");
        // Right in the warm-up, wrong in a task of the first run.
        let plan = HalvesPlan::new(Size::new(12).unwrap());
        let tasks: u64 = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
        assert!((250..=500).contains(&tasks), "the task after 500 is in the second count: there are {tasks}");
        let late: fault::Fault = |n, _, _| u64::from(n == 12 && TASKS.fetch_add(1, Ordering::Relaxed) == 500);
        let wrong = fault::with(late, || bench(&twelve, 1, &Watch::default()));
        assert!(matches!(wrong, Err(BenchError::Wrong(_, _, 14_200))), "{wrong:?}");
    }

    #[test]
    fn a_wrong_answer_voids_the_timings() {
        let error = time(combination(2), 1, Some(353), &Stop::default()).unwrap_err().to_string();
        assert_eq!(error, "backtrack on 2 threads finds 352 solutions for N = 9 instead of 353");
    }
}
