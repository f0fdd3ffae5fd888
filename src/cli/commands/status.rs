//! `queens status PATH...`: how counts stand, from their files alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args as ClapArgs;
use queens::ledger::format::FormatError;
use queens::ledger::ranges;
use queens::ledger::store::{self, StoreError};
use queens::ledger::{Fingerprint, Ledger};
use queens::{Rotation, Shard};
use serde::Serialize;

use crate::cli::long_run::{
    NamedFile,
    named_files::{named_files, unsaved_files},
    status::{about, time, title},
};
use crate::cli::terminal::{Exit, Facts, Failure, JsonOutput, escape, numbers, stdout, table::wrapped};

/// Folders within folders that are looked into: the results and checkpoints of a count that has one for each.
const DEPTH: usize = 1;

/// Show how far counts are, from their checkpoints and shards
///
/// A file is complete, running (a run holds its lock) or stopped (no run holds the lock, and units are left). A shard is
/// missing if there is no undamaged file of it. The time left is that of all units to be counted, at the mean pace so far,
/// by as many shards at once as are running now.
#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Checkpoints and shards, or folders with them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    json: JsonOutput,
}

/// From the worst to the best, of which the best is told of a shard that has several files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Stopped,
    Running,
    Complete,
}

/// A ledger's file.
#[derive(Serialize)]
struct LedgerFile {
    file: String,
    #[serde(skip)]
    shard: Shard,
    #[serde(rename = "shard")]
    name: String,
    state: State,
    #[serde(flatten)]
    work: Work,
    host: String,
    saved_ago: Option<f64>,
}

/// What is done of some units, and what it took.
#[derive(Clone, Copy, Default, Serialize)]
struct Work {
    units_done: usize,
    units: usize,
    /// Units of which the first tasks are done.
    parts: usize,
    seconds: f64,
}

/// A count in so many shards.
struct Count {
    fingerprint: Fingerprint,
    of: u32,
    files: Vec<LedgerFile>,
}

/// A file that is no sound ledger.
#[derive(Serialize)]
struct Damaged {
    file: String,
    reason: String,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    args.json.check()?;
    let mut counts: Vec<Count> = Vec::new();
    let (mut damaged, mut named) = (Vec::new(), false);
    for NamedFile { path, is_named } in named_files(&args.paths, DEPTH)? {
        named |= is_named;
        match store::read(&path) {
            Ok(ledger) => {
                let (fingerprint, of) = (ledger.fingerprint(), ledger.shard().of());
                let at = counts.iter().position(|count| (&count.fingerprint, count.of) == (fingerprint, of));
                let at = at.unwrap_or_else(|| {
                    counts.push(Count { fingerprint: fingerprint.clone(), of, files: Vec::new() });
                    counts.len() - 1
                });
                counts[at].files.push(LedgerFile::new(&path, &ledger));
            }
            Err(error) if is_named => return Err(error.into()),
            Err(StoreError::Format(_, FormatError::NotALedger)) => {}
            Err(error) => damaged.push(Damaged { file: escape::name(&path), reason: error.to_string() }),
        }
    }
    // A shard that keeps no checkpoint, or has yet to save one, has a number for its name where there are many.
    let mut unsaved = Vec::new();
    for path in unsaved_files(&args.paths, DEPTH) {
        let number = path.file_name().and_then(|name| name.to_str()?.parse().ok());
        let shard = |count: &Count| Shard::new(number?, count.of).ok();
        match counts.as_mut_slice() {
            [count] if shard(count).is_some() => {
                count.files.push(LedgerFile::unsaved(&path, shard(count).expect("it is one"), count));
            }
            _ => unsaved.push(escape::name(&path)),
        }
    }
    if counts.is_empty() && damaged.is_empty() && unsaved.is_empty() {
        return Err(Failure::Run(
            Exit::Failure,
            format!(
                "{}: no checkpoint and no shard",
                args.paths.iter().map(|path| escape::name(path)).collect::<Vec<_>>().join(", ")
            ),
        ));
    }
    // Of a file that is named, only that is told.
    let tables = counts.iter().flat_map(|count| {
        let each = named || count.of == 1;
        if each { count.files.iter().map(|file| count.table_of(file)).collect() } else { vec![count.table()] }
    });
    let mut tables: Vec<String> = tables.map(|facts| facts.table()).collect();
    if !damaged.is_empty() || !unsaved.is_empty() {
        let facts = damaged
            .iter()
            .fold(Facts::default(), |facts, damaged: &Damaged| facts.row("damaged", escape::harmless(&damaged.reason)));
        let begun = |facts: Facts, file| facts.row("running", format!("{file}: nothing is saved yet"));
        tables.push(unsaved.iter().fold(facts, begun).table());
    }
    let counts: Vec<CountJson> = counts.into_iter().map(Count::json).collect();
    let facts = Facts::of("status").with("counts", counts).with("damaged", damaged).with("unsaved", unsaved);
    args.json.deliver(&facts.text(&tables.join("\n")))
}

