//! How long runs end: by signals, beside terminals that nobody reads. Nothing is lost, nothing hangs.

#![cfg(all(unix, feature = "cli"))]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::common::runs::{
    AGREES, LINE, counting, end, hang_ups_arrive, shell, signal, thread_named, total, units, until,
};
use crate::common::{output, queens, skipped, texts};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// A terminal of so many columns, behind its other end. No program that is started holds the other end open, neither
/// the one on this terminal nor one that another test starts meanwhile.
fn terminal(columns: u16) -> (File, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    tcsetwinsize(&master, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let terminal = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    (master.into(), terminal)
}

/// The counter beside an stderr that takes no more: it must save, and end when it is told to.
fn unread(stderr: impl Fn() -> OwnedFd) {
    let spawn = |folder: &Path, line: &str| {
        let stderr = stderr();
        queens(folder, line).stderr(Stdio::from(stderr)).spawn().unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let line = LINE.replace("14", "15") + " --progress always";
    let child = spawn(path, &line);
    until("a first unit", || units(path) > 0);
    let before = units(path);
    until("more units", || units(path) > before);
    // Shows and warnings are dropped.
    for _ in 0..100 {
        signal(&child, Signal::USR1);
        sleep(Duration::from_micros(200));
    }
    signal(&child, Signal::TERM);
    assert_eq!(end(child).status.signal(), Some(15));
    let saved = units(path);
    assert!(saved > before);
    // The budget is kept. One that is too short for a unit on this machine is a failure.
    let mut budget = 300;
    while units(path) == saved {
        let child = spawn(path, &format!("{line} --resume --max-time {budget}ms"));
        let code = end(child).status.code();
        let too_short = code == Some(1) && units(path) == saved;
        assert!(code == Some(75) || too_short, "{code:?} within {budget} ms");
        budget *= 2;
    }
}

#[test]
fn a_full_pipe_stops_nothing() {
    // The other end stays open and unread.
    let mut readers = Vec::new();
    let readers = std::cell::RefCell::new(&mut readers);
    unread(|| {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(&vec![b'x'; 1 << 16]).unwrap();
        readers.borrow_mut().push(reader);
        writer.into()
    });
}

#[test]
fn a_terminal_stopped_by_control_s_stops_nothing() {
    let mut masters = Vec::new();
    let masters = std::cell::RefCell::new(&mut masters);
    unread(|| {
        let (mut master, terminal) = terminal(80);
        master.write_all(b"\x13").unwrap();
        masters.borrow_mut().push(master);
        terminal.into()
    });
}

/// A full screen that waits for a key, and the other end of its terminal; before it, the shell does this.
fn browsing(before: &str) -> (Child, File) {
    let (mut master, terminal) = terminal(80);
    let mut command = shell(Path::new("."), &format!("{before} exec QUEENS browse 8"));
    command.env("TERM", "xterm").stdin(terminal.try_clone().unwrap()).stdout(terminal);
    let mut child = command.spawn().unwrap();
    drop(command);
    // It is on where the board has been drawn.
    shown_until(&mut master, "quit");
    assert!(child.try_wait().unwrap().is_none());
    (child, master)
}

/// Reads what is shown up to this text, or else to the end.
fn shown_until(master: &mut File, text: &str) -> String {
    let mut shown = String::new();
    while !shown.contains(text) {
        let mut piece = [0; 4096];
        let Ok(read) = master.read(&mut piece) else { break };
        shown += &String::from_utf8_lossy(&piece[..read]);
    }
    shown
}

#[test]
fn a_signal_leaves_the_screen_as_it_was() {
    hang_ups_arrive();
    for sent in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::USR2] {
        let (child, mut master) = browsing("");
        signal(&child, sent);
        let left = "\u{1b}[?1049l";
        assert!(shown_until(&mut master, left).contains(left), "{sent:?} leaves the other screen");
        assert_eq!(end(child).status.signal(), Some(sent.as_raw()));
    }
}

/// A shell without job control could not continue it.
#[test]
fn control_z_does_nothing_where_nobody_would_go_on() {
    let (child, mut master) = browsing("trap '' TSTP;");
    master.write_all(b"\x1a").unwrap();
    sleep(Duration::from_millis(200));
    master.write_all(b"q").unwrap();
    assert_eq!(end(child).status.code(), Some(0));
}

/// A full screen whose window is closed ends, even where no signal tells it.
#[test]
fn browse_ends_with_its_terminal() {
    let (child, master) = browsing("");
    drop(master);
    let (code, _, err) = texts(&end(child));
    assert_eq!(code, Some(1), "{err}");
    assert!(err.starts_with("error: "), "{err}");
}

/// On a narrow terminal nothing is wider, and no number is cut.
#[test]
fn progress_fits_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    for columns in [16, 40, 80] {
        let (mut master, terminal) = terminal(columns);
        let mut command = queens(folder.path(), "count 13 --engine naive --threads 1 --progress always --checkpoint c");
        let child = command.env("TERM", "xterm").stderr(Stdio::from(terminal)).spawn().unwrap();
        drop(command);
        let reading = std::thread::spawn(move || {
            let mut shown = Vec::new();
            // At the end of the program the terminal is gone, which is an error here.
            let _ = master.read_to_end(&mut shown);
            String::from_utf8(shown).unwrap()
        });
        assert_eq!(end(child).status.code(), Some(0));
        fs::remove_file(folder.path().join("c")).unwrap();
        let shown = reading.join().unwrap();
        assert!([" so far", " left", " %"].iter().any(|field| shown.contains(field)), "{shown:?}");
        let shown = anstream::adapter::strip_str(&shown).to_string();
        let is_bar = |line: &str| line.starts_with("N = ");
        for line in shown.split(['\r', '\n']).map(str::trim_end) {
            assert!(line.chars().count() < usize::from(columns), "{columns} columns: {line:?}");
            let whole = !is_bar(line)
                || ["%", " left", " so far", " ago", " solutions"].iter().any(|end| line.ends_with(end))
                || line
                    .rsplit("  ")
                    .next()
                    .is_some_and(|end| end.starts_with("ends ") && end.len() == "ends 12:34".len());
            assert!(whole, "{line:?}");
        }
    }
}

