//! Reads checkpoints: files, and folders recursively.
//!
//! Unreadable and contradictory files are reported on stderr, and the rest is still used. At the end contradictions are
//! always a failure, because one of the files is wrong; unreadable files only if named on the command line.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use queens::ledger::{self, Ledger, LedgerError, Shard, is_ledger};
use queens::{EngineKind, Placement};
use serde::Serialize;

use super::failure::{Failure, Result, report_lesser, store_message};
use super::{output, text};

#[derive(Default)]
pub(crate) struct Ledgers {
    pub(crate) files: Vec<(PathBuf, Ledger)>,
    /// A message for each unreadable file or folder.
    pub(crate) unreadable: Vec<String>,
    /// The number of unreadable paths that were named on the command line.
    named: u64,
    /// The number of files that contradict another.
    pub(crate) contradicting: u64,
}

impl Ledgers {
    /// Reads each ledger once. Fails if there is none.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self> {
        let (mut ledgers, mut seen) = (Self::default(), HashSet::new());
        // Named files come first, so that an unreadable one counts as named even if a named folder contains it.
        let (folders, named): (Vec<&PathBuf>, Vec<&PathBuf>) = paths.iter().partition(|path| path.is_dir());
        for path in named.into_iter().chain(folders) {
            let read = ledgers.add(path, &mut seen);
            ledgers.named += u64::from(read.is_err());
            ledgers.unreadable.extend(read.err());
        }
        let names = || paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
        // Each message is printed once: the last one is the failure of the command.
        let why = |unreadable: Option<String>| unreadable.unwrap_or_else(|| format!("no ledger in {}", names()));
        let failure = ledgers.files.is_empty().then(|| Failure::Run(why(ledgers.unreadable.pop())));
        ledgers.unreadable.iter().for_each(|warning| output::warning(warning));
        failure.map_or(Ok(ledgers), Err)
    }

    /// Adds a file, or the ledgers of a folder recursively, sorted by name. Skips paths that it has seen, because links
    /// can form a cycle, and hidden files, which are still being written.
    fn add(&mut self, path: &Path, seen: &mut HashSet<PathBuf>) -> Result<(), String> {
        // A pipe has no canonical name.
        if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.to_owned())) {
            return Ok(());
        }
        let unreadable = |error: io::Error| format!("{}: cannot be read: {error}", path.display());
        if !fs::metadata(path).map_err(unreadable)?.is_dir() {
            self.files.push((path.to_owned(), ledger::read(path).map_err(|error| store_message(&error))?));
            return Ok(());
        }
        let entries = fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut entries = entries.map_err(unreadable)?;
        entries.sort_by_key(fs::DirEntry::file_name);
        entries.retain(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
        for path in entries.iter().map(fs::DirEntry::path) {
            // An unreadable file may be a ledger; reading it gives the message.
            if path.is_dir() || !matches!(is_ledger(&path), Ok(false)) {
                let read = self.add(&path, seen);
                self.unreadable.extend(read.err());
            }
        }
        Ok(())
    }

    /// The numbers of shards into which their count was divided. A whole file is not a division.
    pub(crate) fn divisions(&self) -> BTreeSet<u32> {
        let shards = || self.files.iter().map(|(_, ledger)| ledger.shard().of());
        let is_divided = shards().any(|of| of > 1);
        shards().filter(|&of| of > 1 || !is_divided).collect()
    }

    /// Groups the files by count, the smallest board first.
    pub(crate) fn by_count(mut self) -> Vec<Self> {
        self.files.sort_by_key(|(_, ledger)| (ledger.fingerprint().prefix.size(), ledger.shard()));
        let mut counts: Vec<Self> = Vec::new();
        for (path, ledger) in self.files {
            let is_same = |count: &&mut Self| count.files[0].1.fingerprint() == ledger.fingerprint();
            match counts.iter_mut().find(is_same) {
                Some(count) => count.files.push((path, ledger)),
                None => counts.push(Self { files: vec![(path, ledger)], ..Self::default() }),
            }
        }
        counts
    }

    /// Merges all files, without contradicting ones. Fails if the files belong to several counts.
    pub(crate) fn union(&mut self) -> Result<Ledger> {
        let empty = self.files[0].1.emptied();
        let add = |whole: Ledger, (path, ledger): &(PathBuf, Ledger)| {
            whole.merge(ledger.clone()).map_err(|error| Failure::from_ledger(path, &error))
        };
        if let Ok(whole) = self.files.iter().try_fold(empty.clone(), add) {
            return Ok(whole);
        }
        let contradiction = |one: &Ledger, other: &Ledger| {
            one.clone().merge(other.clone()).err().filter(|error| matches!(error, LedgerError::Contradiction { .. }))
        };
        // Compare every file with every other.
        let all = self.files.clone();
        self.files.retain(|(path, one)| {
            let error = all.iter().find_map(|(_, other)| contradiction(one, other));
            if let Some(error) = &error {
                output::warning(&format!("{}: {error}; file ignored", path.display()));
                self.contradicting += 1;
            }
            error.is_none()
        });
        self.files.iter().try_fold(empty, add).map_err(|error| self.verdict().err().unwrap_or(error))
    }

    /// The files that contain part of a unit, with their shards.
    pub(crate) fn files_with(&self, unit: usize) -> String {
        let has = |ledger: &Ledger| {
            ledger.tallies().any(|(one, _)| one == unit) || ledger.partials().any(|(one, _)| one == unit)
        };
        let name = |(path, ledger): &(PathBuf, Ledger)| match ledger.shard() {
            Shard::WHOLE => path.display().to_string(),
            shard => format!("{} (shard {shard})", path.display()),
        };
        self.files.iter().filter(|(_, ledger)| has(ledger)).map(name).collect::<Vec<_>>().join(", ")
    }

    /// The failure for contradictory files and for unreadable paths.
    pub(crate) fn verdict(&self) -> Result {
        let wrong = format!("{} files contradict each other; count their shards again", self.contradicting);
        let unread = format!("{} cannot be read", text::count_of(self.named, "path"));
        report_lesser([Failure::Wrong(wrong).when(self.contradicting > 0), Failure::Run(unread).when(self.named > 0)])
    }
}

