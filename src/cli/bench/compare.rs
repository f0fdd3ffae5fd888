//! `queens bench --compare OLD`

use std::io::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use queens::bench::Timing;

use super::json::Old;
use crate::cli::output::{self, About};
use crate::cli::{Exit, Failure};

const FASTER: Style = AnsiColor::Green.on_default();
const SLOWER: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// Prints the ratio of each median to that of the earlier run, and fails where one exceeds the tolerance.
pub(super) fn run(
    out: &mut impl Write,
    timings: &[Timing],
    old: &Old,
    path: &Path,
    tolerance: f64,
) -> Result<(), Failure> {
    let (mut compared, mut slower) = (0, Vec::new());
    for timing in timings {
        let at = timing.combination;
        let (engine, isa) = (at.method.engine.info().name, at.method.isa.name());
        let same = old
            .results
            .iter()
            .find(|old| old.n == at.size.get() && old.engine == engine && old.isa == isa && old.threads == at.threads);
        let Some(same) = same else { continue };
        if compared == 0 {
            writeln!(out, "\n{DIM} N  engine     isa       threads  {:>13}  {:>13}  ratio{DIM:#}", "before", "now")?;
        }
        compared += 1;
        let ratio = timing.median() / same.median;
        let style = match ratio {
            ratio if ratio > 1.0 + tolerance => SLOWER,
            ratio if ratio < 1.0 / (1.0 + tolerance) => FASTER,
            _ => Style::new(),
        };
        write!(out, "{:>2}  {engine:9}  {isa:8}  {:>7}", at.size, at.threads)?;
        let (before, now) = (output::seconds(same.median), output::seconds(timing.median()));
        writeln!(out, "  {before:>13}  {now:>13}  {style}{ratio:>5.2}{style:#}")?;
        if ratio > 1.0 + tolerance {
            slower.push((
                ratio,
                format!("N = {}, {engine} on {}", at.size, output::count_of(at.threads as u64, "thread")),
            ));
        }
    }
    let path = path.display();
    if compared == 0 {
        let message = format!("{path} has none of the sizes, engines, instruction sets and threads timed here");
        return Err(Failure::Run(Exit::Failure, message));
    }
    if old.cpu != About::here().cpu {
        writeln!(out, "The earlier run was on another processor: {}", old.cpu)?;
    }
    let Some((ratio, worst)) = slower.iter().max_by(|a, b| a.0.total_cmp(&b.0)) else { return Ok(()) };
    let message = format!(
        "{} of {compared} {} slower than in {path} by more than {}%; the worst is {worst}, {ratio:.2} times as long",
        output::count_of(slower.len() as u64, "median"),
        if slower.len() == 1 { "is" } else { "are" },
        (tolerance * 1e4).round() / 1e2,
    );
    Err(Failure::Run(Exit::Difference, message))
}
