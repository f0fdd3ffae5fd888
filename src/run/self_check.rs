//! The self-check: before an engine counts a large board, it must count small boards correctly, and so must its kernels.
//!
//! Otherwise a broken build, a processor that computes wrongly or a wrong symmetry weight would cost hours and end in a
//! wrong number. Each step is taken by the same engine and instruction set that will count:
//!
//! 1. 8×8 and, if the board is odd, 9×9, because middle lines have separate code. For solutions that a turn leaves
//!    unchanged, one small board of that turn. That takes microseconds to milliseconds.
//! 2. The kernels, by made-up lists ([`kernel_check`](kernel_check::check)) and boards ([`Backtrack::is_right`]), for small boards do not reach
//!    those that count large ones. That takes under a millisecond.
//! 3. From N = 18 on 14×14 or 15×15, which takes some 10 or 40 ms.
//!
//! The engine of double checks takes the first two steps too, where there are any. The second and the third are taken once
//! in a process.

use std::sync::{Mutex, PoisonError};

use crate::board::Size;
use crate::board::rotation::{Rotation, RotationalBoard};
use crate::engine::backtrack::Backtrack;
use crate::engine::lanes::{Isa, Lanes, LevelSearch, WithLanes, fault, kernel_check};
use crate::engine::{Engine, EngineKind, Method};
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
    /// A kernel differs from a plain loop.
    #[error("self-check failed: {operation} went wrong on {isa}; nothing was counted")]
    Kernel {
        /// What the kernel does, in a few words.
        operation: String,
        /// Its instruction set.
        isa: Isa,
    },
    /// A sum is too large.
    #[error("self-check failed: {0}; nothing was counted")]
    Overflow(#[from] Overflow),
}

/// The boards to count before this subject; none if the subject itself is as small.
fn small_boards(subject: &Subject) -> Vec<Subject> {
    let board = |n| alike(subject, n);
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

/// From this size on, a larger board is counted too.
const LARGE_FROM: usize = 18;

/// The board to count last, large enough for matching in blocks; none for smaller subjects, for turns, and for engines that
/// would take long.
fn larger_board(method: Method, subject: &Subject) -> Option<Subject> {
    let n = 14 + subject.n() % 2;
    let is_wanted = subject.rotation().is_none() && subject.n() >= LARGE_FROM && n <= method.engine.info().quick;
    is_wanted.then(|| alike(subject, n))
}

/// A whole board of this size, of which the same is counted as of the subject.
fn alike(subject: &Subject, n: usize) -> Subject {
    let size = Size::new(n).expect("a small board");
    if let Subject::Profile(_) = subject { Subject::Profile(size) } else { size.into() }
}

/// What has passed in this process: the kernels of a method, or a larger board by it.
static PASSED: Mutex<Vec<(Method, Option<Subject>)>> = Mutex::new(Vec::new());

/// Does a step of the self-check unless it has passed before.
fn once(
    step: (Method, Option<Subject>),
    check: impl FnOnce() -> Result<(), SelfCheckError>,
) -> Result<(), SelfCheckError> {
    let passed = || PASSED.lock().unwrap_or_else(PoisonError::into_inner);
    if fault::is_any_planted() || !passed().contains(&step) {
        check()?;
        passed().push(step);
    }
    Ok(())
}

/// Counts the small boards in the same way as the subject will be counted, and checks the kernels that will count it; with
/// `second`, also by the engine of double checks.
///
/// # Errors
/// If a count is not the published one, or a kernel differs from a plain loop.
pub(crate) fn check(by: &impl Dispatch, subject: &Subject, second: bool) -> Result<(), SelfCheckError> {
    let count = |board: &Subject| by.dispatch(board, SelfCheck { board, second });
    small_boards(subject).iter().try_for_each(count)?;
    let Some(method) = by.method() else { return Ok(()) };
    once((method, None), || check_kernels(method))?;
    if let Some(method) = second_with_kernels(method).filter(|_| second) {
        once((method, None), || check_kernels(method))?;
    }
    match larger_board(method, subject) {
        Some(board) => once((method, Some(board)), || by.dispatch(&board, SelfCheck { board: &board, second: false })),
        None => Ok(()),
    }
}

/// The method of the double checks of this method, where it has kernels.
fn second_with_kernels(method: Method) -> Option<Method> {
    match method.engine {
        EngineKind::Join => Some(Method { isa: Isa::Portable, ..method }),
        EngineKind::Naive => Some(Method { engine: EngineKind::Backtrack, isa: Isa::best() }),
        EngineKind::Backtrack | EngineKind::Cover => None,
    }
}

fn check_kernels(method: Method) -> Result<(), SelfCheckError> {
    let Method { engine, isa } = method;
    let checked = match engine {
        EngineKind::Join | EngineKind::Cover => isa.with(CheckLists).expect("the method fits the processor"),
        EngineKind::Backtrack if Backtrack::new(isa).is_ok_and(Backtrack::is_right) => Ok(()),
        EngineKind::Backtrack => Err("placing queens in vectors".to_owned()),
        EngineKind::Naive => Ok(()),
    };
    checked.map_err(|operation| SelfCheckError::Kernel { operation, isa })
}

/// Checks the kernels of matching.
struct CheckLists;

impl WithLanes for CheckLists {
    type Output = Result<(), String>;

    fn with<L: Lanes + LevelSearch>(self, lanes: L) -> Self::Output {
        kernel_check::check(lanes)
    }
}

struct SelfCheck<'a> {
    board: &'a Subject,
    second: bool,
}

