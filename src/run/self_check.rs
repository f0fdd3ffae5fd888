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
//! For queens fixed beyond the first columns, a board is counted in parts: with a queen in each row of a middle column.
//!
//! The engine of double checks takes the first two steps too, where there are any. Each step is taken once in a process, unless
//! the engine is from outside the crate.

use std::sync::Mutex;

use crate::board::{FixedQueens, Placement, Rotation, RotationalBoard, Size, Square};
use crate::engine::backtrack::Backtrack;
use crate::engine::lanes::{Isa, Lanes, LevelSearch, WithLanes, fault, kernel_check};
use crate::engine::{EngineKind, Method};
use crate::oeis;
use crate::run::counting::{Counter, Counting, Found, Recount};
use crate::subject::Subject;
use crate::tally::Tally;
use crate::watch::lock;

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
}

/// The boards to count before this subject; none if the subject itself is as small.
fn small_boards(subject: &Subject) -> Vec<Subject> {
    match (subject.rotation(), subject.n()) {
        (Some(rotation), _) => {
            let n = match rotation {
                Rotation::Half => 15,
                Rotation::Quarter => 21,
            };
            vec![RotationalBoard::new(rotation, n).expect("a small board").into()]
        }
        (None, 0..=8) => Vec::new(),
        (None, n) if n % 2 == 0 => vec![board(subject, 8)],
        (None, _) => vec![board(subject, 8), board(subject, 9)],
    }
}

/// From this size on, a larger board is counted too.
const LARGE_FROM: usize = 18;

/// The board to count last, large enough for matching in blocks; none for smaller subjects, for turns, and for engines that
/// would take long.
fn larger_board(method: Method, subject: &Subject) -> Option<Subject> {
    let n = 14 + subject.n() % 2;
    let is_wanted = subject.rotation().is_none() && subject.n() >= LARGE_FROM && n <= method.engine.info().quick;
    is_wanted.then(|| board(subject, n))
}

/// A board of this size to count before this subject: all solutions, in parts if queens are fixed beyond the first columns.
fn board(subject: &Subject, n: usize) -> Subject {
    if subject.queens().is_some() { part(n, 1) } else { Size::new(n).expect("a small board").into() }
}

/// A board with a queen in this row of a middle column. The search passes her column and goes on in many.
fn part(n: usize, row: usize) -> Subject {
    let empty = FixedQueens::from(Placement::empty(Size::new(n).expect("a small board")));
    empty.with(Square { column: n / 2, row }).expect("she is alone").into()
}

/// What adds up to a small board: the board itself, or all the parts that this is one of.
fn parts(board: &Subject) -> Vec<Subject> {
    let rows = 1..=board.n();
    if board.queens().is_some() { rows.map(|row| part(board.n(), row)).collect() } else { vec![*board] }
}

/// A step of the self-check.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Step {
    Kernels,
    /// A small board, counted by the engine.
    Board(Subject),
    /// The same by the engine of double checks.
    Second(Subject),
    /// A profile of the board.
    Profile(Subject),
}

/// What has passed in this process.
static PASSED: Mutex<Vec<(Method, Step)>> = Mutex::new(Vec::new());

/// Takes a step of the self-check unless it has passed before. An engine from outside the crate takes each, for the type may be
/// the same while the engine is not.
fn once(
    method: Option<Method>,
    step: Step,
    check: impl FnOnce() -> Result<(), SelfCheckError>,
) -> Result<(), SelfCheckError> {
    let Some(method) = method.filter(|_| !is_any_fault_planted()) else { return check() };
    if !lock(&PASSED).contains(&(method, step)) {
        check()?;
        lock(&PASSED).push((method, step));
    }
    Ok(())
}

/// Whether a kernel or an engine is wrong on purpose: what passes then says nothing of others.
fn is_any_fault_planted() -> bool {
    #[cfg(test)]
    let is_engine_wrong = crate::engine::fault::is_any_planted();
    #[cfg(not(test))]
    let is_engine_wrong = false;
    is_engine_wrong || fault::is_any_planted()
}

