//! Lines for people on stderr: errors, warnings, notes; and results on stdout.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use console::Term;
use queens::Size;
use serde::Serialize;
use serde_json::json;

use crate::cli::terminal::{Exit, Failure, Sizes, escape::harmless, json, stdout, table::wrapped};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Whether stderr is for a program. Relaxed: it is set before the first line.
static EVENTS: AtomicBool = AtomicBool::new(false);

/// From here on every line is a JSON object, as `--progress json` promises.
pub(crate) fn as_events() {
    EVENTS.store(true, Ordering::Relaxed);
}

/// Whether they are.
pub(crate) fn are_events() -> bool {
    EVENTS.load(Ordering::Relaxed)
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

/// Columns of stderr's terminal, 80 where there is none. The last one stays free, for some terminals begin a new line
/// behind it.
pub(crate) fn width() -> usize {
    usize::from(Term::stderr().size().1).saturating_sub(1)
}

fn say(kind: &'static str, style: Style, message: &str) {
    if are_events() {
        return event(kind, json!({"message": message}));
    }
    let label = if kind == "note" { String::new() } else { format!("{style}{kind}:{style:#} ") };
    let line = format!("{label}{}", harmless(message));
    // A command begins with blanks: whoever copies it is to get one line.
    let width = if message.starts_with(' ') || !std::io::stderr().is_terminal() { usize::MAX } else { width() };
    print(&(wrapped(&line, width, &[' ']).join("\n") + "\n"));
}

/// A line of `--progress json`, with these fields.
pub(crate) fn event(event: &'static str, fields: impl Serialize) {
    print(&json::event(event, fields));
}

/// Whole lines, as they are.
pub(crate) fn print(text: &str) {
    // Where even stderr is closed, there is nobody left to tell.
    let _ = anstream::stderr().write_all(text.as_bytes());
}

/// Reports wrong arguments in a line, and what would be right in a second one; help and version, which clap reports the
/// same way, as they are.
pub(crate) fn usage(error: &clap::Error) -> Result<(), Failure> {
    let reported = Err(Failure::AlreadyReported(Exit::Usage));
    if !error.use_stderr() {
        return stdout::print(&error.render().ansi().to_string()).map_err(|error| Failure::unwritten(&error));
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = write!(anstream::stderr(), "{}", error.render());
        return reported;
    }
    let text = error.render().to_string();
    let lines = || text.lines().map(str::trim);
    let is_wrong =
        |line: &&str| !["Usage:", "For more information", "tip:"].iter().any(|begin| line.starts_with(begin));
    let wrong: Vec<&str> = lines().take_while(is_wrong).filter(|line| !line.is_empty()).collect();
    let wrong = wrong.join(" ");
    self::error(wrong.strip_prefix("error: ").unwrap_or(&wrong));
    if let Some(right) = right(error, lines()) {
        note(&right);
    }
    reported
}

/// What would be right, where that is known.
fn right<'a>(error: &clap::Error, mut lines: impl Iterator<Item = &'a str>) -> Option<String> {
    if error.kind() == ErrorKind::MissingRequiredArgument {
        return lines.find(|line| line.starts_with("Usage:")).map(str::to_owned);
    }
    if let Some(ContextValue::String(command)) = error.get(ContextKind::InvalidSubcommand)
        && command.parse::<Sizes>().is_ok_and(|sizes| sizes.last <= Size::MAX)
    {
        return Some(format!("tip: to count, 'queens count {command}'"));
    }
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidArg)
    {
        if Path::new(name).extension().is_some_and(|extension| extension == "json") {
            return Some(format!("tip: to write a file, '--json={name}'"));
        }
        if name == "--random" {
            return Some("tip: to draw a solution, 'queens show --random N'".to_owned());
        }
    }
    // Behind a `--`, which clap recommends, hardly any value would be taken.
    lines.find(|line| line.starts_with("tip:") && !line.contains("as a value")).map(str::to_owned)
}

/// Prints a result on stdout. A reader that closes stdout after some of it has enough, which [`Failure::Closed`] says: nothing
/// more is printed, but what else the command is to do, it does. Any other result that cannot be written is not lost.
pub(crate) fn deliver(result: &str) -> Result<(), Failure> {
    match stdout::print(result) {
        Err(failed) if stdout::is_closed_by_reader(&failed) => Err(Failure::Closed),
        printed => printed.or_else(|failed| rescue(result, &failed)),
    }
}

/// The same of a result that is of no use unless it is whole.
pub(crate) fn deliver_whole(result: &str) -> Result<(), Failure> {
    stdout::print(result).or_else(|failed| rescue(result, &failed))
}

/// A result that could not be written goes to stderr, for it may have taken days, and the command fails.
fn rescue(result: &str, failed: &std::io::Error) -> Result<(), Failure> {
    error(&format!("writing the result failed: {failed}; the result is"));
    anstream::adapter::strip_str(result.trim_end()).to_string().lines().for_each(note);
    Err(Failure::AlreadyReported(Exit::Failure))
}
