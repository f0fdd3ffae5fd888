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

use crate::cli::long_run::{
    NamedFile,
    named_files::{named_files, unsaved_files},
    run_status::title,
    status::{about, time},
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Stopped,
    Running,
    Complete,
}

/// A ledger's file.
struct LedgerFile {
    file: String,
    shard: Shard,
    state: State,
    work: Work,
    host: String,
    saved_ago: Option<f64>,
}

/// What is done of some units, and what it took.
#[derive(Clone, Copy, Default)]
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

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    args.json.check()?;
    let mut counts: Vec<Count> = Vec::new();
    let (mut damaged, mut unsaved, mut named) = (Vec::new(), Vec::new(), false);
    // Of files without a ledger.
    let mut others = Facts::default();
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
                let state = match () {
                    () if ledger.is_complete() => State::Complete,
                    () if store::is_in_use(&path) => State::Running,
                    () => State::Stopped,
                };
                counts[at].files.push(LedgerFile::new(&path, &ledger, state));
            }
            Err(error) if is_named => return Err(error.into()),
            Err(StoreError::Format(_, FormatError::NotALedger)) => {}
            Err(error) => {
                let (file, reason) = (escape::name(&path), error.to_string());
                others = others.row("damaged", escape::harmless(&reason));
                damaged.push(Facts::default().with("file", file).with("reason", reason));
            }
        }
    }
    // A shard that keeps no checkpoint, or has yet to save one, has a number for its name where there are many.
    for path in unsaved_files(&args.paths, DEPTH) {
        let number = path.file_name().and_then(|name| name.to_str()?.parse().ok());
        let shard = |count: &Count| Shard::new(number?, count.of).ok();
        match counts.as_mut_slice() {
            [count] if let Some(shard) = shard(count) => {
                let begun = Ledger::new(count.fingerprint.clone(), shard);
                count.files.push(LedgerFile::new(&path, &begun, State::Running));
            }
            _ => {
                let file = escape::name(&path);
                others = others.row("running", format!("{file}: nothing is saved yet"));
                unsaved.push(file);
            }
        }
    }
    let others = others.table();
    if counts.is_empty() && others.is_empty() {
        let names: Vec<String> = args.paths.iter().map(|path| escape::name(path)).collect();
        return Err(Failure::Run(Exit::Failure, format!("{}: no checkpoint and no shard", names.join(", "))));
    }
    // Of a file that is named, only that is told.
    let tables = counts.iter().flat_map(|count| {
        let each = named || count.of == 1;
        if each { count.files.iter().map(|file| file.facts(count)).collect() } else { vec![count.facts()] }
    });
    let tables = tables.map(|facts| facts.table()).chain((!others.is_empty()).then_some(others));
    let tables = tables.collect::<Vec<_>>().join("\n");
    let facts = Facts::of("status").list("counts", counts.iter().map(Count::facts)).list("damaged", damaged);
    args.json.deliver(&facts.with("unsaved", unsaved).text(&tables))
}

impl LedgerFile {
    fn new(path: &Path, ledger: &Ledger, state: State) -> Self {
        let saved = fs::metadata(path).and_then(|about| about.modified()).ok().and_then(|saved| saved.elapsed().ok());
        let work = Work {
            units_done: ledger.finished(),
            units: ledger.units(),
            parts: ledger.partials().count(),
            seconds: ledger.origin.elapsed.as_secs_f64(),
        };
        let (shard, host) = (ledger.shard(), ledger.origin.host.clone());
        Self { file: escape::name(path), shard, state, work, host, saved_ago: saved.map(|age| age.as_secs_f64()) }
    }

    fn facts(&self, count: &Count) -> Facts {
        let by = if self.host.is_empty() { String::new() } else { format!(" on {}", escape::harmless(&self.host)) };
        let ago = self.saved_ago.map(|ago| format!(", saved {} ago{by}", time(Duration::from_secs_f64(ago))));
        let state = self.state.name();
        let left = self.work.left(1).map_or_else(|| "not known yet".to_owned(), about);
        let left = if self.state == State::Stopped { format!("{left}, once it goes on") } else { left };
        let facts = Facts::default()
            .fact("file", "file", &self.file)
            .row("count", title(&count.fingerprint))
            .with("shard", self.shard.to_string())
            .row_some("shard", (count.of > 1).then_some(self.shard))
            .with("state", state)
            .result("state", format!("{state}{}", ago.unwrap_or_default()));
        self.work.facts(facts, &left).with("host", &self.host).with("saved_ago", self.saved_ago)
    }
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Running => "running",
            Self::Complete => "complete",
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

    /// With the time left in words.
    fn facts(self, facts: Facts, left: &str) -> Facts {
        let Self { units_done, units, parts, seconds } = self;
        let more = if parts == 0 { String::new() } else { format!(" and parts of {parts} more") };
        let percent = 100.0 * units_done as f64 / units.max(1) as f64;
        facts
            .with("units_done", units_done)
            .with("units", units)
            .row("units", format!("{units_done} of {units}{more}, {percent:.1} %"))
            .with("parts", parts)
            .with("seconds", seconds)
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

    fn facts(&self) -> Facts {
        let (shards, subject) = (self.shards(), &self.fingerprint.subject);
        let mut facts = Facts::default()
            .with("n", subject.n())
            .with("prefix", subject.prefix().map(|prefix| prefix.to_string()))
            .with("symmetry", subject.rotation().map(Rotation::name))
            .with("engine", &self.fingerprint.engine)
            .row("count", title(&self.fingerprint))
            .fact("shards", "shards", self.of);
        let in_state = |state: Option<State>| -> Vec<u32> {
            (1..=self.of).filter(|index| shards.get(index).map(|file| file.state) == state).collect()
        };
        let width = stdout::width().saturating_sub("complete  ".len());
        for state in [Some(State::Complete), Some(State::Running), Some(State::Stopped), None] {
            let (name, shards) = (state.map_or("missing", State::name), in_state(state));
            let list = format!("{}: {}", shards.len(), ranges(shards.iter().copied()));
            facts = facts.with(name, &shards);
            let lines = if shards.is_empty() { Vec::new() } else { wrapped(&list, width, &[',', ' ']) };
            for (index, line) in lines.iter().enumerate() {
                facts = facts.row(if index == 0 { name } else { "" }, line);
            }
        }
        // Missing shards too.
        let done = shards.values().fold(Work::default(), |sum, file| sum.plus(file.work));
        let (work, running) = (Work { units: self.fingerprint.units, ..done }, in_state(Some(State::Running)).len());
        let seconds = work.left(running);
        let left = match (seconds, work.left(1)) {
            (Some(left), _) => format!("{} with {running} running", about(left)),
            (None, Some(left)) => format!("none is running; one shard at a time would take {}", about(left)),
            (None, None) => "not known yet".to_owned(),
        };
        let files = self.files.iter().map(|file| file.facts(self));
        work.facts(facts, &left).with("left", seconds).list("files", files)
    }
}
