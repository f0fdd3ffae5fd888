//! `queens bench --compare OLD`: the medians beside the medians of an earlier run.

use std::io::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};

use super::results::{BenchResults, Measurement};
use crate::cli::terminal::{Column, Exit, Failure, Table, escape, numbers, stdout, table::wrapped};

/// How the times of a combination compare with those of the earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Same,
    Faster,
    Slower,
    /// The medians are further apart than the tolerance, but the runs of one are among those of the other.
    Noise,
}

impl Change {
    /// Two runs of the same program differ too, so a difference counts only where no run of one was as fast as any of
    /// the other: of five runs each that happens once in 252 times by chance.
    fn of(now: &Measurement, before: &Measurement, tolerance: f64) -> Self {
        let ratio = now.median / before.median;
        match ratio {
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

/// A combination that both runs have timed.
struct Pair<'a> {
    now: &'a Measurement,
    before: &'a Measurement,
    /// The time now over the time before.
    ratio: f64,
    change: Change,
}

impl Pair<'_> {
    fn styled(&self, text: &str) -> String {
        let (_, style) = self.change.word();
        format!("{style}{text}{style:#}")
    }
}

/// The combinations that both have timed. Another processor may have had another instruction set: then its fastest is
/// compared.
fn pairs<'a>(now: &'a BenchResults, old: &'a BenchResults, tolerance: f64) -> Vec<Pair<'a>> {
    let is_elsewhere = now.is_elsewhere(old);
    let pair = |now: &'a Measurement| {
        let is_same = |old: &&Measurement| (old.n, &old.engine, old.threads) == (now.n, &now.engine, now.threads);
        let timed = || old.results.iter().filter(is_same);
        let fastest = timed().filter(|_| is_elsewhere).min_by(|a, b| a.median.total_cmp(&b.median));
        let before = timed().find(|old| old.isa == now.isa).or(fastest)?;
        Some(Pair { now, before, ratio: now.median / before.median, change: Change::of(now, before, tolerance) })
    };
    now.results.iter().filter_map(pair).collect()
}

/// Prints the ratio of each median to that of the earlier run, and fails where one exceeds the tolerance.
pub(super) fn run(
    out: &mut impl Write,
    now: &BenchResults,
    old: &BenchResults,
    path: &Path,
    tolerance: f64,
) -> Result<(), Failure> {
    let (pairs, path) = (pairs(now, old, tolerance), escape::name(path));
    if pairs.is_empty() {
        let message = format!("{path} has none of the sizes, engines, instruction sets and threads timed here");
        return Err(Failure::Run(Exit::Failure, message));
    }
    let isa = |pair: &Pair| match (&pair.now.isa, &pair.before.isa) {
        (now, before) if now == before => now.clone(),
        (now, before) => format!("{now} after {before}"),
    };
    let cells = |cell: fn(&Pair) -> String| pairs.iter().map(cell);
    let columns = vec![
        Column::numbers("N", 0, cells(|pair| pair.now.n.to_string())),
        Column::words("engine", 0, cells(|pair| pair.now.engine.clone())),
        Column::words("isa", 2, cells(isa)),
        Column::numbers("threads", 0, cells(|pair| pair.now.threads.to_string())),
        Column::numbers("before", 3, cells(|pair| numbers::seconds(pair.before.median))),
        Column::numbers("now", 1, cells(|pair| numbers::seconds(pair.now.median))),
        Column::numbers("ratio", 0, cells(|pair| pair.styled(&format!("{:.2}", pair.ratio)))),
        Column::words("", 0, cells(|pair| pair.styled(pair.change.word().0))),
    ];
    write!(out, "\n{}", Table::new(columns, stdout::width()).text())?;
    let mean = (pairs.iter().map(|pair| pair.ratio.ln()).sum::<f64>() / pairs.len() as f64).exp();
    let legend = format!("ratio: the time now over that in {path}, so 2.00 is half as fast; geometric mean {mean:.2}");
    let noise = pairs.iter().filter(|pair| pair.change == Change::Noise).count();
    let noise = (noise > 0).then(|| {
        let medians = numbers::count_of(noise as u64, "median");
        format!("{medians} beyond the tolerance, but with runs among those before: noise, or more --runs needed")
    });
    for line in [Some(legend), noise].iter().flatten().flat_map(|line| wrapped(line, stdout::width(), &[' '])) {
        writeln!(out, "{line}")?;
    }
    if now.is_elsewhere(old) {
        writeln!(out, "The earlier run was on another processor: {}", old.processor())?;
    }
    let slower: Vec<&Pair> = pairs.iter().filter(|pair| pair.change == Change::Slower).collect();
    let Some(worst) = slower.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio)) else { return Ok(()) };
    let message = format!(
        "{} of {} {} slower than in {path} by more than {}%; the worst is N = {}, {} on {}, {:.2} times as long",
        numbers::count_of(slower.len() as u64, "median"),
        pairs.len(),
        if slower.len() == 1 { "is" } else { "are" },
        (tolerance * 1e4).round() / 1e2,
        worst.now.n,
        worst.now.engine,
        numbers::count_of(worst.now.threads as u64, "thread"),
        worst.ratio,
    );
    Err(Failure::Run(Exit::Difference, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::bench::tests as planted;

    fn of(fastest: f64, median: f64, slowest: f64) -> Measurement {
        planted::measurement(8, "92", ("naive", "portable"), 1, [fastest, median, slowest])
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
}
