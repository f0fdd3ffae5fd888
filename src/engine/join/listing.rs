//! The two sides of a task as lists: inner queens are placed first, then the halves with these queens are joined from
//! north and south quadrants, in batches if there are many.

use std::ops::Range;

use super::keys::{Keys, NorthSouth};
use super::quadrant::LongDiagonal::{self, Free, Taken};
use super::quadrant::{InnerRows, Shape, signature};
use super::table::{Half, Quadrants, build_is_west};
use crate::engine::binomial;
use crate::engine::lanes::{Kernels, Partners};
use crate::engine::split::{FirstPieces, Grouped, GroupedLists};
use crate::plan::{Halves, InnerSquares, MAX_DEPTH, MIDDLES_TOGETHER_UP_TO, Middle};

/// The lists of the probe side, one per weight.
pub(super) const WEIGHTS: usize = 3;

/// The inner queens of a half, one per free inner column, with the number of runs that they leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct InnerQueens {
    rows: [InnerRows; 2],
    /// The keys of each queen, innermost first, then zeros.
    keys: FirstPieces,
    /// The number of column sets of the north's other queens.
    sets: usize,
}

/// Places the inner queens of a half column by column, so that placements with equal first queens are neighbours.
struct InnerSearch<'a> {
    keys: Keys,
    shape: Shape,
    rows: [u32; 2],
    /// The rows allowed for the queen of each column.
    squares: &'a [[u32; 2]; MAX_DEPTH],
    out: &'a mut Vec<InnerQueens>,
}

