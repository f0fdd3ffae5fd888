//! Instruction sets side by side: `queens bench --isa`.

use std::io::Write;

use anstyle::Style;
use queens::Isa;
use queens::bench::{Combination, Timing};

use crate::cli::Failure;
use crate::cli::output;

const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();

/// Prints a line for each board, engine and number of threads with the median of each instruction set, and how many
/// times as fast it is as the first; nothing where no more than one set was timed.
pub(super) fn table(out: &mut impl Write, timings: &[Timing]) -> Result<(), Failure> {
    let same =
        |a: &Combination, b: &Combination| (a.size, a.method.engine, a.threads) == (b.size, b.method.engine, b.threads);
    let mut isas: Vec<Isa> = Vec::new();
    for timing in timings {
        let at = timing.combination;
        // An engine of one version has nothing to compare.
        let others = timings.iter().filter(|other| same(&other.combination, &at)).count();
        if others > 1 && !isas.contains(&at.method.isa) {
            isas.push(at.method.isa);
        }
    }
    let Some((first, others)) = isas.split_first() else { return Ok(()) };
    write!(out, "\n{DIM} N  engine     threads  {:>10}", first.name())?;
    for isa in others {
        write!(out, "  {:>10}   speed", isa.name())?;
    }
    writeln!(out, "{DIM:#}")?;
    for timing in timings.iter().filter(|timing| timing.combination.method.isa == *first) {
        let at = timing.combination;
        let slowest = timing.median();
        let of = |isa| {
            let is_it = |other: &&Timing| same(&other.combination, &at) && other.combination.method.isa == isa;
            timings.iter().find(is_it).map(Timing::median)
        };
        if others.iter().all(|&isa| of(isa).is_none()) {
            continue;
        }
        let engine = at.method.engine;
        write!(out, "{:>2}  {engine:9}  {:>7}  {:>10}", at.size, at.threads, output::seconds(slowest))?;
        for median in others.iter().filter_map(|&isa| of(isa)) {
            let times = format!("{:.2}×", slowest / median);
            write!(out, "  {:>10}  {BOLD}{times:>6}{BOLD:#}", output::seconds(median))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "{DIM}speed: how many times as fast as {}{DIM:#}", first.name())?;
    Ok(())
}
