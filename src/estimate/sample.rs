//! Drawing samples of a plan.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::interval::Interval;
use crate::engine::Engine;
use crate::plan::{Plan, Weighted};
use crate::run::clock::thread_seconds;
use crate::run::dispatch::{Counter, Job};

/// Samples at least, whatever the time: one has no interval.
const LEAST_SAMPLES: usize = 2;

/// Draws samples of a plan, as many at once as the pool has threads.
#[derive(Clone, Copy)]
pub(super) struct Sampler<'a> {
    pub(super) pool: &'a rayon::ThreadPool,
    pub(super) samples: usize,
    pub(super) seed: u64,
    /// No sample but the first two is begun that is likely to end after this.
    pub(super) deadline: Instant,
}

/// The samples of a plan, in the order in which they were begun.
pub(super) struct Samples {
    /// Tasks of the plan.
    pub(super) tasks: u64,
    /// Tasks that are counted for a sample, timed or before that.
    pub(super) each: u64,
    pub(super) drawn: Vec<Drawn>,
}

impl Samples {
    /// The solutions of the whole plan.
    pub(super) fn count(&self) -> Interval {
        Interval::of(self.drawn.iter().map(|drawn| drawn.count))
    }

    /// The wall seconds of the whole plan on threads that keep so many cores busy: its processor time, shared out.
    pub(super) fn seconds(&self, cores: usize) -> Interval {
        Interval::of(self.drawn.iter().map(|drawn| drawn.seconds / cores as f64))
    }
}

/// What a sample makes of the whole plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawn {
    /// Its solutions.
    pub(super) count: f64,
    /// Its processor time.
    pub(super) seconds: f64,
    /// The processor time that the sample itself took, and the wall time.
    pub(super) task_seconds: f64,
    pub(super) wall_seconds: f64,
    /// The wall time with what went before it.
    pub(super) sample_seconds: f64,
}

impl Job for Sampler<'_> {
    type Output = Samples;

    fn run<C: Counter>(self, counter: &C) -> Samples {
        self.draw(counter.plan(), counter.engine())
    }
}

impl Sampler<'_> {
    fn draw<P, E>(self, plan: &P, engine: &E) -> Samples
    where
        P: Plan,
        E: Engine<Task = P::Task>,
    {
        let units = Units::new(plan);
        // Samples are handed out by their number, which alone decides what is drawn: neither the number of threads nor
        // their speed has a say in it.
        let next = AtomicUsize::new(0);
        let drawn = self.pool.broadcast(|_| {
            let mut worker = engine.worker();
            let mut drawn = Vec::new();
            let mut longest = Duration::ZERO;
            loop {
                // Relaxed: the number itself is all that the threads share.
                let number = next.fetch_add(1, Ordering::Relaxed);
                // One that takes as long as the longest so far must still end in time.
                let late = number >= LEAST_SAMPLES && Instant::now() + longest >= self.deadline;
                if units.total == 0.0 || number >= self.samples || late {
                    return drawn;
                }
                // Seeds in a row begin alike; what they first give does not.
                let mut seed = fastrand::Rng::with_seed(self.seed.rotate_left(32) ^ number as u64);
                let mut random = fastrand::Rng::with_seed(seed.u64(..));
                let sample = units.draw(plan, engine, &mut worker, &mut random);
                longest = longest.max(Duration::from_secs_f64(sample.sample_seconds));
                drawn.push((number, sample));
            }
        });
        let mut drawn: Vec<_> = drawn.into_iter().flatten().collect();
        drawn.sort_by_key(|(number, _)| *number);
        let tasks = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
        // Those that share lists, and before them the same ones and their predecessors.
        let each = (3 * plan.tasks_sharing_lists()).max(1);
        Samples { tasks, each, drawn: drawn.into_iter().map(|(_, drawn)| drawn).collect() }
    }
}

