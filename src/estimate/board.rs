//! Random samples of a board: parts of its tasks, or groups of tasks that share lists.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::board::Placement;
use crate::engine::{Engine, MakeEngine, Method};
use crate::interval::Samples;
use crate::ledger::Partial;
use crate::plan::{Plan, Task, prefixes};
use crate::run::{CountError, for_each_unit, thread_seconds};
use crate::watch::{Steps, Watch, lock};

/// A count that is sampled.
pub(super) struct Board {
    pub(super) n: usize,
    plan: Plan,
    /// The work of each unit and the units before it.
    works: Vec<f64>,
    /// How many columns the parts of prefixes leave empty.
    columns: usize,
    make: MakeEngine,
}

/// A sample; its count and its time stand for those of the whole plan.
struct Sample {
    count: f64,
    /// Processor time, in seconds.
    seconds: f64,
    /// Processor time and wall time of the sample itself.
    took: [f64; 2],
}

/// The samples of a board.
#[derive(Default)]
pub(super) struct Drawn {
    pub(super) count: Samples,
    pub(super) seconds: Samples,
    /// The wall time of a sample in seconds, with what is counted before it.
    pub(super) wall: Samples,
    /// Processor time and wall time of the samples themselves.
    took: [f64; 2],
}

impl Drawn {
    /// Wall time over processor time: more than one where threads share cores.
    pub(super) fn waiting(&self) -> f64 {
        let [worked, passed] = self.took;
        if worked > 0.0 { passed / worked } else { 1.0 }
    }
}

/// What all samples of an estimate are drawn with.
#[derive(Clone, Copy)]
pub(super) struct Draw<'a> {
    pub(super) pool: &'a rayon::ThreadPool,
    pub(super) watch: &'a Watch,
    pub(super) steps: &'a Steps,
}

impl Board {
    pub(super) fn new(method: Method, prefix: Placement, columns: usize) -> Self {
        let (plan, mut sum) = (Plan::new(method.engine, &prefix), 0.0);
        let with_work = |unit| {
            sum += plan.work(unit);
            sum
        };
        let works = (0..plan.units()).map(with_work).collect();
        Self { n: prefix.size().get(), plan, works, columns, make: method.engines(prefix.size()) }
    }

    /// Draws samples on every thread, as long as they are likely to end before `deadline`, but at least so many, unless it is
    /// stopped. `random` makes a generator for each, so that a seed draws the same ones on any threads.
    pub(super) fn draw(&self, with: Draw, random: Rng, least: usize, deadline: Instant) -> Drawn {
        let (begun, random, drawn) = (AtomicUsize::new(0), Mutex::new(random), Mutex::new(Drawn::default()));
        if self.works.is_empty() {
            return Drawn::default();
        }
        with.pool.broadcast(|_| {
            let (mut engine, mut longest) = ((self.make)(), Duration::ZERO);
            while !with.watch.is_stopped() {
                // Relaxed: the number itself is all that the threads share.
                let number = begun.fetch_add(1, Ordering::Relaxed);
                // One that takes as long as the longest so far must still end in time.
                if number >= least && Instant::now() + longest >= deadline {
                    break;
                }
                let mut random = lock(&random).fork();
                let start = Instant::now();
                let Sample { count, seconds, took } = self.sample(&mut *engine, &mut random);
                longest = longest.max(start.elapsed());
                with.steps.add();
                let drawn = &mut *lock(&drawn);
                drawn.count.add(count);
                drawn.seconds.add(seconds);
                drawn.wall.add(start.elapsed().as_secs_f64());
                drawn.took = [0, 1].map(|clock| drawn.took[clock] + took[clock]);
            }
        });
        drawn.into_inner().unwrap_or_default()
    }

    /// Counts all of it, with its processor time in seconds; `None` if it is stopped or not done by then.
    pub(super) fn count(&self, with: Draw, deadline: Instant) -> Result<Option<(u128, f64)>, CountError> {
        let (order, found) = ((0..self.plan.units()).collect::<Vec<_>>(), Mutex::new((Partial::default(), 0.0)));
        let is_late = || with.watch.is_stopped() || Instant::now() >= deadline;
        // The first thread that is late stops the others, but not who watches.
        let counted = for_each_unit(with.pool, &order, &Watch::default(), &self.make, |engine, unit| {
            let worked = thread_seconds();
            for task in self.plan.unit(unit, 0) {
                let count = engine.count(&task.task);
                lock(&found).0.add(count, task.weight)?;
                if is_late() {
                    return Err(CountError::Stopped);
                }
            }
            lock(&found).1 += thread_seconds() - worked;
            Ok(())
        });
        let (sum, seconds) = *lock(&found);
        match counted {
            Err(CountError::Stopped) => Ok(None),
            counted => counted.map(|()| Some((sum.tally, seconds))),
        }
    }

    /// Draws a unit, with a chance that grows with its work, and a part of it. What is found is divided by the chance of
    /// having drawn it. On average this gives the total, whatever the chances are (Hansen and Hurwitz 1943).
    fn sample(&self, engine: &mut dyn Engine, random: &mut Rng) -> Sample {
        let total = self.works[self.works.len() - 1];
        let at = random.f64() * total;
        let unit = self.works.partition_point(|&sum| sum <= at).min(self.works.len() - 1);
        let work = self.works[unit] - if unit == 0 { 0.0 } else { self.works[unit - 1] };
        let (parts, timed) = self.part_of(unit, engine, random);
        let stands_for = total / work * parts;
        let (start, worked) = (Instant::now(), thread_seconds());
        let count: f64 = timed.iter().map(|&(task, weight)| engine.count(&task) as f64 * weight as f64).sum();
        let took = [thread_seconds() - worked, start.elapsed().as_secs_f64()];
        Sample { count: count * stands_for, seconds: took[0] * stands_for, took }
    }

    /// Tasks of a unit with their weights, drawn at random, and how many such parts the unit has.
    pub(super) fn part_of(&self, unit: usize, engine: &mut dyn Engine, random: &mut Rng) -> (f64, Vec<(Task, u64)>) {
        let (tasks, sharing) = (self.plan.tasks(unit), self.plan.tasks_sharing_lists());
        let group = |number: u64, length: u64| {
            self.plan.unit(unit, number * length).take(length as usize).map(|task| (task.task, task.weight)).collect()
        };
        if sharing > 0 {
            let groups = tasks.div_ceil(sharing);
            let drawn = random.u64(..groups);
            // The lists that a run would have kept are made first: those of the group, and by the group before it, as in a
            // run. Tasks drawn one by one took 2.2 times as long as the run for N = 20, and 7 times for N = 19.
            for number in [drawn, drawn.saturating_sub(1)] {
                let before: Vec<(Task, u64)> = group(number, sharing);
                before.iter().for_each(|(task, _)| _ = engine.count(task));
            }
            return (groups as f64, group(drawn, sharing));
        }
        let alone: Vec<(Task, u64)> = group(random.u64(..tasks), 1);
        match alone[0] {
            (Task::Completions(queens), weight) => {
                let (part, parts) = prefixes::part(queens, self.columns, &mut |below| random.usize(..below));
                (tasks as f64 * parts, vec![(Task::Completions(part), weight)])
            }
            (Task::Halves(..), _) => (tasks as f64, alone),
        }
    }
}
