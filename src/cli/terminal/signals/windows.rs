//! Ctrl-C and Ctrl-Break.
//!
//! The first has a long run save and end. A repeat ends it at once, but only when a second has passed.
//! Other commands end. The exit code is 130, as after a Ctrl-C elsewhere. When the window is closed or the user logs off the
//! system ends the program without waiting for a save, as it does when memory is out.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver};
use std::{io, thread};

use super::{SHARED, end, lock};

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
        if SHARED.armed.load(Ordering::Relaxed) {
            // A repeat, which ends the process as if no work were told of it.
            *lock(&SHARED.work) = None;
        }
        end(SIGINT, || while presses.try_recv().is_ok() {});
    }
}

/// A signal does nothing by itself.
pub(super) fn raise(_signal: i32) {}

/// As people call it.
pub(crate) fn name(_signal: i32) -> &'static str {
    "Ctrl-C"
}
