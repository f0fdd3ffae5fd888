//! `queens symmetries P`: the images of a solution under the eight symmetries of the square.

use queens::{Orbit, Placement, Symmetry};
use serde::Serialize;

use crate::cli::answer::Printer;
use crate::cli::args::Json;
use crate::cli::failure::Failure;
use crate::cli::text::count_of;

/// Print the images of a solution under the eight symmetries of the square
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A solution: the row of the queen in each column, as in 15863724 or 1,5,8,6,3,7,2,4
    #[arg(value_name = "P")]
    placement: String,

    #[command(flatten)]
    json: Json,
}

/// A solution and its images.
#[expect(clippy::struct_field_names, reason = "the names of the JSON object")]
#[derive(Serialize)]
struct Images {
    n: usize,
    placement: Placement,
    class_size: usize,
    fundamental: Placement,
    images: Vec<Image>,
}

/// An image, and every symmetry that leads to it.
#[derive(Serialize)]
struct Image {
    placement: Placement,
    symmetries: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let invalid = |reason: String| Failure::value("<P>", &args.placement, reason);
    let placement = Placement::parse_alone(&args.placement).map_err(|error| invalid(error.to_string()))?;
    let (n, queens) = (placement.size().get(), placement.len() as u64);
    let not_a_solution = || invalid(format!("not a solution: {}, {n} needed", count_of(queens, "queen")));
    let orbit = Orbit::of(&placement).ok_or_else(not_a_solution)?;
    let image = |(placement, symmetries): (Placement, Vec<Symmetry>)| Image {
        placement,
        symmetries: symmetries.iter().map(Symmetry::to_string).collect(),
    };
    let images: Vec<Image> = orbit.images().into_iter().map(image).collect();
    let (class_size, fundamental) = (images.len(), orbit.canonical());
    let line = |image: &Image| format!("{}  {}\n", image.placement, image.symmetries.join(", "));
    let lines: String = images.iter().map(line).collect();
    let printer = Printer::open(&args.json)?;
    let table = format!("{lines}Class of {class_size}; the fundamental solution is {fundamental}.\n");
    let printed = printer.rows([])?.line(&table);
    printer.object("symmetries", &Images { n, placement, class_size, fundamental, images }, printed)
}
