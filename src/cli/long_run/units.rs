//! A plan's units as the program works through them: all of them or a shard, from the checkpoint on if there is one.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use queens::ledger::durable;
use queens::ledger::store::Store;
use queens::ledger::{Ledger, format};
use queens::{CountError, Report, Request, Run, Shard};

use crate::cli::long_run::{
    Activity, LongRun,
    checkpoint::{self, Checkpoint},
    huge_pages_for, supervision,
};
use crate::cli::terminal::{Exit, Failure, files, messages, numbers};

/// What was counted, of a plan's units as far as the shard has them.
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
    /// The failure that the checkpoint has not all of it.
    pub(crate) unsaved: Option<Failure>,
}

/// Counts what is requested, from the checkpoint on if there is one, and into the shard's result file where a shard is asked
/// for; unless `quiet`, says which shard was finished.
pub(crate) fn run(args: &LongRun, quiet: bool, request: Request, activity: &Activity) -> Result<Outcome, Failure> {
    huge_pages_for(Some(&request));
    let run = request.prepare().map_err(|error| Failure::usage(&error))?;
    // Nothing is written for an engine that counts wrong.
    run.self_check()?;
    let empty = Ledger::new(run.fingerprint(), args.shard.unwrap_or(Shard::WHOLE));
    if args.checkpoint.is_none() && args.range.is_none() && !quiet {
        let lines = checkpoint::saved_before(&empty).into_iter().flatten();
        lines.for_each(|line| activity.say((messages::note, line)));
    }
    match &args.out {
        Some(out) if args.shard.is_some() => run_shard(args, quiet, run, empty, out, activity),
        _ => Ok(open(args, run, empty, activity)?.0),
    }
}

/// Goes on from the checkpoint, or from this ledger, in which nothing is finished.
fn open(args: &LongRun, run: Run<'static>, ledger: Ledger, activity: &Activity) -> Result<(Outcome, Ledger), Failure> {
    args.checkpoint.as_deref().map_or(Ok(()), make_folder)?;
    let (checkpoint, ledger) = Checkpoint::open(args, ledger)?;
    go_on(args, run, ledger, checkpoint, activity)
}

/// Does what the ledger lacks.
fn go_on(
    args: &LongRun,
    run: Run<'static>,
    ledger: Ledger,
    mut checkpoint: Checkpoint,
    activity: &Activity,
) -> Result<(Outcome, Ledger), Failure> {
    let (shard, resumed, units) = (ledger.shard(), ledger.finished(), ledger.units());
    let (went_on, before) = (ledger.reached() > (0, 0), ledger.elapsed());
    let run = Arc::new(run.resume(ledger).map_err(CountError::from)?);
    let counting = Arc::clone(&run);
    let (report, ledger, unsaved) = supervision::run(run, &mut checkpoint, args, activity, move || counting.count())?;
    let total_seconds = before.saturating_add(report.elapsed).as_secs_f64();
    Ok((Outcome { report, shard, resumed, went_on, units, total_seconds, unsaved }, ledger))
}

/// Does a shard, unless its result is complete already.
fn run_shard(
    args: &LongRun,
    quiet: bool,
    run: Run<'static>,
    empty: Ledger,
    out: &Path,
    activity: &Activity,
) -> Result<Outcome, Failure> {
    if args.checkpoint.as_deref().is_some_and(|checkpoint| durable::is_same_file(checkpoint, out)) {
        let message = "--checkpoint and --out must be different files: the second is only for the finished shard";
        return Err(Failure::usage(&message));
    }
    make_folder(out)?;
    let (mut store, shard, path) = (Store::open(out)?, empty.shard(), out.display());
    let found = match store.load(empty.fingerprint(), shard) {
        Err(error) if error.is_damage_to(&empty) => {
            messages::warning(&format!("{error}; shard {shard} is written anew"));
            None
        }
        found => found.map_err(checkpoint::unusable)?,
    };
    if let Some(ledger) = found {
        if !ledger.is_complete() {
            let message =
                format!("{path}: an unfinished shard; resume it with --checkpoint {path}, and give --out another name");
            return Err(Failure::Run(Exit::Failure, message));
        }
        messages::note(&format!("{path}: shard {shard} is complete already"));
        return Ok(go_on(args, run, ledger, Checkpoint::default(), activity)?.0);
    }
    // Found out after hours, a full disk or a folder that may not be written would cost the shard.
    store.rehearse(&empty)?;
    let (outcome, ledger) = open(args, run, empty, activity)?;
    if let Err(error) = store.save(&ledger) {
        // It is printed, so that it is not lost, as the file would hold it.
        let printed = activity.aside(|| messages::deliver_whole(&format::encode(&ledger)));
        let place = if printed.is_ok() { "stdout" } else { "stderr" };
        let message = format!(
            "{error}; the shard is printed on {place} instead: what begins with 'queens ledger' belongs in {path}"
        );
        return Err(Failure::Run(Exit::Failure, message));
    }
    if !quiet {
        let n = ledger.fingerprint().subject.n();
        let units = numbers::count_of(outcome.units as u64, "unit");
        let text = format!("{path}: shard {shard} of N = {n}, {units}");
        activity.aside(|| messages::note(&text));
    }
    Ok(outcome)
}

/// Makes the folder that a file of this name is to be in, but not those that the folder is in: a name that is misspelled
/// is to be told.
fn make_folder(path: &Path) -> Result<(), Failure> {
    let folder = durable::folder(path);
    let reason = match fs::create_dir(folder) {
        Ok(()) => match durable::sync_folder(folder) {
            Ok(()) => return Ok(()),
            Err(error) => error.to_string(),
        },
        // By another shard, maybe.
        Err(_) if folder.is_dir() => return Ok(()),
        Err(error) => match error.kind() {
            ErrorKind::AlreadyExists => format!("{} is no folder", folder.display()),
            ErrorKind::NotFound => {
                let missing = folder.ancestors().filter(|at| !at.as_os_str().is_empty() && !at.exists());
                format!("there is no folder {}", missing.last().unwrap_or(folder).display())
            }
            _ => {
                let (folder, reason) = (folder.display(), files::reason(&error));
                format!("there is no folder {folder}, and it cannot be made: {reason}")
            }
        },
    };
    Err(Failure::Run(Exit::Failure, format!("{}: {reason}", path.display())))
}
