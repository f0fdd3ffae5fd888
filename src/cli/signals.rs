//! Signals, heeded by a thread of their own, which neither counts, saves nor prints.
//!
//! | signal | in a long run | elsewhere |
//! | --- | --- | --- |
//! | SIGINT, SIGTERM, SIGHUP | the run saves and ends; a repeat ends it at once, see below | ends the process |
//! | SIGXCPU | the run saves and ends; the system repeats this one by itself | ends the process |
//! | SIGUSR1 | shows how far the run is | nothing |
//! | SIGXFSZ | nothing: the write that was too large fails, as on a full disk | the same |
//! | SIGABRT | the run saves and ends with exit code 1: see below | exit code 1 |
//!
//! **Repeats.** Programs such as GNU `timeout` send a signal twice, some microseconds apart, to the process and to its
//! group. So a repeat counts only once the run has saved or a second has passed, which is when a person who presses ^C
//! again means it.
//!
//! **PID 1.** In a container the program may be the first process, which no default action of a signal can end. It
//! then exits with the code that a shell gives for the signal, 128 and its number.
//!
//! **No memory.** Where an allocation fails the standard library says so and raises SIGABRT, and when that returns, the
//! process ends. It does not return: its handler writes to a pipe that is full. Meanwhile this thread gives some
//! spare memory back and has the run saved.
//!
//! A signal that the program was started to ignore, as `nohup` does with SIGHUP, stays ignored.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;
use std::{fs, process};

use rustix::fs::OFlags;

use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGXCPU, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};

use super::Exit;

/// How soon after the first signal another one is only a repeat of it.
const REPEAT: Duration = Duration::from_secs(1);

/// What a signal, or a failure of the program itself, asks of a long run.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    /// To save and end, by this signal.
    End(i32),
    /// To show how far it is.
    Show,
    /// To save and end, for a thread has failed.
    Failed(String),
    /// To save and end, for a thread has aborted, and the standard library has said why.
    Aborted,
}

type Tell = Box<dyn Fn(Request) + Send>;

/// What the thread needs to know of the rest of the program.
#[derive(Default)]
struct Desk {
    /// Whether the next ending signal acts by itself, without the thread.
    armed: Arc<AtomicBool>,
    /// Whether there is no thread.
    alone: Arc<AtomicBool>,
    /// Where a long run wants to be told.
    run: Mutex<Option<Tell>>,
    /// Unfinished files, which go before the process does.
    litter: Mutex<BTreeSet<PathBuf>>,
    /// Whether SIGUSR1 has come before anybody wanted to know.
    asked: Arc<AtomicBool>,
}

static DESK: OnceLock<Desk> = OnceLock::new();
/// Started when first needed; the error is kept for whoever needs it next.
static THREAD: OnceLock<Result<(), String>> = OnceLock::new();

fn desk() -> &'static Desk {
    DESK.get_or_init(Desk::default)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere ends the program anyway.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What holds for every command from the first moment on.
pub(crate) fn start() {
    desk().alone.store(true, Ordering::Relaxed);
    // These only fail for signals that may not be had, which are none of these.
    let _ = flag::register(SIGUSR1, Arc::clone(&desk().asked));
    let _ = flag::register(SIGXFSZ, Arc::default());
    let _ = flag::register_conditional_shutdown(SIGABRT, Exit::Failure.code().into(), Arc::clone(&desk().alone));
    if is_first() {
        // Without a thread the signals do nothing at all, as for any first process.
        let _ = thread();
    }
}

/// From here on, until the value is dropped, ending signals are told to a long run instead of ending the process.
pub(crate) fn listen(tell: impl Fn(Request) + Send + 'static) -> io::Result<Listening> {
    thread()?;
    if desk().asked.swap(false, Ordering::Relaxed) {
        tell(Request::Show);
    }
    desk().armed.store(false, Ordering::Relaxed);
    *lock(&desk().run) = Some(Box::new(tell));
    Ok(Listening)
}

/// As long as it lives, a long run is told.
#[must_use]
pub(crate) struct Listening;

/// All is saved: another signal ends the process at once.
pub(crate) fn arm() {
    desk().armed.store(true, Ordering::Relaxed);
}

impl Drop for Listening {
    fn drop(&mut self) {
        *lock(&desk().run) = None;
    }
}

/// Tells a long run that a thread has failed; whether there is one.
pub(crate) fn tell_failed(message: &str) -> bool {
    // A thread that fails while it holds the lock must not wait for itself.
    let Ok(run) = desk().run.try_lock() else { return false };
    run.as_ref().is_some_and(|tell| {
        tell(Request::Failed(message.to_owned()));
        true
    })
}

/// An unfinished file that goes if a signal ends the process before this value is dropped.
pub(crate) struct Litter(PathBuf);

impl Litter {
    /// Has such a file made. A signal that comes meanwhile waits until it is known what there is to remove.
    pub(crate) fn make<T>(
        make: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> &Path,
    ) -> io::Result<(T, Self)> {
        // Without the thread the file would only stay behind.
        let _ = thread();
        let mut litter = lock(&desk().litter);
        let made = make()?;
        let path = path(&made).to_owned();
        litter.insert(path.clone());
        Ok((made, Self(path)))
    }
}

