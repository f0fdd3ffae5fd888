//! Ledgers by the names that people give: files, and folders of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use queens::ledger::store;

use crate::cli::terminal::{Failure, files};

pub(crate) struct NamedFile {
    pub(crate) path: PathBuf,
    /// Whether somebody has named it, and not its folder, where other files may be as well.
    pub(crate) is_named: bool,
}

/// The files, and in the place of each folder those in it and in folders so deep within it, by name. Of these, hidden ones
/// are left out, and empty ones, as a batch system makes for what a job prints.
pub(crate) fn named_files(paths: &[PathBuf], depth: usize) -> Result<Vec<NamedFile>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            let inside = collect(path, depth).map_err(|error| files::unread(path, &files::reason(&error)))?;
            let is_empty = |path: &Path| path.metadata().is_ok_and(|about| about.is_file() && about.len() == 0);
            let others = inside.into_iter().filter(|path| !is_hidden(path) && !is_empty(path));
            found.extend(others.map(|path| NamedFile { path, is_named: false }));
        } else {
            found.push(NamedFile { path: path.clone(), is_named: true });
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
