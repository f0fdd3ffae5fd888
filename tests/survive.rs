//! Long runs that are killed, stopped, refused or out of disk: no work is lost and no total is ever wrong.

#![cfg(all(unix, feature = "cli"))]

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use common::runs::{end, signal, total, until};
use common::{output, queens, skipped, tallies, texts};
use queens::engine::Engine;
use queens::engine::join::Join;
use queens::engine::lanes::{Lanes, Portable};
use queens::ledger::store::{self, Store};
use queens::ledger::{Ledger, Partial};
use queens::plan::Plan;
use queens::plan::halves::HalvesPlan;
use queens::{Request, Shard, Size};
use rustix::process::{Pid, Signal, kill_process};

/// A count of some hundred milliseconds, saved all the time.
const LINE: &str = "count 15 --engine backtrack --threads 2 --checkpoint c --checkpoint-every 1ms --resume";

/// What a whole count says on stderr.
const AGREES: &str = "agrees with OEIS A000170\n";

/// Kills with SIGKILL at random moments, `kills` times, and resumes until done as often as that takes.
fn kill_and_resume(folder: &Path, line: &str, file: &str, kills: usize, check: impl Fn(&str)) {
    let (mut killed, mut midway, mut finished, mut units) = (0, 0, 0, 0);
    // Longer and longer where the machine is too slow to save anything in that time.
    let mut longest = Duration::from_millis(60);
    while killed < kills || midway == 0 {
        let mut child = queens(folder, line).spawn().unwrap();
        sleep(longest.mul_f64(fastrand::f64()));
        child.kill().unwrap();
        let result = child.wait_with_output().unwrap();
        if result.status.success() {
            check(std::str::from_utf8(&result.stdout).unwrap());
            finished += 1;
            units = 0;
            fs::remove_file(folder.join(file)).unwrap();
            continue;
        }
        let (code, out, err) = texts(&result);
        assert_eq!((code, result.status.signal(), out.as_str()), (None, Some(9), ""), "{err}");
        killed += 1;
        longest += longest / 20 * u32::from(midway == 0);
        // Once it is there it is always there, and never loses a unit.
        if units > 0 || folder.join(file).exists() {
            let found = tallies(&folder.join(file)).len();
            assert!(found >= units, "{found} units after {units}");
            midway += usize::from(found > units);
            units = found;
        }
    }
    let (code, out, err) = output(folder, line);
    assert_eq!(code, Some(0), "{err}");
    check(&out);
    println!("{file}: {killed} kills, {midway} of them after more units were saved, {} runs to the end", finished + 1);
}

#[test]
fn killed_at_random_moments_the_total_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 15 --engine backtrack --threads 2 --checkpoint whole").1, total(15));
    kill_and_resume(path, LINE, "c", 50, |out| assert_eq!(out, total(15)));
    assert_eq!(tallies(&path.join("c")), tallies(&path.join("whole")), "the same units with the same tallies");
    let mut names: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["c", "whole"], "nothing is left lying about");
}

