//! A board as SVG: coordinates, squares, the attacks of each queen of a partial placement, queens.
//!
//! Everything is drawn as a path, digits too, so it looks the same where no font is installed.

use std::fmt::Write;

use queens::Placement;

use super::glyphs::{DIGITS, QUEEN};
use super::{Stands, attackers, is_dark};

/// Side of a square, and of the margin that the coordinates stand in.
const SQUARE: usize = 100;
const MARGIN: usize = 56;

pub(crate) const LIGHT: &str = "#eef2ef";
pub(crate) const DARK: &str = "#8fb0a9";
pub(crate) const INK: &str = "#15302d";
const ATTACKED: &str = "#e0532b";

/// The picture's width and height in its own units.
pub(crate) const fn side(n: usize) -> usize {
    n * SQUARE + 2 * MARGIN
}

/// The picture, with a title for screen readers.
pub(crate) fn svg(placement: &Placement) -> String {
    let n = placement.size().get();
    let side = side(n);
    let mut svg = String::new();
    // Writing to a string cannot fail, here and below.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" width=\"{side}\" height=\"{side}\" \
         role=\"img\">\n<title>{}</title>\n<rect width=\"{side}\" height=\"{side}\" rx=\"24\" fill=\"#fff\"/>\n",
        title(placement)
    );
    squares(&mut svg, n);
    if !placement.is_solution() {
        attacks(&mut svg, placement);
    }
    frame(&mut svg, n);
    coordinates(&mut svg, n);
    let _ = writeln!(svg, "<g fill=\"{INK}\" stroke=\"{INK}\" stroke-width=\"2\" stroke-linejoin=\"round\">");
    for queen in placement.squares() {
        let (x, y) = corner(queen.column, queen.row);
        let (x, y) = (x + 8, y + 8);
        let _ = writeln!(svg, "<path transform=\"translate({x} {y}) scale(.84)\" d=\"{QUEEN}\"/>");
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn title(placement: &Placement) -> String {
    let n = placement.size();
    match placement.len() {
        0 => format!("An empty {n}×{n} board"),
        _ if placement.is_solution() => format!("Solution {placement} on a {n}×{n} board"),
        queens => format!("{queens} queens, {placement}, on a {n}×{n} board, with the squares they attack"),
    }
}

/// The upper left corner of a square.
const fn corner(column: usize, row: usize) -> (usize, usize) {
    (MARGIN + (column - 1) * SQUARE, MARGIN + (row - 1) * SQUARE)
}

fn squares(svg: &mut String, n: usize) {
    let board = n * SQUARE;
    let _ =
        writeln!(svg, "<rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{board}\" height=\"{board}\" fill=\"{LIGHT}\"/>");
    let mut path = String::new();
    for row in 1..=n {
        for column in (1..=n).filter(|&column| is_dark(n, column, row)) {
            let (x, y) = corner(column, row);
            let _ = write!(path, "M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z");
        }
    }
    let _ = writeln!(svg, "<path fill=\"{DARK}\" d=\"{path}\"/>");
}

/// The line around the board.
fn frame(svg: &mut String, n: usize) {
    let board = n * SQUARE;
    let _ = writeln!(
        svg,
        "<rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{board}\" height=\"{board}\" fill=\"none\" stroke=\"{INK}\" \
         stroke-width=\"3\"/>"
    );
}

/// A translucent layer for each queen: squares attacked by several are the darker for it.
fn attacks(svg: &mut String, placement: &Placement) {
    let n = placement.size().get();
    for queen in placement.squares() {
        let mut path = String::new();
        for row in 1..=n {
            for column in 1..=n {
                let taken = Stands::on(placement, column, row) == Stands::Queen;
                if !taken && attackers(placement, column, row).any(|attacker| attacker == queen.column) {
                    let (x, y) = corner(column, row);
                    let _ = write!(path, "M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z");
                }
            }
        }
        let _ = writeln!(
            svg,
            "<path fill=\"{ATTACKED}\" fill-opacity=\".32\" d=\"{path}\"><title>Attacked by the queen in {queen}</title></path>"
        );
    }
}

/// Column numbers below and above, row numbers left and right.
fn coordinates(svg: &mut String, n: usize) {
    svg.push_str("<g fill=\"none\" stroke=\"#4c6460\" stroke-width=\"2.4\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n");
    let near = MARGIN / 2;
    let far = side(n) - MARGIN / 2;
    for index in 1..=n {
        let middle = MARGIN + (index - 1) * SQUARE + SQUARE / 2;
        for (x, y) in [(middle, near), (middle, far), (near, middle), (far, middle)] {
            number(svg, index, x, y);
        }
    }
    svg.push_str("</g>\n");
}

/// A number as strokes, with its middle at the point.
fn number(svg: &mut String, number: usize, x: usize, y: usize) {
    const ADVANCE: f64 = 15.0;
    const SCALE: f64 = 1.4;
    let text = number.to_string();
    let width = (text.len() as f64 - 1.0) * ADVANCE + 10.0;
    for (index, digit) in text.bytes().enumerate() {
        let left = x as f64 + SCALE * (index as f64 * ADVANCE - width / 2.0);
        let top = y as f64 - SCALE * 8.0;
        let path = DIGITS[usize::from(digit - b'0')];
        let _ = writeln!(svg, "<path transform=\"translate({left:.1} {top:.1}) scale({SCALE})\" d=\"{path}\"/>");
    }
}
