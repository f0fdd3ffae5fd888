//! Signals: what they stop is saved and dies of them, what was ignored stays ignored, and nothing hangs.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::{Arc, Once};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{ENDLESS, end, queens, reached, read, shell, texts, until};

/// A count of minutes whose units take moments.
const LINE: &str = "count 18 --engine backtrack -t 2 --checkpoint c --checkpoint-every 1ms";

/// Lets a hang-up reach what the test starts, also where the tests were started under `nohup`: a signal that is caught here
/// is not ignored there.
fn hang_ups_arrive() {
    static CAUGHT: Once = Once::new();
    CAUGHT.call_once(|| assert!(signal_hook::flag::register(signal_hook::consts::SIGHUP, Arc::default()).is_ok()));
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Waits until there is a thread of this name: `work` has begun, and signals are listened to.
fn working(child: &Child) {
    let tasks = format!("/proc/{}/task", child.id());
    let is_it =
        |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.trim() == "work");
    until("work", || fs::read_dir(&tasks).is_ok_and(|mut tasks| tasks.any(|task| task.is_ok_and(is_it))));
}

/// Waits until a run has saved more than this.
fn more_than(folder: &Path, before: (usize, u64)) {
    until("more in the file", || reached(&folder.join("c")) > before);
}

/// Ends the run by a signal. It prints nothing, dies of the signal, and says how far its file is.
fn stopped(folder: &Path, child: Child, sent: Signal) {
    signal(&child, sent);
    let result = end(child);
    let (_, out, err) = texts(&result);
    assert_eq!((result.status.signal(), out.as_str()), (Some(sent.as_raw()), ""), "{err}");
    let ledger = read(&folder.join("c"));
    let saved = format!("saved {} of {} units in c; the same command goes on\n", ledger.finished(), ledger.units());
    assert!(err.ends_with(&saved), "{err}{saved}");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "nothing else is left");
}

#[test]
fn each_signal_saves_and_the_same_command_goes_on() {
    hang_ups_arrive();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for sent in [Signal::INT, Signal::TERM, Signal::HUP] {
        let before = reached(&path.join("c"));
        let child = queens(path, LINE).spawn().unwrap();
        more_than(path, before);
        stopped(path, child, sent);
    }
}

/// GNU `timeout` sends its signal twice, to the process and to its group.
#[test]
fn a_repeat_at_once_is_the_same_signal() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..5 {
        let child = queens(folder.path(), ENDLESS).spawn().unwrap();
        working(&child);
        signal(&child, Signal::TERM);
        stopped(folder.path(), child, Signal::TERM);
    }
}

/// A disk that answers no more holds up the save; whoever presses ^C again does not wait for it.
#[test]
fn a_second_signal_ends_at_once() {
    const BLOCKED: &str = r#"
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
int fsync(int file) {
    while (access("block", F_OK) == 0) close(open("blocked", O_CREAT, 0600)), usleep(1000);
    return syscall(SYS_fsync, file);
}
"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("fsync.c"), BLOCKED).unwrap();
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o", "fsync.so", "fsync.c"]).current_dir(path).status();
    assert!(built.unwrap().success());
    let child = queens(path, ENDLESS).env("LD_PRELOAD", path.join("fsync.so")).spawn().unwrap();
    working(&child);
    fs::write(path.join("block"), "").unwrap();
    until("a save that hangs", || path.join("blocked").exists());
    // One alone waits; a second one counts as such from the next second on.
    signal(&child, Signal::TERM);
    sleep(Duration::from_millis(1500));
    signal(&child, Signal::TERM);
    assert_eq!(end(child).status.signal(), Some(15));
    assert_eq!(read(&path.join("c")).finished(), 0, "the save before is whole");
}

/// As under `nohup`.
#[test]
fn an_ignored_hang_up_stays_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let child = shell(path, &format!("trap '' HUP; exec QUEENS {LINE}")).spawn().unwrap();
    more_than(path, (0, 0));
    signal(&child, Signal::HUP);
    more_than(path, reached(&path.join("c")));
    stopped(path, child, Signal::TERM);
}

#[test]
fn what_has_no_file_says_that_nothing_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    for line in ["count 20 --engine naive -t 1", "count 34 --symmetry half"] {
        let child = queens(folder.path(), line).spawn().unwrap();
        working(&child);
        signal(&child, Signal::TERM);
        let result = end(child);
        let (_, out, err) = texts(&result);
        assert_eq!((result.status.signal(), out.as_str()), (Some(15), ""), "{err}");
        assert!(err.contains("nothing") && err.contains("saved"), "{line}: {err}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_list_that_is_stopped_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let files = || fs::read_dir(folder.path()).unwrap().count();
    for sent in [Signal::INT, Signal::TERM] {
        let child = queens(folder.path(), "solutions 20 -o all.txt").spawn().unwrap();
        until("a file", || files() > 0);
        signal(&child, sent);
        assert_eq!(end(child).status.signal(), Some(sent.as_raw()));
        assert_eq!(files(), 0);
    }
}

/// The first process of a container has no signal that would end it: it ends by the exit code that shells have for it.
#[test]
fn the_first_process_of_a_container_ends_by_its_exit_code() {
    let isolate = ["--user", "--map-root-user", "--pid", "--fork"];
    if !Command::new("unshare").args(isolate).arg("true").output().is_ok_and(|run| run.status.success()) {
        assert!(std::env::var_os("QUEENS_TEST_ALL").is_none(), "no process namespace may be made here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = format!("exec unshare {} QUEENS {LINE}", isolate.join(" "));
    let outer = shell(folder.path(), &script).spawn().unwrap();
    more_than(folder.path(), (0, 0));
    let inner = fs::read_to_string(format!("/proc/{0}/task/{0}/children", outer.id())).unwrap();
    kill_process(Pid::from_raw(inner.trim().parse().unwrap()).unwrap(), Signal::TERM).unwrap();
    let (code, out, err) = texts(&end(outer));
    assert_eq!((code, out.as_str()), (Some(143), ""), "{err}");
    assert!(err.contains("saved "), "{err}");
}
