//! Signals: one rule for every command.
//!
//! SIGINT, SIGTERM and SIGHUP end the process as they do any other, and so do SIGXCPU, SIGUSR1 and SIGUSR2, which batch
//! systems send some time before a limit. But while there is long work, it is told first: what it has found, or finds within
//! a second, is printed; a count is saved, however long that takes; and then the process dies of the signal, whatever it has
//! printed. A second signal ends it at once. Programs such as GNU `timeout` send a signal twice,
//! some microseconds apart, to the process and to its group; so one counts as the second only when a second has passed.
//!
//! A signal that the program was started to ignore stays ignored, as by `nohup` and `sh -c 'queens ... &'`.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fs, process, thread};

use super::failure::Failure;
use super::threads;

pub(crate) use system::start;

/// A signal that follows another one sooner than this is a repeat of it.
const REPEAT_WITHIN: Duration = Duration::from_secs(1);
/// Who has been told of a signal and prints nothing more, for example since nobody reads, is waited for so much longer.
const PATIENCE: Duration = Duration::from_secs(1);

static STATE: Mutex<State> = Mutex::new(State { came: None, tell: None, is_saving: false, drafts: Vec::new() });

struct State {
    /// The first signal.
    came: Option<i32>,
    /// Tells long work, the latest that listened.
    tell: Option<Box<dyn Fn() + Send>>,
    /// Whether that may be saved, which nobody but a second signal cuts short.
    is_saving: bool,
    /// Files that are to take their places when they are whole, and are removed if that will never be.
    drafts: Vec<PathBuf>,
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on a signal is told by this call instead of ending the process. It fails if one has come.
pub(crate) fn listen(tell: impl Fn() + Send + 'static, is_saving: bool) -> Result<(), Failure> {
    let mut state = state();
    if state.came.is_some() {
        return Err(Failure::Stopped);
    }
    state.tell = Some(Box::new(tell));
    state.is_saving = is_saving;
    Ok(())
}

/// The work that is saved has come to its end, and is saved.
pub(crate) fn is_saved() {
    state().is_saving = false;
}

/// This file is not to be left behind by a signal.
pub(crate) fn remove_at_death(draft: PathBuf) {
    state().drafts.push(draft);
}

/// Dies of the signal that has come, if one has.
pub(crate) fn die_if_told() {
    let came = state().came;
    if let Some(signal) = came {
        die_of(signal);
    }
}

/// Ends the process by the signal, so that the shell sees which it was.
fn die_of(signal: i32) -> ! {
    for draft in &state().drafts {
        // Those that have taken their places are not there any more.
        let _ = fs::remove_file(draft);
    }
    system::die_of(signal)
}

/// What the thread does when a signal has come: tells long work, or ends the process if there is none.
fn receive(signal: i32) {
    let is_told = {
        let mut state = state();
        state.came = Some(signal);
        state.tell.as_ref().map(|tell| tell()).is_some()
    };
    if !is_told {
        die_of(signal);
    }
    thread::sleep(REPEAT_WITHIN);
}

/// What the thread does when a second signal would be one: ends the process, unless it is saving.
fn lose_patience(signal: i32) {
    thread::sleep(PATIENCE);
    if !state().is_saving {
        die_of(signal);
    }
}

#[cfg(unix)]
mod system {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTTOU, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::{flag, low_level};

    use super::{io, lose_patience, process, receive, threads};

    const ENDS: [i32; 6] = [SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1, SIGUSR2];

    /// What every command does with signals from its start on. A message from the background of a terminal must not stop it,
    /// and a file that may not grow is an error like a full disk.
    #[expect(unsafe_code, reason = "the crates for signals install handlers, but ignore nothing")]
    pub(crate) fn start() -> io::Result<()> {
        for signal in [SIGTTOU, SIGXFSZ] {
            // SAFETY: no handler is installed, so none can do what a handler must not.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
        let taken = ENDS.into_iter().filter(|&signal| !is_ignored(signal));
        let mut signals = Signals::new(taken.clone())?;
        // Whether the next signal ends the process by itself, without the thread.
        let is_second = Arc::new(AtomicBool::new(false));
        // SIGXCPU comes again with each second of processor time, so it is never a second one.
        for signal in taken.filter(|&signal| signal != SIGXCPU) {
            flag::register_conditional_default(signal, Arc::clone(&is_second))?;
        }
        threads::start("signals", move || {
            while let Some(signal) = signals.forever().next() {
                receive(signal);
                // Those that have come meanwhile are repeats.
                signals.pending().for_each(drop);
                is_second.store(true, Ordering::Relaxed);
                lose_patience(signal);
            }
        })
    }

    /// No signal ends the first process of a container by itself; that exits with the code that a shell has for the signal.
    pub(super) fn die_of(signal: i32) -> ! {
        if process::id() != 1 {
            let _ = low_level::emulate_default_handler(signal);
        }
        process::exit(128 + signal)
    }

    #[expect(unsafe_code, reason = "the crates for signals do not tell")]
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

    use super::{die_of as end, io, lose_patience, process, receive, threads};

    /// What a Ctrl-C is elsewhere.
    const SIGINT: i32 = 2;

    pub(crate) fn start() -> io::Result<()> {
        let (presses, pressed) = mpsc::channel();
        // It fails only when the thread has ended, and with it the process.
        let press = move || presses.send(()).unwrap_or_default();
        ctrlc::set_handler(press).map_err(io::Error::other)?;
        threads::start("signals", move || {
            if pressed.recv().is_ok() {
                receive(SIGINT);
                while pressed.try_recv().is_ok() {}
                lose_patience(SIGINT);
                let _ = pressed.recv();
                end(SIGINT);
            }
        })
    }

    pub(super) fn die_of(signal: i32) -> ! {
        process::exit(128 + signal)
    }
}
