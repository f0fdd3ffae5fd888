//! Many boards in one picture, each with a caption.

use std::fmt::Write;

use queens::Placement;

use super::glyphs::strokes;
use super::svg::{SQUARE, begin, frame, open_strokes, queens, squares};

/// Between the boards and around them, in units of the picture, and the side of a board.
const GAP: usize = 40;
const BOARD: usize = 400;
/// The line below a board.
const CAPTION: usize = 44;

/// A board and what is written below it, in the characters of [`strokes`].
pub(crate) struct CaptionedBoard {
    pub(crate) placement: Placement,
    pub(crate) caption: String,
}

/// Boards of one size in rows, in a sheet that is as nearly square as can be. Below them is a note, if there is any, in
/// the characters of [`strokes`].
pub(crate) fn sheet(boards: &[CaptionedBoard], title: &str, note: &str) -> String {
    let columns = (boards.len() as f64).sqrt().ceil().max(1.0) as usize;
    let lines = boards.len().div_ceil(columns).max(1);
    let extent = |count: usize, each: usize| count * (each + GAP) + GAP;
    // A browser shows and prints it on one page.
    let one_page = "style=\"max-width:100%;max-height:100vh\" role=";
    let (width, height) = (extent(columns, BOARD), extent(lines, BOARD + CAPTION));
    let below = if note.is_empty() { 0 } else { CAPTION + GAP };
    let title = if note.is_empty() { title.to_owned() } else { format!("{title}: {note}") };
    let svg = begin((width, height + below), &title);
    let mut svg = svg.replacen("role=", one_page, 1);
    // Writing to a string cannot fail.
    for (index, board) in boards.iter().enumerate() {
        let CaptionedBoard { placement, caption } = board;
        let n = placement.size().get();
        let (x, y) = (GAP + index % columns * (BOARD + GAP), GAP + index / columns * (BOARD + CAPTION + GAP));
        let scale = BOARD as f64 / (n.max(1) * SQUARE) as f64;
        let _ = writeln!(svg, "<g transform=\"translate({x} {y}) scale({scale:.4})\"><title>{placement}</title>");
        squares(&mut svg, n);
        frame(&mut svg, n);
        queens(&mut svg, placement);
        svg.push_str("</g>\n");
        open_strokes(&mut svg);
        // Long captions get smaller letters; 15 units a letter are their width at most.
        let scale = (BOARD as f64 / (caption.chars().count() as f64 * 15.0)).min(1.3);
        strokes(&mut svg, caption, ((x + BOARD / 2) as f64, (y + BOARD + CAPTION / 2 + 6) as f64), scale);
        svg.push_str("</g>\n");
    }
    if !note.is_empty() {
        open_strokes(&mut svg);
        strokes(&mut svg, note, (width as f64 / 2.0, (height + CAPTION / 2) as f64), 2.0);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}
