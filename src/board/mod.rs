//! The board as bit sets: the occupied rows, and the rows of the next column that diagonals attack.
//!
//! Columns are filled from left to right. Bit `i` of every set stands for row `i + 1`. For the next column, every
//! falling diagonal moves one row down and every rising diagonal one row up: one shift of each set.

mod placement;
mod size;
mod symmetry;

pub use placement::{Placement, PlacementError, Square};
pub use size::Size;
pub use symmetry::{Orbit, Rotation, Symmetry};

/// A board with one queen in each of its first columns, none attacking another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Board {
    pub(crate) size: Size,
    pub(crate) filled: usize,
    pub(crate) rows: u32,
    /// Rows of the next column that a diagonal attacks which runs down to the right.
    pub(crate) down: u32,
    /// Rows of the next column that a diagonal attacks which runs up to the right.
    pub(crate) up: u32,
}

impl Board {
    pub(crate) fn empty(size: Size) -> Self {
        Self { size, filled: 0, rows: 0, down: 0, up: 0 }
    }

    pub(crate) fn of(placement: &Placement) -> Self {
        placement.rows().fold(Self::empty(placement.size()), |board, row| board.place(1 << (row - 1)))
    }

    pub(crate) fn free(&self) -> u32 {
        self.size.all_rows() & !(self.rows | self.down | self.up)
    }

    /// The number of ways to fill this many more columns.
    pub(crate) fn ways(self, columns: usize) -> u64 {
        let mut free = self.free();
        match columns {
            0 => return 1,
            1 => return free.count_ones().into(),
            _ => {}
        }
        let mut ways = 0;
        while free != 0 {
            ways += self.place(free & free.wrapping_neg()).ways(columns - 1);
            free &= free - 1;
        }
        ways
    }

    /// The board with a queen in the next column; `row` is a set of one row.
    pub(crate) fn place(self, row: u32) -> Self {
        Self {
            size: self.size,
            filled: self.filled + 1,
            rows: self.rows | row,
            down: (self.down | row) << 1,
            up: (self.up | row) >> 1,
        }
    }
}
