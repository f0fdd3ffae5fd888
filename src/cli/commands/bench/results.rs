//! The results of a benchmark: what `--json` writes, what `--from` and `--compare` read, and what the tables are made of.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use queens::bench::{Combination, Timing};
use queens::{Isa, Method, MethodError, Size, available_threads, oeis};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sysinfo::System;

use crate::cli::terminal::{
    Failure, escape, files,
    json::cpu_name,
    numbers::{count_of, rate},
};

/// Machines to compare with: their results, by name.
pub(super) const MACHINES: [(&str, &str); 2] = [
    ("zen4", include_str!("../../../../docs/machines/zen4.json")),
    ("zen5", include_str!("../../../../docs/machines/zen5.json")),
];

/// The times of one board by one engine on some number of threads, in seconds.
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
    /// Over one thread, if that was timed too.
    pub(super) speed_up: Option<f64>,
}

impl Measurement {
    fn new(timing: &Timing, all: &[Timing]) -> Self {
        let Combination { size, method, threads } = timing.combination;
        let median = timing.median().as_secs_f64();
        Self {
            n: size.get(),
            engine: method.engine.info().name.to_owned(),
            isa: method.isa.name().to_owned(),
            threads,
            count: timing.count.to_string(),
            seconds: timing.times.iter().map(Duration::as_secs_f64).collect(),
            median,
            fastest: timing.fastest().as_secs_f64(),
            slowest: timing.slowest().as_secs_f64(),
            solutions_per_second: timing.count as f64 / median,
            speed_up: timing.speed_up(all),
        }
    }

    /// Whether there is such a board, and time has passed: nothing can be said of other numbers.
    fn is_possible(&self) -> bool {
        // Some 30,000 years, and more threads than there are.
        const MOST: f64 = 1e12;
        let Self { n, threads, median, fastest, slowest, .. } = *self;
        Size::new(n).is_ok()
            && (1..=1 << 24).contains(&threads)
            && [0.0, fastest, median, slowest, MOST].is_sorted()
            && median > 0.0
            && self.speed_up.is_none_or(|times| (0.0..=MOST).contains(&times))
    }

    /// Half the range from the fastest to the slowest run, over the median; of a single run it is not known.
    pub(super) fn spread(&self) -> Option<f64> {
        (self.seconds.len() > 1).then_some((self.slowest - self.fastest) / 2.0 / self.median)
    }
}

/// The machine, beside its processor.
#[derive(Clone, Serialize, Deserialize)]
struct Machine {
    cores: Option<usize>,
    /// That this process may use at once.
    threads: usize,
    system: String,
}

/// All that one run of `queens bench` has measured, and on what.
#[expect(clippy::struct_field_names, reason = "the names of the JSON object")]
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Results {
    /// Of the program, and of the processor. Every object has these two, so that they are not written here.
    #[serde(skip_serializing)]
    pub(super) version: String,
    #[serde(skip_serializing)]
    pub(super) cpu: String,
    commit: String,
    date: String,
    machine: Machine,
    pub(super) runs: u64,
    /// Whether there were so many runs of every combination, and no signal before their end.
    pub(super) finished: bool,
    /// If a board of the score is among those timed.
    pub(super) score: Option<Score>,
    pub(super) results: Vec<Measurement>,
}

