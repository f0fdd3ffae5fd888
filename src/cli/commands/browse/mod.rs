//! `queens browse N`: the solutions, one board at a time, full screen.

mod app;
mod file;
mod find;
mod keys;
mod terminal;
mod view;

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use clap::Args as ClapArgs;
use queens::{Placement, Size};
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::terminal::disable_raw_mode;

use crate::cli::draw::text::Look;
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::messages;
use crate::cli::terminal::signals::{self, Listening, Request};
use app::App;
use find::Move;
use terminal::{heed_suspension, suspend, wait_until_gone};

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

/// How long the screen waits for a key before it looks whether a search has come back or a signal has come.
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
    let restored = ratatui::try_restore();
    if terminal.show_cursor().is_err() {
        // It would try again while it is dropped, and complain.
        std::mem::forget(terminal);
    }
    match result {
        // The signal says more than that nothing could be written to the terminal that it took away.
        Ok(End::Asked(request)) => Err(failure(request)),
        Err(error) => Err(asked.requests.try_recv().map_or_else(|_| error.into(), failure)),
        Ok(End::Done) => Ok(restored?),
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

/// Why the screen was left.
enum End {
    /// By a key.
    Done,
    /// By a signal, by a thread that failed, or because there is no terminal any more.
    Asked(Request),
}

fn failure(request: Request) -> Failure {
    match request {
        Request::End(signal) => Failure::Signal(signal),
        Request::Failed(message) => Failure::Run(Exit::Failure, message),
        Request::Show => Failure::AlreadyReported(Exit::Failure),
    }
}

/// What signals ask for.
struct Asked {
    requests: mpsc::Receiver<Request>,
    suspend: Arc<AtomicBool>,
    _listening: Listening,
}

/// How long a signal waits for the screen to be left. A terminal that takes nothing in holds up whoever draws on it.
const PATIENCE: Duration = Duration::from_secs(1);

impl Asked {
    fn listen() -> io::Result<Self> {
        let (sender, requests) = mpsc::channel();
        let gone = sender.clone();
        thread::Builder::new().name("terminal".to_owned()).spawn(move || end_without_terminal(&gone))?;
        let tell = move |request: Request| {
            if let Request::End(signal) = request {
                thread::spawn(move || {
                    thread::sleep(PATIENCE);
                    // Where this fails too there is no terminal to be left as it was.
                    let _ = disable_raw_mode();
                    std::process::exit(signals::die_of(signal).code().into());
                });
            }
            // How far it is, is on the screen.
            if !matches!(request, Request::Show) {
                // Nobody listens where it is over already.
                let _ = sender.send(request);
            }
        };
        let asked = Self { requests, suspend: Arc::default(), _listening: signals::listen(tell)? };
        heed_suspension(&asked.suspend)?;
        Ok(asked)
    }
}

/// Waits until the terminal has gone, and has the screen left. The library that reads keys may be within a read by then,
/// and reads from such a terminal for ever, so the process is ended from here where nobody has heard.
fn end_without_terminal(requests: &mpsc::Sender<Request>) {
    const GONE: &str = "the terminal has gone";
    // Where it cannot be waited for, a signal tells.
    if wait_until_gone().is_ok() {
        // Nobody listens where it is over already.
        let _ = requests.send(Request::Failed(GONE.to_owned()));
        thread::sleep(4 * GLANCE);
        messages::error(GONE);
        std::process::exit(Exit::Failure.code().into());
    }
}

/// Draws and reads keys until one of them or a signal ends it. Control-C is a key here, and a resize draws anew.
fn walk(terminal: &mut ratatui::DefaultTerminal, mut app: App, asked: &Asked, look: Look) -> io::Result<End> {
    while !app.done {
        if let Ok(request) = asked.requests.try_recv() {
            return Ok(End::Asked(request));
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
    Ok(End::Done)
}
