//! The time of a run, from its tasks or, where one of them would take too long, from those of smaller boards.

use super::state::Samples;
use crate::interval::{FEWEST, Interval};
use crate::run::counting::Sample;
use crate::run::pace::drift;

/// The time goes from board to board of the same parity, since odd and even boards are cut in different ways.
pub(super) const STEP: usize = 2;

/// The relative error that no sample shows: the run may come at another time than the estimate, and it fills lists and
/// caches first.
const BESIDE: f64 = 0.2;

/// Parts of the time that are compared to see how the speed of the machine changes. A shared machine, whose caches and
/// clock other programs use too, is faster in one minute than in the next, in processor time too.
const BLOCKS: usize = 8;

/// The time that a run takes, as far as tasks tell.
pub(super) struct TimeSample {
    /// Processor seconds, of all threads together.
    pub(super) core_seconds: Interval,
    /// Tasks timed for it, all in all.
    pub(super) samples: usize,
    /// The size of the largest board whose tasks were timed.
    pub(super) n: usize,
    /// How much the machine's speed changed meanwhile, to 95 %.
    pub(super) drift: f64,
    /// Processor time of the samples over their wall time.
    pub(super) core_share: f64,
}

impl TimeSample {
    /// For the board of this size: from whole runs if they were made, else from samples of its tasks if there are enough, else
    /// from the two largest boards that have enough.
    pub(super) fn of(timed: &[Samples], ran: &[f64], n: usize) -> Self {
        let told: Vec<&Samples> = timed.iter().filter(|board| board.drawn.len() >= FEWEST).collect();
        let boards = match told[..] {
            _ if !ran.is_empty() => timed.last().into_iter().collect(),
            [.., below, near] if near.n < n => vec![near, below],
            [.., near] if near.n == n => vec![near],
            // A best guess, if any.
            _ => timed.iter().filter(|board| board.n == n).collect(),
        };
        let drift = boards.iter().map(|board| changed(&board.repeats)).fold(0.0, f64::max);
        let widened = |interval: Interval| interval.widened(BESIDE.hypot(drift));
        let sampled = |board: &&Samples| widened(board.mean(|drawn| drawn.seconds));
        let core_seconds = match boards[..] {
            _ if ran.len() >= FEWEST => widened(Interval::of_another(ran.iter().copied())),
            _ if !ran.is_empty() => widened(Interval::exactly(ran.iter().sum::<f64>() / ran.len() as f64)),
            [near, below] => Interval::extrapolated(sampled(&near), sampled(&below), ((n - near.n) / STEP) as f64),
            [near] => sampled(&near),
            _ => Interval::open(0.0),
        };
        let sum = |of: fn(&Sample) -> f64| boards.iter().map(|board| board.sum(of)).sum::<f64>();
        let (worked, passed) = (sum(|drawn| drawn.seconds), sum(|drawn| drawn.wall_seconds));
        Self {
            core_seconds,
            samples: boards.iter().map(|board| board.drawn.len()).sum(),
            n: boards.first().map_or(n, |board| board.n),
            drift,
            core_share: if passed > 0.0 { (worked / passed).min(1.0) } else { 1.0 },
        }
    }
}

