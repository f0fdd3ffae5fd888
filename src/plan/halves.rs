//! Row sets for the join: the rows of the queens in the east half.
//!
//! A board is cut at its middle column into an east and a west half of h = ⌊N/2⌋ columns. A task fixes the rows of
//! the east queens; the west queens take the other rows. Rows are named by their distance from the middle, with 0 next
//! to it: bit i of `north` is the i-th row above the middle, bit i of `south` the i-th below. So turning the board
//! upside down swaps `north` and `south`, and the east-west mirror complements both.
//!
//! Symmetry reduces the row sets:
//!
//! - **Even N.** One of a row set and its upside-down image is kept: the set with fewer rows in the north or, if both
//!   have as many, with the smaller north. Its weight is 2, or 1 if it is its own image. The engine accounts for the
//!   quarter turns and the mirror, by giving weights to the halves for their queens on the long diagonals.
//! - **Odd N, a queen in the centre.** No other queen is on the long diagonals or the middle lines. So turning the
//!   board upside down, the mirror, or both, change only the row set: one of up to four row sets is kept.
//! - **Odd N, centre empty.** The queen of the middle column is u squares from the centre, the queen of the middle row
//!   v squares. u ≠ v, since otherwise they would attack each other. Exactly one of the eight images has the first in
//!   the north, the second in the west, and u < v. So every task has weight 8.

mod work;

use std::ops::{Range, RangeInclusive};

use crate::board::Size;
use crate::plan::{Plan, Units, Weighted};

/// The queens of the middle column and the middle row of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Middle {
    /// Even N: there are no such lines.
    None,
    /// One queen on both lines, in the centre.
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

/// A task of the join: all solutions whose east queens are in these rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halves {
    /// Columns of a half, ⌊N/2⌋.
    pub half: u8,
    /// The queens on the lines between the halves.
    pub middle: Middle,
    /// Rows of the east queens above the middle.
    pub north: u32,
    /// Rows of the east queens below the middle.
    pub south: u32,
}

/// All row sets for one way to fill the middle, or for several that differ only in the middle row's queen.
#[derive(Clone, Debug)]
struct Section {
    /// The ways to fill the middle: each row set has one task for each of them.
    middles: Vec<Middle>,
    strips: Vec<Strip>,
    /// The row sets.
    sets: u64,
}

