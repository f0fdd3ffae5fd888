//! Long runs that are killed or stopped at any moment: no work is lost, and no total is ever wrong.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use queens::internals::{Weighted, engines, plan_of};
use queens::ledger::Partial;
use queens::{EngineKind, Method, Placement, Size};
use rustix::process::Signal;

use crate::common::{Running, files, output, queens, reached, read, texts, total, until};

/// Kills with SIGKILL at random moments and goes on by the same command, until it was killed so many times.
fn kill_and_go_on(folder: &Path, line: &str, file: &str, kills: usize, check: impl Fn(&str)) {
    let (mut killed, mut midway, mut units) = (0, 0, 0);
    let place = folder.join(file);
    // Longer and longer where the machine is too slow to save anything in that time.
    let mut longest = Duration::from_millis(60);
    while killed < kills || midway == 0 {
        let run = Running::start(queens(folder, line));
        sleep(longest.mul_f64(fastrand::f64()));
        run.signal(Signal::KILL);
        let result = run.end();
        if result.status.success() {
            check(std::str::from_utf8(&result.stdout).unwrap());
            units = 0;
            fs::remove_file(&place).unwrap();
            continue;
        }
        let (code, out, err) = texts(&result);
        assert_eq!((code, result.status.signal()), (None, Some(9)), "{err}");
        // Killed between its last line and its end, it has printed the total.
        if !out.is_empty() {
            check(&out);
        }
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
    let (code, out, err) = output(folder, line);
    assert_eq!(code, Some(0), "{err}");
    check(&out);
}

#[test]
fn killed_at_random_moments_the_total_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let line = "count 14 --engine naive -t 2 --checkpoint c --checkpoint-every 1ms";
    kill_and_go_on(path, line, "c", 50, |out| assert_eq!(out, total(14)));
    assert_eq!(output(path, "count 14 --engine naive -t 2 --checkpoint whole -q").1, total(14));
    let tallies = |name: &str| read(&path.join(name)).tallies().collect::<Vec<_>>();
    assert_eq!(tallies("c"), tallies("whole"), "the same units with the same tallies");
    assert!(files(path).iter().eq(["c", "whole"]), "nothing is left lying about");
}

#[test]
fn two_shards_side_by_side_are_killed_and_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::thread::scope(|scope| {
        for k in [1, 2] {
            scope.spawn(move || {
                let line =
                    format!("count 14 --engine naive -t 1 --shard {k}/2 --checkpoint c{k} --checkpoint-every 1ms");
                kill_and_go_on(path, &line, &format!("c{k}"), 15, |out| assert_eq!(out, "", "a part is not the count"));
            });
        }
    });
    let (code, out, err) = output(path, "merge c1 c2");
    assert_eq!((code, out), (Some(0), total(14)), "{err}");
}

/// Saved while units are in hand and stopped there, with ever other numbers of threads: what the file says of a unit's
/// first tasks is what these count, and at the end the total is right.
#[test]
fn stopped_within_units_each_task_counts_once() {
    // The smallest board that is not over before this machine has stopped it.
    (16..=20).find(|&n| parts_count_once(n) > 0).expect("a run is stopped within a unit");
}

/// Returns how many units were stopped within.
fn parts_count_once(n: usize) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c");
    let empty = Placement::empty(Size::new(n).unwrap());
    let plan = plan_of(EngineKind::Join, &empty);
    let mut engine = engines(Method::choose(Some(EngineKind::Join), None, &empty).unwrap(), empty.size())();
    let mut parts = 0;
    for threads in [2, 1, 3, 2, 1] {
        let before = reached(&file);
        let line = format!("count {n} --engine join -t {threads} --checkpoint c --checkpoint-every 1ms");
        let mut run = Running::start(queens(folder.path(), &line));
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
    parts
}
