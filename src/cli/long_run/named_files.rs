//! Ledgers by the names that people give: files, and folders of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use queens::ledger::Ledger;
use queens::ledger::format::FormatError;
use queens::ledger::store::{self, StoreError};
use queens::{Request, Shard};

use crate::cli::terminal::{Exit, Failure, escape, files};

/// A file, and the ledger in it or why there is none.
pub(crate) struct NamedLedger {
    pub(crate) path: PathBuf,
    /// Whether somebody has named it, and not its folder, where other files may be as well.
    pub(crate) is_named: bool,
    pub(crate) ledger: Result<Ledger, StoreError>,
}

/// A ledger by its file.
pub(crate) type Part = (PathBuf, Ledger);

/// The ledgers in these files and folders, read when they are asked for. In a folder, what is no ledger is passed over.
pub(crate) fn ledgers(paths: &[PathBuf], depth: usize) -> Result<impl Iterator<Item = NamedLedger>, Failure> {
    let read = |(path, is_named): (PathBuf, bool)| {
        let is_stdin = files::is_stdin(&path);
        let ledger = if is_stdin { store::read_from(&path, io::stdin()) } else { store::read(&path) };
        match ledger {
            Err(StoreError::Format(_, FormatError::NotALedger) | StoreError::Missing(_)) if !is_named => None,
            ledger => Some(NamedLedger { path, is_named, ledger }),
        }
    };
    Ok(named_files(paths, depth)?.into_iter().filter_map(read))
}

/// The union of the ledgers in these files and folders, each of which must have the plan that is made of the first one's
/// count; and each of them, by its file. What is damaged is `damaged`'s to decide on. `None` if there is no other.
pub(crate) fn union(
    paths: &[PathBuf],
    mut damaged: impl FnMut(&Path, StoreError) -> Result<(), Failure>,
) -> Result<Option<(Ledger, Vec<Part>)>, Failure> {
    let (mut whole, mut parts): (Option<Ledger>, _) = (None, Vec::new());
    for NamedLedger { path, ledger, .. } in ledgers(paths, 0)? {
        let part = match ledger {
            Err(error) if error.is_damage() => {
                damaged(&path, error)?;
                continue;
            }
            ledger => ledger?,
        };
        if whole.is_none() {
            let planned = Request::try_from(part.fingerprint()).and_then(|request| request.fingerprint());
            whole = Some(Ledger::new(planned.map_err(|error| files::unread(&path, &error))?, Shard::WHOLE));
        }
        let merged = whole.as_mut().map_or(Ok(()), |whole| whole.merge(&part));
        merged.map_err(|error| StoreError::Ledger(path.clone(), error))?;
        parts.push((path, part));
    }
    Ok(whole.map(|whole| (whole, parts)))
}

/// Files and folders have nothing of what the command needs.
pub(crate) fn nothing_in(paths: &[PathBuf], exit: Exit, reason: &str) -> Failure {
    let names: Vec<String> = paths.iter().map(|path| escape::name(path)).collect();
    Failure::Run(exit, format!("{}: {reason}", names.join(", ")))
}

/// The files, and in the place of each folder those in it and in folders so deep within it, by name. Of these, hidden ones
/// are left out, and empty ones, as a batch system makes for what a job prints. Of each, whether it was named itself.
fn named_files(paths: &[PathBuf], depth: usize) -> Result<Vec<(PathBuf, bool)>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            let inside = collect(path, depth).map_err(|error| files::unread(path, &files::reason(&error)))?;
            let is_empty = |path: &Path| path.metadata().is_ok_and(|about| about.is_file() && about.len() == 0);
            let others = inside.into_iter().filter(|path| !is_hidden(path) && !is_empty(path));
            found.extend(others.map(|path| (path, false)));
        } else {
            found.push((path.clone(), true));
        }
    }
    Ok(found)
}

/// The files in these folders that a run has locked and not saved yet.
pub(crate) fn unsaved_files(paths: &[PathBuf], depth: usize) -> Vec<PathBuf> {
    let files = paths.iter().filter_map(|path| collect(path, depth).ok()).flatten();
    let locked = files.filter_map(|lock| {
        let name = lock.file_name()?.to_str()?.strip_prefix('.')?.strip_suffix(".lock")?;
        Some(lock.with_file_name(name))
    });
    locked.filter(|path| !path.exists() && store::is_in_use(path)).collect()
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// By name.
fn collect(folder: &Path, depth: usize) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_file() {
            found.push(path);
        } else if depth > 0 && path.is_dir() && !path.is_symlink() && !is_hidden(&path) {
            // A folder that cannot be read stands for itself: whoever opens it tells why.
            found.extend(collect(&path, depth - 1).unwrap_or_else(|_| vec![path]));
        }
    }
    Ok(found)
}
