//! Ledgers: which units of a plan are finished, and the tally of each.
//!
//! A checkpoint is an unfinished ledger. The result of a shard is a ledger in which all units of the shard are
//! finished. Resuming and merging are the same operation, the union of ledgers with the same [`Fingerprint`], so no
//! unit can enter a total twice. As text a ledger has a [`format`](mod@format) with a version and a checksum. As a file
//! it is in a [`store`]: locked and saved durably.

pub mod durable;
pub mod format;
mod lock;
mod runs;
pub(crate) mod shard;
pub mod store;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::ledger::shard::{Shard, ShardError};
use crate::plan::Units;
use crate::subject::Subject;
use crate::tally::{Overflow, Tally};

pub use runs::RunRecord;
#[cfg(feature = "serde")]
pub(crate) use runs::{seconds, seconds_if_known};
pub use shard::ranges;

/// Everything that determines the meaning of a unit. Ledgers with different fingerprints cannot be merged.
///
/// The number of threads, the instruction set and the machine are left out on purpose: they change no tally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// What is counted.
    pub subject: Subject,
    /// The name of the engine.
    pub engine: String,
    /// The plan's own line, see [`Units::fingerprint`].
    pub plan: String,
    /// The number of units of the whole plan.
    pub units: usize,
}

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

/// Why a ledger refuses an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum LedgerError {
    /// The ledger belongs to another count.
    #[error("it is for {what} {found}, not {wanted}")]
    Foreign { what: &'static str, found: String, wanted: String },
    /// The plan has no such unit, or the shard does not contain it.
    #[error("unit {unit} does not belong to shard {shard} of a plan with {units} units")]
    Outside { unit: usize, shard: Shard, units: usize },
    /// Two records of an unfinished unit contradict each other: one of them is wrong.
    #[error("unit {unit}: its first {} tasks have {}, which contradicts {other}", .part.tasks, .part.tally)]
    Part { unit: usize, part: Partial, other: String },
    /// The ledger says that more tasks are finished than the unit has.
    #[error("unit {unit} has {of} tasks, but {tasks} are recorded as finished")]
    Beyond { unit: usize, tasks: u64, of: u64 },
    /// Two tallies for one unit: one of them is wrong.
    #[error("unit {unit} has two tallies, {first} and {second}")]
    Conflict { unit: usize, first: Tally, second: Tally },
}

impl Fingerprint {
    /// Whether this is equal to `wanted`; if not, the error is the first difference, beginning with N.
    pub fn check(&self, wanted: &Self) -> Result<(), LedgerError> {
        let fixed = |of: &Self| of.subject.fixed().map_or("the empty board".to_owned(), |fixed| fixed.to_string());
        let solutions = |of: &Self| {
            let unchanged = |turn| format!("those unchanged by a {turn} turn");
            of.subject.rotation().map_or("all solutions".to_owned(), unchanged)
        };
        differ("N =", &self.subject.n(), &wanted.subject.n())?;
        differ("a count of", &solutions(self), &solutions(wanted))?;
        differ("completions of", &fixed(self), &fixed(wanted))?;
        differ("the engine", &self.engine, &wanted.engine)?;
        differ("the plan", &self.plan, &wanted.plan)?;
        differ("a plan with units:", &self.units, &wanted.units)
    }
}

fn differ<T: PartialEq + ToString>(what: &'static str, found: &T, wanted: &T) -> Result<(), LedgerError> {
    if found == wanted {
        return Ok(());
    }
    Err(LedgerError::Foreign { what, found: found.to_string(), wanted: wanted.to_string() })
}

/// Finished units and their tallies, and the finished parts of other units.
///
/// ```
/// use queens::ledger::{Fingerprint, Ledger};
/// use queens::{Placement, Shard, Size};
/// let prefix = Placement::empty(Size::new(8)?);
/// let fingerprint = Fingerprint { subject: prefix.into(), engine: "naive".into(), plan: "rows".into(), units: 4 };
/// let mut ledger = Ledger::new(fingerprint, Shard::new(1, 2)?);
/// ledger.record(2, 32.into())?;
/// assert!(ledger.record(2, 33.into()).is_err(), "a unit has one tally");
/// assert_eq!(ledger.todo(), [0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ledger {
    fingerprint: Fingerprint,
    shard: Shard,
    tallies: BTreeMap<usize, Tally>,
    /// The finished parts of unfinished units.
    partials: BTreeMap<usize, Partial>,
    runs: Vec<RunRecord>,
    /// Which of these is in progress, in this process.
    current: Option<usize>,
}

