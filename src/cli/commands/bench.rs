//! `queens bench [N...]`.

use std::time::{Duration, Instant, SystemTime};

use queens::oeis::QUEENS;
use queens::{EngineKind, Isa, Size, available_threads};
use serde::Serialize;
use serde_json::json;

use crate::cli::answer::{Count, Printer};
use crate::cli::args::{Engine, Json, Sizes, engine, integer, named, size};
use crate::cli::check;
use crate::cli::engines::Engines;
use crate::cli::failure::Result;
use crate::cli::machine::processor;
use crate::cli::text::{self, Align};

/// Time the engines on this machine
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Board sizes, or ranges such as 12-16
    #[arg(value_name = "N", default_values = ["12", "14", "16", "18"])]
    sizes: Vec<Sizes>,

    /// Engine to time; auto: every engine, up to the size it counts in seconds
    #[arg(long, default_value = "auto", value_parser = engine())]
    engine: Engine,

    /// Instruction set [default: the best available]
    #[arg(long, value_parser = named(&Isa::ALL))]
    isa: Option<Isa>,

    /// Thread counts, e.g. 1,2,4; 0 means one per core
    #[arg(long, short, value_name = "T", value_delimiter = ',', default_value = "1,0", value_parser = integer::<usize>(0))]
    threads: Vec<usize>,

    /// Runs per row [default: 10, or as many as start within 2 s]
    #[arg(long, value_name = "R", value_parser = integer::<u64>(1))]
    runs: Option<u64>,

    #[command(flatten)]
    json: Json,
}

/// The times of one board with one engine on some threads.
#[derive(Serialize)]
struct Timing {
    n: usize,
    engine: &'static str,
    isa: Isa,
    threads: usize,
    count: Count,
    /// The time of each run, in ascending order.
    seconds: Vec<f64>,
    median: f64,
    /// Speed-up over one thread, if that was timed.
    speed_up: Option<f64>,
    solutions_per_second: f64,
}

pub(crate) fn run(args: &Args) -> Result {
    let last = args.sizes.iter().map(|sizes| sizes.last).max().expect("some are given by default");
    size(last)?;
    let sizes: Vec<usize> = (0..=last).filter(|n| args.sizes.iter().any(|sizes| sizes.all().contains(n))).collect();
    let number = |&threads: &usize| if threads == 0 { available_threads() } else { threads };
    let mut threads: Vec<usize> = args.threads.iter().map(number).collect();
    threads.sort_unstable();
    threads.dedup();
    // The largest board of each takes a second or two.
    let largest = |engine| match engine {
        EngineKind::Naive => 12,
        EngineKind::Backtrack => 16,
        _ => Size::MAX,
    };
    let engines = Engines { only: args.engine, largest };
    let skipped = engines.skipped(&sizes, &[])?;
    let (l, r) = (Align::Left, Align::Right);
    let columns = [(r, 2), (l, 9), (l, 8), (r, 7), (r, 10), (r, 10), (r, 12), (r, 8)];
    Printer::open(&args.json)?.table("bench", columns, |rows| {
        let cpu = processor();
        cpu.iter().try_for_each(|cpu| rows.line(&format!("{}\n", text::printable(cpu))))?;
        rows.row(&["N", "engine", "isa", "threads", "median", "least", "greatest  ", "speed-up"])?;
        let mut results: Vec<Timing> = Vec::new();
        for n in sizes {
            for engine in EngineKind::ALL.into_iter().filter(|&engine| engines.is_chosen(engine, n)) {
                let mut single = None;
                for &threads in &threads {
                    let mut timing = time(args, engine, n, threads)?;
                    single = single.or((timing.threads == 1).then_some(timing.median));
                    timing.speed_up = single.map(|single| single / timing.median);
                    rows.row(&timing.cells())?;
                    results.push(timing);
                }
            }
        }
        if results.iter().any(Timing::is_disturbed) {
            rows.line("* times differ by over 10%; the machine may have been busy\n")?;
        }
        rows.line(&skipped)?;
        Ok(json!({ "cpu": cpu, "date": text::moment(SystemTime::now()), "results": results }))
    })
}

/// Counts a board several times. Each count must be right.
fn time(args: &Args, engine: EngineKind, n: usize, threads: usize) -> Result<Timing> {
    const RUNS: usize = 10;
    const BENCH_TIME: Duration = Duration::from_secs(2);
    let (begun, mut seconds) = (Instant::now(), Vec::new());
    loop {
        let report = Engines::run(engine, n, args.isa, threads)?;
        check::compare(&QUEENS, n, report.count)?;
        seconds.push(report.elapsed.as_secs_f64());
        let is_enough = seconds.len() == RUNS || begun.elapsed() >= BENCH_TIME;
        if !args.runs.map_or(is_enough, |runs| seconds.len() as u64 == runs) {
            continue;
        }
        seconds.sort_by(f64::total_cmp);
        let median = f64::midpoint(seconds[(seconds.len() - 1) / 2], seconds[seconds.len() / 2]);
        return Ok(Timing {
            n,
            engine: report.engine,
            isa: report.isa,
            threads: report.threads,
            count: Count(report.count),
            seconds,
            median,
            speed_up: None,
            solutions_per_second: report.count as f64 / median,
        });
    }
}

impl Timing {
    /// Whether the times are too far apart.
    fn is_disturbed(&self) -> bool {
        self.seconds[self.seconds.len() - 1] > 1.1 * self.seconds[0]
    }

    fn cells(&self) -> [String; 8] {
        let mark = if self.is_disturbed() { '*' } else { ' ' };
        [
            self.n.to_string(),
            self.engine.to_owned(),
            self.isa.to_string(),
            self.threads.to_string(),
            text::seconds(self.median),
            text::seconds(self.seconds[0]),
            format!("{} {mark}", text::seconds(self.seconds[self.seconds.len() - 1])),
            self.speed_up.map_or_else(|| "-".to_owned(), |times| text::to_digits(times, 3)),
        ]
    }
}
