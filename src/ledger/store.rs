//! A ledger as a durable file: locked while in use, replaced as a whole.
//!
//! | file | what it is |
//! | --- | --- |
//! | `FILE` | the newest save |
//! | `.FILE.new` | a save being written |
//! | `.FILE.lock` | locked by the run that uses `FILE`, which removes it at its end. On Windows, or if the run was killed, an unlocked file is left; it means nothing |
//!
//! A save is written to `.FILE.new` and synced, `.FILE.new` is renamed to `FILE`, and the folder is synced. So `FILE` is
//! a complete save at every moment, for every reader and wherever the process is killed. A save that fails, for example
//! because the disk is full, leaves `FILE` unchanged.
//!
//! A symbolic link stands for the file that it leads to, so two names of one file exclude each other. `FILE` and its
//! lock must be regular files: a pipe, for example, would block the run that opens it.
//!
//! Where the file system refuses locks, `.FILE.holder` takes the place of the lock: see `lock.rs`.
//!
//! If somebody removes the lock file, another run may start to use `FILE`. So each save looks for the lock file, and if
//! it is gone, takes the lock again. That fails while another run has the lock. If another run has saved meanwhile, its
//! save is not overwritten.

use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::durable::{Draft, has_name, open_regular, sync_folder, target};
use super::format::{FormatError, MAGIC, decode, encode, is_left_of};
use super::lock::Lock;
use super::shard::Shard;
use super::{Fingerprint, Ledger, LedgerError};

/// The largest size of a ledger in bytes: it would have some ten million units.
const LARGEST: u64 = 1 << 28;

/// The only user of a ledger's file.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    /// The lock, held as long as the store exists.
    lock: Lock,
    /// `FILE` as it was read or saved last. It is kept open so that no other file gets its inode number. On Windows an
    /// open file cannot be replaced, so none is kept.
    seen: Option<File>,
    /// The permissions of the existing file, which later saves keep.
    permissions: Option<Permissions>,
}

/// Why a ledger's file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum StoreError {
    /// The system refused a call.
    #[error("{path}: {doing} failed: {source}")]
    Io { path: PathBuf, doing: &'static str, source: io::Error },
    /// Another run holds the lock.
    #[error("{0}: in use by another run")]
    Busy(PathBuf),
    /// A file was to be created, and one of this name exists.
    #[error("{0}: already exists")]
    Exists(PathBuf),
    /// The path is a folder, a device or the like.
    #[error("{0}: not a regular file")]
    NotAFile(PathBuf),
    /// The same for the lock beside a ledger's file.
    #[error("{0}: the lock of a ledger must be a regular file; remove this one")]
    NotALock(PathBuf),
    /// The name is for a file beside a ledger.
    #[error("{0}: reserved for the lock or the next save of another ledger; choose another name")]
    Reserved(PathBuf),
    /// The lock's file was removed, and another run has saved since.
    #[error("{0}: another run saved here after the lock file was removed; its save is kept")]
    Overtaken(PathBuf),
    /// The file does not exist.
    #[error("{0}: there is no such file")]
    Missing(PathBuf),
    /// The contents are not a ledger.
    #[error("{0}: {1}")]
    Format(PathBuf, FormatError),
    /// The ledger is for something else.
    #[error("{0}: {1}")]
    Ledger(PathBuf, LedgerError),
}

impl StoreError {
    /// Whether it was a ledger once, and nothing but that is lost where a new one takes its place.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Format(_, FormatError::Cut | FormatError::Checksum))
    }

    /// Whether it is the damage of a ledger that had the same units of the same count as this one, which may take its place.
    pub fn is_damage_to(&self, ledger: &Ledger) -> bool {
        let Self::Format(path, _) = self else { return false };
        self.is_damage() && File::open(path).and_then(|file| bytes(&file)).is_ok_and(|bytes| is_left_of(&bytes, ledger))
    }
}

/// The hidden file `.NAME.role` beside `path`: a shell's `*` does not find it.
pub(super) fn beside(path: &Path, role: &str) -> PathBuf {
    let name = path.file_name().expect("Store::open() wants a file name");
    let hidden: OsString = [".".as_ref(), name, ".".as_ref(), role.as_ref()].into_iter().collect();
    path.with_file_name(hidden)
}

/// Whether a file has such a hidden name.
fn is_beside(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') && ["new", "lock", "holder"].iter().any(|role| name.ends_with(&format!(".{role}")))
}

