//! `queens bench --compare OLD`: the medians of now beside those of an earlier run.

use std::io::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};

use super::measurement::Measurement;
use super::results::BenchResults;
use crate::cli::terminal::escape;
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::table::{Column, table, wrapped};
use crate::cli::terminal::{numbers, stdout};

/// How the times of a combination compare with those of the earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Same,
    Faster,
    Slower,
    /// The medians are further apart than the tolerance, but the runs of one are among those of the other.
    Noise,
}

impl Verdict {
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

    const fn word(self) -> &'static str {
        match self {
            Self::Same => "",
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Noise => "noise",
        }
    }

    fn styled(self, text: &str) -> String {
        let style = match self {
            Self::Same => return text.to_owned(),
            Self::Faster => AnsiColor::Green.on_default(),
            Self::Slower => AnsiColor::Red.on_default().bold(),
            Self::Noise => Style::new().dimmed(),
        };
        format!("{style}{text}{style:#}")
    }
}

/// Prints the ratio of each median to that of the earlier run, and fails where one exceeds the tolerance. The earlier run
/// of another processor may have had another instruction set: then that is compared which was the fastest there.
pub(super) fn run(
    out: &mut impl Write,
    now: &BenchResults,
    old: &BenchResults,
    path: &Path,
    tolerance: f64,
) -> Result<(), Failure> {
    let before = |of: &Measurement| {
        let is_same = |old: &&Measurement| (old.n, &old.engine, old.threads) == (of.n, &of.engine, of.threads);
        let timed = || old.results.iter().filter(is_same);
        let other = timed().filter(|_| old.cpu != now.cpu).min_by(|a, b| a.median.total_cmp(&b.median));
        timed().find(|old| old.isa == of.isa).or(other)
    };
    let pairs: Vec<(&Measurement, &Measurement)> =
        now.results.iter().filter_map(|now| Some((now, before(now)?))).collect();
    let path = escape::name(path);
    if pairs.is_empty() {
        let message = format!("{path} has none of the sizes, engines, instruction sets and threads timed here");
        return Err(Failure::Run(Exit::Failure, message));
    }
    let verdict = |(now, before): &(&Measurement, &Measurement)| Verdict::of(now, before, tolerance);
    let ratio = |(now, before): &(&Measurement, &Measurement)| now.median / before.median;
    let isa = |(now, before): &(&Measurement, &Measurement)| {
        if now.isa == before.isa { now.isa.clone() } else { format!("{} after {}", now.isa, before.isa) }
    };
    let columns = vec![
        Column::numbers("N", 0, pairs.iter().map(|(now, _)| now.n.to_string())),
        Column::words("engine", 0, pairs.iter().map(|(now, _)| now.engine.clone())),
        Column::words("isa", 2, pairs.iter().map(isa)),
        Column::numbers("threads", 0, pairs.iter().map(|(now, _)| now.threads.to_string())),
        Column::numbers("before", 3, pairs.iter().map(|(_, before)| numbers::seconds(before.median))),
        Column::numbers("now", 1, pairs.iter().map(|(now, _)| numbers::seconds(now.median))),
        Column::numbers("ratio", 0, pairs.iter().map(|pair| verdict(pair).styled(&format!("{:.2}", ratio(pair))))),
        Column::words("", 0, pairs.iter().map(|pair| verdict(pair).styled(verdict(pair).word()))),
    ];
    write!(out, "\n{}", table(columns, stdout::width()))?;
    let mean = (pairs.iter().map(|pair| ratio(pair).ln()).sum::<f64>() / pairs.len() as f64).exp();
    let legend = format!("ratio: the time now over that in {path}, so 2.00 is half as fast; geometric mean {mean:.2}");
    let noise = pairs.iter().filter(|pair| verdict(pair) == Verdict::Noise).count();
    let noise = (noise > 0).then(|| {
        let medians = numbers::count_of(noise as u64, "median");
        format!("{medians} beyond the tolerance, but with runs among those before: noise, or more --runs needed")
    });
    for line in [Some(legend), noise].iter().flatten().flat_map(|line| wrapped(line, stdout::width(), &[' '])) {
        writeln!(out, "{line}")?;
    }
    if old.cpu != now.cpu {
        writeln!(out, "The earlier run was on another processor: {}", old.cpu)?;
    }
    let slower: Vec<_> = pairs.iter().filter(|pair| verdict(pair) == Verdict::Slower).collect();
    let worst = slower.iter().max_by(|a, b| ratio(a).total_cmp(&ratio(b)));
    let Some(pair @ (worst, _)) = worst else { return Ok(()) };
    let message = format!(
        "{} of {} {} slower than in {path} by more than {}%; the worst is N = {}, {} on {}, {:.2} times as long",
        numbers::count_of(slower.len() as u64, "median"),
        pairs.len(),
        if slower.len() == 1 { "is" } else { "are" },
        (tolerance * 1e4).round() / 1e2,
        worst.n,
        worst.engine,
        numbers::count_of(worst.threads as u64, "thread"),
        ratio(pair),
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
        let verdict = |now, before| Verdict::of(&now, &before, 0.1);
        assert_eq!(verdict(of(1.0, 1.05, 1.1), of(0.9, 1.0, 1.2)), Verdict::Same);
        assert_eq!(verdict(of(1.1, 1.3, 1.4), of(0.9, 1.0, 1.2)), Verdict::Noise);
        assert_eq!(verdict(of(1.21, 1.3, 1.4), of(0.9, 1.0, 1.2)), Verdict::Slower);
        assert_eq!(verdict(of(0.5, 0.6, 0.7), of(0.9, 1.0, 1.2)), Verdict::Faster);
        assert_eq!(verdict(of(0.5, 0.6, 0.95), of(0.9, 1.0, 1.2)), Verdict::Noise);
        assert_eq!(verdict(of(1.0, 1.05, 1.06), of(0.99, 0.99, 0.99)), Verdict::Same);
    }
}
