//! The results of a benchmark: what `--json` writes and `--from` and `--compare` read, and what every table is
//! made from, so that saved results look like new ones.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use queens::Size;
use queens::bench::Timing;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::machine::Machine;
use super::score::Score;
use crate::cli::terminal::{Exit, Failure, escape, files, json};

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

impl Measurement {
    /// Whether there is such a board, and time has passed: nothing can be said of other numbers.
    pub(super) fn is_possible(&self) -> bool {
        // Some 30,000 years, and more threads than there are.
        const MOST: f64 = 1e12;
        let Self { n, threads, median, fastest, slowest, .. } = *self;
        Size::new(n).is_ok()
            && (1..=1 << 24).contains(&threads)
            && 0.0 <= fastest
            && 0.0 < median
            && fastest <= median
            && median <= slowest
            && slowest <= MOST
            && [self.speed_up, self.efficiency].into_iter().flatten().all(|share| (0.0..=MOST).contains(&share))
    }

    /// Half the range from the fastest to the slowest run, over the median.
    pub(super) fn spread(&self) -> f64 {
        (self.slowest - self.fastest) / 2.0 / self.median
    }
}

/// All that one run of `queens bench` has measured, and on what.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct BenchResults {
    schema: u32,
    pub(super) version: String,
    pub(super) cpu: String,
    command: String,
    /// Version 0.1.0 wrote neither this nor the fields with a default below.
    #[serde(default)]
    pub(super) commit: String,
    #[serde(default)]
    pub(super) date: String,
    #[serde(default)]
    pub(super) machine: Machine,
    pub(super) runs: u64,
    /// Where the board of the score was among those timed.
    #[serde(default)]
    pub(super) score: Option<Score>,
    pub(super) results: Vec<Measurement>,
}

impl BenchResults {
    pub(super) fn new(timings: &[Timing], runs: u64) -> Self {
        let measurement = |timing: &Timing| {
            let combination = timing.combination;
            let speed_up = timing.speed_up(timings);
            let median = timing.median().as_secs_f64();
            Measurement {
                n: combination.size.get(),
                engine: combination.method.engine.info().name.to_owned(),
                isa: combination.method.isa.name().to_owned(),
                threads: combination.threads,
                count: timing.count.to_string(),
                seconds: timing.times.iter().map(Duration::as_secs_f64).collect(),
                median,
                fastest: timing.fastest().as_secs_f64(),
                slowest: timing.slowest().as_secs_f64(),
                solutions_per_second: timing.count as f64 / median,
                speed_up,
                efficiency: speed_up.map(|speed_up| speed_up / combination.threads as f64),
            }
        };
        let results: Vec<Measurement> = timings.iter().map(measurement).collect();
        Self {
            schema: json::SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            cpu: json::cpu_name(),
            command: "bench".to_owned(),
            commit: env!("QUEENS_COMMIT").to_owned(),
            date: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            machine: Machine::here(),
            runs,
            score: Score::of(&results),
            results,
        }
    }

