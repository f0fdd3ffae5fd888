//! An audit of a ledger: the engine recounts random units, and the auditor recounts a random task of each.
//!
//! The engine recounts whole units, by default in portable code, to find wrong tallies. The *auditor*, which shares no
//! code with any engine, recounts a task of each unit, to find errors of the engine.
//!
//! An error in a large share of all tasks shows in a few tasks. An error in one unit of thousands shows only if that
//! unit is drawn; the findings give the probability ([`Findings::chance_to_find`]). If one audit misses an error with
//! probability q, k audits with different seeds miss it with probability q^k.
//!
//! A forger must not know which units will be drawn, so somebody else must choose the seed. Seed and
//! ledger determine an order of all finished units. An audit takes the first: a share, or those started within its
//! time. Started units are always finished; otherwise long units would be audited less often than short ones.

mod auditor;
mod draws;
mod parts;

use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

use crate::engine::lanes::Isa;
use crate::engine::{Engine, MakeEngine, Method};
use crate::ledger::{Fingerprint, Ledger, Partial};
use crate::plan::Plan;
use crate::report::CountError;
use crate::run::{HOUR, MINUTE, Threads, run_alongside, self_check};
use crate::watch::{Steps, Watch};

use draws::Draws;
use parts::audit_task;

/// An audit: the ledger, the seed, how much to recount, the instruction set and the number of threads.
#[derive(Clone, Copy, Debug)]
#[must_use = "an audit does nothing until `recount` is called"]
pub struct Audit<'a> {
    ledger: &'a Ledger,
    seed: u64,
    share: Option<f64>,
    max_time: Duration,
    isa: Option<Isa>,
    threads: usize,
}

/// The findings of an audit.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Findings {
    /// The engine that recounted the units.
    pub engine: &'static str,
    /// Its instruction set.
    pub isa: Isa,
    /// The number of threads.
    pub threads: usize,
    /// The seed.
    pub seed: u64,
    /// Wall time, without the self-checks at the start.
    #[cfg_attr(feature = "serde", serde(rename = "seconds", serialize_with = "crate::report::seconds"))]
    pub elapsed: Duration,
    /// The number of whole and partial units in the ledger.
    pub finished: usize,
    /// The recounted units, in the order of the plan.
    #[cfg_attr(feature = "serde", serde(rename = "recounted"))]
    pub units: Vec<AuditedUnit>,
}

/// A recounted unit.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AuditedUnit {
    /// Its number in the plan.
    pub unit: usize,
    /// The tally in the ledger; for a partial unit, that of its finished tasks, which alone were recounted.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::report::as_text"))]
    pub tally: u128,
    /// The engine's tally.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::report::as_text"))]
    pub recounted: u128,
    /// The task that the auditor counted; `None` for a unit without tasks.
    pub task: Option<AuditedTask>,
}

/// A task that the auditor counted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AuditedTask {
    /// Its number in the unit, from 0.
    pub index: u64,
    /// The engine's count, without the weight of the task.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::report::as_text"))]
    pub engine: u64,
    /// The auditor's count, also without the weight.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::report::as_text"))]
    pub auditor: u64,
    /// For a sampled part of a join task, whose lists are too short to be split: the counts with forced splits, by each
    /// of the three matchers, on the audit's instruction set and then on the processor's best. Otherwise empty.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::report::all_as_text"))]
    pub forced: Vec<u64>,
    /// Whether all counts are of a random part of the task, because the whole would take the auditor too long.
    pub is_part: bool,
}

impl AuditedUnit {
    /// Whether the ledger, the engine and the auditor agree.
    pub fn agrees(&self) -> bool {
        self.tally == self.recounted && self.task.as_ref().is_none_or(AuditedTask::agrees)
    }
}

impl AuditedTask {
    /// Whether all counts agree with the auditor's.
    pub fn agrees(&self) -> bool {
        self.forced.iter().chain([&self.engine]).all(|&count| count == self.auditor)
    }
}

impl Findings {
    /// The units that do not agree.
    pub fn differences(&self) -> impl Iterator<Item = &AuditedUnit> {
        self.units.iter().filter(|unit| !unit.agrees())
    }

    /// The probability that an audit of this size finds at least one of `wrong` units with a wrong tally.
    ///
    /// The audit draws u of U units, and each set of u is equally likely. If w units are wrong, it draws only right
    /// ones with probability C(U - w, u) / C(U, u): the product of (U - w - i) / (U - i) over i = 0 to u - 1.
    pub fn chance_to_find(&self, wrong: usize) -> f64 {
        let left = self.finished.saturating_sub(self.units.len()) + 1..=self.finished;
        1.0 - left.map(|left| left.saturating_sub(wrong) as f64 / left as f64).product::<f64>()
    }
}

/// The whole and partial units of the ledger, in the order of these draws.
fn order(ledger: &Ledger, mut draws: Draws) -> Vec<(usize, Partial)> {
    let whole = ledger.tallies().map(|(unit, tally)| (unit, Partial { tasks: Partial::WHOLE, tally }));
    let mut units: Vec<_> = whole.chain(ledger.partials()).collect();
    draws.shuffle(&mut units);
    units
}

