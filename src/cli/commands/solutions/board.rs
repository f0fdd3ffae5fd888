//! `board`: the number and the digits, then the matrix of `Q` and `.`, then an empty line.

use std::io::Write;

use super::Format;
use super::source::Entry;

pub(super) struct Board;

impl Format for Board {
    fn entry(&mut self, out: &mut Vec<u8>, entry: &Entry) {
        let Entry { number, placement, class_size, .. } = entry;
        let number = number.map_or_else(|| "?".to_owned(), |number| number.to_string());
        // Writing to a vector cannot fail.
        let _ = match class_size {
            None => writeln!(out, "{number}: {placement}"),
            Some(size) => writeln!(out, "{number}: {placement} (class of {size})"),
        };
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
