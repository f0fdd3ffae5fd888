//! Runs under limits of memory, stack, files and time: the right number, or an error that says why, and what is saved is gone
//! on with.

#![cfg(all(unix, feature = "cli"))]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::runs::{end, shell, total};
use crate::common::{output, queens, texts};
use queens::ledger::store::{self, Store};
use queens::ledger::{Ledger, Partial};
use queens::{EngineKind, Request, Shard, Size};
use rustix::process::getuid;

/// The shell to run limited commands with: root is above some limits, so as nobody where the test is root.
fn limited(folder: &Path, script: &str) -> Output {
    let mut command = shell(folder, script);
    if getuid().is_root() {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
        let program = folder.join("queens");
        if !program.exists() {
            // By a process of its own: what other tests start meanwhile would hold the copy open, and it could not be run.
            assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_queens")).arg(&program).status().unwrap().success());
        }
        let script = script.replace("QUEENS", "./queens");
        command = Command::new("setpriv");
        command.args(["--reuid=65534", "--clear-groups", "sh", "-c", &script]).current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    }
    end(command.spawn().unwrap())
}

/// Whatever the system refuses is an error in one line, not a crash and not a loop.
#[test]
fn limits_are_errors() {
    for (script, reason) in [
        ("ulimit -n 5; exec QUEENS count 12 --checkpoint c", "Too many open files"),
        ("umask 0477; exec QUEENS count 12 --checkpoint c", "Permission denied"),
        ("exec prlimit --nproc=1 QUEENS count 12 --checkpoint c --threads 3", "Resource temporarily unavailable"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let result = limited(folder.path(), script);
        let (code, out, err) = texts(&result);
        if script.starts_with("umask") && code == Some(0) {
            // Nothing had to be read again.
            assert_eq!(out, total(12));
            continue;
        }
        assert_eq!((code, out.as_str(), result.status.signal()), (Some(1), "", None), "{script}: {err}");
        assert!(err.starts_with("error: ") && err.contains(reason) && err.lines().count() == 1, "{script}: {err}");
    }
}

/// Wherever memory ends, be it for a thread, a table or a list: the right number or an error, never a hang, and what was
/// saved is gone on with.
#[test]
fn no_memory_is_an_error() {
    let mut failed = 0;
    for threads in [1, 2] {
        for kilobytes in (24_000..=104_000).step_by(8_000) {
            let what = format!("{kilobytes} kB, {threads} threads");
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path();
            let line = format!("count 15 --threads {threads} --checkpoint c --checkpoint-every 10ms --resume -q");
            let mut limited = shell(path, &format!("ulimit -v {kilobytes}; exec QUEENS {line}"));
            let result = end(limited.env("RUST_BACKTRACE", "1").spawn().unwrap());
            let (code, out, err) = texts(&result);
            if code == Some(0) {
                assert_eq!(out, total(15), "{what}: {err}");
                continue;
            }
            assert_eq!((code, result.status.signal(), out.as_str()), (Some(1), None, ""), "{what}: {err}");
            assert!(err.contains("error: ") || err.contains("memory allocation of "), "{what}: {err}");
            failed += 1;
            assert_eq!(output(path, &line).1, total(15), "{what}");
        }
    }
    assert!(failed > 0, "memory was never short");
}

/// A stack that is too small for any thread is an error too, and no hang.
#[test]
fn no_stack_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for threads in [1, 2] {
        let line = format!("count 14 --threads {threads} --checkpoint c --resume");
        let child = queens(folder.path(), &line).env("RUST_MIN_STACK", "1").spawn().unwrap();
        let (code, out, err) = texts(&end(child));
        assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
        assert!(err.contains("has overflowed its stack"), "{err}");
        assert_eq!(output(folder.path(), &line).1, total(14));
        fs::remove_file(folder.path().join("c")).unwrap();
    }
}

/// Twenty thousand years, which is the longest time that an option takes.
#[test]
fn the_longest_time_is_never() {
    let folder = tempfile::tempdir().unwrap();
    let line = "count 12 -q --checkpoint c --checkpoint-every 175307616h --max-time 175307616h";
    assert_eq!(output(folder.path(), line), (Some(0), total(12), String::new()));
}

#[test]
fn time_too_short_for_a_task_is_told_and_ends_a_loop() {
    let folder = tempfile::tempdir().unwrap();
    let line = "count 20 --engine naive --threads 1 --checkpoint c --resume --max-time 20ms";
    let (code, _, err) = output(folder.path(), line);
    assert_eq!(code, Some(75));
    assert!(err.contains("warning: no task was finished within 20.0 ms: give a longer --max-time"), "{err}");
    let (code, _, err) = output(folder.path(), line);
    assert_eq!(code, Some(1));
    assert!(err.contains("error: no task was finished within 20.0 ms: give a longer --max-time"), "{err}");
}

/// A run without a checkpoint that is given a time is saved in a file of its own, never over another, from which the command
/// that it prints goes on.
#[test]
fn a_run_that_is_stopped_is_saved_without_being_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("queens-16.ledger"), "mine").unwrap();
    let line = "count 16 --engine naive --threads 1";
    let (code, out, err) = output(path, &format!("{line} --max-time 1s"));
    assert_eq!((code, out.as_str()), (Some(75), ""), "{err}");
    let command = err.lines().last().unwrap().trim();
    assert!(command.ends_with("--max-time 1s --checkpoint queens-16-2.ledger --resume"), "{err}");
    assert_eq!(fs::read_to_string(path.join("queens-16.ledger")).unwrap(), "mine");
    let saved = store::read(&path.join("queens-16-2.ledger")).unwrap().reached();
    let resumed = output(path, &format!("{line} --max-time 1s --checkpoint queens-16-2.ledger --resume"));
    assert_eq!(resumed.0, Some(75), "{resumed:?}");
    assert!(store::read(&path.join("queens-16-2.ledger")).unwrap().reached() > saved);
}

/// A run that resumes recounts first what earlier runs have saved, which may take longer than they did: it says so.
#[test]
fn time_too_short_for_a_recount_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let request = Request::solutions(Size::new(28).unwrap()).engine(EngineKind::Naive);
    let mut ledger = Ledger::new(request.fingerprint().unwrap(), Shard::WHOLE);
    ledger.record_partial(5, Partial { tasks: 2, tally: 8.into() }).unwrap();
    Store::open(folder.path().join("c")).unwrap().save(&ledger).unwrap();
    let line = "count 28 --engine naive --checkpoint c --resume --max-time 20ms --double-check 100%";
    let (code, _, err) = output(folder.path(), line);
    assert_eq!(code, Some(1));
    let told = "error: no task was finished within 20.0 ms: the double check has recounted 0 of 2 tasks of earlier runs; \
                give a longer --max-time or a smaller --double-check\n";
    assert!(err.ends_with(told), "{err}");
    let (_, _, events) = output(folder.path(), &format!("{line} --progress json"));
    let last: serde_json::Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
    assert_eq!((&last["recounted"], &last["to_recount"]), (&0.into(), &2.into()), "{events}");
}