/// Saved while units are in hand and stopped there, with ever other numbers of threads: what the file says of a unit's first
/// tasks is what these count, and at the end the total is right.
#[test]
fn stopped_within_units_each_task_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let size = Size::new(17).unwrap();
    let (plan, join) = (HalvesPlan::new(size), Join::new(size, Portable::detect().unwrap()));
    let mut worker = join.worker();
    let mut parts = 0;
    for threads in [2, 1, 3, 2, 1] {
        let line = format!("count 17 --threads {threads} --checkpoint c --checkpoint-every 1ms --resume");
        let mut child = queens(path, &line).spawn().unwrap();
        let saved = || fs::read_to_string(path.join("c")).unwrap_or_default();
        let before = saved();
        until("a save with a part of a unit", || {
            let now = saved();
            (now != before && now.contains("\npart ")) || child.try_wait().unwrap().is_some()
        });
        signal(&child, Signal::TERM);
        let (_, _, err) = texts(&child.wait_with_output().unwrap());
        let ledger = store::read(&path.join("c")).unwrap();
        // Each thread has one unit in hand, and there are those that earlier runs had.
        let saved = ledger.partials().count();
        assert!(saved == 0 || err.contains(&format!(" and parts of {saved} more; go on with")), "{err}");
        for (unit, partial) in ledger.partials() {
            let mut sum = 0;
            for weighted in plan.unit(unit).take(partial.tasks as usize) {
                sum += u128::from(weighted.weight) * u128::from(join.count(&mut worker, &weighted.task));
            }
            assert_eq!(partial.tally.get(), sum, "unit {unit}, its first {} tasks", partial.tasks);
            parts += 1;
        }
    }
    assert!(parts > 0, "no run was stopped within a unit");
    assert_eq!(output(path, "count 17 --threads 2 --checkpoint c --resume -q").1, total(17));
    assert_eq!(store::read(&path.join("c")).unwrap().partials().count(), 0);
}

/// Whatever a file says of parts of units: a double check sees what is wrong, and the part is not gone on with again.
#[test]
fn a_wrong_part_is_found_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let request = Request::solutions(Size::new(17).unwrap());
    let mut ledger = Ledger::new(request.fingerprint().unwrap(), Shard::WHOLE);
    ledger.record_partial(5, Partial { tasks: 2, tally: 1_000_000.into() }).unwrap();
    Store::open(path.join("c")).unwrap().save(&ledger).unwrap();
    let line = "count 17 --threads 1 --checkpoint c --resume -q";
    let (code, out, err) = output(path, &format!("{line} --double-check 100%"));
    assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
    assert!(err.contains("counted twice with different results") && err.contains("unit 5"), "{err}");
    assert_eq!(output(path, line), (Some(0), total(17), String::new()));
    // More tasks than the unit has are none of this plan.
    ledger.record_partial(6, Partial { tasks: 1_000_000, tally: 1.into() }).unwrap();
    Store::open(path.join("c")).unwrap().save(&ledger).unwrap();
    let (code, _, err) = output(path, line);
    assert_eq!(code, Some(1));
    assert!(
        err.contains("unit 6 has ") && err.contains(" tasks, and 1000000 of them are said to be finished"),
        "{err}"
    );
}

/// A watchdog's signal, or a failed allocation, at random moments: exit code 1, and what was saved is gone on with.
#[test]
fn aborted_at_random_moments_the_total_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (mut aborted, mut midway, mut saved) = (0, 0, 0);
    let mut longest = Duration::from_millis(60);
    while aborted < 20 || midway < 5 {
        // A run that was aborted leaves its lock.
        let _ = fs::remove_file(path.join(".c.lock"));
        let mut child = queens(path, LINE).spawn().unwrap();
        until("a run that has begun", || path.join(".c.lock").exists() || child.try_wait().unwrap().is_some());
        sleep(longest.mul_f64(fastrand::f64()));
        // It may have ended by now.
        let _ = kill_process(Pid::from_child(&child), Signal::ABORT);
        let result = end(child);
        let (code, out, err) = texts(&result);
        if code == Some(0) {
            assert_eq!(out, total(15));
            fs::remove_file(path.join("c")).unwrap();
            saved = 0;
            continue;
        }
        // Aborted between its last line and its end, it has printed the total.
        assert!(out.is_empty() || out == total(15), "{out}{err}");
        assert_eq!((code, result.status.signal()), (Some(1), None), "{err}");
        aborted += 1;
        let found = if path.join("c").exists() { tallies(&path.join("c")).len() } else { 0 };
        assert!(found >= saved, "{found} units after {saved}");
        midway += usize::from(found > saved);
        longest += longest / 20 * u32::from(found == saved);
        saved = found;
    }
    assert_eq!(output(path, LINE).1, total(15));
}

