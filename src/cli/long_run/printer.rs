//! The thread that shows a long run on stderr. A reader of stderr may hold it up for any time: messages that it cannot
//! keep up with are dropped, and nobody waits for it but for a moment at the end of the run.

use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::Duration;

use super::display::{Display, Ending, Line};
use crate::cli::long_run::{Status, When};

/// How often the bar moves.
const TICK: Duration = Duration::from_millis(100);

/// How long the last lines of a run may take. A reader that has not taken them by then is not reading.
const END_TIMEOUT: Duration = Duration::from_secs(1);

/// Messages that may wait; those that come while this many do are dropped.
const QUEUE: usize = 16;

/// Nothing is ever sent by it: it is dropped when something is done.
type Done = Sender<()>;

enum Message {
    Show,
    Say(Line),
    /// To be out of the way until the other end is dropped.
    Pause(Done, Receiver<()>),
    /// The last one.
    End(Ending, Done),
}

/// The sender of what the thread prints.
#[derive(Clone)]
pub(crate) struct Printer {
    messages: SyncSender<Message>,
}

impl Printer {
    /// Starts the thread, which asks `status` how far the run is.
    pub(crate) fn start(when: When, status: impl Fn() -> Status + Send + 'static) -> io::Result<Self> {
        let (messages, receiver) = mpsc::sync_channel(QUEUE);
        thread::Builder::new().name("printer".to_owned()).spawn(move || {
            let mut display = Display::new(when);
            loop {
                match receiver.recv_timeout(TICK) {
                    Err(RecvTimeoutError::Timeout) => display.tick(&status),
                    Ok(Message::Show) => display.show(&status()),
                    Ok(Message::Say(line)) => display.aside(|| line.print()),
                    Ok(Message::Pause(paused, resumed)) => display.aside(|| {
                        drop(paused);
                        let _ = resumed.recv();
                    }),
                    Ok(Message::End(ending, _printed)) => return display.end(&status, &ending),
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

    /// Does what would break a bar, as printing on stdout.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        let (_resume, resumed) = mpsc::channel();
        self.wait(|paused| Message::Pause(paused, resumed));
        print()
    }

    /// The run is over: removes the bar and prints what there is to say last.
    pub(crate) fn end(self, ending: Ending) {
        self.wait(|printed| Message::End(ending, printed));
    }

    /// Sends and waits until that is done, for a moment.
    fn wait(&self, message: impl FnOnce(Done) -> Message) {
        let (done, waiting) = mpsc::channel();
        if self.send(message(done)) {
            let _ = waiting.recv_timeout(END_TIMEOUT);
        }
    }

    /// Returns whether there was room.
    fn send(&self, message: Message) -> bool {
        self.messages.try_send(message).is_ok()
    }
}
