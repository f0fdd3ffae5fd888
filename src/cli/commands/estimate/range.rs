//! The table of a range, in which each board has a line.

use std::mem;
use std::time::Instant;

use queens::Interval;
use queens::estimate::Prediction;
use serde::Serialize;

use super::{Args, Estimate, core_unit, count, estimated, interval};
use crate::cli::long_run::{Activity, forecast::roughly};
use crate::cli::terminal::{Answer, Column, Failure, Table, messages, numbers, stdout, table::wrapped};

/// Estimates each board of the range, and prints its line as soon as it is there.
pub(super) fn estimates(args: &Args, activity: &Activity) -> Result<Estimates, Failure> {
    let (start, table) = (Instant::now(), table(stdout::width()));
    let (mut head, mut estimates, mut failure) = (table.head(), Vec::new(), None);
    for n in args.sizes.all() {
        let estimate = match estimated(args, n, activity) {
            Ok(estimate) => estimate,
            Err(error) if estimates.is_empty() => return Err(error),
            Err(error) => {
                failure = Some(error);
                break;
            }
        };
        let line = mem::take(&mut head) + &table.line(estimate.cells());
        failure = estimate.signal.map(Failure::Signal);
        estimates.push(estimate);
        if !args.json.is_alone() {
            let printed = activity.aside(|| messages::deliver(&line));
            failure = failure.or(printed.err());
        }
        if failure.is_some() {
            break;
        }
    }
    if !matches!(failure, Some(Failure::Signal(_))) {
        activity.finish();
    }
    let (finished, seconds) = (failure.is_none(), start.elapsed().as_secs_f64());
    Ok(Estimates { estimates, finished, seconds, failure })
}

/// The estimates of a range.
#[expect(clippy::struct_field_names, reason = "the names of the JSON object")]
#[derive(Serialize)]
pub(crate) struct Estimates {
    estimates: Vec<Estimate>,
    /// Whether all were made that were asked for.
    finished: bool,
    seconds: f64,
    /// Why not all of them were made or printed.
    #[serde(skip)]
    failure: Option<Failure>,
}

impl Answer for Estimates {
    fn command(&self) -> &'static str {
        "estimate"
    }

    /// What is left to say below the table.
    fn text(&self, width: usize) -> String {
        let Some(last) = self.estimates.last().filter(|_| !matches!(self.failure, Some(Failure::Closed))) else {
            return String::new();
        };
        let cores = numbers::count_of(last.prediction.cores as u64, "core");
        let text =
            format!("95 % intervals; time: on {cores} with nothing else to do; in {}", numbers::seconds(self.seconds));
        wrapped(&text, width, &[' ']).join("\n") + "\n"
    }

    fn verdict(&self) -> Result<(), Failure> {
        // A reader who has enough is no failure.
        let failure = self.failure.clone().filter(|failure| !matches!(failure, Failure::Closed));
        failure.map_or(Ok(()), Err)
    }
}

/// A table with a line for each board.
fn table(width: usize) -> Table {
    let column = |(width, head, rank)| Column::as_wide_as(width, head, rank);
    let columns = [(2, "N", 0), (23, "solutions", 1), (20, "core time", 0), (20, "time", 0), (6, "timed", 2)];
    Table::new(columns.map(column).into(), width)
}

impl Estimate {
    /// Its line of the [`table`]: what is not known is `-`.
    fn cells(&self) -> [String; 5] {
        let Prediction { subject, count: solutions, core_seconds, seconds, timed_n, .. } = self.prediction;
        let (unit, unit_seconds) = core_unit(core_seconds.mean);
        let unit = unit.replace("core ", "").replace("seconds", "s").replace("hours", "h");
        let core_time = |time: f64, digits| format!("{} {unit}", numbers::to_digits(time / unit_seconds, digits));
        [
            subject.n().to_string(),
            self.published.map_or_else(|| brief(solutions, count), numbers::grouped),
            brief(core_seconds, core_time),
            brief(seconds, numbers::time),
            format!("N = {timed_n}"),
        ]
    }
}

/// An interval in a cell: `665 million ± 1.2 %`, `25 to 400 million` or `roughly 100 million`.
fn brief(found: Interval, print: impl Fn(f64, usize) -> String) -> String {
    let Some(whole) = interval(found, &print) else { return "-".to_owned() };
    let exactly = || {
        if let Some((narrow, _)) = whole.split_once(" (").filter(|(narrow, _)| narrow.ends_with('%')) {
            return narrow.to_owned();
        }
        let [low, high] = [found.low, found.high].map(|end| print(end, 2));
        match (low.rsplit_once(' '), high.rsplit_once(' ')) {
            _ if found.high <= found.mean => whole.clone(),
            (Some((number, unit)), Some((_, same))) if unit == same && !number.ends_with('×') => {
                format!("{number} to {high}")
            }
            _ => format!("{low} to {high}"),
        }
    };
    roughly(&found, exactly, &print)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_says_how_much_is_known() {
        let cell = |mean, low, high| {
            let mut found = Interval::default();
            (found.mean, found.low, found.high) = (mean, low, high);
            [brief(found, count), brief(found, numbers::time)]
        };
        assert_eq!(cell(2.0, 2.0, 2.0), ["2", "2.00 s"]);
        assert_eq!(cell(665e6, 658e6, 672e6), ["665 million ± 1.1 %", "21.1 years ± 1.1 %"]);
        assert_eq!(cell(4e4, 1e4, 1.6e5), ["10,000 to 160,000", "2.8 to 44 h"]);
        assert_eq!(cell(3e18, 1e18, 9e18), ["1.0 × 10^18 to 9.0 × 10^18", "32 billion to 290 billion years"]);
        assert_eq!(cell(3.0, 0.0, f64::INFINITY), ["-", "-"]);
        assert_eq!(cell(4e4, 3.9e3, 1.6e5), ["roughly 40,000", "roughly 10 h"]);
        assert_eq!(cell(3.0, 0.0, 100.0), ["roughly 3", "roughly 3 s"]);
    }
}
