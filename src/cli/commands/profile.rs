//! `queens profile N`

use clap::Args as ClapArgs;
use queens::{Request, Size};

use crate::cli::long_run::known_terms::{Form, Printed};
use crate::cli::long_run::options::{LongRun, When};
use crate::cli::long_run::units;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::json::Object;
use crate::cli::terminal::numbers;
use crate::cli::terminal::value_parsers::Cores;

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) size: Size,

    #[command(flatten)]
    pub(crate) cores: Cores,

    /// Print one JSON object
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,

    /// Print the numbers alone, one a line, as where stdout is not a terminal
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) long: LongRun,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let request = Request::profile(args.size).isa(args.cores.isa).threads(args.cores.threads);
    let outcome = units::run(&args.long, args.quiet, request.double_check(args.long.double_check))?;
    let (report, agreement) = (&outcome.report, outcome.agreement(args.cores.threads)?);
    let whole = outcome.shard.is_whole();
    let object = Object::of_board("profile", args.size.get())
        .with("oeis", agreement.oeis)
        // Null for a shard, which has a part of each number.
        .with("profile", whole.then(|| strings(&report.placements)))
        .with("shard", (!whole).then(|| outcome.shard.to_string()))
        .by(None, report.isa, report.threads);
    let words = agreement.words().map_or_else(String::new, |words| words + "\n");
    let time = numbers::seconds(report.elapsed.as_secs_f64());
    let table = if whole { format!("{}  in {time}\n{words}", table(&report.placements)) } else { String::new() };
    let numbers = whole.then(|| lines(&report.placements));
    let note = !args.quiet && args.long.progress != When::Json;
    let printed = Printed { agreement: &agreement, object: outcome.json(object), numbers, table };
    printed.deliver(&Form { json: args.json, quiet: args.quiet, note })
}

/// The numbers as JSON has them, which a double would not hold.
pub(crate) fn strings(placements: &[u128]) -> Vec<String> {
    placements.iter().map(u128::to_string).collect()
}

/// One number a line.
pub(crate) fn lines(placements: &[u128]) -> String {
    strings(placements).join("\n") + "\n"
}

/// As a person reads it, but for the end of the last line.
pub(crate) fn table(placements: &[u128]) -> String {
    let grouped: Vec<String> = placements.iter().copied().map(numbers::grouped).collect();
    let nodes = numbers::grouped(placements.iter().sum());
    let width = nodes.len().max("placements".len());
    let head = format!("queens  {:>width$}", "placements");
    let rows = grouped.iter().enumerate().map(|(queens, count)| format!("{queens:>6}  {count:>width$}"));
    let lines: Vec<String> = [head].into_iter().chain(rows).chain([format!("{:>6}  {nodes:>width$}", "all")]).collect();
    lines.join("\n")
}
