//! Predictions: the count and the time of a long run, from a random sample of its plan.
//!
//! A unit is drawn at random, with a probability that grows with its estimated work, then a task of it, and a random part
//! of this task is counted. The result is divided by the probability of having drawn that part. On average this gives the
//! total, whatever the probabilities are (Hansen and Hurwitz 1943); good probabilities only narrow the interval. The mean
//! of many independent samples is nearly normally distributed, so Student's t gives the interval from their standard
//! deviation.
//!
//! Two samples are drawn, because no single one would serve both purposes:
//!
//! - **The count** is the same for every engine. So it is sampled by the engine whose samples are cheapest: thousands of
//!   small parts, by backtracking.
//! - **The time** is that of the engine on this machine. So tasks of its own plan are timed, as many at once as the run
//!   would have threads. Their processor time counts, which other programs do not lengthen.
//!
//! Some engines keep lists from one task to the next. A sample is then as many tasks as share lists
//! ([`Units::tasks_sharing_lists`](crate::plan::Units::tasks_sharing_lists)), and the time begins when the lists are there
//! that a run would find: tasks drawn one by one took 2.2 times as long as the run for N = 20, and 7 times for N = 19.
//!
//! If a single task takes longer than the time allowed, tasks of the largest board are timed that leaves room for enough of
//! them. How the work grows from there to the board itself is known from other machines, to within a factor that is part of
//! the interval ([`growth`]). The prediction then names the time that tasks of the board itself would need.
//!
//! The interval of the time covers the error of the sample, the changes of the machine's speed while tasks were timed (some
//! are timed repeatedly to see these), and 20 percent in addition. It does not cover other work that the machine is given
//! later.
//!
//! Backtracking takes as long as the parts that it samples for the count say, and the solutions that a turn leaves
//! unchanged are counted by tasks that are small enough for both purposes: there, one sample gives the count and the time.

mod climb;
mod growth;
mod sampler;
mod state;
mod time;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::engine::lanes::Isa;
use crate::engine::{EngineKind, Method};
use crate::interval::Interval;
use crate::run::counting::Counter;
use crate::run::{CountError, available_threads, self_check, threads};
use crate::subject::Subject;
use crate::watch::{Watch, Watched};

use climb::Climb;
use sampler::Sampler;
use state::{Drawing, Planned, Target};

/// Parts sampled for the count to one task sampled for the time.
const PARTS_PER_TASK: usize = 10;

/// Of the time allowed, the share that the sample for the count may take.
const COUNT_SHARE: f64 = 0.5;

/// In which part of the time allowed the samples must be drawn: those for the count come first, and leave time for the
/// others.
fn time_for(target: Target, max_time: Duration) -> Duration {
    match target {
        Target::Count => max_time.mul_f64(COUNT_SHARE),
        Target::Time => max_time,
    }
}

/// The time allowed that leaves these seconds for the tasks that are timed, if parts are counted in the same time.
fn time_that_leaves(seconds: f64, is_counted_too: bool) -> Duration {
    let share = if is_counted_too { 1.0 - COUNT_SHARE } else { 1.0 };
    Duration::try_from_secs_f64(seconds / share).unwrap_or(Duration::MAX)
}

/// How many samples are drawn, and which.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Sampling {
    /// The most random parts to count, at least two; a tenth as many tasks are timed. The intervals narrow with the square
    /// root of this number.
    pub samples: usize,
    /// The same seed draws the same samples, another seed others.
    pub seed: u64,
    /// No sample is begun that is likely to end after this time. At least two parts are counted and a few tasks timed, even if
    /// that takes longer, but of a smaller board if those of the board itself would take too long.
    pub max_time: Duration,
}

impl Sampling {
    /// The same, but within this time.
    #[must_use]
    pub fn within(self, max_time: Duration) -> Self {
        Self { max_time, ..self }
    }
}

impl Default for Sampling {
    /// Ten thousand within a minute.
    fn default() -> Self {
        Self { samples: 10_000, seed: 1, max_time: Duration::from_secs(60) }
    }
}

