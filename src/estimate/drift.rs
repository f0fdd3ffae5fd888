//! The speed of a machine that changes it: the same tasks timed again and again while others are sampled.
//!
//! A shared machine, whose caches and clock other programs use too, is faster in one minute than in the next, in processor
//! time too. A sample whose every part is short says nothing of it: the parts differ by far more from each other.

use super::interval::Interval;

/// A sample's tasks, timed again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeat {
    /// When, in seconds.
    pub(super) at: f64,
    /// The processor time over that of the first time.
    pub(super) ratio: f64,
}

/// Parts of the time whose means are compared; what is shorter than that levels out.
const BLOCKS: usize = 8;

/// How far the speed at another time may be from the mean, relative and to 95 %, as far as these tell: not at all
/// where they are too few. What single ones would have the means differ by is taken off: a task of a millisecond that is
/// interrupted takes several times as long.
pub(super) fn drift(repeats: &[Repeat]) -> f64 {
    let mut sorted = repeats.to_vec();
    sorted.sort_by(|a, b| a.at.total_cmp(&b.at));
    let length = sorted.len().div_ceil(BLOCKS).max(1);
    let mean = |block: &[Repeat]| block.iter().map(|repeat| repeat.ratio).sum::<f64>() / block.len() as f64;
    let means: Vec<f64> = sorted.chunks(length).map(mean).collect();
    let squares = |block: &[Repeat]| block.iter().map(|repeat| (repeat.ratio - mean(block)).powi(2)).sum::<f64>();
    let (all, blocks) = (sorted.len() as f64, means.len() as f64);
    let scatter = sorted.chunks(length).map(squares).sum::<f64>() / (all - blocks).max(1.0) / length as f64;
    let center = means.iter().sum::<f64>() / blocks;
    let spread = means.iter().map(|mean| (mean - center).powi(2)).sum::<f64>() / (blocks - 1.0);
    let reach = Interval::of(means.iter().copied()).relative();
    // That is how well their mean is known; another block is off by its own error too.
    let drift = reach * ((1.0 + blocks) * (1.0 - scatter / spread).max(0.0)).sqrt();
    if drift.is_finite() { drift } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeats(ratios: &[f64]) -> Vec<Repeat> {
        // In another order: threads hand them in as they end.
        let each = |(at, &ratio)| Repeat { at: at as f64, ratio };
        let mut repeats: Vec<_> = ratios.iter().enumerate().rev().map(each).collect();
        repeats.rotate_left(ratios.len() / 3);
        repeats
    }

    #[test]
    fn a_steady_machine_does_not_drift() {
        assert!(drift(&[]) < 1e-9);
        assert!(drift(&repeats(&[1.0, 2.0, 1.0, 2.0])) < 1e-9, "too few to tell");
        assert!(drift(&repeats(&[1.25; 40])) < 1e-9);
        // What comes and goes within a block levels out.
        let quick: Vec<f64> = (0..64).map(|at| if at % 2 == 0 { 0.5 } else { 1.5 }).collect();
        assert!(drift(&repeats(&quick)) < 1e-9);
        // One of 64 that takes nine times as long: its block is off by just what such scatter makes of blocks of 8.
        let mut interrupted = [1.0; 64];
        interrupted[3] = 9.0;
        assert!(drift(&repeats(&interrupted)) < 1e-6);
    }

    /// Half the time twice as fast: blocks of 1 and 2, of which the mean is 1.5, the deviation (8/7)^½ / 2 and t 2.3646.
    /// Where single ones are off by a half, their variance is 16/56, an eighth of which the means of blocks have of that:
    /// an eighth of their own.
    #[test]
    fn a_change_that_lasts_is_drift() {
        for (off, left) in [(0.0, 1.0), (0.5, 7.0 / 8.0)] {
            let one = |at| f64::from(1 + at / 32) + if at % 2 == 0 { off } else { -off };
            let changed: Vec<f64> = (0..64).map(one).collect();
            let expected = 2.364_624 * 0.5 * (8.0f64 / 7.0).sqrt() * (left * (1.0f64 + 1.0 / 8.0)).sqrt() / 1.5;
            let found = drift(&repeats(&changed));
            assert!((found - expected).abs() < 1e-5, "{found}, not {expected}");
        }
    }
}
