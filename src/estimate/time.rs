//! The time of a run, from its tasks or, where one of them would take too long, from those of a smaller board.

use super::growth::unsure;
use super::state::Samples;
use crate::interval::{FEWEST, Interval};
use crate::run::pace::drift;

/// The relative error that no sample shows: the run may come at another time than the estimate, and it fills lists and
/// caches first.
const BESIDE: f64 = 0.2;

/// Parts of the time that are compared to see how the speed of the machine changes. A shared machine, whose caches and
/// clock other programs use too, is faster in one minute than in the next, in processor time too.
const BLOCKS: usize = 8;

/// Samples that took less wall time than this, in seconds, do not tell a busy machine: a thread may have waited for its turn.
const TELLING: f64 = 0.5;

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
    /// Processor time of the samples over their wall time; 1 where they are too short to tell.
    pub(super) core_share: f64,
}

impl TimeSample {
    /// For the board of this size and work: from whole runs if they were made, else from samples of the largest board that has
    /// enough.
    pub(super) fn of(timed: &[Samples], ran: &[f64], (n, work): (usize, f64)) -> Self {
        let own = timed.last().filter(|board| board.n == n);
        // A best guess, if any.
        let told = timed.iter().rfind(|board| board.drawn.len() >= FEWEST || board.empty).or(own);
        let Some(board) = (if ran.is_empty() { told } else { own }) else {
            return Self { core_seconds: Interval::open(0.0), samples: 0, n, drift: 0.0, core_share: 1.0 };
        };
        let drift = changed(&board.repeats);
        let sampled = match ran {
            [] => board.mean(|drawn| drawn.seconds),
            ran if ran.len() >= FEWEST => Interval::of_another(ran.iter().copied()),
            ran => Interval::exactly(ran.iter().sum::<f64>() / ran.len() as f64),
        };
        let core_seconds = sampled.widened(BESIDE.hypot(drift)).times(work / board.work);
        let (worked, passed) = (board.sum(|drawn| drawn.seconds), board.sum(|drawn| drawn.wall_seconds));
        Self {
            core_seconds: if board.n < n { core_seconds.within(unsure(n - board.n)) } else { core_seconds },
            samples: board.drawn.len(),
            n: board.n,
            drift,
            core_share: if passed > TELLING { (worked / passed).min(1.0) } else { 1.0 },
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
    use crate::run::counting::Sample;

    /// That of 16, 18, 20 and 24, say, but for the last.
    const WORK: [f64; 5] = [1.0, 30.0, 1000.0, 0.0, 2e6];

    /// Of samples of tasks, without whole runs.
    fn told(timed: &[Samples], n: usize) -> TimeSample {
        TimeSample::of(timed, &[], (n, WORK[n / 2 - 8]))
    }

    fn board(n: usize, samples: usize, seconds: f64) -> Samples {
        let drawn = |number| {
            let stands_for = if number % 2 == 0 { 0.9 } else { 1.1 } * seconds;
            (number, Sample { count: 1.0, stands_for, seconds: 1.0, wall_seconds: 4.0, all_seconds: 9.0 })
        };
        Samples { n, work: WORK[n / 2 - 8], drawn: (0..samples).map(drawn).collect(), ..Samples::default() }
    }

    /// A run that was made has no error of a sample; several also show how far the next one may be from them.
    #[test]
    fn runs_tell_best() {
        let of = |ran: &[f64]| TimeSample::of(&[board(20, 20, 1000.0)], ran, (20, 1000.0)).core_seconds;
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
        let own = told(&steady, 20);
        assert_eq!((own.samples, own.n), (20, 20));
        assert!((own.core_share - 0.25).abs() < 1e-12);
        // Sampled: t of 19 degrees 2.093, deviation 0.1 (20/19)^½.
        let expected = (2.093_024 * 0.1 / 19f64.sqrt()).hypot(0.2);
        assert!((own.core_seconds.mean - 1000.0).abs() < 1e-9, "{:?}", own.core_seconds);
        assert!((own.core_seconds.relative() - expected).abs() < 1e-6, "{:?}", own.core_seconds);
        // Four of its tasks are too few: the largest other board tells, to within the growth and its own error.
        let few = told(&[board(16, 8, 1.0), board(18, 8, 60.0), board(20, 4, 1.0)], 20);
        assert_eq!((few.samples, few.n), (8, 18));
        let growth = |boards| few.core_seconds.factor() > unsure(boards);
        assert!((few.core_seconds.mean - 2000.0).abs() < 1e-6 && growth(2) && !growth(8), "{:?}", few.core_seconds);
        let far = told(&steady[..2], 24);
        assert!((far.core_seconds.mean - 2e6).abs() < 1e-3 && far.core_seconds.factor() > unsure(6));
    }

    #[test]
    fn what_no_sample_tells_is_not_told() {
        for timed in [&[][..], &[board(16, 4, 1.0)], &[board(16, 4, 1.0), board(18, 0, 30.0)], &[board(20, 4, 1.0)]] {
            assert!(told(timed, 20).core_seconds.high.is_infinite());
        }
    }

    /// Samples of milliseconds say nothing of other programs.
    #[test]
    fn a_moment_does_not_tell_a_busy_machine() {
        let share = |seconds: f64| {
            let mut board = board(20, 8, 1.0);
            for (_, drawn) in &mut board.drawn {
                (drawn.seconds, drawn.wall_seconds) = (seconds / 4.0, seconds);
            }
            told(&[board], 20).core_share
        };
        let shares = [(0.0, 1.0), (0.06, 1.0), (0.07, 0.25)];
        assert!(shares.iter().all(|&(seconds, expected)| (share(seconds) - expected).abs() < 1e-9));
    }

    #[test]
    fn a_machine_that_changes_its_speed_widens_the_interval() {
        let repeated = |times: usize| {
            let repeats = (0..times).map(|at| (1.0, if 2 * at < times { 1.0 } else { 2.0 })).collect();
            told(&[Samples { repeats, ..board(20, 20, 1000.0) }], 20)
        };
        let steady = told(&[board(20, 20, 1000.0)], 20);
        for drifting in [16, BLOCKS].map(repeated) {
            assert!(steady.drift.abs() < 1e-9 && (steady.core_seconds.mean - drifting.core_seconds.mean).abs() < 1e-9);
            let expected = steady.core_seconds.relative().hypot(drifting.drift);
            assert!(drifting.drift > 0.5 && (drifting.core_seconds.relative() - expected).abs() < 1e-9);
        }
        assert!(repeated(4).drift.abs() < 1e-9, "too few to tell");
    }
}
