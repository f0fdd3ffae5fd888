//! Signals: SIGINT, SIGTERM and SIGHUP end a run in an orderly way, SIGUSR1 asks how far it is.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::{flag, low_level};

/// What has arrived since [`Signals::listen`].
pub(crate) struct Signals {
    /// The number of the signal, 0 before.
    ending: Arc<AtomicUsize>,
    asked: Arc<AtomicBool>,
}

impl Signals {
    /// From here on the first SIGINT, SIGTERM or SIGHUP is only noted; the second ends the process at once.
    pub(crate) fn listen() -> io::Result<Self> {
        let signals = Self { ending: Arc::default(), asked: Arc::default() };
        let second = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // In this order: the signal that raises the flag must not find it raised.
            flag::register_conditional_default(signal, Arc::clone(&second))?;
            flag::register(signal, Arc::clone(&second))?;
            flag::register_usize(signal, Arc::clone(&signals.ending), signal as usize)?;
        }
        flag::register(SIGUSR1, Arc::clone(&signals.asked))?;
        Ok(signals)
    }

    /// The signal that asks to end.
    pub(crate) fn ending(&self) -> Option<i32> {
        // Relaxed, here and below: the number is all there is to know.
        i32::try_from(self.ending.load(Ordering::Relaxed)).ok().filter(|&signal| signal != 0)
    }

    /// Whether SIGUSR1 has come since the last time.
    pub(crate) fn asked(&self) -> bool {
        self.asked.swap(false, Ordering::Relaxed)
    }
}

/// Dies of the signal, so that the shell sees what it was.
pub(crate) fn die_of(signal: i32) {
    // It fails for signals that do not exist only; the caller then ends in its own way.
    let _ = low_level::emulate_default_handler(signal);
}

/// `SIGINT` and so on.
pub(crate) fn name(signal: i32) -> &'static str {
    low_level::signal_name(signal).unwrap_or("a signal")
}
