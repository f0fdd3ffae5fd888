//! `queens estimate N` and `queens estimate A-B`.

use std::time::Duration;

use queens::estimate::{Estimate, Estimator};
use queens::oeis::QUEENS;
use queens::{CountError, EngineKind, Request};
use serde::Serialize;
use serde_json::json;

use crate::cli::answer::{Count, Printer};
use crate::cli::args::{Cores, Json, Sizes, duration, integer, size};
use crate::cli::check::published;
use crate::cli::failure::Result;
use crate::cli::text::{self, Align};
use crate::cli::work::run_watched;

/// Estimate count and time of a run on this machine from random samples
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Board size, or a range such as 16-28
    #[arg(value_name = "N")]
    sizes: Sizes,

    /// Time to spend per board; a board that needs less is counted
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    max_time: Duration,

    /// Repeat the sample of an earlier estimate [default: random]
    #[arg(long, value_name = "SEED", value_parser = integer::<u64>(0))]
    seed: Option<u64>,

    #[command(flatten)]
    cores: Cores,

    #[command(flatten)]
    json: Json,
}

#[derive(Serialize)]
struct Row {
    oeis: Option<Count>,
    counted: Option<Count>,
    #[serde(flatten)]
    estimate: Estimate,
}

pub(crate) fn run(args: &Args) -> Result {
    size(args.sizes.last)?;
    // 32 bits, which people can type and every JSON reader represents exactly.
    let seed = args.seed.unwrap_or_else(|| fastrand::u32(..).into());
    let printer = Printer::open(&args.json)?;
    let mut estimates = Vec::new();
    let widest = args.sizes.all().filter_map(|n| QUEENS.term(n)).max().unwrap_or(0);
    let widths = [2, text::grouped(widest).len().max(12), 13, 14, 11, 7];
    printer.table("estimate", widths.map(|width| (Align::Right, width)), |rows| {
        rows.row(&["N", "OEIS A000170", "estimate", "core time", "time here", "memory"])?;
        for n in args.sizes.all() {
            let estimate = estimate(args, n, seed)?;
            let _ = estimate.counted.map(|counted| rows.compare(&QUEENS, n, counted));
            let [oeis, counted] = [published(&QUEENS, n), estimate.counted].map(|count| count.map(Count));
            let row = Row { oeis, counted, estimate };
            rows.row(&row.cells())?;
            estimates.push(row);
        }
        rows.line(&footnotes(&estimates, seed))?;
        Ok(json!({ "seed": seed, "estimates": estimates }))
    })
}

fn estimate(args: &Args, n: usize, seed: u64) -> Result<Estimate> {
    let request = Request::solutions(size(n)?).isa(args.cores.isa).threads(args.cores.threads);
    let estimator = Estimator::new(request).time(args.max_time).seed(seed);
    run_watched(&format!("estimate of N = {n}"), move |watch| {
        let estimate = estimator.estimate(watch)?;
        // A stopped estimate has fewer samples than its time allows.
        if watch.is_stopped() { Err(CountError::Stopped) } else { Ok(estimate) }
    })
}

/// The lines below the table: how the boards were estimated.
fn footnotes(rows: &[Row], seed: u64) -> String {
    let Estimate { isa, threads, .. } = rows[rows.len() - 1].estimate;
    let all = || rows.iter().map(|row| &row.estimate);
    let smaller = all().filter(|of| of.timed_n != of.n);
    let smaller = smaller.map(|of| format!("time of N = {} extrapolated from N = {}\n", of.n, of.timed_n));
    // The engine of small boards first.
    let engines = EngineKind::ALL.iter().rev().map(EngineKind::to_string);
    let engines = engines.filter(|name| all().any(|of| of.engine == name)).collect::<Vec<_>>().join(" and ");
    let (smaller, on) = (smaller.collect::<String>(), text::count_of(threads as u64, "thread"));
    let by = format!("by {engines}, {isa}, on {on}");
    let is_estimated = all().any(|of| of.counted.is_none());
    if is_estimated { format!("{smaller}95% intervals; {by}; seed {seed}\n") } else { by + "\n" }
}

impl Row {
    fn cells(&self) -> [String; 6] {
        let Estimate { n, count, core_seconds, seconds, memory, counted, .. } = &self.estimate;
        // One unit for both times, so that they can be compared.
        let time = text::time_in(core_seconds.mean.max(seconds.mean));
        let estimate = if counted.is_some() {
            "counted".to_owned()
        } else {
            text::interval(count, |count| if count < 1e6 { text::to_digits(count, 3) } else { format!("{count:.2e}") })
        };
        [
            n.to_string(),
            self.oeis.map_or_else(|| "-".to_owned(), |Count(term)| text::grouped(term)),
            estimate,
            text::interval(core_seconds, &time),
            time(seconds.mean),
            format!("{} MB", memory / 1_000_000),
        ]
    }
}
