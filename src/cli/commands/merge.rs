//! `queens merge FILE...`

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use queens::ledger::store::{self, StoreError};
use queens::ledger::{Fingerprint, Ledger, LedgerError, Subject};
use queens::{Count, MethodError, Profile, RotationalCount, Shard, ranges};
use serde::Serialize;

use crate::cli::commands::profile;
use crate::cli::long_run::known_terms::{Agreement, Modulo, Oeis};
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::summary::Summary;
use crate::cli::terminal::{json, messages, numbers};

#[derive(Args, Debug)]
pub(crate) struct Merge {
    /// Result files of `queens count --shard K/M --out FILE`, or of `queens profile`
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
    if !missing.is_empty() {
        let list = ranges(missing.iter().copied());
        let text =
            if args.json { json::object(&merged.json(None, &missing, Some(&list)))? } else { format!("{list}\n") };
        let are = if missing.len() == 1 { "is" } else { "are" };
        let reason = format!("{} of {} shards {are} missing or unfinished: {list}", missing.len(), merged.of);
        // Whether anybody reads the list or not, shards are missing.
        let _ = messages::deliver(&text);
        return Err(Failure::Run(Exit::Missing, reason));
    }
    let Known { total, placements, agreement } = known(&merged.whole, 0)?;
    if args.json {
        let profile = placements.map(|placements| placements.iter().map(u128::to_string).collect());
        let json = Json { profile, ..merged.json(Some((total, &agreement)), &[], None) };
        return agreement.verdict().and(messages::deliver(&json::object(&json)?));
    }
    agreement.verdict()?;
    if args.quiet || !std::io::stdout().is_terminal() {
        messages::deliver(&placements.map_or_else(|| format!("{total}\n"), |placements| profile::lines(&placements)))?;
        agreement.note(args.quiet);
        return Ok(());
    }
    let profile = placements.map_or_else(String::new, |placements| profile::table(&placements) + "\n\n");
    messages::deliver(&format!("{profile}{}", merged.table(total, &agreement)))
}

/// What a complete ledger comes to, held against what is known of it.
pub(super) struct Known {
    pub(super) total: u128,
    /// Of 0, 1, ... N queens, where it is the ledger of a profile.
    pub(super) placements: Option<Vec<u128>>,
    pub(super) agreement: Agreement,
}

/// Adds up a complete ledger and compares, on so many threads.
pub(super) fn known(whole: &Ledger, threads: usize) -> Result<Known, Failure> {
    let tally = whole.total().map_err(|error| Failure::Run(Exit::Failure, error.to_string()))?;
    let total = tally.get();
    let placements = Profile::of(whole.fingerprint()).map(|profile| profile.row(&tally));
    let agreement = match &placements {
        Some(placements) => profile::agreement(placements),
        None => Agreement::of(&whole.fingerprint().subject, total, threads)?,
    };
    Ok(Known { total, placements, agreement })
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
        let named = |error| Failure::from(StoreError::Ledger(path.clone(), error));
        // A file says what it is for; what such a count has to have is found out anew.
        let wanted = rebuilt(ledger.fingerprint())
            .map_err(|error| Failure::Run(Exit::Failure, format!("{}: {error}", path.display())))?;
        ledger.fingerprint().check(&wanted).map_err(named)?;
        let Merged { whole, of } = merged.get_or_insert_with(|| Merged {
            whole: Ledger::new(ledger.fingerprint().clone(), Shard::WHOLE),
            of: ledger.shard().of(),
        });
        if ledger.shard().of() != *of {
            let (found, wanted) = (format!("{} shards", ledger.shard().of()), of.to_string());
            return Err(named(LedgerError::Foreign { what: "a count in", found, wanted }));
        }
        whole.merge(&ledger).map_err(named)?;
    }
    Ok(merged.expect("clap wants at least one file"))
}

/// The fingerprint that a count of this subject by this engine has today.
fn rebuilt(found: &Fingerprint) -> Result<Fingerprint, MethodError> {
    if let Some(profile) = Profile::of(found) {
        return Ok(profile.fingerprint());
    }
    match found.subject {
        Subject::Completions(prefix) => Count::of(prefix, &found.engine)?.fingerprint(),
        Subject::Rotational(board) => Ok(RotationalCount::new(board).fingerprint()),
    }
}

impl Merged {
    fn table(&self, total: u128, agreement: &Agreement) -> Summary {
        let fingerprint = self.whole.fingerprint();
        let mut table = Summary::default();
        table.row("N", fingerprint.subject.n());
        if let Some(prefix) = fingerprint.subject.prefix() {
            table.row("prefix", prefix);
        }
        if let Some(rotation) = fingerprint.subject.rotation() {
            table.row("unchanged by", format!("a {rotation} turn"));
        }
        table.result("solutions", numbers::grouped(total));
        agreement.row(&mut table);
        table.row("engine", &fingerprint.engine);
        table.row("shards", self.of);
        table.row("time", format!("{} in all", numbers::seconds(self.whole.origin.seconds)));
        if let Some(seconds) = self.whole.origin.cpu_seconds {
            table.row("work", numbers::core_time(seconds));
        }
        table
    }

    fn json<'a>(
        &'a self,
        result: Option<(u128, &Agreement)>,
        missing_shards: &'a [u32],
        missing: Option<&'a str>,
    ) -> Json<'a> {
        let fingerprint = self.whole.fingerprint();
        Json {
            about: json::About::here(),
            command: "merge",
            n: fingerprint.subject.n(),
            prefix: fingerprint.subject.prefix().map(|prefix| prefix.to_string()),
            symmetry: fingerprint.subject.rotation().map(|rotation| rotation.to_string()),
            count: result.map(|(total, _)| total.to_string()),
            profile: None,
            engine: &fingerprint.engine,
            shards: self.of,
            missing,
            missing_shards,
            oeis: result.and_then(|(_, agreement)| agreement.oeis),
            modulo: result.and_then(|(_, agreement)| agreement.modulo),
            agrees_with: result.and_then(|(_, agreement)| agreement.oeis?.agreed()),
            seconds: self.whole.origin.seconds,
            cpu_seconds: self.whole.origin.cpu_seconds,
        }
    }
}

/// The result as a program reads it.
#[derive(Serialize)]
struct Json<'a> {
    #[serde(flatten)]
    about: json::About,
    command: &'static str,
    n: usize,
    prefix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    symmetry: Option<String>,
    count: Option<String>,
    /// Placements of 0, 1, ... N queens, where the shards are those of a profile.
    profile: Option<Vec<String>>,
    engine: &'a str,
    shards: u32,
    /// As `3,7-9`, and one by one.
    missing: Option<&'a str>,
    missing_shards: &'a [u32],
    oeis: Option<Oeis>,
    modulo: Option<Modulo>,
    /// The sequence again, where it agrees, as in version 0.1.
    agrees_with: Option<&'static str>,
    seconds: f64,
    cpu_seconds: Option<f64>,
}
