//! `queens merge PATH...`

use std::path::PathBuf;

use clap::Args as ClapArgs;
use queens::Subject;
use queens::ledger::store::StoreError;
use queens::ledger::{Fingerprint, LedgerError, ranges};
use serde::Serialize;

use crate::cli::long_run::{
    Agreement,
    named_files::{nothing_in, union},
};
use crate::cli::terminal::{Answer, Exit, Failure, Form, Rows, escape, messages, numbers};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Files that `queens count` wrote with --shard and --out, or folders with them; - means stdin
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) form: Form,
}

/// The union of some shards.
#[derive(Serialize)]
pub(crate) struct Merged {
    #[serde(flatten)]
    subject: Subject,
    /// The sum, unless a shard is missing.
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
    /// Finished units, of so many.
    #[serde(skip)]
    units: (usize, usize),
}

pub(crate) fn run(args: &Args) -> Result<Merged, Failure> {
    let mut damaged = Vec::new();
    let union = union(&args.paths, |path, error| {
        messages::warning(&format!("{error}; it counts as missing"));
        damaged.push(escape::name(path));
        Ok(())
    })?;
    let nothing = || nothing_in(&args.paths, Exit::Missing, "no undamaged shard, so all are missing");
    let (whole, parts) = union.ok_or_else(nothing)?;
    let shards = parts[0].1.shard().of();
    if let Some((path, other)) = parts.iter().find(|(_, part)| part.shard().of() != shards) {
        let (found, wanted) = (format!("{} shards", other.shard().of()), shards.to_string());
        let error = LedgerError::Foreign { what: "a count in", found, wanted };
        return Err(StoreError::Ledger(path.clone(), error).into());
    }
    let missing: Vec<u32> = whole.unfinished_shards(shards).expect("a shard was of so many").collect();
    let known = missing.is_empty().then(|| Agreement::of_ledger(&whole, 0)).transpose()?;
    let Fingerprint { subject, engine, .. } = whole.fingerprint().clone();
    let (count, agreement) = known.map_or_else(Default::default, |(total, agreement)| (Some(total), agreement));
    let (seconds, cpu_seconds) = (whole.elapsed().as_secs_f64(), whole.cpu_time().map(|time| time.as_secs_f64()));
    let units = (whole.finished(), whole.units());
    Ok(Merged { subject, count, agreement, engine, shards, missing, damaged, seconds, cpu_seconds, units })
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
            .row_some("time", (self.seconds > 0.0).then(|| format!("{} in all", numbers::seconds(self.seconds))))
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
        let are = if missing.len() == 1 { "is" } else { "are" };
        let (list, (done, units)) = (ranges(missing.iter().copied()), self.units);
        let reason = match shards {
            1 => format!("unfinished: {done} of {units} units are finished"),
            _ => format!(
                "{} of {shards} shards {are} missing or unfinished: {list}; {done} of {units} units are finished",
                missing.len()
            ),
        };
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
