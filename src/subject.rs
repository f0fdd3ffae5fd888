//! The subject of a count.

use crate::board::Size;
use crate::board::placement::Placement;
use crate::board::rotation::{Rotation, RotationalBoard};
use crate::tally::Tally;

/// The subject of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// The completions of this placement: all solutions if it is empty.
    Completions(Placement),
    /// The solutions that a turn leaves unchanged.
    Rotational(RotationalBoard),
    /// The number of placements of k queens on the first k columns, for each k from 0 to N: a row of OEIS A319284. Its
    /// last number is the number of solutions, and its sum is the number of nodes of a plain backtracking search.
    Profile(Size),
}

impl Subject {
    /// Columns and rows of the board.
    pub fn n(&self) -> usize {
        match self {
            Self::Completions(prefix) => prefix.size().get(),
            Self::Rotational(board) => board.n(),
            Self::Profile(size) => size.get(),
        }
    }

    /// The given queens, if there are any.
    pub fn prefix(&self) -> Option<Placement> {
        match self {
            Self::Completions(prefix) => Some(*prefix).filter(|prefix| !prefix.is_empty()),
            Self::Rotational(_) | Self::Profile(_) => None,
        }
    }

    /// The turn, if only the solutions that it leaves unchanged are counted.
    pub fn rotation(&self) -> Option<Rotation> {
        match self {
            Self::Rotational(board) => Some(board.rotation()),
            Self::Completions(_) | Self::Profile(_) => None,
        }
    }

    /// The placements of 0, 1, ... N queens in all units of a profile together; empty for any other subject.
    pub fn placements(&self, total: &Tally) -> Vec<u128> {
        let Self::Profile(size) = self else { return Vec::new() };
        let n = size.get();
        let mut placements = total.fewer().to_vec();
        placements.resize(n, 0);
        placements.push(total.get());
        // The engine does not count the queens that a task begins with: there is one empty board, and the first queen
        // may be in any row.
        placements[0] = 1;
        if n > 1 {
            placements[1] = n as u128;
        }
        placements
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
