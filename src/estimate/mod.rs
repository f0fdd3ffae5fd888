//! Predictions: the count and the time of a long run, from a random sample of its plan.
//!
//! A task is drawn at random, unit by its estimated work, and a random part of it is counted. The result, divided by
//! the probability of having drawn it, is on average the total whatever the probabilities are (Hansen and Hurwitz
//! 1943); good ones only narrow the interval. The mean over many independent samples is nearly normal, so Student's t
//! gives the interval from their standard deviation.
//!
//! Two samples are drawn, for no single one would serve both ends. The count is that of the board, whoever counts it,
//! so it is sampled where samples are cheapest: thousands of small parts, by backtracking. The time is that of the
//! engine on this machine, so tasks of its own plan are timed, as many at once as the run would have threads,
//! by their processor time, which other programs do not lengthen. Where an engine keeps lists from one task to the next, a
//! sample is as many tasks as share lists ([`Plan::tasks_sharing_lists`](crate::plan::Plan::tasks_sharing_lists)), timed once what a run would find there has been made:
//! tasks from anywhere, each by itself, took 2.2 times as long for N = 20 as the run did, and 7 times for N = 19. Where a
//! single task takes longer than there is time, the tasks of smaller boards are timed and the growth extrapolated.
//!
//! What a turn leaves unchanged is counted by tasks that are small enough for both: one sample gives the count and the time.

mod interval;
mod sample;
mod time;

use std::time::{Duration, Instant};

use crate::engine::lanes::Isa;
use crate::engine::{EngineKind, Method};
use crate::run::dispatch::Dispatch;
use crate::run::{CountError, Threads, available_threads};
use crate::subject::Subject;

pub use interval::Interval;
use sample::{Sampler, Samples};
use time::TimeSample;

/// Parts sampled for the count to one task sampled for the time.
const PARTS_PER_TASK: usize = 10;

/// Of the time allowed, the share that the sample for the count may take.
const COUNT_SHARE: f64 = 0.5;

/// How many samples are drawn, and which.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// Random parts counted at the most, at least two; a tenth as many tasks are timed. The intervals narrow with the
    /// square root.
    pub samples: usize,
    /// Others for another seed, the same for the same.
    pub seed: u64,
    /// None is begun that is likely to end after this time. At least two of each kind are made: a second or two, if there is
    /// less; longer for the completions of few queens on a large board, for which no smaller board can stand.
    pub max_time: Duration,
}

impl Default for Sampling {
    /// Ten thousand within a minute.
    fn default() -> Self {
        Self { samples: 10_000, seed: 1, max_time: Duration::from_mins(1) }
    }
}

/// A prediction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Prediction {
    /// Of what.
    pub subject: Subject,
    /// For this engine, as ledgers name it.
    pub engine: &'static str,
    /// On this instruction set.
    pub isa: Isa,
    /// On this many threads.
    pub threads: usize,
    /// The cores that these threads keep busy: as many, unless the machine has fewer for this process.
    pub cores: usize,
    /// The number of tasks that the run has.
    pub tasks: u64,
    /// The number of solutions.
    pub count: Interval,
    /// Parts that were counted for it.
    pub count_samples: usize,
    /// Wall time of the run in seconds on this machine where it has nothing else to do: the processor time over the
    /// threads, or over the cores where those are fewer.
    pub seconds: Interval,
    /// Tasks that were timed for it.
    pub time_samples: usize,
    /// The size of the board whose tasks were timed: of the one asked for or, where a single task would take too long, of a
    /// smaller one from which the time was extrapolated.
    pub timed_n: usize,
    /// The share of a core that a thread had while tasks were timed: near 1 unless the machine was busy. The time is
    /// that of an idle one in any case.
    pub core_share: f64,
    /// Wall time of the sampling.
    pub spent: Duration,
}

/// Predicts a count by this method.
pub(crate) fn predict(
    subject: &Subject,
    method: Method,
    threads: Threads,
    sampling: &Sampling,
) -> Result<Prediction, CountError> {
    let pool = threads.pool()?;
    let cores = pool.current_num_threads().min(available_threads());
    predict_on(subject, method, &pool, cores, sampling)
}

