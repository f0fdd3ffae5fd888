//! `queens show P`: one board.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, ValueEnum};
use queens::{Placement, Size};

use super::board::{png, svg, text};
use super::save::Output;
use super::{Exit, Failure};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Queens: the row of each column, as in 15863724 or 1,5,8; those of the first columns will do
    #[arg(value_name = "P")]
    placement: String,

    /// Columns and rows of the board [default: as few as the queens need]
    #[arg(long, short = 'n', value_name = "N")]
    size: Option<Size>,

    /// Picture or text [default: by the file's extension, else board]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Kind>,

    /// Only ASCII characters
    #[arg(long)]
    ascii: bool,

    /// Write to a file, whole or not at all
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Text, for the terminal
    Board,
    /// A picture that scales
    Svg,
    /// A picture of pixels
    Png,
}

impl Kind {
    fn from_extension(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "svg" => Some(Self::Svg),
            "png" => Some(Self::Png),
            _ => None,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let placement = match args.size {
        Some(size) => Placement::parse(&args.placement, size),
        None => Placement::parse_alone(&args.placement),
    };
    let placement = placement.map_err(|error| Failure::invalid("<P>", &args.placement, &error))?;
    let kind = args.format.or(args.output.as_deref().and_then(Kind::from_extension)).unwrap_or(Kind::Board);
    let bytes = match kind {
        Kind::Board => text::board(&placement, look(args)).into_bytes(),
        Kind::Svg => svg::svg(&placement).into_bytes(),
        Kind::Png if args.output.is_none() && std::io::stdout().is_terminal() => {
            let reason = "the bytes of a picture are not for a terminal; add -o FILE";
            return Err(Failure::invalid("--format <FORMAT>", "png", &reason));
        }
        Kind::Png => {
            let failed = |error| Failure::Run(Exit::Failure, format!("drawing the picture failed: {error}"));
            png::png(&placement).map_err(failed)?
        }
    };
    let mut out =
        Output::open(args.output.as_deref()).map_err(|error| Failure::unwritable(args.output.as_deref(), &error))?;
    out.write_all(&bytes)?;
    Ok(out.finish()?)
}

/// A file gets no colours.
fn look(args: &Args) -> text::Look {
    match text::Look::of_stdout(args.ascii) {
        text::Look::Colour if args.output.is_some() => text::Look::Unicode,
        look => look,
    }
}
