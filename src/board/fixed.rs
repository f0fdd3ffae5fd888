//! Queens that are fixed on any squares of a board.

use std::fmt;
use std::iter;

use crate::board::{Placement, PlacementError, Size, Square};

/// Queens on any squares of a board, none attacking another. A [`Placement`] is the special case in which they fill the first
/// columns.
///
/// To find the solutions that have these queens is known as *n-queens completion* (Gent, Jefferson, Nightingale 2017).
///
/// ```
/// use queens::{FixedQueens, Placement, Size, Solutions, Square};
/// let eight = Size::new(8)?;
/// let queens = ["4,2", "h5"].map(|text| Square::parse(text, eight));
/// let fixed = queens.into_iter().try_fold(FixedQueens::from(Placement::empty(eight)), |fixed, queen| fixed.with(queen?))?;
/// assert_eq!(fixed.to_string(), "4,2 8,4");
/// let solutions: Vec<Placement> = Solutions::completions(fixed).collect();
/// assert!(solutions.iter().all(|solution| fixed.is_part_of(solution)));
/// assert_eq!(solutions.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FixedQueens {
    size: Size,
    /// The row of the queen in each column, from 1; 0 if the column is empty.
    rows: [u8; Size::MAX],
}

impl FixedQueens {
    /// These queens and one more.
    ///
    /// # Errors
    /// If the square is outside the board, or a queen attacks the new one.
    pub fn with(mut self, queen: Square) -> Result<Self, PlacementError> {
        queen.check(self.size)?;
        if self.row(queen.column) == Some(queen.row) {
            return Ok(self);
        }
        self.squares().try_for_each(|other| other.check_apart(queen))?;
        self.set(queen);
        Ok(self)
    }

    /// Places a queen without checking attacks.
    pub(crate) fn set(&mut self, queen: Square) {
        self.rows[queen.column - 1] = queen.row as u8;
    }

    /// The board.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// How many queens there are.
    pub fn len(&self) -> usize {
        self.squares().count()
    }

    /// Whether there is no queen at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every column holds a queen.
    pub fn is_solution(&self) -> bool {
        self.len() == self.size.get()
    }

    /// The row of the queen in a column, both from 1.
    pub fn row(&self, column: usize) -> Option<usize> {
        Some(self.rows[column - 1]).filter(|&row| row > 0).map(usize::from)
    }

    /// The squares of the queens, column by column.
    pub fn squares(&self) -> impl Iterator<Item = Square> + '_ {
        let columns = 1..=self.size.get();
        columns.filter_map(|column| self.row(column).map(|row| Square { column, row }))
    }

    /// The queens of the first columns, up to the first empty one.
    pub fn prefix(&self) -> Placement {
        let mut prefix = Placement::empty(self.size);
        for (column, row) in (1..=self.size.get()).map_while(|column| self.row(column)).enumerate() {
            prefix.set(column, row as u32 - 1);
        }
        prefix
    }

    /// The same queens as a placement, if they fill the first columns.
    pub fn as_placement(&self) -> Option<Placement> {
        Some(self.prefix()).filter(|prefix| prefix.len() == self.len())
    }

    /// Whether a placement has all of these queens.
    pub fn is_part_of(&self, placement: &Placement) -> bool {
        let other = Self::from(*placement);
        self.squares().all(|queen| other.row(queen.column) == Some(queen.row))
    }

    /// Of the eight images under turns and reflections, which have equally many completions, the one that has its queens in the
    /// fewest first columns; these queens if none has them in fewer.
    pub(crate) fn earliest_image(&self) -> Self {
        let moved = |queens: &Self, to: &dyn Fn(Square) -> Square| {
            let mut image = Self { rows: [0; Size::MAX], ..*queens };
            queens.squares().for_each(|queen| image.set(to(queen)));
            image
        };
        let last = self.size.get() + 1;
        let turned = |queens: &Self| moved(queens, &|queen| Square { column: last - queen.row, row: queen.column });
        let reflected = |queens: &Self| moved(queens, &|queen| Square { column: queen.row, row: queen.column });
        let turns = iter::successors(Some(*self), |queens| Some(turned(queens))).take(4);
        let images = turns.flat_map(|queens| [queens, reflected(&queens)]);
        let columns = |image: &Self| image.squares().last().map_or(0, |queen| queen.column);
        images.min_by_key(columns).expect("there are eight")
    }

    /// The queens with top and bottom exchanged.
    #[must_use]
    pub fn upside_down(mut self) -> Self {
        for row in self.rows.iter_mut().filter(|row| **row > 0) {
            *row = self.size.get() as u8 + 1 - *row;
        }
        self
    }
}

