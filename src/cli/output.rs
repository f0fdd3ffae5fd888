//! What every command prints alike: colours, numbers, tables, JSON, errors.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use queens::bounded::Bounded;
use serde::Serialize;

use super::{Exit, Failure, stdout};

/// Grows where a field of a JSON object changes its meaning or goes; new fields leave it.
pub(crate) const SCHEMA: u32 = 1;
/// Name and version, as in the ledgers.
pub(crate) const PROGRAM: &str = concat!("queens ", env!("CARGO_PKG_VERSION"));

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const LABEL: Style = Style::new().dimmed();
const RESULT: Style = AnsiColor::Green.on_default().bold();

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// Where the output is a terminal, unless `NO_COLOR` or `TERM=dumb` says no
    Auto,
    Always,
    Never,
}

/// Sets the colour for all that is printed from here on; `auto` heeds `NO_COLOR`, `TERM=dumb` and pipes.
pub(crate) fn choose_colour(colour: Colour) {
    let choice = match colour {
        Colour::Auto => anstream::ColorChoice::Auto,
        Colour::Always => anstream::ColorChoice::Always,
        Colour::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

fn stderr() -> impl Write {
    Bounded::new(anstream::stderr())
}

/// One line on stderr.
pub(crate) fn error(message: &str) {
    // Where even stderr is gone, there is nobody left to tell.
    let _ = writeln!(stderr(), "{ERROR}error:{ERROR:#} {}", harmless(message));
}

/// One line on stderr: not as it should be, but no failure.
pub(crate) fn warning(message: &str) {
    let _ = writeln!(stderr(), "{WARNING}warning:{WARNING:#} {}", harmless(message));
}

/// A line on stderr.
pub(crate) fn note(message: &str) {
    let _ = writeln!(stderr(), "{}", harmless(message));
}

/// The text on one line, with all that a terminal would obey instead of show written out: names of files and what
/// stands in them come from anywhere.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if is_obeyed(c) { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Whether a character is a control: line breaks are, and what turns the direction of writing.
pub(crate) fn is_obeyed(c: char) -> bool {
    const DIRECTIONS: [char; 12] = [
        '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}',
        '\u{2067}', '\u{2068}', '\u{2069}',
    ];
    c.is_control() || ['\u{2028}', '\u{2029}'].contains(&c) || DIRECTIONS.contains(&c)
}

/// A file's name, as it is shown.
pub(crate) fn name(path: &Path) -> String {
    harmless(&path.to_string_lossy()).into_owned()
}

/// Says what is wrong with the arguments, in one line; help and version, which clap reports the same way, as they are.
pub(crate) fn usage(error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        return match stdout::print(&error.render().ansi().to_string()) {
            Err(error) if !stdout::is_enough(&error) => {
                self::error(&format!("writing the result failed: {error}"));
                Exit::Failure
            }
            _ => Exit::Success,
        };
    }
    let text = error.render().to_string();
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = write!(stderr(), "{text}");
        return Exit::Usage;
    }
    self::error(&one_line(error));
    Exit::Usage
}

/// What is wrong with the arguments. The first paragraph says what was wrong and the second, where it is a tip or a list,
/// what is allowed; usage and the pointer to --help only repeat it.
pub(crate) fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let message: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .filter(|line| !line.is_empty())
        .collect();
    let message = message.join(" ");
    message.strip_prefix("error: ").unwrap_or(&message).to_owned()
}

/// One JSON object on a line of its own.
pub(crate) fn json(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}

/// The same as text.
pub(crate) fn object(value: &impl Serialize) -> io::Result<String> {
    let mut text = Vec::new();
    json(&mut text, value)?;
    Ok(String::from_utf8(text).expect("JSON is UTF-8"))
}

/// Prints a result, all of it, on stdout. A list may lose its reader, as under `| head`, and all is well; a result
/// that nobody has read in full is a failure, and goes to stderr, for it may have taken days.
pub(crate) fn deliver(result: &str) -> Result<(), Failure> {
    stdout::print(result).map_err(|failed| {
        error(&format!("writing the result failed: {failed}; it is"));
        anstream::adapter::strip_str(result.trim_end()).to_string().lines().for_each(note);
        Failure::Told(Exit::Failure)
    })
}

/// A file's content, which has an end.
///
/// # Errors
/// Where it cannot be read, or is larger than anything this program reads.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    const MOST: u64 = 1 << 24;
    let mut bytes = Vec::new();
    Bounded::new(File::open(path)?).take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST { Err(io::Error::other("larger than 16 MiB")) } else { Ok(bytes) }
}

/// What every JSON object says of the program and the machine.
#[derive(Serialize)]
pub(crate) struct About {
    schema: u32,
    version: &'static str,
    pub(crate) cpu: String,
}

impl About {
    pub(crate) fn here() -> Self {
        Self { schema: SCHEMA, version: env!("CARGO_PKG_VERSION"), cpu: cpu_name() }
    }
}

