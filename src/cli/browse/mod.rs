//! `queens browse N`: the solutions, one board at a time, full screen.

mod app;
mod find;
mod keys;
mod view;

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args as ClapArgs;
use queens::{Placement, Size};
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::{execute, terminal};
use signal_hook::consts::SIGTSTP;

use super::board::text::Look;
use super::signals::{self, Signals};
use super::{Exit, Failure};
use app::App;
use find::Move;

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    size: Size,

    /// Begin at the solution with this number, or at the first that is not before this placement, as in 31 or 4,2,5
    #[arg(long, value_name = "K|P", allow_negative_numbers = true)]
    at: Option<String>,

    /// Only ASCII characters
    #[arg(long)]
    ascii: bool,
}

/// How long the screen waits for a key before it looks whether a search has come back.
const GLANCE: Duration = Duration::from_millis(50);

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let at = args.at.as_deref().map_or(Ok(Move::First), |text| begin(text, args.size))?;
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let message = "browse needs a terminal for input and output; see 'queens solutions' for lists".to_owned();
        return Err(Failure::Run(Exit::Failure, message));
    }
    let app = App::new(args.size, at);
    let asked = Asked::listen()?;
    // This also makes a panic restore the terminal before it is reported.
    let mut terminal = ratatui::try_init()?;
    let result = walk(&mut terminal, app, &asked, Look::of_stdout(args.ascii));
    ratatui::try_restore()?;
    match result? {
        Some(signal) => Err(Failure::Signal(signal)),
        None => Ok(()),
    }
}

/// A number, or a placement: one with commas, or with a digit for every column.
fn begin(text: &str, size: Size) -> Result<Move, Failure> {
    let invalid = |reason: &dyn std::fmt::Display| Failure::invalid("--at <K|P>", text, &reason);
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if text.contains(',') || (digits && text.len() == size.get() && size.get() > 1) {
        return Placement::parse(text, size).map(Move::NotBefore).map_err(|error| invalid(&error));
    }
    let number = text.parse().ok().filter(|&number| number > 0);
    number.map(Move::Number).ok_or_else(|| {
        invalid(&"a number from 1 on, or a placement: every row as digits, or some with commas, as in 4,2,5")
    })
}

/// What signals ask for.
struct Asked {
    end: Signals,
    suspend: Arc<AtomicBool>,
}

impl Asked {
    fn listen() -> io::Result<Self> {
        let asked = Self { end: Signals::listen()?, suspend: Arc::default() };
        signal_hook::flag::register(SIGTSTP, Arc::clone(&asked.suspend))?;
        Ok(asked)
    }
}

/// Draws and reads keys until one of them or a signal ends it, which is returned. Control-C is a key here, and a resize
/// draws anew.
fn walk(terminal: &mut ratatui::DefaultTerminal, mut app: App, asked: &Asked, look: Look) -> io::Result<Option<i32>> {
    while !app.done {
        if let Some(signal) = asked.end.ending() {
            return Ok(Some(signal));
        }
        // Relaxed: the flag is all there is to know.
        if std::mem::take(&mut app.suspend) || asked.suspend.swap(false, Ordering::Relaxed) {
            suspend(terminal)?;
        }
        app.collect();
        terminal.draw(|frame| view::draw(frame, &app, look))?;
        if event::poll(GLANCE)?
            && let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
        {
            keys::press(&mut app, key);
        }
    }
    Ok(None)
}

/// Leaves the terminal to the shell until it continues this process.
fn suspend(terminal: &mut ratatui::DefaultTerminal) -> io::Result<()> {
    ratatui::try_restore()?;
    signals::die_of(SIGTSTP);
    terminal::enable_raw_mode()?;
    execute!(io::stdout(), terminal::EnterAlternateScreen)?;
    terminal.clear()
}
