//! Halves: north and south quadrants joined.

use std::ops::Range;

use super::keys::{Keys, Side};
use super::quadrant::{InnerRows, LongDiagonal, Quadrant, Shape, signature};
use crate::engine::binomial;
use crate::engine::lanes::{Lanes, Partners};
use crate::engine::split::{FirstPieces, MAX_DEPTH};

/// The inner queens of a half, one for each inner column that is free, and the runs they leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inner {
    /// Rows of the inner queens in the north and in the south.
    pub(super) rows: [InnerRows; 2],
    /// The keys of each, innermost first: those of the columns that are free, then 0.
    pub(super) keys: FirstPieces,
    /// How many column sets there are for the other queens of the north.
    pub(super) sets: usize,
}

impl Inner {
    /// Whether all are in these rows, given for each column, of a half with such row sets.
    pub(super) fn is_within(&self, allowed: &[[u32; 2]; MAX_DEPTH], rows: [u32; 2]) -> bool {
        let row = |side: usize, place: usize| (1..place).fold(rows[side], |rows, _| rows & (rows - 1)).trailing_zeros();
        (0..2).all(|side| {
            let places = self.rows[side].iter().zip(allowed);
            places.into_iter().all(|(&place, allowed)| place == 0 || allowed[side] >> row(side, place) & 1 == 1)
        })
    }
}

/// Where the inner queens are: the height of each, and its column.
type Heights = [(i32, usize); MAX_DEPTH];

/// All ways to place the inner queens of a half with these rows in north and south, those that agree in the first columns
/// side by side.
pub(super) fn inner_queens(keys: &Keys, shape: Shape, rows: [u32; 2], out: &mut Vec<Inner>) {
    out.clear();
    let inner = Inner { rows: [[0; MAX_DEPTH]; 2], keys: [0; MAX_DEPTH], sets: 0 };
    InnerSearch { keys, shape, rows, out }.column(0, 0, inner, Heights::default(), rows);
}

/// Sets the inner queens column by column.
struct InnerSearch<'a> {
    keys: &'a Keys,
    shape: Shape,
    rows: [u32; 2],
    out: &'a mut Vec<Inner>,
}

impl InnerSearch<'_> {
    /// Places the queens from this column on in the rows that are free. `set` are set already; `heights` tells for each of
    /// them twice its distance south of the middle, and its column.
    fn column(&mut self, column: usize, set: usize, inner: Inner, heights: Heights, free: [u32; 2]) {
        let shape = self.shape;
        if column == shape.depth {
            return self.finish(inner);
        }
        if shape.taken == Some(column) {
            return self.column(column + 1, set, inner, heights, free);
        }
        for side in [Side::North, Side::South] {
            let rows = self.rows[side as usize];
            for row in (0..32).filter(|row| free[side as usize] >> row & 1 == 1) {
                let away = (2 * row + self.keys.gap) as i32;
                let height = if side == Side::North { -away } else { away };
                let attacks =
                    |&(other, at): &(i32, usize)| (height - other).unsigned_abs() as usize == 2 * (column - at);
                if heights[..set].iter().any(attacks) {
                    continue;
                }
                let (mut next, mut heights, mut free) = (inner, heights, free);
                next.rows[side as usize][column] = 1 + (rows & ((1 << row) - 1)).count_ones() as usize;
                next.keys[set] = self.keys.queen(side, row, column);
                heights[set] = (height, column);
                free[side as usize] &= !(1 << row);
                self.column(column + 1, set + 1, next, heights, free);
            }
        }
    }

    fn finish(&mut self, mut inner: Inner) {
        let [north, south] =
            [0, 1].map(|side| self.shape.sets(self.rows[side].count_ones() as usize, inner.rows[side]));
        // Complementary sets are equally many; where one side can't have such queens, neither has the half.
        if north > 0 && south > 0 {
            inner.sets = north;
            self.out.push(inner);
        }
    }
}

/// Which outer queens a half may have.
pub(super) struct Outer {
    /// Whether one is on the long diagonal, in the north and in the south.
    pub(super) diagonals: [LongDiagonal; 2],
    /// Places of the north's column set among those of its size in increasing order; the south takes the complement,
    /// which is as far from the end of its own list: with three column sets a < b < c in the north, a goes with the last
    /// of the south's, b with the middle one.
    pub(super) ranks: Range<usize>,
}

/// North and south of one half.
#[derive(Clone, Copy)]
pub(super) struct Half<'a> {
    pub(super) shape: Shape,
    pub(super) north: &'a Quadrant,
    pub(super) south: &'a Quadrant,
}

impl Half<'_> {
    /// Appends the halves with these inner queens and none on a long diagonal; with any outer ones where those are not
    /// kept apart.
    pub(super) fn list<L: Lanes>(&self, lanes: L, inner: &Inner, out: &mut Vec<u64>) {
        self.list_some(lanes, inner, Outer { diagonals: [LongDiagonal::Free; 2], ranks: 0..inner.sets }, out);
    }

    /// Appends the halves with these inner queens and such outer ones.
    pub(super) fn list_some<L: Lanes>(&self, lanes: L, inner: &Inner, outer: Outer, out: &mut Vec<u64>) {
        let Outer { diagonals, ranks } = outer;
        if ranks.is_empty() {
            return;
        }
        let quadrants = [self.north, self.south];
        let runs = [0, 1].map(|side| {
            let count = quadrants[side].rows.count_ones() as usize;
            quadrants[side].runs(signature(count, inner.rows[side]), inner.sets, diagonals[side])
        });
        let ranks = [ranks.clone(), inner.sets - ranks.end..inner.sets - ranks.start];
        let stream = [0, 1].map(|side| runs[side][ranks[side].start] as usize..runs[side][ranks[side].end] as usize);
        // One placement at a time of the shorter list meets its partners in the other.
        let one = usize::from(stream[1].len() < stream[0].len());
        let stream = &quadrants[one].patterns[stream[one].clone()];
        lanes.pairs(stream, Partners { patterns: &quadrants[1 - one].patterns, starts: runs[1 - one] }, out);
    }

    /// For a side whose queen on the long diagonal is in this half: how many of its column sets, in order, are
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
    let mut left = size as usize;
    let mut rank = 0;
    for bit in (0..32).rev().filter(|bit| bound >> bit & 1 == 1) {
        // Sets that agree with the bound above this bit and lack the bit itself.
        rank += binomial(bit as usize, left) as usize;
        if left == 0 {
            return rank;
        }
        left -= 1;
    }
    rank
}
