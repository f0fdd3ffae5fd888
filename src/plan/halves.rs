//! Row sets for the join: the rows of the queens in the east half.
//!
//! A board is halved at its middle column into an east and a west half of h = ⌊N/2⌋ columns. A task fixes the rows of
//! the east queens; the west queens take the other rows. Rows are numbered from the middle: bit i of `north` is the
//! i-th row above it, bit i of `south` the i-th below, both from 0. So turning the board upside down swaps `north` and
//! `south`, and the east-west mirror complements both.
//!
//! Symmetry leaves a part of the row sets; `docs/join.md` explains why, and `src/audit/auditor.rs` proves it:
//!
//! - **Even N.** A row set or its upside-down image is kept: the set with fewer rows in the north or, if they have
//!   equally many, with the smaller north. Its weight is 2, or 1 if it is its own image. The other symmetries are in
//!   the engine's weights of half boards.
//! - **Odd N, a queen in the centre.** One of up to four images of a row set is kept. Its weight is their number.
//! - **Odd N, centre empty.** The row sets of each [`Middle::Crossed`] are all kept, with weight 8.

use std::ops::{Range, RangeInclusive};

use super::{Plan, Task, Weighted};
use crate::board::Size;

/// The queens of the middle column and the middle row, the centre lines of a board with odd N.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Middle {
    /// Even N: there are no such lines.
    None,
    /// One queen on both lines, in the centre.
    Centre,
    /// One `column` squares north of the centre, one `row` squares west of it, with 1 ≤ `column` < `row`.
    Crossed { column: u8, row: u8 },
}

/// A task of the join: all solutions whose east queens are in these rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Halves {
    /// Columns of a half, ⌊N/2⌋.
    pub(crate) half: u8,
    /// The queens on the lines between the halves.
    pub(crate) middle: Middle,
    /// Rows of the east queens above the middle.
    pub(crate) north: u32,
    /// Rows of the east queens below the middle.
    pub(crate) south: u32,
}

/// The most inner columns of a half, and so the most queens or pieces that a list of patterns is split by.
pub(crate) const MAX_DEPTH: usize = 4;

/// The allowed rows of the queen in each inner column, of the west and of the east half: a set of rows north of the
/// middle and a set south of it, bit i for the i-th row from it.
pub(crate) type InnerSquares = [[[u32; 2]; MAX_DEPTH]; 2];

pub(crate) const ANYWHERE: InnerSquares = [[[!0; 2]; MAX_DEPTH]; 2];

/// All row sets for one way to fill the centre lines, or for several that differ only in the middle row's queen.
#[derive(Clone)]
struct RowSets {
    /// The ways to fill the centre lines; each row set has one task per way.
    middles: Vec<Middle>,
    tiles: Vec<Tile>,
    sets: u64,
}

/// The row sets with some consecutive south sets, ordered by their north sets. A north quadrant is listed once per
/// tile, and the south quadrants of a narrow tile are few enough to be kept in memory.
///
/// ```text
///        south  0 1 2 3   4 5 6 7 ..
///   north 0     > > > > | > > > > ..      two tiles of four south sets; here a south set must not be smaller than the
///   north 1       > > > | > > > > ..      north set, so the first tile lacks a corner
///   north 2         > > | > > > > ..
/// ```
#[derive(Clone)]
struct Tile {
    /// The number of rows in each of its north sets.
    size: usize,
    /// The ranks of its south sets among the sets of their size.
    south: Range<usize>,
    /// The number of row sets of the section before this tile.
    before: u64,
}

struct Unit {
    section: usize,
    tasks: u64,
    first: u64,
}

/// All solutions of one board, in tasks by the rows of the east queens.
pub(crate) struct HalvesPlan {
    size: Size,
    sections: Vec<RowSets>,
    units: Vec<Unit>,
    /// The subsets of h rows by size, each size in increasing order.
    subsets: Vec<Vec<u32>>,
}

/// The fewest units of a plan with enough tasks: enough for every thread of a large machine.
const MIN_UNITS: u64 = 4096;

/// The most tasks of a unit, for even and odd N. On average, a task of N = 28 takes 13 s on a Zen 5 and a minute on a
/// Zen 3; N = 27 has twenty times as many tasks, each a hundred times shorter. So a ledger has at most 100,000 units,
/// each of hours at most.
const MAX_TASKS: [u64; 2] = [256, 4096];

/// The largest board whose quadrants are all kept, for all threads. They take 130 MB, and 70 MB at N = 19, where each
/// place of the middle row's queen has its own. N = 21 would take ten times that, N = 22 1.1 GB. (Larger allocations,
/// each for many row sets, took more memory and made N = 18 4 % slower.)
pub(crate) const ALL_CACHED_UP_TO: usize = 20;

