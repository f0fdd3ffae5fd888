//! `queens symmetries P`: the images of a solution under the eight symmetries of the square.

use clap::Args as ClapArgs;
use queens::{Orbit, Placement, Symmetry};

use crate::cli::terminal::{Facts, Failure, JsonOutput};

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
    let names = |symmetries: &[Symmetry]| symmetries.iter().map(Symmetry::to_string).collect::<Vec<_>>();
    let lines = images.iter().map(|(image, symmetries)| format!("{image}  {}\n", names(symmetries).join(", ")));
    let class = format!("class of {}, fundamental {}\n", images.len(), orbit.canonical());
    // Each with every symmetry that leads to it, named as in the text.
    let image = |(image, symmetries): &(Placement, Vec<Symmetry>)| {
        Facts::default().with("placement", image.to_string()).with("symmetries", names(symmetries))
    };
    let facts = Facts::of_board("symmetries", &placement)
        .with("class_size", orbit.class_size())
        .with("fundamental", orbit.canonical().to_string())
        .list("images", images.iter().map(image))
        .text(&(lines.collect::<String>() + &class));
    args.json.deliver(&facts)
}
