//! The formats that solutions are written in.

use std::io::Write;

use clap::ValueEnum;
use queens::{Listed, Placement};
use serde::Serialize;

use crate::cli::commands::numbered::SolutionList;
use crate::cli::draw::{self, svg};
use crate::cli::terminal::{Extensions, file_format};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ListFormat {
    /// One line each: 15863724, from N = 10 on with commas (.txt)
    Digits,
    /// One line each, always with commas
    List,
    /// A matrix each, Q for a queen and . for an empty square
    Board,
    /// One array of objects (.json)
    Json,
    /// One object a line (.jsonl, .ndjson)
    Jsonl,
    /// A line of column names, then one line each (.csv)
    Csv,
    /// A page to walk through them, in one file (.html)
    Html,
    /// One picture of all boards (.svg)
    Svg,
}

pub(super) const FORMATS: [(ListFormat, Extensions); 8] = [
    (ListFormat::Digits, file_format::TEXT),
    (ListFormat::List, file_format::TEXT),
    (ListFormat::Board, file_format::TEXT),
    (ListFormat::Json, file_format::JSON_ARRAY),
    (ListFormat::Jsonl, file_format::JSON_LINES),
    (ListFormat::Csv, file_format::CSV),
    (ListFormat::Html, file_format::HTML),
    (ListFormat::Svg, file_format::SVG),
];

impl ListFormat {
    /// Solutions unless `--limit` says otherwise: for a page enough to walk through, and few enough for a phone.
    pub(super) const fn limit(self) -> u64 {
        match self {
            Self::Html => 5000,
            Self::Svg => 100,
            _ => u64::MAX,
        }
    }

    /// Whether each solution is written with its number.
    pub(super) const fn is_numbered(self) -> bool {
        !matches!(self, Self::Digits | Self::List)
    }
}

/// The page; `@…@` marks what depends on the solutions.
const PAGE: &str = include_str!("page.html");

/// A solution as an object.
#[derive(Serialize)]
struct Object {
    number: Option<u64>,
    placement: Placement,
    rows: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class_size: Option<usize>,
}

/// Makes the text of a list, which its caller takes away in pieces.
pub(super) struct ListWriter {
    pub(super) text: Vec<u8>,
    format: ListFormat,
    list: SolutionList,
    /// The number of the first solution that is written, where it is known.
    first: Option<u64>,
    /// How many are written.
    pub(super) written: u64,
    /// What comes after the solutions on a page.
    rest: String,
    /// The boards of a sheet with their captions.
    boards: Vec<(Placement, String)>,
}

impl ListWriter {
    pub(super) fn begin(format: ListFormat, list: SolutionList, first: Option<u64>) -> Self {
        let (size, is_fundamental) = (list.fixed.size(), list.listed == Listed::Fundamental);
        let (mut out, mut rest) = (Vec::new(), String::new());
        match format {
            ListFormat::Csv => {
                out.extend_from_slice(b"number");
                for column in 1..=size.get() {
                    // Writing to a vector cannot fail, here and below.
                    let _ = write!(out, ",column{column}");
                }
                out.extend_from_slice(if is_fundamental { b",class_size\n" } else { b"\n" });
            }
            ListFormat::Html => {
                let given = match list.fixed.as_placement() {
                    Some(prefix) if prefix.is_empty() => String::new(),
                    Some(prefix) => format!(" beginning {prefix}"),
                    None => format!(" with queens on {}", list.fixed),
                };
                let page = PAGE
                    .replace("@N@", &size.to_string())
                    .replace("@QUEEN@", svg::QUEEN)
                    .replace("@LIGHT@", svg::LIGHT)
                    .replace("@DARK@", svg::DARK)
                    .replace("@INK@", svg::INK)
                    .replace("@GIVEN@", &given)
                    .replace("@FUNDAMENTAL@", &is_fundamental.to_string())
                    .replace("@FIRST@", &number_or(first, "null"));
                let (before, after) = page.split_once("@SOLUTIONS@").expect("the page has a place for the solutions");
                out.extend_from_slice(before.as_bytes());
                after.clone_into(&mut rest);
            }
            ListFormat::Json => out.push(b'['),
            _ => {}
        }
        Self { text: out, format, list, first, written: 0, rest, boards: Vec::new() }
    }

