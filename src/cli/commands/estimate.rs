//! `queens estimate N`

use std::sync::Arc;
use std::time::Duration;

use clap::Args as ClapArgs;
use queens::estimate::{EstimateProgress, EstimateState, Interval, Prediction, Sampling};
use queens::{Choice, Request, Rotation, oeis};
use serde::Serialize;

use crate::cli::commands::count::request;
use crate::cli::long_run::activity::Activity;
use crate::cli::long_run::options::When;
use crate::cli::long_run::status::Status;
use crate::cli::long_run::supervision::{Event, Work};
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::json::Object;
use crate::cli::terminal::json_output::JsonOutput;
use crate::cli::terminal::signals;
use crate::cli::terminal::summary::Summary;
use crate::cli::terminal::value_parsers::{Cores, Sizes, duration, engine_parser, rotation_parser, whole};
use crate::cli::terminal::{messages, numbers};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board, 0 to 32 (with --symmetry half to 38, quarter to 77)
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) sizes: Sizes,

    /// Estimate only the solutions that a turn leaves unchanged
    #[arg(long, value_name = "TURN", value_parser = rotation_parser(), conflicts_with = "engine")]
    pub(crate) symmetry: Option<Rotation>,

    /// The engine of the run; auto picks the fastest
    #[arg(long, default_value = "auto", value_parser = engine_parser())]
    pub(crate) engine: Choice,

    #[command(flatten)]
    pub(crate) cores: Cores,

    /// Number of random parts to count; a tenth as many tasks are timed
    #[arg(long, value_name = "S", default_value = "10000", value_parser = whole("S", 2..=1_000_000_000), allow_negative_numbers = true)]
    pub(crate) samples: u64,

    /// The same seed draws the same samples, another seed others
    #[arg(long, default_value = "1", value_parser = whole("SEED", 0..=u64::MAX), allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Begin no more samples after this time, for example 90s or 3h; Ctrl-C ends earlier, with what is known by then
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub(crate) max_time: Duration,

    /// When to show progress on stderr; SIGUSR1 shows it at once in any case
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,

    #[command(flatten)]
    pub(crate) json: JsonOutput,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    args.json.check()?;
    let Some(n) = args.sizes.one() else { return Err(Failure::usage(&"estimate needs a single N, not a range")) };
    let request = request(args.symmetry, n, &args.cores)?.engine(args.engine);
    let sampling = Sampling { samples: args.samples as usize, seed: args.seed, max_time: args.max_time };
    let (prediction, signal) = sampled(request, sampling, args.progress)?;
    args.json.deliver(&object(&prediction, args.seed).line(), || messages::deliver(&table(&prediction).to_string()))?;
    signal.map_or(Ok(()), |signal| Err(Failure::Signal(signal)))
}

/// The prediction, and the signal that ended the sampling before its time.
fn sampled(request: Request, sampling: Sampling, progress: When) -> Result<(Prediction, Option<i32>), Failure> {
    let state = Arc::new(EstimateState::default());
    let drawing = Arc::clone(&state);
    let work = Work::start("estimate", move || request.estimate_with(&sampling, &drawing).map(drop))?;
    let activity = Activity::start(progress, "estimate");
    let watched = Arc::clone(&state);
    activity.watch(move || status(request.subject().n(), &watched.progress()));
    let (result, signal) = loop {
        match work.next(None) {
            Some(Event::Ended(result)) => break (Some(result), None),
            Some(Event::Request(signals::Request::End(signal))) => {
                // Samples in hand that take longer than a person waits who pressed ^C are left out.
                state.stop().request();
                break (work.end(), Some(signal));
            }
            Some(Event::Request(signals::Request::Failed(message))) => {
                return Err(Failure::Run(Exit::Failure, message));
            }
            Some(Event::Request(signals::Request::Show)) | None => {}
        }
    };
    result.unwrap_or(Ok(())).map_err(|error| Failure::from(&error))?;
    // Where a signal has come, a program that reads JSON is told that it was stopped.
    if signal.is_none() {
        activity.finish();
    } else {
        drop(activity);
    }
    // A signal may come before there is anything to tell.
    let prediction = state.prediction().ok_or(signal.map_or(Failure::Closed, Failure::Signal))?;
    Ok((prediction, signal))
}

