//! The auditor's tasks cover the board, and engines and auditor agree on each task.

mod plans;
mod random_tasks;

use super::*;
use crate::engine::lanes::Isa;
use crate::engine::{Engine, EngineKind, Method};
use crate::oeis;
use crate::plan::{ANYWHERE, HalvesPlan, Plan};
use crate::run::self_check::{KERNEL_TEST, LARGE, tasks};

fn size(n: usize) -> Size {
    Size::new(n).unwrap()
}

fn method(engine: EngineKind, isa: Isa, n: usize) -> Method {
    Method::choose(Some(engine), Some(isa), &Placement::empty(size(n))).unwrap()
}

fn audited(task: &Task) -> u64 {
    count(task, &|| false).expect("nothing stops it")
}

/// One join for each instruction set of this processor.
fn joins(n: usize) -> Vec<(Isa, Box<dyn Engine>)> {
    Isa::available().map(|isa| (isa, method(EngineKind::Join, isa, n).engines(size(n))())).collect()
}

/// Every task of small boards, whose sums are the published terms.
#[test]
fn the_join_counts_every_task_as_defined() {
    for n in 5..=12 {
        let (plan, mut joins, mut sum) = (HalvesPlan::new(size(n)), joins(n), 0);
        for (unit, weighted) in (0..plan.units()).flat_map(|unit| plan.unit(unit, 0).map(move |task| (unit, task))) {
            let found = audited(&weighted.task);
            for (isa, join) in &mut joins {
                assert_eq!(join.count(&weighted.task), found, "N = {n}, {isa}, unit {unit}: {:?}", weighted.task);
            }
            sum += u128::from(weighted.weight * found);
        }
        assert_eq!(Some(sum), oeis::QUEENS.term(n), "N = {n}");
    }
}

#[test]
fn tasks_of_the_self_check_have_the_expected_counts() {
    assert_eq!(audited(&Task::Halves(KERNEL_TEST.0, ANYWHERE)), KERNEL_TEST.1);
    for sample in LARGE {
        let tasks = tasks(EngineKind::Join, sample).into_iter();
        assert_eq!(tasks.map(|task| u128::from(audited(&task.task) * task.weight)).sum::<u128>(), sample.2);
    }
}

#[test]
fn completions_are_counted_as_by_the_reference_engine() {
    let mut naive = method(EngineKind::Naive, Isa::Portable, 8).engines(size(8))();
    let mut check = |prefix: Placement| {
        let task = Task::Completions(prefix);
        assert_eq!(audited(&task), naive.count(&task), "{prefix:?}");
    };
    for (n, rows) in [(8, vec![1, 5, 8]), (8, vec![]), (10, vec![3, 6]), (12, vec![2, 4, 6]), (4, vec![2, 4, 1, 3])] {
        check(Placement::new(size(n), &rows).unwrap());
    }
    // The last row and column of the largest board.
    let rows: Vec<usize> = (2..=32).step_by(2).chain([3, 1]).chain((7..=31).step_by(2)).chain([5]).collect();
    let solution = Placement::new(size(32), &rows).unwrap();
    assert_eq!(audited(&Task::Completions(solution)), 1);
    check(Placement::new(size(32), &rows[..24]).unwrap());
}

/// The squares of a part restrict its inner queens and no others.
#[test]
fn parts_have_the_given_squares() {
    for n in [8, 9, 11] {
        let plan = HalvesPlan::new(size(n));
        let (half, odd) = (n / 2, n % 2);
        for unit in (0..plan.units()).step_by(7) {
            let (task, _) = plan.row_sets(unit, 0).next().unwrap();
            let whole = Definition::of(&Task::Halves(task, ANYWHERE));
            let mut squares = ANYWHERE;
            // West, second column: the first row north of the middle. East, first column: the second row south.
            (squares[0][1], squares[1][0]) = ([1, 0], [0, 2]);
            let part = Definition::of(&Task::Halves(task, squares));
            for column in 0..n {
                let allowed = match column {
                    // The middle row's queen stays.
                    column if column == half - 2 => set_of([half - 1]) | (odd as u64) << half,
                    column if column == half + odd => 1 << (half + odd + 1),
                    _ => !0,
                };
                assert_eq!(part.rows[column], whole.rows[column] & allowed, "{task:?}, column {column}");
            }
        }
    }
}
