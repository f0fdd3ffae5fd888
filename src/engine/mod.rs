//! Engines: pure functions from a task to a count, and the table of them.
//!
//! An engine knows nothing of threads, plans, files or printing. [`ENGINES`] drives the command line, the tests and
//! the benchmarks; [`Choice::for_problem`] is the one place that picks by size.

pub mod backtrack;
pub mod join;
pub mod lanes;
pub mod naive;

use std::fmt;
use std::str::FromStr;

use crate::placement::Placement;

/// Counts the solutions that a task stands for.
pub trait Engine: Sync {
    /// What is counted.
    type Task;

    /// Buffers that one thread keeps from task to task. They never change a result.
    type Worker: Send;

    /// Fresh buffers for one thread.
    fn worker(&self) -> Self::Worker;

    /// The number of solutions of `task`.
    fn count(&self, worker: &mut Self::Worker, task: &Self::Task) -> u64;
}

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineKind {
    /// Joining half boards.
    Join,
    /// Bitboard backtracking.
    Backtrack,
    /// Arrays and plain recursion, the oracle.
    Naive,
}

/// What there is to say of an engine.
#[derive(Debug)]
pub struct EngineInfo {
    /// Which one.
    pub kind: EngineKind,
    /// Its name on the command line and in results.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// The largest N that it counts in about a second on one core, where the tests stop.
    pub quick: usize,
}

/// Every engine, fastest first.
pub static ENGINES: &[EngineInfo] = &[
    EngineInfo {
        kind: EngineKind::Join,
        name: "join",
        summary: "joins half boards, N = 5 to 28",
        quick: 17,
    },
    EngineInfo {
        kind: EngineKind::Backtrack,
        name: "backtrack",
        summary: "bitboard backtracking in batches, any N and any prefix",
        quick: 15,
    },
    EngineInfo {
        kind: EngineKind::Naive,
        name: "naive",
        summary: "arrays and plain recursion: slow, obvious, the oracle",
        quick: 11,
    },
];

impl EngineKind {
    /// Its line of [`ENGINES`].
    pub fn info(self) -> &'static EngineInfo {
        ENGINES.iter().find(|info| info.kind == self).expect("every engine is in the table")
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.info().name)
    }
}

/// An engine asked for by name, or left to [`Choice::for_problem`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Whichever is measured to be fastest.
    #[default]
    Auto,
    /// This one.
    Engine(EngineKind),
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let found = ENGINES.iter().find(|info| info.name == text);
        found.map(|info| Self::Engine(info.kind)).ok_or_else(|| format!("no engine is named '{text}'"))
    }
}

impl Choice {
    /// The ladder: which engine counts the completions of `prefix` fastest.
    pub fn for_problem(self, _prefix: &Placement) -> EngineKind {
        match self {
            Self::Engine(kind) => kind,
            // Backtracking beats the oracle at every size (20 times at N = 12).
            Self::Auto => EngineKind::Backtrack,
        }
    }
}
