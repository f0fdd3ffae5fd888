//! Estimates the count and the time of a long run from random samples of its tasks.
//!
//! A first look at a few samples predicts the time. If it is less than the time given, the board is counted instead.
//! Otherwise two kinds of samples are drawn, because no single kind would serve both purposes. Each takes half of the
//! time that is left, on as many threads as the run:
//!
//! - **The count** is the same for every engine. Backtracking has the cheapest samples: thousands of small parts.
//! - **The time** depends on the engine and the machine. So tasks of the engine's own plan are timed, in processor
//!   time, which other programs do not lengthen. The join reuses lists from task to task. So a sample consists of all
//!   tasks that share lists, timed after the lists that a run would find have been made.
//!
//! If the board's tasks take too long, tasks of the largest board that allows enough samples are timed instead. The
//! growth from that board was measured on other machines; its uncertainty is in the interval.
//!
//! The mean of many independent samples is nearly normally distributed, so Student's t gives its confidence interval.

mod growth;
mod sampler;

use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::engine::lanes::Isa;
use crate::engine::{EngineKind, Method};
use crate::interval::{Interval, MIN_SAMPLES};
use crate::plan::prefixes::part_columns;
use crate::report::{CountError, Report};
use crate::request::Request;
use crate::run::{MINUTE, Run, Threads, available_threads, run_off_pool, self_check};
use crate::watch::{Steps, Watch};

use growth::{SMALLEST, empty, extrapolate};
use sampler::Sampler;

/// The fewest samples of the count, which take milliseconds. The mean of fewer is far from normally distributed.
const MIN_PARTS: usize = 100;

/// The empty columns of the parts that are timed for backtracking, which keeps nothing from task to task. Smaller parts
/// do not fill vectors: from 10 columns, N = 16 seems 3 times as long; from 13, N = 17 and 30 1.5 times.
const COLUMNS_LEFT: usize = 16;

/// The first look at a larger board takes 100 ms, but at most 1/8 of the time left, unless an interval needs more.
const LOOK: (Duration, u32) = (Duration::from_millis(100), 8);

/// An uncertainty that samples cannot show: the machine may be faster or slower when the run takes place.
const RUN_VARIATION: f64 = 1.2;

/// An estimate.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Estimate {
    /// Columns and rows of the board.
    pub n: usize,
    /// The engine of the run, as ledgers name it.
    pub engine: &'static str,
    /// Its instruction set.
    pub isa: Isa,
    /// The number of threads of the run, which may exceed the limit of this machine to estimate another.
    pub threads: usize,
    /// The number of solutions.
    pub count: Interval,
    /// Processor time of the run in seconds, of all threads together, on this machine.
    pub core_seconds: Interval,
    /// Wall time of the run in seconds on this machine, if no other program runs.
    pub seconds: Interval,
    /// N of the board whose tasks were timed: the board itself or, if its tasks take too long, a smaller one.
    pub timed_n: usize,
    /// The approximate memory of the run, in bytes.
    pub memory: u64,
    /// The exact number of solutions, if the board was counted. (Not serialized: a double may round it.)
    #[cfg_attr(feature = "serde", serde(skip))]
    pub counted: Option<u128>,
    /// Wall time of the estimate.
    #[cfg_attr(feature = "serde", serde(rename = "spent_seconds", serialize_with = "crate::report::seconds"))]
    pub spent: Duration,
}

/// Estimates the count of a request and the time that it takes on this machine.
///
/// ```
/// use std::time::Duration;
/// use queens::{Request, Size, Watch, estimate::Estimator};
/// let estimator = Estimator::new(Request::solutions(Size::new(20)?)).time(Duration::from_millis(100));
/// let estimate = estimator.estimate(&Watch::default())?;
/// assert!(estimate.count.low < 39_029_188_884.0 && estimate.seconds.mean > 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "an estimator does nothing until `estimate` is called"]
pub struct Estimator {
    request: Request,
    time: Duration,
    seed: u64,
}

