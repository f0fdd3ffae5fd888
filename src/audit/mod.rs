//! An audit of a ledger: the engine recounts random units, and the auditor recounts random tasks of these units.
//!
//! The audit answers two questions separately:
//!
//! - Does the ledger hold what the engine finds? The engine recounts whole units, and the audit compares them with the
//!   tallies of the ledger.
//! - Does the engine find the right number? The [auditor](crate::auditor), which shares no code with the engine,
//!   recounts single tasks of the same units, and the audit compares them with the engine's counts.
//!
//! An error in all tasks, or in a large share of them, shows in a few tasks. An error in one unit of thousands shows
//! only if that unit is drawn. The findings give the chance of that.
//!
//! Somebody who forges a ledger must not know which units will be drawn. So the seed is random unless it is given. A
//! seed puts all finished units in an order, and an audit takes the first ones: as many as it is told to, or has time
//! for. Audits with different seeds add up: if one audit misses an error with chance q, then k audits miss it with
//! chance q^k.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::engine::lanes::Isa;
use crate::ledger::Ledger;
use crate::plan::Units;
use crate::run::counting::{Compared, Counter, Counting, Found, Worker};
use crate::run::{CountError, self_check, threads};
use crate::tally::Tally;
use crate::watch::{Progress, Watch, Watched, lock};

/// What an audit recounts.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AuditOptions {
    /// How many units are drawn at most.
    pub units: usize,
    /// After this time no more units are begun, except the first [`AuditOptions::LEAST`]. Units that were begun are
    /// finished.
    pub begin_within: Option<Duration>,
    /// After this time the audit ends. Units that are not recounted by then are left out of the findings.
    pub end_within: Option<Duration>,
    /// How many tasks of each unit the auditor recounts; all of them if the unit has fewer.
    pub tasks: u64,
    /// The seed of the draw: the same seed draws the same units and tasks, another seed others.
    pub seed: u64,
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
    /// Wall time.
    #[cfg_attr(feature = "serde", serde(rename = "seconds", serialize_with = "crate::ledger::seconds"))]
    pub elapsed: Duration,
    /// How many finished units the ledger has.
    pub finished: usize,
    /// Of how many other units it has the first tasks.
    pub parts: usize,
    /// The number of solutions in the tallies of both.
    #[cfg_attr(feature = "serde", serde(rename = "solutions", serialize_with = "crate::tally::as_text"))]
    pub total: u128,
    /// The units that were recounted, in the order of the plan.
    #[cfg_attr(feature = "serde", serde(rename = "drawn"))]
    pub units: Vec<Recounted>,
}

/// A unit that was recounted.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Recounted {
    /// Its number in the plan.
    pub unit: usize,
    /// Its name for people. If the ledger has only its first tasks, only these were recounted, and the name says so.
    pub name: String,
    /// The tally in the ledger.
    pub tally: Tally,
    /// The tally that the engine finds.
    pub recounted: Tally,
    /// The tasks that the auditor has counted.
    pub tasks: Vec<AuditedTask>,
}

/// A task that was counted by its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AuditedTask {
    /// Its place in the unit, from 0.
    pub index: u64,
    /// How many symmetric tasks it stands for.
    pub weight: u64,
    /// The engine's count, without the weight.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::tally::as_text"))]
    pub engine: u64,
    /// The auditor's count, without the weight.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::tally::as_text"))]
    pub auditor: u64,
    /// Whether both counts are of a random part of the task only, because the whole would take the auditor too long.
    pub is_part: bool,
}

impl AuditOptions {
    /// So many units are begun however long they take, unless [`AuditOptions::units`] is smaller.
    pub const LEAST: usize = 16;

    /// The same, but with at most so many units.
    #[must_use]
    pub fn units(self, units: usize) -> Self {
        Self { units, ..self }
    }

