//! What each key does.

use queens::{Listed, Placement};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::app::{App, Input, Move, Typing};
use crate::cli::commands::numbered::SolutionList;
use crate::cli::terminal::Failure;

/// How many solutions a page key goes on.
const PAGE: i64 = 10;

/// Keys, the help's words for what they do, and for some of them words and rank in the last line of the screen: where it
/// is narrow, the largest ranks are left out.
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
    let ask = |input, text| Some(Typing { input, text });
    match key {
        KeyCode::Left | KeyCode::Up | KeyCode::Char('h' | 'k') => app.go(Move::Step(-1)),
        KeyCode::Right | KeyCode::Down | KeyCode::Char('l' | 'j' | ' ') => app.go(Move::Step(1)),
        KeyCode::PageUp => app.go(Move::Step(-PAGE)),
        KeyCode::PageDown => app.go(Move::Step(PAGE)),
        KeyCode::Home => app.go(Move::Number(1)),
        KeyCode::End => app.go(Move::Last),
        KeyCode::Char(digit @ '0'..='9') => app.typing = ask(Input::Number, digit.to_string()),
        KeyCode::Char('s') => app.image = (app.image + 1) % app.images().len().max(1),
        KeyCode::Char('f') => {
            let listed = if app.list.listed == Listed::All { Listed::Fundamental } else { Listed::All };
            // The board stays, or gives way to the next that is listed.
            let to = app.current.map_or(Move::Number(1), |found| Move::NotBefore(found.placement));
            app.open(SolutionList { listed, ..app.list }, to);
        }
        KeyCode::Char('/') => app.typing = ask(Input::Prefix, String::new()),
        KeyCode::Char('w') => app.typing = app.picture_name().and_then(|name| ask(Input::File, name)),
        KeyCode::Char('p') => app.message = said(app.save_list()),
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
            Ok(number) => match app.list.beyond(number) {
                Some(reason) => app.message = reason,
                None => app.go(Move::Number(number)),
            },
            Err(_) => app.message = format!("{text} is too large a number"),
        },
        Input::Prefix => {
            let prefix = match text.as_str() {
                "" => Ok(Placement::empty(app.size())),
                text => Placement::parse(text, app.size()),
            };
            match prefix {
                Ok(prefix) => app.open(SolutionList { prefix, ..app.list }, Move::Number(1)),
                Err(error) => app.message = error.to_string(),
            }
        }
        Input::File => app.message = said(app.save_board(text)),
    }
}

/// What was saved, or why not.
fn said(saved: Result<String, Failure>) -> String {
    saved.unwrap_or_else(|failure| failure.reason())
}
