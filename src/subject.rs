//! The subject of a count.

use crate::board::Size;
use crate::board::{Placement, Rotation, RotationalBoard};

/// The subject of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// The completions of this placement: all solutions if it is empty.
    Completions(Placement),
    /// The solutions that a turn leaves unchanged.
    Rotational(RotationalBoard),
}

impl Subject {
    /// Columns and rows of the board.
    pub fn n(&self) -> usize {
        match self {
            Self::Completions(prefix) => prefix.size().get(),
            Self::Rotational(board) => board.n(),
        }
    }

    /// The given queens, if there are any.
    pub fn prefix(&self) -> Option<Placement> {
        match self {
            Self::Completions(prefix) => Some(*prefix).filter(|prefix| !prefix.is_empty()),
            Self::Rotational(_) => None,
        }
    }

    /// The turn, if only the solutions that it leaves unchanged are counted.
    pub fn rotation(&self) -> Option<Rotation> {
        match self {
            Self::Rotational(board) => Some(board.rotation()),
            Self::Completions(_) => None,
        }
    }
}

/// `n`, and where there are any, the given queens as `prefix` and the turn as `symmetry`.
#[cfg(feature = "serde")]
impl serde::Serialize for Subject {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut subject = serializer.serialize_struct("Subject", 3)?;
        subject.serialize_field("n", &self.n())?;
        subject.serialize_field("prefix", &self.prefix())?;
        subject.serialize_field("symmetry", &self.rotation().map(Rotation::name))?;
        subject.end()
    }
}

/// All solutions on a board of this size.
impl From<Size> for Subject {
    fn from(size: Size) -> Self {
        Self::Completions(Placement::empty(size))
    }
}

impl From<Placement> for Subject {
    fn from(prefix: Placement) -> Self {
        Self::Completions(prefix)
    }
}

impl From<RotationalBoard> for Subject {
    fn from(board: RotationalBoard) -> Self {
        Self::Rotational(board)
    }
}
