//! Predictions: the count and the time of a long run, from a random sample of its plan.
//!
//! A task is drawn at random, unit by its estimated work, and a random part of it is counted. The result, divided by
//! the probability of having drawn it, is on average the total whatever the probabilities are (Hansen and Hurwitz
//! 1943); good ones only narrow the interval. The mean over many independent samples is nearly normal, so Student's t
//! gives the interval from their standard deviation.
//!
//! Two samples are drawn, for no single one would serve both ends. The count is that of the board, whoever counts it,
//! so it is sampled where samples are cheapest: thousands of small parts, by backtracking. The time is that of the
//! engine on this machine, so whole tasks of its own plan are timed, as many threads at once as the run would use.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::board::Size;
use crate::count::{CountError, thread_pool};
use crate::engine::lanes::Isa;
use crate::engine::{Choice, Engine, EngineKind, Method};
use crate::placement::Placement;
use crate::plan::Plan;
use crate::plan::rows::Lines;
use crate::run::dispatch::{Job, dispatch};

/// Parts sampled for the count to one task sampled for the time.
const PARTS_PER_TASK: usize = 10;

/// Of the time allowed, the share that the sample for the count may take.
const COUNT_SHARE: f64 = 0.5;

/// Samples of each kind at least: one has no interval.
const LEAST_SAMPLES: usize = 2;

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
    samples: usize,
    seed: u64,
    max_time: Duration,
}

/// A prediction.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// For this engine on this instruction set.
    pub method: Method,
    /// On this many threads.
    pub threads: usize,
    /// The number of tasks that the run has.
    pub tasks: u64,
    /// The number of solutions.
    pub count: Interval,
    /// Parts that were counted for it.
    pub count_samples: usize,
    /// Wall time of the run in seconds.
    pub seconds: Interval,
    /// Tasks that were timed for it.
    pub time_samples: usize,
    /// Wall time of the sampling in seconds.
    pub spent: f64,
}

/// A mean and the 95 % interval around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The best guess.
    pub mean: f64,
    /// The lower end, not below 0.
    pub low: f64,
    /// The upper end; infinite where there are fewer than two samples.
    pub high: f64,
}

impl Estimate {
    /// Of the run that counts all solutions on a board of this size: 10,000 samples within a minute, by the fastest
    /// engine on every core.
    pub fn new(size: Size) -> Self {
        let max_time = Duration::from_secs(60);
        Self { size, engine: Choice::Auto, isa: None, threads: 0, samples: 10_000, seed: 1, max_time }
    }

    /// Of a run by this engine.
    #[must_use]
    pub fn engine(self, engine: Choice) -> Self {
        Self { engine, ..self }
    }

    /// Of a run on this instruction set.
    #[must_use]
    pub fn isa(self, isa: Option<Isa>) -> Self {
        Self { isa, ..self }
    }

    /// Of a run on this many threads, which the sampling uses too; 0 is every core that the process may use.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Counts this many random parts, and times a tenth as many tasks. The intervals narrow with the square root.
    #[must_use]
    pub fn samples(self, samples: usize) -> Self {
        Self { samples, ..self }
    }

    /// Draws other samples for another seed, and the same ones for the same.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Begins no more samples after this time. One that has begun is finished, and at least two of each kind are.
    #[must_use]
    pub fn max_time(self, max_time: Duration) -> Self {
        Self { max_time, ..self }
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
        let sampler = |samples: usize, deadline| Sampler {
            pool: &pool,
            samples: samples.max(LEAST_SAMPLES),
            seed: self.seed,
            start,
            deadline,
        };
        let parts = sampler(self.samples, self.max_time.mul_f64(COUNT_SHARE));
        let parts = dispatch(backtrack, &empty, Lines::Two, parts);
        let tasks = sampler(self.samples / PARTS_PER_TASK, self.max_time);
        let tasks = dispatch(method, &empty, Lines::for_threads(self.size, threads), tasks);
        Ok(Prediction {
            method,
            threads,
            tasks: tasks.tasks,
            count: Interval::of(parts.drawn.iter().map(|drawn| drawn.count)),
            count_samples: parts.drawn.len(),
            seconds: Interval::of(tasks.drawn.iter().map(|drawn| drawn.seconds / threads as f64)),
            time_samples: tasks.drawn.len(),
            spent: start.elapsed().as_secs_f64(),
        })
    }
}

/// Draws samples of a plan, as many at once as the pool has threads.
struct Sampler<'a> {
    pool: &'a rayon::ThreadPool,
    samples: usize,
    seed: u64,
    start: Instant,
    /// Counted from the start.
    deadline: Duration,
}

/// The samples of a plan, in the order in which they were begun.
struct Samples {
    tasks: u64,
    drawn: Vec<Drawn>,
}

