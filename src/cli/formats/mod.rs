//! The formats of solutions, a file each. Lines, boards and CSV are written as solutions are found, a sheet of pictures and a
//! page as a whole.

pub(crate) mod boards;
pub(crate) mod csv;
pub(crate) mod html;
mod lines;
pub(crate) mod svg;

use std::path::Path;

use clap::ValueEnum;
use queens::Placement;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Lines,
    Boards,
    Csv,
    Svg,
    Html,
}

/// A file's name, and its extension in small letters; `None` for stdout.
pub(crate) fn extension(output: &Path) -> Option<(String, String)> {
    let extension = output.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    (output != Path::new("-")).then(|| (output.display().to_string(), extension))
}

/// Adds a solution with its number.
pub(crate) fn write(text: &mut String, format: Format, number: u64, solution: &Placement) {
    match format {
        Format::Boards => boards::write(text, number, solution),
        Format::Csv => csv::write(text, number, solution),
        _ => lines::write(text, solution),
    }
    text.push('\n');
}