/// A prediction.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Prediction {
    /// What is predicted.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub subject: Subject,
    /// The engine of the run, as ledgers name it.
    pub engine: &'static str,
    /// Its instruction set.
    pub isa: Isa,
    /// Its number of threads.
    pub threads: usize,
    /// The number of cores that these threads keep busy: as many as threads, or all that this process may use.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub cores: usize,
    /// The number of tasks that the run has.
    pub tasks: u64,
    /// The number of solutions.
    pub count: Interval,
    /// The number of parts that were counted for `count`.
    pub count_samples: usize,
    /// Processor time of the run in seconds, of all threads together, on this machine.
    pub core_seconds: Interval,
    /// Wall time of the run in seconds if this machine has nothing else to do: the processor time divided by `cores`.
    #[cfg_attr(feature = "serde", serde(rename = "run_seconds"))]
    pub seconds: Interval,
    /// The number of tasks that were timed for `core_seconds`.
    pub time_samples: usize,
    /// The size of the board whose tasks were timed: the board itself or, if a single task would take too long, a smaller
    /// one from which the time was extrapolated.
    pub timed_n: usize,
    /// If fewer than five tasks of the board itself were timed: about the seconds that a sample of them takes.
    pub sample_seconds: Option<f64>,
    /// In that case, about the [`Sampling::max_time`] that would be enough to time them.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::ledger::seconds_if_known"))]
    pub max_time_needed: Option<Duration>,
    /// How much the machine changed its speed while tasks were timed: the relative amount by which another part of the time
    /// may differ from the mean (95 %); 0 if too few tasks were timed to tell. The interval of the time covers it.
    pub drift: f64,
    /// The share of a core that each thread had while tasks were timed: near 1 unless the machine was busy, and 1 if that took
    /// less than half a second, which does not tell. The predicted time is that on an idle machine in any case.
    pub core_share: f64,
    /// Wall time of the sampling.
    #[cfg_attr(feature = "serde", serde(rename = "seconds", serialize_with = "crate::ledger::seconds"))]
    pub spent: Duration,
}

/// Predicts a count by this method. If it is stopped, the prediction is that of the samples drawn by then.
pub(crate) fn predict(
    subject: &Subject,
    method: Method,
    threads: usize,
    sampling: &Sampling,
    watch: &Watch<Prediction>,
) -> Result<Prediction, CountError> {
    /// Samples at least, whatever the time: one has no interval.
    const LEAST: usize = 2;
    let pool = threads::pool(threads)?;
    let counter = Counter::new(method);
    self_check::check(&counter, subject, false)?;
    // The parts of `count` are counted by backtracking, which has no turns.
    let by_parts = match (subject.rotation(), method.engine) {
        (Some(_), _) | (None, EngineKind::Backtrack) => None,
        (None, _) => Some(Counter::new(Method::choose(EngineKind::Backtrack.into(), None, *subject)?)),
    };
    by_parts.as_ref().map_or(Ok(()), |backtrack| self_check::check(backtrack, subject, false))?;
    let started = Instant::now();
    // A century is for ever, and still fits a clock.
    let max_time = sampling.max_time.min(Duration::from_secs(100 * 365 * 24 * 3600));
    let [parts, timed] = [sampling.samples, sampling.samples / PARTS_PER_TASK].map(|samples| samples.max(LEAST));
    let threads = pool.current_num_threads();
    let cores = threads.min(available_threads());
    let counting = counter.counting(subject);
    let plan = counting.plan();
    let tasks = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
    let samples = if by_parts.is_none() { [0, parts] } else { [parts, timed] };
    let run = Planned { subject: *subject, method, threads, cores, tasks, started, samples, max_time };
    let drawing = Arc::new(Drawing { run, stop: watch.flag().clone(), found: Mutex::default() });
    watch.begin(Arc::clone(&drawing) as _);
    let sampler = |target, samples| {
        let deadline = started + time_for(target, max_time);
        Sampler { pool: &pool, drawing: &drawing, target, samples, least: LEAST, seed: sampling.seed, deadline }
    };
    if let Some(backtrack) = by_parts {
        sampler(Target::Count, parts).draw(&*backtrack.counting(subject));
    }
    Climb { subject, counter: &counter, counting: &*counting, sampler: sampler(Target::Time, samples[1]) }.draw();
    Ok(drawing.known().expect("it was begun"))
}

