//! Signals: one rule for every command.
//!
//! SIGINT, SIGTERM and SIGHUP end the process, and so do SIGXCPU, SIGUSR1 and SIGUSR2, which batch systems send before
//! a limit. Long work is notified first: results found so far, or within a second, are printed; a count is saved,
//! however long that takes; then the process ends by the signal. A second signal ends it at once, if it comes more than
//! a second later: GNU `timeout` and others send a signal twice, microseconds apart, to the process and to its group.
//!
//! A signal that is ignored at the start stays ignored, as with `nohup` and `sh -c 'queens ... &'`.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fs, process, thread};

use super::failure::{Failure, Result};
use super::threads;

pub(crate) use system::start;

/// A signal that follows another sooner than this is a repeat of it.
const REPEAT_WITHIN: Duration = Duration::from_secs(1);
/// How much longer to wait for work that was notified but prints nothing more, for example because nobody reads.
const GRACE: Duration = Duration::from_secs(1);

static STATE: Mutex<State> = Mutex::new(State { pending: None, notify: None, is_saving: false, drafts: Vec::new() });

struct State {
    /// The first signal.
    pending: Option<i32>,
    /// Notifies the latest long work.
    notify: Option<Box<dyn Fn() + Send>>,
    /// Whether that work is saved, which only a second signal may cut short.
    is_saving: bool,
    /// Unfinished files, which are removed if a signal ends the process.
    drafts: Vec<PathBuf>,
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on a signal calls `notify` instead of ending the process. Fails if a signal is pending.
pub(crate) fn listen(notify: impl Fn() + Send + 'static, is_saving: bool) -> Result {
    let mut state = state();
    if state.pending.is_some() {
        return Err(Failure::Stopped);
    }
    state.notify = Some(Box::new(notify));
    state.is_saving = is_saving;
    Ok(())
}

/// The work has ended and is saved.
pub(crate) fn end_saving() {
    state().is_saving = false;
}

/// Removes this file if a signal ends the process.
pub(crate) fn remove_on_signal(draft: PathBuf) {
    state().drafts.push(draft);
}

/// Ends the process by the pending signal, if there is one.
pub(crate) fn exit_by_pending_signal() {
    let pending = state().pending;
    if let Some(signal) = pending {
        exit_by_signal(signal);
    }
}

/// Ends the process by the signal, so that the shell sees which it was.
fn exit_by_signal(signal: i32) -> ! {
    for draft in &state().drafts {
        // A finished file has another name by now.
        let _ = fs::remove_file(draft);
    }
    system::exit_by_signal(signal)
}

/// Handles a signal: notifies long work, or ends the process if there is none.
fn receive(signal: i32) {
    let is_handled = {
        let mut state = state();
        state.pending.get_or_insert(signal);
        state.notify.as_ref().map(|notify| notify()).is_some()
    };
    if !is_handled {
        exit_by_signal(signal);
    }
    thread::sleep(REPEAT_WITHIN);
}

/// After the grace period: ends the process, unless it is saving.
fn force_exit(signal: i32) {
    thread::sleep(GRACE);
    if !state().is_saving {
        exit_by_signal(signal);
    }
}

#[cfg(unix)]
mod system {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTTOU, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::{flag, low_level};

    use super::{force_exit, io, process, receive, threads};

    const ENDS: [i32; 6] = [SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2];

    /// Sets up signals for every command. Writing from the background must not stop the program (SIGTTOU), and a
    /// file-size limit is an error like a full disk (SIGXFSZ).
    #[expect(unsafe_code, reason = "the crates for signals install handlers, but ignore nothing")]
    pub(crate) fn start() -> io::Result<()> {
        for signal in [SIGTTOU, SIGXFSZ] {
            // SAFETY: no handler is installed, so none can do what a handler must not.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
        let handled = ENDS.into_iter().filter(|&signal| !is_ignored(signal));
        let mut signals = Signals::new(handled.clone())?;
        // Whether the next signal ends the process directly, without the thread.
        let is_second = Arc::new(AtomicBool::new(false));
        // SIGXCPU repeats with each second of processor time, so it never counts as a second signal.
        for signal in handled.filter(|&signal| signal != SIGXCPU) {
            flag::register_conditional_default(signal, Arc::clone(&is_second))?;
        }
        threads::start("signals", move || {
            while let Some(signal) = signals.forever().next() {
                receive(signal);
                // Signals that have arrived by now are repeats.
                signals.pending().for_each(drop);
                is_second.store(true, Ordering::Relaxed);
                force_exit(signal);
            }
        })
    }

    /// Signals do not kill process 1 of a container by default, so it exits with the shell's code for the signal.
    pub(super) fn exit_by_signal(signal: i32) -> ! {
        if process::id() != 1 {
            let _ = low_level::emulate_default_handler(signal);
        }
        process::exit(128 + signal)
    }

    #[expect(unsafe_code, reason = "the crates for signals do not notify")]
    fn is_ignored(signal: i32) -> bool {
        let mut now = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: without a new action it only writes the present one, which zeros are too.
        unsafe {
            libc::sigaction(signal, std::ptr::null(), now.as_mut_ptr());
            now.assume_init().sa_sigaction == libc::SIG_IGN
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::sync::mpsc;

    use super::{exit_by_signal as end, force_exit, io, process, receive, threads};

    /// Ctrl-C.
    const SIGINT: i32 = 2;

    pub(crate) fn start() -> io::Result<()> {
        let (presses, pressed) = mpsc::channel();
        // Sending fails only once the thread has ended, and with it the process.
        let press = move || presses.send(()).unwrap_or_default();
        ctrlc::set_handler(press).map_err(io::Error::other)?;
        threads::start("signals", move || {
            if pressed.recv().is_ok() {
                receive(SIGINT);
                while pressed.try_recv().is_ok() {}
                force_exit(SIGINT);
                let _ = pressed.recv();
                end(SIGINT);
            }
        })
    }

    pub(super) fn exit_by_signal(signal: i32) -> ! {
        process::exit(128 + signal)
    }
}
