//! The units of a count: those of a shard or all, from a checkpoint on if there is one.

use std::path::Path;

use queens::ledger::store::Store;
use queens::ledger::{Fingerprint, Ledger};
use queens::run::progress::Watch;
use queens::{CountError, Shard};

use super::keep::Keep;
use super::output;
use super::{Exit, Failure, args, watch};

/// A count whose units a ledger takes.
pub(crate) trait Counting: Clone + Send + 'static {
    type Report: Send + 'static;

    /// What its ledger is for.
    fn fingerprint(&self) -> Result<Fingerprint, Failure>;

    /// Counts what the ledger of the watch lacks.
    fn run(&self, watch: &Watch) -> Result<Self::Report, CountError>;
}

/// What was counted.
pub(crate) struct Outcome<R> {
    pub(crate) report: R,
    pub(crate) shard: Shard,
    /// Units that an earlier run had finished.
    pub(crate) resumed: usize,
    /// All units of the shard.
    pub(crate) units: usize,
}

/// Counts the shard asked for, or all.
pub(crate) fn count_part<C: Counting>(count: &C, args: &args::Count) -> Result<Outcome<C::Report>, Failure> {
    match (args.long.shard, &args.long.out) {
        (Some(shard), Some(out)) => count_shard(count, shard, out, args),
        _ => Ok(count_units(count, Shard::WHOLE, args)?.0),
    }
}

/// Counts the units of a shard, from the checkpoint on if there is one.
fn count_units<C: Counting>(
    count: &C,
    shard: Shard,
    args: &args::Count,
) -> Result<(Outcome<C::Report>, Ledger), Failure> {
    let (keep, ledger) = Keep::open(&args.long, count.fingerprint()?, shard)?;
    go_on(count, ledger, keep, args)
}

/// Counts what the ledger lacks.
fn go_on<C: Counting>(
    count: &C,
    ledger: Ledger,
    mut keep: Keep,
    args: &args::Count,
) -> Result<(Outcome<C::Report>, Ledger), Failure> {
    let (shard, resumed, units) = (ledger.shard(), ledger.finished(), ledger.units());
    let counting = count.clone();
    let (report, ledger) = watch::run(ledger, &mut keep, &args.long, move |watch| counting.run(watch))?;
    Ok((Outcome { report, shard, resumed, units }, ledger))
}

/// Counts a shard into its result file, unless that is complete already.
fn count_shard<C: Counting>(
    count: &C,
    shard: Shard,
    out: &Path,
    args: &args::Count,
) -> Result<Outcome<C::Report>, Failure> {
    if args.long.checkpoint.as_deref() == Some(out) {
        return Err(Failure::usage(&"--checkpoint and --out are two files: only a finished shard gets to the second"));
    }
    let fingerprint = count.fingerprint()?;
    let n = fingerprint.subject.n();
    let mut store = Store::open(out)?;
    if let Some(found) = store.load(&fingerprint, shard)? {
        let path = out.display();
        if found.ledger.is_complete() {
            output::note(&format!("{path}: shard {shard} is complete already"));
            return Ok(go_on(count, found.ledger, Keep::nothing(), args)?.0);
        }
        let message = format!("{path}: an unfinished shard; go on from it with --checkpoint and give another --out");
        return Err(Failure::Run(Exit::Failure, message));
    }
    let (outcome, ledger) = count_units(count, shard, args)?;
    store.save(&ledger)?;
    if !args.quiet {
        output::note(&format!("{}: shard {shard} of N = {n}, {} units", out.display(), outcome.units));
    }
    Ok(outcome)
}
