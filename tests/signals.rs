//! Signals: what they stop is saved and dies of them, what was ignored stays ignored, and nothing hangs.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::thread::{self, sleep};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{
    ENDLESS, HOUR, Running, agrees, ended, files, ledger_text, made_up, queens, reached, read, resealed, shell, texts,
    until, waiting,
};

/// A count of some seconds, with the wait of each unit.
const LINE: &str = "count 16 --engine backtrack -t 2 --checkpoint c --checkpoint-every 5ms";
const WAIT: u32 = 100;

/// Waits until signals are listened to and, but for a list, there is a thread named `work`.
fn working(run: &Running, line: &str) {
    let name = if line.starts_with("show") { "signals" } else { "work" };
    let tasks = format!("/proc/{}/task", run.id());
    let is_it =
        |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).is_ok_and(|found| found.trim() == name);
    until(name, || fs::read_dir(&tasks).is_ok_and(|mut tasks| tasks.any(|task| task.is_ok_and(is_it))));
}

/// Waits until a run has saved more than this.
fn more_than(folder: &Path, before: (usize, u64)) {
    until("more in the file", || reached(&folder.join("c")) > before);
}

/// Ends the run by a signal. It prints nothing, dies of the signal, and says how far its file is.
fn stopped(folder: &Path, run: Running, sent: Signal) {
    run.signal(sent);
    let result = run.end();
    let (_, out, err) = texts(&result);
    assert_eq!((result.status.signal(), out.as_str()), (Some(sent.as_raw()), ""), "{err}");
    let ledger = read(&folder.join("c"));
    let saved = format!("saved {} of {} units in c; the same command goes on\n", ledger.finished(), ledger.units());
    assert!(err.ends_with(&saved), "{err}{saved}");
    assert!(files(folder).iter().eq(["c"]), "nothing else is left");
}

#[test]
fn each_signal_saves_and_the_same_command_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for sent in [Signal::INT, Signal::TERM, Signal::HUP, Signal::XCPU, Signal::USR1, Signal::USR2] {
        let before = reached(&path.join("c"));
        let run = Running::start(waiting(queens(path, LINE), WAIT));
        more_than(path, before);
        stopped(path, run, sent);
    }
}

/// GNU `timeout` sends its signal twice, to the process and to its group.
#[test]
fn a_repeat_at_once_is_the_same_signal() {
    let stop = || {
        let folder = tempfile::tempdir().unwrap();
        let run = Running::start(waiting(queens(folder.path(), ENDLESS), HOUR));
        working(&run, ENDLESS);
        run.signal(Signal::TERM);
        stopped(folder.path(), run, Signal::TERM);
    };
    thread::scope(|scope| (0..5).for_each(|_| drop(scope.spawn(stop))));
}

/// The program with a system call of the test's own, in C.
fn with_call(folder: &Path, call: &str, line: &str) -> Command {
    fs::write(folder.join("call.c"), call).unwrap();
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o", "call.so", "call.c"]).current_dir(folder).status();
    assert!(built.unwrap().success());
    let mut command = queens(folder, line);
    command.env("LD_PRELOAD", folder.join("call.so"));
    command
}

/// A file system without locks: the run says so, and leaves alone what may be another's. A shard without units is complete when
/// it is saved first. Neither a folder that cannot be closed nor a sync that is refused is a reason to fail.
#[test]
fn where_there_are_no_locks_a_run_says_so() {
    const NO_LOCKS: &str = "#include <errno.h>\nint flock(int file, int how) { errno = 524; return -1; }\n\
        int closedir(void *folder) { errno = EIO; return -1; }\nint fsync(int file) { errno = EINVAL; return -1; }\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".c.aB3dE6gH.new"), "").unwrap();
    for (file, out, warnings) in [("c", "352\n", 1), ("c", "352\n", 0), ("d --shard 99/99", "", 1)] {
        let (code, found, err) = ended(with_call(folder.path(), NO_LOCKS, &format!("count 9 -q --checkpoint {file}")));
        assert_eq!((code, found.as_str()), (Some(0), out), "{err}");
        assert_eq!(err.matches(": this file system has no locks").count(), warnings, "{err}");
    }
    assert!(folder.path().join(".c.aB3dE6gH.new").exists());
}

/// A folder in which no file takes the place of another would lose all that is counted: the first save would be the last.
#[test]
fn where_no_file_can_be_replaced_nothing_is_counted() {
    const KEPT: &str = "#include <errno.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n\
        int rename(const char *from, const char *to) { return access(to, F_OK) ? syscall(SYS_rename, from, to) : \
        (errno = EBUSY, -1); }\n";
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = ended(with_call(folder.path(), KEPT, ENDLESS));
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("c: cannot be saved: Device or resource busy (os error 16); mount its folder"), "{err}");
}