impl From<Placement> for FixedQueens {
    fn from(placement: Placement) -> Self {
        let mut fixed = Self { size: placement.size(), rows: [0; Size::MAX] };
        placement.squares().for_each(|queen| fixed.set(queen));
        fixed
    }
}

/// As a placement if they fill the first columns, `158`, else by column and row, `4,2 8,5`.
impl fmt::Display for FixedQueens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(placement) = self.as_placement() {
            return placement.fmt(f);
        }
        let squares: Vec<String> = self.squares().map(|queen| format!("{},{}", queen.column, queen.row)).collect();
        f.write_str(&squares.join(" "))
    }
}

impl fmt::Debug for FixedQueens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FixedQueens({self} on {0}×{0})", self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eight() -> Size {
        Size::new(8).unwrap()
    }

    #[test]
    fn squares_are_read_by_numbers_and_as_in_chess() {
        let square = |text| Square::parse(text, eight()).map(|queen| (queen.column, queen.row));
        assert_eq!([square("4,2"), square("d7"), square(" D7 "), square("4, 2")], [const { Ok((4, 2)) }; 4]);
        assert_eq!([square("a1"), square("h8"), square("8,8")], [Ok((1, 8)), Ok((8, 1)), Ok((8, 8))]);
        let refused = |text| square(text).unwrap_err().to_string();
        for text in ["", "4", "d", "4,2,1", "4,x", "dd4", "+4,2", "d+4", "ä4"] {
            assert!(refused(text).contains("is not a square"), "{text}");
        }
        assert!(
            refused("9,1").ends_with("columns go from 1 to 8") && refused("0,1").ends_with("columns go from 1 to 8")
        );
        assert!(refused("1,9").ends_with("rows go from 1 to 8"));
        for text in ["a9", "a0", "i1", "Z9"] {
            assert_eq!(refused(text), format!("{text} is outside the board; its squares are a1 to h8"));
        }
        // Letters name only 26 columns.
        let square = |text, n| Square::parse(text, Size::new(n).unwrap()).is_ok();
        assert!(square("z26", 26) && !square("a1", 27) && square("27,27", 27) && !square("a1", 0));
    }

    #[test]
    fn queens_that_attack_each_other_are_refused() {
        let fixed = FixedQueens::from(Placement::empty(eight())).with(Square { column: 4, row: 2 }).unwrap();
        let error = |column, row| fixed.with(Square { column, row }).unwrap_err().to_string();
        assert!(error(4, 5).ends_with("share a column"));
        assert!(error(1, 2).ends_with("share a row") && error(1, 5).ends_with("share a diagonal"));
        assert!(error(9, 1).ends_with("columns go from 1 to 8"));
        assert_eq!(fixed.with(Square { column: 4, row: 2 }), Ok(fixed), "the same queen again");
    }

    #[test]
    fn the_earliest_image_has_the_fewest_first_columns() {
        let earliest = |squares: &[(usize, usize)]| {
            let with = |fixed: FixedQueens, &(column, row)| fixed.with(Square { column, row }).unwrap();
            squares.iter().fold(Placement::empty(eight()).into(), with).earliest_image().to_string()
        };
        assert_eq!([earliest(&[]), earliest(&[(1, 5)]), earliest(&[(4, 5)])], ["", "5", "4,5"]);
        assert_eq!([earliest(&[(8, 4)]), earliest(&[(4, 8)]), earliest(&[(6, 5)])], ["5", "4", "3,4"]);
        assert_eq!([earliest(&[(2, 6), (1, 4)]), earliest(&[(8, 3), (7, 6)])], ["46", "63"]);
        assert_eq!(earliest(&[(1, 1), (8, 7)]), "1,1 7,8");
    }

    #[test]
    fn a_placement_is_a_special_case() {
        let placement = Placement::parse("158", eight()).unwrap();
        let fixed = FixedQueens::from(placement);
        assert_eq!((fixed.as_placement(), fixed.to_string(), fixed.len()), (Some(placement), "158".to_owned(), 3));
        let more = fixed.with(Square { column: 6, row: 7 }).unwrap();
        assert_eq!((more.as_placement(), more.prefix()), (None, placement));
        assert_eq!(more.upside_down().to_string(), "1,8 2,4 3,1 6,2");
    }
}
