//! The self-check: before an engine counts a large board, it must count small boards correctly, and so must its kernels.
//!
//! Otherwise a broken build, a core that computes wrongly or a wrong symmetry weight would cost hours and end in a
//! wrong number. Each thread takes each step by the same engine and instruction set that will count:
//!
//! 1. 8×8 and, if the board is odd, 9×9, because middle lines have separate code. That takes microseconds.
//! 2. The kernels, for small boards do not reach those that count large ones: of the join by a task of 16×16 with steps of large
//!    boards [forced](Method::forced), of backtracking by wide boards ([`Backtrack::is_right`]). That takes about a millisecond.
//! 3. From N = 18 on 14×14 or 15×15, some tasks of it by every step that large boards take and small ones do not
//!    ([`Method::forced`]).

use crate::board::{Placement, Size};
use crate::engine::backtrack::Backtrack;
use crate::engine::join::FORCED;
use crate::engine::lanes::Isa;
use crate::engine::{EngineKind, Method};
use crate::oeis;
use crate::plan::{ANYWHERE, Halves, Middle, Task, plan_of};

/// A task of 16×16 that is forced before every join, and its solutions, as the auditor counts them. Its longer
/// list fills a block of any set and more, and both hold 25 keys in common, as in most calls of large boards.
pub(crate) const LONG: (Halves, u64) = (Halves { half: 8, middle: Middle::None, north: 99, south: 216 }, 1372);

/// From this size on, a larger board is counted too, large enough for matching in blocks.
const LARGE_FROM: usize = 18;

/// The boards that are counted before one of this size, the smallest first.
pub(super) fn boards(method: Method, n: usize) -> Vec<usize> {
    let large = 14 + n % 2;
    let is_large = n >= LARGE_FROM && large <= method.engine().quick();
    let boards = [(8, n > 8), (9, n > 8 && n % 2 == 1), (large, is_large)];
    boards.into_iter().filter_map(|(board, is_counted)| is_counted.then_some(board)).collect()
}

/// Checks the engine and its kernels as they count a board of this size.
pub(crate) fn check(method: Method, size: Size) -> Result<(), String> {
    let (small, large): (Vec<_>, Vec<_>) = boards(method, size.get()).into_iter().partition(|&n| n < 10);
    small.into_iter().try_for_each(|n| check_board(method, n))?;
    check_kernels(method)?;
    large.into_iter().try_for_each(|n| check_board(method, n))
}

/// Counts a small board, every task of it.
pub(crate) fn check_board(method: Method, n: usize) -> Result<(), String> {
    let size = Size::new(n).expect("a small board");
    let plan = plan_of(method.engine(), &Placement::empty(size));
    // All of 14×14 would take a second by every step of large boards. Primes, so that tasks of all kinds take their turn.
    let one_of = match n {
        14 => 61,
        15 => 499,
        _ => usize::MAX,
    };
    let (mut plain, mut forced, mut sum) = (method.engines(size)(), method.forced(size)(), 0);
    for (number, task) in (1..).zip((0..plan.units()).flat_map(|unit| plan.unit(unit, 0))) {
        let engine = if number % one_of == 0 { &mut forced } else { &mut plain };
        sum += u128::from(engine.count(&task.task)) * u128::from(task.weight);
    }
    compare(&format!("on {n}×{n}"), sum, oeis::QUEENS.term(n))
}

/// Compares the solutions of a small board with the published term.
pub(crate) fn compare(board: &str, found: u128, published: Option<u128>) -> Result<(), String> {
    let expected = published.expect("the terms of small boards are published");
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
