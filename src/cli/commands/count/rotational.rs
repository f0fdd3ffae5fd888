//! `queens count N --symmetry half|quarter`

use std::io::IsTerminal;

use queens::engine::lanes::IsaError;
use queens::run::progress::Watch;
use queens::{Isa, Turn, TurnBoard, TurnCount, TurnReport};
use serde::Serialize;

use super::{Args, print};
use crate::cli::long_run::known_terms::{Agreement, Oeis};
use crate::cli::long_run::units::{Outcome, Units};
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::summary::Summary;
use crate::cli::terminal::{json, numbers};

/// A board that this turn is counted on.
pub(crate) fn board(turn: Turn, n: usize) -> Result<TurnBoard, Failure> {
    TurnBoard::new(turn, n).map_err(|error| Failure::invalid("<N>", &n.to_string(), &error))
}

/// Whether the processor has the instruction set asked for.
pub(crate) fn available(isa: Option<Isa>) -> Result<(), Failure> {
    match isa.filter(|isa| !isa.is_available()) {
        Some(missing) => Err(Failure::usage(&IsaError::Missing(missing))),
        None => Ok(()),
    }
}

/// Counts what a turn leaves unchanged, all of it or a shard.
pub(super) fn counted(args: &Args, turn: Turn, n: usize) -> Result<Outcome<TurnReport>, Failure> {
    let board = board(turn, n)?;
    available(args.cores.isa)?;
    let count =
        TurnCount::new(board).isa(args.cores.isa).threads(args.cores.threads).double_check(args.long.double_check);
    let fingerprint = count.fingerprint();
    let work = move |watch: &Watch| count.run_watched(watch);
    Units { args: &args.long, quiet: args.quiet, fingerprint, work }.run()
}

/// The solutions that a turn leaves unchanged.
pub(super) fn run(args: &Args, turn: Turn, n: usize) -> Result<(), Failure> {
    let outcome = counted(args, turn, n)?;
    let TurnReport { board, count, isa, threads, seconds, double_checked, .. } = outcome.report;
    let (turn, whole) = (board.turn(), outcome.shard.is_whole());
    let agreement = if whole { Agreement::with(turn.sequence(), n, count) } else { Agreement::default() };
    let mut table = Summary::default();
    table.row("N", n);
    if whole {
        table.result("solutions", numbers::grouped(count));
    } else {
        table.row("shard", outcome.shard);
        table.result("its part", numbers::grouped(count));
    }
    agreement.row(&mut table);
    table.row("unchanged by", format!("a {turn} turn"));
    table.row("engine", format!("{}, {isa}", TurnCount::ENGINE));
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
        symmetry: turn.name(),
        oeis: agreement.oeis,
        count: whole.then(|| count.to_string()),
        shard: (!whole).then(|| outcome.shard.to_string()),
        part: (!whole).then(|| count.to_string()),
        engine: TurnCount::ENGINE,
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
