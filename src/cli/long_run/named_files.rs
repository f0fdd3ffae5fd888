//! Ledgers by the names that people give: files, and folders of them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use queens::ledger::Ledger;
use queens::ledger::format::FormatError;
use queens::ledger::store::{self, StoreError};
use queens::{Request, Shard};

use crate::cli::terminal::{Exit, Failure, escape, files, messages};

/// A file, and the ledger in it or why there is none.
pub(crate) struct NamedLedger {
    pub(crate) path: PathBuf,
    /// Whether somebody has named it, and not its folder, where other files may be as well.
    pub(crate) is_named: bool,
    pub(crate) ledger: Result<Ledger, StoreError>,
}

/// A ledger by its file.
pub(crate) type Part = (PathBuf, Ledger);

/// The ledgers in these files and folders, and in folders so deep within these. What a folder has beside ledgers is skipped, and
/// named: it may be in the place of a shard that is missing. Only what is hidden, as locks and drafts are, is skipped in silence.
pub(crate) fn ledgers(paths: &[PathBuf], depth: usize) -> Result<Vec<NamedLedger>, Failure> {
    let (mut found, mut skipped) = (Vec::new(), Vec::new());
    for path in paths {
        if !path.is_dir() {
            let (path, ledgers) = if files::is_stdin(path) {
                let name = Path::new("stdin");
                (name, store::read_from(name, io::stdin()))
            } else {
                (path.as_path(), vec![store::read(path)])
            };
            let named = |ledger| NamedLedger { path: path.to_owned(), is_named: true, ledger };
            found.extend(ledgers.into_iter().map(named));
            continue;
        }
        let inside = collect(path, depth, &mut skipped).map_err(|error| files::unread(path, &files::reason(&error)))?;
        for path in inside.into_iter().filter(|path| !is_hidden(path)) {
            match store::read(&path) {
                // As a batch system makes for what a job prints.
                _ if path.metadata().is_ok_and(|about| about.len() == 0) => skipped.push((path, "empty".to_owned())),
                Err(StoreError::Format(_, error @ FormatError::NotALedger)) => skipped.push((path, error.to_string())),
                // It is gone by now.
                Err(StoreError::Missing(_)) => {}
                ledger => found.push(NamedLedger { path, is_named: false, ledger }),
            }
        }
    }
    say_skipped(&skipped);
    Ok(found)
}

/// Names the files that were skipped, a line for each reason.
fn say_skipped(skipped: &[(PathBuf, String)]) {
    /// Of more, only the number is of use.
    const MOST: usize = 10;
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (path, reason) in skipped {
        by_reason.entry(reason).or_default().push(escape::name(path));
    }
    for (reason, names) in by_reason {
        let (named, others) = names.split_at(names.len().min(MOST));
        let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        messages::note(&format!("skipped, {reason}: {}{more}", named.join(", ")));
    }
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

/// The files in these folders that a run has locked and not saved yet.
pub(crate) fn unsaved_files(paths: &[PathBuf], depth: usize) -> Vec<PathBuf> {
    let files = paths.iter().filter_map(|path| collect(path, depth, &mut Vec::new()).ok()).flatten();
    let locked = files.filter_map(|lock| {
        let name = lock.file_name()?.to_str()?.strip_prefix('.')?.strip_suffix(".lock")?;
        Some(lock.with_file_name(name))
    });
    locked.filter(|path| !path.exists() && store::is_in_use(path)).collect()
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// The files in a folder and in folders so deep within it, by name; what else is there is skipped, and why.
fn collect(folder: &Path, depth: usize, skipped: &mut Vec<(PathBuf, String)>) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        match path.metadata() {
            Ok(about) if about.is_file() => found.push(path),
            // It is gone by now, or a link that leads nowhere.
            Err(_) => {}
            Ok(_) if is_hidden(&path) => {}
            Ok(about) if !about.is_dir() => skipped.push((path, "not a regular file".to_owned())),
            Ok(_) if depth == 0 || path.is_symlink() => skipped.push((path, "a folder".to_owned())),
            Ok(_) => match collect(&path, depth - 1, skipped) {
                Ok(inside) => found.extend(inside),
                Err(error) => skipped.push((path, files::reason(&error))),
            },
        }
    }
    Ok(found)
}