#[test]
fn two_shards_in_parallel_are_killed_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::thread::scope(|scope| {
        for k in [1, 2] {
            scope.spawn(move || {
                let line = format!(
                    "count 15 --engine backtrack --threads 1 --shard {k}/2 --out out{k} --checkpoint c{k} \
                     --checkpoint-every 1ms"
                );
                let out = path.join(format!("out{k}"));
                kill_and_resume(path, &line, &format!("c{k}"), 25, |_| fs::remove_file(&out).unwrap());
                // The last run's result was removed with the others; its checkpoint is complete.
                assert_eq!(output(path, &line).0, Some(0));
            });
        }
    });
    let (code, out, err) = output(path, "merge out1 out2");
    assert_eq!((code, out), (Some(0), total(15)), "{err}");
}

#[test]
fn signals_save_say_how_to_resume_and_end_the_process() {
    for (sent, number, name) in [(Signal::INT, 2, "SIGINT"), (Signal::TERM, 15, "SIGTERM")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        // Long enough to be interrupted on any machine; some units are finished by an earlier run.
        let line = "count 16 --engine naive --threads 2 --checkpoint c --checkpoint-every 1ms";
        let child = started(path, line);
        signal(&child, sent);
        let result = child.wait_with_output().unwrap();
        let (code, out, err) = texts(&result);
        assert_eq!((code, result.status.signal(), out.as_str()), (None, Some(number), ""), "{err}");
        let last: serde_json::Value = serde_json::from_str(err.lines().last().unwrap()).unwrap();
        assert_eq!((&last["event"], &last["reason"]), (&"saved".into(), &name.into()), "{err}");
        let command = last["resume"].as_str().unwrap();
        assert!(command.ends_with(
            "count --resume 16 --engine naive --threads 2 --checkpoint c --checkpoint-every 1ms --progress json"
        ));
        // The command is exact: a shell takes it as it is. With the time up at once it only saves again.
        let resumed =
            Command::new("sh").args(["-c", &format!("{command} --max-time 1ms")]).current_dir(path).output().unwrap();
        let (code, out, err) = texts(&resumed);
        assert!(
            out.is_empty() && err.contains("\"event\":\"saved\"") && err.contains("\"the time is up\""),
            "{code:?} {err}"
        );
        // As it is told to people.
        let told = output(path, &format!("{line} --resume --max-time 1ms")).2;
        assert!(told.contains("the time is up: saved "), "{told}");
        assert!(told.contains(&format!("queens {line} --resume --max-time 1ms\n")), "{told}");
    }
}

/// A run that has begun to count.
fn started(folder: &Path, line: &str) -> Child {
    let mut child = queens(folder, &format!("{line} --progress json")).spawn().unwrap();
    let mut first = String::new();
    // Unbuffered beyond the first line, so that the rest of stderr is still there for the caller.
    let mut reader = BufReader::with_capacity(1, child.stderr.take().unwrap());
    reader.read_line(&mut first).unwrap();
    assert!(first.contains("\"event\":\"progress\""), "{first}");
    child.stderr = Some(reader.into_inner());
    child
}

#[test]
fn without_a_checkpoint_a_signal_says_what_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let child = started(folder.path(), "count 20 --engine naive --threads 1");
    signal(&child, Signal::TERM);
    let result = child.wait_with_output().unwrap();
    assert_eq!(result.status.signal(), Some(15));
    let err = texts(&result).2;
    let last: serde_json::Value = serde_json::from_str(err.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["event"], &last["reason"], &last["resume"]),
        (&"stopped".into(), &"SIGTERM".into(), &serde_json::Value::Null)
    );
}

