//! `queens solutions N`: the solutions in order. Lines, boards and CSV are written as they are found; a page and a sheet
//! of pictures hold a limited number.

use std::path::PathBuf;
use std::sync::Arc;

use queens::{Placement, Size, Solutions, oeis};

use crate::cli::args::{QueenArgs, placement};
use crate::cli::failure::Failure;
use crate::cli::formats::{self, Format, csv, extension, html, svg};
use crate::cli::output::{Output, note};
use crate::cli::stream::{Text, stream};
use crate::cli::text::grouped;

/// Print the solutions in order, or write them to a file
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32
    #[arg(value_name = "N")]
    size: Size,

    /// Only solutions that begin with these rows, as in 158 or 1,5,8
    #[arg(long, value_name = "P")]
    prefix: Option<String>,

    #[command(flatten)]
    queens: QueenArgs,

    /// Begin at this placement, or at the first solution after it
    #[arg(long, value_name = "P")]
    from: Option<String>,

    /// Only the first solution of each class under rotation and reflection
    #[arg(long)]
    fundamental: bool,

    /// Leave out this many at the beginning
    #[arg(long, value_name = "COUNT", default_value = "0")]
    skip: u64,

    /// Stop after this many [default: none; html and svg: 5000, which is the most]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,

    /// The format [default: by the extension of the file, else lines]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Write to this file, whole or not at all: .txt, .csv, .svg or .html
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Solutions that a page or a sheet of pictures holds at most: few enough for a phone.
const MOST: u64 = 5000;

impl Args {
    /// The format, from that of the file's extension and `--format`.
    fn format(&self) -> Result<Format, Failure> {
        let Some((path, extension)) = self.output.as_deref().and_then(extension) else {
            return Ok(self.format.unwrap_or(Format::Lines));
        };
        let formats: &[Format] = match &*extension {
            "txt" => &[Format::Lines, Format::Boards],
            "csv" => &[Format::Csv],
            "svg" => &[Format::Svg],
            "html" => &[Format::Html],
            _ => &[],
        };
        let format = self.format.or(formats.first().copied()).filter(|format| formats.contains(format));
        let known = "the extension decides the format: .txt (lines or boards), .csv, .svg, .html";
        format.ok_or_else(|| Failure::value("--output <FILE>", path, known))
    }

    fn solutions(&self) -> Result<Solutions, Failure> {
        let queens = self.queens.beside(placement("--prefix <P>", self.prefix.as_deref(), self.size)?)?;
        let from = placement("--from <P>", self.from.as_deref(), self.size)?;
        let solutions = Solutions::having(self.size, queens).starting_at(from);
        Ok(if self.fundamental { solutions.fundamental() } else { solutions })
    }

    /// What is listed, as in `solutions beginning with 15 with a queen on 4,8`, and with one more queen.
    fn what(&self, count: u64, fundamental: bool, queen: Option<&str>) -> String {
        let fundamental = if fundamental { "fundamental " } else { "" };
        let noun = if count == 1 { "solution" } else { "solutions" };
        let prefix = self.prefix.as_ref().map_or(String::new(), |prefix| format!(" beginning with {prefix}"));
        let on: Vec<String> = self.queens.queens.iter().cloned().chain(queen.map(Into::into)).collect();
        let queens = if on.is_empty() { String::new() } else { format!(" with a queen on {}", on.join(" and on ")) };
        let from = self.from.as_ref().map_or(String::new(), |from| format!(" from {from} on"));
        format!("{fundamental}{noun}{prefix}{queens}{from}")
    }

    /// What is said of an empty list.
    fn none(&self, fundamental: bool, queen: Option<&str>) -> String {
        format!("N = {} has no {}", self.size, self.what(0, fundamental, queen))
    }

    /// How many solutions the list has, if that is published: it is a whole list then.
    fn published(&self) -> Option<u64> {
        let is_whole = self.prefix.is_none() && self.from.is_none() && self.queens.queens.is_empty();
        let sequence = if self.fundamental { &oeis::UNIQUE } else { &oeis::QUEENS };
        sequence.term(self.size.get()).filter(|_| is_whole)?.try_into().ok()
    }
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    let (format, solutions) = (args.format()?, args.solutions()?);
    let mut out = Output::open(args.output.as_deref())?;
    let args = Arc::new(args);
    let of_thread = Arc::clone(&args);
    // A page or a sheet is not to be read in part.
    let whole = |failure: Failure| if is_held(format) { failure.of_whole() } else { failure };
    let written = stream(&mut out, move |text| find(&of_thread, format, solutions, text)).map_err(whole)?;
    out.finish().map_err(whole)?;
    let (skip, last) = (args.skip, args.skip + written);
    if written == 0 {
        let after = if skip > 0 { format!(" after the first {}", grouped(skip)) } else { String::new() };
        note(&(args.none(args.fundamental, None) + &after));
    } else if is_held(format) && written == MOST && args.limit != Some(MOST) && args.published() != Some(last) {
        note(&format!("{} are written; --skip {last} writes the next", grouped(MOST)));
    }
    Ok(())
}

/// Whether all solutions are found before any is written.
fn is_held(format: Format) -> bool {
    matches!(format, Format::Svg | Format::Html)
}

/// Finds the solutions as text, and returns how many there are.
fn find(args: &Args, format: Format, mut solutions: Solutions, text: &Text) -> u64 {
    let limit = args.limit.unwrap_or(u64::MAX).min(if is_held(format) { MOST } else { u64::MAX });
    let is_left = (0..args.skip).all(|_| solutions.next().is_some());
    let limit = if is_left { limit } else { 0 };
    // There are fewer solutions in memory, and in a life, than an address has numbers.
    let solutions = solutions.take(usize::try_from(limit).unwrap_or(usize::MAX));
    if !is_held(format) {
        if format == Format::Csv {
            text.add(|text| *text += &csv::names(args.size.get()));
        }
        let add = |(solution, before): &_| text.add(|text| formats::write(text, format, before + 1, solution));
        return solutions.zip(args.skip..).inspect(add).count() as u64;
    }
    let solutions: Vec<Placement> = solutions.collect();
    let is_cut = solutions.len() as u64 == limit;
    text.add(|text| {
        *text += &match format {
            Format::Svg => svg::sheet(args.size.get(), args.skip.saturating_add(1), &solutions),
            _ => page(args, &solutions, is_cut),
        }
    });
    solutions.len() as u64
}

/// The page.
fn page(args: &Args, solutions: &[Placement], is_cut: bool) -> String {
    let count = solutions.len() as u64;
    let (first, last) = (args.skip.saturating_add(1), args.skip + count);
    let what = |count| args.what(count, args.fundamental, None);
    let total = if is_cut || count == 0 { args.published() } else { Some(last) };
    let about = match total {
        _ if count == 0 => format!("no {}", what(0)),
        Some(total) if total == count => format!("{} {}", grouped(count), what(count)),
        _ => {
            let of = total.map_or("the".to_owned(), grouped);
            format!("numbers {} to {} of {of} {}", grouped(first), grouped(last), what(0))
        }
    };
    let is_whole = args.skip == 0 && (!is_cut || total == Some(count));
    let none = [args.fundamental, true].map(|only| [None, Some("@1")].map(|queen| args.none(only, queen)));
    html::page(args.size, &about, (first, total), args.fundamental, is_whole.then_some(&none), solutions)
}