/// One of the groups of tasks of a unit that share lists, see [`Plan::tasks_sharing_lists`].
fn group<P: Plan>(plan: &P, unit: usize, number: u64) -> impl Iterator<Item = Weighted<P::Task>> {
    let length = plan.tasks_sharing_lists();
    let end = plan.tasks(unit).min((number + 1) * length);
    (number * length..end).map(move |index| plan.task(unit, index))
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

    /// Draws a unit by its work and some of its tasks, or one and a part of that, and counts them.
    fn draw<P, E>(&self, plan: &P, engine: &E, worker: &mut E::Worker, random: &mut fastrand::Rng) -> Drawn
    where
        P: Plan,
        E: Engine<Task = P::Task>,
    {
        let at = random.f64() * self.total;
        let unit = self.sums.partition_point(|&sum| sum <= at).min(self.sums.len() - 1);
        let work = self.sums[unit] - if unit == 0 { 0.0 } else { self.sums[unit - 1] };
        let begun = Instant::now();
        let (tasks, sharing) = (plan.tasks(unit), plan.tasks_sharing_lists());
        let (drawn, stands_for) = if sharing == 0 {
            let task = plan.task(unit, random.u64(0..tasks));
            let (part, parts) = plan.part(task.task, &mut |below| random.usize(0..below));
            (vec![Weighted { task: part, ..task }], tasks as f64 * parts)
        } else {
            let groups = tasks.div_ceil(sharing);
            let drawn = random.u64(0..groups);
            // What a run would have kept is made before: for the group itself, and by the one before it, as a run comes to it.
            for number in [drawn, drawn.saturating_sub(1)] {
                let _: u128 = group(plan, unit, number).map(|task| u128::from(engine.count(worker, &task.task))).sum();
            }
            (group(plan, unit, drawn).collect(), groups as f64)
        };
        let stands_for = self.total / work * stands_for;
        let (start, worked) = (Instant::now(), thread_seconds());
        let counts = drawn.iter().map(|task| engine.count(worker, &task.task) as f64 * task.weight as f64);
        let count: f64 = counts.sum();
        let task_seconds = thread_seconds() - worked;
        let wall_seconds = start.elapsed().as_secs_f64();
        Drawn {
            count: count * stands_for,
            seconds: task_seconds * stands_for,
            task_seconds,
            wall_seconds,
            sample_seconds: begun.elapsed().as_secs_f64(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;
    use crate::engine::join::Join;
    use crate::engine::lanes::Portable;
    use crate::plan::halves::HalvesPlan;

    /// Ten times as many cores take a tenth of the time, and find as many solutions.
    #[test]
    fn cores_share_the_time() {
        let drawn = |seconds: f64| Drawn {
            count: 10.0 * seconds,
            seconds,
            task_seconds: 1.0,
            wall_seconds: 2.0,
            sample_seconds: 3.0,
        };
        let samples = Samples { tasks: 7, each: 1, drawn: [60.0, 70.0, 80.0, 90.0, 100.0].map(drawn).to_vec() };
        let (one, ten) = (samples.seconds(1), samples.seconds(10));
        assert!((one.mean - 80.0).abs() < 1e-9 && (ten.mean - 8.0).abs() < 1e-9, "{one:?}, {ten:?}");
        assert!((one.high - 10.0 * ten.high).abs() < 1e-9 && (one.low - 10.0 * ten.low).abs() < 1e-9);
        assert!((samples.count().mean - 800.0).abs() < 1e-9);
    }

    /// The groups of a unit are its tasks, each once.
    #[test]
    fn groups_cover_a_unit() {
        for n in [12, 13, 21, 22] {
            let plan = HalvesPlan::new(Size::new(n).unwrap());
            for unit in [0, plan.units() / 2, plan.units() - 1] {
                let groups = 0..plan.tasks(unit).div_ceil(plan.tasks_sharing_lists());
                let tasks: Vec<_> = groups.flat_map(|number| group(&plan, unit, number)).collect();
                assert!(tasks.into_iter().eq(plan.unit(unit)), "N = {n}, unit {unit}");
            }
        }
    }

    /// Of groups too, a sample makes on average of the plan what there is: of a third of all of them, within three per cent.
    #[test]
    fn groups_are_drawn_fairly() {
        let size = Size::new(13).unwrap();
        let (plan, join) = (HalvesPlan::new(size), Join::new(size, Portable::new()));
        assert!(plan.tasks_sharing_lists() > 1, "odd boards share the east");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let deadline = Instant::now() + Duration::from_hours(1);
        let found = Sampler { pool: &pool, samples: 2000, seed: 1, deadline }.draw(&plan, &join);
        let mean = found.drawn.iter().map(|drawn| drawn.count).sum::<f64>() / found.drawn.len() as f64;
        assert!((mean / 73712.0 - 1.0).abs() < 0.03, "{mean}");
    }
}
