//! Drawing samples of a plan.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::state::{Drawing, Target};
use crate::run::counting::{Counting, Sample};

/// Draws samples of a plan, as many at once as the pool has threads.
#[derive(Clone, Copy)]
pub(super) struct Sampler<'a> {
    pub(super) pool: &'a rayon::ThreadPool,
    pub(super) drawing: &'a Drawing,
    pub(super) target: Target,
    /// Samples at the most.
    pub(super) samples: usize,
    /// Samples at least, whatever the time.
    pub(super) least: usize,
    pub(super) seed: u64,
    /// None but the least is begun that is likely to end after this.
    pub(super) deadline: Instant,
}

impl Sampler<'_> {
    /// Of every ten samples of the time that a thread draws, one is its first one again.
    const REPEAT_EVERY: usize = 10;

    pub(super) fn draw(self, counting: &dyn Counting) {
        let plan = counting.plan();
        // The work of each unit and the units before it.
        let mut total = 0.0;
        let with_work = |unit| {
            total += plan.work(unit);
            total
        };
        let sums: Vec<f64> = (0..plan.units()).map(with_work).collect();
        if total == 0.0 {
            self.drawing.found().samples(self.target).empty = true;
            return;
        }
        // Samples are handed out by their number, which alone decides what is drawn: neither the number of threads nor
        // their speed has a say in it.
        let next = AtomicUsize::new(0);
        self.pool.broadcast(|_| {
            let mut worker = counting.worker();
            let (mut longest, mut first) = (Duration::ZERO, None);
            let mut sample = |number: usize| {
                // The numbers of generators with consecutive seeds begin alike, so the seed is drawn too.
                let mut seed = fastrand::Rng::with_seed(self.seed.rotate_left(32) ^ number as u64);
                let mut random = fastrand::Rng::with_seed(seed.u64(..));
                let at = random.f64() * total;
                let unit = sums.partition_point(|&sum| sum <= at).min(sums.len() - 1);
                let work = sums[unit] - if unit == 0 { 0.0 } else { sums[unit - 1] };
                let sample = worker.sample(unit, &mut random);
                Sample { stands_for: total / work * sample.stands_for, ..sample }
            };
            for turn in 1.. {
                // One that takes as long as the longest so far must still end in time.
                let late = Instant::now() + longest >= self.deadline;
                let stopped = self.drawing.stop.is_requested();
                if let Some((number, seconds)) = first
                    && turn % Self::REPEAT_EVERY == 0
                    && self.target == Target::Time
                {
                    if !late && !stopped {
                        let again = sample(number).seconds / seconds;
                        self.drawing.found().samples(Target::Time).repeats.push((1.0, again));
                    }
                    continue;
                }
                // Relaxed: the number itself is all that the threads share.
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.samples || (late && number >= self.least) || stopped {
                    return;
                }
                let drawn = sample(number);
                first = first.or(Some((number, drawn.seconds)));
                longest = longest.max(Duration::from_secs_f64(drawn.all_seconds));
                self.drawing.found().samples(self.target).drawn.push((number, drawn));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineKind;
    use crate::engine::lanes::Isa;
    use crate::estimate::state::Samples;
    use crate::estimate::state::tests::begun;
    use crate::run::counting::Counter;
    use crate::run::threads::thread_seconds;
    use crate::{Method, Size};

    fn join(n: usize) -> Box<dyn Counting> {
        Counter::new(Method { engine: EngineKind::Join, isa: Isa::Portable }).counting(&Size::new(n).unwrap().into())
    }

    /// Of a thread's first sample: after nine others each time, if there is time.
    #[test]
    fn some_samples_are_drawn_again() {
        let join = join(9);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        // What the thread did before is in no sample.
        pool.broadcast(|_| while thread_seconds() < 0.2 {});
        let (soon, late) = (Instant::now(), Instant::now() + Duration::from_secs(3600));
        for (target, deadline, again) in [(Target::Time, late, 3), (Target::Time, soon, 0), (Target::Count, late, 0)] {
            let drawing = begun(Size::new(9).unwrap().into(), Duration::MAX);
            drawing.found().timed.push(Samples::default());
            let (pool, drawing) = (&pool, &drawing);
            Sampler { pool, drawing, target, samples: 28, least: 28, seed: 1, deadline }.draw(&*join);
            let samples = drawing.found().samples(target).clone();
            assert!(samples.drawn.iter().map(|(number, _)| *number).eq(0..28));
            assert!(samples.drawn.iter().all(|(_, drawn)| drawn.seconds < 0.2));
            let repeats = drawing.found().samples(Target::Time).repeats.clone();
            assert_eq!(repeats.len(), again);
            // A product of such times would be next to nothing.
            assert!(repeats.iter().all(|&(_, ratio)| ratio > 1e-6), "{repeats:?}");
        }
    }

    /// Of groups too, a sample makes on average of the plan what there is: of a third of all of them, within three per cent.
    #[test]
    fn groups_are_drawn_fairly() {
        let join = join(13);
        assert!(join.plan().tasks_sharing_lists() > 1, "odd boards share the east");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let deadline = Instant::now() + Duration::from_secs(3600);
        let drawing = begun(Size::new(13).unwrap().into(), Duration::MAX);
        let (pool, drawing, target) = (&pool, &drawing, Target::Count);
        Sampler { pool, drawing, target, samples: 2000, least: 0, seed: 1, deadline }.draw(&*join);
        let counted = drawing.found().samples(target).clone();
        assert_eq!(counted.drawn.len(), 2000);
        let mean = counted.mean(|drawn| drawn.count).mean;
        assert!((mean / 73712.0 - 1.0).abs() < 0.03, "{mean}");
    }
}
