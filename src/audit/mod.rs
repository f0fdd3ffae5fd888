//! An audit of a ledger: the engine recounts random units, and the auditor recounts a random task of each.
//!
//! The audit answers two questions separately:
//!
//! - Does the ledger hold what the engine finds? The engine recounts whole units, on portable lanes unless told otherwise,
//!   and the audit compares them with the tallies of the ledger.
//! - Does the engine find the right number? The [auditor], which shares no code with the engine, recounts single tasks of
//!   the same units, and the audit compares them with the engine's counts.
//!
//! An error in all tasks, or in a large share of them, shows in a few tasks. An error in one unit of thousands shows
//! only if that unit is drawn. The findings give the chance of that.
//!
//! Somebody who forges a ledger must not know which units will be drawn. So the seed is random unless it is given. A
//! seed puts all finished units in an order, and an audit takes the first ones: a share of them, or those that it has
//! begun when its time is over. These are finished, however long they take: an audit that dropped them would recount
//! long units less often than short ones. Audits with different seeds add up: if one audit misses an error with chance
//! q, then k audits miss it with chance q^k.

pub(crate) mod auditor;
mod parts;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::engine::lanes::Isa;
use crate::engine::{Engine, Method};
use crate::ledger::{Fingerprint, Ledger, Partial};
use crate::plan::Plan;
use crate::report::CountError;
use crate::run::{HOUR, MINUTE, Threads, for_each_unit, self_check};
use crate::watch::{Steps, Watch, lock};

use parts::compare;

/// What an audit recounts.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The share of the finished units to recount, from 0 to 1, at least one; by default as many as `max_time` allows.
    pub share: Option<f64>,
    /// Without a share: no unit is begun after this time.
    pub max_time: Duration,
    /// The same seed draws the same units and tasks.
    pub seed: u64,
    /// The instruction set that recounts them.
    pub isa: Isa,
    /// The number of threads; with 0, one for every core.
    pub threads: usize,
}

impl Default for Options {
    /// What a minute allows, by a random seed, on portable lanes and every core.
    fn default() -> Self {
        // A number that people can type, and that every JSON reader represents exactly.
        let seed = fastrand::u32(..).into();
        Self { share: None, max_time: Duration::from_secs(60), seed, isa: Isa::Portable, threads: 0 }
    }
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
    pub units: Vec<Recounted>,
}

/// A unit that was recounted.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Recounted {
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
    /// Whether both counts are of a random part of the task only, because the whole would take the auditor too long.
    pub is_part: bool,
}

impl Recounted {
    /// Whether the ledger, the engine and the auditor agree.
    pub fn agrees(&self) -> bool {
        self.tally == self.recounted && self.task.as_ref().is_none_or(|task| task.engine == task.auditor)
    }
}

impl Findings {
    /// The units in which something differs.
    pub fn differences(&self) -> impl Iterator<Item = &Recounted> {
        self.units.iter().filter(|unit| !unit.agrees())
    }

    /// The chance that such an audit draws, and so finds, at least one of `wrong` units with a wrong tally.
    ///
    /// The audit draws u of U units, and each set of u is equally likely. If w units are wrong, it draws only right ones
    /// with the chance C(U - w, u) / C(U, u). That is the product of (U - w - i) / (U - i) over i = 0 to u - 1.
    pub fn chance_to_find(&self, wrong: usize) -> f64 {
        let left = self.finished - self.units.len() + 1..=self.finished;
        1.0 - left.map(|left| left.saturating_sub(wrong) as f64 / left as f64).product::<f64>()
    }
}

/// A unit that is to be recounted.
#[derive(Debug)]
struct Drawn {
    unit: usize,
    /// Of an unfinished unit, how many tasks are finished.
    first: Option<u64>,
    tally: u128,
    /// Draws a task.
    random: Rng,
}

