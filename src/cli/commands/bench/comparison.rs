//! The results beside those of an earlier run, or of another machine.

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::results::{Measurement, Results};
use crate::cli::terminal::{
    Column, Exit, Failure,
    numbers::{self, count_of},
};

/// The combinations that both have timed.
#[derive(Serialize)]
pub(super) struct Comparison {
    /// The name of the file or machine, and what is known of it.
    with: String,
    processor: String,
    tolerance: f64,
    /// The geometric mean of all ratios.
    ratio: Option<f64>,
    results: Vec<Pair>,
    /// Whether a slower median is a failure: another processor may be slower, unless a tolerance is asked for.
    #[serde(skip)]
    is_strict: bool,
}

/// A combination that both have timed, with the medians in seconds.
#[derive(Serialize)]
struct Pair {
    n: usize,
    engine: String,
    isa: String,
    isa_before: String,
    threads: usize,
    before: f64,
    now: f64,
    ratio: f64,
    change: Change,
}

/// How the times of a combination compare with those of the earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Change {
    Same,
    Faster,
    Slower,
    /// The medians are further apart than the tolerance, but the runs of one are among those of the other.
    Noise,
}

impl Change {
    /// Two runs of the same program differ too, so a difference counts only if no run of one was as fast as any of the
    /// other: of five runs each that happens once in 252 times by chance.
    fn of(now: &Measurement, before: &Measurement, tolerance: f64) -> Self {
        match now.median / before.median {
            ratio if ratio > 1.0 + tolerance && now.fastest > before.slowest => Self::Slower,
            ratio if ratio < 1.0 / (1.0 + tolerance) && now.slowest < before.fastest => Self::Faster,
            ratio if ratio > 1.0 + tolerance || ratio < 1.0 / (1.0 + tolerance) => Self::Noise,
            _ => Self::Same,
        }
    }

    /// The word for it, and how it is shown.
    const fn word(self) -> (&'static str, Style) {
        match self {
            Self::Same => ("", Style::new()),
            Self::Faster => ("faster", AnsiColor::Green.on_default()),
            Self::Slower => ("slower", AnsiColor::Red.on_default().bold()),
            Self::Noise => ("noise", Style::new().dimmed()),
        }
    }
}

impl Pair {
    /// Another processor may have another instruction set: then its fastest is compared.
    fn new(now: &Measurement, old: &Results, tolerance: f64) -> Option<Self> {
        let is_same = |old: &&Measurement| (old.n, &old.engine, old.threads) == (now.n, &now.engine, now.threads);
        let timed = || old.results.iter().filter(is_same);
        let fastest = || timed().min_by(|a, b| a.median.total_cmp(&b.median));
        let before = timed().find(|old| old.isa == now.isa).or_else(fastest)?;
        Some(Self {
            n: now.n,
            engine: now.engine.clone(),
            isa: now.isa.clone(),
            isa_before: before.isa.clone(),
            threads: now.threads,
            before: before.median,
            now: now.median,
            ratio: now.median / before.median,
            change: Change::of(now, before, tolerance),
        })
    }

    fn styled(&self, text: &str) -> String {
        let (_, style) = self.change.word();
        format!("{style}{text}{style:#}")
    }
}

impl Comparison {
    pub(super) fn new(now: &Results, old: &Results, with: String, tolerance: Option<f64>) -> Self {
        const TOLERANCE: f64 = 0.1;
        let (is_strict, tolerance) = (tolerance.is_some() || now.cpu == old.cpu, tolerance.unwrap_or(TOLERANCE));
        let results: Vec<Pair> = now.results.iter().filter_map(|now| Pair::new(now, old, tolerance)).collect();
        let logarithms = results.iter().map(|pair| pair.ratio.ln()).sum::<f64>();
        let ratio = (!results.is_empty()).then(|| (logarithms / results.len() as f64).exp());
        Self { with, processor: old.origin(), tolerance, ratio, results, is_strict }
    }

    pub(super) fn columns(&self) -> Vec<Column> {
        let isa = |pair: &Pair| match (&pair.isa, &pair.isa_before) {
            (now, before) if now == before => now.clone(),
            (now, before) => format!("{now} after {before}"),
        };
        let cells = |cell: fn(&Pair) -> String| self.results.iter().map(cell);
        vec![
            Column::numbers("N", 0, cells(|pair| pair.n.to_string())),
            Column::words("engine", 0, cells(|pair| pair.engine.clone())),
            Column::words("isa", 2, cells(isa)),
            Column::numbers("threads", 0, cells(|pair| pair.threads.to_string())),
            Column::numbers("before", 3, cells(|pair| numbers::seconds(pair.before))),
            Column::numbers("now", 1, cells(|pair| numbers::seconds(pair.now))),
            Column::numbers("ratio", 0, cells(|pair| pair.styled(&format!("{:.2}", pair.ratio)))),
            Column::words("", 0, cells(|pair| pair.styled(pair.change.word().0))),
        ]
    }