#[cfg(test)]
mod tests {
    use super::growth::unsure;
    use super::*;
    use crate::{Progress, Request, Rotation, RotationalBoard, Size, oeis};

    fn predict(n: usize, samples: usize, seed: u64, threads: usize) -> Prediction {
        let request = Request::solutions(Size::new(n).unwrap()).engine(EngineKind::Backtrack).threads(threads);
        request.estimate(&Sampling { samples, seed, ..Sampling::default() }, &Watch::default()).unwrap()
    }

    /// Nineteen intervals in twenty should; fewer than eighteen in twenty would happen by chance once in 70 times, but
    /// the seeds are fixed.
    #[test]
    fn the_interval_holds_the_count() {
        let expected = oeis::QUEENS.term(13).unwrap() as f64;
        let held = (0..100).filter(|&seed| {
            let Interval { low, high, .. } = predict(13, 120, seed, 2).count;
            (low..=high).contains(&expected)
        });
        let held = held.count();
        assert!(held >= 90, "only {held} of 100");
    }

    #[test]
    fn a_seed_decides_what_is_drawn() {
        let means = [(7, 1), (7, 3), (8, 1)].map(|(seed, threads)| predict(13, 50, seed, threads).count.mean);
        assert!((means[0] - means[1]).abs() < 1e-3 && (means[0] - means[2]).abs() > 1.0, "{means:?}");
    }

    /// What is asked for is drawn, and no more; a run of no time is made, and all its tasks are timed.
    #[test]
    fn as_much_is_drawn_as_is_asked_for() {
        let request = Request::solutions(Size::new(12).unwrap()).threads(1);
        for (samples, counted) in [(50, 50), (0, 2)] {
            let sampling = Sampling { samples, max_time: Duration::MAX, ..Sampling::default() };
            let watch = Watch::default();
            let prediction = request.estimate(&sampling, &watch).unwrap();
            assert_eq!((prediction.count_samples, prediction.timed_n), (counted, 12));
            assert_eq!(prediction.tasks, 55, "two queens in the first columns, up to reflection");
            assert_eq!(watch.progress().done, counted as u64);
            let Interval { mean, low, high } = prediction.core_seconds;
            assert_eq!((prediction.time_samples as u64, prediction.max_time_needed), (prediction.tasks, None));
            assert!(low < mean && mean < high && high.is_finite() && mean > 0.0, "{low} to {high}");
        }
    }

    /// The samples of one estimate are not averaged with those of another that has the same watch.
    #[test]
    fn a_watch_shows_the_latest_estimate() {
        let (watch, sampling) = (Watch::default(), Sampling { samples: 20, ..Sampling::default() });
        for n in [8, 10] {
            Request::solutions(Size::new(n).unwrap()).threads(1).estimate(&sampling, &watch).unwrap();
            let Prediction { subject, count_samples, .. } = watch.known().unwrap();
            assert_eq!((subject.n(), count_samples), (n, 20));
        }
    }

    /// The count takes half of the time allowed, so tasks that take a minute need two.
    #[test]
    fn the_time_allowed_is_shared_out() {
        let minute = Duration::from_secs(60);
        let times = [Target::Count, Target::Time].map(|target| time_for(target, minute));
        assert_eq!(times, [Duration::from_secs(30), minute]);
        assert_eq!([false, true].map(|counted| time_that_leaves(60.0, counted)), [minute, 2 * minute]);
        assert_eq!([1e300, f64::NAN].map(|seconds| time_that_leaves(seconds, true)), [Duration::MAX; 2]);
    }

    #[test]
    fn boards_without_a_choice() {
        for n in 0..=4 {
            let Interval { low, high, .. } = predict(n, 100, 1, 1).count;
            let expected = oeis::QUEENS.term(n).unwrap() as f64;
            assert!((low - 1e-6..=high + 1e-6).contains(&expected), "N = {n}: {low} to {high}");
        }
    }

