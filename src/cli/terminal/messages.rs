//! Lines for people on stderr: errors, warnings, notes; and results on stdout.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use queens::bounded::Bounded;

use crate::cli::terminal::escape::harmless;
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::json::Object;
use crate::cli::terminal::stdout;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

fn stderr() -> impl Write {
    Bounded::new(anstream::stderr())
}

/// Whether stderr is for a program. Relaxed: it is set before the first line.
static EVENTS: AtomicBool = AtomicBool::new(false);

/// From here on every line is a JSON object, as `--progress json` promises.
pub(crate) fn as_events() {
    EVENTS.store(true, Ordering::Relaxed);
}

/// One line on stderr.
pub(crate) fn error(message: &str) {
    say("error", ERROR, message);
}

/// One line on stderr.
pub(crate) fn warning(message: &str) {
    say("warning", WARNING, message);
}

/// One line on stderr.
pub(crate) fn note(message: &str) {
    say("note", Style::new(), message);
}

fn say(kind: &'static str, style: Style, message: &str) {
    let text = if EVENTS.load(Ordering::Relaxed) {
        Object::event(kind).with("message", message).line()
    } else {
        let label = if kind == "note" { String::new() } else { format!("{style}{kind}:{style:#} ") };
        format!("{label}{}\n", harmless(message))
    };
    // Where even stderr is closed, there is nobody left to tell.
    let _ = stderr().write_all(text.as_bytes());
}

/// Reports wrong arguments in one line; help and version, which clap reports the same way, as they are.
pub(crate) fn usage(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        return match stdout::print(&error.render().ansi().to_string()) {
            Err(error) if !stdout::is_closed_by_reader(&error) => {
                self::error(&format!("writing the result failed: {error}"));
                Exit::Failure
            }
            _ => Exit::Success,
        };
    }
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = write!(stderr(), "{}", error.render());
    } else {
        self::error(&one_line(error));
    }
    Exit::Usage
}

/// What is wrong with the arguments and, where clap gives a tip or a list, what is allowed; without the usage and the
/// pointer to --help.
fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let is_told = |line: &&str| !line.starts_with("Usage:") && !line.starts_with("For more information");
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(is_told).filter(|line| !line.is_empty()).collect();
    let message = lines.join(" ");
    message.strip_prefix("error: ").unwrap_or(&message).to_owned()
}

/// Prints a whole result on stdout. Where it cannot be written in full, it goes to stderr, for it may have taken days, and
/// the command fails; only lists may end early, as under `| head`.
pub(crate) fn deliver(result: &str) -> Result<(), Failure> {
    stdout::print(result).map_err(|failed| {
        error(&format!("writing the result failed: {failed}; it is"));
        anstream::adapter::strip_str(result.trim_end()).to_string().lines().for_each(note);
        Failure::AlreadyReported(Exit::Failure)
    })
}