impl LedgerFile {
    fn new(path: &Path, ledger: &Ledger) -> Self {
        let state = match () {
            () if ledger.is_complete() => State::Complete,
            () if store::is_in_use(path) => State::Running,
            () => State::Stopped,
        };
        let saved = fs::metadata(path).and_then(|about| about.modified()).ok().and_then(|saved| saved.elapsed().ok());
        Self {
            file: escape::name(path),
            shard: ledger.shard(),
            name: ledger.shard().to_string(),
            state,
            work: Work {
                units_done: ledger.finished(),
                units: ledger.units(),
                parts: ledger.partials().count(),
                seconds: ledger.origin.elapsed.as_secs_f64(),
            },
            host: ledger.origin.host.clone(),
            saved_ago: saved.map(|age| age.as_secs_f64()),
        }
    }

    /// One that a run has begun.
    fn unsaved(path: &Path, shard: Shard, count: &Count) -> Self {
        let units = shard.units(count.fingerprint.units).len();
        Self {
            file: escape::name(path),
            shard,
            name: shard.to_string(),
            state: State::Running,
            work: Work { units, ..Work::default() },
            host: String::new(),
            saved_ago: None,
        }
    }
}

impl Work {
    fn plus(self, other: Self) -> Self {
        Self {
            units_done: self.units_done + other.units_done,
            units: self.units + other.units,
            parts: self.parts + other.parts,
            seconds: self.seconds + other.seconds,
        }
    }

    /// Seconds until the rest is done by so many at once; none where too little is done to tell.
    fn left(self, at_once: usize) -> Option<f64> {
        /// Fewer units say little of the others.
        const FEWEST: usize = 8;
        let pace = self.seconds / self.units_done as f64;
        (self.units_done >= FEWEST && at_once > 0)
            .then(|| pace * (self.units - self.units_done) as f64 / at_once as f64)
    }

    fn rows(self, facts: Facts, left: &str) -> Facts {
        let Self { units_done, units, parts, seconds } = self;
        let parts = if parts == 0 { String::new() } else { format!(" and parts of {parts} more") };
        let percent = 100.0 * units_done as f64 / units.max(1) as f64;
        facts
            .row("units", format!("{units_done} of {units}{parts}, {percent:.1} %"))
            .row("spent", numbers::seconds(seconds))
            .row_some("left", (units_done < units).then_some(left))
    }
}

impl Count {
    /// Of each shard that has a file, the best of its files.
    fn shards(&self) -> BTreeMap<u32, &LedgerFile> {
        let mut shards: BTreeMap<u32, &LedgerFile> = BTreeMap::new();
        for file in &self.files {
            let best = shards.entry(file.shard.index()).or_insert(file);
            if (file.state, file.work.units_done) > (best.state, best.work.units_done) {
                *best = file;
            }
        }
        shards
    }

