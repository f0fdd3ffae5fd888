//! `queens merge PATH...`

use std::path::PathBuf;

use queens::ledger::{self, Ledger};
use serde::Serialize;

use crate::cli::answer::{Count, Printer};
use crate::cli::args::{Json, Paths};
use crate::cli::failure::Failure;
use crate::cli::ledgers::{self, Ledgers, Whole};
use crate::cli::output::{self, Output};
use crate::cli::{check, text};

/// Add up the shards of a count, or name those that are missing
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    paths: Paths,

    /// Write what any of them has to this file, one checkpoint of the whole count
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    json: Json,
}

/// What the shards have together.
#[derive(Serialize)]
struct Merged {
    #[serde(flatten)]
    whole: Whole,
    /// `None` unless all units are finished.
    count: Option<Count>,
    /// What the count agrees with, in words.
    check: Option<String>,
    seconds: f64,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.output.as_deref().is_some_and(output::is_stdout) {
        return Err(Failure::value("--output <FILE>", "-", "stdout is for the total; name a file"));
    }
    let printer = Printer::open(&args.json)?;
    let out = args.output.as_ref().map(|path| Output::open(Some(path))).transpose()?;
    let mut found = Ledgers::read(&args.paths.paths)?;
    let shards = found.shards();
    let whole = found.union()?;
    found.check_agree()?;
    if let Some(mut out) = out {
        out.write(&ledger::encode(&whole).map_err(|error| Failure::Run(error.to_string()))?)?;
        out.finish()?;
    }
    let merged = merged(&whole, shards)?;
    let printed = printer.total(merged.count.map(|Count(count)| count), merged.check.as_ref(), merged.lines());
    let told = printer.object("merge", &merged, printed);
    if whole.is_complete() {
        return found.verdict().and(told);
    }
    let units = format!("{} are finished", ledgers::finished(&whole));
    let missing = merged.whole.missing_shards().filter(|_| shards > 1).map_or_else(String::new, |shards| shards + "; ");
    Err(Failure::Missing(missing + &units))
}

fn merged(union: &Ledger, shards: u32) -> Result<Merged, Failure> {
    let (whole, is_complete) = (Whole::new(shards, union), union.is_complete());
    let total = union.total().map_err(|error| Failure::Run(error.to_string()))?;
    let size = union.fingerprint().prefix.size();
    let is_compared = is_complete && whole.prefix.is_none();
    Ok(Merged {
        whole,
        count: is_complete.then_some(Count(total)),
        check: if is_compared { check::solutions(size, total, 0)? } else { None },
        seconds: union.elapsed().as_secs_f64(),
    })
}

impl Merged {
    /// What people read; nothing, if something is missing.
    fn lines(&self) -> Vec<(&'static str, Option<String>)> {
        let Some(Count(count)) = self.count else { return Vec::new() };
        vec![
            ("N", Some(self.whole.n.to_string())),
            ("prefix", self.whole.prefix.map(|prefix| prefix.to_string())),
            ("solutions", Some(text::grouped(count))),
            ("check", self.check.clone()),
            ("engine", Some(self.whole.engine.to_string())),
            ("shards", Some(self.whole.shards.to_string())),
            ("time", Some(format!("{} of all runs together", text::seconds(self.seconds)))),
            ("core time", self.whole.core_seconds.map(text::seconds)),
        ]
    }
}
