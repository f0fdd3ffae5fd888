//! `queens solutions N`: the solutions in order.

use std::path::PathBuf;

use clap::ValueEnum;
use queens::{Placement, Size, Solutions, oeis};
use serde_json::json;

use crate::cli::args::{QueenArgs, integer, placement};
use crate::cli::failure::{Failure, Result};
use crate::cli::formats::{Format, boards, csv, extension, html, lines, svg};
use crate::cli::output::{Output, note};
use crate::cli::stream::stream;
use crate::cli::text::grouped;

/// Print the solutions in order, or write them to a file
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Board size, 0 to 32
    #[arg(value_name = "N")]
    size: Size,

    /// Only solutions that begin with these rows, e.g. 158 or 1,5,8
    #[arg(long, value_name = "P")]
    prefix: Option<String>,

    #[command(flatten)]
    queens: QueenArgs,

    /// Start at this placement, or at the first solution after it
    #[arg(long, value_name = "P")]
    from: Option<String>,

    /// Only solutions that come before all their rotations and reflections
    #[arg(long)]
    fundamental: bool,

    /// Skip this many solutions
    #[arg(long, value_name = "COUNT", default_value = "0", value_parser = integer::<u64>(0))]
    skip: u64,

    /// Stop after this many [default: no limit; html and svg: 5000, the maximum]
    #[arg(long, value_name = "COUNT", value_parser = integer::<u64>(1))]
    limit: Option<u64>,

    /// Output format [default: from the file extension, else lines]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Write to this file: .txt, .csv, .svg or .html
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The most solutions of a page or sheet of pictures: few enough for a phone.
const MAX: u64 = 5000;

impl Args {
    /// The format of `--format`, else of the file's extension.
    fn format(&self) -> Result<Format> {
        let Some(extension) = extension(self.output.as_deref(), &["txt", "csv", "svg", "html"])? else {
            return Ok(self.format.unwrap_or(Format::Lines));
        };
        let all = Format::value_variants().iter().copied();
        let format = self.format.or(all.into_iter().find(|format| format.extension() == extension));
        let format = format.expect("each extension has a format");
        let reason = format!("the file must end in .{}, not .{extension}", format.extension());
        let name = format!("{format:?}").to_lowercase();
        Failure::value("--format <FORMAT>", name, reason).when(format.extension() != extension).map(|()| format)
    }

    fn solutions(&self) -> Result<Solutions> {
        let queens = self.queens.merged_with(placement("--prefix <P>", self.prefix.as_deref(), self.size)?)?;
        let from = placement("--from <P>", self.from.as_deref(), self.size)?;
        let solutions = Solutions::having(self.size, queens).starting_at(from);
        Ok(if self.fundamental { solutions.fundamental() } else { solutions })
    }

    /// The note on an empty list, in the same words as the script of the page.
    fn empty_message(&self) -> String {
        let fundamental = if self.fundamental { "fundamental " } else { "" };
        let prefix = self.prefix.as_ref().map_or(String::new(), |prefix| format!(" beginning with {prefix}"));
        let on = self.queens.queens.join(" and on ");
        let queens = if on.is_empty() { on } else { format!(" with a queen on {on}") };
        let from = self.from.as_ref().map_or(String::new(), |from| format!(" from {from} on"));
        let after = if self.skip > 0 { format!(" after the first {}", grouped(self.skip)) } else { String::new() };
        format!("N = {} has no {fundamental}solutions{prefix}{queens}{from}{after}", self.size)
    }

    /// The published number of solutions, if the list is a whole one.
    fn published(&self) -> Option<u64> {
        let is_whole = self.prefix.is_none() && self.from.is_none() && self.queens.queens.is_empty();
        let sequence = if self.fundamental { &oeis::UNIQUE } else { &oeis::QUEENS };
        sequence.term(self.size.get()).filter(|_| is_whole)?.try_into().ok()
    }
}

pub(crate) fn run(args: &Args) -> Result {
    let (format, solutions) = (args.format()?, args.solutions()?);
    let mut out = Output::open(args.output.as_deref())?;
    // A page or sheet is useless in part.
    let whole = |failure: Failure| if format.is_buffered() { failure.require_full_output() } else { failure };
    let written = write(args, format, solutions, &mut out).map_err(whole)?;
    out.finish().map_err(whole)?;
    let last = args.skip + written;
    if written == 0 {
        note(&args.empty_message());
    } else if format.is_buffered() && written == MAX && args.limit != Some(MAX) && args.published() != Some(last) {
        note(&format!("wrote {} solutions; continue with --skip {last}", grouped(MAX)));
    }
    Ok(())
}

/// Writes the solutions, and returns their number.
fn write(args: &Args, format: Format, solutions: Solutions, out: &mut Output) -> Result<u64> {
    let (n, first) = (args.size.get(), args.skip.saturating_add(1));
    let limit = args.limit.unwrap_or(u64::MAX).min(if format.is_buffered() { MAX } else { u64::MAX });
    // A larger number makes no difference: no list gets that far.
    let [skip, most] = [args.skip, limit].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    let numbered = solutions.skip(skip).take(most).zip(first..);
    let mut buffered = Vec::new();
    let count = match format {
        Format::Lines => stream(out, numbered, |text, (solution, _)| lines::write(text, &solution)),
        Format::Boards => stream(out, numbered, |text, (solution, number)| boards::write(text, number, &solution)),
        Format::Csv => {
            out.write(&csv::header(n))?;
            stream(out, numbered, |text, (solution, number)| csv::write(text, number, &solution))
        }
        Format::Svg | Format::Html => stream(out, numbered, |_, (solution, _)| buffered.push(solution)),
    }?;
    match format {
        Format::Lines | Format::Boards | Format::Csv => Ok(()),
        Format::Svg => out.write(&svg::sheet(n, first, &buffered)),
        Format::Html => out.write(&page(args, &buffered, count == limit)),
    }?;
    Ok(count)
}

/// The page. `is_limited` if there may be more solutions.
fn page(args: &Args, solutions: &[Placement], is_limited: bool) -> String {
    let Args { size, prefix, queens, from, fundamental, skip, .. } = args;
    let is_known = !is_limited && (*skip == 0 || !solutions.is_empty());
    let total = if is_known { Some(skip + solutions.len() as u64) } else { args.published() };
    let list = json!({
        "first": skip.saturating_add(1), "total": total, "fundamental": fundamental,
        "prefix": prefix, "queens": queens.queens, "from": from,
    });
    html::page(*size, list, solutions)
}
