//! The kinds of engine: the boards of each, and the fastest for a board.

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
    /// Arrays and plain recursion, the reference engine.
    Naive,
}

named!(EngineKind { Join: "join", Backtrack: "backtrack", Naive: "naive" });

impl EngineKind {
    /// The board sizes that the engine counts.
    pub const fn sizes(self) -> RangeInclusive<usize> {
        match self {
            Self::Join => HalvesPlan::SIZES,
            Self::Backtrack | Self::Naive => 0..=Size::MAX,
        }
    }

    /// The largest N that takes about a second on one core; tests stop there.
    pub const fn quick(self) -> usize {
        match self {
            Self::Join => 17,
            Self::Backtrack => 16,
            Self::Naive => 11,
        }
    }

    pub(crate) fn counts(self, prefix: &Placement) -> bool {
        self != Self::Join || (prefix.is_empty() && self.sizes().contains(&prefix.size().get()))
    }

    /// The fastest engine for the solutions that begin with these queens. It depends only on the placement, so that
    /// shards started on different machines use the same engine. The reference engine is never the fastest.
    pub fn fastest(prefix: &Placement) -> Self {
        if Self::Join.counts(prefix) && prefix.size().get() >= JOIN_FROM { Self::Join } else { Self::Backtrack }
    }
}

/// The smallest N for the join, which must make tables first. On one thread of a Zen 4 with vectors, the join takes 4
/// times as long as backtracking at N = 13, about as long at N = 14, and 30 % less at N = 15. In portable code it takes
/// 70 % less at N = 13.
const JOIN_FROM: usize = 14;
