//! `queens estimate N`

use std::io::Write;

use queens::TurnBoard;
use queens::estimate::{self, Estimate, Interval};
use serde::Serialize;

use super::output::{self, Table};
use super::{Failure, args, count, symmetric};

pub(crate) fn run(args: &args::Estimate) -> Result<(), Failure> {
    let Some(n) = args.sizes.one() else { return Err(Failure::usage(&"one N at a time is estimated")) };
    if let Some(symmetry) = args.symmetry {
        return turn(args, symmetric::board(symmetry, n)?);
    }
    let size = count::size(n)?;
    let estimate = Estimate::new(size)
        .engine(args.engine)
        .isa(args.isa)
        .threads(args.threads)
        .samples(args.samples as usize)
        .seed(args.seed)
        .max_time(args.max_time);
    let prediction = estimate.run().map_err(|error| Failure::from(&error))?;
    let memory = peak_memory();
    let mut out = anstream::stdout().lock();
    if args.json {
        let json = Json {
            about: output::About::here(),
            command: "estimate",
            n,
            engine: prediction.method.engine.to_string(),
            isa: prediction.method.isa.to_string(),
            threads: prediction.threads,
            tasks: prediction.tasks,
            count: IntervalJson::from(prediction.count),
            count_samples: prediction.count_samples,
            run_seconds: IntervalJson::from(prediction.seconds),
            time_samples: prediction.time_samples,
            timed_n: prediction.timed.get(),
            memory_bytes: memory,
            seed: args.seed,
            seconds: prediction.spent,
        };
        return Ok(output::json(&mut out, &json)?);
    }
    let mut table = Table::default();
    table.row("N", size);
    table.result("solutions", interval(prediction.count, output::rounded));
    table.result("time", interval(prediction.seconds, output::seconds));
    let extrapolated = prediction.timed != size;
    if extrapolated {
        table.row(
            "",
            format!("extrapolated: its tasks take too long to be timed, those of N = {} do not", prediction.timed),
        );
    }
    table.row("engine", format!("{}, {}", prediction.method.engine, prediction.method.isa));
    table.row("threads", prediction.threads);
    table.row("tasks", output::grouped(prediction.tasks.into()));
    if let Some(bytes) = memory {
        let least = if extrapolated { "more than " } else { "" };
        table.row("memory", format!("{least}{:.0} MB", bytes as f64 / 1e6));
    }
    let samples = [prediction.count_samples, prediction.time_samples].map(|samples| output::grouped(samples as u128));
    let spent = output::seconds(prediction.spent);
    table.row("sampled", format!("{} parts counted and {} tasks timed, in {spent}", samples[0], samples[1]));
    Ok(write!(out, "{table}")?)
}

/// The same for what a turn leaves unchanged.
fn turn(args: &args::Estimate, board: TurnBoard) -> Result<(), Failure> {
    symmetric::available(args.isa)?;
    let samples = args.samples as usize;
    let found = estimate::turn(board, args.isa, args.threads, samples, args.seed, args.max_time)
        .map_err(|error| Failure::from(&error))?;
    let mut out = anstream::stdout().lock();
    if args.json {
        let json = TurnJson {
            about: output::About::here(),
            command: "estimate",
            n: board.n(),
            symmetry: board.turn().name(),
            isa: found.isa.to_string(),
            threads: found.threads,
            tasks: found.tasks,
            count: IntervalJson::from(found.count),
            run_seconds: IntervalJson::from(found.seconds),
            samples: found.samples,
            seed: args.seed,
            seconds: found.spent,
        };
        return Ok(output::json(&mut out, &json)?);
    }
    let mut table = Table::default();
    table.row("N", board.n());
    table.row("unchanged by", format!("a {} turn", board.turn()));
    table.result("solutions", interval(found.count, output::rounded));
    table.result("time", interval(found.seconds, output::seconds));
    table.row("threads", found.threads);
    table.row("tasks", output::grouped(found.tasks.into()));
    let samples = output::grouped(found.samples as u128);
    table.row("sampled", format!("{samples} tasks, in {}", output::seconds(found.spent)));
    Ok(write!(out, "{table}")?)
}

#[derive(Serialize)]
struct TurnJson {
    #[serde(flatten)]
    about: output::About,
    command: &'static str,
    n: usize,
    symmetry: &'static str,
    isa: String,
    threads: usize,
    tasks: u64,
    count: IntervalJson,
    run_seconds: IntervalJson,
    samples: usize,
    seed: u64,
    seconds: f64,
}

/// `665 million ± 1.2 %, 658 million to 673 million`
fn interval(interval: Interval, print: impl Fn(f64) -> String) -> String {
    let Interval { mean, low, high } = interval;
    if high <= mean {
        return print(mean);
    }
    if high.is_infinite() {
        return format!("{}, from a single sample", print(mean));
    }
    let percent = 100.0 * interval.relative();
    let digits = usize::from(percent < 10.0);
    format!("{} ± {percent:.digits$} % ({} to {}, 95 %)", print(mean), print(low), print(high))
}

/// The most memory that this process has used, in bytes: the sampling uses what a run would. Linux alone says.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[derive(Serialize)]
struct Json {
    #[serde(flatten)]
    about: output::About,
    command: &'static str,
    n: usize,
    engine: String,
    isa: String,
    threads: usize,
    tasks: u64,
    count: IntervalJson,
    count_samples: usize,
    run_seconds: IntervalJson,
    time_samples: usize,
    /// The board whose tasks were timed, smaller than N where the time is extrapolated.
    timed_n: usize,
    memory_bytes: Option<u64>,
    seed: u64,
    seconds: f64,
}

/// Numbers here, not strings: they are estimates and fit a double.
#[derive(Serialize)]
struct IntervalJson {
    mean: f64,
    low: f64,
    /// Null where a single sample leaves it open.
    high: Option<f64>,
}

impl From<Interval> for IntervalJson {
    fn from(Interval { mean, low, high }: Interval) -> Self {
        Self { mean, low, high: high.is_finite().then_some(high) }
    }
}