    fn in_state(&self, state: State) -> Vec<u32> {
        self.shards().into_iter().filter(|(_, file)| file.state == state).map(|(index, _)| index).collect()
    }

    fn missing(&self) -> Vec<u32> {
        let shards = self.shards();
        (1..=self.of).filter(|index| !shards.contains_key(index)).collect()
    }

    /// All of it, missing shards too.
    fn work(&self) -> Work {
        let done = self.shards().values().fold(Work::default(), |sum, file| sum.plus(file.work));
        Work { units: self.fingerprint.units, ..done }
    }

    fn table(&self) -> Facts {
        let running = self.in_state(State::Running);
        let width = stdout::width().saturating_sub("complete  ".len());
        let shards = [
            ("complete", self.in_state(State::Complete)),
            ("running", running.clone()),
            ("stopped", self.in_state(State::Stopped)),
            ("missing", self.missing()),
        ];
        let told = shards.into_iter().filter(|(_, shards)| !shards.is_empty()).flat_map(|(label, shards)| {
            let list = format!("{}: {}", shards.len(), ranges(shards.iter().copied()));
            let lines = wrapped(&list, width, &[',', ' ']).into_iter().enumerate();
            lines.map(move |(index, line)| (if index == 0 { label } else { "" }, line)).collect::<Vec<_>>()
        });
        let facts = Facts::default().row("count", title(&self.fingerprint)).row("shards", self.of);
        let facts = told.fold(facts, |facts, (label, line)| facts.row(label, line));
        let work = self.work();
        let left = match (work.left(running.len()), work.left(1)) {
            (Some(left), _) => format!("{} with {} running", about(left), running.len()),
            (None, Some(left)) => format!("none is running; one shard at a time would take {}", about(left)),
            (None, None) => "not known yet".to_owned(),
        };
        work.rows(facts, &left)
    }

    fn table_of(&self, file: &LedgerFile) -> Facts {
        let by = if file.host.is_empty() { String::new() } else { format!(" on {}", escape::harmless(&file.host)) };
        let ago = file.saved_ago.map(|ago| format!(", saved {} ago{by}", time(Duration::from_secs_f64(ago))));
        let state = match file.state {
            State::Complete => "complete",
            State::Running => "running",
            State::Stopped => "stopped",
        };
        let left = file.work.left(1).map_or_else(|| "not known yet".to_owned(), about);
        let left = if file.state == State::Stopped { format!("{left}, once it goes on") } else { left };
        let facts = Facts::default()
            .row("file", &file.file)
            .row("count", title(&self.fingerprint))
            .row_some("shard", (self.of > 1).then_some(file.shard))
            .result("state", format!("{state}{}", ago.unwrap_or_default()));
        file.work.rows(facts, &left)
    }

    fn json(self) -> CountJson {
        let work = self.work();
        let [complete, running, stopped] =
            [State::Complete, State::Running, State::Stopped].map(|state| self.in_state(state));
        let subject = &self.fingerprint.subject;
        CountJson {
            n: subject.n(),
            prefix: subject.prefix().map(|prefix| prefix.to_string()),
            symmetry: subject.rotation().map(Rotation::name),
            engine: self.fingerprint.engine.clone(),
            shards: self.of,
            missing: self.missing(),
            left: work.left(running.len()),
            work,
            complete,
            running,
            stopped,
            files: self.files,
        }
    }
}

#[derive(Serialize)]
struct CountJson {
    n: usize,
    prefix: Option<String>,
    symmetry: Option<&'static str>,
    engine: String,
    shards: u32,
    complete: Vec<u32>,
    running: Vec<u32>,
    stopped: Vec<u32>,
    missing: Vec<u32>,
    #[serde(flatten)]
    work: Work,
    left: Option<f64>,
    files: Vec<LedgerFile>,
}
