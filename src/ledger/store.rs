//! A ledger as a durable file: locked while in use, replaced as a whole.
//!
//! So it is a whole save at every moment, for every reader and wherever the process is killed. A save that fails, for
//! example because the disk is full, leaves it as it was.

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
use crate::draft::{self, Draft, beside, followed, open_for_lock, remove_leftovers};

/// The largest size of a ledger in bytes: it would have some ten million units.
const MOST_BYTES: u64 = 1 << 28;

/// Why the file of a ledger cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another run has it.
    #[error("{path}: in use by another run", path = .0.display())]
    Busy(PathBuf),
    /// The ledger that was read or saved last is not there any more, but something else: the file or its folder was moved.
    #[error("{path}: moved, or replaced by another file", path = .0.display())]
    Moved(PathBuf),
    /// It had finished tasks at the start that the ledger to save lacks.
    #[error("{path}: has finished tasks that the ledger to save lacks; resume from it", path = .0.display())]
    Lacking(PathBuf),
    /// There is none, it is a folder or the like, or the system refused to read it.
    #[error("{path}: cannot be read", path = .0.display())]
    Read(PathBuf, #[source] Arc<io::Error>),
    /// The system refused to write it, to make files in its folder or to lock it.
    #[error("{path}: cannot be saved", path = .0.display())]
    Save(PathBuf, #[source] Arc<io::Error>),
    /// Its contents are not those of a ledger, or it is of another count or shard.
    #[error("{path}", path = .0.display())]
    Ledger(PathBuf, #[source] LedgerError),
}

/// A ledger's file, locked as long as this value lives.
///
/// The lock is on `.NAME.lock` beside the file, since every save replaces the file itself, and stays there. A file with several
/// names, by symbolic links, has one lock. On NFS it does not keep out whoever may not write it.
///
/// ```
#[doc = include_str!("../../examples/checkpoint.rs")]
/// ```
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    /// The same from the root, so that it stays the same file when the process changes its folder.
    place: PathBuf,
    /// `None` where the file system has no locks. Only a complete ledger is read where another run has the lock.
    lock: Result<Option<File>, StoreError>,
    ledger: Option<Ledger>,
    /// The last lines of the ledgers that may be in the file: as it was found last, and the one to be saved, for a save that
    /// fails may have replaced it.
    last: [Vec<u8>; 2],
}

impl Store {
    /// Locks the file, and reads it if it is there; an empty one has no ledger yet. Its folder must be there. What killed runs
    /// have left beside it is removed. A complete ledger can be read without the lock, but not saved.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        let unread = |error| StoreError::Read(path.clone(), Arc::new(error));
        let place = followed(&path).map_err(unread)?;
        let (lock, last) = (lock(&place, &path), last_line(&place).map_err(unread)?);
        let ledger = if last.is_empty() { None } else { Some(read(&path)?) };
        if let (Err(error), false) = (&lock, ledger.as_ref().is_some_and(Ledger::is_complete)) {
            return Err(error.clone());
        }
        remove_leftovers(&place);
        // In a folder so deep that the system takes no whole name of it, the name that was given has to do.
        let whole = path::absolute(&place).ok().filter(|whole| whole.parent().is_some_and(Path::exists));
        let place = whole.unwrap_or(place);
        Ok(Self { path, place, lock, ledger, last: [last, Vec::new()] })
    }

    /// What the file held when it was opened. If it was not there or empty, there is none before the first save, and then one
    /// without finished units.
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// The name of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether other runs are kept out: not where the file system has no locks, or another run has the lock of a complete one.
    pub fn is_locked(&self) -> bool {
        matches!(self.lock, Ok(Some(_)))
    }

    /// Saves durably: afterwards the file has this ledger and survives a power cut. After an error it has what it had, or if
    /// only syncing its folder failed, this ledger.
    ///
    /// # Errors
    /// If the system refuses, the ledger could not be read again, is of another count or shard or lacks what the file had when
    /// it was opened, another run has the lock, or the file has something else than what was read or saved last.
    pub fn save(&mut self, ledger: &Ledger) -> Result<(), StoreError> {
        let of = self.ledger.as_ref().unwrap_or(ledger);
        let is_of = ledger.check_is_of(of.fingerprint(), of.shard());
        let union = is_of.and_then(|()| of.clone().merge(ledger.clone()));
        let union = union.map_err(|error| StoreError::Ledger(self.path.clone(), error))?;
        if union.entries != ledger.entries {
            return Err(StoreError::Lacking(self.path.clone()));
        }
        let (text, place) = (encode(ledger), self.locked_place()?);
        let unsaved = |error| StoreError::Save(self.path.clone(), Arc::new(error));
        let (text, place) = (text.map_err(unsaved)?, followed(&place).map_err(unsaved)?);
        let found = last_line(&place);
        // A file that its own user may not read is replaced unread.
        #[cfg(unix)]
        let found = found.or_else(|error| {
            let is_own = fs::metadata(&place)?.uid() == rustix::process::geteuid().as_raw();
            if is_own { Ok(Vec::new()) } else { Err(error) }
        });
        let found = found.map_err(unsaved)?;
        if !found.is_empty() && !self.last.contains(&found) {
            return Err(StoreError::Moved(self.path.clone()));
        }
        self.last = [found, text.split_inclusive('\n').next_back().unwrap_or_default().into()];
        let save = |mut draft: Draft| draft.write_all(text.as_bytes()).and_then(|()| draft.commit());
        Draft::begin(&place).and_then(save).map_err(unsaved)?;
        self.ledger.get_or_insert_with(|| Ledger::of_plan(ledger.fingerprint, ledger.plan.clone(), ledger.shard));
        Ok(())
    }

    /// Where no other run can save, as far as there are locks: where the name leads that was given, which a run that is in
    /// the file's folder follows wherever that is moved, or else the place. On Windows no folder is moved in which a file is
    /// open. A lock that has gone is made again where the ledger lies: a folder that was made since has none.
    fn locked_place(&mut self) -> Result<PathBuf, StoreError> {
        #[cfg(unix)]
        const NOW: unix::Timespec = unix::Timespec { tv_sec: 0, tv_nsec: unix::UTIME_NOW };
        let Some(file) = self.lock.as_ref().map_err(Clone::clone)? else { return Ok(self.place.clone()) };
        let of_name = followed(&self.path).ok().filter(|_| cfg!(unix));
        let is_locked = |place: &PathBuf| is_at(file, &beside(place, "lock")).is_ok_and(|is_ours| is_ours);
        let mut places = of_name.into_iter().chain([self.place.clone()]);
        if let Some(place) = places.clone().find(is_locked) {
            // Some drives remove old files. Whoever may write a file may set its times to this moment, and to no other.
            #[cfg(unix)]
            let _ = unix::futimens(file, &unix::Timestamps { last_access: NOW, last_modification: NOW });
            return Ok(place);
        }
        let is_ours = |line: Vec<u8>| !line.is_empty() && self.last.contains(&line);
        let place = places
            .find(|place| last_line(place).is_ok_and(is_ours))
            .ok_or_else(|| StoreError::Moved(self.path.clone()))?;
        self.lock = Ok(lock(&place, &self.path)?);
        Ok(place)
    }
}