impl Results {
    pub(super) fn new(timings: &[Timing], runs: u64, finished: bool) -> Self {
        let results: Vec<Measurement> = timings.iter().map(|timing| Measurement::new(timing, timings)).collect();
        let version = System::long_os_version().unwrap_or_default();
        let kernel = System::kernel_version().map_or_else(String::new, |kernel| format!("kernel {kernel}"));
        let system = [version, kernel, std::env::consts::ARCH.to_owned()];
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            cpu: cpu_name(),
            commit: env!("QUEENS_COMMIT").to_owned(),
            date: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            machine: Machine {
                cores: System::physical_core_count(),
                threads: available_threads(),
                system: system.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", "),
            },
            runs,
            finished,
            score: Score::of(&results),
            results,
        }
    }

    /// What an earlier run has written in a file, or a machine that comes with the program.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let failure = |reason: &str| files::unread(path, &reason);
        // The file may come from anybody.
        let foreign = |what: String| failure(&format!("not a result of queens bench --json: {what}"));
        let bytes = match MACHINES.iter().find(|(name, _)| path.as_os_str() == *name) {
            Some((_, saved)) => saved.as_bytes().to_vec(),
            None if !files::is_stdin(path) && !path.exists() => {
                let names = MACHINES.map(|(name, _)| name).join(", ");
                return Err(failure(&format!("there is no such file, and no machine of this name; there are {names}")));
            }
            None => files::read(path)?,
        };
        let value: Value = serde_json::from_slice(&bytes).map_err(|error| foreign(error.to_string()))?;
        if has_controls(&value) {
            return Err(foreign("control characters in its text".to_owned()));
        }
        let saved: Self = serde_json::from_value(value).map_err(|error| foreign(error.to_string()))?;
        if saved.results.is_empty() {
            return Err(failure("no results in it"));
        }
        if let Some(index) = saved.results.iter().position(|measurement| !measurement.is_possible()) {
            return Err(foreign(format!("no run has the numbers of result {}", index + 1)));
        }
        Ok(saved)
    }

    /// `AMD EPYC, queens 1.0.0`
    pub(super) fn origin(&self) -> String {
        let cpu = if self.cpu.is_empty() { "unknown processor" } else { &self.cpu };
        format!("{cpu}, queens {}", self.version)
    }

    /// The machine and the program, as label and value.
    pub(super) fn about(&self) -> Vec<(&'static str, String)> {
        let Self { cpu, version, machine, .. } = self;
        let cores = machine.cores.map_or_else(String::new, |cores| count_of(cores as u64, "core") + ", ");
        let commit = if self.commit.is_empty() { String::new() } else { format!(", commit {}", self.commit) };
        let about = [
            ("processor", cpu.clone()),
            ("cores", format!("{cores}{} for this program", count_of(machine.threads as u64, "thread"))),
            ("system", machine.system.clone()),
            ("program", format!("queens {version}{commit}")),
            ("date", self.date.clone()),
            ("runs", format!("medians of {}", self.runs)),
        ];
        about.into_iter().filter(|(_, value)| !value.is_empty()).collect()
    }

    /// The median of all [`Measurement::spread`]: how far apart the runs of a typical combination were.
    pub(super) fn noise(&self) -> f64 {
        let mut spreads: Vec<f64> = self.results.iter().filter_map(Measurement::spread).collect();
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
    /// 100 for one core of the machine that the boards were timed on.
    points: f64,
    /// Half the range of the runs over the median, if there were several.
    spread: Option<f64>,
    /// On one thread, perhaps for another board.
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

impl Score {
    /// From the results, if a board of the score is among them: the largest on the most threads.
    fn of(results: &[Measurement]) -> Option<Self> {
        let size = Size::new(BOARDS[0].0).expect("as above");
        let engine = Method::choose(None, None, size).ok()?.engine.info().name;
        let points = |timed: &Measurement| {
            let (_, seconds) = BOARDS.iter().find(|(board, _)| *board == timed.n)?;
            Some(100.0 * seconds * timed.solutions_per_second / oeis::QUEENS.term(timed.n)? as f64)
        };
        let timed = || results.iter().filter(|timed| timed.engine == engine && points(timed).is_some());
        // The fastest instruction set, if several were compared.
        let key = |timed: &&Measurement| (timed.threads, timed.n);
        let most = timed().map(|timed| key(&timed)).max()?;
        let most = timed().filter(|timed| key(timed) == most).min_by(|a, b| a.median.total_cmp(&b.median))?;
        let one = timed().find(|timed| timed.threads == 1 && timed.isa == most.isa);
        Some(Self {
            n: most.n,
            isa: most.isa.clone(),
            threads: most.threads,
            points: points(most)?,
            spread: most.spread(),
            points_one_thread: one.and_then(points),
        })
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n, isa, threads, points, spread, points_one_thread } = self;
        let spread = spread.map_or_else(String::new, |spread| format!(" ± {:.0}%", 100.0 * spread));
        write!(f, "{}{spread} on {}", rate(*points), count_of(*threads as u64, "thread"))?;
        if let Some(one) = points_one_thread.filter(|_| *threads > 1) {
            write!(f, ", {} on one", rate(one))?;
        }
        write!(f, " (N = {n}, {isa}; 100 is a core of an AMD EPYC, Zen 4)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::bench::tests::measurement;
    use queens::EngineKind;
    use queens::Watch;
    use queens::bench::bench;
    use std::collections::BTreeSet;
    use std::fs;

    #[test]
    fn figures_follow_from_the_times() {
        let timing = |threads, seconds: [u64; 3]| {
            let method = Method { engine: EngineKind::Naive, isa: Isa::Portable };
            let combination = Combination { size: Size::new(8).unwrap(), method, threads };
            let mut timing = bench(&[combination], 1, &Watch::default()).unwrap().remove(0);
            timing.times = seconds.map(Duration::from_secs).to_vec();
            timing
        };
        let saved = Results::new(&[timing(1, [4, 8, 16]), timing(4, [3, 2, 4])], 3, true);
        let figures = |measurement: &Measurement| {
            let Measurement { median, fastest, slowest, solutions_per_second, speed_up, .. } = measurement;
            [*median, *fastest, *slowest, *solutions_per_second, speed_up.unwrap()]
        };
        let near = |found: [f64; 5], expected: [f64; 5]| {
            let all = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9);
            assert!(all, "{found:?} instead of {expected:?}");
        };
        near(figures(&saved.results[0]), [8.0, 4.0, 16.0, 11.5, 1.0]);
        near(figures(&saved.results[1]), [3.0, 2.0, 4.0, 92.0 / 3.0, 8.0 / 3.0]);
        assert!((saved.noise() - 0.75).abs() < 1e-9);
    }

    #[test]
    fn every_machine_of_the_documents_comes_with_the_program() {
        let folder = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/machines")).unwrap();
        let files: BTreeSet<String> = folder.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        assert_eq!(files, MACHINES.map(|(name, _)| format!("{name}.json")).into());
        for (name, _) in MACHINES {
            let machine = Results::read(Path::new(name)).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            let told = |score: Option<Score>| score.map(|score| score.to_string());
            assert_eq!(told(machine.score), told(Score::of(&machine.results)), "{name}");
        }
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
            assert!((score.points - 200.0).abs() < 1e-9 && (score.points_one_thread.unwrap() - 100.0).abs() < 1e-9);
            let told =
                format!("200 ± 2% on 2 threads, 100 on one (N = {n}, avx512; 100 is a core of an AMD EPYC, Zen 4)");
            assert_eq!(score.to_string(), told);
        }
        assert_eq!(Score::of(&[timed(16, 2, 0.1)]), None);
        // Of a single run nobody knows how far apart others are.
        let once = Measurement { seconds: vec![0.26], ..timed(17, 1, 0.26) };
        let score = Score::of(&[once]).unwrap();
        assert_eq!(score.spread, None);
        assert!(score.to_string().starts_with("100 on 1 thread (N = 17"), "{score}");
    }
}
