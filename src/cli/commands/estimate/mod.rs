//! `queens estimate N`; in `range.rs`, `queens estimate A-B`.

mod range;

use std::time::Duration;

use clap::Args as ClapArgs;
use queens::estimate::{Prediction, Sampling};
use queens::{EngineKind, Interval, Progress, Rotation, Watch, oeis, thread_count};
use serde::Serialize;

use crate::cli::commands::count::request;
use crate::cli::long_run::{Activity, Status, When, forecast, huge_pages_for};
use crate::cli::terminal::{
    Answer, Cores, Failure, JsonOutput, Rows, Sizes, Tell, numbers,
    value_parsers::{EngineChoice, duration, engine_parser, rotation_parser, whole},
};

#[derive(ClapArgs, Debug)]
pub(crate) struct Args {
    /// Columns and rows of the board: 0 to 32 (with --symmetry half to 38, quarter to 77), or a range such as 16-28
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) sizes: Sizes,

    /// Estimate only the solutions that a turn leaves unchanged
    #[arg(long, value_name = "TURN", value_parser = rotation_parser(), conflicts_with = "engine")]
    pub(crate) symmetry: Option<Rotation>,

    /// The engine of the run; auto picks the fastest
    #[arg(long, default_value = "auto", value_parser = engine_parser())]
    pub(crate) engine: EngineChoice,

    #[command(flatten)]
    pub(crate) cores: Cores,

    /// Number of random parts to count; a tenth as many tasks are timed, if those are not the same
    #[arg(long, value_name = "S", default_value = "10000", value_parser = whole("S", 2..=1_000_000_000), allow_negative_numbers = true)]
    pub(crate) samples: u64,

    /// The same seed draws the same samples, another seed others
    #[arg(long, default_value = "1", value_parser = whole("SEED", 0..=u64::MAX), allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Begin no more samples of a board after this time, for example 90s or 3h; Ctrl-C ends earlier, with what is known by then
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration, allow_hyphen_values = true)]
    pub(crate) max_time: Duration,

    /// When to show progress on stderr; SIGUSR1 shows it at once in any case
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,

    #[command(flatten)]
    pub(crate) json: JsonOutput,
}

pub(crate) fn run(args: &Args) -> Result<Box<dyn Tell>, Failure> {
    // A board at the end that cannot be counted should not show after minutes.
    request(args.symmetry, args.sizes.last, &args.cores)?
        .engine(args.engine)
        .method()
        .map_err(|error| Failure::usage(&error))?;
    let activity = Activity::start(args.progress, "estimate");
    let Some(n) = args.sizes.one() else { return Ok(Box::new(range::estimates(args, &activity)?)) };
    let estimate = estimated(args, n, &activity)?;
    activity.finish_unless(estimate.signal);
    Ok(Box::new(estimate))
}

/// Estimates a board, as far as it comes before a signal.
fn estimated(args: &Args, n: usize, activity: &Activity) -> Result<Estimate, Failure> {
    let request = request(args.symmetry, n, &args.cores)?.engine(args.engine);
    huge_pages_for(Some(&request));
    let memory_bytes = forecast::memory(&request, thread_count(args.cores.threads));
    let mut sampling = Sampling::default().within(args.max_time);
    (sampling.samples, sampling.seed) = (args.samples as usize, args.seed);
    let draw = move |watch: &Watch<Prediction>| request.estimate(&sampling, watch);
    let (prediction, signal) = activity.until_signal(move |progress| status(n, &progress), draw)?;
    let published = args.symmetry.map_or(oeis::QUEENS.term(n), |_| None);
    Ok(Estimate { prediction: prediction?, published, memory_bytes, seed: args.seed.to_string(), signal })
}

/// How far it is, in words.
fn status(n: usize, progress: &Progress) -> Status {
    let Progress { doing, done, total, share, .. } = progress;
    let fields = if *total > 0 { vec![format!("{doing}: {}", numbers::count_of(*done, "sample"))] } else { Vec::new() };
    Status { title: format!("N = {n}"), share: Some(*share), fields, ..Status::default() }
}

/// A prediction. Times are in seconds.
#[derive(Serialize)]
pub(crate) struct Estimate {
    #[serde(flatten)]
    prediction: Prediction,
    /// The term of A000170.
    published: Option<u128>,
    memory_bytes: Option<u64>,
    seed: String,
    /// The signal that ended it early.
    #[serde(skip)]
    signal: Option<i32>,
}

