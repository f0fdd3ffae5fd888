//! `queens count N`, and a [`range`].

mod range;

use std::path::Path;

use queens::ledger::Ledger;
use queens::oeis::{self, Sequence};
use queens::symmetric::SymmetricRequest;
use queens::{EngineKind, Isa, Placement, Report, Request, Rotation};
use serde::Serialize;

use crate::cli::answer::{Count, Line, Printer};
use crate::cli::args::{Cores, Engine, Json, Sizes, engine, named, placement, size};
use crate::cli::failure::{Failure, Result, report_lesser};
use crate::cli::run::{self, Ended, LongRunArgs};
use crate::cli::work::run_watched;
use crate::cli::{check, output, text};

const COUNT_HEADING: &str = "What to count";
const EXAMPLES: &str = "\
Examples:
  queens count 18
  queens count 1-16 --unique
  queens count 24 --checkpoint n24 --max-time 8h";

/// Count the solutions on an N×N board
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Board size: 0 to 32 (--symmetry half: to 34, quarter: to 69), or a range such as 1-16
    #[arg(value_name = "N")]
    sizes: Sizes,

    /// Engine; auto: the checkpoint's, else the fastest
    #[arg(long, default_value = "auto", value_parser = engine())]
    engine: Engine,

    #[command(flatten)]
    cores: Cores,

    /// Count completions of these queens: rows of the first columns, e.g. 158 or 1,5,8
    #[arg(long, value_name = "P", help_heading = COUNT_HEADING)]
    prefix: Option<String>,

    /// Count solutions up to rotation and reflection (A002562)
    #[arg(long, help_heading = COUNT_HEADING, conflicts_with_all = ["prefix", "symmetry"])]
    unique: bool,

    /// Count only solutions unchanged by a half turn (A032522) or a quarter turn (A033148)
    #[arg(long, help_heading = COUNT_HEADING, value_parser = named(&Rotation::ALL))]
    #[arg(conflicts_with_all = ["prefix", "engine", "checkpoint"])]
    symmetry: Option<Rotation>,

    #[command(flatten)]
    json: Json,

    #[command(flatten)]
    long: LongRunArgs,
}

pub(crate) fn run(args: &Args) -> Result {
    if args.sizes.is_range {
        return range::run(args);
    }
    if args.long.checkpoint.as_deref().is_some_and(output::is_stdout) {
        return Err(Failure::value("--checkpoint <FILE>", "-", "stdout is for the count; name a file"));
    }
    let printer = Printer::open(&args.json)?;
    args.advise()?;
    let mut counted = count(args, args.sizes.first)?;
    let suggest_audit = Failure::suggest_audit(args.long.checkpoint.is_some());
    let printed = args.check(&counted).map_err(suggest_audit).and_then(|check| {
        counted.check = check;
        let printed = printer.total(counted.count.map(|_| counted.result()), counted.check.as_ref(), counted.lines());
        printer.object("count", &counted, printed)
    });
    report_lesser([counted.saved, printed])
}

#[derive(Serialize)]
struct Counted {
    n: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<Placement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    symmetry: Option<Rotation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unique: Option<Count>,
    /// `None` for a shard.
    count: Option<Count>,
    /// What the result agrees with, in words.
    check: Option<String>,
    engine: &'static str,
    /// This and the next three describe this run; `None` if the file was complete.
    isa: Option<Isa>,
    threads: Option<usize>,
    seconds: Option<f64>,
    /// The time of the self-checks, which precede the count.
    check_seconds: Option<f64>,
    /// The time of all runs that used the file.
    total_seconds: f64,
    #[serde(skip)]
    saved: Result,
}

