//! Estimates of the count and the time of a long run, from random parts of it.
#![allow(unused_variables)]

use std::time::Duration;

use crate::engine::lanes::Isa;
use crate::interval::Interval;
use crate::request::Request;
use crate::run::CountError;
use crate::watch::Watch;

/// An estimate.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Estimate {
    /// Columns and rows of the board.
    pub n: usize,
    /// The engine of the run, as ledgers name it.
    pub engine: &'static str,
    /// Its instruction set.
    pub isa: Isa,
    /// Its number of threads.
    pub threads: usize,
    /// The number of solutions.
    pub count: Interval,
    /// Processor time of the run in seconds, of all threads together, on this machine.
    pub core_seconds: Interval,
    /// Wall time of the run in seconds if this machine has nothing else to do.
    pub seconds: Interval,
    /// The size of the board whose tasks were timed: the board itself or, if they would take too long, a smaller one.
    pub timed_n: usize,
    /// A guide to the memory of the run, in bytes.
    pub memory: u64,
    /// The exact number of solutions, of a board so small that it was counted.
    pub counted: Option<u128>,
    /// Wall time of the estimate.
    #[cfg_attr(feature = "serde", serde(rename = "spent_seconds", serialize_with = "crate::request::seconds"))]
    pub spent: Duration,
}

/// See [`Request::estimate`].
pub(crate) fn estimate(request: &Request, time: Duration, seed: u64, watch: &Watch) -> Result<Estimate, CountError> {
    todo!("estimate")
}
