//! The formats that solutions are written in.

use std::io::Write;

use queens::{Placement, Size};

use crate::cli::draw::svg;

/// What a list is of, for formats that say so.
#[derive(Clone, Copy, Debug)]
pub(super) struct About {
    pub(super) size: Size,
    pub(super) prefix: Placement,
    pub(super) fundamental: bool,
    /// The number of the first, where it is known.
    pub(super) first: Option<u64>,
    /// How many solutions the whole list has, where that is published.
    pub(super) all: Option<u64>,
}

/// A solution as the formats get it.
pub(super) struct NumberedSolution {
    /// Its number in the whole list, from 1, also where the list is not shown from its beginning; `None` where that is
    /// not known.
    pub(super) number: Option<u64>,
    pub(super) placement: Placement,
    /// How many images it has; only of fundamental ones.
    pub(super) class_size: Option<usize>,
}

/// How solutions are written. Formats append to a buffer, which their caller writes out.
pub(super) trait Format {
    fn begin(&mut self, _out: &mut Vec<u8>, _about: &About) {}

    fn solution(&mut self, out: &mut Vec<u8>, solution: &NumberedSolution);

    /// After the last; `more` says whether the limit has cut the list short.
    fn end(&mut self, _out: &mut Vec<u8>, _more: bool) {}
}

/// `digits`: a placement a line, as it is read again, and with its class size after a space if it is fundamental; `list`:
/// the same with commas for every N.
#[derive(Default)]
pub(super) struct Digits {
    pub(super) commas: bool,
}

impl Format for Digits {
    fn begin(&mut self, _: &mut Vec<u8>, about: &About) {
        self.commas |= about.size.get() > 9;
    }

    fn solution(&mut self, out: &mut Vec<u8>, solution: &NumberedSolution) {
        rows(out, &solution.placement, self.commas);
        if let Some(size) = solution.class_size {
            // Writing to a vector cannot fail, here and below.
            let _ = write!(out, " {size}");
        }
        out.push(b'\n');
    }
}

/// `board`: the number and the digits, then the matrix of `Q` and `.`, then an empty line.
pub(super) struct Matrix;

impl Format for Matrix {
    fn solution(&mut self, out: &mut Vec<u8>, solution: &NumberedSolution) {
        let NumberedSolution { number, placement, class_size, .. } = solution;
        let number = number.map_or_else(|| "?".to_owned(), |number| number.to_string());
        let class = class_size.map_or_else(String::new, |size| format!(" (class of {size})"));
        let _ = writeln!(out, "{number}: {placement}{class}");
        for line in 1..=placement.size().get() {
            for (column, row) in placement.rows().enumerate() {
                if column > 0 {
                    out.push(b' ');
                }
                out.push(if row == line { b'Q' } else { b'.' });
            }
            out.push(b'\n');
        }
        out.push(b'\n');
    }
}

/// `json`: one object a line.
pub(super) struct JsonLines;

impl Format for JsonLines {
    // The objects are of numbers and digits only, so there is nothing to escape.
    fn solution(&mut self, out: &mut Vec<u8>, solution: &NumberedSolution) {
        let NumberedSolution { number, placement, class_size, .. } = solution;
        let number = number.map_or_else(|| "null".to_owned(), |number| number.to_string());
        let _ = write!(out, "{{\"number\":{number},\"placement\":\"{placement}\",\"rows\":[");
        rows(out, placement, true);
        out.push(b']');
        if let Some(size) = class_size {
            let _ = write!(out, ",\"class_size\":{size}");
        }
        out.extend_from_slice(b"}\n");
    }
}

/// `csv`: a line of names, then the number and the row of each column, for fundamental ones also the class size.
pub(super) struct Csv;

impl Format for Csv {
    fn begin(&mut self, out: &mut Vec<u8>, about: &About) {
        out.extend_from_slice(b"number");
        for column in 1..=about.size.get() {
            let _ = write!(out, ",column{column}");
        }
        out.extend_from_slice(if about.fundamental { b",class_size\n" } else { b"\n" });
    }