    /// What the table means.
    pub(super) fn notes(&self) -> Vec<String> {
        let Self { with, processor, .. } = self;
        let mean = self.ratio.map_or_else(String::new, |ratio| format!("; geometric mean {ratio:.2}"));
        let legend = format!("ratio: the time now over that in {with} ({processor}), so 2.00 is half as fast{mean}");
        let noise = self.results.iter().filter(|pair| pair.change == Change::Noise).count();
        let noise = (noise > 0).then(|| {
            let medians = count_of(noise as u64, "median");
            format!("{medians} beyond the tolerance, but with runs among those before: noise, or more --runs needed")
        });
        [Some(legend), noise].into_iter().flatten().collect()
    }

    /// Fails if nothing was compared or, where that matters, if a median is slower than the tolerance allows.
    pub(super) fn verdict(&self) -> Result<(), Failure> {
        let Self { with, tolerance, results, .. } = self;
        if results.is_empty() {
            let message = format!("{with} has none of the sizes, engines and threads timed here");
            return Err(Failure::Run(Exit::Failure, message));
        }
        let slower = results.iter().filter(|pair| self.is_strict && pair.change == Change::Slower);
        let slower: Vec<&Pair> = slower.collect();
        let Some(worst) = slower.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio)) else { return Ok(()) };
        let message = format!(
            "{} of {} {} slower than in {with} by more than {}%; the worst is N = {}, {} on {}, {:.2} times as long",
            count_of(slower.len() as u64, "median"),
            results.len(),
            if slower.len() == 1 { "is" } else { "are" },
            (tolerance * 1e4).round() / 1e2,
            worst.n,
            worst.engine,
            count_of(worst.threads as u64, "thread"),
            worst.ratio,
        );
        Err(Failure::Run(Exit::Difference, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::bench::tests::{measurement, results};

    fn of(fastest: f64, median: f64, slowest: f64) -> Measurement {
        measurement(8, "92", ("naive", "portable"), 1, [fastest, median, slowest])
    }

    #[test]
    fn runs_that_overlap_are_noise() {
        let change = |now, before| Change::of(&now, &before, 0.1);
        assert_eq!(change(of(1.0, 1.05, 1.1), of(0.9, 1.0, 1.2)), Change::Same);
        assert_eq!(change(of(1.1, 1.3, 1.4), of(0.9, 1.0, 1.2)), Change::Noise);
        assert_eq!(change(of(1.21, 1.3, 1.4), of(0.9, 1.0, 1.2)), Change::Slower);
        assert_eq!(change(of(0.5, 0.6, 0.7), of(0.9, 1.0, 1.2)), Change::Faster);
        assert_eq!(change(of(0.5, 0.6, 0.95), of(0.9, 1.0, 1.2)), Change::Noise);
        assert_eq!(change(of(1.0, 1.05, 1.06), of(0.99, 0.99, 0.99)), Change::Same);
    }

    /// Another processor may be slower, unless a tolerance is asked for.
    #[test]
    fn another_processor_may_be_slower() {
        let (now, mut old) = (results(vec![of(2.0, 2.0, 2.0)]), results(vec![of(1.0, 1.0, 1.0)]));
        let verdict = |old: &Results, tolerance| Comparison::new(&now, old, "old".to_owned(), tolerance).verdict();
        assert!(matches!(verdict(&old, None), Err(Failure::Run(Exit::Difference, _))));
        old.cpu = "Another".to_owned();
        assert!(verdict(&old, None).is_ok());
        assert!(matches!(verdict(&old, Some(0.1)), Err(Failure::Run(Exit::Difference, _))));
        assert!(verdict(&old, Some(1.5)).is_ok());
    }

    /// The same instruction set if both have timed it, else the fastest of the other machine.
    #[test]
    fn another_instruction_set_is_compared_if_there_is_no_other() {
        let timed = |isa, median| measurement(8, "92", ("join", isa), 1, [median; 3]);
        let old = results(vec![timed("portable", 4.0), timed("avx512", 1.0), timed("avx2", 2.0)]);
        let compared = |isa| {
            let pair = Pair::new(&timed(isa, 2.0), &old, 0.1).unwrap();
            (pair.isa_before, pair.ratio)
        };
        assert_eq!(compared("avx2"), ("avx2".to_owned(), 1.0));
        assert_eq!(compared("neon"), ("avx512".to_owned(), 2.0));
    }
}
