//! `queens merge PATH...`

use std::path::PathBuf;

use queens::{CountError, ledger};
use serde::Serialize;

use crate::cli::answer::{Count, Line, Printer};
use crate::cli::args::{Json, Paths};
use crate::cli::failure::{Failure, Result, report_lesser};
use crate::cli::ledgers::{self, Ledgers, Whole};
use crate::cli::output::{self, Output};
use crate::cli::{check, text};

/// Add up the shards of a count, or list the missing ones
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    paths: Paths,

    /// Write the merged checkpoint of the whole count to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    json: Json,
}

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

pub(crate) fn run(args: &Args) -> Result {
    if args.output.as_deref().is_some_and(output::is_stdout) {
        return Err(Failure::value("--output <FILE>", "-", "stdout is for the total; name a file"));
    }
    let printer = Printer::open(&args.json)?;
    let out = args.output.as_ref().map(|path| Output::open(Some(path))).transpose()?;
    let mut ledgers = Ledgers::read(&args.paths.paths)?;
    let divisions = ledgers.divisions();
    let union = ledgers.union()?;
    if ledgers.contradicting > 0 {
        return ledgers.verdict();
    }
    union.subtotal().ok_or(CountError::Overflow)?;
    let count = union.total();
    let shards = *divisions.last().expect("there is a file");
    let (whole, seconds) = (Whole::new(shards, &union), union.elapsed().as_secs_f64());
    let compared = count.filter(|_| whole.prefix.is_none());
    let check = compared.map(|count| check::compare_total(union.fingerprint().prefix.size(), count, 0)).transpose();
    let check = check.map_err(Failure::suggest_audit(true))?.flatten();
    // After the check, so that a wrong total is not written.
    let written = out.map_or(Ok(()), |mut out| {
        out.write(&ledger::encode(&union).map_err(|error| Failure::Run(error.to_string()))?)?;
        out.finish()
    });
    let merged = Merged { whole, count: count.map(Count), check, seconds };
    let printed = printer.total(count, merged.check.as_ref(), merged.lines());
    let printed = printer.object("merge", &merged, printed);
    let missing = divisions.iter().filter_map(|&shards| Whole::new(shards, &union).missing_shards());
    let missing: Vec<String> = missing.chain([format!("{} are finished", ledgers::finished(&union))]).collect();
    let missing = Failure::Missing(missing.join("; "));
    report_lesser([written, printed, ledgers.verdict(), missing.when(count.is_none())])
}

impl Merged {
    /// The text for people; empty if anything is missing.
    fn lines(&self) -> Vec<Line> {
        let Some(Count(count)) = self.count else { return Vec::new() };
        vec![
            ("N", Some(self.whole.n.to_string())),
            ("prefix", self.whole.prefix.map(|prefix| prefix.to_string())),
            ("solutions", Some(text::grouped(count))),
            ("check", self.check.clone()),
            ("engine", Some(self.whole.engine.to_string())),
            ("shards", Some(self.whole.shards.to_string())),
            ("time", text::known_seconds(self.seconds).map(|time| time + " in all runs")),
            ("core time", self.whole.core_seconds.and_then(text::known_seconds)),
        ]
    }
}