    fn solution(&mut self, out: &mut Vec<u8>, solution: &NumberedSolution) {
        if let Some(number) = solution.number {
            let _ = write!(out, "{number}");
        }
        if !solution.placement.is_empty() {
            out.push(b',');
            rows(out, &solution.placement, true);
        }
        if let Some(size) = solution.class_size {
            let _ = write!(out, ",{size}");
        }
        out.push(b'\n');
    }
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

/// Solutions on a page unless `--limit` says otherwise: enough to walk through, and a quick page on a phone.
pub(super) const PAGE_LIMIT: u64 = 5000;

/// The page; `@…@` marks what depends on the solutions.
const PAGE: &str = include_str!("page.html");

/// `html`: one page that shows the solutions, drawn by its own script, without a network.
#[derive(Default)]
pub(super) struct Html {
    /// What comes after the solutions.
    rest: String,
    count: u64,
}

impl Format for Html {
    fn begin(&mut self, out: &mut Vec<u8>, about: &About) {
        let n = about.size.to_string();
        let page = PAGE
            .replace("@N@", &n)
            .replace("@QUEEN@", svg::QUEEN)
            .replace("@LIGHT@", svg::LIGHT)
            .replace("@DARK@", svg::DARK)
            .replace("@INK@", svg::INK)
            .replace("@PREFIX@", &about.prefix.to_string())
            .replace("@FUNDAMENTAL@", &about.fundamental.to_string())
            .replace("@FIRST@", &about.first.map_or_else(|| "null".to_owned(), |first| first.to_string()));
        let (before, after) = page.split_once("@SOLUTIONS@").expect("the page has a place for the solutions");
        out.extend_from_slice(before.as_bytes());
        after.clone_into(&mut self.rest);
    }

    fn solution(&mut self, out: &mut Vec<u8>, solution: &NumberedSolution) {
        if self.count > 0 {
            out.push(b' ');
        }
        self.count += 1;
        // A character a row, 1 to 9 and then a to w, as the page's script reads them.
        let letter = |row| char::from_digit(row as u32, 36).expect("rows are at most 32") as u8;
        out.extend(solution.placement.rows().map(letter));
    }

    fn end(&mut self, out: &mut Vec<u8>, more: bool) {
        let rest = self.rest.replace("@COUNT@", &self.count.to_string()).replace("@MORE@", &more.to_string());
        out.extend_from_slice(rest.as_bytes());
    }
}

/// Boards on a sheet unless `--limit` says otherwise.
pub(super) const SHEET_LIMIT: u64 = 100;

/// `svg`: the boards in rows on one sheet, each with its number and placement.
#[derive(Default)]
pub(super) struct Sheet {
    title: String,
    all: Option<u64>,
    boards: Vec<(Placement, String)>,
}

impl Format for Sheet {
    fn begin(&mut self, _: &mut Vec<u8>, about: &About) {
        let kind = if about.fundamental { "Fundamental solutions" } else { "Solutions" };
        self.title = format!("{kind} for N = {}", about.size);
        self.all = about.all;
    }

    fn solution(&mut self, _: &mut Vec<u8>, solution: &NumberedSolution) {
        let number = solution.number.map_or_else(String::new, |number| format!("{number}  "));
        let class = solution.class_size.map_or_else(String::new, |size| format!("  ×{size}"));
        let caption = format!("{number} {} {class}", solution.placement).trim().to_owned();
        self.boards.push((solution.placement, caption));
    }

    fn end(&mut self, out: &mut Vec<u8>, more: bool) {
        let of = self.all.map_or("...".to_owned(), |all| format!("of {all}"));
        let note = if more { format!("{} {of}", self.boards.len()) } else { String::new() };
        out.extend_from_slice(svg::sheet(&self.boards, &self.title, &note).as_bytes());
    }
}
