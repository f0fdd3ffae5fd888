//! The program, its ledgers and its runs, for the tests that need them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use hmac_sha256::Hash;
use queens::ledger::{self, Ledger};
use queens::{EngineKind, Request, Size, oeis};

/// Longer than anything here takes on any machine: what is not over by then hangs.
const PATIENCE: Duration = Duration::from_mins(5);
/// What is promised at once or within a second takes less, with 30 busy processes beside it too.
pub(crate) const SOON: Duration = Duration::from_secs(8);

/// A count that is saved every few milliseconds, and takes seconds where its tasks are [`waiting`].
pub(crate) const COUNT: &str = "count 14 --engine backtrack -t 2 --checkpoint c --checkpoint-every 5ms";
/// The wait of its tasks.
pub(crate) const WAIT: u32 = 100;

/// A count of which no task is ever finished, [`waiting`] for an hour.
#[cfg(unix)]
pub(crate) const ENDLESS: &str = "count 20 --engine naive -t 2 --checkpoint c --checkpoint-every 20ms";
#[cfg(unix)]
pub(crate) const HOUR: u32 = 3_600_000;

/// The command, each task of whose runs waits so many milliseconds before it is counted: so a run lives as long as a test needs
/// it, and takes no processor from others meanwhile.
pub(crate) fn waiting(mut command: Command, milliseconds: u32) -> Command {
    command.env("QUEENS_WAIT", milliseconds.to_string());
    command
}

/// The program: the one that was built for these tests, unless `QUEENS_PROGRAM` names another.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("QUEENS_PROGRAM").map_or_else(|| env!("CARGO_BIN_EXE_queens").into(), PathBuf::from)
}

/// `queens` with these arguments, in a folder of the test's own.
pub(crate) fn queens(folder: &Path, line: &str) -> Command {
    piped(Command::new(program()), folder, line.split_whitespace())
}

/// A script for the shell, in which `QUEENS` is the program, whose path may have blanks.
#[cfg(unix)]
pub(crate) fn shell(folder: &Path, script: &str) -> Command {
    piped(Command::new("sh"), folder, ["-c", &with_program(script)].into_iter())
}

#[cfg(unix)]
pub(crate) fn with_program(script: &str) -> String {
    script.replace("QUEENS", &format!("'{}'", program().display()))
}

/// Lets signals reach what the tests start, also where they were started under `nohup`, or in the background of a script: what
/// is caught here is not ignored there.
#[cfg(unix)]
pub(crate) fn let_signals_arrive() {
    static CAUGHT: std::sync::Once = std::sync::Once::new();
    CAUGHT.call_once(|| {
        for signal in [1, 2, 15] {
            let is_end = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, is_end).unwrap();
        }
    });
}

/// What the shell around a test has set decides nothing in it, such as `CI`, which brings colors to a terminal.
pub(crate) fn alone(command: &mut Command) {
    for name in ["CI", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "QUEENS_FAULT", "QUEENS_HOUR", "QUEENS_WAIT"] {
        command.env_remove(name);
    }
}

fn piped<'a>(mut command: Command, folder: &Path, arguments: impl Iterator<Item = &'a str>) -> Command {
    #[cfg(unix)]
    let_signals_arrive();
    command.args(arguments).current_dir(folder);
    alone(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Its exit code, stdout and stderr.
pub(crate) fn output(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    ended(queens(folder, line))
}

/// The same of another command.
pub(crate) fn ended(command: Command) -> (Option<i32>, String, String) {
    texts(&Running::start(command).end())
}

/// A text that is printed or expected: its paths have slashes on every system.
pub(crate) fn slashed(text: &str) -> String {
    if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() }
}

/// Exit code, stdout and stderr. A process that a signal ended has none of the first.
pub(crate) fn texts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| slashed(str::from_utf8(bytes).unwrap());
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A program that runs; it is killed if its test fails.
pub(crate) struct Running(Option<Child>);

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        Self(Some(command.spawn().unwrap()))
    }

    /// Starts a run, and waits until its file `c` in this folder has more than before.
    pub(crate) fn begin(folder: &Path, command: Command) -> Self {
        let file = folder.join("c");
        let (before, run) = (reached(&file), Self::start(command));
        // While a file is replaced, Windows may refuse to open it.
        until("more in the file", || ledger::read(&file).is_ok_and(|ledger| ledger.reached() > before));
        run
    }

    #[cfg(any(target_os = "linux", windows))]
    pub(crate) fn id(&self) -> u32 {
        self.0.as_ref().unwrap().id()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.0.as_mut().unwrap().try_wait().unwrap().is_some()
    }

    /// Sends a signal; it may have ended by now.
    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_child(self.0.as_ref().unwrap());
        let _ = rustix::process::kill_process(id, signal);
    }

    /// Its end, with what it has printed by then.
    pub(crate) fn end(self) -> Output {
        self.end_within(PATIENCE)
    }

    /// The same of what is to end at once, or a second after a signal.
    pub(crate) fn end_soon(self) -> Output {
        self.end_within(SOON)
    }

    fn end_within(mut self, time: Duration) -> Output {
        let mut child = self.0.take().unwrap();
        let (stdout, stderr) = (read_all(child.stdout.take()), read_all(child.stderr.take()));
        self.0 = Some(child);
        within(time, "the end", || self.has_ended());
        let status = self.0.as_mut().unwrap().wait().unwrap();
        Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let child = self.0.as_mut().unwrap();
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Reads a pipe to its end, so that nobody waits for room in it.
fn read_all(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    let read = |mut pipe| {
        let mut bytes = Vec::new();
        Read::read_to_end(&mut pipe, &mut bytes).unwrap();
        bytes
    };
    thread::spawn(move || pipe.map(read).unwrap_or_default())
}

/// Waits until `done`, or fails.
pub(crate) fn until(what: &str, done: impl FnMut() -> bool) {
    within(PATIENCE, what, done);
}

/// The same, for no longer than this.
pub(crate) fn within(time: Duration, what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < time, "{what}: still not after {time:?}");
        sleep(Duration::from_millis(2));
    }
}

