//! Queens on the first columns of a board: reading, printing, and an attack check that shares nothing with the engines.

use std::fmt;

use crate::board::Size;

/// Queens on the first columns of a board, one in each column, none attacking another.
///
/// A placement is written as in chess problems: the row of the queen in column 1, in column 2 and so on, with rows
/// counted from 1 at the top. Up to N = 9 it is written in digits, as in `158`, beyond that with commas, as in `1,5,8`;
/// commas are read for every N. Placements on one board are in lexicographic order, a partial placement before its
/// completions.
///
/// ```
/// use queens::{Placement, Size};
/// let eight = Size::new(8)?;
/// let solution = Placement::parse("15863724", eight)?;
/// assert!(solution.is_solution());
/// assert_eq!(solution.to_string(), "15863724");
/// let attacked = Placement::parse("12", eight).unwrap_err();
/// assert_eq!(
///     attacked.to_string(),
///     "the queens in column 1, row 1 and column 2, row 2 share a diagonal"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    size: Size,
    /// Rows from 0. The rows of empty columns stay 0, so that equality and order can be derived.
    rows: [u8; Size::MAX],
    /// Declared after the rows, so that the derived order compares it last: it distinguishes only a placement from its
    /// continuation in row 1.
    filled: u8,
}

/// A square of a board, column and row counted from 1, rows from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Square {
    /// Column, from 1.
    pub column: usize,
    /// Row, from 1.
    pub row: usize,
}

impl Square {
    /// Reads `4,2`, the column and the row.
    ///
    /// # Errors
    /// If the text is not two numbers, or the square is outside the board.
    pub fn parse(text: &str, size: Size) -> Result<Self, PlacementError> {
        let number = |text: &str| text.trim().parse().ok();
        let numbers = text.split_once(',').and_then(|(column, row)| number(column).zip(number(row)));
        let (column, row) = numbers.ok_or_else(|| PlacementError::NotASquare(text.to_owned()))?;
        let square = Self { column, row };
        square.check(size).map(|()| square)
    }

    /// Fails if it is outside the board.
    pub(crate) fn check(self, size: Size) -> Result<(), PlacementError> {
        let board = 1..=size.get();
        match (board.contains(&self.column), board.contains(&self.row)) {
            (true, true) => Ok(()),
            (false, _) => Err(PlacementError::NoColumn(self, size)),
            (true, false) => Err(PlacementError::OutOfBoard(self, size)),
        }
    }

    /// Fails if queens on the two squares attack each other.
    pub(crate) fn check_apart(self, other: Self) -> Result<(), PlacementError> {
        let (across, down) = (self.column.abs_diff(other.column), self.row.abs_diff(other.row));
        match (across, down) {
            (0, _) => Err(PlacementError::Attack(self, other, "column")),
            (_, 0) => Err(PlacementError::Attack(self, other, "row")),
            _ if across == down => Err(PlacementError::Attack(self, other, "diagonal")),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}, row {}", self.column, self.row)
    }
}

/// Why something is not a placement of queens that do not attack each other.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum PlacementError {
    /// Nothing was given.
    #[error("a placement names at least one queen, as in 158 or 1,5,8")]
    Empty,
    /// A part is not a row number.
    #[error("'{0}' is not a row; a placement is digits (N up to 9) or numbers separated by commas, as in 158 or 1,5,8")]
    NotARow(String),
    /// Digits without commas can't name rows past 9.
    #[error("for N above 9, rows are separated by commas, as in 1,3,5")]
    NeedsCommas,
    /// More queens than columns.
    #[error("{queens} queens are more than the {size} columns of the board")]
    TooMany { queens: usize, size: Size },
    /// A row beyond the board.
    #[error("the queen in {0} is outside the board; rows go from 1 to {1}")]
    OutOfBoard(Square, Size),
    /// Not a square.
    #[error("'{0}' is not a square; it is written column,row, as in 4,2")]
    NotASquare(String),
    /// A column beyond the board.
    #[error("the queen in {0} is outside the board; columns go from 1 to {1}")]
    NoColumn(Square, Size),
    /// Two queens attack each other.
    #[error("the queens in {0} and {1} share a {2}")]
    Attack(Square, Square, &'static str),
}

impl Placement {
    /// A board of this size without queens.
    pub const fn empty(size: Size) -> Self {
        Self { size, filled: 0, rows: [0; Size::MAX] }
    }

    /// Queens in columns 1, 2 and so on, in the given rows, counted from 1.
    ///
    /// # Errors
    /// If there are more queens than columns, a row is outside the board, or two queens attack each other.
    pub fn new(size: Size, rows: &[usize]) -> Result<Self, PlacementError> {
        if rows.len() > size.get() {
            return Err(PlacementError::TooMany { queens: rows.len(), size });
        }
        let mut placement = Self::empty(size);
        for &row in rows {
            placement = placement.with(row)?;
        }
        Ok(placement)
    }