/// Counts a board, or a shard of it.
fn count(args: &Args, n: usize) -> Result<Counted> {
    let Cores { isa, threads } = args.cores;
    // Before the count, because a signal during this step would lose a finished count.
    let turns = args.unique.then(|| check::turn_counts(size(n)?, threads)).transpose()?;
    let Ended { report, total, has_counted, saved } = if let Some(turn) = args.symmetry {
        let request = SymmetricRequest::new(turn, n)?.isa(isa).threads(threads);
        let report = run_watched(&format!("N = {n}"), move |watch| request.count(watch)).inspect_err(|failure| {
            if matches!(failure, Failure::Stopped) {
                output::report("counts with --symmetry are not saved");
            }
        })?;
        Ended { total: report.elapsed, report, has_counted: true, saved: Ok(()) }
    } else {
        run::count(&args.long, args.sizes.is_range.then_some(n), |file| args.request(n, file))?
    };
    let Report { prefix, symmetry, count, engine, isa, threads, elapsed, checked, .. } = report;
    let shard = args.long.shard.filter(|shard| !shard.is_whole());
    let suggest_audit = Failure::suggest_audit(args.long.checkpoint.is_some());
    let unique = turns.map(|turns| check::unique_count(size(n)?, count, turns).map_err(suggest_audit));
    let both = |failure| report_lesser([saved.clone(), Err(failure)]).expect_err("one has failed");
    let unique = unique.transpose().map_err(both)?;
    Ok(Counted {
        n,
        prefix,
        symmetry,
        shard: shard.map(|shard| shard.to_string()),
        part: shard.map(|_| Count(count)),
        unique: unique.map(Count),
        count: shard.is_none().then_some(Count(count)),
        check: None,
        engine,
        isa: has_counted.then_some(isa),
        threads: has_counted.then_some(threads),
        seconds: has_counted.then_some(elapsed.as_secs_f64()),
        check_seconds: has_counted.then_some(checked.as_secs_f64()),
        total_seconds: total.as_secs_f64(),
        saved,
    })
}

impl Args {
    /// What to count on a board, by default with the engine of its file.
    fn request(&self, n: usize, file: Option<&Ledger>) -> Result<Request> {
        let size = size(n)?;
        let prefix = placement("--prefix <P>", self.prefix.as_deref(), size)?;
        let in_file = file.map(Ledger::fingerprint).filter(|file| file.prefix == prefix).map(|file| file.engine);
        let request = Request::completions(prefix).engine(self.engine.or(in_file));
        Ok(request.isa(self.cores.isa).threads(self.cores.threads))
    }

    /// The OEIS sequence of what is counted.
    fn sequence(&self) -> &'static Sequence {
        match self.symmetry {
            Some(turn) => turn.sequence(),
            None if self.unique => &oeis::UNIQUE,
            None => &oeis::QUEENS,
        }
    }

    /// What the result agrees with; for a shard, where it is saved. Reports the count of a shard that is not saved.
    fn check(&self, done: &Counted) -> Result<Option<String>> {
        let file = self.long.checkpoint.as_deref().unwrap_or(Path::new("")).display();
        match (done.result(), &done.shard) {
            (_, Some(shard)) if done.saved.is_err() => {
                output::report(&format!("shard {shard} has {} solutions", done.part.map_or(0, |Count(part)| part)));
                Ok(None)
            }
            (_, Some(shard)) => Ok(Some(format!("shard {shard} is in {file}; add up the shards with queens merge"))),
            (result, _) if self.unique || self.symmetry.is_some() => check::compare(self.sequence(), done.n, result),
            (result, _) if done.prefix.is_none() => check::compare_total(size(done.n)?, result, self.cores.threads),
            _ => Ok(None),
        }
    }

    /// Notes before a count that may take years, unless an option shows that the user knows.
    fn advise(&self) -> Result {
        const ADVISED_FROM: usize = 22;
        let n = self.sizes.first;
        let is_whole = self.prefix.is_none() && self.symmetry.is_none() && self.long.checkpoint.is_none();
        if n >= ADVISED_FROM && is_whole && matches!(self.engine, None | Some(EngineKind::Join)) {
            // A board that cannot be counted needs no advice.
            self.request(n, None)?.method()?;
            output::note(&format!("`queens estimate {n}` estimates the time; `--checkpoint FILE` saves the count"));
        }
        Ok(())
    }
}

impl Counted {
    /// The number that was requested; 0 for a shard.
    fn result(&self) -> u128 {
        self.unique.or(self.count).map_or(0, |Count(count)| count)
    }

    fn lines(&self) -> Vec<Line> {
        /// Shorter self-checks are not listed, in seconds.
        const SHOWN_FROM: f64 = 1.0;
        let grouped = |count: Option<Count>| count.map(|Count(count)| text::grouped(count));
        let isa = self.isa.map_or_else(String::new, |isa| format!(", {isa}"));
        vec![
            ("N", Some(self.n.to_string())),
            ("prefix", self.prefix.map(|prefix| prefix.to_string())),
            ("symmetry", self.symmetry.map(|turn| format!("unchanged by a {turn} turn"))),
            ("unique", grouped(self.unique)),
            ("solutions", grouped(self.count)),
            (if self.shard.is_some() { "saved" } else { "check" }, self.check.clone()),
            ("engine", Some(format!("{}{isa}", self.engine))),
            ("threads", self.threads.map(|threads| threads.to_string())),
            ("self-check", self.check_seconds.filter(|&seconds| seconds >= SHOWN_FROM).map(text::seconds)),
            ("time", text::known_seconds(self.total_seconds)),
        ]
    }
}
