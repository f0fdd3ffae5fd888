//! What each key does.

use queens::{Listed, Placement};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::app::{App, Input, Typing};
use super::moves::Move;
use crate::cli::commands::numbered::Filter;

/// How many solutions a page key goes on.
const PAGE: u64 = 10;

/// Keys, what they do as the help says it, and the words of the last line of the screen, if it has any for them: on a
/// narrow screen the largest numbers are left out.
type Key = (&'static str, &'static str, Option<(&'static str, u8)>);

pub(super) const KEYS: [Key; 13] = [
    ("← ↑ h k", "previous solution", Some(("←→ walk", 1))),
    ("→ ↓ l j", "next solution, as Space", None),
    ("PgUp PgDn", "ten back, ten on", None),
    ("Home End", "first and last solution", Some(("Home End", 6))),
    ("0-9 Enter", "the solution with the number typed", Some(("0-9 number", 3))),
    ("s", "turn and reflect the board", Some(("s turn", 4))),
    ("f", "fundamental solutions only, or all", Some(("f fundamental", 5))),
    ("/", "only solutions that begin with 158", Some(("/ prefix", 7))),
    ("w", "save the board: .svg or .txt", Some(("w board", 8))),
    ("p", "save the list to a file", Some(("p list", 9))),
    ("?", "these keys", Some(("? help", 2))),
    ("Ctrl-Z", "leave for the shell, fg comes back", None),
    ("Esc q", "leave", Some(("q quit", 0))),
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
    match app.typing.take() {
        None => command(app, key.code),
        Some(typing) => edit(app, typing, key.code),
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
        KeyCode::Char(digit @ '0'..='9') => app.typing = Some(Typing { input: Input::Number, text: digit.to_string() }),
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
        KeyCode::Char('/') => app.typing = Some(Typing { input: Input::Prefix, text: String::new() }),
        KeyCode::Char('w') => app.typing = app.picture_name().map(|text| Typing { input: Input::File, text }),
        KeyCode::Char('p') => app.save(),
        KeyCode::Char('?') => app.help = true,
        KeyCode::Char('q') => app.done = true,
        // The first Esc cancels a search that takes too long.
        KeyCode::Esc => app.done = !app.cancel(),
        _ => {}
    }
}

fn edit(app: &mut App, mut typing: Typing, key: KeyCode) {
    /// What is typed stays short enough for its line.
    const LONGEST: usize = 90;
    let allowed = |letter: char| match typing.input {
        Input::Number => letter.is_ascii_digit(),
        Input::Prefix => letter.is_ascii_digit() || letter == ',',
        Input::File => !letter.is_control(),
    };
    match key {
        KeyCode::Enter => return enter(app, &typing),
        KeyCode::Esc => return,
        KeyCode::Backspace => drop(typing.text.pop()),
        KeyCode::Char(letter) if allowed(letter) && typing.text.len() < LONGEST => typing.text.push(letter),
        _ => {}
    }
    // A number begins with its first digit, so it ends without one.
    app.typing = Some(typing).filter(|typing| typing.input != Input::Number || !typing.text.is_empty());
}

fn enter(app: &mut App, Typing { input, text }: &Typing) {
    match input {
        Input::Number => match text.parse() {
            Ok(number) => match app.filter.beyond(number) {
                Some(reason) => app.message = reason,
                None => app.go(Move::Number(number)),
            },
            Err(_) => app.message = format!("{text} is too large a number"),
        },
        Input::Prefix if text.is_empty() => {
            app.open(Filter { prefix: Placement::empty(app.size), ..app.filter }, Move::First);
        }
        Input::Prefix => match Placement::parse(text, app.size) {
            Ok(prefix) => app.open(Filter { prefix, ..app.filter }, Move::First),
            Err(error) => app.message = error.to_string(),
        },
        Input::File => app.save_board(text),
    }
}
