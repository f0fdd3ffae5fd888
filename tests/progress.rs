//! What a run says of itself: progress on a terminal or as objects, and its state where a signal asks for it.

#![cfg(all(unix, feature = "cli"))]

use std::io::{BufRead, BufReader};
use std::thread::sleep;
use std::time::Duration;

use crate::common::runs::{AGREES, signal, total};
use crate::common::{output, queens};
use rustix::process::Signal;

#[test]
fn progress_is_shown_as_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 12"), (Some(0), total(12), AGREES.to_owned()), "short runs show no progress");
    assert_eq!(output(path, "count 13 --engine naive --progress never").2, AGREES);
    let (_, _, bar) = output(path, "count 13 --engine naive --threads 1 --progress always");
    assert!(
        bar.contains("N = 13") && bar.contains("─") && bar.contains(" so far") && !bar.contains("tasks/s"),
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

#[test]
fn sigusr1_shows_the_state_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = queens(folder.path(), "count 20 --engine naive --progress never --checkpoint c").spawn().unwrap();
    let mut reader = BufReader::new(child.stderr.take().unwrap());
    // At any moment from the first save on.
    while !folder.path().join("c").exists() {
        sleep(Duration::from_millis(1));
    }
    signal(&child, Signal::USR1);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.starts_with("N = 20, naive") && line.contains(" so far, "), "{line}");
    assert!(line.contains(", saved "), "{line}");
}

/// At a terminal, which `script` makes, a job in the background leaves the shell's prompt alone; the same job draws a bar when it
/// is in the foreground, and in the background too if a bar is asked for.
#[cfg(target_os = "linux")]
#[test]
fn no_bar_is_drawn_from_the_background() {
    let drawn = |line: &str| {
        let line = format!("sh -mc '{}'", line.replace("queens", env!("CARGO_BIN_EXE_queens")));
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").stdin(std::process::Stdio::null());
        String::from_utf8(script.output().unwrap().stdout).unwrap().contains('─')
    };
    let count = "queens count 20 --engine naive --no-save --max-time 3s";
    assert!(drawn(count));
    assert!(!drawn(&format!("{count} & wait")));
    assert!(drawn(&format!("{count} --progress always & wait")));
}
