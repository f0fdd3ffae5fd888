//! Queens on the first columns of a board: parsing, printing, and an attack check that shares no code with the engines.

use std::fmt;
use std::str::FromStr;

use super::size::Size;

/// Queens on the first columns of a board, one in each column, none attacking another.
///
/// A placement is written as the rows of its queens in columns 1, 2 and so on, counted from 1 at the top: digits up to
/// N = 9, as in `158`, numbers with commas for larger boards, as in `1,5,8`. Commas are accepted for every N.
/// Placements on one board are in lexicographic order, a partial placement before its completions.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    size: Size,
    /// The row of the queen in each column, from 1; 0 if there is none.
    rows: [u8; Size::MAX],
}

/// A square of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square {
    /// Column, from 1.
    pub column: usize,
    /// Row, from 1 at the top.
    pub row: usize,
}

/// Parses `4,2`, a column and a row, of any board.
impl FromStr for Square {
    type Err = PlacementError;

    fn from_str(text: &str) -> Result<Self, PlacementError> {
        let number = |text: &str| text.trim().parse().ok();
        let numbers = text.split_once(',').and_then(|(column, row)| number(column).zip(number(row)));
        numbers.map(|(column, row)| Self { column, row }).ok_or_else(|| PlacementError::NotASquare(text.to_owned()))
    }
}

impl Square {
    /// Fails if the square is outside a board of this size.
    pub fn check(self, size: Size) -> Result<(), PlacementError> {
        let board = 1..=size.get();
        let is_there = board.contains(&self.column) && board.contains(&self.row);
        if is_there { Ok(()) } else { Err(PlacementError::Outside(self, size)) }
    }

    /// Fails if queens on the two squares attack each other.
    pub fn check_apart(self, other: Self) -> Result<(), PlacementError> {
        if self.line_to(other).is_some() { Err(PlacementError::Attack(self, other)) } else { Ok(()) }
    }

    /// The kind of line that both squares share.
    fn line_to(self, other: Self) -> Option<&'static str> {
        match (self.column.abs_diff(other.column), self.row.abs_diff(other.row)) {
            (0, _) => Some("column"),
            (_, 0) => Some("row"),
            (across, down) => (across == down).then_some("diagonal"),
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}, row {}", self.column, self.row)
    }
}

/// Why a placement or a square is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum PlacementError {
    /// Not a list of rows.
    #[error("'{0}' is not a placement; write digits up to N = 9, as in 158, or numbers with commas, as in 1,5,8")]
    NotAPlacement(String),
    /// Not a square.
    #[error("'{0}' is not a square; write column,row, as in 4,2")]
    NotASquare(String),
    /// A square outside the board.
    #[error("the queen in {0} is outside the board; columns and rows go from 1 to {1}")]
    Outside(Square, Size),
    /// Two queens attack each other.
    #[error("the queens in {0} and {1} share a {line}", line = .0.line_to(*.1).unwrap_or("square"))]
    Attack(Square, Square),
}

impl Placement {
    /// A board of this size without queens.
    pub const fn empty(size: Size) -> Self {
        Self { size, rows: [0; Size::MAX] }
    }

    /// Queens in columns 1, 2 and so on, in the given rows, counted from 1. Fails if a queen is outside the board or
    /// two attack each other.
    pub fn new(size: Size, rows: &[usize]) -> Result<Self, PlacementError> {
        rows.iter().try_fold(Self::empty(size), |placement, &row| placement.with(row))
    }

    /// Parses `15863724` or `1,5,8,6,3,7,2,4`. Fewer rows than columns are the rows of the first columns.
    pub fn parse(text: &str, size: Size) -> Result<Self, PlacementError> {
        Self::new(size, &Self::read_rows(text, size.get() <= 9)?)
    }

    /// Parses a placement on the smallest board that fits: 8×8 for `158`.
    pub fn parse_alone(text: &str) -> Result<Self, PlacementError> {
        let rows = Self::read_rows(text, text.trim().len() <= 9)?;
        let n = rows.iter().copied().fold(rows.len(), usize::max).min(Size::MAX);
        Self::new(Size::new(n).expect("N is at most 32"), &rows)
    }

    /// Parses rows separated by commas; on small boards, each digit of a text without commas is a row.
    fn read_rows(text: &str, is_small: bool) -> Result<Vec<usize>, PlacementError> {
        let text = text.trim();
        let are_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if are_digits && is_small {
            return Ok(text.bytes().map(|digit| usize::from(digit - b'0')).collect());
        }
        let rows: Option<Vec<usize>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
        // Without this test, `135` on a large board would be row 135 and not missing commas.
        let is_read = !are_digits || text.len() <= 2;
        rows.filter(|_| is_read).ok_or_else(|| PlacementError::NotAPlacement(text.to_owned()))
    }

