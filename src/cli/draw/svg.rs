//! A board as SVG: coordinates, squares, the attacks of each queen of a partial placement, queens.
//!
//! Everything is drawn as a path, digits too, so it looks the same where no font is installed.

use std::fmt::Write;

use queens::Placement;

use super::glyphs::{QUEEN, strokes};
use super::shades::{self, DARK, INK, LIGHT, OPACITY, SOFT};
use super::{SquareState, article, attackers, is_dark};

/// Side of a square, and width of the margin, which has the coordinates.
pub(super) const SQUARE: usize = 100;
const MARGIN: usize = 56;

/// Height of a line of the legend, which there is where there are attacks, and the width of one queen in it.
const LEGEND: usize = 72;
const LEGEND_QUEEN: usize = 150;

/// The picture's width and height in its own units.
fn extent(placement: &Placement) -> (usize, usize) {
    let side = placement.size().get() * SQUARE + 2 * MARGIN;
    (side, side + legend_lines(placement) * LEGEND)
}

/// The picture, with a title for screen readers.
pub(crate) fn svg(placement: &Placement) -> String {
    let n = placement.size().get();
    let (width, height) = extent(placement);
    let mut svg = begin((width, height), &title(placement));
    let _ = writeln!(svg, "<g transform=\"translate({MARGIN} {MARGIN})\">");
    squares(&mut svg, n);
    if !placement.is_solution() {
        attacks(&mut svg, placement);
    }
    frame(&mut svg, n);
    queens(&mut svg, placement);
    svg.push_str("</g>\n");
    coordinates(&mut svg, n);
    legend(&mut svg, placement);
    svg.push_str("</svg>\n");
    svg
}

fn title(placement: &Placement) -> String {
    let n = placement.size();
    let board = format!("{} {n}×{n} board", article(n.get()));
    match placement.len() {
        0 => format!("An empty {n}×{n} board"),
        _ if placement.is_solution() => format!("Solution {placement} on {board}"),
        1 => format!("1 queen, {placement}, on {board}, with the squares it attacks"),
        queens => format!("{queens} queens, {placement}, on {board}, with the squares they attack"),
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

/// The squares that each queen attacks in her own shade; a square that several attack has a stripe of each.
fn attacks(svg: &mut String, placement: &Placement) {
    let n = placement.size().get();
    for queen in placement.squares() {
        let mut path = String::new();
        for row in 1..=n {
            for column in 1..=n {
                if SquareState::of(placement, column, row) == SquareState::Queen {
                    continue;
                }
                let all: Vec<usize> = attackers(placement, column, row).collect();
                let Some(mine) = all.iter().position(|&attacker| attacker == queen.column) else { continue };
                let (x, y) = corner(column, row);
                let (from, to) = (SQUARE * mine / all.len(), SQUARE * (mine + 1) / all.len());
                let _ = write!(path, "M{} {y}h{}v{SQUARE}h-{1}z", x + from, to - from);
            }
        }
        let (x, y) = corner(queen.column, queen.row);
        let _ = write!(path, "M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z");
        let _ = writeln!(
            svg,
            "<path fill=\"{}\" fill-opacity=\"{OPACITY}\" d=\"{path}\"><title>Attacked by the queen in {queen}</title></path>",
            shade(queen.column)
        );
    }
}

/// The shade of the queen in a column, from 1.
fn shade(column: usize) -> String {
    let [red, green, blue] = shades::shade(column);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn legend_lines(placement: &Placement) -> usize {
    if placement.is_solution() || placement.is_empty() {
        return 0;
    }
    placement.len().div_ceil(in_a_line(placement.size().get()))
}

/// Queens in a line of the legend.
fn in_a_line(n: usize) -> usize {
    (n * SQUARE / LEGEND_QUEEN).max(1)
}

/// Each queen's shade beside her square, as column, row.
fn legend(svg: &mut String, placement: &Placement) {
    if legend_lines(placement) == 0 {
        return;
    }
    let n = placement.size().get();
    for (index, queen) in placement.squares().enumerate() {
        let x = MARGIN + index % in_a_line(n) * LEGEND_QUEEN;
        let y = n * SQUARE + 2 * MARGIN + index / in_a_line(n) * LEGEND;
        let _ = writeln!(
            svg,
            "<g><title>The squares attacked by the queen in {queen}</title>\
             <rect x=\"{x}\" y=\"{y}\" width=\"52\" height=\"52\" rx=\"6\" fill=\"{}\" fill-opacity=\"{OPACITY}\"/>\
             <use href=\"#queen\" fill=\"{INK}\" transform=\"translate({} {}) scale(.44)\"/>",
            shade(queen.column),
            x + 4,
            y + 4
        );
        open_strokes(svg);
        let text = format!("{},{}", queen.column, queen.row);
        strokes(svg, &text, (x as f64 + 94.0, y as f64 + 26.0), 1.4);
        svg.push_str("</g></g>\n");
    }
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
