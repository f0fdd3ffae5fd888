//! The page of solutions: one HTML file without a network, whose script (`page.html`) filters and draws what is written
//! into it here.

use queens::{Orbit, Placement, Symmetry};
use serde::Serialize;

use super::svg;

/// `@...@` marks what depends on the solutions.
const PAGE: &str = include_str!("page.html");

/// What the script reads.
#[derive(Serialize)]
struct Data {
    n: usize,
    /// The solutions in words.
    about: String,
    /// The number of the first.
    first: u64,
    /// How many the list has, also those that are not on the page.
    total: Option<u64>,
    /// Whether all are fundamental.
    fundamental: bool,
    /// The names of all eight.
    symmetries: [String; 8],
    /// The eight images of each solution, in the order of the names; each row is a digit in base 36.
    solutions: Vec<String>,
}

/// A page of solutions on a board of n columns; the numbers are that of the first solution, and of all if it is known.
pub(crate) fn page(
    n: usize,
    about: String,
    (first, total): (u64, Option<u64>),
    fundamental: bool,
    solutions: &[Placement],
) -> String {
    let digit = |row| char::from_digit(row as u32, 36).expect("a row is at most 32");
    let word = |placement: Placement| placement.rows().map(digit).collect::<String>();
    let images = |solution: &Placement| {
        let orbit = Orbit::of(solution).expect("all queens are placed");
        Symmetry::ALL.map(|symmetry| word(orbit.image(symmetry))).join(" ")
    };
    let symmetries = Symmetry::ALL.map(|symmetry| symmetry.to_string());
    let solutions = solutions.iter().map(images).collect();
    let data = Data { n, about, first, total, fundamental, symmetries, solutions };
    let data = serde_json::to_string(&data).expect("its fields are texts and numbers");
    let title = if n == 1 { "1 queen".to_owned() } else { format!("{n} queens") };
    PAGE.replace("@TITLE@", &title).replace("@QUEEN@", svg::QUEEN).replace("@DATA@", &data)
}
