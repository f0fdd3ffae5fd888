//! The page of solutions: one HTML file that works offline. Its script (`page.html`) filters and draws the solutions.

use queens::{Orbit, Placement, Size, Symmetry};
use serde_json::Value;

use super::svg;

/// The template. `@...@` marks are replaced.
const PAGE: &str = include_str!("page.html");

/// A page of solutions. `list` describes them for the script; the rest of its data is added here.
pub(crate) fn page(size: Size, mut list: Value, solutions: &[Placement]) -> String {
    let digit = |row| char::from_digit(row as u32, 36).expect("a row is at most 32");
    let word = |placement: Placement| placement.rows().map(digit).collect::<String>();
    let images = |solution: &Placement| {
        let orbit = Orbit::of(solution).expect("all queens are placed");
        Symmetry::ALL.map(|symmetry| word(orbit.image(symmetry))).join(" ")
    };
    let n = size.get();
    list["n"] = n.into();
    list["symmetries"] = Symmetry::ALL.iter().map(Symmetry::to_string).collect();
    list["solutions"] = solutions.iter().map(images).collect();
    let title = if n == 1 { "1 queen".to_owned() } else { format!("{n} queens") };
    PAGE.replace("@TITLE@", &title).replace("@QUEEN@", svg::QUEEN).replace("@DATA@", &list.to_string())
}
