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
//! sample is a lap of tasks ([`Plan::lap`](crate::plan::Plan::lap)), timed once what a run would find there has been made:
//! tasks from anywhere, each by itself, took 2.2 times as long for N = 20 as the run did, and 7 times for N = 19. Where a
//! single task takes longer than there is time, the tasks of smaller boards are timed and the growth extrapolated.

mod interval;
mod sample;
mod time;
mod turn;

use std::time::{Duration, Instant};

use crate::board::Size;
use crate::count::{CountError, available_threads, thread_pool};
use crate::engine::lanes::Isa;
use crate::engine::{Choice, EngineKind, Method};
use crate::placement::Placement;
use crate::plan::rows::Lines;
use crate::run::dispatch::dispatch;

pub use interval::Interval;
use sample::Sampler;
use time::TimeSample;
pub use turn::{TurnPrediction, turn};

/// Parts sampled for the count to one task sampled for the time.
const PARTS_PER_TASK: usize = 10;

/// Of the time allowed, the share that the sample for the count may take.
const COUNT_SHARE: f64 = 0.5;

/// An estimate to be made.
///
/// ```
/// use queens::estimate::Estimate;
/// let estimate = Estimate::new(queens::Size::new(14)?).samples(500).run()?;
/// assert!((300e3..450e3).contains(&estimate.count.mean)); // 365,596
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Estimate {
    size: Size,
    engine: Choice,
    isa: Option<Isa>,
    threads: usize,
    sampling: Sampling,
}

/// How many samples are drawn, and which.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// Samples at most; at least two are drawn.
    pub samples: usize,
    /// Others for another seed, the same for the same.
    pub seed: u64,
    /// None is begun that is likely to end after this time.
    pub max_time: Duration,
}

impl Default for Sampling {
    /// Ten thousand within a minute.
    fn default() -> Self {
        Self { samples: 10_000, seed: 1, max_time: Duration::from_mins(1) }
    }
}

impl Sampling {
    /// When the time is up that begins at `start`. A century is for ever, and still fits a clock.
    fn deadline(&self, start: Instant, share: f64) -> Instant {
        start + self.max_time.min(Duration::from_hours(100 * 365 * 24)).mul_f64(share)
    }
}

/// A prediction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Prediction {
    /// For this engine on this instruction set.
    pub method: Method,
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
    /// The board whose tasks were timed: the one asked for or, where a single task would take too long, a smaller one
    /// from which the time was extrapolated.
    pub timed: Size,
    /// The share of a core that a thread had while tasks were timed: near 1 unless the machine was busy. The time is
    /// that of an idle one in any case.
    pub share: f64,
    /// Wall time of the sampling in seconds.
    pub spent: f64,
}

impl Estimate {
    /// Of the run that counts all solutions on a board of this size: 10,000 samples within a minute, by the fastest
    /// engine on every core.
    pub fn new(size: Size) -> Self {
        Self { size, engine: Choice::Auto, isa: None, threads: 0, sampling: Sampling::default() }
    }

    /// Of a run by this engine.
    #[must_use]
    pub fn engine(self, engine: Choice) -> Self {
        Self { engine, ..self }
    }

    /// Of a run on this instruction set.
    #[must_use]
    pub fn isa(self, isa: impl Into<Option<Isa>>) -> Self {
        Self { isa: isa.into(), ..self }
    }

    /// Of a run on this many threads, which the sampling uses too; 0 is every core that the process may use.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Counts this many random parts, and times a tenth as many tasks. The intervals narrow with the square root.
    #[must_use]
    pub fn samples(self, samples: usize) -> Self {
        Self { sampling: Sampling { samples, ..self.sampling }, ..self }
    }

    /// Draws other samples for another seed, and the same ones for the same.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { sampling: Sampling { seed, ..self.sampling }, ..self }
    }

    /// Begins no sample that is likely to end after this time. At least two of each kind are made: a second or two, if
    /// there is less.
    #[must_use]
    pub fn max_time(self, max_time: Duration) -> Self {
        Self { sampling: Sampling { max_time, ..self.sampling }, ..self }
    }

    /// Samples and predicts.
    ///
    /// # Errors
    /// Where the engine can't count such a board or no threads can be had.
    pub fn run(&self) -> Result<Prediction, CountError> {
        let pool = thread_pool(self.threads)?;
        let threads = pool.current_num_threads();
        let empty = Placement::empty(self.size);
        let method = Method::choose(self.engine, self.isa, &empty)?;
        let backtrack = Method::choose(Choice::Engine(EngineKind::Backtrack), None, &empty)?;
        let start = Instant::now();
        let Sampling { samples, seed, .. } = self.sampling;
        let deadline = |share| self.sampling.deadline(start, share);
        let parts_sampler = Sampler { pool: &pool, samples: samples.max(2), seed, deadline: deadline(COUNT_SHARE) };
        let parts = dispatch(backtrack, &empty, Lines::Two, parts_sampler);
        let tasks = Sampler { samples: (samples / PARTS_PER_TASK).max(2), deadline: deadline(1.0), ..parts_sampler };
        let cores = cores(threads);
        let time = TimeSample::draw(self.size, method, tasks, cores);
        Ok(Prediction {
            method,
            threads,
            cores,
            tasks: time.tasks,
            count: parts.count(),
            count_samples: parts.drawn.len(),
            seconds: time.seconds,
            time_samples: time.samples,
            timed: time.size,
            share: time.share,
            spent: start.elapsed().as_secs_f64(),
        })
    }
}

/// The cores that so many threads keep busy on this machine.
fn cores(threads: usize) -> usize {
    threads.min(available_threads())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oeis;

    fn predict(n: usize, samples: usize, seed: u64, threads: usize) -> Prediction {
        let estimate = Estimate::new(Size::new(n).unwrap()).samples(samples).seed(seed).threads(threads);
        estimate.engine(Choice::Engine(EngineKind::Backtrack)).run().unwrap()
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
        let estimate = Estimate::new(Size::new(12).unwrap()).samples(50).max_time(Duration::MAX).threads(1);
        let prediction = estimate.run().unwrap();
        assert_eq!((prediction.count_samples, prediction.time_samples, prediction.timed.get()), (50, 5, 12));
        let fewest = estimate.samples(0).run().unwrap();
        assert_eq!((fewest.count_samples, fewest.time_samples), (2, 2), "two tell that they differ");
        assert_eq!([cores(1), cores(usize::MAX)], [1, available_threads()]);
        let start = Instant::now();
        let end = |max_time, share| Sampling { max_time, ..Sampling::default() }.deadline(start, share) - start;
        assert_eq!(end(Duration::from_secs(10), 0.5), Duration::from_secs(5));
        assert_eq!(end(Duration::MAX, 1.0), Duration::from_hours(24 * 36_500), "a century");
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
        let estimate = Estimate::new(Size::new(20).unwrap()).samples(1_000_000_000).max_time(Duration::ZERO);
        let prediction = estimate.threads(1).engine(Choice::Engine(EngineKind::Backtrack)).run().unwrap();
        // No time even to climb to the board itself: two samples on each of the first three boards on the way.
        assert_eq!((prediction.count_samples, prediction.time_samples), (2, 6));
        assert_eq!(prediction.timed.get(), 14);
        assert!(prediction.seconds.mean > 0.0 && prediction.count.high > prediction.count.mean);
    }
}
