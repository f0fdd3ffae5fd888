//! The two sides of a task as lists: inner queens first, then the halves with them, joined from north and south quadrants, in
//! batches where they are many.

use std::ops::Range;

use super::keys::{Keys, Side};
use super::quadrant::LongDiagonal::{self, Free, Taken};
use super::quadrant::{InnerRows, Shape, signature};
use super::table::{Half, Quadrants, build_is_west};
use crate::engine::binomial;
use crate::engine::lanes::{Lanes, Partners};
use crate::engine::split::{FirstPieces, Grouped, GroupedLists};
use crate::plan::{Halves, InnerSquares, MAX_DEPTH, MIDDLES_TOGETHER_UP_TO, Middle};

/// Lists of the probe side that are counted apart because they weigh differently.
pub(super) const WEIGHTS: usize = 3;

/// The inner queens of a half, one for each inner column that is free, and the runs they leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct InnerQueens {
    /// Their rows in the north and in the south.
    rows: [InnerRows; 2],
    /// The keys of each, innermost first: those of the columns that are free, then 0.
    keys: FirstPieces,
    /// How many column sets there are for the other queens of the north.
    sets: usize,
}

/// Places the inner queens of a half column by column, those that agree in the first columns side by side.
struct InnerSearch<'a> {
    keys: Keys,
    shape: Shape,
    /// The rows of the half in the north and in the south.
    rows: [u32; 2],
    /// The rows that the queen of each column may be in.
    squares: &'a [[u32; 2]; MAX_DEPTH],
    out: &'a mut Vec<InnerQueens>,
}

impl InnerSearch<'_> {
    /// Places the queens from this column on in the rows that are free. `heights` holds for each of those before twice its
    /// distance south of the middle.
    fn column(&mut self, column: usize, inner: InnerQueens, heights: [Option<i32>; MAX_DEPTH], free: [u32; 2]) {
        let shape = self.shape;
        if column == shape.depth {
            let sets = |side: usize| shape.sets(self.rows[side].count_ones() as usize, inner.rows[side]);
            let [north, south] = [sets(0), sets(1)];
            // Complementary sets are equally many; where one side can't have such queens, neither has the half.
            if north > 0 && south > 0 {
                self.out.push(InnerQueens { sets: north, ..inner });
            }
            return;
        }
        if shape.taken == Some(column) {
            return self.column(column + 1, inner, heights, free);
        }
        let placed = heights[..column].iter().flatten().count();
        for side in [Side::North, Side::South] {
            let rows = self.rows[side as usize];
            let mut possible = free[side as usize] & self.squares[column][side as usize];
            while possible != 0 {
                let row = possible.trailing_zeros() as usize;
                possible &= possible - 1;
                let away = (2 * row + self.keys.gap) as i32;
                let height = if side == Side::North { -away } else { away };
                let attacks = |(at, other): (usize, &Option<i32>)| {
                    other.is_some_and(|other| (height - other).unsigned_abs() as usize == 2 * (column - at))
                };
                if heights[..column].iter().enumerate().any(attacks) {
                    continue;
                }
                let (mut next, mut heights, mut free) = (inner, heights, free);
                next.rows[side as usize][column] = 1 + (rows & ((1 << row) - 1)).count_ones() as usize;
                next.keys[placed] = self.keys.queen(side, row, column);
                heights[column] = Some(height);
                free[side as usize] &= !(1 << row);
                self.column(column + 1, next, heights, free);
            }
        }
    }
}

