//! A ledger as a durable file: locked while in use, replaced as a whole, with the previous save kept beside it.
//!
//! | file | what it is |
//! | --- | --- |
//! | `FILE` | the newest save |
//! | `.FILE.previous` | the save before, in case the newest is damaged |
//! | `.FILE.new` | a save being written |
//! | `.FILE.lock` | locked by the run that uses `FILE`, which removes it at its end. On Windows, or if the run was killed, an unlocked file is left; it means nothing |
//!
//! A save is written to `.FILE.new` and synced, `FILE` gets `.FILE.previous` as a second name, `.FILE.new` is renamed
//! to `FILE`, and the folder is synced. So `FILE` is a complete save at every moment, for every reader and wherever the
//! process is killed. A save that fails, for example because the disk is full, leaves `FILE` unchanged. On file systems
//! without hard links `FILE` is renamed to `.FILE.previous` instead, and is missing for the moment between two renames.
//!
//! A symbolic link stands for the file that it leads to, so two names of one file exclude each other. All four files
//! must be regular files: a pipe under one of the hidden names, for example, would block the run that opens it.
//!
//! Where the file system refuses locks, `.FILE.holder` takes the place of the lock: see `holder.rs`.
//!
//! If somebody removes the lock file, another run may start to use `FILE`. So each save looks for the lock file, and if
//! it is gone, takes the lock again. That fails while another run has the lock. If another run has saved meanwhile, its
//! save is not overwritten.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::format::{MAGIC, decode, encode};
use super::lock::Lock;
use super::store_error::{beside, failed};
use super::{Fingerprint, Ledger};
use crate::ledger::durable::{Draft, has_name, open_regular, sync_folder, target};
use crate::ledger::shard::Shard;

pub use super::store_error::StoreError;

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
    /// Whether `FILE` is known to hold a good save. Only then may it replace the previous save.
    newest_is_good: bool,
    /// The permissions of the existing file, which later saves keep.
    permissions: Option<Permissions>,
}

/// The result of [`Store::load`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Found {
    /// The ledger.
    pub ledger: Ledger,
    /// If this is the previous save: why the newest one could not be used.
    pub fallback: Option<StoreError>,
}