#[test]
fn when_the_time_is_up_it_stops_and_goes_on_later() {
    let folder = tempfile::tempdir().unwrap();
    let (mut stops, mut budget) = (0, 100);
    loop {
        let line = format!("count 14 --engine naive --threads 2 --checkpoint c --resume --max-time {budget}ms");
        let (code, out, err) = output(folder.path(), &line);
        if code == Some(0) {
            assert_eq!(out, total(14));
            break;
        }
        assert!(out.is_empty() && err.contains("the time is up: saved "), "{err}");
        // Too short for a unit on this machine, a second time.
        if code == Some(1) {
            budget *= 2;
            continue;
        }
        assert_eq!(code, Some(75), "{err}");
        stops += 1;
    }
    assert!(stops > 0, "the count was over before the time was up");
}

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

#[test]
fn a_checkpoint_goes_on_only_where_it_belongs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let base = "count 9 --engine backtrack --checkpoint c";
    assert_eq!(output(path, base).0, Some(0));
    let saved = fs::read(path.join("c")).unwrap();
    let refused = |line: &str, reason: &str| {
        let (code, out, err) = output(path, line);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{line}");
        assert_eq!(err, format!("error: {reason}\n"), "{line}");
        assert_eq!(fs::read(path.join("c")).unwrap(), saved, "left as it was: {line}");
    };
    refused(base, "c: there is a checkpoint already; go on from it with --resume or remove it");
    refused("count 10 --engine backtrack --checkpoint c --resume", "c: it is for N = 9, not 10");
    refused("count 9 --engine naive --checkpoint c --resume", "c: it is for the engine backtrack, not naive");
    refused(
        "count 9 --engine backtrack --prefix 1 --checkpoint c --resume",
        "c: it is for the prefix of no queens, not 1",
    );
    refused(
        "count 9 --engine backtrack --shard 1/2 --out o --checkpoint c --resume",
        "c: it is for shard 1/1, not 1/2",
    );
    // Another number of threads is no other count.
    let again = output(path, "count 9 --engine backtrack --checkpoint c --resume --threads 3");
    assert_eq!(again, (Some(0), total(9), AGREES.to_owned()));
    // A mistyped name does not pass in silence.
    let (code, out, err) = output(path, "count 9 --checkpoint d --resume");
    assert_eq!((code, out), (Some(0), total(9)));
    assert_eq!(err, format!("d: there is no checkpoint yet; counting from the beginning\n{AGREES}"));

    let bad = |contents: &[u8], reason: &str| {
        fs::write(path.join("bad"), contents).unwrap();
        let (code, _, err) = output(path, "count 9 --engine backtrack --checkpoint bad --resume");
        assert_eq!((code, err), (Some(1), format!("error: bad: {reason}\n")));
        assert_eq!(fs::read(path.join("bad")).unwrap(), contents);
    };
    let mut flipped = saved.clone();
    flipped[saved.len() / 2] ^= 1;
    bad(&flipped, "damaged: its checksum does not fit its contents");
    bad(&saved[..saved.len() / 2], "cut short: its last line is not a checksum");
    bad(b"", "cut short: its last line is not a checksum");
    bad(b"queens ledger 4\nn 9\n", "ledger format 4; this program reads formats 1 to 3");
    let (code, _, err) = output(path, "count 9 --checkpoint . --resume");
    assert_eq!((code, err.as_str()), (Some(1), "error: .: not a regular file\n"));
}

#[test]
fn a_damaged_newest_save_falls_back_to_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // Stopped early, two saves are there.
    let (code, _, err) =
        output(path, "count 20 --engine naive --checkpoint c --checkpoint-every 10ms --max-time 200ms");
    assert_eq!(code, Some(75), "{err}");
    fs::copy(path.join(".c.previous"), path.join("before")).unwrap();
    fs::write(path.join("c"), "queens ledger 1\nn 20\n").unwrap();
    let (code, _, err) = output(path, "count 20 --engine naive --checkpoint c --resume --max-time 1ms");
    assert_eq!(code, Some(1), "no unit was finished: {err}");
    let warning = "warning: c: cut short: its last line is not a checksum; going on from the save before it\n";
    assert!(err.starts_with(warning), "{err}");
    assert_eq!(tallies(&path.join("c")), tallies(&path.join("before")));
}

