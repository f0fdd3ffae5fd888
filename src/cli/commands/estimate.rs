//! `queens estimate N`

use std::time::Duration;

use clap::Args as ClapArgs;
use queens::estimate::{self, Estimate, Interval, Sampling};
use queens::{Choice, Rotation, RotationalBoard, RotationalCount, oeis};
use serde::Serialize;

use crate::cli::commands::count::rotational;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::summary::Summary;
use crate::cli::terminal::value_parsers::{Cores, Sizes, duration, engine_parser, rotation_parser, size, whole};
use crate::cli::terminal::{json, messages, numbers};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32 (half turns to 38, quarter turns to 77)
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) sizes: Sizes,

    /// The solutions that a turn leaves unchanged instead of all
    #[arg(long, value_name = "TURN", value_parser = rotation_parser(), conflicts_with = "engine")]
    pub(crate) symmetry: Option<Rotation>,

    /// The engine of the run; auto picks the fastest
    #[arg(long, default_value = "auto", value_parser = engine_parser())]
    pub(crate) engine: Choice,

    #[command(flatten)]
    pub(crate) cores: Cores,

    /// Random parts to count; a tenth as many tasks are timed
    #[arg(long, value_name = "S", default_value = "10000", value_parser = whole("S", 2..=1_000_000_000), allow_negative_numbers = true)]
    pub(crate) samples: u64,

    /// Other samples for another seed, the same for the same
    #[arg(long, default_value = "1", value_parser = whole("SEED", 0..=u64::MAX), allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Begin no more samples after this time, as in 90s or 5m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub(crate) max_time: Duration,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let Some(n) = args.sizes.one() else { return Err(Failure::usage(&"one N at a time is estimated")) };
    if let Some(symmetry) = args.symmetry {
        return rotation(args, rotational::board(symmetry, n)?);
    }
    let size = size(n)?;
    let estimate = Estimate::new(size)
        .engine(args.engine)
        .isa(args.cores.isa)
        .threads(args.cores.threads)
        .samples(args.samples as usize)
        .seed(args.seed)
        .max_time(args.max_time);
    let prediction = estimate.run().map_err(|error| Failure::from(&error))?;
    let memory = peak_memory();
    let published = oeis::QUEENS.term(n);
    let work = prediction.seconds.mean * prediction.cores as f64;
    if args.json {
        let json = Json {
            about: json::About::here(),
            command: "estimate",
            n,
            engine: prediction.method.engine.to_string(),
            isa: prediction.method.isa.to_string(),
            threads: prediction.threads,
            tasks: prediction.tasks,
            count: IntervalJson::from(prediction.count),
            count_samples: prediction.count_samples,
            published: published.map(|term| term.to_string()),
            run_seconds: IntervalJson::from(prediction.seconds),
            cpu_seconds: work,
            time_samples: prediction.time_samples,
            core_share: prediction.share,
            timed_n: prediction.timed.get(),
            memory_bytes: memory,
            seed: args.seed,
            seconds: prediction.spent,
        };
        return messages::deliver(&json::object(&json)?);
    }
    let mut table = Summary::default();
    table.row("N", size);
    table.result("solutions", interval(prediction.count, numbers::rounded));
    if let Some(term) = published {
        table.row("published", format!("{} ({})", numbers::grouped(term), oeis::QUEENS.id));
    }
    table.result("time", interval(prediction.seconds, numbers::seconds));
    let extrapolated = prediction.timed != size;
    if extrapolated {
        table.row(
            "",
            format!("extrapolated: its tasks take too long to be timed, those of N = {} do not", prediction.timed),
        );
    }
    if prediction.seconds.high.is_finite() {
        table.row("work", numbers::core_time(work));
    }
    table.row("engine", format!("{}, {}", prediction.method.engine, prediction.method.isa));
    table.row("threads", prediction.threads);
    table.row("tasks", numbers::grouped(prediction.tasks.into()));
    if let Some(bytes) = memory {
        let least = if extrapolated { "more than " } else { "" };
        table.row("memory", format!("{least}{:.0} MB", bytes as f64 / 1e6));
    }
    let samples = [prediction.count_samples, prediction.time_samples].map(|samples| numbers::grouped(samples as u128));
    let spent = numbers::seconds(prediction.spent);
    table.row("sampled", format!("{} parts counted and {} tasks timed, in {spent}", samples[0], samples[1]));
    if prediction.share < BUSY {
        let share = 100.0 * prediction.share;
        table.row("machine", format!("busy: a thread had {share:.0} % of a core; the time is that of an idle machine"));
    }
    messages::deliver(&table.to_string())
}

/// Below this share of a core for each thread, other programs are worth a word.
const BUSY: f64 = 0.9;

