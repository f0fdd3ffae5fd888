//! `queens status PATH...`: how counts stand, and by which runs, from their files alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use clap::Args as ClapArgs;
use queens::ledger::store;
use queens::ledger::{Ledger, RunRecord, ranges};
use queens::{Shard, Subject};
use serde::Serialize;

use crate::cli::long_run::{
    Agreement,
    named_files::{NamedLedger, ledgers, nothing_in, unsaved_files},
    status::{about, time, title},
};
use crate::cli::terminal::{Answer, Exit, Failure, JsonOutput, Rows, escape, messages, numbers, table::wrapped};

/// Folders within folders that are looked into: the results and checkpoints of a count that has one for each.
const DEPTH: usize = 1;

/// Show how far counts are, and by which runs, from their checkpoints and shards
///
/// A file is complete, running (a run holds its lock) or stopped (no run holds the lock, and units are left). A shard is
/// missing if there is no undamaged file of it. The time left is that of all units to be counted, at the mean pace so far,
/// by as many shards at once as are running now. The total of a complete count is compared with what is known of it, with
/// exit code 3 if it differs. The programs, the machines, their time and the tasks that were counted
/// twice are those of all runs that the files record; --json lists each run.
#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Checkpoints and shards, or folders with them; - means stdin
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) json: JsonOutput,
}

/// How the counts stand whose files were found.
#[derive(Serialize)]
pub(crate) struct Standing {
    counts: Vec<Count>,
    damaged: Vec<Damaged>,
    /// Files that a run has locked, and not saved yet.
    unsaved: Vec<String>,
    /// Whether files were named, and not only folders: then each is told of by itself.
    #[serde(skip)]
    named: bool,
}

/// A count in so many shards.
#[derive(Serialize)]
struct Count {
    #[serde(flatten)]
    subject: Subject,
    engine: String,
    plan: String,
    shards: u32,
    /// The shards in each state.
    #[serde(flatten)]
    states: BTreeMap<State, Vec<u32>>,
    #[serde(flatten)]
    work: Work,
    left: Option<f64>,
    files: Vec<LedgerFile>,
    /// Of all shards, as far as they have files.
    #[serde(skip)]
    whole: Ledger,
}

/// A ledger's file.
#[derive(Serialize)]
struct LedgerFile {
    file: String,
    shard: String,
    state: State,
    #[serde(flatten)]
    work: Work,
    /// Of the run that saved last: its machine, and how long ago it did.
    host: Option<String>,
    saved_ago: Option<f64>,
    runs: Vec<RunRecord>,
    #[serde(skip)]
    ledger: Ledger,
}

#[derive(Serialize)]
struct Damaged {
    file: String,
    reason: String,
    #[serde(skip)]
    is_named: bool,
}

/// How a shard stands, from the worst to the best: if it has several files, the best is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Missing,
    Stopped,
    Running,
    Complete,
}

/// The finished part of a ledger, and what its runs took.
#[derive(Serialize)]
struct Work {
    units_done: usize,
    units: usize,
    parts: usize,
    /// The sum, once all units are finished.
    count: Option<u128>,
    #[serde(flatten)]
    agreement: Agreement,
    seconds: f64,
    cpu_seconds: Option<f64>,
    programs: BTreeSet<String>,
    /// With their processors.
    machines: BTreeSet<String>,
    /// Of the runs that know it.
    double_checked_tasks: Option<u64>,
    differed: Option<u64>,
    #[serde(skip)]
    is_known_of_all: bool,
}

pub(crate) fn run(args: &Args) -> Result<Standing, Failure> {
    let mut counts: Vec<Vec<LedgerFile>> = Vec::new();
    let (mut damaged, mut unsaved, mut named) = (Vec::new(), Vec::new(), false);
    for NamedLedger { path, is_named, ledger } in ledgers(&args.paths, DEPTH)? {
        named |= is_named;
        match ledger {
            Ok(ledger) => {
                let state = match () {
                    () if ledger.is_complete() => State::Complete,
                    () if store::is_in_use(&path) => State::Running,
                    () => State::Stopped,
                };
                let of = |ledger: &Ledger| (ledger.fingerprint().clone(), ledger.shard().of());
                let count = counts.iter_mut().find(|count| of(&count[0].ledger) == of(&ledger));
                let file = LedgerFile::new(&path, ledger, state)?;
                match count {
                    Some(count) => count.push(file),
                    None => counts.push(vec![file]),
                }
            }
            Err(error) => {
                let (file, reason) = (escape::name(&path), error.to_string());
                // Whoever names a file asks for it: there is more to it than a row.
                if is_named {
                    messages::error(&reason);
                }
                damaged.push(Damaged { file, reason, is_named });
            }
        }
    }
    // A shard that keeps no checkpoint, or has yet to save one, has a number for its name where there are many.
    for path in unsaved_files(&args.paths, DEPTH) {
        if let [count] = counts.as_mut_slice()
            && let Some(ledger) = begun(&count[0].ledger, &path)
        {
            count.push(LedgerFile::new(&path, ledger, State::Running)?);
        } else {
            unsaved.push(escape::name(&path));
        }
    }
    if counts.is_empty() && damaged.is_empty() && unsaved.is_empty() {
        return Err(nothing_in(&args.paths, Exit::Failure, "neither a checkpoint nor a shard"));
    }
    let counts = counts.into_iter().map(Count::of).collect::<Result<_, _>>()?;
    Ok(Standing { counts, damaged, unsaved, named })
}