impl Estimator {
    /// An estimator of this count, with ten seconds and seed 0.
    pub fn new(request: Request) -> Self {
        Self { request, time: Duration::from_secs(10), seed: 0 }
    }

    /// Sets the approximate time to spend. A board that needs less is counted instead.
    pub fn time(self, time: Duration) -> Self {
        // At most a century, because adding `Duration::MAX` to an `Instant` panics.
        Self { time: time.min(Duration::from_hours(100 * 365 * 24)), ..self }
    }

    /// Sets the random seed, 0 by default. The same seed draws the same samples.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Runs the estimate. If stopped, it returns the estimate from the samples so far.
    pub fn estimate(self, watch: &Watch) -> Result<Estimate, CountError> {
        run_off_pool(|| self.estimate_here(watch))
    }

    fn estimate_here(self, watch: &Watch) -> Result<Estimate, CountError> {
        let (begun, Self { request, time, seed }) = (Instant::now(), self);
        let (prefix, method) = (request.prefix, request.method()?);
        let (size, n) = (prefix.size(), prefix.size().get());
        let backtracking = Method::choose(Some(EngineKind::Backtrack), None, &prefix)?;
        let check = || [method, backtracking].into_iter().try_for_each(|method| self_check::check(method, size));
        let threads = Threads::start(request.threads, usize::MAX, watch, &check)?;
        let (asked, cores) = (request.threads.max(threads.number()), threads.number().min(available_threads()));
        let steps = Steps::begin(watch, 0, Some(time));
        let left = || (begun + time).saturating_duration_since(Instant::now());

        // Generators with consecutive seeds start with similar numbers; their forks do not.
        let mut random = Rng::with_seed(seed).fork();
        let mut counts = Sampler::new(&threads, &steps, backtracking, prefix, part_columns(size), random.fork());
        let first = if method.engine() == EngineKind::Join { empty(n.min(SMALLEST)) } else { prefix };
        let mut times = Sampler::new(&threads, &steps, method, first, COLUMNS_LEFT, random);

        // A first look. The join starts with a board that takes milliseconds, whose time predicts others only within a
        // factor of about two, so a larger board comes next. Backtracking starts with the board itself.
        counts.draw(MIN_PARTS, Duration::ZERO);
        times.draw(MIN_SAMPLES, Duration::ZERO);
        times.draw_larger(n, cores, || left() / LOOK.1, LOOK.0);
        let counted = if times.n == n && times.seconds.mean <= cores as f64 * left().as_secs_f64() {
            let mut run = request.run()?;
            match run.count(watch) {
                Err(CountError::Stopped) => None,
                counted => Some((counted?, run)),
            }
        } else {
            counts.draw(0, left() / 2);
            times.draw_larger(n, cores, left, Duration::MAX);
            None
        };
        threads.check_all(MINUTE)?;
        let [count, core_seconds, seconds] = intervals(&counts, &times, counted.as_ref(), cores);
        Ok(Estimate {
            n,
            engine: method.engine().name(),
            isa: method.isa(),
            threads: asked,
            count,
            core_seconds,
            seconds,
            timed_n: times.n,
            memory: method.memory(size, asked).expect("the engine counts this board"),
            counted: counted.map(|(report, _)| report.count),
            spent: begun.elapsed(),
        })
    }
}

/// The count, the processor time and the wall time: of the run if the board was `counted`, else of the samples.
fn intervals(counts: &Sampler, times: &Sampler, counted: Option<&(Report, Run)>, cores: usize) -> [Interval; 3] {
    if let Some((report, run)) = counted {
        let seconds = report.elapsed.as_secs_f64();
        let core_seconds = run.ledger().cpu_time().map_or(seconds * cores as f64, |time| time.as_secs_f64());
        return [report.count as f64, core_seconds, seconds].map(Interval::exactly);
    }
    let core_seconds = extrapolate(times.seconds.interval().widened(RUN_VARIATION), times.n, counts.n);
    [counts.count.interval(), core_seconds, core_seconds.times(1.0 / cores as f64)]
}

#[cfg(test)]
mod tests;
