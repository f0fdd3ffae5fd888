//! A ledger as a file that survives: locked while in use, replaced whole, with the save before it kept beside it.
//!
//! | file | what it is |
//! | --- | --- |
//! | `FILE` | the newest save |
//! | `.FILE.previous` | the one before, in case the newest is damaged |
//! | `.FILE.new` | a save being written |
//! | `.FILE.lock` | locked by the run that uses `FILE`; gone with it unless it was killed, and then it means nothing |
//!
//! A save is written to `.FILE.new` and synced, `FILE` gets `.FILE.previous` as a second name, `.FILE.new` is renamed
//! to `FILE`, and the folder is synced. So `FILE` is a whole save at every moment, whoever reads it and whenever that is
//! cut off, and a save that fails (a full disk, say) has not touched it. On file systems without hard links `FILE` is
//! renamed to `.FILE.previous` instead, and is missing for the moment between two renames.
//!
//! A name that is a symbolic link means the file that it leads to, so that two names of one file exclude each other.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::format::{FormatError, MAGIC, decode, encode};
use super::{Fingerprint, Ledger, LedgerError};
use crate::shard::Shard;

/// No ledger is larger: it would have some ten million units.
const LARGEST: u64 = 1 << 28;

/// Links that lead on to links, before they are taken to lead in a circle.
const LINKS: usize = 40;

/// The one user of a ledger's file.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    /// Locked as long as the store lives.
    _lock: Lock,
    /// Whether `FILE` is known to hold a good save; only then may it take the place of the previous one.
    newest_is_good: bool,
    /// The permissions of the file that was there, which later saves keep.
    mode: Option<u32>,
}

/// What a store held.
#[derive(Debug)]
pub struct Found {
    /// The ledger.
    pub ledger: Ledger,
    /// Why the newest save could not be used, where this is the one before it.
    pub fallback: Option<StoreError>,
}

/// Why a ledger's file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system said no.
    #[error("{path}: {doing} failed: {source}")]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// At what.
        doing: &'static str,
        /// What it said.
        source: io::Error,
    },
    /// Another run holds the lock.
    #[error("{0}: in use by another run")]
    Busy(PathBuf),
    /// An earlier save is there that nobody has asked to go on from, and a new run would write over it.
    #[error("{0}: it is gone, but the save before it is here, {1}; go on from that with --resume or remove it")]
    Earlier(PathBuf, PathBuf),
    /// A folder, a device or the like.
    #[error("{0}: not a regular file")]
    NotAFile(PathBuf),
    /// There is nothing to read.
    #[error("{0}: there is no such file")]
    Missing(PathBuf),
    /// The contents are no ledger.
    #[error("{0}: {1}")]
    Format(PathBuf, FormatError),
    /// A ledger, of something else.
    #[error("{0}: {1}")]
    Ledger(PathBuf, LedgerError),
}