impl Store {
    /// Takes the lock of `path`. The file need not exist, but its folder must, and files must be allowed in it.
    ///
    /// # Errors
    /// If another run holds the lock, `path` is not a regular file, or no file can be created in the folder.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        let path = target(&path).map_err(failed("following a link", &path))?;
        let permissions = match fs::metadata(&path) {
            Ok(metadata) if !metadata.is_file() => return Err(StoreError::NotAFile(path)),
            _ if path.file_name().is_none() => return Err(StoreError::NotAFile(path)),
            Ok(metadata) => Some(metadata.permissions()),
            Err(_) => None,
        };
        let previous = beside(&path, "previous");
        if fs::symlink_metadata(&previous).is_ok_and(|about| !about.is_file()) {
            return Err(StoreError::Misplaced(previous, "previous save"));
        }
        let lock = Lock::take(&path)?;
        Ok(Self { path, lock, seen: None, newest_is_good: false, permissions })
    }

    /// Makes sure that a run which starts from zero destroys no earlier save.
    ///
    /// # Errors
    /// If the file is gone but its previous save exists, which only [`Store::load`] would find.
    pub fn begin(&self) -> Result<(), StoreError> {
        let previous = beside(&self.path, "previous");
        match fs::symlink_metadata(&previous) {
            Ok(_) => Err(StoreError::Earlier(self.path.clone(), previous)),
            Err(_) => Ok(()),
        }
    }

    /// What people are told if the file system refuses locks, so that a file holds this one.
    pub fn notice(&self) -> Option<String> {
        self.lock.notice().map(|notice| format!("{}: {notice}", self.path.display()))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The newest complete save, which must be for this shard of this count; `None` if there is no save at all.
    ///
    /// # Errors
    /// If a save cannot be read or belongs to something else, and the previous save is of no use either.
    pub fn load(&mut self, fingerprint: &Fingerprint, shard: Shard) -> Result<Option<Found>, StoreError> {
        let previous = || {
            let path = beside(&self.path, "previous");
            let (ledger, _) = own(&path)?;
            ledger.check(fingerprint, shard).map_err(|error| StoreError::Ledger(path, error))?;
            Ok::<_, StoreError>(ledger)
        };
        let error = match own(&self.path) {
            Ok((ledger, file)) => {
                ledger.check(fingerprint, shard).map_err(|error| StoreError::Ledger(self.path.clone(), error))?;
                self.saw(file);
                self.newest_is_good = true;
                return Ok(Some(Found { ledger, fallback: None }));
            }
            Err(error) => error,
        };
        match (previous(), error) {
            (Ok(ledger), error) => Ok(Some(Found { ledger, fallback: Some(error) })),
            (Err(StoreError::Missing(_)), StoreError::Missing(_)) => Ok(None),
            // A previous save that does not fit this run may be needed elsewhere, so it is not replaced.
            (Err(error), StoreError::Missing(_)) | (Err(_), error) => Err(error),
        }
    }

    /// Saves durably: when this returns, the ledger survives a power cut.
    ///
    /// # Errors
    /// If the system refuses. The earlier saves are then unchanged.
    pub fn save(&mut self, ledger: &Ledger) -> Result<(), StoreError> {
        self.hold()?;
        let draft = self.write(&encode(ledger))?;
        self.take_place(draft)
    }

    /// Makes the draft the newest save.
    fn take_place(&mut self, draft: Draft) -> Result<(), StoreError> {
        // Checked again, because writing to a slow disk takes time.
        self.hold()?;
        self.keep_previous()?;
        let file = draft.rename().map_err(failed("renaming", &self.path))?;
        self.saw(file);
        self.newest_is_good = true;
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

    fn saw(&mut self, file: File) {
        self.seen = cfg!(unix).then_some(file);
    }

    /// Tests whether the ledger could be saved with all its units, and leaves no file behind.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn rehearse(&self, ledger: &Ledger) -> Result<(), StoreError> {
        self.write(&Self::longest(ledger)).map(drop)
    }

    /// A text as long as the ledger of the finished count.
    fn longest(ledger: &Ledger) -> String {
        // A line is a unit, of at most 20 digits, and a tally of at most 39.
        encode(ledger) + &" ".repeat(64 * ledger.units())
    }

    /// Writes and syncs a new file with this text beside the old one. If the draft is dropped, it is removed.
    fn write(&self, text: &str) -> Result<Draft, StoreError> {
        let new = beside(&self.path, "new");
        // We hold the lock, so such a file is left over from a run that was killed while saving.
        remove(&new)?;
        let draft = Draft::new(&self.path, new.file_name(), self.permissions.as_ref());
        let mut draft = draft.map_err(failed("creating a file", &new))?;
        draft.write_all(text.as_bytes()).and_then(|()| draft.sync()).map_err(failed("writing", &new))?;
        Ok(draft)
    }

    /// Gives a good newest save its second name. If somebody removed it, there is nothing to keep.
    fn keep_previous(&mut self) -> Result<(), StoreError> {
        if !self.newest_is_good || fs::symlink_metadata(&self.path).is_err() {
            return Ok(());
        }
        let previous = beside(&self.path, "previous");
        remove(&previous)?;
        match fs::hard_link(&self.path, &previous) {
            Ok(()) => return Ok(()),
            // It was removed after the test above.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            // The file system has no hard links.
            Err(_) => {}
        }
        self.newest_is_good = false;
        fs::rename(&self.path, previous).map_err(failed("renaming", &self.path))
    }

    /// Removes the previous save, once the newest is complete and nothing will be added to it.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn tidy(&self) -> Result<(), StoreError> {
        remove(&beside(&self.path, "previous"))
    }
}

/// Reads the ledger in a file without locking it.
///
/// # Errors
/// If the file does not exist or does not contain a ledger.
pub fn read(path: &Path) -> Result<Ledger, StoreError> {
    ledger_in(&File::open(path).map_err(|error| unread(path, error))?, path)
}

