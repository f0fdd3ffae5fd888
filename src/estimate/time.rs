//! The time of a run, from its tasks or, where one of them would take too long, from those of smaller boards.

use std::time::Instant;

use super::interval::{FEWEST, Interval};
use super::sample::{Drawn, Sampler, Samples};
use crate::board::Size;
use crate::engine::{Choice, Method};
use crate::placement::Placement;
use crate::plan::rows::Lines;
use crate::run::dispatch::dispatch;

/// The time goes from board to board of the same parity, since odd and even boards are cut in different ways.
const STEP: usize = 2;

/// How far down the climb to the board begins, in steps.
const CLIMB: usize = 5;

/// Tasks timed on the way up, on each board.
const PROBES: usize = 8;

/// A task is expected to take at least this many times as long as on the board a step below.
const LEAST_GROWTH: f64 = 8.0;

/// A sample of the time that a run takes.
pub(super) struct TimeSample {
    /// Tasks that the run has.
    pub(super) tasks: u64,
    /// Wall seconds.
    pub(super) seconds: Interval,
    /// Tasks timed for it, all in all.
    pub(super) samples: usize,
    /// The largest board whose tasks were timed.
    pub(super) size: Size,
    /// Processor time of the samples over their wall time.
    pub(super) share: f64,
}

impl TimeSample {
    /// Times tasks of this board by this method within the sampler's time, or climbs as far towards it as that allows.
    /// The run will keep so many cores busy.
    pub(super) fn draw(size: Size, method: Method, sampler: Sampler, cores: usize) -> Self {
        let boards = Boards { method, sampler };
        let top = boards.climb(size);
        if top == size {
            let samples = boards.draw(size, sampler.samples, sampler.deadline);
            let (tasks, timed) = (samples.tasks, samples.drawn.len());
            let share = share(&samples.drawn);
            return Self { tasks, seconds: samples.seconds(cores), samples: timed, size, share };
        }
        let below = |steps: usize| Size::new(top.get() - steps * STEP).expect("the climb began below");
        let mut timed = Vec::new();
        // From small to large, so that what one leaves of its share the next can use.
        let [far, middle, near] = [(2, 3), (1, 2), (0, 1)].map(|(steps, shares)| {
            let samples = boards.draw(below(steps), sampler.samples, boards.sooner(shares));
            timed.extend_from_slice(&samples.drawn);
            samples.seconds(cores)
        });
        let steps = (size.get() - top.get()) / STEP;
        let tasks = boards.draw(size, 0, sampler.deadline).tasks;
        let seconds = Interval::extrapolated(near, middle, far, steps as f64);
        Self { tasks, seconds, samples: timed.len(), size: top, share: share(&timed) }
    }
}

/// Processor time over wall time: 1 where nothing else ran on the machine.
fn share(samples: &[Drawn]) -> f64 {
    let sum = |seconds: fn(&Drawn) -> f64| samples.iter().map(seconds).sum::<f64>();
    let (worked, passed) = (sum(|sample| sample.task_seconds), sum(|sample| sample.wall_seconds));
    if passed > 0.0 { (worked / passed).min(1.0) } else { 1.0 }
}

/// The boards on the way.
struct Boards<'a> {
    method: Method,
    sampler: Sampler<'a>,
}

impl Boards<'_> {
    /// The largest board up to this one whose tasks can be timed in the time that is left.
    fn climb(&self, size: Size) -> Size {
        let way = (1..=CLIMB).rev().filter_map(|steps| Size::new(size.get().checked_sub(steps * STEP)?).ok());
        let way: Vec<Size> = way.filter(|&size| self.can_count(size)).collect();
        let mut before = None;
        let boards = way.iter().skip(1).chain([&size]);
        for (index, (&board, &above)) in way.iter().zip(boards).enumerate() {
            let samples = self.draw(board, PROBES, self.sooner(2 * CLIMB as u32));
            let all = samples.drawn.iter().map(|drawn| drawn.sample_seconds).sum::<f64>();
            let mean = all / (samples.drawn.len() as u64 * samples.each).max(1) as f64;
            let growth = before.map_or(LEAST_GROWTH, |before: f64| (mean / before).max(LEAST_GROWTH));
            before = Some(mean);
            // Enough for an interval, and half as much again, for some tasks take longer. An extrapolation needs three
            // boards.
            let rounds = (FEWEST as f64 / self.sampler.pool.current_num_threads() as f64).ceil();
            let next = 1.5 * rounds * growth * mean * self.draw(above, 0, self.sampler.deadline).each as f64;
            if index >= 2 && next > self.sampler.deadline.saturating_duration_since(Instant::now()).as_secs_f64() {
                return board;
            }
        }
        size
    }

    fn can_count(&self, size: Size) -> bool {
        Method::choose(Choice::Engine(self.method.engine), Some(self.method.isa), &Placement::empty(size)).is_ok()
    }

    /// The end of this fraction of the time that is left.
    fn sooner(&self, fraction: u32) -> Instant {
        let now = Instant::now();
        now + self.sampler.deadline.saturating_duration_since(now) / fraction
    }

    fn draw(&self, size: Size, samples: usize, deadline: Instant) -> Samples {
        let lines = Lines::for_threads(size, self.sampler.pool.current_num_threads());
        dispatch(self.method, &Placement::empty(size), lines, Sampler { samples, deadline, ..self.sampler })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineKind;
    use std::time::Duration;

    #[test]
    fn a_share_is_processor_time_over_wall_time() {
        let drawn = |task_seconds, wall_seconds| Drawn {
            count: 1.0,
            seconds: 1.0,
            task_seconds,
            wall_seconds,
            sample_seconds: 9.0,
        };
        let cases = [(vec![], 1.0), (vec![drawn(1.0, 2.0), drawn(2.0, 10.0)], 0.25), (vec![drawn(3.0, 2.0)], 1.0)];
        for (samples, expected) in cases {
            assert!((share(&samples) - expected).abs() < 1e-12, "{}, not {expected}", share(&samples));
        }
    }

    /// A million cores take far less time than one, for a board whose tasks are timed and for one that is extrapolated
    /// to: by a factor that no machine's noise reaches, and in the right direction.
    #[test]
    fn more_cores_take_less_time() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let drawn = |n: usize, time: Duration, cores: usize| {
            let size = Size::new(n).unwrap();
            let method = Method::choose(Choice::Engine(EngineKind::Backtrack), None, &Placement::empty(size)).unwrap();
            let sampler = Sampler { pool: &pool, samples: 20, seed: 1, deadline: Instant::now() + time };
            TimeSample::draw(size, method, sampler, cores)
        };
        for (n, time, timed) in [(12, Duration::from_hours(1), 12), (20, Duration::ZERO, 14)] {
            let [one, many] = [1, 1_000_000].map(|cores| drawn(n, time, cores));
            assert_eq!([one.size.get(), many.size.get()], [timed; 2]);
            assert!(one.seconds.mean > 100.0 * many.seconds.mean && many.seconds.mean > 0.0);
        }
    }
}