/// Whether an open file is the one of this name. On Windows any file of this name is.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    let identity = |about: fs::Metadata| (about.dev(), about.ino());
    #[cfg(not(unix))]
    let identity = |about: fs::Metadata| about.is_file();
    Ok(identity(file.metadata()?) == identity(fs::symlink_metadata(path)?))
}

/// Takes the lock of the file at this place, for as long as it is open; `None` where the file system has no locks. An error
/// has the name of the file that was given, and names the lock.
fn lock(place: &Path, given: &Path) -> Result<Option<File>, StoreError> {
    let path = beside(place, "lock");
    let lock = lock_file(&path).and_then(|file| Ok(draft::lock(&file)?.then_some(file)));
    let named = |error: io::Error| io::Error::new(error.kind(), format!("its lock {}: {error}", path.display()));
    lock.map_err(named).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => StoreError::Busy(given.to_owned()),
        _ => StoreError::Save(given.to_owned(), Arc::new(error)),
    })
}

/// Opens the file of a lock; where there is none, makes it.
fn lock_file(path: &Path) -> io::Result<File> {
    let made = File::create_new(path);
    // Whoever may use the folder may use the lock, whatever the umask.
    #[cfg(unix)]
    if let (Ok(file), Ok(folder)) = (&made, fs::metadata(path.with_file_name("."))) {
        draft::give(file, &folder, 0o666);
    }
    match fs::symlink_metadata(path) {
        Ok(about) if !about.is_file() => Err(io::Error::other("a link, or not a file; remove it")),
        Ok(_) if made.is_err() => open_for_lock(path),
        _ => made,
    }
}

/// The last line of a ledger's file, which has its checksum: none where the file is not there or empty.
fn last_line(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(bytes),
        file => file?,
    };
    // `sha256`, a space, 64 digits and the end of the line. A shorter file is not a ledger.
    let _ = file.seek(SeekFrom::End(-72));
    file.read_to_end(&mut bytes).map(|_| bytes)
}

/// Reads the ledger in a file, of 256 MiB at most, without locking it.
pub fn read(path: &Path) -> Result<Ledger, StoreError> {
    let bytes = first_bytes(path, MOST_BYTES).map_err(|error| StoreError::Read(path.to_owned(), Arc::new(error)))?;
    decode(&bytes).map_err(|error| StoreError::Ledger(path.to_owned(), error))
}

/// Whether a file is a ledger, of whatever format and sound or not, by its first bytes. One that cannot be read may be one:
/// that is an error.
pub fn is_ledger(path: &Path) -> io::Result<bool> {
    let is_file = fs::metadata(path).is_ok_and(|about| about.is_file());
    Ok(is_file && first_bytes(path, MAGIC.len() as u64)? == MAGIC.as_bytes())
}

/// The bytes of a file, but not more than so many: a device may have no end.
fn first_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
