//! `queens merge PATH...`

use std::path::PathBuf;

use clap::Args as ClapArgs;
use queens::ledger::format::FormatError;
use queens::ledger::ranges;
use queens::ledger::store::{self, StoreError};
use queens::ledger::{Fingerprint, Ledger, LedgerError};
use queens::{Request, Shard};

use crate::cli::long_run::{Agreement, NamedFile, OutputForm, When, named_files::named_files};
use crate::cli::terminal::{Exit, Facts, Failure, JsonOutput, escape, messages, numbers};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Files that `queens count` wrote with --shard and --out, or folders with them
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) json: JsonOutput,

    /// Print only the number, as when stdout is not a terminal
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let merged = Merged::read(&args.paths)?;
    let missing: Vec<u32> = merged.whole.unfinished_shards(merged.of).expect("a shard was of so many").collect();
    if missing.is_empty() {
        let (total, agreement) = known(&merged.whole, 0)?;
        let facts = merged.facts(Some(total), &agreement, &missing);
        let form = OutputForm { json: &args.json, quiet: args.quiet, progress: When::Never };
        return agreement.deliver(&form, &facts, Some(format!("{total}\n")));
    }
    let list = ranges(missing.iter().copied());
    let are = if missing.len() == 1 { "is" } else { "are" };
    let reason = format!("{} of {} shards {are} missing or unfinished: {list}", missing.len(), merged.of);
    let object = merged.facts(None, &Agreement::default(), &missing).json();
    // Whether anybody reads the list or not, shards are missing.
    let _ = args.json.deliver_text(&object, || messages::deliver(&format!("{list}\n")));
    Err(Failure::Run(Exit::Missing, reason))
}

/// The sum of a complete ledger, and what is known of it, found out on so many threads.
pub(super) fn known(whole: &Ledger, threads: usize) -> Result<(u128, Agreement), Failure> {
    let total = whole.total().map_err(|error| Failure::Run(Exit::Failure, error.to_string()))?.get();
    Ok((total, Agreement::of(&whole.fingerprint().subject, total, threads)?))
}

/// The union of some shards.
struct Merged {
    whole: Ledger,
    of: u32,
    /// The files that were damaged, and count for nothing.
    damaged: Vec<String>,
}

impl Merged {
    /// Joins the ledgers in these files, and in the files of these folders, each of which must fit the first.
    fn read(paths: &[PathBuf]) -> Result<Self, Failure> {
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
            let reason = format!("{}: no sound shard, so that all are missing", names.join(", "));
            Failure::Run(Exit::Missing, reason)
        })?;
        Ok(Self { whole, of, damaged })
    }

    /// With the sum where no shard is missing.
    fn facts(&self, total: Option<u128>, agreement: &Agreement, missing: &[u32]) -> Facts {
        let (Fingerprint { subject, engine, .. }, origin) = (self.whole.fingerprint(), &self.whole.origin);
        let (seconds, cpu) = (origin.elapsed.as_secs_f64(), origin.cpu_time.map(|time| time.as_secs_f64()));
        Facts::of("merge")
            .subject(subject)
            .with("count", total.map(|total| total.to_string()))
            .result("solutions", numbers::grouped(total.unwrap_or(0)))
            .and(agreement.facts())
            .fact("engine", "engine", engine)
            .fact("shards", "shards", self.of)
            .with("missing", missing)
            .with("damaged", &self.damaged)
            .with("seconds", seconds)
            .row("time", format!("{} in all", numbers::seconds(seconds)))
            .with("cpu_seconds", cpu)
            .row_some("work", cpu.map(numbers::core_time))
    }
}