/// All units of the ledger, in the order in which this seed recounts them.
fn order(ledger: &Ledger, seed: u64) -> Vec<Drawn> {
    // The numbers of generators with consecutive seeds begin alike; those of generators that they seed do not.
    let mut random = Rng::with_seed(seed).fork();
    let whole = ledger.tallies().map(|(unit, tally)| (unit, None, tally));
    let parts = ledger.partials().map(|(unit, part)| (unit, Some(part.tasks), part.tally));
    let mut units: Vec<_> = whole.chain(parts).collect();
    random.shuffle(&mut units);
    units.into_iter().map(|(unit, first, tally)| Drawn { unit, first, tally, random: random.fork() }).collect()
}

/// This share of the units, rounded up, and at least one of them.
fn share_of(units: usize, share: f64) -> usize {
    // A share of 0.07 is a little more than 7 of 100.
    (((units as f64 * share) - 1e-9).ceil() as usize).max(1).min(units)
}

/// Audits a ledger, as `examples/shards.rs` does. It goes on after a difference; threads of its pool give `each` every unit.
///
/// # Errors
/// As for [`Run::count`](crate::Run::count).
pub fn audit(
    ledger: &Ledger,
    options: &Options,
    watch: &Watch,
    each: impl Fn(&Recounted) + Sync,
) -> Result<Findings, CountError> {
    let Fingerprint { prefix, engine } = ledger.fingerprint();
    let method = Method::choose(Some(engine), Some(options.isa), &prefix)?;
    let plan = Plan::of(engine, &prefix);
    let check = || self_check::check(method, prefix.size());
    let threads = Threads::start(options.threads, &check)?;

    let mut order = order(ledger, options.seed);
    let finished = order.len();
    order.truncate(options.share.map_or(finished, |share| share_of(finished, share)));
    let (begun, within) = (Instant::now(), options.share.is_none().then_some(options.max_time));
    let steps = Steps::begin(watch, "recounting units", order.len() as u64, within);
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    // The loop deals out turns from several places of its list. A turn takes the next unit of the order, so that those
    // recounted are the first ones.
    let turns: Vec<usize> = (0..order.len()).collect();
    for_each_unit(&threads, &turns, watch, method.engines(prefix.size()), |engine, _| {
        let place = next.fetch_add(1, Ordering::Relaxed);
        if place > 0 && within.is_some_and(|time| begun.elapsed() >= time) {
            return Ok(());
        }
        let unit = recount(&mut **engine, &plan, &order[place], watch)?;
        threads.check_again(HOUR)?;
        each(&unit);
        lock(&found).push(unit);
        steps.add();
        Ok(())
    })?;
    threads.check_all(MINUTE)?;
    let mut units = found.into_inner().unwrap_or_default();
    units.sort_unstable_by_key(|unit: &Recounted| unit.unit);
    let (engine, threads) = (engine.info().name, threads.number());
    Ok(Findings { engine, isa: method.isa, threads, seed: options.seed, elapsed: begun.elapsed(), finished, units })
}

/// Recounts one unit, or its first tasks, and has the auditor count one of them.
fn recount(engine: &mut dyn Engine, plan: &Plan, drawn: &Drawn, watch: &Watch) -> Result<Recounted, CountError> {
    let &Drawn { unit, first, tally, ref random } = drawn;
    let (mut random, mut sum, mut audited) = (random.clone(), Partial::default(), None);
    let last = first.unwrap_or_else(|| plan.tasks(unit));
    let chosen = random.u64(..last.max(1));
    for (index, weighted) in (0..last).zip(plan.unit(unit, 0)) {
        if watch.is_stopped() {
            return Err(CountError::Stopped);
        }
        let (task, weight) = (weighted.task, weighted.weight);
        let count = engine.count(&task);
        sum.add(count, weight)?;
        if index == chosen {
            let compared = compare(engine, (index, &task, count), &mut random, &|| watch.is_stopped());
            audited = Some(compared.ok_or(CountError::Stopped)?);
        }
    }
    Ok(Recounted { unit, tally, recounted: sum.tally, task: audited })
}

#[cfg(test)]
mod tests;