/// How far it is, in words.
fn status(n: usize, progress: &EstimateProgress) -> Status {
    let EstimateProgress { share, count_samples, time_samples, timed_n, .. } = *progress;
    let counted = format!("{} counted", numbers::count_of(count_samples as u64, "part"));
    let timed = format!("{} of N = {timed_n} timed", numbers::count_of(time_samples as u64, "task"));
    let fields = if timed_n == 0 { vec![counted] } else { vec![timed, counted] };
    Status { title: format!("N = {n}"), share: Some(share), fields, ..Status::default() }
}

/// Below this share of a core for each thread, other programs are worth a word.
const BUSY: f64 = 0.9;

/// Above this, a machine that changed its speed is worth a word.
const DRIFTING: f64 = 0.1;

/// Wider than this in either direction, an interval is no news: the samples are too few.
const UNTOLD: f64 = 100.0;

/// Up to this share an interval is `665 million ± 1.2 % (…)`, above it a factor.
const NARROW: f64 = 0.5;

/// The prediction as a program reads it.
fn object(prediction: &Prediction, seed: u64) -> Object {
    let Prediction { subject, engine, isa, threads, tasks, .. } = *prediction;
    let (count, run_seconds) = (IntervalJson::from(prediction.count), IntervalJson::from(prediction.seconds));
    let object = Object::of_board("estimate", subject.n());
    let object = if let Some(rotation) = subject.rotation() {
        object
            .with("symmetry", rotation.name())
            .by(None, isa, threads)
            .with("tasks", tasks)
            .with("count", count)
            .with("run_seconds", run_seconds)
            .with("samples", prediction.count_samples)
    } else {
        object
            .by(Some(engine), isa, threads)
            .with("tasks", tasks)
            .with("count", count)
            .with("count_samples", prediction.count_samples)
            .with("published", oeis::QUEENS.term(subject.n()).map(|term| term.to_string()))
            .with("run_seconds", run_seconds)
            .with("core_seconds", IntervalJson::from(prediction.core_seconds))
            .with("cpu_seconds", prediction.core_seconds.mean)
            .with("time_samples", prediction.time_samples)
            // Less than 1 on a busy machine.
            .with("core_share", prediction.core_share)
            .with("drift", prediction.drift)
            .with("timed_n", prediction.timed_n)
            .with("max_time_needed", prediction.max_time_needed.map(|time| time.as_secs_f64()))
            .with("memory_bytes", peak_memory())
    };
    object.with("seed", seed).with("seconds", prediction.spent.as_secs_f64())
}

/// The prediction as a person reads it.
fn table(prediction: &Prediction) -> Summary {
    let (n, rotation) = (prediction.subject.n(), prediction.subject.rotation());
    let mut table = Summary::default();
    table.row("N", n);
    if let Some(rotation) = rotation {
        table.row("unchanged by", format!("a {rotation} turn"));
    }
    table.result("solutions", interval(prediction.count, numbers::rounded));
    if let Some(term) = oeis::QUEENS.term(n).filter(|_| rotation.is_none()) {
        table.row("published", format!("{} ({})", numbers::grouped(term), oeis::QUEENS.id));
    }
    let (unit, seconds) = core_unit(prediction.core_seconds.mean);
    table.result(unit, interval(prediction.core_seconds, |time| numbers::rate(of_three_digits(time / seconds))));
    table.row("time", interval(prediction.seconds, numbers::seconds));
    let extrapolated = prediction.timed_n != n;
    if extrapolated {
        let timed = prediction.timed_n;
        table.row("", format!("extrapolated from N = {timed}, for too few of its own tasks were timed;"));
        table.row(
            "",
            prediction.max_time_needed.map_or("a longer --max-time tells more".to_owned(), |needed| {
                format!("some would be timed with --max-time {}", enough(needed))
            }),
        );
    }
    if rotation.is_none() {
        table.row("engine", format!("{}, {}", prediction.engine, prediction.isa));
    }
    let cores = numbers::count_of(prediction.cores as u64, "core");
    table.row("threads", format!("{}, on {cores} with nothing else to do", prediction.threads));
    table.row("tasks", numbers::grouped(prediction.tasks.into()));
    let samples = [prediction.count_samples, prediction.time_samples].map(|samples| numbers::grouped(samples as u128));
    let spent = numbers::seconds(prediction.spent.as_secs_f64());
    if rotation.is_some() {
        table.row("sampled", format!("{} tasks, in {spent}", samples[0]));
        return table;
    }
    if let Some(bytes) = peak_memory() {
        let least = if extrapolated { "more than " } else { "" };
        table.row("memory", format!("{least}{:.0} MB", bytes as f64 / 1e6));
    }
    table.row("sampled", format!("{} parts counted and {} tasks timed, in {spent}", samples[0], samples[1]));
    if prediction.core_share < BUSY {
        let share = 100.0 * prediction.core_share;
        table.row("machine", format!("busy: a thread had {share:.0} % of a core"));
    }
    if prediction.drift > DRIFTING {
        let percent = 100.0 * prediction.drift;
        table
            .row("speed", format!("changed by up to {percent:.0} % while tasks were timed, which the interval covers"));
    }
    table
}