    /// Backtracking is sampled by parts of the board itself, whatever the time; the join then times the smallest board alone.
    #[test]
    fn time_ends_the_sampling() {
        let request = Request::solutions(Size::new(20).unwrap()).threads(1);
        let sampling = Sampling { samples: 1_000_000_000, max_time: Duration::ZERO, ..Sampling::default() };
        let parts = request.engine(EngineKind::Backtrack).estimate(&sampling, &Watch::default()).unwrap();
        assert_eq!((parts.count_samples, parts.time_samples, parts.timed_n), (2, 2, 20));
        assert!(parts.core_seconds.high.is_infinite() && parts.max_time_needed > Some(Duration::ZERO), "{parts:?}");
        let join = request.estimate(&sampling, &Watch::default()).unwrap();
        assert_eq!((join.count_samples, join.time_samples, join.timed_n), (2, 5, 14));
        let seconds = join.core_seconds;
        assert!(seconds.mean > 0.0 && seconds.factor() > unsure(6) && join.count.high > join.count.mean);
        assert!(join.sample_seconds > Some(0.0) && join.max_time_needed > Some(Duration::ZERO));
    }

    /// Of turns, one sample gives both; of a smaller board, it gives the time alone.
    #[test]
    fn turns_are_timed_on_smaller_boards() {
        let request = Request::rotational(RotationalBoard::new(Rotation::Half, 38).unwrap()).threads(1);
        let sampling = Sampling { max_time: Duration::ZERO, ..Sampling::default() };
        let prediction = request.estimate(&sampling, &Watch::default()).unwrap();
        assert_eq!((prediction.count_samples, prediction.time_samples, prediction.timed_n), (0, 5, 24));
        assert!(prediction.count.high.is_infinite() && prediction.core_seconds.high.is_finite());
        assert!(prediction.max_time_needed > Some(Duration::from_secs(1)), "{prediction:?}");
        // The time that is given is used, though no sample of the board itself would end in it.
        let within = |max_time| {
            let sampling = Sampling { samples: 1_000_000_000, max_time, ..sampling };
            request.estimate(&sampling, &Watch::default()).unwrap()
        };
        // Twice as long each time, until there is room for a larger board on this machine.
        let mut times = (0..8).map(|doubled| Duration::from_millis(400 << doubled));
        let larger = times.find_map(|time| Some((time, within(time))).filter(|(_, found)| found.timed_n > 24));
        let (time, prediction) = larger.expect("a larger board is timed");
        assert!(prediction.spent > time / 2, "{prediction:?}");
    }

    /// Who watches may end it at any time, and is told what is known by then.
    #[test]
    fn a_stop_ends_the_sampling() {
        let watch = Watch::default();
        let request = Request::solutions(Size::new(24).unwrap()).threads(1);
        let sampling = Sampling { samples: 1_000_000_000, max_time: Duration::MAX, ..Sampling::default() };
        assert!(watch.known().is_none() && watch.progress() == Progress::default());
        let prediction = std::thread::scope(|scope| {
            let drawing = scope.spawn(|| request.estimate(&sampling, &watch));
            while watch.known().is_none_or(|known| known.count_samples < 20) {
                std::thread::yield_now();
            }
            watch.stop();
            drawing.join().unwrap().unwrap()
        });
        assert!(prediction.count_samples >= 20 && prediction.count.high.is_finite());
        assert!((prediction.time_samples, prediction.core_seconds.high) == (0, f64::INFINITY), "{prediction:?}");
    }

    /// Wall time is processor time shared among the cores that are kept busy.
    #[test]
    fn cores_share_the_time() {
        let half = RotationalBoard::new(Rotation::Half, 16).unwrap();
        let requests = [Request::solutions(Size::new(12).unwrap()), Request::rotational(half)];
        for (request, threads) in requests.into_iter().flat_map(|request| [(request, 1), (request, 2), (request, 64)]) {
            let prediction = request
                .threads(threads)
                .estimate(&Sampling { samples: 200, ..Sampling::default() }, &Watch::default())
                .unwrap();
            assert_eq!((prediction.threads, prediction.cores), (threads, available_threads().min(threads)));
            let (core, wall) = (prediction.core_seconds, prediction.seconds);
            assert!(core.mean > 0.0 && wall == core.times(1.0 / prediction.cores as f64));
        }
    }
}
