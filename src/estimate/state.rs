//! What an estimate has found so far, written by its threads and read by whoever watches.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::climb::time_to_draw;
use super::growth::work;
use super::time::TimeSample;
use super::{Prediction, time_that_leaves};
use crate::engine::Method;
use crate::interval::{FEWEST, Interval};
use crate::run::counting::Sample;
use crate::subject::Subject;
use crate::watch::{Progress, Stop, Watched, lock};

/// An estimate that goes on, with its samples so far.
#[derive(Debug)]
pub(super) struct Drawing {
    pub(super) run: Planned,
    pub(super) stop: Stop,
    pub(super) found: Mutex<Found>,
}

/// What samples are drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Count,
    Time,
}

/// The samples of a plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    /// The size of its board.
    pub(super) n: usize,
    /// The work of its board, relative to that of others ([`growth`](super::growth)).
    pub(super) work: f64,
    /// Each with its number, in whatever order they came. They stand for the whole plan.
    pub(super) drawn: Vec<(usize, Sample)>,
    /// Some of them again, for the time: 1, and the processor time over that of the first time.
    pub(super) repeats: Vec<(f64, f64)>,
    /// Whether the plan has nothing to draw.
    pub(super) empty: bool,
}

impl Samples {
    /// The mean of the numbers that they predict for the plan, in the order of the samples, so that it is the same to the last
    /// bit whoever drew them.
    pub(super) fn mean(&self, of: impl Fn(&Sample) -> f64 + Clone) -> Interval {
        if self.drawn.is_empty() && !self.empty {
            return Interval::open(0.0);
        }
        let mut drawn: Vec<_> = self.drawn.iter().collect();
        drawn.sort_by_key(|(number, _)| *number);
        Interval::of(drawn.into_iter().map(|(_, drawn)| of(drawn) * drawn.stands_for))
    }

    /// The sum over the samples themselves.
    pub(super) fn sum(&self, of: impl Fn(&Sample) -> f64) -> f64 {
        self.drawn.iter().map(|(_, drawn)| of(drawn)).sum()
    }
}

#[derive(Debug, Default)]
pub(super) struct Found {
    counted: Samples,
    /// Of one board after the other, up to that of the subject.
    pub(super) timed: Vec<Samples>,
    /// The wall time that a sample of the board itself takes, in seconds, as is found at the end.
    pub(super) own_sample: Option<f64>,
    /// The processor time of the whole run, for each time that it was made.
    pub(super) ran: Vec<f64>,
}

/// The run that is predicted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planned {
    pub(super) subject: Subject,
    pub(super) method: Method,
    pub(super) threads: usize,
    pub(super) cores: usize,
    pub(super) tasks: u64,
    pub(super) started: Instant,
    /// Samples that the estimate draws at the most, for the count (none where those for the time serve both) and for the
    /// time.
    pub(super) samples: [usize; 2],
    pub(super) max_time: Duration,
}

impl Watched<Prediction> for Drawing {
    fn progress(&self) -> Progress {
        let (found, run) = (self.found(), &self.run);
        let timed = found.timed.last();
        let drawn = [found.counted.drawn.len(), timed.map_or(0, |board| board.drawn.len())];
        // The tasks are timed when the parts are counted, and take most of the time.
        let of = |(drawn, most): (usize, usize)| if most == 0 { 1.0 } else { drawn as f64 / most as f64 };
        let sampled = drawn.into_iter().zip(run.samples).map(of).fold(1.0, f64::min);
        let elapsed = run.started.elapsed();
        let share = sampled.max(elapsed.div_duration_f64(run.max_time)).min(1.0);
        let (doing, kind) = match timed {
            None => ("counting parts".to_owned(), 0),
            Some(board) => (format!("timing tasks of N = {}", board.n), 1),
        };
        let [done, total] = [drawn, run.samples].map(|samples| samples[kind] as u64);
        Progress { doing, done, total, share, elapsed, ..Progress::default() }
    }

    fn known(&self) -> Option<Prediction> {
        let found = self.found();
        let Planned { subject, method, threads, cores, tasks, started, samples, .. } = self.run;
        let own = found.timed.iter().find(|board| board.n == subject.n());
        // One sample may serve both.
        let counted = if samples[0] > 0 { Some(&found.counted) } else { own };
        let count = counted.map_or(Interval::open(0.0), |counted| counted.mean(|drawn| drawn.count));
        let time = TimeSample::of(&found.timed, &found.ran, (subject.n(), work(&subject).unwrap_or(1.0)));
        let too_few = own.is_none_or(|own| own.drawn.len() < FEWEST && !own.empty);
        let own_sample = found.own_sample.filter(|_| too_few && found.ran.is_empty());
        let is_counted_too = samples[0] > found.counted.drawn.len();
        Some(Prediction {
            subject,
            engine: method.engine.info().name,
            isa: method.isa,
            threads,
            cores,
            tasks,
            count,
            count_samples: counted.map_or(0, |counted| counted.drawn.len()),
            core_seconds: time.core_seconds,
            seconds: time.core_seconds.times(1.0 / cores as f64),
            time_samples: if found.ran.is_empty() { time.samples } else { tasks as usize },
            timed_n: time.n,
            sample_seconds: own_sample,
            max_time_needed: own_sample.map(|seconds| time_that_leaves(time_to_draw(seconds, threads), is_counted_too)),
            drift: time.drift,
            core_share: time.core_share,
            spent: started.elapsed(),
        })
    }
}

