//! `queens merge PATH...`

use std::path::PathBuf;

use clap::Args as ClapArgs;
use queens::ledger::format::FormatError;
use queens::ledger::store::{self, StoreError};
use queens::ledger::{Ledger, LedgerError, ranges};
use queens::{Request, Shard, Subject};
use serde::Serialize;

use crate::cli::long_run::{Agreement, NamedFile, named_files::named_files};
use crate::cli::terminal::{Answer, Exit, Failure, JsonOutput, Rows, escape, json::digits, messages, numbers};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Files that `queens count` wrote with --shard and --out, or folders with them
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) json: JsonOutput,

    /// Print only the number, as if stdout were not a terminal
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// The union of some shards.
#[derive(Serialize)]
pub(crate) struct Merged {
    #[serde(flatten)]
    subject: Subject,
    /// The sum, unless a shard is missing.
    #[serde(serialize_with = "digits")]
    count: Option<u128>,
    #[serde(flatten)]
    agreement: Agreement,
    engine: String,
    shards: u32,
    missing: Vec<u32>,
    /// The files that were damaged, and count for nothing.
    damaged: Vec<String>,
    seconds: f64,
    cpu_seconds: Option<f64>,
}

pub(crate) fn run(args: &Args) -> Result<Merged, Failure> {
    let (whole, shards, damaged) = read(&args.paths)?;
    let missing: Vec<u32> = whole.unfinished_shards(shards).expect("a shard was of so many").collect();
    let known = missing.is_empty().then(|| known(&whole, 0)).transpose()?;
    let fingerprint = whole.fingerprint();
    Ok(Merged {
        subject: fingerprint.subject,
        count: known.as_ref().map(|(total, _)| *total),
        agreement: known.map(|(_, agreement)| agreement).unwrap_or_default(),
        engine: fingerprint.engine.clone(),
        shards,
        missing,
        damaged,
        seconds: whole.elapsed().as_secs_f64(),
        cpu_seconds: whole.cpu_time().map(|time| time.as_secs_f64()),
    })
}

/// The sum of a complete ledger, and what is known of it, found out on so many threads.
pub(super) fn known(whole: &Ledger, threads: usize) -> Result<(u128, Agreement), Failure> {
    let total = whole.total().map_err(|error| Failure::Run(Exit::Failure, error.to_string()))?.get();
    Ok((total, Agreement::of(&whole.fingerprint().subject, total, threads)?))
}

/// Joins the ledgers in these files, and in the files of these folders, each of which must fit the first. Returns also the
/// number of shards and the names of the files that are damaged.
fn read(paths: &[PathBuf]) -> Result<(Ledger, u32, Vec<String>), Failure> {
    let (mut merged, mut damaged): (Option<(Ledger, u32)>, _) = (None, Vec::new());
    for NamedFile { path, is_named } in named_files(paths, 0)? {
        let ledger = match store::read(&path) {
            Err(error) if error.is_damage() => {
                messages::warning(&format!("{error}; it counts as missing"));
                damaged.push(escape::name(&path));
                continue;
            }
            Err(StoreError::Format(_, FormatError::NotALedger) | StoreError::Missing(_)) if !is_named => continue,
            ledger => ledger?,
        };
        let named = |error| Failure::from(StoreError::Ledger(path.clone(), error));
        // A file says what was counted; the plan of such a count is made anew, and compared.
        let wanted = Request::try_from(ledger.fingerprint())
            .and_then(|request| request.fingerprint())
            .map_err(|error| Failure::Run(Exit::Failure, format!("{}: {error}", path.display())))?;
        ledger.fingerprint().check(&wanted).map_err(named)?;
        let first = || (Ledger::new(ledger.fingerprint().clone(), Shard::WHOLE), ledger.shard().of());
        let (whole, of) = merged.get_or_insert_with(first);
        if ledger.shard().of() != *of {
            let (found, wanted) = (format!("{} shards", ledger.shard().of()), of.to_string());
            return Err(named(LedgerError::Foreign { what: "a count in", found, wanted }));
        }
        whole.merge(&ledger).map_err(named)?;
    }
    let (whole, of) = merged.ok_or_else(|| {
        let names: Vec<String> = paths.iter().map(|path| escape::name(path)).collect();
        let reason = format!("{}: no undamaged shard, so all are missing", names.join(", "));
        Failure::Run(Exit::Missing, reason)
    })?;
    Ok((whole, of, damaged))
}

impl Answer for Merged {
    fn command(&self) -> &'static str {
        "merge"
    }

    fn text(&self, width: usize) -> String {
        let Some(total) = self.count.filter(|_| self.agreement.verdict().is_ok()) else {
            return self.numbers();
        };
        Rows::of(&self.subject)
            .result("solutions", numbers::grouped(total))
            .row_some("check", self.agreement.words())
            .row("engine", &self.engine)
            .row("shards", self.shards)
            .row("time", format!("{} in all", numbers::seconds(self.seconds)))
            .row_some("work", self.cpu_seconds.map(numbers::core_time))
            .text(width)
    }

    fn plain(&self) -> Option<String> {
        Some(self.numbers())
    }

    fn remark(&self) -> Option<String> {
        self.agreement.words()
    }

    fn verdict(&self) -> Result<(), Failure> {
        self.agreement.verdict()?;
        let (missing, shards) = (&self.missing, self.shards);
        if missing.is_empty() {
            return Ok(());
        }
        let (are, list) = (if missing.len() == 1 { "is" } else { "are" }, ranges(missing.iter().copied()));
        let reason = format!("{} of {shards} shards {are} missing or unfinished: {list}", missing.len());
        Err(Failure::Run(Exit::Missing, reason))
    }
}

impl Merged {
    /// The total, or the missing shards; nothing if the total is wrong, for alone it would pass for the count.
    fn numbers(&self) -> String {
        match self.count {
            Some(_) if self.agreement.verdict().is_err() => String::new(),
            Some(total) => format!("{total}\n"),
            None => format!("{}\n", ranges(self.missing.iter().copied())),
        }
    }
}
