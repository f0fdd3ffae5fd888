//! Commands that show progress without keeping a ledger show it when they are asked to.

#![cfg(all(unix, feature = "cli"))]

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::Instant;

use crate::common::runs::{PATIENCE, end, signal, thread_named, until};
use crate::common::{queens, texts};
use queens::ledger::{Ledger, store::Store};
use queens::{EngineKind, Request, Shard, Size};
use rustix::process::Signal;

/// A checkpoint of a board whose units take longer than the test.
fn checkpoint(path: &Path) {
    let request = Request::solutions(Size::new(20).unwrap()).engine(EngineKind::Naive);
    let mut ledger = Ledger::new(request.fingerprint().unwrap(), Shard::WHOLE);
    for unit in ledger.todo() {
        ledger.record(unit, 8.into()).unwrap();
    }
    Store::open(path.join("c")).unwrap().save(&ledger).unwrap();
}

/// The boards of a range have one progress, of the board that is counted, and each that is asked for is shown once.
#[test]
fn sigusr1_is_answered_once() {
    let folder = tempfile::tempdir().unwrap();
    // No machine comes to its end.
    let mut child = queens(folder.path(), "count 12-20 --engine naive --progress never").spawn().unwrap();
    let mut rows = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut shown = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    for row in ["12 14200", "13 73712"] {
        assert_eq!(rows.next().unwrap().unwrap(), row);
        // Until the board of the row before is no longer shown.
        until("the next board", || {
            signal(&child, Signal::USR1);
            let line = shown.next().unwrap();
            assert!(line.starts_with("N = ") && line.contains(" so far"), "{line}");
            line[4..6].parse::<u32>().unwrap() > row[..2].parse().unwrap()
        });
    }
    signal(&child, Signal::TERM);
    // Each was asked for once; a second answer would be among the last lines.
    assert!(shown.all(|line| !line.contains(" so far")));
    assert_eq!(end(child).status.signal(), Some(Signal::TERM.as_raw()));
}

#[test]
fn sigusr1_shows_how_far_it_is() {
    let folder = tempfile::tempdir().unwrap();
    checkpoint(folder.path());
    let lines = [
        ("verify --engine naive 18-18", "N = 18, naive: "),
        ("verify --symmetry half 30-30", "N = 30, half turn: "),
        ("profile 20", "N = 20, profile: "),
        ("audit c", "N = 20, naive: "),
        ("bench 18 --engine naive", "N = 18, naive, "),
        ("estimate 24 --engine backtrack --samples 1000000000 --max-time 1h", "N = 24: "),
        ("solutions 20 -o all", "N = 20: "),
        ("solutions 20 --skip 30000000000", "N = 20: "),
        ("show --number 30000000000 20", "N = 20: "),
        // Its bar would be among the solutions, so it is another activity that answers.
        ("solutions 20", "N = 20: "),
        ("count 18 --engine naive", "N = 18, naive"),
    ];
    for (line, title) in lines {
        for progress in ["", " --progress never"] {
            if line.starts_with("show") && !progress.is_empty() {
                continue;
            }
            let mut child = queens(folder.path(), &format!("{line}{progress}")).spawn().unwrap();
            thread_named("printer", &child);
            thread_named("signals", &child);
            signal(&child, Signal::USR1);
            // Notes may come first, and so may the state before the work has begun.
            let start = Instant::now();
            let shown = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
            for shown in shown.filter(|shown| shown.contains(" so far")) {
                if shown.starts_with(title) {
                    break;
                }
                assert!(start.elapsed() < PATIENCE, "{line}: {shown}");
                signal(&child, Signal::USR1);
            }
            signal(&child, Signal::TERM);
            let ended = end(child);
            assert_eq!(ended.status.signal(), Some(Signal::TERM.as_raw()), "{line}: {:?}", texts(&ended));
        }
    }
}
