//! What becomes of files beside a run: deleted, read, linked and private ones, those without an end and those of others.

#![cfg(all(unix, feature = "cli"))]

use std::env;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command};

use crate::common::runs::{LINE, counting, end, reached, signal, total, until};
use crate::common::{output, queens, texts};
use queens::ledger::store;
use rustix::process::Signal;

/// A named pipe.
fn pipe(folder: &Path, name: &str) {
    assert!(Command::new("mkfifo").arg(folder.join(name)).status().unwrap().success());
}

#[test]
fn a_checkpoint_deleted_in_mid_run_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let line = "count 17 --engine backtrack --threads 2 --checkpoint c --checkpoint-every 1ms --progress never";
    let child = queens(path, line).spawn().unwrap();
    let mut before = (0, 0);
    for _ in 0..3 {
        until("a save with more than the one before", || reached(path) > before);
        before = reached(path);
        fs::remove_file(path.join("c")).unwrap();
    }
    until("another save", || path.join("c").exists());
    signal(&child, Signal::TERM);
    let (_, _, err) = texts(&end(child));
    assert!(err.starts_with("SIGTERM: saved ") && reached(path) >= before, "{err}");
    // It is gone on with, and nothing is counted twice or not at all.
    assert_eq!(output(path, &format!("{line} --resume -q")), (Some(0), total(17), String::new()));
}

/// Whoever reads the ending must not take for saved what is not.
#[test]
fn a_folder_deleted_in_mid_run_is_told_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let line = "count 20 --engine naive --threads 1 --checkpoint d/c --checkpoint-every 1h --progress never";
    let deleted = |options: &str| {
        fs::create_dir(path.join("d")).unwrap();
        let child = queens(path, &format!("{line} {options}")).spawn().unwrap();
        counting(&child);
        fs::remove_dir_all(path.join("d")).unwrap();
        child
    };
    let child = deleted("");
    signal(&child, Signal::TERM);
    let run = end(child);
    let (code, out, err) = texts(&run);
    assert_eq!((code, run.status.signal(), out.as_str()), (None, Some(15), ""), "{err}");
    let lines: Vec<&str> = err.lines().collect();
    assert!(lines[0].starts_with("warning: d/.c.") && lines[0].ends_with("; the save before is gone"), "{err}");
    assert_eq!(lines[1..], ["SIGTERM: not saved, and the save before is gone"]);
    // A time limit is a reason to begin again only where something was saved.
    let mut runs = (0..6).map(|doubled| texts(&end(deleted(&format!("--max-time {}s", 1 << doubled)))));
    let (_, _, err) = runs.find(|(code, ..)| *code == Some(1)).expect("the time is up after the folder is gone");
    assert!(err.contains("the time is up: not saved, and the save before is gone\n"), "{err}");
}

/// What was done is saved where the run was started, and goes on from there.
#[test]
fn a_folder_renamed_in_mid_run_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let line = "count 18 --engine backtrack --threads 1 --checkpoint d/c --checkpoint-every 50ms";
    let child = queens(path, line).spawn().unwrap();
    let finished = |name: &str| store::read(&path.join(name)).map_or(0, |ledger| ledger.finished());
    until("a save with a unit", || finished("d/c") > 0);
    fs::rename(path.join("d"), path.join("moved")).unwrap();
    signal(&child, Signal::TERM);
    let (_, out, err) = texts(&end(child));
    let resume =
        "queens count 18 --engine backtrack --threads 1 --checkpoint-every 50ms --checkpoint queens-18.ledger --resume";
    assert!(out.is_empty() && err.contains("; the save before is gone\n"), "{err}");
    assert!(err.trim_end().ends_with(resume), "{err}");
    assert!(finished("queens-18.ledger") >= finished("moved/c"), "{err}");
    let before = finished("queens-18.ledger");
    let resumed = "count 18 --engine backtrack --checkpoint queens-18.ledger --resume --checkpoint-every 50ms";
    let child = queens(path, resumed).spawn().unwrap();
    until("a save with more units", || finished("queens-18.ledger") > before);
    signal(&child, Signal::TERM);
    end(child);
}

