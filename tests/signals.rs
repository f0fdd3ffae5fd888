//! Signals: what they end is saved and ends by them, what was ignored stays ignored, and nothing hangs.

#![cfg(all(unix, feature = "cli"))]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::runs::{LINE, counting, end, hang_ups_arrive, reached, shell, signal, thread_named, until};
use crate::common::{queens, skipped, texts};
use rustix::process::{Pid, Signal, kill_process};

#[test]
fn the_first_process_of_a_container_ends_by_its_exit_code() {
    hang_ups_arrive();
    let isolate = ["--user", "--map-root-user", "--pid", "--fork"];
    if !Command::new("unshare").args(isolate).arg("true").output().is_ok_and(|run| run.status.success()) {
        return skipped("no process namespace may be made here");
    }
    for (sent, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let mut command = Command::new("unshare");
        command.args(isolate).arg(env!("CARGO_BIN_EXE_queens")).args(LINE.split(' ')).current_dir(path);
        let outer = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        until("a first task", || reached(path) > (0, 0));
        let children = format!("/proc/{0}/task/{0}/children", outer.id());
        let inner: i32 = fs::read_to_string(children).unwrap().trim().parse().unwrap();
        kill_process(Pid::from_raw(inner).unwrap(), sent).unwrap();
        let (ended, out, err) = texts(&end(outer));
        assert_eq!((ended, out.as_str()), (Some(code), ""), "{err}");
        assert!(err.contains(": saved ") && reached(path) > (0, 0), "{err}");
    }
}

/// GNU `timeout` sends its signal twice, to the process and to its group. A round in which a busy machine let a second pass
/// shows nothing.
#[test]
fn a_repeat_within_a_second_is_the_same_signal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut shown = 0;
    for round in 0..200 {
        let child = queens(path, &format!("{LINE} --resume")).spawn().unwrap();
        counting(&child);
        let first = Instant::now();
        signal(&child, Signal::TERM);
        sleep(Duration::from_micros(50 * shown));
        signal(&child, Signal::TERM);
        let result = end(child);
        let err = texts(&result).2;
        assert_eq!(result.status.signal(), Some(15), "{err}");
        if first.elapsed() > Duration::from_secs(1) {
            continue;
        }
        assert!(err.contains("SIGTERM: saved "), "round {round}: {err}");
        assert!(!path.join(".c.lock").exists(), "it ended in order");
        shown += 1;
        if shown == 20 {
            return;
        }
    }
    panic!("this machine is too slow: {shown} rounds took less than a second");
}

#[test]
fn hanging_up_and_limits_of_time_save() {
    hang_ups_arrive();
    for (sent, name) in [
        (Signal::HUP, "SIGHUP"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::VTALARM, "SIGVTALRM"),
        (Signal::USR2, "SIGUSR2"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let child = queens(path, LINE).spawn().unwrap();
        until("a first task", || reached(path) > (0, 0));
        signal(&child, sent);
        let result = end(child);
        let err = texts(&result).2;
        assert_eq!(result.status.signal(), Some(sent.as_raw()), "{err}");
        assert!(err.contains(&format!("{name}: saved ")), "{err}");
    }
}

/// As under `nohup`. A shell has what it starts in the background ignore SIGINT, which is taken all the same.
#[test]
fn what_was_ignored_at_the_start_stays_ignored() {
    let ignoring = |path: &Path, ignored: &str| {
        let script = format!("trap '' {ignored}; exec QUEENS {LINE} --progress never");
        let child = shell(path, &script).spawn().unwrap();
        until("a first task", || reached(path) > (0, 0));
        child
    };
    let folder = tempfile::tempdir().unwrap();
    let child = ignoring(folder.path(), "HUP TERM QUIT ABRT USR1 USR2 XCPU ALRM VTALRM");
    for sent in [
        Signal::HUP,
        Signal::TERM,
        Signal::QUIT,
        Signal::ABORT,
        Signal::USR1,
        Signal::USR2,
        Signal::XCPU,
        Signal::ALARM,
        Signal::VTALARM,
    ] {
        signal(&child, sent);
    }
    let before = reached(folder.path());
    until("more tasks", || reached(folder.path()) > before);
    let int = |child: Child| {
        signal(&child, Signal::INT);
        let ended = end(child);
        let (_, out, err) = texts(&ended);
        assert_eq!((ended.status.signal(), out.as_str()), (Some(2), ""), "{err}");
        assert!(err.starts_with("SIGINT: saved "), "{err}");
    };
    int(child);
    let folder = tempfile::tempdir().unwrap();
    int(ignoring(folder.path(), "INT"));
}

/// An estimate that is told to end prints what it has, and ends by the signal.
#[test]
fn an_estimate_ends_with_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let line = "estimate 24 --engine backtrack --threads 1 --samples 1000000000 --max-time 1h --json";
    for sent in [Signal::INT, Signal::TERM] {
        let mut child = queens(folder.path(), line).spawn().unwrap();
        thread_named("printer", &child);
        thread_named("signals", &child);
        let mut shown = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        // Without any, nothing is known, and that is told.
        until("a sample", || {
            signal(&child, Signal::USR1);
            let line = shown.next().unwrap();
            line.contains(" sample") && !line.contains(" 0 samples")
        });
        signal(&child, sent);
        let output = end(child);
        assert_eq!(output.status.signal(), Some(sent.as_raw()), "{:?}", texts(&output));
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((found["n"].as_u64(), &found["time_samples"]), (Some(24), &found["count_samples"]));
        assert_eq!(shown.next(), None);
    }
}

#[test]
fn sigusr1_harms_no_command() {
    let folder = tempfile::tempdir().unwrap();
    let child = queens(folder.path(), "solutions 20").stdout(Stdio::null()).spawn().unwrap();
    // From the moment on when the program has begun to run.
    let caught = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let set = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(set.trim(), 16).unwrap() >> 9 & 1 == 1
    };
    until("a handler of SIGUSR1", caught);
    // Of two signals the system delivers this one first.
    signal(&child, Signal::USR1);
    sleep(Duration::from_millis(50));
    signal(&child, Signal::TERM);
    assert_eq!(end(child).status.signal(), Some(Signal::TERM.as_raw()));
}

#[test]
fn a_killed_list_leaves_nothing_behind() {
    hang_ups_arrive();
    let folder = tempfile::tempdir().unwrap();
    for sent in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
        let child = queens(folder.path(), "solutions 20 -o all").spawn().unwrap();
        let files = || fs::read_dir(folder.path()).unwrap().count();
        until("a file", || files() > 0);
        signal(&child, sent);
        assert_eq!(end(child).status.signal(), Some(sent.as_raw()));
        assert_eq!(files(), 0);
    }
}

/// A search for a solution ends by the signal, and says that it is why there is no result.
#[test]
fn a_search_that_is_stopped_says_so() {
    hang_ups_arrive();
    let folder = tempfile::tempdir().unwrap();
    let rank = "solutions 18 --rank 9,7,1,3,6,2,10,17,13,16,18,4,15,5,8,11,14,12";
    for line in ["show --random 18", "show --number 333000000 18", rank] {
        let command = line.split(' ').next().unwrap();
        let child = queens(folder.path(), line).spawn().unwrap();
        thread_named(command, &child);
        signal(&child, Signal::INT);
        let ended = end(child);
        let (_, out, err) = texts(&ended);
        assert_eq!((ended.status.signal(), out.as_str()), (Some(2), ""), "{line}: {err}");
        assert!(err.ends_with("SIGINT: the search was stopped\n"), "{line}: {err}");
    }
}
