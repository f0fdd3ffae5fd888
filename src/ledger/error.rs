//! The reasons why a ledger refuses an entry.

use super::shard::Shard;
use crate::tally::Tally;

/// Why a ledger refuses an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The ledger belongs to another count.
    #[error("it is for {what} {found}, not {wanted}")]
    Foreign {
        /// What differs.
        what: &'static str,
        /// What the ledger has.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// The plan has no such unit, or the shard does not contain it.
    #[error("unit {unit} is none of shard {shard} of a plan with {units} units")]
    Outside {
        /// The unit.
        unit: usize,
        /// The ledger's shard.
        shard: Shard,
        /// How many units the plan has.
        units: usize,
    },
    /// Two records of an unfinished unit contradict each other: one of them is wrong.
    #[error("unit {unit}: its first {tasks} tasks have {tally}, which does not go with {other}")]
    Part {
        /// The unit.
        unit: usize,
        /// How many of its tasks are finished.
        tasks: u64,
        /// Their tally.
        tally: Tally,
        /// The other record of the unit.
        other: String,
    },
    /// The ledger says that more tasks are finished than the unit has.
    #[error("unit {unit} has {of} tasks, and {tasks} of them are said to be finished")]
    Beyond {
        /// The unit.
        unit: usize,
        /// How many of its tasks are finished, according to the ledger.
        tasks: u64,
        /// How many it has.
        of: u64,
    },
    /// Two tallies for one unit: one of them is wrong.
    #[error("unit {unit} has two tallies, {first} and {second}")]
    Conflict {
        /// The unit.
        unit: usize,
        /// The tally in the ledger.
        first: Tally,
        /// The new tally.
        second: Tally,
    },
}
