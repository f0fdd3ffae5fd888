//! The thread that shows a long run on stderr. It may be held up by whoever reads there for as long as that one likes:
//! what it is told is dropped where it does not keep up, and nobody waits for it but for a moment at the end.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

use super::progress::{Display, Line, State};
use crate::cli::long_run::options::When;
use crate::cli::terminal::messages;

/// How often the bar moves.
const TICK: Duration = Duration::from_millis(100);

/// How long the last lines of a run may take. Whoever has not read them by then is not reading.
const PATIENCE: Duration = Duration::from_secs(1);

/// Messages that may wait; those that come while so many do are dropped.
const WAITING: usize = 16;

enum Message {
    Show,
    Say(Line),
    /// The last one. The sender is dropped when all is printed.
    End(Vec<Line>, mpsc::Sender<()>),
}

/// Where the thread that keeps a run leaves what is to be printed.
pub(crate) struct Printer {
    messages: SyncSender<Message>,
}

impl Printer {
    /// Starts the thread; `state` is asked how far the run is.
    pub(crate) fn start(when: When, state: impl Fn() -> State + Send + 'static) -> io::Result<Self> {
        let (messages, receiver) = mpsc::sync_channel(WAITING);
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

    /// Shows how far the run is, as somebody asked.
    pub(crate) fn show(&self) {
        self.send(Message::Show);
    }

    /// Prints a line, which leaves a bar intact.
    pub(crate) fn say(&self, line: Line) {
        self.send(Message::Say(line));
    }

    /// The run is over: what moved goes, and these lines are the last.
    pub(crate) fn end(self, lines: Vec<Line>) {
        let (sender, printed) = mpsc::channel::<()>();
        if self.send(Message::End(lines, sender)) {
            // Nothing is ever sent: this returns when the other end is dropped, or when patience is over.
            let _ = printed.recv_timeout(PATIENCE);
        }
    }

    /// Whether there was room.
    fn send(&self, message: Message) -> bool {
        self.messages.try_send(message).is_ok()
    }
}

impl Line {
    pub(crate) fn print(&self) {
        match self {
            // The only one of several lines, and those are our own.
            Self::Note(text) => text.lines().for_each(messages::note),
            Self::Warning(text) => messages::warning(text),
            Self::Error(text) => messages::error(text),
        }
    }
}