/// The number of units in this share, rounded up, at least one; all of them for a number outside 0 to 1.
fn share_of(units: usize, share: f64) -> usize {
    // In binary, 100 times 0.07 is a little more than 7.
    let drawn = ((units as f64 * share) - 1e-9).ceil() as usize;
    if (0.0..1.0).contains(&share) { drawn.max(1).min(units) } else { units }
}

impl<'a> Audit<'a> {
    /// An audit of one minute, in portable code on all cores. The ledger and the seed determine the recounted units and
    /// tasks. The person to be convinced should draw the seed, after the ledger is complete.
    pub fn of(ledger: &'a Ledger, seed: u64) -> Self {
        Self { ledger, seed, share: None, max_time: Duration::from_mins(1), isa: None, threads: 0 }
    }

    /// Recounts this share (0 to 1) of the units, at least one, however long it takes. Any other number means all.
    pub fn share(self, share: impl Into<Option<f64>>) -> Self {
        Self { share: share.into(), ..self }
    }

    /// Starts no unit after this time, but at least one. Ignored if a share is given.
    pub fn max_time(self, max_time: Duration) -> Self {
        Self { max_time, ..self }
    }

    /// Recounts on this instruction set instead of in portable code.
    pub fn isa(self, isa: impl Into<Option<Isa>>) -> Self {
        Self { isa: isa.into(), ..self }
    }

    /// Sets the number of threads, see [`Request::threads`](crate::Request::threads).
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Runs the audit, and continues after a difference. Calls `each` with every recounted unit on the calling thread.
    pub fn recount(self, watch: &Watch, each: &mut dyn FnMut(&AuditedUnit)) -> Result<Findings, CountError> {
        let ((sender, found), mut units) = (mpsc::channel(), Vec::new());
        let recounted =
            run_alongside(move || self.recount_all(watch, &sender), || units.extend(found.into_iter().inspect(each)));
        units.sort_unstable_by_key(|unit: &AuditedUnit| unit.unit);
        recounted.map(|findings| Findings { units, ..findings })
    }

    /// Sends every recounted unit, and returns the findings without units.
    fn recount_all(self, watch: &Watch, sender: &Sender<AuditedUnit>) -> Result<Findings, CountError> {
        let Self { ledger, seed, share, max_time, isa, threads } = self;
        let Fingerprint { prefix, engine } = ledger.fingerprint();
        let method = Method::choose(Some(engine), Some(isa.unwrap_or(Isa::Portable)), &prefix)?;
        let mut methods = vec![method, Method::choose(Some(engine), None, &prefix)?];
        methods.dedup();
        let forced: Vec<MakeEngine> = methods.into_iter().map(|method| method.forced(prefix.size())).collect();
        let engines = method.engines(prefix.size());
        let draws = Draws::new(ledger, seed);
        let mut order = order(ledger, draws.clone());
        let finished = order.len();
        order.truncate(share.map_or(finished, |share| share_of(finished, share)));

        let check = || self_check::check(method, prefix.size());
        let threads = Threads::start(threads, order.len(), watch, &check)?;
        let (begun, within) = (Instant::now(), share.is_none().then_some(max_time));
        let steps = Steps::begin(watch, order.len() as u64, within);
        let is_in_time = |place| place == 0 || within.is_none_or(|time| begun.elapsed() < time);
        let units = (0..).zip(order).take_while(|&(place, _)| is_in_time(place)).map(|(_, unit)| unit);
        threads.for_each(units, engines, |engine, unit| {
            let unit = recount(&mut **engine, &forced, &**ledger.plan(), unit, &draws, &threads)?;
            // A difference may be a fault of this core.
            threads.check_again(if unit.agrees() { HOUR } else { Duration::ZERO })?;
            steps.add();
            // Fails if `each` has panicked.
            sender.send(unit).map_err(|_| CountError::Stopped)
        })?;
        threads.check_all(MINUTE)?;
        let (engine, threads, elapsed, units) = (engine.name(), threads.number(), begun.elapsed(), Vec::new());
        Ok(Findings { engine, isa: method.isa(), threads, seed, elapsed, finished, units })
    }
}

/// Recounts the finished tasks of a unit, and has the auditor count one of them.
fn recount(
    engine: &mut dyn Engine,
    forced: &[MakeEngine],
    plan: &dyn Plan,
    (unit, finished): (usize, Partial),
    draws: &Draws,
    threads: &Threads,
) -> Result<AuditedUnit, CountError> {
    let (mut draws, mut sum, mut audited) = (draws.within(unit), Partial::default(), None);
    let tasks = finished.tasks.min(plan.tasks(unit));
    let chosen = draws.below(tasks.max(1) as usize) as u64;
    for (index, weighted) in (0..tasks).zip(plan.unit(unit, 0)) {
        if threads.is_stopped() {
            return Err(CountError::Stopped);
        }
        let (task, weight) = (weighted.task, weighted.weight);
        let count = engine.count(&task);
        sum.add(count, weight).ok_or(CountError::Overflow)?;
        // Here too, because a unit of N = 28 takes hours.
        threads.check_again(HOUR)?;
        if index == chosen {
            let task = audit_task(engine, forced, (index, &task, count), &mut draws, &|| threads.is_stopped());
            audited = Some(task.ok_or(CountError::Stopped)?);
        }
    }
    Ok(AuditedUnit { unit, tally: finished.tally, recounted: sum.tally, task: audited })
}

#[cfg(test)]
mod tests;
