//! `queens verify [N or A-B]`.

use queens::oeis;
use queens::{ENGINES, EngineKind, Report, Request};
use serde::Serialize;

use crate::cli::answer::{Count, Printer};
use crate::cli::args::{Cores, Engine, Json, Sizes, engine, size};
use crate::cli::check::{self, Differences};
use crate::cli::engines::Engines;
use crate::cli::failure::{Failure, worst};
use crate::cli::text::{self, Align};
use crate::cli::work::watched;

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

/// The terms, by size and engine.
#[derive(Serialize)]
struct Verified {
    sequence: &'static str,
    results: Vec<Outcome>,
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
    let engines = Engines { only: args.engine, largest: |info| info.quick.max(14) };
    let left_out = engines.left_out(&boards, &lacking)?;
    boards.retain(|&n| ENGINES.iter().any(|info| engines.count(info, n)));
    let printer = Printer::open(&args.json)?;
    let (mut results, mut differences) = (Vec::new(), Differences::default());
    let widest = boards.iter().filter_map(|&n| check::published(sequence, n)).max().unwrap_or(0);
    let widths = [2, text::grouped(widest).len().max(sequence.id.len()), 13, 13, 13];
    let mut rows = printer.rows(widths.map(|width| (Align::Right, width)))?;
    let [first, second, third] = [0, 1, 2].map(|at| ENGINES[at].name);
    rows.row(&["N", sequence.id, first, second, third].map(str::to_owned))?;
    let verified = boards.into_iter().try_for_each(|n| {
        let term = check::published(sequence, n).expect("others are left out");
        let mut cells = [n.to_string(), text::grouped(term), "-".to_owned(), "-".to_owned(), "-".to_owned()];
        for (info, cell) in ENGINES.iter().zip(&mut cells[2..]).filter(|(info, _)| engines.count(info, n)) {
            let found = count(args, info.kind, n, term)?;
            let _ = differences.term(sequence, n, found.report.count);
            *cell = found.cell();
            results.push(found);
        }
        rows.row(&cells)
    });
    let told = verified.and_then(|()| {
        let differ = results.iter().filter(|found: &&Outcome| !found.agrees).count();
        let verdict = if differ == 0 { "all agree with".to_owned() } else { format!("{differ} differ from") };
        let found = text::count_of(results.len() as u64, "result");
        rows.line(&format!("{found}: {verdict} OEIS {}\n{left_out}", sequence.id))?;
        printer.object("verify", &Verified { sequence: sequence.id, results }, Ok(()))
    });
    worst([told, differences.verdict(sequence)])
}

/// Counts a board by one engine, on the instruction set that was asked for if it has such a version.
fn count(args: &Args, engine: EngineKind, n: usize, term: u128) -> Result<Outcome, Failure> {
    let (size, threads) = (size(n)?, args.cores.threads);
    let isa = args.cores.isa.filter(|_| engine != EngineKind::Naive);
    let run = Request::solutions(size).engine(engine).isa(isa).threads(threads).run()?;
    let title = format!("N = {n}, {engine}");
    let mut report = watched(&title, move |watch| run.count(watch))?.report;
    if args.unique {
        report.count = check::unique(size, report.count, threads)?;
    }
    Ok(Outcome { oeis: Count(term), agrees: term == report.count, report })
}

impl Outcome {
    /// `✓     12.3 ms`, or the wrong number.
    fn cell(&self) -> String {
        let (mark, value) = if self.agrees {
            ('✓', text::seconds(self.report.elapsed.as_secs_f64()))
        } else {
            ('✗', text::grouped(self.report.count))
        };
        format!("{mark} {value:>11}")
    }
}