impl Half<'_> {
    /// Appends the halves with these inner queens, with and without one on the long diagonal in north and south, and with
    /// some of the column sets of the other queens: the north's are at these places among those of their size in
    /// increasing order, and the south takes the complement, which is as far from the end of its own list. With three sets
    /// a < b < c in the north, a goes with the last of the south's, b with the middle one.
    fn append(
        &self,
        lanes: &dyn Lanes,
        inner: &InnerQueens,
        diagonals: [LongDiagonal; 2],
        ranks: Range<usize>,
        out: &mut Vec<u64>,
    ) {
        if ranks.is_empty() {
            return;
        }
        let quadrants = self.quadrants;
        let runs = |side: usize| {
            let count = quadrants[side].rows.count_ones() as usize;
            quadrants[side].runs(signature(count, inner.rows[side]), inner.sets, diagonals[side])
        };
        let runs = [runs(0), runs(1)];
        let ranks = [ranks.clone(), inner.sets - ranks.end..inner.sets - ranks.start];
        let stream = |side: usize| runs[side][ranks[side].start] as usize..runs[side][ranks[side].end] as usize;
        let stream = [stream(0), stream(1)];
        // One placement at a time of the shorter list meets its partners in the other.
        let one = usize::from(stream[1].len() < stream[0].len());
        let stream = &quadrants[one].patterns[stream[one].clone()];
        lanes.join_quadrants(stream, Partners { patterns: &quadrants[1 - one].patterns, starts: runs[1 - one] }, out);
    }

    /// Appends the west halves of an even board with these inner queens, apart by what they weigh: 4, 2 and 1. Those with no
    /// queen on a long diagonal weigh as [`Halves::mirror`] has it.
    fn append_west(&self, lanes: &dyn Lanes, inner: &InnerQueens, mirror: u64, west: &mut [Grouped; WEIGHTS]) {
        let [four, two, one] = west.each_mut().map(|list| &mut list.patterns);
        if mirror > 0 {
            let list = if mirror == 2 { &mut *two } else { one };
            self.append(lanes, inner, [Free; 2], 0..inner.sets, list);
        }
        let (below, equal) = self.ranks_below(Side::North, inner);
        self.append(lanes, inner, [Taken, Free], 0..below, four);
        self.append(lanes, inner, [Taken, Free], below..below + equal, two);
        let (below, equal) = self.ranks_below(Side::South, inner);
        let (end, equal_end) = (inner.sets, inner.sets - below);
        self.append(lanes, inner, [Free, Taken], equal_end..end, four);
        self.append(lanes, inner, [Free, Taken], equal_end - equal..equal_end, two);
        self.append(lanes, inner, [Taken, Taken], 0..end, four);
    }

    /// For a side whose queen on the long diagonal is in this half: how many of its column sets, in order, are
    /// smaller than its row set, and whether the next is equal to it (1 or 0).
    fn ranks_below(&self, side: Side, inner: &InnerQueens) -> (usize, usize) {
        let (bound, held) = (self.quadrants[side as usize].rows, inner.rows[side as usize]);
        let count = bound.count_ones() - held.iter().filter(|&&row| row > 0).count() as u32;
        let low = held.iter().enumerate().map(|(column, &row)| u32::from(row > 0) << column).sum::<u32>();
        // Only the sets of outer columns differ among the runs; in the order of all sets of the row set's size, those
        // below it come first.
        let (outer_bound, low_bound) = (bound >> self.shape.depth, bound & ((1 << self.shape.depth) - 1));
        let smaller = rank_of(outer_bound, count);
        let same = outer_bound.count_ones() == count;
        (smaller + usize::from(same && low < low_bound), usize::from(same && low == low_bound))
    }
}

/// Appends to the first list the halves with these inner queens and none on a long diagonal; with any outer ones where
/// those are not kept apart.
fn append_free<const LISTS: usize>(half: &Half, lanes: &dyn Lanes, inner: &InnerQueens, out: &mut [Grouped; LISTS]) {
    half.append(lanes, inner, [Free; 2], 0..inner.sets, &mut out[0].patterns);
}

/// How many sets of `size` elements are smaller than `bound`, as numbers.
fn rank_of(bound: u32, size: u32) -> usize {
    let bits = (0..32).rev().filter(|bit| bound >> bit & 1 == 1);
    // For each bit of the bound the sets that agree with it above this bit and lack the bit itself.
    bits.zip((0..=size as usize).rev()).map(|(bit, left)| binomial(bit, left) as usize).sum()
}

/// How many halves of the build and of the probe side are listed at a time, about. Only N = 28 has longer lists, of 20 to 90
/// million on the build side and up to 20 million an innermost queen on the probe side, and a few row sets of N = 26. They are
/// made in batches, of which each but the first costs 1.4 s of the 5 minutes that the largest tasks take, for the probe side
/// is listed again.
pub(super) const LONGEST: [usize; 2] = [12 << 20, 6 << 20];

/// How many halves of the probe side are enough for a list: those of as few innermost queens as have so many. One queen at a
/// time took 1.1 of the time at N = 22 and 24, and all of them up to 1.1 at 25, for then the lists leave the second-level
/// cache.
const ENOUGH: usize = 1 << 18;

/// All ways to place the inner queens of the west or the east on these squares.
fn place_inner(quadrants: &Quadrants, west: bool, squares: &InnerSquares, out: &mut Vec<InnerQueens>) {
    let ((keys, shape, rows), squares) = (quadrants.side(west), &squares[usize::from(!west)]);
    out.clear();
    let none = InnerQueens { rows: [[0; MAX_DEPTH]; 2], keys: [0; MAX_DEPTH], sets: 0 };
    InnerSearch { keys, shape, rows, squares, out }.column(0, none, [None; MAX_DEPTH], rows);
}

