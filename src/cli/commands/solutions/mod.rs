//! `queens solutions N`: the solutions themselves, streamed.

mod formats;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::{Args as ClapArgs, ValueEnum};
use queens::{Listed, Orbit, Placement, Size, Solutions};

use crate::cli::commands::numbered::Filter;
use crate::cli::long_run::{Activity, Status, When};
use crate::cli::terminal::{
    Extensions, Failure, Output, file_format, messages,
    numbers::{grouped, rounded},
    value_parsers::whole,
};
use formats::{About, Digits, Format, NumberedSolution};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    size: Size,

    /// Only the completions of a partial placement: rows of the first columns, as in 158 or 1,5,8
    #[arg(long, value_name = "P")]
    prefix: Option<String>,

    /// Begin at the first solution that does not come before this placement
    #[arg(long, value_name = "P")]
    from: Option<String>,

    /// Only the first solution of each symmetry class, with the size of the class
    #[arg(long)]
    fundamental: bool,

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
    output: Option<PathBuf>,

    /// When to show progress on stderr; auto: if solutions are skipped or a file is written; SIGUSR1 shows it at once in any case
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    progress: When,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// One line each: 15863724, from N = 10 on with commas (.txt)
    Digits,
    /// One line each, always with commas
    List,
    /// A matrix each, Q for a queen and . for an empty square
    Board,
    /// One object a line (.json, .jsonl)
    Json,
    /// A line of column names, then one line each (.csv)
    Csv,
    /// A page to walk through them, in one file (.html)
    Html,
    /// One picture of all boards (.svg)
    Svg,
}

impl file_format::FileFormat for ListFormat {
    fn extensions(self) -> Extensions {
        match self {
            Self::Digits | Self::List | Self::Board => file_format::TEXT,
            Self::Json => file_format::JSON,
            Self::Csv => file_format::CSV,
            Self::Html => file_format::HTML,
            Self::Svg => file_format::SVG,
        }
    }
}

impl ListFormat {
    fn format(self) -> Box<dyn Format> {
        match self {
            Self::Digits => Box::new(Digits::default()),
            Self::List => Box::new(Digits { commas: true }),
            Self::Board => Box::new(formats::Matrix),
            Self::Json => Box::new(formats::JsonLines),
            Self::Csv => Box::new(formats::Csv),
            Self::Html => Box::new(formats::Html::default()),
            Self::Svg => Box::new(formats::Sheet::default()),
        }
    }

    /// Solutions unless `--limit` says otherwise.
    const fn limit(self) -> u64 {
        match self {
            Self::Html => formats::PAGE_LIMIT,
            Self::Svg => formats::SHEET_LIMIT,
            _ => u64::MAX,
        }
    }

