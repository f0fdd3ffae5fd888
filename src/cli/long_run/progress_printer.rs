//! The thread that shows a long run on stderr. A reader of stderr may hold it up for any time: messages that it cannot
//! keep up with are dropped, and nobody waits for it but for a moment at the end of the run.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

use super::progress::{Display, Line, State};
use crate::cli::long_run::options::When;
use crate::cli::terminal::messages;

/// How often the bar moves.
const TICK: Duration = Duration::from_millis(100);

/// How long the last lines of a run may take. A reader that has not taken them by then is not reading.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// Messages that may wait; those that come while this many do are dropped.
const QUEUE: usize = 16;

enum Message {
    Show,
    Say(Line),
    /// The last one. The sender is dropped when all is printed.
    End(Vec<Line>, mpsc::Sender<()>),
}

/// The sender of what the thread prints.
pub(crate) struct Printer {
    messages: SyncSender<Message>,
}

impl Printer {
    /// Starts the thread, which asks `state` for the progress of the run.
    pub(crate) fn start(when: When, state: impl Fn() -> State + Send + 'static) -> io::Result<Self> {
        let (messages, receiver) = mpsc::sync_channel(QUEUE);
        thread::Builder::new().name("printer".to_owned()).spawn(move || {
            let mut display = Display::new(when);
            loop {
                match receiver.recv_timeout(TICK) {
                    Err(RecvTimeoutError::Timeout) => display.tick(&state),
                    Ok(Message::Show) => display.show(&state()),
                    Ok(Message::Say(line)) => display.say(&line),
                    Ok(Message::End(lines, _printed)) => {
                        display.end(&state);
                        lines.iter().for_each(Line::print);
                        return;
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        })?;
        Ok(Self { messages })
    }

    /// Shows the progress at once.
    pub(crate) fn show(&self) {
        self.send(Message::Show);
    }

    /// Prints a line without breaking a bar.
    pub(crate) fn say(&self, line: Line) {
        self.send(Message::Say(line));
    }

    /// The run is over: removes the bar and prints these lines last.
    pub(crate) fn end(self, lines: Vec<Line>) {
        let (sender, printed) = mpsc::channel::<()>();
        if self.send(Message::End(lines, sender)) {
            // Nothing is ever sent: this returns when the other end is dropped, or after the timeout.
            let _ = printed.recv_timeout(END_TIMEOUT);
        }
    }

    /// Returns whether there was room.
    fn send(&self, message: Message) -> bool {
        self.messages.try_send(message).is_ok()
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
