//! `queens count A-B`: the terms of a sequence, one board after another.

use std::io::IsTerminal;
use std::ops::RangeInclusive;

use queens::oeis::{self, Sequence};
use queens::{Isa, Placement, Turn, TurnCount, Unique};
use serde::Serialize;

use super::{Args, counted, unchanged};
use crate::cli::agree::Agreement;
use crate::cli::values::size;
use crate::cli::{Exit, Failure, output};

/// Counts each board of the range. On a pipe a term is a line "n a(n)", as in a b-file of OEIS; at a terminal it is one of
/// a table, beside what OEIS says of it.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let long = &args.long;
    if args.prefix.is_some() || long.shard.is_some() || long.checkpoint.is_some() {
        return Err(Failure::usage(
            &"a range of N is counted at once: --prefix, --shard and --checkpoint go with one N",
        ));
    }
    let sizes = args.sizes;
    // A board at the end that cannot be counted should not show after hours.
    check(args, sizes.last)?;
    let table = !args.json && !args.quiet && std::io::stdout().is_terminal();
    let mut terms = Vec::new();
    let mut wrong = None;
    for n in sizes.first..=sizes.last {
        let term = term(args, n)?;
        let agreement = Agreement::with(sequence(args), n, term);
        if table {
            output::deliver(&format!("{n:>3}  {:>32}  {}\n", output::grouped(term), word(&agreement, n, args)))?;
        } else if !args.json {
            output::deliver(&format!("{n} {term}\n"))?;
        }
        let agrees = agreement.oeis.map(|oeis| oeis.agreed().is_some());
        terms.push(TermJson { n, value: term.to_string(), agrees });
        wrong = wrong.or(agreement.verdict().err());
    }
    if args.json {
        let about = output::About::here();
        output::deliver(&output::object(&Json { about, command: "count", sequence: sequence(args).id, terms })?)?;
    }
    wrong.map_or(Ok(()), Err)
}

/// What OEIS says of a term.
fn word(agreement: &Agreement, n: usize, args: &Args) -> String {
    let sequence = sequence(args);
    match agreement.words() {
        Some(words) => words,
        None if agreement.verdict().is_err() => format!("differs from OEIS {}", sequence.id),
        None if n < sequence.offset => String::new(),
        None => format!("beyond the terms of {} known here", sequence.id),
    }
}

fn sequence(args: &Args) -> &'static Sequence {
    match args.symmetry {
        Some(turn) => turn.sequence(),
        None if args.unique => &oeis::UNIQUE,
        None => &oeis::QUEENS,
    }
}

/// Whether a board of this size can be counted.
fn check(args: &Args, n: usize) -> Result<(), Failure> {
    match args.symmetry {
        Some(turn) => unchanged::board(turn, n).map(|_| ()),
        None => size(n).map(|_| ()),
    }
}

fn term(args: &Args, n: usize) -> Result<u128, Failure> {
    if let Some(turn) = args.symmetry {
        return Ok(unchanged::counted(args, turn, n)?.report.count);
    }
    let size = size(n)?;
    let all = counted(args, Placement::empty(size))?.report.count;
    if !args.unique {
        return Ok(all);
    }
    let unique = Unique::new(size, args.cores.threads).map_err(|error| Failure::from(&error))?;
    unique.classes(all).map_err(|error| Failure::Run(Exit::Difference, error.to_string()))
}

/// Recomputes the published terms of what a turn leaves unchanged on these boards, and compares.
pub(crate) fn verify(
    turn: Turn,
    boards: RangeInclusive<usize>,
    isa: Option<Isa>,
    threads: usize,
    json: bool,
) -> Result<(), Failure> {
    let to = *boards.end();
    unchanged::board(turn, to)?;
    unchanged::available(isa)?;
    let sequence = turn.sequence();
    let mut terms = Vec::new();
    let mut wrong = None;
    for n in boards.filter(|&n| sequence.term(n).is_some()) {
        let count = TurnCount::new(unchanged::board(turn, n)?).isa(isa).threads(threads);
        let report = count.run().map_err(|error| Failure::from(&error))?;
        let agreement = Agreement::with(sequence, n, report.count);
        if !json {
            let word = agreement.words().unwrap_or_else(|| format!("differs from OEIS {}", sequence.id));
            let (count, time) = (output::grouped(report.count), output::seconds(report.seconds));
            output::deliver(&format!("{n:>3}  {count:>26}  {word}  {time:>8}\n"))?;
        }
        let agrees = agreement.oeis.map(|oeis| oeis.agreed().is_some());
        terms.push(TermJson { n, value: report.count.to_string(), agrees });
        wrong = wrong.or(agreement.verdict().err());
    }
    if terms.is_empty() {
        return Err(Failure::Run(Exit::Failure, format!("{} has no term up to N = {to}", sequence.id)));
    }
    if json {
        let about = output::About::here();
        output::deliver(&output::object(&Json { about, command: "verify", sequence: sequence.id, terms })?)?;
    }
    wrong.map_or(Ok(()), Err)
}

/// The terms as a program reads them.
#[derive(Serialize)]
struct Json {
    #[serde(flatten)]
    about: output::About,
    command: &'static str,
    sequence: &'static str,
    terms: Vec<TermJson>,
}

#[derive(Serialize)]
struct TermJson {
    n: usize,
    value: String,
    /// Whether OEIS has the same term; null where its term is not known.
    agrees: Option<bool>,
}
