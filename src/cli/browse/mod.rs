//! `queens browse N`: the solutions, one board at a time, full screen.

mod app;
mod find;
mod keys;
mod view;

use std::io::{self, IsTerminal};
use std::time::Duration;

use clap::Args as ClapArgs;
use queens::Size;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

use super::board::text::Look;
use super::{Exit, Failure};
use app::App;

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    size: Size,

    /// Only ASCII characters
    #[arg(long)]
    ascii: bool,
}

/// How long the screen waits for a key before it looks whether a search has come back.
const GLANCE: Duration = Duration::from_millis(50);

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let message = "browse needs a terminal for input and output; see 'queens solutions' for lists".to_owned();
        return Err(Failure::Run(Exit::Failure, message));
    }
    let app = App::new(args.size);
    // This also makes a panic restore the terminal before it is reported.
    let mut terminal = ratatui::try_init()?;
    let result = walk(&mut terminal, app, Look::of_stdout(args.ascii));
    ratatui::try_restore()?;
    Ok(result?)
}

/// Draws and reads keys until one of them ends it. Control-C is a key here, and a resize draws anew.
fn walk(terminal: &mut ratatui::DefaultTerminal, mut app: App, look: Look) -> io::Result<()> {
    while !app.done {
        app.collect();
        terminal.draw(|frame| view::draw(frame, &app, look))?;
        if event::poll(GLANCE)?
            && let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
        {
            keys::press(&mut app, key);
        }
    }
    Ok(())
}
