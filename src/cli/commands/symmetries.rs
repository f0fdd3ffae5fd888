//! `queens symmetries P`: the images of a solution under the eight symmetries of the square.

use std::fmt::Display;

use clap::Args as ClapArgs;
use queens::{Orbit, Placement, Symmetry};
use serde::Serialize;

use crate::cli::terminal::{Answer, Failure, JsonOutput, numbers};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// A solution: the row of the queen in each column, as in 15863724 or 1,5,8,6,3,7,2,4
    #[arg(value_name = "P")]
    placement: String,

    #[command(flatten)]
    pub(crate) json: JsonOutput,
}

/// A solution and its images.
#[expect(clippy::struct_field_names, reason = "the names of the JSON object")]
#[derive(Serialize)]
pub(crate) struct Images {
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

pub(crate) fn run(args: &Args) -> Result<Images, Failure> {
    let invalid = |reason: &dyn Display| Failure::invalid("<P>", &args.placement, &reason);
    let placement = Placement::parse_alone(&args.placement).map_err(|error| invalid(&error))?;
    let orbit = Orbit::of(&placement).ok_or_else(|| {
        let (queens, size) = (placement.len(), placement.size());
        invalid(&format!("not a solution: {}, {size} needed", numbers::count_of(queens as u64, "queen")))
    })?;
    let image = |(placement, symmetries): (Placement, Vec<Symmetry>)| Image {
        placement,
        symmetries: symmetries.iter().map(Symmetry::to_string).collect(),
    };
    let images: Vec<Image> = orbit.images().into_iter().map(image).collect();
    let (n, class_size, fundamental) = (placement.size().get(), images.len(), orbit.canonical());
    Ok(Images { n, placement, class_size, fundamental, images })
}

impl Answer for Images {
    const NAMES_PROCESSOR: bool = false;

    fn command(&self) -> &'static str {
        "symmetries"
    }

    fn text(&self, _width: usize) -> String {
        let line = |image: &Image| format!("{}  {}\n", image.placement, image.symmetries.join(", "));
        let lines: String = self.images.iter().map(line).collect();
        format!("{lines}class of {}, fundamental {}\n", self.class_size, self.fundamental)
    }
}
