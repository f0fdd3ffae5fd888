//! `queens solutions N`: the solutions themselves, streamed.

mod formats;

use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use queens::{Listed, Orbit, Placement, Rotation, Size, Solutions, Symmetry};

use crate::cli::commands::numbered::{self, QueenArgs, SolutionList};
use crate::cli::long_run::{Activity, When};
use crate::cli::terminal::{
    Failure, Output, OutputPath, file_format, messages,
    numbers::{self, grouped},
    value_parsers::{rotation_parser, whole},
};
use formats::{FORMATS, ListFormat, ListWriter};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    size: Size,

    /// Only the completions of a partial placement: rows of the first columns, as in 158 or 1,5,8
    #[arg(long, value_name = "P")]
    prefix: Option<String>,

    #[command(flatten)]
    queens: QueenArgs,

    /// Begin at this placement, or at the first solution after it
    #[arg(long, value_name = "P")]
    from: Option<String>,

    /// Only the first solution of each symmetry class, with the size of the class
    #[arg(long)]
    fundamental: bool,

    /// Only solutions that a half or a quarter turn leaves unchanged
    #[arg(
        long,
        value_name = "TURN",
        value_parser = rotation_parser(),
        conflicts_with_all = ["fundamental", "queens"]
    )]
    symmetry: Option<Rotation>,

    /// Stop after this many [default for html: 5000, for svg: 100]
    #[arg(long, value_name = "L", value_parser = whole("L", 0..=u64::MAX), allow_negative_numbers = true)]
    limit: Option<u64>,

    /// Leave out this many at the beginning
    #[arg(
        long,
        value_name = "S",
        default_value = "0",
        value_parser = whole("S", 0..=u64::MAX),
        allow_negative_numbers = true
    )]
    skip: u64,

    /// Print the number of this solution in the list, instead of the list; `queens show --number` does the reverse
    #[arg(long, value_name = "P", conflicts_with_all = ["from", "limit", "skip", "format", "output"])]
    rank: Option<String>,

    /// The format [default: by the extension of the file, else digits]
    #[arg(long, value_name = "FORMAT")]
    format: Option<ListFormat>,

    /// Write to this file, completely or not at all; - means stdout
    #[arg(long, short, visible_alias = "out", value_name = "FILE")]
    output: Option<OutputPath>,

    /// When to show progress on stderr; auto: if solutions are skipped or a file is written; SIGUSR1 shows it at once in any case
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    progress: When,
}