    /// This placement with a queen in the next column, in `row` counted from 1.
    fn with(mut self, row: usize) -> Result<Self, PlacementError> {
        let new = Square { column: self.len() + 1, row };
        new.check(self.size)?;
        self.squares().try_for_each(|old| old.check_apart(new))?;
        self.set(new.column, row);
        Ok(self)
    }

    /// All placements with one more queen in the next column, in order of its row: 152, 157 and 158 for 15 on 8×8.
    pub fn extensions(self) -> impl Iterator<Item = Self> {
        (1..=self.size.get()).filter_map(move |row| self.with(row).ok())
    }

    /// Places a queen without checking attacks.
    pub(crate) fn set(&mut self, column: usize, row: usize) {
        self.rows[column - 1] = row as u8;
    }

    /// The board.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// The number of queens.
    pub fn len(&self) -> usize {
        self.rows().count()
    }

    /// Whether there is no queen.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every column has a queen.
    pub fn is_solution(&self) -> bool {
        self.len() == self.size.get()
    }

    /// The rows, counted from 1, column by column.
    pub fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.iter().take_while(|&&row| row > 0).map(|&row| row.into())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::cases;

    fn size(n: usize) -> Size {
        Size::new(n).unwrap()
    }

    #[test]
    fn both_forms_are_parsed_and_the_usual_one_is_printed() {
        assert_eq!(Placement::parse("1,5,8", size(8)).unwrap().to_string(), "158");
        assert_eq!(Placement::parse(" 1, 3,5 ", size(12)).unwrap().to_string(), "1,3,5");
        assert_eq!(Placement::parse("12", size(12)).unwrap().to_string(), "12");
        assert_eq!(Placement::parse("7", size(12)).unwrap().len(), 1);
    }

    #[test]
    fn errors_say_which_queens_and_why() {
        let error = |text, n| Placement::parse(text, size(n)).unwrap_err().to_string();
        assert_eq!(error("11", 9), "the queens in column 1, row 1 and column 2, row 1 share a row");
        assert_eq!(error("1,3,2", 8), "the queens in column 2, row 3 and column 3, row 2 share a diagonal");
        let outside =
            |queen, n| format!("the queen in {queen} is outside the board; columns and rows go from 1 to {n}");
        assert_eq!(error("19", 8), outside("column 2, row 9", 8));
        assert_eq!(error("0", 8), outside("column 1, row 0", 8));
        assert_eq!(error("24135", 4), outside("column 5, row 5", 4));
        assert_eq!(error("241353", 4), outside("column 5, row 5", 4));
        assert_eq!(error("1", 0), outside("column 1, row 1", 0));
        for (text, n) in [("", 8), ("", 12), ("1,,3", 8), ("1x", 8), ("135", 12)] {
            assert!(error(text, n).starts_with(&format!("'{text}' is not a placement; write digits")), "{text}");
        }
    }

    #[test]
    fn a_placement_without_a_size_has_the_smallest_board() {
        let alone = |text| Placement::parse_alone(text).map(|p| (p.to_string(), p.size().get()));
        assert!(matches!(alone("11"), Err(PlacementError::Attack(..))), "two rows need two columns");
        assert_eq!(alone("158"), Ok(("158".into(), 8)));
        assert_eq!(alone("1, 12"), Ok(("1,12".into(), 12)));
        assert_eq!(alone("1"), Ok(("1".into(), 1)));
        assert_eq!(alone("33,1"), Err(PlacementError::Outside(Square { column: 1, row: 33 }, size(32))));
        assert_eq!(alone(" 136824975 "), Ok(("136824975".into(), 9)));
        // The last is a number of 40 digits.
        for text in ["", "a", "a1,2", "1352468135", &"13".repeat(20)] {
            assert_eq!(alone(text), Err(PlacementError::NotAPlacement(text.into())));
        }
    }

    #[test]
    fn printing_and_parsing_are_inverse() {
        for mut random in cases() {
            let n = random.usize(1..=32);
            // The first queen is never attacked.
            let mut placement = Placement::empty(size(n)).with(random.usize(1..=n)).unwrap();
            for _ in 0..random.usize(..7) {
                placement = placement.with(random.usize(1..=32)).unwrap_or(placement);
            }
            assert_eq!(Placement::parse(&placement.to_string(), size(n)).unwrap(), placement);
        }
    }
}
