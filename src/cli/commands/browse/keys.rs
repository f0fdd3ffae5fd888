//! What each key does.

use queens::{FixedQueens, Listed, Placement};
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
    let ask = |input, text| Some(Typing { input, text, is_suggested: false });
    let suggest = |input, text| Some(Typing { input, text, is_suggested: true });
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
        KeyCode::Char('w') => app.typing = app.board_name().and_then(|name| suggest(Input::BoardFile, name)),
        KeyCode::Char('p') => match app.list_name() {
            Ok(name) => app.typing = suggest(Input::ListFile, name),
            Err(reason) => app.message = reason,
        },
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
        Input::BoardFile | Input::ListFile => !letter.is_control(),
    };
    app.message.clear();
    match key {
        KeyCode::Enter => match enter(app, &typing) {
            Ok(()) => return,
            // The text stays, to be mended.
            Err(reason) => app.message = reason,
        },
        KeyCode::Esc => return,
        KeyCode::Backspace => drop(typing.text.pop()),
        KeyCode::Char(letter) if allowed(letter) && typing.text.len() < LONGEST => {
            if typing.is_suggested {
                typing.text.clear();
            }
            typing.text.push(letter);
        }
        _ => {}
    }
    typing.is_suggested = false;
    // A number begins with its first digit, so it ends without one.
    app.typing = Some(typing).filter(|typing| typing.input != Input::Number || !typing.text.is_empty());
}

/// Does what the text asks for, or says why it cannot.
fn enter(app: &mut App, Typing { input, text, .. }: &Typing) -> Result<(), String> {
    let said = |failure: Failure| failure.reason();
    match input {
        Input::Number => {
            let number = text.parse::<u64>().map_err(|_| format!("{text} is too large a number"))?;
            app.beyond(number).map_or(Ok(()), Err)?;
            app.go(Move::Number(number));
        }
        Input::Prefix => {
            let prefix = match text.as_str() {
                "" => Ok(Placement::empty(app.size())),
                text => Placement::parse(text, app.size()),
            };
            let fixed = prefix.and_then(|prefix| prefix.squares().try_fold(app.given, FixedQueens::with));
            let fixed = fixed.map_err(|error| error.to_string())?;
            app.open(SolutionList { fixed, ..app.list }, Move::Number(1));
        }
        Input::BoardFile => app.message = app.save_board(text).map_err(said)?,
        Input::ListFile => app.message = app.save_list(text).map_err(said)?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::browse::app::Total;
    use queens::Size;

    /// What is wrong is said above the text, which stays; Esc goes back to the board, and Enter alone writes a file.
    #[test]
    fn a_prompt_stays_until_it_is_right_or_left() {
        let mut app = App::new(SolutionList::all(Size::new(6).unwrap()), Move::Number(1)).unwrap();
        while !matches!(app.total, Total::Known(..)) || app.current.is_none() {
            app.collect();
            std::thread::yield_now();
        }
        let mut after = |keys: &str| {
            for key in keys.chars() {
                let code = match key {
                    '\n' => KeyCode::Enter,
                    '\u{1b}' => KeyCode::Esc,
                    '\u{8}' => KeyCode::Backspace,
                    letter => KeyCode::Char(letter),
                };
                press(&mut app, KeyEvent::new(code, KeyModifiers::NONE));
            }
            assert!(!app.done, "{keys:?}");
            (app.typing.as_ref().map(|typing| typing.text.clone()).unwrap_or_default(), app.message.clone())
        };
        let (typed, said) = after("99\n");
        assert!(typed == "99" && said.contains("numbered from 1 to 4"), "{typed}: {said}");
        assert_eq!(after("\u{8}"), ("9".to_owned(), String::new()));
        let (typed, said) = after("\u{1b}/12\n");
        assert!(typed == "12" && said.contains("share a diagonal"), "{typed}: {said}");
        // A suggestion is taken back letter by letter, or replaced by the first one typed.
        assert_eq!(after("\u{1b}p").0, "queens-6.txt");
        assert_eq!(after("\u{8}\u{8}a").0, "queens-6.ta");
        assert_eq!(after("\u{1b}w").0, "queens-6-1.svg");
        let (typed, said) = after("x.png\n");
        assert!(typed == "x.png" && said.contains("no format has the extension .png"), "{typed}: {said}");
        let (typed, said) = after("\u{1b}wx\u{8}\n");
        assert!(typed.is_empty() && said.contains("needs a name"), "{said}");
        assert_eq!(after("\u{1b}"), (String::new(), String::new()));
    }
}
