//! A ledger as a durable file: locked while in use, replaced as a whole.
//!
//! So it is a whole save at every moment, for every reader and wherever the process is killed. A save that fails, for
//! example because the disk is full, leaves it as it was.

use std::fs::{self, File};
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{self, Path, PathBuf};
use std::sync::Arc;

use super::format::{MAGIC, decode, encode};
use super::{Ledger, LedgerError};
use crate::draft::{self, Draft, beside, followed, open_for_lock, remove_leftovers};

/// The largest size of a ledger in bytes: it would have some ten million units.
const MOST_BYTES: u64 = 1 << 28;

/// Why the file of a ledger cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another run has it, or may have it since its folder was moved.
    #[error("{path}: in use by another run, or moved", path = .0.display())]
    Busy(PathBuf),
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
    lock: Option<File>,
    ledger: Option<Ledger>,
}

impl Store {
    /// Locks the file, and reads it if it is there; an empty one has no ledger yet. Its folder must be there. What killed runs
    /// have left beside it is removed. A complete ledger can be read without the lock, but not saved.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        let place = followed(&path).map_err(|error| StoreError::Read(path.clone(), Arc::new(error)))?;
        let lock = lock(&place);
        let ledger = match read(&path) {
            Err(StoreError::Read(_, error)) if error.kind() == io::ErrorKind::NotFound => None,
            Err(StoreError::Ledger(..)) if fs::metadata(&path).is_ok_and(|about| about.len() == 0) => None,
            ledger => Some(ledger?),
        };
        let lock = lock.or_else(|error| match error.kind() {
            _ if ledger.as_ref().is_some_and(Ledger::is_complete) => Ok(None),
            io::ErrorKind::WouldBlock => Err(StoreError::Busy(path.clone())),
            _ => Err(StoreError::Save(path.clone(), Arc::new(error))),
        })?;
        remove_leftovers(&place);
        // In a folder so deep that the system takes no whole name of it, the name that was given has to do.
        let whole = path::absolute(&place).ok().filter(|whole| whole.parent().is_some_and(Path::exists));
        let place = whole.unwrap_or(place);
        Ok(Self { path, place, lock, ledger })
    }

    /// What the file held when it was opened, or if it was not there or empty, what was saved in it first.
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// The name of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether other runs are kept out: not where the file system has no locks, or another run has the lock of a complete one.
    pub fn is_locked(&self) -> bool {
        self.lock.is_some()
    }

    /// Saves durably: afterwards the file has this ledger, whatever it had before, and survives a power cut. After an error it
    /// has what it had, or if only syncing its folder failed, this ledger.
    ///
    /// # Errors
    /// If the system refuses, the ledger could not be read again or is of another count or shard, or another run has the lock or
    /// may have it.
    pub fn save(&mut self, ledger: &Ledger) -> Result<(), StoreError> {
        let place = self.locked_place()?;
        let of = self.ledger.as_ref().unwrap_or(ledger);
        let is_of = ledger.check_is_of(of.fingerprint(), of.shard());
        is_of.map_err(|error| StoreError::Ledger(self.path.clone(), error))?;
        let save = || {
            let mut draft = Draft::begin(&followed(&place)?)?;
            draft.write_all(encode(ledger)?.as_bytes())?;
            draft.commit()
        };
        save().map_err(|error| StoreError::Save(self.path.clone(), Arc::new(error)))?;
        self.ledger.get_or_insert_with(|| ledger.clone());
        Ok(())
    }

    /// Where no other run can save, as far as there are locks: where the name leads that was given, which a run that is in
    /// the file's folder follows wherever that is moved, or else the place. On Windows no folder is moved in which a file is
    /// open.
    fn locked_place(&self) -> Result<PathBuf, StoreError> {
        let busy = || StoreError::Busy(self.path.clone());
        let Some(lock) = &self.lock else {
            let is_complete = self.ledger.as_ref().is_some_and(Ledger::is_complete);
            return if is_complete { Err(busy()) } else { Ok(self.place.clone()) };
        };
        let of_name = followed(&self.path).ok().filter(|_| cfg!(unix));
        let is_locked = |place: &PathBuf| is_at(lock, &beside(place, "lock")).is_ok_and(|is_ours| is_ours);
        let locked = of_name.into_iter().chain([self.place.clone()]).find(is_locked);
        // Whoever has no folder to save in is told so.
        locked.or_else(|| (!self.place.with_file_name(".").exists()).then(|| self.place.clone())).ok_or_else(busy)
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

/// Takes the lock of the file at this place for as long as it is open; `None` where the file system has no locks. An error
/// names the lock.
fn lock(place: &Path) -> io::Result<Option<File>> {
    let path = beside(place, "lock");
    let lock = lock_file(&path).and_then(|file| Ok(draft::lock(&file)?.then_some(file)));
    lock.map_err(|error| io::Error::new(error.kind(), format!("its lock {}: {error}", path.display())))
}

/// Opens the file of a lock; where there is none, makes it.
fn lock_file(path: &Path) -> io::Result<File> {
    let made = File::create_new(path);
    // Whoever may use the folder may use the lock, whatever the umask. Drives of other systems refuse this.
    #[cfg(unix)]
    if let (Ok(file), Ok(folder)) = (&made, fs::metadata(path.with_file_name("."))) {
        let _ = file.set_permissions(fs::Permissions::from_mode(folder.permissions().mode() & 0o666));
    }
    match fs::symlink_metadata(path) {
        Ok(about) if !about.is_file() => Err(io::Error::other("a link, or not a file; remove it")),
        Ok(_) if made.is_err() => open_for_lock(path),
        _ => made,
    }
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
