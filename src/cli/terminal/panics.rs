//! Panics: one line on stderr and exit code 1; a long run saves first.
//!
//! The thread that failed never returns: in a release build the process would be aborted before anything could be saved.

use std::panic::PanicHookInfo;
use std::time::Duration;
use std::{panic, process, thread};

use crate::cli::terminal::{Exit, messages, signals};

/// How long a save may take after a panic. After this time it waits for a lock that the failed thread holds.
const SAVE_TIMEOUT: Duration = Duration::from_secs(10);

/// From here on panics are reported, and long runs saved.
pub(crate) fn catch() {
    let main = thread::current().id();
    panic::set_hook(Box::new(move |info| {
        let message = message(info);
        // The main thread saves, reports the failure and ends the process, unless it has failed itself.
        if thread::current().id() != main && signals::tell_failed(&message) {
            thread::sleep(SAVE_TIMEOUT);
        }
        messages::error(&message);
        process::exit(Exit::Failure.code().into());
    }));
}

fn message(info: &PanicHookInfo<'_>) -> String {
    let what = info.payload_as_str().unwrap_or("a panic without a message");
    let place = info.location().map_or(String::new(), |place| format!(" ({}:{})", place.file(), place.line()));
    format!("the program failed: {what}{place}")
}
