//! Numbers as people read them: counts in threes, times and rates to three digits.

/// A count with its digits in threes: `14,772,512`.
pub(crate) fn grouped(count: u128) -> String {
    let digits: Vec<char> = count.to_string().chars().collect();
    let groups: Vec<String> = digits.rchunks(3).rev().map(|group| group.iter().collect()).collect();
    groups.join(",")
}

/// `1 run`, `2 runs`, `5,000 runs`.
pub(crate) fn count_of(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(count.into()))
}

/// A number to three digits, in words from a million on, `29.5 million`, and in powers past words, `2.56 × 10^18`.
pub(crate) fn rounded(value: f64) -> String {
    if value < 1e6 { grouped(value.round() as u128) } else { to_digits(value, 3) }
}

/// So many a second, to three digits: `1.24`, `2,096`.
pub(crate) fn rate(value: f64) -> String {
    if value < 999.5 { three_digits(value) } else { rounded(value) }
}

/// A time to three digits: `250 ns`, `12.3 ms`, `4.56 s`, then `1 h 02 min 03 s`, past two days `3.25 days`, `17.4 years`.
pub(crate) fn seconds(seconds: f64) -> String {
    const DAY: f64 = 86_400.0;
    const YEAR: f64 = 365.25 * DAY;
    let whole = seconds.round() as u64;
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
    match seconds {
        s if s < 999.5e-9 => format!("{:.0} ns", s * 1e9),
        s if s < 999.5e-6 => format!("{} µs", three_digits(s * 1e6)),
        s if s < 999.5e-3 => format!("{} ms", three_digits(s * 1e3)),
        s if s < 59.95 => format!("{} s", three_digits(s)),
        s if s >= 2.0 * YEAR => format!("{} years", rate(s / YEAR)),
        s if s >= 2.0 * DAY => format!("{} days", three_digits(s / DAY)),
        _ if hours > 0 => format!("{hours} h {minutes:02} min {rest:02} s"),
        _ => format!("{minutes} min {rest:02} s"),
    }
}

/// A number to so many digits, those behind zero: `1,600`, `660 million`, `0.42`, `2.6 × 10^18`.
pub(crate) fn to_digits(value: f64, digits: usize) -> String {
    // Rounding first, so that 9.999 becomes 1.00 of the next power.
    let scientific = format!("{value:.*e}", digits - 1);
    let value: f64 = scientific.parse().expect("a number reads back");
    if value >= 1e15 {
        return scientific.replace('e', " × 10^");
    }
    let scales = [(1e12, " trillion"), (1e9, " billion"), (1e6, " million")];
    let (scale, name) = scales.into_iter().find(|(scale, _)| value >= *scale).unwrap_or((1.0, ""));
    let value = value / scale;
    let before = value.max(f64::MIN_POSITIVE).log10().floor() as i32 + 1;
    match usize::try_from(digits as i32 - before) {
        Ok(decimals @ 1..=12) => format!("{value:.decimals$}{name}"),
        _ => grouped(value.round() as u128) + name,
    }
}

/// A time to so many digits in one unit, and the unit: `35` and `h`, `13` and `min`.
pub(crate) fn time_to_digits(seconds: f64, digits: usize) -> (String, &'static str) {
    const MINUTE: f64 = 60.0;
    const HOUR: f64 = 60.0 * MINUTE;
    const DAY: f64 = 24.0 * HOUR;
    let units = [
        (999.5e-6, 1e-6, "µs"),
        (0.9995, 1e-3, "ms"),
        (99.5, 1.0, "s"),
        (99.5 * MINUTE, MINUTE, "min"),
        (71.5 * HOUR, HOUR, "h"),
        (999.5 * DAY, DAY, "days"),
    ];
    let unit = units.into_iter().find(|(below, ..)| seconds < *below);
    let (_, unit, name) = unit.unwrap_or((0.0, 365.25 * DAY, "years"));
    (to_digits(seconds / unit, digits), name)
}

/// The same as text: `35 h`.
pub(crate) fn time(seconds: f64, digits: usize) -> String {
    let (number, unit) = time_to_digits(seconds, digits);
    format!("{number} {unit}")
}

fn three_digits(value: f64) -> String {
    let decimals = match value {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
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
    fn numbers_have_no_more_digits_than_are_known() {
        let numbers = [1610.0, 665.4e6, 0.4217, 99.9, 12.0, 2.5642e18, 0.0, 999.7e12];
        let texts = ["1,600", "670 million", "0.42", "100", "12", "2.6 × 10^18", "0", "1.0 × 10^15"];
        assert_eq!(numbers.map(|number| to_digits(number, 2)), texts);
        let times = [3.4e-6, 0.0042, 4.4, 803.0, 126_248.0, 3e6, 2.676e12].map(|time| time_to_digits(time, 2));
        let times = times.map(|(number, unit)| format!("{number} {unit}"));
        assert_eq!(times, ["3.4 µs", "4.2 ms", "4.4 s", "13 min", "35 h", "35 days", "85,000 years"]);
    }

    #[test]
    fn numbers_are_grouped_and_rounded() {
        assert_eq!([0, 999, 1000, 14_772_512].map(grouped), ["0", "999", "1,000", "14,772,512"]);
        assert_eq!([12.0, 29.46e6, 1.0e9].map(rounded), ["12", "29.5 million", "1.00 billion"]);
        assert_eq!([0.0, 1.237, 250.4, 2096.4].map(rate), ["0.00", "1.24", "250", "2,096"]);
        assert_eq!(
            [0.000_25, 0.0123, 4.559, 59.94, 59.96, 62.0, 3723.4].map(seconds),
            ["250 µs", "12.3 ms", "4.56 s", "59.9 s", "1 min 00 s", "1 min 02 s", "1 h 02 min 03 s"]
        );
        assert_eq!(
            [0.0, 1e-9, 0.9996e-6, 0.9996e-3, 0.9996].map(seconds),
            ["0 ns", "1 ns", "1.00 µs", "1.00 ms", "1.00 s"]
        );
        assert_eq!(
            [280_800.0, 5.5e8, 31.5e9, 1e12].map(seconds),
            ["3.25 days", "17.4 years", "998 years", "31,688 years"]
        );
        assert_eq!([2.5642e18, 9.999e17, 999.6e12].map(rounded), ["2.56 × 10^18", "1.00 × 10^18", "1.00 × 10^15"]);
    }
}