#[test]
fn a_live_checkpoint_is_whole_at_every_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut child = queens(path, LINE).spawn().unwrap();
    until("the first save", || path.join("c").exists());
    let (mut before, mut growths) = ((0, 0), 0);
    until("saves with more tasks than before", || {
        assert!(child.try_wait().unwrap().is_none(), "it was over before it was read");
        // Many times a look, to meet every moment of a save.
        for _ in 0..20 {
            // Fails where the file is not there or not whole.
            let found = store::read(&path.join("c")).unwrap().reached();
            assert!(found >= before);
            growths += usize::from(found > before);
            before = found;
        }
        growths >= 10
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(reached(path) >= before);
}

#[test]
fn a_live_checkpoint_can_be_merged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let child = queens(path, LINE).spawn().unwrap();
    until("a first task", || reached(path) > (0, 0));
    let (code, out, err) = output(path, "merge c");
    assert_eq!((code, out.as_str()), (Some(4), "1\n"), "{err}");
    signal(&child, Signal::TERM);
    end(child);
}

#[test]
fn two_names_of_one_file_are_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("far")).unwrap();
    symlink("far/c", path.join("c")).unwrap();
    let child = queens(path, LINE).spawn().unwrap();
    until("the first save", || path.join("far/c").exists());
    for name in ["far/c", "c"] {
        let (code, _, err) =
            output(path, &format!("{} --resume", LINE.replace("--checkpoint c", &format!("--checkpoint {name}"))));
        assert_eq!((code, err.contains("in use by another run")), (Some(1), true), "{err}");
    }
    signal(&child, Signal::TERM);
    end(child);
    assert!(path.join("c").is_symlink());
    // By either name it is gone on with to the end.
    let count = "count 14 --threads 1 --checkpoint";
    fs::remove_file(path.join("far/c")).unwrap();
    assert_eq!(output(path, &format!("{count} c")).1, total(14));
    assert_eq!(output(path, &format!("{count} far/c --resume")).1, total(14));
    assert!(path.join("c").is_symlink());
    assert_eq!(output(path, "merge far/c").1, total(14));
    // A lock is no link to somewhere else.
    symlink("elsewhere", path.join(".d.lock")).unwrap();
    let (code, _, err) = output(path, "count 9 --checkpoint d");
    assert_eq!((code, err.starts_with("error: .d.lock: ")), (Some(1), true), "{err}");
    assert!(!path.join("elsewhere").exists());
}

/// Whoever left a link in a shared folder may have led it to a file of the user's own.
#[test]
fn links_that_the_system_does_not_follow_are_not_followed() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/faults");
    let run =
        Command::new(script).arg("links-not-followed").env("QUEENS", env!("CARGO_BIN_EXE_queens")).output().unwrap();
    let (code, out, err) = texts(&run);
    if code == Some(77) {
        println!("skipped: {err}");
        return;
    }
    assert_eq!(code, Some(0), "{out}{err}");
}

/// A pipe under the name of a lock holds up whoever opens it, until somebody opens its other end.
#[test]
fn pipes_in_the_place_of_files_hold_up_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (name, reason) in [
        (".c.lock", ".c.lock: the lock of a ledger must be a regular file; remove this one"),
        ("c", "c: not a regular file"),
    ] {
        pipe(path, name);
        for line in ["count 9 --checkpoint c", "count 9 --checkpoint c --resume", "count 9 --shard 1/2 --out c"] {
            let (code, out, err) = texts(&end(queens(path, line).spawn().unwrap()));
            assert_eq!((code, out.as_str(), err), (Some(1), "", format!("error: {reason}\n")), "{line}");
        }
        fs::remove_file(path.join(name)).unwrap();
        assert_eq!(fs::read_dir(path).unwrap().count(), 0, "nothing else is left");
    }
}

/// What is only read may come from another program.
#[test]
fn what_is_read_may_come_through_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 9 --checkpoint c").0, Some(0));
    assert_eq!(output(path, "bench 6 --engine naive --threads 1 --runs 1 --json=results.json").0, Some(0));
    fs::write(path.join("b"), "8 92\n").unwrap();
    pipe(path, "pipe");
    for (file, line) in [
        ("c", "merge pipe"),
        ("c", "audit pipe"),
        ("b", "verify 0-8 --bfile pipe"),
        ("results.json", "bench --from pipe --markdown"),
    ] {
        let run = queens(path, line).spawn().unwrap();
        fs::write(path.join("pipe"), fs::read(path.join(file)).unwrap()).unwrap();
        let (code, _, err) = texts(&end(run));
        assert_eq!(code, Some(0), "{line}: {err}");
    }
}

