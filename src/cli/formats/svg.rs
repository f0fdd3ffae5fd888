//! Boards as SVG: one with coordinates and the lines of attack, or many with captions, on printable pages.

use queens::{Placement, Square};

use super::boards::is_dark;

const LIGHT: &str = "#eef2ef";
const DARK: &str = "#8fb0a9";
const INK: &str = "#15302d";
/// The colour of coordinates and captions.
const SOFT: &str = "#4c6460";

/// The colours of the queens' lines, distinct on light and dark squares.
const COLOURS: [&str; 8] = ["#e0532b", "#346ed6", "#ecb612", "#964abe", "#14965a", "#e862a0", "#80542c", "#3cbed2"];

/// The side of a square, and the width of the margin with the coordinates.
const SQUARE: usize = 100;
const MARGIN: usize = 56;

/// A board of n columns and rows with its queens.
pub(crate) fn board(n: usize, placed: &[Square]) -> String {
    let side = n * SQUARE + 2 * MARGIN;
    // With all queens placed every square is attacked.
    let attacks = if placed.len() < n { attacks(n, placed) } else { String::new() };
    let at: Vec<String> = placed.iter().map(|queen| format!("{},{}", queen.column, queen.row)).collect();
    let title = format!("N = {n}, queens: {}", if at.is_empty() { "none".to_owned() } else { at.join(" ") });
    let (squares, queens) = (squares(n), queens(placed));
    let board = format!("<g transform=\"translate({MARGIN} {MARGIN})\">\n{squares}{attacks}{queens}</g>\n");
    // As wide as a browser can print on one page; a picture scales.
    let shown = side.min(680);
    begin((side, side), (shown, shown), &title) + &board + &coordinates(n) + "</svg>\n"
}

/// The beginning of a picture: its size in its own units and in pixels, a title, and the queen that [`queens`] uses.
fn begin((width, height): (usize, usize), shown: (usize, usize), title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{}\" \
         height=\"{}\" role=\"img\">\n<title>{title}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n<defs><path id=\"queen\" d=\"{QUEEN}\"/></defs>\n",
        shown.0, shown.1
    )
}

/// The upper left corner of a square, relative to the board.
const fn corner(column: usize, row: usize) -> (usize, usize) {
    ((column - 1) * SQUARE, (row - 1) * SQUARE)
}

/// The squares, with a border.
fn squares(n: usize) -> String {
    let squares = (0..n * n).map(|index| (index % n + 1, index / n + 1));
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

fn queens(placed: &[Square]) -> String {
    let queen = |queen: &Square| {
        let (x, y) = corner(queen.column, queen.row);
        format!("<use href=\"#queen\" transform=\"translate({} {}) scale(.84)\"/>\n", x + 8, y + 8)
    };
    let queens: String = placed.iter().map(queen).collect();
    format!("<g fill=\"{INK}\" stroke=\"{INK}\" stroke-width=\"2\" stroke-linejoin=\"round\">\n{queens}</g>\n")
}

/// The row, column and diagonals of each queen as lines in its colour: the lines through a square show its attackers.
fn attacks(n: usize, placed: &[Square]) -> String {
    let board = n * SQUARE;
    let back = 2 * board;
    let lines = |queen: &Square| {
        let (x, y) = corner(queen.column, queen.row);
        let middle = format!("M{} {}", x + SQUARE / 2, y + SQUARE / 2);
        format!(
            "<path stroke=\"{}\" d=\"{middle}h{board}h-{back}{middle}v{board}v-{back}{middle}l{board} {board}l-{back} -{back}\
             {middle}l{board} -{board}l-{back} {back}\"><title>Attacked by the queen in {queen}</title></path>\n",
            COLOURS[(queen.column - 1) % COLOURS.len()]
        )
    };
    let lines: String = placed.iter().map(lines).collect();
    // A nested picture clips the lines at its edges.
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

/// A text of this font size, centred at a point.
fn text(text: &str, (x, y): (usize, usize), size: f64) -> String {
    let font = format!("font-family=\"sans-serif\" font-size=\"{size:.1}\" fill=\"{SOFT}\" text-anchor=\"middle\"");
    format!("<text x=\"{x}\" y=\"{y}\" dy=\".36em\" {font}>{text}</text>\n")
}

/// A page of a sheet: A4 at 96 pixels per inch, in whole pixels, so that browsers break between pages only.
const PAGE: (usize, usize) = (794, 1122);
/// The edge of a page, and the room below a board for its caption and a gap.
const EDGE: usize = 45;
const CAPTION: usize = 42;

/// Solutions of one size, numbered from `first`. Larger boards are fewer per page.
pub(crate) fn sheet(n: usize, first: u64, solutions: &[Placement]) -> String {
    let columns = match n {
        0..=10 => 4,
        11..=16 => 3,
        _ => 2,
    };
    let rows = columns + 1;
    let (across, down) = ((PAGE.0 - 2 * EDGE) / columns, (PAGE.1 - 2 * EDGE) / rows);
    let side = (across - 12).min(down - CAPTION);
    let board = |(index, solution): (usize, &Placement)| {
        let (page, row, column) = (index / columns / rows, index / columns % rows, index % columns);
        let (x, y) = (EDGE + column * across + (across - side) / 2, page * PAGE.1 + EDGE + row * down);
        let scale = side as f64 / (n.max(1) * SQUARE) as f64;
        let queens = queens(&solution.squares().collect::<Vec<_>>());
        let caption = format!("{}: {solution}", first + index as u64);
        // Smaller letters for long captions; a letter is at most two thirds of its size wide.
        let size = (1.5 * side as f64 / caption.chars().count() as f64).min(12.0);
        let caption = text(&caption, (x + side / 2, y + side + 14), size);
        format!("<g transform=\"translate({x} {y}) scale({scale:.4})\"><use href=\"#board\"/>\n{queens}</g>\n{caption}")
    };
    let pages = solutions.len().div_ceil(columns * rows).max(1);
    let drawn: String = solutions.iter().enumerate().map(board).collect();
    let style = format!("<style>@page {{ size: {}px {}px; margin: 0 }}</style>\n", PAGE.0, PAGE.1);
    let squares = format!("<defs><g id=\"board\">\n{}</g></defs>\n", squares(n));
    let title = format!("Solutions, N = {n}");
    let size = (PAGE.0, pages * PAGE.1);
    begin(size, size, &title) + &style + &squares + &drawn + "</svg>\n"
}

/// A queen in a box of 100×100: a crown with five balls, on two bands.
pub(crate) const QUEEN: &str = "M13 38 28 68H72L87 38 68 56 69.5 29 57.5 54 50 25 42.5 54 30.5 29 32 56Z \
    M28 72.5H72V78H28ZM23 82.5H77V89H23Z \
    M6.8 36a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z \
    M24.8 26a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z \
    M44.8 22a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z \
    M64.8 26a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z \
    M82.8 36a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0z";
