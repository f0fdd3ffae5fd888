//! Numbers, times and tables. Compiles the file that formats them, which needs no other file of the program.

#[allow(dead_code, reason = "the program uses all of it")]
#[path = "../src/cli/text.rs"]
mod text;

use std::time::{Duration, UNIX_EPOCH};

use queens::{Interval, Progress};
use text::{
    Align, grouped, interval, moment, printable, progress, ranges, row, seconds, time_in, to_digits, truncated, wrapped,
};

#[test]
fn consecutive_numbers_are_printed_as_ranges() {
    assert_eq!((ranges(&[]).as_str(), ranges(&[5]).as_str()), ("", "5"));
    assert_eq!(ranges(&[1, 2, 4, 6, 7, 8]), "1-2,4,6-8");
}

#[test]
fn numbers_have_only_significant_digits() {
    let numbers = [1610.0, 665.4e6, 0.4217, 99.9, 12.0, 0.0];
    let texts = ["1,600", "670,000,000", "0.42", "100", "12", "0"];
    assert_eq!(numbers.map(|number| to_digits(number, 2)), texts);
    assert_eq!([0u32, 999, 1000, 14_772_512].map(grouped), ["0", "999", "1,000", "14,772,512"]);
}

#[test]
fn times_before_1970_are_printed_as_1970() {
    let clocks = [UNIX_EPOCH - Duration::from_secs(1), UNIX_EPOCH + Duration::from_secs(1_795_705_928)];
    assert_eq!(clocks.map(moment), ["1970-01-01T00:00:00Z", "2026-11-26T15:12:08Z"]);
}

/// Blanks before the next cells make room for a wide cell, and long lines break at blanks.
#[test]
fn tables_fit_a_terminal() {
    let line = |times: [&str; 3]| row(&[(Align::Left, 4), (Align::Right, 10), (Align::Right, 8)], &times);
    assert_eq!(line(["join", "12.3 ms", "1.00"]), "join     12.3 ms      1.00\n");
    assert_eq!(line(["join", "12 min 03 s", "1.00"]), "join 12 min 03 s      1.00\n");
    assert_eq!(line(["naive", "123 min 03 s", "1.00"]), "naive 123 min 03 s    1.00\n");
    assert_eq!((truncated("node-1", 6), truncated("node-17", 6)), ("node-1".to_owned(), "node-…".to_owned()));
    let (word, short) = ("word ".repeat(16), "is left\n");
    assert_eq!(wrapped(&format!("{word}that\n{short}")), format!("{}\n  that\n{short}", word.trim_end()));
}

#[test]
fn control_characters_are_escaped() {
    assert_eq!(printable("a\u{1b}[2J\n\u{7f}\u{9b}é"), r"a\u001b[2J\u000a\u007f\u009bé");
    assert_eq!(row(&[(Align::Left, 0)], &["\t"]), "\\u0009\n");
}

#[test]
fn times_have_a_suitable_unit() {
    #[rustfmt::skip]
    // Just below and above each change of the unit.
    let times = [
        (0.0, "0 ns"), (999.4e-9, "999 ns"), (0.9996e-6, "1.00 µs"), (999.4e-6, "999 µs"), (0.9996e-3, "1.00 ms"),
        (0.0123, "12.3 ms"), (999.4e-3, "999 ms"), (0.9996, "1.00 s"), (59.94, "59.9 s"), (59.96, "1 min 00 s"),
        (3599.4, "59 min 59 s"), (3599.6, "1 h 00 min"), (172_799.0, "47 h 59 min"), (172_801.0, "2.00 days"),
        (6.31e7, "730 days"), (6.32e7, "2.00 years"), (3.15e13, "998,000 years"), (3.16e13, "1.00e6 years"),
    ];
    for (time, text) in times {
        assert_eq!(seconds(time), text);
    }
}

/// Just below and above each change of the form or the unit.
#[test]
fn intervals_and_their_times_are_short() {
    let second = |low: f64, high: f64| interval(&Interval { mean: 1.0, low: 1.0 / low, high }, time_in(1.0));
    let intervals = [(1.0, 1.0), (1.0, 1.98), (2.02, 1.98), (1.0, 994.0), (1001.0, 2.0)];
    let texts = ["1.0 s", "1.0 s ±98%", "1.0 s ×÷2.0", "1.0 s ×÷990", "unknown"];
    assert_eq!(intervals.map(|(low, high)| second(low, high)), texts);
    let times = [994e-6, 996e-6, 0.994, 0.996, 99.4, 99.6, 5969.0, 5971.0, 3.58e9, 3.59e9];
    let texts = ["990 µs", "1.0 ms", "990 ms", "1.0 s", "99 s", "1.7 min", "99 min", "1.7 h", "990,000 h", "1.0e6 h"];
    assert_eq!(times.map(|time| time_in(time)(time)), texts);
}

#[test]
fn time_left_is_shown_once_it_is_known() {
    let mut state = Progress::default();
    state.elapsed = Duration::from_secs(5);
    let second = Duration::from_secs(1);
    assert_eq!([0, 1].map(|stopped| progress(&state, stopped * second)), ["5.00 s", "4.00 s"]);
    (state.done, state.total) = (1200, 5284);
    assert_eq!(progress(&state, Duration::ZERO), "1,200 of 5,284");
    let mut left = |seconds, stopped| {
        state.left = Some(seconds * second);
        progress(&state, stopped * second)
    };
    let texts = ["1 s", "60 s", "1 min 00 s", "1 min 00 s"].map(|left| format!("1,200 of 5,284, {left} left"));
    assert_eq!([left(0, 0), left(59, 0), left(60, 0), left(300, 4)], texts, "the last was stopped most of the time");
}
