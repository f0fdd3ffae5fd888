//! The pace of a run, estimated from the work that its threads have finished, and the error of this estimate.
//!
//! Every finished unit is a sample: an amount of estimated work, and the seconds that one thread took for it. The pace
//! is the seconds of all samples divided by their work, a ratio estimate. Its error comes from how much the samples
//! differ from it (Cochran, *Sampling Techniques*, chapter 6). Unfinished units are samples too once some of their
//! tasks are finished: without them the short units, which are finished first, would count for too much. Later samples
//! have a higher weight, so that the cost of the start (tables, cold caches) and other work of the machine at that time
//! are forgotten gradually.
//!
//! There are errors beside those of sampling: threads fill their tables while they count their first units, and the
//! speed of a machine changes. On a quiet machine of two cores the time left for N = 20 was 3 to 7 percent too long for
//! most of a run. So the interval has 15 percent in addition to the error of the sample ([`BESIDE`]). When other work comes
//! and goes, samples that follow one another are slow or fast together. The drift is the amount by which blocks of them
//! differ from the pace more than single samples would; it is part of the interval too. The interval does not cover a
//! machine that gets more other work later on than it ever had.

use std::time::Duration;

use crate::run::student::student;

/// How long a run will still take, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// The best guess.
    pub expected: Duration,
    /// The lower end.
    pub low: Duration,
    /// The upper end.
    pub high: Duration,
}

impl TimeLeft {
    pub(super) const NOTHING: Self = Self { expected: Duration::ZERO, low: Duration::ZERO, high: Duration::ZERO };
}

/// An amount of work, and the time that a thread took for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// Estimated work, in the units of the plan.
    pub(super) work: f64,
    /// Seconds of one thread.
    pub(super) seconds: f64,
    /// When it ended, in seconds from the start of the run. This is its weight.
    pub(super) at: f64,
}

/// With fewer samples there is no estimate.
const FEWEST: u64 = 8;

/// There must be at least so many samples for each current unit of which nothing is finished. Otherwise the short
/// units, which are finished first, would decide the estimate.
const SAMPLES_PER_BLIND: u64 = 2;

/// The relative error that samples do not show.
const BESIDE: f64 = 0.15;

/// Blocks of consecutive samples, as many in each, that tell the drift: when all are full, every two become one.
const BLOCKS: usize = 16;

/// All samples of a run, as sums.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// Work and seconds of each block.
    blocks: [(f64, f64); BLOCKS],
    /// The block to be filled, how many samples are in it, and how many there are in a full one, as a power of 2.
    block: usize,
    filled: u64,
    doubled: u32,
    samples: u64,
    work: f64,
    seconds: f64,
    work_squared: f64,
    work_seconds: f64,
    seconds_squared: f64,
}

impl Pace {
    pub(super) fn add(&mut self, sample: Sample) {
        // The weights are near zero when a run has just begun, and a unit without work says nothing.
        let (work, seconds) = (sample.work * sample.at, sample.seconds * sample.at);
        if work <= 0.0 {
            return;
        }
        self.samples += 1;
        self.work += work;
        self.seconds += seconds;
        self.work_squared += work * work;
        self.work_seconds += work * seconds;
        self.seconds_squared += seconds * seconds;
        self.fill(work, seconds);
    }

    /// Adds to the blocks.
    fn fill(&mut self, work: f64, seconds: f64) {
        if self.filled == 1 << self.doubled {
            (self.block, self.filled) = (self.block + 1, 0);
        }
        if self.block == BLOCKS {
            let pairs = self.blocks;
            self.blocks = Default::default();
            for (both, pair) in self.blocks.iter_mut().zip(pairs.chunks(2)) {
                *both = (pair[0].0 + pair[1].0, pair[0].1 + pair[1].1);
            }
            (self.block, self.doubled) = (BLOCKS / 2, self.doubled + 1);
        }
        let block = &mut self.blocks[self.block];
        *block = (block.0 + work, block.1 + seconds);
        self.filled += 1;
    }

    /// How far blocks are from the pace, relative, beyond what the samples in them are, whose `squares` these are.
    fn drift(&self, pace: f64, squares: f64) -> f64 {
        let far: f64 = self.blocks.iter().map(|(work, seconds)| (seconds - pace * work).powi(2)).sum();
        let works: f64 = self.blocks.iter().map(|(work, _)| work * work).sum();
        ((far - squares).max(0.0) / works).sqrt() / pace
    }

    /// The seconds that one thread takes for one unit of work; `None` before anything is finished.
    pub(super) fn seconds(&self) -> Option<f64> {
        (self.work > 0.0).then(|| self.seconds / self.work)
    }

