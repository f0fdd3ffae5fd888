//! `queens status PATH...`

use queens::ledger::{Fingerprint, Ledger, RunRecord};
use queens::{EngineKind, Placement};
use serde::Serialize;

use crate::cli::answer::{Answer, tell};
use crate::cli::args::{Json, Paths};
use crate::cli::failure::Failure;
use crate::cli::ledgers::{Ledgers, missing_shards};
use crate::cli::output;
use crate::cli::text::{self, Align};

/// Show how much of each checkpoint is done, and which shards are missing
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    paths: Paths,

    /// Print only the numbers of the shards that are missing, unfinished or damaged, as 3,7-9
    #[arg(long, conflicts_with = "json")]
    missing: bool,

    #[command(flatten)]
    json: Json,
}

/// How the counts stand.
#[derive(Serialize)]
struct Status {
    files: Vec<Line>,
    counts: Vec<Whole>,
    /// What is wrong with each damaged file, which is named.
    damaged: Vec<String>,
}

/// A file.
#[derive(Serialize)]
struct Line {
    file: String,
    n: usize,
    prefix: Option<Placement>,
    engine: EngineKind,
    shard: String,
    finished: usize,
    units: usize,
    /// Units of which a part is finished.
    parts: usize,
    seconds: f64,
    /// Of the run that saved last: when, in seconds since 1970, and where.
    saved: Option<u32>,
    host: Option<String>,
}

/// A count, of which several files may have shards.
#[derive(Serialize)]
struct Whole {
    n: usize,
    prefix: Option<Placement>,
    engine: EngineKind,
    shards: u32,
    missing: Vec<u32>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut found = Ledgers::read(&args.paths.paths)?;
    found.files.sort_by_key(|(_, ledger)| (ledger.fingerprint().prefix.size(), ledger.shard()));
    let files: Vec<Line> =
        found.files.iter().map(|(path, ledger)| Line::new(path.display().to_string(), ledger)).collect();
    let damaged = found.damaged.iter().map(ToString::to_string).collect();
    let mut counts = Vec::new();
    while let Some((_, ledger)) = found.files.first() {
        let of = ledger.fingerprint().clone();
        let (same, others) = found.files.into_iter().partition(|(_, ledger)| *ledger.fingerprint() == of);
        found.files = others;
        let same = Ledgers { files: same, damaged: Vec::new() };
        if let Some(whole) = same.union()? {
            counts.push(Whole::new(&of, same.shards(), &whole));
        }
    }
    if !args.missing {
        return tell(&Status { files, counts, damaged }, &args.json);
    }
    match &counts[..] {
        [count] if count.missing.is_empty() => Ok(()),
        [count] => output::print(&format!("{}\n", text::ranges(&count.missing))),
        [] => Err(Failure::Run("every file is damaged".to_owned())),
        counts => {
            let names: Vec<String> = counts.iter().map(Whole::name).collect();
            Err(Failure::Usage(format!("--missing needs the files of one count; these are of {}", names.join(" and "))))
        }
    }
}

fn prefix_of(of: &Fingerprint) -> Option<Placement> {
    Some(of.prefix).filter(|prefix| !prefix.is_empty())
}

impl Line {
    fn new(file: String, ledger: &Ledger) -> Self {
        let of = ledger.fingerprint();
        let last: Option<&RunRecord> = ledger.runs().iter().max_by_key(|run| run.saved);
        Self {
            file,
            n: of.prefix.size().get(),
            prefix: prefix_of(of),
            engine: of.engine,
            shard: ledger.shard().to_string(),
            finished: ledger.finished(),
            units: ledger.units(),
            parts: ledger.partials().count(),
            seconds: ledger.elapsed().as_secs_f64(),
            saved: last.and_then(|run| run.saved),
            host: last.and_then(|run| run.host.clone()),
        }
    }

    fn cells(&self) -> [String; 6] {
        let done = match (self.finished, self.units) {
            (finished, units) if finished == units => "complete".to_owned(),
            // Rounded down: what is left of a large count is not nothing.
            (finished, units) => format!("{}%", 100 * finished / units),
        };
        [
            self.file.clone(),
            board(self.n, self.prefix),
            self.shard.clone(),
            format!("{done}, {}/{}", self.finished, self.units),
            self.saved.map_or_else(|| "-".to_owned(), |saved| text::moment(saved.into())),
            self.host.clone().unwrap_or_else(|| "-".to_owned()),
        ]
    }
}

impl Whole {
    fn new(of: &Fingerprint, shards: u32, whole: &Ledger) -> Self {
        let (n, prefix, missing) = (of.prefix.size().get(), prefix_of(of), whole.unfinished_shards(shards));
        Self { n, prefix, engine: of.engine, shards, missing }
    }

    fn name(&self) -> String {
        format!("N = {} by {}", board(self.n, self.prefix), self.engine)
    }
}

fn board(n: usize, prefix: Option<Placement>) -> String {
    prefix.map_or_else(|| n.to_string(), |prefix| format!("{n}: {prefix}"))
}

impl Answer for Status {
    const COMMAND: &'static str = "status";

    fn text(&self) -> String {
        let mut rows = vec![["file", "N", "shard", "done", "saved (UTC)", "host"].map(str::to_owned)];
        rows.extend(self.files.iter().map(Line::cells));
        let table = if self.files.is_empty() { String::new() } else { text::table([Align::Left; 6], &rows) };
        let missing = self
            .counts
            .iter()
            .filter(|count| count.shards > 1 && !count.missing.is_empty())
            .map(|count| format!("{}: {}\n", count.name(), missing_shards(&count.missing, count.shards)));
        let damaged = self.damaged.iter().map(|damaged| format!("{damaged}\n"));
        table + &missing.chain(damaged).collect::<String>()
    }
}
