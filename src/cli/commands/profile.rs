//! `queens profile N` and `queens profile A-B`

use std::ops::RangeInclusive;

use clap::Args as ClapArgs;
use queens::{Profile, Watch, oeis};

use super::terms::{self, Term};
use super::verify;
use crate::cli::long_run::{Activity, Agreement, OutputForm, Status, When};
use crate::cli::terminal::{
    Cores, Exit, Facts, Failure, JsonOutput, Sizes, Table, messages, numbers, value_parsers::size,
};

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
    size(args.sizes.last)?;
    let form = OutputForm { json: &args.json, quiet: args.quiet, progress: args.progress };
    let Some(n) = args.sizes.one() else {
        let table = form.is_for_people().then(|| terms::table(&oeis::PROFILE, last(args.sizes.last)));
        return triangle("profile", &form, table.as_ref(), &args.cores, args.sizes.all());
    };
    let activity = Activity::start(args.progress, "profile");
    let profile = counted(n, &args.cores, &activity)?;
    activity.finish();
    let Profile { placements, isa, threads, elapsed, .. } = &profile;
    let agreement = Agreement::profile(placements);
    let (seconds, numbers) = (elapsed.as_secs_f64(), placements.iter().map(u128::to_string).collect::<Vec<_>>());
    let facts = Facts::of("profile")
        .with("n", n)
        .with("oeis", agreement.oeis)
        .with("profile", &numbers)
        .by(None, *isa, *threads)
        .with("seconds", seconds)
        .text(&format!("{}  in {}\n", table(placements), numbers::seconds(seconds)))
        .text(&agreement.words().map_or_else(String::new, |words| words + "\n"));
    agreement.deliver(&form, &facts, Some(numbers.join("\n") + "\n"))
}

/// Counts one profile, and shows how far it is.
fn counted(n: usize, cores: &Cores, activity: &Activity) -> Result<Profile, Failure> {
    let title = format!("N = {n}, profile");
    let watch = Watch::default();
    let watched = watch.clone();
    activity.watch(move || {
        let share = Some(watched.progress().share);
        Status { title: title.clone(), share, is_even: true, ..Status::default() }
    });
    Ok(Profile::count(size(n)?, cores.isa, cores.threads, &watch)?)
}

/// Recomputes the published rows of these boards, and compares.
pub(super) fn verify(boards: RangeInclusive<usize>, args: &verify::Args) -> Result<(), Failure> {
    let boards: Vec<usize> = boards.filter(|&n| oeis::PROFILE.term(last(n)).is_some()).collect();
    let Some(&largest) = boards.last() else {
        let message = format!("nothing to compare: {} has none of these rows", oeis::PROFILE.id);
        return Err(Failure::Run(Exit::Failure, message));
    };
    let form = OutputForm { json: &args.json, quiet: false, progress: args.progress };
    triangle("verify", &form, Some(&terms::table(&oeis::PROFILE, last(largest))), &args.cores, boards)
}

/// The profiles of several boards, as the triangle that OEIS reads by rows: a line a number, with its running index.
fn triangle(
    command: &'static str,
    form: &OutputForm,
    table: Option<&Table>,
    cores: &Cores,
    boards: impl IntoIterator<Item = usize>,
) -> Result<(), Failure> {
    let activity = Activity::start(form.progress, command);
    // A row is counted when the first of its numbers is asked for.
    let found = boards.into_iter().flat_map(|n| match counted(n, cores, &activity) {
        Ok(Profile { placements, isa, threads, elapsed, .. }) => {
            let term = |value| Term { value, engine: "profile", isa, threads, elapsed, double_checked_tasks: 0 };
            (last(n) - n..).zip(placements).map(|(index, value)| Ok((index, term(value)))).collect()
        }
        Err(failure) => vec![Err(failure)],
    });
    let print = &mut |text: &str| activity.aside(|| messages::deliver(text));
    terms::compare(command, &oeis::PROFILE, form, table, print, found, || activity.finish())
}

/// The index of the last number of a board's row.
const fn last(n: usize) -> usize {
    n * (n + 3) / 2
}

/// As a person reads it, but for the end of the last line.
fn table(placements: &[u128]) -> String {
    let nodes = numbers::grouped(placements.iter().sum());
    let width = nodes.len().max("placements".len());
    let rows = placements.iter().enumerate().map(|(queens, &count)| (queens.to_string(), numbers::grouped(count)));
    let rows =
        [("queens".to_owned(), "placements".to_owned())].into_iter().chain(rows).chain([("all".to_owned(), nodes)]);
    rows.map(|(queens, count)| format!("{queens:>6}  {count:>width$}")).collect::<Vec<_>>().join("\n")
}
