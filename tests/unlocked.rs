//! Checkpoints where the file system refuses locks, as Lustre without `-o flock` does: every `flock` fails here.

#![cfg(all(target_os = "linux", feature = "cli"))]

use std::fs::{self, File};
use std::path::Path;
use std::process::Child;
use std::time::{Duration, SystemTime};

use crate::common::runs::{LINE, end, reached, replaced, signal, until};
use crate::common::texts;
use rustix::process::Signal;

/// The program with a `flock` that fails.
fn unlocked(folder: &Path, line: &str) -> Child {
    let source = "#include <errno.h>\nint flock(int file, int how) { errno = ENOLCK; return -1; }\n";
    replaced(folder, line, source).spawn().unwrap()
}

fn holds(folder: &Path, child: &Child) -> bool {
    let process = format!(" {} ", child.id());
    fs::read_to_string(folder.join(".c.holder")).is_ok_and(|text| text.contains(&process))
}

/// Makes the file that names the run as old as that.
fn written_ago(folder: &Path, seconds: u64) {
    let file = File::options().write(true).open(folder.join(".c.holder")).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
}

#[test]
fn one_run_at_a_time_and_a_killed_one_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut first = unlocked(path, LINE);
    until("a save with a task", || reached(path) > (0, 0));
    let (code, _, err) = texts(&end(unlocked(path, &format!("{LINE} --resume"))));
    assert_eq!((code, err.as_str()), (Some(1), "error: c: in use by another run\n"));
    assert!(holds(path, &first));
    // It writes the file anew, so that nobody takes it for abandoned.
    written_ago(path, 20);
    let written = || fs::metadata(path.join(".c.holder")).unwrap().modified().unwrap();
    until("a beat", || written().elapsed().unwrap_or_default() < Duration::from_secs(15));
    let state = || texts(&end(unlocked(path, "status c"))).1;
    assert!(state().contains("state     running, "));
    first.kill().unwrap();
    let process = first.id();
    end(first);
    assert!(state().contains("state     stopped, "));
    let before = reached(path);
    let (code, _, err) = texts(&end(unlocked(path, &format!("{LINE} --resume --max-time 8s"))));
    assert_eq!(code, Some(75), "{err}");
    let told = "warning: c: this file system refuses locks, so a file beside it keeps other runs out; taken over from";
    assert!(err.starts_with(&format!("{told} process {process} of ")) && err.contains(", which has ended\n"), "{err}");
    assert!(reached(path) > before && !path.join(".c.holder").exists(), "{err}");
}

/// A machine that was suspended, for example.
#[test]
fn a_run_that_comes_back_saves_nothing_over_its_successor() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let first = unlocked(path, LINE);
    until("a save with a task", || reached(path) > (0, 0));
    signal(&first, Signal::STOP);
    let status = format!("/proc/{}/status", first.id());
    until("a stop", || fs::read_to_string(&status).unwrap().contains("\nState:\tT"));
    written_ago(path, 10);
    let (code, _, err) = texts(&end(unlocked(path, &format!("{LINE} --resume"))));
    assert_eq!((code, err.as_str()), (Some(1), "error: c: in use by another run\n"));
    written_ago(path, 31);
    let second = unlocked(path, &format!("{LINE} --resume"));
    until("the successor", || holds(path, &second));
    signal(&first, Signal::CONT);
    let (code, out, err) = texts(&end(first));
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("c: in use by another run, which took it over while this one was silent\n"), "{err}");
    let before = reached(path);
    assert!(holds(path, &second));
    until("another task", || reached(path) > before);
    signal(&second, Signal::TERM);
    let (_, _, err) = texts(&end(second));
    assert!(err.contains(", which is silent for 30 s\n"), "{err}");
}
