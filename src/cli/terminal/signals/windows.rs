//! Ctrl-C and Ctrl-Break.
//!
//! The first has a long run save and end. A repeat ends it at once, but only when a second has passed.
//! Other commands end. The exit code is 130, as after a Ctrl-C elsewhere. When the window is closed or the user logs off the
//! system ends the program without waiting for a save, as it does when memory is out.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver};
use std::{io, process, thread};

use super::{REPEAT_WITHIN, Request, arm, lock, remove_unfinished, shared};
use crate::cli::terminal::Exit;

/// The signal that a Ctrl-C is elsewhere.
const SIGINT: i32 = 2;

/// Nothing to do for every command.
pub(crate) fn start() {}

pub(super) fn start_thread() -> io::Result<()> {
    let (sender, presses) = mpsc::channel();
    // Nobody receives any more where the thread has ended the process.
    let tell = move || {
        let _ = sender.send(());
    };
    ctrlc::set_handler(tell).map_err(io::Error::other)?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || receive(&presses))?;
    Ok(())
}

/// What the thread does.
fn receive(presses: &Receiver<()>) {
    while presses.recv().is_ok() {
        let run = lock(&shared().run);
        match run.as_ref() {
            Some(tell) if !shared().armed.load(Ordering::Relaxed) => {
                tell(Request::End(SIGINT));
                drop(run);
                thread::sleep(REPEAT_WITHIN);
                while presses.try_recv().is_ok() {}
                arm();
            }
            _ => {
                remove_unfinished();
                process::exit(die_of(SIGINT).code().into());
            }
        }
    }
}

/// The exit code for the signal.
pub(crate) fn die_of(signal: i32) -> Exit {
    Exit::Signal(signal as u8)
}

/// As people call it.
pub(crate) fn name(_signal: i32) -> &'static str {
    "Ctrl-C"
}
