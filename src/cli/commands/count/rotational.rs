//! `queens count N --symmetry half|quarter`

use std::io::IsTerminal;

use queens::engine::lanes::IsaError;
use queens::run::state::RunState;
use queens::{Isa, Rotation, RotationalBoard, RotationalCount, RotationalReport};
use serde::Serialize;

use super::{Args, print};
use crate::cli::long_run::known_terms::{Agreement, Oeis};
use crate::cli::long_run::units::{Outcome, Units};
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::summary::Summary;
use crate::cli::terminal::{json, numbers};

/// A board that this turn is counted on.
pub(crate) fn board(rotation: Rotation, n: usize) -> Result<RotationalBoard, Failure> {
    RotationalBoard::new(rotation, n).map_err(|error| Failure::invalid("<N>", &n.to_string(), &error))
}

/// Whether the processor has the instruction set asked for.
pub(crate) fn available(isa: Option<Isa>) -> Result<(), Failure> {
    match isa.filter(|isa| !isa.is_available()) {
        Some(missing) => Err(Failure::usage(&IsaError::Missing(missing))),
        None => Ok(()),
    }
}

/// Counts what a turn leaves unchanged, all of it or a shard.
pub(super) fn counted(args: &Args, rotation: Rotation, n: usize) -> Result<Outcome<RotationalReport>, Failure> {
    let board = board(rotation, n)?;
    available(args.cores.isa)?;
    let count = RotationalCount::new(board)
        .isa(args.cores.isa)
        .threads(args.cores.threads)
        .double_check(args.long.double_check);
    let fingerprint = count.fingerprint();
    let work = move |watch: &RunState| count.resume(watch);
    Units { args: &args.long, quiet: args.quiet, fingerprint, work }.run()
}

/// The solutions that a turn leaves unchanged.
pub(super) fn run(args: &Args, rotation: Rotation, n: usize) -> Result<(), Failure> {
    let outcome = counted(args, rotation, n)?;
    let RotationalReport { board, count, isa, threads, seconds, double_checked, .. } = outcome.report;
    let (rotation, whole) = (board.rotation(), outcome.shard.is_whole());
    let agreement = if whole { Agreement::with(rotation.sequence(), n, count) } else { Agreement::default() };
    let mut table = Summary::default();
    table.row("N", n);
    if whole {
        table.result("solutions", numbers::grouped(count));
    } else {
        table.row("shard", outcome.shard);
        table.result("its part", numbers::grouped(count));
    }
    agreement.row(&mut table);
    table.row("unchanged by", format!("a {rotation} turn"));
    table.row("engine", format!("{}, {isa}", RotationalCount::ENGINE));
    table.row("threads", threads);
    table.row("time", numbers::seconds(seconds));
    if outcome.went_on {
        table.row("resumed", format!("from {} of {} units", outcome.resumed, outcome.units));
    }
    if double_checked > 0 {
        table.row("checked", format!("{double_checked} units twice, no difference"));
    }
    let json = Json {
        about: json::About::here(),
        command: "count",
        n,
        symmetry: rotation.name(),
        oeis: agreement.oeis,
        count: whole.then(|| count.to_string()),
        shard: (!whole).then(|| outcome.shard.to_string()),
        part: (!whole).then(|| count.to_string()),
        engine: RotationalCount::ENGINE,
        isa: isa.to_string(),
        threads,
        seconds,
        units: outcome.units,
        resumed: outcome.resumed,
        double_checked,
    };
    if !whole && !args.json && (args.quiet || !std::io::stdout().is_terminal()) {
        // A part of the count, alone, would pass for the count.
        return Ok(());
    }
    print(args, count, &agreement, &table, &json)
}

#[derive(Serialize)]
struct Json {
    #[serde(flatten)]
    about: json::About,
    command: &'static str,
    n: usize,
    symmetry: &'static str,
    oeis: Option<Oeis>,
    count: Option<String>,
    shard: Option<String>,
    /// What this shard adds to the count.
    part: Option<String>,
    engine: &'static str,
    isa: String,
    threads: usize,
    seconds: f64,
    units: usize,
    resumed: usize,
    double_checked: usize,
}