    /// Reads the file that an earlier run wrote.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let failure = |reason: String| Failure::Run(Exit::Failure, format!("{}: {reason}", escape::name(path)));
        let bytes = files::read(path).map_err(|error| failure(files::reason(&error)))?;
        let saved: Self = serde_json::from_slice(&bytes)
            .map_err(|error| failure(format!("not a result of queens bench --json: {error}")))?;
        if saved.results.is_empty() {
            return Err(failure("no results in it".to_owned()));
        }
        // The file may come from anybody.
        let foreign = |what: &str| failure(format!("not a result of queens bench --json: {what}"));
        if serde_json::from_slice(&bytes).is_ok_and(|value| has_controls(&value)) {
            return Err(foreign("control characters in its text"));
        }
        if let Some(index) = saved.results.iter().position(|measurement| !measurement.is_possible()) {
            return Err(foreign(&format!("no run has the numbers of result {}", index + 1)));
        }
        Ok(saved)
    }

    /// `AMD EPYC, family 25, model 17 (Zen 4)`
    pub(super) fn processor(&self) -> String {
        let name = if self.cpu.is_empty() { "unknown processor" } else { &self.cpu };
        format!("{name}{}", self.machine.identity())
    }

    /// Whether the other results are of another processor, by all that both say of it.
    pub(super) fn is_elsewhere(&self, other: &Self) -> bool {
        let model = |of: &Self| of.machine.family.zip(of.machine.model);
        self.cpu != other.cpu || model(self).zip(model(other)).is_some_and(|(one, another)| one != another)
    }

    /// The machine and the program, as label and value.
    pub(super) fn facts(&self) -> Vec<(&'static str, String)> {
        let machine = &self.machine;
        let commit = if self.commit.is_empty() { String::new() } else { format!(", commit {}", self.commit) };
        let facts = [
            ("processor", self.processor()),
            ("cores", if machine.threads == 0 { String::new() } else { machine.cores() }),
            ("caches", machine.caches.join(", ")),
            ("system", machine.system.clone()),
            ("program", format!("queens {}{commit}", self.version)),
            ("date", self.date.clone()),
            ("runs", format!("{} of each, medians; ± {}", self.runs, SPREAD)),
            ("score", self.score.as_ref().map_or_else(String::new, ToString::to_string)),
        ];
        facts.into_iter().filter(|(_, value)| !value.is_empty()).collect()
    }

    /// The median of all [`Measurement::spread`]: how far apart the runs of a typical combination were.
    pub(super) fn noise(&self) -> f64 {
        let mut spreads: Vec<f64> = self.results.iter().map(Measurement::spread).collect();
        spreads.sort_by(f64::total_cmp);
        spreads.get(spreads.len() / 2).copied().unwrap_or(0.0)
    }
}

/// Whether a text in this has control characters, which a terminal would obey.
fn has_controls(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(escape::is_obeyed),
        Value::Array(values) => values.iter().any(has_controls),
        Value::Object(fields) => fields.values().any(has_controls),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::bench::{Combination, bench};
    use queens::{EngineKind, Isa, Method};

    #[test]
    fn figures_follow_from_the_times() {
        let timing = |threads, seconds: [u64; 3]| {
            let method = Method { engine: EngineKind::Naive, isa: Isa::Portable };
            let combination = Combination { size: Size::new(8).unwrap(), method, threads };
            let mut timing = bench(&[combination], 1, |_, _, _| {}).unwrap().remove(0);
            timing.times = seconds.map(Duration::from_secs).to_vec();
            timing
        };
        let saved = BenchResults::new(&[timing(1, [4, 8, 16]), timing(4, [3, 2, 4])], 3);
        let figures = |measurement: &Measurement| {
            let Measurement { median, fastest, slowest, solutions_per_second, speed_up, efficiency, .. } = measurement;
            [*median, *fastest, *slowest, *solutions_per_second, speed_up.unwrap(), efficiency.unwrap()]
        };
        let near = |found: [f64; 6], expected: [f64; 6]| {
            let all = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9);
            assert!(all, "{found:?} instead of {expected:?}");
        };
        near(figures(&saved.results[0]), [8.0, 4.0, 16.0, 11.5, 1.0, 1.0]);
        near(figures(&saved.results[1]), [3.0, 2.0, 4.0, 92.0 / 3.0, 8.0 / 3.0, 2.0 / 3.0]);
        assert!((saved.noise() - 0.75).abs() < 1e-9);
    }

    /// Names of virtual processors are the same for several models, and version 0.3 did not save the model.
    #[test]
    fn other_models_are_other_processors() {
        let of = |family, model| {
            let mut results = crate::cli::commands::bench::tests::results(Vec::new());
            (results.machine.family, results.machine.model) = (family, model);
            results
        };
        let [zen4, zen5, unknown] = [of(Some(25), Some(17)), of(Some(26), Some(2)), of(None, None)];
        assert!(zen4.is_elsewhere(&zen5) && !zen4.is_elsewhere(&zen4) && !zen4.is_elsewhere(&unknown));
        assert!(zen4.is_elsewhere(&BenchResults { cpu: "Another".to_owned(), ..zen4.clone() }));
    }
}