/// Who removes a lock file lets another run in: still only one of them saves, and neither writes over the other's save.
#[test]
fn a_lock_file_deleted_in_mid_run_makes_no_two_writers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // Saves when it begins and when it ends.
    let line = "count 20 --engine naive --threads 1 --checkpoint c --checkpoint-every 1h --resume -q";
    let begun = || {
        let child = queens(path, line).spawn().unwrap();
        counting(&child);
        child
    };
    let unlocked = || {
        let child = begun();
        fs::remove_file(path.join(".c.lock")).unwrap();
        child
    };
    let terminated = |child: Child| {
        let file = || fs::metadata(path.join("c")).map(|about| (about.ino(), about.modified().unwrap())).unwrap();
        let before = file();
        signal(&child, Signal::TERM);
        let (code, out, err) = texts(&end(child));
        assert_eq!((code, out.as_str()), (None, ""), "{err}");
        (err, file() != before)
    };
    assert_eq!(output(path, &format!("{line} --max-time 1ms")).0, Some(75));
    // Nobody comes: it saves.
    let (err, has_saved) = terminated(unlocked());
    assert!(has_saved && err.starts_with("SIGTERM: saved "), "{err}");
    // Somebody comes and is still there.
    let first = unlocked();
    let second = begun();
    let (err, has_saved) = terminated(first);
    assert!(!has_saved && err.starts_with("warning: c: in use by another run; "), "{err}");
    assert!(err.contains("\nSIGTERM: not saved; the save before had 0 of 171 units; go on with\n"), "{err}");
    assert_eq!(output(path, line).2, "error: c: in use by another run\n", "the other's lock is left alone");
    assert!(terminated(second).1);
    // Somebody has come and gone.
    let first = unlocked();
    assert!(terminated(begun()).1);
    let (err, has_saved) = terminated(first);
    let reason = "another run saved here after the lock file was removed; its save is kept";
    assert!(!has_saved && err.starts_with(&format!("warning: c: {reason}; ")), "{err}");
    assert!(!path.join(".c.lock").exists());
}

#[test]
fn what_only_its_owner_may_read_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mode = |name: &str| fs::metadata(path.join(name)).unwrap().permissions().mode() & 0o777;
    let private = |name: &str| fs::set_permissions(path.join(name), fs::Permissions::from_mode(0o600)).unwrap();
    output(path, "count 9 --engine naive --checkpoint c --max-time 1ms");
    private("c");
    assert_eq!(output(path, "count 9 --engine naive --checkpoint c --resume").1, total(9));
    assert_eq!(mode("c"), 0o600);
    fs::write(path.join("list"), "").unwrap();
    private("list");
    symlink("list", path.join("link")).unwrap();
    assert_eq!(output(path, "solutions 6 -o link").0, Some(0));
    assert_eq!((mode("list"), path.join("link").is_symlink()), (0o600, true));
    assert_eq!(fs::read_to_string(path.join("list")).unwrap().lines().count(), 4);
    // A link to what is not there yet is followed too.
    symlink("new", path.join("dangling")).unwrap();
    assert_eq!(output(path, "solutions 6 -o dangling").0, Some(0));
    assert!(path.join("dangling").is_symlink() && path.join("new").exists());
}

#[test]
fn files_without_an_end_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = queens(folder.path(), "merge /dev/zero").spawn().unwrap();
    let (code, _, err) = texts(&end(run));
    assert_eq!((code, err.as_str()), (Some(1), "error: /dev/zero: not a ledger of queens\n"));
    let run = queens(folder.path(), "bench --from /dev/zero").spawn().unwrap();
    let (code, _, err) = texts(&end(run));
    assert_eq!((code, err.as_str()), (Some(1), "error: /dev/zero: larger than 16 MiB\n"));
    let run = queens(folder.path(), "verify --bfile /dev/zero").spawn().unwrap();
    let (code, _, err) = texts(&end(run));
    assert_eq!((code, err.as_str()), (Some(1), "error: /dev/zero: larger than 16 MiB\n"));
}

