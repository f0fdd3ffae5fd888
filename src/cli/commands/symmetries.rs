//! `queens symmetries P`: the images of a solution under the eight symmetries of the square.

use queens::{Orbit, Placement, Symmetry};
use serde_json::json;

use crate::cli::answer::Printer;
use crate::cli::args::Json;
use crate::cli::failure::{Failure, Result};
use crate::cli::text::count_of;

/// Print the images of a solution under the eight symmetries of the square
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Solution: the row of the queen in each column, e.g. 15863724 or 1,5,8,6,3,7,2,4
    #[arg(value_name = "P")]
    placement: String,

    #[command(flatten)]
    json: Json,
}

pub(crate) fn run(args: &Args) -> Result {
    let invalid = |reason: String| Failure::value("<P>", &args.placement, reason);
    let placement = Placement::parse_alone(&args.placement).map_err(|error| invalid(error.to_string()))?;
    let (n, queens) = (placement.size().get(), placement.len() as u64);
    let not_a_solution = || invalid(format!("not a solution: {}, {n} needed", count_of(queens, "queen")));
    let orbit = Orbit::of(&placement).ok_or_else(not_a_solution)?;
    let (mut images, mut lines, fundamental) = (Vec::new(), Vec::new(), orbit.canonical());
    for (image, symmetries) in orbit.images() {
        let symmetries: Vec<String> = symmetries.iter().map(Symmetry::to_string).collect();
        lines.push(format!("{image}  {}\n", symmetries.join(", ")));
        images.push(json!({ "placement": image, "symmetries": symmetries }));
    }
    let size = images.len();
    let object = json!({
        "n": n, "placement": placement, "class_size": size, "fundamental": fundamental, "images": images,
    });
    let table = format!("{}{size} distinct images; the fundamental solution is {fundamental}.\n", lines.concat());
    Printer::open(&args.json)?.table("symmetries", [], |rows| rows.line(&table).map(|()| object))
}
