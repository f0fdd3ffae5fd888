//! The relative work of each board for the join, and the largest board there is time for.
//!
//! No formula predicts the work, because neither splits nor cache use grow smoothly. It was measured with AVX2 on a Zen
//! 3: small boards as a whole, others by sampled tasks. Only the ratios are used. The speed of a machine, which differs
//! much more, comes from the tasks that are timed on it.

use std::time::Duration;

use crate::board::{Placement, Size};
use crate::engine::EngineKind;
use crate::interval::{Interval, MIN_SAMPLES};
use crate::plan::plan_of;

/// The smallest board in the table, which takes milliseconds.
pub(super) const SMALLEST: usize = 14;

/// Core seconds of whole boards from [`SMALLEST`]. For 27 and 28, those of 26 times the growth on a Zen 5 with AVX-512.
const SECONDS: [f64; 15] =
    [0.006, 0.045, 0.069, 0.48, 1.48, 10.4, 45.4, 474.0, 2990.0, 31_600.0, 200_000.0, 2.44e6, 1.5e7, 2.35e8, 1.4e9];

/// The work of a whole board, in the seconds of that table.
pub(super) fn work(n: usize) -> f64 {
    SECONDS[n.saturating_sub(SMALLEST)]
}

/// The time of board `to` from the time of the same or a smaller board.
///
/// The growth is assumed to differ between machines by a factor of 1.3 for one step of N, and of 2.1 for nine steps.
/// Measured: up to 1.2 between AVX2 on a Zen 3 and AVX-512 on a Zen 5 (N = 19 to 24), 1.6 between AVX2 and portable
/// code (16 to 24), 1.25 between processors of Intel and AMD (26 to 28).
pub(super) fn extrapolate(time: Interval, from: usize, to: usize) -> Interval {
    let uncertainty = 0.06f64.mul_add((to - from) as f64, 0.2).exp();
    if from == to { time } else { time.times(work(to) / work(from)).widened(uncertainty) }
}

/// The largest board up to `n` for which 1.5 times the samples of an interval fit in `time`, extrapolated from the
/// `seconds` of the `smaller` board; otherwise the smaller board.
pub(super) fn largest_within(time: Duration, cores: usize, (smaller, seconds): (usize, f64), n: usize) -> usize {
    let rounds = 1.5 * (MIN_SAMPLES as f64 / cores as f64).ceil();
    let fits = |&n: &usize| {
        let plan = plan_of(EngineKind::Join, &empty(n));
        let tasks: u64 = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
        // A sample counts three groups that share lists: two to make lists, then the one that is timed.
        let counted = (3 * plan.tasks_sharing_lists()).max(1) as f64;
        rounds * seconds * work(n) / work(smaller) * counted / (tasks as f64) < time.as_secs_f64()
    };
    (smaller + 1..=n).rev().find(fits).unwrap_or(smaller)
}

/// The empty board of this size, which must be a [`Size`].
pub(super) fn empty(n: usize) -> Placement {
    Placement::empty(Size::new(n).expect("a size"))
}
