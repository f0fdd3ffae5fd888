//! `queens symmetries P`: the images of a solution under the eight symmetries of the square.

use clap::Args as ClapArgs;
use queens::{Orbit, Placement, Symmetry};
use serde::Serialize;

use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::json_output::JsonOutput;
use crate::cli::terminal::{json, messages};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// A solution: the row of the queen in each column, as in 15863724 or 1,5,8,6,3,7,2,4
    #[arg(value_name = "P")]
    placement: String,

    #[command(flatten)]
    json: JsonOutput,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    args.json.check()?;
    let text = &args.placement;
    let invalid = |reason: &dyn std::fmt::Display| Failure::invalid("<P>", text, &reason);
    let placement = Placement::parse_alone(text).map_err(|error| invalid(&error))?;
    let orbit = Orbit::of(&placement).ok_or_else(|| {
        let (queens, size) = (placement.len(), placement.size());
        invalid(&format!("no solution, which has {size} queens on {size}×{size}: this has {queens}"))
    })?;
    let images = orbit.images();
    let named = |(image, symmetries): &(Placement, Vec<Symmetry>)| {
        let names: Vec<String> = symmetries.iter().map(Symmetry::to_string).collect();
        format!("{image}  {}\n", names.join(", "))
    };
    let lines: String = images.iter().map(named).collect();
    let text = format!("{lines}class of {}, fundamental {}\n", images.len(), orbit.canonical());
    args.json.deliver_text(&json::object(&Json::new(&placement, &orbit))?, || messages::deliver(&text))
}

#[derive(Serialize)]
struct Json {
    schema: u32,
    version: &'static str,
    command: &'static str,
    n: usize,
    placement: String,
    class_size: usize,
    fundamental: String,
    images: Vec<Image>,
}

/// An image and every symmetry that leads to it, named as in the text.
#[derive(Serialize)]
struct Image {
    placement: String,
    symmetries: Vec<String>,
}

impl Json {
    fn new(placement: &Placement, orbit: &Orbit) -> Self {
        let image = |(image, symmetries): (Placement, Vec<Symmetry>)| Image {
            placement: image.to_string(),
            symmetries: symmetries.iter().map(Symmetry::to_string).collect(),
        };
        Self {
            schema: json::SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            command: "symmetries",
            n: placement.size().get(),
            placement: placement.to_string(),
            class_size: orbit.class_size(),
            fundamental: orbit.canonical().to_string(),
            images: orbit.images().into_iter().map(image).collect(),
        }
    }
}
