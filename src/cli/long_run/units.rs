//! A plan's units as the program works through them: all of them or a shard, from the checkpoint on if there is one.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use queens::ledger::durable;
use queens::ledger::store::{Store, StoreError};
use queens::ledger::{Fingerprint, Ledger, format};
use queens::{Report, Request, Shard};

use crate::cli::long_run::{Agreement, LongRun, When, checkpoint::Checkpoint, supervision};
use crate::cli::terminal::{Exit, Facts, Failure, files, messages, numbers};

/// What came of it.
pub(crate) struct Outcome {
    pub(crate) report: Report,
    pub(crate) shard: Shard,
    /// Units that an earlier run had finished.
    pub(crate) resumed: usize,
    /// Whether there was an earlier run that had finished anything.
    pub(crate) went_on: bool,
    /// All units of the shard.
    pub(crate) units: usize,
    /// Wall time of this run and those before it.
    pub(crate) total_seconds: f64,
}

impl Outcome {
    /// What is known of the result, which a shard has only a part of.
    pub(crate) fn agreement(&self, threads: usize) -> Result<Agreement, Failure> {
        let Report { subject, count, .. } = &self.report;
        if self.shard.is_whole() { Agreement::of(subject, *count, threads) } else { Ok(Agreement::default()) }
    }

    /// What it took, behind these facts.
    pub(crate) fn facts(&self, facts: Facts) -> Facts {
        /// From so many solutions on, how many are counted a second says something.
        const MANY: u128 = 1000;
        let Self { report, resumed, went_on, units, total_seconds, .. } = self;
        let Report { count, double_checked: units_checked, double_checked_tasks: tasks, .. } = *report;
        let (whole_board, seconds) = (report.subject.rotation().is_none(), report.elapsed.as_secs_f64());
        let is_rate = !went_on && whole_board && count >= MANY && seconds > 0.0;
        facts
            .with("seconds", seconds)
            .row("time", numbers::seconds(seconds))
            .with_some("total_seconds", whole_board.then_some(total_seconds))
            .row_some("in all", (*went_on && whole_board).then(|| numbers::seconds(*total_seconds)))
            .with("units", units)
            .with("resumed", resumed)
            .row_some("resumed", went_on.then(|| format!("from {resumed} of {units} units")))
            .row_some("rate", is_rate.then(|| format!("{} solutions/s", numbers::rounded(count as f64 / seconds))))
            .with("double_checked", units_checked)
            .with("double_checked_tasks", tasks)
            .row_some(
                "checked",
                (tasks > 0).then(|| format!("{} counted twice, no difference", numbers::count_of(tasks, "task"))),
            )
    }
}

/// Counts what is requested, into the shard's result file where a shard is asked for; unless `quiet`, says which shard
/// was finished.
pub(crate) fn run(args: &LongRun, quiet: bool, request: Request) -> Result<Outcome, Failure> {
    if args.progress == When::Json {
        messages::as_events();
    }
    let fingerprint = request.fingerprint().map_err(|error| Failure::usage(&error))?;
    // Nothing is written for an engine that counts wrong.
    request.self_check().map_err(|error| Failure::from(&error))?;
    let units = Units { args, quiet, fingerprint, request };
    match (args.shard, &args.out) {
        (Some(shard), Some(out)) => units.shard(shard, out),
        _ => Ok(units.open(Shard::WHOLE)?.0),
    }
}

/// The units to be worked through, and how.
struct Units<'a> {
    args: &'a LongRun,
    quiet: bool,
    fingerprint: Fingerprint,
    request: Request,
}

