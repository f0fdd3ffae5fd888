//! Row sets for the join: which rows the queens of the east half stand in.
//!
//! A board is cut at its middle column into an east and a west half of h = ⌊N/2⌋ columns. A task fixes the rows of
//! the east queens; the west takes the rows that are left. Rows are named by their distance from the middle, 0 next
//! to it: bit i of `north` is the i-th row above the middle, bit i of `south` the i-th below. So turning the board
//! upside down swaps `north` and `south`, and the east-west mirror complements both.
//!
//! What symmetry leaves:
//!
//! - **Even N.** Of a row set and its upside-down image one is kept: the one with fewer rows in the north, or with
//!   the smaller north. It weighs 2, or 1 where it is its own image. The quarter turns and the mirror are left to the
//!   engine, for they weigh the halves by their queens on the long diagonals.
//! - **Odd N, a queen in the centre.** Nobody else is on the long diagonals or the middle lines, so all of upside
//!   down, mirror and both act on the row sets alone: of up to four row sets one is kept.
//! - **Odd N, centre empty.** The middle column holds a queen u squares from the centre and the middle row one v squares
//!   from it, u ≠ v since they attack each other otherwise. Exactly one of the eight images has the first in the
//!   north, the second in the west, and u < v. So every task weighs 8.

use crate::board::Size;
use crate::plan::{Plan, Weighted};

/// The queens on the middle column and the middle row of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Middle {
    /// Even N: there are no such lines.
    None,
    /// One queen on both, in the centre.
    Centre,
    /// One in the middle column, `column` ≥ 1 squares north of the centre; one in the middle row, `row` squares west
    /// of it. `column` < `row`.
    Crossed {
        /// Distance of the middle column's queen.
        column: u8,
        /// Distance of the middle row's queen.
        row: u8,
    },
}

/// A task of the join: all solutions whose east queens stand in these rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halves {
    /// Columns of a half, ⌊N/2⌋.
    pub half: u8,
    /// The queens between the halves.
    pub middle: Middle,
    /// Rows of the east queens above the middle.
    pub north: u32,
    /// Rows of the east queens below the middle.
    pub south: u32,
}

/// Row sets of one north, with consecutive souths.
#[derive(Clone, Copy, Debug)]
struct Unit {
    middle: Middle,
    north: u32,
    /// Rank of the first south among the row sets of its size.
    first: u32,
    tasks: u32,
}

/// All solutions of one board, cut by the rows of the east half.
#[derive(Clone, Debug)]
pub struct HalvesPlan {
    size: Size,
    units: Vec<Unit>,
    /// The subsets of h rows by size, each size in increasing order.
    subsets: Vec<Vec<u32>>,
}

/// Tasks of a unit at most: an hour of work at N = 28, where a task takes seconds.
const TASKS_PER_UNIT: u32 = 256;

impl HalvesPlan {
    /// The smallest and the largest N that can be cut in halves: below, a half has too few columns; above, the keys of
    /// a half do not fit in a word.
    pub const SIZES: std::ops::RangeInclusive<usize> = 5..=28;

    /// The tasks that together count the solutions on a board of this size, which must be in [`Self::SIZES`].
    pub fn new(size: Size) -> Self {
        assert!(Self::SIZES.contains(&size.get()), "the join counts N = 5 to 28");
        let half = size.get() / 2;
        let mut subsets = vec![Vec::new(); half + 1];
        for set in 0..1u32 << half {
            subsets[set.count_ones() as usize].push(set);
        }
        let mut plan = Self { size, units: Vec::new(), subsets };
        if size.get().is_multiple_of(2) {
            plan.add_units(Middle::None);
        } else {
            plan.add_units(Middle::Centre);
            for column in 1..half as u8 {
                for row in column + 1..=half as u8 {
                    plan.add_units(Middle::Crossed { column, row });
                }
            }
        }
        plan
    }

    /// Appends the units of one way to fill the middle.
    fn add_units(&mut self, middle: Middle) {
        let half = self.half();
        for north in 0..1u32 << half {
            let count = north.count_ones() as usize;
            let souths = &self.subsets[half - count];
            let below = |set: u32| souths.partition_point(|&south| south < set);
            let (mut first, mut end) = (0, souths.len());
            match middle {
                Middle::None | Middle::Centre if 2 * count > half => continue,
                Middle::Crossed { column, .. } if north >> (column - 1) & 1 == 1 => continue,
                Middle::None | Middle::Crossed { .. } => {}
                Middle::Centre => end = below((!north & self.all()) + 1),
            }
            if 2 * count == half && !matches!(middle, Middle::Crossed { .. }) {
                first = below(north);
            }
            while first < end {
                let tasks = (end - first).min(TASKS_PER_UNIT as usize);
                self.units.push(Unit { middle, north, first: first as u32, tasks: tasks as u32 });
                first += tasks;
            }
        }
    }

    fn half(&self) -> usize {
        self.size.get() / 2
    }

    /// Every row on one side of the middle.
    fn all(&self) -> u32 {
        (1 << self.half()) - 1
    }
}

impl Halves {
    /// How often the solutions without a queen on the long diagonals are to be counted here: the east-west mirror
    /// turns them into those of another task, so one of the two counts them twice and the other not at all.
    pub fn mirror(&self) -> u64 {
        let image = !self.south & ((1 << self.half) - 1);
        match self.north.cmp(&image) {
            std::cmp::Ordering::Less => 2,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 0,
        }
    }
}