impl Ledger {
    /// A ledger without finished units.
    pub fn new(fingerprint: Fingerprint, shard: Shard) -> Self {
        let (tallies, partials) = (BTreeMap::new(), BTreeMap::new());
        Self { fingerprint, shard, tallies, partials, runs: Vec::new(), current: None }
    }

    /// The meaning of its units.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// The shard that it is for.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// The finished units with their tallies, in order.
    pub fn tallies(&self) -> impl Iterator<Item = (usize, Tally)> {
        self.tallies.iter().map(|(&unit, tally)| (unit, *tally))
    }

    /// The finished parts of unfinished units, in order.
    pub fn partials(&self) -> impl Iterator<Item = (usize, &Partial)> {
        self.partials.iter().map(|(&unit, partial)| (unit, partial))
    }

    /// The runs that added to it, the earliest first unless it was merged.
    pub fn runs(&self) -> &[RunRecord] {
        &self.runs
    }

    /// The wall time of all runs together.
    pub fn elapsed(&self) -> Duration {
        self.runs.iter().map(|run| run.elapsed).fold(Duration::ZERO, Duration::saturating_add)
    }

    /// The processor time of all threads of all runs together, if every run knows its own.
    pub fn cpu_time(&self) -> Option<Duration> {
        self.runs.iter().try_fold(Duration::ZERO, |sum, run| Some(sum.saturating_add(run.cpu_time?)))
    }

    /// Records that a run goes on from here, on a processor of this name. A run whose ledger has no such record begins one
    /// without a processor.
    pub fn begin_run(&mut self, processor: Option<String>) {
        self.current = Some(self.runs.len());
        self.runs.push(RunRecord::begin(processor));
    }

    /// The record of the run in progress, if one was begun.
    pub fn current_run(&mut self) -> Option<&mut RunRecord> {
        self.current.and_then(|current| self.runs.get_mut(current))
    }

    /// Enters the record of a run; of two records of one run, the later one is kept.
    fn record_run(&mut self, run: &RunRecord) {
        match self.runs.iter_mut().find(|known| known.id == run.id) {
            None => self.runs.push(run.clone()),
            Some(known) if known.elapsed < run.elapsed => known.clone_from(run),
            Some(_) => {}
        }
    }

    /// How many units are finished.
    pub fn finished(&self) -> usize {
        self.tallies.len()
    }

    /// How many units its shard has.
    pub fn units(&self) -> usize {
        self.shard.units(self.fingerprint.units).len()
    }

    /// The units of its shard that are not finished, in order.
    pub fn todo(&self) -> Vec<usize> {
        self.shard.units(self.fingerprint.units).filter(|&unit| !self.has(unit)).collect()
    }

    /// Whether every unit of its shard is finished.
    pub fn is_complete(&self) -> bool {
        self.finished() == self.units()
    }

    /// The sum of the tallies of its finished units.
    pub fn total(&self) -> Result<Tally, Overflow> {
        self.tallies.values().copied().try_fold(Tally::default(), Tally::plus)
    }

    /// Checks that the ledger is for this shard of this count.
    pub fn check(&self, fingerprint: &Fingerprint, shard: Shard) -> Result<(), LedgerError> {
        self.fingerprint.check(fingerprint)?;
        differ("shard", &self.shard, &shard)
    }

    /// Checks that no unit has more finished tasks than the plan gives it: else this plan did not make the ledger.
    pub(crate) fn check_partials(&self, plan: &dyn Units) -> Result<(), LedgerError> {
        let beyond = |(&unit, &Partial { tasks, .. }): (&usize, &Partial)| {
            let of = plan.tasks(unit);
            (tasks > of).then_some(LedgerError::Beyond { unit, tasks, of })
        };
        self.partials.iter().find_map(beyond).map_or(Ok(()), Err)
    }