/// A strip: the row sets with some consecutive souths, north by north. Each north is listed once for a strip, and the
/// souths of a narrow strip are few enough to be kept in memory.
///
/// ```text
///            souths 0 1 2 3 4 5 6 7 ..
///   north 0         > > > > | 4th   ..      two strips of four souths; south must not be smaller than north here,
///   north 1           > > > | strip         so the strips of a square lose a corner
///   north 2             > > | next  ..
/// ```
#[derive(Clone, Debug)]
struct Strip {
    /// How many rows its norths have.
    size: usize,
    /// The ranks of its souths among the sets with as many rows.
    souths: Range<usize>,
    /// The number of row sets of the section before this strip.
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

/// How many units a plan has at least, if it has as many tasks: enough for every thread of a large machine.
const UNITS: u64 = 4096;

/// How many tasks a unit has at most. A task of N = 28 takes minutes; for odd N there are a hundred times as many
/// tasks, a hundred times as short. So a ledger has at most 100,000 units, and a unit takes at most hours.
const MOST_TASKS: [u64; 2] = [256, 4096];

/// How many souths a strip has, by the size of the half. While all quadrants fit in memory, one strip has all souths.
/// For larger boards each thread keeps the souths of one strip, 20 to 50 MB. From h = 13 on, listing them anew takes
/// less than 1 % of the time, and keeping them would take hundreds of megabytes.
pub(crate) fn strip(half: usize, odd: bool) -> Option<usize> {
    match (half, odd) {
        (..=SHARED_QUADRANTS | 13.., _) | (10, false) => None,
        (10, true) => Some(32),
        (11, _) => Some(8),
        (12, _) => Some(4),
    }
}

/// The largest half whose quadrants all fit in memory.
const SHARED_QUADRANTS: usize = 9;

/// The largest half for which the tasks of a row set, one for each place of the middle row's queen, follow one another,
/// so that the east is listed once for all of them. For larger halves listing takes hardly any time.
pub(crate) const SHARED_EAST: usize = 12;

/// The smallest half whose tasks take so long that listing their quadrants anew is at most about a tenth of the time.
/// Estimates for N = 24 came to 38 core hours from single tasks. Timing runs of tasks that share lists gave 33.5, but
/// far fewer of those can be timed.
const LONG_TASKS: usize = 12;

impl HalvesPlan {
    /// The smallest and the largest N that can be cut in halves. On a smaller board a half has too few columns; on a
    /// larger one the keys of a half do not fit in a word.
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
            plan.sections.push(plan.section(vec![Middle::None]));
        } else {
            plan.sections.push(plan.section(vec![Middle::Centre]));
            for column in 1..half as u8 {
                let crossed = (column + 1..=half as u8).map(|row| Middle::Crossed { column, row });
                if half <= SHARED_EAST {
                    plan.sections.push(plan.section(crossed.collect()));
                } else {
                    let sections: Vec<_> = crossed.map(|middle| plan.section(vec![middle])).collect();
                    plan.sections.extend(sections);
                }
            }
        }
        let all: u64 = plan.sections.iter().map(Section::tasks).sum();
        let most = (all / UNITS).clamp(1, MOST_TASKS[odd]);
        for (section, tasks) in plan.sections.iter().map(Section::tasks).enumerate() {
            let units = (0..tasks).step_by(most as usize).map(|first| Unit {
                section: section as u32,
                tasks: most.min(tasks - first) as u32,
                first,
            });
            plan.units.extend(units);
        }
        plan
    }

    /// The row sets that symmetry leaves, for one way to fill the middle or for several with the same queen in the
    /// middle column.
    fn section(&self, middles: Vec<Middle>) -> Section {
        let half = self.half();
        let mut section = Section { middles, strips: Vec::new(), sets: 0 };
        for size in 0..=half {
            let spans: Vec<_> =
                self.subsets[size].iter().map(|&north| self.souths(section.middles[0], north)).collect();
            let all = self.subsets[half - size].len();
            let width = strip(half, self.size.get() % 2 == 1).unwrap_or(all);
            for start in (0..all).step_by(width) {
                let souths = start..all.min(start + width);
                let sets: usize = spans.iter().map(|span| common(span, &souths).len()).sum();
                if sets > 0 {
                    section.strips.push(Strip { size, souths, before: section.sets });
                    section.sets += sets as u64;
                }
            }
        }
        section
    }

    /// The ranks of the souths that symmetry leaves for a north.
    fn souths(&self, middle: Middle, north: u32) -> Range<usize> {
        let (half, count) = (self.half(), north.count_ones() as usize);
        let souths = &self.subsets[half - count];
        let least = || souths.partition_point(|&south| south < north);
        match middle {
            Middle::Crossed { column, .. } if north >> (column - 1) & 1 == 1 => 0..0,
            Middle::Crossed { .. } => 0..souths.len(),
            Middle::None | Middle::Centre if 2 * count > half => 0..0,
            Middle::None | Middle::Centre => {
                let first = if 2 * count == half { least() } else { 0 };
                let end = if middle == Middle::None { souths.len() } else { self.souths_to_mirror(north) };
                first..end.max(first)
            }
        }
    }

    /// How many souths of this north come before its mirror image or are it: their tasks have a [`Halves::mirror`] that
    /// is not 0.
    fn souths_to_mirror(&self, north: u32) -> usize {
        let image = !north & self.all();
        self.subsets[self.half() - north.count_ones() as usize].partition_point(|&south| south <= image)
    }

    /// The row sets of a section from this one on, in order: norths, each with the ranks of its souths.
    fn spans(&self, section: &Section, first: u64) -> impl Iterator<Item = (u32, Range<usize>)> {
        let start = section.strips.partition_point(|strip| strip.before <= first).saturating_sub(1);
        let strips = &section.strips[start..];
        let mut skip = strips.first().map_or(0, |strip| first - strip.before) as usize;
        let middle = section.middles[0];
        strips
            .iter()
            .flat_map(move |strip| self.subsets[strip.size].iter().map(move |&north| (strip, north)))
            .filter_map(move |(strip, north)| {
                let mut souths = common(&self.souths(middle, north), &strip.souths);
                let skipped = skip.min(souths.len());
                souths.start += skipped;
                skip -= skipped;
                (!souths.is_empty()).then_some((north, souths))
            })
    }

    /// The tasks of a section from this one on, in order.
    fn tasks_from(&self, section: &Section, first: u64) -> impl Iterator<Item = Weighted<Halves>> {
        let middles = section.middles.len() as u64;
        let sets = self.spans(section, first / middles).flat_map(move |(north, souths)| {
            let souths = &self.subsets[self.half() - north.count_ones() as usize][souths];
            souths.iter().map(move |&south| (north, south))
        });
        let tasks = sets.flat_map(move |(north, south)| {
            section.middles.iter().map(move |&middle| self.weighted(middle, north, south))
        });
        tasks.skip((first % middles) as usize)
    }

    fn weighted(&self, middle: Middle, north: u32, south: u32) -> Weighted<Halves> {
        let task = Halves { half: self.half() as u8, middle, north, south };
        let upside_down = if north == south { 1 } else { 2 };
        let weight = match middle {
            Middle::None => upside_down,
            Middle::Centre => upside_down * task.mirror(),
            Middle::Crossed { .. } => 8,
        };
        Weighted { task, weight }
    }

    fn half(&self) -> usize {
        self.size.get() / 2
    }

    /// Every row on one side of the middle.
    fn all(&self) -> u32 {
        (1 << self.half()) - 1
    }
}

impl Section {
    fn tasks(&self) -> u64 {
        self.sets * self.middles.len() as u64
    }
}

