//! What a run says of itself: progress on a terminal or as objects, and its state where a signal asks for it. An stderr that
//! takes no more stops nothing.

#![cfg(all(unix, feature = "cli"))]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::runs::{
    AGREES, LINE, PATIENCE, end, first_line, reached, shown_until, signal, terminal, total, until,
};
use crate::common::{output, queens};
use rustix::process::Signal;

#[test]
fn progress_is_shown_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 12"), (Some(0), total(12), AGREES.to_owned()), "short runs show no progress");
    assert_eq!(output(path, "count 13 --engine naive --progress never").2, AGREES);
    // On a board that takes long enough for a bar.
    let mut bars = (13..=17)
        .map(|n| (n, output(path, &format!("count {n} --engine naive --threads 1 --progress always")).2))
        .filter(|(_, bar)| bar != AGREES);
    let (n, bar) = bars.next().unwrap();
    assert!(
        bar.contains(&format!("N = {n}")) && bar.contains("─") && bar.contains(" so far") && !bar.contains("tasks/s"),
        "{bar}"
    );
    // The bar is gone before anything else is written.
    assert!(bar.ends_with(&format!("\r\u{1b}[2K{AGREES}")), "{bar:?}");
    let (code, out, json) = output(path, "count 13 --engine naive --threads 1 --progress json --checkpoint c");
    assert_eq!((code, out), (Some(0), total(13)));
    let states: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = states.last().unwrap();
    assert_eq!((&last["event"], &last["n"], &last["share"]), (&"finished".into(), &13.into(), &1.0.into()));
    let engine = (&last["engine"], &last["threads"]);
    assert_eq!(engine, (&"naive".into(), &1.into()));
    assert_eq!((&last["solutions"], &last["left"]), (&"73712".into(), &0.0.into()));
    assert_eq!(last["units_done"], last["units"]);
    assert!(last["saved_ago"].is_number() && last["tasks_per_second"].is_number());
    // Boards of a range are one work.
    let (_, _, json) = output(path, "count 8-9 --progress json");
    let last: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["event"], &last["doing"], &last["share"]),
        (&"finished".into(), &"N = 8 to 9".into(), &1.0.into())
    );
    assert!(states.iter().all(|state| (0.0..=1.0).contains(&state["share"].as_f64().unwrap())), "{json}");
}

/// A program is told how long a run takes before its own pace tells it, as a person is.
#[test]
fn a_forecast_is_an_event() {
    let folder = tempfile::tempdir().unwrap();
    let told = || -> serde_json::Value {
        let child = queens(folder.path(), "count 20 --engine naive --progress json --no-save").spawn().unwrap();
        let line = first_line(child, |line| line.contains("\"event\":\"forecast\""));
        serde_json::from_str(&line).unwrap()
    };
    // A busy machine may draw too few samples for an interval.
    let told = (0..8).map(|_| told()).find(|told| told["left"].is_number()).expect("it is known once");
    let [low, left, high] = ["left_low", "left", "left_high"].map(|name| told[name].as_f64().unwrap());
    assert!(told["n"] == 20 && 0.0 <= low && low < left && left < high, "{told}");
}

/// The profile of a large board says before it begins what it takes, as a count does, unless nothing is to be shown.
#[test]
fn a_long_profile_is_announced() {
    let folder = tempfile::tempdir().unwrap();
    let child = queens(folder.path(), "profile 24").spawn().unwrap();
    let line = first_line(child, |_| true);
    assert!(line.starts_with("counting the placements takes ") && line.ends_with("; ^C ends it"), "{line}");
}

#[test]
fn sigusr1_shows_the_state_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = queens(folder.path(), "count 20 --engine naive --progress never --checkpoint c").spawn().unwrap();
    let mut reader = BufReader::new(child.stderr.take().unwrap());
    until("a save", || folder.path().join("c").exists());
    // An answer at any moment; until the count itself begins, which is soon after the first save, one of the command alone.
    let mut answer = || {
        signal(&child, Signal::USR1);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        line
    };
    let begun = Instant::now();
    let mut answers = std::iter::from_fn(|| (begun.elapsed() < PATIENCE).then(&mut answer));
    let line = answers.find(|line| line.starts_with("N = 20, naive")).expect("the count is shown");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.contains(" so far, ") && line.contains(", saved "), "{line}");
}

/// At a terminal, which `script` makes, a job in the background leaves the shell's prompt alone; the same job draws a bar when it
/// is in the foreground, and in the background too if a bar is asked for.
#[cfg(target_os = "linux")]
#[test]
fn no_bar_is_drawn_from_the_background() {
    let drawn = |line: &str| {
        let line = format!("sh -mc '{}'", line.replace("queens", env!("CARGO_BIN_EXE_queens")));
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").stdin(Stdio::null());
        String::from_utf8(script.output().unwrap().stdout).unwrap().contains('─')
    };
    let count = "queens count 20 --engine naive --no-save --max-time 3s";
    assert!(drawn(count));
    assert!(!drawn(&format!("{count} & wait")));
    assert!(drawn(&format!("{count} --progress always & wait")));
}

