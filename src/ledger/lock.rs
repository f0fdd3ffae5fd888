//! The lock of a ledger's file.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::holder::Holder;
use super::store_error::{StoreError, beside, failed};
use crate::ledger::durable::{has_name, open_regular};

/// An exclusive lock. It is on a separate file, because the ledger's file is replaced with every save.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    file: File,
    /// Keeps other runs out where the file system has no locks.
    holder: Option<Holder>,
}

impl Lock {
    pub(super) fn take(ledger: &Path) -> Result<Self, StoreError> {
        /// Whoever asks whether the lock is held has it for less than that.
        const ASKED: Duration = Duration::from_millis(50);
        let (path, start) = (beside(ledger, "lock"), Instant::now());
        loop {
            let file = open_regular(&path, File::options().create(true).truncate(false).write(true));
            let file = file.map_err(|error| match error.kind() {
                io::ErrorKind::InvalidInput => StoreError::Misplaced(path.clone(), "lock"),
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
            Err(TryLockError::Error(error)) if Holder::is_needed(&error) => Holder::is_held(ledger),
            tried => matches!(tried, Err(TryLockError::WouldBlock)),
        })
    }

    /// Locks the file that was opened by this name; `None` if the file has lost the name. The previous holder of the
    /// lock may have removed the file after we opened it and before we locked it, and a lock on a file without the name
    /// protects nothing.
    fn on(file: File, path: &Path, ledger: &Path) -> Result<Option<Self>, StoreError> {
        let holder = match file.try_lock() {
            Ok(()) => None,
            Err(TryLockError::Error(error)) if Holder::is_needed(&error) => Some(Holder::take(ledger)?),
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
}

impl Lock {
    /// What people are told where no lock holds the file.
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Between opening and locking the file, another run may end and a third may begin.
    #[test]
    fn a_file_that_lost_its_name_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let (ledger, path) = (folder.path().join("c"), folder.path().join(".c.lock"));
        let open = || File::options().create(true).truncate(false).write(true).open(&path).unwrap();
        assert!(Lock::on(open(), &path, &ledger).unwrap().is_some());
        assert!(!path.exists(), "gone with the lock");
        let removed = open();
        fs::remove_file(&path).unwrap();
        assert!(Lock::on(removed, &path, &ledger).unwrap().is_none());
        let replaced = open();
        fs::remove_file(&path).unwrap();
        let other = Lock::take(&ledger).unwrap();
        assert!(Lock::on(replaced, &path, &ledger).unwrap().is_none());
        assert!(other.holds().unwrap(), "what is no lock removes none");
        assert!(Lock::is_held(&ledger));
        let begun = Instant::now();
        assert!(matches!(Lock::take(&ledger), Err(StoreError::Busy(_))));
        assert!(begun.elapsed() >= Duration::from_millis(50), "it might be held by somebody who only asks");
        // If somebody removes the file of a lock, another run can lock it; the first lock then leaves the new file
        // alone.
        fs::remove_file(&path).unwrap();
        let third = Lock::take(&ledger).unwrap();
        assert!(!other.holds().unwrap());
        drop(other);
        assert!(third.holds().unwrap());
        drop(third);
        drop(open());
        assert!(!Lock::is_held(&ledger), "a file that nobody has locked is no lock");
    }
}
