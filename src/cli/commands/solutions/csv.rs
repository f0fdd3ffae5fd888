//! `csv`: a line of names, then the number and the row of each column, for fundamental ones also the class size.

use std::io::Write;

use super::source::Entry;
use super::{About, Format, list};

pub(super) struct Csv;

impl Format for Csv {
    fn begin(&mut self, out: &mut Vec<u8>, about: &About) {
        out.extend_from_slice(b"number");
        // Writing to a vector cannot fail.
        for column in 1..=about.size.get() {
            let _ = write!(out, ",column{column}");
        }
        out.extend_from_slice(if about.fundamental { b",class_size\n" } else { b"\n" });
    }

    fn entry(&mut self, out: &mut Vec<u8>, entry: &Entry) {
        if let Some(number) = entry.number {
            let _ = write!(out, "{number}");
        }
        if !entry.placement.is_empty() {
            out.push(b',');
            list::rows(out, entry.placement);
        }
        if let Some(size) = entry.class_size {
            let _ = write!(out, ",{size}");
        }
        out.push(b'\n');
    }
}
