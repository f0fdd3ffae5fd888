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
use crate::engine::join::FORCED_TASKS;
use crate::engine::lanes::Isa;
use crate::engine::{EngineKind, Method};
use crate::plan::{ANYWHERE, Halves, Middle, Task, Weighted, plan_of};

/// A task of 16×16 that is forced before every join, and its solutions, as the auditor counts them. Its longer
/// list fills a block of any set and more, and both hold 25 keys in common, as in most calls of large boards.
pub(crate) const LONG: (Halves, u64) = (Halves { half: 8, middle: Middle::None, north: 99, south: 216 }, 1372);

/// Tasks that are counted before a board: N of their own board, of how many tasks each is one, and their solutions.
pub(crate) type Sample = (usize, usize, u128);

/// All tasks of small boards, the second before odd N.
const SMALL: [Sample; 2] = [(8, 1, 92), (9, 1, 352)];

/// Tasks that are forced before even and before odd N, and their solutions as the auditor counts them.
pub(crate) const LARGE: [Sample; 2] = [(14, 67, 5810), (15, 997, 2400)];

/// From this size on a board has steps that smaller ones lack.
const LARGE_FROM: usize = 18;

/// Checks the engine and its kernels as they count a board of this size.
pub(crate) fn check(method: Method, size: Size) -> Result<(), String> {
    let (n, odd) = (size.get(), size.get() % 2);
    let small = if n > 8 { &SMALL[..=odd] } else { &[] };
    small.iter().try_for_each(|&sample| check_sample(method, sample))?;
    check_kernels(method)?;
    let is_large = method.engine() == EngineKind::Join && n >= LARGE_FROM;
    if is_large { check_sample(method, LARGE[odd]) } else { Ok(()) }
}

/// The tasks of a sample, in the order of the plan.
pub(crate) fn tasks(engine: EngineKind, (n, one_of, _): Sample) -> Vec<Weighted> {
    let plan = plan_of(engine, &Placement::empty(Size::new(n).expect("a small board")));
    (0..plan.units()).flat_map(|unit| plan.unit(unit, 0)).skip(one_of / 2).step_by(one_of).collect()
}

/// Counts a sample: all of a board as it comes, some of its tasks by the steps of large boards.
pub(crate) fn check_sample(method: Method, sample: Sample) -> Result<(), String> {
    let (n, one_of, expected) = sample;
    let (size, is_whole) = (Size::new(n).expect("a small board"), one_of == 1);
    let mut engine = if is_whole { method.engines(size) } else { method.forced(size) }();
    let tasks = tasks(method.engine(), sample).into_iter();
    let found = tasks.map(|Weighted { task, weight }| u128::from(engine.count(&task)) * u128::from(weight)).sum();
    compare(&format!("{} {n}×{n}", if is_whole { "on" } else { "in tasks of" }), found, expected)
}

/// Compares the solutions of a small board or of tasks with the right number.
pub(crate) fn compare(board: &str, found: u128, expected: u128) -> Result<(), String> {
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
    (0..FORCED_TASKS).try_for_each(|_| {
        let found = engine.count(&Task::Halves(task, ANYWHERE));
        compare("in a task of 16×16", found.into(), solutions.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lanes::fault;
    use crate::oeis;

    #[test]
    fn small_boards_are_counted_before_large_ones() {
        let found = |n| {
            let size = Size::new(n).unwrap();
            let method = Method::choose(Some(EngineKind::Backtrack), None, &Placement::empty(size)).unwrap();
            fault::with("last-columns", || check(method, size)).unwrap_err()
        };
        assert!(!found(8).contains('×') && found(9).ends_with(" on 8×8 instead of 92"), "{} {}", found(8), found(9));
        assert_eq!(SMALL.map(|(n, ..)| oeis::QUEENS.term(n)), SMALL.map(|(.., solutions)| Some(solutions)));
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
