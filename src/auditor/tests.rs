//! Compares the auditor with plain enumeration, and every engine with the auditor.

mod tasks;

use super::*;
use crate::Size;
use crate::engine::Engine;
use crate::engine::join::Join;
use crate::engine::lanes::Portable;
use crate::engine::naive::Naive;
use crate::plan::{HalvesPlan, Plan, PrefixPlan, Units};

fn audited(task: &impl Audited) -> u64 {
    count(task, &|| false).expect("nothing stops it")
}

fn total<P: Plan<Task: Audited>>(plan: &P) -> u64 {
    (0..plan.units()).flat_map(|unit| plan.unit(unit)).map(|weighted| weighted.weight * audited(&weighted.task)).sum()
}

/// The number of solutions by plain recursion.
fn solutions(n: usize, board: &mut Vec<usize>) -> u64 {
    if board.len() == n {
        return 1;
    }
    let mut found = 0;
    for row in 0..n {
        let fits = board.iter().rev().enumerate().all(|(back, &other)| other != row && other.abs_diff(row) != back + 1);
        if fits {
            board.push(row);
            found += solutions(n, board);
            board.pop();
        }
    }
    found
}

/// The definitions of the tasks, with their weights, cover the board: no engine is involved.
#[test]
fn the_tasks_of_every_plan_add_up_to_all_solutions() {
    for n in 1..=11 {
        let size = Size::new(n).unwrap();
        let all = solutions(n, &mut Vec::new());
        assert_eq!(total(&PrefixPlan::new(&Placement::empty(size))), all, "N = {n}");
        if HalvesPlan::SIZES.contains(&n) {
            assert_eq!(total(&HalvesPlan::new(size)), all, "N = {n} in halves");
        }
    }
}

/// Compares every task, and the sums of the tasks with the published terms.
#[test]
fn the_join_counts_every_task_as_defined() {
    for n in 5..=13 {
        let size = Size::new(n).unwrap();
        let (plan, join) = (HalvesPlan::new(size), Join::new(size, Portable::new()));
        let mut worker = join.worker();
        let mut sum = 0;
        for unit in 0..plan.units() {
            for weighted in plan.unit(unit) {
                let found = audited(&weighted.task);
                assert_eq!(join.count(&mut worker, &weighted.task), found, "N = {n}, unit {unit}: {:?}", weighted.task);
                sum += u128::from(weighted.weight * found);
            }
        }
        assert_eq!(Some(sum), crate::oeis::QUEENS.term(n), "N = {n}");
    }
}

/// Some tasks of boards that are too large to try them all, at sizes where lists are cut and quadrants are made and
/// dropped.
#[test]
fn the_join_counts_random_tasks_as_defined() {
    let mut random = fastrand::Rng::with_seed(13);
    for (n, tasks) in [(14, 40), (15, 40), (16, 40), (17, 40), (18, 20), (19, 10), (20, 5), (22, 1)] {
        let size = Size::new(n).unwrap();
        let (plan, join) = (HalvesPlan::new(size), Join::new(size, Portable::new()));
        let mut worker = join.worker();
        for _ in 0..tasks {
            let unit = random.usize(..plan.units());
            let task = plan.task(unit, random.u64(..plan.tasks(unit))).task;
            assert_eq!(join.count(&mut worker, &task), audited(&task), "N = {n}, unit {unit}: {task:?}");
        }
    }
}

#[test]
fn completions_are_counted_as_the_oracle_does() {
    for (n, rows) in [(8, vec![1, 5, 8]), (8, vec![]), (10, vec![3, 6]), (12, vec![2, 4, 6]), (4, vec![2, 4, 1, 3])] {
        let prefix = Placement::new(Size::new(n).unwrap(), &rows).unwrap();
        assert_eq!(audited(&prefix), Naive.count(&mut (), &prefix), "N = {n}, {rows:?}");
    }
    // The last row and column of the largest board.
    let rows: Vec<usize> = (2..=32).step_by(2).chain([3, 1]).chain((7..=31).step_by(2)).chain([5]).collect();
    let size = Size::new(32).unwrap();
    let solution = Placement::new(size, &rows).unwrap();
    assert_eq!(audited(&solution), 1);
    let prefix = Placement::new(size, &rows[..24]).unwrap();
    assert_eq!(audited(&prefix), Naive.count(&mut (), &prefix));
}

#[test]
fn a_long_audit_can_be_stopped() {
    let all = Placement::empty(Size::new(20).unwrap());
    assert_eq!(count(&all, &|| true), None);
}

/// A part allows as many rows as were asked for in each inner column, of those that the task allows there, and in all
/// other columns what the task allows. Every row is drawn at some time.
#[test]
fn parts_have_some_rows_of_their_task() {
    const ROWS: usize = 2;
    let mut random = fastrand::Rng::with_seed(1);
    for n in [8, 9, 11] {
        let plan = HalvesPlan::new(Size::new(n).unwrap());
        let (half, odd) = (n / 2, n % 2);
        let inner =
            |column: usize| (half - 2..half).contains(&column) || (half + odd..half + odd + 3).contains(&column);
        for unit in (0..plan.units()).step_by(7) {
            let task = plan.task(unit, 0).task;
            let whole = task.definition();
            let mut seen = [Rows::EMPTY; 32];
            for _ in 0..40 {
                let part = TaskPart::draw(task, [2, 3], ROWS, &mut random).definition();
                for (column, seen) in seen[..n].iter_mut().enumerate() {
                    let (rows, allowed) = (part.rows[column], whole.rows[column]);
                    assert_eq!(rows.without(allowed), Rows::EMPTY, "{task:?}, column {column}");
                    let most = if inner(column) { ROWS } else { n };
                    assert_eq!(rows.len() as usize, most.min(allowed.len() as usize), "{task:?}, column {column}");
                    *seen = Rows(seen.0 | rows.0);
                }
            }
            assert_eq!(seen[..n], whole.rows[..n], "{task:?}");
        }
    }
}