impl Drop for Litter {
    fn drop(&mut self) {
        lock(&desk().litter).remove(&self.0);
    }
}

/// Starts the thread, once.
fn thread() -> io::Result<()> {
    let started = THREAD.get_or_init(|| begin().map_err(|error| error.to_string()));
    started.clone().map_err(io::Error::other)
}

fn begin() -> io::Result<()> {
    let ending: Vec<i32> =
        [SIGINT, SIGTERM, SIGHUP, SIGXCPU].into_iter().filter(|&signal| !is_ignored(signal)).collect();
    let signals = Signals::new(ending.iter().chain(&[SIGUSR1, SIGABRT]))?;
    never_return_from(SIGABRT)?;
    thread::Builder::new().name("signals".to_owned()).spawn(|| heed(signals))?;
    desk().alone.store(false, Ordering::Relaxed);
    // The system sends SIGXCPU every second by itself: nobody means it.
    for signal in ending.into_iter().filter(|&signal| signal != SIGXCPU) {
        let armed = Arc::clone(&desk().armed);
        if is_first() {
            flag::register_conditional_shutdown(signal, Exit::Signal(signal as u8).code().into(), armed)?;
        } else {
            flag::register_conditional_default(signal, armed)?;
        }
    }
    Ok(())
}

/// Parks whatever thread this signal is raised in: the last action of its handler is a write to a full pipe.
fn never_return_from(signal: i32) -> io::Result<()> {
    let (reader, writer) = io::pipe()?;
    let mut end = writer.try_clone()?;
    // This makes writes fail where they would wait.
    low_level::pipe::register(signal, writer)?;
    while end.write(&[0; 1 << 12]).is_ok() {}
    while end.write(&[0]).is_ok() {}
    rustix::fs::fcntl_setfl(&end, OFlags::empty())?;
    // Without a reader the write would fail. As long as the process lives:
    std::mem::forget(reader);
    Ok(())
}

/// Memory to save with when there is no other: address space that is never touched.
const SPARE: usize = 1 << 25;

/// The thread.
fn heed(mut signals: Signals) {
    let mut spare = Some(black_box(Vec::<u8>::with_capacity(SPARE)));
    let mut aborted = false;
    loop {
        for signal in signals.wait() {
            let run = lock(&desk().run);
            match (run.as_ref(), signal) {
                (Some(tell), SIGUSR1) => tell(Request::Show),
                (None, SIGUSR1) => {}
                (Some(tell), SIGABRT) if !aborted => {
                    aborted = true;
                    drop(spare.take());
                    tell(Request::Aborted);
                }
                // Whoever saves has failed too, or there is nothing to save.
                (_, SIGABRT) => process::exit(Exit::Failure.code().into()),
                (Some(tell), _) => {
                    tell(Request::End(signal));
                    drop(run);
                    thread::sleep(REPEAT);
                    // Those that came meanwhile were repeats.
                    let _ = signals.pending();
                    arm();
                    break;
                }
                (None, _) => {
                    for path in &*lock(&desk().litter) {
                        let _ = fs::remove_file(path);
                    }
                    process::exit(die_of(signal).code().into());
                }
            }
        }
    }
}

/// Dies of the signal, so that the shell sees what it was; where that cannot be, gives the exit code that says so.
pub(crate) fn die_of(signal: i32) -> Exit {
    if !is_first() {
        // It fails for signals that do not exist only.
        let _ = low_level::emulate_default_handler(signal);
    }
    Exit::Signal(signal as u8)
}

/// `SIGINT` and so on.
pub(crate) fn name(signal: i32) -> &'static str {
    low_level::signal_name(signal).unwrap_or("a signal")
}

/// Whether this is the first process of its container.
fn is_first() -> bool {
    process::id() == 1
}

/// Whether the program was started with this signal ignored. Only SIGHUP is asked for: `nohup` sets it, while a shell
/// that runs a command in the background ignores SIGINT for it without anybody having said so.
fn is_ignored(signal: i32) -> bool {
    use std::io::IsTerminal;
    if signal != SIGHUP {
        return false;
    }
    match fs::read_to_string("/proc/self/status") {
        Ok(status) => ignored_in(&status, signal),
        // A system that does not tell: `nohup` leaves neither stream on a terminal.
        Err(_) => !io::stdout().is_terminal() && !io::stderr().is_terminal(),
    }
}

/// Reads the set of ignored signals in Linux's `/proc/PID/status`: bit 0 is signal 1.
fn ignored_in(status: &str, signal: i32) -> bool {
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let set = set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0);
    set >> (signal - 1) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read() {
        let status = "Name:\tqueens\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000000\n";
        assert!(ignored_in(status, SIGHUP));
        assert!(!ignored_in(status, SIGINT));
        assert!(!ignored_in("", SIGHUP));
    }
}
