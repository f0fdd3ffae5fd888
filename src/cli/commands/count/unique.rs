//! `queens count N --unique`

use std::time::Instant;

use queens::{Report, Unique, oeis};
use serde::Serialize;

use super::{Args, print};
use crate::cli::long_run::known_terms::{Agreement, Oeis};
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::summary::Summary;
use crate::cli::terminal::{json, numbers};

/// The symmetry classes of all the solutions that `report` counted.
pub(super) fn run(args: &Args, report: &Report) -> Result<(), Failure> {
    let size = report.prefix.size();
    let start = Instant::now();
    let unique = Unique::new(size, report.threads).map_err(|error| Failure::from(&error))?;
    let classes = unique.classes(report.count).map_err(|error| Failure::Run(Exit::Difference, error.to_string()))?;
    let seconds = report.seconds + start.elapsed().as_secs_f64();

    // The classes are divided from the total by a check modulo 8.
    let agreement = Agreement::with(&oeis::UNIQUE, size.get(), classes);
    let mut table = Summary::default();
    table.row("N", size);
    table.result("unique", numbers::grouped(classes));
    agreement.row(&mut table);
    table.row("solutions", numbers::grouped(report.count));
    table.row("half turn", format!("{} unchanged", numbers::grouped(unique.half)));
    table.row("quarter turn", format!("{} unchanged", numbers::grouped(unique.quarter)));
    table.row("engine", format!("{}, {}", report.method.engine, report.method.isa));
    table.row("threads", report.threads);
    table.row("time", numbers::seconds(seconds));
    let json = Json {
        about: json::About::here(),
        command: "count",
        n: size.get(),
        unique: classes.to_string(),
        oeis: agreement.oeis,
        count: report.count.to_string(),
        half_turn: unique.half.to_string(),
        quarter_turn: unique.quarter.to_string(),
        engine: report.method.engine.to_string(),
        isa: report.method.isa.to_string(),
        threads: report.threads,
        seconds,
    };
    print(args, classes, &agreement, &table, &json)
}

#[derive(Serialize)]
struct Json {
    #[serde(flatten)]
    about: json::About,
    command: &'static str,
    n: usize,
    unique: String,
    oeis: Option<Oeis>,
    count: String,
    half_turn: String,
    quarter_turn: String,
    engine: String,
    isa: String,
    threads: usize,
    seconds: f64,
}
