//! Drawing samples of a plan.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::samples::{Drawn, Target};
use super::state::EstimateState;
use crate::engine::Engine;
use crate::plan::{Plan, Weighted};
use crate::run::clock::thread_seconds;
use crate::run::dispatch::{Counter, Job};

/// Draws samples of a plan, as many at once as the pool has threads.
#[derive(Clone, Copy)]
pub(super) struct Sampler<'a> {
    pub(super) pool: &'a rayon::ThreadPool,
    pub(super) state: &'a EstimateState,
    pub(super) target: Target,
    /// Samples at the most.
    pub(super) samples: usize,
    /// Samples at least, whatever the time.
    pub(super) least: usize,
    pub(super) seed: u64,
    /// None but the least is begun that is likely to end after this.
    pub(super) deadline: Instant,
}

impl Job for Sampler<'_> {
    type Output = ();

    fn run<C: Counter>(self, counter: &C) {
        self.draw(counter.plan(), counter.engine());
    }
}

impl Sampler<'_> {
    /// Of every ten samples of the time that a thread draws, one is its first one again.
    const REPEAT_EVERY: usize = 10;

    fn draw<P, E>(self, plan: &P, engine: &E)
    where
        P: Plan,
        E: Engine<Task = P::Task>,
    {
        let units = Units::new(plan);
        if units.total == 0.0 {
            return self.state.nothing(self.target);
        }
        // Samples are handed out by their number, which alone decides what is drawn: neither the number of threads nor
        // their speed has a say in it.
        let next = AtomicUsize::new(0);
        self.pool.broadcast(|_| {
            let mut worker = engine.worker();
            let (mut longest, mut first) = (Duration::ZERO, None);
            let mut sample = |number: usize| {
                // Seeds in a row begin alike; what they first give does not.
                let mut seed = fastrand::Rng::with_seed(self.seed.rotate_left(32) ^ number as u64);
                let mut random = fastrand::Rng::with_seed(seed.u64(..));
                units.draw(plan, engine, &mut worker, &mut random)
            };
            for turn in 1.. {
                // One that takes as long as the longest so far must still end in time.
                let late = Instant::now() + longest >= self.deadline;
                let stopped = self.state.stop().is_requested();
                if let Some((number, seconds)) = first
                    && turn % Self::REPEAT_EVERY == 0
                    && self.target == Target::Time
                {
                    if !late && !stopped {
                        self.state.repeated(sample(number).task_seconds / seconds);
                    }
                    continue;
                }
                // Relaxed: the number itself is all that the threads share.
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.samples || (late && number >= self.least) || stopped {
                    return;
                }
                let drawn = sample(number);
                first = first.or(Some((number, drawn.task_seconds)));
                longest = longest.max(Duration::from_secs_f64(drawn.sample_seconds));
                self.state.add(self.target, number, drawn);
            }
        });
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

    /// Of a thread's first sample: after nine others each time, if there is time.
    #[test]
    fn some_samples_are_drawn_again() {
        let size = Size::new(9).unwrap();
        let (plan, join) = (HalvesPlan::new(size), Join::new(size, Portable::new()));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        // What the thread did before is in no sample.
        pool.broadcast(|_| while thread_seconds() < 0.2 {});
        let (soon, late) = (Instant::now(), Instant::now() + Duration::from_hours(1));
        for (target, deadline, again) in [(Target::Time, late, 3), (Target::Time, soon, 0), (Target::Count, late, 0)] {
            let state = EstimateState::default();
            state.next_board(9);
            let (pool, state) = (&pool, &state);
            Sampler { pool, state, target, samples: 28, least: 28, seed: 1, deadline }.draw(&plan, &join);
            let samples = state.samples(target);
            assert!(samples.drawn.iter().map(|(number, _)| *number).eq(0..28));
            assert!(samples.drawn.iter().all(|(_, drawn)| drawn.task_seconds < 0.2));
            let repeats = state.samples(Target::Time).repeats;
            assert_eq!(repeats.len(), again);
            // A product of such times would be next to nothing.
            assert!(repeats.iter().all(|repeat| repeat.ratio > 1e-6), "{repeats:?}");
        }
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
        let state = EstimateState::default();
        let (pool, state, target) = (&pool, &state, Target::Count);
        Sampler { pool, state, target, samples: 2000, least: 0, seed: 1, deadline }.draw(&plan, &join);
        let counted = state.samples(target);
        assert_eq!(counted.drawn.len(), 2000);
        let mean = counted.mean(|drawn| drawn.count).mean;
        assert!((mean / 73712.0 - 1.0).abs() < 0.03, "{mean}");
    }
}
