//! `queens merge PATH...`

use std::path::PathBuf;

use queens::ledger::{self, Ledger};
use queens::{EngineKind, Placement};
use serde::Serialize;

use crate::cli::answer::{Answer, Count, tell};
use crate::cli::args::{Json, Paths};
use crate::cli::failure::Failure;
use crate::cli::ledgers::{self, Ledgers};
use crate::cli::output::{self, Output};
use crate::cli::{check, text};

/// Add up the shards of a count, or name those that are missing
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    paths: Paths,

    /// Write what all of them have to this file, one checkpoint of the whole count
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    json: Json,
}

/// What the shards have together.
#[derive(Serialize)]
struct Merged {
    n: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<Placement>,
    /// `None` unless all units are finished.
    count: Option<Count>,
    /// What the count agrees with, in words.
    check: Option<String>,
    engine: EngineKind,
    shards: u32,
    missing: Vec<u32>,
    finished: usize,
    units: usize,
    seconds: f64,
    core_seconds: Option<f64>,
    /// What is missing, in words.
    #[serde(skip)]
    lack: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let found = Ledgers::read(&args.paths.paths)?;
    for damaged in &found.damaged {
        output::warning(&format!("{damaged}; it counts as missing"));
    }
    let nothing = || Failure::Missing("every file is damaged".to_owned());
    let (whole, shards) = (found.union()?.ok_or_else(nothing)?, found.shards());
    if let Some(path) = &args.output {
        let mut out = Output::open(Some(path))?;
        out.write(&ledger::encode(&whole))?;
        out.finish()?;
    }
    tell(&merged(&whole, shards)?, &args.json)
}

fn merged(whole: &Ledger, shards: u32) -> Result<Merged, Failure> {
    let (of, missing) = (whole.fingerprint(), whole.unfinished_shards(shards));
    let size = of.prefix.size();
    let total = whole.total().map_err(|error| Failure::Run(error.to_string()))?;
    let is_compared = missing.is_empty() && of.prefix.is_empty();
    let lack = (!missing.is_empty()).then(|| {
        let units = format!("{} are finished", ledgers::finished(whole));
        match shards {
            1 => units,
            _ => format!("{}; {units}", ledgers::missing_shards(&missing, shards)),
        }
    });
    Ok(Merged {
        n: size.get(),
        prefix: (!of.prefix.is_empty()).then_some(of.prefix),
        count: missing.is_empty().then_some(Count(total)),
        check: if is_compared { check::solutions(size, total, 0)? } else { None },
        engine: of.engine,
        shards,
        missing,
        finished: whole.finished(),
        units: whole.units(),
        seconds: whole.elapsed().as_secs_f64(),
        core_seconds: whole.cpu_time().map(|time| time.as_secs_f64()),
        lack,
    })
}

impl Answer for Merged {
    const COMMAND: &'static str = "merge";

    fn text(&self) -> String {
        let Some(Count(count)) = self.count else { return String::new() };
        let lines = [
            ("N", Some(self.n.to_string())),
            ("prefix", self.prefix.map(|prefix| prefix.to_string())),
            ("solutions", Some(text::grouped(count))),
            ("check", self.check.clone()),
            ("engine", Some(self.engine.to_string())),
            ("shards", Some(self.shards.to_string())),
            ("time", Some(format!("{} of all runs together", text::seconds(self.seconds)))),
            ("cores", self.core_seconds.map(|seconds| format!("{} hours", text::to_digits(seconds / 3600.0, 3)))),
        ];
        text::labelled(lines.into_iter().filter_map(|(label, value)| Some((label, value?))))
    }

    fn plain(&self) -> String {
        self.count.map_or_else(String::new, |Count(count)| format!("{count}\n"))
    }

    fn remark(&self) -> Option<String> {
        self.check.clone()
    }

    fn verdict(&self) -> Result<(), Failure> {
        self.lack.clone().map_or(Ok(()), |lack| Err(Failure::Missing(lack)))
    }
}