#[test]
fn two_runs_do_not_share_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut first = started(path, "count 20 --engine naive --checkpoint c");
    let (code, _, err) = output(path, "count 20 --engine naive --checkpoint c --resume");
    assert_eq!((code, err.as_str()), (Some(1), "error: c: in use by another run\n"));
    first.kill().unwrap();
    first.wait().unwrap();
    // A run that was killed holds no lock.
    let (_, _, err) = output(path, "count 20 --engine naive --checkpoint c --resume --max-time 1ms");
    assert!(err.starts_with("the time is up: saved 0 of "), "{err}");
}

/// A quota on the size of files stands for a full disk: the first save fits, later ones do not.
#[test]
fn a_failed_save_neither_stops_the_count_nor_harms_the_save_before() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("ulimit -f 1; exec {} {LINE}", env!("CARGO_BIN_EXE_queens"));
    let run =
        Command::new("sh").args(["-c", &script]).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap();
    let (code, out, err) = texts(&run);
    assert_eq!((code, out), (Some(0), total(15)), "{err}");
    assert!(err.contains("File too large") && err.contains("the count goes on"), "{err}");
    let kept = tallies(&folder.path().join("c")).len();
    // Gone on with and without the quota, it still ends well.
    assert_eq!(output(folder.path(), LINE), (Some(0), total(15), AGREES.to_owned()));
    assert!(kept < tallies(&folder.path().join("c")).len());
}

/// The same on a real file system that is full, where this machine lets the script mount one.
#[test]
fn a_full_disk_loses_nothing() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/full-disk");
    let run = Command::new(script).arg(env!("CARGO_BIN_EXE_queens")).output().unwrap();
    let (code, out, err) = texts(&run);
    if code == Some(77) {
        return skipped(&err);
    }
    assert_eq!(code, Some(0), "{out}{err}");
}

#[test]
fn options_that_do_not_go_together() {
    let folder = tempfile::tempdir().unwrap();
    for (line, reason) in [
        ("--resume", "--checkpoint <FILE>"),
        ("--max-time 1s", "--checkpoint <FILE>"),
        ("--shard 1/2", "--out <FILE>"),
        ("--out o", "--shard <K/M>"),
        ("--shard 3/2 --out o", "a shard is K/M with 1 ≤ K ≤ M ≤ 1000000"),
        ("--shard 1/2 --out o --checkpoint o", "two files"),
        ("--checkpoint c --max-time 5", "a time is more than zero and has a unit"),
        ("--checkpoint c --checkpoint-every 0s", "a time is more than zero and has a unit"),
        ("--double-check 101%", "a share is from 0% to 100%"),
        ("--progress some", "[possible values: auto, always, never, json]"),
    ] {
        let (code, out, err) = output(folder.path(), &format!("count 8 {line}"));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{line}: {err}");
        // A missing option shows the usage too.
        let (error, rest) = err.split_once('\n').unwrap();
        assert!(error.contains(reason) && (rest.is_empty() || rest.starts_with("Usage: ")), "{line}: {err}");
    }
}

#[test]
fn units_are_counted_twice_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    for engine in ["backtrack", "naive", "join"] {
        let line = format!("count 10 --engine {engine} --json --double-check");
        let json = |share: &str| -> serde_json::Value {
            serde_json::from_str(&output(folder.path(), &format!("{line} {share}")).1).unwrap()
        };
        let (all, some, none) = (json("100%"), json("0.1"), json("0%"));
        assert_eq!(all["count"], "724");
        assert_eq!(all["double_checked"], all["units"]);
        let units = all["units"].as_u64().unwrap();
        assert_eq!(some["double_checked"].as_u64(), Some(units.div_ceil(10)));
        assert_eq!(none["double_checked"], 0);
    }
}
