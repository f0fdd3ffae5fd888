//! A result as lines of label and value.

use std::fmt;

use anstyle::{AnsiColor, Style};

use crate::cli::terminal::stdout;
use crate::cli::terminal::table::wrapped;

const LABEL: Style = Style::new().dimmed();
const RESULT: Style = AnsiColor::Green.on_default().bold();

/// Lines of label and value, the values aligned, and broken where the terminal is narrow.
#[derive(Default)]
pub(crate) struct Summary {
    rows: Vec<(&'static str, String, Style)>,
}

impl Summary {
    pub(crate) fn row(&mut self, label: &'static str, value: impl fmt::Display) {
        self.rows.push((label, value.to_string(), Style::new()));
    }

    /// The most important line, in colour.
    pub(crate) fn result(&mut self, label: &'static str, value: impl fmt::Display) {
        self.rows.push((label, value.to_string(), RESULT));
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
        for (label, value, style) in &self.rows {
            let room = stdout::width().saturating_sub(width + 2);
            for (index, part) in wrapped(value, room, &[' ']).iter().enumerate() {
                let label = if index == 0 { label } else { "" };
                writeln!(f, "{LABEL}{label:width$}{LABEL:#}  {style}{part}{style:#}")?;
            }
        }
        Ok(())
    }
}