/// Refills the lists with halves of that side with these inner queens, a group of each list for each of them, until there are
/// `enough` after all groups of an innermost queen, or `longest` after any group. Returns how many groups.
fn refill<const LISTS: usize>(
    lanes: &dyn Lanes,
    quadrants: &mut Quadrants,
    is_west: bool,
    inner: &[InnerQueens],
    [enough, longest]: [usize; 2],
    side: &mut GroupedLists<LISTS>,
    append: impl Fn(&Half, &dyn Lanes, &InnerQueens, &mut [Grouped; LISTS]),
) -> usize {
    let length = |lists: &[Grouped; LISTS]| lists.iter().map(|list| list.patterns.len()).sum::<usize>();
    side.clear();
    let GroupedLists { lists, pieces } = side;
    for queen in inner.chunk_by(|a, b| a.keys[0] == b.keys[0]) {
        let half = quadrants.half(is_west, queen[0].rows);
        for inner in queen {
            append(&half, lanes, inner, lists);
            for list in &mut *lists {
                list.close(lanes);
            }
            pieces.push(inner.keys);
            if length(lists) >= longest {
                return pieces.len();
            }
        }
        if length(lists) >= enough {
            break;
        }
        // Room for all that is to come, for a list that grows by doubling has its former self beside it for a while.
        for patterns in lists.iter_mut().map(|list| &mut list.patterns) {
            let expected = patterns.len() * inner.len() / pieces.len();
            patterns.reserve(expected.min(enough).saturating_sub(patterns.len()));
        }
    }
    pieces.len()
}

/// The lists of one thread's task, and what they are made of.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub(super) quadrants: Quadrants,
    pub(super) build_inner: Vec<InnerQueens>,
    pub(super) build: GroupedLists<1>,
    pub(super) probe_inner: Vec<InnerQueens>,
    pub(super) probe: GroupedLists<WEIGHTS>,
    /// The east of an odd board, before it is filtered by the queen of the middle row: with which of `probe_inner`, and for
    /// which middle column, rows in north and south, and inner squares, which `probe_inner` is good for too.
    east: GroupedLists<1>,
    east_groups: Range<usize>,
    east_of: Option<(u8, [u32; 2], InnerSquares)>,
}

impl Lists {
    /// All ways to place the inner queens of a task, whose quadrants are prepared, on these squares.
    pub(super) fn begin(&mut self, task: &Halves, squares: &InnerSquares) {
        let is_west = build_is_west(task.middle);
        place_inner(&self.quadrants, is_west, squares, &mut self.build_inner);
        let of = match task.middle {
            Middle::Crossed { column, .. } => Some((column, [task.north, task.south], *squares)),
            _ => None,
        };
        if of.is_none() || self.east_of != of {
            place_inner(&self.quadrants, !is_west, squares, &mut self.probe_inner);
            (self.east_of, self.east_groups) = (of, 0..0);
        }
    }

    /// Lists halves of the build side from these inner queens on until the list is long. Returns how many groups.
    pub(super) fn list_build(&mut self, lanes: &dyn Lanes, longest: usize, task: &Halves, start: usize) -> usize {
        let (is_west, inner) = (build_is_west(task.middle), &self.build_inner[start..]);
        refill(lanes, &mut self.quadrants, is_west, inner, [longest; 2], &mut self.build, append_free)
    }

    /// Lists halves of the probe side from these inner queens on until there are enough. Returns how many groups.
    pub(super) fn list_probe(&mut self, lanes: &dyn Lanes, longest: usize, task: &Halves, start: usize) -> usize {
        let Self { quadrants, probe_inner, probe, east, east_groups, .. } = self;
        let (inner, most) = (&probe_inner[start..], [longest.min(ENOUGH), longest]);
        match task.middle {
            Middle::None => refill(lanes, quadrants, true, inner, most, probe, |half, lanes, inner, west| {
                half.append_west(lanes, inner, task.mirror(), west);
            }),
            Middle::Centre => refill(lanes, quadrants, true, inner, most, probe, append_free),
            Middle::Crossed { row, .. } => {
                if !east_groups.contains(&start) {
                    // Once for all places of the middle row's queen as long as these follow one another.
                    let most = if usize::from(task.half) <= MIDDLES_TOGETHER_UP_TO { [usize::MAX; 2] } else { most };
                    *east_groups = start..start + refill(lanes, quadrants, false, inner, most, east, append_free);
                }
                let first = start - east_groups.start;
                let mut groups = first..first;
                for queen in east.pieces[first..].chunk_by(|a, b| a[0] == b[0]) {
                    groups.end += queen.len();
                    if east.lists[0].of(&groups).len() >= most[0] {
                        break;
                    }
                }
                probe.clear();
                probe.pieces.extend(&east.pieces[groups.clone()]);
                let (attacked, [list, others @ ..]) = (quadrants.side(false).0.middle_row_queen(row), &mut probe.lists);
                list.retain(lanes, &east.lists[0], groups.clone(), &probe.pieces, attacked);
                for list in others {
                    groups.clone().for_each(|_| list.close(lanes));
                }
                groups.len()
            }
        }
    }
}
