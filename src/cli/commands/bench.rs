//! `queens bench [N...]`.

use std::collections::BTreeSet;
use std::time::SystemTime;

use queens::oeis::QUEENS;
use queens::{ENGINES, EngineInfo, EngineKind, Isa, Request, Size, Watch, available_threads};
use serde::Serialize;

use crate::cli::answer::{Answer, Count, tell};
use crate::cli::args::{Json, Sizes, engine, named};
use crate::cli::check;
use crate::cli::failure::Failure;
use crate::cli::run::processor;
use crate::cli::text::{self, Align};
use crate::cli::work::watched;

/// Time the engines on this machine
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Columns and rows of boards, or ranges
    #[arg(value_name = "N", default_values = ["12", "14", "16", "18"])]
    sizes: Vec<Sizes>,

    /// Only this engine, be it slow [default: every engine, up to the size that it counts in seconds]
    #[arg(long, value_parser = engine())]
    engine: Option<EngineKind>,

    /// Instruction set [default: the best that the processor has]
    #[arg(long, value_parser = named(&Isa::ALL, Isa::name))]
    isa: Option<Isa>,

    /// Numbers of threads, as in 1,2,4 [default: 1 and one for every core]
    #[arg(long, short, value_name = "T", value_delimiter = ',')]
    threads: Vec<usize>,

    /// Runs of each [default: 3, and 1 of what takes more than a second]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,

    #[command(flatten)]
    json: Json,
}

/// The times, and the machine that they are of.
#[derive(Serialize)]
struct Times {
    cpu: Option<String>,
    date: String,
    results: Vec<Timing>,
}

/// The times of one board by one engine on so many threads.
#[derive(Serialize)]
struct Timing {
    n: usize,
    engine: &'static str,
    isa: Isa,
    threads: usize,
    count: Count,
    /// Of each run, the quickest first.
    seconds: Vec<f64>,
    median: f64,
    /// Over one thread, if that was timed.
    speed_up: Option<f64>,
    solutions_per_second: f64,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let sizes: BTreeSet<usize> = args.sizes.iter().flat_map(|sizes| sizes.all()).collect();
    sizes
        .last()
        .map_or(Ok(()), |&last| Size::new(last).map(drop).map_err(|error| Failure::value("[N]...", last, error)))?;
    let mut threads: BTreeSet<usize> = args.threads.iter().copied().collect();
    if threads.is_empty() {
        threads.insert(1);
    }
    if args.threads.is_empty() || threads.remove(&0) {
        threads.insert(available_threads());
    }
    let mut results: Vec<Timing> = Vec::new();
    for n in sizes {
        for info in ENGINES.iter().filter(|info| args.has(info, n)) {
            let mut single = None;
            for &threads in &threads {
                let mut timing = time(args, info.kind, n, threads)?;
                single = single.or((timing.threads == 1).then_some(timing.median));
                timing.speed_up = single.map(|single| single / timing.median);
                results.push(timing);
            }
        }
    }
    if results.is_empty() {
        return Err(Failure::Usage("the join engine counts N = 5 to 28".to_owned()));
    }
    let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    tell(&Times { cpu: processor(), date, results }, &args.json)
}

/// Counts a board several times. Each count must be right.
fn time(args: &Args, engine: EngineKind, n: usize, threads: usize) -> Result<Timing, Failure> {
    /// Three runs of what takes no longer.
    const LONG: f64 = 1.0;
    let isa = args.isa.filter(|_| engine != EngineKind::Naive);
    let request = Request::solutions(Size::new(n)?).engine(engine).isa(isa).threads(threads);
    let title = format!("N = {n}, {engine}, {}", text::count_of(threads as u64, "thread"));
    let mut seconds = Vec::new();
    loop {
        let run = request.run()?;
        let report = watched(&title, &Watch::default(), move |watch| run.count(watch))?.whole()?;
        check::term(&QUEENS, n, report.count)?;
        seconds.push(report.elapsed.as_secs_f64());
        let runs = args.runs.unwrap_or(if seconds[0] > LONG { 1 } else { 3 });
        if seconds.len() < runs as usize {
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

impl Args {
    /// Whether an engine is timed on boards of this size.
    fn has(&self, info: &EngineInfo, n: usize) -> bool {
        let most = match info.kind {
            EngineKind::Naive => 12,
            EngineKind::Backtrack => 16,
            _ => Size::MAX,
        };
        info.sizes.contains(&n) && self.engine.map_or(n <= most, |engine| info.kind == engine)
    }
}

impl Answer for Times {
    const COMMAND: &'static str = "bench";

    fn text(&self) -> String {
        let head = ["N", "engine", "isa", "threads", "runs", "median", "speed-up", "solutions/s"].map(str::to_owned);
        let rows = self.results.iter().map(|timing| {
            [
                timing.n.to_string(),
                timing.engine.to_owned(),
                timing.isa.to_string(),
                timing.threads.to_string(),
                timing.seconds.len().to_string(),
                text::seconds(timing.median),
                timing.speed_up.map_or_else(|| "-".to_owned(), |times| text::to_digits(times, 3)),
                text::to_digits(timing.solutions_per_second, 3),
            ]
        });
        let (l, r) = (Align::Left, Align::Right);
        let table = text::table([r, l, l, r, r, r, r, r], &[head].into_iter().chain(rows).collect::<Vec<_>>());
        self.cpu.as_ref().map_or_else(String::new, |cpu| format!("{cpu}\n")) + &table
    }
}
