//! An audit of a ledger.
#![allow(unused_variables)]

use std::time::Duration;

use crate::engine::lanes::Isa;
use crate::ledger::Ledger;
use crate::run::CountError;
use crate::watch::Watch;

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
    #[cfg_attr(feature = "serde", serde(rename = "seconds", serialize_with = "crate::request::seconds"))]
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
    /// Its name for people. If the ledger has only its first tasks, only these were recounted, and the name says so.
    pub name: String,
    /// The tally in the ledger.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::request::as_text"))]
    pub tally: u128,
    /// The tally that the engine finds.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::request::as_text"))]
    pub recounted: u128,
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
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::request::as_text"))]
    pub engine: u64,
    /// The auditor's count, without the weight.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::request::as_text"))]
    pub auditor: u64,
    /// Whether both counts are of a random part of the task only, because the whole would take the auditor too long.
    pub is_part: bool,
}

impl Recounted {
    /// Whether the ledger, the engine and the auditor agree.
    pub fn agrees(&self) -> bool {
        self.tally == self.recounted && self.tasks.iter().all(|task| task.engine == task.auditor)
    }
}

impl Findings {
    /// The units in which something differs.
    pub fn differences(&self) -> impl Iterator<Item = &Recounted> {
        self.units.iter().filter(|unit| !unit.agrees())
    }

    /// The chance that such an audit draws, and so finds, at least one of `wrong` units with a wrong tally.
    pub fn chance_to_find(&self, wrong: usize) -> f64 {
        todo!("audit")
    }
}

/// Audits a ledger. It goes on after a difference and lists all; if it is stopped, the findings are those until then.
///
/// # Errors
/// If the engine of the ledger fails its self-check, the ledger is not of its plan, or the threads cannot be started.
pub fn audit(ledger: &Ledger, options: &Options, watch: &Watch) -> Result<Findings, CountError> {
    todo!("audit")
}