impl Store {
    /// Takes the lock of `path`, which need not exist; the folder it is in must, and must let files be made.
    ///
    /// # Errors
    /// Where another run holds the lock, `path` is not a regular file, or the folder takes no file.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        let path = target(&path).map_err(io("following a link", &path))?;
        let mode = match fs::metadata(&path) {
            Ok(metadata) if !metadata.is_file() => return Err(StoreError::NotAFile(path)),
            _ if path.file_name().is_none() => return Err(StoreError::NotAFile(path)),
            Ok(metadata) => Some(metadata.permissions().mode() & 0o7777),
            Err(_) => None,
        };
        let lock = Lock::take(&path)?;
        Ok(Self { path, _lock: lock, newest_is_good: false, mode })
    }

    /// Makes sure that a run that begins from nothing destroys nothing.
    ///
    /// # Errors
    /// Where there is an earlier save of a file that is no more, which only [`Store::load`] would find.
    pub fn begin(&self) -> Result<(), StoreError> {
        let previous = beside(&self.path, "previous");
        match fs::symlink_metadata(&previous) {
            Ok(_) => Err(StoreError::Earlier(self.path.clone(), previous)),
            Err(_) => Ok(()),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The newest save that is whole, which must be of this shard of this count; `None` where there is none at all.
    ///
    /// # Errors
    /// Where a save is there and cannot be read or belongs to something else, and no earlier one helps.
    pub fn load(&mut self, fingerprint: &Fingerprint, shard: Shard) -> Result<Option<Found>, StoreError> {
        let previous = || {
            let path = beside(&self.path, "previous");
            let ledger = read(&path)?;
            ledger.check(fingerprint, shard).map_err(|error| StoreError::Ledger(path, error))?;
            Ok::<_, StoreError>(ledger)
        };
        let error = match read(&self.path) {
            Ok(ledger) => {
                ledger.check(fingerprint, shard).map_err(|error| StoreError::Ledger(self.path.clone(), error))?;
                self.newest_is_good = true;
                return Ok(Some(Found { ledger, fallback: None }));
            }
            Err(error) => error,
        };
        match (previous(), error) {
            (Ok(ledger), error) => Ok(Some(Found { ledger, fallback: Some(error) })),
            (Err(StoreError::Missing(_)), StoreError::Missing(_)) => Ok(None),
            // An earlier save that is of no use here may be of use elsewhere: nothing is begun in its place.
            (Err(error), StoreError::Missing(_)) | (Err(_), error) => Err(error),
        }
    }

    /// Saves durably: when this returns, the ledger outlives a power cut.
    ///
    /// # Errors
    /// Where the system refuses; the saves made before are then untouched.
    pub fn save(&mut self, ledger: &Ledger) -> Result<(), StoreError> {
        let file = self.write(&encode(ledger))?;
        self.keep_previous()?;
        file.persist(&self.path).map_err(|error| io("renaming", &self.path)(error.error))?;
        self.newest_is_good = true;
        let folder = folder(&self.path);
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(io("syncing the folder", folder))
    }

    /// Tries whether a ledger with all its units could be saved, and leaves nothing behind.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn rehearse(&self, ledger: &Ledger) -> Result<(), StoreError> {
        // Longer than any line of a unit: 20 digits for the unit and 39 for the tally.
        const LINE: usize = 64;
        let text = encode(ledger);
        self.write(&(text + &" ".repeat(LINE * ledger.units()))).map(drop)
    }

    /// A new file beside the old one with this text, synced. Dropped, it is gone.
    fn write(&self, text: &str) -> Result<tempfile::NamedTempFile, StoreError> {
        let new = beside(&self.path, "new");
        // The lock makes it ours: a leftover of a run that was killed while saving.
        remove(&new)?;
        let name = new.file_name().expect("beside() gives a file");
        let mut file = tempfile::Builder::new()
            .prefix(name)
            .rand_bytes(0)
            .permissions(Permissions::from_mode(self.mode.unwrap_or(0o666)))
            .tempfile_in(folder(&self.path))
            .map_err(io("creating a file", &new))?;
        if let Some(mode) = self.mode {
            // What the umask takes from a new file, the old one had.
            file.as_file().set_permissions(Permissions::from_mode(mode)).map_err(io("setting the mode", &new))?;
        }
        file.write_all(text.as_bytes()).map_err(io("writing", &new))?;
        file.as_file().sync_all().map_err(io("writing", &new))?;
        Ok(file)
    }

    /// Gives a good newest save its second name. Where somebody removed it, there is nothing to keep.
    fn keep_previous(&mut self) -> Result<(), StoreError> {
        if !self.newest_is_good || fs::symlink_metadata(&self.path).is_err() {
            return Ok(());
        }
        let previous = beside(&self.path, "previous");
        remove(&previous)?;
        match fs::hard_link(&self.path, &previous) {
            Ok(()) => return Ok(()),
            // Removed since it was looked for.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            // A file system without links.
            Err(_) => {}
        }
        self.newest_is_good = false;
        fs::rename(&self.path, previous).map_err(io("renaming", &self.path))
    }

    /// Removes the previous save, once the newest is complete and nothing will be added to it.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn tidy(&self) -> Result<(), StoreError> {
        remove(&beside(&self.path, "previous"))
    }
}

/// The ledger in a file, without locking it.
///
/// # Errors
/// Where there is no file, or no ledger in it.
pub fn read(path: &Path) -> Result<Ledger, StoreError> {
    let bytes = bytes(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => StoreError::Missing(path.to_owned()),
        io::ErrorKind::IsADirectory => StoreError::NotAFile(path.to_owned()),
        _ => io("reading", path)(error),
    })?;
    decode(&bytes).map_err(|error| StoreError::Format(path.to_owned(), error))
}

/// What is in a file, as far as it may be a ledger: of anything else only the beginning, which may have no end.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?.take(LARGEST);
    let mut bytes = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes)?;
    if bytes == MAGIC.as_bytes() {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The file that a name leads to, through symbolic links, where it need not exist.
///
/// # Errors
/// Where the links lead in a circle.
pub fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(link) => path = folder(&path).join(link),
            // No link, or nothing at all.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The hidden file `.NAME.role` beside `path`: a shell's `*` does not find it.
fn beside(path: &Path, role: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().expect("Store::open() wants a file name"));
    name.push(".");
    name.push(role);
    path.with_file_name(name)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io("removing", path)(error)),
        _ => Ok(()),
    }
}

fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    move |source| StoreError::Io { path: path.to_owned(), doing, source }
}

