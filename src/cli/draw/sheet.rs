//! Many boards in one picture, each with its number or whatever else its caption says.

use std::fmt::Write;

use queens::Placement;

use super::glyphs::strokes;
use super::svg::{SQUARE, frame, open_strokes, queen_symbol, queens, squares};

/// Between the boards and around them, in units of the picture, and the side of a board.
const GAP: f64 = 40.0;
const BOARD: f64 = 400.0;
/// The line below a board.
const CAPTION: f64 = 44.0;

/// A board and the digits below it.
pub(crate) struct Entry {
    pub(crate) placement: Placement,
    pub(crate) caption: String,
}

/// The boards of one size in rows, as nearly a square as they make.
pub(crate) fn sheet(entries: &[Entry], title: &str) -> String {
    let columns = (entries.len() as f64).sqrt().ceil().max(1.0) as usize;
    let lines = entries.len().div_ceil(columns).max(1);
    let extent = |count: usize, each: f64| count as f64 * (each + GAP) + GAP;
    let (width, height) = (extent(columns, BOARD), extent(lines, BOARD + CAPTION));
    let mut svg = String::new();
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<title>{title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"24\" fill=\"#fff\"/>"
    );
    queen_symbol(&mut svg);
    for (index, entry) in entries.iter().enumerate() {
        let n = entry.placement.size().get();
        let (x, y) =
            (GAP + (index % columns) as f64 * (BOARD + GAP), GAP + (index / columns) as f64 * (BOARD + CAPTION + GAP));
        let scale = BOARD / (n.max(1) * SQUARE) as f64;
        let _ =
            writeln!(svg, "<g transform=\"translate({x} {y}) scale({scale:.4})\"><title>{}</title>", entry.placement);
        squares(&mut svg, n);
        frame(&mut svg, n);
        queens(&mut svg, &entry.placement);
        svg.push_str("</g>\n");
        open_strokes(&mut svg);
        // Long captions get smaller letters; 15 units a letter are their width at most.
        let size = (BOARD / (entry.caption.chars().count() as f64 * 15.0)).min(1.3);
        strokes(&mut svg, &entry.caption, (x + BOARD / 2.0, y + BOARD + CAPTION / 2.0 + 6.0), size);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}
