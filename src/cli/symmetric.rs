//! `queens count N --unique` and `queens count N --symmetry half|quarter`

use std::io::IsTerminal;
use std::time::Instant;

use queens::{Report, Turn, Unique, available_threads, oeis};
use serde::Serialize;

use super::agree::{Agreement, Oeis};
use super::args::{self, Symmetry};
use super::output::{self, Table};
use super::{Exit, Failure};

/// The symmetry classes of all the solutions that `report` counted.
pub(super) fn unique(args: &args::Count, report: &Report) -> Result<(), Failure> {
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
    let json = UniqueJson {
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

/// The solutions that a turn leaves unchanged.
pub(super) fn unchanged(args: &args::Count, symmetry: Symmetry) -> Result<(), Failure> {
    let (turn, name) = match symmetry {
        Symmetry::Half => (Turn::Half, "half"),
        Symmetry::Quarter => (Turn::Quarter, "quarter"),
    };
    let threads = if args.threads == 0 { available_threads() } else { args.threads };
    let start = Instant::now();
    let count = turn.count(args.size, threads).map_err(|error| Failure::from(&error))?;
    let seconds = start.elapsed().as_secs_f64();

    let sequence = match turn {
        Turn::Half => &oeis::HALF_TURN,
        Turn::Quarter => &oeis::QUARTER_TURN,
    };
    let agreement = Agreement::with(sequence, args.size.get(), count);
    let mut table = Table::default();
    table.row("N", args.size);
    table.result("solutions", output::grouped(count));
    agreement.row(&mut table);
    table.row("unchanged by", format!("a {name} turn"));
    table.row("threads", threads);
    table.row("time", output::seconds(seconds));
    let json = UnchangedJson {
        about: output::About::here(),
        command: "count",
        n: args.size.get(),
        symmetry: name,
        oeis: agreement.oeis,
        count: count.to_string(),
        threads,
        seconds,
    };
    print(args, count, &agreement, &table, &json)
}

/// The number alone, the table or the object, as for every count.
fn print(
    args: &args::Count,
    count: u128,
    agreement: &Agreement,
    table: &Table,
    json: &impl Serialize,
) -> Result<(), Failure> {
    if args.json {
        let delivered = output::deliver(&output::object(json)?);
        return agreement.verdict().and(delivered);
    }
    agreement.verdict()?;
    if args.quiet || !std::io::stdout().is_terminal() {
        output::deliver(&format!("{count}\n"))?;
        agreement.note(args.quiet);
        Ok(())
    } else {
        output::deliver(&table.to_string())
    }
}

#[derive(Serialize)]
struct UniqueJson {
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

#[derive(Serialize)]
struct UnchangedJson {
    #[serde(flatten)]
    about: output::About,
    command: &'static str,
    n: usize,
    symmetry: &'static str,
    oeis: Option<Oeis>,
    count: String,
    threads: usize,
    seconds: f64,
}