/// How much the machine's speed changed while tasks were timed again, relative and to 95 %. Where they are few, nothing tells
/// a change of speed from the scatter of single ones: all of it counts.
fn changed(repeats: &[(f64, f64)]) -> f64 {
    if repeats.len() > BLOCKS {
        return drift(repeats, BLOCKS);
    }
    let another = Interval::of_another(repeats.iter().map(|(work, seconds)| seconds / work)).relative();
    if another.is_finite() { another } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(n: usize, samples: usize, seconds: f64) -> Samples {
        let drawn = |number| {
            let stands_for = if number % 2 == 0 { 0.9 } else { 1.1 } * seconds;
            (number, Sample { count: 1.0, stands_for, seconds: 1.0, wall_seconds: 4.0, all_seconds: 9.0 })
        };
        Samples { n, drawn: (0..samples).map(drawn).collect(), ..Samples::default() }
    }

    /// A run that was made has no error of a sample; several also show how far the next one may be from them.
    #[test]
    fn runs_tell_best() {
        let of = |ran: &[f64]| TimeSample::of(&[board(20, 20, 1000.0)], ran, 20).core_seconds;
        for ran in [&[800.0][..], &[900.0, 700.0], &[800.0; 8]] {
            let Interval { mean, low, high } = of(ran);
            assert!((mean - 800.0).abs() < 1e-9 && (low - 640.0).abs() < 1e-9, "{low} to {high}");
            assert!((high - 960.0).abs() < 1e-9, "{low} to {high}");
        }
        // t of 4 degrees is 2.776, the deviation the root of 25000 for 800 ± 100 (twice) and 800 ± 200.
        let unlike = of(&[700.0, 1000.0, 800.0, 600.0, 900.0]);
        let expected = (2.776_445 * (25_000.0f64 * 1.2).sqrt() / 800.0).hypot(0.2);
        assert!((unlike.relative() - expected).abs() < 1e-6, "{unlike:?}");
    }

    #[test]
    fn the_board_itself_tells_if_it_can() {
        let steady = [board(16, 8, 1.0), board(18, 8, 30.0), board(20, 20, 1000.0)];
        let own = TimeSample::of(&steady, &[], 20);
        assert_eq!((own.samples, own.n), (20, 20));
        assert!((own.core_share - 0.25).abs() < 1e-12);
        // Sampled: t of 19 degrees 2.093, deviation 0.1 (20/19)^½.
        let expected = (2.093_024 * 0.1 / 19f64.sqrt()).hypot(0.2);
        assert!((own.core_seconds.mean - 1000.0).abs() < 1e-9, "{:?}", own.core_seconds);
        assert!((own.core_seconds.relative() - expected).abs() < 1e-6, "{:?}", own.core_seconds);
        // Four of its tasks are too few: the others are extrapolated, to within a factor of 3 and their own errors.
        let few = TimeSample::of(&[board(16, 8, 1.0), board(18, 8, 30.0), board(20, 4, 1.0)], &[], 20);
        assert_eq!((few.samples, few.n), (16, 18));
        assert!((few.core_seconds.mean - 900.0).abs() < 1e-9 && few.core_seconds.factor() > 3.0);
        let far = TimeSample::of(&steady[..2], &[], 24);
        assert!((far.core_seconds.mean - 30f64.powi(4)).abs() < 1e-3 && far.core_seconds.factor() > 27.0);
    }

    /// Samples of one board say nothing of another.
    #[test]
    fn what_no_sample_tells_is_not_told() {
        for timed in [&[][..], &[board(16, 8, 1.0)], &[board(16, 4, 1.0), board(18, 8, 30.0)], &[board(20, 4, 1.0)]] {
            assert!(TimeSample::of(timed, &[], 20).core_seconds.high.is_infinite());
        }
        assert!(TimeSample::of(&[board(20, 0, 1.0)], &[], 20).core_seconds.high.is_infinite());
    }

    #[test]
    fn a_machine_that_changes_its_speed_widens_the_interval() {
        let repeated = |times: usize| {
            let repeats = (0..times).map(|at| (1.0, if 2 * at < times { 1.0 } else { 2.0 })).collect();
            TimeSample::of(&[Samples { repeats, ..board(20, 20, 1000.0) }], &[], 20)
        };
        let steady = TimeSample::of(&[board(20, 20, 1000.0)], &[], 20);
        for drifting in [16, BLOCKS].map(repeated) {
            assert!(steady.drift.abs() < 1e-9 && (steady.core_seconds.mean - drifting.core_seconds.mean).abs() < 1e-9);
            let expected = steady.core_seconds.relative().hypot(drifting.drift);
            assert!(drifting.drift > 0.5 && (drifting.core_seconds.relative() - expected).abs() < 1e-9);
        }
        assert!(repeated(4).drift.abs() < 1e-9, "too few to tell");
        // Of two boards, the one that tells the larger drift counts.
        let repeats: Vec<(f64, f64)> = (0..16).map(|at| (1.0, if at < 8 { 1.0 } else { 2.0 })).collect();
        for drifting in [16, 18] {
            let of = |n| {
                let repeats = if n == drifting { repeats.clone() } else { Vec::new() };
                Samples { repeats, ..board(n, 8, f64::from(n as u32)) }
            };
            let found = TimeSample::of(&[of(16), of(18)], &[], 20);
            assert!((found.drift - repeated(16).drift).abs() < 1e-9, "{drifting}: {}", found.drift);
        }
    }
}
