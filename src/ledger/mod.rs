//! Ledgers: which units of a plan are finished, and the tally of each.
//!
//! A checkpoint is an unfinished ledger. The result of a shard is a ledger in which all units of the shard are
//! finished. Resuming and merging are the same operation, the union of ledgers with the same [`Fingerprint`], so no
//! unit can enter a total twice. As text a ledger has a format with a version and a checksum. As a file it is
//! in a [`Store`]: locked and saved durably.

mod format;
mod runs;
mod shard;
mod store;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, iter, mem};

use crate::board::Placement;
use crate::engine::EngineKind;
use crate::names::ValueError;
use crate::plan::{Plan, plan_of};

pub use format::{decode, encode};
pub use runs::RunRecord;
pub use shard::Shard;
pub use store::{Store, StoreError, is_ledger, read};

/// What a ledger is of: with this program's version of the plan, everything that determines the meaning of a unit. Ledgers with
/// different fingerprints cannot be merged.
///
/// The number of threads, the instruction set and the machine are left out on purpose: they change no tally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// The queens with which the solutions begin, and the board.
    pub prefix: Placement,
    /// The engine.
    pub engine: EngineKind,
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { prefix, engine } = self;
        let queens = if prefix.is_empty() { String::new() } else { format!(": {prefix}") };
        write!(f, "N = {}{queens} by {engine}", prefix.size())
    }
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

    pub(crate) fn is_whole(self) -> bool {
        self.tasks == Self::WHOLE
    }

    /// Adds a task with `count` solutions, each of which stands for `weight` solutions; `None` if the sum does not fit.
    pub(crate) fn add(&mut self, count: u64, weight: u64) -> Option<()> {
        // A product of two 64-bit numbers always fits in 128 bits.
        self.tally = self.tally.checked_add(u128::from(count) * u128::from(weight))?;
        self.tasks += 1;
        Some(())
    }
}

impl fmt::Display for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tasks {
            Self::WHOLE => write!(f, "{} for all of it", self.tally),
            tasks => write!(f, "{} for its first {tasks} tasks", self.tally),
        }
    }
}

/// Why some bytes are not a ledger, two ledgers have no union, or a run cannot go on with one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum LedgerError {
    /// The ledger belongs to another count.
    #[error("it is of {found}, not of {wanted}")]
    Foreign { found: Fingerprint, wanted: Fingerprint },
    /// It belongs to another shard.
    #[error("it is of shard {found}, not of {wanted}")]
    Shard { found: Shard, wanted: Shard },
    /// Two entries for one unit of which one is wrong.
    #[error("unit {unit}: {entry} contradicts {other}")]
    Contradiction { unit: usize, entry: Partial, other: Partial },
    /// The bytes are something else altogether.
    #[error("not a ledger of queens")]
    NotALedger,
    /// They are in the format of another version.
    #[error("ledger format {found}; this program reads format {wanted}")]
    Version { found: String, wanted: &'static str },
    /// Their end is missing, or some byte has changed since they were written.
    #[error("damaged: the checksum does not match the contents")]
    Damaged,
    /// Another version of the program has cut the count into other units. These are the lines of both plans.
    #[error("of plan {found}; this program's is {wanted}")]
    Plan { found: String, wanted: String },
    /// The checksum is right, but this program would not write such contents.
    #[error("not written by this program")]
    Contents,
    /// The run that is to go on with it has a ledger already.
    #[error("the run has gone on with another ledger, or has counted")]
    Resumed,
}

/// Finished units and their tallies, and the finished parts of other units.
#[derive(Clone, Debug)]
pub struct Ledger {
    fingerprint: Fingerprint,
    /// Of the whole count.
    plan: Arc<dyn Plan>,
    shard: Shard,
    /// What is finished of each unit; all of it has [`Partial::WHOLE`] tasks.
    entries: BTreeMap<usize, Partial>,
    runs: Vec<RunRecord>,
}

/// What two are of tells their plans.
impl PartialEq for Ledger {
    fn eq(&self, other: &Self) -> bool {
        (self.fingerprint, self.shard, &self.entries, &self.runs)
            == (other.fingerprint, other.shard, &other.entries, &other.runs)
    }
}

impl Ledger {
    /// A ledger without finished units.
    pub(crate) fn new(fingerprint: Fingerprint, shard: Shard) -> Self {
        Self::of_plan(fingerprint, plan_of(fingerprint.engine, &fingerprint.prefix), shard)
    }

    fn of_plan(fingerprint: Fingerprint, plan: Arc<dyn Plan>, shard: Shard) -> Self {
        Self { fingerprint, plan, shard, entries: BTreeMap::new(), runs: Vec::new() }
    }

