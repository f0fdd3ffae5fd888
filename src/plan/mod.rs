//! Plans: the deterministic, ordered list of weighted tasks that a count is cut into.
//!
//! Whatever runs a count, samples it, saves it or spreads it over machines works on a plan and never on the board.
//!
//! A plan is an ordered list of *units*, each an ordered list of *tasks* that one thread solves in one go. Units are
//! saved, dealt to shards and recounted. Tasks are the smallest parts that can be counted or sampled.

pub(crate) mod halves;
mod kinds;
pub(crate) mod prefixes;

pub(crate) use halves::{ANYWHERE, MAX_DEPTH, MIDDLES_TOGETHER_UP_TO};
pub use halves::{Halves, HalvesPlan, InnerSquares, Middle};
pub use kinds::EngineKind;
pub use prefixes::PrefixPlan;

use std::fmt;
use std::sync::Arc;

use crate::board::Placement;

/// What an engine counts: the solutions of a part of the board's problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Those that begin with these queens.
    Completions(Placement),
    /// Those whose east queens are in given rows, and whose inner queens are on given squares: on any, but in an audit of
    /// a large task.
    Halves(Halves, InnerSquares),
}

/// A task and its weight: how many times its count enters the total. The weight covers symmetry between tasks. Symmetry
/// within a task is up to the engine: for even N, for example, the join gives weights to the half boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weighted {
    /// What to count.
    pub task: Task,
    /// How many symmetric tasks this one stands for, itself included.
    pub weight: u64,
}

/// The plan of a count.
pub trait Plan: Send + Sync {
    /// A line with everything that determines the meaning of a unit: the kind of plan and its version, N, the prefix.
    /// Two plans with the same line have the same units with the same tasks.
    fn fingerprint(&self) -> String;

    /// How many units there are.
    fn units(&self) -> usize;

    /// How many tasks a unit has.
    fn tasks(&self, unit: usize) -> u64;

    /// The tasks of one unit in order, from this one on.
    fn unit(&self, unit: usize, from: u64) -> Box<dyn Iterator<Item = Weighted> + '_>;

    /// Whether threads share the lists that they make, so that what one has listed wrongly is wrong for all.
    fn shares_lists(&self) -> bool {
        false
    }

    /// The group of a unit. A thread can keep lists from one unit to the next unit of the same group, so these are best
    /// solved one after another.
    fn group(&self, unit: usize) -> usize {
        unit
    }

    /// After how many consecutive tasks an engine reuses the lists that it keeps as much as in a whole run, so that
    /// their mean time is the mean time of the run. 0 if the time of a task does not depend on the tasks before it.
    /// Estimates of the time need this number.
    fn tasks_sharing_lists(&self) -> u64 {
        0
    }
}

impl fmt::Debug for dyn Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fingerprint())
    }
}

/// The plan of this engine for the completions of `prefix`; the join counts those of the empty board alone. That takes a
/// millisecond or two for the largest boards.
pub fn plan_of(engine: EngineKind, prefix: &Placement) -> Arc<dyn Plan> {
    match engine {
        EngineKind::Join => Arc::new(HalvesPlan::new(prefix.size())),
        EngineKind::Backtrack | EngineKind::Naive => Arc::new(PrefixPlan::new(prefix)),
    }
}