    /// Whether each solution is written with its number.
    const fn is_numbered(self) -> bool {
        !matches!(self, Self::Digits | Self::List)
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let placement = |argument: &str, text: &Option<String>| match text {
        None => Ok(Placement::empty(args.size)),
        Some(text) => Placement::parse(text, args.size).map_err(|error| Failure::invalid(argument, text, &error)),
    };
    let prefix = placement("--prefix <P>", &args.prefix)?;
    let listed = if args.fundamental { Listed::Fundamental } else { Listed::All };
    let filter = Filter { prefix, listed };
    if let Some(text) = &args.rank {
        return print_number(filter, &placement("--rank <P>", &args.rank)?, text, args.progress);
    }
    let from = placement("--from <P>", &args.from)?;
    let path = args.output.as_deref();
    let kind = file_format::choose(args.format, path, ListFormat::Digits)?;
    let limit = args.limit.unwrap_or(kind.limit());
    let mut out = Output::open(path)?;
    let mut activity = Activity::start(args.progress, "solutions");
    let before = if kind.is_numbered() { filter.before(from, &activity)? } else { Some(0) };
    let first = before.map(|before| before.saturating_add(args.skip).saturating_add(1));
    let start = skip(filter, from, args.skip, &activity)?;
    let list = start.map(|start| listed.within(prefix, start));
    let all = filter.published();
    let about = About { size: args.size, prefix, fundamental: args.fundamental, first, all };
    if args.progress == When::Auto && !out.is_file() {
        // A bar would be among the solutions.
        activity.finish();
        activity = Activity::start(When::Never, "solutions");
    }
    let written = Arc::new(AtomicU64::new(0));
    activity.watch(progress(args, all, limit, &written));
    let is_cut = write(&mut out, &mut *kind.format(), list, &about, limit, &written)?;
    activity.finish();
    if is_cut && args.limit.is_none() {
        let of = all.map_or(String::new(), |all| format!("of {} ", grouped(all.into())));
        messages::note(&format!("{} {of}solutions are written; --limit L writes more", grouped(limit.into())));
    }
    out.finish()
}

/// Prints the number of a solution in the list.
fn print_number(filter: Filter, solution: &Placement, text: &str, progress: When) -> Result<(), Failure> {
    let invalid = |reason: &str| Err(Failure::invalid("--rank <P>", text, &reason));
    let Some(orbit) = Orbit::of(solution) else {
        return invalid(&format!(
            "no solution, which has a queen in each of the {} columns: this has {}",
            solution.size(),
            solution.len()
        ));
    };
    if !solution.rows().zip(filter.prefix.rows()).all(|(row, begun)| row == begun) {
        return invalid(&format!("not in the list, which has only solutions that begin with {}", filter.prefix));
    }
    if filter.listed == Listed::Fundamental && !orbit.is_fundamental() {
        return invalid(&format!("not in the list: the fundamental solution of its class is {}", orbit.canonical()));
    }
    let activity = Activity::start(progress, "solutions");
    let number = filter.number(solution, &activity)?;
    activity.finish();
    messages::deliver(&format!("{number}\n"))
}

/// Where the list begins when its first solutions from `from` on are left out; `None` where none is left.
fn skip(filter: Filter, from: Placement, skip: u64, activity: &Activity) -> Result<Option<Placement>, Failure> {
    if skip == 0 {
        return Ok(Some(from));
    }
    let number = skip.saturating_add(1);
    // The published number of the whole board is a bound for any part of the list.
    if let Some(reason) = filter.beyond(number) {
        messages::note(&format!("--skip {skip} leaves nothing: {reason}"));
        return Ok(None);
    }
    filter.select(from, number, activity)
}

/// How many are written, of all where that is known.
fn progress(
    args: &Args,
    all: Option<u64>,
    limit: u64,
    written: &Arc<AtomicU64>,
) -> impl Fn() -> Status + Send + 'static {
    let all = all.filter(|_| args.from.is_none());
    let all = all.map(|all| all.saturating_sub(args.skip).min(limit).max(1));
    let (title, written) = (format!("N = {}", args.size), Arc::clone(written));
    move || {
        let done = written.load(Ordering::Relaxed);
        let fields = vec![format!("{} solutions", rounded(done as f64))];
        Status {
            title: title.clone(),
            share: all.map(|all| done as f64 / all as f64),
            is_even: true,
            fields,
            ..Status::default()
        }
    }
}

/// Writes the text out in pieces. Returns whether the limit has cut the list short.
fn write(
    out: &mut Output,
    format: &mut dyn Format,
    mut list: Option<Solutions>,
    about: &About,
    limit: u64,
    written_so_far: &AtomicU64,
) -> Result<bool, Failure> {
    const PIECE: usize = 1 << 16;
    /// On a large board the next solution may take long to find: before, text older than this is written out for people
    /// who read along.
    const UNWRITTEN: Duration = Duration::from_millis(5);
    let mut text = Vec::with_capacity(2 * PIECE);
    let mut written = Instant::now();
    let (mut left, mut number) = (limit, about.first);
    format.begin(&mut text, about);
    while left > 0 {
        let is_old = || !list.as_ref().is_some_and(Solutions::ready) && written.elapsed() > UNWRITTEN;
        if text.len() >= PIECE || (!text.is_empty() && is_old()) {
            out.write(&text)?;
            text.clear();
            written = Instant::now();
        }
        let Some(placement) = list.as_mut().and_then(Solutions::next) else { break };
        let orbit = about.fundamental.then(|| Orbit::of(&placement)).flatten();
        let class_size = orbit.map(|orbit| orbit.class_size());
        format.solution(&mut text, &NumberedSolution { number, placement, class_size });
        number = number.map(|number| number.saturating_add(1));
        left -= 1;
        written_so_far.store(limit - left, Ordering::Relaxed);
    }
    let more = left == 0 && list.as_mut().and_then(Solutions::next).is_some();
    format.end(&mut text, more);
    out.write(&text)?;
    Ok(more)
}