    /// Half of the pace's 95 % interval, divided by the pace. `None` if there are too few samples, of which more are
    /// needed if nothing is finished of `blind` units, or if the error is 1 or more.
    pub(super) fn error(&self, blind: u64) -> Option<f64> {
        if self.samples < FEWEST.max(SAMPLES_PER_BLIND * blind) {
            return None;
        }
        let (pace, n) = (self.seconds()?, self.samples as f64);
        // The sum of the squared differences of the samples from the pace, each as seconds - pace × work.
        let squares = self.seconds_squared - 2.0 * pace * self.work_seconds + pace * pace * self.work_squared;
        let squares = squares.max(0.0);
        let deviation = (squares * n / (n - 1.0)).sqrt() / self.work;
        let sampled = student(n - 1.0) * deviation / pace;
        let drift = student(n.min(BLOCKS as f64) - 1.0) * self.drift(pace, squares);
        Some(sampled.hypot(drift).hypot(BESIDE)).filter(|error| *error < 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(samples: impl IntoIterator<Item = (f64, f64, f64)>) -> Pace {
        let mut pace = Pace::default();
        samples.into_iter().for_each(|(work, seconds, at)| pace.add(Sample { work, seconds, at }));
        pace
    }

    #[test]
    fn later_samples_count_more() {
        // Ten seconds for a unit of work with weight 10, two with weight 100.
        let later = pace([(1.0, 10.0, 10.0), (1.0, 2.0, 100.0)]);
        assert!((later.seconds().unwrap() - 300.0 / 110.0).abs() < 1e-9);
        assert_eq!(pace([]).seconds(), None);
        assert_eq!(pace([(0.0, 1.0, 1.0), (1.0, 1.0, 0.0)]).seconds(), None, "neither work nor weight");
    }

    /// Nine samples of 8 to 12 seconds, compared with the textbook's ratio estimate of these numbers, worked out by
    /// hand.
    #[test]
    fn the_error_is_that_of_a_ratio() {
        let nine = pace([8.0, 9.0, 10.0, 11.0, 12.0, 10.0, 10.0, 9.0, 11.0].map(|seconds| (1.0, seconds, 1.0)));
        assert!((nine.seconds().unwrap() - 10.0).abs() < 1e-12);
        // Squares: 4 + 1 + 0 + 1 + 4 + 0 + 0 + 1 + 1 = 12; error of the sum (12 · 9 / 8)^½; t of 8 degrees 2.306.
        let expected = 2.306_004 * (12.0f64 * 9.0 / 8.0).sqrt() / 9.0 / 10.0;
        assert!((nine.error(0).unwrap() - expected.hypot(0.15)).abs() < 1e-6);
        // Samples in proportion to their work have no error of their own, however different they are.
        let exact = pace((1..=8).map(|i| (f64::from(i), 3.0 * f64::from(i), f64::from(i))));
        assert!((exact.error(4).unwrap() - 0.15).abs() < 1e-6);
    }

    /// Half of the samples take twice as long as the others. One by one that is scatter; one half after the other it is
    /// drift, a third of the pace where blocks are long.
    #[test]
    fn what_is_slow_together_is_drift() {
        for (samples, block) in [(16, 1.0), (64, 4.0), (4096, 256.0)] {
            let scattered = pace((0..samples).map(|i| (1.0, 1.0 + f64::from(i % 2), 1.0)));
            let drifting = pace((0..samples).map(|i| (1.0, if 2 * i < samples { 1.0 } else { 2.0 }, 1.0)));
            assert!((scattered.seconds().unwrap() - 1.5).abs() < 1e-12 && drifting.seconds() == scattered.seconds());
            let n = f64::from(samples);
            let sampled = (student(n - 1.0) / (n - 1.0).sqrt() / 3.0).hypot(BESIDE);
            let [steady, far] = [scattered, drifting].map(|pace| pace.error(0).unwrap());
            assert!((steady - sampled).abs() < 1e-9, "{samples}: {steady}, not {sampled}");
            // What single samples would have blocks of them differ by is taken off: blocks of one tell nothing.
            let expected = sampled.hypot(student(15.0) * (1.0f64 - 1.0 / block).sqrt() / 3.0);
            assert!((far - expected).abs() < 1e-9, "{samples}: {far}, not {expected}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_told() {
        let eight = |far: f64| pace((0..8).map(move |i| (1.0, if i == 0 { far } else { 1.0 }, 1.0)));
        assert!(pace((0..7).map(|_| (1.0, 1.0, 1.0))).error(0).is_none(), "too few samples");
        let without_work = (0..8).map(|i| (f64::from(i.min(1)), 1.0, 1.0));
        assert!(pace(without_work).error(0).is_none(), "a unit of no work is no sample");
        assert!(eight(1.0).error(4).is_some());
        assert!(eight(1.0).error(5).is_none(), "too many units in hand that nothing is known of");
        assert!(eight(1000.0).error(0).is_none(), "an interval that begins below zero");
    }
}
