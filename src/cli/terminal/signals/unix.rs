//! Signals.
//!
//! | signal | in long work | elsewhere |
//! | --- | --- | --- |
//! | SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR2 | the work saves and ends; a repeat ends it at once, see below | ends the process |
//! | SIGXCPU, SIGALRM, SIGVTALRM | the work saves and ends; the system may repeat these by itself | ends the process |
//! | SIGUSR1 | shows the progress | the same, where there is some |
//! | SIGXFSZ | nothing: the write that was too large fails, as on a full disk | the same |
//! | SIGABRT | ends the process with exit code 1, see below | the same |
//!
//! **Repeats.** Programs such as GNU `timeout` send a signal twice, some microseconds apart, to the process and to its
//! group. So a repeat counts only when a second has passed, which is when a person who presses ^C again means it.
//!
//! **PID 1.** In a container the program may be the first process, which no default action of a signal can end. It
//! then exits with the code that a shell gives for the signal, 128 and its number.
//!
//! **No memory.** Where an allocation fails, or a stack is too small, the standard library says so in a line and raises
//! SIGABRT, in whatever thread that was; a watchdog sends the same signal. Its handler ends the process there and then,
//! for whatever else it tried could need memory too, or wait for a thread that needs some. What was finished since the
//! last save is lost, as with `kill -9`: `--checkpoint-every` at most.
//!
//! A signal that the program was started to ignore, as `nohup` does with SIGHUP, stays ignored. SIGINT is taken all the same: a
//! shell has every command in the background ignore it, and SIGQUIT.

use std::io::IsTerminal;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};
use std::{fs, io, process, thread};

use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};

use super::{SHARED, SIGNALLED, end, show_activity};
use crate::cli::terminal::Exit;

/// Signals that end a run and are sent on purpose: a repeat of one is meant.
const SENT: [i32; 5] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR2];

/// Signals that end a run and come from a clock of the system, which may send them again and again.
const CLOCKS: [i32; 3] = [SIGXCPU, SIGALRM, SIGVTALRM];

/// What every command does with signals, from its start on.
pub(crate) fn start() {
    let always = Arc::new(AtomicBool::new(true));
    // These fail only for signals that cannot be handled. SIGABRT comes first, should there be no memory for the others.
    let _ = is_taken(SIGABRT).then(|| flag::register_conditional_shutdown(SIGABRT, Exit::Failure as i32, always));
    let _ = is_taken(SIGUSR1).then(|| flag::register(SIGUSR1, Arc::clone(&SHARED.asked)));
    let _ = is_taken(SIGXFSZ).then(|| flag::register(SIGXFSZ, Arc::default()));
    if is_first() {
        // Without a thread the signals do nothing at all, as for any first process.
        let _ = super::thread();
    }
}

pub(super) fn start_thread() -> io::Result<()> {
    let signals = SENT.into_iter().chain(CLOCKS).chain([SIGUSR1]).filter(|&signal| is_taken(signal));
    let signals = Signals::new(signals)?;
    thread::Builder::new().name("signals".to_owned()).spawn(|| receive(signals))?;
    for signal in SENT.into_iter().filter(|&signal| is_taken(signal)) {
        let armed = Arc::clone(&SHARED.armed);
        if is_first() {
            flag::register_conditional_shutdown(signal, SIGNALLED + signal, armed)?;
        } else {
            flag::register_conditional_default(signal, armed)?;
        }
    }
    Ok(())
}

/// What the thread does.
fn receive(mut signals: Signals) {
    loop {
        for signal in signals.wait() {
            if signal == SIGUSR1 {
                show_activity();
            } else {
                end(signal, || drop(signals.pending()));
                // Those that came meanwhile were repeats.
                break;
            }
        }
    }
}

/// Does what the signal does by itself, which the first process of a container is spared.
pub(super) fn raise(signal: i32) {
    if !is_first() {
        // It fails only for signals that do not exist.
        let _ = low_level::emulate_default_handler(signal);
    }
}

/// `SIGINT` and so on.
pub(crate) fn name(signal: i32) -> &'static str {
    low_level::signal_name(signal).unwrap_or("a signal")
}

/// Whether this is the first process of its container.
fn is_first() -> bool {
    process::id() == 1
}

/// The signals that the program was started to ignore: bit 0 is signal 1. Asked first by [`start`], before any is handled.
static IGNORED: LazyLock<u64> = LazyLock::new(|| match fs::read_to_string("/proc/self/status") {
    Ok(status) => ignored_in(&status),
    // No /proc: `nohup` leaves neither stream on a terminal.
    Err(_) if !io::stdout().is_terminal() && !io::stderr().is_terminal() => bit(SIGHUP),
    Err(_) => 0,
});

/// Whether the signal is the program's to handle.
pub(crate) fn is_taken(signal: i32) -> bool {
    signal == SIGINT || *IGNORED & bit(signal) == 0
}

const fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// Reads the set of ignored signals in Linux's `/proc/PID/status`.
fn ignored_in(status: &str) -> u64 {
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read() {
        let status = "Name:\tqueens\nSigIgn:\t0000000000005001\nSigCgt:\t0000000000000002\n";
        assert_eq!(ignored_in(status), bit(SIGHUP) | bit(SIGTERM) | 1 << 12);
        assert_eq!(ignored_in("Name:\tqueens\n"), 0);
    }
}
