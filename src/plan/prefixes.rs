//! Prefixes: each way to place the queens of the first two columns is a unit, and upside-down images are skipped.
//!
//! Turning a board upside down (row r becomes N+1-r) pairs each solution with another, because no solution with N > 1
//! is its own image. So the first queen is placed only in the upper half of its column, and each task stands for two.
//! For odd N, a first queen in the middle row is its own image. Then the second queen, which is in another row, is
//! placed only in the upper half. So the plan of 5×5 has the prefixes 13, 14, 15, 24, 25 and 31, with weight 2.
//!
//! A stopped run loses the tasks in progress. So on large boards a unit is split by the queens of the next columns,
//! into tasks that take seconds and not hours.

use std::iter;

use super::{Plan, Task, Weighted};
use crate::board::{Board, Placement, Size};

/// The completions of a placement, split into units by the queens of the next two columns (one if only one is left).
pub(super) struct PrefixPlan {
    prefix: Placement,
    units: Vec<Unit>,
    queens: usize,
}

/// Queens, and the number of symmetric placements that they stand for.
type WeightedPrefix = (Placement, u64);

/// The completions of these queens.
struct Unit {
    first: WeightedPrefix,
    tasks: u64,
}

const UNIT_COLUMNS: usize = 2;

/// The most empty columns of a task, if [`MAX_MORE_QUEENS`] are enough. Backtracking takes a few seconds.
const MAX_EMPTY_COLUMNS: usize = 18;

/// The most queens of a task beyond those of its unit. Three give some thousands of tasks, which are quickly listed.
const MAX_MORE_QUEENS: usize = 3;

impl PrefixPlan {
    pub(super) fn new(prefix: &Placement) -> Self {
        let n = prefix.size().get();
        let of_unit = (prefix.len() + UNIT_COLUMNS).min(n);
        let queens = n.saturating_sub(MAX_EMPTY_COLUMNS).clamp(of_unit, of_unit + MAX_MORE_QUEENS);
        // Symmetry skips no task of a unit, because two queens are never both in the middle row.
        let unit = |first: WeightedPrefix| Unit { first, tasks: Board::of(&first.0).ways(queens - of_unit) };
        Self { prefix: *prefix, units: tasks_to((*prefix, 1), of_unit).map(unit).collect(), queens }
    }
}

/// The tasks of `queens` queens that begin with `first`, in order.
fn tasks_to(first: WeightedPrefix, queens: usize) -> Box<dyn Iterator<Item = WeightedPrefix>> {
    if first.0.len() == queens {
        return Box::new(iter::once(first));
    }
    Box::new(extensions(first).flat_map(move |next| tasks_to(next, queens)))
}

/// The placements with one more queen that symmetry leaves, in order.
fn extensions((queens, weight): WeightedPrefix) -> impl Iterator<Item = WeightedPrefix> {
    let n = queens.size().get();
    let (rows, factor) = if is_own_image(&queens) && n > 1 { (n.div_ceil(2), 2) } else { (n, 1) };
    // Extensions are in order of the new queen's row, so the upper rows come first.
    let kept = queens.extensions().take_while(move |child| child.rows().last() <= Some(rows));
    kept.map(move |child| {
        let factor = if is_own_image(&child) { 1 } else { factor };
        (child, weight * factor)
    })
}

/// Whether turning the board upside down leaves every queen where it is.
fn is_own_image(queens: &Placement) -> bool {
    queens.rows().all(|row| 2 * row == queens.size().get() + 1)
}

impl Plan for PrefixPlan {
    // `rows` and `lines` are words of the first ledgers; `lines` are columns.
    fn fingerprint(&self) -> String {
        format!("rows/1 N={} prefix={} lines={UNIT_COLUMNS}", self.prefix.size(), self.prefix)
    }

    fn units(&self) -> usize {
        self.units.len()
    }

    fn tasks(&self, unit: usize) -> u64 {
        self.units[unit].tasks
    }

    fn unit(&self, unit: usize, from: u64) -> Box<dyn Iterator<Item = Weighted> + '_> {
        let tasks = tasks_to(self.units[unit].first, self.queens).skip(from as usize);
        Box::new(tasks.map(|(queens, weight)| Weighted { task: Task::Completions(queens), weight }))
    }
}

/// A random part of a task with `left` empty columns, and a factor: on average, the solutions of the part times the
/// factor are those of the task (Knuth 1975). Each next column gets a queen on a random free square, and the factor is
/// the product of the numbers of free squares. `choose(k)` picks each number below k with the same probability.
pub(crate) fn part(mut task: Placement, left: usize, choose: &mut dyn FnMut(usize) -> usize) -> (Placement, f64) {
    let mut parts = 1.0;
    while task.size().get() - task.len() > left {
        let next: Vec<_> = task.extensions().collect();
        if next.is_empty() {
            break;
        }
        parts *= next.len() as f64;
        task = next[choose(next.len())];
    }
    (task, parts)
}

