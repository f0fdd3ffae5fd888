//! `queens verify [N or A-B]`.

use queens::oeis;
use queens::{EngineKind, Report};
use serde::Serialize;
use serde_json::json;

use crate::cli::answer::{Count, Printer};
use crate::cli::args::{Cores, Engine, Json, Sizes, engine, size};
use crate::cli::check::{self, Differences};
use crate::cli::engines::Engines;
use crate::cli::failure::{Failure, worst};
use crate::cli::text::{self, Align};

/// Recompute the terms that OEIS publishes by every engine, and compare
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Columns and rows of the board, or a range
    #[arg(value_name = "N", default_value = "0-14")]
    sizes: Sizes,

    /// Only this engine, be it slow; auto: every engine, up to the size that it counts in seconds
    #[arg(long, default_value = "auto", value_parser = engine())]
    engine: Engine,

    /// Solutions up to rotation and reflection (OEIS A002562)
    #[arg(long)]
    unique: bool,

    #[command(flatten)]
    cores: Cores,

    #[command(flatten)]
    json: Json,
}

/// What an engine found for a board.
#[derive(Serialize)]
struct Outcome {
    /// Its count is that of the sequence.
    #[serde(flatten)]
    report: Report,
    oeis: Count,
    /// Whether it is the published term.
    agrees: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    size(args.sizes.last)?;
    let sequence = if args.unique { &oeis::UNIQUE } else { &oeis::QUEENS };
    let (mut boards, lacking): (Vec<usize>, Vec<usize>) =
        args.sizes.all().partition(|&n| check::published(sequence, n).is_some());
    // The largest board of an engine that is not asked for by its name takes a second or two.
    let engines = Engines { only: args.engine, largest: |engine| engine.quick().max(14) };
    let left_out = engines.left_out(&boards, &lacking)?;
    boards.retain(|&n| EngineKind::ALL.iter().any(|&engine| engines.count(engine, n)));
    let printer = Printer::open(&args.json)?;
    let (mut results, mut differences) = (Vec::new(), Differences::default());
    let widest = boards.iter().filter_map(|&n| check::published(sequence, n)).max().unwrap_or(0);
    let widths = [2, text::grouped(widest).len().max(sequence.id.len()), 13, 13, 13];
    let mut rows = printer.rows(widths.map(|width| (Align::Right, width)))?;
    let [first, second, third] = EngineKind::ALL.map(EngineKind::name);
    rows.row(&["N", sequence.id, first, second, third])?;
    let verified = boards.into_iter().try_for_each(|n| {
        let term = check::published(sequence, n).expect("others are left out");
        let mut cells = [n.to_string(), text::grouped(term), "-".to_owned(), "-".to_owned(), "-".to_owned()];
        let counting = EngineKind::ALL.into_iter().zip(&mut cells[2..]).filter(|&(engine, _)| engines.count(engine, n));
        for (engine, cell) in counting {
            let mut report = Engines::run(engine, n, args.cores.isa, args.cores.threads)?;
            if args.unique {
                report.count = check::unique(size(n)?, report.count, args.cores.threads)?;
            }
            let _ = differences.term(sequence, n, report.count);
            let found = Outcome { oeis: Count(term), agrees: term == report.count, report };
            // `✓     12.3 ms`, or the wrong number.
            *cell = if found.agrees {
                format!("✓ {:>11}", text::seconds(found.report.elapsed.as_secs_f64()))
            } else {
                format!("✗ {:>11}", text::grouped(found.report.count))
            };
            results.push(found);
        }
        rows.row(&cells)
    });
    let told = verified.and_then(|()| {
        let differ = results.iter().filter(|found: &&Outcome| !found.agrees).count();
        let verdict = if differ == 0 { "all agree with".to_owned() } else { format!("{differ} differ from") };
        let found = text::count_of(results.len() as u64, "result");
        rows.line(&format!("{found}: {verdict} OEIS {}\n{left_out}", sequence.id))?;
        printer.object("verify", &json!({ "sequence": sequence.id, "results": results }), Ok(()))
    });
    worst([told, differences.verdict(sequence)])
}
