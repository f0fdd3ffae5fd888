//! Random samples of a board: parts of tasks for backtracking, groups of tasks that share lists for the join.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::board::Placement;
use crate::engine::{Engine, MakeEngine, Method};
use crate::interval::{MIN_SAMPLES, Samples};
use crate::plan::{Plan, Task, Weighted, plan_of, prefixes};
use crate::report::CountError;
use crate::run::{Threads, thread_seconds};
use crate::watch::{Steps, lock};

use super::growth::{empty, largest_within};

/// The factor by which a run of the join is slower than its samples, whose lists are still in the caches. Measured on
/// two threads of a Zen 4: 1.13 to 1.18 for N = 19 and 21, 1.05 to 1.08 for N = 20. With all caches emptied before each
/// sample, the samples were 5 to 10 % slower than the run.
const CACHE_PENALTY: f64 = 1.1;

pub(super) struct Sampler<'a> {
    pub(super) n: usize,
    /// Estimates of the whole count.
    pub(super) count: Samples,
    /// Estimates of the whole processor time, in seconds.
    pub(super) seconds: Samples,
    threads: &'a Threads<'a>,
    /// The progress: one step per sample.
    steps: &'a Steps,
    method: Method,
    plan: Arc<dyn Plan>,
    /// For each unit, the number of tasks up to its end.
    ends: Vec<u64>,
    columns: usize,
    make: MakeEngine,
    /// Forks one generator per sample, so that a seed draws the same samples on any number of threads.
    random: Rng,
    /// The first state of `random`, for a larger board.
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

    fn tasks(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Draws samples on every thread: at least `least`, and as many as are likely to end within `time`.
    pub(super) fn draw(&mut self, least: usize, time: Duration) {
        let (deadline, mut random) = (Instant::now() + time, self.random.clone());
        let drawn = Mutex::new((self.count, self.seconds, Duration::ZERO));
        let samples = (0..).map_while(|number| {
            // No sample is started that would end late if it took as long as the longest so far.
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

    /// Draws from the largest board up to `n` for which there is enough time `left`, for at most `most`. Keeps the
    /// samples of the smaller board if a stop leaves too few of the larger.
    pub(super) fn draw_larger(&mut self, n: usize, cores: usize, left: impl Fn() -> Duration, most: Duration) {
        let next = largest_within(left(), cores, (self.n, self.seconds.mean), n);
        let time = most.min(left());
        if next == self.n {
            return self.draw(MIN_SAMPLES, time);
        }
        let mut larger = Self::new(self.threads, self.steps, self.method, empty(next), self.columns, self.seed.clone());
        larger.draw(MIN_SAMPLES, time);
        if larger.seconds.interval().high.is_finite() {
            *self = larger;
        }
    }

    /// The count and the processor time of a random sample, each divided by the probability of drawing it. On average,
    /// the results are those of the whole plan (Hansen and Hurwitz 1943).
    pub(super) fn sample(&self, engine: &mut dyn Engine, random: &mut Rng) -> [f64; 2] {
        let tasks = self.tasks();
        let drawn = random.u64(..tasks);
        let unit = self.ends.partition_point(|&end| end <= drawn);
        let index = drawn - unit.checked_sub(1).map_or(0, |before| self.ends[before]);
        let (stand_for, timed) = self.part_of(unit, index, engine, random);
        let begun = thread_seconds();
        let count: f64 = timed.iter().map(|timed| engine.count(&timed.task) as f64 * timed.weight as f64).sum();
        let penalty = if matches!(timed[0].task, Task::Halves(..)) { CACHE_PENALTY } else { 1.0 };
        [count, penalty * (thread_seconds() - begun)].map(|of_sample| of_sample * tasks as f64 / stand_for)
    }

    /// The number of tasks in a sample with this task, and the sample itself: a random part of the task, which is a
    /// fraction of one, or all tasks of its sharing group, whose lists are made now.
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
        // Makes the lists that a run would have kept: those of the group itself, then those that the group before it
        // leaves. Tasks drawn one at a time took 2.2 times as long as the run for N = 20, and 7 times for N = 19.
        if self.plan.tasks_sharing_lists() > 0 {
            for Weighted { task, .. } in tasks.iter().chain(&group(number.saturating_sub(1))) {
                engine.count(task);
            }
        }
        (tasks.len() as f64, tasks)
    }
}
