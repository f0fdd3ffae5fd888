//! The rows that the queen of each column may have.

use crate::board::{Placement, PlacementError, Size, Square};

/// The rows that the queen of each column may be in: all of them, or one where a queen is placed.
///
/// To find the solutions that have given queens is known as *n-queens completion* (Gent, Jefferson, Nightingale 2017).
///
/// ```
/// use queens::{AllowedRows, Size, Solutions, Square};
/// let eight = Size::new(8)?;
/// let allowed = AllowedRows::from(eight).with(Square::parse("4,2", eight)?)?.with(Square::parse("8,4", eight)?)?;
/// assert_eq!(Solutions::new(allowed).count(), 3);
/// # Ok::<(), queens::PlacementError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllowedRows {
    size: Size,
    /// The row of the queen in each column, from 1; 0 if the column is empty.
    rows: [u8; Size::MAX],
}

impl AllowedRows {
    /// These queens and one more; a queen that is there already may be named again.
    ///
    /// # Errors
    /// If the square is outside the board, or a queen attacks the new one.
    pub fn with(mut self, queen: Square) -> Result<Self, PlacementError> {
        queen.check(self.size)?;
        if self.queens().any(|other| other == queen) {
            return Ok(self);
        }
        self.queens().try_for_each(|other| other.check_apart(queen))?;
        self.rows[queen.column - 1] = queen.row as u8;
        Ok(self)
    }

    /// The board.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// The queens that are placed.
    pub fn queens(&self) -> impl Iterator<Item = Square> + '_ {
        let rows = self.rows.iter().enumerate().filter(|&(_, &row)| row > 0);
        rows.map(|(column, &row)| Square { column: column + 1, row: row.into() })
    }

    /// The rows of a column, from 0, as a set, without those that a queen of another column attacks.
    pub(crate) fn rows(&self, column: usize) -> u32 {
        self.queens().fold(self.size.all_rows(), |rows, queen| {
            let (row, distance) = (1u64 << (queen.row - 1), (queen.column - 1).abs_diff(column));
            let attacked = (row | row << distance | row >> distance) as u32;
            rows & if distance == 0 { attacked } else { !attacked }
        })
    }
}

/// Every row in every column.
impl From<Size> for AllowedRows {
    fn from(size: Size) -> Self {
        Self { size, rows: [0; Size::MAX] }
    }
}

/// One row in each of the first columns.
impl From<Placement> for AllowedRows {
    fn from(placement: Placement) -> Self {
        let mut allowed = Self::from(placement.size());
        for queen in placement.squares() {
            allowed.rows[queen.column - 1] = queen.row as u8;
        }
        allowed
    }
}