    /// Reads `15863724` or `1,5,8,6,3,7,2,4`. If there are fewer rows than columns, they are those of the first
    /// columns.
    ///
    /// # Errors
    /// If the text is not a list of rows, or as for [`Placement::new`].
    pub fn parse(text: &str, size: Size) -> Result<Self, PlacementError> {
        Self::new(size, &Self::read_rows(text, size.get() <= 9)?)
    }

    /// Reads a placement on the smallest board that has its columns and its rows: 8×8 for `158`.
    pub fn parse_alone(text: &str) -> Result<Self, PlacementError> {
        let rows = Self::read_rows(text, text.trim().len() <= 9)?;
        let n = rows.iter().copied().fold(rows.len(), usize::max).min(Size::MAX);
        Self::new(Size::new(n).expect("N is at most the largest"), &rows)
    }

    /// Reads rows separated by commas; on small boards each digit of a text without commas is a row.
    fn read_rows(text: &str, is_small: bool) -> Result<Vec<usize>, PlacementError> {
        let text = text.trim();
        let digits_alone = text.bytes().all(|byte| byte.is_ascii_digit());
        if text.is_empty() {
            Err(PlacementError::Empty)
        } else if digits_alone && is_small {
            Ok(text.bytes().map(|digit| usize::from(digit - b'0')).collect())
        } else if digits_alone && text.len() > 2 {
            Err(PlacementError::NeedsCommas)
        } else {
            let row = |part: &str| part.parse().map_err(|_| PlacementError::NotARow(part.to_owned()));
            text.split(',').map(|part| row(part.trim())).collect()
        }
    }

    /// This placement with a queen in the next column, in `row` counted from 1.
    ///
    /// # Errors
    /// If the board is full, the row is outside it, or a queen attacks the new one.
    pub fn with(self, row: usize) -> Result<Self, PlacementError> {
        let filled = self.len();
        if filled == self.size.get() {
            return Err(PlacementError::TooMany { queens: filled + 1, size: self.size });
        }
        let new = Square { column: filled + 1, row };
        new.check(self.size)?;
        self.squares().try_for_each(|old| old.check_apart(new))?;
        let mut next = self;
        next.rows[filled] = row as u8 - 1;
        next.filled += 1;
        Ok(next)
    }

    /// This placement with one more queen in the next column, once for each row where no queen attacks it, in order:
    /// 152, 157 and 158 for 15 on 8×8.
    pub fn extensions(self) -> impl Iterator<Item = Self> {
        (1..=self.size.get()).filter_map(move |row| self.with(row).ok())
    }

    /// The placement with top and bottom exchanged.
    #[must_use]
    pub fn upside_down(self) -> Self {
        let mut image = Self::empty(self.size);
        for (column, row) in self.rows().enumerate() {
            image.set(column, (self.size.get() - row) as u32);
        }
        image
    }

    /// Places a queen without checking attacks; column and row count from 0.
    pub(crate) fn set(&mut self, column: usize, row: u32) {
        self.rows[column] = row as u8;
        self.filled = self.filled.max(column as u8 + 1);
    }

    /// The board.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// How many columns hold a queen.
    pub const fn len(&self) -> usize {
        self.filled as usize
    }

    /// Whether there is no queen at all.
    pub const fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// Whether every column holds a queen.
    pub fn is_solution(&self) -> bool {
        self.len() == self.size.get()
    }

    /// The rows, counted from 1, column by column.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.rows[..self.len()].iter().map(|&row| usize::from(row) + 1)
    }

    /// The squares of the queens.
    pub fn squares(&self) -> impl Iterator<Item = Square> + '_ {
        self.rows().enumerate().map(|(column, row)| Square { column: column + 1, row })
    }
}

/// As it is displayed: `15863724`.
#[cfg(feature = "serde")]
impl serde::Serialize for Placement {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comma = if self.size.get() > 9 { "," } else { "" };
        self.rows().enumerate().try_for_each(|(column, row)| write!(f, "{}{row}", if column > 0 { comma } else { "" }))
    }
}

