//! A ledger as a durable file: locked while in use, replaced as a whole.
//!
//! So readers find a whole ledger at every moment, wherever the process is killed. A failed save, for example on a full
//! disk, leaves the file unchanged. A save replaces only the ledger that this process read or saved last.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{self, Path, PathBuf};
use std::sync::Arc;

#[cfg(unix)]
use rustix::fs as unix;

use super::format::{MAGIC, decode, encode};
use super::{Ledger, LedgerError};
use crate::atomic_file::{self, AtomicFile, open_for_lock, remove_leftovers, resolve_links, sibling};

/// The maximum size of a ledger in bytes, enough for some ten million units.
const MAX_BYTES: u64 = 1 << 28;

/// Why the file of a ledger cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerFileError {
    /// Another run has locked it.
    #[error("{path}: in use by another run", path = .0.display())]
    Busy(PathBuf),
    /// The ledger that was read or saved last is gone: the file or its folder was moved, or another file replaced it.
    #[error("{path}: moved, or replaced by another file", path = .0.display())]
    Moved(PathBuf),
    /// On opening, it had finished tasks that the ledger to save lacks.
    #[error("{path}: has finished tasks that the ledger to save lacks; resume from it", path = .0.display())]
    Lacking(PathBuf),
    /// It is missing, not a regular file, or unreadable.
    #[error("{path}: cannot be read", path = .0.display())]
    Read(PathBuf, #[source] Arc<io::Error>),
    /// The system refused to write it, to create files in its folder, or to lock it.
    #[error("{path}: cannot be saved", path = .0.display())]
    Save(PathBuf, #[source] Arc<io::Error>),
    /// It is not a ledger, or belongs to another count or shard.
    #[error("{path}: cannot be used", path = .0.display())]
    Ledger(PathBuf, #[source] LedgerError),
}

/// A ledger's file, locked as long as this value lives.
///
/// The lock is a separate file, `.NAME.lock`, because every save replaces the ledger file; it is never removed. Symbolic
/// links to one file share its lock. On NFS, a process that may not write the lock file is not kept out.
///
/// ```
#[doc = include_str!("../../examples/checkpoint.rs")]
/// ```
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    /// The absolute path, which stays valid if the process changes its folder.
    place: PathBuf,
    /// `None` if the file system has no locks. With an error, a complete ledger can be read only.
    lock: Result<Option<File>, LedgerFileError>,
    ledger: Option<Ledger>,
    /// The last line of the file as found last, and that of the ledger saved last: a failed save may have replaced the
    /// file, or not.
    last: [Vec<u8>; 2],
}

impl LedgerFile {
    /// Locks the file and reads it if it exists; an empty file has no ledger yet. Its folder must exist. Drafts of killed
    /// runs are removed. A complete ledger can be opened without the lock, but not saved.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, LedgerFileError> {
        let path = path.into();
        let unread = |error| LedgerFileError::Read(path.clone(), Arc::new(error));
        let place = resolve_links(&path).map_err(unread)?;
        let (lock, last) = (lock(&place, &path), last_line(&place).map_err(unread)?);
        let ledger = if last.is_empty() { None } else { Some(read(&path)?) };
        if let (Err(error), false) = (&lock, ledger.as_ref().is_some_and(Ledger::is_complete)) {
            return Err(error.clone());
        }
        remove_leftovers(&place);
        let place = path::absolute(&place).map_err(unread)?;
        Ok(Self { path, place, lock, ledger, last: [last, Vec::new()] })
    }

    /// The ledger read on opening. If there was none: `None` before the first save, then one without finished units.
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// The name of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether other runs are kept out; false if the file system has no locks, or if the ledger is complete and locked by
    /// another run.
    pub fn is_locked(&self) -> bool {
        matches!(self.lock, Ok(Some(_)))
    }

    /// Replaces the file's contents durably. After an error the file is unchanged, unless only syncing its folder failed.
    ///
    /// # Errors
    /// If the system refuses; if the ledger could not be read again, belongs to another count or shard, or lacks a task
    /// that the file had on opening; if another run has the lock; if the file is no longer what was read or saved last.
    pub fn save(&mut self, ledger: &Ledger) -> Result<(), LedgerFileError> {
        let of = self.ledger.as_ref().unwrap_or(ledger);
        let is_of = ledger.check_is_of(of.fingerprint(), of.shard());
        let union = is_of.and_then(|()| of.clone().merge(ledger.clone()));
        let union = union.map_err(|error| LedgerFileError::Ledger(self.path.clone(), error))?;
        if union.entries != ledger.entries {
            return Err(LedgerFileError::Lacking(self.path.clone()));
        }
        let (text, place) = (encode(ledger), self.locked_place()?);
        let unsaved = |error| LedgerFileError::Save(self.path.clone(), Arc::new(error));
        let (text, place) = (text.map_err(unsaved)?, resolve_links(&place).map_err(unsaved)?);
        let found = last_line(&place).map_err(unsaved)?;
        if !found.is_empty() && !self.last.contains(&found) {
            return Err(LedgerFileError::Moved(self.path.clone()));
        }
        self.last = [found, text.split_inclusive('\n').next_back().unwrap_or_default().into()];
        let save = |mut draft: AtomicFile| draft.write_all(text.as_bytes()).and_then(|()| draft.commit());
        AtomicFile::begin(&place).and_then(save).map_err(unsaved)?;
        self.ledger.get_or_insert_with(|| Ledger::of_plan(ledger.fingerprint, ledger.plan.clone(), ledger.shard));
        Ok(())
    }

    /// The path at which this process has the lock: the given path, which a run inside a moved folder still reaches, or
    /// else the absolute one. (Windows cannot move a folder with open files.) A lock file that is gone is created and
    /// locked again next to our ledger, and nowhere else: a new folder of the old name has none.
    fn locked_place(&mut self) -> Result<PathBuf, LedgerFileError> {
        #[cfg(unix)]
        const NOW: unix::Timespec = unix::Timespec { tv_sec: 0, tv_nsec: unix::UTIME_NOW };
        let Some(file) = self.lock.as_ref().map_err(Clone::clone)? else { return Ok(self.place.clone()) };
        let of_name = resolve_links(&self.path).ok().filter(|_| cfg!(unix));
        let is_locked = |place: &PathBuf| is_at(file, &sibling(place, "lock")).is_ok_and(|is_ours| is_ours);
        let mut places = of_name.into_iter().chain([self.place.clone()]);
        if let Some(place) = places.clone().find(is_locked) {
            // Some drives purge old files. Only the owner may set other times than now.
            #[cfg(unix)]
            let _ = unix::futimens(file, &unix::Timestamps { last_access: NOW, last_modification: NOW });
            return Ok(place);
        }
        let is_ours = |line: Vec<u8>| !line.is_empty() && self.last.contains(&line);
        let place = places
            .find(|place| last_line(place).is_ok_and(is_ours))
            .ok_or_else(|| LedgerFileError::Moved(self.path.clone()))?;
        self.lock = Ok(lock(&place, &self.path)?);
        Ok(place)
    }
}