/// The files of a count together.
#[derive(Serialize)]
pub(crate) struct Whole {
    pub(crate) n: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prefix: Option<Placement>,
    pub(crate) engine: EngineKind,
    pub(crate) shards: u32,
    /// The shards that are missing or unfinished.
    pub(crate) missing: Vec<u32>,
    pub(crate) finished: usize,
    pub(crate) units: usize,
    /// Core time of all runs, if each recorded its own.
    pub(crate) core_seconds: Option<f64>,
    /// Estimated from the finished units, if there are any.
    pub(crate) core_seconds_left: Option<f64>,
}

impl Whole {
    pub(crate) fn new(shards: u32, union: &Ledger) -> Self {
        let unfinished = union.unfinished_shards(shards).unwrap_or_default();
        let (finished, units) = (union.finished(), union.units());
        let core_seconds = union.cpu_time().map(|time| time.as_secs_f64());
        let known = core_seconds.filter(|&seconds| seconds > 0.0 && finished > 0);
        Self {
            n: union.fingerprint().prefix.size().get(),
            prefix: prefix_of(union),
            engine: union.fingerprint().engine,
            shards,
            missing: unfinished.iter().map(|shard| shard.index()).collect(),
            finished,
            units,
            core_seconds,
            core_seconds_left: known.map(|seconds| seconds * (units - finished) as f64 / finished as f64),
        }
    }

    pub(crate) fn name(&self) -> String {
        format!("N = {} by {}", board(self.n, self.prefix), self.engine)
    }

    /// `shards 3, 7-9 of 16 are missing or unfinished`, if any is; of a long list the first three.
    pub(crate) fn missing_shards(&self) -> Option<String> {
        const MAX_LISTED: usize = 10;
        let (shards, are) = if self.missing.len() == 1 { ("shard", "is") } else { ("shards", "are") };
        // With blanks, so that the line can be wrapped.
        let list = |missing: &[u32]| text::ranges(missing).replace(',', ", ");
        let (mut numbers, mut advice) = (list(&self.missing), "");
        if numbers.matches(',').count() >= MAX_LISTED {
            numbers = format!("{} and {} more", list(&self.missing[..3]), self.missing.len() - 3);
            advice = "; list them with `queens status --missing`";
        }
        let is_missing = self.shards > 1 && !self.missing.is_empty();
        is_missing.then(|| format!("{shards} {numbers} of {} {are} missing or unfinished{advice}", self.shards))
    }
}

/// The prefix of a count, unless it is empty.
pub(crate) fn prefix_of(ledger: &Ledger) -> Option<Placement> {
    Some(ledger.fingerprint().prefix).filter(|prefix| !prefix.is_empty())
}

/// `22`, `22: 1,5`.
pub(crate) fn board(n: usize, prefix: Option<Placement>) -> String {
    prefix.map_or_else(|| n.to_string(), |prefix| format!("{n}: {prefix}"))
}

/// The progress of a ledger: `12 of 105 units`, `0 of 105 units and 2 partial units`.
pub(crate) fn finished(ledger: &Ledger) -> String {
    let parts = match ledger.partials().count() {
        0 => String::new(),
        parts => format!(" and {}", text::count_of(parts as u64, "partial unit")),
    };
    format!("{} of {}{parts}", text::grouped(ledger.finished() as u64), text::count_of(ledger.units() as u64, "unit"))
}
