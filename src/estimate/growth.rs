//! How much work a run is from board to board: what one takes over what another takes, on the same machine.
//!
//! No formula gives it, for neither the cuts of the boards nor the caches that their lists fit in grow evenly. So it was
//! measured, with AVX2 on a Zen 3: small boards as a whole, others by samples of their tasks. Only the ratios count. The speed of
//! a machine, which differs much more, comes from the tasks that are timed on it.

use crate::board::Rotation;
use crate::subject::Subject;

/// Core seconds of whole boards by the join, from N = 14 on; for 27 and 28 as many times those of 26 as on a Zen 5 with AVX-512.
const JOIN: [f64; 15] =
    [0.006, 0.045, 0.069, 0.48, 1.48, 10.4, 45.4, 474.0, 2990.0, 31_600.0, 200_000.0, 2.44e6, 1.5e7, 2.35e8, 1.4e9];

/// Those of half turns, from N = 24 on; from 36 on by the growth before.
const HALF_TURNS: [f64; 15] =
    [0.142, 0.161, 0.7, 0.81, 5.3, 6.7, 65.0, 87.0, 860.0, 1030.0, 10_900.0, 12_300.0, 139_000.0, 146_000.0, 1.77e6];

/// Those of quarter turns, from N = 48 on, of N = 4m and 4m + 1: there are none else.
const QUARTER_TURNS: [[f64; 2]; 8] = [
    [1.455, 1.6],
    [7.39, 8.1],
    [39.6, 43.0],
    [254.0, 273.0],
    [1939.0, 2349.0],
    [24_800.0, 32_000.0],
    [295_000.0, 380_000.0],
    [1.07e7, 1.4e7],
];

/// The work of a whole board, or of the solutions that a turn leaves unchanged, on a scale of its own for each of the three;
/// `None` for what takes milliseconds, and for completions of given queens.
pub(super) fn work(subject: &Subject) -> Option<f64> {
    let from = |first: usize| subject.n().checked_sub(first);
    match subject.rotation() {
        None if subject.fixed().is_none() => JOIN.get(from(14)?).copied(),
        None => None,
        Some(Rotation::Half) => HALF_TURNS.get(from(24)?).copied(),
        Some(Rotation::Quarter) => from(48).and_then(|more| QUARTER_TURNS.get(more / 4)?.get(more % 4).copied()),
    }
}

/// By what factor the growth over so many boards may differ from that on another machine: 1.3 for the next board, 2.1 for nine
/// boards on. From N = 19 to 24 it differed by up to 1.2 between AVX2 on a Zen 3 and AVX-512 on a Zen 5, from 16 to 24 by 1.6 between
/// AVX2 and portable code, from 26 to 28 by 1.25 between processors of Intel and AMD.
pub(super) fn unsure(boards: usize) -> f64 {
    0.06f64.mul_add(boards as f64, 0.2).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RotationalBoard, Size};
    use std::ops::{Range, RangeInclusive};

    /// From each board to the next one of its kind, none of which is left out up to the largest that can be counted.
    #[test]
    fn work_grows_from_board_to_board() {
        let whole = |n: usize| work(&Size::new(n).unwrap().into());
        let turned = |rotation, n| work(&RotationalBoard::new(rotation, n).unwrap().into());
        let check = |work: &dyn Fn(usize) -> Option<f64>, boards: RangeInclusive<usize>, step, growth: Range<f64>| {
            assert!(work(boards.start() - step).is_none());
            for n in boards.step_by(step).skip(1) {
                let grown = work(n).unwrap() / work(n - step).unwrap();
                assert!(growth.contains(&grown), "{n}: {grown}");
            }
        };
        check(&whole, 14..=28, 1, 1.5..16.0);
        check(&|n| turned(Rotation::Half, n), 24..=38, 2, 4.0..15.0);
        for first in [48, 49] {
            check(&|n| turned(Rotation::Quarter, n), first..=first + 28, 4, 5.0..40.0);
        }
        assert!(whole(29).is_none() && turned(Rotation::Quarter, 50).is_none());
    }
}
