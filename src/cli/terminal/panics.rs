//! What happens where the program itself is wrong.
//!
//! A panic becomes one line on stderr and exit code 1; a long run saves first. The thread that failed never returns:
//! in a release build the process would be aborted otherwise, before anything could be saved.

use std::panic::PanicHookInfo;
use std::time::Duration;
use std::{panic, process, thread};

use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::{messages, signals};

/// How long a save may take after a panic. By then the thread that saves waits for what the failed one holds.
const SAVING: Duration = Duration::from_secs(10);

/// From here on panics end the program in an orderly way.
pub(crate) fn catch() {
    let main = thread::current().id();
    panic::set_hook(Box::new(move |info| {
        let message = message(info);
        // The main thread saves, says why, and ends the process. Where it fails itself, there is nobody to tell.
        if thread::current().id() != main && signals::tell_failed(&message) {
            thread::sleep(SAVING);
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
