//! The reasons why a ledger's file cannot be used, and the names of the files beside it.

use std::io;
use std::path::{Path, PathBuf};

use super::LedgerError;
use super::format::FormatError;

/// Why a ledger's file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The system refused a call.
    #[error("{path}: {doing} failed: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The call that failed.
        doing: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// Another run holds the lock.
    #[error("{0}: in use by another run")]
    Busy(PathBuf),
    /// An earlier save exists that the run was not asked to resume, and that it would overwrite.
    #[error("{0}: it is gone, but the save before it is here, {1}; go on from that with --resume or remove it")]
    Earlier(PathBuf, PathBuf),
    /// The path is a folder, a device or the like.
    #[error("{0}: not a regular file")]
    NotAFile(PathBuf),
    /// The same for a hidden name beside a ledger's file.
    #[error("{0}: not a regular file, which is what a ledger's {1} has to be; remove it")]
    Misplaced(PathBuf, &'static str),
    /// The lock's file was removed, and another run has saved since.
    #[error("{0}: another run has saved here, for the lock file was removed; that save is not written over")]
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
    /// Whether a ledger was there that has been damaged since: see [`FormatError::is_damage`].
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Format(_, error) if error.is_damage())
    }
}

/// The hidden file `.NAME.role` beside `path`: a shell's `*` does not find it.
pub(super) fn beside(path: &Path, role: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().expect("Store::open() wants a file name"));
    name.push(".");
    name.push(role);
    path.with_file_name(name)
}

/// Makes the error of a failed call: `doing` says what was being done with the file.
pub(super) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    move |source| StoreError::Io { path: path.to_owned(), doing, source }
}
