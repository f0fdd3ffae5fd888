//! Boards as SVG: one with its coordinates and the lines on which each queen of a partial placement attacks, or a sheet of
//! many, each with a caption.
//!
//! Everything is drawn as a path, digits too, so it looks the same where no font is installed.

use std::fmt::Write;

use queens::{Placement, Square};

use super::is_dark;

pub(crate) const LIGHT: &str = "#eef2ef";
pub(crate) const DARK: &str = "#8fb0a9";
pub(crate) const INK: &str = "#15302d";
/// Of coordinates and captions.
const SOFT: &str = "#4c6460";

/// Of the lines of each queen, which can be told apart on light and dark squares.
const COLOURS: [&str; 8] = ["#e0532b", "#346ed6", "#ecb612", "#964abe", "#14965a", "#e862a0", "#80542c", "#3cbed2"];

/// Side of a square, and width of the margin, which has the coordinates.
const SQUARE: usize = 100;
const MARGIN: usize = 56;

/// The picture, with a title for screen readers.
pub(crate) fn svg(placement: &Placement) -> String {
    let n = placement.size().get();
    let side = n * SQUARE + 2 * MARGIN;
    // With all queens placed every square is attacked, and there is nothing left to decide.
    let attacks = if placement.is_solution() { String::new() } else { attacks(placement) };
    let board = squares(n) + &attacks + &queens(placement);
    let board = group(&format!("transform=\"translate({MARGIN} {MARGIN})\""), &board);
    begin((side, side), &title(placement)) + &board + &coordinates(n) + "</svg>\n"
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

/// The article of a number as it is spoken: an 8×8 board, a 9×9 board.
const fn article(number: usize) -> &'static str {
    if matches!(number, 8 | 11 | 18) { "an" } else { "a" }
}

/// The beginning of a picture: white paper, a title for screen readers, and the queen that [`queens`] refers to.
fn begin((width, height): (usize, usize), title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<title>{title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"24\" fill=\"#fff\"/>\n\
         <defs><path id=\"queen\" d=\"{QUEEN}\"/></defs>\n"
    )
}

fn group(attributes: &str, elements: &str) -> String {
    format!("<g {attributes}>\n{elements}</g>\n")
}

/// The upper left corner of a square, from the board's own.
const fn corner(column: usize, row: usize) -> (usize, usize) {
    ((column - 1) * SQUARE, (row - 1) * SQUARE)
}

/// The squares, and a line around them.
fn squares(n: usize) -> String {
    let squares = (1..=n).flat_map(|row| (1..=n).map(move |column| (column, row)));
    let path = |(column, row)| {
        let (x, y) = corner(column, row);
        format!("M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z")
    };
    let dark: String = squares.filter(|&(column, row)| is_dark(n, column, row)).map(path).collect();
    let board = n * SQUARE;
    format!(
        "<rect width=\"{board}\" height=\"{board}\" fill=\"{LIGHT}\"/>\n<path fill=\"{DARK}\" d=\"{dark}\"/>\n\
         <rect width=\"{board}\" height=\"{board}\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"3\"/>\n"
    )
}

fn queens(placement: &Placement) -> String {
    let queen = |queen: Square| {
        let (x, y) = corner(queen.column, queen.row);
        format!("<use href=\"#queen\" transform=\"translate({} {}) scale(.84)\"/>\n", x + 8, y + 8)
    };
    let ink = format!("fill=\"{INK}\" stroke=\"{INK}\" stroke-width=\"2\" stroke-linejoin=\"round\"");
    group(&ink, &placement.squares().map(queen).collect::<String>())
}

