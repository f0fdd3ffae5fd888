//! Signals, received by a thread of their own, which neither counts, saves nor prints.
//!
//! | file | what it receives |
//! | --- | --- |
//! | `unix.rs` | signals |
//! | `windows.rs` | Ctrl-C and Ctrl-Break |

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use std::{fs, io};

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub(crate) use system::{die_of, name, start};

/// A signal that follows another one sooner than this is a repeat of it.
const REPEAT_WITHIN: Duration = Duration::from_secs(1);

/// What a signal, or a failure of the program itself, asks of a long run.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    /// To save and end, by this signal.
    End(i32),
    /// To show its progress.
    Show,
    /// To save and end, as a thread has failed.
    Failed(String),
}

type Tell = Box<dyn Fn(Request) + Send>;

/// What the thread shares with the rest of the program.
#[derive(Default)]
struct Shared {
    /// Whether the next signal that ends the process does so by itself, without the thread.
    armed: Arc<AtomicBool>,
    /// The long run that is told of signals instead of being ended by them.
    run: Mutex<Option<Tell>>,
    /// The command that shows its progress when it is asked to, but is ended by signals.
    activity: Mutex<Option<Box<dyn Fn() + Send>>>,
    /// Unfinished files, to be removed before the process ends.
    unfinished: Mutex<BTreeSet<PathBuf>>,
    /// Whether SIGUSR1 has come before there was progress to show.
    asked: Arc<AtomicBool>,
}

static SHARED: OnceLock<Shared> = OnceLock::new();
/// Started when first needed; the error is kept for whoever needs it next.
static THREAD: OnceLock<Result<(), String>> = OnceLock::new();

fn shared() -> &'static Shared {
    SHARED.get_or_init(Shared::default)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere ends the program anyway.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on, until the value is dropped, signals that would end the process are told to a long run instead.
pub(crate) fn listen(tell: impl Fn(Request) + Send + 'static) -> io::Result<Listening> {
    thread()?;
    if shared().asked.swap(false, Ordering::Relaxed) {
        tell(Request::Show);
    }
    shared().armed.store(false, Ordering::Relaxed);
    *lock(&shared().run) = Some(Box::new(tell));
    Ok(Listening)
}

/// While it lives, a long run is told of signals.
#[must_use]
pub(crate) struct Listening;

/// From here on, until the value is dropped, SIGUSR1 has a command show its progress, which other signals end.
pub(crate) fn answer(show: impl Fn() + Send + 'static) -> io::Result<Answering> {
    thread()?;
    *lock(&shared().activity) = Some(Box::new(show));
    // It may have come before.
    if shared().asked.swap(false, Ordering::Relaxed)
        && let Some(show) = &*lock(&shared().activity)
    {
        show();
    }
    Ok(Answering)
}

/// While it lives, a command shows its progress when it is asked to.
#[must_use]
pub(crate) struct Answering;

impl Drop for Answering {
    fn drop(&mut self) {
        *lock(&shared().activity) = None;
    }
}

/// To be called when a signal can be no repeat any more: from here on it ends the process at once. Called earlier, as soon as
/// all was saved, it let a repeat swallow the last lines, which tell how to go on.
fn arm() {
    shared().armed.store(true, Ordering::Relaxed);
}

impl Drop for Listening {
    fn drop(&mut self) {
        *lock(&shared().run) = None;
    }
}

/// Tells a long run that a thread has failed; returns whether there is one.
pub(crate) fn tell_failed(message: &str) -> bool {
    // A thread that fails while it holds the lock must not wait for itself.
    let Ok(run) = shared().run.try_lock() else { return false };
    run.as_ref().is_some_and(|tell| {
        tell(Request::Failed(message.to_owned()));
        true
    })
}

/// An unfinished file, which is removed if a signal ends the process before this value is dropped.
pub(crate) struct UnfinishedFile(PathBuf);

impl UnfinishedFile {
    /// Makes such a file. A signal that comes meanwhile waits until the file is known.
    pub(crate) fn make<T>(
        make: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> &Path,
    ) -> io::Result<(T, Self)> {
        // Where the thread cannot be started, the file may stay behind.
        let _ = thread();
        let mut unfinished = lock(&shared().unfinished);
        let made = make()?;
        let path = path(&made).to_owned();
        unfinished.insert(path.clone());
        Ok((made, Self(path)))
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        lock(&shared().unfinished).remove(&self.0);
    }
}

fn remove_unfinished() {
    for path in &*lock(&shared().unfinished) {
        let _ = fs::remove_file(path);
    }
}

/// Starts the thread, once.
fn thread() -> io::Result<()> {
    let started = THREAD.get_or_init(|| system::start_thread().map_err(|error| error.to_string()));
    started.clone().map_err(io::Error::other)
}