/// What a sample makes of the whole plan.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    /// Its solutions.
    count: f64,
    /// Its time on one thread.
    seconds: f64,
}

impl Job for Sampler<'_> {
    type Output = Samples;

    fn run<P: Plan, E: Engine<Task = P::Task>>(self, plan: &P, engine: &E) -> Samples {
        let units = Units::new(plan);
        // Samples are handed out by their number, which alone decides what is drawn: neither the number of threads nor
        // their speed has a say in it.
        let next = AtomicUsize::new(0);
        let drawn = self.pool.broadcast(|_| {
            let mut worker = engine.worker();
            let mut drawn = Vec::new();
            loop {
                // Relaxed: the number itself is all that the threads share.
                let number = next.fetch_add(1, Ordering::Relaxed);
                let late = number >= LEAST_SAMPLES && self.start.elapsed() >= self.deadline;
                if units.total == 0.0 || number >= self.samples || late {
                    return drawn;
                }
                let mut random = fastrand::Rng::with_seed(self.seed.rotate_left(32) ^ number as u64);
                drawn.push((number, units.draw(plan, engine, &mut worker, &mut random)));
            }
        });
        let mut drawn: Vec<_> = drawn.into_iter().flatten().collect();
        drawn.sort_by_key(|(number, _)| *number);
        let tasks = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
        Samples { tasks, drawn: drawn.into_iter().map(|(_, drawn)| drawn).collect() }
    }
}

/// The units of a plan, to draw from by their work.
struct Units {
    /// The work of each unit and those before it.
    sums: Vec<f64>,
    total: f64,
}

impl Units {
    fn new<P: Plan>(plan: &P) -> Self {
        let sum = |sum: &mut f64, unit| {
            *sum += plan.work(unit);
            Some(*sum)
        };
        let sums: Vec<f64> = (0..plan.units()).scan(0.0, sum).collect();
        let total = sums.last().copied().unwrap_or(0.0);
        Self { sums, total }
    }

    /// Draws a unit by its work, one of its tasks and a part of that, and counts the part.
    fn draw<P, E>(&self, plan: &P, engine: &E, worker: &mut E::Worker, random: &mut fastrand::Rng) -> Drawn
    where
        P: Plan,
        E: Engine<Task = P::Task>,
    {
        let at = random.f64() * self.total;
        let unit = self.sums.partition_point(|&sum| sum <= at).min(self.sums.len() - 1);
        let tasks = plan.tasks(unit);
        let task = plan.task(unit, random.u64(0..tasks));
        let (part, parts) = plan.part(task.task, &mut |below| random.usize(0..below));
        let work = self.sums[unit] - if unit == 0 { 0.0 } else { self.sums[unit - 1] };
        let stands_for = self.total / work * tasks as f64 * parts;
        let start = Instant::now();
        let count = engine.count(worker, &part) as f64 * task.weight as f64;
        Drawn { count: count * stands_for, seconds: start.elapsed().as_secs_f64() * stands_for }
    }
}

impl Interval {
    /// The mean of independent samples, or 0 where there was nothing to sample.
    fn of(samples: impl ExactSizeIterator<Item = f64> + Clone) -> Self {
        /// What 95 % of the mass lies between, on two sides.
        const QUANTILE: f64 = 0.975;
        let n = samples.len() as f64;
        if n == 0.0 {
            return Self { mean: 0.0, low: 0.0, high: 0.0 };
        }
        let mean = samples.clone().sum::<f64>() / n;
        let Ok(student) = StudentsT::new(0.0, 1.0, n - 1.0) else {
            return Self { mean, low: 0.0, high: f64::INFINITY };
        };
        let squares: f64 = samples.map(|sample| (sample - mean).powi(2)).sum();
        let reach = student.inverse_cdf(QUANTILE) * (squares / (n - 1.0) / n).sqrt();
        Self { mean, low: (mean - reach).max(0.0), high: mean + reach }
    }

    /// Half the interval over the mean: 0.01 is to within one percent.
    pub fn relative(&self) -> f64 {
        (self.high - self.mean) / self.mean
    }
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
        assert_eq!((prediction.count_samples, prediction.time_samples), (2, 2));
        assert!(prediction.seconds.mean > 0.0 && prediction.count.high > prediction.count.mean);
    }

    #[test]
    fn intervals_are_those_of_student() {
        let interval = Interval::of([1.0, 2.0, 3.0, 4.0, 5.0].into_iter());
        // t for 4 degrees of freedom is 2.776, the standard error sqrt(2.5 / 5).
        assert!((interval.mean - 3.0).abs() < 1e-12 && (interval.high - 3.0 - 2.776_445 * 0.5f64.sqrt()).abs() < 1e-5);
        assert!(Interval::of([1.0].into_iter()).high.is_infinite());
        assert!((Interval::of([1.0, 9.0].into_iter()).low).abs() < 1e-12);
    }
}