    /// The units of the ledger in the order in which they are recounted, at most `units`. `None` marks a finished unit,
    /// `Some` the number of its first tasks.
    fn order(&self, ledger: &Ledger) -> Vec<(usize, Option<u64>, Tally)> {
        let finished = ledger.tallies().map(|(unit, tally)| (unit, None, tally));
        let parts = ledger.partials().map(|(unit, part)| (unit, Some(part.tasks), part.tally));
        let mut units: Vec<_> = finished.chain(parts).collect();
        fastrand::Rng::with_seed(self.seed).shuffle(&mut units);
        units.truncate(self.units);
        units
    }
}

impl Default for AuditOptions {
    /// As many units as can begin within a minute, at least [`AuditOptions::LEAST`], and one task of each, by a random
    /// seed.
    fn default() -> Self {
        // A number that people can type, and that every JSON reader represents exactly.
        let seed = fastrand::u32(..).into();
        Self { units: usize::MAX, begin_within: Some(Duration::from_secs(60)), end_within: None, tasks: 1, seed }
    }
}

/// An audit that goes on, with what it has found so far.
struct Auditing {
    begun: Instant,
    /// How many units are recounted if there is time for all of them.
    units: usize,
    /// The time after which no more are begun.
    time: Option<Duration>,
    findings: Mutex<Findings>,
}

impl Watched<Findings> for Auditing {
    fn progress(&self) -> Progress {
        let (done, elapsed) = (lock(&self.findings).units.len(), self.begun.elapsed());
        let of_units = if self.units > 0 { done as f64 / self.units as f64 } else { 1.0 };
        let of_time = self.time.map_or(0.0, |time| elapsed.div_duration_f64(time));
        let (doing, share) = ("recounting units".to_owned(), of_units.max(of_time).min(1.0));
        Progress { doing, done: done as u64, total: self.units as u64, share, elapsed, ..Progress::default() }
    }

    fn known(&self) -> Option<Findings> {
        let mut findings = lock(&self.findings).clone();
        findings.elapsed = self.begun.elapsed();
        findings.units.sort_unstable_by_key(|unit| unit.unit);
        Some(findings)
    }
}

/// Audits a ledger of this count.
pub(crate) fn audit(
    counter: &Counter<'_>,
    counting: &dyn Counting,
    ledger: &Ledger,
    options: &AuditOptions,
    threads: usize,
    watch: &Watch<Findings>,
) -> Result<Findings, CountError> {
    let pool = threads::pool(threads)?;
    self_check::check(counter, &ledger.fingerprint().subject, false)?;
    let plan = counting.plan();
    ledger.check_partials(&*plan)?;
    let (order, next) = (options.order(ledger), AtomicUsize::new(0));
    let findings = Findings {
        engine: counter.name,
        isa: counter.isa(),
        threads: pool.current_num_threads(),
        elapsed: Duration::ZERO,
        finished: ledger.finished(),
        parts: ledger.partials().count(),
        total: ledger.partials().try_fold(ledger.total()?, |sum, (_, part)| sum.plus(part.tally))?.get(),
        units: Vec::new(),
    };
    let time = options.begin_within.or(options.end_within);
    let auditing = Auditing { begun: Instant::now(), units: order.len(), time, findings: Mutex::new(findings) };
    let auditing = Arc::new(auditing);
    watch.begin(Arc::clone(&auditing) as _);
    let is_past = |time: Option<Duration>| time.is_some_and(|time| auditing.begun.elapsed() >= time);
    let is_late = || is_past(options.end_within) || watch.is_stopped();
    // A thread that has finished a unit takes the next one of the order.
    let work = || -> Result<(), CountError> {
        let mut worker = counting.worker();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(&part) = order.get(place) else { return Ok(()) };
            if place >= AuditOptions::LEAST && is_past(options.begin_within) {
                return Ok(());
            }
            let Some(unit) = recount(&*plan, &mut *worker, part, options, &is_late)? else { return Ok(()) };
            lock(&auditing.findings).units.push(unit);
        }
    };
    pool.broadcast(|_| work()).into_iter().collect::<Result<(), CountError>>()?;
    Ok(auditing.known().expect("it was begun"))
}

