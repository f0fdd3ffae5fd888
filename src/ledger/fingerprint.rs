//! What the units of a ledger mean, so that no two counts are mixed.

use super::LedgerError;
use crate::board::placement::Placement;
use crate::board::rotation::{Rotation, RotationalBoard};
use crate::plan::Plan;

/// The engine of a profile, whose units hold more than those of a count.
pub(crate) const PROFILE: &str = "profile";

/// Everything that changes what a unit means. Ledgers with different ones have nothing to say to each other.
///
/// The number of threads, the instruction set and the machine are left out on purpose: they change no tally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// What is counted.
    pub subject: Subject,
    /// The name of the engine.
    pub engine: String,
    /// The plan's own line, see [`Plan::fingerprint`].
    pub plan: String,
    /// The number of units of the whole plan.
    pub units: usize,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The completions of this placement: all solutions where it is empty.
    Completions(Placement),
    /// The solutions that a turn leaves unchanged.
    Rotational(RotationalBoard),
}

impl Subject {
    /// Columns and rows of the board.
    pub fn n(&self) -> usize {
        match self {
            Self::Completions(prefix) => prefix.size().get(),
            Self::Rotational(board) => board.n(),
        }
    }

    /// The queens given, none of them for all solutions; nothing where no completions are counted.
    pub fn placement(&self) -> Option<Placement> {
        match self {
            Self::Completions(prefix) => Some(*prefix),
            Self::Rotational(_) => None,
        }
    }

    /// The queens given, where there are any.
    pub fn prefix(&self) -> Option<Placement> {
        self.placement().filter(|prefix| !prefix.is_empty())
    }

    /// The turn, where only what it leaves unchanged is counted.
    pub fn rotation(&self) -> Option<Rotation> {
        match self {
            Self::Completions(_) => None,
            Self::Rotational(board) => Some(board.rotation()),
        }
    }
}

impl From<Placement> for Subject {
    fn from(prefix: Placement) -> Self {
        Self::Completions(prefix)
    }
}

impl Fingerprint {
    /// That of a plan for this subject, counted by the engine of this name.
    pub fn new(subject: impl Into<Subject>, engine: &str, plan: &impl Plan) -> Self {
        Self { subject: subject.into(), engine: engine.to_owned(), plan: plan.fingerprint(), units: plan.units() }
    }

    /// The most numbers that a tally has before its solutions: one for each number of queens short of N in a profile, and
    /// none in a count.
    pub(super) fn fewer(&self) -> usize {
        if self.engine == PROFILE { self.subject.n() } else { 0 }
    }

    /// Whether this is `wanted`.
    ///
    /// # Errors
    /// Where it is not: the first difference, N before all else.
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
