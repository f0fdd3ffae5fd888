//! `queens bench --compare OLD`

use std::io::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};

use super::saved::{Entry, Saved};
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::{messages, numbers};

const FASTER: Style = AnsiColor::Green.on_default();
const SLOWER: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// What a combination's times say beside those of the earlier run.
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
    fn of(now: &Entry, before: &Entry, tolerance: f64) -> Self {
        let ratio = now.median / before.median;
        match ratio {
            ratio if ratio > 1.0 + tolerance && now.fastest > before.slowest => Self::Slower,
            ratio if ratio < 1.0 / (1.0 + tolerance) && now.slowest < before.fastest => Self::Faster,
            ratio if ratio > 1.0 + tolerance || ratio < 1.0 / (1.0 + tolerance) => Self::Noise,
            _ => Self::Same,
        }
    }

    const fn text(self) -> (Style, &'static str) {
        match self {
            Self::Same => (Style::new(), ""),
            Self::Faster => (FASTER, "  faster"),
            Self::Slower => (SLOWER, "  slower"),
            Self::Noise => (DIM, "  noise"),
        }
    }
}

/// Prints the ratio of each median to that of the earlier run, and fails where one exceeds the tolerance.
pub(super) fn run(out: &mut impl Write, now: &Saved, old: &Saved, path: &Path, tolerance: f64) -> Result<(), Failure> {
    let (mut compared, mut noise, mut slower) = (0, 0, Vec::new());
    for entry in &now.results {
        let key = |entry: &Entry| (entry.n, entry.engine.clone(), entry.isa.clone(), entry.threads);
        let Some(before) = old.results.iter().find(|old| key(old) == key(entry)) else { continue };
        if compared == 0 {
            writeln!(out, "\n{DIM} N  engine     isa       threads  {:>13}  {:>13}  ratio{DIM:#}", "before", "now")?;
        }
        compared += 1;
        let ratio = entry.median / before.median;
        let verdict = Verdict::of(entry, before, tolerance);
        let (style, word) = verdict.text();
        write!(out, "{:>2}  {:9}  {:8}  {:>7}", entry.n, entry.engine, entry.isa, entry.threads)?;
        let medians = [before.median, entry.median].map(numbers::seconds);
        writeln!(out, "  {:>13}  {:>13}  {style}{ratio:>5.2}{word}{style:#}", medians[0], medians[1])?;
        noise += u64::from(verdict == Verdict::Noise);
        if verdict == Verdict::Slower {
            let threads = numbers::count_of(entry.threads as u64, "thread");
            slower.push((ratio, format!("N = {}, {} on {threads}", entry.n, entry.engine)));
        }
    }
    let path = messages::name(path);
    if compared == 0 {
        let message = format!("{path} has none of the sizes, engines, instruction sets and threads timed here");
        return Err(Failure::Run(Exit::Failure, message));
    }
    if noise > 0 {
        let medians = numbers::count_of(noise, "median");
        writeln!(
            out,
            "{medians} beyond the tolerance, but with runs among those before: noise, or more --runs needed"
        )?;
    }
    if old.cpu != now.cpu {
        writeln!(out, "The earlier run was on another processor: {}", old.cpu)?;
    }
    let Some((ratio, worst)) = slower.iter().max_by(|a, b| a.0.total_cmp(&b.0)) else { return Ok(()) };
    let message = format!(
        "{} of {compared} {} slower than in {path} by more than {}%; the worst is {worst}, {ratio:.2} times as long",
        numbers::count_of(slower.len() as u64, "median"),
        if slower.len() == 1 { "is" } else { "are" },
        (tolerance * 1e4).round() / 1e2,
    );
    Err(Failure::Run(Exit::Difference, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(fastest: f64, median: f64, slowest: f64) -> Entry {
        let value = serde_json::json!({
            "n": 8, "engine": "naive", "isa": "portable", "threads": 1, "count": "92", "seconds": [fastest, median, slowest],
            "median": median, "fastest": fastest, "slowest": slowest, "solutions_per_second": 1.0,
        });
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn runs_that_overlap_are_noise() {
        let verdict = |now, before| Verdict::of(&now, &before, 0.1);
        assert_eq!(verdict(entry(1.0, 1.05, 1.1), entry(0.9, 1.0, 1.2)), Verdict::Same);
        assert_eq!(verdict(entry(1.1, 1.3, 1.4), entry(0.9, 1.0, 1.2)), Verdict::Noise);
        assert_eq!(verdict(entry(1.21, 1.3, 1.4), entry(0.9, 1.0, 1.2)), Verdict::Slower);
        assert_eq!(verdict(entry(0.5, 0.6, 0.7), entry(0.9, 1.0, 1.2)), Verdict::Faster);
        assert_eq!(verdict(entry(0.5, 0.6, 0.95), entry(0.9, 1.0, 1.2)), Verdict::Noise);
        assert_eq!(verdict(entry(1.0, 1.05, 1.06), entry(0.99, 0.99, 0.99)), Verdict::Same);
    }
}