/// The row, the column and the diagonals of each queen as lines in a colour of their own: through a square go the lines of
/// the queens that attack it, and through a free one none.
fn attacks(placement: &Placement) -> String {
    let board = placement.size().get() * SQUARE;
    let back = 2 * board;
    let lines = |queen: Square| {
        let (x, y) = corner(queen.column, queen.row);
        let middle = format!("M{} {}", x + SQUARE / 2, y + SQUARE / 2);
        format!(
            "<path stroke=\"{}\" d=\"{middle}h{board}h-{back}{middle}v{board}v-{back}{middle}l{board} {board}l-{back} -{back}\
             {middle}l{board} -{board}l-{back} {back}\"><title>Attacked by the queen in {queen}</title></path>\n",
            COLOURS[(queen.column - 1) % COLOURS.len()]
        )
    };
    let lines: String = placement.squares().map(lines).collect();
    // A picture within the picture shows nothing beyond its edges.
    format!("<svg width=\"{board}\" height=\"{board}\" fill=\"none\" stroke-width=\"9\">\n{lines}</svg>\n")
}

/// Column numbers below and above, row numbers left and right.
fn coordinates(n: usize) -> String {
    let (near, far) = (MARGIN / 2, n * SQUARE + MARGIN + MARGIN / 2);
    let number = |index: usize| {
        let middle = MARGIN + (index - 1) * SQUARE + SQUARE / 2;
        let places = [(middle, near), (middle, far), (near, middle), (far, middle)];
        places.map(|place| strokes(&index.to_string(), place, 1.4)).concat()
    };
    letters(&(1..=n).map(number).collect::<String>())
}

/// A group of [`strokes`].
fn letters(strokes: &str) -> String {
    let ends = "stroke-linecap=\"round\" stroke-linejoin=\"round\"";
    group(&format!("fill=\"none\" stroke=\"{SOFT}\" stroke-width=\"2.4\" {ends}"), strokes)
}

/// Between the boards of a sheet and around them, in units of the picture, and the side of a board.
const GAP: usize = 40;
const BOARD: usize = 400;
/// The line below a board.
const CAPTION: usize = 44;

/// Boards of one size with their captions, in rows, in a sheet that is as nearly square as can be. Below them is a note, if
/// there is any. Captions and note are in the characters of [`LETTERS`].
pub(crate) fn sheet(boards: &[(Placement, String)], title: &str, note: &str) -> String {
    let columns = (boards.len() as f64).sqrt().ceil().max(1.0) as usize;
    let lines = boards.len().div_ceil(columns).max(1);
    let extent = |count: usize, each: usize| count * (each + GAP) + GAP;
    let (width, height) = (extent(columns, BOARD), extent(lines, BOARD + CAPTION));
    let (title, below, note) = if note.is_empty() {
        (title.to_owned(), 0, String::new())
    } else {
        let place = (width / 2, height + CAPTION / 2);
        (format!("{title}: {note}"), CAPTION + GAP, letters(&strokes(note, place, 2.0)))
    };
    let board = |(index, (placement, caption)): (usize, &(Placement, String))| {
        let n = placement.size().get();
        let (x, y) = (GAP + index % columns * (BOARD + GAP), GAP + index / columns * (BOARD + CAPTION + GAP));
        let scale = BOARD as f64 / (n.max(1) * SQUARE) as f64;
        let board = squares(n) + &queens(placement);
        // Long captions get smaller letters; 15 units a letter are their width at most.
        let size = (BOARD as f64 / (caption.chars().count() as f64 * 15.0)).min(1.3);
        let caption = letters(&strokes(caption, (x + BOARD / 2, y + BOARD + CAPTION / 2 + 6), size));
        format!(
            "<g transform=\"translate({x} {y}) scale({scale:.4})\"><title>{placement}</title>\n{board}</g>\n{caption}"
        )
    };
    let boards: String = boards.iter().enumerate().map(board).collect();
    // A browser shows and prints it on one page.
    let one_page = "style=\"max-width:100%;max-height:100vh\" role=";
    begin((width, height + below), &title).replacen("role=", one_page, 1) + &boards + &note + "</svg>\n"
}

