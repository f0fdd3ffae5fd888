//! How much work a board is for the join, over that of others on the same machine, and which board there is time for.
//!
//! No formula gives it, for neither the cuts of the boards nor the caches that their lists fit in grow evenly. So it was
//! measured, with AVX2 on a Zen 3: small boards as a whole, others by samples of their tasks. Only the ratios count. The
//! speed of a machine, which differs much more, comes from the tasks that are timed on it.

use std::time::Duration;

use crate::board::{Placement, Size};
use crate::engine::EngineKind;
use crate::interval::{FEWEST, Interval};
use crate::plan::plan_of;

/// The smallest board whose work is told, which takes milliseconds.
pub(super) const SMALLEST: usize = 14;

/// Core seconds of whole boards, from [`SMALLEST`] on; for 27 and 28 as many times those of 26 as on a Zen 5 with AVX-512.
const SECONDS: [f64; 15] =
    [0.006, 0.045, 0.069, 0.48, 1.48, 10.4, 45.4, 474.0, 2990.0, 31_600.0, 200_000.0, 2.44e6, 1.5e7, 2.35e8, 1.4e9];

/// The work of a whole board.
pub(super) fn work(n: usize) -> f64 {
    SECONDS[n.saturating_sub(SMALLEST)]
}

/// The time of a board from that of a smaller one, or of the same.
///
/// The growth may differ from that on another machine by a factor of 1.3 for the next board, and 2.1 for nine boards on.
/// From N = 19 to 24 it differed by up to 1.2 between AVX2 on a Zen 3 and AVX-512 on a Zen 5, from 16 to 24 by 1.6 between
/// AVX2 and portable code, from 26 to 28 by 1.25 between processors of Intel and AMD.
pub(super) fn grown(time: Interval, from: usize, to: usize) -> Interval {
    let unsure = 0.06f64.mul_add((to - from) as f64, 0.2).exp();
    if from == to { time } else { time.times(work(to) / work(from)).within(unsure) }
}

/// The largest board, up to this one, of which enough samples for an interval, and half as many again, fit in this time if a
/// smaller board takes so many seconds; else the smaller one.
pub(super) fn largest_within(time: Duration, cores: usize, (smaller, seconds): (usize, f64), n: usize) -> usize {
    let rounds = 1.5 * (FEWEST as f64 / cores as f64).ceil();
    let fits = |&n: &usize| {
        let plan = plan_of(EngineKind::Join, &empty(n));
        let tasks: u64 = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
        // A sample times the tasks that share lists, and counts as many of two groups before, for their lists.
        let counted = (3 * plan.tasks_sharing_lists()).max(1) as f64;
        rounds * seconds * work(n) / work(smaller) * counted / (tasks as f64) < time.as_secs_f64()
    };
    (smaller + 1..=n).rev().find(fits).unwrap_or(smaller)
}

/// The board of this size, which is no larger than one that is there.
pub(super) fn empty(n: usize) -> Placement {
    Placement::empty(Size::new(n).expect("a size"))
}
