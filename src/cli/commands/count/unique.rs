//! `queens count N --unique`

use queens::{Report, Subject, Unique, oeis};

use super::{Args, Outcome, form};
use crate::cli::long_run::Agreement;
use crate::cli::terminal::{Exit, Facts, Failure, numbers};

/// The number of symmetry classes of all the solutions that `report` counted, and what it was divided by.
pub(super) fn classes(report: &Report) -> Result<(u128, Unique), Failure> {
    let Subject::Completions(board) = report.subject else { unreachable!("--unique goes with no --symmetry") };
    let unique = Unique::new(board.size(), report.threads)?;
    let classes = unique.classes(report.count).map_err(|error| Failure::Run(Exit::Difference, error.to_string()))?;
    Ok((classes, unique))
}

/// Prints it.
pub(super) fn run(args: &Args, outcome: &Outcome) -> Result<(), Failure> {
    let report = &outcome.report;
    let n = report.subject.n();
    let (classes, unique) = classes(report)?;

    // The classes are divided from the total by a check modulo 8.
    let agreement = Agreement::with(&oeis::UNIQUE, n, classes);
    let facts = Facts::of("count")
        .fact("n", "N", n)
        .with("unique", classes.to_string())
        .result("unique", numbers::grouped(classes));
    let facts = agreement
        .of_facts(facts)
        .with("count", report.count.to_string())
        .row("solutions", numbers::grouped(report.count))
        .with("half_turn", unique.half.to_string())
        .row("half turn", format!("{} unchanged", numbers::grouped(unique.half)))
        .with("quarter_turn", unique.quarter.to_string())
        .row("quarter turn", format!("{} unchanged", numbers::grouped(unique.quarter)))
        .counted_by(report.engine, report.isa, report.threads);
    agreement.deliver(&outcome.facts(facts), Some(&format!("{classes}\n")), &form(args))
}
