//! The reasons why a count was not made, or ended early.

use super::SelfCheckError;
use crate::board::SizeError;
use crate::engine::MethodError;
use crate::ledger::LedgerError;
use crate::tally::{Overflow, Tally};

/// Why a count was not made, or ended early. In none of these cases is there a wrong number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// No board has this size.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The engine cannot count this subject, or not on this processor.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The engine failed on a small board.
    #[error(transparent)]
    SelfCheck(#[from] SelfCheckError),
    /// The ledger to resume or to audit belongs to something else.
    #[error("this ledger is of no use here: {0}")]
    Ledger(#[from] LedgerError),
    /// The threads could not be started.
    #[error("the threads could not be started: {0}")]
    Threads(String),
    /// It was asked to stop. The state of the run has the ledger with what is finished.
    #[error("stopped before the end")]
    Stopped,
    /// The sum is too large.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// A task or a unit that was counted twice has two different tallies.
    #[error("counted twice with different results, {first} and {second}: {what}; the machine or the program is wrong")]
    Differs {
        /// The name of the task or of the unit.
        what: String,
        /// The tally by the engine of the run.
        first: Tally,
        /// The tally by the second engine.
        second: Tally,
    },
}