/// Recounts one unit, or its first tasks; `None` if it is late before the end.
fn recount(
    plan: &dyn Units,
    worker: &mut dyn Worker,
    (unit, part, tally): (usize, Option<u64>, Tally),
    options: &AuditOptions,
    is_late: &dyn Fn() -> bool,
) -> Result<Option<Recounted>, CountError> {
    if is_late() {
        return Ok(None);
    }
    let last = part.unwrap_or_else(|| plan.tasks(unit));
    let (mut recounted, mut found) = (Tally::default(), Vec::new());
    let counted = worker.unit(unit, 0, &mut |task: Found| {
        recounted.add(task.count, task.weight)?;
        found.push(task);
        if found.len() as u64 == last || is_late() { Err(CountError::Stopped) } else { Ok(()) }
    });
    // The error that ends it after the last task, or when it is late.
    counted.or_else(|error| if error == CountError::Stopped { Ok(()) } else { Err(error) })?;
    if (found.len() as u64) < last {
        return Ok(None);
    }
    let mut random = fastrand::Rng::with_seed(options.seed ^ (unit as u64 + 1) << 32);
    let chosen = random.choose_multiple(0..found.len(), options.tasks.min(found.len() as u64) as usize);
    let audited = chosen.into_iter().map_while(|place| {
        let (index, Found { count, weight }) = (place as u64, found[place]);
        let Compared { engine, auditor, is_part } = worker.audit((unit, index), count, &mut random, is_late)?;
        Some(AuditedTask { index, weight, engine, auditor, is_part })
    });
    let tasks = audited.collect();
    let name = part.map_or_else(|| plan.name(unit), |part| format!("{}, its first {part} tasks,", plan.name(unit)));
    Ok(Some(Recounted { unit, name, tally, recounted, tasks }))
}

impl AuditedTask {
    /// Whether the engine and the auditor agree.
    pub fn agrees(&self) -> bool {
        self.engine == self.auditor
    }
}

impl Recounted {
    /// Whether the ledger and the engine agree.
    pub fn is_confirmed(&self) -> bool {
        self.tally == self.recounted
    }

    /// Whether the ledger, the engine and the auditor agree.
    pub fn agrees(&self) -> bool {
        self.is_confirmed() && self.tasks.iter().all(AuditedTask::agrees)
    }
}

impl Findings {
    /// The units in which something differs.
    pub fn differences(&self) -> impl Iterator<Item = &Recounted> {
        self.units.iter().filter(|unit| !unit.agrees())
    }

    /// How many tasks the auditor has counted.
    pub fn tasks(&self) -> usize {
        self.units.iter().map(|unit| unit.tasks.len()).sum()
    }

    /// How many solutions of the ledger the engine has found again.
    pub fn recounted(&self) -> u128 {
        self.units.iter().filter(|unit| unit.is_confirmed()).map(|unit| unit.tally.get()).sum()
    }

    /// How many solutions of the ledger the auditor has found too, in tasks of units whose tallies the engine confirms.
    pub fn audited(&self) -> u128 {
        let confirmed = self.units.iter().filter(|unit| unit.agrees()).flat_map(|unit| &unit.tasks);
        confirmed.map(|task| u128::from(task.auditor) * u128::from(task.weight)).sum()
    }

    /// The chance that such an audit draws, and so finds, at least one of `wrong` units with a wrong tally.
    ///
    /// The audit draws u of U units (finished units and parts), and each set of u is equally likely. If w units are
    /// wrong, it draws only right ones with the chance C(U - w, u) / C(U, u). That is the product of (U - w - i) / (U -
    /// i) over i = 0 to u - 1.
    pub fn chance_to_find(&self, wrong: usize) -> f64 {
        let all_right = (0..self.units.len()).map(|drawn| {
            let left = self.finished + self.parts - drawn;
            left.saturating_sub(wrong) as f64 / left as f64
        });
        1.0 - all_right.product::<f64>()
    }
}

#[cfg(test)]
mod tests;
