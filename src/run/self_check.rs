//! The self-check: before an engine counts a large board, it must count small boards correctly, and so must its kernels.
//!
//! Otherwise a broken build, a core that computes wrongly or a wrong symmetry weight would cost hours and end in a
//! wrong number. Each thread takes each step by the same engine and instruction set that will count:
//!
//! 1. 8×8 and, if the board is odd, 9×9, because middle lines have separate code. That takes microseconds.
//! 2. The kernels, because small boards do not reach those that count large ones: those of the join by a task of 16×16 with the
//!    steps of large boards [forced](Method::forced), those of backtracking by wide boards ([`Backtrack::is_right`]). That
//!    takes about a millisecond.
//! 3. Before a join of N = 18 or more, some tasks of 14×14 or 15×15 by the same steps. Each keeps lists for the next one, as the
//!    tasks of a large board do. That takes some milliseconds, whatever N is.

use crate::board::{Placement, Size};
use crate::engine::backtrack::Backtrack;
use crate::engine::join::FORCED;
use crate::engine::lanes::Isa;
use crate::engine::{Engine, EngineKind, Method};
use crate::oeis;
use crate::plan::{ANYWHERE, Halves, Middle, Task, Weighted, plan_of};

/// A task of 16×16 that is forced before every join, and its solutions, as the auditor counts them. Its longer
/// list fills a block of any set and more, and both hold 25 keys in common, as in most calls of large boards.
pub(crate) const LONG: (Halves, u64) = (Halves { half: 8, middle: Middle::None, north: 99, south: 216 }, 1372);

/// The boards of which tasks are forced before even and odd N, one task of how many, and the solutions of these tasks, as the
/// auditor counts them.
pub(crate) const SAMPLES: [(usize, usize, u128); 2] = [(14, 67, 5810), (15, 997, 2400)];

/// From this size on a board has steps that smaller ones lack.
const LARGE_FROM: usize = 18;

/// The boards that are counted before one of N columns.
const fn boards(n: usize) -> &'static [usize] {
    match n {
        ..=8 => &[],
        _ if n.is_multiple_of(2) => &[8],
        _ => &[8, 9],
    }
}

/// Checks the engine and its kernels as they count a board of this size.
pub(crate) fn check(method: Method, size: Size) -> Result<(), String> {
    let n = size.get();
    for &small in boards(n) {
        let size = Size::new(small).expect("a small board");
        let found = sum(&mut *method.engines(size)(), tasks(method.engine(), size));
        compare(&format!("on {small}×{small}"), found, oeis::QUEENS.term(small))?;
    }
    check_kernels(method)?;
    let is_due = method.engine() == EngineKind::Join && n >= LARGE_FROM;
    if is_due { check_sample(method, n % 2) } else { Ok(()) }
}

/// The tasks of a board, in the order of the plan.
fn tasks(engine: EngineKind, size: Size) -> impl Iterator<Item = Weighted> {
    let plan = plan_of(engine, &Placement::empty(size));
    (0..plan.units()).flat_map(move |unit| plan.unit(unit, 0).collect::<Vec<_>>())
}

/// The solutions of some tasks.
fn sum(engine: &mut dyn Engine, tasks: impl Iterator<Item = Weighted>) -> u128 {
    tasks.map(|Weighted { task, weight }| u128::from(engine.count(&task)) * u128::from(weight)).sum()
}

/// The tasks that are forced before even or odd N.
pub(crate) fn sample(odd: usize) -> impl Iterator<Item = Weighted> {
    let (board, one_of, _) = SAMPLES[odd];
    tasks(EngineKind::Join, Size::new(board).expect("a small board")).skip(one_of / 2).step_by(one_of)
}

/// Checks the join of even or odd N by the steps of large boards.
pub(crate) fn check_sample(method: Method, odd: usize) -> Result<(), String> {
    let (board, _, expected) = SAMPLES[odd];
    let mut engine = method.forced(Size::new(board).expect("a small board"))();
    compare(&format!("in tasks of {board}×{board}"), sum(&mut *engine, sample(odd)), Some(expected))
}

/// Compares the solutions of a small board or task with the right number.
pub(crate) fn compare(board: &str, found: u128, expected: Option<u128>) -> Result<(), String> {
    let expected = expected.expect("the terms of small boards are published");
    if found == expected { Ok(()) } else { Err(format!("found {found} solutions {board} instead of {expected}")) }
}

/// Checks the kernels that the engine counts with.
fn check_kernels(method: Method) -> Result<(), String> {
    match (method.engine(), method.isa()) {
        (EngineKind::Join, isa) => check_kernels_of_join(isa),
        (EngineKind::Backtrack, isa) if !Backtrack::new(isa).is_right() => {
            Err(format!("placing queens in vectors went wrong on {isa}"))
        }
        (EngineKind::Backtrack | EngineKind::Naive, _) => Ok(()),
    }
}

/// Checks the kernels of the join, which count turns too.
pub(crate) fn check_kernels_of_join(isa: Isa) -> Result<(), String> {
    let (task, solutions) = LONG;
    let size = Size::new(task.n()).expect("a large board");
    let method = Method::choose(Some(EngineKind::Join), Some(isa), &Placement::empty(size));
    let mut engine = method.expect("the processor has the instruction set").forced(size)();
    (0..FORCED).try_for_each(|_| {
        let found = engine.count(&Task::Halves(task, ANYWHERE));
        compare("in a task of 16×16", found.into(), Some(solutions.into()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lanes::fault;

    #[test]
    fn small_boards_are_counted_before_large_ones() {
        assert_eq!([8, 9, 12, 13].map(boards), [&[][..], &[8, 9], &[8], &[8, 9]]);
        for (engine, name) in [(EngineKind::Join, "joined-quadrants"), (EngineKind::Backtrack, "last-columns")] {
            let size = Size::new(12).unwrap();
            let method = Method::choose(Some(engine), None, &Placement::empty(size)).unwrap();
            let found = fault::with(name, || check(method, size)).unwrap_err();
            assert!(found.ends_with(" solutions on 8×8 instead of 92"), "{found}");
        }
    }

    #[test]
    fn every_wrong_kernel_of_the_join_is_seen_on_every_set() {
        for isa in Isa::available() {
            assert_eq!(check_kernels_of_join(isa), Ok(()), "{isa}");
            for name in fault::of(isa) {
                let is_of_backtracking = matches!(name, "expand" | "last-columns");
                let seen = fault::with(name, || check_kernels_of_join(isa));
                assert_eq!(seen.is_err(), !is_of_backtracking, "{name} on {isa}");
            }
        }
    }
}
