//! Progress on stderr, in one look for every command: a bar after two seconds, a line a minute or JSON, as `--progress` says.
//!
//! A thread of its own shows it. A reader of stderr may hold it up for any time: messages that it cannot keep up with are
//! dropped, and nobody waits for it but for a moment at the end.

use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use console::Term;
use jiff::Zoned;
use queens::{Progress, Watch};
use serde_json::{Value, json};

use crate::cli::long_run::{Status, When, supervision::watched};
use crate::cli::terminal::{Answering, Failure, messages, signals};

/// How often the bar moves.
const TICK: Duration = Duration::from_millis(100);

/// How long the last lines may take. A reader that has not taken them by then is not reading.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// Messages that may wait; those that come while this many do are dropped.
const QUEUE: usize = 16;

/// What the thread is to do beside showing how far the command is.
type Message = Box<dyn FnOnce(&mut Display) + Send>;

type Ask = Box<dyn Fn() -> Status + Send>;

/// A line, and what says it: [`messages::note`], say.
pub(crate) type Line = (fn(&str), String);

/// Progress of a command, as long as it lives. Whoever works says how far it is, as often as it likes and from any thread; what
/// would break the bar is printed aside; and before the result is printed the activity is over:
///
/// ```ignore
/// let activity = Activity::start(args.progress, "verify");
/// for (done, n) in sizes.enumerate() {
///     activity.at(Status { title: format!("N = {n}"), share: Some(done as f64 / all as f64), ..Status::default() });
///     let row = check(n)?;
///     activity.aside(|| print(row));
/// }
/// activity.finish();
/// ```
///
/// Where it is dropped without that, a program that reads JSON is told that it was stopped.
pub(crate) struct Activity {
    command: &'static str,
    when: When,
    started: Instant,
    status: Arc<Mutex<Ask>>,
    /// Where no thread could be started, nothing is shown.
    printer: Option<SyncSender<Message>>,
    /// Where there are no signals, nobody can ask.
    answering: Mutex<Option<Answering>>,
}

impl Activity {
    pub(crate) fn start(when: When, command: &'static str) -> Self {
        if when == When::Json {
            messages::as_events();
        }
        let started = Instant::now();
        let begin = move || {
            let nothing_yet = Status { title: command.to_owned(), ..Status::default() };
            nothing_yet.of_command(command, started.elapsed())
        };
        let status: Arc<Mutex<Ask>> = Arc::new(Mutex::new(Box::new(begin)));
        let printer = start_printer(when, Arc::clone(&status)).ok();
        let asked = printer.clone();
        // Where too many messages wait, the answer is among them.
        let show = |printer: &SyncSender<Message>| drop(printer.try_send(Box::new(Display::show)));
        let answering = Mutex::new(asked.and_then(|printer| signals::answer(move || show(&printer)).ok()));
        Self { command, when, started, status, printer, answering }
    }

