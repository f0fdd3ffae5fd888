//! Ledgers: the finished units of a plan, and their tallies.
//!
//! A checkpoint is an unfinished ledger. The result of a shard is a ledger in which all units of the shard are
//! finished. Merging is the union of ledgers with the same [`Fingerprint`], so no unit can count twice. As text, a
//! ledger has a versioned format with a checksum. A [`LedgerFile`] locks the file of a ledger and saves it durably.

mod file;
mod format;
mod runs;
mod shard;
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

pub use file::{LedgerFile, LedgerFileError, is_ledger, read};
pub use format::{decode, encode};
pub use runs::RunRecord;
pub use shard::Shard;

/// The count that a ledger belongs to. With the version of the plan, it determines the tally of each unit. Only ledgers
/// with equal fingerprints can be merged.
///
/// The number of threads, the instruction set and the machine are not part of it, because they change no tally.
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

/// The finished tasks of a unit: its first ones, in the order of the plan.
///
/// The smaller of two partial units is contained in the larger, so keeping the larger is enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Partial {
    /// The number of finished tasks; `u64::MAX` means all.
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

    /// Adds the next task, with `count` solutions of this weight; `None` if the sum does not fit in 128 bits.
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

/// Why bytes are not a ledger, ledgers cannot be merged, or a run cannot resume.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum LedgerError {
    /// The ledger belongs to another count.
    #[error("it belongs to {found}, not to {wanted}")]
    Foreign { found: Fingerprint, wanted: Fingerprint },
    /// The ledger belongs to another shard.
    #[error("it belongs to shard {found}, not to {wanted}")]
    Shard { found: Shard, wanted: Shard },
    /// Two records of one unit contradict each other; one of them is wrong.
    #[error("unit {unit}: {entry} contradicts {other}")]
    Contradiction { unit: usize, entry: Partial, other: Partial },
    /// The bytes do not start like a ledger.
    #[error("not a ledger of queens")]
    NotALedger,
    /// The ledger has the format of another version.
    #[error("ledger format {found}; this program reads format {wanted}")]
    Version { found: String, wanted: &'static str },
    /// The bytes are truncated or altered.
    #[error("damaged: the checksum does not match the contents")]
    Damaged,
    /// The ledger's plan differs from this program's. The fields are the lines of both plans.
    #[error("made with plan {found}; this program uses {wanted}")]
    Plan { found: String, wanted: String },
    /// The checksum is valid, but this program would not write these contents.
    #[error("not written by this program")]
    Contents,
    /// The run already has a ledger of its own.
    #[error("the run has already resumed from a ledger, or has counted")]
    Resumed,
}

/// The finished units of a count or shard with their tallies, the partial units, and the runs that counted them.
#[derive(Clone, Debug)]
pub struct Ledger {
    fingerprint: Fingerprint,
    /// The plan of the whole count, which follows from the fingerprint.
    plan: Arc<dyn Plan>,
    shard: Shard,
    entries: BTreeMap<usize, Partial>,
    runs: Vec<RunRecord>,
}