/// The same on these threads, which will keep so many cores busy.
fn predict_on(
    subject: &Subject,
    method: Method,
    pool: &rayon::ThreadPool,
    cores: usize,
    sampling: &Sampling,
) -> Result<Prediction, CountError> {
    let start = Instant::now();
    let sampler = |samples: usize, share| {
        // A century is for ever, and still fits a clock.
        let time = sampling.max_time.min(Duration::from_hours(100 * 365 * 24));
        Sampler { pool, samples: samples.max(2), seed: sampling.seed, deadline: start + time.mul_f64(share) }
    };
    let (parts, time): (Samples, TimeSample) = match *subject {
        Subject::Rotational(_) => {
            let samples = method.dispatch(subject, sampler(sampling.samples, 1.0));
            let time = TimeSample::of(&samples, subject.n(), cores);
            (samples, time)
        }
        Subject::Completions(_) | Subject::Profile(_) => {
            let solutions = if let Subject::Profile(size) = *subject { size.into() } else { *subject };
            let backtrack = Method::choose(EngineKind::Backtrack.into(), None, solutions)?;
            let parts = backtrack.dispatch(&solutions, sampler(sampling.samples, COUNT_SHARE));
            (parts, TimeSample::draw(subject, method, sampler(sampling.samples / PARTS_PER_TASK, 1.0), cores))
        }
    };
    Ok(Prediction {
        subject: *subject,
        engine: method.name(subject),
        isa: method.isa,
        threads: pool.current_num_threads(),
        cores,
        tasks: time.tasks,
        count: parts.count(),
        count_samples: parts.drawn.len(),
        seconds: time.seconds,
        time_samples: time.samples,
        timed_n: time.n,
        core_share: time.core_share,
        spent: start.elapsed(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Choice;
    use crate::{Request, Rotation, RotationalBoard, Size, oeis};

    fn predict(n: usize, samples: usize, seed: u64, threads: usize) -> Prediction {
        let request = Request::solutions(Size::new(n).unwrap()).engine(EngineKind::Backtrack).threads(threads);
        request.estimate(&Sampling { samples, seed, ..Sampling::default() }).unwrap()
    }

    /// Nineteen intervals in twenty should; fewer than eighteen in twenty would happen by chance once in 70 times, but
    /// the seeds are fixed.
    #[test]
    fn the_interval_holds_the_count() {
        let expected = oeis::QUEENS.term(16).unwrap() as f64;
        let held = (0..100).filter(|&seed| {
            let Interval { low, high, .. } = predict(16, 120, seed, 2).count;
            (low..=high).contains(&expected)
        });
        let held = held.count();
        assert!(held >= 90, "only {held} of 100");
    }

    #[test]
    fn a_seed_decides_what_is_drawn() {
        let means = [(7, 1), (7, 3), (8, 1)].map(|(seed, threads)| predict(15, 50, seed, threads).count.mean);
        assert!((means[0] - means[1]).abs() < 1e-3 && (means[0] - means[2]).abs() > 1.0, "{means:?}");
    }

    #[test]
    fn as_much_is_drawn_as_is_asked_for() {
        let request = Request::solutions(Size::new(12).unwrap()).threads(1);
        let sampling = Sampling { samples: 50, max_time: Duration::MAX, ..Sampling::default() };
        let prediction = request.estimate(&sampling).unwrap();
        assert_eq!((prediction.count_samples, prediction.time_samples, prediction.timed_n), (50, 5, 12));
        let fewest = request.estimate(&Sampling { samples: 0, ..sampling }).unwrap();
        assert_eq!((fewest.count_samples, fewest.time_samples), (2, 2), "two tell that they differ");
    }

    #[test]
    fn boards_without_a_choice() {
        for n in 0..=4 {
            let Interval { low, high, .. } = predict(n, 100, 1, 1).count;
            let expected = oeis::QUEENS.term(n).unwrap() as f64;
            assert!((low - 1e-6..=high + 1e-6).contains(&expected), "N = {n}: {low} to {high}");
        }
    }

    #[test]
    fn time_ends_the_sampling() {
        let request = Request::solutions(Size::new(20).unwrap()).engine(EngineKind::Backtrack).threads(1);
        let sampling = Sampling { samples: 1_000_000_000, max_time: Duration::ZERO, ..Sampling::default() };
        let prediction = request.estimate(&sampling).unwrap();
        // No time even to climb to the board itself: two samples on each of the first three boards on the way.
        assert_eq!((prediction.count_samples, prediction.time_samples), (2, 6));
        assert_eq!(prediction.timed_n, 14);
        assert!(prediction.seconds.mean > 0.0 && prediction.count.high > prediction.count.mean);
    }

    /// A profile takes the time of its own engine, and ends in the same count.
    #[test]
    fn profiles_are_predicted() {
        let sampling = Sampling { samples: 500, ..Sampling::default() };
        let prediction = Request::profile(Size::new(12).unwrap()).estimate(&sampling).unwrap();
        assert_eq!((prediction.engine, prediction.timed_n), ("profile", 12));
        assert!((prediction.count.low..=prediction.count.high).contains(&14_200.0), "{:?}", prediction.count);
    }

    /// For tasks that are timed and for those extrapolated to: by a factor that no machine's noise reaches, and in the right
    /// direction. The count is the same.
    #[test]
    fn more_cores_take_less_time() {
        let size = |n| Size::new(n).unwrap().into();
        let half = RotationalBoard::new(Rotation::Half, 16).unwrap().into();
        let pool = Threads::from(2).pool().unwrap();
        for (subject, engine, max_time, timed) in [
            (size(12), EngineKind::Backtrack.into(), Duration::from_hours(1), 12),
            (size(20), EngineKind::Backtrack.into(), Duration::ZERO, 14),
            (half, Choice::Auto, Duration::from_hours(1), 16),
        ] {
            let method = Method::choose(engine, None, subject).unwrap();
            let sampling = Sampling { samples: 200, max_time, ..Sampling::default() };
            let predicted = |cores| predict_on(&subject, method, &pool, cores, &sampling).unwrap();
            let [one, many] = [1, 1_000_000].map(predicted);
            assert_eq!([one.timed_n, many.timed_n], [timed; 2]);
            assert!(one.seconds.mean > 100.0 * many.seconds.mean && many.seconds.mean > 0.0);
            assert!(max_time.is_zero() || one.count == many.count);
            let whole = super::predict(&subject, method, 2.into(), &sampling).unwrap();
            assert_eq!(whole.cores, available_threads().min(2));
        }
    }
}
