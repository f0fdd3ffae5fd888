//! How a run holds a ledger's file where the file system refuses locks, as Lustre without `-o flock` and some NFS do.
//!
//! `.FILE.holder` names the run that holds `FILE`: host, process and a random token. It is created exclusively, and
//! written anew every few seconds. If it is no longer, or if its process is known to have ended, another run takes it
//! over by a rename. A run that was paused meanwhile does not find its token any more, and saves nothing.
//!
//! Ages are by the clock of the file system, never by that of a machine.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::durable::Draft;
use super::store_error::{StoreError, beside, failed};

/// How often a run writes its file anew.
const BEAT: Duration = Duration::from_secs(5);
/// A file that has not been written for so long belongs to a run that is no more.
const STALE: Duration = Duration::from_secs(30);
/// Of runs that take over a file at the same time, the last one has it, after so long.
const SETTLED: Duration = Duration::from_millis(500);

/// The file that names its run. It is removed when dropped.
#[derive(Debug)]
pub(super) struct Holder {
    path: PathBuf,
    text: String,
    /// Whom it was taken over from.
    pub(super) before: Option<String>,
    /// Ends the thread that writes the file anew when it is dropped.
    _beat: Sender<()>,
}

impl Holder {
    /// Whether this error of a lock says that there are none.
    pub(super) fn is_needed(error: &io::Error) -> bool {
        #[cfg(unix)]
        {
            use rustix::io::Errno;
            let refused = [Errno::NOLCK, Errno::NOSYS, Errno::OPNOTSUPP];
            error.raw_os_error().is_some_and(|code| refused.contains(&Errno::from_raw_os_error(code)))
        }
        #[cfg(not(unix))]
        {
            error.kind() == io::ErrorKind::Unsupported
        }
    }

    pub(super) fn take(ledger: &Path) -> Result<Self, StoreError> {
        let path = beside(ledger, "holder");
        let text = format!("{} {} {} {:016x}\n", host(), std::process::id(), place(), fastrand::u64(..));
        let failure = |error| failed("creating a file", &path)(error);
        let (mut file, before) = match File::options().write(true).create_new(true).open(&path) {
            Ok(file) => (file, None),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let before = abandoned(&path).ok_or_else(|| StoreError::Busy(ledger.to_owned()))?;
                let mut draft = Draft::new(&path, None, None).map_err(failure)?;
                draft.write_all(text.as_bytes()).and_then(|()| draft.sync()).map_err(failure)?;
                let file = draft.rename().map_err(failure)?;
                thread::sleep(SETTLED);
                (file, Some(before))
            }
            Err(error) => return Err(failure(error)),
        };
        let mut renew = {
            let text = text.clone();
            move || file.rewind().and_then(|()| file.write_all(text.as_bytes())).and_then(|()| file.sync_all())
        };
        if before.is_none() {
            renew().map_err(failure)?;
        }
        let (beat, end) = mpsc::channel();
        // After it was taken over, this writes to a file without a name.
        thread::spawn(move || {
            while end.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                let _ = renew();
            }
        });
        let holder = Self { path, text, before, _beat: beat };
        if holder.holds() { Ok(holder) } else { Err(StoreError::Busy(ledger.to_owned())) }
    }

    pub(super) fn holds(&self) -> bool {
        fs::read_to_string(&self.path).is_ok_and(|text| text == self.text)
    }

    /// Whether a run that is alive holds the file.
    pub(super) fn is_held(ledger: &Path) -> bool {
        let path = beside(ledger, "holder");
        path.exists() && abandoned(&path).is_none()
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        if self.holds() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The run that has left this file, if it is certain that it has.
fn abandoned(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let mut words = text.split_whitespace();
    let (host, process, at) = (words.next().unwrap_or("unknown"), words.next()?, words.next()?);
    let has_ended = at == place() && !Path::new("/proc").join(process).exists();
    let why =
        if has_ended { "which has ended".to_owned() } else { format!("which is silent for {} s", STALE.as_secs()) };
    (has_ended || age(path)? >= STALE).then(|| format!("process {process} of {host}, {why}"))
}

/// How long ago a file was written, by the clock that tells when a new one is.
fn age(path: &Path) -> Option<Duration> {
    let mut now = Draft::new(path, None, None).ok()?;
    now.write_all(b"now").and_then(|()| now.sync()).ok()?;
    let written = |path: &Path| fs::metadata(path).and_then(|about| about.modified()).ok();
    written(now.path())?.duration_since(written(path)?).ok()
}

fn host() -> String {
    #[cfg(unix)]
    let host = rustix::system::uname().nodename().to_string_lossy().split_whitespace().collect::<String>();
    #[cfg(not(unix))]
    let host = std::env::var("COMPUTERNAME").unwrap_or_default().split_whitespace().collect::<String>();
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