/// The intersection of two ranges.
fn common(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

impl Halves {
    /// The size of the board.
    pub(crate) fn n(&self) -> usize {
        2 * usize::from(self.half) + usize::from(self.middle != Middle::None)
    }

    /// How often this task counts its solutions without a queen on the long diagonals. The east-west mirror maps them
    /// to such solutions of another task, so one of the two tasks counts them twice and the other not at all.
    pub fn mirror(&self) -> u64 {
        let image = !self.south & ((1 << self.half) - 1);
        match self.north.cmp(&image) {
            std::cmp::Ordering::Less => 2,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 0,
        }
    }
}

impl Units for HalvesPlan {
    fn fingerprint(&self) -> String {
        format!("halves/2 N={}", self.size)
    }

    fn units(&self) -> usize {
        self.units.len()
    }

    fn tasks(&self, unit: usize) -> u64 {
        self.units[unit].tasks.into()
    }

    /// While the threads share the quadrants of a board, a group is all tasks with the same middle column.
    fn group(&self, unit: usize) -> usize {
        let section = self.units[unit].section as usize;
        let shared = self.sections.len() > 1 && self.half() <= SHARED_QUADRANTS;
        if shared { section } else { unit }
    }

    fn work(&self, unit: usize) -> f64 {
        work::of(self, unit)
    }

    /// The number of tasks of one north in a strip: one for each south and each place of the middle row's queen. A run
    /// lists each north once for so many tasks, the souths of a strip once for all its norths, and the east once for
    /// all such places. If every task listed them anew, listing would take most of the time (0.85 of it for N = 19),
    /// and next to none for large halves.
    fn tasks_sharing_lists(&self) -> u64 {
        let middles = self.sections.iter().map(|section| section.middles.len()).max().unwrap_or(1);
        if self.half() >= LONG_TASKS {
            return if middles > 1 { middles as u64 } else { 0 };
        }
        (middles * strip(self.half(), self.size.get() % 2 == 1).unwrap_or(1)) as u64
    }
}

impl Plan for HalvesPlan {
    type Task = Halves;

    fn task(&self, unit: usize, index: u64) -> Weighted<Halves> {
        let Unit { section, first, tasks } = self.units[unit];
        assert!(index < tasks.into(), "the unit has so many tasks");
        let mut tasks = self.tasks_from(&self.sections[section as usize], first + index);
        tasks.next().expect("the section has the tasks of its units")
    }

    fn unit(&self, unit: usize) -> impl Iterator<Item = Weighted<Halves>> {
        let Unit { section, first, tasks } = self.units[unit];
        self.tasks_from(&self.sections[section as usize], first).take(tasks as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn plan(n: usize) -> HalvesPlan {
        HalvesPlan::new(Size::new(n).unwrap())
    }

    /// The weights of the tasks add up to the number of all row sets without symmetry.
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
                // Eight for each pair of distances and each row set without the rows of the two middle queens.
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

    /// A task that is generated by its number is the same as in the sequence, even if the unit begins within a strip or
    /// a row set. The strips are as wide as on boards that are too large for a test.
    #[test]
    fn tasks_come_in_turn() {
        for n in [5, 8, 13, 16, 21, 23, 24] {
            let plan = plan(n);
            let step = (plan.units() / 40).max(1);
            for unit in (0..plan.units()).step_by(step).chain([plan.units() - 1]) {
                let tasks: Vec<_> = plan.unit(unit).collect();
                assert_eq!(tasks.len() as u64, plan.tasks(unit), "N = {n}, unit {unit}");
                for index in [0, tasks.len() / 3, tasks.len() / 2, tasks.len() - 1] {
                    assert_eq!(plan.task(unit, index as u64), tasks[index], "N = {n}, unit {unit}");
                }
            }
        }
    }

    /// A strip has few souths, each with every north before the next strip begins.
    #[test]
    fn strips_keep_souths_together() {
        let plan = plan(22);
        let mut souths: Vec<u32> =
            (500..502).flat_map(|unit| plan.unit(unit)).map(|weighted| weighted.task.south).collect();
        let norths: Vec<u32> =
            (500..502).flat_map(|unit| plan.unit(unit)).map(|weighted| weighted.task.north).collect();
        souths.sort_unstable();
        souths.dedup();
        assert!(souths.len() <= 16, "{} souths", souths.len());
        assert_eq!(norths.chunk_by(|a, b| a == b).map(<[_]>::len).max(), Some(8));
    }

    /// One north's: a task for each south of a strip and each place of the middle row's queen beyond that of the column.
    #[test]
    fn tasks_that_share_lists_have_one_north() {
        let found = [12, 13, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27].map(|n| plan(n).tasks_sharing_lists());
        assert_eq!(found, [1, 5, 1, 8, 1, 9 * 32, 8, 10 * 8, 0, 11, 0, 0]);
    }

    /// N = 27 has 4e8 row sets and N = 28 has 2e7, in few enough units for a ledger.
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
