//! `queens count N`

use std::io::{IsTerminal, Write};

use queens::{Count, CountError, Isa, Placement, Report};
use serde::Serialize;

use super::args;
use super::output::{self, Table};
use super::{Exit, Failure, symmetric};

pub(crate) fn run(args: &args::Count) -> Result<(), Failure> {
    if let Some(symmetry) = args.symmetry {
        return symmetric::unchanged(args, symmetry);
    }
    let prefix = match &args.prefix {
        None => Placement::empty(args.size),
        Some(text) => {
            Placement::parse(text, args.size).map_err(|error| Failure::invalid("--prefix <P>", text, &error))?
        }
    };
    let report = isa(Count::completions(prefix), args.isa)
        .engine(args.engine)
        .threads(args.threads)
        .run()
        .map_err(|error| failure(&error))?;
    if args.unique {
        return symmetric::unique(args, &report);
    }
    let mut out = anstream::stdout().lock();
    if args.json {
        output::json(&mut out, &Json::from(&report))?;
    } else if args.quiet || !std::io::stdout().is_terminal() {
        writeln!(out, "{}", report.count)?;
    } else {
        write!(out, "{}", table(&report))?;
    }
    Ok(())
}

/// The count on the instruction set asked for, if any.
fn isa(count: Count, isa: Option<Isa>) -> Count {
    isa.map_or(count.clone(), |isa| count.isa(isa))
}

pub(super) fn failure(error: &CountError) -> Failure {
    if let CountError::Method(error) = error {
        return Failure::usage(error);
    }
    let exit = if matches!(error, CountError::Gate(_)) { Exit::Difference } else { Exit::Failure };
    Failure::Run(exit, error.to_string())
}

/// The result as a program reads it.
#[derive(Serialize)]
struct Json {
    #[serde(flatten)]
    about: output::About,
    command: &'static str,
    n: usize,
    prefix: Option<String>,
    count: String,
    engine: String,
    isa: String,
    threads: usize,
    seconds: f64,
}

impl From<&Report> for Json {
    fn from(report: &Report) -> Self {
        Self {
            about: output::About::here(),
            command: "count",
            n: report.prefix.size().get(),
            prefix: (!report.prefix.is_empty()).then(|| report.prefix.to_string()),
            count: report.count.to_string(),
            engine: report.method.engine.to_string(),
            isa: report.method.isa.to_string(),
            threads: report.threads,
            seconds: report.seconds,
        }
    }
}

/// The result as a person reads it.
fn table(report: &Report) -> Table {
    let mut table = Table::default();
    table.row("N", report.prefix.size());
    if !report.prefix.is_empty() {
        table.row("prefix", report.prefix);
    }
    table.result("solutions", output::grouped(report.count));
    table.row("engine", format!("{}, {}", report.method.engine, report.method.isa));
    table.row("threads", report.threads);
    table.row("time", output::seconds(report.seconds));
    if report.count > 0 && report.seconds > 0.0 {
        table.row("rate", format!("{} solutions/s", output::rounded(report.count as f64 / report.seconds)));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::{EngineKind, Method, Size};

    #[test]
    fn a_person_reads_aligned_lines() {
        let sixteen = Size::new(16).unwrap();
        let mut report = Report {
            prefix: Placement::empty(sixteen),
            count: 14_772_512,
            method: Method { engine: EngineKind::Backtrack, isa: Isa::Portable },
            threads: 2,
            seconds: 0.5,
        };
        let plain = |report: &Report| anstream::adapter::strip_str(&table(report).to_string()).to_string();
        let expected = "\
N          16
solutions  14,772,512
engine     backtrack, portable
threads    2
time       500 ms
rate       29.5 million solutions/s
";
        assert_eq!(plain(&report), expected);
        report.prefix = Placement::parse("1,3", sixteen).unwrap();
        report.count = 0;
        assert!(plain(&report).contains("prefix     1,3\n"));
        assert!(!plain(&report).contains("rate"));
    }
}
