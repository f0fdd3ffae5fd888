//! What `solutions` and `show` have in common: queens on given squares, and files whose extension says what is in them.

use std::path::Path;

use clap::Args;
use queens::{Placement, PlacementError, Square};

use crate::cli::failure::Failure;

#[derive(Args)]
pub(crate) struct QueenArgs {
    /// A queen on this square, counted from the top left; once for each queen
    #[arg(long = "queen", value_name = "COLUMN,ROW")]
    pub(crate) queens: Vec<String>,
}

impl QueenArgs {
    /// These queens and those of a placement; one may be named by both.
    pub(crate) fn beside(&self, placement: Placement) -> Result<Vec<Square>, Failure> {
        let mut queens: Vec<Square> = placement.squares().collect();
        for text in &self.queens {
            let invalid = |error: PlacementError| Failure::value("--queen <COLUMN,ROW>", text, error);
            let queen = Square::parse(text, placement.size()).map_err(invalid)?;
            if !queens.contains(&queen) {
                queens.iter().try_for_each(|other| other.check_apart(queen)).map_err(invalid)?;
                queens.push(queen);
            }
        }
        Ok(queens)
    }
}

/// A file's name, and its extension in small letters; `None` for stdout.
pub(crate) fn extension(output: &Path) -> Option<(String, String)> {
    let extension = output.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    (output != Path::new("-")).then(|| (output.display().to_string(), extension))
}
