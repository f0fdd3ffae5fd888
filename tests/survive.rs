//! Long runs that are killed, aborted, stopped or out of disk: no work is lost and no total is ever wrong.

#![cfg(all(unix, feature = "cli"))]

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::common::runs::{AGREES, LINE as ENDLESS, end, reached, replaced, signal, started, total, until};
use crate::common::{output, queens, skipped, tallies, texts};
use queens::Size;
use queens::engine::Engine;
use queens::engine::join::Join;
use queens::engine::lanes::{Lanes, Portable};
use queens::ledger::store;
use queens::plan::Plan;
use queens::plan::halves::HalvesPlan;
use rustix::process::{Pid, Signal, kill_process};

/// A count of some hundred milliseconds, saved all the time.
const LINE: &str = "count 15 --engine backtrack --threads 2 --checkpoint c --checkpoint-every 1ms --resume";

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
        assert_eq!((code, result.status.signal()), (None, Some(9)), "{err}");
        // Killed between its last line and its end, it has printed the total.
        if !out.is_empty() {
            check(&out);
        }
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
    // The smallest board that is not over before this machine has stopped it.
    (16..=20).find(|&n| parts_count_once(n) > 0).expect("a run is stopped within a unit");
}

/// Returns how many units were stopped within.
fn parts_count_once(n: usize) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let size = Size::new(n).unwrap();
    let (plan, join) = (HalvesPlan::new(size), Join::new(size, Portable::detect().unwrap()));
    let mut worker = join.worker();
    let mut parts = 0;
    for threads in [2, 1, 3, 2, 1] {
        let line = format!("count {n} --threads {threads} --checkpoint c --checkpoint-every 1ms --resume");
        let mut child = queens(path, &line).spawn().unwrap();
        let saved = || {
            let text = fs::read_to_string(path.join("c")).unwrap_or_default();
            // The first save of a run has its record, and with it another checksum.
            let is_work = |line: &&str| line.starts_with("unit ") || line.starts_with("part ");
            text.lines().filter(is_work).collect::<Vec<_>>().join("\n")
        };
        let before = saved();
        until("a save with a part of a unit", || {
            let now = saved();
            (now != before && now.contains("\npart ")) || child.try_wait().unwrap().is_some()
        });
        // It may have ended by now.
        let _ = kill_process(Pid::from_child(&child), Signal::TERM);
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
    assert_eq!(output(path, &format!("count {n} --threads 2 --checkpoint c --resume -q")).1, total(n));
    assert_eq!(store::read(&path.join("c")).unwrap().partials().count(), 0);
    parts
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
        let line = ENDLESS;
        let child = started(path, line);
        signal(&child, sent);
        let result = child.wait_with_output().unwrap();
        let (code, out, err) = texts(&result);
        assert_eq!((code, result.status.signal(), out.as_str()), (None, Some(number), ""), "{err}");
        let last: serde_json::Value = serde_json::from_str(err.lines().last().unwrap()).unwrap();
        assert_eq!((&last["event"], &last["reason"]), (&"saved".into(), &name.into()), "{err}");
        let command = last["resume"].as_str().unwrap();
        assert!(command.ends_with(&format!("queens {line} --progress json --resume")), "{command}");
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
        // Behind it there is a time where that is no shorter than a task, which depends on the machine.
        assert!(told.contains(&format!("queens {line} --resume")), "{told}");
    }
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
    let (mut stops, mut budget) = (0, 1);
    loop {
        let line = format!("count 14 --engine naive --threads 2 --checkpoint c --resume --max-time {budget}ms");
        let (code, out, err) = output(folder.path(), &line);
        if code == Some(0) {
            assert_eq!(out, total(14));
            break;
        }
        assert!(out.is_empty() && err.contains("the time is up: saved "), "{err}");
        // Too short for a task on this machine, a second time.
        assert!(matches!(code, Some(75 | 1)), "{err}");
        stops += u32::from(reached(folder.path()) > (0, 0));
        budget *= 2;
    }
    assert!(stops > 0, "the count was over before the time was up");
}

/// What the file system has of a save when it is told to keep it: first the whole file, not yet under its name, and then,
/// of its folder, the name.
#[test]
#[cfg(target_os = "linux")]
fn what_is_saved_is_synced_first() {
    const LOGGED: &str = r#"
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
int fsync(int file) {
    struct stat synced, named = {0};
    fstat(file, &synced);
    stat("c", &named);
    FILE *log = fopen("log", "a");
    fprintf(log, "%d %lu %lu %ld\n", S_ISDIR(synced.st_mode), synced.st_ino, named.st_ino, synced.st_size);
    fclose(log);
    return syscall(SYS_fsync, file);
}
"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let result = end(replaced(path, "count 9 --checkpoint c", LOGGED).spawn().unwrap());
    assert_eq!(texts(&result), (Some(0), total(9), AGREES.to_owned()));
    let log = fs::read_to_string(path.join("log")).unwrap();
    let calls: Vec<Vec<u64>> =
        log.lines().map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect()).collect();
    assert!(calls.len() >= 4 && calls.len().is_multiple_of(2), "{log}");
    for save in calls.chunks(2) {
        let ([0, file, before, size], [1, _, after, _]) = (&save[0][..], &save[1][..]) else { panic!("{log}") };
        assert!(*size > 0 && before != file && after == file, "{log}");
    }
    let about = fs::metadata(path.join("c")).unwrap();
    assert_eq!([about.ino(), about.len()], [calls[calls.len() - 2][1], calls[calls.len() - 2][3]], "{log}");
}

/// A quota on the size of files stands for a full disk: the first save fits, later ones do not.
#[test]
fn a_failed_save_neither_stops_the_count_nor_harms_the_save_before() {
    let folder = tempfile::tempdir().unwrap();
    // Long enough for several saves: of a single one that fails at the end, nothing goes on.
    // On a slow machine a run of ten seconds would be told what it takes.
    let line = LINE.replace("15", "17") + " --progress never";
    let script = format!("ulimit -f 1; exec {} {line}", env!("CARGO_BIN_EXE_queens"));
    let run =
        Command::new("sh").args(["-c", &script]).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap();
    let (code, out, err) = texts(&run);
    // The total is printed; that the file has only a part of it is a failure, and the last word.
    assert_eq!((code, out), (Some(1), total(17)), "{err}");
    assert!(err.contains("File too large") && err.contains("the count goes on"), "{err}");
    let kept = tallies(&folder.path().join("c")).len();
    // Gone on with and without the quota, it still ends well.
    assert_eq!(output(folder.path(), &line), (Some(0), total(17), AGREES.to_owned()));
    let units = tallies(&folder.path().join("c")).len();
    let last = format!("error: c has {kept} of {units} units; make room, and --resume counts the rest\n");
    assert!(kept < units && err.ends_with(&last), "{err}");
}

/// The same on a real file system that is full, where this machine lets the script mount one.
#[test]
fn a_full_disk_loses_nothing() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/faults");
    let run = Command::new(script).arg("full-disk").env("QUEENS", env!("CARGO_BIN_EXE_queens")).output().unwrap();
    let (code, out, err) = texts(&run);
    if code == Some(77) {
        return skipped(&err);
    }
    assert_eq!(code, Some(0), "{out}{err}");
}
