//! Progress on stderr: a bar, plain lines or JSON.

use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use console::Term;
use jiff::Zoned;

use crate::cli::long_run::{Status, When};
use crate::cli::terminal::{Facts, messages};

/// A run shorter than this shows no progress unless it is asked for.
const SILENT: Duration = Duration::from_secs(2);
const LINE_EVERY: Duration = Duration::from_mins(1);
const JSON_EVERY: Duration = Duration::from_secs(1);

/// Where progress goes.
pub(super) struct Display {
    form: Form,
    next: Instant,
}

enum Form {
    Bar(Bar),
    Lines,
    Json,
    Nothing,
}

/// A line that is drawn anew in its place, whether stderr is a terminal or not: [`Display::new`] has decided.
struct Bar {
    stderr: Term,
    is_shown: Cell<bool>,
}

/// A line for people.
pub(crate) enum Line {
    Note(String),
    Warning(String),
    Error(String),
}

/// How a run has ended.
pub(crate) struct Ending {
    /// For people; those that read JSON get warnings and errors alone.
    pub(crate) lines: Vec<Line>,
    /// For programs: its name, and what it has beside the fields of the others.
    pub(crate) event: &'static str,
    pub(crate) object: Facts,
}

impl Ending {
    /// It has come to its end.
    pub(crate) fn finished(lines: Vec<Line>) -> Self {
        Self { lines, event: "finished", object: Facts::default() }
    }

    /// It has not, and nothing is kept of it.
    pub(crate) fn stopped(reason: Option<&str>) -> Self {
        Self { lines: Vec::new(), event: "stopped", object: Facts::default().with_some("reason", reason) }
    }
}

impl Display {
    pub(super) fn new(when: When) -> Self {
        let now = Instant::now();
        let terminal = std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let (form, next) = match when {
            When::Auto if terminal => (Form::Bar(Bar::new()), now + SILENT),
            When::Auto => (Form::Lines, now + LINE_EVERY),
            When::Always => (Form::Bar(Bar::new()), now),
            When::Json => (Form::Json, now),
            When::Never => (Form::Nothing, now),
        };
        Self { form, next }
    }

    /// Shows the status where that is due.
    pub(super) fn tick(&mut self, status: impl FnOnce() -> Status) {
        if Instant::now() < self.next {
            return;
        }
        match &self.form {
            Form::Bar(bar) => {
                let text = status().bar(messages::width(), &Zoned::now());
                let plain = anstream::AutoStream::choice(&std::io::stderr()) == anstream::ColorChoice::Never;
                let text = if plain { anstream::adapter::strip_str(&text).to_string() } else { text };
                bar.draw(&text);
            }
            Form::Lines => {
                self.next += LINE_EVERY;
                messages::note(&status().line(usize::MAX, &Zoned::now()));
            }
            Form::Json => {
                self.next += JSON_EVERY;
                print(&status().event("progress"));
            }
            Form::Nothing => {}
        }
    }

    /// Shows the status at once.
    pub(super) fn show(&self, status: &Status) {
        if matches!(self.form, Form::Json) {
            return print(&status.event("progress"));
        }
        let width = if std::io::stderr().is_terminal() { messages::width() } else { usize::MAX };
        self.aside(|| messages::note(&status.line(width, &Zoned::now())));
    }

    /// Does what a bar would be in the way of.
    pub(super) fn aside(&self, print: impl FnOnce()) {
        match &self.form {
            Form::Bar(bar) => {
                // The next tick draws it again.
                bar.draw("");
                print();
            }
            _ => print(),
        }
    }

    /// The run is over.
    pub(super) fn end(&self, status: impl FnOnce() -> Status, ending: &Ending) {
        if let Form::Bar(bar) = &self.form {
            bar.draw("");
        }
        let is_json = matches!(self.form, Form::Json);
        ending.lines.iter().filter(|line| !is_json || !matches!(line, Line::Note(_))).for_each(Line::print);
        if is_json {
            print(&status().event(ending.event).and(ending.object.clone()));
        }
    }
}

impl Line {
    pub(crate) fn print(&self) {
        match self {
            // Only notes have several lines, which are the program's own.
            Self::Note(text) => text.lines().for_each(messages::note),
            Self::Warning(text) => messages::warning(text),
            Self::Error(text) => messages::error(text),
        }
    }
}

fn print(object: &Facts) {
    let mut err = std::io::stderr().lock();
    // Where nobody reads stderr any more, the run goes on for the reader of stdout.
    let _ = err.write_all(object.json().as_bytes()).and_then(|()| err.flush());
}

impl Bar {
    fn new() -> Self {
        Self { stderr: Term::buffered_stderr(), is_shown: Cell::new(false) }
    }

    /// Draws this line, an empty one to clear what is there.
    fn draw(&self, line: &str) {
        if self.is_shown.replace(!line.is_empty()) || !line.is_empty() {
            // Where nobody reads stderr any more, the run goes on, as above.
            let _ =
                self.stderr.clear_line().and_then(|()| self.stderr.write_str(line)).and_then(|()| self.stderr.flush());
        }
    }
}
