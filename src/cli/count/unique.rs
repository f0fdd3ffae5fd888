//! `queens count N --unique`

use std::time::Instant;

use queens::{Report, Unique, oeis};
use serde::Serialize;

use super::{Args, print};
use crate::cli::agree::{Agreement, Oeis};
use crate::cli::output::{self, Table};
use crate::cli::{Exit, Failure};

/// The symmetry classes of all the solutions that `report` counted.
pub(super) fn run(args: &Args, report: &Report) -> Result<(), Failure> {
    let size = report.prefix.size();
    let start = Instant::now();
    let unique = Unique::new(size, report.threads).map_err(|error| Failure::from(&error))?;
    let classes = unique.classes(report.count).map_err(|error| Failure::Run(Exit::Difference, error.to_string()))?;
    let seconds = report.seconds + start.elapsed().as_secs_f64();

    // The classes are divided from the total by a check modulo 8.
    let agreement = Agreement::with(&oeis::UNIQUE, size.get(), classes);
    let mut table = Table::default();
    table.row("N", size);
    table.result("unique", output::grouped(classes));
    agreement.row(&mut table);
    table.row("solutions", output::grouped(report.count));
    table.row("half turn", format!("{} unchanged", output::grouped(unique.half)));
    table.row("quarter turn", format!("{} unchanged", output::grouped(unique.quarter)));
    table.row("engine", format!("{}, {}", report.method.engine, report.method.isa));
    table.row("threads", report.threads);
    table.row("time", output::seconds(seconds));
    let json = Json {
        about: output::About::here(),
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
    about: output::About,
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
