//! The size of a board.

use std::fmt;
use std::str::FromStr;

use crate::names::ValueError;

/// The number of columns and of rows of a board: 0 to 32.
///
/// ```
/// use queens::Size;
/// assert_eq!(Size::new(8)?.get(), 8);
/// assert!(Size::new(33).is_err());
/// # Ok::<(), queens::ValueError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(u8);

impl Size {
    /// The largest board: a row set fits a `u32`.
    pub const MAX: usize = 32;

    /// A size of `n` columns and rows; fails if `n` is more than [`Size::MAX`].
    pub fn new(n: usize) -> Result<Self, ValueError> {
        if n <= Self::MAX { Ok(Self(n as u8)) } else { Err(Self::error()) }
    }

    fn error() -> ValueError {
        ValueError(format!("N is a whole number from 0 to {}", Self::MAX))
    }

    /// The number of columns.
    pub const fn get(self) -> usize {
        self.0 as usize
    }

    pub(crate) const fn all_rows(self) -> u32 {
        ((1u64 << self.0) - 1) as u32
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Size {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        text.parse().map_err(|_| Self::error()).and_then(Self::new)
    }
}
