//! Why a ledger does not take something in.

use super::shard::Shard;
use crate::tally::Tally;

/// Why a ledger does not take something in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// It belongs to another count.
    #[error("it is for {what} {found}, not {wanted}")]
    Foreign {
        /// What differs.
        what: &'static str,
        /// What the ledger has.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// No such unit, or none of this shard.
    #[error("unit {unit} is none of shard {shard} of a plan with {units} units")]
    Outside {
        /// The unit.
        unit: usize,
        /// The ledger's shard.
        shard: Shard,
        /// The units of the plan.
        units: usize,
    },
    /// What two ledgers have of an unfinished unit does not go together: one of them is wrong.
    #[error("unit {unit}: its first {tasks} tasks have {tally}, which does not go with {other}")]
    Part {
        /// The unit.
        unit: usize,
        /// How many of its tasks are finished.
        tasks: u64,
        /// What they have.
        tally: Box<Tally>,
        /// What else is known of the unit.
        other: String,
    },
    /// More tasks are said to be finished than the unit has.
    #[error("unit {unit} has {of} tasks, and {tasks} of them are said to be finished")]
    Beyond {
        /// The unit.
        unit: usize,
        /// How many of its tasks are said to be finished.
        tasks: u64,
        /// How many it has.
        of: u64,
    },
    /// Two tallies for one unit: one of them is wrong.
    #[error("unit {unit} has two tallies, {first} and {second}")]
    Conflict {
        /// The unit.
        unit: usize,
        /// The tally that stood there.
        first: Box<Tally>,
        /// The tally that came.
        second: Box<Tally>,
    },
}