impl Args {
    /// Which solutions of the board are listed, as they were asked for: ` that begin with 158 and have queens on d7`.
    fn given(&self) -> String {
        let prefix = self.prefix.iter().map(|prefix| format!("begin with {prefix}"));
        let queens =
            (!self.queens.queens.is_empty()).then(|| format!("have queens on {}", self.queens.queens.join(" ")));
        let given: Vec<String> = prefix.chain(queens).collect();
        if given.is_empty() { String::new() } else { format!(" that {}", given.join(" and ")) }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let placement = |argument: &str, text: &Option<String>| match text {
        None => Ok(Placement::empty(args.size)),
        Some(text) => Placement::parse(text, args.size).map_err(|error| Failure::invalid(argument, text, &error)),
    };
    let fixed = args.queens.beside(placement("--prefix <P>", &args.prefix)?)?;
    let some = if args.fundamental { Listed::Fundamental } else { Listed::All };
    let list = SolutionList { fixed, listed: args.symmetry.map_or(some, Listed::Unchanged) };
    if let Some(text) = &args.rank {
        return print_number(args, list, &placement("--rank <P>", &args.rank)?, text);
    }
    let from = placement("--from <P>", &args.from)?;
    let path = args.output.as_ref();
    let format = file_format::choose(args.format, path, &FORMATS)?;
    let limit = args.limit.unwrap_or(format.limit());
    let mut out = Output::open(path)?;
    let mut activity = Activity::start(args.progress, "solutions");
    let before = if format.is_numbered() { list.before(from, &activity)? } else { Some(0) };
    let first = before.map(|before| before.saturating_add(args.skip).saturating_add(1));
    let start = skip(list, from, args.skip, &activity)?;
    if args.progress == When::Auto && !out.is_file() {
        // A bar would be among the solutions.
        activity.finish();
        activity = Activity::start(When::Never, "solutions");
    }
    let all = list.published();
    let expected = all.filter(|_| args.from.is_none()).map(|all| all.saturating_sub(args.skip).min(limit).max(1));
    let tell = |written: u64| {
        let share = expected.map(|expected| written as f64 / expected as f64);
        activity.at(numbered::progress(args.size, share, written, "solutions"));
    };
    let solutions = start.map(|start| Solutions::within(fixed, start).only(list.listed));
    if out.is_file()
        && let (Some(count), Some(solutions)) = (expected, &solutions)
    {
        tell_size(format, list, count, solutions.clone());
    }
    let (written, is_cut) = write(&mut out, ListWriter::begin(format, list, first), solutions, limit, tell)?;
    activity.finish();
    if is_cut && args.limit.is_none() {
        let of = all.map_or(String::new(), |all| format!("of {} ", grouped(all.into())));
        messages::note(&format!("{} {of}solutions are written; --limit L writes more", grouped(limit.into())));
    }
    // Why nothing is left after those that were skipped has been said.
    if written == 0 && limit > 0 && args.skip == 0 {
        let given = args.given();
        let from = args.from.as_ref().map_or(String::new(), |from| format!(" from {from} on"));
        messages::note(&format!("no solutions{given}{from} for N = {}", args.size));
    }
    out.finish()
}

/// Says how large a file of so many solutions will be, if they are many: its first solution is written to measure it.
fn tell_size(format: ListFormat, list: SolutionList, count: u64, mut solutions: Solutions) {
    const MANY: u64 = 1_000_000;
    let mut writer = ListWriter::begin(format, list, Some(count));
    let begun = writer.text.len();
    if let Some(first) = solutions.next().filter(|_| count > MANY) {
        writer.solution(&first);
        let bytes = (writer.text.len() - begun) as f64 * count as f64;
        let (count, bytes) = (grouped(count.into()), numbers::rounded(bytes));
        messages::note(&format!("writing {count} solutions, about {bytes} bytes; --limit L writes fewer"));
    }
}

/// Prints the number of a solution in the list.
fn print_number(args: &Args, list: SolutionList, solution: &Placement, text: &str) -> Result<(), Failure> {
    let (size, queens) = (solution.size(), solution.len());
    let reason = match Orbit::of(solution) {
        None => format!("not a solution: {}, {size} needed", numbers::count_of(queens as u64, "queen")),
        Some(_) if !list.fixed.is_part_of(solution) => {
            format!("not in the list, which has only solutions{}", args.given())
        }
        Some(orbit) if list.listed == Listed::Fundamental && !orbit.is_fundamental() => {
            format!("not in the list: the fundamental solution of its class is {}", orbit.canonical())
        }
        Some(orbit) if !is_unchanged(list.listed, &orbit, solution) => {
            "not in the list: the turn leads to another solution".to_owned()
        }
        Some(_) => {
            let activity = Activity::start(args.progress, "solutions");
            let number = list.number(solution, &activity)?;
            activity.finish();
            return messages::deliver(&format!("{number}\n"));
        }
    };
    Err(Failure::invalid("--rank <P>", text, &reason))
}

/// Whether the turn that the list is about, if it is, leaves a solution unchanged.
fn is_unchanged(listed: Listed, orbit: &Orbit, solution: &Placement) -> bool {
    let Listed::Unchanged(turn) = listed else { return true };
    let symmetry = match turn {
        Rotation::Half => Symmetry::Rotation180,
        Rotation::Quarter => Symmetry::Rotation90,
    };
    orbit.image(symmetry) == *solution
}

/// Where the list begins when its first solutions from `from` on are left out; `None` where none is left.
fn skip(list: SolutionList, from: Placement, skip: u64, activity: &Activity) -> Result<Option<Placement>, Failure> {
    if skip == 0 {
        return Ok(Some(from));
    }
    let number = skip.saturating_add(1);
    // The published number of the whole board is a bound for any part of the list.
    if let Some(reason) = list.beyond(number) {
        messages::note(&format!("--skip {skip} leaves nothing: {reason}"));
        return Ok(None);
    }
    list.select(from, number, activity)
}

/// Writes the text out in pieces, and tells how many solutions it has written so far. Returns how many it has written at the
/// end, and whether the limit has cut the list short.
fn write(
    out: &mut Output,
    mut writer: ListWriter,
    mut solutions: Option<Solutions>,
    limit: u64,
    tell: impl Fn(u64),
) -> Result<(u64, bool), Failure> {
    const PIECE: usize = 1 << 16;
    /// On a large board the next solution may take long to find: before, text older than this is written out for people
    /// who read along.
    const UNWRITTEN: Duration = Duration::from_millis(5);
    tell(0);
    let mut piece = Instant::now();
    while writer.written < limit {
        let is_old = || !solutions.as_ref().is_some_and(Solutions::ready) && piece.elapsed() > UNWRITTEN;
        if writer.text.len() >= PIECE || is_old() {
            tell(writer.written);
            out.write(&writer.text)?;
            writer.text.clear();
            piece = Instant::now();
        }
        let Some(placement) = solutions.as_mut().and_then(Solutions::next) else { break };
        writer.solution(&placement);
    }
    tell(writer.written);
    let more = writer.written == limit && solutions.as_mut().and_then(Solutions::next).is_some();
    writer.end(more);
    out.write(&writer.text)?;
    Ok((writer.written, more))
}
