//! Boards as SVG: one with its coordinates and the lines on which each queen of a partial placement attacks, or a sheet of
//! many, each with a caption.

use queens::{FixedQueens, Placement, Square};

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
pub(crate) fn svg(fixed: &FixedQueens) -> String {
    let n = fixed.size().get();
    let side = n * SQUARE + 2 * MARGIN;
    // With all queens placed every square is attacked, and there is nothing left to decide.
    let attacks = if fixed.is_solution() { String::new() } else { attacks(fixed) };
    let board = squares(n) + &attacks + &queens(fixed);
    let board = group(&format!("transform=\"translate({MARGIN} {MARGIN})\""), &board);
    begin((side, side), &title(fixed)) + &board + &coordinates(n) + "</svg>\n"
}

fn title(fixed: &FixedQueens) -> String {
    let n = fixed.size();
    let board = format!("{} {n}×{n} board", article(n.get()));
    match fixed.len() {
        0 => format!("An empty {n}×{n} board"),
        _ if fixed.is_solution() => format!("Solution {fixed} on {board}"),
        1 => format!("1 queen, {fixed}, on {board}, with the lines on which it attacks"),
        queens => format!("{queens} queens, {fixed}, on {board}, with the lines on which they attack"),
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

fn queens(fixed: &FixedQueens) -> String {
    let queen = |queen: Square| {
        let (x, y) = corner(queen.column, queen.row);
        format!("<use href=\"#queen\" transform=\"translate({} {}) scale(.84)\"/>\n", x + 8, y + 8)
    };
    let ink = format!("fill=\"{INK}\" stroke=\"{INK}\" stroke-width=\"2\" stroke-linejoin=\"round\"");
    group(&ink, &fixed.squares().map(queen).collect::<String>())
}

/// The row, the column and the diagonals of each queen as lines in a colour of their own: through a square go the lines of
/// the queens that attack it, and through a free one none.
fn attacks(fixed: &FixedQueens) -> String {
    let board = fixed.size().get() * SQUARE;
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
    let lines: String = fixed.squares().map(lines).collect();
    // A picture within the picture shows nothing beyond its edges.
    format!("<svg width=\"{board}\" height=\"{board}\" fill=\"none\" stroke-width=\"9\">\n{lines}</svg>\n")
}

/// Column numbers below and above, row numbers left and right.
fn coordinates(n: usize) -> String {
    let (near, far) = (MARGIN / 2, n * SQUARE + MARGIN + MARGIN / 2);
    let number = |index: usize| {
        let middle = MARGIN + (index - 1) * SQUARE + SQUARE / 2;
        let places = [(middle, near), (middle, far), (near, middle), (far, middle)];
        places.map(|place| text(&index.to_string(), place, 32.0)).concat()
    };
    (1..=n).map(number).collect()
}

/// A text of letters of this size with its middle at a point.
fn text(text: &str, (x, y): (usize, usize), size: f64) -> String {
    let font = format!("font-family=\"sans-serif\" font-size=\"{size:.1}\" fill=\"{SOFT}\" text-anchor=\"middle\"");
    format!("<text x=\"{x}\" y=\"{y}\" dy=\".36em\" {font}>{text}</text>\n")
}

/// Between the boards of a sheet and around them, in units of the picture, and the side of a board.
const GAP: usize = 40;
const BOARD: usize = 400;
/// The line below a board.
const CAPTION: usize = 44;

/// Boards of one size with their captions, in rows, in a sheet that is as nearly square as can be. Below them is a note, if
/// there is any.
pub(crate) fn sheet(boards: &[(Placement, String)], title: &str, note: &str) -> String {
    let columns = (boards.len() as f64).sqrt().ceil().max(1.0) as usize;
    let lines = boards.len().div_ceil(columns).max(1);
    let extent = |count: usize, each: usize| count * (each + GAP) + GAP;
    let (width, height) = (extent(columns, BOARD), extent(lines, BOARD + CAPTION));
    let (title, below, note) = if note.is_empty() {
        (title.to_owned(), 0, String::new())
    } else {
        let place = (width / 2, height + CAPTION / 2);
        (format!("{title}: {note}"), CAPTION + GAP, text(note, place, 44.0))
    };
    let board = |(index, (placement, caption)): (usize, &(Placement, String))| {
        let n = placement.size().get();
        let (x, y) = (GAP + index % columns * (BOARD + GAP), GAP + index / columns * (BOARD + CAPTION + GAP));
        let scale = BOARD as f64 / (n.max(1) * SQUARE) as f64;
        let board = squares(n) + &queens(&(*placement).into());
        // Long captions get smaller letters, which are hardly wider than two thirds of their size.
        let size = (1.5 * BOARD as f64 / caption.chars().count() as f64).min(28.0);
        let caption = text(caption, (x + BOARD / 2, y + BOARD + CAPTION / 2 + 6), size);
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
