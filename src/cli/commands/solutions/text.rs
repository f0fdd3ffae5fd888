//! The formats of text that are written a solution at a time: `list`, `board`, `json` and `csv`.

use std::io::Write;

use queens::Placement;

use super::list::NumberedSolution;
use super::{About, Format};

/// `list`: rows with commas for every N; fundamental solutions with their class size after a space.
pub(super) struct List;

impl Format for List {
    fn solution(&mut self, out: &mut Vec<u8>, solution: &NumberedSolution) {
        rows(out, &solution.placement);
        if let Some(size) = solution.class_size {
            // Writing to a vector cannot fail, here and below.
            let _ = write!(out, " {size}");
        }
        out.push(b'\n');
    }
}

/// `board`: the number and the digits, then the matrix of `Q` and `.`, then an empty line.
pub(super) struct Board;

impl Format for Board {
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
pub(super) struct Json;

impl Format for Json {
    // The objects are of numbers and digits only, so there is nothing to escape.
    fn solution(&mut self, out: &mut Vec<u8>, solution: &NumberedSolution) {
        let NumberedSolution { number, placement, class_size, .. } = solution;
        let number = number.map_or_else(|| "null".to_owned(), |number| number.to_string());
        let _ = write!(out, "{{\"number\":{number},\"placement\":\"{placement}\",\"rows\":[");
        rows(out, placement);
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
            rows(out, &solution.placement);
        }
        if let Some(size) = solution.class_size {
            let _ = write!(out, ",{size}");
        }
        out.push(b'\n');
    }
}

/// The rows with commas between them.
fn rows(out: &mut Vec<u8>, placement: &Placement) {
    for (column, row) in placement.rows().enumerate() {
        if column > 0 {
            out.push(b',');
        }
        if row > 9 {
            out.push(b'0' + (row / 10) as u8);
        }
        out.push(b'0' + (row % 10) as u8);
    }
}
