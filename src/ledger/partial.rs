//! The finished part of a unit.

use super::error::LedgerError;
use crate::tally::Tally;

/// The finished part of a unit: its first tasks, in the order of the plan.
///
/// Of any two parts of a unit, the larger contains the smaller. So the larger one is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Partial {
    /// How many tasks are finished.
    pub tasks: u64,
    /// The tally of these tasks, weights included.
    pub tally: Tally,
}

impl Partial {
    /// The error if something else is recorded for the unit.
    pub(super) fn contradicts(&self, unit: usize, other: String) -> LedgerError {
        LedgerError::Part { unit, tasks: self.tasks, tally: self.tally, other }
    }
}