/// An exclusive lock on a file of its own, for the ledger's file is replaced with every save.
#[derive(Debug)]
struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    fn take(ledger: &Path) -> Result<Self, StoreError> {
        let path = beside(ledger, "lock");
        loop {
            // A link in the place of the lock file would have another file made, or locked.
            let mut options = OpenOptions::new();
            options.create(true).truncate(false).write(true).custom_flags(OFlags::NOFOLLOW.bits() as i32);
            let file = options.open(&path).map_err(io("creating a file", &path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(StoreError::Busy(ledger.to_owned())),
                Err(TryLockError::Error(error)) => return Err(io("locking", &path)(error)),
            }
            // Whoever held it may have removed the file between our opening and our locking it; a lock on a file
            // that no longer has the name protects nothing.
            let ours = file.metadata().map_err(io("locking", &path))?;
            match fs::symlink_metadata(&path) {
                Ok(named) if (named.dev(), named.ino()) == (ours.dev(), ours.ino()) => {
                    return Ok(Self { path, _file: file });
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(io("locking", &path)(error)),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while still locked; where that fails, an unlocked file is left, which means nothing.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::format::FormatError;
    use crate::{Placement, Size};

    fn ledger(units: usize) -> Ledger {
        let prefix = Placement::empty(Size::new(8).unwrap());
        let fingerprint =
            Fingerprint { subject: prefix.into(), engine: "naive".into(), plan: "a plan".into(), units: 9 };
        let mut ledger = Ledger::new(fingerprint, Shard::WHOLE);
        for unit in 0..units {
            ledger.record(unit, 4.into()).unwrap();
        }
        ledger
    }

    fn load(path: &Path) -> Result<Option<Found>, StoreError> {
        Store::open(path)?.load(ledger(0).fingerprint(), Shard::WHOLE)
    }

    /// Two saves, of one unit and of two.
    fn saved_twice() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        let mut store = Store::open(&path).unwrap();
        assert!(store.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap().is_none());
        store.save(&ledger(1)).unwrap();
        store.save(&ledger(2)).unwrap();
        (folder, path)
    }

    #[test]
    fn what_is_saved_is_found() {
        let (folder, path) = saved_twice();
        let found = load(&path).unwrap().unwrap();
        assert!(found.fallback.is_none());
        assert_eq!(found.ledger, ledger(2));
        assert_eq!(read(&folder.path().join(".c.previous")).unwrap(), ledger(1));
        let names = || {
            let entries = fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(), [".c.previous", "c"], "the lock goes with the store");
        Store::open(&path).unwrap().tidy().unwrap();
        assert_eq!(names(), ["c"]);
    }

    #[test]
    fn two_runs_cannot_share_a_file() {
        let (_folder, path) = saved_twice();
        let first = Store::open(&path).unwrap();
        assert!(matches!(Store::open(&path), Err(StoreError::Busy(_))));
        drop(first);
        Store::open(&path).unwrap();
    }

    /// Whatever happens to the newest save, the one before it is used and the reason told; a good one is never lost
    /// to a damaged one.
    #[test]
    fn a_damaged_newest_save_falls_back() {
        let (folder, path) = saved_twice();
        let good = fs::read(&path).unwrap();
        let cuts = (0..good.len()).map(|length| good[..length].to_vec());
        let flips = (0..good.len() * 8).map(|bit| {
            let mut flipped = good.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            flipped
        });
        for damaged in cuts.chain(flips) {
            fs::write(&path, &damaged).unwrap();
            let found = load(&path).unwrap().unwrap();
            assert!(matches!(found.fallback, Some(StoreError::Format(..))), "{found:?}");
            assert_eq!(found.ledger, ledger(1));
        }
        let mut store = Store::open(&path).unwrap();
        store.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap();
        store.save(&ledger(3)).unwrap();
        assert_eq!(read(&path).unwrap(), ledger(3));
        assert_eq!(read(&folder.path().join(".c.previous")).unwrap(), ledger(1));
        drop(store);
        // As if killed between the two renames.
        fs::remove_file(&path).unwrap();
        let found = load(&path).unwrap().unwrap();
        assert!(matches!(found.fallback, Some(StoreError::Missing(_))));
        assert_eq!(found.ledger, ledger(1));
    }

    #[test]
    fn without_an_earlier_save_damage_is_refused() {
        let (folder, path) = saved_twice();
        Store::open(&path).unwrap().tidy().unwrap();
        fs::write(&path, "queens ledger 1\nn 8\n").unwrap();
        assert!(matches!(load(&path), Err(StoreError::Format(_, FormatError::Cut))));
        assert!(matches!(load(folder.path()), Err(StoreError::NotAFile(_))));
        assert!(load(&folder.path().join("none")).unwrap().is_none());
        assert!(matches!(load(&folder.path().join("no/folder")), Err(StoreError::Io { .. })));
    }

    #[test]
    fn another_count_is_refused() {
        let (_folder, path) = saved_twice();
        let mut store = Store::open(&path).unwrap();
        let other = Fingerprint { plan: "b plan".into(), ..ledger(0).fingerprint().clone() };
        let error = store.load(&other, Shard::WHOLE).unwrap_err().to_string();
        assert!(error.ends_with("c: it is for the plan a plan, not b plan"), "{error}");
        let error = store.load(ledger(0).fingerprint(), Shard::new(1, 2).unwrap()).unwrap_err().to_string();
        assert!(error.ends_with("c: it is for shard 1/1, not 1/2"), "{error}");
    }

    /// A leftover of a run that was killed while saving is in nobody's way.
    #[test]
    fn leftovers_are_replaced() {
        let (folder, path) = saved_twice();
        for role in ["new", "lock"] {
            fs::write(folder.path().join(format!(".c.{role}")), "leftover").unwrap();
        }
        let mut store = Store::open(&path).unwrap();
        store.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap();
        store.save(&ledger(4)).unwrap();
        assert_eq!(read(&path).unwrap(), ledger(4));
    }
}