impl InnerSearch<'_> {
    /// Places queens in the free rows of this column and of those after it. `heights` holds, per earlier column, twice
    /// its queen's distance south of the middle.
    fn column(&mut self, column: usize, inner: InnerQueens, heights: [Option<i32>; MAX_DEPTH], free: [u32; 2]) {
        let shape = self.shape;
        if column == shape.depth {
            let sets = |side: usize| shape.sets(self.rows[side].count_ones() as usize, inner.rows[side]);
            let [north, south] = [sets(0), sets(1)];
            // Complementary sets are equally many. If one quadrant cannot have these queens, neither can the half.
            if north > 0 && south > 0 {
                self.out.push(InnerQueens { sets: north, ..inner });
            }
            return;
        }
        if shape.occupied == Some(column) {
            return self.column(column + 1, inner, heights, free);
        }
        let placed = heights[..column].iter().flatten().count();
        for side in [NorthSouth::North, NorthSouth::South] {
            let rows = self.rows[side as usize];
            let mut possible = free[side as usize] & self.squares[column][side as usize];
            while possible != 0 {
                let row = possible.trailing_zeros() as usize;
                possible &= possible - 1;
                let away = (2 * row + self.keys.gap) as i32;
                let height = if side == NorthSouth::North { -away } else { away };
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
    /// Appends the halves with these inner queens, with or without a queen on the long diagonal in the north and in the
    /// south. `ranks` selects the north's other columns among the sets of their size, in increasing order. The south
    /// has the complement, which is as far from the end of its own list: with three sets a < b < c in the north, a goes
    /// with the last of the south's, b with the middle one.
    fn append(
        &self,
        kernels: &dyn Kernels,
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
        // Each placement of the shorter list is compared with its partners in the other.
        let one = usize::from(stream[1].len() < stream[0].len());
        let stream = &quadrants[one].patterns[stream[one].clone()];
        kernels.join_quadrants(stream, Partners { patterns: &quadrants[1 - one].patterns, starts: runs[1 - one] }, out);
    }

    /// Appends the west halves of an even board with these inner queens to one list per weight: 4, 2 and 1. Halves
    /// without a queen on a long diagonal have the weight of [`Halves::mirror`].
    fn append_west(&self, kernels: &dyn Kernels, inner: &InnerQueens, mirror: u64, west: &mut [Grouped; WEIGHTS]) {
        let [four, two, one] = west.each_mut().map(|list| &mut list.patterns);
        if mirror > 0 {
            let list = if mirror == 2 { &mut *two } else { one };
            self.append(kernels, inner, [Free; 2], 0..inner.sets, list);
        }
        let (below, equal) = self.ranks_below(NorthSouth::North, inner);
        self.append(kernels, inner, [Taken, Free], 0..below, four);
        self.append(kernels, inner, [Taken, Free], below..below + equal, two);
        let (below, equal) = self.ranks_below(NorthSouth::South, inner);
        let (end, equal_end) = (inner.sets, inner.sets - below);
        self.append(kernels, inner, [Free, Taken], equal_end..end, four);
        self.append(kernels, inner, [Free, Taken], equal_end - equal..equal_end, two);
        self.append(kernels, inner, [Taken, Taken], 0..end, four);
    }

    /// For a quadrant with a queen on the long diagonal: how many of its column sets, in order, are smaller than its
    /// row set, and whether the next one equals it (1 or 0).
    fn ranks_below(&self, side: NorthSouth, inner: &InnerQueens) -> (usize, usize) {
        let (bound, held) = (self.quadrants[side as usize].rows, inner.rows[side as usize]);
        let count = bound.count_ones() - held.iter().filter(|&&row| row > 0).count() as u32;
        let low = held.iter().enumerate().map(|(column, &row)| u32::from(row > 0) << column).sum::<u32>();
        // A signature's runs differ only in the outer columns. In their order, those below the row set come first.
        let (outer_bound, low_bound) = (bound >> self.shape.depth, bound & ((1 << self.shape.depth) - 1));
        let smaller = rank_of(outer_bound, count);
        let same = outer_bound.count_ones() == count;
        (smaller + usize::from(same && low < low_bound), usize::from(same && low == low_bound))
    }
}

/// Appends the halves with these inner queens to the first list; if runs distinguish them, only `Free` ones.
fn append_free<const LISTS: usize>(
    half: &Half,
    kernels: &dyn Kernels,
    inner: &InnerQueens,
    out: &mut [Grouped; LISTS],
) {
    half.append(kernels, inner, [Free; 2], 0..inner.sets, &mut out[0].patterns);
}

/// The number of sets of `size` elements that are smaller than `bound` as numbers.
fn rank_of(bound: u32, size: u32) -> usize {
    let bits = (0..32).rev().filter(|bit| bound >> bit & 1 == 1);
    // For each bit of the bound: the sets that agree with it above this bit and lack the bit itself.
    bits.zip((0..=size as usize).rev()).map(|(bit, left)| binomial(bit, left) as usize).sum()
}

/// Approximate batch sizes of the build and the probe side. Only N = 28 (20 to 90 million halves on the build side, up
/// to 20 million per innermost queen on the probe side) and a few row sets of N = 26 need several batches. Each extra
/// one costs 1.4 s of the 5 minutes of the largest tasks, because the probe side is listed again.
pub(super) const BATCH: [usize; 2] = [12 << 20, 6 << 20];

/// Minimum probe batch: innermost queens are added until it is reached. One queen at a time was 10 % slower at N = 22
/// and 24; all at once up to 10 % slower at 25, because the lists then exceed the L2 cache.
const PROBE_BATCH: usize = 1 << 18;

/// Lists all ways to place the inner queens of the west or the east on these squares.
fn place_inner(quadrants: &Quadrants, west: bool, squares: &InnerSquares, out: &mut Vec<InnerQueens>) {
    let ((keys, shape, rows), squares) = (quadrants.side(west), &squares[usize::from(!west)]);
    out.clear();
    let none = InnerQueens { rows: [[0; MAX_DEPTH]; 2], keys: [0; MAX_DEPTH], sets: 0 };
    InnerSearch { keys, shape, rows, squares, out }.column(0, none, [None; MAX_DEPTH], rows);
}

/// Refills the lists with halves for these inner queens, one group each. Stops at `enough` halves after the last group
/// of an innermost queen, or at `batch` after any group. Returns the number of groups.
fn refill<const LISTS: usize>(
    kernels: &dyn Kernels,
    quadrants: &mut Quadrants,
    is_west: bool,
    inner: &[InnerQueens],
    [enough, batch]: [usize; 2],
    side: &mut GroupedLists<LISTS>,
    append: impl Fn(&Half, &dyn Kernels, &InnerQueens, &mut [Grouped; LISTS]),
) -> usize {
    let length = |lists: &[Grouped; LISTS]| lists.iter().map(|list| list.patterns.len()).sum::<usize>();
    side.clear();
    let GroupedLists { lists, pieces } = side;
    for queen in inner.chunk_by(|a, b| a.keys[0] == b.keys[0]) {
        let half = quadrants.half(is_west, queen[0].rows);
        for inner in queen {
            append(&half, kernels, inner, lists);
            for list in &mut *lists {
                list.close(kernels);
            }
            pieces.push(inner.keys);
            if length(lists) >= batch {
                return pieces.len();
            }
        }
        if length(lists) >= enough {
            break;
        }
        // Reserve the expected total: while a list doubles, its old copy is still in memory.
        for patterns in lists.iter_mut().map(|list| &mut list.patterns) {
            let expected = patterns.len() * inner.len() / pieces.len();
            patterns.reserve(expected.min(enough).saturating_sub(patterns.len()));
        }
    }
    pieces.len()
}

/// The lists of one thread's task, with the quadrants and inner queens that they are made of.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub(super) quadrants: Quadrants,
    pub(super) build_inner: Vec<InnerQueens>,
    pub(super) build: GroupedLists<1>,
    pub(super) probe_inner: Vec<InnerQueens>,
    pub(super) probe: GroupedLists<WEIGHTS>,
    /// The east halves of an odd board, before filtering by the middle row's queen. `east_groups` are their inner
    /// queens in `probe_inner`; `east_of` is the middle column, rows and inner squares for which both are valid.
    east: GroupedLists<1>,
    east_groups: Range<usize>,
    east_of: Option<(u8, [u32; 2], InnerSquares)>,
}

impl Lists {
    /// Lists all ways to place a task's inner queens on these squares; its quadrants must be prepared.
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

    /// Lists a batch of build halves, from the inner queens at `start` on. Returns the number of groups.
    pub(super) fn list_build(&mut self, kernels: &dyn Kernels, batch: usize, task: &Halves, start: usize) -> usize {
        let (is_west, inner) = (build_is_west(task.middle), &self.build_inner[start..]);
        refill(kernels, &mut self.quadrants, is_west, inner, [batch; 2], &mut self.build, append_free)
    }

    /// Lists a batch of probe halves, from the inner queens at `start` on. Returns the number of groups.
    pub(super) fn list_probe(&mut self, kernels: &dyn Kernels, batch: usize, task: &Halves, start: usize) -> usize {
        let Self { quadrants, probe_inner, probe, east, east_groups, .. } = self;
        let (inner, most) = (&probe_inner[start..], [batch.min(PROBE_BATCH), batch]);
        match task.middle {
            Middle::None => refill(kernels, quadrants, true, inner, most, probe, |half, kernels, inner, west| {
                half.append_west(kernels, inner, task.mirror(), west);
            }),
            Middle::Centre => refill(kernels, quadrants, true, inner, most, probe, append_free),
            Middle::Crossed { row, .. } => {
                if !east_groups.contains(&start) {
                    // Listed once for all positions of the middle row's queen, while their tasks are consecutive.
                    let most = if usize::from(task.half) <= MIDDLES_TOGETHER_UP_TO { [usize::MAX; 2] } else { most };
                    *east_groups = start..start + refill(kernels, quadrants, false, inner, most, east, append_free);
                }
                let first = start - east_groups.start;
                let mut groups = first..first;
                for queen in east.pieces[first..].chunk_by(|a, b| a[0] == b[0]) {
                    groups.end += queen.len();
                    if east.lists[0].group_patterns(&groups).len() >= most[0] {
                        break;
                    }
                }
                probe.clear();
                probe.pieces.extend(&east.pieces[groups.clone()]);
                let (attacked, [list, others @ ..]) = (quadrants.side(false).0.middle_row_queen(row), &mut probe.lists);
                list.retain(kernels, &east.lists[0], groups.clone(), &probe.pieces, attacked);
                for list in others {
                    groups.clone().for_each(|_| list.close(kernels));
                }
                groups.len()
            }
        }
    }
}