/// The counter beside an stderr that takes no more: it must save, and end when it is told to.
fn unread(stderr: impl Fn() -> OwnedFd) {
    let spawn = |folder: &Path, line: &str| {
        let stderr = stderr();
        queens(folder, line).stderr(Stdio::from(stderr)).spawn().unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let line = format!("{LINE} --progress always");
    let child = spawn(path, &line);
    until("a first task", || reached(path) > (0, 0));
    let before = reached(path);
    until("more tasks", || reached(path) > before);
    // Shows and warnings are dropped.
    for _ in 0..100 {
        signal(&child, Signal::USR1);
        sleep(Duration::from_micros(200));
    }
    signal(&child, Signal::TERM);
    assert_eq!(end(child).status.signal(), Some(15));
    let saved = reached(path);
    assert!(saved > before);
    // The budget is kept. One that is too short for a task on this machine is a failure.
    let mut budget = 300;
    while reached(path) == saved {
        let child = spawn(path, &format!("{line} --resume --max-time {budget}ms"));
        let code = end(child).status.code();
        let too_short = code == Some(1) && reached(path) == saved;
        assert!(code == Some(75) || too_short, "{code:?} within {budget} ms");
        budget *= 2;
    }
}

#[test]
fn a_full_pipe_stops_nothing() {
    // The other end stays open and unread.
    let mut readers = Vec::new();
    let readers = std::cell::RefCell::new(&mut readers);
    unread(|| {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(&vec![b'x'; 1 << 16]).unwrap();
        readers.borrow_mut().push(reader);
        writer.into()
    });
}

#[test]
fn a_terminal_stopped_by_control_s_stops_nothing() {
    let mut masters = Vec::new();
    let masters = std::cell::RefCell::new(&mut masters);
    unread(|| {
        let (mut master, terminal) = terminal(80);
        master.write_all(b"\x13").unwrap();
        masters.borrow_mut().push(master);
        terminal.into()
    });
}

/// On a narrow terminal nothing is wider, and no number is cut.
#[test]
fn progress_fits_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = |columns: u16, n: usize| {
        let (mut master, terminal) = terminal(columns);
        let line = format!("count {n} --engine naive --threads 1 --progress always --checkpoint c");
        let mut command = queens(folder.path(), &line);
        let child = command.env("TERM", "xterm").stderr(Stdio::from(terminal)).spawn().unwrap();
        drop(command);
        let reading = std::thread::spawn(move || {
            let mut shown = Vec::new();
            // At the end of the program the terminal is gone, which is an error here.
            let _ = master.read_to_end(&mut shown);
            String::from_utf8(shown).unwrap()
        });
        assert_eq!(end(child).status.code(), Some(0));
        fs::remove_file(folder.path().join("c")).unwrap();
        reading.join().unwrap()
    };
    for columns in [16, 40, 80] {
        // Of a board that takes long enough for a bar.
        let has_bar = |shown: &String| [" so far", " left", " %"].iter().any(|field| shown.contains(field));
        let shown = (13..=17).map(|n| drawn(columns, n)).find(has_bar).expect("a bar");
        let shown = anstream::adapter::strip_str(&shown).to_string();
        let is_bar = |line: &str| line.starts_with("N = ");
        for line in shown.split(['\r', '\n']).map(str::trim_end) {
            assert!(line.chars().count() < usize::from(columns), "{columns} columns: {line:?}");
            let whole = !is_bar(line)
                || ["%", " left", " so far", " ago", " solutions"].iter().any(|end| line.ends_with(end))
                || line
                    .rsplit("  ")
                    .next()
                    .is_some_and(|end| end.starts_with("ends ") && end.len() == "ends 12:34".len());
            assert!(whole, "{line:?}");
        }
    }
}

/// On a terminal that shows both, no row of a result stands behind a bar.
#[test]
fn rows_are_printed_where_no_bar_is() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |line: &str| {
        let (mut master, terminal) = terminal(100);
        let mut command = queens(folder.path(), &format!("{line} --threads 1 --progress always"));
        command.env("TERM", "xterm").stdout(terminal.try_clone().unwrap()).stderr(terminal);
        let child = command.spawn().unwrap();
        drop(command);
        let shown = std::thread::spawn(move || shown_until(&mut master, "never shown"));
        assert_eq!(end(child).status.code(), Some(0));
        let shown = anstream::adapter::strip_str(&shown.join().unwrap()).to_string();
        let lines = shown.split(['\r', '\n']).filter(|line| !line.is_empty()).map(str::to_owned);
        lines.partition::<Vec<_>, _>(|line| line.starts_with("N = "))
    };
    for (line, first) in
        [("count --engine naive", 12), ("verify --engine naive", 12), ("profile", 15), ("verify --symmetry half", 25)]
    {
        // Up to a board that takes long enough for a bar.
        let mut ranges = (1..=4).map(|more| shown(&format!("{line} {first}-{}", first + more)));
        let (bars, rows) = ranges.find(|(bars, _)| !bars.is_empty()).expect(line);
        assert!(bars.iter().all(|bar| bar.contains(" so far")), "{line}: {bars:?}");
        assert!(rows.len() > 2, "{line}: {rows:?}");
        assert!(
            bars.iter().all(|bar| !["agrees", "unknown", "✓"].iter().any(|row| bar.contains(row))),
            "{line}: {bars:?}"
        );
    }
}
