//! `queens bench`

mod compare;
mod json;
mod sets;

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use anstyle::Style;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use queens::bench::{BenchError, Combination, Timing, bench, plot};
use queens::verify::Engines;
use queens::{Isa, Size, available_threads};

use super::output::{self, grouped, rounded};
use super::{Exit, Failure, args};

/// Sizes that an engine is taken past its quick ones where nobody names it: about ten seconds instead of one.
const BEYOND_QUICK: usize = 1;

const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();

pub(crate) fn run(args: &args::Bench) -> Result<(), Failure> {
    // An earlier run that can't be read shows before the long work, not after it.
    let old = args.compare.as_deref().map(json::read).transpose()?;
    let combinations = combinations(args)?;
    let bar = progress_bar();
    let timings = bench(&combinations, args.runs as usize, |done, all, next| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        bar.set_message(format!("N = {}, {} on {}", next.size, next.method.engine, count_of(next.threads, "thread")));
    });
    bar.finish_and_clear();
    let timings = timings.map_err(|error| failure(&error))?;

    let mut out = output::heedless();
    let to_stdout = args.json.as_deref() == Some(Path::new("-"));
    let object = json::Json::new(&timings, args.runs);
    if to_stdout {
        output::json(&mut out, &object)?;
    } else {
        table(&mut out, &timings)?;
        sets::table(&mut out, &timings)?;
    }
    if let Some(path) = args.json.as_deref().filter(|_| !to_stdout) {
        let mut text = Vec::new();
        output::json(&mut text, &object)?;
        output::save(path, &String::from_utf8(text).expect("JSON is UTF-8"))?;
    }
    if let Some(path) = &args.plot {
        let subtitle = format!(
            "{}; medians of {}, bars from fastest to slowest",
            output::machine(),
            count_of(args.runs as usize, "run")
        );
        output::save(path, &plot(&timings, &subtitle))?;
    }
    match (old, &args.compare) {
        // Where stdout is one JSON object alone, the comparison goes to stderr.
        (Some(old), Some(path)) if to_stdout => {
            compare::run(&mut anstream::stderr().lock(), &timings, &old, path, args.tolerance)
        }
        (Some(old), Some(path)) => compare::run(&mut out, &timings, &old, path, args.tolerance),
        _ => Ok(()),
    }
}

fn failure(error: &BenchError) -> Failure {
    match error {
        BenchError::Count(error) => error.into(),
        BenchError::Wrong(..) => Failure::Run(Exit::Difference, error.to_string()),
    }
}

/// Everything asked for that can be counted: by size, then engine, then threads.
fn combinations(args: &args::Bench) -> Result<Vec<Combination>, Failure> {
    let mut sizes = args.sizes.clone();
    if sizes.is_empty() {
        sizes = Size::all().filter(|size| (10..=16).contains(&size.get())).collect();
    }
    sizes.sort();
    sizes.dedup();
    let cores = available_threads();
    let mut threads: Vec<usize> =
        args.threads.iter().map(|&threads| if threads == 0 { cores } else { threads }).collect();
    if threads.is_empty() {
        threads = std::iter::successors(Some(1), |threads| Some(2 * threads))
            .take_while(|&threads| threads < cores)
            .chain([cores])
            .collect();
    }
    threads.sort_unstable();
    threads.dedup();
    let mut engines = Engines { named: args.engines.clone(), beyond: BEYOND_QUICK, isas: Vec::new() };
    if let Some(isas) = &args.isa {
        engines.isas = if isas.is_empty() { Isa::available().collect() } else { isas.clone() };
        engines.isas.sort_by_key(|isa| Isa::ALL.iter().position(|other| other == isa));
        engines.isas.dedup();
    }
    let only_sets = engines.isas.len() > 1 && engines.named.is_empty();
    let mut combinations = Vec::new();
    for size in sizes {
        let methods = engines.methods(size).map_err(|error| Failure::usage(&error))?;
        let versions = |engine| methods.iter().filter(|method| method.engine == engine).count();
        // Where sets are compared, an engine of one version has nothing to say unless it is named.
        for &method in methods.iter().filter(|method| !only_sets || versions(method.engine) > 1) {
            combinations.extend(threads.iter().map(|&threads| Combination { size, method, threads }));
        }
    }
    if combinations.is_empty() {
        let message = if args.engines.is_empty() {
            "every engine takes too long for these sizes; name the one to time with --engine"
        } else {
            "the engines named can't count boards of these sizes"
        };
        return Err(Failure::usage(&message));
    }
    Ok(combinations)
}

/// Shown where stderr is a terminal, else not at all.
fn progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}").expect("the template is right");
    let bar = ProgressBar::new(0).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn table(out: &mut impl Write, timings: &[Timing]) -> Result<(), Failure> {
    let solutions = timings.iter().map(|timing| grouped(timing.count).len()).max().unwrap_or(0).max("solutions".len());
    write!(out, "{DIM} N  {:>solutions$}  {:9}  {:8}  threads", "solutions", "engine", "isa")?;
    writeln!(out, "  {:>13}  {:>5}  {:>14}  speed-up  efficiency{DIM:#}", "median", "±", "solutions/s")?;
    let mut before = None;
    for timing in timings {
        let Combination { size, method, threads } = timing.combination;
        if before.is_some_and(|before| before != size) {
            writeln!(out)?;
        }
        before = Some(size);
        let (median, spread) = (timing.median(), (timing.slowest() - timing.fastest()) / 2.0);
        let (rate, percent) = (rounded(timing.count as f64 / median), 100.0 * spread / median);
        write!(out, "{size:>2}  {:>solutions$}  {:9}  {:8}", grouped(timing.count), method.engine, method.isa.name())?;
        write!(out, "  {threads:>7}  {BOLD}{:>13}{BOLD:#}  {percent:>4.0}%  {rate:>14}", output::seconds(median))?;
        if let Some(speed_up) = timing.speed_up(timings) {
            write!(out, "  {speed_up:>8.2}  {:>9.0}%", 100.0 * speed_up / threads as f64)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// `1 run`, `2 runs`.
fn count_of(count: usize, what: &str) -> String {
    if count == 1 { format!("{count} {what}") } else { format!("{count} {what}s") }
}
