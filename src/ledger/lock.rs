//! The lock of a ledger's file, and the file that keeps other runs out where the file system refuses locks, as Lustre
//! without `-o flock` and some NFS do.
//!
//! This file, `.FILE.holder`, names the run that holds `FILE`: host, process and a random token. It is created
//! exclusively, and written anew every few seconds. If it is no longer, or if its process is known to have ended,
//! another run takes it over by a rename. A run that was paused meanwhile misses its token, and saves nothing.

use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::durable::{Draft, has_name, open_regular};
use super::store::{StoreError, beside, failed};

/// Whoever asks whether the lock is held has it for less than that.
const ASKED: Duration = Duration::from_millis(50);
/// How often a run writes `.FILE.holder` anew.
const BEAT: Duration = Duration::from_secs(5);
/// Such a file that has not been written for so long belongs to a run that is no more.
const STALE: Duration = Duration::from_secs(30);
// A beat that is late, or a second one that fails, is no sign of a run that is no more.
const _: () = assert!(3 * BEAT.as_secs() < STALE.as_secs());
/// Of runs that take over a file at the same time, the last one has it, after so long.
const SETTLED: Duration = Duration::from_millis(500);

/// An exclusive lock. It is on a separate file, because the ledger's file is replaced with every save.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    file: File,
    /// Where the file system refuses the lock.
    holder: Option<Holder>,
}

