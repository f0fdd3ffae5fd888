//! Runs that are killed or stopped again and again lose no work and end with the right total.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;

use crate::common::{Running, delay, files, output, queens, read, texts, total};

/// Each run begins where the one before it was killed or stopped, on another number of threads.
#[test]
fn runs_interrupted_at_random_moments_count_each_task_once() {
    // A unit of backtracking has one task for this N.
    interrupt_and_resume(14, "backtrack", 0);
    interrupt_and_resume(15, "join", 1);
}

/// At least `wanted` partial units are saved, which takes more interruptions on a busy machine.
fn interrupt_and_resume(n: usize, engine: &str, wanted: usize) {
    const INTERRUPTIONS: usize = 25;
    let folder = tempfile::tempdir().unwrap();
    let (path, file) = (folder.path(), folder.path().join("c"));
    let count = format!("count {n} --engine {engine} --checkpoint");
    let (mut interrupted, mut with_more, mut partial, mut units) = (0, 0, 0, 0);
    // Longer and longer where the machine is too slow to save anything in that time.
    let mut longest = Duration::from_millis(60);
    while interrupted < INTERRUPTIONS || (with_more == 0 || partial < wanted) && interrupted < 20 * INTERRUPTIONS {
        let threads = fastrand::u8(1..=3);
        let run = Running::start(delay(queens(path, &format!("{count} c --checkpoint-every 1ms -t {threads}")), 5));
        sleep(longest.mul_f64(fastrand::f64()));
        run.signal(fastrand::choice([Signal::KILL, Signal::TERM]).unwrap());
        let (code, out, err) = texts(&run.end());
        if code == Some(0) {
            assert_eq!(out, total(n));
            units = 0;
            fs::remove_file(&file).unwrap();
            continue;
        }
        assert_eq!(code, None, "{err}");
        // A run that is killed between its last line and its end has printed the total.
        assert!(out.is_empty() || out == total(n), "{out}");
        interrupted += 1;
        longest += longest / 20 * u32::from(with_more == 0);
        // Once there is a file, there always is one, and it never loses a unit.
        if units > 0 || file.exists() {
            let ledger = read(&file);
            assert!(ledger.finished() >= units, "{} units after {units}", ledger.finished());
            with_more += usize::from(ledger.finished() > units);
            partial += ledger.partials().count();
            units = ledger.finished();
        }
    }
    for name in ["c", "whole"] {
        assert_eq!(output(path, &format!("{count} {name} -q")), (Some(0), total(n), String::new()));
    }
    let tallies = |name: &str| read(&path.join(name)).tallies().collect::<Vec<_>>();
    assert_eq!(tallies("c"), tallies("whole"), "the same units have the same tallies");
    assert!(files(path).iter().eq(["c", "whole"]), "temporary files are left");
    assert!(partial >= wanted, "no run was interrupted within a unit");
}
