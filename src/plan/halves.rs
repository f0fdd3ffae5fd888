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

use std::ops::{Range, RangeInclusive};

use super::{Plan, Task, Weighted};
use crate::board::Size;

/// The queens of the middle column and the middle row of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Middle {
    /// Even N: there are no such lines.
    None,
    /// One queen on both lines, in the centre.
    Centre,
    /// One in the middle column, `column` ≥ 1 squares north of the centre; one in the middle row, `row` squares west
    /// of it. `column` < `row`.
    #[allow(missing_docs)]
    Crossed { column: u8, row: u8 },
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

/// The most inner columns of a half, and the most first pieces that a list of patterns is cut by.
pub(crate) const MAX_DEPTH: usize = 4;

/// For the west and the east half of a board, and each of its inner columns, the rows that its queen may be in, north
/// and south of the middle: bit i is the i-th from there.
pub type InnerSquares = [[[u32; 2]; MAX_DEPTH]; 2];

/// Every row is allowed in each inner column.
pub(crate) const ANYWHERE: InnerSquares = [[[!0; 2]; MAX_DEPTH]; 2];

/// All row sets for one way to fill the middle, or for several that differ only in the middle row's queen.
#[derive(Clone)]
struct RowSets {
    /// The ways to fill the middle: each row set has one task for each of them.
    middles: Vec<Middle>,
    tiles: Vec<Tile>,
    /// The number of row sets.
    sets: u64,
}

/// Row sets with some consecutive south sets, one north set after another. A quadrant of the north is listed once for a
/// tile, and the quadrants of the south of a narrow tile are few enough to be kept in memory.
///
/// ```text
///        south  0 1 2 3   4 5 6 7 ..
///   north 0     > > > > | > > > > ..      two tiles of four south sets; here the south must not be smaller than the
///   north 1       > > > | > > > > ..      north, so the first tile lacks a corner
///   north 2         > > | > > > > ..
/// ```
#[derive(Clone)]
struct Tile {
    /// How many rows its north sets have.
    size: usize,
    /// The ranks of its south sets among the sets with as many rows.
    south: Range<usize>,
    /// The number of row sets of the section before this tile.
    before: u64,
}

/// Consecutive tasks of a section.
struct Unit {
    section: usize,
    tasks: u64,
    first: u64,
}

/// All solutions of one board, cut by the rows of the east half.
pub struct HalvesPlan {
    size: Size,
    sections: Vec<RowSets>,
    units: Vec<Unit>,
    /// The subsets of h rows by size, each size in increasing order.
    subsets: Vec<Vec<u32>>,
}

/// How many units a plan has at least, if it has as many tasks: enough for every thread of a large machine.
const UNITS: u64 = 4096;

/// How many tasks a unit has at most. A task of N = 28 takes minutes; for odd N there are a hundred times as many
/// tasks, a hundred times as short. So a ledger has at most 100,000 units, and a unit takes at most hours.
const MOST_TASKS: [u64; 2] = [256, 4096];

/// The largest board whose units come in groups, for its quadrants are all kept, for all threads: they take 130 MB, and
/// 70 MB at N = 19, where there are some for each place of the middle row's queen. They would take ten times that at
/// N = 21, and 1.1 GB at N = 22. (Many row sets in one piece of memory took more of it, not less, and N = 18 was 4 % slower.)
pub(crate) const GROUPED_UP_TO: usize = 20;

/// How many south sets a tile has. While all quadrants fit in memory, one tile has all of them. For larger boards each
/// thread keeps the south quadrants of one tile, 20 to 50 MB. From N = 26 on, listing them anew takes less than 1 % of the
/// time, and keeping them would take hundreds of megabytes.
pub(crate) fn tile_width(n: usize) -> Option<usize> {
    match n {
        ..=GROUPED_UP_TO | 26.. => None,
        21 => Some(32),
        22 | 23 => Some(8),
        24 | 25 => Some(4),
    }
}

