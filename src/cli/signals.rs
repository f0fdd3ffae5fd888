//! Signals.
//!
//! SIGINT, SIGTERM and SIGHUP end the process as they do any other, but while there is long work, that is told instead, saves
//! and ends. A second signal ends the process at once. Programs such as GNU `timeout` send a signal twice, some microseconds
//! apart, to the process and to its group; so one counts as the second only when a second has passed.
//!
//! A SIGHUP that the program was started to ignore, as by `nohup`, stays ignored.

use std::io;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{process, thread};

pub(crate) use system::{die_of, start};

/// A signal that follows another one sooner than this is a repeat of it.
const REPEAT_WITHIN: Duration = Duration::from_secs(1);

type Tell = Box<dyn Fn(i32) + Send>;

/// Long work that is told of signals, the latest that listened.
static WORK: Mutex<Option<Tell>> = Mutex::new(None);

/// From here on, until the value is dropped, signals are sent here instead of ending the process.
pub(crate) fn listen<E: Send + 'static>(to: Sender<E>, event: fn(i32) -> E) -> io::Result<Listening> {
    /// Started once; an error is kept for whoever listens next.
    static THREAD: OnceLock<Result<(), String>> = OnceLock::new();
    THREAD
        .get_or_init(|| system::start_thread().map_err(|error| error.to_string()))
        .clone()
        .map_err(io::Error::other)?;
    set(Some(Box::new(move |signal| drop(to.send(event(signal))))));
    Ok(Listening)
}

/// As long as it lives, long work is told of signals.
#[must_use]
pub(crate) struct Listening;

impl Drop for Listening {
    fn drop(&mut self) {
        set(None);
    }
}

fn set(tell: Option<Tell>) {
    *WORK.lock().unwrap_or_else(PoisonError::into_inner) = tell;
}

/// What the thread does when a signal has come: tells long work, or ends the process if there is none.
fn receive(signal: i32) {
    match &*WORK.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(tell) => tell(signal),
        None => die_of(signal),
    }
    thread::sleep(REPEAT_WITHIN);
}

#[cfg(unix)]
mod system {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTTOU};
    use signal_hook::iterator::Signals;
    use signal_hook::{flag, low_level};

    use super::{io, process, receive, thread};

    /// What every command does with signals from its start on: a message from the background of a terminal must not stop it.
    #[expect(unsafe_code, reason = "the crates for signals install handlers, but ignore nothing")]
    pub(crate) fn start() {
        // SAFETY: no handler is installed, so none can do what a handler must not.
        unsafe { libc::signal(SIGTTOU, libc::SIG_IGN) };
    }

    /// Ends the process by the signal, so that the shell sees which it was. No signal ends the first process of a container in
    /// this way; it exits with the code that a shell has for the signal.
    pub(crate) fn die_of(signal: i32) -> ! {
        if process::id() != 1 {
            let _ = low_level::emulate_default_handler(signal);
        }
        process::exit(128 + signal)
    }

    pub(super) fn start_thread() -> io::Result<()> {
        let taken = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| signal != SIGHUP || !is_ignored(signal));
        let mut signals = Signals::new(taken.clone())?;
        // Whether the next signal ends the process by itself, without the thread.
        let is_second = Arc::new(AtomicBool::new(false));
        for signal in taken {
            flag::register_conditional_default(signal, Arc::clone(&is_second))?;
        }
        let listen = move || {
            while let Some(signal) = signals.forever().next() {
                receive(signal);
                // Those that have come meanwhile are repeats.
                signals.pending().for_each(drop);
                is_second.store(true, Ordering::Relaxed);
            }
        };
        thread::Builder::new().name("signals".to_owned()).spawn(listen).map(drop)
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

    use super::{io, process, receive, thread};

    /// What a Ctrl-C is elsewhere.
    const SIGINT: i32 = 2;

    pub(crate) fn start() {}

    pub(crate) fn die_of(signal: i32) -> ! {
        process::exit(128 + signal)
    }

    pub(super) fn start_thread() -> io::Result<()> {
        let (presses, pressed) = mpsc::channel();
        // It fails only when the thread has ended, and with it the process.
        let press = move || presses.send(()).unwrap_or_default();
        ctrlc::set_handler(press).map_err(io::Error::other)?;
        let listen = move || {
            if pressed.recv().is_ok() {
                receive(SIGINT);
                while pressed.try_recv().is_ok() {}
                let _ = pressed.recv();
                die_of(SIGINT);
            }
        };
        thread::Builder::new().name("signals".to_owned()).spawn(listen).map(drop)
    }
}