/// On a terminal that shows both, no row of a result stands behind a bar.
#[test]
fn rows_are_printed_where_no_bar_is() {
    let folder = tempfile::tempdir().unwrap();
    for line in
        ["count 12-13 --engine naive", "verify --engine naive 12-13", "profile 15-16", "verify --symmetry half 25-26"]
    {
        let (mut master, terminal) = terminal(100);
        let mut command = queens(folder.path(), &format!("{line} --threads 1 --progress always"));
        command.env("TERM", "xterm").stdout(terminal.try_clone().unwrap()).stderr(terminal);
        let child = command.spawn().unwrap();
        drop(command);
        let shown = std::thread::spawn(move || shown_until(&mut master, "never shown"));
        assert_eq!(end(child).status.code(), Some(0));
        let shown = anstream::adapter::strip_str(&shown.join().unwrap()).to_string();
        let (bars, rows): (Vec<_>, Vec<_>) =
            shown.split(['\r', '\n']).filter(|line| !line.is_empty()).partition(|line| line.starts_with("N = "));
        assert!(!bars.is_empty() && bars.iter().all(|bar| bar.contains(" so far")), "{line}: {bars:?}");
        assert!(rows.len() > 2, "{line}: {rows:?}");
        assert!(
            bars.iter().all(|bar| !["agrees", "unknown", "✓"].iter().any(|row| bar.contains(row))),
            "{line}: {bars:?}"
        );
    }
}

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
        until("a first unit", || units(path) > 0);
        let children = format!("/proc/{0}/task/{0}/children", outer.id());
        let inner: i32 = fs::read_to_string(children).unwrap().trim().parse().unwrap();
        kill_process(Pid::from_raw(inner).unwrap(), sent).unwrap();
        let (ended, out, err) = texts(&end(outer));
        assert_eq!((ended, out.as_str()), (Some(code), ""), "{err}");
        assert!(err.contains(": saved ") && units(path) > 0, "{err}");
    }
}

/// GNU `timeout` sends its signal twice, to the process and to its group.
#[test]
fn a_repeat_within_a_second_is_the_same_signal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for round in 0..20 {
        // Twenty rounds do not come to the end of it.
        let line = LINE.replace("count 14", "count 15");
        let child = queens(path, &format!("{line} --resume")).spawn().unwrap();
        counting(&child);
        signal(&child, Signal::TERM);
        sleep(Duration::from_micros(50 * round));
        signal(&child, Signal::TERM);
        let result = end(child);
        let err = texts(&result).2;
        assert_eq!(result.status.signal(), Some(15), "{err}");
        assert!(err.contains("SIGTERM: saved "), "round {round}: {err}");
        assert!(!path.join(".c.lock").exists(), "it ended in order");
    }
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
        until("a first unit", || units(path) > 0);
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
        let child = shell(path, &format!("trap '' {ignored}; exec QUEENS {LINE}")).spawn().unwrap();
        until("a first unit", || units(path) > 0);
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
    assert_eq!(texts(&end(child)), (Some(0), total(14), AGREES.to_owned()));
    let folder = tempfile::tempdir().unwrap();
    let child = ignoring(folder.path(), "INT");
    signal(&child, Signal::INT);
    assert_eq!(end(child).status.signal(), Some(Signal::INT.as_raw()));
}

/// An estimate that is told to end prints what it has, and ends by the signal.
#[test]
fn an_estimate_ends_with_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let line = "estimate 24 --engine backtrack --threads 1 --samples 1000000000 --max-time 1h --json";
    for sent in [Signal::INT, Signal::TERM] {
        let child = queens(folder.path(), line).spawn().unwrap();
        thread_named("estimate", &child);
        // Some samples may be drawn by then; without any, nothing is known, and that is told.
        sleep(Duration::from_millis(500));
        signal(&child, sent);
        let output = end(child);
        assert_eq!(output.status.signal(), Some(sent.as_raw()), "{:?}", texts(&output));
        let (_, out, err) = texts(&output);
        let found: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!((found["n"].as_u64(), found["core_seconds"]["high"].is_null(), err.as_str()), (Some(24), true, ""));
    }
}

