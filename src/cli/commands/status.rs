//! `queens status PATH...`: how counts stand, from their files alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use clap::Args as ClapArgs;
use queens::ledger::Ledger;
use queens::ledger::format::FormatError;
use queens::ledger::ranges;
use queens::ledger::store::{self, StoreError};
use queens::{Rotation, Shard};

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

/// How a shard stands, from the worst to the best, of which the best is told where it has several files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Missing,
    Stopped,
    Running,
    Complete,
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Stopped => "stopped",
            Self::Running => "running",
            Self::Complete => "complete",
        }
    }
}

/// A ledger's file.
struct LedgerFile {
    path: PathBuf,
    ledger: Ledger,
    state: State,
}

/// The files of a count in so many shards: one at least.
type Count = Vec<LedgerFile>;

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut counts: Vec<Count> = Vec::new();
    let (mut damaged, mut unsaved, mut named) = (Vec::new(), Vec::new(), false);
    // Of files without a ledger.
    let mut others = Facts::default();
    for NamedFile { path, is_named } in named_files(&args.paths, DEPTH)? {
        named |= is_named;
        match store::read(&path) {
            Ok(ledger) => {
                let state = match () {
                    () if ledger.is_complete() => State::Complete,
                    () if store::is_in_use(&path) => State::Running,
                    () => State::Stopped,
                };
                let of = |ledger: &Ledger| (ledger.fingerprint().clone(), ledger.shard().of());
                let count = counts.iter().position(|count| of(&count[0].ledger) == of(&ledger));
                let file = LedgerFile { path, ledger, state };
                match count {
                    Some(count) => counts[count].push(file),
                    None => counts.push(vec![file]),
                }
            }
            Err(error) if is_named => return Err(error.into()),
            Err(StoreError::Format(_, FormatError::NotALedger) | StoreError::Missing(_)) => {}
            Err(error) => {
                let (file, reason) = (escape::name(&path), error.to_string());
                others = others.row("damaged", escape::harmless(&reason));
                damaged.push(Facts::default().with("file", file).with("reason", reason));
            }
        }
    }
    // A shard that keeps no checkpoint, or has yet to save one, has a number for its name where there are many.
    for path in unsaved_files(&args.paths, DEPTH) {
        match counts.as_mut_slice() {
            [count] if let Some(ledger) = begun(&count[0].ledger, &path) => {
                count.push(LedgerFile { path, ledger, state: State::Running });
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
    // Where files are named, each is told of by itself.
    let tables = counts.iter().flat_map(|count| {
        let each = named || count[0].ledger.shard().of() == 1;
        if each { count.iter().map(LedgerFile::facts).collect() } else { vec![count_facts(count)] }
    });
    let tables = tables.map(|facts| facts.table()).chain((!others.is_empty()).then_some(others));
    let tables = tables.collect::<Vec<_>>().join("\n");
    let counts = counts.iter().map(|count| count_facts(count));
    let facts = Facts::of("status").list("counts", counts).list("damaged", damaged).with("unsaved", unsaved);
    args.json.deliver(&facts.text(&tables))
}

/// The empty ledger of the shard for which a file of this name is begun.
fn begun(other: &Ledger, path: &Path) -> Option<Ledger> {
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let shard = Shard::new(number, other.shard().of()).ok()?;
    Some(Ledger::new(other.fingerprint().clone(), shard))
}

impl LedgerFile {
    fn facts(&self) -> Facts {
        let Self { path, ledger, state } = self;
        let (host, shard) = (&ledger.origin.host, ledger.shard());
        // The time of the file itself would be that of a copy; earlier versions told none.
        let now = UNIX_EPOCH.elapsed().unwrap_or_default();
        let saved = ledger.origin.saved.map(|seconds| now.saturating_sub(Duration::from_secs(seconds)));
        let by = if host.is_empty() { String::new() } else { format!(" on {}", escape::harmless(host)) };
        let told = saved.map_or_else(String::new, |ago| format!(" {} ago", time(ago))) + &by;
        let told = if told.is_empty() { told } else { format!(", saved{told}") };
        let once = if *state == State::Stopped { ", once it goes on" } else { "" };
        let left = left(ledger, 1).map_or_else(|| "not known yet".to_owned(), |left| about(left) + once);
        Facts::default()
            .fact("file", "file", escape::name(path))
            .row("count", title(ledger.fingerprint()))
            .with("shard", shard.to_string())
            .row_some("shard", (shard.of() > 1).then_some(shard))
            .with("state", state.name())
            .result("state", format!("{}{told}", state.name()))
            .and(work(ledger, &left))
            .with("host", host)
            .with("saved_ago", saved.map(|ago| ago.as_secs_f64()))
    }
}

/// Of all shards, those that are missing too.
fn count_facts(files: &[LedgerFile]) -> Facts {
    let (fingerprint, of) = (files[0].ledger.fingerprint(), files[0].ledger.shard().of());
    // Of each shard that has a file, the best of its files.
    let mut shards: BTreeMap<u32, &LedgerFile> = BTreeMap::new();
    for file in files {
        let best = shards.entry(file.ledger.shard().index()).or_insert(file);
        if (file.state, file.ledger.finished()) > (best.state, best.ledger.finished()) {
            *best = file;
        }
    }
    let mut whole = Ledger::new(fingerprint.clone(), Shard::WHOLE);
    for file in shards.values() {
        whole.merge(&file.ledger).expect("shards have different units");
    }
    // That of shards without a finished task too.
    whole.origin.elapsed = shards.values().map(|file| file.ledger.origin.elapsed).sum();
    let subject = &fingerprint.subject;
    let mut facts = Facts::default()
        .with("n", subject.n())
        .with("prefix", subject.prefix().map(|prefix| prefix.to_string()))
        .with("symmetry", subject.rotation().map(Rotation::name))
        .with("engine", &fingerprint.engine)
        .row("count", title(fingerprint))
        .fact("shards", "shards", of);
    let state_of = |index: &u32| shards.get(index).map_or(State::Missing, |file| file.state);
    let in_state = |state| (1..=of).filter(|index| state_of(index) == state).collect::<Vec<_>>();
    let width = stdout::width().saturating_sub("complete  ".len());
    for state in [State::Complete, State::Running, State::Stopped, State::Missing] {
        let (name, shards) = (state.name(), in_state(state));
        let list = format!("{}: {}", shards.len(), ranges(shards.iter().copied()));
        facts = facts.with(name, &shards);
        let lines = if shards.is_empty() { Vec::new() } else { wrapped(&list, width, &[',', ' ']) };
        for (index, line) in lines.iter().enumerate() {
            facts = facts.row(if index == 0 { name } else { "" }, line);
        }
    }
    let running = in_state(State::Running).len();
    let seconds = left(&whole, running);
    let left = match (seconds, left(&whole, 1)) {
        (Some(left), _) => format!("{} with {running} running", about(left)),
        (None, Some(left)) => format!("none is running; one shard at a time would take {}", about(left)),
        (None, None) => "not known yet".to_owned(),
    };
    facts.and(work(&whole, &left)).with("left", seconds).list("files", files.iter().map(LedgerFile::facts))
}

/// Seconds until the rest is done by so many at once; none where too little is done to tell.
fn left(ledger: &Ledger, at_once: usize) -> Option<f64> {
    /// Fewer units say little of the others.
    const FEWEST: usize = 8;
    let (done, units) = (ledger.finished(), ledger.units());
    let pace = ledger.origin.elapsed.as_secs_f64() / done as f64;
    (done >= FEWEST && at_once > 0).then(|| pace * (units - done) as f64 / at_once as f64)
}

/// The work that is done of a ledger, its time, and the time left in words.
fn work(ledger: &Ledger, left: &str) -> Facts {
    let (done, units, parts) = (ledger.finished(), ledger.units(), ledger.partials().count());
    let (percent, seconds) = (100.0 * done as f64 / units.max(1) as f64, ledger.origin.elapsed.as_secs_f64());
    let more = if parts == 0 { String::new() } else { format!(" and parts of {parts} more") };
    Facts::default()
        .with("units_done", done)
        .with("units", units)
        .row("units", format!("{done} of {units}{more}, {percent:.1} %"))
        .with("parts", parts)
        .with("seconds", seconds)
        .row("spent", numbers::seconds(seconds))
        .row_some("left", (done < units).then_some(left))
}
