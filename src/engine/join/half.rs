//! Halves: north and south quadrants joined.

use std::ops::Range;

use super::keys::{Keys, Side};
use super::quadrant::{Quadrant, Shape, signature};
use crate::engine::lanes::{Lanes, Partners};

/// The inner queens of a half, one for each inner column that is free, and the runs they leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inner {
    /// Rows of the inner queens in the north and in the south: 0 for none, or 1 + the place in the row set.
    pub(super) rows: [[usize; 2]; 2],
    /// The keys of the queen in the innermost column, and in the next; 0 where it has none.
    pub(super) keys: [u64; 2],
    /// How many column sets there are for the other queens of the north.
    pub(super) sets: usize,
}

/// All ways to set the inner queens of a half, those with the same innermost one side by side.
pub(super) fn inner_queens(keys: &Keys, half: &Half, out: &mut Vec<Inner>) {
    let (shape, rows) = (half.shape, [half.north.rows, half.south.rows]);
    out.clear();
    if shape.depth == 0 {
        Inner { rows: [[0; 2]; 2], keys: [0; 2], sets: 0 }.finish(shape, rows, out);
        return;
    }
    for first in queens(shape, rows, 0) {
        for second in queens(shape, rows, 1) {
            let mut inner = Inner { rows: [[0; 2]; 2], keys: [0; 2], sets: 0 };
            let [Some(a), Some(b)] = [first, second] else {
                for (column, queen) in [first, second].into_iter().enumerate() {
                    if let Some(queen) = queen {
                        inner.set(keys, column, queen);
                    }
                }
                inner.finish(shape, rows, out);
                continue;
            };
            if (a.side as usize, a.index) != (b.side as usize, b.index) {
                inner.set(keys, 0, a);
                inner.set(keys, 1, b);
                inner.finish(shape, rows, out);
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Queen {
    side: Side,
    /// Place in the row set.
    index: usize,
    row: usize,
}

/// Every queen for an inner column, or none where the column is not an inner one or is taken.
fn queens(shape: Shape, rows: [u32; 2], column: usize) -> impl Iterator<Item = Option<Queen>> {
    let free = column < shape.depth && shape.taken != Some(column);
    let queens = [Side::North, Side::South].into_iter().flat_map(move |side| {
        let set = rows[side as usize];
        let places = (0..32).filter(move |row| set >> row & 1 == 1).enumerate();
        places.map(move |(index, row)| Some(Queen { side, index, row }))
    });
    queens.filter(move |_| free).chain((!free).then_some(None))
}

impl Inner {
    fn set(&mut self, keys: &Keys, column: usize, queen: Queen) {
        self.rows[queen.side as usize][column] = queen.index + 1;
        self.keys[column] = keys.queen(queen.side, queen.row, column);
    }

    fn finish(mut self, shape: Shape, rows: [u32; 2], out: &mut Vec<Self>) {
        let [north, south] = [0, 1].map(|side| shape.sets(rows[side].count_ones() as usize, self.rows[side]));
        // Complementary sets are equally many; where one side can't have such queens, neither has the half.
        if north > 0 && south > 0 {
            self.sets = north;
            out.push(self);
        }
    }
}

/// North and south of one half.
#[derive(Clone, Copy)]
pub(super) struct Half<'a> {
    pub(super) shape: Shape,
    pub(super) north: &'a Quadrant,
    pub(super) south: &'a Quadrant,
}

impl Half<'_> {
    /// Appends the halves with these inner queens, whose north and south are of these kinds and whose north takes the
    /// column sets of these ranks.
    pub(super) fn list<L: Lanes>(
        &self,
        lanes: L,
        inner: &Inner,
        kinds: [usize; 2],
        ranks: Range<usize>,
        out: &mut Vec<u64>,
    ) {
        if ranks.is_empty() {
            return;
        }
        let quadrants = [self.north, self.south];
        let runs = [0, 1].map(|side| {
            let count = quadrants[side].rows.count_ones() as usize;
            quadrants[side].runs(signature(count, inner.rows[side]), inner.sets, kinds[side])
        });
        let ranks = [ranks.clone(), inner.sets - ranks.end..inner.sets - ranks.start];
        let stream = [0, 1].map(|side| runs[side][ranks[side].start] as usize..runs[side][ranks[side].end] as usize);
        // One placement at a time of the shorter list meets its partners in the other.
        let one = usize::from(stream[1].len() < stream[0].len());
        let stream = &quadrants[one].patterns[stream[one].clone()];
        lanes.pairs(stream, Partners { patterns: &quadrants[1 - one].patterns, starts: runs[1 - one] }, out);
    }

    /// For a side whose queen on the long diagonal stands in this half: how many of its column sets, in order, are
    /// smaller than its row set, and whether the next is equal to it (1 or 0).
    pub(super) fn ranks_below(&self, side: Side, inner: &Inner) -> (usize, usize) {
        let quadrant = [self.north, self.south][side as usize];
        let held = inner.rows[side as usize];
        let count = quadrant.rows.count_ones() - held.iter().filter(|&&row| row > 0).count() as u32;
        let low = held.iter().enumerate().map(|(column, &row)| u32::from(row > 0) << column).sum::<u32>();
        // Only the sets of outer columns differ among the runs; in the order of all sets of the row set's size, those
        // below it come first.
        let bound = quadrant.rows;
        let (outer_bound, low_bound) = (bound >> self.shape.depth, bound & ((1 << self.shape.depth) - 1));
        let smaller = rank_of(outer_bound, count);
        let same = outer_bound.count_ones() == count;
        (smaller + usize::from(same && low < low_bound), usize::from(same && low == low_bound))
    }
}

/// How many sets of `size` elements are smaller than `bound`, as numbers.
fn rank_of(bound: u32, size: u32) -> usize {
    let mut left = size;
    let mut rank = 0;
    for bit in (0..32).rev().filter(|bit| bound >> bit & 1 == 1) {
        // Sets that agree with the bound above this bit and lack the bit itself.
        rank += (0..left as usize).fold(1, |product: usize, i| product * (bit as usize).saturating_sub(i) / (i + 1));
        if left == 0 {
            return rank;
        }
        left -= 1;
    }
    rank
}