/// The processor's name as it gives it, empty where it does not.
fn cpu_name() -> String {
    use sysinfo::{CpuRefreshKind, RefreshKind, System};
    let system = System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()));
    let name = |system: System| system.cpus().first().map(|cpu| cpu.brand().trim().to_owned());
    system.ok().and_then(name).unwrap_or_default()
}

/// Aligned lines of label and value.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<(&'static str, String, Style)>,
}

impl Table {
    pub(crate) fn row(&mut self, label: &'static str, value: impl fmt::Display) {
        self.rows.push((label, value.to_string(), Style::new()));
    }

    /// The line that matters most.
    pub(crate) fn result(&mut self, label: &'static str, value: impl fmt::Display) {
        self.rows.push((label, value.to_string(), RESULT));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
        for (label, value, style) in &self.rows {
            writeln!(f, "{LABEL}{label:width$}{LABEL:#}  {style}{value}{style:#}")?;
        }
        Ok(())
    }
}

/// A count with its digits in threes: `14,772,512`.
pub(crate) fn grouped(count: u128) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 run`, `2 runs`, `5,000 runs`.
pub(crate) fn count_of(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(count.into()))
}

/// A number to three digits, in words from a million on, `29.5 million`, and in powers past words, `2.56 × 10^18`.
pub(crate) fn rounded(value: f64) -> String {
    if value >= 999.5e12 {
        // Rounding first, so that 9.999 becomes 1.00 of the next power.
        let scientific = format!("{value:.2e}");
        return scientific.replace('e', " × 10^");
    }
    let scales = [(1e12, "trillion"), (1e9, "billion"), (1e6, "million")];
    match scales.iter().find(|(scale, _)| value >= *scale) {
        Some((scale, name)) => format!("{} {name}", three_digits(value / scale)),
        None => grouped(value.round() as u128),
    }
}

/// So many a second, to three digits: `1.24`, `2,096`.
pub(crate) fn rate(value: f64) -> String {
    if value < 999.5 { three_digits(value) } else { rounded(value) }
}

/// A time to three digits: `12.3 ms`, `4.56 s`, then `1 h 02 min 03 s`, past two days `3.25 days`, `17.4 years`.
pub(crate) fn seconds(seconds: f64) -> String {
    const DAY: f64 = 86_400.0;
    const YEAR: f64 = 365.25 * DAY;
    if seconds < 1e-3 {
        format!("{} µs", three_digits(seconds * 1e6))
    } else if seconds < 1.0 {
        format!("{} ms", three_digits(seconds * 1e3))
    } else if seconds < 60.0 {
        format!("{} s", three_digits(seconds))
    } else if seconds >= 2.0 * YEAR {
        format!(
            "{} years",
            if seconds < 1000.0 * YEAR { three_digits(seconds / YEAR) } else { rounded(seconds / YEAR) }
        )
    } else if seconds >= 2.0 * DAY {
        format!("{} days", three_digits(seconds / DAY))
    } else {
        let whole = seconds.round() as u64;
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
        if hours > 0 { format!("{hours} h {minutes:02} min {rest:02} s") } else { format!("{minutes} min {rest:02} s") }
    }
}

fn three_digits(value: f64) -> String {
    let decimals = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}")
}

/// Processor time: `12.3 core seconds`, `4,400 core hours`.
pub(crate) fn core_time(seconds: f64) -> String {
    let hours = seconds / 3600.0;
    if hours < 1.0 { format!("{} core seconds", rate(seconds)) } else { format!("{} core hours", rate(hours)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_told_nothing_by_names() {
        assert_eq!(harmless("a file, and another: ä"), "a file, and another: ä");
        assert_eq!(harmless("a\nerror: b\u{202e}c"), r"a\nerror: b\u{202e}c");
        assert_eq!(harmless("\u{1b}[31m\u{9b}31m\r\u{7f}"), r"\u{1b}[31m\u{9b}31m\r\u{7f}");
    }

    #[test]
    fn numbers_are_grouped_and_rounded() {
        assert_eq!([0, 999, 1000, 14_772_512].map(grouped), ["0", "999", "1,000", "14,772,512"]);
        assert_eq!([12.0, 29.46e6, 1.0e9].map(rounded), ["12", "29.5 million", "1.00 billion"]);
        assert_eq!([0.0, 1.237, 250.4, 2096.4].map(rate), ["0.00", "1.24", "250", "2,096"]);
        assert_eq!(
            [0.000_25, 0.0123, 4.559, 59.96, 62.0, 3723.4].map(seconds),
            ["250 µs", "12.3 ms", "4.56 s", "60.0 s", "1 min 02 s", "1 h 02 min 03 s"]
        );
        assert_eq!([280_800.0, 5.5e8, 1e12].map(seconds), ["3.25 days", "17.4 years", "31,688 years"]);
        assert_eq!([2.5642e18, 9.999e17, 999.6e12].map(rounded), ["2.56 × 10^18", "1.00 × 10^18", "1.00 × 10^15"]);
    }
}