/// Counts the small boards in the same way as the subject will be counted, and checks the kernels that will count it; with
/// `second`, also by the engine of double checks.
pub(crate) fn check(counter: &Counter<'_>, subject: &Subject, second: bool) -> Result<(), SelfCheckError> {
    let method = counter.method;
    let of = |board: &Subject| -> Vec<_> { parts(board).iter().map(|part| counter.counting(part)).collect() };
    check_by(method, subject, Step::Board, &|board| check_board(board, &of(board)))?;
    if !second {
        return Ok(());
    }
    for board in small_boards(subject).into_iter().chain(method.and_then(|method| larger_board(method, subject))) {
        once(method, Step::Second(board), || check_second(&board, &of(&board)))?;
    }
    let kernels = method.and_then(second_with_kernels);
    kernels.map_or(Ok(()), |method| once(Some(method), Step::Kernels, || check_kernels(method)))
}

/// Checks small boards, the kernels of the method and larger boards, by what `count` does with a board.
pub(crate) fn check_by(
    method: Option<Method>,
    subject: &Subject,
    step: fn(Subject) -> Step,
    count: &dyn Fn(&Subject) -> Result<(), SelfCheckError>,
) -> Result<(), SelfCheckError> {
    let check = |board: &Subject| once(method, step(*board), || count(board));
    small_boards(subject).iter().try_for_each(check)?;
    let Some(method) = method else { return Ok(()) };
    once(Some(method), Step::Kernels, || check_kernels(method))?;
    larger_board(method, subject).iter().try_for_each(check)
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

/// Holds for a wrong engine too.
pub(crate) const FITS: &str = "the few tasks of a small board have a sum that fits";

/// Counts this small board by the engine, all its parts.
fn check_board(board: &Subject, parts: &[Box<dyn Counting + '_>]) -> Result<(), SelfCheckError> {
    let mut total = Tally::default();
    let mut add = |Found { count, weight }| Ok(total.add(count, weight)?);
    for counting in parts {
        let mut worker = counting.worker();
        (0..counting.plan().units()).try_for_each(|unit| worker.unit(unit, 0, &mut add)).expect(FITS);
    }
    compare(board, total)
}

/// Counts it by the engine of double checks and, if that has it audited, by the auditor.
fn check_second(board: &Subject, parts: &[Box<dyn Counting + '_>]) -> Result<(), SelfCheckError> {
    let mut totals = [Tally::default(); 2];
    for counting in parts {
        let (plan, mut second) = (counting.plan(), counting.second());
        for (unit, index) in (0..plan.units()).flat_map(|unit| (0..plan.tasks(unit)).map(move |index| (unit, index))) {
            let Recount { found, audited } = second(unit, index, &|| false).expect("nothing stops it");
            // The auditor counts tasks of small boards whole.
            let audited = Found { count: audited.map_or(found.count, |audited| audited.auditor), ..found };
            let both = [(totals[0], found), (totals[1], audited)];
            totals = both.map(|(sum, found)| sum.plus(found.tally()).expect(FITS));
        }
    }
    totals.into_iter().try_for_each(|total| compare(board, total))
}

/// Compares the solutions of a small board with the published term.
fn compare(board: &Subject, found: Tally) -> Result<(), SelfCheckError> {
    let (n, found) = (board.n(), found.get());
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
    use crate::engine::naive::Naive;
    use crate::engine::{Engine, fault as joins};
    use crate::estimate::Sampling;
    use crate::plan::{Plan, PrefixPlan, Units, Weighted};
    use crate::run::counting::tests::planted;
    use crate::{CountError, Listed, Ranking, Request, Share, Watch};

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

    impl Units for Doubled {
        fn fingerprint(&self) -> String {
            format!("{} doubled", self.0.fingerprint())
        }

        fn units(&self) -> usize {
            self.0.units()
        }

        fn tasks(&self, unit: usize) -> u64 {
            self.0.tasks(unit)
        }

        fn work(&self, unit: usize) -> f64 {
            self.0.work(unit)
        }
    }

    impl Plan for Doubled {
        type Task = Placement;

        fn task(&self, unit: usize, index: u64) -> Weighted<Placement> {
            let task = self.0.task(unit, index);
            let extra = u64::from(task.task.rows().next() == Some(4));
            Weighted { weight: task.weight + extra, ..task }
        }
    }

    /// Checks a board of this size, cut by this plan, by the engine, or by the engine as that of double checks.
    fn checked<P, E>(n: usize, plan: P, engine: E, second: bool) -> Result<(), SelfCheckError>
    where
        P: Plan<Task = Placement> + 'static,
        E: Engine<Task = Placement> + Send + 'static,
    {
        if second {
            check_second(&whole(n), &[Box::new(planted(plan, Naive, engine, None))])
        } else {
            check_board(&whole(n), &[Box::new(planted(plan, engine, Naive, None))])
        }
    }

    fn whole(n: usize) -> Subject {
        Size::new(n).unwrap().into()
    }

    fn prefixes(n: usize) -> PrefixPlan {
        PrefixPlan::new(&Placement::empty(Size::new(n).unwrap()))
    }

    fn wrong(board: &str, found: u128, expected: u128) -> Result<(), SelfCheckError> {
        Err(SelfCheckError::Wrong { board: board.to_owned(), found, expected })
    }

    #[test]
    fn right_engines_pass() {
        assert_eq!(checked(8, prefixes(8), Backtrack::default(), false), Ok(()));
        assert_eq!(checked(8, prefixes(8), Backtrack::default(), true), Ok(()));
    }

    /// The self-check of an odd board includes an odd board.
    #[test]
    fn odd_boards_have_a_self_check_of_their_own() {
        let sizes = |subject: Subject| small_boards(&subject).iter().map(Subject::n).collect::<Vec<_>>();
        assert_eq!([0, 8, 10, 32].map(|n| sizes(whole(n))), [vec![], vec![], vec![8], vec![8]]);
        assert_eq!([9, 13, 27].map(|n| sizes(whole(n))), [[8, 9]; 3].map(Vec::from));
        let turned = |rotation| sizes(RotationalBoard::new(rotation, 38).unwrap().into());
        assert_eq!([Rotation::Half, Rotation::Quarter].map(turned), [[15], [21]].map(Vec::from));
        assert_eq!(checked(9, prefixes(9), Naive, false), Ok(()));
        // 44 begin in row 4, and as many in row 6.
        let error = checked(9, prefixes(9), WrongBegin, false);
        assert_eq!(error, wrong("on 9×9", 264, 352));
        let message = "self-check failed: found 264 solutions on 9×9 instead of 352; nothing was counted";
        assert_eq!(error.unwrap_err().to_string(), message);
        assert!(checked(8, prefixes(9), Naive, false).is_err());
    }

    #[test]
    fn a_wrong_engine_is_stopped() {
        // 18 solutions begin in row 4, and as many in row 5.
        for second in [false, true] {
            assert_eq!(checked(8, prefixes(8), WrongBegin, second), wrong("on 8×8", 56, 92));
        }
    }

    #[test]
    fn a_wrong_weight_is_stopped() {
        assert_eq!(checked(8, Doubled(prefixes(8)), Naive, false), wrong("on 8×8", 110, 92));
    }

    /// A fault of a kernel is seen wherever something is counted, and before it is.
    #[test]
    fn wrong_kernels_count_nothing() {
        for isa in Isa::available() {
            for name in fault::of(isa) {
                let is_of_boards = matches!(name, "expand" | "last-columns");
                let is_wrong = |engine: EngineKind, n| {
                    let request = Request::solutions(Size::new(n).unwrap()).engine(engine).isa(isa);
                    matches!(fault::with(name, || request.count()), Err(CountError::SelfCheck(_)))
                };
                assert_eq!(is_wrong(EngineKind::Join, 12), !is_of_boards, "{name} on {isa}");
                assert_eq!(is_wrong(EngineKind::Backtrack, 10), is_of_boards, "{name} on {isa}");
                let half = RotationalBoard::new(Rotation::Half, 20).unwrap();
                let turned = fault::with(name, || Request::rotational(half).isa(isa).count());
                assert_eq!(matches!(turned, Err(CountError::SelfCheck(_))), !is_of_boards, "{name} on {isa}");
            }
        }
    }

    /// The portable join of double checks counts the small boards too, whichever set the run uses.
    #[test]
    fn a_wrong_second_engine_counts_nothing() {
        let wrong: joins::Fault = |n, lanes, _| u64::from(n == 8 && lanes.ends_with("::Portable"));
        for isa in Isa::available() {
            let request = Request::solutions(Size::new(12).unwrap()).engine(EngineKind::Join).isa(isa);
            let count = |request: Request| joins::with(wrong, || request.count().map(|report| report.count));
            assert_eq!(count(request).is_ok(), isa != Isa::Portable, "{isa}");
            let checked = count(request.double_check(Share::ALL));
            assert!(matches!(checked, Err(CountError::SelfCheck(_))), "{isa}: {checked:?}");
            // And its kernels are checked.
            let kernels = (Method { engine: EngineKind::Join, isa: Isa::Portable }, Step::Kernels);
            PASSED.lock().unwrap().retain(|step| *step != kernels);
            assert_eq!(request.double_check(Share::ALL).count().unwrap().count, 14_200);
            assert!(PASSED.lock().unwrap().contains(&kernels));
        }
    }

    /// Right by itself, but not by the auditor: one more in each of 21 tasks, of weight 2.
    #[test]
    fn a_wrong_auditor_counts_nothing() {
        let audited = |more| [Box::new(planted(prefixes(8), Naive, Naive, Some(more))) as _];
        assert_eq!(check_second(&whole(8), &audited(0)), Ok(()));
        assert_eq!(check_second(&whole(8), &audited(1)), wrong("on 8×8", 92 + 42, 92));
    }

    /// Each board is counted once in a process by a method, and each time by an engine from outside; what passes while a fault
    /// is planted is not remembered.
    #[test]
    fn a_step_is_taken_once() {
        let (times, method) = (std::cell::Cell::new(0), Method { engine: EngineKind::Naive, isa: Isa::Portable });
        // A step that no other test takes.
        let step = Step::Profile(whole(31));
        let take = |method: Option<Method>| {
            let check = || {
                times.set(times.get() + 1);
                Ok(())
            };
            once(method, step, check).unwrap();
            times.get()
        };
        assert_eq!([take(None), take(None)], [1, 2]);
        assert_eq!(joins::with(|_, _, _| 1, || [take(Some(method)), take(Some(method))]), [3, 4]);
        assert_eq!(fault::with("sums", || take(Some(method))), 5);
        assert_eq!([take(Some(method)), take(Some(method)), take(None)], [6, 6, 7]);
    }

    #[test]
    fn whatever_counts_is_checked_before() {
        let twelve = Size::new(12).unwrap();
        let board = Placement::empty(twelve);
        fault::with("last-columns", || {
            let wrong = |error: CountError| assert!(matches!(error, CountError::SelfCheck(_)), "{error}");
            wrong(
                Request::solutions(twelve)
                    .engine(EngineKind::Join)
                    .estimate(&Sampling::default(), &Watch::default())
                    .unwrap_err(),
            );
            wrong(Ranking::new(board, Listed::All).unwrap_err().into());
            wrong(Request::completions(part(12, 5).queens().unwrap()).count().unwrap_err());
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
            let method = Method::choose(Some(engine), None, Size::new(n).unwrap()).unwrap();
            larger_board(method, &Size::new(n).unwrap().into()).map(|board| board.n())
        };
        assert_eq!([17, 18, 27].map(|n| larger(EngineKind::Join, n)), [None, Some(14), Some(15)]);
        assert_eq!([17, 18, 31].map(|n| larger(EngineKind::Backtrack, n)), [None, Some(14), Some(15)]);
        assert_eq!([18, 19].map(|n| larger(EngineKind::Naive, n)), [None, None]);
    }
}
