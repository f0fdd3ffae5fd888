//! The formats of solutions, one file each.

pub(crate) mod boards;
pub(crate) mod csv;
pub(crate) mod html;
pub(crate) mod lines;
pub(crate) mod svg;

use std::path::Path;

use clap::ValueEnum;

use super::failure::{Failure, Result};
use super::output::is_stdout;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Lines,
    Boards,
    Csv,
    Svg,
    Html,
}

/// The extension of an output in lower case, which must be one of these; `None` for stdout.
pub(crate) fn extension(output: Option<&Path>, known: &[&str]) -> Result<Option<String>> {
    let Some(path) = output.filter(|path| !is_stdout(path)) else { return Ok(None) };
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let reason = format!("unknown extension; use .{}", known.join(", ."));
    Failure::value("--output <FILE>", path.display(), reason).when(!known.contains(&&*extension))?;
    Ok(Some(extension))
}

impl Format {
    pub(crate) const fn extension(self) -> &'static str {
        match self {
            Self::Lines | Self::Boards => "txt",
            Self::Csv => "csv",
            Self::Svg => "svg",
            Self::Html => "html",
        }
    }

    /// Whether all solutions are found before the first is written.
    pub(crate) const fn is_buffered(self) -> bool {
        matches!(self, Self::Svg | Self::Html)
    }
}
