//! What happens where the program itself is wrong, or the system refuses it something that cannot be done without.
//!
//! A panic becomes one line on stderr and exit code 1; a long run saves first. The thread that failed never returns:
//! in a release build the process would be aborted otherwise, before anything could be saved.

use std::ffi::OsString;
use std::panic::PanicHookInfo;
use std::{panic, process, thread};

use super::{Exit, output, signals};

/// From here on panics end the program in an orderly way.
pub(crate) fn catch() {
    let main = thread::current().id();
    panic::set_hook(Box::new(move |info| {
        let message = message(info);
        // The main thread saves; where it fails itself, there is nobody to tell.
        if thread::current().id() != main && signals::tell_failed(&message) {
            loop {
                thread::park();
            }
        }
        output::error(&message);
        process::exit(Exit::Failure.code().into());
    }));
}

/// Becomes the same program without `RUST_BACKTRACE`, where that is set.
///
/// Panics show no backtrace here, but an allocation that fails does, and that one needs memory: its own failure then
/// waits for ever for the lock under which backtraces are printed. The variable cannot be taken back in a running
/// process without `unsafe`.
#[cfg(unix)]
pub(crate) fn without_backtraces(args: &[OsString]) {
    use std::env;
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    const BACKTRACE: &str = "RUST_BACKTRACE";
    let is_asked = env::var_os(BACKTRACE).is_some_and(|value| value != "0");
    if is_asked && let (Ok(program), Some((name, rest))) = (env::current_exe(), args.split_first()) {
        // Where it cannot be done, it is this process that goes on.
        let _ = Command::new(program).arg0(name).args(rest).env(BACKTRACE, "0").exec();
    }
}

/// Elsewhere a process cannot become another, and an abort saves nothing that a hang could lose.
#[cfg(not(unix))]
pub(crate) fn without_backtraces(_: &[OsString]) {}

fn message(info: &PanicHookInfo<'_>) -> String {
    let what = info.payload_as_str().unwrap_or("a panic without a message");
    let place = info.location().map_or(String::new(), |place| format!(" ({}:{})", place.file(), place.line()));
    format!("the program failed: {what}{place}")
}
