//! The subject of a count.

use crate::board::{FixedQueens, Placement, Rotation, RotationalBoard, Size};

/// The subject of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// The solutions that have these queens: all solutions if there are none.
    Completions(FixedQueens),
    /// The solutions that a turn leaves unchanged.
    Rotational(RotationalBoard),
}

impl Subject {
    /// Columns and rows of the board.
    pub fn n(&self) -> usize {
        match self {
            Self::Completions(fixed) => fixed.size().get(),
            Self::Rotational(board) => board.n(),
        }
    }

    /// The given queens, if there are any.
    pub fn fixed(&self) -> Option<FixedQueens> {
        match self {
            Self::Completions(fixed) => Some(*fixed).filter(|fixed| !fixed.is_empty()),
            Self::Rotational(_) => None,
        }
    }

    /// The same as a placement, if they fill the first columns.
    pub fn prefix(&self) -> Option<Placement> {
        self.fixed()?.as_placement()
    }

    /// The given queens, if they are not a [prefix](Self::prefix).
    pub fn queens(&self) -> Option<FixedQueens> {
        self.fixed().filter(|fixed| fixed.as_placement().is_none())
    }

    /// The turn, if only the solutions that it leaves unchanged are counted.
    pub fn rotation(&self) -> Option<Rotation> {
        match self {
            Self::Rotational(board) => Some(board.rotation()),
            Self::Completions(_) => None,
        }
    }
}

/// `n`, and where there are any, the given queens as `prefix` or as `queens`, and the turn as `symmetry`.
#[cfg(feature = "serde")]
impl serde::Serialize for Subject {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut subject = serializer.serialize_struct("Subject", 4)?;
        subject.serialize_field("n", &self.n())?;
        subject.serialize_field("prefix", &self.prefix())?;
        subject.serialize_field("queens", &self.queens().map(|queens| queens.to_string()))?;
        subject.serialize_field("symmetry", &self.rotation().map(Rotation::name))?;
        subject.end()
    }
}

/// All solutions on a board of this size.
impl From<Size> for Subject {
    fn from(size: Size) -> Self {
        Placement::empty(size).into()
    }
}

impl From<Placement> for Subject {
    fn from(prefix: Placement) -> Self {
        Self::Completions(prefix.into())
    }
}

impl From<FixedQueens> for Subject {
    fn from(fixed: FixedQueens) -> Self {
        Self::Completions(fixed)
    }
}

impl From<RotationalBoard> for Subject {
    fn from(board: RotationalBoard) -> Self {
        Self::Rotational(board)
    }
}