/// The empty ledger of the shard for which a file of this name is begun.
fn begun(other: &Ledger, path: &Path) -> Option<Ledger> {
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let shard = Shard::new(number, other.shard().of()).ok()?;
    Some(Ledger::new(other.fingerprint().clone(), shard))
}

impl Count {
    /// The files are of one count in so many shards, at least one.
    fn of(files: Vec<LedgerFile>) -> Result<Self, Failure> {
        let (fingerprint, shards) = (files[0].ledger.fingerprint().clone(), files[0].ledger.shard().of());
        // Of each shard that has a file, the best of its files.
        let mut best: BTreeMap<u32, &LedgerFile> = BTreeMap::new();
        for file in &files {
            let known = best.entry(file.ledger.shard().index()).or_insert(file);
            if (file.state, file.work.units_done) > (known.state, known.work.units_done) {
                *known = file;
            }
        }
        let mut whole = Ledger::new(fingerprint.clone(), Shard::WHOLE);
        for file in best.values() {
            whole.merge(&file.ledger).expect("shards have different units");
        }
        let none = [State::Missing, State::Stopped, State::Running, State::Complete].map(|state| (state, Vec::new()));
        let mut states = BTreeMap::from(none);
        for index in 1..=shards {
            let state = best.get(&index).map_or(State::Missing, |file| file.state);
            states.entry(state).or_default().push(index);
        }
        let (work, left) = (Work::of(&whole)?, left(&whole, states[&State::Running].len()));
        let (subject, engine, plan) = (fingerprint.subject, fingerprint.engine, fingerprint.plan);
        Ok(Self { subject, engine, plan, shards, states, work, left, files, whole })
    }

    fn rows(&self, width: usize) -> Rows {
        let mut rows = Rows::default().row("count", title(self.whole.fingerprint())).row("shards", self.shards);
        let width = width.saturating_sub("complete  ".len());
        let names = ["complete", "running", "stopped", "missing"];
        for (name, shards) in names.into_iter().zip(self.states.values().rev()) {
            let list = format!("{}: {}", shards.len(), ranges(shards.iter().copied()));
            let lines = if shards.is_empty() { Vec::new() } else { wrapped(&list, width, &[',', ' ']) };
            for (index, line) in lines.iter().enumerate() {
                rows = rows.row(if index == 0 { name } else { "" }, line);
            }
        }
        let running = self.states[&State::Running].len();
        let left = match (self.left, left(&self.whole, 1)) {
            (Some(left), _) => format!("{} with {running} running", about(left)),
            (None, Some(left)) => format!("none is running; one shard at a time would take {}", about(left)),
            (None, None) => "not known yet".to_owned(),
        };
        rows.and(self.work.rows(&self.plan, &left))
    }
}

impl LedgerFile {
    fn new(path: &Path, ledger: Ledger, state: State) -> Result<Self, Failure> {
        let last = ledger.runs().iter().max_by_key(|run| run.saved);
        // The time of the file itself would be that of a copy.
        let ago = |saved| UNIX_EPOCH.elapsed().unwrap_or_default().saturating_sub(Duration::from_secs(saved));
        Ok(Self {
            file: escape::name(path),
            shard: ledger.shard().to_string(),
            state,
            work: Work::of(&ledger)?,
            host: last.and_then(|run| run.host.clone()),
            saved_ago: last.and_then(|run| run.saved).map(|saved| ago(saved).as_secs_f64()),
            runs: ledger.runs().to_vec(),
            ledger,
        })
    }

    fn rows(&self) -> Rows {
        let name = format!("{:?}", self.state).to_lowercase();
        let saved = self.saved_ago.map(|ago| format!(" {} ago", time(Duration::from_secs_f64(ago))));
        let by = self.host.as_ref().map(|host| format!(" on {}", escape::harmless(host)));
        let told = saved.unwrap_or_default() + &by.unwrap_or_default();
        let told = if told.is_empty() { told } else { format!(", saved{told}") };
        let once = if self.state == State::Stopped { ", once it goes on" } else { "" };
        let left = left(&self.ledger, 1).map_or_else(|| "not known yet".to_owned(), |left| about(left) + once);
        let shard = Some(&self.shard).filter(|_| self.ledger.shard().of() > 1);
        Rows::default()
            .row("file", &self.file)
            .row("count", title(self.ledger.fingerprint()))
            .row_some("shard", shard)
            .result("state", name + &told)
            .and(self.work.rows(&self.ledger.fingerprint().plan, &left))
    }
}

