//! What is finished of a unit.

use super::error::LedgerError;
use crate::tally::Tally;

/// What is finished of a unit: its first tasks, in the order of the plan.
///
/// Any two parts of a unit are one within the other, so of two the larger says all that both do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partial {
    /// How many tasks.
    pub tasks: u64,
    /// What these have, weights included.
    pub tally: Tally,
}

impl Partial {
    /// The error where something else is known of its unit.
    pub(super) fn contradicts(&self, unit: usize, other: String) -> LedgerError {
        LedgerError::Part { unit, tasks: self.tasks, tally: Box::new(self.tally.clone()), other }
    }
}
