//! Plans: a count as a deterministic, ordered list of weighted tasks; and the engines that plans are made for.
//!
//! A plan is an ordered list of *units*, each an ordered list of *tasks*. Units are saved, assigned to shards and
//! audited. One thread counts a task in one go. Runs, estimates and ledgers work on plans, not on boards.

pub(crate) mod halves;
pub(crate) mod prefixes;

pub(crate) use halves::{ANYWHERE, Halves, HalvesPlan, InnerSquares, MAX_DEPTH, MIDDLES_TOGETHER_UP_TO, Middle};
use prefixes::PrefixPlan;

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::board::{Placement, Size};
use crate::names::named;

/// A set of solutions that an engine counts in one go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Solutions that begin with these queens.
    Completions(Placement),
    /// Solutions with east queens in these rows and inner queens on these squares: all, but in audits of large tasks.
    Halves(Halves, InnerSquares),
}

/// A task and its weight, by which its count is multiplied in the total. The weight covers symmetry between tasks.
/// Symmetry within a task is up to the engine; the join, for even N, gives weights to the half boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Weighted {
    pub(crate) task: Task,
    /// The number of symmetric tasks that this one stands for, itself included.
    pub(crate) weight: u64,
}

/// The plan of a count.
pub(crate) trait Plan: Send + Sync {
    /// A line that determines the units and their tasks: the kind and version of the plan, N and the prefix.
    fn fingerprint(&self) -> String;

    /// The number of units.
    fn units(&self) -> usize;

    /// The number of tasks of a unit.
    fn tasks(&self, unit: usize) -> u64;

    /// The tasks of a unit from number `from`, in order.
    fn unit(&self, unit: usize, from: u64) -> Box<dyn Iterator<Item = Weighted> + '_>;

    /// Whether threads share lists, so that one thread's faulty list may spoil the results of all.
    fn shares_lists(&self) -> bool {
        false
    }

    /// The group of a unit. Units of a group share lists, so they are best counted one after another.
    fn group(&self, unit: usize) -> usize {
        unit
    }

    /// The number of consecutive tasks that estimates time together, so that lists are reused as in a whole run; 0 if
    /// the time of a task does not depend on the tasks before it.
    fn tasks_sharing_lists(&self) -> u64 {
        0
    }
}

impl fmt::Debug for dyn Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fingerprint())
    }
}

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

/// The plan of this engine, which must count `prefix`. Takes a millisecond or two for the largest boards.
pub(crate) fn plan_of(engine: EngineKind, prefix: &Placement) -> Arc<dyn Plan> {
    match engine {
        EngineKind::Join => Arc::new(HalvesPlan::new(prefix.size())),
        EngineKind::Backtrack | EngineKind::Naive => Arc::new(PrefixPlan::new(prefix)),
    }
}