/// Whether a text is this one, in which `...` stands for anything.
pub(crate) fn agrees(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split("...");
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap()) else { return false };
    let mut last = None;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        last = Some(part);
    }
    match last {
        None | Some("") => last.is_some() || rest.is_empty(),
        Some(part) => rest.is_empty() || text.ends_with(part),
    }
}

/// The files in a folder and below, but for the locks of ledgers, `.NAME.lock`, which stay.
pub(crate) fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            found.extend(files(&entry.path()).into_iter().map(|below| format!("{name}/{below}")));
        } else if entry.path().extension().is_none_or(|extension| extension != "lock") {
            found.insert(name);
        }
    }
    found
}

/// How far a ledger is: its units, and tasks of others. It is nowhere while there is no file.
pub(crate) fn reached(path: &Path) -> (usize, u64) {
    if path.exists() { read(path).reached() } else { (0, 0) }
}

/// The ledger in a file, which must be whole.
pub(crate) fn read(path: &Path) -> Ledger {
    ledger::read(path).unwrap()
}

pub(crate) fn size(n: usize) -> Size {
    Size::new(n).unwrap()
}

/// What a count of N prints.
pub(crate) fn total(n: usize) -> String {
    format!("{}\n", oeis::QUEENS.term(n).unwrap())
}

/// The checkpoint that a count leaves.
pub(crate) fn ledger_text(line: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, err) = output(folder.path(), &format!("{line} --checkpoint c"));
    assert_eq!(code, Some(0), "{line}: {err}");
    fs::read_to_string(folder.path().join("c")).unwrap()
}

/// The text of a ledger with the checksum that it should have, as anybody can make one.
pub(crate) fn resealed(text: &str) -> String {
    let end = text.rfind("\nsha256 ").map_or(text.len(), |at| at + 1);
    let sum: Vec<String> = Hash::hash(&text.as_bytes()[..end]).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}sha256 {}\n", &text[..end], sum.concat())
}

/// The text of a ledger of backtracking in which the first unit has all the solutions that it is said to find.
pub(crate) fn made_up(n: usize, total: u128) -> String {
    made_up_by(EngineKind::Backtrack, n, total)
}

/// The same of another engine.
pub(crate) fn made_up_by(engine: EngineKind, n: usize, total: u128) -> String {
    let run = Request::solutions(size(n)).engine(engine).run().unwrap();
    let (empty, units) = (ledger::encode(run.ledger()).unwrap(), run.ledger().units());
    let lines = (0..units).map(|unit| format!("unit {unit} {}\n", if unit == 0 { total } else { 0 }));
    let end = empty.rfind("sha256 ").unwrap();
    resealed(&(empty[..end].to_owned() + &lines.collect::<String>()))
}

/// The text of a ledger that has only the first of its units, as a run leaves it that was stopped.
pub(crate) fn unfinished(text: &str, units: usize) -> String {
    let (parts, rest): (Vec<&str>, Vec<&str>) = text.split_inclusive('\n').partition(|line| line.starts_with("unit "));
    let (head, tail) = rest.split_at(rest.len() - 1);
    resealed(&[head, &parts[..units], tail].concat().concat())
}
