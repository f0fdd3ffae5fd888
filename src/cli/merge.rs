//! `queens merge FILE...`

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use queens::ledger::store::{self, StoreError};
use queens::ledger::{Ledger, LedgerError};
use queens::{Shard, oeis, ranges};
use serde::Serialize;

use super::output::{self, Table};
use super::{Exit, Failure};

#[derive(Args, Debug)]
pub(crate) struct Merge {
    /// Result files of `queens count --shard K/M --out FILE`
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Print the number alone, as where stdout is not a terminal
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

pub(crate) fn run(args: &Merge) -> Result<(), Failure> {
    let merged = merge(&args.files)?;
    let missing = merged.whole.unfinished_shards(merged.of).collect::<Vec<_>>();
    let mut out = anstream::stdout().lock();
    if !missing.is_empty() {
        let list = ranges(missing.iter().copied());
        if args.json {
            output::json(&mut out, &merged.json(None, Some(&list)))?;
        } else {
            writeln!(out, "{list}")?;
        }
        let text = format!("{} of {} shards are missing or unfinished: {list}", missing.len(), merged.of);
        return Err(Failure::Run(Exit::Missing, text));
    }
    let total = merged.whole.total().map_err(|error| Failure::Run(Exit::Failure, error.to_string()))?.get();
    let agrees = match merged.published() {
        Some((id, term)) if term != total => {
            let text = format!("the shards add up to {total}, but {id} has {term}");
            return Err(Failure::Run(Exit::Difference, text));
        }
        published => published.map(|(id, _)| id),
    };
    if args.json {
        output::json(&mut out, &merged.json(Some(total), None))?;
    } else if args.quiet || !std::io::stdout().is_terminal() {
        writeln!(out, "{total}")?;
        if let Some(id) = agrees.filter(|_| !args.quiet) {
            output::note(&format!("agrees with OEIS {id}"));
        }
    } else {
        write!(out, "{}", merged.table(total, agrees))?;
    }
    Ok(())
}

/// The union of some shards.
struct Merged {
    whole: Ledger,
    of: u32,
}

/// Joins the ledgers in `files`, each of which must fit the first.
fn merge(files: &[PathBuf]) -> Result<Merged, Failure> {
    let mut merged: Option<Merged> = None;
    for path in files {
        let ledger = store::read(path)?;
        let Merged { whole, of } = merged.get_or_insert_with(|| Merged {
            whole: Ledger::new(ledger.fingerprint().clone(), Shard::WHOLE),
            of: ledger.shard().of(),
        });
        let named = |error| Failure::from(StoreError::Ledger(path.clone(), error));
        if ledger.shard().of() != *of {
            let (found, wanted) = (format!("{} shards", ledger.shard().of()), of.to_string());
            return Err(named(LedgerError::Foreign { what: "a count in", found, wanted }));
        }
        whole.join(&ledger).map_err(named)?;
    }
    Ok(merged.expect("clap wants at least one file"))
}

impl Merged {
    /// The published term for this count and its sequence, where there is one.
    fn published(&self) -> Option<(&'static str, u128)> {
        let prefix = &self.whole.fingerprint().prefix;
        let sequence = &oeis::QUEENS;
        prefix.is_empty().then(|| sequence.term(prefix.size().get())).flatten().map(|term| (sequence.id, term))
    }

    fn table(&self, total: u128, agrees: Option<&str>) -> Table {
        let fingerprint = self.whole.fingerprint();
        let mut table = Table::default();
        table.row("N", fingerprint.prefix.size());
        if !fingerprint.prefix.is_empty() {
            table.row("prefix", fingerprint.prefix);
        }
        table.result("solutions", output::grouped(total));
        if let Some(id) = agrees {
            table.row("OEIS", format!("agrees with {id}"));
        }
        table.row("engine", &fingerprint.engine);
        table.row("shards", self.of);
        table.row("time", format!("{} in all", output::seconds(self.whole.origin.seconds)));
        table
    }

    fn json<'a>(&'a self, total: Option<u128>, missing: Option<&'a str>) -> Json<'a> {
        let fingerprint = self.whole.fingerprint();
        Json {
            about: output::About::here(),
            command: "merge",
            n: fingerprint.prefix.size().get(),
            prefix: (!fingerprint.prefix.is_empty()).then(|| fingerprint.prefix.to_string()),
            count: total.map(|total| total.to_string()),
            engine: &fingerprint.engine,
            shards: self.of,
            missing,
            // A total that differs from the published one never gets here.
            agrees_with: total.and(self.published()).map(|(id, _)| id),
            seconds: self.whole.origin.seconds,
        }
    }
}

/// The result as a program reads it.
#[derive(Serialize)]
struct Json<'a> {
    #[serde(flatten)]
    about: output::About,
    command: &'static str,
    n: usize,
    prefix: Option<String>,
    count: Option<String>,
    engine: &'a str,
    shards: u32,
    missing: Option<&'a str>,
    agrees_with: Option<&'static str>,
    seconds: f64,
}
