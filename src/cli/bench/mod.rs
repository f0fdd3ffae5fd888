//! `queens bench`

mod compare;
mod json;

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use anstyle::Style;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use queens::bench::{BenchError, Combination, Timing, bench, plot};
use queens::verify::Engines;
use queens::{Size, available_threads};

use super::ending::{self, Content};
use super::output::{self, grouped, rounded};
use super::{Exit, Failure, args, save};

/// Sizes that an engine is taken past its quick ones where nobody names it: about ten seconds instead of one.
const BEYOND_QUICK: usize = 1;

const DIM: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();

pub(crate) fn run(args: &args::Bench) -> Result<(), Failure> {
    // What can't be read or written shows before the long work, not after it.
    if let Some(path) = &args.json {
        ending::require("--json <FILE>", path, Content::Json)?;
        save::try_out(path)?;
    }
    if let Some(path) = &args.plot {
        ending::require("--plot <FILE>", path, Content::Svg)?;
        save::try_out(path)?;
    }
    let old = args.compare.as_deref().map(json::read).transpose()?;
    let combinations = combinations(args)?;
    let bar = progress_bar();
    let timings = bench(&combinations, args.runs as usize, |done, all, next| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        bar.set_message(format!(
            "N = {}, {} on {}",
            next.size,
            next.method.engine,
            output::count_of(next.threads as u64, "thread")
        ));
    });
    bar.finish_and_clear();
    let timings = timings.map_err(|error| failure(&error))?;

    let mut out = anstream::stdout().lock();
    let to_stdout = args.json.as_deref() == Some(Path::new("-"));
    let object = json::Json::new(&timings, args.runs);
    if to_stdout {
        output::json(&mut out, &object)?;
    } else {
        table(&mut out, &timings)?;
    }
    if let Some(path) = args.json.as_deref().filter(|_| !to_stdout) {
        let mut text = Vec::new();
        output::json(&mut text, &object)?;
        save::save(path, &text)?;
    }
    if let Some(path) = &args.plot {
        let subtitle = format!(
            "{}; medians of {}, bars from fastest to slowest",
            output::machine(),
            output::count_of(args.runs, "run")
        );
        save::save(path, plot(&timings, &subtitle).as_bytes())?;
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
    let engines = Engines { named: args.engines.clone(), beyond: BEYOND_QUICK, isa: args.isa };
    let mut combinations = Vec::new();
    for size in sizes {
        for method in engines.methods(size).map_err(|error| Failure::usage(&error))? {
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
