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

use crate::interval::student;

/// With fewer samples there is no estimate.
const FEWEST: u64 = 8;

/// There must be at least so many samples for each current unit of which nothing is finished. Otherwise the short
/// units, which are finished first, would decide the estimate.
const SAMPLES_PER_BLIND: u64 = 2;

/// The relative error that samples do not show.
const BESIDE: f64 = 0.15;

/// Blocks of consecutive samples that tell the drift.
const BLOCKS: usize = 16;

/// The samples of a run in their order: the work and the seconds of each, times its weight.
#[derive(Clone, Debug, Default)]
pub(super) struct Pace(Vec<(f64, f64)>);

impl Pace {
    /// Adds an amount of estimated work, the seconds of one thread for it, and when it ended, in seconds from the start of
    /// the run, which is its weight.
    pub(super) fn add(&mut self, work: f64, seconds: f64, at: f64) {
        // The weights are near zero when a run has just begun, and a unit without work says nothing.
        if work * at > 0.0 {
            self.0.push((work * at, seconds * at));
        }
    }

    /// The seconds that one thread takes for one unit of work; `None` before anything is finished.
    pub(super) fn seconds(&self) -> Option<f64> {
        let (work, seconds) = sum(&self.0);
        (work > 0.0).then(|| seconds / work)
    }

    /// Half of the pace's 95 % interval, divided by the pace. `None` if there are too few samples, of which more are
    /// needed if nothing is finished of `blind` units, or if the error is 1 or more.
    pub(super) fn error(&self, blind: u64) -> Option<f64> {
        if (self.0.len() as u64) < FEWEST.max(SAMPLES_PER_BLIND * blind) {
            return None;
        }
        let ((_, seconds), n) = (sum(&self.0), self.0.len() as f64);
        let deviation = (squares(&self.0, self.seconds()?) * n / (n - 1.0)).sqrt();
        let sampled = student(n - 1.0) * deviation / seconds;
        Some(sampled.hypot(drift(&self.0, BLOCKS)).hypot(BESIDE)).filter(|error| *error < 1.0)
    }
}

fn sum(samples: &[(f64, f64)]) -> (f64, f64) {
    samples.iter().fold((0.0, 0.0), |sum, sample| (sum.0 + sample.0, sum.1 + sample.1))
}

/// The sum of the squared differences of samples from a pace.
fn squares(samples: &[(f64, f64)], pace: f64) -> f64 {
    samples.iter().map(|(work, seconds)| (seconds - pace * work).powi(2)).sum()
}

/// How far the pace at another time may be from that of all these samples, each work and seconds, in their order: relative,
/// and to 95 %. So many `blocks` of them tell: by how much they differ from the pace more than single samples would have
/// them differ. Shorter changes level out. 0 where there are no more samples than blocks.
pub(crate) fn drift(samples: &[(f64, f64)], blocks: usize) -> f64 {
    let (work, seconds) = sum(samples);
    let pace = seconds / work;
    let blocks: Vec<_> = samples.chunks(samples.len().div_ceil(blocks).max(1)).map(sum).collect();
    let far = (squares(&blocks, pace) - squares(samples, pace)).max(0.0);
    let works: f64 = blocks.iter().map(|(work, _)| work * work).sum();
    let drift = student(blocks.len() as f64 - 1.0) * (far / works).sqrt() / pace;
    if drift.is_finite() { drift } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(samples: impl IntoIterator<Item = (f64, f64, f64)>) -> Pace {
        let mut pace = Pace::default();
        samples.into_iter().for_each(|(work, seconds, at)| pace.add(work, seconds, at));
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
            // Blocks differ because single samples do, and that much is taken off: blocks of one sample tell nothing.
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

    /// Samples of the same work.
    fn drift_of(seconds: &[f64]) -> f64 {
        drift(&seconds.iter().map(|&seconds| (1.0, seconds)).collect::<Vec<_>>(), 8)
    }

    #[test]
    fn a_steady_machine_does_not_drift() {
        assert!(drift_of(&[]) < 1e-9);
        assert!(drift_of(&[1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0]) < 1e-9, "too few to tell");
        assert!(drift_of(&[1.25; 40]) < 1e-9);
        // Changes within a block level out.
        let quick: Vec<f64> = (0..64).map(|at| if at % 2 == 0 { 0.5 } else { 1.5 }).collect();
        assert!(drift_of(&quick) < 1e-9);
        // One of 64 takes nine times as long, which has its block differ by no more than such samples would.
        let mut interrupted = [1.0; 64];
        interrupted[3] = 9.0;
        assert!(drift_of(&interrupted) < 1e-9);
    }

    /// Half the time twice as fast: the blocks of 8 are off by a third of their mean, less an eighth of the variance of
    /// single samples, which are off by as much, and in the second case by a half in addition. t of 7 degrees is 2.3646.
    #[test]
    fn a_change_that_lasts_is_drift() {
        for off in [0.0, 0.5] {
            let one = |at| f64::from(1 + at / 32) + if at % 2 == 0 { off } else { -off };
            let expected = 2.364_624_3 * (0.25f64 - (0.25 + off * off) / 8.0).sqrt() / 1.5;
            let found = drift_of(&(0..64).map(one).collect::<Vec<_>>());
            assert!((found - expected).abs() < 1e-7, "{found}, not {expected}");
        }
    }
}
