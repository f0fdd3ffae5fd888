//! Signals, received by a thread of their own, which neither counts, saves nor prints.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod system;

use std::collections::BTreeSet;
use std::fs::Permissions;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fs, io, process, thread};

use queens::ledger::durable::Draft;

#[cfg(all(unix, feature = "browse"))]
pub(crate) use system::is_taken;
pub(crate) use system::{name, start};

/// A signal that follows another one sooner than this is a repeat of it.
const REPEAT_WITHIN: Duration = Duration::from_secs(1);

/// A shell reports the end by a signal as this exit code and the signal's number.
pub(crate) const SIGNALLED: i32 = 128;

/// Why long work is to save and end.
#[derive(Clone, Debug)]
pub(crate) enum Interruption {
    /// By this signal.
    Signal(i32),
    /// As a thread has failed, with this message.
    Failed(String),
}

pub(crate) type Tell = Box<dyn Fn(Interruption) + Send>;
pub(crate) type Show = Box<dyn Fn() + Send>;

/// What the thread shares with the rest of the program.
#[derive(Default)]
struct Shared {
    /// Whether the next signal that ends the process does so by itself, without the thread.
    armed: Arc<AtomicBool>,
    /// The long work that is told of signals instead of being ended by them.
    work: Mutex<Option<Tell>>,
    /// The command that shows its progress when it is asked to.
    activity: Mutex<Option<Show>>,
    /// Whether SIGUSR1 has come and is not answered yet: its handler sets it, whoever shows the progress takes it back.
    asked: Arc<AtomicBool>,
    /// Unfinished files, to be removed before the process ends.
    unfinished: Mutex<BTreeSet<PathBuf>>,
}

static SHARED: LazyLock<Shared> = LazyLock::new(Shared::default);
/// Started when first needed; the error is kept for whoever needs it next.
static THREAD: LazyLock<Result<(), String>> =
    LazyLock::new(|| system::start_thread().map_err(|error| error.to_string()));

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere ends the program anyway.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn thread() -> io::Result<()> {
    THREAD.clone().map_err(io::Error::other)
}

/// From here on, until the value is dropped, signals that would end the process are told to long work instead.
pub(crate) fn listen(tell: impl Fn(Interruption) + Send + 'static) -> io::Result<Listening> {
    thread()?;
    SHARED.armed.store(false, Ordering::Relaxed);
    *lock(&SHARED.work) = Some(Box::new(tell));
    Ok(Told(&SHARED.work))
}

/// From here on, until the value is dropped, SIGUSR1 has a command show its progress.
pub(crate) fn answer(show: impl Fn() + Send + 'static) -> io::Result<Answering> {
    thread()?;
    *lock(&SHARED.activity) = Some(Box::new(show));
    // It may have come before.
    show_activity();
    Ok(Told(&SHARED.activity))
}

/// Shows the progress where it is asked for, once. Where there is none yet, the next command's activity does.
fn show_activity() {
    if let Some(show) = &*lock(&SHARED.activity)
        && SHARED.asked.swap(false, Ordering::Relaxed)
    {
        show();
    }
}

/// While it lives, somebody is told of signals.
#[must_use]
pub(crate) struct Told<T: 'static>(&'static Mutex<Option<T>>);
pub(crate) type Listening = Told<Tell>;
pub(crate) type Answering = Told<Show>;

impl<T> Drop for Told<T> {
    fn drop(&mut self) {
        *lock(self.0) = None;
    }
}

/// What the thread does where the process is to end: tells long work, and else ends it. `discard` takes the repeats that came
/// meanwhile.
fn end(signal: i32, discard: impl FnOnce()) {
    let work = lock(&SHARED.work);
    let Some(tell) = work.as_ref() else {
        for path in &*lock(&SHARED.unfinished) {
            let _ = fs::remove_file(path);
        }
        die_of(signal)
    };
    tell(Interruption::Signal(signal));
    drop(work);
    thread::sleep(REPEAT_WITHIN);
    discard();
    // From here on a signal can be no repeat, and ends the process at once. Done earlier, as soon as all was saved, it let a
    // repeat swallow the last lines, which tell how to go on.
    SHARED.armed.store(true, Ordering::Relaxed);
}

/// Ends the process by the signal, so that the shell sees which it was; where that cannot be, with the exit code that a shell
/// has for it.
pub(crate) fn die_of(signal: i32) -> ! {
    system::raise(signal);
    process::exit(SIGNALLED + signal)
}

/// Tells long work that a thread has failed; returns whether there is some.
pub(crate) fn tell_failed(message: &str) -> bool {
    // A thread that fails while it holds the lock must not wait for itself.
    let Ok(work) = SHARED.work.try_lock() else { return false };
    work.as_ref().is_some_and(|tell| {
        tell(Interruption::Failed(message.to_owned()));
        true
    })
}

/// An unfinished file, which is removed if a signal ends the process before this value is dropped.
pub(crate) struct UnfinishedFile(PathBuf);

impl UnfinishedFile {
    /// Makes a draft of a file. A signal that comes meanwhile waits until it is known.
    pub(crate) fn draft(path: &Path, permissions: Option<&Permissions>) -> io::Result<(Draft, Self)> {
        // Where the thread cannot be started, the file may stay behind.
        let _ = thread();
        let mut unfinished = lock(&SHARED.unfinished);
        let draft = Draft::new(path, None, permissions)?;
        unfinished.insert(draft.path().to_owned());
        let itself = Self(draft.path().to_owned());
        Ok((draft, itself))
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        lock(&SHARED.unfinished).remove(&self.0);
    }
}