/// What another has put in the place of the file in mid-run stays, and the run is saved elsewhere.
#[test]
fn a_file_that_was_put_in_the_place_of_another_stays() {
    let (folder, other) = (tempfile::tempdir().unwrap(), made_up(16, 14_772_512));
    let line = LINE.replace("5ms", "1h");
    let run = Running::start(waiting(queens(folder.path(), &line), WAIT));
    working(&run, &line);
    fs::write(folder.path().join("c"), &other).unwrap();
    sleep(Duration::from_millis(500));
    run.signal(Signal::TERM);
    let (_, _, err) = texts(&run.end());
    let said = "saved ... in queens-16-...\nerror: c: moved, or replaced by another file\n";
    assert!(agrees(said, &err) && fs::read_to_string(folder.path().join("c")).unwrap() == other, "{err}");
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
    let begun = || {
        let folder = tempfile::tempdir().unwrap();
        let run = waiting(with_call(folder.path(), BLOCKED, ENDLESS), HOUR);
        (folder, run)
    };
    // One alone waits; a second one counts as such from the next second on.
    let twice = || {
        let (folder, run) = begun();
        let (path, run) = (folder.path(), Running::start(run));
        working(&run, ENDLESS);
        fs::write(path.join("block"), "").unwrap();
        until("a save that hangs", || path.join("blocked").exists());
        run.signal(Signal::TERM);
        sleep(Duration::from_millis(1500));
        run.signal(Signal::TERM);
        assert_eq!(run.end().status.signal(), Some(15));
        assert_eq!(read(&path.join("c")).finished(), 0, "the save before is whole");
    };
    // One alone waits, also for the save at the start; and the system sends this one with every second of processor time.
    let again_and_again = || {
        let (folder, run) = begun();
        let path = folder.path();
        fs::write(path.join("block"), "").unwrap();
        let run = Running::start(run);
        until("the first save", || path.join("blocked").exists());
        for _ in 0..2 {
            run.signal(Signal::XCPU);
            sleep(Duration::from_millis(1300));
        }
        fs::remove_file(path.join("block")).unwrap();
        let result = run.end();
        let (_, _, err) = texts(&result);
        assert!(result.status.signal() == Some(24) && err.starts_with("saved 0 of 171 units in c;"), "{err}");
        assert!(files(path).iter().all(|name| !name.starts_with(".c")), "{:?}", files(path));
    };
    thread::scope(|scope| {
        scope.spawn(twice);
        scope.spawn(again_and_again);
    });
}

/// As under `nohup`, and as `sh` starts what ends with `&`.
#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let run = Running::start(waiting(shell(path, &format!("trap '' HUP INT; exec QUEENS {LINE}")), WAIT));
    more_than(path, (0, 0));
    for ignored in [Signal::HUP, Signal::INT] {
        run.signal(ignored);
        more_than(path, reached(&path.join("c")));
    }
    stopped(path, run, Signal::TERM);
}

/// What a command has found when SIGTERM comes in the middle of its work is on stdout, and at its end there is nothing more
/// but where a count is saved. It dies of the signal, and leaves no object and no draft.
///
/// Command line; what has been printed when the signal comes; all of stdout, and of stderr, where `...` is anything.
const STOPPED: &[(&str, &str, &str, &str)] = &[
    ("count 20 --engine naive -t 1", "", "", "nothing was saved; --checkpoint FILE saves a count\n"),
    ("count 34 --symmetry half --json", "", "", "nothing is saved of a count with --symmetry\n"),
    ("count 2-20 --engine naive", "2 0\n", "2 0\n", "..."),
    ("WRONG count 2-20 --engine naive", "has 1", "", "error: N = 2: found 0, but OEIS A000170 has 1\n..."),
    ("WRONG verify 2-20 --engine naive", "has 1", " N ...", "error: N = 2: found 0, but OEIS A000170 has 1\n"),
    ("count 22 -t 1 --json", "estimate", "", "`queens estimate 22` tells ...; `--checkpoint FILE` saves it\n..."),
    ("count 22 -t 1 -q", "", "", "nothing was saved; --checkpoint FILE saves a count\n"),
    ("count 7-20 --engine naive --json", "", "", "..."),
    ("estimate 8-28 --max-time 1h -t 1", "counted", " N ... 8 ...counted...MB\n", ""),
    ("verify 2-20 --engine naive", "✓", " N ... 2 ... 0 ...", ""),
    ("bench 2 20 --engine naive -t 1 --runs 1", " 2  naive", "... 2  naive...1.00\n", ""),
    ("audit forged --share 100% -t 1", "unit", "unit ... of forged: the file has ...", ""),
    ("audit forged --share 100% -t 1 --json", "unit", "", "unit ... of forged: the file has ..."),
    ("merge n32 -q", "", "6\n", ""),
    ("solutions 20 -o all.txt", "draft", "", ""),
    ("show -n 24 --number 1000000000", "", "", ""),
];

