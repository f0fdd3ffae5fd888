//! The lock of a ledger's file, `.NAME.lock` beside it: the ledger's own file is replaced with every save.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use super::draft::beside;

/// An exclusive lock as long as the file is open. The file stays: to remove it would let a run lock a file that is gone.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of the file at this place; `None` where the file system has no locks.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if another run has it; else if no file can be made there.
    pub(super) fn take(place: &Path) -> io::Result<Option<Self>> {
        // To open a pipe of this name only for writing would wait for a reader.
        let file = File::options().create(true).truncate(false).read(true).write(true).open(beside(place, "lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(error)) if has_no_locks(&error) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Whether the error of a lock says that the file system has none, as Lustre without `-o flock` and some NFS.
fn has_no_locks(error: &io::Error) -> bool {
    #[cfg(unix)]
    return super::draft::lacks(error, rustix::io::Errno::NOLCK);
    #[cfg(not(unix))]
    return error.kind() == io::ErrorKind::Unsupported;
}
