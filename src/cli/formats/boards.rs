//! Boards as text: a drawing for people, with the attacked squares, and a matrix for programs.

use std::fmt::Write;

use anstyle::{Ansi256Color, Style};
use queens::{Placement, Square};

/// Whether a square is dark, as the lower left one of a chessboard is.
pub(crate) const fn is_dark(n: usize, column: usize, row: usize) -> bool {
    (column + n - row) % 2 == 1
}

/// A numbered solution and its squares, as in `. Q . .`.
pub(crate) fn write(text: &mut String, number: u64, solution: &Placement) {
    let _ = writeln!(text, "{number}: {solution}");
    for row in 1..=solution.len() {
        let squares: String = solution.rows().map(|at| if at == row { " Q" } else { " ." }).collect();
        let _ = writeln!(text, "{}", squares.trim_start());
    }
    text.push('\n');
}

/// A board of n columns and rows with its queens, at most 80 columns wide, with numbers of rows and columns. Unless all
/// queens are placed, a letter marks each attacked square, and a line explains the letters.
pub(crate) fn board(n: usize, queens: &[Square], is_coloured: bool) -> String {
    // Three columns of a terminal make a square look square.
    let width = if n <= 25 { 3 } else { 2 };
    let (side, margin) = if is_coloured { ("", "   ") } else { ("│", "    ") };
    let edge = |left, right| {
        if is_coloured { String::new() } else { format!("   {left}{}{right}\n", "─".repeat(width * n)) }
    };
    let mut text = edge('┌', '┐');
    for row in 1..=n {
        let squares: String =
            (1..=n).map(|column| square(n, queens, is_coloured, width, Square { column, row })).collect();
        let _ = writeln!(text, "{}", format!("{row:2} {side}{squares}{side}").trim_end());
    }
    text += &edge('└', '┘');
    // Narrow squares have room for every other number only.
    let number = |column: usize| match column % 2 {
        _ if width == 3 => format!("{column:^3}"),
        1 => format!("{column:<4}"),
        _ => String::new(),
    };
    let numbers: String = (1..=n).map(number).collect();
    text += format!("{margin}{numbers}").trim_end();
    text.push('\n');
    if !queens.is_empty() && queens.len() < n {
        text += "Letters give the column of the square's first attacker: a = 1.\n";
    }
    text
}

fn square(n: usize, queens: &[Square], is_coloured: bool, width: usize, square: Square) -> String {
    let dark = is_dark(n, square.column, square.row);
    let fill = if dark && !is_coloured { '░' } else { ' ' };
    // With all queens placed every square is attacked.
    let attacker = queens.iter().find(|queen| queens.len() < n && queen.check_apart(square).is_err());
    let mark = match attacker {
        _ if queens.contains(&square) => '♛',
        // `a` to `z`, then `A` to `F`.
        Some(queen) if queen.column <= 26 => char::from(b'a' + queen.column as u8 - 1),
        Some(queen) => char::from(b'A' + queen.column as u8 - 27),
        None => fill,
    };
    let text: String = (0..width).map(|place| if place == (width - 1) / 2 { mark } else { fill }).collect();
    if !is_coloured {
        return text;
    }
    let colour = |index| Some(Ansi256Color(index).into());
    let style = Style::new().bg_color(colour(if dark { 109 } else { 255 })).fg_color(colour(16));
    format!("{style}{text}{style:#}")
}
