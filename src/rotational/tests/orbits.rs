//! The oracle: places whole orbits of queens, two queens for a half turn and four for a quarter turn.
//!
//! Squares are (column c, row r) from 0, diagonals are numbered r+c and r-c+N-1. Three facts keep the search small:
//!
//! - The turn leaves the set of taken rows and diagonals unchanged, so if one queen fits, its images fit too.
//! - A queen and its images attack each other only on the two long diagonals (and, on an odd board, on the middle row
//!   and column). So these lines count as taken from the start; on an odd board the queen in the centre takes them.
//! - A quarter turn maps the column of a queen to the row of its image, so the filled columns are also the taken rows.

use crate::board::Size;
use crate::plan::Weighted;

use crate::board::Rotation;

/// A board whose queens are whole orbits of a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrbitBoard {
    rotation: Rotation,
    size: Size,
    columns: u32,
    rows: u32,
    sums: u64,
    differences: u64,
}

impl OrbitBoard {
    fn empty(size: Size, rotation: Rotation) -> Self {
        let n = size.get();
        if n == 0 {
            return Self { rotation, size, columns: 0, rows: 0, sums: 0, differences: 0 };
        }
        let long = 1 << (n - 1);
        let centre = if n % 2 == 1 { 1 << (n / 2) } else { 0 };
        Self { rotation, size, columns: centre, rows: centre, sums: long, differences: long }
    }

    /// Columns without a queen.
    fn left(&self) -> u32 {
        self.size.all_rows() & !self.columns
    }

    /// The next column to fill: the innermost empty column left of the middle, where a queen attacks most squares.
    fn next(&self) -> usize {
        let west = (1 << (self.size.get() / 2)) - 1;
        (self.left() & west).ilog2() as usize
    }

    /// The rows of this column where a queen and its images can be placed.
    fn free(&self, column: usize) -> u32 {
        let diagonals = self.sums >> column | self.differences >> (self.size.get() - 1 - column);
        self.size.all_rows() & !(self.rows | diagonals as u32)
    }

    /// The board with a queen on this square and on its images.
    fn place(self, column: usize, row: usize) -> Self {
        let last = self.size.get() - 1;
        let (sum, difference) = (row + column, row + last - column);
        let pair = |index: usize, last: usize| 1u64 << index | 1 << (last - index);
        let (columns, rows) = (pair(column, last) as u32, pair(row, last) as u32);
        let (sums, differences) = (pair(sum, 2 * last), pair(difference, 2 * last));
        let (columns, rows, sums, differences) = match self.rotation {
            Rotation::Half => (columns, rows, sums, differences),
            Rotation::Quarter => (columns | rows, columns | rows, sums | differences, sums | differences),
        };
        Self {
            columns: self.columns | columns,
            rows: self.rows | rows,
            sums: self.sums | sums,
            differences: self.differences | differences,
            ..self
        }
    }

    /// Every board with one more orbit.
    fn children(self) -> impl Iterator<Item = Self> {
        let column = self.next();
        let mut free = self.free(column);
        std::iter::from_fn(move || {
            let row = (free != 0).then(|| free.trailing_zeros() as usize)?;
            free &= free - 1;
            Some(self.place(column, row))
        })
    }

    /// Columns that the last orbit fills.
    fn orbit(&self) -> u32 {
        match self.rotation {
            Rotation::Half => 2,
            Rotation::Quarter => 4,
        }
    }

    /// Solutions that contain these orbits.
    pub(super) fn solutions(self) -> u64 {
        let left = self.left().count_ones();
        if left == 0 {
            1
        } else if left < self.orbit() {
            // Orbits of four fill a board only if the number of its columns, without the centre, is a multiple of four.
            0
        } else if left == self.orbit() {
            // One orbit is left: each free square of its column gives one solution.
            u64::from(self.free(self.next()).count_ones())
        } else {
            self.children().map(Self::solutions).sum()
        }
    }
}

/// The boards with the first two orbits, so that threads can share them.
///
/// Turned upside down, a solution that is unchanged by a turn is another such solution. So the first queen is placed
/// only in the upper half of its column, and each board stands for two, except a board that is full from the start.
pub(super) fn boards(size: Size, rotation: Rotation) -> Vec<Weighted<OrbitBoard>> {
    let empty = OrbitBoard::empty(size, rotation);
    if empty.left() == 0 {
        return vec![Weighted { task: empty, weight: 1 }];
    }
    let column = empty.next();
    let upper = (0..size.get() / 2).filter(|row| empty.free(column) >> row & 1 == 1);
    let first = upper.map(|row| empty.place(column, row));
    let second = first.flat_map(|board| if board.left() == 0 { vec![board] } else { board.children().collect() });
    second.map(|task| Weighted { task, weight: 2 }).collect()
}
