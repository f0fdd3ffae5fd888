//! `queens audit PATH...`

use std::time::Duration;

use queens::audit::{Audit, AuditedUnit, Findings};
use serde::Serialize;

use crate::cli::answer::{Line, Printer};
use crate::cli::args::{Cores, Json, Paths, duration, integer, share};
use crate::cli::failure::{Failure, Result, report_lesser};
use crate::cli::ledgers::Ledgers;
use crate::cli::work::run_printing;
use crate::cli::{output, text};

/// Recount random units of checkpoints, and one task of each with independent code
#[derive(clap::Args)]
#[command(mut_arg("isa", |isa| isa.help("Instruction set to recount with [default: portable]")))]
pub(crate) struct Args {
    #[command(flatten)]
    paths: Paths,

    /// Share of finished units to recount, e.g. 1% [default: as many as --max-time allows]
    #[arg(long, value_name = "SHARE", value_parser = share, conflicts_with = "max_time")]
    share: Option<f64>,

    /// Start no new unit after this time
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1m")]
    max_time: Duration,

    /// Repeat an earlier audit of the same ledger [default: random]
    #[arg(long, value_name = "SEED", value_parser = integer::<u64>(0))]
    seed: Option<u64>,

    #[command(flatten)]
    cores: Cores,

    #[command(flatten)]
    json: Json,
}

#[derive(Serialize)]
struct Audited {
    n: usize,
    differences: usize,
    chance_to_find_one: f64,
    #[serde(flatten)]
    findings: Findings,
}

pub(crate) fn run(args: &Args) -> Result {
    let printer = Printer::open(&args.json)?;
    let mut ledgers = Ledgers::read(&args.paths.paths)?;
    let ledger = ledgers.union()?;
    // A complete file without units is a success: there is nothing to recount.
    if ledger.reached() == (0, 0) && !ledgers.files.iter().all(|(_, ledger)| ledger.is_complete()) {
        let nothing = Failure::Run("nothing to audit: no task is finished".to_owned());
        return report_lesser([ledgers.verdict(), Err(nothing)]);
    }
    // 32 bits, which people can type and every JSON reader represents exactly.
    let seed = args.seed.unwrap_or_else(|| fastrand::u32(..).into());
    let n = ledger.fingerprint().prefix.size().get();
    let (share, max_time, isa, threads) = (args.share, args.max_time, args.cores.isa, args.cores.threads);
    let verdict = ledgers.verdict();
    let mut printed = Ok(());
    let print = |line: &str| {
        if printer.is_json_only {
            output::report(line);
        } else {
            printed = printed.clone().and(output::print(&(text::printable(line) + "\n")));
        }
    };
    let audited = run_printing(&format!("audit of N = {n}"), print, move |watch, report| {
        let mut each = |unit: &AuditedUnit| {
            if !unit.agrees() {
                report(difference(unit, &ledgers.files_with(unit.unit)));
            }
        };
        let audit = Audit::of(&ledger, seed).share(share).max_time(max_time).isa(isa).threads(threads);
        audit.recount(watch, &mut each)
    });
    let audited = audited.and_then(|findings| {
        let (differences, chance_to_find_one) = (findings.differences().count(), findings.chance_to_find(1));
        let audited = Audited { n, differences, chance_to_find_one, findings };
        let printed = printed.and(printer.text(audited.lines()));
        let units = text::count_of(differences as u64, "wrong unit");
        let wrong = Failure::Wrong(format!("{units}; remove the files that contain them and count again"));
        let written = printer.object("audit", &audited, printed);
        report_lesser([written, wrong.when(differences > 0)])
    });
    report_lesser([verdict, audited])
}

impl Audited {
    fn lines(&self) -> Vec<Line> {
        let Findings { engine, isa, threads, elapsed, seed, finished, ref units, .. } = self.findings;
        let (recounted, finished) = (text::grouped(units.len() as u64), text::count_of(finished as u64, "unit"));
        let tasks = units.iter().filter(|unit| unit.task.is_some()).count() as u64;
        let percent = |wrong| format!("{}%", text::to_digits(100.0 * self.findings.chance_to_find(wrong), 2));
        vec![
            ("N", Some(self.n.to_string())),
            ("recounted", Some(format!("{recounted} of {finished}, by {engine}, {isa}"))),
            ("tasks", Some(format!("{}, by the independent auditor", text::grouped(tasks)))),
            ("differ", Some(text::grouped(self.differences as u64))),
            ("detects", Some(format!("one wrong unit with probability {}, ten with {}", percent(1), percent(10)))),
            ("seed", Some(seed.to_string())),
            ("threads", Some(threads.to_string())),
            ("time", Some(text::seconds(elapsed.as_secs_f64()))),
        ]
    }
}

/// Describes how a unit of these files differs.
fn difference(unit: &AuditedUnit, files: &str) -> String {
    let tally = format!("file says {}, recount gives {}", unit.tally, unit.recounted);
    let task = unit.task.iter().filter(|task| !task.agrees()).map(|task| {
        let part = if task.is_part { "a part of task" } else { "task" };
        let forced: Vec<String> = task.forced.iter().map(u64::to_string).collect();
        let forced =
            if forced.is_empty() { String::new() } else { format!(" (large-board code {})", forced.join(", ")) };
        format!("; {part} {}: engine {}{forced}, auditor {}", task.index, task.engine, task.auditor)
    });
    format!("unit {} of {files}: {tally}{}", unit.unit, task.collect::<String>())
}