/// Wider than this in either direction, an interval is no news: the samples are too few.
const UNTOLD: f64 = 100.0;

/// Up to this share an interval is `665 million ± 1.2 % (…)`, above it a factor.
const NARROW: f64 = 0.5;

/// The same for what a turn leaves unchanged.
fn rotation(args: &Args, board: RotationalBoard) -> Result<(), Failure> {
    rotational::available(args.cores.isa)?;
    let sampling = Sampling { samples: args.samples as usize, seed: args.seed, max_time: args.max_time };
    let count = RotationalCount::new(board).isa(args.cores.isa).threads(args.cores.threads);
    let found = estimate::rotation(&count, sampling).map_err(|error| Failure::from(&error))?;
    if args.json {
        let json = TurnJson {
            about: json::About::here(),
            command: "estimate",
            n: board.n(),
            symmetry: board.rotation().name(),
            isa: found.isa.to_string(),
            threads: found.threads,
            tasks: found.tasks,
            count: IntervalJson::from(found.count),
            run_seconds: IntervalJson::from(found.seconds),
            samples: found.samples,
            seed: args.seed,
            seconds: found.spent,
        };
        return messages::deliver(&json::object(&json)?);
    }
    let mut table = Summary::default();
    table.row("N", board.n());
    table.row("unchanged by", format!("a {} turn", board.rotation()));
    table.result("solutions", interval(found.count, numbers::rounded));
    table.result("time", interval(found.seconds, numbers::seconds));
    table.row("threads", found.threads);
    table.row("tasks", numbers::grouped(found.tasks.into()));
    let samples = numbers::grouped(found.samples as u128);
    table.row("sampled", format!("{samples} tasks, in {}", numbers::seconds(found.spent)));
    messages::deliver(&table.to_string())
}

#[derive(Serialize)]
struct TurnJson {
    #[serde(flatten)]
    about: json::About,
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

fn interval(interval: Interval, print: impl Fn(f64) -> String) -> String {
    let Interval { mean, low, high } = interval;
    if high <= mean {
        return print(mean);
    }
    let (relative, factor) = (interval.relative(), interval.factor());
    if !high.is_finite() || high > UNTOLD * mean || (low > 0.0 && factor > UNTOLD) {
        return "too few samples to tell".to_owned();
    }
    if low <= 0.0 {
        return format!("up to {} (95 %), rather {}", print(high), print(mean));
    }
    let range = format!("{} to {}, 95 %", print(low), print(high));
    if relative > NARROW || factor > 1.0 / (1.0 - NARROW) {
        return format!("{}, give or take a factor of {factor:.1} ({range})", print(mean));
    }
    let percent = 100.0 * relative;
    let digits = usize::from(percent < 10.0);
    format!("{} ± {percent:.digits$} % ({range})", print(mean))
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
    about: json::About,
    command: &'static str,
    n: usize,
    engine: String,
    isa: String,
    threads: usize,
    tasks: u64,
    count: IntervalJson,
    count_samples: usize,
    /// The term of A000170, where there is one.
    published: Option<String>,
    run_seconds: IntervalJson,
    /// Processor time of the run, of all threads together.
    cpu_seconds: f64,
    time_samples: usize,
    /// The share of a core that a thread had while tasks were timed, less than 1 on a busy machine.
    core_share: f64,
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
    /// Null where there are too few samples to tell.
    high: Option<f64>,
}

impl From<Interval> for IntervalJson {
    fn from(Interval { mean, low, high }: Interval) -> Self {
        Self { mean, low, high: high.is_finite().then_some(high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_says_how_much_is_known() {
        let text = |mean, low, high| interval(Interval { mean, low, high }, numbers::rounded);
        assert_eq!(text(2.0, 2.0, 2.0), "2");
        assert_eq!(text(665e6, 658e6, 672e6), "665 million ± 1.1 % (658 million to 672 million, 95 %)");
        assert_eq!(text(100e6, 50.1e6, 149.9e6), "100 million ± 50 % (50.1 million to 150 million, 95 %)");
        assert_eq!(
            text(100e6, 25e6, 400e6),
            "100 million, give or take a factor of 4.0 (25.0 million to 400 million, 95 %)"
        );
        assert_eq!(text(100e6, 0.0, 260e6), "up to 260 million (95 %), rather 100 million");
        for (mean, low, high) in
            [(3.0, 0.0, f64::INFINITY), (f64::NAN, 0.0, f64::INFINITY), (3.0, 0.01, 400.0), (3.0, 0.0, 1e9)]
        {
            assert_eq!(text(mean, low, high), "too few samples to tell");
        }
    }
}