impl Drawing {
    pub(super) fn found(&self) -> MutexGuard<'_, Found> {
        lock(&self.found)
    }
}

impl Found {
    /// Those for the time are of the board in hand.
    pub(super) fn samples(&mut self, target: Target) -> &mut Samples {
        match target {
            Target::Count => &mut self.counted,
            Target::Time => self.timed.last_mut().expect("a board is begun before its tasks are timed"),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{Rotation, RotationalBoard, Size};

    fn add(drawing: &Drawing, target: Target, number: usize, count: f64) {
        let drawn = Sample { count, stands_for: 1.0, seconds: 1.0, wall_seconds: 2.0, all_seconds: 2.0 };
        drawing.found().samples(target).drawn.push((number, drawn));
    }

    /// The estimate of a subject that has just begun.
    pub(in crate::estimate) fn begun(subject: Subject, max_time: Duration) -> Drawing {
        let samples = [if subject.rotation().is_some() { 0 } else { 10 }, 4];
        let method = Method::choose(None, None, subject).unwrap();
        let started = Instant::now();
        let run = Planned { subject, method, threads: 1, cores: 1, tasks: 7, started, samples, max_time };
        Drawing { run, stop: Stop::default(), found: Mutex::default() }
    }

    #[test]
    fn progress_is_that_of_samples_or_of_time() {
        let (hour, size) = (Duration::from_secs(3600), Size::new(10).unwrap());
        let mut drawing = begun(size.into(), hour);
        (0..3).for_each(|number| add(&drawing, Target::Count, number, 5.0));
        let Progress { doing, done, total, .. } = drawing.progress();
        assert_eq!((doing.as_str(), done, total), ("counting parts", 3, 10));
        for n in [8, 10] {
            drawing.found().timed.push(Samples { n, ..Samples::default() });
            (0..n / 5).for_each(|number| add(&drawing, Target::Time, number, n as f64));
        }
        let Progress { doing, done, total, share, .. } = drawing.progress();
        assert_eq!((doing.as_str(), done, total), ("timing tasks of N = 10", 2, 4));
        // Three of ten parts are counted, while half of the tasks are timed.
        assert!((share - 0.3).abs() < 1e-9, "{share}");
        (3..10).for_each(|number| add(&drawing, Target::Count, number, 5.0));
        assert!((drawing.progress().share - 0.5).abs() < 1e-9);
        assert!((drawing.known().unwrap().count.mean - 5.0).abs() < 1e-9);
        drawing.run.max_time = Duration::from_nanos(1);
        assert!((drawing.progress().share - 1.0).abs() < 1e-9);
        // The tasks of turns are counted and timed at once.
        let turned = begun(RotationalBoard::new(Rotation::Half, 10).unwrap().into(), hour);
        assert!(turned.known().unwrap().count.high.is_infinite());
        turned.found().timed.push(Samples { n: 10, ..Samples::default() });
        (0..2).for_each(|number| add(&turned, Target::Time, number, 10.0));
        assert!((turned.progress().share - 0.5).abs() < 1e-9);
        assert!((turned.known().unwrap().count.mean - 10.0).abs() < 1e-9);
    }

    /// To the last bit: in another order the small ones would be lost beside the large one, or not.
    #[test]
    fn samples_are_added_in_their_order() {
        let means = [[0, 1, 2], [2, 0, 1]].map(|order| {
            let drawing = begun(Size::new(10).unwrap().into(), Duration::MAX);
            for number in order {
                add(&drawing, Target::Count, number, [1.0, 1.0, 1e16][number]);
            }
            drawing.found().samples(Target::Count).mean(|drawn| drawn.count).mean
        });
        assert_eq!(means[0].to_bits(), means[1].to_bits());
    }

    #[test]
    fn nothing_to_draw_is_known_to_be_nothing() {
        let drawing = begun(Size::new(3).unwrap().into(), Duration::from_secs(3600));
        assert!(drawing.known().unwrap().count.high.is_infinite());
        drawing.found().samples(Target::Count).empty = true;
        assert!(drawing.known().unwrap().count.high.abs() < 1e-9);
    }
}
