//! A board as a file.

use std::path::Path;

use queens::Placement;

use crate::cli::draw::{png, svg, text};
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::file_format::{self, Content};

/// What a file of this name holds.
pub(super) fn contents(placement: &Placement, path: &Path, argument: &str) -> Result<Vec<u8>, Failure> {
    let contents = [Content::Svg, Content::Png, Content::Text];
    Ok(match file_format::of(argument, path, &contents)?.unwrap_or(Content::Text) {
        Content::Svg => svg::svg(placement).into_bytes(),
        Content::Png => png::png(&svg::svg(placement))?,
        _ => text::board(placement, text::Look::Unicode).into_bytes(),
    })
}