    /// Enters a finished unit, which replaces any part of it. Entering the same tally again changes nothing.
    ///
    /// # Errors
    /// If the unit is not in the shard, if it has another tally already, or if a part of it already has more.
    pub fn record(&mut self, unit: usize, tally: Tally) -> Result<(), LedgerError> {
        self.check_unit(unit)?;
        if let Some(&first) = self.tallies.get(&unit).filter(|&&first| first != tally) {
            return Err(LedgerError::Conflict { unit, first, second: tally });
        }
        if let Some(partial) = self.partials.get(&unit).filter(|partial| tally < partial.tally) {
            return Err(LedgerError::Part { unit, part: *partial, other: format!("{tally} for all of it") });
        }
        self.partials.remove(&unit);
        self.tallies.insert(unit, tally);
        Ok(())
    }

    /// Enters the finished part of a unit. If a larger part is known already, nothing changes.
    ///
    /// # Errors
    /// If the unit is not in the shard, or if the part contradicts what is known of the unit.
    pub fn record_partial(&mut self, unit: usize, part: Partial) -> Result<(), LedgerError> {
        self.check_unit(unit)?;
        if let Some(tally) = self.tallies.get(&unit) {
            let other = format!("{tally} for all of it");
            return if *tally >= part.tally { Ok(()) } else { Err(LedgerError::Part { unit, part, other }) };
        }
        if part.tasks == 0 {
            return Ok(());
        }
        let known = self.partial(unit);
        let (less, more) = if known.tasks <= part.tasks { (known, part) } else { (part, known) };
        if more.tally < less.tally || (more.tasks == less.tasks && more.tally != less.tally) {
            return Err(LedgerError::Part { unit, part: less, other: format!("{} for {}", more.tally, more.tasks) });
        }
        self.partials.insert(unit, more);
        Ok(())
    }

    /// Whether this unit is finished.
    pub(crate) fn has(&self, unit: usize) -> bool {
        self.tallies.contains_key(&unit)
    }

    /// The finished part of an unfinished unit.
    pub(crate) fn partial(&self, unit: usize) -> Partial {
        self.partials.get(&unit).copied().unwrap_or_default()
    }

    /// Removes the finished part of a unit, so that it is counted anew.
    pub(crate) fn forget_partial(&mut self, unit: usize) {
        self.partials.remove(&unit);
    }

    fn check_unit(&self, unit: usize) -> Result<(), LedgerError> {
        let units = self.fingerprint.units;
        let is_there = unit < units && self.shard.contains(unit);
        if is_there { Ok(()) } else { Err(LedgerError::Outside { unit, shard: self.shard, units }) }
    }

    /// The progress: the number of finished units, and of finished tasks of other units. Every new entry raises it.
    pub fn reached(&self) -> (usize, u64) {
        (self.finished(), self.partials.values().map(|partial| partial.tasks).sum())
    }

    /// Enters everything from `other`, which may be of another shard.
    ///
    /// # Errors
    /// If `other` belongs to another count or contradicts this ledger. Do not use this ledger after such an error.
    pub fn merge(&mut self, other: &Self) -> Result<(), LedgerError> {
        other.fingerprint.check(&self.fingerprint)?;
        other.tallies().try_for_each(|(unit, tally)| self.record(unit, tally))?;
        other.partials().try_for_each(|(unit, partial)| self.record_partial(unit, *partial))?;
        other.runs.iter().for_each(|run| self.record_run(run));
        Ok(())
    }

    /// Which of `of` shards have units that are not finished here; shards are numbered from 1.
    ///
    /// # Errors
    /// If there cannot be so many shards.
    pub fn unfinished_shards(&self, of: u32) -> Result<impl Iterator<Item = u32>, ShardError> {
        Shard::new(1, of)?;
        let is_finished = |shard: Shard| shard.units(self.fingerprint.units).all(|unit| self.has(unit));
        Ok((1..=of).filter(move |&index| !Shard::new(index, of).is_ok_and(is_finished)))
    }
}