/// Whether this path names this open file. (On Windows, any file.)
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    let identity = |about: fs::Metadata| (about.dev(), about.ino());
    #[cfg(not(unix))]
    let identity = |about: fs::Metadata| about.is_file();
    Ok(identity(file.metadata()?) == identity(fs::symlink_metadata(path)?))
}

/// Locks the file at `place`; `None` if the file system has no locks. Errors name the file as `given`, and the lock.
fn lock(place: &Path, given: &Path) -> Result<Option<File>, LedgerFileError> {
    let path = sibling(place, "lock");
    let lock = lock_file(&path).and_then(|file| Ok(atomic_file::lock(&file)?.then_some(file)));
    let named = |error: io::Error| io::Error::new(error.kind(), format!("its lock {}: {error}", path.display()));
    lock.map_err(named).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => LedgerFileError::Busy(given.to_owned()),
        _ => LedgerFileError::Save(given.to_owned(), Arc::new(error)),
    })
}

/// Opens the file of a lock, or creates it.
fn lock_file(path: &Path) -> io::Result<File> {
    let made = File::create_new(path);
    // All users of the folder may use the lock, whatever the umask.
    #[cfg(unix)]
    if let (Ok(file), Ok(folder)) = (&made, fs::metadata(path.with_file_name("."))) {
        atomic_file::copy_owner(file, &folder, 0o666);
    }
    match fs::symlink_metadata(path) {
        Ok(about) if !about.is_file() => Err(io::Error::other("a link, or not a file; remove it")),
        Ok(_) if made.is_err() => open_for_lock(path),
        _ => made,
    }
}

/// The last line of a ledger's file, its checksum; empty if the file is empty or missing.
fn last_line(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(bytes),
        file => file?,
    };
    // `sha256`, a space, 64 digits, a line end. It fails for a shorter file, which is not a ledger.
    let _ = file.seek(SeekFrom::End(-72));
    file.read_to_end(&mut bytes).map(|_| bytes)
}

/// Reads the ledger in a file of at most 256 MiB, without locking it.
pub fn read(path: &Path) -> Result<Ledger, LedgerFileError> {
    let bytes =
        first_bytes(path, MAX_BYTES).map_err(|error| LedgerFileError::Read(path.to_owned(), Arc::new(error)))?;
    decode(&bytes).map_err(|error| LedgerFileError::Ledger(path.to_owned(), error))
}

/// Whether a file starts like a ledger, of any format, valid or not. An unreadable file is an error, since it may be a
/// ledger.
pub fn is_ledger(path: &Path) -> io::Result<bool> {
    let is_file = fs::metadata(path).is_ok_and(|about| about.is_file());
    Ok(is_file && first_bytes(path, MAGIC.len() as u64)? == MAGIC.as_bytes())
}

/// The first bytes of a file, at most `most`: a device may have no end.
fn first_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
