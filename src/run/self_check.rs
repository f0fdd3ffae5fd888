//! The self-check: before an engine counts a large board, it must count small boards correctly.
//!
//! Otherwise a broken build, a processor that computes wrongly or a wrong symmetry weight would cost hours and end in a
//! wrong number. The same kind of plan, engine and instruction set are run on 8×8. If the board is odd, they are also
//! run on 9×9, because middle lines have separate code. For solutions that a turn leaves unchanged, one small board of
//! that turn is counted. That takes microseconds to milliseconds.

use crate::board::Size;
use crate::board::rotation::{Rotation, RotationalBoard};
use crate::engine::Engine;
use crate::oeis;
use crate::plan::Plan;
use crate::run::dispatch::{Counter, Dispatch, Job};
use crate::subject::Subject;
use crate::tally::{Overflow, Tally};

/// The engine failed on a small board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelfCheckError {
    /// The total is wrong.
    #[error("self-check failed: found {found} solutions {board} instead of {expected}; nothing was counted")]
    Wrong {
        /// The board, as in "on 8×8".
        board: String,
        /// The number that the engine found.
        found: u128,
        /// The published number.
        expected: u128,
    },
    /// A sum is too large.
    #[error("self-check failed: {0}; nothing was counted")]
    Overflow(#[from] Overflow),
}

/// The boards to count before this subject; none if the subject itself is as small.
fn small_boards(subject: &Subject) -> Vec<Subject> {
    let board = |n| {
        let size = Size::new(n).expect("a small board");
        if let Subject::Profile(_) = subject { Subject::Profile(size) } else { size.into() }
    };
    match (subject.rotation(), subject.n()) {
        (Some(rotation), _) => {
            let n = match rotation {
                Rotation::Half => 15,
                Rotation::Quarter => 21,
            };
            vec![RotationalBoard::new(rotation, n).expect("a small board").into()]
        }
        (None, 0..=8) => Vec::new(),
        (None, n) if n % 2 == 0 => vec![board(8)],
        (None, _) => vec![board(8), board(9)],
    }
}

/// Counts the small boards in the same way as the subject will be counted.
///
/// # Errors
/// If a count is not the published one.
pub(crate) fn check(by: &impl Dispatch, subject: &Subject) -> Result<(), SelfCheckError> {
    small_boards(subject).iter().try_for_each(|board| by.dispatch(board, SelfCheck(board)))
}

struct SelfCheck<'a>(&'a Subject);

impl Job for SelfCheck<'_> {
    type Output = Result<(), SelfCheckError>;

    fn run<C: Counter>(self, counter: &C) -> Self::Output {
        check_board(self.0, counter.plan(), counter.engine())
    }
}

/// Runs `engine` over `plan`, which must be a plan for this small board.
fn check_board<P, E>(board: &Subject, plan: &P, engine: &E) -> Result<(), SelfCheckError>
where
    P: Plan,
    E: Engine<Task = P::Task>,
{
    let (mut worker, mut total) = (engine.worker(), Tally::default());
    for task in (0..plan.units()).flat_map(|unit| plan.unit(unit)) {
        total.add(engine.count(&mut worker, &task.task), task.weight)?;
    }
    let (n, found) = (board.n(), total.get());
    let (sequence, on) = match board.rotation() {
        Some(rotation) => (rotation.sequence(), format!("unchanged by a {rotation} turn on {n}×{n}")),
        None => (&oeis::QUEENS, format!("on {n}×{n}")),
    };
    let expected = sequence.term(n).expect("the terms of small boards are published");
    if found == expected { Ok(()) } else { Err(SelfCheckError::Wrong { board: on, found, expected }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::naive::Naive;
    use crate::plan::Weighted;
    use crate::plan::prefixes::PrefixPlan;
    use crate::{Placement, Size};

    /// An engine that loses every solution whose first queen is in row 4.
    struct WrongBegin;

    impl Engine for WrongBegin {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), task: &Placement) -> u64 {
            if task.rows().next() == Some(4) { 0 } else { Naive.count(&mut (), task) }
        }
    }

    /// A plan whose symmetry weights are wrong.
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

    fn board(n: usize) -> (Subject, PrefixPlan) {
        let empty = Placement::empty(Size::new(n).unwrap());
        (empty.into(), PrefixPlan::new(&empty))
    }

    fn wrong(board: &str, found: u128, expected: u128) -> Result<(), SelfCheckError> {
        Err(SelfCheckError::Wrong { board: board.to_owned(), found, expected })
    }

    #[test]
    fn right_engines_pass() {
        let (eight, plan) = board(8);
        assert_eq!(check_board(&eight, &plan, &Naive), Ok(()));
        assert_eq!(check_board(&eight, &plan, &Backtrack::default()), Ok(()));
    }

    /// The self-check of an odd board includes an odd board.
    #[test]
    fn odd_boards_have_a_self_check_of_their_own() {
        let sizes = |subject: Subject| small_boards(&subject).iter().map(Subject::n).collect::<Vec<_>>();
        for subject in [|n| Size::new(n).unwrap().into(), |n| Subject::Profile(Size::new(n).unwrap())] {
            assert_eq!([0, 8, 10, 32].map(|n| sizes(subject(n))), [vec![], vec![], vec![8], vec![8]]);
            assert_eq!([9, 13, 27].map(|n| sizes(subject(n))), [[8, 9]; 3].map(Vec::from));
        }
        let turned = |rotation| sizes(RotationalBoard::new(rotation, 38).unwrap().into());
        assert_eq!([Rotation::Half, Rotation::Quarter].map(turned), [[15], [21]].map(Vec::from));
        let (nine, plan) = board(9);
        assert_eq!(check_board(&nine, &plan, &Naive), Ok(()));
        // 44 begin in row 4, and as many in row 6.
        let error = check_board(&nine, &plan, &WrongBegin);
        assert_eq!(error, wrong("on 9×9", 264, 352));
        let message = "self-check failed: found 264 solutions on 9×9 instead of 352; nothing was counted";
        assert_eq!(error.unwrap_err().to_string(), message);
        assert!(check_board(&board(8).0, &plan, &Naive).is_err());
    }

    #[test]
    fn a_wrong_engine_is_stopped() {
        let (eight, plan) = board(8);
        // 18 solutions begin in row 4, and as many in row 5.
        assert_eq!(check_board(&eight, &plan, &WrongBegin), wrong("on 8×8", 56, 92));
    }

    #[test]
    fn a_wrong_weight_is_stopped() {
        let (eight, plan) = board(8);
        assert_eq!(check_board(&eight, &Doubled(plan), &Naive), wrong("on 8×8", 110, 92));
    }
}