#[test]
fn a_stop_ends_each_command_by_its_signal() {
    // Some tallies are one too large. The half turn of N = 32, by which its count is checked, takes minutes.
    let forged = resealed(&ledger_text("count 15 --engine backtrack").replace("0\nunit", "1\nunit"));
    let n32 = made_up(32, 6);
    let stop = |(line, seen, out, err): (&str, &str, &str, &str)| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::write(path.join("forged"), &forged).unwrap();
        fs::write(path.join("n32"), &n32).unwrap();
        let wait = if line.contains("naive") { HOUR } else { 0 };
        let (terms, line) = line.split_once("WRONG ").map_or(("", line), |(_, line)| ("wrong", line));
        let mut command = waiting(shell(path, &format!("exec QUEENS {line} >out 2>err")), wait);
        command.env("QUEENS_TERMS", terms);
        let run = Running::start(command);
        let text = |name: &str| fs::read_to_string(path.join(name)).unwrap_or_default();
        match seen {
            // Once something is in it, its end is cared for.
            "draft" => until("a draft", || {
                let length = |name: &String| fs::metadata(path.join(name)).map_or(0, |about| about.len());
                files(path).iter().any(|name| name.starts_with('.') && length(name) > 0)
            }),
            "" => working(&run, line),
            seen => until(line, || text("out").contains(seen) || text("err").contains(seen)),
        }
        run.signal(Signal::TERM);
        let result = run.end();
        assert_eq!(result.status.signal(), Some(15), "{line}: {}", text("err"));
        assert!(agrees(out, &text("out")), "{line}: {:?}", text("out"));
        assert!(agrees(err, &text("err")) && !text("err").contains("unlike"), "{line}: {:?}", text("err"));
        assert!(files(path).iter().eq(["err", "forged", "n32", "out"]), "{line}: {:?}", files(path));
    };
    // Some wait for a second for what is in hand.
    thread::scope(|scope| STOPPED.iter().for_each(|case| drop(scope.spawn(|| stop(*case)))));
}

/// Two counts of one folder that are stopped after a while by the same signal save themselves under names of their own, and
/// print what goes on.
#[test]
fn what_is_saved_without_being_asked_has_a_name_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let given = "count --engine backtrack -t 1 --isa portable --prefix 1 -- 16";
    let line = &given.replace("-- ", "");
    let runs = [0, 1].map(|_| Running::start(waiting(queens(folder.path(), given), WAIT)));
    let range = Running::start(waiting(queens(folder.path(), "count 16-17 --engine backtrack -t 1"), WAIT));
    // A program of the tests calls a second what is a minute.
    sleep(Duration::from_millis(1500));
    for run in &runs {
        run.signal(Signal::TERM);
    }
    let names = runs.map(|run| {
        let result = run.end();
        let (_, out, err) = texts(&result);
        assert_eq!((result.status.signal(), out.as_str()), (Some(15), ""), "{err}");
        let (said, goes_on) = err.split_once("; the same command with --checkpoint ").expect(&err);
        let name = goes_on.strip_suffix(" goes on\n").expect(&err);
        assert!(name.starts_with("queens-16-20") && said.contains(&format!(" in {name} on ")), "{err}");
        assert!(reached(&folder.path().join(name)) > (0, 0), "{err}");
        let line = format!("{line} --checkpoint {name} --max-time 1ms");
        let (code, _, err) = ended(waiting(queens(folder.path(), &line), WAIT));
        assert!([Some(1), Some(75)].contains(&code) && !err.contains("cannot"), "{err}");
        name.to_owned()
    });
    assert_ne!(names[0], names[1]);
    range.signal(Signal::TERM);
    let (_, _, err) = texts(&range.end());
    let goes_on = "`queens count 16`, with the other options and --checkpoint queens-16-....ledger, goes on\n";
    assert!(agrees(&format!("saved ... in queens-16-...; {goes_on}"), &err), "{err}");
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
    let outer = Running::start(waiting(shell(folder.path(), &script), WAIT));
    more_than(folder.path(), (0, 0));
    let inner = fs::read_to_string(format!("/proc/{0}/task/{0}/children", outer.id())).unwrap();
    kill_process(Pid::from_raw(inner.trim().parse().unwrap()).unwrap(), Signal::TERM).unwrap();
    let (code, out, err) = texts(&outer.end());
    assert_eq!((code, out.as_str()), (Some(143), ""), "{err}");
    assert!(err.contains("saved "), "{err}");
}
