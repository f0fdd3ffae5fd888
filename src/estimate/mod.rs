//! Estimates of the count and the time of a long run, from random parts of it.
//!
//! Two samples are drawn, because no single one would serve both purposes. Each takes half of the time that is left after
//! a first look, on as many threads as the run would have:
//!
//! - **The count** is the same for every engine. Backtracking has the cheapest samples, thousands of small parts.
//! - **The time** is that of the engine on this machine. So tasks of its own plan are timed, by their processor time, which
//!   other programs do not lengthen. The join keeps lists from one task to the next. So a sample is as many tasks as share
//!   lists, and the time begins when the lists are there that a run would find.
//!
//! If tasks of the board take longer than the time that is given, those of the largest board are timed that leaves room
//! for enough of them. How work grows from there is known from other machines, up to a factor in the interval.
//!
//! The mean of many independent samples is nearly normally distributed, so Student's t gives the interval from their
//! deviation. A few samples tell first what a run takes: if that is less than the time given, the board is counted instead.

mod growth;
mod sampler;

use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::engine::lanes::Isa;
use crate::engine::{EngineKind, Method};
use crate::interval::{FEWEST, Interval};
use crate::plan::prefixes::part_columns;
use crate::report::{CountError, Report};
use crate::request::Request;
use crate::run::{MINUTE, Run, Threads, available_threads, run_off_pool, self_check};
use crate::watch::{Steps, Watch};

use growth::{SMALLEST, empty, grown};
use sampler::Sampler;

/// At least so many parts are drawn for the count, in milliseconds: the counts of a few are far from normally distributed.
const PARTS: usize = 100;

/// Backtracking keeps nothing from task to task, so parts of so many empty columns are timed. Smaller ones fill no vectors: by
/// parts with 10, N = 16 would take three times as long, with 13, N = 17 and 30 half as long again.
const COLUMNS_LEFT: usize = 16;

/// A look at a board takes so long, or longer where an interval needs it, but only one part of so many of the time.
const LOOK: (Duration, u32) = (Duration::from_millis(100), 8);

/// The factor that no sample shows: the run may come at another time than the estimate.
const BESIDE: f64 = 1.2;

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
    /// Its number of threads: as many as were asked for, for they tell of larger machines too.
    pub threads: usize,
    /// The number of solutions.
    pub count: Interval,
    /// Processor time of the run in seconds, of all threads together, on this machine.
    pub core_seconds: Interval,
    /// Wall time of the run in seconds if this machine has nothing else to do.
    pub seconds: Interval,
    /// The size of the board whose tasks were timed: the board itself or, if they would take too long, a smaller one.
    pub timed_n: usize,
    /// A guide to the memory of the run, in bytes.
    pub memory: u64,
    /// The exact number of solutions, of a board so small that it was counted. (Not serialized: a double may round it.)
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
#[must_use = "it does nothing until it is told to"]
pub struct Estimator {
    request: Request,
    time: Duration,
    seed: u64,
}

impl Estimator {
    /// Estimates this count, in ten seconds.
    pub fn new(request: Request) -> Self {
        Self { request, time: Duration::from_secs(10), seed: 0 }
    }

    /// Takes about this time. If the count itself takes less, it is counted.
    pub fn time(self, time: Duration) -> Self {
        // A century is for ever, and still fits a clock.
        Self { time: time.min(Duration::from_hours(100 * 365 * 24)), ..self }
    }

    /// Draws other random parts with another seed, and the same parts with the same seed; without it, with 0.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Estimates. If it is stopped, the estimate is that of the parts counted by then.
    pub fn estimate(self, watch: &Watch) -> Result<Estimate, CountError> {
        run_off_pool(|| self.estimate_here(watch))
    }

    fn estimate_here(self, watch: &Watch) -> Result<Estimate, CountError> {
        let (begun, Self { request, time, seed }) = (Instant::now(), self);
        let (prefix, method) = (request.prefix, request.method()?);
        let (size, n) = (prefix.size(), prefix.size().get());
        let by_parts = Method::choose(Some(EngineKind::Backtrack), None, &prefix)?;
        let check = || [method, by_parts].into_iter().try_for_each(|method| self_check::check(method, size));
        let threads = Threads::start(request.threads, usize::MAX, watch, &check)?;
        let (asked, cores) = (request.threads.max(threads.number()), threads.number().min(available_threads()));
        let steps = Steps::begin(watch, "drawing samples", 0, Some(time));
        let left = || (begun + time).saturating_duration_since(Instant::now());

        // The numbers of generators with consecutive seeds begin alike; those of generators that they seed do not.
        let mut random = Rng::with_seed(seed).fork();
        let mut parts = Sampler::new(&threads, &steps, by_parts, prefix, part_columns(size), random.fork());
        let first = if method.engine() == EngineKind::Join { empty(n.min(SMALLEST)) } else { prefix };
        let mut timed = Sampler::new(&threads, &steps, method, first, COLUMNS_LEFT, random);

        // A first look at the count and at the time. How the work grows from a board that takes no time is wrong by a factor
        // of two or so, so a larger board is looked at next. Backtracking is looked at in parts of its own.
        parts.draw(PARTS, Duration::ZERO);
        timed.draw(FEWEST, Duration::ZERO);
        timed.climb(n, cores, || left() / LOOK.1, LOOK.0);
        let counted = if timed.n == n && timed.seconds.mean <= cores as f64 * left().as_secs_f64() {
            let mut run = request.run()?;
            match run.count(watch) {
                Err(CountError::Stopped) => None,
                counted => Some((counted?, run)),
            }
        } else {
            parts.draw(0, left() / 2);
            timed.climb(n, cores, left, Duration::MAX);
            None
        };
        threads.check_all(MINUTE)?;
        let [count, core_seconds, seconds] = intervals(&parts, &timed, counted.as_ref(), cores);
        Ok(Estimate {
            n,
            engine: method.engine().name(),
            isa: method.isa(),
            threads: asked,
            count,
            core_seconds,
            seconds,
            timed_n: timed.n,
            memory: method.memory(size, asked).expect("it counts this board"),
            counted: counted.map(|(report, _)| report.count),
            spent: begun.elapsed(),
        })
    }
}

/// The count, the processor time and the wall time: those of the run if the board was `counted`, else what the samples tell.
fn intervals(parts: &Sampler, timed: &Sampler, counted: Option<&(Report, Run)>, cores: usize) -> [Interval; 3] {
    if let Some((report, run)) = counted {
        let seconds = report.elapsed.as_secs_f64();
        let core_seconds = run.ledger().cpu_time().map_or(seconds * cores as f64, |time| time.as_secs_f64());
        return [report.count as f64, core_seconds, seconds].map(Interval::exactly);
    }
    let core_seconds = grown(timed.seconds.interval().within(BESIDE), timed.n, parts.n);
    [parts.count.interval(), core_seconds, core_seconds.times(1.0 / cores as f64)]
}

#[cfg(test)]
mod tests;
