//! A board in the terminal: coloured squares, Unicode shades where there is no colour, ASCII where few characters are known.

use std::fmt::Write;

use anstyle::{Ansi256Color, Style};
use queens::Placement;

use super::shades::attacked;
use super::{SquareState, attackers, is_dark};

/// How a board is drawn, by what the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Squares told apart by background colours.
    Colour,
    /// By shading characters.
    Unicode,
    /// `Q` and `.`.
    Ascii,
}

impl Look {
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
    /// What fills it around its middle, and what is in its middle.
    pub(crate) fill: char,
    pub(crate) mark: char,
    /// Backgrounds from left to right, as wide as each other, in the 256 colours that terminals have; none without colour.
    pub(crate) backgrounds: Vec<u8>,
}

/// Of queens and letters.
pub(crate) const FOREGROUND: u8 = 16;

impl Cell {
    pub(crate) fn new(look: Look, placement: &Placement, column: usize, row: usize) -> Self {
        let dark = is_dark(placement.size().get(), column, row);
        let state = SquareState::of(placement, column, row);
        let fill = if look == Look::Unicode && dark { '░' } else { ' ' };
        let mark = match state {
            SquareState::Queen if look == Look::Ascii => 'Q',
            SquareState::Queen => '♛',
            SquareState::Attacked(attacker) if look != Look::Colour => letter(attacker),
            SquareState::Free if look == Look::Ascii => '.',
            SquareState::Free | SquareState::Attacked(_) => fill,
        };
        let backgrounds = match state {
            _ if look != Look::Colour => Vec::new(),
            // As in a picture: her own colour, or a stripe for each that attacks it.
            SquareState::Queen if !placement.is_solution() => vec![attacked(column, dark)],
            SquareState::Attacked(_) => {
                attackers(placement, column, row).map(|attacker| attacked(attacker, dark)).collect()
            }
            _ => vec![if dark { 109 } else { 255 }],
        };
        Self { fill, mark, backgrounds }
    }

    /// The background of one of so many columns, or halves of columns, of the square.
    pub(crate) fn background(&self, column: usize, of: usize) -> Option<u8> {
        self.backgrounds.get(column * self.backgrounds.len() / of).copied()
    }
}

/// What marks the squares that the queen of a column is the first to attack, where there are no colours.
fn letter(column: usize) -> char {
    char::from(if column <= 26 { b'a' + column as u8 - 1 } else { b'A' + column as u8 - 27 })
}

/// The columns of the terminal that a square takes where there is room, so that it looks like a square.
const WIDTH: usize = 3;

