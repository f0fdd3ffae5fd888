//! `queens bench`

mod comparison;
mod results;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use queens::bench::{BenchError, Combination, Timing, bench};
use queens::{EngineKind, Isa, Progress, Size, Watch, available_threads};

use crate::cli::commands::verify::methods;
use crate::cli::long_run::{Activity, Status, When};
use crate::cli::terminal::{
    Exit, Failure, JsonOutput, Sizes, escape, messages,
    value_parsers::{self, isa_parser, named_engine_parser, tolerance, whole},
};
use comparison::Comparison;
use results::Results;
use tables::Bench;

/// How many sizes past its quick ones an engine is timed if nobody names it: about ten seconds instead of one.
const BEYOND_QUICK: usize = 1;

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the boards, 0 to 32, or ranges such as 10-14; if omitted: 10 to 16 and those of the score
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) sizes: Vec<Sizes>,

    /// Numbers of threads, for example 1,2,4; 0 means every core; if omitted: 1, 2, 4, ... and every core
    #[arg(long, short, value_name = "T", value_delimiter = ',', value_parser = value_parsers::threads, allow_negative_numbers = true)]
    pub(crate) threads: Vec<usize>,

    /// Timed runs of each combination, after a warm-up
    #[arg(long, value_name = "R", default_value = "5", value_parser = whole("R", 1..=1000), allow_negative_numbers = true)]
    pub(crate) runs: u64,

    /// An engine to time, may be repeated; if omitted: every engine, for the sizes that it counts quickly
    #[arg(long = "engine", value_name = "ENGINE", value_parser = named_engine_parser())]
    pub(crate) engines: Vec<EngineKind>,

    /// Instruction sets of the join engine to compare, for example portable,avx2; if none is named, all that this processor
    /// has. Without this option only the best is timed
    #[arg(long, value_name = "ISA", num_args = 0..=1, value_delimiter = ',', value_parser = isa_parser())]
    pub(crate) isa: Option<Vec<Isa>>,

    /// Time only what the score needs: N = 17 on one thread, and on every core a board that takes a second or more
    #[arg(long, conflicts_with_all = ["sizes", "threads", "engines"])]
    pub(crate) score: bool,

    #[command(flatten)]
    pub(crate) json: JsonOutput,

    /// Print the machine and the results as Markdown, to be shared
    #[arg(long)]
    pub(crate) markdown: bool,

    /// Time nothing; show what --json=FILE saved earlier, or a machine that comes with the program: zen4, zen5
    #[arg(
        long,
        value_name = "FILE|NAME",
        conflicts_with_all = ["sizes", "threads", "runs", "engines", "isa", "score"]
    )]
    pub(crate) from: Option<PathBuf>,

    /// Compare with such a file or machine; exit code 3 if a median is slower than the tolerance allows, if the processor is
    /// the same or --tolerance is given
    #[arg(long, value_name = "FILE|NAME")]
    pub(crate) compare: Option<PathBuf>,

    /// How much slower a median may be, for example 10% or 0.1 [default: 10%]
    #[arg(long, value_name = "SHARE", value_parser = tolerance, requires = "compare")]
    pub(crate) tolerance: Option<f64>,

    /// When to show progress on stderr; SIGUSR1 shows it at once in any case
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,
}

pub(crate) fn run(args: &Args) -> Result<Bench, Failure> {
    if args.markdown && args.json.is_alone() {
        return Err(Failure::usage(&"only one result goes to stdout; give --json a file"));
    }
    // A file that cannot be read is an error before the long work, not after it.
    let old = args.compare.as_deref().map(|path| Results::read(path).map(|old| (path, old))).transpose()?;
    let (results, signal) = match &args.from {
        Some(path) => (Results::read(path)?, None),
        None => measure(args)?,
    };
    let compare = |(path, old)| Comparison::new(&results, &old, escape::name(path), args.tolerance);
    let (comparison, source) = (old.map(compare), args.from.as_deref().map(escape::name));
    Ok(Bench { results, comparison, source, markdown: args.markdown, signal })
}

/// Times the combinations asked for, or as many as it can until a signal comes.
fn measure(args: &Args) -> Result<(Results, Option<i32>), Failure> {
    /// If half of the combinations have a [`results::Measurement::spread`] above this, the machine is too busy.
    const NOISE: f64 = 0.05;
    let combinations = combinations(args)?;
    let status = |Progress { doing, done, total, share, .. }| {
        let fields = vec![format!("{done} of {total} runs")];
        Status { title: doing, share: Some(share), fields, ..Status::default() }
    };
    let runs = args.runs as usize;
    let work = move |watch: &Watch<Vec<Timing>>| bench(&combinations, runs, watch);
    let activity = Activity::start(args.progress, "bench");
    let (timings, signal) = activity.until_signal(status, work)?;
    activity.finish_unless(signal);
    let timings = timings.map_err(|error| match error {
        BenchError::Count(error) => error.into(),
        _ => Failure::Run(Exit::Difference, error.to_string()),
    })?;
    if let Some(signal) = signal.filter(|_| timings.is_empty()) {
        return Err(Failure::Signal(signal));
    }
    let results = Results::new(&timings, args.runs, signal.is_none());
    let noise = results.noise();
    if args.runs > 1 && noise > NOISE {
        messages::warning(&format!(
            "the machine is busy or noisy: half of the times vary by more than ± {:.0} %",
            100.0 * noise
        ));
    }
    Ok((results, signal))
}

/// The combinations asked for that can be counted: by size, then engine, then threads. If none was asked for, also
/// those of the score.
fn combinations(args: &Args) -> Result<Vec<Combination>, Failure> {
    let cores = available_threads();
    // The simplest first; none means the best.
    let isas: Vec<Isa> = match args.isa.as_deref() {
        None => Vec::new(),
        Some([]) => Isa::available().collect(),
        Some(named) => Isa::ALL.into_iter().filter(|isa| named.contains(isa)).collect(),
    };
    let score = || results::of_score(&isas, cores).map_err(|error| Failure::usage(&error));
    if args.score {
        return score();
    }
    let sizes = args.sizes.iter().flat_map(|sizes| sizes.all()).map(value_parsers::size);
    let mut sizes: BTreeSet<Size> = sizes.collect::<Result<_, _>>()?;
    if sizes.is_empty() {
        sizes.extend(Size::all().filter(|size| (10..=16).contains(&size.get())));
    }
    let mut threads: BTreeSet<usize> =
        args.threads.iter().map(|&threads| if threads == 0 { cores } else { threads }).collect();
    if threads.is_empty() {
        let doubled = std::iter::successors(Some(1), |threads| Some(2 * threads));
        threads.extend(doubled.take_while(|&threads| threads < cores).chain([cores]));
    }
    let only_sets = isas.len() > 1 && args.engines.is_empty();
    let mut combinations = Vec::new();
    for size in sizes {
        let methods = methods(size, &args.engines, BEYOND_QUICK, &isas).map_err(|error| Failure::usage(&error))?;
        let versions = |engine| methods.iter().filter(|method| method.engine == engine).count();
        // If sets are compared, an engine that has one version only is left out unless it is named.
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
    if args.sizes.is_empty() && args.threads.is_empty() && args.engines.is_empty() {
        combinations.extend(score()?);
    }
    Ok(combinations)
}
