//! Boards as text and, in `svg.rs`, as pictures.

pub(crate) mod svg;

use std::fmt::Write;

use anstyle::{Ansi256Color, Style};
use queens::{FixedQueens, Square};

/// Whether a queen is on a square; columns and rows count from 1, here and below.
pub(crate) fn has_queen(queens: &FixedQueens, column: usize, row: usize) -> bool {
    queens.row(column) == Some(row)
}

/// The columns of the queens that attack a square without a queen.
pub(crate) fn attackers(queens: &FixedQueens, column: usize, row: usize) -> impl Iterator<Item = usize> + '_ {
    queens.squares().filter_map(move |queen| {
        let (across, down) = (queen.column.abs_diff(column), queen.row.abs_diff(row));
        (across == 0 || down == 0 || across == down).then_some(queen.column)
    })
}

/// Whether a square is a dark one; as on a chessboard the lower left one is.
pub(crate) const fn is_dark(n: usize, column: usize, row: usize) -> bool {
    (column + n - row) % 2 == 1
}

/// The characters and colours that a board is drawn with, the plainest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Palette {
    /// `Q` and `.`.
    Ascii,
    /// Squares told apart by shading characters.
    Unicode,
    /// By background colours.
    Colour,
}

impl Palette {
    /// The best that stdout can show, or ASCII where that is asked for.
    pub(crate) fn of_stdout(plain: bool) -> Self {
        // `TERM=linux` is a console with few characters.
        let few = std::env::var("TERM").is_ok_and(|term| term == "dumb" || term == "linux");
        if plain || few {
            Self::Ascii
        } else if anstream::AutoStream::choice(&std::io::stdout()) == anstream::ColorChoice::Never {
            Self::Unicode
        } else {
            Self::Colour
        }
    }
}

/// A square as a terminal shows it.
pub(crate) struct Cell {
    /// The character around its middle, and the one in its middle.
    pub(crate) fill: char,
    pub(crate) mark: char,
    /// One of the 256 colours that terminals have; none without colour.
    pub(crate) background: Option<u8>,
}

/// Of queens and letters.
pub(crate) const FOREGROUND: u8 = 16;

impl Cell {
    pub(crate) fn new(palette: Palette, queens: &FixedQueens, column: usize, row: usize) -> Self {
        let dark = is_dark(queens.size().get(), column, row);
        let fill = if palette == Palette::Unicode && dark { '░' } else { ' ' };
        // With all queens placed every square is attacked, and there is nothing left to decide.
        let attacker = if queens.is_solution() { None } else { attackers(queens, column, row).next() };
        let mark = match (has_queen(queens, column, row), attacker) {
            (true, _) if palette == Palette::Ascii => 'Q',
            (true, _) => '♛',
            (false, Some(attacker)) => letter(attacker),
            (false, None) if palette == Palette::Ascii => '.',
            (false, None) => fill,
        };
        let background = (palette == Palette::Colour).then_some(if dark { 109 } else { 255 });
        Self { fill, mark, background }
    }
}

/// The letter on the squares that the queen of a column is the first to attack.
fn letter(column: usize) -> char {
    char::from(if column <= 26 { b'a' + column as u8 - 1 } else { b'A' + column as u8 - 27 })
}

/// The columns of the terminal that a square takes where there is room, so that it looks like a square.
const WIDTH: usize = 3;

/// The rows of the board from the top, with squares of this width.
fn rows(queens: &FixedQueens, palette: Palette, width: usize) -> impl Iterator<Item = String> + '_ {
    let side = 1..=queens.size().get();
    let square = move |column, row| square(&Cell::new(palette, queens, column, row), width);
    side.clone().map(move |row| side.clone().map(|column| square(column, row)).collect::<String>())
}

/// The squares alone, as in `. Q . .`, a row a line.
pub(crate) fn matrix(queens: &FixedQueens) -> String {
    rows(queens, Palette::Ascii, 2).map(|row| row.trim_end().to_owned() + "\n").collect()
}

/// The board, with row numbers at the left and column numbers below, and below the board, unless it is a solution, the legend.
/// If it is wider than `room`, its squares are narrower, and not every column is numbered.
pub(crate) fn board(queens: &FixedQueens, palette: Palette, room: usize) -> String {
    let n = queens.size().get();
    let (left, right, margin) = if palette == Palette::Unicode { ("│", "│", "    ") } else { ("", "", "   ") };
    let around = 3 + left.chars().count() + right.chars().count();
    let width = (room.saturating_sub(around) / n.max(1)).clamp(1, WIDTH);
    let edge = |left, right| format!("   {left}{}{right}\n", "─".repeat(width * n));
    let mut text = if palette == Palette::Unicode { edge('┌', '┐') } else { String::new() };
    for (row, line) in (1..).zip(rows(queens, palette, width)) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", format!("{row:2} {left}{line}{right}").trim_end());
    }
    if palette == Palette::Unicode {
        text += &edge('└', '┘');
    }
    // A number has two digits and a space.
    let each = 3_usize.div_ceil(width);
    let number = |column| if width == WIDTH { format!("{column:^3}") } else { format!("{column:<0$}", each * width) };
    let numbers: String = (1..=n).step_by(each).map(number).collect();
    text += format!("{margin}{numbers}").trim_end();
    text.push('\n');
    if !queens.is_solution() && !queens.is_empty() {
        text += &legend(queens, width * n);
    }
    text
}