#[test]
fn sigusr1_harms_no_command() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = queens(folder.path(), "solutions 16").stdout(Stdio::null()).spawn().unwrap();
    // From the moment on when the program has begun to run.
    let caught = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let set = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(set.trim(), 16).unwrap() >> 9 & 1 == 1
    };
    until("a handler of SIGUSR1", caught);
    signal(&child, Signal::USR1);
    sleep(Duration::from_millis(50));
    assert!(child.try_wait().unwrap().is_none());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_killed_list_leaves_nothing_behind() {
    hang_ups_arrive();
    let folder = tempfile::tempdir().unwrap();
    for sent in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
        let child = queens(folder.path(), "solutions 16 -o all").spawn().unwrap();
        let files = || fs::read_dir(folder.path()).unwrap().count();
        until("a file", || files() > 0);
        signal(&child, sent);
        assert_eq!(end(child).status.signal(), Some(sent.as_raw()));
        assert_eq!(files(), 0);
    }
}

#[test]
fn what_nobody_reads_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    output(path, "count 9 --shard 1/2 --out one");
    let unread = |line: &str| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        texts(&queens(path, line).stdout(Stdio::from(writer)).output().unwrap())
    };
    let (code, _, err) = unread("merge one");
    assert_eq!(code, Some(4), "{err}");
    // The number is not lost, whoever was to read it.
    let (code, _, err) = unread("count 9");
    assert_eq!(code, Some(1));
    assert!(err.starts_with("error: writing the result failed: ") && err.ends_with("\n352\n"), "{err}");
    fs::write(path.join("b"), "8 93\n").unwrap();
    assert_eq!(unread("verify --bfile b").0, Some(3));
    let benches = ["bench --from zen4 --compare zen5", "bench --from zen5 --compare zen4", "bench --from zen5"];
    assert_eq!(benches.map(|line| unread(line).0), [Some(3), Some(1), Some(1)]);
    // Files are written all the same.
    for (line, file) in [("bench --from zen5 --json=b.json", "b.json"), ("show 158 --json=o.json", "o.json")] {
        assert_eq!(unread(line).0, Some(1), "{line}");
        assert!(path.join(file).exists(), "{line}");
    }
    // A list too, of which nothing has arrived, and what is shown of an estimate or of a check.
    for line in ["solutions 9", "estimate 8", "verify 0-4", "symmetries 15863724", "show 158", "man", "--help"] {
        let (code, out, err) = unread(line);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{line}: {err}");
        assert!(err.starts_with("error: ") && err.contains("Broken pipe"), "{err}");
        // Nor is a stdout that was closed before the program began: the standard library opens /dev/null in its place.
        let closed = end(shell(path, &format!("exec QUEENS {line} >&-")).spawn().unwrap());
        assert_eq!(closed.status.code(), Some(1), "{line}: {:?}", texts(&closed));
    }
    let closed = end(shell(path, "exec QUEENS count 8 >&-").spawn().unwrap());
    assert!(
        closed.status.code() == Some(1) && texts(&closed).2.ends_with(" the result is\n92\n"),
        "{:?}",
        texts(&closed)
    );
    // A device that takes everything is a reader, however it was opened.
    let null = File::options().read(true).write(true).open("/dev/null").unwrap();
    assert_eq!(queens(path, "count 8").stdout(null).output().unwrap().status.code(), Some(0));
    let full = |line: &str| {
        texts(&queens(path, line).stdout(File::options().write(true).open("/dev/full").unwrap()).output().unwrap())
    };
    for line in ["--version", "-V", "--help", "count 9"] {
        assert_eq!(full(line).0, Some(1), "{line}");
    }
}

/// A reader that has enough is no failure, whatever is printed. What else the command is to do, it does.
#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    output(path, "count 8 --shard 1/100000 --out part -q");
    fs::write(path.join("b"), "5 10\n6 4\n7 41\n").unwrap();
    std::os::unix::fs::symlink("/dev/full", path.join("full.json")).unwrap();
    for (line, code, file) in [
        ("solutions 12", 0, ""),
        ("completions bash", 0, ""),
        ("count 1-12", 0, ""),
        ("count 1-12 --json=o.json", 0, "o.json"),
        ("profile 1-10", 0, ""),
        ("verify --symmetry half --json=v.json", 0, "v.json"),
        ("verify --profile 0-8", 0, ""),
        ("verify 0-8", 0, ""),
        ("verify --bfile b", 3, ""),
        ("verify 0-8 --json=full.json", 1, ""),
        ("status part --json", 0, ""),
    ] {
        let mut child = queens(path, line).spawn().unwrap();
        let mut first = [0];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let (ended, _, err) = texts(&end(child));
        assert!(ended == Some(code) && err.is_empty() == (code == 0), "{line}: {ended:?}, {err}");
        assert!(file.is_empty() || path.join(file).exists(), "{line} has written no {file}");
    }
}