/// A queen in a box of 100×100: a crown with five balls, on two bands.
pub(crate) const QUEEN: &str = "M13 38 28 68H72L87 38 68 56 69.5 29 57.5 54 50 25 42.5 54 30.5 29 32 56Z \
    M28 72.5H72V78H28ZM23 82.5H77V89H23Z \
    M6.8 36a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z \
    M24.8 26a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z \
    M44.8 22a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z \
    M64.8 26a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z \
    M82.8 36a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z";

/// What coordinates and captions are written with: digits, the comma between the rows of a placement, the × before the size
/// of a class, and what says that a sheet has `100 of 14200` or `100 ...` boards.
const LETTERS: &str = "0123456789,×of.";

/// These letters as strokes in boxes 10 wide and 16 high.
const STROKES: [&str; 15] = [
    "M5 0C1.600 0 .3 3.500 .3 8S1.600 16 5 16 9.700 12.500 9.700 8 8.400 0 5 0Z",
    "M1.500 3.300 6 0V16",
    "M.600 4.300C.600 1.700 2.400 0 5 0s4.400 1.700 4.400 4.200C9.400 7.500 1 11.500 .4 16H9.700",
    "M.8 0H9.200L4.600 6.200C7.700 6.200 9.700 8.200 9.700 11S7.700 16 4.900 16C2.500 16 .700 14.700 .2 12.600",
    "M7.400 16V0L.2 11.600H9.900",
    "M8.900 0H1.700L1 7.300C2 6.200 3.400 5.700 4.900 5.700 7.700 5.700 9.700 7.800 9.700 10.800S7.700 16 4.800 16C2.500 16 .700 14.800 .2 12.800",
    "M8 0C4.200 2.200 .3 6.200 .3 11 .3 14 2.200 16 5 16S9.700 13.900 9.700 11 7.700 6.200 5 6.200 .9 8.100 .4 10.300",
    "M.4 0H9.700L3.700 16",
    "M5 7.400C2.500 7.400 1 5.900 1 3.700S2.600 0 5 0 9 1.500 9 3.700 7.500 7.400 5 7.400ZM5 7.400C2.200 7.400 .3 9.200 .3 11.700S2.200 16 5 16 9.700 14.200 9.700 11.700 7.800 7.400 5 7.400Z",
    "M2 16C5.800 13.800 9.700 9.800 9.700 5 9.700 2 7.800 0 5 0S.3 2.100 .3 5 2.300 9.800 5 9.800 9.100 7.900 9.600 5.700",
    "M4 13.500C4 16.500 3.200 17.800 2 19",
    "M1.500 5 8.500 12M8.500 5 1.500 12",
    "M5 6C2 6 .8 8.300 .8 11S2 16 5 16 9.200 13.700 9.200 11 8 6 5 6Z",
    "M8.500 .5C5.500 -.5 4.500 1.500 4.500 3.500V16M1.500 6.500H7.500",
    "M5 15.500V16",
];

/// The distance from one character to the next.
const ADVANCE: f64 = 15.0;

/// The strokes of a text of [`LETTERS`] and spaces, with the middle of it at a point.
fn strokes(text: &str, (x, y): (usize, usize), scale: f64) -> String {
    let advance = |letter: char| if matches!(letter, ',' | '.' | ' ') { 0.6 * ADVANCE } else { ADVANCE };
    let width: f64 = text.chars().map(advance).sum::<f64>() - 5.0;
    let (mut left, top) = (x as f64 - scale * width / 2.0, y as f64 - scale * 8.0);
    let mut strokes = String::new();
    for letter in text.chars() {
        if let Some(path) = LETTERS.chars().zip(STROKES).find(|(other, _)| *other == letter).map(|(_, path)| path) {
            // Writing to a string cannot fail.
            let _ =
                writeln!(strokes, "<path transform=\"translate({left:.1} {top:.1}) scale({scale})\" d=\"{path}\"/>");
        }
        left += scale * advance(letter);
    }
    strokes
}