/// What each letter means, in lines about as wide as the board.
fn legend(queens: &FixedQueens, width: usize) -> String {
    /// Of an entry with the space behind it, as in `a 10,12`.
    const ENTRY: usize = 9;
    let mut text = "Attacked by the queen in column,row:\n".to_owned();
    for line in queens.squares().collect::<Vec<_>>().chunks((width / ENTRY).max(1)) {
        let entry =
            |queen: &Square| format!("{} {:6}", letter(queen.column), format!("{},{}", queen.column, queen.row));
        let _ = writeln!(text, "   {}", line.iter().map(entry).collect::<Vec<_>>().join(" ").trim_end());
    }
    text
}

/// A square, as wide as this.
fn square(cell: &Cell, width: usize) -> String {
    let middle = (width - 1) / 2;
    let text: String = (0..width).map(|column| if column == middle { cell.mark } else { cell.fill }).collect();
    let Some(background) = cell.background else { return text };
    let colour = |index| Some(Ansi256Color(index).into());
    let style = Style::new().bg_color(colour(background)).fg_color(colour(FOREGROUND));
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::{Placement, Size};

    #[test]
    fn squares_know_who_attacks_them() {
        let placement = Placement::parse("24", Size::new(4).unwrap()).unwrap().into();
        let by = |column, row| attackers(&placement, column, row).collect::<Vec<_>>();
        assert!(has_queen(&placement, 1, 2) && !has_queen(&placement, 2, 1));
        assert_eq!([by(2, 1), by(4, 4), by(3, 1), by(3, 4)], [vec![1, 2], vec![2], vec![], vec![1, 2]]);
    }

    #[test]
    fn the_lower_left_square_is_dark() {
        assert!(is_dark(8, 1, 8) && is_dark(5, 1, 5));
        assert!(!is_dark(8, 8, 8) && !is_dark(8, 1, 1));
        assert!(is_dark(5, 1, 1));
    }

    /// An attacked square names the first queen that attacks it, in colour too.
    #[test]
    fn attacked_squares_name_a_queen() {
        let placement = Placement::parse("158", Size::new(8).unwrap()).unwrap().into();
        let shown = |column, row| square(&Cell::new(Palette::Colour, &placement, column, row), WIDTH);
        let painted = |text, background| format!("\u{1b}[38;5;16m\u{1b}[48;5;{background}m{text}\u{1b}[0m");
        assert_eq!([shown(2, 5), shown(4, 2)], [painted(" ♛ ", 109), painted("   ", 255)]);
        assert_eq!(
            [shown(8, 1), shown(6, 5), shown(3, 2)],
            [(" a ", 109), (" b ", 109), (" c ", 109)].map(|(text, at)| painted(text, at))
        );
    }

    /// A board that is too wide for the terminal has narrower squares, down to one column each.
    #[test]
    fn wide_boards_are_made_narrow() {
        let placement = Placement::parse_alone("1,3,5,2,4").unwrap().into();
        let board = |palette, room| board(&placement, palette, room);
        assert!(board(Palette::Ascii, 18).starts_with(" 1  Q  .  .  .  .\n"));
        assert_eq!(board(Palette::Ascii, 18), board(Palette::Ascii, usize::MAX));
        let narrow = " 1 Q . . . .\n 2 . . . Q .\n 3 . Q . . .\n 4 . . . . Q\n 5 . . Q . .\n   1   3   5\n";
        assert_eq!([17, 13].map(|room| board(Palette::Ascii, room)), [narrow; 2]);
        let narrowest = " 1 Q....\n 2 ...Q.\n 3 .Q...\n 4 ....Q\n 5 ..Q..\n   1  4\n";
        assert_eq!([12, 8, 0].map(|room| board(Palette::Ascii, room)), [narrowest; 3]);
        for (room, width) in [(20, 3), (19, 2), (15, 2), (14, 1)] {
            let edge = format!("   ┌{}┐", "─".repeat(5 * width));
            assert_eq!(board(Palette::Unicode, room).lines().next(), Some(&*edge), "{room}");
        }
    }
}