/// The number of empty columns of a sampled part: enough that parts differ little, few enough that each takes a
/// fraction of a millisecond and small boards have many more parts than samples.
pub(crate) fn part_columns(size: Size) -> usize {
    (size.get() * 2 / 3).min(13)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::lanes::Isa;

    fn tasks_of(plan: &PrefixPlan, unit: usize) -> impl Iterator<Item = WeightedPrefix> {
        tasks_to(plan.units[unit].first, plan.queens)
    }

    /// With any number of queens per task. The tasks of a unit without queens use the symmetry.
    #[test]
    fn tasks_of_a_unit_add_up_to_its_completions() {
        let mut backtrack = Backtrack::new(Isa::best());
        let mut sum = |tasks: &mut dyn Iterator<Item = WeightedPrefix>| -> u64 {
            tasks.map(|(queens, weight)| weight * backtrack.completions(&queens)).sum()
        };
        for (n, total) in [(8, 92), (9, 352), (10, 724)] {
            let whole = (Placement::empty(Size::new(n).unwrap()), 1);
            for set in 0..=2 {
                assert_eq!(sum(&mut tasks_to(whole, set)), total, "N = {n}, units of {set} queens");
                for (unit, queens) in
                    tasks_to(whole, set).flat_map(|unit| (set..=set + MAX_MORE_QUEENS).map(move |k| (unit, k)))
                {
                    let (split, whole) = (sum(&mut tasks_to(unit, queens)), sum(&mut iter::once(unit)));
                    assert_eq!(split, whole, "N = {n}, unit {}, tasks of {queens} queens", unit.0);
                    assert!(tasks_to(unit, queens).all(|task| task.0.len() == queens));
                }
            }
        }
    }

    /// Up to N = 20 a unit is one task. Above, a task leaves 18 columns empty, or has five queens.
    #[test]
    fn large_boards_have_units_of_many_tasks() {
        let tasks = |n: usize| {
            let plan = PrefixPlan::new(&Placement::empty(Size::new(n).unwrap()));
            assert!((0..plan.units()).all(|unit| plan.tasks(unit) == tasks_of(&plan, unit).count() as u64), "N = {n}");
            (plan.queens, plan.tasks(0))
        };
        assert_eq!([20, 21, 22, 23, 24].map(|n| tasks(n).0), [2, 3, 4, 5, 5]);
        assert_eq!((tasks(20).1, tasks(21).1), (1, 17));
        let first = (Placement::parse("1,3", Size::new(23).unwrap()).unwrap(), 1);
        assert_eq!(tasks(23).1, tasks_to(first, 5).count() as u64);
    }

    /// On average over all choices.
    #[test]
    fn parts_times_their_factor_are_the_task() {
        let plan = PrefixPlan::new(&Placement::parse("1,3,5,2", Size::new(15).unwrap()).unwrap());
        let mut backtrack = Backtrack::new(Isa::best());
        // A part has five queens: none is left to choose for the task, and one for its parent.
        let (task, _) = tasks_of(&plan, 3).next().unwrap();
        let parent = Placement::parse("1,3,5,2", task.size()).unwrap();
        let choices = parent.extensions().count();
        let mut sum = 0.0;
        for choice in 0..choices {
            let (part, parts) = part(parent, part_columns(parent.size()), &mut |below| {
                assert_eq!(below, choices);
                choice
            });
            assert_eq!(15 - part.len(), part_columns(part.size()));
            sum += backtrack.completions(&part) as f64 * parts / choices as f64;
        }
        assert!((sum - backtrack.completions(&parent) as f64).abs() < 1e-6);
        assert_eq!(part(task, 10, &mut |_| unreachable!("nothing to choose")), (task, 1.0));
    }

    #[test]
    fn a_placement_without_extensions_is_its_only_part() {
        let size = Size::new(28).unwrap();
        // These queens attack all of the next column.
        let dead = Placement::parse("1,3,14,17,8,13,19,12,15,20,7,10,21,23", size).unwrap();
        assert!(dead.extensions().next().is_none() && dead.len() < 28 - part_columns(size));
        assert_eq!(part(dead, part_columns(size), &mut |_| unreachable!("nothing to choose")), (dead, 1.0));
    }

    #[test]
    fn complete_prefixes_have_one_unit_and_impossible_ones_none() {
        let four = Size::new(4).unwrap();
        let complete = PrefixPlan::new(&Placement::parse("2413", four).unwrap());
        assert_eq!(complete.units(), 1);
        assert_eq!(tasks_of(&complete, 0).next().unwrap().1, 1);
        // 1,3 on 4×4 leaves column 3 without a free square.
        assert_eq!(PrefixPlan::new(&Placement::parse("13", four).unwrap()).units(), 0);
    }
}