/// The scripts for Slurm run the program that a folder names: nobody else may have named it.
#[test]
fn what_others_may_write_is_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let count = path.join("count");
    let set = |name: &str, mode: u32| fs::set_permissions(path.join(name), fs::Permissions::from_mode(mode)).unwrap();
    // A cluster without jobs, and a program that leaves a trace.
    for (name, text) in [("squeue", "exit 0"), ("sbatch", "exit 1"), ("program", "echo >>\"$0.ran\"")] {
        // By a process of its own: what other tests start meanwhile would hold the file open, and it could not be run.
        let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$0\" && chmod 755 \"$0\"";
        assert!(Command::new("sh").args(["-c", write, name, text]).current_dir(path).status().unwrap().success());
    }
    fs::create_dir_all(count.join("results")).unwrap();
    fs::write(count.join("results/1"), "").unwrap();
    fs::write(count.join("total"), "92\n").unwrap();
    let settings = format!("n 8\nshards 1\nunits 4\ncpus 1\nprogram {}\n", path.join("program").display());
    fs::write(count.join("settings"), settings).unwrap();
    let run = |script: &str, folder: &Path| {
        let script = format!("{}/scripts/slurm/{script}", env!("CARGO_MANIFEST_DIR"));
        let paths = format!("{}:{}", path.display(), env::var("PATH").unwrap());
        let (code, out, err) = texts(&Command::new(script).arg(folder).env("PATH", paths).output().unwrap());
        let has_run = path.join("program.ran").exists();
        let _ = fs::remove_file(path.join("program.ran"));
        (code, out, err, has_run)
    };
    let refused = |folder: &Path, place: &str, reason: &str| {
        for script in ["status", "resubmit"] {
            let (code, out, err, has_run) = run(script, folder);
            assert_eq!((code, out.as_str(), has_run), (Some(1), "", false), "{script}: {err}");
            assert!(err.starts_with(&format!("error: {}{place}: {reason}", folder.display())), "{script}: {err}");
        }
    };
    let private = || [("count", 0o755), ("count/settings", 0o644)].map(|(name, mode)| set(name, mode));
    private();
    for script in ["status", "resubmit"] {
        let (code, out, err, has_run) = run(script, &count);
        assert_eq!((code, has_run), (Some(0), true), "{script}: {out}{err}");
    }
    let others = "others may write there, and you would run what they write";
    for (name, place) in [("count", ""), ("count/settings", "/settings")] {
        let mode = fs::metadata(path.join(name)).unwrap().permissions().mode();
        for write in [0o020, 0o002] {
            set(name, mode | write);
            refused(&count, place, others);
            private();
        }
    }
    symlink("settings", count.join("task")).unwrap();
    refused(&count, "/task", "a link, and you would run what it leads to");
    fs::remove_file(count.join("task")).unwrap();
    // Only root can give a file away; for everyone else there is a folder of root's.
    if rustix::process::geteuid().is_root() {
        for (name, place) in [("count/settings", "/settings"), ("count", "")] {
            chown(path.join(name), Some(65534), None).unwrap();
            refused(&count, place, "it is ");
            chown(path.join(name), Some(0), None).unwrap();
        }
    } else {
        refused(Path::new("/"), "", "it is root's");
    }
}

/// `-` is stdin for everything that is read, and a result does not take the place of what stdin is read from.
#[test]
fn a_minus_is_stdin() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for k in [1, 2] {
        assert_eq!(output(path, &format!("count 8 --shard {k}/2 --out s{k} -q")).0, Some(0));
    }
    fs::write(path.join("b"), "8 92\n").unwrap();
    fs::write(path.join("b.json"), "8 92\n").unwrap();
    assert_eq!(output(path, "bench 5 --engine naive --threads 1 --runs 1 --json=saved.json").0, Some(0));
    let read = |line: &str, name: &str| {
        let file = fs::File::open(path.join(name)).unwrap();
        texts(&queens(path, line).stdin(file).output().unwrap())
    };
    assert_eq!(read("merge - s2 -q", "s1"), (Some(0), "92\n".to_owned(), String::new()));
    for (line, name, told) in [
        ("audit -", "s1", "no difference"),
        ("status -", "s1", "complete"),
        ("verify 8 --bfile -", "b", "1 term of stdin, "),
        ("bench --from -", "saved.json", "naive"),
        ("bench --from saved.json --compare -", "saved.json", "over that in -"),
    ] {
        let (code, out, err) = read(line, name);
        assert!(code == Some(0) && out.contains(told), "{line}: {out}{err}");
    }
    assert_eq!(read("merge - s2", "b").2, "error: stdin: not a ledger of queens\n");
    // Several, one after another.
    let both = ["s1", "s2"].map(|name| fs::read_to_string(path.join(name)).unwrap());
    fs::write(path.join("both"), both.concat()).unwrap();
    assert_eq!(read("merge - -q", "both"), (Some(0), "92\n".to_owned(), String::new()));
    let (code, out, err) = read("status -", "both");
    assert!(code == Some(0) && out.matches("file      stdin\n").count() == 2, "{out}{err}");
    fs::write(path.join("cut"), both[0][..both[0].len() - 3].to_owned() + "\n" + &both[1]).unwrap();
    let (code, _, err) = read("merge - -q", "cut");
    assert!(code == Some(4) && err.starts_with("warning: stdin: damaged: "), "{err}");
    let (code, _, err) = read("verify 8 --bfile - --json=b.json", "b.json");
    assert!(code == Some(2) && err.contains("the same command reads or saves this file"), "{err}");
}
