//! A board in the terminal: coloured squares, Unicode shades where there is no colour, ASCII where there is no Unicode.

use std::fmt::{self, Write};

use anstyle::{Ansi256Color, Style};
use queens::Placement;

use super::{Stands, is_dark};

/// How much the terminal can do.
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
    /// What stdout can show; `ascii` where nothing else is wanted.
    pub(crate) fn of_stdout(ascii: bool) -> Self {
        if ascii || Self::environment_is_ascii() {
            Self::Ascii
        } else if anstream::AutoStream::choice(&std::io::stdout()) == anstream::ColorChoice::Never {
            Self::Unicode
        } else {
            Self::Colour
        }
    }

    /// Whether the environment asks for ASCII: a terminal that cannot do more, or a locale that names another
    /// character set. Where nothing is said, Unicode is right nearly everywhere.
    fn environment_is_ascii() -> bool {
        let variable = |name| std::env::var(name).ok().filter(|value: &String| !value.is_empty());
        let terminal = variable("TERM").is_some_and(|term| term == "dumb" || term == "linux");
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
        terminal || locale.is_some_and(|locale| !locale.to_lowercase().replace('-', "").contains("utf8"))
    }
}

/// Colours of the 256 that terminals have, near those of the pictures: the queens, and what names an attacker.
pub(crate) const QUEEN: u8 = 16;
pub(crate) const ATTACKER: u8 = 88;

/// The colour of a square; attacked ones are reddened.
pub(crate) const fn background(dark: bool, attacked: bool) -> u8 {
    match (dark, attacked) {
        (false, false) => 255,
        (true, false) => 109,
        (false, true) => 224,
        (true, true) => 174,
    }
}

/// The mark of an attacked square: which queen attacks it first, by its column.
pub(crate) fn mark(column: usize) -> char {
    char::from_digit(column as u32, 36).unwrap_or('x')
}

/// The board, with row numbers at the left and column numbers below.
pub(crate) fn board(placement: &Placement, look: Look) -> String {
    let n = placement.size().get();
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = lines(&mut text, placement, look, n);
    text
}

fn lines(text: &mut String, placement: &Placement, look: Look, n: usize) -> fmt::Result {
    let edge = |left, right| format!("   {left}{}{right}\n", "─".repeat(3 * n));
    if look == Look::Unicode {
        text.push_str(&edge('┌', '┐'));
    }
    for row in 1..=n {
        write!(text, "{row:2} ")?;
        if look == Look::Unicode {
            text.push('│');
        }
        for column in 1..=n {
            square(text, look, is_dark(n, column, row), Stands::on(placement, column, row))?;
        }
        if look == Look::Ascii {
            text.truncate(text.trim_end().len());
        }
        text.push_str(if look == Look::Unicode { "│\n" } else { "\n" });
    }
    if look == Look::Unicode {
        text.push_str(&edge('└', '┘'));
    }
    text.push_str(if look == Look::Unicode { "    " } else { "   " });
    for column in 1..=n {
        write!(text, "{column:^3}")?;
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    Ok(())
}

fn square(text: &mut String, look: Look, dark: bool, stands: Stands) -> fmt::Result {
    match look {
        Look::Colour => {
            let attacked = matches!(stands, Stands::Attacked(_));
            let ink = if attacked { ATTACKER } else { QUEEN };
            let style = Style::new()
                .bg_color(Some(Ansi256Color(background(dark, attacked)).into()))
                .fg_color(Some(Ansi256Color(ink).into()));
            let mark = match stands {
                Stands::Queen => '♛',
                Stands::Attacked(column) => mark(column),
                Stands::Free => ' ',
            };
            write!(text, "{style} {mark} {style:#}")
        }
        Look::Unicode => {
            let shade = if dark { '░' } else { ' ' };
            let mark = match stands {
                Stands::Queen => '♛',
                Stands::Attacked(column) => mark(column),
                Stands::Free => shade,
            };
            write!(text, "{shade}{mark}{shade}")
        }
        Look::Ascii => {
            let mark = match stands {
                Stands::Queen => 'Q',
                Stands::Attacked(column) => mark(column),
                Stands::Free => '.',
            };
            write!(text, " {mark} ")
        }
    }
}
