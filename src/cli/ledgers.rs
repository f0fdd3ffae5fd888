//! The door to checkpoints that are read: files, and folders with ledgers in them or below.

use std::fs;
use std::path::{Path, PathBuf};

use queens::ledger::{self, FormatError, Ledger, Shard, StoreError, is_ledger};

use super::failure::Failure;
use super::text;

/// The ledgers in some files and folders.
pub(crate) struct Ledgers {
    pub(crate) files: Vec<(PathBuf, Ledger)>,
    /// Each names its file.
    pub(crate) damaged: Vec<StoreError>,
}

impl Ledgers {
    /// Reads them, each once. It fails if a file cannot be read, or is named and is no ledger.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self, Failure> {
        let mut found = Vec::new();
        for path in paths {
            let about = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
            if about.is_dir() { search(path, &mut found)? } else { found.push(path.clone()) }
        }
        let (mut files, mut damaged) = (Vec::new(), Vec::new());
        let mut seen = std::collections::HashSet::new();
        for path in found {
            if !seen.insert(path.canonicalize().map_err(|error| unreadable(&path, &error))?) {
                continue;
            }
            match ledger::read(&path) {
                Ok(ledger) => files.push((path, ledger)),
                Err(error @ StoreError::Format(_, FormatError::Damaged)) => damaged.push(error),
                Err(error) => return Err(error.into()),
            }
        }
        if files.is_empty() && damaged.is_empty() {
            let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            return Err(Failure::Run(format!("no ledger in {}", paths.join(", "))));
        }
        Ok(Self { files, damaged })
    }

    /// How many shards the count has of which they are; if they were dealt anew, the most.
    pub(crate) fn shards(&self) -> u32 {
        self.files.iter().map(|(_, ledger)| ledger.shard().of()).max().unwrap_or(1)
    }

    /// What all of them have, as a ledger of the whole count; the file that does not fit is named. `None` if all are damaged.
    pub(crate) fn union(&self) -> Result<Option<Ledger>, Failure> {
        let Some((_, first)) = self.files.first() else { return Ok(None) };
        let whole = Ledger::new(first.fingerprint().clone(), Shard::WHOLE);
        let add = |whole: Ledger, (path, ledger): &(PathBuf, Ledger)| {
            whole.merge(ledger.clone()).map_err(|error| Failure::from(error).of_file(path))
        };
        self.files.iter().try_fold(whole, add).map(Some)
    }
}

/// `shard 3 of 16 is missing or unfinished`, `shards 3,7-9 of 16 are ...`.
pub(crate) fn missing_shards(missing: &[u32], of: u32) -> String {
    let (shards, are) = if missing.len() == 1 { ("shard", "is") } else { ("shards", "are") };
    format!("{shards} {} of {of} {are} missing or unfinished", text::ranges(missing))
}

/// How much of a ledger is finished: `12 of 105 units`, `0 of 105 units and parts of 2`.
pub(crate) fn finished(ledger: &Ledger) -> String {
    let parts = match ledger.partials().count() {
        0 => String::new(),
        parts => format!(" and parts of {parts}"),
    };
    format!("{} of {}{parts}", text::grouped(ledger.finished() as u64), text::count_of(ledger.units() as u64, "unit"))
}

/// The ledgers in a folder and below, in the order of their names. A hidden one is being written.
fn search(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = entries.map_err(|error| unreadable(folder, &error))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, is_folder) = (entry.path(), entry.file_type().is_ok_and(|kind| kind.is_dir()));
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if is_folder {
            search(&path, found)?;
        } else if is_ledger(&path).unwrap_or(true) {
            found.push(path);
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Run(format!("cannot read {}: {error}", path.display()))
}