impl Lock {
    pub(super) fn take(ledger: &Path) -> Result<Self, StoreError> {
        let (path, start) = (beside(ledger, "lock"), Instant::now());
        loop {
            let file = open_regular(&path, File::options().create(true).truncate(false).write(true));
            let file = file.map_err(|error| match error.kind() {
                io::ErrorKind::InvalidInput => StoreError::NotALock(path.clone()),
                _ => failed("creating a file", &path)(error),
            })?;
            match Self::on(file, &path, ledger) {
                Err(StoreError::Busy(_)) if start.elapsed() < ASKED => thread::sleep(ASKED / 10),
                Ok(None) => {}
                Ok(Some(lock)) => return Ok(lock),
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether somebody has it.
    pub(super) fn is_held(ledger: &Path) -> bool {
        let file = open_regular(&beside(ledger, "lock"), File::options().read(true));
        file.is_ok_and(|file| match file.try_lock_shared() {
            Err(TryLockError::Error(error)) if is_refused(&error) => {
                let path = beside(ledger, "holder");
                path.exists() && abandoned(&path).is_none()
            }
            tried => matches!(tried, Err(TryLockError::WouldBlock)),
        })
    }

    /// Locks the file that was opened by this name; `None` if the file has lost the name. The previous holder of the
    /// lock may have removed the file after we opened it and before we locked it, and a lock on a file without the name
    /// protects nothing.
    pub(super) fn on(file: File, path: &Path, ledger: &Path) -> Result<Option<Self>, StoreError> {
        let holder = match file.try_lock() {
            Ok(()) => None,
            Err(TryLockError::Error(error)) if is_refused(&error) => Some(Holder::take(ledger)?),
            Err(TryLockError::WouldBlock) => return Err(StoreError::Busy(ledger.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed("locking", path)(error)),
        };
        let lock = Self { path: path.to_owned(), file, holder };
        Ok(lock.holds()?.then_some(lock))
    }

    /// Whether the lock keeps other runs out: it does as long as its file has the name by which they find it. On
    /// systems other than Unix a file cannot be identified. There the lock file is never removed, so it keeps its name.
    pub(super) fn holds(&self) -> Result<bool, StoreError> {
        if let Some(holder) = &self.holder {
            return Ok(holder.holds());
        }
        Ok(cfg!(not(unix)) || has_name(&self.file, &self.path).map_err(failed("locking", &self.path))?)
    }

    /// A notice for people if the file system refuses the lock.
    pub(super) fn notice(&self) -> Option<String> {
        let before = self.holder.as_ref()?.before.as_ref();
        let before = before.map_or_else(String::new, |before| format!("; taken over from {before}"));
        Some(format!("this file system refuses locks, so a file beside it keeps other runs out{before}"))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file is removed while it is still locked. If that fails, an unlocked file is left, which means nothing.
        // The name may belong to another run's lock by now.
        if cfg!(unix) && self.holds().unwrap_or(false) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether the error of a lock says that the file system has none: `ENOSYS`, `EOPNOTSUPP` or, for NFS, `ENOLCK`.
fn is_refused(error: &io::Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::NOLCK.raw_os_error()) {
        return true;
    }
    error.kind() == io::ErrorKind::Unsupported
}

/// The file that names its run. It is removed when dropped.
#[derive(Debug)]
struct Holder {
    path: PathBuf,
    text: String,
    /// Whom it was taken over from.
    before: Option<String>,
    /// Ends the thread that writes the file anew when it is dropped.
    _beat: Sender<()>,
}

impl Holder {
    fn take(ledger: &Path) -> Result<Self, StoreError> {
        let path = beside(ledger, "holder");
        let text = format!("{} {} {} {:016x}\n", host(), std::process::id(), place(), fastrand::u64(..));
        let failure = |error| failed("creating a file", &path)(error);
        let (mut file, before) = match File::options().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                // On a full disk it would name nobody.
                let named = renew(&mut file, &text).inspect_err(|_| drop(fs::remove_file(&path)));
                named.map_err(failure)?;
                (file, None)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let before = abandoned(&path).ok_or_else(|| StoreError::Busy(ledger.to_owned()))?;
                let mut draft = Draft::new(&path, None, None).map_err(failure)?;
                renew(draft.as_file_mut(), &text).map_err(failure)?;
                let file = draft.replace(&path).map_err(failure)?;
                thread::sleep(SETTLED);
                (file, Some(before))
            }
            Err(error) => return Err(failure(error)),
        };
        let (beat, end) = mpsc::channel();
        // After it was taken over, this writes to a file without a name.
        let same = text.clone();
        thread::spawn(move || {
            while end.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                let _ = renew(&mut file, &same);
            }
        });
        let holder = Self { path, text, before, _beat: beat };
        if holder.holds() { Ok(holder) } else { Err(StoreError::Busy(ledger.to_owned())) }
    }

    fn holds(&self) -> bool {
        fs::read_to_string(&self.path).is_ok_and(|text| text == self.text)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        if self.holds() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn renew(file: &mut File, text: &str) -> io::Result<()> {
    file.rewind().and_then(|()| file.write_all(text.as_bytes())).and_then(|()| file.sync_all())
}

/// The run that has left this file, if it is certain that it has.
fn abandoned(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let mut words = text.split_whitespace();
    let [host, process, at] = std::array::from_fn(|_| words.next().unwrap_or("unknown"));
    let has_ended = at == place() && !Path::new("/proc").join(process).exists();
    let why =
        if has_ended { "which has ended".to_owned() } else { format!("which is silent for {} s", STALE.as_secs()) };
    (has_ended || age(path)? >= STALE).then(|| format!("process {process} of {host}, {why}"))
}

/// How long ago a file was written, by the clock of the file system, which tells when a new one is: those of machines
/// differ.
fn age(path: &Path) -> Option<Duration> {
    let now = Draft::new(path, None, None).ok()?;
    let written = |path: &Path| fs::metadata(path).and_then(|about| about.modified()).ok();
    written(now.path())?.duration_since(written(path)?).ok()
}

/// The name of this machine, in one word.
pub(super) fn host() -> String {
    #[cfg(unix)]
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let host = std::env::var("COMPUTERNAME").unwrap_or_default();
    let host: String = host.split_whitespace().collect();
    if host.is_empty() { "unknown".to_owned() } else { host }
}

/// Where a process number means a process: this start of this kernel, and in it this name space. Unknown but on Linux,
/// and then different each time.
fn place() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
    let space = fs::read_link("/proc/self/ns/pid").ok();
    match (boot, space) {
        (Some(boot), Some(space)) => format!("{}/{}", boot.trim(), space.display()),
        _ => format!("{:016x}", fastrand::u64(..)),
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    /// The number of a process means nothing on another machine: there, only silence tells that the run has ended.
    #[test]
    fn a_holder_elsewhere_is_abandoned_when_it_is_silent() {
        /// There is no such process.
        const NONE: u32 = u32::MAX;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".c.holder");
        let abandoned_by = |process: u32, at: &str| {
            fs::write(&path, format!("host {process} {at} 0123\n")).unwrap();
            abandoned(&path)
        };
        assert_eq!(abandoned_by(NONE, &place()), Some(format!("process {NONE} of host, which has ended")));
        assert_eq!(abandoned_by(std::process::id(), &place()), None);
        assert_eq!(abandoned_by(NONE, "elsewhere"), None);
        let silent = |time: Duration| {
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::now() - time).unwrap();
            abandoned(&path)
        };
        assert_eq!(silent(STALE / 2), None);
        assert_eq!(silent(2 * STALE), Some(format!("process {NONE} of host, which is silent for 30 s")));
        // As a run leaves it that is killed before it has written its name.
        fs::write(&path, "").unwrap();
        assert_eq!(silent(STALE / 2), None);
        assert_eq!(silent(2 * STALE), Some("process unknown of unknown, which is silent for 30 s".to_owned()));
    }
}
