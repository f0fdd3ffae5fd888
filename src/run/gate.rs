//! The gate: whatever is about to count a large board must first get a small one right.
//!
//! A broken build, a processor that computes wrongly or a symmetry weight gone astray would otherwise cost hours and
//! end in a wrong number. The same plan, engine and instruction set are run on 8×8, and on 9×9 too where the board is
//! odd, since middle lines are code of their own; that takes microseconds.

use crate::board::Size;
use crate::engine::Engine;
use crate::plan::Plan;
use crate::tally::{Overflow, Tally};
use crate::turn::Turn;

/// A board small enough to be counted before every larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    n: usize,
    /// All its solutions.
    solutions: u128,
}

/// Nauck 1850.
const EIGHT: Board = Board { n: 8, solutions: 92 };
/// Pein 1889.
const NINE: Board = Board { n: 9, solutions: 352 };

/// The boards to count before one of this size: none where it is as small itself.
pub(crate) fn boards(size: Size) -> &'static [Board] {
    match size.get() {
        0..=8 => &[],
        n if n % 2 == 0 => &[EIGHT],
        _ => &[EIGHT, NINE],
    }
}

impl Board {
    /// Its size.
    pub(crate) fn size(self) -> Size {
        Size::new(self.n).expect("8 and 9 are sizes")
    }
}

/// The engine failed on a small board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// A wrong total.
    #[error("self-check failed: found {0} solutions on {n}×{n} instead of {wanted}; nothing was counted",
        n = _1.n, wanted = _1.solutions)]
    Total(u128, Board),
    /// A wrong count for the half that mirror symmetry leaves.
    #[error("self-check failed: found {0} solutions on the upper half of {n}×{n} instead of {wanted}; nothing was counted",
        n = _1.n, wanted = _1.solutions / 2)]
    UpperHalf(u128, Board),
    /// A wrong count of what a turn leaves unchanged.
    #[error(
        "self-check failed: found {found} solutions unchanged by a {turn} turn on {n}×{n} instead of {expected}; \
         nothing was counted"
    )]
    Turn {
        /// The turn.
        turn: Turn,
        /// The size of the board.
        n: usize,
        /// By the engine.
        found: u128,
        /// By the search for orbits.
        expected: u128,
    },
    /// A sum too large.
    #[error("self-check failed: {0}; nothing was counted")]
    Overflow(#[from] Overflow),
}

/// Runs `engine` over `plan`, which must be a plan for the empty `board` made as the one for the real count.
///
/// Where every task stands for two, the halved sum is checked by itself, before the doubling.
///
/// # Errors
/// Where a count differs from what it should be.
pub(crate) fn check<P, E>(board: Board, plan: &P, engine: &E) -> Result<(), GateError>
where
    P: Plan,
    E: Engine<Task = P::Task>,
{
    let mut worker = engine.worker();
    let (mut total, mut half, mut halved) = (Tally::default(), Tally::default(), true);
    for weighted in (0..plan.units()).flat_map(|unit| plan.unit(unit)) {
        let count = engine.count(&mut worker, &weighted.task);
        total.add(count, weighted.weight)?;
        half.add(count, weighted.weight / 2)?;
        halved &= weighted.weight % 2 == 0;
    }
    if halved && half.get() != board.solutions / 2 {
        return Err(GateError::UpperHalf(half.get(), board));
    }
    if total.get() != board.solutions {
        return Err(GateError::Total(total.get(), board));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::naive::Naive;
    use crate::plan::Weighted;
    use crate::plan::prefixes::{Columns, PrefixPlan};
    use crate::{Placement, Size};

    /// An engine that loses every solution whose last queen set is in row 4.
    struct Wrong;

    impl Engine for Wrong {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), task: &Placement) -> u64 {
            if task.rows().last() == Some(4) { 0 } else { Naive.count(&mut (), task) }
        }
    }

    /// A plan whose symmetry weights have gone astray.
    struct Doubled(PrefixPlan);

    impl Plan for Doubled {
        type Task = Placement;

        fn fingerprint(&self) -> String {
            format!("{} doubled", self.0.fingerprint())
        }

        fn units(&self) -> usize {
            self.0.units()
        }

        fn tasks(&self, unit: usize) -> u64 {
            self.0.tasks(unit)
        }

        fn task(&self, unit: usize, index: u64) -> Weighted<Placement> {
            let task = self.0.task(unit, index);
            let extra = u64::from(task.task.rows().next() == Some(4));
            Weighted { weight: task.weight + extra, ..task }
        }

        fn work(&self, unit: usize) -> f64 {
            self.0.work(unit)
        }
    }

    fn eight(columns: Columns) -> PrefixPlan {
        PrefixPlan::new(&Placement::empty(Size::new(8).unwrap()), columns)
    }

    #[test]
    fn right_engines_pass() {
        for columns in [Columns::One, Columns::Two] {
            assert_eq!(check(EIGHT, &eight(columns), &Naive), Ok(()));
            assert_eq!(check(EIGHT, &eight(columns), &Backtrack::default()), Ok(()));
        }
    }

    /// What is about to count an odd board is tried on one, too.
    #[test]
    fn odd_boards_have_a_gate_of_their_own() {
        let sizes = |n| boards(Size::new(n).unwrap()).iter().map(|board| board.size().get()).collect::<Vec<_>>();
        assert_eq!([0, 8, 10, 32].map(sizes), [vec![], vec![], vec![8], vec![8]]);
        assert_eq!([9, 13, 27].map(sizes), [[8, 9]; 3].map(Vec::from));
        let nine = PrefixPlan::new(&Placement::empty(NINE.size()), Columns::Two);
        assert_eq!(check(NINE, &nine, &Naive), Ok(()));
        let error = check(NINE, &nine, &Wrong).unwrap_err();
        assert_eq!(error, GateError::UpperHalf(165, NINE), "22 begin in row 4");
        let message =
            "self-check failed: found 165 solutions on the upper half of 9×9 instead of 176; nothing was counted";
        assert_eq!(error.to_string(), message);
        assert!(check(EIGHT, &nine, &Naive).is_err());
    }

    #[test]
    fn a_wrong_engine_is_stopped() {
        // 18 solutions begin in row 4 of 8.
        assert_eq!(check(EIGHT, &eight(Columns::One), &Wrong), Err(GateError::UpperHalf(28, EIGHT)));
    }

    #[test]
    fn a_wrong_weight_is_stopped() {
        assert_eq!(check(EIGHT, &Doubled(eight(Columns::One)), &Naive), Err(GateError::Total(110, EIGHT)));
    }
}