impl Job for SelfCheck<'_> {
    type Output = Result<(), SelfCheckError>;

    fn run<C: Counter>(self, counter: &C) -> Self::Output {
        check_board(self.board, counter.plan(), counter.engine())?;
        if self.second { check_board(self.board, counter.plan(), counter.second()) } else { Ok(()) }
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
    use crate::engine::lanes::fault::KernelFault;
    use crate::engine::naive::Naive;
    use crate::estimate::Sampling;
    use crate::plan::Weighted;
    use crate::plan::prefixes::PrefixPlan;
    use crate::{Choice, CountError, Listed, Placement, Ranking, Request, Share};

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

    /// A fault of a kernel is seen wherever something is counted, and before it is.
    #[test]
    fn wrong_kernels_count_nothing() {
        for isa in Isa::available() {
            for (name, planted) in fault::KERNEL_FAULTS {
                let is_of_boards = matches!(planted, KernelFault::Expand | KernelFault::LastColumns);
                let is_wrong = |engine: EngineKind, n| {
                    let request = Request::solutions(Size::new(n).unwrap()).engine(engine).isa(isa);
                    matches!(fault::with(planted, || request.count()), Err(CountError::SelfCheck(_)))
                };
                assert_eq!(is_wrong(EngineKind::Join, 12), !is_of_boards, "{name} on {isa}");
                assert_eq!(is_wrong(EngineKind::Backtrack, 10), is_of_boards, "{name} on {isa}");
                let half = RotationalBoard::new(Rotation::Half, 20).unwrap();
                let turned = fault::with(planted, || Request::rotational(half).isa(isa).count());
                assert_eq!(matches!(turned, Err(CountError::SelfCheck(_))), !is_of_boards, "{name} on {isa}");
            }
        }
    }

    #[test]
    fn whatever_counts_is_checked_before() {
        let twelve = Size::new(12).unwrap();
        let board = Placement::empty(twelve);
        fault::with(KernelFault::LastColumns, || {
            let wrong = |error: CountError| assert!(matches!(error, CountError::SelfCheck(_)), "{error}");
            wrong(Request::solutions(twelve).engine(EngineKind::Join).estimate(&Sampling::default()).unwrap_err());
            wrong(Ranking::new(board, Listed::All).unwrap_err().into());
            wrong(Listed::All.select(board, board, 5, &mut |_| true).unwrap_err().into());
            wrong(Listed::All.number(board, &board).unwrap_err().into());
            // The engine of a double check of the oracle.
            let naive = Request::solutions(Size::new(9).unwrap()).engine(EngineKind::Naive);
            wrong(naive.double_check(Share::ALL).count().unwrap_err());
            assert_eq!(naive.count().unwrap().count, 352);
        });
    }

    /// From N = 18 on; no engine takes long for it.
    #[test]
    fn large_boards_have_a_larger_board() {
        let larger = |engine, n| {
            let method = Method::choose(Choice::Engine(engine), None, Size::new(n).unwrap()).unwrap();
            larger_board(method, &Size::new(n).unwrap().into()).map(|board| board.n())
        };
        assert_eq!([17, 18, 27].map(|n| larger(EngineKind::Join, n)), [None, Some(14), Some(15)]);
        assert_eq!([17, 18, 31].map(|n| larger(EngineKind::Backtrack, n)), [None, Some(14), Some(15)]);
        assert_eq!([18, 19].map(|n| larger(EngineKind::Naive, n)), [None, None]);
    }
}
