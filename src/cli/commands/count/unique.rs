//! `queens count N --unique`

use queens::{Report, Subject, Unique, oeis};

use super::{Args, Outcome, form};
use crate::cli::long_run::known_terms::{Agreement, Printed};
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::json::Object;
use crate::cli::terminal::numbers;
use crate::cli::terminal::summary::Summary;

/// The number of symmetry classes of all the solutions that `report` counted, and what it was divided by.
pub(super) fn classes(report: &Report) -> Result<(u128, Unique), Failure> {
    let Subject::Completions(board) = report.subject else { unreachable!("--unique goes with no --symmetry") };
    let unique = Unique::new(board.size(), report.threads).map_err(|error| Failure::from(&error))?;
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
    let mut table = Summary::default();
    table.row("N", n);
    table.result("unique", numbers::grouped(classes));
    agreement.row(&mut table);
    table.row("solutions", numbers::grouped(report.count));
    table.row("half turn", format!("{} unchanged", numbers::grouped(unique.half)));
    table.row("quarter turn", format!("{} unchanged", numbers::grouped(unique.quarter)));
    table.row("engine", format!("{}, {}", report.engine, report.isa));
    table.row("threads", report.threads);
    table.row("time", numbers::seconds(report.elapsed.as_secs_f64()));
    let object = Object::of_board("count", n)
        .with("unique", classes.to_string())
        .with("oeis", agreement.oeis)
        .with("count", report.count.to_string())
        .with("half_turn", unique.half.to_string())
        .with("quarter_turn", unique.quarter.to_string())
        .by(Some(report.engine), report.isa, report.threads);
    let (object, numbers, table) = (outcome.json(object), Some(format!("{classes}\n")), table.to_string());
    Printed { agreement: &agreement, object, numbers, table }.deliver(&form(args))
}