impl Units<'_> {
    /// Goes on from the checkpoint.
    fn open(self, shard: Shard) -> Result<(Outcome, Ledger), Failure> {
        self.args.checkpoint.as_deref().map_or(Ok(()), make_folder)?;
        let (checkpoint, ledger) = Checkpoint::open(self.args, self.fingerprint.clone(), shard)?;
        self.go_on(ledger, checkpoint)
    }

    /// Does what the ledger lacks.
    fn go_on(self, ledger: Ledger, mut checkpoint: Checkpoint) -> Result<(Outcome, Ledger), Failure> {
        let (shard, resumed, units) = (ledger.shard(), ledger.finished(), ledger.units());
        let (went_on, before) = (ledger.reached() > (0, 0), ledger.origin.elapsed);
        let run = self.request.resume(ledger).map_err(|error| Failure::from(&error))?;
        let (report, ledger) = supervision::run(run.state(), &mut checkpoint, self.args, move || run.wait())?;
        let total_seconds = before.saturating_add(report.elapsed).as_secs_f64();
        Ok((Outcome { report, shard, resumed, went_on, units, total_seconds }, ledger))
    }

    /// Does a shard, unless its result is complete already.
    fn shard(self, shard: Shard, out: &Path) -> Result<Outcome, Failure> {
        if self.args.checkpoint.as_deref() == Some(out) {
            let message = "--checkpoint and --out must be different files: the second is only for the finished shard";
            return Err(Failure::usage(&message));
        }
        make_folder(out)?;
        let mut store = Store::open(out)?;
        let found = match store.load(&self.fingerprint, shard) {
            Err(error) if error.is_damage() => {
                messages::warning(&format!("{error}; shard {shard} is written anew"));
                None
            }
            found => found?,
        };
        if let Some((ledger, fallback)) = found {
            let path = out.display();
            if ledger.is_complete() {
                if let Some(reason) = fallback {
                    messages::warning(&format!("{reason}; the save before it takes its place"));
                    store.save(&ledger)?;
                }
                messages::note(&format!("{path}: shard {shard} is complete already"));
                return Ok(self.go_on(ledger, Checkpoint::nothing())?.0);
            }
            let message =
                format!("{path}: an unfinished shard; resume it with --checkpoint {path}, and give --out another name");
            return Err(Failure::Run(Exit::Failure, message));
        }
        // Found out after hours, a full disk or a folder that may not be written would cost the shard.
        store.rehearse(&Ledger::new(self.fingerprint.clone(), shard))?;
        let (quiet, n) = (self.quiet, self.fingerprint.subject.n());
        let (outcome, ledger) = self.open(shard)?;
        if let Err(error) = store.save(&ledger) {
            return Err(unsaved(&ledger, &error, out));
        }
        if !quiet {
            messages::note(&format!("{}: shard {shard} of N = {n}, {} units", out.display(), outcome.units));
        }
        Ok(outcome)
    }
}

/// Makes the folder that a file of this name is to be in, but not those that the folder is in: a name that is misspelled
/// is to be told.
fn make_folder(path: &Path) -> Result<(), Failure> {
    let folder = durable::folder(path);
    let failure = |reason: String| Failure::Run(Exit::Failure, format!("{}: {reason}", path.display()));
    match fs::create_dir(folder) {
        Ok(()) => durable::sync_folder(folder).map_err(|error| failure(error.to_string())),
        // By another shard, maybe.
        Err(_) if folder.is_dir() => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(failure(format!("{} is no folder", folder.display())))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let missing =
                folder.ancestors().filter(|at| !at.as_os_str().is_empty() && !at.exists()).last().unwrap_or(folder);
            Err(failure(format!("there is no folder {}", missing.display())))
        }
        Err(error) => Err(failure(format!(
            "there is no folder {}, and it cannot be made: {}",
            folder.display(),
            files::reason(&error)
        ))),
    }
}

/// Prints a shard that could not be written, so that it is not lost: what is printed is what the file would hold.
fn unsaved(ledger: &Ledger, error: &StoreError, out: &Path) -> Failure {
    let text = format::encode(ledger);
    let mut stdout = std::io::stdout().lock();
    let place = if stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_ok() {
        "stdout"
    } else {
        // The last place there is.
        let _ = std::io::stderr().write_all(text.as_bytes());
        "stderr"
    };
    let message = format!(
        "{error}; the shard is printed on {place} instead: what begins with 'queens ledger' belongs in {}",
        out.display()
    );
    Failure::Run(Exit::Failure, message)
}
