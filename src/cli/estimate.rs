//! `queens estimate N`

use std::io::Write;

use queens::estimate::{Estimate, Interval};
use serde::Serialize;

use super::Failure;
use super::args;
use super::output::{self, Table};

pub(crate) fn run(args: &args::Estimate) -> Result<(), Failure> {
    let estimate = Estimate::new(args.size)
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
            n: args.size.get(),
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
    table.row("N", args.size);
    table.result("solutions", interval(prediction.count, output::rounded));
    table.result("time", interval(prediction.seconds, output::seconds));
    let extrapolated = prediction.timed != args.size;
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
