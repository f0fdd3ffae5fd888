//! The time of a run, from its tasks or, where one of them would take too long, from those of smaller boards.

use std::time::Instant;

use super::interval::{FEWEST, Interval};
use super::sample::{Drawn, Sampler, Samples};
use crate::board::Size;
use crate::engine::{Choice, Method};
use crate::run::dispatch::Dispatch;
use crate::subject::Subject;

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
    /// The size of the largest board whose tasks were timed.
    pub(super) n: usize,
    /// Processor time of the samples over their wall time.
    pub(super) core_share: f64,
}

impl TimeSample {
    /// From samples of the board of this size itself. The run will keep so many cores busy.
    pub(super) fn of(samples: &Samples, n: usize, cores: usize) -> Self {
        let (tasks, timed) = (samples.tasks, samples.drawn.len());
        Self { tasks, seconds: samples.seconds(cores), samples: timed, n, core_share: core_share(&samples.drawn) }
    }

    /// Times tasks of this subject by this method within the sampler's time, or climbs as far towards it as that allows.
    pub(super) fn draw(subject: &Subject, method: Method, sampler: Sampler, cores: usize) -> Self {
        let boards = Boards { subject, method, sampler };
        let top = boards.climb();
        if top == subject.n() {
            return Self::of(&boards.draw(subject, sampler.samples, sampler.deadline), top, cores);
        }
        let below = |steps: usize| boards.smaller(top - steps * STEP).expect("the climb began below");
        let mut timed = Vec::new();
        // From small to large, so that what one leaves of its share the next can use.
        let [far, middle, near] = [(2, 3), (1, 2), (0, 1)].map(|(steps, shares)| {
            let samples = boards.draw(&below(steps), sampler.samples, boards.sooner(shares));
            timed.extend_from_slice(&samples.drawn);
            samples.seconds(cores)
        });
        let steps = (subject.n() - top) / STEP;
        let tasks = boards.draw(subject, 0, sampler.deadline).tasks;
        let seconds = Interval::extrapolated(near, middle, far, steps as f64);
        Self { tasks, seconds, samples: timed.len(), n: top, core_share: core_share(&timed) }
    }
}

/// Processor time over wall time: 1 where nothing else ran on the machine.
fn core_share(samples: &[Drawn]) -> f64 {
    let sum = |seconds: fn(&Drawn) -> f64| samples.iter().map(seconds).sum::<f64>();
    let (worked, passed) = (sum(|sample| sample.task_seconds), sum(|sample| sample.wall_seconds));
    if passed > 0.0 { (worked / passed).min(1.0) } else { 1.0 }
}

/// The boards on the way.
struct Boards<'a> {
    subject: &'a Subject,
    method: Method,
    sampler: Sampler<'a>,
}

impl Boards<'_> {
    /// The size of the largest board up to the one asked for whose tasks can be timed in the time that is left.
    fn climb(&self) -> usize {
        let sizes = (1..=CLIMB).rev().filter_map(|steps| self.subject.n().checked_sub(steps * STEP));
        let way: Vec<Subject> = sizes.filter_map(|n| self.smaller(n)).collect();
        let mut before = None;
        let boards = way.iter().skip(1).chain([self.subject]);
        for (index, (board, above)) in way.iter().zip(boards).enumerate() {
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
                return board.n();
            }
        }
        self.subject.n()
    }

    /// The same of a smaller board, where the method counts it; none for completions, which have no smaller like.
    fn smaller(&self, n: usize) -> Option<Subject> {
        let size = Size::new(n).ok()?;
        let smaller = match self.subject {
            Subject::Completions(prefix) if prefix.is_empty() => size.into(),
            Subject::Profile(_) => Subject::Profile(size),
            Subject::Completions(_) | Subject::Rotational(_) => return None,
        };
        Method::choose(Choice::Engine(self.method.engine), Some(self.method.isa), smaller).is_ok().then_some(smaller)
    }

    /// The end of this fraction of the time that is left.
    fn sooner(&self, fraction: u32) -> Instant {
        let now = Instant::now();
        now + self.sampler.deadline.saturating_duration_since(now) / fraction
    }

    fn draw(&self, board: &Subject, samples: usize, deadline: Instant) -> Samples {
        self.method.dispatch(board, Sampler { samples, deadline, ..self.sampler })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let found = core_share(&samples);
            assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
        }
    }
}