/// Makes the error of a failed call: `doing` says what was being done with the file.
pub(super) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    move |source| StoreError::Io { path: path.to_owned(), doing, source }
}

impl Store {
    /// Takes the lock of `path`. The file need not exist, but its folder must, and files must be allowed in it.
    ///
    /// # Errors
    /// If another run holds the lock, `path` is not a regular file, or no file can be created in the folder.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        let path = target(&path).map_err(failed("following a link", &path))?;
        let about = fs::metadata(&path).ok();
        if path.file_name().is_none() || about.as_ref().is_some_and(|about| !about.is_file()) {
            return Err(StoreError::NotAFile(path));
        }
        // A save in the place of a lock would let other runs in.
        if is_beside(&path) {
            return Err(StoreError::Reserved(path));
        }
        let lock = Lock::take(&path)?;
        let permissions = about.map(|about| about.permissions());
        Ok(Self { path, lock, seen: None, permissions })
    }

    /// A notice for people if the file system refuses locks, so that another file holds this one.
    pub fn notice(&self) -> Option<String> {
        self.lock.notice().map(|notice| format!("{}: {notice}", self.path.display()))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The save, which must be for this shard of this count; `None` if there is none.
    ///
    /// # Errors
    /// If the save cannot be read or belongs to something else.
    pub fn load(&mut self, fingerprint: &Fingerprint, shard: Shard) -> Result<Option<Ledger>, StoreError> {
        match ledger_in(&self.path, open_regular(&self.path, File::options().read(true))) {
            Ok((ledger, file)) => {
                ledger.check(fingerprint, shard).map_err(|error| StoreError::Ledger(self.path.clone(), error))?;
                self.saw(file);
                Ok(Some(ledger))
            }
            Err(StoreError::Missing(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Saves durably: when this returns, the ledger survives a power cut. If it fails, the earlier save is unchanged.
    pub fn save(&mut self, ledger: &Ledger) -> Result<(), StoreError> {
        let draft = self.draft(ledger)?;
        self.take_place(draft, false)
    }

    /// The same for the first save of a file that must be new: it replaces none, whoever created it and when.
    ///
    /// # Errors
    /// The error is [`StoreError::Exists`] if there is such a file.
    pub fn create(&mut self, ledger: &Ledger) -> Result<(), StoreError> {
        if self.path.symlink_metadata().is_ok() {
            return Err(StoreError::Exists(self.path.clone()));
        }
        let draft = self.draft(ledger)?;
        self.take_place(draft, true)
    }

    /// The ledger as it will be saved, with the time of the run that saves it.
    fn draft(&mut self, ledger: &Ledger) -> Result<Draft, StoreError> {
        self.hold()?;
        let now = UNIX_EPOCH.elapsed().ok().map(|now| now.as_secs());
        let mut saved = ledger.clone();
        saved.current_run().into_iter().for_each(|run| run.saved = now);
        self.write(&encode(&saved))
    }

    /// Gives the draft the name of the file, which is an error if the file must be new and is there.
    fn take_place(&mut self, draft: Draft, is_new: bool) -> Result<(), StoreError> {
        // Checked again, because writing to a slow disk takes time.
        self.hold()?;
        let named = if is_new { draft.claim(&self.path) } else { draft.replace(&self.path) };
        let file = named.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => StoreError::Exists(self.path.clone()),
            _ => failed("renaming", &self.path)(error),
        })?;
        self.saw(file);
        sync_folder(&self.path).map_err(failed("syncing the folder of", &self.path))
    }

    /// Makes sure that no other run saves here. If the lock file was removed, takes the lock again, unless another run
    /// has saved since.
    fn hold(&mut self) -> Result<(), StoreError> {
        if self.lock.holds()? {
            return Ok(());
        }
        let lock = Lock::take(&self.path)?;
        let is_gone = fs::symlink_metadata(&self.path).is_err();
        let is_ours = || self.seen.as_ref().map_or(Ok(false), |file| has_name(file, &self.path));
        if !is_gone && !is_ours().map_err(failed("looking for", &self.path))? {
            return Err(StoreError::Overtaken(self.path.clone()));
        }
        self.lock = lock;
        Ok(())
    }

    /// Remembers the save that `FILE` is.
    fn saw(&mut self, file: File) {
        self.seen = cfg!(unix).then_some(file);
    }

    /// Tests whether the ledger could be saved with all its units, and leaves no file behind.
    pub fn rehearse(&self, ledger: &Ledger) -> Result<(), StoreError> {
        self.write(&Self::longest(ledger)).map(drop)
    }

    /// A text as long as the ledger of the finished count.
    fn longest(ledger: &Ledger) -> String {
        /// What the lines of a run take, with names of machine and processor that are long.
        const RUN: usize = 640;
        // A line is a unit, of at most 20 digits, and a tally of at most 39.
        encode(ledger) + &" ".repeat(RUN + 64 * ledger.units())
    }

    /// Writes and syncs a new file with this text beside the old one. If the draft is dropped, it is removed.
    fn write(&self, text: &str) -> Result<Draft, StoreError> {
        let new = beside(&self.path, "new");
        // We hold the lock, so such a file is left over from a run that was killed while saving.
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed("removing", &new)(error)),
            _ => {}
        }
        let draft = Draft::new(&self.path, new.file_name(), self.permissions.as_ref());
        let draft = draft.map_err(failed("creating a file", &new))?;
        let mut file = draft.as_file();
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed("writing", &new))?;
        Ok(draft)
    }
}

