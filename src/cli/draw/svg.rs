//! A board as SVG: coordinates, squares, the lines on which each queen of a partial placement attacks, queens.
//!
//! Everything is drawn as a path, digits too, so it looks the same where no font is installed.

use std::fmt::Write;

use queens::Placement;

use super::glyphs::{QUEEN, strokes};
use super::{article, is_dark};

pub(crate) const LIGHT: &str = "#eef2ef";
pub(crate) const DARK: &str = "#8fb0a9";
pub(crate) const INK: &str = "#15302d";
/// Of coordinates and captions.
const SOFT: &str = "#4c6460";

/// Of the lines of each queen, which can be told apart on light and dark squares.
const COLOURS: [&str; 8] = ["#e0532b", "#346ed6", "#ecb612", "#964abe", "#14965a", "#e862a0", "#80542c", "#3cbed2"];

/// Side of a square, and width of the margin, which has the coordinates.
pub(super) const SQUARE: usize = 100;
const MARGIN: usize = 56;

/// The picture, with a title for screen readers.
pub(crate) fn svg(placement: &Placement) -> String {
    let n = placement.size().get();
    let side = n * SQUARE + 2 * MARGIN;
    let mut svg = begin((side, side), &title(placement));
    let _ = writeln!(svg, "<g transform=\"translate({MARGIN} {MARGIN})\">");
    squares(&mut svg, n);
    frame(&mut svg, n);
    // With all queens placed every square is attacked, and there is nothing left to decide.
    if !placement.is_solution() {
        attacks(&mut svg, placement);
    }
    queens(&mut svg, placement);
    svg.push_str("</g>\n");
    coordinates(&mut svg, n);
    svg.push_str("</svg>\n");
    svg
}

fn title(placement: &Placement) -> String {
    let n = placement.size();
    let board = format!("{} {n}×{n} board", article(n.get()));
    match placement.len() {
        0 => format!("An empty {n}×{n} board"),
        _ if placement.is_solution() => format!("Solution {placement} on {board}"),
        1 => format!("1 queen, {placement}, on {board}, with the lines on which it attacks"),
        queens => format!("{queens} queens, {placement}, on {board}, with the lines on which they attack"),
    }
}

/// The beginning of a picture: white paper, a title for screen readers, and the queen that [`queens`] refers to.
pub(super) fn begin((width, height): (usize, usize), title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<title>{title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"24\" fill=\"#fff\"/>\n\
         <defs><path id=\"queen\" d=\"{QUEEN}\"/></defs>\n"
    )
}

/// The upper left corner of a square, from the board's own.
const fn corner(column: usize, row: usize) -> (usize, usize) {
    ((column - 1) * SQUARE, (row - 1) * SQUARE)
}

pub(super) fn squares(svg: &mut String, n: usize) {
    let board = n * SQUARE;
    let _ = writeln!(svg, "<rect width=\"{board}\" height=\"{board}\" fill=\"{LIGHT}\"/>");
    let mut path = String::new();
    // Writing to a string cannot fail, here and below.
    for row in 1..=n {
        for column in (1..=n).filter(|&column| is_dark(n, column, row)) {
            let (x, y) = corner(column, row);
            let _ = write!(path, "M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z");
        }
    }
    let _ = writeln!(svg, "<path fill=\"{DARK}\" d=\"{path}\"/>");
}

/// The line around the board.
pub(super) fn frame(svg: &mut String, n: usize) {
    let board = n * SQUARE;
    let _ =
        writeln!(svg, "<rect width=\"{board}\" height=\"{board}\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"3\"/>");
}

pub(super) fn queens(svg: &mut String, placement: &Placement) {
    let _ = writeln!(svg, "<g fill=\"{INK}\" stroke=\"{INK}\" stroke-width=\"2\" stroke-linejoin=\"round\">");
    for queen in placement.squares() {
        let (x, y) = corner(queen.column, queen.row);
        let _ = writeln!(svg, "<use href=\"#queen\" transform=\"translate({} {}) scale(.84)\"/>", x + 8, y + 8);
    }
    svg.push_str("</g>\n");
}

/// The row, the column and the diagonals of each queen as lines in a colour of her own: through a square go the lines of
/// the queens that attack it, and through a free one none.
fn attacks(svg: &mut String, placement: &Placement) {
    let board = placement.size().get() * SQUARE;
    // A picture within the picture shows nothing beyond its edges.
    let _ = writeln!(svg, "<svg width=\"{board}\" height=\"{board}\" fill=\"none\" stroke-width=\"9\">");
    for queen in placement.squares() {
        let (x, y) = corner(queen.column, queen.row);
        let middle = format!("M{} {}", x + SQUARE / 2, y + SQUARE / 2);
        let (far, back) = (board, 2 * board);
        let _ = writeln!(
            svg,
            "<path stroke=\"{}\" d=\"{middle}h{far}h-{back}{middle}v{far}v-{back}{middle}l{far} {far}l-{back} -{back}\
             {middle}l{far} -{far}l-{back} {back}\"><title>Attacked by the queen in {queen}</title></path>",
            COLOURS[(queen.column - 1) % COLOURS.len()]
        );
    }
    svg.push_str("</svg>\n");
}

/// Column numbers below and above, row numbers left and right.
fn coordinates(svg: &mut String, n: usize) {
    open_strokes(svg);
    let near = MARGIN / 2;
    let far = n * SQUARE + MARGIN + MARGIN / 2;
    for index in 1..=n {
        let middle = MARGIN + (index - 1) * SQUARE + SQUARE / 2;
        for (x, y) in [(middle, near), (middle, far), (near, middle), (far, middle)] {
            strokes(svg, &index.to_string(), (x as f64, y as f64), 1.4);
        }
    }
    svg.push_str("</g>\n");
}

/// A group for [`strokes`].
pub(super) fn open_strokes(svg: &mut String) {
    let _ = writeln!(
        svg,
        "<g fill=\"none\" stroke=\"{SOFT}\" stroke-width=\"2.4\" stroke-linecap=\"round\" stroke-linejoin=\"round\">"
    );
}
