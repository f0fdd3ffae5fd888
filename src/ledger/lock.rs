//! The lock of a ledger's file, `.NAME.lock` beside it: the ledger's own file is replaced with every save.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::draft::beside;

/// An exclusive lock. At its end its file is removed, except on Windows; where one is left, it means nothing.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock of the file at this place; `None` where the file system has no locks.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if another run has it; else if no file can be made there.
    pub(super) fn take(place: &Path) -> io::Result<Option<Self>> {
        let path = beside(place, "lock");
        loop {
            // To open a pipe of this name only for writing would wait for a reader.
            let file = File::options().create(true).truncate(false).read(true).write(true).open(&path)?;
            match file.try_lock() {
                // Between the two calls another run may have ended and removed the file: then this is a lock on nothing.
                Ok(()) if !has_name(&file, &path)? => {}
                Ok(()) => return Ok(Some(Self { file, path })),
                Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
                Err(TryLockError::Error(error)) => {
                    let _ = fs::remove_file(&path);
                    return if has_no_locks(&error) { Ok(None) } else { Err(error) };
                }
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // It is removed while it is locked. Whoever removed it by hand may have let another run make its own.
        if cfg!(unix) && has_name(&self.file, &self.path).unwrap_or(false) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether the open file still has this name.
#[cfg(unix)]
fn has_name(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let number = |about: fs::Metadata| (about.dev(), about.ino());
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        named => Ok(number(named?) == number(file.metadata()?)),
    }
}

/// On other systems no lock file is ever removed.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix it may not be known")]
fn has_name(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// Whether the error of a lock says that the file system has none, as Lustre without `-o flock` and some NFS.
fn has_no_locks(error: &io::Error) -> bool {
    #[cfg(unix)]
    return super::draft::lacks(error, rustix::io::Errno::NOLCK);
    #[cfg(not(unix))]
    return error.kind() == io::ErrorKind::Unsupported;
}
