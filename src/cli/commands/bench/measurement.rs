//! What was timed of one combination.

use serde::{Deserialize, Serialize};

/// What ± means, after the sign.
pub(super) const SPREAD: &str = "is half the range from the fastest to the slowest run";

/// The times of one board by one engine on some number of threads; seconds.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Measurement {
    pub(super) n: usize,
    pub(super) engine: String,
    pub(super) isa: String,
    pub(super) threads: usize,
    pub(super) count: String,
    /// Of each run, in the order of the runs.
    pub(super) seconds: Vec<f64>,
    pub(super) median: f64,
    pub(super) fastest: f64,
    pub(super) slowest: f64,
    pub(super) solutions_per_second: f64,
    /// Over one thread, where that was timed too.
    pub(super) speed_up: Option<f64>,
    pub(super) efficiency: Option<f64>,
}
