//! Random samples of a board: parts of its tasks, or groups of tasks that share lists.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::board::Placement;
use crate::engine::{Engine, MakeEngine, Method};
use crate::interval::{FEWEST, Samples};
use crate::plan::{Plan, Task, Weighted, plan_of, prefixes};
use crate::report::CountError;
use crate::run::{Threads, thread_seconds};
use crate::watch::{Steps, lock};

use super::growth::{empty, largest_within};

/// A run of the join takes so many times as long as its samples, which find lists in the caches that a run finds in memory:
/// N = 19 and 21 took 1.13 to 1.18 times as long on two threads of a Zen 4, N = 20 1.05 to 1.08 times. With all caches emptied
/// before each sample these took 1.05 to 1.1 times as long as the run.
const FROM_MEMORY: f64 = 1.1;

/// Draws samples of a board, and keeps what they tell of the whole plan.
pub(super) struct Sampler<'a> {
    pub(super) n: usize,
    pub(super) count: Samples,
    /// Processor time, in seconds.
    pub(super) seconds: Samples,
    threads: &'a Threads<'a>,
    /// Where they say how far they are.
    steps: &'a Steps,
    method: Method,
    plan: Arc<dyn Plan>,
    /// The tasks of each unit and the units before it.
    ends: Vec<u64>,
    /// How many columns the parts of prefixes leave empty.
    columns: usize,
    make: MakeEngine,
    /// Makes a generator for each sample, so that a seed draws the same ones on any threads.
    random: Rng,
    /// As that was in the beginning, for a larger board.
    seed: Rng,
}

impl<'a> Sampler<'a> {
    pub(super) fn new(
        threads: &'a Threads<'a>,
        steps: &'a Steps,
        method: Method,
        prefix: Placement,
        columns: usize,
        random: Rng,
    ) -> Self {
        let (plan, make, mut end) = (plan_of(method.engine(), &prefix), method.engines(prefix.size()), 0);
        let with_tasks = |unit| {
            end += plan.tasks(unit);
            end
        };
        let (n, ends) = (prefix.size().get(), (0..plan.units()).map(with_tasks).collect());
        let (count, seconds) = Default::default();
        Self { n, count, seconds, threads, steps, method, plan, ends, columns, make, seed: random.clone(), random }
    }

    /// How many tasks there are.
    fn tasks(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Draws on every thread, at least so many and as long as the samples are likely to end within `time`, unless stopped.
    pub(super) fn draw(&mut self, least: usize, time: Duration) {
        let (deadline, mut random) = (Instant::now() + time, self.random.clone());
        let drawn = Mutex::new((self.count, self.seconds, Duration::ZERO));
        let samples = (0..).map_while(|number| {
            // One that takes as long as the longest so far must still end in time.
            let is_enough = number >= least && Instant::now() + lock(&drawn).2 >= deadline;
            (self.tasks() > 0 && !is_enough).then(|| random.fork())
        });
        let ended = self.threads.for_each(samples, &self.make, |engine, mut random| {
            let start = Instant::now();
            let [count, seconds] = self.sample(&mut **engine, &mut random);
            self.steps.add();
            let mut drawn = lock(&drawn);
            drawn.0.add(count);
            drawn.1.add(seconds);
            drawn.2 = start.elapsed().max(drawn.2);
            Ok(())
        });
        debug_assert!(matches!(ended, Ok(()) | Err(CountError::Stopped)), "no sample fails");
        self.random = random;
        (self.count, self.seconds, _) = drawn.into_inner().expect("no thread has panicked");
    }

    /// Draws from the largest board up to `n` for which there is enough time `left`, but no longer than `most`. If it is stopped
    /// before there are enough samples of a larger board, the smaller one tells more.
    pub(super) fn climb(&mut self, n: usize, cores: usize, left: impl Fn() -> Duration, most: Duration) {
        let next = largest_within(left(), cores, (self.n, self.seconds.mean), n);
        let time = most.min(left());
        if next == self.n {
            return self.draw(FEWEST, time);
        }
        let mut larger = Self::new(self.threads, self.steps, self.method, empty(next), self.columns, self.seed.clone());
        larger.draw(FEWEST, time);
        if larger.seconds.interval().high.is_finite() {
            *self = larger;
        }
    }

    /// The count and the processor time of a random part, each divided by the chance of having drawn that part. On average
    /// this gives those of the whole plan (Hansen and Hurwitz 1943).
    pub(super) fn sample(&self, engine: &mut dyn Engine, random: &mut Rng) -> [f64; 2] {
        let tasks = self.tasks();
        let drawn = random.u64(..tasks);
        let unit = self.ends.partition_point(|&end| end <= drawn);
        let index = drawn - unit.checked_sub(1).map_or(0, |before| self.ends[before]);
        let (stand_for, timed) = self.part_of(unit, index, engine, random);
        let worked = thread_seconds();
        let count: f64 = timed.iter().map(|timed| engine.count(&timed.task) as f64 * timed.weight as f64).sum();
        let longer = if matches!(timed[0].task, Task::Halves(..)) { FROM_MEMORY } else { 1.0 };
        [count, longer * (thread_seconds() - worked)].map(|found| found * tasks as f64 / stand_for)
    }

    /// The tasks with which this one shares lists, or a random part of it, with weights, and how many tasks they stand for.
    pub(super) fn part_of(
        &self,
        unit: usize,
        index: u64,
        engine: &mut dyn Engine,
        random: &mut Rng,
    ) -> (f64, Vec<Weighted>) {
        let sharing = self.plan.tasks_sharing_lists().max(1);
        let group = |number: u64| self.plan.unit(unit, number * sharing).take(sharing as usize).collect::<Vec<_>>();
        let number = index / sharing;
        let tasks = group(number);
        if let Weighted { task: Task::Completions(queens), weight } = tasks[0] {
            let (part, parts) = prefixes::part(queens, self.columns, &mut |below| random.usize(..below));
            return (1.0 / parts, vec![Weighted { task: Task::Completions(part), weight }]);
        }
        // The lists that a run would have kept are made first: those of the group, and by the group before it, as in a run.
        // Tasks drawn one by one took 2.2 times as long as the run for N = 20, and 7 times for N = 19.
        if self.plan.tasks_sharing_lists() > 0 {
            for Weighted { task, .. } in tasks.iter().chain(&group(number.saturating_sub(1))) {
                engine.count(task);
            }
        }
        (tasks.len() as f64, tasks)
    }
}