impl Answer for Estimate {
    fn command(&self) -> &'static str {
        "estimate"
    }

    fn text(&self, width: usize) -> String {
        /// Below this share of a core for each thread, other programs are worth a word.
        const BUSY: f64 = 0.9;
        /// Above this, a machine that changed its speed is worth a word.
        const DRIFTING: f64 = 0.1;
        let Prediction { subject, core_seconds, timed_n, core_share, drift, count_samples, time_samples, .. } =
            self.prediction;
        let Prediction { engine, isa, threads, tasks, spent, max_time_needed, sample_seconds, .. } = self.prediction;
        let is_whole = subject.rotation().is_none();
        let (unit, unit_seconds) = core_unit(core_seconds.mean);
        let unit = if is_told(&core_seconds) { unit } else { "core time" };
        let core_time = |time: f64, digits| numbers::to_digits(time / unit_seconds, digits);
        let is_extrapolated = timed_n != subject.n();
        let more = sample_seconds.zip(max_time_needed).map(|(sample, needed)| {
            format!("give --max-time {} (one takes about {})", enough(needed), numbers::time(sample, 1))
        });
        let basis = if is_extrapolated {
            let advice = more.map_or_else(String::new, |more| format!("; to time its own, {more}"));
            Some(format!("extrapolated from tasks of N = {timed_n}{advice}"))
        } else {
            more.filter(|_| !is_told(&core_seconds)).map(|more| format!("for more of them, {more}"))
        };
        let counted = numbers::count_of(count_samples as u64, "part");
        let timed = numbers::count_of(time_samples as u64, "task");
        let time_spent = numbers::seconds(spent.as_secs_f64());
        let sampled = match engine {
            _ if !is_whole => format!("{timed}, in {time_spent}"),
            // One sample serves both, unless whole runs were made.
            engine if engine == EngineKind::Backtrack.info().name && count_samples == time_samples => {
                format!("{counted} counted and timed, in {time_spent}")
            }
            _ => format!("{counted} counted and {timed} timed, in {time_spent}"),
        };
        let busy = format!("busy: a thread had {:.0} % of a core", 100.0 * core_share);
        let changed =
            format!("changed by up to {:.0} % while tasks were timed, which the interval covers", 100.0 * drift);
        let cores = numbers::count_of(self.prediction.cores as u64, "core");
        let told = |told: Option<String>| told.unwrap_or_else(|| "too few samples to tell".to_owned());
        let solutions = is_whole.then(|| told(interval(self.prediction.count, count)));
        let rows = Rows::of(&subject).result_some("solutions", solutions);
        let published = self.published.map(|term| format!("{} ({})", numbers::grouped(term), oeis::QUEENS.id));
        rows.row_some("published", published)
            .result(unit, told(interval(core_seconds, core_time)))
            .row("time", told(interval(self.prediction.seconds, numbers::time)))
            .row_some("", basis)
            .row("engine", format!("{engine}, {isa}"))
            .row("threads", format!("{threads}, on {cores} with nothing else to do"))
            .row("tasks", numbers::grouped(tasks.into()))
            .row_some("memory", self.memory_bytes.map(|bytes| format!("about {} MB", bytes / 1_000_000)))
            .row("sampled", sampled)
            .row_some("machine", (is_whole && core_share < BUSY).then_some(busy))
            .row_some("speed", (is_whole && drift > DRIFTING).then_some(changed))
            .text(width)
    }

    fn verdict(&self) -> Result<(), Failure> {
        self.signal.map_or(Ok(()), |signal| Err(Failure::Signal(signal)))
    }
}

/// The unit in which processor time is told, and its seconds.
fn core_unit(seconds: f64) -> (&'static str, f64) {
    match seconds {
        s if s < 1.0 => ("core ms", 1e-3),
        s if s < 3600.0 => ("core seconds", 1.0),
        _ => ("core hours", 3600.0),
    }
}

/// A time as options take it, rounded up to seconds, minutes, hours or days, and these to two digits.
fn enough(time: Duration) -> String {
    let units = [(1.0, 's'), (60.0, 'm'), (3600.0, 'h'), (86_400.0, 'd')];
    let seconds = time.as_secs_f64().ceil();
    let (unit, name) = units.into_iter().find(|(unit, _)| seconds < 100.0 * unit).unwrap_or(units[3]);
    let number = (seconds / unit).ceil();
    let step = 10f64.powi(number.max(1.0).log10() as i32 - 1).max(1.0);
    format!("{}{name}", (number / step).ceil() * step)
}

