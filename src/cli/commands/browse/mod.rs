//! `queens browse N`: the solutions, one board at a time, full screen.

mod app;
mod keys;
mod moves;
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

use crate::cli::commands::numbered::Filter;
use crate::cli::draw::text::Look;
use crate::cli::terminal::{
    Exit, Failure, Listening, messages,
    signals::{self, Request},
};
use app::App;
use moves::Move;
use terminal::{on_suspension, suspend, wait_for_hangup};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    size: Size,

    /// Begin at the solution with this number, or at the first that does not come before this placement, as in 31 or 4,2,5
    #[arg(long, value_name = "K|P", allow_negative_numbers = true)]
    at: Option<String>,

    /// Use only ASCII characters
    #[arg(long)]
    ascii: bool,
}

/// How long the screen waits for a key before it looks for results of a search and for signals.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Why no count here fails the self-check.
const CHECKED: &str = "the engine passed its self-check before the screen was opened";

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let at = args.at.as_deref().map_or(Ok(Move::First), |text| begin(text, args.size))?;
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let message = "browse needs a terminal for input and output; see 'queens solutions' for lists".to_owned();
        return Err(Failure::Run(Exit::Failure, message));
    }
    let app = App::new(args.size, at)?;
    let interruptions = Interruptions::listen()?;
    // This also makes a panic restore the terminal before it is reported.
    let mut terminal = ratatui::try_init()?;
    let result = main_loop(&mut terminal, app, &interruptions, Look::of_stdout(args.ascii));
    let restored = ratatui::try_restore();
    if terminal.show_cursor().is_err() {
        // Dropped, it would try again and print an error.
        std::mem::forget(terminal);
    }
    match result {
        // The signal says more than that nothing could be written to the terminal that it took away.
        Ok(Some(request)) => Err(failure(request)),
        Err(error) => Err(interruptions.requests.try_recv().map_or_else(|_| error.into(), failure)),
        Ok(None) => Ok(restored?),
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
    let number = number.ok_or_else(|| {
        invalid(&"a number from 1 on, or a placement: every row as digits, or some with commas, as in 4,2,5")
    })?;
    Filter::all(size).beyond(number).map_or(Ok(Move::Number(number)), |reason| Err(invalid(&reason)))
}

fn failure(request: Request) -> Failure {
    match request {
        Request::End(signal) => Failure::Signal(signal),
        Request::Failed(message) => Failure::Run(Exit::Failure, message),
        Request::Show => Failure::AlreadyReported(Exit::Failure),
    }
}

/// What ends or suspends the screen from outside.
struct Interruptions {
    requests: mpsc::Receiver<Request>,
    suspend: Arc<AtomicBool>,
    _listening: Listening,
}

/// This long after a signal the process is ended in any case: a terminal that is stopped blocks the thread that draws.
const SIGNAL_TIMEOUT: Duration = Duration::from_secs(1);

impl Interruptions {
    fn listen() -> io::Result<Self> {
        let (sender, requests) = mpsc::channel();
        let gone = sender.clone();
        thread::Builder::new().name("terminal".to_owned()).spawn(move || end_without_terminal(&gone))?;
        let tell = move |request: Request| {
            if let Request::End(signal) = request {
                thread::spawn(move || {
                    thread::sleep(SIGNAL_TIMEOUT);
                    // Where this fails too there is no terminal to be left as it was.
                    let _ = disable_raw_mode();
                    std::process::exit(signals::die_of(signal).code().into());
                });
            }
            // SIGUSR1 asks for progress, which is on the screen.
            if !matches!(request, Request::Show) {
                // Nobody receives where the screen was left already.
                let _ = sender.send(request);
            }
        };
        let interruptions = Self { requests, suspend: Arc::default(), _listening: signals::listen(tell)? };
        on_suspension(&interruptions.suspend)?;
        Ok(interruptions)
    }
}

/// Waits until the terminal hangs up, and then has the screen left. The library that reads keys may be within a read by
/// then, which never returns from such a terminal: in that case the process is ended from here.
fn end_without_terminal(requests: &mpsc::Sender<Request>) {
    const GONE: &str = "the terminal has gone";
    // Where it cannot be waited for, a signal tells.
    if wait_for_hangup().is_ok() {
        // Nobody receives where the screen was left already.
        let _ = requests.send(Request::Failed(GONE.to_owned()));
        thread::sleep(4 * POLL_INTERVAL);
        messages::error(GONE);
        std::process::exit(Exit::Failure.code().into());
    }
}

/// Draws and reads keys until a key ends it, or a signal, a failed thread or the loss of the terminal, which it returns.
/// Ctrl-C is a key here, and a resize draws anew.
fn main_loop(
    terminal: &mut ratatui::DefaultTerminal,
    mut app: App,
    interruptions: &Interruptions,
    look: Look,
) -> io::Result<Option<Request>> {
    while !app.done {
        if let Ok(request) = interruptions.requests.try_recv() {
            return Ok(Some(request));
        }
        // Relaxed: the flag is all there is to know.
        if std::mem::take(&mut app.suspend) || interruptions.suspend.swap(false, Ordering::Relaxed) {
            suspend(terminal)?;
        }
        app.collect();
        terminal.draw(|frame| view::draw(frame, &app, look))?;
        if event::poll(POLL_INTERVAL)?
            && let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
        {
            keys::press(&mut app, key);
        }
    }
    Ok(None)
}
