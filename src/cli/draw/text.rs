//! A board in the terminal: coloured squares, Unicode shades where there is no colour, ASCII where there is no Unicode.

use std::fmt::Write;

use anstyle::{Ansi256Color, Style};
use queens::Placement;

use super::{SquareState, is_dark};
use crate::cli::terminal::ascii;

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
        if plain || few || ascii::is_wanted() {
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
    /// Background and foreground of the 256 colours that terminals have, near those of the pictures; none without colour.
    pub(crate) colours: Option<(u8, u8)>,
}

impl Cell {
    pub(crate) fn new(look: Look, dark: bool, state: SquareState) -> Self {
        let fill = if look == Look::Unicode && dark { '░' } else { ' ' };
        let mark = match state {
            SquareState::Queen if look == Look::Ascii => 'Q',
            SquareState::Queen => '♛',
            // The first queen that attacks it, by her column.
            SquareState::Attacked(column) => char::from_digit(column as u32, 36).unwrap_or('x'),
            SquareState::Free if look == Look::Ascii => '.',
            SquareState::Free => fill,
        };
        let colours = match (matches!(state, SquareState::Attacked(_)), dark) {
            (false, false) => (255, 16),
            (false, true) => (109, 16),
            // Attacked squares are reddened.
            (true, false) => (224, 88),
            (true, true) => (174, 88),
        };
        Self { fill, mark, colours: (look == Look::Colour).then_some(colours) }
    }
}

/// The board, with row numbers at the left and column numbers below.
pub(crate) fn board(placement: &Placement, look: Look) -> String {
    let n = placement.size().get();
    let (left, right, margin) = if look == Look::Unicode { ("│", "│", "    ") } else { ("", "", "   ") };
    let edge = |left, right| format!("   {left}{}{right}\n", "─".repeat(3 * n));
    let mut text = if look == Look::Unicode { edge('┌', '┐') } else { String::new() };
    for row in 1..=n {
        let line: String = (1..=n).map(|column| square(placement, look, column, row)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", format!("{row:2} {left}{line}{right}").trim_end());
    }
    if look == Look::Unicode {
        text += &edge('└', '┘');
    }
    let numbers: Vec<String> = (1..=n).map(|column| format!("{column:^3}")).collect();
    text += format!("{margin}{}", numbers.concat()).trim_end();
    text.push('\n');
    text
}

fn square(placement: &Placement, look: Look, column: usize, row: usize) -> String {
    let dark = is_dark(placement.size().get(), column, row);
    let Cell { fill, mark, colours } = Cell::new(look, dark, SquareState::of(placement, column, row));
    let Some((background, foreground)) = colours else { return format!("{fill}{mark}{fill}") };
    let colour = |index| Some(Ansi256Color(index).into());
    let style = Style::new().bg_color(colour(background)).fg_color(colour(foreground));
    format!("{style}{fill}{mark}{fill}{style:#}")
}