    /// Writes the next solution.
    pub(super) fn solution(&mut self, placement: &Placement) {
        let class_size = self.list.class_size(placement);
        let out = &mut self.text;
        let number = self.first.map(|first| first.saturating_add(self.written));
        let class = |before, after| class_size.map_or_else(String::new, |size| format!("{before}{size}{after}"));
        match self.format {
            // As it is read again.
            ListFormat::Digits | ListFormat::List => {
                rows(out, placement, self.format == ListFormat::List || placement.size().get() > 9);
                out.extend_from_slice(class(" ", "").as_bytes());
                out.push(b'\n');
            }
            ListFormat::Board => {
                let _ = writeln!(out, "{}: {placement}{}", number_or(number, "?"), class(" (class of ", ")"));
                out.extend_from_slice(draw::matrix(&(*placement).into()).as_bytes());
                out.push(b'\n');
            }
            ListFormat::Json | ListFormat::Jsonl => {
                let (before, after): (&[u8], &[u8]) = match (self.format, self.written) {
                    (ListFormat::Jsonl, _) => (b"", b"\n"),
                    (_, 0) => (b"\n", b""),
                    _ => (b",\n", b""),
                };
                out.extend_from_slice(before);
                let object = Object { number, placement: *placement, rows: placement.rows().collect(), class_size };
                serde_json::to_writer(&mut *out, &object).expect("a vector takes every object");
                out.extend_from_slice(after);
            }
            ListFormat::Csv => {
                out.extend_from_slice(number_or(number, "").as_bytes());
                out.extend((!placement.is_empty()).then_some(b','));
                rows(out, placement, true);
                out.extend_from_slice(class(",", "").as_bytes());
                out.push(b'\n');
            }
            // A character a row, 1 to 9 and then a to w, as the page's script reads them.
            ListFormat::Html => {
                out.extend((self.written > 0).then_some(b' '));
                let letter = |row| char::from_digit(row as u32, 36).expect("rows are at most 32") as u8;
                out.extend(placement.rows().map(letter));
            }
            ListFormat::Svg => {
                let caption = format!("{}   {placement}{}", number_or(number, ""), class("   ×", ""));
                self.boards.push((*placement, caption.trim().to_owned()));
            }
        }
        self.written += 1;
    }

    /// After the last; `more` says whether the limit has cut the list short.
    pub(super) fn end(&mut self, more: bool) {
        if self.format == ListFormat::Json {
            self.text.extend_from_slice(if self.written > 0 { b"\n]\n" } else { b"]\n" });
        }
        if self.format == ListFormat::Svg {
            let kind = match self.list.listed {
                Listed::All => "Solutions".to_owned(),
                Listed::Fundamental => "Fundamental solutions".to_owned(),
                Listed::Unchanged(turn) => format!("Solutions unchanged by a {turn} turn,"),
            };
            let of = self.list.published().map_or("...".to_owned(), |all| format!("of {all}"));
            let note = if more { format!("{} {of}", self.written) } else { String::new() };
            let title = format!("{kind} for N = {}", self.list.fixed.size());
            self.text.extend_from_slice(svg::sheet(&self.boards, &title, &note).as_bytes());
        }
        let rest = self.rest.replace("@COUNT@", &self.written.to_string()).replace("@MORE@", &more.to_string());
        let rest = rest.replace("@ALL@", &number_or(self.list.published(), "null"));
        self.text.extend_from_slice(rest.as_bytes());
    }
}

/// A number, or what stands in its place where it is not known.
fn number_or(number: Option<u64>, unknown: &str) -> String {
    number.map_or_else(|| unknown.to_owned(), |number| number.to_string())
}

/// The rows, with commas between them or without.
fn rows(out: &mut Vec<u8>, placement: &Placement, commas: bool) {
    for (column, row) in placement.rows().enumerate() {
        if commas && column > 0 {
            out.push(b',');
        }
        if row > 9 {
            out.push(b'0' + (row / 10) as u8);
        }
        out.push(b'0' + (row % 10) as u8);
    }
}