/// In what processor time is told, and how many seconds that is.
fn core_unit(seconds: f64) -> (&'static str, f64) {
    if seconds < 3600.0 { ("core seconds", 1.0) } else { ("core hours", 3600.0) }
}

/// Rounded from a thousand on, as `rate` does below.
fn of_three_digits(value: f64) -> f64 {
    let step = last_digit(value, 3);
    if value < 1000.0 { value } else { (value / step).round() * step }
}

/// What the last of so many digits of a number stands for, 1 at least.
fn last_digit(value: f64, digits: i32) -> f64 {
    10f64.powi((value.max(1.0).log10().floor() as i32 + 1 - digits).max(0))
}

/// A time as options take it, rounded up to minutes, hours or days, and these to two digits.
fn enough(time: Duration) -> String {
    let minutes = (time.as_secs_f64() / 60.0).ceil();
    let units = [(1.0, 'm'), (60.0, 'h'), (1440.0, 'd')];
    let (unit, name) = units.into_iter().find(|(unit, _)| minutes < 100.0 * unit).unwrap_or(units[2]);
    let number = (minutes / unit).ceil();
    let step = last_digit(number, 2);
    format!("{}{name}", (number / step).ceil() * step)
}

fn interval(interval: Interval, print: impl Fn(f64) -> String) -> String {
    let Interval { mean, low, high, .. } = interval;
    if high <= mean {
        return print(mean);
    }
    let (relative, factor) = (interval.relative(), interval.factor());
    if !high.is_finite() || high > UNTOLD * mean || (low > 0.0 && factor > UNTOLD) {
        return "too few samples to tell".to_owned();
    }
    if low <= 0.0 {
        return format!("up to {} (95 %), probably {}", print(high), print(mean));
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

/// Numbers here, not strings: they are estimates and fit a double.
#[derive(Serialize)]
struct IntervalJson {
    mean: f64,
    low: f64,
    /// Null where there are too few samples to tell.
    high: Option<f64>,
}

impl From<Interval> for IntervalJson {
    fn from(Interval { mean, low, high, .. }: Interval) -> Self {
        Self { mean, low, high: high.is_finite().then_some(high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_is_enough_is_an_option() {
        let cases = [(1, "1m"), (61, "2m"), (90 * 60, "90m"), (100 * 60, "2h"), (99 * 3600, "99h"), (101 * 3600, "5d")];
        for (seconds, expected) in cases {
            assert_eq!(enough(Duration::from_secs(seconds)), expected);
            assert!(duration(expected).unwrap() >= Duration::from_secs(seconds));
        }
        let rounded = [0.0, 0.8444, 324_220.0, 57_274.0].map(|value| of_three_digits(value).to_string());
        assert_eq!(rounded, ["0", "0.8444", "324000", "57300"]);
        assert_eq!([4321, 12345].map(|days| enough(Duration::from_secs(86_400 * days))), ["4400d", "13000d"]);
    }

    #[test]
    fn an_interval_says_how_much_is_known() {
        let text = |mean, low, high| {
            let mut found = Interval::default();
            (found.mean, found.low, found.high) = (mean, low, high);
            interval(found, numbers::rounded)
        };
        assert_eq!(text(2.0, 2.0, 2.0), "2");
        assert_eq!(text(665e6, 658e6, 672e6), "665 million ± 1.1 % (658 million to 672 million, 95 %)");
        assert_eq!(text(100e6, 50.1e6, 149.9e6), "100 million ± 50 % (50.1 million to 150 million, 95 %)");
        assert_eq!(
            text(100e6, 25e6, 400e6),
            "100 million, give or take a factor of 4.0 (25.0 million to 400 million, 95 %)"
        );
        assert_eq!(text(100e6, 0.0, 260e6), "up to 260 million (95 %), probably 100 million");
        for (mean, low, high) in
            [(3.0, 0.0, f64::INFINITY), (f64::NAN, 0.0, f64::INFINITY), (3.0, 0.01, 400.0), (3.0, 0.0, 1e9)]
        {
            assert_eq!(text(mean, low, high), "too few samples to tell");
        }
    }
}
