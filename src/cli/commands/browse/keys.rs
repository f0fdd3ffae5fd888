//! What each key does.

use queens::{Listed, Placement};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::app::{App, Typing};
use super::moves::{Filter, Move};

/// How many solutions a page key goes on.
const PAGE: u64 = 10;

/// The keys and what they do, as the help shows them.
pub(super) const HELP: [(&str, &str); 12] = [
    ("← ↑ h k", "previous solution"),
    ("→ ↓ l j", "next solution, as Space"),
    ("PgUp PgDn", "ten back, ten on"),
    ("Home End", "first and last solution"),
    ("31 Enter", "solution number 31"),
    ("s", "turn and reflect the board"),
    ("f", "fundamental solutions only, or all"),
    ("/", "only those that begin so, as in 158"),
    ("w", "save the board: .svg, .png or .txt"),
    ("p", "save the list to a file"),
    ("Ctrl-Z", "leave for the shell, fg comes back"),
    ("Esc q", "leave"),
];

/// The keys in the last line; on a narrow screen those with the largest numbers are left out.
pub(super) const FOOTER: [(&str, u8); 10] = [
    ("←→ walk", 1),
    ("Home End", 6),
    ("31 Enter", 3),
    ("s turn", 4),
    ("f fundamental", 5),
    ("/ prefix", 7),
    ("w board", 8),
    ("p list", 9),
    ("? help", 2),
    ("q quit", 0),
];

pub(super) fn press(app: &mut App, key: KeyEvent) {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        app.done |= key.code == KeyCode::Char('c');
        app.suspend |= key.code == KeyCode::Char('z');
        return;
    }
    if std::mem::take(&mut app.help) {
        return;
    }
    match std::mem::replace(&mut app.typing, Typing::Nothing) {
        Typing::Nothing => command(app, key.code),
        Typing::Number(text) => number(app, text, key.code),
        Typing::Prefix(text) => prefix(app, text, key.code),
        Typing::File(text) => file(app, text, key.code),
    }
}

fn command(app: &mut App, key: KeyCode) {
    app.message.clear();
    match key {
        KeyCode::Left | KeyCode::Up | KeyCode::Char('h' | 'k') => app.go(Move::Previous(1)),
        KeyCode::Right | KeyCode::Down | KeyCode::Char('l' | 'j' | ' ') => app.go(Move::Next(1)),
        KeyCode::PageUp => app.go(Move::Previous(PAGE)),
        KeyCode::PageDown => app.go(Move::Next(PAGE)),
        KeyCode::Home => app.go(Move::First),
        KeyCode::End => app.go(Move::Last),
        KeyCode::Char(digit @ '0'..='9') => app.typing = Typing::Number(digit.to_string()),
        KeyCode::Char('s') => app.image = (app.image + 1) % app.images().len().max(1),
        KeyCode::Char('f') => {
            let listed = match app.filter.listed {
                Listed::All => Listed::Fundamental,
                Listed::Fundamental => Listed::All,
            };
            // The board stays, or gives way to the next that is listed.
            let to = app.current.map_or(Move::First, |found| Move::NotBefore(found.placement));
            app.open(Filter { listed, ..app.filter }, to);
        }
        KeyCode::Char('/') => app.typing = Typing::Prefix(String::new()),
        KeyCode::Char('w') => app.typing = app.picture_name().map_or(Typing::Nothing, Typing::File),
        KeyCode::Char('p') => app.save(),
        KeyCode::Char('?') => app.help = true,
        KeyCode::Char('q') => app.done = true,
        // The first Esc cancels a search that takes too long.
        KeyCode::Esc => app.done = !app.cancel(),
        _ => {}
    }
}

fn number(app: &mut App, mut text: String, key: KeyCode) {
    match key {
        KeyCode::Enter => match text.parse() {
            Ok(number) => app.go(Move::Number(number)),
            Err(_) => app.message = format!("{text} is too large a number"),
        },
        KeyCode::Esc => {}
        _ => {
            edit(&mut text, key, |letter| letter.is_ascii_digit());
            if !text.is_empty() {
                app.typing = Typing::Number(text);
            }
        }
    }
}

fn prefix(app: &mut App, mut text: String, key: KeyCode) {
    match key {
        KeyCode::Enter if text.is_empty() => {
            app.open(Filter { prefix: Placement::empty(app.size), ..app.filter }, Move::First);
        }
        KeyCode::Enter => match Placement::parse(&text, app.size) {
            Ok(prefix) => app.open(Filter { prefix, ..app.filter }, Move::First),
            Err(error) => app.message = error.to_string(),
        },
        KeyCode::Esc => {}
        _ => {
            edit(&mut text, key, |letter| letter.is_ascii_digit() || letter == ',');
            app.typing = Typing::Prefix(text);
        }
    }
}

fn file(app: &mut App, mut text: String, key: KeyCode) {
    match key {
        KeyCode::Enter => app.save_board(&text),
        KeyCode::Esc => {}
        _ => {
            edit(&mut text, key, |letter| !letter.is_control());
            app.typing = Typing::File(text);
        }
    }
}

/// What is typed stays short enough for its line.
fn edit(text: &mut String, key: KeyCode, allowed: impl Fn(char) -> bool) {
    const LONGEST: usize = 90;
    match key {
        KeyCode::Backspace => drop(text.pop()),
        KeyCode::Char(letter) if allowed(letter) && text.len() < LONGEST => text.push(letter),
        _ => {}
    }
}
