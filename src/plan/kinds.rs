//! The kinds of engine: what each counts, and which of them is the fastest.

use std::ops::RangeInclusive;

use super::HalvesPlan;
use crate::board::{Placement, Size};
use crate::names::named;

/// The kinds of engine, fastest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum EngineKind {
    /// Joining half boards.
    Join,
    /// Bitboard backtracking.
    Backtrack,
    /// Arrays and plain recursion, the oracle.
    Naive,
}

named!(EngineKind { Join: "join", Backtrack: "backtrack", Naive: "naive" });

impl EngineKind {
    /// The sizes of board that it counts.
    pub const fn sizes(self) -> RangeInclusive<usize> {
        match self {
            Self::Join => HalvesPlan::SIZES,
            Self::Backtrack | Self::Naive => 0..=Size::MAX,
        }
    }

    /// The largest N that it counts in about a second on one core; tests stop there.
    pub const fn quick(self) -> usize {
        match self {
            Self::Join => 17,
            Self::Backtrack => 16,
            Self::Naive => 11,
        }
    }

    /// Whether it counts the solutions that begin with these queens.
    pub(crate) fn counts(self, prefix: &Placement) -> bool {
        self != Self::Join || (prefix.is_empty() && self.sizes().contains(&prefix.size().get()))
    }

    /// The fastest engine for the solutions that begin with these queens. It depends on the board alone, so that shards
    /// begun on different machines are of one engine. Backtracking is faster than the oracle at every size.
    pub fn fastest(prefix: &Placement) -> Self {
        if Self::Join.counts(prefix) && prefix.size().get() >= JOIN_FROM { Self::Join } else { Self::Backtrack }
    }
}

/// The smallest N that the join counts faster than backtracking. Backtracking needs no tables. On one thread of a Zen 4
/// in vectors, the join takes 4 times as long at N = 13, about as long at N = 14, and 0.7 of the time at N = 15; in
/// portable code it takes 0.3 of backtracking's time at N = 13 already.
const JOIN_FROM: usize = 14;
