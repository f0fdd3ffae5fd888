//! `digits`: a placement a line, as it is read again; fundamental ones with their class size after a space.
//!
//! This is the format for many solutions, so only what has changed since the line before is made anew.

use std::io::Write;

use super::list::NumberedSolution;
use super::{About, Format};

/// Every row's text, comma included: at most three bytes, stored as four so that they are copied in one go.
type RowText = ([u8; 4], u8);

#[derive(Default)]
pub(super) struct Digits {
    rows: Vec<RowText>,
    /// The line so far, and where each column's row begins in it.
    line: Vec<u8>,
    starts: Vec<u8>,
    commas: bool,
    begun: bool,
}

impl Format for Digits {
    fn begin(&mut self, _: &mut Vec<u8>, about: &About) {
        let n = about.size.get();
        self.commas = n > 9;
        self.line = vec![0; 4 * (n + 1)];
        self.starts = vec![0; n + 1];
        self.rows = (0..=n)
            .map(|row| {
                let text = if self.commas { format!("{row},") } else { row.to_string() };
                let mut bytes = [0; 4];
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                (bytes, text.len() as u8)
            })
            .collect();
    }

    fn solution(&mut self, out: &mut Vec<u8>, solution: &NumberedSolution) {
        // What is before the first solution, skipped ones for instance, was never made.
        let changed = if std::mem::replace(&mut self.begun, true) { solution.changed } else { 0 };
        let mut end = usize::from(self.starts[changed]);
        for (column, row) in solution.placement.rows().enumerate().skip(changed) {
            self.starts[column] = end as u8;
            let (text, length) = self.rows[row];
            self.line[end..end + 4].copy_from_slice(&text);
            end += usize::from(length);
        }
        end -= usize::from(self.commas);
        out.extend_from_slice(&self.line[..end]);
        if let Some(size) = solution.class_size {
            // Writing to a vector cannot fail.
            let _ = write!(out, " {size}");
        }
        out.push(b'\n');
    }
}
