//! `queens profile N` and `queens profile A-B`

use std::io::IsTerminal;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args as ClapArgs;
use queens::{Profile, oeis};

use crate::cli::commands::count::range::{self, Term};
use crate::cli::long_run::{Activity, Agreement, ResultForm, Status, When};
use crate::cli::terminal::{Cores, Exit, Facts, Failure, JsonOutput, Sizes, numbers, value_parsers::size};

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

    /// When to show progress on stderr; SIGUSR1 shows it at once in any case
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    args.json.check()?;
    size(args.sizes.last)?;
    let note = !args.quiet && args.progress != When::Json;
    let Some(n) = args.sizes.one() else {
        let form = match args.json.is_alone() {
            true => range::Form::Json,
            false if !args.quiet && std::io::stdout().is_terminal() => table_of_rows(args.sizes.last),
            false => range::Form::BFile { note },
        };
        return triangle("profile", form, &args.json, &args.cores, args.progress, args.sizes.all());
    };
    let activity = Activity::start(args.progress, "profile");
    let profile = counted(n, &args.cores, &activity)?;
    activity.finish();
    let Profile { placements, isa, threads, elapsed, .. } = &profile;
    let agreement = Agreement::profile(placements);
    let seconds = elapsed.as_secs_f64();
    let facts = Facts::of("profile")
        .with("n", n)
        .with("oeis", agreement.oeis)
        .with("profile", placements.iter().map(u128::to_string).collect::<Vec<_>>())
        .by(None, *isa, *threads)
        .with("seconds", seconds)
        .text(&format!("{}  in {}\n", table(placements), numbers::seconds(seconds)))
        .text(&agreement.words().map_or_else(String::new, |words| words + "\n"));
    let numbers = placements.iter().map(u128::to_string).collect::<Vec<_>>().join("\n") + "\n";
    agreement.deliver(&facts, Some(&numbers), &ResultForm { json: &args.json, quiet: args.quiet, note })
}

/// Counts one profile, and shows how far it is.
fn counted(n: usize, cores: &Cores, activity: &Activity) -> Result<Profile, Failure> {
    // The share done, as the bits of its float.
    let done = Arc::new(AtomicU64::new(0));
    let (title, shown) = (format!("N = {n}, profile"), Arc::clone(&done));
    activity.watch(move || {
        let share = f64::from_bits(shown.load(Ordering::Relaxed));
        Status { title: title.clone(), share: Some(share), is_even: true, ..Status::default() }
    });
    let told = |share: f64| done.store(share.to_bits(), Ordering::Relaxed);
    Ok(Profile::count(size(n)?, cores.isa, cores.threads, told)?)
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
    triangle("verify", form, json, cores, progress, boards)
}

/// The profiles of several boards, as the triangle that OEIS reads by rows: a line a number, with its running index.
fn triangle(
    command: &'static str,
    form: range::Form,
    json: &JsonOutput,
    cores: &Cores,
    progress: When,
    boards: impl IntoIterator<Item = usize>,
) -> Result<(), Failure> {
    let activity = Activity::start(progress, command);
    let mut found: Option<Profile> = None;
    let places = boards.into_iter().flat_map(|n| (0..=n).map(move |queens| (n, queens)));
    // The row is counted when the first of its numbers is asked for.
    let (indices, places): (Vec<usize>, Vec<_>) = places.map(|(n, queens)| (first(n) + queens, (n, queens))).unzip();
    let mut places = places.into_iter();
    let compared = range::compare(command, &oeis::PROFILE, form, json, Some(&activity), indices, |_| {
        let (n, queens) = places.next().expect("an index is that of a place");
        if queens == 0 {
            found = Some(counted(n, cores, &activity)?);
        }
        let Profile { placements, isa, threads, elapsed, .. } = found.as_ref().expect("a row begins with no queen");
        let (value, engine) = (placements[queens], "profile");
        Ok(Term { value, engine, isa: *isa, threads: *threads, elapsed: *elapsed, double_checked_tasks: 0 })
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

/// As a person reads it, but for the end of the last line.
fn table(placements: &[u128]) -> String {
    let grouped: Vec<String> = placements.iter().copied().map(numbers::grouped).collect();
    let nodes = numbers::grouped(placements.iter().sum());
    let width = nodes.len().max("placements".len());
    let head = format!("queens  {:>width$}", "placements");
    let rows = grouped.iter().enumerate().map(|(queens, count)| format!("{queens:>6}  {count:>width$}"));
    let lines: Vec<String> = [head].into_iter().chain(rows).chain([format!("{:>6}  {nodes:>width$}", "all")]).collect();
    lines.join("\n")
}
