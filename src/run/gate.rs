//! The gate: whatever is about to count a large board must first get the 8×8 board right.
//!
//! A broken build, a processor that computes wrongly or a symmetry weight gone astray would otherwise cost hours and
//! end in a wrong number. The same plan, engine and instruction set are run on 8×8, which takes microseconds.

use crate::engine::Engine;
use crate::plan::Plan;
use crate::tally::{Overflow, Tally};

/// Solutions on 8×8, and those with the first queen in the upper half (Nauck 1850).
const SOLUTIONS: u128 = 92;
const UPPER_HALF: u128 = 46;

/// The engine failed on 8×8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    /// A wrong total.
    #[error("self-check failed: found {0} solutions on 8×8 instead of {SOLUTIONS}; nothing was counted")]
    Total(u128),
    /// A wrong count for the half that mirror symmetry leaves.
    #[error(
        "self-check failed: found {0} solutions on the upper half of 8×8 instead of {UPPER_HALF}; nothing was counted"
    )]
    UpperHalf(u128),
    /// A sum too large.
    #[error("self-check failed: {0}; nothing was counted")]
    Overflow(#[from] Overflow),
}

/// Runs `engine` over `plan`, which must be a plan for the empty 8×8 board made as the one for the real count.
///
/// Where every task stands for two, the halved sum is checked by itself, before the doubling.
///
/// # Errors
/// Where a count differs from what it should be.
pub fn check<P, E>(plan: &P, engine: &E) -> Result<(), GateError>
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
    if halved && half.get() != UPPER_HALF {
        return Err(GateError::UpperHalf(half.get()));
    }
    if total.get() != SOLUTIONS {
        return Err(GateError::Total(total.get()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::naive::Naive;
    use crate::plan::Weighted;
    use crate::plan::rows::{Lines, RowsPlan};
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
    struct Doubled(RowsPlan);

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

    fn eight(lines: Lines) -> RowsPlan {
        RowsPlan::new(&Placement::empty(Size::new(8).unwrap()), lines)
    }

    #[test]
    fn right_engines_pass() {
        for lines in [Lines::One, Lines::Two] {
            assert_eq!(check(&eight(lines), &Naive), Ok(()));
            assert_eq!(check(&eight(lines), &Backtrack), Ok(()));
        }
    }

    #[test]
    fn a_wrong_engine_is_stopped() {
        // 18 solutions begin in row 4 of 8.
        assert_eq!(check(&eight(Lines::One), &Wrong), Err(GateError::UpperHalf(28)));
    }

    #[test]
    fn a_wrong_weight_is_stopped() {
        assert_eq!(check(&Doubled(eight(Lines::One)), &Naive), Err(GateError::Total(110)));
    }
}
