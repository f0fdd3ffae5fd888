//! The meaning of a ledger's units, so that different counts are never mixed.

use super::LedgerError;
use crate::subject::Subject;

/// Everything that determines the meaning of a unit. Ledgers with different fingerprints cannot be merged.
///
/// The number of threads, the instruction set and the machine are left out on purpose: they change no tally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// What is counted.
    pub subject: Subject,
    /// The name of the engine.
    pub engine: String,
    /// The plan's own line, see [`Units::fingerprint`](crate::plan::Units::fingerprint).
    pub plan: String,
    /// The number of units of the whole plan.
    pub units: usize,
}

impl Fingerprint {
    /// Whether this is equal to `wanted`.
    ///
    /// # Errors
    /// The first difference, beginning with N.
    pub fn check(&self, wanted: &Self) -> Result<(), LedgerError> {
        let size = |of: &Self| of.subject.n().to_string();
        let prefix = |of: &Self| of.subject.prefix().map_or("of no queens".to_owned(), |prefix| prefix.to_string());
        let rotation = |of: &Self| {
            of.subject
                .rotation()
                .map_or("all solutions".to_owned(), |rotation| format!("those unchanged by a {rotation} turn"))
        };
        differ("N =", &size(self), &size(wanted))?;
        differ("a count of", &rotation(self), &rotation(wanted))?;
        differ("the prefix", &prefix(self), &prefix(wanted))?;
        differ("the engine", &self.engine, &wanted.engine)?;
        differ("the plan", &self.plan, &wanted.plan)?;
        differ("a plan with units:", &self.units.to_string(), &wanted.units.to_string())
    }
}

pub(super) fn differ(what: &'static str, found: &str, wanted: &str) -> Result<(), LedgerError> {
    if found == wanted {
        return Ok(());
    }
    Err(LedgerError::Foreign { what, found: found.to_owned(), wanted: wanted.to_owned() })
}