/// Seconds until the rest is done by so many at once; none if too little is done to tell.
fn left(ledger: &Ledger, at_once: usize) -> Option<f64> {
    /// Fewer units say little of the others.
    const FEWEST: usize = 8;
    let (done, units) = (ledger.finished(), ledger.units());
    let pace = ledger.elapsed().as_secs_f64() / done as f64;
    (done >= FEWEST && at_once > 0).then(|| pace * (units - done) as f64 / at_once as f64)
}

impl Work {
    fn of(ledger: &Ledger) -> Result<Self, Failure> {
        let runs = ledger.runs();
        let machine = |run: &RunRecord| {
            let processor = run.processor.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
            run.host.as_ref().map(|host| format!("{host}{processor}"))
        };
        let sum = |of: &dyn Fn(&RunRecord) -> Option<u64>| runs.iter().filter_map(of).reduce(u64::saturating_add);
        let is_whole = ledger.is_complete() && ledger.shard().is_whole();
        let known = is_whole.then(|| Agreement::of_ledger(ledger, 0)).transpose()?;
        let (count, agreement) = known.map_or_else(Default::default, |(total, agreement)| (Some(total), agreement));
        Ok(Self {
            units_done: ledger.finished(),
            units: ledger.units(),
            parts: ledger.partials().count(),
            count,
            agreement,
            seconds: ledger.elapsed().as_secs_f64(),
            cpu_seconds: ledger.cpu_time().map(|time| time.as_secs_f64()),
            programs: runs.iter().filter_map(|run| run.program.clone()).collect(),
            machines: runs.iter().filter_map(machine).collect(),
            double_checked_tasks: sum(&|run| run.double_checked),
            differed: sum(&|run| run.differed),
            is_known_of_all: runs.iter().all(|run| run.double_checked.is_some()),
        })
    }

    /// With the time left in words.
    fn rows(&self, plan: &str, left: &str) -> Rows {
        let (done, units, parts) = (self.units_done, self.units, self.parts);
        let percent = 100.0 * done as f64 / units.max(1) as f64;
        let more = if parts == 0 { String::new() } else { format!(" and parts of {parts} more") };
        // A wrong number would pass for the count.
        let wrong = self.agreement.wrong.as_ref().map(|wrong| format!("WRONG: {wrong}"));
        let count = self.count.filter(|_| wrong.is_none());
        let list = |names: &BTreeSet<String>| {
            let names: Vec<String> = names.iter().map(|name| escape::harmless(name)).collect();
            Some(names.join(", ")).filter(|list| !list.is_empty())
        };
        Rows::default()
            .row_some("solutions", count.map(numbers::grouped))
            .row_some("check", self.agreement.words().or(wrong))
            .row("plan", escape::harmless(plan))
            .row("units", format!("{done} of {units}{more}, {percent:.1} %"))
            .row_some("spent", (self.seconds > 0.0).then(|| numbers::seconds(self.seconds)))
            .row_some("work", self.cpu_seconds.map(numbers::core_time))
            .row_some("left", (done < units).then_some(left))
            .row_some("programs", list(&self.programs))
            .row_some("machines", list(&self.machines))
            .row_some("checked", self.double_checked())
    }

    fn double_checked(&self) -> Option<String> {
        let least = if self.is_known_of_all { "" } else { "at least " };
        let tasks = numbers::count_of(self.double_checked_tasks.filter(|&tasks| tasks > 0)?, "task");
        let differed = match self.differed {
            None | Some(0) => "no difference".to_owned(),
            Some(differed) => format!("{differed} DIFFERED"),
        };
        Some(format!("{least}{tasks} counted twice, {differed}"))
    }
}

impl Answer for Standing {
    fn command(&self) -> &'static str {
        "status"
    }

    fn text(&self, width: usize) -> String {
        let in_folders = self.damaged.iter().filter(|damaged| !damaged.is_named);
        let damaged = in_folders.map(|damaged| ("damaged", escape::harmless(&damaged.reason)));
        let unsaved = self.unsaved.iter().map(|file| ("running", format!("{file}: nothing is saved yet")));
        let others = damaged.chain(unsaved).fold(Rows::default(), |rows, (label, text)| rows.row(label, text));
        let tables = self.counts.iter().flat_map(|count| {
            let each = self.named || count.shards == 1;
            if each { count.files.iter().map(LedgerFile::rows).collect() } else { vec![count.rows(width)] }
        });
        let tables = tables.chain([others]).map(|rows| rows.text(width)).filter(|table| !table.is_empty());
        tables.collect::<Vec<_>>().join("\n")
    }

    fn verdict(&self) -> Result<(), Failure> {
        // A wrong total is worse than a file without one.
        for count in &self.counts {
            count.work.agreement.verdict()?;
            count.files.iter().try_for_each(|file| file.work.agreement.verdict())?;
        }
        let is_asked_for = self.damaged.iter().any(|damaged| damaged.is_named);
        if is_asked_for { Err(Failure::AlreadyReported(Exit::Failure)) } else { Ok(()) }
    }
}