/// Whether an interval says anything: wider than this in either direction, it is no news.
fn is_told(interval: &Interval) -> bool {
    const UNTOLD: f64 = 100.0;
    let Interval { mean, low, high, .. } = *interval;
    high.is_finite() && high <= UNTOLD * mean.max(0.0) && !(low > 0.0 && interval.factor() > UNTOLD) || high <= mean
}

/// An interval, with no more digits than it bears; `None` where the samples are too few to tell.
fn interval(interval: Interval, print: impl Fn(f64, usize) -> String) -> Option<String> {
    /// Up to this share it is `665 million ± 1.2 % (…)`, above it a factor.
    const NARROW: f64 = 0.5;
    /// Below this share of the mean, it bears three digits, above it two.
    const EXACT: f64 = 0.1;
    let Interval { mean, low, high, .. } = interval;
    let (relative, factor) = (interval.relative(), interval.factor());
    let digits = if relative < EXACT { 3 } else { 2 };
    let [mean_text, low_text, high_text] = [mean, low, high].map(|value| print(value, digits));
    if !is_told(&interval) {
        return None;
    }
    let range = format!("{low_text} to {high_text}, 95 %");
    let decimals = usize::from(relative < EXACT);
    Some(match () {
        () if high <= mean => mean_text,
        () if low <= 0.0 => format!("up to {high_text} (95 %), probably {mean_text}"),
        () if relative > NARROW || factor > 1.0 / (1.0 - NARROW) => {
            format!("{mean_text}, give or take a factor of {} ({range})", numbers::to_digits(factor, 2))
        }
        () => format!("{mean_text} ± {:.decimals$} % ({range})", 100.0 * relative),
    })
}

/// A number of solutions, which has no fraction.
fn count(value: f64, digits: usize) -> String {
    if value < 10f64.powi(digits as i32) { format!("{value:.0}") } else { numbers::to_digits(value, digits) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queens::{Request, Size};

    #[test]
    fn a_time_that_is_enough_is_an_option() {
        let cases = [
            (1, "1s"),
            (99, "99s"),
            (101, "2m"),
            (90 * 60, "90m"),
            (100 * 60, "2h"),
            (99 * 3600, "99h"),
            (101 * 3600, "5d"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(enough(Duration::from_secs(seconds)), expected);
            assert!(duration(expected).unwrap() >= Duration::from_secs(seconds));
        }
        assert_eq!([4321, 12345].map(|days| enough(Duration::from_secs(86_400 * days))), ["4400d", "13000d"]);
    }

    #[test]
    fn a_machine_that_is_busy_or_changes_its_speed_is_told() {
        let (request, sampling) = (Request::solutions(Size::new(8).unwrap()), Sampling::default());
        let mut prediction = request.estimate(&sampling, &Watch::default()).unwrap();
        let mut told = |core_share, drift| {
            (prediction.core_share, prediction.drift) = (core_share, drift);
            let (prediction, seed) = (prediction.clone(), String::new());
            let text = Estimate { prediction, published: None, memory_bytes: None, seed, signal: None }.text(80);
            ["busy: a thread had 89 % of a core", "changed by up to 11 % while"].map(|line| text.contains(line))
        };
        assert_eq!([told(0.9, 0.1), told(0.89, 0.1), told(0.9, 0.11)], [[false, false], [true, false], [false, true]]);
    }

    #[test]
    fn an_interval_says_how_much_is_known() {
        let text = |mean, low, high| {
            let mut found = Interval::default();
            (found.mean, found.low, found.high) = (mean, low, high);
            interval(found, count).unwrap_or_default()
        };
        assert_eq!(text(2.0, 2.0, 2.0), "2");
        assert_eq!(text(1610.0, 1260.0, 1960.0), "1,600 ± 22 % (1,300 to 2,000, 95 %)");
        assert_eq!(text(665e6, 658e6, 672e6), "665 million ± 1.1 % (658 million to 672 million, 95 %)");
        assert_eq!(text(100e6, 50.1e6, 149.9e6), "100 million ± 50 % (50 million to 150 million, 95 %)");
        assert_eq!(
            text(100e6, 25e6, 400e6),
            "100 million, give or take a factor of 4.0 (25 million to 400 million, 95 %)"
        );
        assert_eq!(text(100e6, 0.0, 260e6), "up to 260 million (95 %), probably 100 million");
        for (mean, low, high) in
            [(3.0, 0.0, f64::INFINITY), (f64::NAN, 0.0, f64::INFINITY), (3.0, 0.01, 400.0), (3.0, 0.0, 1e9)]
        {
            assert_eq!(text(mean, low, high), "");
        }
    }
}
