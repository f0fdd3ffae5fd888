//! The self-check: before a large board, an engine and its kernels must count small boards correctly.
//!
//! Otherwise a broken build, a faulty core or a wrong symmetry weight would cost hours and give a wrong number. Each
//! thread takes these steps, with the engine and the instruction set of the count:
//!
//! 1. For N > 8: 8×8 and, if N is odd, 9×9, because the centre lines have separate code. Takes microseconds.
//! 2. The kernels, because small boards do not use those of large boards. The kernels of the join are checked by a
//!    16×16 task on the [forced](Method::forced) path of large boards, those of backtracking by wide boards
//!    ([`Backtrack::is_right`]). Takes about a millisecond.
//! 3. Before a join of N ≥ 18: some tasks of 14×14 and, if N is odd, of 15×15, which split lists and cache quadrants as
//!    large boards do. Takes another millisecond or two.

use crate::board::{Placement, Size};
use crate::engine::backtrack::Backtrack;
use crate::engine::join::{FORCED_TASKS, SPLIT_TASKS};
use crate::engine::lanes::Isa;
use crate::engine::{EngineKind, Method};
use crate::plan::{ANYWHERE, Halves, Middle, Task, Weighted, plan_of};

/// The 16×16 task of every join's self-check, and its solutions as counted by the auditor. Its longer list fills more
/// than one block of any instruction set, and the lists share 25 keys, as in most matches of large boards.
pub(crate) const KERNEL_TEST: (Halves, u64) = (Halves { half: 8, middle: Middle::None, north: 99, south: 216 }, 1372);

/// A sample of a board's tasks: N, `k` to take every `k`-th task, and the weighted number of their solutions.
pub(crate) type Sample = (usize, usize, u128);

/// Whole small boards; the second only before odd N.
const SMALL: [Sample; 2] = [(8, 1, 92), (9, 1, 352)];

/// The tasks forced to split lists, the second only before odd N, and their solutions as counted by the auditor.
pub(crate) const LARGE: [Sample; 2] = [(14, 307, 1748), (15, 5003, 192)];

/// From this size, the join uses code that smaller boards do not reach.
const LARGE_FROM: usize = 18;

/// Checks the engine and its kernels for a board of this size.
pub(crate) fn check(method: Method, size: Size) -> Result<(), String> {
    let (n, odd) = (size.get(), size.get() % 2);
    let small = if n > 8 { &SMALL[..=odd] } else { &[] };
    small.iter().try_for_each(|&sample| check_sample(method, sample))?;
    check_kernels(method)?;
    let large = if method.engine() == EngineKind::Join && n >= LARGE_FROM { &LARGE[..=odd] } else { &[] };
    large.iter().try_for_each(|&sample| check_sample(method, sample))
}

/// The tasks of a sample, in the order of the plan.
pub(crate) fn tasks(engine: EngineKind, (n, step, _): Sample) -> Vec<Weighted> {
    let plan = plan_of(engine, &Placement::empty(Size::new(n).expect("a small board")));
    (0..plan.units()).flat_map(|unit| plan.unit(unit, 0)).skip(step / 2).step_by(step).collect()
}

/// Counts a sample: a whole board in the usual way, some tasks of a board by splitting lists with each matcher.
fn check_sample(method: Method, sample: Sample) -> Result<(), String> {
    let (n, step, expected) = sample;
    let (size, is_whole) = (Size::new(n).expect("a small board"), step == 1);
    let make = if is_whole { method.engines(size) } else { method.forced(size) };
    let mut found = 0;
    for tasks in tasks(method.engine(), sample).chunks(if is_whole { usize::MAX } else { SPLIT_TASKS }) {
        let mut engine = make();
        let counts = tasks.iter().map(|of| u128::from(engine.count(&of.task)) * u128::from(of.weight));
        found += counts.sum::<u128>();
    }
    compare(&format!("{} {n}×{n}", if is_whole { "on" } else { "in tasks of" }), found, expected)
}

/// Fails unless the expected number of solutions was found; `board` says where, as in `on 8×8`.
pub(crate) fn compare(board: &str, found: u128, expected: u128) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("found {found} solutions {board} instead of {expected}")) }
}

fn check_kernels(method: Method) -> Result<(), String> {
    match (method.engine(), method.isa()) {
        (EngineKind::Join, isa) => check_kernels_of_join(isa),
        (EngineKind::Backtrack, isa) if !Backtrack::new(isa).is_right() => {
            Err(format!("placing queens in vectors went wrong on {isa}"))
        }
        (EngineKind::Backtrack | EngineKind::Naive, _) => Ok(()),
    }
}

/// Checks the kernels of the join, which also count the symmetric solutions.
pub(crate) fn check_kernels_of_join(isa: Isa) -> Result<(), String> {
    let (task, solutions) = KERNEL_TEST;
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
}
