//! Ledgers: which units of a plan are finished, and the tally of each.
//!
//! A checkpoint is an unfinished ledger. The result of a shard is a ledger in which all units of the shard are
//! finished. Resuming and merging are the same operation, the union of ledgers with the same [`Fingerprint`], so no
//! unit can enter a total twice. As text a ledger has a [`format`](mod@format) with a version and a checksum. As a file
//! it is in a [`Store`]: locked and saved durably.

mod draft;
mod format;
mod runs;
mod shard;
mod store;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::board::Placement;
use crate::engine::EngineKind;
use crate::plan::Plan;

pub use draft::Draft;
pub use format::{FormatError, decode, encode};
pub use runs::RunRecord;
pub use shard::{Shard, ShardError};
pub use store::{Store, StoreError, is_ledger, read};

/// A sum does not fit in 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the count does not fit in 128 bits")]
pub struct Overflow;

/// Everything that determines the meaning of a unit. Ledgers with different fingerprints cannot be merged.
///
/// The number of threads, the instruction set and the machine are left out on purpose: they change no tally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// The queens with which the solutions begin, and the board.
    pub prefix: Placement,
    /// The engine.
    pub engine: EngineKind,
    /// The plan's own line.
    pub plan: String,
    /// The number of units of the whole plan.
    pub units: usize,
}

/// The finished part of a unit: its first tasks, in the order of the plan.
///
/// Of any two parts of a unit, the larger contains the smaller. So the larger one is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Partial {
    /// How many tasks are finished; the largest number stands for all of them.
    pub tasks: u64,
    /// The tally of these tasks, weights included.
    pub tally: u128,
}

impl Partial {
    /// The tasks of a whole unit, however many it has.
    pub(crate) const WHOLE: u64 = u64::MAX;

    fn is_whole(self) -> bool {
        self.tasks == Self::WHOLE
    }

    /// Adds a task with `count` solutions, each of which stands for `weight` solutions.
    pub(crate) fn add(&mut self, count: u64, weight: u64) -> Result<(), Overflow> {
        // A product of two 64-bit numbers always fits in 128 bits; the sum may not.
        self.tally = self.tally.checked_add(u128::from(count) * u128::from(weight)).ok_or(Overflow)?;
        self.tasks += 1;
        Ok(())
    }
}

/// Why a ledger refuses an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum LedgerError {
    /// The ledger belongs to another count.
    #[error("it is for {what} {found}, not {wanted}")]
    Foreign { what: &'static str, found: String, wanted: String },
    /// Two entries for one unit of which one is wrong, or an entry for a unit that the shard does not have.
    #[error("unit {unit}: {entry} contradicts {other}")]
    Contradiction { unit: usize, entry: String, other: String },
}

