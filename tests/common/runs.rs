//! Runs that a test sends signals to, looks into and waits for.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Once};
use std::thread::sleep;
use std::time::{Duration, Instant};

use queens::ledger::store;
use queens::oeis;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

pub(crate) use super::PATIENCE;
use super::queens;

/// A count of half an hour or more whose tasks take milliseconds, saved all the time: no machine is so fast that it ends, or so slow that
/// it gets nowhere.
pub(crate) const LINE: &str = "count 64 --symmetry quarter --threads 2 --checkpoint c --checkpoint-every 1ms";

/// What a whole count says on stderr.
pub(crate) const AGREES: &str = "agrees with OEIS A000170\n";

/// Lets a hang-up reach what the test starts from here on, also where the tests were started under `nohup`: a signal
/// that is caught here is not ignored there, while one that is ignored here would be.
pub(crate) fn hang_ups_arrive() {
    static CAUGHT: Once = Once::new();
    CAUGHT.call_once(|| {
        // `nohup` ignores the first, a shell's `&` the second; what is caught here is not ignored by what is started.
        for signal in [signal_hook::consts::SIGHUP, signal_hook::consts::SIGQUIT] {
            signal_hook::flag::register(signal, Arc::default()).unwrap();
        }
    });
}

pub(crate) fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// A script for the shell, in which `QUEENS` is the program.
pub(crate) fn shell(folder: &Path, script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &script.replace("QUEENS", env!("CARGO_BIN_EXE_queens"))]).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// `queens` where these functions take the place of the C library's.
pub(crate) fn replaced(folder: &Path, line: &str, functions: &str) -> Command {
    let (library, source) = (folder.join("functions.so"), folder.join("functions.c"));
    if !library.exists() {
        fs::write(&source, functions).unwrap();
        let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status().unwrap();
        assert!(built.success());
    }
    let mut command = queens(folder, line);
    command.env("LD_PRELOAD", library);
    command
}

/// A run that has begun to count: before that, events have no units.
pub(crate) fn started(folder: &Path, line: &str) -> Child {
    let mut child = queens(folder, &format!("{line} --progress json")).spawn().unwrap();
    let first = first_line_of(&mut child, |line| line.contains("\"units\":"));
    assert!(first.contains("\"event\":\"progress\""), "{first}");
    child
}

/// Waits until `done`, or fails.
pub(crate) fn until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < PATIENCE, "{what}: still not");
        sleep(Duration::from_millis(2));
    }
}

/// Waits until the threads that count have begun: all of a run is set up by then.
pub(crate) fn counting(child: &Child) {
    thread_named("run", child);
}

/// Waits until there is such a thread.
pub(crate) fn thread_named(name: &str, child: &Child) {
    let tasks = format!("/proc/{}/task", child.id());
    let is_it = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).is_ok_and(|comm| comm.trim() == name);
    until(name, || fs::read_dir(&tasks).is_ok_and(|mut tasks| tasks.any(|task| task.is_ok_and(is_it))));
}

/// The first line of stderr that is of this kind; then the run is killed.
pub(crate) fn first_line(mut child: Child, is_it: impl Fn(&str) -> bool) -> String {
    let line = first_line_of(&mut child, is_it);
    child.kill().unwrap();
    child.wait().unwrap();
    line
}

/// The same of a run that goes on, whose lines behind it are still there to be read.
pub(crate) fn first_line_of(child: &mut Child, is_it: impl Fn(&str) -> bool) -> String {
    // Unbuffered beyond the line.
    let mut reader = BufReader::with_capacity(1, child.stderr.take().unwrap());
    let line = reader.by_ref().lines().map(Result::unwrap).find(|line| is_it(line));
    child.stderr = Some(reader.into_inner());
    line.expect("there is such a line")
}

/// Its end; what hangs is killed.
pub(crate) fn end(mut child: Child) -> Output {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the program hangs");
        }
        sleep(Duration::from_millis(2));
    }
    child.wait_with_output().unwrap()
}

/// How far the checkpoint `c` is: its units, and tasks of others.
pub(crate) fn reached(folder: &Path) -> (usize, u64) {
    if folder.join("c").exists() { store::read(&folder.join("c")).unwrap().reached() } else { (0, 0) }
}

/// Runs a line with `--max-time`, twice as long each time until a task is finished in it on this machine, busy as it is. Returns
/// the line and how it ended.
pub(crate) fn out_of_time<T>(line: &str, run: impl Fn(&str) -> (T, String, String)) -> (String, (T, String, String)) {
    let mut lines = (4..17).map(|doubled| format!("{line} --max-time {}ms", 1 << doubled));
    let mut runs = std::iter::from_fn(|| lines.next().map(|line| (run(&line), line)));
    let is_enough = |((_, _, err), _): &((T, String, String), String)| !err.contains("no task was finished within");
    let (found, line) = runs.find(is_enough).expect("a task is finished within a minute");
    (line, found)
}

/// What a count of N prints.
pub(crate) fn total(n: usize) -> String {
    format!("{}\n", oeis::QUEENS.term(n).unwrap())
}

/// A terminal of so many columns, behind its other end. No program that is started holds the other end open, neither
/// the one on this terminal nor one that another test starts meanwhile.
pub(crate) fn terminal(columns: u16) -> (File, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    tcsetwinsize(&master, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let terminal = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    (master.into(), terminal)
}

/// Reads what is shown up to this text, or else to the end.
pub(crate) fn shown_until(master: &mut File, text: &str) -> String {
    let mut shown = String::new();
    while !shown.contains(text) {
        let mut piece = [0; 4096];
        let Ok(read) = master.read(&mut piece) else { break };
        shown += &String::from_utf8_lossy(&piece[..read]);
    }
    shown
}
