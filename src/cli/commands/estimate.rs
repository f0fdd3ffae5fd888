//! `queens estimate N` and `queens estimate A-B`.

use std::time::Duration;

use queens::estimate::Estimate;
use queens::oeis::QUEENS;
use queens::{Interval, Request, Size, Watch};
use serde::Serialize;

use crate::cli::answer::{Answer, Count, tell};
use crate::cli::args::{Cores, Json, Sizes, duration};
use crate::cli::check;
use crate::cli::failure::Failure;
use crate::cli::text::{self, Align};
use crate::cli::work::watched;

/// Estimate the count and the time of long runs on this machine, from random parts of them
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Columns and rows of the board, or a range such as 16-28
    #[arg(value_name = "N")]
    sizes: Sizes,

    /// The time to take for each board; a board that takes less is counted
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    max_time: Duration,

    /// Draw the parts that an earlier estimate drew [default: random]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    #[command(flatten)]
    cores: Cores,

    #[command(flatten)]
    json: Json,
}

/// The estimates of some boards.
#[derive(Serialize)]
struct Estimates {
    seed: u64,
    estimates: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    /// The published term.
    oeis: Option<Count>,
    counted: Option<Count>,
    #[serde(flatten)]
    estimate: Estimate,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    Size::new(args.sizes.last).map_err(|error| Failure::value("<N>", args.sizes.last, error))?;
    // A number that people can type, and that every reader of JSON has exactly.
    let seed = args.seed.unwrap_or_else(|| fastrand::u32(..).into());
    let (mut estimates, mut ended, mut wrong) = (Vec::new(), Ok(()), Ok(()));
    for n in args.sizes.all() {
        match estimate(args, n, seed) {
            Ok(estimate) => {
                let counted = estimate.counted.map_or(Ok(None), |counted| check::term(&QUEENS, n, counted));
                wrong = wrong.and(counted.map(drop));
                let [oeis, counted] = [QUEENS.term(n), estimate.counted].map(|count| count.map(Count));
                estimates.push(Row { oeis, counted, estimate });
            }
            Err(failure) => {
                ended = Err(failure);
                break;
            }
        }
    }
    if estimates.is_empty() {
        return ended;
    }
    wrong.and(tell(&Estimates { seed, estimates }, &args.json)).and(ended)
}

fn estimate(args: &Args, n: usize, seed: u64) -> Result<Estimate, Failure> {
    let request = Request::solutions(Size::new(n)?).isa(args.cores.isa).threads(args.cores.threads);
    request.method()?;
    let time = args.max_time;
    let work = move |watch: &Watch| request.estimate(time, seed, watch);
    watched(&format!("estimate of N = {n}"), &Watch::default(), work)?.whole()
}

impl Answer for Estimates {
    const COMMAND: &'static str = "estimate";

    fn text(&self) -> String {
        let head = ["N", "OEIS A000170", "estimate", "core hours", "time here", "memory"].map(str::to_owned);
        let rows: Vec<_> = [head].into_iter().chain(self.estimates.iter().map(Row::cells)).collect();
        let table = text::table([Align::Right; 6], &rows);
        let Estimate { engine, isa, threads, .. } = self.estimates[self.estimates.len() - 1].estimate;
        let how = format!("by {engine}, {isa}, on {}", text::count_of(threads as u64, "thread"));
        format!("{table}95% intervals; {how}; seed {}\n", self.seed)
    }
}

impl Row {
    fn cells(&self) -> [String; 6] {
        let Estimate { n, count, core_seconds, seconds, memory, counted, .. } = &self.estimate;
        let estimate = if counted.is_some() { "counted".to_owned() } else { interval(count, short) };
        [
            n.to_string(),
            self.oeis.map_or_else(|| "-".to_owned(), |Count(term)| text::grouped(term)),
            estimate,
            interval(&core_seconds.times(1.0 / 3600.0), |hours| text::to_digits(hours, 2)),
            text::seconds(seconds.mean),
            format!("{} MB", memory / 1_000_000),
        ]
    }
}

/// `2.23e16`, from a million on.
fn short(count: f64) -> String {
    if count < 1e6 { text::to_digits(count, 3) } else { format!("{count:.2e}") }
}

/// `12 ±3%`; where the ends are farther away, how many times more or less it may be; `?` if nothing is known.
fn interval(interval: &Interval, number: impl Fn(f64) -> String) -> String {
    let mean = number(interval.mean);
    match interval.factor() {
        factor if factor <= 1.0 => mean,
        factor if factor < 2.0 => format!("{mean} ±{}%", text::to_digits(100.0 * (factor - 1.0), 2)),
        factor if factor < 1000.0 => format!("{mean} ×÷{}", text::to_digits(factor, 2)),
        _ => "?".to_owned(),
    }
}
