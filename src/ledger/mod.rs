//! Ledgers: which units of a plan are finished, and the tally of each.
//!
//! A checkpoint is an unfinished ledger. The result of a shard is a ledger in which all units of the shard are
//! finished. Resuming and merging are the same operation, the union of ledgers with the same [`Fingerprint`], so no
//! unit can enter a total twice. As text a ledger has a [`format`](mod@format) with a version and a checksum. As a file
//! it is in a [`Store`]: locked and saved durably.

mod draft;
mod format;
mod lock;
mod runs;
mod shard;
mod store;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::board::Placement;
use crate::engine::EngineKind;
use crate::plan::Plan;

pub use draft::Draft;
pub use format::{FormatError, decode, encode};
pub use runs::RunRecord;
pub use shard::{Shard, ShardError, ranges};
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
    /// How many tasks are finished.
    pub tasks: u64,
    /// The tally of these tasks, weights included.
    pub tally: u128,
}

impl Partial {
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
    Conflict { unit: usize, first: u128, second: u128 },
}

impl Fingerprint {
    /// Whether this is equal to `wanted`; if not, the error is the first difference, beginning with N.
    pub fn check(&self, wanted: &Self) -> Result<(), LedgerError> {
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
///
/// ```
/// use queens::ledger::{Fingerprint, Ledger, Shard};
/// use queens::{EngineKind, Placement, Size};
/// let prefix = Placement::empty(Size::new(8)?);
/// let fingerprint = Fingerprint { prefix, engine: EngineKind::Naive, plan: "rows".into(), units: 4 };
/// let mut ledger = Ledger::new(fingerprint, Shard::new(1, 2)?);
/// ledger.record(2, 32)?;
/// assert!(ledger.record(2, 33).is_err(), "a unit has one tally");
/// assert_eq!(ledger.todo(), [0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ledger {
    fingerprint: Fingerprint,
    shard: Shard,
    tallies: BTreeMap<usize, u128>,
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
    pub fn tallies(&self) -> impl Iterator<Item = (usize, u128)> {
        self.tallies.iter().map(|(&unit, tally)| (unit, *tally))
    }

    /// The finished parts of unfinished units, in order.
    pub fn partials(&self) -> impl Iterator<Item = (usize, Partial)> {
        self.partials.iter().map(|(&unit, partial)| (unit, *partial))
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
        self.current = Some(self.enter_run(RunRecord::begin(processor)));
    }

    /// Enters the record of a run, and says where it is; of two records of one run, the later one is kept.
    fn enter_run(&mut self, run: RunRecord) -> usize {
        let place = self.runs.iter().position(|known| known.is_of(&run));
        match place.map(|place| &mut self.runs[place]) {
            None => self.runs.push(run),
            Some(known) if known.elapsed < run.elapsed => *known = run,
            Some(_) => {}
        }
        place.unwrap_or(self.runs.len() - 1)
    }

    /// Whether the record of a run in this process was begun.
    pub(crate) fn is_run_begun(&self) -> bool {
        self.current.is_some()
    }

    /// The record of the run in progress, if one was begun.
    pub(crate) fn current_run(&mut self) -> Option<&mut RunRecord> {
        self.current.and_then(|current| self.runs.get_mut(current))
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
        self.shard.units(self.fingerprint.units).filter(|unit| !self.tallies.contains_key(unit)).collect()
    }

    /// Whether every unit of its shard is finished.
    pub fn is_complete(&self) -> bool {
        self.finished() == self.units()
    }

    /// The sum of the tallies of its finished units.
    pub fn total(&self) -> Result<u128, Overflow> {
        self.tallies.values().try_fold(0u128, |sum, &tally| sum.checked_add(tally)).ok_or(Overflow)
    }

    /// Checks that the ledger is for this shard of this count.
    pub fn check(&self, fingerprint: &Fingerprint, shard: Shard) -> Result<(), LedgerError> {
        self.fingerprint.check(fingerprint)?;
        differ("shard", &self.shard, &shard)
    }

    /// Checks that no unit has more finished tasks than the plan gives it: else this plan did not make the ledger.
    pub(crate) fn check_partials(&self, plan: &Plan) -> Result<(), LedgerError> {
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
    pub fn record(&mut self, unit: usize, tally: u128) -> Result<(), LedgerError> {
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

    /// The finished part of an unfinished unit.
    pub(crate) fn partial(&self, unit: usize) -> Partial {
        self.partials.get(&unit).copied().unwrap_or_default()
    }

    fn check_unit(&self, unit: usize) -> Result<(), LedgerError> {
        let units = self.fingerprint.units;
        let is_there = unit < units && self.shard.contains(unit);
        if is_there { Ok(()) } else { Err(LedgerError::Outside { unit, shard: self.shard, units }) }
    }

    /// The progress: the number of finished units, and of finished tasks of other units. Every new entry raises it.
    pub fn reached(&self) -> (usize, u64) {
        (self.finished(), self.partials.values().map(|partial| partial.tasks).fold(0, u64::saturating_add))
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
        other.tallies().try_for_each(|(unit, tally)| self.record(unit, tally))?;
        other.partials().try_for_each(|(unit, partial)| self.record_partial(unit, partial))?;
        for run in other.runs {
            self.enter_run(run);
        }
        Ok(self)
    }

    /// Which of `of` shards have units that are not finished here; shards are numbered from 1. `of` is that of a [`Shard`].
    pub fn unfinished_shards(&self, of: u32) -> Vec<u32> {
        let shards = (1..=of).filter_map(|index| Shard::new(index, of).ok());
        let mut left: Vec<usize> = shards.map(|shard| shard.units(self.fingerprint.units).len()).collect();
        for unit in self.tallies.keys() {
            left[unit % of as usize] -= 1;
        }
        (1..=of).zip(left).filter_map(|(index, left)| (left > 0).then_some(index)).collect()
    }
}