/// Compares everything but the plan.
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

    /// An empty ledger of the same count, not limited to a shard. Shards can be merged into it.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self::of_plan(self.fingerprint, Arc::clone(&self.plan), Shard::WHOLE)
    }

    pub(crate) fn plan(&self) -> &Arc<dyn Plan> {
        &self.plan
    }

    pub(crate) fn check_is_of(&self, fingerprint: Fingerprint, shard: Shard) -> Result<(), LedgerError> {
        if self.fingerprint != fingerprint {
            return Err(LedgerError::Foreign { found: self.fingerprint, wanted: fingerprint });
        }
        if self.shard == shard { Ok(()) } else { Err(LedgerError::Shard { found: self.shard, wanted: shard }) }
    }

    /// The count that the ledger belongs to.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// The shard that the ledger covers.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// The finished units with their tallies, in order.
    pub fn tallies(&self) -> impl Iterator<Item = (usize, u128)> {
        self.entries.iter().filter(|(_, entry)| entry.is_whole()).map(|(&unit, entry)| (unit, entry.tally))
    }

    /// The partial units, in order.
    pub fn partials(&self) -> impl Iterator<Item = (usize, Partial)> {
        self.entries.iter().filter(|(_, entry)| !entry.is_whole()).map(|(&unit, &entry)| (unit, entry))
    }

    /// The runs that added to the ledger, the earliest first.
    pub fn runs(&self) -> &[RunRecord] {
        &self.runs
    }

    /// The wall time of all runs together.
    pub fn elapsed(&self) -> Duration {
        self.runs.iter().map(|run| run.elapsed).fold(Duration::ZERO, Duration::saturating_add)
    }

    /// The processor time of all runs; `None` if a run lacks its own. Runs that saved nothing are ignored.
    pub fn cpu_time(&self) -> Option<Duration> {
        let mut runs = self.runs.iter().filter(|run| run.units.is_some() || !run.elapsed.is_zero());
        runs.try_fold(Duration::ZERO, |sum, run| Some(sum.saturating_add(run.cpu_time?)))
    }

    /// Appends the record of a new run on this processor, drawing its identity anew until no other run has the same.
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

    /// The number of finished units.
    pub fn finished(&self) -> usize {
        self.tallies().count()
    }

    /// The number of units of its shard.
    pub fn units(&self) -> usize {
        self.shard.units(self.plan.units()).len()
    }

    /// The unfinished units of its shard, in order.
    pub fn todo(&self) -> Vec<usize> {
        self.shard.units(self.plan.units()).filter(|&unit| !self.partial(unit).is_whole()).collect()
    }

    /// Whether every unit of its shard is finished.
    pub fn is_complete(&self) -> bool {
        self.finished() == self.units()
    }

    /// The number of solutions; `None` unless every unit of the whole count is finished and the sum fits in 128 bits.
    pub fn total(&self) -> Option<u128> {
        self.subtotal().filter(|_| self.shard.is_whole() && self.is_complete())
    }

    /// The sum of the tallies of the finished units; `None` if it does not fit in 128 bits.
    pub fn subtotal(&self) -> Option<u128> {
        self.tallies().try_fold(0u128, |sum, (_, tally)| sum.checked_add(tally))
    }

    /// Records finished tasks of a unit, unless as many are recorded; fails if tallies contradict each other.
    fn record(&mut self, unit: usize, entry: Partial) -> Result<(), LedgerError> {
        let other = self.partial(unit);
        let (less, more) = if other.tasks <= entry.tasks { (other, entry) } else { (entry, other) };
        if more.tally < less.tally || (more.tasks == less.tasks && more.tally != less.tally) {
            return Err(LedgerError::Contradiction { unit, entry, other });
        }
        self.set(unit, more);
        Ok(())
    }

    /// Replaces the record of a unit of the shard, also by a smaller one.
    pub(crate) fn set(&mut self, unit: usize, entry: Partial) {
        let _ = if entry.tasks > 0 { self.entries.insert(unit, entry) } else { self.entries.remove(&unit) };
    }

    /// The finished tasks of a unit, and their tally.
    pub(crate) fn partial(&self, unit: usize) -> Partial {
        self.entries.get(&unit).copied().unwrap_or_default()
    }

    /// The numbers of finished units and of finished tasks. Every new record raises one of them.
    pub fn reached(&self) -> (usize, u64) {
        let tasks = self.entries.iter().map(|(&unit, entry)| entry.tasks.min(self.plan.tasks(unit))).sum();
        (self.finished(), tasks)
    }

    /// Merges two ledgers of one count: into a ledger of their common shard, or of the whole count if their shards
    /// differ. Order and repetition do not matter. The later of two records of one run is kept.
    ///
    /// # Errors
    /// If the ledgers belong to different counts, or contradict each other about a unit.
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

    /// The unfinished shards if the whole count has `of` shards; fails unless 1 ≤ `of` ≤ [`Shard::MAX`].
    pub fn unfinished_shards(&self, of: u32) -> Result<Vec<Shard>, ValueError> {
        Shard::new(1, of)?;
        let unfinished = (0..self.plan.units()).filter(|&unit| !self.partial(unit).is_whole());
        let before: BTreeSet<usize> = unfinished.map(|unit| unit % of as usize).collect();
        before.into_iter().map(|before| Shard::new(before as u32 + 1, of)).collect()
    }
}
