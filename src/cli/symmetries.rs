//! `queens symmetries P`: the images of a solution under the eight symmetries of the square.

use std::io::Write;

use clap::Args as ClapArgs;
use queens::{Orbit, Placement, Symmetry};

use super::Failure;

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// A solution: the row of the queen in each column, as in 15863724 or 1,5,8,6,3,7,2,4
    #[arg(value_name = "P")]
    placement: String,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let text = &args.placement;
    let invalid = |reason: &dyn std::fmt::Display| Failure::invalid("<P>", text, &reason);
    let placement = Placement::parse_alone(text).map_err(|error| invalid(&error))?;
    let orbit = Orbit::of(&placement).ok_or_else(|| {
        let (queens, size) = (placement.len(), placement.size());
        invalid(&format!("no solution, which on {size}×{size} has {size} queens; here are {queens}"))
    })?;
    let images = orbit.images();
    let mut out = anstream::stdout().lock();
    for (image, symmetries) in &images {
        let names: Vec<String> = symmetries.iter().map(Symmetry::to_string).collect();
        writeln!(out, "{image}  {}", names.join(", "))?;
    }
    writeln!(out, "class of {}, fundamental {}", images.len(), orbit.canonical())?;
    Ok(())
}