/// Whether a run holds the lock of a ledger's file: on this machine or, where their file system tells, on another.
pub fn is_in_use(path: &Path) -> bool {
    target(path).is_ok_and(|path| path.file_name().is_some() && Lock::is_held(&path))
}

/// Reads the ledger in a regular file, and returns the open file too.
fn own(path: &Path) -> Result<(Ledger, File), StoreError> {
    let file = open_regular(path, File::options().read(true)).map_err(|error| unread(path, error))?;
    Ok((ledger_in(&file, path)?, file))
}

/// Reads the ledger in an open file.
fn ledger_in(file: &File, path: &Path) -> Result<Ledger, StoreError> {
    let bytes = bytes(file).map_err(|error| unread(path, error))?;
    decode(&bytes).map_err(|error| StoreError::Format(path.to_owned(), error))
}

fn unread(path: &Path, error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::NotFound => StoreError::Missing(path.to_owned()),
        io::ErrorKind::IsADirectory | io::ErrorKind::InvalidInput => StoreError::NotAFile(path.to_owned()),
        _ => failed("reading", path)(error),
    }
}

/// The bytes of a file, or only the first ones if it is not a ledger: such a file may have no end.
fn bytes(file: &File) -> io::Result<Vec<u8>> {
    let mut file = file.take(LARGEST);
    let mut bytes = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes)?;
    if bytes == MAGIC.as_bytes() {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("removing", path)(error)),
        _ => Ok(()),
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

    /// A store with two saves, one of one unit and one of two.
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
            // On Windows an unlocked file stays.
            names.retain(|name| cfg!(unix) || name != ".c.lock");
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

    /// If somebody removes the lock file, another run can start; still only one of the two saves.
    #[test]
    #[cfg(unix)]
    fn a_lost_lock_is_taken_anew_or_ends_the_saving() {
        let (folder, path) = saved_twice();
        let lock = folder.path().join(".c.lock");
        let mut first = Store::open(&path).unwrap();
        first.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap();
        // No other run came: this one goes on, whether or not the ledger's file was removed as well.
        fs::remove_file(&lock).unwrap();
        first.save(&ledger(3)).unwrap();
        assert!(matches!(Store::open(&path), Err(StoreError::Busy(_))));
        fs::remove_file(&lock).unwrap();
        fs::remove_file(&path).unwrap();
        first.save(&ledger(4)).unwrap();
        fs::remove_file(&lock).unwrap();
        let mut second = Store::open(&path).unwrap();
        second.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap();
        assert!(matches!(first.save(&ledger(5)), Err(StoreError::Busy(_))), "the other is there");
        second.save(&ledger(6)).unwrap();
        assert!(matches!(first.save(&ledger(7)), Err(StoreError::Busy(_))));
        // More saves than files exist: if the inode number of the first save were free, the system would use it again.
        for _ in 0..4 {
            second.save(&ledger(6)).unwrap();
        }
        drop(second);
        assert!(matches!(first.save(&ledger(7)), Err(StoreError::Overtaken(_))), "the other has been there");
        assert_eq!(read(&path).unwrap(), ledger(6));
        drop(first);
        assert_eq!(load(&path).unwrap().unwrap().ledger, ledger(6));
        assert!(!lock.exists());
    }

    /// Another run may have found no file and saved, before this run saved for the first time.
    #[test]
    #[cfg(unix)]
    fn a_file_that_was_not_there_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        let mut first = Store::open(&path).unwrap();
        let lock = folder.path().join(".c.lock");
        fs::remove_file(&lock).unwrap();
        let mut second = Store::open(&path).unwrap();
        second.save(&ledger(2)).unwrap();
        fs::remove_file(&lock).unwrap();
        second.save(&ledger(3)).unwrap();
        drop(second);
        assert!(matches!(first.save(&ledger(1)), Err(StoreError::Overtaken(_))));
        assert_eq!(read(&path).unwrap(), ledger(3));
    }

    /// Another user of the folder can leave a pipe there, which would block the run that opens it.
    #[test]
    #[cfg(unix)]
    fn only_regular_files_are_taken_for_its_own() {
        for (role, what) in [("lock", "lock"), ("previous", "previous save")] {
            let (folder, path) = saved_twice();
            let place = folder.path().join(format!(".c.{role}"));
            let _ = fs::remove_file(&place);
            assert!(std::process::Command::new("mkfifo").arg(&place).status().unwrap().success());
            let error = Store::open(&path).unwrap_err().to_string();
            let name = place.display();
            let expected = format!("{name}: not a regular file, which is what a ledger's {what} has to be; remove it");
            assert_eq!(error, expected);
            fs::remove_file(&place).unwrap();
            fs::create_dir(&place).unwrap();
            assert!(matches!(Store::open(&path), Err(StoreError::Misplaced(..))));
        }
        // A pipe that appears while the file is in use.
        let (folder, path) = saved_twice();
        let mut store = Store::open(&path).unwrap();
        for name in ["c", ".c.previous"] {
            fs::remove_file(folder.path().join(name)).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(folder.path().join(name)).status().unwrap().success());
        }
        let found = store.load(ledger(0).fingerprint(), Shard::WHOLE);
        assert!(matches!(found, Err(StoreError::NotAFile(_))), "{found:?}");
    }

    /// Whatever happens to the newest save, the previous one is used and the reason reported. A damaged save never
    /// replaces a good one.
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
        // As if the run was killed between the two renames.
        fs::remove_file(&path).unwrap();
        assert!(matches!(Store::open(&path).unwrap().begin(), Err(StoreError::Earlier(..))));
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
        // The previous save does not help either.
        fs::write(&path, "damaged").unwrap();
        assert!(store.load(&other, Shard::WHOLE).is_err());
    }

    /// Another run may start before a save, or while it is written: its draft and its save are left alone.
    #[test]
    #[cfg(unix)]
    fn the_lock_is_looked_for_before_and_after_writing() {
        let (folder, path) = saved_twice();
        let mut first = Store::open(&path).unwrap();
        first.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap();
        let written = first.write(&encode(&ledger(3))).unwrap();
        fs::remove_file(folder.path().join(".c.lock")).unwrap();
        let second = Store::open(&path).unwrap();
        assert!(matches!(first.take_place(written), Err(StoreError::Busy(_))));
        let draft = second.write(&encode(&ledger(4))).unwrap();
        assert!(matches!(first.save(&ledger(3)), Err(StoreError::Busy(_))));
        assert!(draft.path().exists());
        assert_eq!(read(&path).unwrap(), ledger(2));
    }

    /// The newest save gets its second name without losing its first.
    #[test]
    fn the_file_is_there_while_the_one_before_is_kept() {
        let (folder, path) = saved_twice();
        let mut store = Store::open(&path).unwrap();
        store.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap();
        store.keep_previous().unwrap();
        assert_eq!(read(&path).unwrap(), ledger(2));
        assert_eq!(read(&folder.path().join(".c.previous")).unwrap(), ledger(2));
    }

    /// A path without a file name, or one where no file can be created, is reported before anything is counted.
    #[test]
    fn what_cannot_be_saved_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(Store::open(folder.path().join("no/..")), Err(StoreError::NotAFile(_))));
        let path = folder.path().join("c");
        let store = Store::open(&path).unwrap();
        store.rehearse(&ledger(0)).unwrap();
        fs::create_dir(folder.path().join(".c.new")).unwrap();
        assert!(matches!(store.rehearse(&ledger(0)), Err(StoreError::Io { doing: "removing", .. })));
        // The rehearsal writes as much as the longest possible save, and not much more.
        let (empty, mut full) = (ledger(0), ledger(0));
        (0..9).for_each(|unit| full.record(unit, u128::MAX.into()).unwrap());
        let (longest, full) = (Store::longest(&empty).len(), encode(&full).len());
        assert!((full..2 * full).contains(&longest), "{longest} for {full}");
    }

    /// A file left over from a run that was killed while saving does no harm.
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