/// Reads the ledger in a file without locking it.
pub fn read(path: &Path) -> Result<Ledger, StoreError> {
    ledger_in(path, File::open(path)).map(|(ledger, _)| ledger)
}

/// Reads the ledgers in a stream of this name, of which there may be several, one after another, as `cat` leaves them. What
/// is no ledger at all is an error, as a ledger that is damaged is.
pub fn read_from(name: &Path, stream: impl Read) -> Vec<Result<Ledger, StoreError>> {
    let bytes = match bytes(stream) {
        Ok(bytes) => bytes,
        Err(error) => return vec![Err(failed("reading", name)(error))],
    };
    // No other line begins so.
    let begins = |at: &usize| bytes[at - 1] == b'\n' && bytes[*at..].starts_with(MAGIC.as_bytes());
    let mut ends: Vec<usize> = (1..bytes.len()).filter(begins).collect();
    ends.push(bytes.len());
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let one = |(start, end): (usize, &usize)| {
        decode(&bytes[start..*end]).map_err(|error| StoreError::Format(name.to_owned(), error))
    };
    starts.zip(&ends).map(one).collect()
}

/// Whether a run holds the lock of a ledger's file: on this machine or, where their file system tells, on another.
pub fn is_in_use(path: &Path) -> bool {
    target(path).is_ok_and(|path| path.file_name().is_some() && Lock::is_held(&path))
}

/// Whether a regular file, or a name that no file has yet, is taken: by a ledger, sound or not, by a run that will save
/// there, or as a name of one of the files beside a ledger.
///
/// # Errors
/// If the file cannot be read.
pub fn is_taken(path: &Path) -> io::Result<bool> {
    if is_beside(path) || is_in_use(path) {
        return Ok(true);
    }
    let mut head = Vec::new();
    match open_regular(path, File::options().read(true)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        file => file?.take(4 * MAGIC.len() as u64).read_to_end(&mut head)?,
    };
    // Editors put a mark before the first byte, and a zero beside each where they write UTF-16.
    head.retain(|byte| byte.is_ascii_graphic() || *byte == b' ');
    Ok(head.trim_ascii_start().starts_with(MAGIC.as_bytes()))
}

/// Reads the ledger in a file that was opened, if it was.
fn ledger_in(path: &Path, file: io::Result<File>) -> Result<(Ledger, File), StoreError> {
    let read = file.and_then(|file| Ok((bytes(&file)?, file)));
    let (bytes, file) = read.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => StoreError::Missing(path.to_owned()),
        io::ErrorKind::IsADirectory | io::ErrorKind::InvalidInput => StoreError::NotAFile(path.to_owned()),
        _ => failed("reading", path)(error),
    })?;
    let ledger = decode(&bytes).map_err(|error| StoreError::Format(path.to_owned(), error))?;
    Ok((ledger, file))
}

/// The bytes of a file, or only the first ones if it is not a ledger: such a file may have no end.
fn bytes(file: impl Read) -> io::Result<Vec<u8>> {
    let mut file = file.take(LARGEST);
    let mut bytes = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes)?;
    if bytes == MAGIC.as_bytes() {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