/// The board, with row numbers at the left and column numbers below, and of a partial placement the legend. If it is
/// wider than `room`, its squares are narrower, and not every column is numbered.
pub(crate) fn board(placement: &Placement, look: Look, room: usize) -> String {
    let n = placement.size().get();
    let (left, right, margin) = if look == Look::Unicode { ("│", "│", "    ") } else { ("", "", "   ") };
    let around = 3 + left.chars().count() + right.chars().count();
    let width = (room.saturating_sub(around) / n.max(1)).clamp(1, WIDTH);
    let edge = |left, right| format!("   {left}{}{right}\n", "─".repeat(width * n));
    let mut text = if look == Look::Unicode { edge('┌', '┐') } else { String::new() };
    for row in 1..=n {
        let line: String = (1..=n).map(|column| square(&Cell::new(look, placement, column, row), width)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", format!("{row:2} {left}{line}{right}").trim_end());
    }
    if look == Look::Unicode {
        text += &edge('└', '┘');
    }
    // A number has two digits and a space.
    let each = 3_usize.div_ceil(width);
    let number = |column| if width == WIDTH { format!("{column:^3}") } else { format!("{column:<0$}", each * width) };
    let numbers: String = (1..=n).step_by(each).map(number).collect();
    text += format!("{margin}{numbers}").trim_end();
    text.push('\n');
    if !placement.is_solution() && !placement.is_empty() {
        text += &legend(placement, look, width * n);
    }
    text
}

/// Which queen attacks what, each named by column and row, in lines about as wide as the board.
fn legend(placement: &Placement, look: Look, width: usize) -> String {
    /// Of an entry with the space behind it, as in `a 10,12`.
    const ENTRY: usize = 9;
    let in_a_line = (width / ENTRY).max(1);
    let what = if look == Look::Colour { "Attacked by the queen in" } else { "First attacked by the queen in" };
    let mut text = format!("{what} column,row:\n");
    for line in placement.squares().collect::<Vec<_>>().chunks(in_a_line) {
        let entries = line.iter().map(|queen| {
            let place = format!("{},{}", queen.column, queen.row);
            match look {
                Look::Colour => format!("{} {place:5}", painted(attacked(queen.column, false), FOREGROUND, " ♛ ")),
                _ => format!("{} {place:6}", letter(queen.column)),
            }
        });
        let _ = writeln!(text, "   {}", entries.collect::<Vec<_>>().join(" ").trim_end());
    }
    text
}

/// So many columns. A stripe may end in the middle of one.
fn square(cell: &Cell, width: usize) -> String {
    let Cell { fill, mark, .. } = cell;
    let middle = |column| if column == (width - 1) / 2 { *mark } else { *fill };
    (0..width)
        .map(|column| match [2 * column, 2 * column + 1].map(|half| cell.background(half, 2 * width)) {
            [Some(left), Some(right)] if left != right => painted(right, left, "▌"),
            [Some(background), _] => painted(background, FOREGROUND, &middle(column).to_string()),
            _ => middle(column).to_string(),
        })
        .collect()
}

fn painted(background: u8, foreground: u8, text: &str) -> String {
    let colour = |index| Some(Ansi256Color(index).into());
    let style = Style::new().bg_color(colour(background)).fg_color(colour(foreground));
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::Size;

    /// One attacker fills a square, two share it half and half, three have a column each.
    #[test]
    fn attackers_share_a_square() {
        let placement = Placement::parse("158", Size::new(8).unwrap()).unwrap();
        let shown = |column, row| square(&Cell::new(Look::Colour, &placement, column, row), WIDTH);
        assert_eq!(shown(8, 1), painted(attacked(1, is_dark(8, 8, 1)), FOREGROUND, " ").repeat(3));
        let all: Vec<usize> = attackers(&placement, 1, 6).collect();
        assert_eq!(all, [1, 2, 3]);
        let dark = is_dark(8, 1, 6);
        let columns = all.iter().map(|&attacker| painted(attacked(attacker, dark), FOREGROUND, " "));
        assert_eq!(shown(1, 6), columns.collect::<String>());
        let both: Vec<usize> = attackers(&placement, 2, 1).collect();
        assert_eq!(both.len(), 2);
        let [left, right] = [0, 1].map(|index| attacked(both[index], is_dark(8, 2, 1)));
        let halves = painted(left, FOREGROUND, " ") + &painted(right, left, "▌") + &painted(right, FOREGROUND, " ");
        assert_eq!(shown(2, 1), halves);
    }

    /// A board that is too wide for the terminal has narrower squares, down to one column each.
    #[test]
    fn wide_boards_are_made_narrow() {
        let placement = Placement::parse_alone("1,3,5,2,4").unwrap();
        let board = |look, room| board(&placement, look, room);
        assert!(board(Look::Ascii, 18).starts_with(" 1  Q  .  .  .  .\n"));
        assert_eq!(board(Look::Ascii, 18), board(Look::Ascii, usize::MAX));
        let narrow = " 1 Q . . . .\n 2 . . . Q .\n 3 . Q . . .\n 4 . . . . Q\n 5 . . Q . .\n   1   3   5\n";
        assert_eq!([17, 13].map(|room| board(Look::Ascii, room)), [narrow; 2]);
        let narrowest = " 1 Q....\n 2 ...Q.\n 3 .Q...\n 4 ....Q\n 5 ..Q..\n   1  4\n";
        assert_eq!([12, 8, 0].map(|room| board(Look::Ascii, room)), [narrowest; 3]);
        for (room, width) in [(20, 3), (19, 2), (15, 2), (14, 1)] {
            let edge = format!("   ┌{}┐", "─".repeat(5 * width));
            assert_eq!(board(Look::Unicode, room).lines().next(), Some(&*edge), "{room}");
        }
    }
}
