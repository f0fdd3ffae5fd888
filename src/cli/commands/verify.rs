//! `queens verify [N or A-B]`.

use queens::oeis;
use queens::{EngineKind, Report};
use serde::Serialize;
use serde_json::json;

use crate::cli::answer::{Count, Printer};
use crate::cli::args::{Cores, Engine, Json, Sizes, engine, size};
use crate::cli::check;
use crate::cli::engines::Engines;
use crate::cli::failure::Result;
use crate::cli::text::{self, Align};

/// Recount published boards with every engine and compare with OEIS
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Board size, or a range such as 0-14
    #[arg(value_name = "N", default_value = "0-14")]
    sizes: Sizes,

    /// Engine to check; auto: every engine, up to the size it counts in seconds
    #[arg(long, default_value = "auto", value_parser = engine())]
    engine: Engine,

    /// Count solutions up to rotation and reflection (A002562)
    #[arg(long)]
    unique: bool,

    #[command(flatten)]
    cores: Cores,

    #[command(flatten)]
    json: Json,
}

#[derive(Serialize)]
struct Outcome {
    /// With `--unique`, its count is the number of solutions up to symmetry.
    #[serde(flatten)]
    report: Report,
    oeis: Count,
    agrees: bool,
}

pub(crate) fn run(args: &Args) -> Result {
    size(args.sizes.last)?;
    let sequence = if args.unique { &oeis::UNIQUE } else { &oeis::QUEENS };
    let (mut boards, lacking): (Vec<usize>, Vec<usize>) =
        args.sizes.all().partition(|&n| check::published(sequence, n).is_some());
    // The largest board of each takes a second or two.
    let engines = Engines { only: args.engine, largest: |engine| engine.quick().max(14) };
    let skipped = engines.skipped(&boards, &lacking)?;
    boards.retain(|&n| EngineKind::ALL.iter().any(|&engine| engines.is_chosen(engine, n)));
    let printer = Printer::open(&args.json)?;
    let mut results = Vec::new();
    let widest = boards.iter().filter_map(|&n| check::published(sequence, n)).max().unwrap_or(0);
    let widths = [2, text::grouped(widest).len().max(sequence.id.len()), 13, 13, 13];
    printer.table("verify", widths.map(|width| (Align::Right, width)), |rows| {
        let [first, second, third] = EngineKind::ALL.map(EngineKind::name);
        rows.row(&["N", sequence.id, first, second, third])?;
        for n in boards {
            let term = check::published(sequence, n).expect("others are left out");
            let turns = args.unique.then(|| check::turn_counts(size(n)?, args.cores.threads)).transpose()?;
            let mut cells = [n.to_string(), text::grouped(term), "-".to_owned(), "-".to_owned(), "-".to_owned()];
            for (engine, cell) in EngineKind::ALL.into_iter().zip(&mut cells[2..]) {
                if !engines.is_chosen(engine, n) {
                    continue;
                }
                let mut report = Engines::run(engine, n, args.cores.isa, args.cores.threads)?;
                if let Some(turns) = turns {
                    report.count = check::unique_count(size(n)?, report.count, turns)?;
                }
                // `✓     12.3 ms`, or the wrong number.
                let agrees = rows.compare(sequence, n, report.count).is_ok();
                let time = text::seconds(report.elapsed.as_secs_f64());
                *cell =
                    if agrees { format!("✓ {time:>11}") } else { format!("✗ {:>11}", text::grouped(report.count)) };
                results.push(Outcome { oeis: Count(term), agrees, report });
            }
            rows.row(&cells)?;
        }
        let (all, agreeing) = (results.len(), results.len() - rows.differing.len());
        rows.line(&format!("in agreement with OEIS {}: {agreeing} of {all}\n{skipped}", sequence.id))?;
        Ok(json!({ "sequence": sequence.id, "results": results }))
    })
}