impl Fingerprint {
    /// Whether this is equal to `wanted`; if not, the error is the first difference, beginning with N.
    fn check(&self, wanted: &Self) -> Result<(), LedgerError> {
        let queens =
            |of: &Self| if of.prefix.is_empty() { "the empty board".to_owned() } else { of.prefix.to_string() };
        differ("N =", &self.prefix.size(), &wanted.prefix.size())?;
        differ("completions of", &queens(self), &queens(wanted))?;
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
#[derive(Clone, Debug, PartialEq)]
pub struct Ledger {
    fingerprint: Fingerprint,
    shard: Shard,
    /// What is finished of each unit; all of it has [`Partial::WHOLE`] tasks.
    entries: BTreeMap<usize, Partial>,
    /// How many of them are finished.
    finished: usize,
    runs: Vec<RunRecord>,
    /// Where in `runs` each run is, by its identity.
    places: HashMap<RunRecord, usize>,
}

impl Ledger {
    /// A ledger without finished units.
    pub fn new(fingerprint: Fingerprint, shard: Shard) -> Self {
        Self { fingerprint, shard, entries: BTreeMap::new(), finished: 0, runs: Vec::new(), places: HashMap::new() }
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
    pub fn tallies(&self) -> impl Iterator<Item = (usize, u128)> {
        self.entries.iter().filter(|(_, entry)| entry.is_whole()).map(|(&unit, entry)| (unit, entry.tally))
    }

    /// The finished parts of unfinished units, in order.
    pub fn partials(&self) -> impl Iterator<Item = (usize, Partial)> {
        self.entries.iter().filter(|(_, entry)| !entry.is_whole()).map(|(&unit, &entry)| (unit, entry))
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

    /// A run goes on from here: its record is the last one.
    pub(crate) fn begin_run(&mut self) {
        let run = RunRecord::begin();
        self.places.insert(run.identity(), self.runs.len());
        self.runs.push(run);
    }

    /// The record of the run in progress.
    pub(crate) fn last_run(&mut self) -> &mut RunRecord {
        self.runs.last_mut().expect("a run has begun its record")
    }

    /// Enters the record of a run; of two records of one run, the later one is kept.
    fn enter_run(&mut self, run: RunRecord) {
        let place = *self.places.entry(run.identity()).or_insert(self.runs.len());
        match self.runs.get_mut(place) {
            None => self.runs.push(run),
            Some(known) if known.elapsed < run.elapsed => *known = run,
            Some(_) => {}
        }
    }

    /// How many units are finished.
    pub fn finished(&self) -> usize {
        self.finished
    }

    /// How many units its shard has.
    pub fn units(&self) -> usize {
        self.shard.units(self.fingerprint.units).len()
    }

    /// The units of its shard that are not finished, in order.
    pub fn todo(&self) -> Vec<usize> {
        self.shard.units(self.fingerprint.units).filter(|&unit| !self.partial(unit).is_whole()).collect()
    }

    /// Whether every unit of its shard is finished.
    pub fn is_complete(&self) -> bool {
        self.finished() == self.units()
    }

    /// The sum of the tallies of its finished units.
    pub fn total(&self) -> Result<u128, Overflow> {
        self.tallies().try_fold(0u128, |sum, (_, tally)| sum.checked_add(tally)).ok_or(Overflow)
    }

    /// Checks that the ledger is of this plan: has its fingerprint, and no part of a unit with more tasks than the unit.
    pub(crate) fn check(&self, wanted: &Fingerprint, plan: &Plan) -> Result<(), LedgerError> {
        self.fingerprint.check(wanted)?;
        self.partials().try_for_each(|(unit, part)| {
            differ("a plan that gives a unit more tasks:", &part.tasks.max(plan.tasks(unit)), &plan.tasks(unit))
        })
    }

    /// Enters a finished unit, which replaces any part of it. Entering the same tally again changes nothing.
    ///
    /// # Errors
    /// If the unit is not in the shard, if it has another tally already, or if a part of it already has more.
    pub fn record(&mut self, unit: usize, tally: u128) -> Result<(), LedgerError> {
        self.record_partial(unit, Partial { tasks: Partial::WHOLE, tally })
    }

    /// Enters the finished part of a unit. If a larger part is known already, nothing changes.
    ///
    /// # Errors
    /// If the unit is not in the shard, or if the part contradicts what is known of the unit.
    pub fn record_partial(&mut self, unit: usize, part: Partial) -> Result<(), LedgerError> {
        let told = |Partial { tasks, tally }: Partial| match tasks {
            Partial::WHOLE => format!("{tally} for all of it"),
            tasks => format!("{tally} for its first {tasks} tasks"),
        };
        let contradicts = |other: String| LedgerError::Contradiction { unit, entry: told(part), other };
        let units = self.fingerprint.units;
        if unit >= units || !self.shard.contains(unit) {
            return Err(contradicts(format!("shard {} of {units} units", self.shard)));
        }
        let known = self.partial(unit);
        let (less, more) = if known.tasks <= part.tasks { (known, part) } else { (part, known) };
        if more.tally < less.tally || (more.tasks == less.tasks && more.tally != less.tally) {
            return Err(contradicts(told(known)));
        }
        if more.tasks > 0 {
            self.finished += usize::from(more.is_whole() && !known.is_whole());
            self.entries.insert(unit, more);
        }
        Ok(())
    }

    /// What is finished of a unit.
    pub(crate) fn partial(&self, unit: usize) -> Partial {
        self.entries.get(&unit).copied().unwrap_or_default()
    }

    /// The progress: the number of finished units, and of finished tasks of other units. Every new entry raises it.
    pub fn reached(&self) -> (usize, u64) {
        (self.finished(), self.partials().map(|(_, part)| part.tasks).fold(0, u64::saturating_add))
    }

    /// The union with another ledger: of their shard if both are of one, else of all units. It has what either has, so that
    /// merging in any order, or one of them again, gives the same.
    ///
    /// # Errors
    /// If `other` belongs to another count or contradicts this ledger.
    pub fn merge(mut self, other: Self) -> Result<Self, LedgerError> {
        other.fingerprint.check(&self.fingerprint)?;
        if self.shard != other.shard {
            self.shard = Shard::WHOLE;
        }
        other.entries.into_iter().try_for_each(|(unit, entry)| self.record_partial(unit, entry))?;
        other.runs.into_iter().for_each(|run| self.enter_run(run));
        Ok(self)
    }

    /// Which of `of` shards, one or more, have units that are not finished here; shards are numbered from 1.
    pub fn unfinished_shards(&self, of: u32) -> Vec<u32> {
        let mut left: Vec<usize> =
            (0..of).map(|k| (k as usize..self.fingerprint.units).step_by(of as usize).len()).collect();
        self.tallies().for_each(|(unit, _)| left[unit % of as usize] -= 1);
        (1..=of).zip(left).filter(|&(_, left)| left > 0).map(|(shard, _)| shard).collect()
    }
}
