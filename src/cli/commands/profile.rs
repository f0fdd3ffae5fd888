//! `queens profile N` and `queens profile A-B`

use std::io::IsTerminal;
use std::ops::RangeInclusive;

use clap::Args as ClapArgs;
use queens::{Report, Request, oeis};

use crate::cli::commands::count::range::{self, Term};
use crate::cli::long_run::activity::{Activity, Step};
use crate::cli::long_run::known_terms::{Form, Printed};
use crate::cli::long_run::options::{LongRun, When};
use crate::cli::long_run::units;
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::json::Object;
use crate::cli::terminal::json_output::JsonOutput;
use crate::cli::terminal::numbers;
use crate::cli::terminal::value_parsers::{Cores, Sizes, size};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32, or a range such as 1-12
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) sizes: Sizes,

    #[command(flatten)]
    pub(crate) cores: Cores,

    #[command(flatten)]
    pub(crate) json: JsonOutput,

    /// Print only the numbers, one a line, as when stdout is not a terminal
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) long: LongRun,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    args.json.check()?;
    let note = !args.quiet && args.long.progress != When::Json;
    let Some(n) = args.sizes.one() else { return several(args, note) };
    let outcome = profile(args, n)?;
    let (report, agreement) = (&outcome.report, outcome.agreement(args.cores.threads)?);
    let whole = outcome.shard.is_whole();
    let object = Object::of_board("profile", n)
        .with("oeis", agreement.oeis)
        // Null for a shard, which has a part of each number.
        .with("profile", whole.then(|| strings(&report.placements)))
        .with("shard", (!whole).then(|| outcome.shard.to_string()))
        .by(None, report.isa, report.threads);
    let words = agreement.words().map_or_else(String::new, |words| words + "\n");
    let time = numbers::seconds(report.elapsed.as_secs_f64());
    let table = if whole { format!("{}  in {time}\n{words}", table(&report.placements)) } else { String::new() };
    let numbers = whole.then(|| lines(&report.placements));
    let printed = Printed { agreement: &agreement, object: outcome.json(object), numbers, table };
    printed.deliver(&Form { json: &args.json, quiet: args.quiet, note })
}

fn profile(args: &Args, n: usize) -> Result<units::Outcome, Failure> {
    let request = Request::profile(size(n)?).isa(args.cores.isa).threads(args.cores.threads);
    units::run(&args.long, args.quiet, request.double_check(args.long.double_check))
}

/// The profiles of several boards, as the triangle that OEIS reads by rows: a line a number, with its running index.
fn several(args: &Args, note: bool) -> Result<(), Failure> {
    if args.long.shard.is_some() || args.long.checkpoint.is_some() {
        return Err(Failure::usage(&"--shard and --checkpoint need a single N, not a range"));
    }
    size(args.sizes.last)?;
    let form = match args.json.is_alone() {
        true => range::Form::Json,
        false if !args.quiet && std::io::stdout().is_terminal() => table_of_rows(args.sizes.last),
        false => range::Form::BFile { note },
    };
    compare("profile", form, &args.json, None, args.sizes.all(), |n| Ok(profile(args, n)?.report))
}

/// Recomputes the published rows of these boards, and compares.
pub(crate) fn verify(
    boards: RangeInclusive<usize>,
    cores: &Cores,
    json: &JsonOutput,
    progress: When,
) -> Result<(), Failure> {
    let published = |n: &usize| oeis::PROFILE.term(first(n + 1) - 1).is_some();
    let boards: Vec<usize> = boards.filter(published).collect();
    let Some(&last) = boards.last() else {
        let message = format!("nothing to compare: {} has none of these rows", oeis::PROFILE.id);
        return Err(Failure::Run(Exit::Failure, message));
    };
    let form = if json.is_alone() { range::Form::Json } else { table_of_rows(last) };
    let activity = Activity::start(progress, "verify");
    let compared = compare("verify", form, json, Some(&activity), boards, |n| {
        let request = Request::profile(size(n)?).isa(cores.isa).threads(cores.threads);
        activity.at(Step { title: format!("N = {n}, profile"), ..Step::default() });
        request.count().map_err(|error| Failure::from(&error))
    });
    activity.finish();
    compared
}

/// The index of the first number of a board's row.
const fn first(n: usize) -> usize {
    n * (n + 1) / 2
}

fn table_of_rows(last: usize) -> range::Form {
    range::Form::table(&oeis::PROFILE, first(last + 1) - 1)
}

fn compare(
    command: &'static str,
    form: range::Form,
    json: &JsonOutput,
    activity: Option<&Activity>,
    boards: impl IntoIterator<Item = usize>,
    mut row: impl FnMut(usize) -> Result<Report, Failure>,
) -> Result<(), Failure> {
    let mut found: Option<Report> = None;
    let places = boards.into_iter().flat_map(|n| (0..=n).map(move |queens| (n, queens)));
    // The row is counted when the first of its numbers is asked for.
    let (indices, places): (Vec<usize>, Vec<_>) = places.map(|(n, queens)| (first(n) + queens, (n, queens))).unzip();
    let mut places = places.into_iter();
    range::compare(command, &oeis::PROFILE, form, json, activity, indices, |_| {
        let (n, queens) = places.next().expect("an index is that of a place");
        if queens == 0 {
            found = Some(row(n)?);
        }
        let report = found.clone().expect("a row begins with no queen");
        Ok(Term { value: report.placements[queens], report })
    })
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
