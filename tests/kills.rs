//! Long runs that are killed or stopped at any moment: no work is lost, and no total is ever wrong.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::thread::sleep;
use std::time::Duration;

use queens::internals::{Weighted, engines, plan_of};
use queens::ledger::Partial;
use queens::{EngineKind, Method, Placement};
use rustix::process::Signal;

use crate::common::{Running, files, output, queens, reached, read, size, texts, total, until, waiting};

/// Killed with SIGKILL, and gone on with by the same command, until it was killed so many times.
#[test]
fn killed_at_random_moments_the_total_is_right() {
    const KILLS: usize = 50;
    let folder = tempfile::tempdir().unwrap();
    let (path, place) = (folder.path(), folder.path().join("c"));
    let line = "count 14 --engine backtrack -t 2 --checkpoint c --checkpoint-every 1ms";
    let (mut killed, mut midway, mut units) = (0, 0, 0);
    // Longer and longer where the machine is too slow to save anything in that time.
    let mut longest = Duration::from_millis(60);
    while killed < KILLS || midway == 0 {
        let run = Running::start(waiting(queens(path, line), 5));
        sleep(longest.mul_f64(fastrand::f64()));
        run.signal(Signal::KILL);
        let result = run.end();
        let (code, out, err) = texts(&result);
        if code == Some(0) {
            assert_eq!(out, total(14));
            units = 0;
            fs::remove_file(&place).unwrap();
            continue;
        }
        assert_eq!((code, result.status.signal()), (None, Some(9)), "{err}");
        // Killed between its last line and its end, it has printed the total.
        assert!(out.is_empty() || out == total(14), "{out}");
        killed += 1;
        longest += longest / 20 * u32::from(midway == 0);
        // Once it is there it is always there, and never loses a unit.
        if units > 0 || place.exists() {
            let found = read(&place).finished();
            assert!(found >= units, "{found} units after {units}");
            midway += usize::from(found > units);
            units = found;
        }
    }
    for line in [line, "count 14 --engine backtrack -t 2 --checkpoint whole"] {
        assert_eq!(output(path, &format!("{line} -q")), (Some(0), total(14), String::new()));
    }
    let tallies = |name: &str| read(&path.join(name)).tallies().collect::<Vec<_>>();
    assert_eq!(tallies("c"), tallies("whole"), "the same units with the same tallies");
    assert!(files(path).iter().eq(["c", "whole"]), "nothing is left lying about");
}

/// Saved while units are in hand and stopped there, with ever other numbers of threads: what the file says of a unit's
/// first tasks is what these count, and at the end the total is right.
#[test]
fn stopped_within_units_each_task_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c");
    // Its units have some tasks each.
    let (n, empty) = (15, Placement::empty(size(15)));
    let plan = plan_of(EngineKind::Join, &empty);
    let mut engine = engines(Method::choose(Some(EngineKind::Join), None, &empty).unwrap(), empty.size())();
    let mut parts = 0;
    for threads in [2, 1, 3, 2, 1] {
        let before = reached(&file);
        let line = format!("count {n} --engine join -t {threads} --checkpoint c --checkpoint-every 1ms");
        let mut run = Running::start(waiting(queens(folder.path(), &line), 5));
        let has_part = || file.exists() && reached(&file) > before && read(&file).partials().count() > 0;
        until("a save with a part of a unit", || has_part() || run.has_ended());
        run.signal(Signal::TERM);
        run.end();
        for (unit, Partial { tasks, tally }) in read(&file).partials() {
            let count = |Weighted { task, weight }| u128::from(weight) * u128::from(engine.count(&task));
            let sum: u128 = plan.unit(unit, 0).take(tasks as usize).map(count).sum();
            assert_eq!(tally, sum, "unit {unit}, its first {tasks} tasks");
            parts += 1;
        }
    }
    assert_eq!(output(folder.path(), &format!("count {n} -t 2 --checkpoint c -q")).1, total(n));
    assert_eq!(read(&file).partials().count(), 0);
    assert!(parts > 0, "no run was stopped within a unit");
}
