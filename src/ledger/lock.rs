//! The lock of a ledger's file.

#[cfg(unix)]
use std::fs;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::store::{StoreError, beside, failed};

/// An exclusive lock on a file of its own, for the ledger's file is replaced with every save.
#[derive(Debug)]
pub(super) struct Lock {
    #[cfg_attr(not(unix), expect(dead_code, reason = "nothing is removed"))]
    path: PathBuf,
    _file: File,
}

impl Lock {
    pub(super) fn take(ledger: &Path) -> Result<Self, StoreError> {
        let path = beside(ledger, "lock");
        loop {
            let file = open(&path).map_err(failed("creating a file", &path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(StoreError::Busy(ledger.to_owned())),
                Err(TryLockError::Error(error)) => return Err(failed("locking", &path)(error)),
            }
            if has_the_name(&file, &path).map_err(failed("locking", &path))? {
                return Ok(Self { path, _file: file });
            }
        }
    }
}

#[cfg(unix)]
impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while still locked; where that fails, an unlocked file is left, which means nothing.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // A link in the place of the lock file would have another file made, or locked.
    let follow = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    OpenOptions::new().create(true).truncate(false).write(true).custom_flags(follow).open(path)
}

/// Whether this file still has this name. Whoever held the lock may have removed the file between our opening and our
/// locking it; a lock on a file that no longer has the name protects nothing.
#[cfg(unix)]
fn has_the_name(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let ours = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).open(path)
}

/// Elsewhere files do not tell what they are, so a lock file is left when it is no longer needed, and keeps its name.
#[cfg(not(unix))]
fn has_the_name(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}
