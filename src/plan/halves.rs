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

use std::ops::{Range, RangeInclusive};

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

/// All row sets for one way to fill the middle, in the order of their norths.
#[derive(Clone, Debug)]
struct Section {
    middle: Middle,
    stretches: Vec<Stretch>,
    tasks: u64,
}

/// Row sets of one north, with consecutive souths.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    north: u32,
    /// Rank of the first south among the sets of its size.
    first: u32,
    /// Tasks of the section before these.
    before: u64,
}

/// Consecutive tasks of a section.
#[derive(Clone, Copy, Debug)]
struct Unit {
    section: u32,
    tasks: u32,
    first: u64,
}

/// All solutions of one board, cut by the rows of the east half.
#[derive(Clone, Debug)]
pub struct HalvesPlan {
    size: Size,
    sections: Vec<Section>,
    units: Vec<Unit>,
    /// The subsets of h rows by size, each size in increasing order.
    subsets: Vec<Vec<u32>>,
}

/// Units that a plan has at least, where there are as many tasks: enough for every thread of a large machine.
const UNITS: u64 = 4096;

/// Tasks of a unit at most. For even N a task of N = 28 takes minutes; for odd N the tasks are a hundred times as many
/// and as short. So a ledger stays within 100,000 units, and a unit within hours.
const MOST_TASKS: [u64; 2] = [256, 4096];

impl HalvesPlan {
    /// The smallest and the largest N that can be cut in halves: below, a half has too few columns; above, the keys of
    /// a half do not fit in a word.
    pub const SIZES: RangeInclusive<usize> = 5..=28;

    /// The tasks that together count the solutions on a board of this size, which must be in [`Self::SIZES`].
    pub fn new(size: Size) -> Self {
        assert!(Self::SIZES.contains(&size.get()), "the join counts N = 5 to 28");
        let half = size.get() / 2;
        let mut subsets = vec![Vec::new(); half + 1];
        for set in 0..1u32 << half {
            subsets[set.count_ones() as usize].push(set);
        }
        let mut plan = Self { size, sections: Vec::new(), units: Vec::new(), subsets };
        let odd = size.get() % 2;
        if odd == 0 {
            plan.sections.push(plan.section(Middle::None));
        } else {
            plan.sections.push(plan.section(Middle::Centre));
            for column in 1..half as u8 {
                for row in column + 1..=half as u8 {
                    plan.sections.push(plan.section(Middle::Crossed { column, row }));
                }
            }
        }
        let all: u64 = plan.sections.iter().map(|section| section.tasks).sum();
        let most = (all / UNITS).clamp(1, MOST_TASKS[odd]);
        for (section, Section { tasks, .. }) in plan.sections.iter().enumerate() {
            let units = (0..*tasks).step_by(most as usize).map(|first| Unit {
                section: section as u32,
                tasks: most.min(tasks - first) as u32,
                first,
            });
            plan.units.extend(units);
        }
        plan
    }

    /// The row sets that symmetry leaves for one way to fill the middle.
    fn section(&self, middle: Middle) -> Section {
        let half = self.half();
        let mut section = Section { middle, stretches: Vec::new(), tasks: 0 };
        for north in 0..1u32 << half {
            let count = north.count_ones() as usize;
            let (mut first, mut end) = (0, self.subsets[half - count].len());
            match middle {
                Middle::None | Middle::Centre if 2 * count > half => continue,
                Middle::Crossed { column, .. } if north >> (column - 1) & 1 == 1 => continue,
                Middle::None | Middle::Crossed { .. } => {}
                Middle::Centre => end = self.souths_to_mirror(north),
            }
            if 2 * count == half && !matches!(middle, Middle::Crossed { .. }) {
                first = self.subsets[half - count].partition_point(|&south| south < north);
            }
            if first < end {
                section.stretches.push(Stretch { north, first: first as u32, before: section.tasks });
                section.tasks += (end - first) as u64;
            }
        }
        section
    }

    /// How many souths of this north, in order, come up to its mirror image: those tasks whose [`Halves::mirror`] is
    /// not 0.
    fn souths_to_mirror(&self, north: u32) -> usize {
        let image = !north & self.all();
        self.subsets[self.half() - north.count_ones() as usize].partition_point(|&south| south <= image)
    }

