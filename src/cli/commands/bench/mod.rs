//! `queens bench`

mod machine;
mod results;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use queens::bench::{BenchError, Combination, bench};
use queens::{EngineKind, Isa, Progress, Size, Watch, available_threads};

use crate::cli::commands::verify::methods;
use crate::cli::long_run::{Activity, Status, When};
use crate::cli::terminal::{
    Exit, Failure, JsonOutput, OutputPath, Sizes, escape, file_format, json, messages, stdout,
    value_parsers::{self, isa_parser, named_engine_parser, tolerance, whole},
};
use results::BenchResults;

/// How many sizes past its quick ones an engine is timed where nobody names it: about ten seconds instead of one.
const BEYOND_QUICK: usize = 1;

#[derive(ClapArgs, Debug)]
// As in version 0.2, where the file was the next word.
#[command(mut_arg("json", |json| json.require_equals(false)))]
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

    /// Write the results as CSV; - means stdout, in place of the table
    #[arg(long, value_name = "FILE", value_parser = OutputPath::with(file_format::CSV))]
    pub(crate) csv: Option<OutputPath>,

    /// Write the machine and the results as Markdown, to be shared; - means stdout, in place of the table
    #[arg(long, value_name = "FILE", value_parser = OutputPath::with(file_format::MARKDOWN))]
    pub(crate) markdown: Option<OutputPath>,

    /// Time nothing; show, write and compare what --json saved earlier
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["sizes", "threads", "runs", "engines", "isa", "score"]
    )]
    pub(crate) from: Vec<PathBuf>,

    /// Compare with the JSON of an earlier run; exit code 3 if a median is slower than the tolerance allows
    #[arg(long, value_name = "OLD")]
    pub(crate) compare: Option<PathBuf>,

    /// How much slower a median may be than in the earlier run, for example 10% or 0.1
    #[arg(long, value_name = "SHARE", default_value = "10%", value_parser = tolerance, requires = "compare")]
    pub(crate) tolerance: f64,

    /// When to show progress on stderr; SIGUSR1 shows it at once in any case
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(size) =
        args.json.path().and_then(|path| path.name().to_str()).filter(|text| text.parse::<Sizes>().is_ok())
    {
        let reason = format!("a size of boards comes before --json; a file of that name is './{size}'");
        return Err(Failure::invalid("--json [<FILE>]", size, &reason));
    }
    let has_result = args.json.path().into_iter().chain(&args.csv).chain(&args.markdown).any(OutputPath::is_stdout);
    if args.from.len() > 1 {
        let reason = "--from takes one file: --from A --compare B holds A against B, and scripts/plot draws several";
        return Err(Failure::usage(&reason));
    }
    // A file that cannot be read is an error before the long work, not after it.
    let old = args.compare.as_deref().map(|path| BenchResults::read(path).map(|old| (path, old))).transpose()?;
    let saved = args.from.first();
    let results = saved.map_or_else(|| measure(args), |path| BenchResults::read(path))?;
    // Where nobody reads any more, the files and the verdict are still to come.
    let mut printed = Ok(());
    if !has_result {
        let from = saved.map_or_else(String::new, |path| {
            format!("{}: {}, queens {}\n", escape::name(path), results.processor(), results.version)
        });
        printed = messages::deliver(&(from + &tables::terminal(&results, stdout::width())));
    }
    let save = |path: &Option<OutputPath>, text: fn(&BenchResults) -> String| {
        path.as_ref().map_or(Ok(()), |path| path.save(text(&results).as_bytes()))
    };
    // A file that cannot be written any more is no reason to lose the others.
    let delivered = args.json.deliver_text(&json::object(&results), || Ok(()));
    let delivered = delivered.and(save(&args.csv, tables::csv)).and(save(&args.markdown, tables::markdown));
    let Some((path, old)) = old else { return delivered.and(printed) };
    // Where stdout is one result alone, the comparison goes to stderr, behind which there is nobody to be told of a failure.
    let print = |text: &str| {
        if has_result {
            let _ = anstream::stderr().write_all(text.as_bytes());
            return Ok(());
        }
        printed.and_then(|()| messages::deliver(text))
    };
    match tables::compare(print, &results, &old, path, args.tolerance) {
        Err(Failure::Closed) => delivered.and(Err(Failure::Closed)),
        compared => compared.and(delivered),
    }
}

/// Times the combinations asked for.
fn measure(args: &Args) -> Result<BenchResults, Failure> {
    /// Where half of the combinations have a [`results::Measurement::spread`] above this, the machine is too busy.
    const NOISE: f64 = 0.05;
    let combinations = combinations(args)?;
    let activity = Activity::start(args.progress, "bench");
    let watch = Watch::default();
    let watched = watch.clone();
    activity.watch(move || {
        let Progress { doing, done, total, share, .. } = watched.progress();
        let fields = vec![format!("{done} of {total} runs")];
        Status { title: doing, share: Some(share), fields, ..Status::default() }
    });
    let timings = bench(&combinations, args.runs as usize, &watch);
    activity.finish();
    let timings = timings.map_err(|error| match error {
        BenchError::Count(error) => error.into(),
        _ => Failure::Run(Exit::Difference, error.to_string()),
    })?;
    let saved = BenchResults::new(&timings, args.runs);
    let noise = saved.noise();
    if args.runs > 1 && noise > NOISE {
        messages::warning(&format!(
            "the machine is busy or noisy: half of the times vary by more than ± {:.0} %",
            100.0 * noise
        ));
    }
    Ok(saved)
}

/// The combinations asked for that can be counted: by size, then engine, then threads. Where none was asked for, also
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
        // Where sets are compared, an engine that has one version only is left out unless it is named.
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
