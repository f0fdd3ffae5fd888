//! `queens show P`: one board.

use std::io::stdout;
use std::path::PathBuf;

use anstream::{AutoStream, ColorChoice};
use queens::{Placement, Size, Solutions};

use crate::cli::args::{QueenArgs, integer};
use crate::cli::failure::{Failure, Result};
use crate::cli::formats::{boards, extension, svg};
use crate::cli::output::Output;
use crate::cli::text::count_of;

/// Draw one board with its attacked squares
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Rows of the queens in all columns, e.g. 15863724, or in the first, e.g. 1,5,8
    #[arg(value_name = "P")]
    placement: Option<String>,

    #[command(flatten)]
    queens: QueenArgs,

    /// Board size [default: the smallest that fits P]
    #[arg(long, short = 'n', value_name = "N")]
    size: Option<Size>,

    /// Show the K-th solution of 'queens solutions N' instead of P
    #[arg(long, value_name = "K", value_parser = integer::<u64>(1))]
    #[arg(conflicts_with = "placement")]
    number: Option<u64>,

    /// Write to this file: .svg for a picture, .txt for text
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result {
    let extension = extension(args.output.as_deref(), &["svg", "txt"])?;
    let placement = read(args)?;
    let mut out = Output::open(args.output.as_deref())?;
    let (size, mut queens, mut caption) = (placement.size(), args.queens.merged_with(placement)?, String::new());
    if let Some(number) = args.number {
        let last = (1..=number).zip(Solutions::having(size, queens)).last();
        let reason = || format!("the list has {}", count_of(last.map_or(0, |(last, _)| last), "solution"));
        let (_, solution) =
            last.filter(|(last, _)| *last == number).ok_or_else(|| Failure::value("--number <K>", number, reason()))?;
        (queens, caption) = (solution.squares().collect(), format!("{number}: {solution}\n"));
    }
    let n = size.get();
    let is_coloured = extension.is_none() && AutoStream::choice(&stdout()) != ColorChoice::Never;
    let is_picture = extension.as_deref() == Some("svg");
    let text = if is_picture { svg::board(n, &queens) } else { caption + &boards::board(n, &queens, is_coloured) };
    out.write(&text).and_then(|()| out.finish()).map_err(Failure::require_full_output)
}

/// The placement of P, or an empty board.
fn read(args: &Args) -> Result<Placement> {
    let placement = match (args.size, args.placement.as_deref()) {
        (None, None) => return Err(Failure::Usage("no board given; add -n <N> or a placement".to_owned())),
        (Some(size), None) => return Ok(Placement::empty(size)),
        (Some(size), Some(text)) => Placement::parse(text, size),
        (None, Some(text)) => Placement::parse_alone(text),
    };
    placement.map_err(|error| Failure::value("<P>", args.placement.as_deref().unwrap_or_default(), error))
}