    /// A ledger of all units of the same count, none finished: what the union of shards begins with.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self::of_plan(self.fingerprint, Arc::clone(&self.plan), Shard::WHOLE)
    }

    /// The plan of the whole count.
    pub(crate) fn plan(&self) -> &Arc<dyn Plan> {
        &self.plan
    }

    /// Fails unless it is of this count and shard.
    pub(crate) fn check_is_of(&self, fingerprint: Fingerprint, shard: Shard) -> Result<(), LedgerError> {
        if self.fingerprint != fingerprint {
            return Err(LedgerError::Foreign { found: self.fingerprint, wanted: fingerprint });
        }
        if self.shard == shard { Ok(()) } else { Err(LedgerError::Shard { found: self.shard, wanted: shard }) }
    }

    /// What it is of.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
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

    /// The runs that added to it, the earliest first.
    pub fn runs(&self) -> &[RunRecord] {
        &self.runs
    }

    /// The wall time of all runs together.
    pub fn elapsed(&self) -> Duration {
        self.runs.iter().map(|run| run.elapsed).fold(Duration::ZERO, Duration::saturating_add)
    }

    /// The processor time of all threads of all runs together, if every run knows its own. A run that was killed before it had
    /// finished anything has none.
    pub fn cpu_time(&self) -> Option<Duration> {
        let mut runs = self.runs.iter().filter(|run| run.units.is_some() || !run.elapsed.is_zero());
        runs.try_fold(Duration::ZERO, |sum, run| Some(sum.saturating_add(run.cpu_time?)))
    }

    /// A run on this processor goes on from here: its record is the last one, and is no other's.
    pub(crate) fn begin_run(&mut self, processor: Option<&str>) {
        let known: HashSet<RunRecord> = self.runs.iter().map(RunRecord::identity).collect();
        let mut begun =
            iter::repeat_with(|| RunRecord { processor: processor.map(str::to_owned), ..RunRecord::begin() });
        self.runs.extend(begun.find(|run| !known.contains(&run.identity())));
    }

    /// The record of the run in progress.
    pub(crate) fn last_run(&mut self) -> &mut RunRecord {
        self.runs.last_mut().expect("a run has begun its record")
    }

    /// How many units are finished.
    pub fn finished(&self) -> usize {
        self.tallies().count()
    }

    /// How many units its shard has.
    pub fn units(&self) -> usize {
        self.shard.units(self.plan.units()).len()
    }

    /// The units of its shard that are not finished, in order.
    pub fn todo(&self) -> Vec<usize> {
        self.shard.units(self.plan.units()).filter(|&unit| !self.partial(unit).is_whole()).collect()
    }

    /// Whether every unit of its shard is finished.
    pub fn is_complete(&self) -> bool {
        self.finished() == self.units()
    }

    /// The number of solutions: the sum of the tallies of all units of the whole count. `None` where a unit is not finished, be it
    /// of another shard, or the sum does not fit in 128 bits.
    pub fn total(&self) -> Option<u128> {
        self.subtotal().filter(|_| self.shard.is_whole() && self.is_complete())
    }

    /// The sum of the tallies of the units that are finished here; `None` if it does not fit in 128 bits.
    pub fn subtotal(&self) -> Option<u128> {
        self.tallies().try_fold(0u128, |sum, (_, tally)| sum.checked_add(tally))
    }

    /// Enters what is finished of a unit of the shard. If as much or more is known already, nothing changes.
    fn record(&mut self, unit: usize, entry: Partial) -> Result<(), LedgerError> {
        let other = self.partial(unit);
        let (less, more) = if other.tasks <= entry.tasks { (other, entry) } else { (entry, other) };
        if more.tally < less.tally || (more.tasks == less.tasks && more.tally != less.tally) {
            return Err(LedgerError::Contradiction { unit, entry, other });
        }
        self.set(unit, more);
        Ok(())
    }

    /// Lets this be what is finished of a unit of the shard.
    pub(crate) fn set(&mut self, unit: usize, entry: Partial) {
        let _ = if entry.tasks > 0 { self.entries.insert(unit, entry) } else { self.entries.remove(&unit) };
    }

    /// What is finished of a unit.
    pub(crate) fn partial(&self, unit: usize) -> Partial {
        self.entries.get(&unit).copied().unwrap_or_default()
    }

    /// The progress: the number of finished units, and of finished tasks of any unit. Every new entry raises it.
    pub fn reached(&self) -> (usize, u64) {
        let tasks = self.entries.iter().map(|(&unit, entry)| entry.tasks.min(self.plan.tasks(unit))).sum();
        (self.finished(), tasks)
    }

    /// The union with another ledger: of their shard if both are of one, else of all units. It has what either has, so that
    /// merging in any order, or one of them again, gives the same. Of two records of one run the later one is kept.
    pub fn merge(mut self, other: Self) -> Result<Self, LedgerError> {
        other.check_is_of(self.fingerprint, other.shard)?;
        if self.shard != other.shard {
            self.shard = Shard::WHOLE;
        }
        other.entries.into_iter().try_for_each(|(unit, entry)| self.record(unit, entry))?;
        let mut runs = BTreeMap::new();
        for run in self.runs.into_iter().chain(other.runs) {
            let known: &mut RunRecord = runs.entry(run.identity()).or_default();
            *known = run.max(mem::take(known));
        }
        self.runs = runs.into_values().collect();
        Ok(self)
    }

    /// The shards with a unit that is not finished here, if the whole count is dealt to this many, at most [`Shard::MOST`].
    pub fn unfinished_shards(&self, of: u32) -> Result<Vec<Shard>, ValueError> {
        Shard::new(1, of)?;
        let unfinished = (0..self.plan.units()).filter(|&unit| !self.partial(unit).is_whole());
        let before: BTreeSet<usize> = unfinished.map(|unit| unit % of as usize).collect();
        before.into_iter().map(|before| Shard::new(before as u32 + 1, of)).collect()
    }
}
