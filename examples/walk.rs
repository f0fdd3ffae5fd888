//! Lists the solutions that begin with given queens, each with the first of its images:
//! `cargo run --release --example walk -- 8 42`

use std::error::Error;

use queens::{Orbit, Placement, Size, Solutions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let size: Size = arguments.next().as_deref().unwrap_or("8").parse()?;
    let prefix = Placement::parse(arguments.next().as_deref().unwrap_or("42"), size)?;
    for solution in Solutions::having(size, prefix.squares()) {
        let orbit = Orbit::of(&solution).expect("every queen is placed");
        println!("{solution}  one of {}, the first of which is {}", orbit.images().len(), orbit.canonical());
    }
    Ok(())
}
