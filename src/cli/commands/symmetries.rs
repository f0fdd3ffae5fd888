//! `queens symmetries P`: the images of a solution under the eight symmetries of the square.

use queens::{Orbit, Placement, Symmetry};
use serde::Serialize;

use crate::cli::answer::{Answer, JsonArgs};
use crate::cli::failure::Failure;

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A solution: the row of the queen in each column, as in 15863724 or 1,5,8,6,3,7,2,4
    #[arg(value_name = "P")]
    placement: String,

    #[command(flatten)]
    json: JsonArgs,
}

/// A solution and its images.
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
    let invalid = |reason: &dyn std::fmt::Display| Failure::Usage(format!("{}: {reason}", args.placement));
    let placement = Placement::parse_alone(&args.placement).map_err(|error| invalid(&error))?;
    let (n, queens) = (placement.size().get(), placement.len());
    let not_a_solution = || invalid(&format!("not a solution: {queens} queens, {n} needed"));
    let orbit = Orbit::of(&placement).ok_or_else(not_a_solution)?;
    let image = |(placement, symmetries): (Placement, Vec<Symmetry>)| Image {
        placement,
        symmetries: symmetries.iter().map(Symmetry::to_string).collect(),
    };
    let images: Vec<Image> = orbit.images().into_iter().map(image).collect();
    let (class_size, fundamental) = (images.len(), orbit.canonical());
    args.json.answer(&Images { n, placement, class_size, fundamental, images })
}

impl Answer for Images {
    const COMMAND: &'static str = "symmetries";

    fn text(&self) -> String {
        let line = |image: &Image| format!("{}  {}\n", image.placement, image.symmetries.join(", "));
        let lines: String = self.images.iter().map(line).collect();
        format!("{lines}Class of {}; the fundamental solution is {}.\n", self.class_size, self.fundamental)
    }
}
