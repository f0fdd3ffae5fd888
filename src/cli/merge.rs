//! `queens merge FILE...`

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use queens::ledger::store::{self, StoreError};
use queens::ledger::{Ledger, LedgerError};
use queens::{Shard, ranges};
use serde::Serialize;

use super::agree::{Agreement, Modulo, Oeis};
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
        let are = if missing.len() == 1 { "is" } else { "are" };
        let text = format!("{} of {} shards {are} missing or unfinished: {list}", missing.len(), merged.of);
        return Err(Failure::Run(Exit::Missing, text));
    }
    let total = merged.whole.total().map_err(|error| Failure::Run(Exit::Failure, error.to_string()))?.get();
    let agreement = Agreement::all(&merged.whole.fingerprint().prefix, total, 0)?;
    if args.json {
        output::json(&mut out, &merged.json(Some((total, &agreement)), None))?;
        return agreement.verdict();
    }
    agreement.verdict()?;
    if args.quiet || !std::io::stdout().is_terminal() {
        writeln!(out, "{total}")?;
        agreement.note(args.quiet);
    } else {
        write!(out, "{}", merged.table(total, &agreement))?;
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
    fn table(&self, total: u128, agreement: &Agreement) -> Table {
        let fingerprint = self.whole.fingerprint();
        let mut table = Table::default();
        table.row("N", fingerprint.prefix.size());
        if !fingerprint.prefix.is_empty() {
            table.row("prefix", fingerprint.prefix);
        }
        table.result("solutions", output::grouped(total));
        agreement.row(&mut table);
        table.row("engine", &fingerprint.engine);
        table.row("shards", self.of);
        table.row("time", format!("{} in all", output::seconds(self.whole.origin.seconds)));
        table
    }

    fn json<'a>(&'a self, result: Option<(u128, &Agreement)>, missing: Option<&'a str>) -> Json<'a> {
        let fingerprint = self.whole.fingerprint();
        Json {
            about: output::About::here(),
            command: "merge",
            n: fingerprint.prefix.size().get(),
            prefix: (!fingerprint.prefix.is_empty()).then(|| fingerprint.prefix.to_string()),
            count: result.map(|(total, _)| total.to_string()),
            engine: &fingerprint.engine,
            shards: self.of,
            missing,
            oeis: result.and_then(|(_, agreement)| agreement.oeis),
            modulo: result.and_then(|(_, agreement)| agreement.modulo),
            agrees_with: result.and_then(|(_, agreement)| agreement.oeis?.agreed()),
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
    oeis: Option<Oeis>,
    modulo: Option<Modulo>,
    /// The sequence again, where it agrees, as in version 0.1.
    agrees_with: Option<&'static str>,
    seconds: f64,
}
