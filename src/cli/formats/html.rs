//! The page of solutions: one HTML file without a network, whose script (`page.html`) filters and draws what is written
//! into it here.

use queens::{Orbit, Placement, PlacementError, Size, Square, Symmetry};
use serde_json::json;

use super::svg;

/// `@...@` marks what depends on the solutions.
const PAGE: &str = include_str!("page.html");

/// What is wrong with queens, in the program's words, with `@1` and so on in place of a text, or of columns and rows: a text is
/// no square, a square is outside the board, and two are in one column, row or diagonal.
fn errors(size: Size) -> [String; 5] {
    // No message has such a number otherwise.
    let square = |column: usize, row: usize| Square { column: 1000 + column, row: 1000 + row };
    let attack = |column, row| PlacementError::Attack(square(1, 2), square(column, row));
    let (text, outside) = (PlacementError::NotASquare("1001".into()), PlacementError::Outside(square(1, 2), size));
    [text, outside, attack(1, 4), attack(3, 2), attack(3, 4)].map(|error| error.to_string().replace("100", "@"))
}

/// A page of solutions; the numbers are that of the first solution, and of all if it is known. `none` is what to say if none
/// of the whole list passes the filters: by whether only fundamental solutions are shown, and whether only those with
/// the queens `@1`.
pub(crate) fn page(
    size: Size,
    about: &str,
    (first, total): (u64, Option<u64>),
    fundamental: bool,
    none: Option<&[[String; 2]; 2]>,
    solutions: &[Placement],
) -> String {
    let n = size.get();
    let digit = |row| char::from_digit(row as u32, 36).expect("a row is at most 32");
    let word = |placement: Placement| placement.rows().map(digit).collect::<String>();
    let images = |solution: &Placement| {
        let orbit = Orbit::of(solution).expect("all queens are placed");
        Symmetry::ALL.map(|symmetry| word(orbit.image(symmetry))).join(" ")
    };
    // What the script reads, where it says what each is.
    let data = json!({
        "n": n, "about": about, "first": first, "total": total, "fundamental": fundamental,
        "none": none, "errors": errors(size),
        "symmetries": Symmetry::ALL.map(|symmetry| symmetry.to_string()),
        "solutions": solutions.iter().map(images).collect::<Vec<_>>(),
    });
    let title = if n == 1 { "1 queen".to_owned() } else { format!("{n} queens") };
    PAGE.replace("@TITLE@", &title).replace("@QUEEN@", svg::QUEEN).replace("@DATA@", &data.to_string())
}