impl fmt::Debug for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Placement({self} on {0}×{0})", self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn size(n: usize) -> Size {
        Size::new(n).unwrap()
    }

    #[test]
    fn reads_both_forms_and_prints_the_natural_one() {
        assert_eq!(Placement::parse("1,5,8", size(8)).unwrap().to_string(), "158");
        assert_eq!(Placement::parse(" 1, 3,5 ", size(12)).unwrap().to_string(), "1,3,5");
        assert_eq!(Placement::parse("12", size(12)).unwrap().to_string(), "12");
        assert_eq!(Placement::parse("7", size(12)).unwrap().len(), 1);
        assert_eq!(format!("{:?}", Placement::parse("1,3", size(9)).unwrap()), "Placement(13 on 9×9)");
    }

    #[test]
    fn errors_say_which_queens_and_why() {
        let error = |text, n| Placement::parse(text, size(n)).unwrap_err().to_string();
        assert_eq!(error("11", 8), "the queens in column 1, row 1 and column 2, row 1 share a row");
        assert_eq!(error("1,3,2", 8), "the queens in column 2, row 3 and column 3, row 2 share a diagonal");
        assert_eq!(error("19", 8), "the queen in column 2, row 9 is outside the board; rows go from 1 to 8");
        assert_eq!(error("0", 8), "the queen in column 1, row 0 is outside the board; rows go from 1 to 8");
        assert_eq!(error("135", 12), "for N above 9, rows are separated by commas, as in 1,3,5");
        assert_eq!(error("24135", 4), "5 queens are more than the 4 columns of the board");
        assert_eq!(error("241353", 4), "6 queens are more than the 4 columns of the board");
        let full = Placement::parse("2413", size(4)).unwrap();
        assert_eq!(full.with(5), Err(PlacementError::TooMany { queens: 5, size: size(4) }));
        assert_eq!(error("1", 0), "1 queens are more than the 0 columns of the board");
        assert!(error("1,,3", 8).starts_with("'' is not a row"));
        assert!(error("1x", 8).starts_with("'1x' is not a row"));
        assert!(error("", 8).starts_with("a placement names at least one queen"));
    }

    #[test]
    fn a_placement_alone_names_its_board() {
        let alone = |text| Placement::parse_alone(text).map(|p| (p.to_string(), p.size().get()));
        assert_eq!(alone("15863724"), Ok(("15863724".into(), 8)));
        assert_eq!(alone("158"), Ok(("158".into(), 8)));
        assert_eq!(alone("1, 12"), Ok(("1,12".into(), 12)));
        assert_eq!(alone("1"), Ok(("1".into(), 1)));
        let beyond = Square { column: 1, row: 33 };
        assert_eq!(alone("33,1"), Err(PlacementError::OutOfBoard(beyond, size(32))));
        assert_eq!(alone(""), Err(PlacementError::Empty));
        assert_eq!(alone("a"), Err(PlacementError::NotARow("a".into())));
        assert_eq!(alone("a1,2"), Err(PlacementError::NotARow("a1".into())));
        assert_eq!(alone("a1"), Err(PlacementError::NotARow("a1".into())));
        assert_eq!(alone("136824975"), Ok(("136824975".into(), 9)));
        assert_eq!(alone("1352468135"), Err(PlacementError::NeedsCommas));
        assert_eq!(alone(&"13".repeat(20)), Err(PlacementError::NeedsCommas), "a number of 40 digits");
    }

    #[test]
    fn the_order_is_lexicographic() {
        let placement = |text| Placement::parse(text, size(8)).unwrap();
        let ordered = ["1", "13", "15", "158", "15863724", "3", "31", "314", "42"];
        assert!(ordered.map(placement).is_sorted());
        assert!(Placement::empty(size(8)) < placement("1"));
    }

    proptest! {
        /// The incremental check agrees with painting every attacked square.
        #[test]
        fn attacks_agree_with_painting(n in 1usize..=12, rows in proptest::collection::vec(1usize..=12, 1..=12)) {
            let rows: Vec<usize> = rows.into_iter().take(n).collect();
            let mut painted = vec![vec![false; n + 1]; n + 1];
            let mut free = true;
            for (index, &row) in rows.iter().enumerate() {
                let column = index + 1;
                if row > n || painted[column][row] {
                    free = false;
                    break;
                }
                for (c, squares) in painted.iter_mut().enumerate() {
                    for (r, square) in squares.iter_mut().enumerate() {
                        *square |= r == row || c == column || r + c == row + column || r + column == row + c;
                    }
                }
            }
            prop_assert_eq!(Placement::new(size(n), &rows).is_ok(), free);
        }

        #[test]
        fn printing_and_reading_are_inverse(n in 1usize..=32, seed in proptest::collection::vec(1usize..=32, 1..8)) {
            let mut placement = Placement::empty(size(n));
            for row in seed {
                placement = placement.with(row).unwrap_or(placement);
            }
            prop_assume!(!placement.is_empty());
            prop_assert_eq!(Placement::parse(&placement.to_string(), size(n)).unwrap(), placement);
        }
    }
}