/// The number of south sets in a tile, or `None` for all of them. Up to N = 20 all quadrants fit in memory. Above, each
/// thread keeps the south quadrants of one tile, 20 to 50 MB. From N = 26, listing them anew takes less than 1 % of the
/// time, and keeping them would take hundreds of megabytes.
pub(crate) fn tile_width(n: usize) -> Option<usize> {
    match n {
        ..=ALL_CACHED_UP_TO | 26.. => None,
        21 => Some(32),
        22 | 23 => Some(8),
        24 | 25 => Some(4),
    }
}

/// The largest half for which the tasks of a row set, one per place of the middle row's queen, follow one another, so
/// that the east is listed once for all of them. For larger halves, listing takes a negligible share of the time.
pub(crate) const MIDDLES_TOGETHER_UP_TO: usize = 12;

/// The smallest half whose tasks are timed one at a time, because listing their quadrants anew takes at most about a
/// tenth of the time. At N = 24, single tasks gave 38 core hours and sharing groups 33.5, but far fewer groups fit in
/// the time.
const SINGLE_TASKS_FROM: usize = 12;

impl HalvesPlan {
    /// The board sizes of the join. Smaller boards have too few columns; the keys of larger halves do not fit in a
    /// word.
    pub(crate) const SIZES: RangeInclusive<usize> = 5..=28;

    pub(crate) fn new(size: Size) -> Self {
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
        let tasks = plan.sections.iter().map(|section| section.sets * section.middles.len() as u64);
        let tasks: Vec<u64> = tasks.collect();
        let length = (tasks.iter().sum::<u64>() / MIN_UNITS).clamp(1, MAX_TASKS[odd]);
        for (section, tasks) in tasks.into_iter().enumerate() {
            let unit = |first| Unit { section, tasks: length.min(tasks - first), first };
            plan.units.extend((0..tasks).step_by(length as usize).map(unit));
        }
        plan
    }

    /// The row sets that symmetry leaves with these centre-line queens; they depend only on the middle column's.
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
                // For south sets beyond the mirror image of the north, [`Halves::mirror`] is 0.
                let image = !north & ((1 << half) - 1);
                let end =
                    if middle == Middle::None { sets.len() } else { sets.partition_point(|&south| south <= image) };
                first..end.max(first)
            }
        }
    }

    /// The row sets of a section from number `first`, in order.
    fn row_sets_from(&self, section: &RowSets, first: u64) -> impl Iterator<Item = (u32, u32)> {
        let start = section.tiles.partition_point(|tile| tile.before <= first).saturating_sub(1);
        let tiles = &section.tiles[start..];
        let mut skip = tiles.first().map_or(0, |tile| first - tile.before) as usize;
        let norths = tiles.iter().flat_map(|tile| self.subsets[tile.size].iter().map(move |&north| (tile, north)));
        let with_souths = norths.filter_map(move |(tile, north)| {
            let ranks = common(&self.south_of(section.middles[0], north), &tile.south);
            let skipped = skip.min(ranks.len());
            skip -= skipped;
            let souths = &self.subsets[self.half() - tile.size][ranks][skipped..];
            (!souths.is_empty()).then_some((north, souths))
        });
        with_souths.flat_map(|(north, souths)| souths.iter().map(move |&south| (north, south)))
    }

    /// The tasks of a unit from number `from`, in order, with their weights.
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

fn common(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

impl Halves {
    pub(crate) fn n(&self) -> usize {
        2 * usize::from(self.half) + usize::from(self.middle != Middle::None)
    }

    /// The weight of the task's solutions without a queen on the long diagonals: 0, 1 or 2. The east-west mirror maps
    /// them to the solutions of another task, so one of the two tasks counts them twice and the other not at all.
    pub(crate) fn mirror(&self) -> u64 {
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

    /// While all quadrants of the board are shared.
    fn shares_lists(&self) -> bool {
        self.size.get() <= ALL_CACHED_UP_TO
    }

    /// While lists are shared, a group has all tasks with the same middle column's queen.
    fn group(&self, unit: usize) -> usize {
        if self.sections.len() > 1 && self.shares_lists() { self.units[unit].section } else { unit }
    }

    /// The number of tasks of one north set in a tile: one per south set and place of the middle row's queen. A run
    /// lists a north quadrant once for all of them, the south quadrants once per tile, and the east once for all such
    /// places. Otherwise listing would take most of the time (85 % at N = 19), but little for large halves.
    fn tasks_sharing_lists(&self) -> u64 {
        let middles = self.sections.iter().map(|section| section.middles.len()).max().unwrap_or(1);
        if self.half() >= SINGLE_TASKS_FROM {
            return if middles > 1 { middles as u64 } else { 0 };
        }
        (middles * tile_width(self.size.get()).unwrap_or(1)) as u64
    }
}

#[cfg(test)]
mod tests;
