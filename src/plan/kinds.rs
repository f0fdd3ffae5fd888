//! The kinds of engine: what each counts, and which of them is the fastest.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::HalvesPlan;
use crate::board::{Placement, Size};
use crate::names::{self, ValueError};

/// The kinds of engine.
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

/// A description of an engine.
#[derive(Debug)]
#[non_exhaustive]
pub struct EngineInfo {
    /// The kind of engine.
    pub kind: EngineKind,
    /// Its name on the command line and in results.
    pub name: &'static str,
    /// The sizes that it counts.
    pub sizes: RangeInclusive<usize>,
    /// The largest N that it counts in about a second on one core; tests stop there.
    pub quick: usize,
}

/// Every engine that counts all solutions, fastest first.
pub static ENGINES: &[EngineInfo] = &[
    EngineInfo { kind: EngineKind::Join, name: "join", sizes: HalvesPlan::SIZES, quick: 17 },
    EngineInfo { kind: EngineKind::Backtrack, name: "backtrack", sizes: 0..=Size::MAX, quick: 16 },
    EngineInfo { kind: EngineKind::Naive, name: "naive", sizes: 0..=Size::MAX, quick: 11 },
];

impl EngineKind {
    /// Its description.
    pub fn info(self) -> &'static EngineInfo {
        ENGINES.iter().find(|info| info.kind == self).expect("every engine has a line")
    }

    /// Whether it counts the solutions that begin with these queens.
    pub(crate) fn counts(self, prefix: &Placement) -> bool {
        self != Self::Join || (prefix.is_empty() && HalvesPlan::SIZES.contains(&prefix.size().get()))
    }

    /// The fastest engine for the solutions that begin with these queens. It depends on the board alone, so that shards
    /// begun on different machines are of one engine. Backtracking is faster than the oracle at every size.
    pub fn fastest(prefix: &Placement) -> Self {
        if Self::Join.counts(prefix) && prefix.size().get() >= JOIN_FROM { Self::Join } else { Self::Backtrack }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.info().name)
    }
}

impl FromStr for EngineKind {
    type Err = ValueError;

    /// Reads a kind as it is displayed.
    fn from_str(name: &str) -> Result<Self, ValueError> {
        names::read(name, &[Self::Join, Self::Backtrack, Self::Naive])
    }
}

/// The smallest N that the join counts faster than backtracking. Backtracking needs no tables. On one thread of a Zen 4
/// in vectors, the join takes 4 times as long at N = 13, about as long at N = 14, and 0.7 of the time at N = 15; in
/// portable code it takes 0.3 of backtracking's time at N = 13 already.
const JOIN_FROM: usize = 14;
