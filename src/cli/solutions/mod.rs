//! `queens solutions N`: the solutions themselves, streamed.

mod board;
mod csv;
mod digits;
pub(crate) mod html;
mod json;
mod list;
mod source;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args as ClapArgs, ValueEnum};
use queens::{Placement, Size, Solutions};

use super::Failure;
use super::save::Output;
use source::{Entry, Source};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    size: Size,

    /// Only the completions of a partial placement: rows of the first columns, as in 158 or 1,5,8
    #[arg(long, value_name = "P")]
    prefix: Option<String>,

    /// Begin at the first solution not before this placement, then go on
    #[arg(long, value_name = "P")]
    from: Option<String>,

    /// Only the least of each symmetry class, with the size of the class
    #[arg(long)]
    fundamental: bool,

    /// Stop after this many [default for html: 5000]
    #[arg(long, value_name = "L")]
    limit: Option<u64>,

    /// Leave out the first so many
    #[arg(long, value_name = "S", default_value = "0")]
    skip: u64,

    /// How they are written [default: by the file's extension, else digits]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Kind>,

    /// Write to a file, whole or not at all
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// One line each: 15863724, above N = 9 with commas
    Digits,
    /// One line each, always with commas
    List,
    /// A matrix of Q and .
    Board,
    /// One object a line
    Json,
    /// A line of column names, then one line each
    Csv,
    /// One page that shows them, needing nothing else
    Html,
}

/// What a list is of, for formats that say so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    pub(crate) size: Size,
    pub(crate) prefix: Placement,
    pub(crate) fundamental: bool,
    /// The number of the first.
    pub(crate) first: u64,
}

/// How solutions are written. Formats append to a buffer; when that is written out is not their concern.
trait Format {
    fn begin(&mut self, _out: &mut Vec<u8>, _about: &About) {}

    fn entry(&mut self, out: &mut Vec<u8>, entry: &Entry);

    /// After the last; `more` says whether the limit has cut the list short.
    fn end(&mut self, _out: &mut Vec<u8>, _more: bool) {}
}

impl Kind {
    fn from_extension(path: &std::path::Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "json" | "jsonl" | "ndjson" => Some(Self::Json),
            "csv" => Some(Self::Csv),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }

    fn format(self) -> Box<dyn Format> {
        match self {
            Self::Digits => Box::new(digits::Digits::default()),
            Self::List => Box::new(list::List),
            Self::Board => Box::new(board::Board),
            Self::Json => Box::new(json::Json),
            Self::Csv => Box::new(csv::Csv),
            Self::Html => Box::new(html::Html::default()),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let placement = |argument: &str, text: &Option<String>| match text {
        None => Ok(Placement::empty(args.size)),
        Some(text) => Placement::parse(text, args.size).map_err(|error| Failure::invalid(argument, text, &error)),
    };
    let prefix = placement("--prefix <P>", &args.prefix)?;
    let from = placement("--from <P>", &args.from)?;
    let path = args.output.as_deref();
    let kind = args.format.or(path.and_then(Kind::from_extension)).unwrap_or(Kind::Digits);
    let limit = args.limit.unwrap_or(if kind == Kind::Html { html::LIMIT } else { u64::MAX });
    let about = About { size: args.size, prefix, fundamental: args.fundamental, first: args.skip.saturating_add(1) };
    let mut source = Source::new(Solutions::within(prefix, from), args.fundamental);
    let mut out = Output::open(path).map_err(|error| Failure::unwritable(path, &error))?;
    source.skip(args.skip);
    write(&mut out, &mut *kind.format(), &mut source, &about, limit)?;
    Ok(out.finish()?)
}

/// Text is written out in pieces of this size.
const PIECE: usize = 1 << 16;

/// Where the search for the next solution begins, what is older than this is written out first: whoever reads along
/// on a large board sees what there is.
const PATIENCE: Duration = Duration::from_millis(5);

fn write(
    out: &mut impl Write,
    format: &mut dyn Format,
    source: &mut Source,
    about: &About,
    limit: u64,
) -> io::Result<()> {
    let mut text = Vec::with_capacity(2 * PIECE);
    let mut written = Instant::now();
    let mut left = limit;
    format.begin(&mut text, about);
    while left > 0 {
        if text.len() >= PIECE || (!text.is_empty() && !source.ready() && written.elapsed() > PATIENCE) {
            out.write_all(&text)?;
            out.flush()?;
            text.clear();
            written = Instant::now();
        }
        let Some(entry) = source.next() else { break };
        format.entry(&mut text, &entry);
        left -= 1;
    }
    let more = left == 0 && source.next().is_some();
    format.end(&mut text, more);
    out.write_all(&text)
}
