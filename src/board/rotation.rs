//! The two turns of a board, and the sizes of board on which the solutions that they leave unchanged can be counted.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::oeis::{self, Sequence};

/// A turn of the board about its centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rotation {
    /// By 180 degrees.
    Half,
    /// By 90 degrees. The direction does not matter: a solution that one leaves unchanged, the other does too.
    Quarter,
}

impl Rotation {
    /// The sizes of board that can be counted.
    pub const fn sizes(self) -> RangeInclusive<usize> {
        match self {
            // Beyond, the lists of a task would fill the memory.
            Self::Half => 0..=38,
            // Beyond, the keys of a task do not fit in a pattern, see `rotational`.
            Self::Quarter => 0..=77,
        }
    }

    /// The published terms: A032522 or A033148.
    pub fn sequence(self) -> &'static Sequence {
        match self {
            Self::Half => &oeis::HALF_TURN,
            Self::Quarter => &oeis::QUARTER_TURN,
        }
    }

    /// Its name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::Quarter => "quarter",
        }
    }
}

impl fmt::Display for Rotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Rotation {
    type Err = UnknownRotation;

    fn from_str(text: &str) -> Result<Self, UnknownRotation> {
        let found = [Self::Half, Self::Quarter].into_iter().find(|rotation| rotation.name() == text);
        found.ok_or_else(|| UnknownRotation(text.to_owned()))
    }
}

/// No turn has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown turn '{0}'; choose half or quarter")]
pub struct UnknownRotation(pub String);

/// A turn and the size of a board. These boards can be larger than a [`Size`](crate::Size).
///
/// ```
/// use queens::{Rotation, RotationalBoard};
/// assert_eq!(RotationalBoard::new(Rotation::Quarter, 68)?.n(), 68);
/// assert!(RotationalBoard::new(Rotation::Half, 68).is_err());
/// # Ok::<(), queens::RotationalBoardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotationalBoard {
    rotation: Rotation,
    n: usize,
}

/// The board is too large for this turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("solutions unchanged by a {rotation} turn are counted for N = 0 to {}, not {n}", rotation.sizes().end())]
pub struct RotationalBoardError {
    rotation: Rotation,
    n: usize,
}

impl RotationalBoard {
    /// A board of `n` columns and rows, which must be in [`Rotation::sizes`].
    pub fn new(rotation: Rotation, n: usize) -> Result<Self, RotationalBoardError> {
        if rotation.sizes().contains(&n) { Ok(Self { rotation, n }) } else { Err(RotationalBoardError { rotation, n }) }
    }

    /// The turn.
    pub const fn rotation(self) -> Rotation {
        self.rotation
    }

    /// Columns and rows.
    pub const fn n(self) -> usize {
        self.n
    }
}
