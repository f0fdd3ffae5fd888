//! The results of a benchmark: what `--json` writes and `--from` and `--compare` read, and what every table is
//! made from, so that saved results look like new ones.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use queens::bench::{Combination, Timing};
use queens::{Isa, Method, MethodError, Size, oeis};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::machine::Machine;
use crate::cli::terminal::{
    Failure, escape, files, json,
    numbers::{count_of, rate},
};

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
            && [0.0, fastest, median, slowest, MOST].is_sorted()
            && median > 0.0
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
        let failure = |reason: String| files::unread(path, &reason);
        let bytes = files::read(path)?;
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

/// Boards of the score, each with the seconds that the join takes for it on one core of an AMD EPYC (Zen 4, AVX-512), which
/// has 100 points. So the points of a small machine and of a large one, on boards of their own, can be compared.
const BOARDS: [(usize, f64); 5] = [(17, 0.26), (18, 0.86), (19, 5.7), (20, 28.1), (21, 367.0)];

/// Seconds that a run is to take on such cores, at least: then starting the threads does not matter.
const SHORTEST: f64 = 1.0;

/// How fast the engine is that `count` takes by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Score {
    n: usize,
    isa: String,
    /// The most threads timed.
    threads: usize,
    /// Million solutions a second of the board of `n` columns, on these and on one.
    value: f64,
    one_thread: Option<f64>,
    /// The score: 100 for one core of the machine that the boards were timed on. Version 0.2 wrote neither this nor the
    /// fields below.
    #[serde(default)]
    points: f64,
    /// Half the range of the runs over the median.
    #[serde(default)]
    spread: f64,
    /// On one thread, perhaps for another board.
    #[serde(default)]
    points_one_thread: Option<f64>,
}

/// The combinations timed for the score: the smallest board on one thread, and on all threads a board that takes long
/// enough, on each of these instruction sets, or on the best.
pub(super) fn of_score(isas: &[Isa], threads: usize) -> Result<Vec<Combination>, MethodError> {
    let size = |n| Size::new(n).expect("a board has up to 32 columns");
    let (one, all) = (size(BOARDS[0].0), size(board(threads)));
    let isas: Vec<Option<Isa>> = if isas.is_empty() { vec![None] } else { isas.iter().copied().map(Some).collect() };
    let mut timed = Vec::new();
    for isa in isas {
        for (size, threads) in [(one, 1), (all, threads)] {
            timed.push(Combination { size, method: Method::choose(None, isa, size)?, threads });
        }
    }
    Ok(timed)
}

/// The smallest board that takes this many threads long enough.
fn board(threads: usize) -> usize {
    let long = BOARDS.iter().find(|(_, seconds)| seconds / threads as f64 >= SHORTEST);
    long.unwrap_or(&BOARDS[BOARDS.len() - 1]).0
}

/// The points for this many million solutions a second.
fn points(n: usize, millions: f64) -> Option<f64> {
    let (_, seconds) = BOARDS.iter().find(|(board, _)| *board == n)?;
    Some(100.0 * seconds * millions * 1e6 / oeis::QUEENS.term(n)? as f64)
}

impl Score {
    /// From the results, where a board of the score is among them: the largest on the most threads.
    fn of(results: &[Measurement]) -> Option<Self> {
        let size = Size::new(BOARDS[0].0).expect("as above");
        let engine = Method::choose(None, None, size).ok()?.engine.info().name;
        let is_board = |n| BOARDS.iter().any(|(board, _)| *board == n);
        let timed = || results.iter().filter(|timed| is_board(timed.n) && timed.engine == engine);
        let millions = |measurement: &Measurement| measurement.solutions_per_second / 1e6;
        // Where instruction sets were compared, that of the fastest.
        let key = |timed: &&Measurement| (timed.threads, timed.n);
        let most = timed().map(|timed| key(&timed)).max()?;
        let most = timed().filter(|timed| key(timed) == most).min_by(|a, b| a.median.total_cmp(&b.median))?;
        let one = || timed().filter(|timed| timed.threads == 1 && timed.isa == most.isa);
        Some(Self {
            n: most.n,
            isa: most.isa.clone(),
            threads: most.threads,
            value: millions(most),
            one_thread: one().find(|timed| timed.n == most.n).map(millions),
            points: points(most.n, millions(most))?,
            spread: most.spread(),
            points_one_thread: one().next().and_then(|timed| points(timed.n, millions(timed))),
        })
    }

    /// For results of version 0.2 they are worked out.
    fn points(&self) -> f64 {
        if self.points > 0.0 { self.points } else { points(self.n, self.value).unwrap_or_default() }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", rate(self.points()))?;
        if self.spread > 0.0 {
            write!(f, " ± {:.0}%", 100.0 * self.spread)?;
        }
        write!(f, " on {}", count_of(self.threads as u64, "thread"))?;
        let one = self.points_one_thread.or_else(|| points(self.n, self.one_thread?));
        if let Some(one) = one.filter(|_| self.threads > 1) {
            write!(f, ", {} on one", rate(one))?;
        }
        write!(f, " (N = {}, {}; 100 is a core of an AMD EPYC, Zen 4)", self.n, self.isa)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::bench::tests::measurement;
    use queens::EngineKind;
    use queens::Watch;
    use queens::bench::bench;

    #[test]
    fn figures_follow_from_the_times() {
        let timing = |threads, seconds: [u64; 3]| {
            let method = Method { engine: EngineKind::Naive, isa: Isa::Portable };
            let combination = Combination { size: Size::new(8).unwrap(), method, threads };
            let mut timing = bench(&[combination], 1, &Watch::default()).unwrap().remove(0);
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

    #[test]
    fn boards_grow_with_the_threads() {
        assert_eq!([1, 2, 5, 6, 28, 29, 64, 170, 1024].map(board), [19, 19, 19, 20, 20, 21, 21, 21, 21]);
        for window in BOARDS.windows(2) {
            assert!(window[0].0 + 1 == window[1].0 && window[0].1 < window[1].1);
        }
        let timed = of_score(&[], 64).unwrap();
        assert_eq!(timed.iter().map(|of| (of.size.get(), of.threads)).collect::<Vec<_>>(), [(17, 1), (21, 64)]);
    }

    /// A machine that is twice as fast has twice the points, whatever the board.
    #[test]
    fn points_are_of_the_work_and_not_of_the_board() {
        let timed = |n: usize, threads, median: f64| {
            let count = oeis::QUEENS.term(n).unwrap().to_string();
            measurement(n, &count, ("join", "avx512"), threads, [0.98 * median, median, 1.02 * median])
        };
        for (n, seconds) in BOARDS {
            let score = Score::of(&[timed(17, 1, 0.26), timed(n, 2, seconds / 2.0)]).unwrap();
            assert!((score.points() - 200.0).abs() < 1e-9 && (score.points_one_thread.unwrap() - 100.0).abs() < 1e-9);
            let told =
                format!("200 ± 2% on 2 threads, 100 on one (N = {n}, avx512; 100 is a core of an AMD EPYC, Zen 4)");
            assert_eq!(score.to_string(), told);
        }
        // What version 0.2 wrote.
        let old: Score = serde_json::from_str(
            r#"{"n": 17, "isa": "avx512", "threads": 2, "value": 737.0392615384616, "one_thread": 368.5196307692308}"#,
        )
        .unwrap();
        assert!(old.to_string().starts_with("200 on 2 threads, 100 on one (N = 17"), "{old}");
        assert_eq!(Score::of(&[timed(16, 2, 0.1)]), None);
    }
}
