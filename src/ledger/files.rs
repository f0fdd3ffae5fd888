//! Files: the store of a ledger, and files that appear whole or not at all.
#![allow(unused_variables, dead_code)]

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{FormatError, Ledger};

/// Why a file of a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Its contents are not those of a ledger.
    #[error("{path}: {error}", path = .0.display(), error = .1)]
    Format(PathBuf, FormatError),
}

impl StoreError {
    /// Whether the file is damaged, so that it is best removed and counted again.
    pub fn is_damage(&self) -> bool {
        todo!("ledger")
    }
}

/// A ledger's file, locked as long as this value lives.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    ledger: Option<Ledger>,
}

impl Store {
    /// Locks the file, and reads it if it is there.
    ///
    /// # Errors
    /// If another process has it, or it cannot be read, or is damaged.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        todo!("ledger")
    }

    /// What the file held when it was opened; `None` if there was no file.
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// The name of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file system has locks.
    pub fn is_locked(&self) -> bool {
        todo!("ledger")
    }

    /// Saves durably: afterwards the file has this ledger, or if it fails what it had before.
    pub fn save(&mut self, ledger: &Ledger) -> Result<(), StoreError> {
        todo!("ledger")
    }
}

/// Reads a file without locking it.
pub fn read(path: &Path) -> Result<Ledger, StoreError> {
    todo!("ledger")
}

/// Whether a file is a ledger, by its first bytes.
pub fn is_ledger(path: &Path) -> bool {
    todo!("ledger")
}

/// A file that is written beside its place, which it takes whole or not at all.
#[derive(Debug)]
pub struct Draft;

impl Draft {
    /// Begins the file that is to take this place.
    pub fn new(place: &Path) -> io::Result<Self> {
        todo!("ledger")
    }

    /// Takes the place, durably.
    pub fn commit(self) -> io::Result<()> {
        todo!("ledger")
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        todo!("ledger")
    }

    fn flush(&mut self) -> io::Result<()> {
        todo!("ledger")
    }
}