/// The largest half for which the tasks of a row set, one for each place of the middle row's queen, follow one another,
/// so that the east is listed once for all of them. For larger halves listing takes hardly any time.
pub(crate) const MIDDLES_TOGETHER_UP_TO: usize = 12;

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
        plan.sections.push(plan.section(if odd == 1 { Middle::Centre } else { Middle::None }));
        let together = if half <= MIDDLES_TOGETHER_UP_TO { half } else { 1 };
        for column in (1..half as u8).filter(|_| odd == 1) {
            let crossed: Vec<_> = (column + 1..=half as u8).map(|row| Middle::Crossed { column, row }).collect();
            let section = plan.section(crossed[0]);
            let with = |middles: &[Middle]| RowSets { middles: middles.to_vec(), ..section.clone() };
            plan.sections.extend(crossed.chunks(together).map(with));
        }
        let tasks: Vec<u64> = plan.sections.iter().map(|of| of.sets * of.middles.len() as u64).collect();
        let most = (tasks.iter().sum::<u64>() / UNITS).clamp(1, MOST_TASKS[odd]);
        for (section, tasks) in tasks.into_iter().enumerate() {
            let unit = |first| Unit { section, tasks: most.min(tasks - first), first };
            plan.units.extend((0..tasks).step_by(most as usize).map(unit));
        }
        plan
    }

    /// The row sets that symmetry leaves for a way to fill the middle. They depend on the queen in the middle column alone.
    fn section(&self, middle: Middle) -> RowSets {
        let half = self.half();
        let mut section = RowSets { middles: vec![middle], tiles: Vec::new(), sets: 0 };
        for size in 0..=half {
            let spans: Vec<_> = self.subsets[size].iter().map(|&north| self.south_of(middle, north)).collect();
            let all = self.subsets[half - size].len();
            let width = tile_width(self.size.get()).unwrap_or(all);
            for start in (0..all).step_by(width) {
                let south = start..all.min(start + width);
                let sets: usize = spans.iter().map(|span| common(span, &south).len()).sum();
                if sets > 0 {
                    section.tiles.push(Tile { size, south, before: section.sets });
                    section.sets += sets as u64;
                }
            }
        }
        section
    }

    /// The ranks of the south sets that symmetry leaves for a north set.
    fn south_of(&self, middle: Middle, north: u32) -> Range<usize> {
        let (half, count) = (self.half(), north.count_ones() as usize);
        let sets = &self.subsets[half - count];
        match middle {
            Middle::Crossed { column, .. } if north >> (column - 1) & 1 == 1 => 0..0,
            Middle::Crossed { .. } => 0..sets.len(),
            Middle::None | Middle::Centre if 2 * count > half => 0..0,
            Middle::None | Middle::Centre => {
                let first = if 2 * count == half { sets.partition_point(|&south| south < north) } else { 0 };
                // Beyond the mirror image of the north [`Halves::mirror`] is 0.
                let image = !north & ((1 << half) - 1);
                let end =
                    if middle == Middle::None { sets.len() } else { sets.partition_point(|&south| south <= image) };
                first..end.max(first)
            }
        }
    }

    /// The row sets of a section from this one on, in order.
    fn row_sets_from(&self, section: &RowSets, first: u64) -> impl Iterator<Item = (u32, u32)> {
        let start = section.tiles.partition_point(|tile| tile.before <= first).saturating_sub(1);
        let tiles = &section.tiles[start..];
        let mut skip = tiles.first().map_or(0, |tile| first - tile.before) as usize;
        let norths = tiles.iter().flat_map(|tile| self.subsets[tile.size].iter().map(move |&north| (tile, north)));
        let of_norths = norths.filter_map(move |(tile, north)| {
            let ranks = common(&self.south_of(section.middles[0], north), &tile.south);
            let skipped = skip.min(ranks.len());
            skip -= skipped;
            let souths = &self.subsets[self.half() - tile.size][ranks][skipped..];
            (!souths.is_empty()).then_some((north, souths))
        });
        of_norths.flat_map(|(north, souths)| souths.iter().map(move |&south| (north, south)))
    }

    /// The tasks of a unit from this one on, in order, with their weights.
    pub(crate) fn row_sets(&self, unit: usize, from: u64) -> impl Iterator<Item = (Halves, u64)> {
        let Unit { section, first, tasks } = self.units[unit];
        let (section, start) = (&self.sections[section], first + from);
        let middles = section.middles.len() as u64;
        let weighted = self.row_sets_from(section, start / middles).flat_map(move |(north, south)| {
            section.middles.iter().map(move |&middle| self.weighted(middle, north, south))
        });
        weighted.skip((start % middles) as usize).take(tasks.saturating_sub(from) as usize)
    }

    fn weighted(&self, middle: Middle, north: u32, south: u32) -> (Halves, u64) {
        let halves = Halves { half: self.half() as u8, middle, north, south };
        let upside_down = if north == south { 1 } else { 2 };
        let weight = match middle {
            Middle::None => upside_down,
            Middle::Centre => upside_down * halves.mirror(),
            Middle::Crossed { .. } => 8,
        };
        (halves, weight)
    }

    fn half(&self) -> usize {
        self.size.get() / 2
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

impl Plan for HalvesPlan {
    fn fingerprint(&self) -> String {
        format!("halves/2 N={}", self.size)
    }

    fn units(&self) -> usize {
        self.units.len()
    }

    fn tasks(&self, unit: usize) -> u64 {
        self.units[unit].tasks
    }

    fn unit(&self, unit: usize, from: u64) -> Box<dyn Iterator<Item = Weighted> + '_> {
        let tasks = self.row_sets(unit, from);
        Box::new(tasks.map(|(halves, weight)| Weighted { task: Task::Halves(halves, ANYWHERE), weight }))
    }

    /// While they share the quadrants of a board.
    fn shares_lists(&self) -> bool {
        self.size.get() <= GROUPED_UP_TO
    }

    /// While they do, a group is all tasks with the same middle column.
    fn group(&self, unit: usize) -> usize {
        if self.sections.len() > 1 && self.shares_lists() { self.units[unit].section } else { unit }
    }

    /// The number of tasks of one north set in a tile: one for each south set and each place of the middle row's queen.
    /// A run lists a north quadrant once for so many tasks, the south quadrants of a tile once for all its north sets,
    /// and the east once for all such places. If every task listed them anew, listing would take most of the time (0.85
    /// of it for N = 19), and next to none for large halves.
    fn tasks_sharing_lists(&self) -> u64 {
        let middles = self.sections.iter().map(|section| section.middles.len()).max().unwrap_or(1);
        if self.half() >= LONG_TASKS {
            return if middles > 1 { middles as u64 } else { 0 };
        }
        (middles * tile_width(self.size.get()).unwrap_or(1)) as u64
    }
}

#[cfg(test)]
mod tests;
