//! Formats numbers, times and tables for people.

use std::mem;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use queens::{Interval, Progress};

const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0 * HOUR;
const YEAR: f64 = 365.25 * DAY;

/// A count with its digits grouped: `14,772,512`.
pub(crate) fn grouped(count: impl Into<u128>) -> String {
    let digits: Vec<char> = count.into().to_string().chars().collect();
    let groups: Vec<String> = digits.rchunks(3).rev().map(|group| group.iter().collect()).collect();
    groups.join(",")
}

/// `1 unit`, `5,000 units`.
pub(crate) fn count_of(count: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Ascending numbers with ranges, in the syntax of job arrays: `3,7-9`.
pub(crate) fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|number, next| number + 1 == *next).map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run[0].to_string(),
    });
    runs.collect::<Vec<_>>().join(",")
}

/// A number rounded to significant digits: `0.42`, `12.3`, `1,600`.
pub(crate) fn to_digits(value: f64, digits: usize) -> String {
    // Rounded first, so that 9.999 becomes 10.0 and not 10.00.
    let value: f64 = format!("{value:.*e}", digits - 1).parse().expect("a number reads back");
    let before = value.max(f64::MIN_POSITIVE).log10().floor() as i32 + 1;
    match usize::try_from(digits as i32 - before) {
        Ok(decimals @ 1..=12) => format!("{value:.decimals$}"),
        _ => grouped(value.round() as u128),
    }
}

/// A time: `250 µs`, `4.56 s`, `12 min 03 s`, `35 h 02 min`, `3.25 days`, `17.4 years`.
pub(crate) fn seconds(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match seconds {
        s if s < 999.5e-9 => format!("{:.0} ns", s * 1e9),
        s if s < 999.5e-6 => format!("{} µs", to_digits(s * 1e6, 3)),
        s if s < 999.5e-3 => format!("{} ms", to_digits(s * 1e3, 3)),
        s if s < 59.95 => format!("{} s", to_digits(s, 3)),
        s if s < HOUR - 0.5 => format!("{} min {:02} s", whole / 60, whole % 60),
        s if s < 2.0 * DAY => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
        s if s < 2.0 * YEAR => format!("{} days", to_digits(s / DAY, 3)),
        s if s < 1e6 * YEAR => format!("{} years", to_digits(s / YEAR, 3)),
        s => format!("{:.2e} years", s / YEAR),
    }
}

/// Like [`seconds`]; `None` for zero, which means unknown.
pub(crate) fn known_seconds(time: f64) -> Option<String> {
    (time > 0.0).then(|| seconds(time))
}

/// Formats times to two digits in the unit of this time, at most hours: `27 s`, `2,100 h`, `1.2e7 h`.
pub(crate) fn time_in(seconds: f64) -> impl Fn(f64) -> String {
    let (unit, name) = match seconds {
        s if s < 995e-6 => (1e-6, "µs"),
        s if s < 0.995 => (1e-3, "ms"),
        s if s < 99.5 => (1.0, "s"),
        s if s < 5970.0 => (60.0, "min"),
        _ => (3600.0, "h"),
    };
    move |seconds| match seconds / unit {
        number if number < 995e3 => format!("{} {name}", to_digits(number, 2)),
        number => format!("{number:.1e} {name}"),
    }
}

/// `12 ±3%`; a wider interval as a factor, `12 ×÷4`, or `unknown`.
pub(crate) fn interval(interval: &Interval, number: impl Fn(f64) -> String) -> String {
    let mean = number(interval.mean);
    match interval.factor() {
        factor if factor <= 1.0 => mean,
        factor if factor < 2.0 => format!("{mean} ±{}%", to_digits(100.0 * (factor - 1.0), 2)),
        factor if factor < 1000.0 => format!("{mean} ×÷{}", to_digits(factor, 2)),
        _ => "unknown".to_owned(),
    }
}

/// What is done, and the time left if it is known. The time for which the process was stopped does not count.
pub(crate) fn progress(progress: &Progress, stopped: Duration) -> String {
    let ran = progress.elapsed.saturating_sub(stopped).as_secs_f64();
    let done = match progress.total {
        0 => seconds(ran),
        total => format!("{} of {}", grouped(progress.done), grouped(total)),
    };
    // At 0 / 0 the quotient is NaN, and `min` returns 1.
    let share = (ran / progress.elapsed.as_secs_f64()).min(1.0);
    match progress.left.map(|left| left.mul_f64(share)) {
        Some(left) if left < Duration::from_mins(1) => format!("{done}, {} s left", left.as_secs() + 1),
        Some(left) => format!("{done}, {} left", seconds(left.as_secs_f64())),
        None => done,
    }
}

/// A time in UTC: `2026-11-26T15:12:08Z`. A wrong clock may be before 1970.
pub(crate) fn moment(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time.max(UNIX_EPOCH)).to_string()
}

/// Text with its control characters escaped, so on one line.
pub(crate) fn printable(text: &str) -> String {
    let escaped = |c: char| if c.is_control() { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    text.chars().map(escaped).collect()
}

#[derive(Clone, Copy)]
pub(crate) enum Align {
    Left,
    Right,
}

/// The maximum width of tables and of lines around them, except for file names.
const WIDTH: usize = 80;

/// Left-aligned columns, as wide as the widest cell of these rows.
pub(crate) fn columns<const N: usize>(rows: &[[String; N]]) -> [(Align, usize); N] {
    let width = |at: usize| rows.iter().map(|cells| printable(&cells[at]).chars().count()).max().unwrap_or(0);
    std::array::from_fn(|at| (Align::Left, width(at)))
}

/// A row of a table, with columns two blanks apart. A cell that is too wide takes all but one of the blanks next to it.
pub(crate) fn row(columns: &[(Align, usize)], cells: &[impl AsRef<str>]) -> String {
    let (mut line, mut begin) = (String::new(), 0);
    for (&(align, width), cell) in columns.iter().zip(cells) {
        let (cell, used) = (printable(cell.as_ref()), line.chars().count());
        let place = match align {
            Align::Left => begin,
            Align::Right => (begin + width).saturating_sub(cell.chars().count()),
        };
        let blanks = place.saturating_sub(used).max(usize::from(used > 0));
        line += &(" ".repeat(blanks) + &cell);
        begin += width + 2;
    }
    line.trim_end().to_owned() + "\n"
}

/// A text, truncated to this length.
pub(crate) fn truncated(text: &str, length: usize) -> String {
    let is_longer = text.chars().count() > length;
    if is_longer { text.chars().take(length - 1).chain(['…']).collect() } else { text.to_owned() }
}

/// Lines, wrapped at blanks where they are too long.
pub(crate) fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for whole in text.lines() {
        let mut line = String::new();
        for word in whole.split_inclusive(' ') {
            if !line.is_empty() && line.chars().count() + word.trim_end().chars().count() > WIDTH {
                lines.push(mem::replace(&mut line, "  ".to_owned()));
            }
            line += word;
        }
        lines.push(line);
    }
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}