    /// The command.
    pub(crate) fn command(&self) -> &'static str {
        self.command
    }

    /// Whether anything is shown unasked.
    pub(crate) fn is_shown(&self) -> bool {
        self.when != When::Never
    }

    /// How far it is by now.
    pub(crate) fn at(&self, status: Status) {
        self.watch(move || status.clone());
    }

    /// Who is asked from now on how far it is.
    pub(crate) fn watch(&self, status: impl Fn() -> Status + Send + 'static) {
        let (command, started) = (self.command, self.started);
        self.show(move || status().of_command(command, started.elapsed()));
    }

    /// The same, of a status that is shown as it is.
    pub(crate) fn show(&self, status: impl Fn() -> Status + Send + 'static) {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(status);
    }

    /// Prints on stdout, say, while no bar is in the way.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        let (_resume, resumed) = mpsc::channel::<()>();
        self.wait(move |display, paused| {
            display.draw("");
            drop(paused);
            let _ = resumed.recv();
        });
        print()
    }

    /// Says a line without breaking a bar, and waits for nobody.
    pub(crate) fn say(&self, (say, text): Line) {
        let say: Message = Box::new(move |display| {
            display.draw("");
            say(&text);
        });
        let _ = self.printer.as_ref().map(|printer| printer.try_send(say));
    }

    /// Does work and shows how far it is. Returns what it finds or, if a signal stops it, what is known by then, and the signal;
    /// the signal alone is the failure if nothing is known.
    pub(crate) fn until_signal<T: Send + 'static, E: Send + 'static>(
        &self,
        status: impl Fn(Progress) -> Status + Send + 'static,
        work: impl FnOnce(&Watch<T>) -> Result<T, E> + Send + 'static,
    ) -> Result<(Result<T, E>, Option<i32>), Failure> {
        let watch = Watch::default();
        let (found, signal) = watched(self, &watch, status, work)?;
        // Work that takes longer to stop than a person waits who pressed ^C is left.
        let known = found.or_else(|| watch.known().map(Ok));
        known.map(|known| (known, signal)).ok_or_else(|| signal.map_or(Failure::Closed, Failure::Signal))
    }

    /// The same of work of which nothing is known before its end, and which this watches.
    pub(crate) fn to_the_end<K: 'static, T: Send + 'static>(
        &self,
        watch: &Watch<K>,
        status: impl Fn(Progress) -> Status + Send + 'static,
        work: impl FnOnce(&Watch<K>) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        match watched(self, watch, status, work)? {
            (Some(found), None) => Ok(found),
            (_, signal) => Err(signal.map_or(Failure::Closed, Failure::Signal)),
        }
    }

    /// It is over. If a signal ended it, programs that read JSON are told, as it is dropped, that it was stopped.
    pub(crate) fn finish_unless(self, signal: Option<i32>) {
        if signal.is_none() {
            self.finish();
        }
    }

    pub(crate) fn finish(&self) {
        self.end(Vec::new(), "finished", json!({}));
    }

    /// It is over: removes the bar, says these lines and, for programs, the event and what it has beside the fields of others.
    /// From then on it shows nothing.
    pub(crate) fn end(&self, lines: Vec<Line>, event: &'static str, object: Value) {
        *self.answering.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.wait(move |display, _printed| {
            display.draw("");
            for (say, text) in &lines {
                say(text);
            }
            if display.when == When::Json {
                let status = (display.status)();
                let status = if event == "finished" { status.finished() } else { status };
                messages::event(event, status.object(object));
            }
            display.when = When::Never;
        });
    }

    /// Has the thread do this, and waits for a moment until that is done, which it is when the sender is dropped.
    fn wait(&self, what: impl FnOnce(&mut Display, Sender<()>) + Send + 'static) {
        let (done, waiting) = mpsc::channel();
        let message: Message = Box::new(move |display| what(display, done));
        if self.printer.as_ref().is_some_and(|printer| printer.try_send(message).is_ok()) {
            let _ = waiting.recv_timeout(END_TIMEOUT);
        }
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        self.end(Vec::new(), "stopped", json!({}));
    }
}