    /// The norths of a unit, each with the ranks of its souths.
    fn norths(&self, unit: usize) -> impl Iterator<Item = (u32, Range<usize>)> {
        let Unit { section, tasks, first } = self.units[unit];
        let Section { stretches, tasks: all, .. } = &self.sections[section as usize];
        let end = first + u64::from(tasks);
        let start = stretches.partition_point(|stretch| stretch.before <= first) - 1;
        let ends = stretches[start + 1..].iter().map(|stretch| stretch.before).chain([*all]);
        stretches[start..].iter().zip(ends).take_while(move |(stretch, _)| stretch.before < end).map(
            move |(stretch, next)| {
                let rank = |task: u64| stretch.first as usize + (task - stretch.before) as usize;
                (stretch.north, rank(first.max(stretch.before))..rank(end.min(next)))
            },
        )
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
        let Unit { section, first, .. } = self.units[unit];
        let Section { middle, stretches, .. } = &self.sections[section as usize];
        let task = first + index;
        let Stretch { north, first, before } = stretches[stretches.partition_point(|s| s.before <= task) - 1];
        let south = self.subsets[self.half() - north.count_ones() as usize][first as usize + (task - before) as usize];
        let middle = *middle;
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
        match self.sections[self.units[unit].section as usize].middle {
            Middle::None => unit,
            Middle::Centre => 0,
            Middle::Crossed { column, row } => usize::from(column) << 8 | usize::from(row),
        }
    }

    /// Fitted to the mean times for N = 17 to 20, which it meets within a fifth: tasks are largest where north and
    /// south share the rows evenly, half as large again where the mirror makes a task count everything, and with
    /// crossed middle queens the larger the farther out these stand, for there they attack less.
    fn work(&self, unit: usize) -> f64 {
        let middle = self.sections[self.units[unit].section as usize].middle;
        let half = self.half() as f64;
        let (rows, each) = match middle {
            Middle::None | Middle::Centre => (half, 1.0),
            Middle::Crossed { column, row } => (half - 0.5, 1.0 + 0.8 * f64::from(column + row) / half),
        };
        let work = |(north, ranks): (u32, Range<usize>)| {
            let uneven = f64::from(north.count_ones()) - rows / 2.0;
            let whole = match middle {
                Middle::Crossed { .. } => 0,
                Middle::None | Middle::Centre => {
                    self.souths_to_mirror(north).clamp(ranks.start, ranks.end) - ranks.start
                }
            };
            (ranks.len() as f64 + 0.6 * whole as f64) / (1.0 + 0.12 * uneven * uneven)
        };
        each * self.norths(unit).map(work).sum::<f64>()
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

    /// The norths of a unit are those of its tasks, in order.
    #[test]
    fn units_span_norths() {
        for n in [8, 13, 16] {
            let plan = plan(n);
            for unit in 0..plan.units() {
                let tasks: Vec<_> =
                    plan.unit(unit).map(|weighted| (weighted.task.north, weighted.task.south)).collect();
                let souths = |north: u32| &plan.subsets[n / 2 - north.count_ones() as usize];
                let spanned: Vec<_> = plan
                    .norths(unit)
                    .flat_map(|(north, ranks)| souths(north)[ranks].iter().map(move |&south| (north, south)))
                    .collect();
                assert_eq!(tasks, spanned, "N = {n}, unit {unit}");
            }
        }
    }

    /// 4e8 row sets for N = 27 and 2e7 for N = 28, in units that a ledger can hold.
    #[test]
    fn large_plans_are_quick_to_make() {
        assert!((4096..100_000).contains(&plan(27).units()));
        let plan = plan(28);
        assert!((4096..100_000).contains(&plan.units()));
        let tasks: u64 = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
        assert_eq!(2 * tasks - self_reversed(14), 40_116_600);
    }

    /// Row sets that are their own upside-down image: north and south alike.
    fn self_reversed(half: u64) -> u64 {
        (0..half / 2).fold(1, |product, i| product * (half - i) / (i + 1))
    }
}
