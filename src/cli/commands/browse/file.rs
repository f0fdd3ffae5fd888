//! A board as a file.

use std::path::Path;

use queens::Placement;

use crate::cli::draw::{svg, text};
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::file_format::{self, SVG, TEXT};

/// What a file of this name holds: a picture or, where the extension is .txt or missing, text.
pub(super) fn contents(placement: &Placement, path: &Path, argument: &str) -> Result<Vec<u8>, Failure> {
    let extensions = file_format::by_extension(argument, path, &[TEXT, SVG].map(|format| (format, format)))?;
    Ok(match extensions {
        Some(SVG) => svg::svg(placement).into_bytes(),
        _ => text::board(placement, text::Look::Unicode, usize::MAX).into_bytes(),
    })
}
