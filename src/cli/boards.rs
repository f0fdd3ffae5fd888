//! What `solutions` and `show` have in common: queens on given squares, and files whose extension says what is in them.

use std::path::Path;

use clap::Args;
use queens::{AllowedRows, Placement, PlacementError, Square};

use crate::cli::failure::Failure;

#[derive(Args)]
pub(crate) struct QueenArgs {
    /// A queen on this square, counted from the top left; once for each queen
    #[arg(long = "queen", value_name = "COLUMN,ROW")]
    pub(crate) queens: Vec<String>,
}

impl QueenArgs {
    /// These queens beside those of a placement.
    pub(crate) fn beside(&self, placement: Placement) -> Result<AllowedRows, Failure> {
        self.queens.iter().try_fold(placement.into(), |allowed: AllowedRows, text| {
            let queen = Square::parse(text, placement.size()).and_then(|queen| allowed.with(queen));
            queen.map_err(|error| {
                // Squares as they are given here.
                let reason = match error {
                    PlacementError::Attack(a, b, line) => {
                        format!("the queens on {},{} and {},{} share a {line}", a.column, a.row, b.column, b.row)
                    }
                    error => error.to_string(),
                };
                Failure::value("--queen <COLUMN,ROW>", text, reason)
            })
        })
    }
}

/// A file's name, and its extension in small letters; `None` for stdout.
pub(crate) fn extension(output: &Path) -> Option<(String, String)> {
    let extension = output.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    (output != Path::new("-")).then(|| (output.display().to_string(), extension))
}
