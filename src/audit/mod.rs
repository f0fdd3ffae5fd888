//! An audit of a ledger: the engine recounts random units, and the auditor recounts a random task of each.
//!
//! Does the ledger hold what the engine finds? Whole units are recounted, on portable lanes unless told otherwise. Does the
//! engine find the right number? The *auditor*, which shares no code with it, recounts single tasks of the same units.
//!
//! An error in all tasks, or in a large share of them, shows in a few tasks. An error in one unit of thousands shows
//! only if that unit is drawn. The findings give the chance of that.
//!
//! Somebody who forges a ledger must not know which units will be drawn, so the seed must be one that he could not choose.
//! With the ledger it puts all finished units in an order, and an audit takes the first ones: a share of them, or those that
//! it has begun when its time is over. These are finished, however long they take: an audit that dropped them would recount
//! long units less often than short ones. Audits with different seeds add up: if one audit misses an error with chance
//! q, then k audits miss it with chance q^k.

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

/// An audit to make: the ledger, the seed, how much to recount, the instruction set and the number of threads.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is told to"]
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
    /// The seed of the draw.
    pub seed: u64,
    /// Wall time.
    #[cfg_attr(feature = "serde", serde(rename = "seconds", serialize_with = "crate::report::seconds"))]
    pub elapsed: Duration,
    /// How many units the ledger has finished, whole or in part.
    pub finished: usize,
    /// The units that were recounted, in the order of the plan.
    #[cfg_attr(feature = "serde", serde(rename = "recounted"))]
    pub units: Vec<AuditedUnit>,
}

/// A unit that was recounted.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AuditedUnit {
    /// Its number in the plan.
    pub unit: usize,
    /// The tally in the ledger, maybe of its first tasks only; then these were recounted.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::report::as_text"))]
    pub tally: u128,
    /// The tally that the engine finds.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::report::as_text"))]
    pub recounted: u128,
    /// The task that the auditor has counted, unless there is none.
    pub task: Option<AuditedTask>,
}

/// A task that was counted by its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AuditedTask {
    /// Its place in the unit, from 0.
    pub index: u64,
    /// The engine's count, without the weight of the task.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::report::as_text"))]
    pub engine: u64,
    /// The auditor's.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::report::as_text"))]
    pub auditor: u64,
    /// The counts of a part of a task of the join by each matcher with cut lists, which its short lists would not take by
    /// themselves: on the lanes of the audit, then on the best of this processor. Otherwise empty.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::report::all_as_text"))]
    pub forced: Vec<u64>,
    /// Whether all counts are of a random part of the task only, because the whole would take the auditor too long.
    pub is_part: bool,
}

impl AuditedUnit {
    /// Whether the ledger, the engine and the auditor agree.
    pub fn agrees(&self) -> bool {
        self.tally == self.recounted && self.task.as_ref().is_none_or(AuditedTask::agrees)
    }
}

impl AuditedTask {
    /// Whether the engine and the auditor agree, by whatever steps.
    pub fn agrees(&self) -> bool {
        self.forced.iter().chain([&self.engine]).all(|&count| count == self.auditor)
    }
}

impl Findings {
    /// The units in which something differs.
    pub fn differences(&self) -> impl Iterator<Item = &AuditedUnit> {
        self.units.iter().filter(|unit| !unit.agrees())
    }

    /// The chance that such an audit draws, and so finds, at least one of `wrong` units with a wrong tally.
    ///
    /// The audit draws u of U units, and each set of u is equally likely. If w units are wrong, it draws only right ones
    /// with the chance C(U - w, u) / C(U, u). That is the product of (U - w - i) / (U - i) over i = 0 to u - 1.
    pub fn chance_to_find(&self, wrong: usize) -> f64 {
        let left = self.finished.saturating_sub(self.units.len()) + 1..=self.finished;
        1.0 - left.map(|left| left.saturating_sub(wrong) as f64 / left as f64).product::<f64>()
    }
}

/// All units of the ledger with what is finished of each, in the order of these draws.
fn order(ledger: &Ledger, mut draws: Draws) -> Vec<(usize, Partial)> {
    let whole = ledger.tallies().map(|(unit, tally)| (unit, Partial { tasks: Partial::WHOLE, tally }));
    let mut units: Vec<_> = whole.chain(ledger.partials()).collect();
    draws.shuffle(&mut units);
    units
}

/// This share of the units, rounded up, and at least one of them.
fn share_of(units: usize, share: f64) -> usize {
    // A share of 0.07 is a little more than 7 of 100.
    let drawn = ((units as f64 * share) - 1e-9).ceil() as usize;
    if (0.0..1.0).contains(&share) { drawn.max(1).min(units) } else { units }
}

impl<'a> Audit<'a> {
    /// What a minute allows, on portable lanes and every core. With the ledger the seed draws the units and the tasks. Whoever
    /// is to be convinced draws it, after the ledger is complete.
    pub fn of(ledger: &'a Ledger, seed: u64) -> Self {
        Self { ledger, seed, share: None, max_time: Duration::from_mins(1), isa: None, threads: 0 }
    }

    /// Recounts this share of the finished units, from 0 to 1, and at least one, however long it takes. What is no such share is
    /// all of them.
    pub fn share(self, share: impl Into<Option<f64>>) -> Self {
        Self { share: share.into(), ..self }
    }

    /// Begins no unit after this time, unless a share is given.
    pub fn max_time(self, max_time: Duration) -> Self {
        Self { max_time, ..self }
    }

    /// Recounts by this instruction set instead of portable lanes.
    pub fn isa(self, isa: impl Into<Option<Isa>>) -> Self {
        Self { isa: isa.into(), ..self }
    }

    /// Uses this many threads, see [`Request::threads`](crate::Request::threads).
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Recounts, as `examples/shards.rs` does, and goes on after a difference. The calling thread gives `each` every unit
    /// when it is recounted.
    pub fn recount(self, watch: &Watch, each: &mut dyn FnMut(&AuditedUnit)) -> Result<Findings, CountError> {
        let ((sender, found), mut units) = (mpsc::channel(), Vec::new());
        let recounted =
            run_alongside(move || self.recount_all(watch, &sender), || units.extend(found.into_iter().inspect(each)));
        units.sort_unstable_by_key(|unit: &AuditedUnit| unit.unit);
        recounted.map(|findings| Findings { units, ..findings })
    }

    /// Sends every unit when it is recounted, and returns all findings but the units.
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
        let steps = Steps::begin(watch, "recounting units", order.len() as u64, within);
        let is_in_time = |place| place == 0 || within.is_none_or(|time| begun.elapsed() < time);
        let units = (0..).zip(order).take_while(|&(place, _)| is_in_time(place)).map(|(_, unit)| unit);
        threads.for_each(units, engines, |engine, unit| {
            let unit = recount(&mut **engine, &forced, &**ledger.plan(), unit, &draws, &threads)?;
            // A difference may be this core's own.
            threads.check_again(if unit.agrees() { HOUR } else { Duration::ZERO })?;
            steps.add();
            // Nobody takes it where `each` has panicked.
            sender.send(unit).map_err(|_| CountError::Stopped)
        })?;
        threads.check_all(MINUTE)?;
        let (engine, threads, elapsed, units) = (engine.name(), threads.number(), begun.elapsed(), Vec::new());
        Ok(Findings { engine, isa: method.isa(), threads, seed, elapsed, finished, units })
    }
}

/// Recounts what is finished of a unit, and has the auditor count one of these tasks.
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
        // A unit of N = 28 takes hours.
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
