//! The formats of solutions, one file each. Lines, boards and CSV are written as solutions are found, a sheet of
//! pictures and a page as a whole.

pub(crate) mod boards;
pub(crate) mod csv;
pub(crate) mod html;
pub(crate) mod lines;
pub(crate) mod svg;

use std::path::Path;

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Lines,
    Boards,
    Csv,
    Svg,
    Html,
}

/// A file's name and its extension in lower case; `None` for stdout.
pub(crate) fn extension(output: &Path) -> Option<(String, String)> {
    let extension = output.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    (output != Path::new("-")).then(|| (output.display().to_string(), extension))
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
        match self {
            Self::Lines | Self::Boards | Self::Csv => false,
            Self::Svg | Self::Html => true,
        }
    }
}
