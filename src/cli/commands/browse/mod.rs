//! `queens browse N`: the solutions, one board at a time, full screen.

mod app;
mod keys;
mod view;

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use clap::Args as ClapArgs;
use queens::{Listed, Placement, Size};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::crossterm::terminal::disable_raw_mode;
#[cfg(unix)]
use signal_hook::consts::SIGTSTP;

use crate::cli::commands::numbered::{QueenArgs, SolutionList};
use crate::cli::draw::Palette;
use crate::cli::terminal::{Exit, Failure, Interruption, Listening, files, signals, value_parsers::whole};
use app::{App, Move};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    size: Size,

    #[command(flatten)]
    queens: QueenArgs,

    /// Begin at the solution with this number, from 1
    #[arg(long, value_name = "K", value_parser = whole("K", 1..=u64::MAX), allow_negative_numbers = true)]
    number: Option<u64>,

    /// Begin at this placement, as in 158 or 4,2,5, or at the first solution after it
    #[arg(long, value_name = "P", conflicts_with = "number")]
    from: Option<String>,

    /// Use only ASCII characters
    #[arg(long)]
    ascii: bool,
}

/// How long the screen waits for a key before it looks for results of a search and for signals.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Why no count here fails the self-check.
const CHECKED: &str = "the engine passed its self-check before the screen was opened";

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let fixed = args.queens.beside(Placement::empty(args.size))?;
    let list = SolutionList { fixed, listed: Listed::All };
    let at = begin(args, list)?;
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let message = "browse needs a terminal for input and output; see 'queens solutions' for lists".to_owned();
        return Err(Failure::Run(Exit::Failure, message));
    }
    let app = App::new(list, at)?;
    let interruptions = Interruptions::listen().map_err(|error| terminal_failed(&error))?;
    // This also makes a panic restore the terminal before it is reported.
    let mut terminal = ratatui::try_init().map_err(|error| terminal_failed(&error))?;
    let ended = main_loop(&mut terminal, app, &interruptions, Palette::of_stdout(args.ascii));
    let restored = ratatui::try_restore();
    if terminal.show_cursor().is_err() {
        // Dropped, it would try again and print an error.
        std::mem::forget(terminal);
    }
    // A signal says more than that nothing could be written to the terminal that it took away.
    let result = ended.map_err(|error| terminal_failed(&error)).and_then(|end| end.map_or(Ok(()), Err));
    result.map_err(|failure| interruptions.ends.try_recv().unwrap_or(failure))?;
    restored.map_err(|error| terminal_failed(&error))
}

/// Where the user wants to begin.
fn begin(args: &Args, list: SolutionList) -> Result<Move, Failure> {
    if let Some(text) = &args.from {
        let from = Placement::parse(text, args.size).map_err(|error| Failure::invalid("--from <P>", text, &error));
        return from.map(Move::NotBefore);
    }
    let number = args.number.unwrap_or(1);
    match list.beyond(number).filter(|_| args.number.is_some()) {
        Some(reason) => Err(Failure::invalid("--number <K>", &number.to_string(), &reason)),
        None => Ok(Move::Number(number)),
    }
}

/// What ends or suspends the screen from outside.
struct Interruptions {
    ends: mpsc::Receiver<Failure>,
    suspend: Arc<AtomicBool>,
    _listening: Listening,
}

/// This long after a signal the process is ended in any case: a terminal that is stopped blocks the thread that draws.
const SIGNAL_TIMEOUT: Duration = Duration::from_secs(1);

impl Interruptions {
    fn listen() -> io::Result<Self> {
        let (sender, ends) = mpsc::channel();
        let suspend = Arc::default();
        // On Windows there is neither a suspension nor a hang-up: a window that is closed ends the program.
        #[cfg(unix)]
        {
            if signals::is_taken(SIGTSTP) {
                signal_hook::flag::register(SIGTSTP, Arc::clone(&suspend))?;
            }
            let gone = sender.clone();
            thread::Builder::new().name("terminal".to_owned()).spawn(move || end_without_terminal(&gone))?;
        }
        let tell = move |interruption: Interruption| {
            let end = match interruption {
                Interruption::Failed(message) => Failure::Run(Exit::Failure, message),
                Interruption::Signal(signal) => {
                    thread::spawn(move || {
                        thread::sleep(SIGNAL_TIMEOUT);
                        // Where this fails too there is no terminal to be left as it was.
                        let _ = disable_raw_mode();
                        signals::die_of(signal)
                    });
                    Failure::Signal(signal)
                }
            };
            // Nobody receives where the screen was left already.
            let _ = sender.send(end);
        };
        Ok(Self { ends, suspend, _listening: signals::listen(tell)? })
    }
}

/// Waits until the terminal hangs up, and then has the screen left. The library that reads keys may be within a read by
/// then, which never returns from such a terminal: in that case the process is ended from here.
#[cfg(unix)]
fn end_without_terminal(ends: &mpsc::Sender<Failure>) {
    use crate::cli::terminal::messages;
    use rustix::event::{PollFd, PollFlags, poll};
    const GONE: &str = "the terminal has gone";
    let stdin = io::stdin();
    // Hang-ups and errors are always reported, and keys are not asked for: they are the main thread's.
    let mut inputs = [PollFd::new(&stdin, PollFlags::empty())];
    while poll(&mut inputs, None) == Err(rustix::io::Errno::INTR) {}
    // Where it cannot be waited for, a signal tells.
    if inputs[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) {
        // Nobody receives where the screen was left already.
        let _ = ends.send(Failure::Run(Exit::Failure, GONE.to_owned()));
        thread::sleep(4 * POLL_INTERVAL);
        messages::error(GONE);
        std::process::exit(Exit::Failure as i32);
    }
}

/// Draws and reads keys until a key ends it, or a signal, a failed thread or the loss of the terminal, which it returns.
/// Ctrl-C is a key here, and a resize draws anew.
fn main_loop(
    terminal: &mut ratatui::DefaultTerminal,
    mut app: App,
    interruptions: &Interruptions,
    palette: Palette,
) -> io::Result<Option<Failure>> {
    while !app.done {
        if let Ok(end) = interruptions.ends.try_recv() {
            return Ok(Some(end));
        }
        // Relaxed, here and below: the flag is all there is to know.
        #[cfg(unix)]
        if interruptions.suspend.swap(false, Ordering::Relaxed) {
            suspend(terminal)?;
        }
        app.collect();
        terminal.draw(|frame| view::draw(frame, &app, palette))?;
        if event::poll(POLL_INTERVAL)?
            && let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
        {
            match key.code {
                // A shell without job control has SIGTSTP ignored: nobody would continue this process.
                KeyCode::Char('z') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                    #[cfg(unix)]
                    interruptions.suspend.store(signals::is_taken(SIGTSTP), Ordering::Relaxed);
                }
                _ => keys::press(&mut app, key),
            }
        }
    }
    Ok(None)
}

/// The terminal could not be set up, read, drawn on or left.
fn terminal_failed(error: &io::Error) -> Failure {
    Failure::Run(Exit::Failure, format!("using the terminal failed: {}", files::reason(error)))
}

/// Leaves the terminal to the shell until it continues this process.
#[cfg(unix)]
fn suspend(terminal: &mut ratatui::DefaultTerminal) -> io::Result<()> {
    use ratatui::crossterm::{execute, terminal};
    ratatui::try_restore()?;
    signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
    terminal::enable_raw_mode()?;
    execute!(io::stdout(), terminal::EnterAlternateScreen)?;
    terminal.clear()
}