impl Plan for HalvesPlan {
    type Task = Halves;

    fn fingerprint(&self) -> String {
        format!("halves/1 N={}", self.size)
    }

    fn units(&self) -> usize {
        self.units.len()
    }

    fn tasks(&self, unit: usize) -> u64 {
        self.units[unit].tasks.into()
    }

    fn task(&self, unit: usize, index: u64) -> Weighted<Halves> {
        let Unit { middle, north, first, .. } = self.units[unit];
        let souths = &self.subsets[self.half() - north.count_ones() as usize];
        let south = souths[first as usize + index as usize];
        let task = Halves { half: self.half() as u8, middle, north, south };
        let upside_down = if north == south { 1 } else { 2 };
        let weight = match middle {
            Middle::None => upside_down,
            Middle::Centre => upside_down * task.mirror(),
            Middle::Crossed { .. } => 8,
        };
        Weighted { task, weight }
    }

    /// The queens between the halves, for odd N: they decide which quadrants there are.
    fn group(&self, unit: usize) -> usize {
        match self.units[unit].middle {
            Middle::None => unit,
            Middle::Centre => 0,
            Middle::Crossed { column, row } => usize::from(column) << 8 | usize::from(row),
        }
    }

    /// Fitted to the mean times for N = 17 to 20, which it meets within a fifth: tasks are largest where north and
    /// south share the rows evenly, half as large again where the mirror makes a task count everything, and with
    /// crossed middle queens the larger the farther out these stand, for there they attack less.
    fn work(&self, unit: usize) -> f64 {
        let Unit { middle, north, tasks, .. } = self.units[unit];
        let half = self.half() as f64;
        let rows_free = match middle {
            Middle::Crossed { .. } => half - 0.5,
            Middle::None | Middle::Centre => half,
        };
        let uneven = f64::from(north.count_ones()) - rows_free / 2.0;
        let whole = |weighted: Weighted<Halves>| if weighted.task.mirror() > 0 { 1.6 } else { 1.0 };
        let tasks = match middle {
            Middle::None => self.unit(unit).map(whole).sum(),
            Middle::Centre => 1.6 * f64::from(tasks),
            Middle::Crossed { column, row } => f64::from(tasks) * (1.0 + 0.8 * f64::from(column + row) / half),
        };
        tasks / (1.0 + 0.12 * uneven * uneven)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn plan(n: usize) -> HalvesPlan {
        HalvesPlan::new(Size::new(n).unwrap())
    }

    /// Every row set, unreduced, is as heavy as the tasks that stand for it.
    #[test]
    fn weights_cover_all_row_sets() {
        for n in 5..=14 {
            let (plan, half) = (plan(n), n as u64 / 2);
            let mut found = BTreeMap::new();
            for weighted in (0..plan.units()).flat_map(|unit| plan.unit(unit)) {
                let kind = match weighted.task.middle {
                    Middle::None => "none",
                    Middle::Centre => "centre",
                    Middle::Crossed { .. } => "crossed",
                };
                *found.entry(kind).or_insert(0) += weighted.weight;
            }
            let choose = |n: u64, k: u64| (0..k).fold(1, |product, i| product * (n - i) / (i + 1));
            let expected = if n % 2 == 0 {
                BTreeMap::from([("none", choose(2 * half, half))])
            } else {
                // Eight for each pair of distances and each row set without the two rows of the middle queens.
                let crossed = 8 * choose(half, 2) * choose(2 * half - 1, half);
                BTreeMap::from([("centre", choose(2 * half, half)), ("crossed", crossed)])
            };
            assert_eq!(found, expected, "N = {n}");
        }
    }

    /// The tasks that count the solutions without queens on long diagonals cover all row sets too.
    #[test]
    fn the_mirror_covers_all_row_sets() {
        for n in [6, 8, 10, 12] {
            let plan = plan(n);
            let weight = |weighted: Weighted<Halves>| weighted.weight * weighted.task.mirror();
            let found: u64 = (0..plan.units()).flat_map(|unit| plan.unit(unit)).map(weight).sum();
            let all: u64 = (0..plan.units()).flat_map(|unit| plan.unit(unit)).map(|weighted| weighted.weight).sum();
            assert_eq!(found, all, "N = {n}");
        }
    }

    #[test]
    fn tasks_are_distinct_and_weigh_something() {
        for n in 5..=15 {
            let plan = plan(n);
            let mut tasks: Vec<_> = (0..plan.units())
                .flat_map(|unit| plan.unit(unit))
                .inspect(|weighted| assert!(weighted.weight > 0))
                .map(|weighted| (format!("{:?}", weighted.task.middle), weighted.task.north, weighted.task.south))
                .collect();
            let count = tasks.len();
            tasks.sort_unstable();
            tasks.dedup();
            assert_eq!(tasks.len(), count, "N = {n}");
        }
    }

    #[test]
    fn large_plans_are_quick_to_make() {
        // 2e7 row sets after symmetry, in units of at most 256.
        let plan = plan(28);
        let tasks: u64 = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
        assert_eq!(2 * tasks - self_reversed(14), 40_116_600);
    }

    /// Row sets that are their own upside-down image: north and south alike.
    fn self_reversed(half: u64) -> u64 {
        (0..half / 2).fold(1, |product, i| product * (half - i) / (i + 1))
    }
}
