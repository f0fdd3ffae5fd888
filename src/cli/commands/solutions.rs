//! `queens solutions N`: the solutions in order. Lines, boards and CSV are written as they are found; a page and a sheet
//! of pictures hold a limited number.

use std::path::PathBuf;
use std::sync::Arc;

use queens::{Placement, Size, Solutions, oeis};

use crate::cli::args::{QueenArgs, placement};
use crate::cli::failure::Failure;
use crate::cli::formats::{self, Format, extension, html, svg};
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
        format.ok_or_else(|| {
            if !formats.is_empty() {
                return Failure::Usage(format!("--format names another format than the extension of {path}"));
            }
            let known = ".txt (lines or boards), .csv, .svg, .html";
            Failure::value("--output <FILE>", path, format!("the extension decides the format: {known}"))
        })
    }

    fn solutions(&self) -> Result<Solutions, Failure> {
        let queens = self.queens.beside(placement("--prefix <P>", self.prefix.as_deref(), self.size)?)?;
        let from = placement("--from <P>", self.from.as_deref(), self.size)?;
        let solutions = Solutions::having(self.size, queens).starting_at(from);
        Ok(if self.fundamental { solutions.fundamental() } else { solutions })
    }

    /// What is listed, as in `solutions beginning with 15 with a queen on 4,8`.
    fn what(&self, count: u64) -> String {
        let fundamental = if self.fundamental { "fundamental " } else { "" };
        let noun = if count == 1 { "solution" } else { "solutions" };
        let prefix = self.prefix.as_ref().map_or(String::new(), |prefix| format!(" beginning with {prefix}"));
        let queens = self.queens.queens.join(" and on ");
        let queens = if queens.is_empty() { queens } else { format!(" with a queen on {queens}") };
        let from = self.from.as_ref().map_or(String::new(), |from| format!(" from {from} on"));
        format!("{fundamental}{noun}{prefix}{queens}{from}")
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
    let (n, skip, last) = (args.size, args.skip, args.skip + written);
    if written == 0 {
        let after = if skip > 0 { format!(" after the first {}", grouped(skip)) } else { String::new() };
        note(&format!("N = {n} has no {}{after}", args.what(0)));
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
        text.add(|text| *text += &formats::head(format, args.size.get()));
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
    let total = if is_cut || count == 0 { args.published() } else { Some(last) };
    let about = match total {
        _ if count == 0 => format!("no {}", args.what(0)),
        Some(total) if total == count => format!("{} {}", grouped(count), args.what(count)),
        _ => {
            let of = total.map_or("the".to_owned(), grouped);
            format!("numbers {} to {} of {of} {}", grouped(first), grouped(last), args.what(0))
        }
    };
    html::page(args.size.get(), about, (first, total), args.fundamental, solutions)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn args(line: &str) -> Args {
        Line::parse_from(["solutions"].into_iter().chain(line.split_whitespace())).args
    }

    #[test]
    fn the_extension_decides() {
        let format = |line| args(line).format().ok();
        assert_eq!(format("8 -o a.txt"), Some(Format::Lines));
        assert_eq!(format("8 -o a.txt --format boards"), Some(Format::Boards));
        assert_eq!(format("8 -o a.SVG"), Some(Format::Svg));
        assert_eq!(format("8 -o - --format html"), Some(Format::Html));
        for refused in ["8 -o a", "8 -o a.png", "8 -o a.csv --format boards", "8 -o folder.txt/a"] {
            assert_eq!(format(refused), None, "{refused}");
        }
    }

    /// The page says which solutions it shows, and has the eight images of each.
    #[test]
    fn what_the_page_holds() {
        let solutions = ["2413", "3142"].map(|text| Placement::parse_alone(text).unwrap());
        let whole = page(&args("4"), &solutions, false);
        let data = r#"{"n":4,"about":"2 solutions","first":1,"total":2,"fundamental":false,"symmetries":["identity","#;
        assert!(whole.contains(data));
        let images = "2413 2413 2413 2413 3142 3142 3142 3142";
        assert!(whole.contains(&format!("\"solutions\":[\"{images}\",\"3142 ")));
        let about = |line, solutions, is_cut| {
            let page = page(&args(line), solutions, is_cut);
            page.split_once("\"about\":\"").unwrap().1.split_once(",\"symmetries").unwrap().0.to_owned()
        };
        let cut = r#"numbers 1 to 1 of 2 solutions","first":1,"total":2,"fundamental":false"#;
        assert_eq!(about("4", &solutions[..1], true), cut);
        let part = r#"numbers 3 to 3 of the solutions beginning with 2","first":3,"total":null,"fundamental":false"#;
        assert_eq!(about("4 --prefix 2 --skip 2", &solutions[..1], true), part);
        let none = r#"no fundamental solutions","first":1,"total":0,"fundamental":true"#;
        assert_eq!(about("3 --fundamental", &[], false), none);
    }
}