fn start_printer(when: When, status: Arc<Mutex<Ask>>) -> std::io::Result<SyncSender<Message>> {
    let (messages, receiver) = mpsc::sync_channel::<Message>(QUEUE);
    thread::Builder::new().name("printer".to_owned()).spawn(move || {
        let status = Box::new(move || status.lock().unwrap_or_else(PoisonError::into_inner)());
        let is_terminal = std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let mut display = Display::new(when, status, Instant::now(), is_terminal);
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(message) => message(&mut display),
                Err(RecvTimeoutError::Timeout) => display.tick(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    })?;
    Ok(messages)
}

/// What the thread shows.
struct Display {
    status: Ask,
    /// Where the program is to choose and stderr is a terminal, this is [`When::Always`]: a bar.
    when: When,
    /// Whether a bar is drawn only while the process is in the foreground of its terminal: a bar would break the line that
    /// somebody types at the prompt of the shell.
    yields: bool,
    /// When it is shown next.
    next: Instant,
    stderr: Term,
    is_drawn: bool,
}

impl Display {
    const LINE_EVERY: Duration = Duration::from_secs(60);
    const JSON_EVERY: Duration = Duration::from_secs(1);
    /// What takes less shows no progress unless it is asked for.
    const SILENT: Duration = Duration::from_secs(2);

    fn new(when: When, status: Ask, now: Instant, is_terminal: bool) -> Self {
        let yields = when == When::Auto;
        let (when, next) = match when {
            When::Auto if is_terminal => (When::Always, now + Self::SILENT),
            When::Auto => (When::Auto, now + Self::LINE_EVERY),
            When::Always | When::Never | When::Json => (when, now),
        };
        Self { status, when, yields, next, stderr: Term::buffered_stderr(), is_drawn: false }
    }

    /// Whether the status is to be shown by now. What was missed, because the process was stopped or the machine asleep, is
    /// not made up for.
    fn is_due(&mut self, now: Instant) -> bool {
        let every = match self.when {
            When::Always => Duration::ZERO,
            When::Auto => Self::LINE_EVERY,
            When::Json => Self::JSON_EVERY,
            When::Never => return false,
        };
        let is_due = now >= self.next;
        if is_due {
            self.next = now + every;
        }
        is_due
    }

    /// Shows the status where that is due.
    fn tick(&mut self) {
        if !self.is_due(Instant::now()) {
            return;
        }
        let status = (self.status)();
        match self.when {
            When::Always if self.yields && is_in_background() => {}
            When::Always => {
                let text = status.bar(messages::width(), &Zoned::now());
                let plain = anstream::AutoStream::choice(&std::io::stderr()) == anstream::ColorChoice::Never;
                self.draw(&if plain { anstream::adapter::strip_str(&text).to_string() } else { text });
            }
            When::Auto => messages::note(&status.line(usize::MAX, &Zoned::now())),
            When::Json => messages::event("progress", status.object(())),
            When::Never => {}
        }
    }

    /// Shows the status at once.
    fn show(&mut self) {
        let status = (self.status)();
        if self.when == When::Json {
            return messages::event("progress", status.object(()));
        }
        let width = if std::io::stderr().is_terminal() { messages::width() } else { usize::MAX };
        self.draw("");
        messages::note(&status.line(width, &Zoned::now()));
    }

    /// Draws this line as the bar; an empty one clears what is in the way of other lines, and the next tick draws it again.
    fn draw(&mut self, line: &str) {
        if std::mem::replace(&mut self.is_drawn, !line.is_empty()) || self.is_drawn {
            let Self { stderr, .. } = self;
            // Where nobody reads stderr any more, the run goes on for the reader of stdout.
            let _ = stderr.clear_line().and_then(|()| stderr.write_str(line)).and_then(|()| stderr.flush());
        }
    }
}

/// Whether stderr is the terminal of this process, and another one is in its foreground.
fn is_in_background() -> bool {
    #[cfg(unix)]
    return rustix::termios::tcgetpgrp(rustix::stdio::stderr()).is_ok_and(|group| group != rustix::process::getpgrp());
    #[cfg(not(unix))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::terminal::json;

    /// A bar after two seconds and then at every tick, a line every minute, an object every second and at once; and after an
    /// hour in which the process was stopped, one and not those that were missed.
    #[test]
    fn what_was_missed_is_not_made_up_for() {
        let begin = Instant::now();
        let due = |when, is_terminal| {
            let mut display = Display::new(when, Box::new(Status::default), begin, is_terminal);
            let mut at = |seconds: f64| display.is_due(begin + Duration::from_secs_f64(seconds));
            let early = [0.0, 0.5, 1.0, 1.9, 2.0, 2.1, 59.9, 60.0, 60.1].map(&mut at);
            let late = [3600.0, 3600.1, 3600.9, 3601.0, 3601.1, 3660.0, 3660.1].map(at);
            (early.map(u8::from), late.map(u8::from))
        };
        let (bar, line) = ([0, 0, 0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0, 1, 0]);
        assert_eq!(due(When::Auto, true), (bar, [1; 7]));
        assert_eq!(due(When::Auto, false), (line, [1, 0, 0, 0, 0, 1, 0]));
        assert_eq!(due(When::Always, false), ([1; 9], [1; 7]));
        assert_eq!(due(When::Json, true), ([1, 0, 1, 0, 1, 0, 1, 0, 0], [1, 0, 0, 1, 0, 1, 0]));
        assert_eq!(due(When::Never, true), ([0; 9], [0; 7]));
    }

    #[test]
    fn the_time_left_is_told_of_what_grows_evenly() {
        let activity = Activity::start(When::Never, "test");
        let told = |is_even| {
            activity.at(Status { title: "N = 8".to_owned(), share: Some(0.5), is_even, ..Status::default() });
            activity.status.lock().unwrap()()
        };
        assert!(told(true).left.is_some() && told(false).left.is_none());
        let event = json::event("progress", told(false).object(()));
        let seen = "\"command\":\"test\",\"doing\":\"N = 8\",\"left\":null,\"share\":0.5,\"elapsed\":";
        assert!(event.contains(seen), "{event}");
        let event = json::event("finished", told(false).finished().object(()));
        assert!(event.contains("\"doing\":\"N = 8\",\"left\":0.0,\"share\":1.0,\"elapsed\":"), "{event}");
    }
}
