//! `list`: rows with commas for every N; fundamental ones with their class size after a space.

use std::io::Write;

use queens::Placement;

use super::Format;
use super::source::Entry;

pub(super) struct List;

impl Format for List {
    fn entry(&mut self, out: &mut Vec<u8>, entry: &Entry) {
        rows(out, entry.placement);
        if let Some(size) = entry.class_size {
            // Writing to a vector cannot fail.
            let _ = write!(out, " {size}");
        }
        out.push(b'\n');
    }
}

/// The rows with commas between them.
pub(super) fn rows(out: &mut Vec<u8>, placement: &Placement) {
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
