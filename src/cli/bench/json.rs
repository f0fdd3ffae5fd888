//! The results of a benchmark as a program reads them, and as a later run reads them back.

use std::path::Path;

use queens::bench::Timing;
use serde::{Deserialize, Serialize};

use crate::cli::output::About;
use crate::cli::{Exit, Failure};

#[derive(Serialize)]
pub(super) struct Json {
    #[serde(flatten)]
    about: About,
    command: &'static str,
    runs: u64,
    results: Vec<Result_>,
}

#[derive(Serialize)]
struct Result_ {
    n: usize,
    engine: &'static str,
    isa: &'static str,
    threads: usize,
    count: String,
    /// Of each run, in the order of the runs.
    seconds: Vec<f64>,
    median: f64,
    fastest: f64,
    slowest: f64,
    solutions_per_second: f64,
    /// Over one thread, where that was timed too.
    speed_up: Option<f64>,
    efficiency: Option<f64>,
}

impl Json {
    pub(super) fn new(timings: &[Timing], runs: u64) -> Self {
        let result = |timing: &Timing| {
            let combination = timing.combination;
            let speed_up = timing.speed_up(timings);
            Result_ {
                n: combination.size.get(),
                engine: combination.method.engine.info().name,
                isa: combination.method.isa.name(),
                threads: combination.threads,
                count: timing.count.to_string(),
                seconds: timing.seconds.clone(),
                median: timing.median(),
                fastest: timing.fastest(),
                slowest: timing.slowest(),
                solutions_per_second: timing.count as f64 / timing.median(),
                speed_up,
                efficiency: speed_up.map(|speed_up| speed_up / combination.threads as f64),
            }
        };
        Self { about: About::here(), command: "bench", runs, results: timings.iter().map(result).collect() }
    }
}

/// What a comparison needs of an earlier run.
#[derive(Deserialize)]
pub(super) struct Old {
    pub(super) cpu: String,
    pub(super) results: Vec<OldResult>,
}

#[derive(Deserialize)]
pub(super) struct OldResult {
    pub(super) n: usize,
    pub(super) engine: String,
    pub(super) isa: String,
    pub(super) threads: usize,
    pub(super) median: f64,
}

/// Reads the file that an earlier run wrote.
pub(super) fn read(path: &Path) -> Result<Old, Failure> {
    let failure = |reason: String| Failure::Run(Exit::Failure, format!("{}: {reason}", path.display()));
    let bytes = std::fs::read(path).map_err(|error| failure(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| failure(format!("not a result of queens bench --json: {error}")))
}
