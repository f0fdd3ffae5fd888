//! The solutions themselves, from a partial placement on, each with its symmetry class:
//! `cargo run --release --example walk -- 8 42`

use std::error::Error;

use queens::{Orbit, Placement, Size, Solutions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let size: Size = arguments.next().as_deref().unwrap_or("8").parse()?;
    let prefix = Placement::parse(arguments.next().as_deref().unwrap_or("42"), size)?;
    for solution in Solutions::new(prefix) {
        let orbit = Orbit::of(&solution).expect("every queen is set");
        println!("{solution}  one of {}, the first of which is {}", orbit.class_size(), orbit.canonical());
    }
    Ok(())
}
