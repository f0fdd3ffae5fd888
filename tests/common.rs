//! Starts the program, waits for its runs, and makes ledgers.

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

/// No step of a test takes longer on any machine, so a step that does hangs.
const HANGS_AFTER: Duration = Duration::from_mins(5);
/// The limit of steps that are promised at once or within a second, even while 30 processes use the processor.
pub(crate) const SOON: Duration = Duration::from_secs(8);

/// A count that is saved every few milliseconds. With a [`delay`] of [`DELAY`] it takes seconds.
pub(crate) const COUNT: &str = "count 14 --engine backtrack -t 2 --checkpoint c --checkpoint-every 5ms";
pub(crate) const DELAY: u32 = 100;

/// A count that finishes no task with a [`delay`] of an [`HOUR`].
#[cfg(unix)]
pub(crate) const ENDLESS: &str = "count 20 --engine naive -t 2 --checkpoint c --checkpoint-every 20ms";
#[cfg(unix)]
pub(crate) const HOUR: u32 = 3_600_000;

/// Delays each task of the command, so that a run lasts as long as a test needs without using the processor.
pub(crate) fn delay(mut command: Command, milliseconds: u32) -> Command {
    command.env("QUEENS_WAIT", milliseconds.to_string());
    command
}

/// The program under test: `QUEENS_PROGRAM`, by default the build of these tests.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("QUEENS_PROGRAM").map_or_else(|| env!("CARGO_BIN_EXE_queens").into(), PathBuf::from)
}

/// `queens` with these arguments, run in this folder.
pub(crate) fn queens(folder: &Path, line: &str) -> Command {
    piped(Command::new(program()), folder, line.split_whitespace())
}

/// A shell script in which `QUEENS` before a blank stands for the program, whose path may contain blanks.
#[cfg(unix)]
pub(crate) fn shell(folder: &Path, script: &str) -> Command {
    piped(Command::new("sh"), folder, ["-c", &with_program(script)].into_iter())
}

#[cfg(unix)]
pub(crate) fn with_program(script: &str) -> String {
    script.replace("QUEENS ", &format!("'{}' ", program().display()))
}

/// Lets signals reach the processes that tests start, even if the tests run under `nohup` or in the background of a
/// script: a signal that is caught here is not ignored there.
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

/// Removes variables of the shell that would change the output, such as `CI`, which turns on colors.
pub(crate) fn clear_environment(command: &mut Command) {
    for name in ["CI", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "QUEENS_FAULT", "QUEENS_HOUR", "QUEENS_WAIT"] {
        command.env_remove(name);
    }
}

fn piped<'a>(mut command: Command, folder: &Path, arguments: impl Iterator<Item = &'a str>) -> Command {
    #[cfg(unix)]
    let_signals_arrive();
    command.args(arguments).current_dir(folder);
    clear_environment(&mut command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The exit code, stdout and stderr of `queens` with these arguments.
pub(crate) fn output(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    finish(queens(folder, line))
}

/// The exit code, stdout and stderr of a command.
pub(crate) fn finish(command: Command) -> (Option<i32>, String, String) {
    texts(&Running::start(command).end())
}

/// A printed or expected text, whose paths have slashes on every system.
pub(crate) fn slashed(text: &str) -> String {
    if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() }
}

/// Exit code, stdout and stderr. A process that died of a signal has no exit code.
pub(crate) fn texts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| slashed(str::from_utf8(bytes).unwrap());
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A running process, which is killed if its test fails.
pub(crate) struct Running(Option<Child>);

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        Self(Some(command.spawn().unwrap()))
    }

    /// Starts a run, and waits until it has saved more in its file `c` in this folder.
    pub(crate) fn begin(folder: &Path, command: Command) -> Self {
        let file = folder.join("c");
        let (before, run) = (reached(&file), Self::start(command));
        // While a file is replaced, Windows may refuse to open it.
        wait_for("more in the file", || ledger::read(&file).is_ok_and(|ledger| ledger.reached() > before));
        run
    }

    #[cfg(any(target_os = "linux", windows))]
    pub(crate) fn id(&self) -> u32 {
        self.0.as_ref().unwrap().id()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.0.as_mut().unwrap().try_wait().unwrap().is_some()
    }

    /// Sends a signal. The process may have ended by now.
    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_child(self.0.as_ref().unwrap());
        let _ = rustix::process::kill_process(id, signal);
    }

    /// Waits for the end, and returns all output.
    pub(crate) fn end(self) -> Output {
        self.end_within(HANGS_AFTER)
    }

    /// Waits for an end that is promised at once or within a second.
    pub(crate) fn end_soon(self) -> Output {
        self.end_within(SOON)
    }

    fn end_within(mut self, time: Duration) -> Output {
        let mut child = self.0.take().unwrap();
        let (stdout, stderr) = (read_all(child.stdout.take()), read_all(child.stderr.take()));
        self.0 = Some(child);
        wait_at_most(time, "the end", || self.has_ended());
        let status = self.0.as_mut().unwrap().wait().unwrap();
        Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let child = self.0.as_mut().unwrap();
        // This fails if the process has ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Reads a pipe to its end, so that the writer never waits for room.
fn read_all(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    let read = |mut pipe| {
        let mut bytes = Vec::new();
        Read::read_to_end(&mut pipe, &mut bytes).unwrap();
        bytes
    };
    thread::spawn(move || pipe.map(read).unwrap_or_default())
}

/// Waits until `done`, and fails after minutes.
pub(crate) fn wait_for(what: &str, done: impl FnMut() -> bool) {
    wait_at_most(HANGS_AFTER, what, done);
}

/// Waits until `done`, and fails after this time.
pub(crate) fn wait_at_most(time: Duration, what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < time, "{what}: still not after {time:?}");
        sleep(Duration::from_millis(2));
    }
}

/// Whether a text matches this pattern, in which `...` stands for any text.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
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

/// The files in and below a folder, except the locks of ledgers, `.NAME.lock`, which stay.
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

/// The number of finished units in a file, and of finished tasks; both are 0 if there is no file.
pub(crate) fn reached(path: &Path) -> (usize, u64) {
    if path.exists() { read(path).reached() } else { (0, 0) }
}

/// The ledger in a file, which must be undamaged.
pub(crate) fn read(path: &Path) -> Ledger {
    ledger::read(path).unwrap()
}

pub(crate) fn size(n: usize) -> Size {
    Size::new(n).unwrap()
}

/// The output of a count of N.
pub(crate) fn total(n: usize) -> String {
    format!("{}\n", oeis::QUEENS.term(n).unwrap())
}

/// The text of the checkpoint that a count leaves.
pub(crate) fn ledger_text(line: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, err) = output(folder.path(), &format!("{line} --checkpoint c"));
    assert_eq!(code, Some(0), "{line}: {err}");
    fs::read_to_string(folder.path().join("c")).unwrap()
}

/// The text of a ledger with a new checksum, as anybody can compute it.
pub(crate) fn reseal(text: &str) -> String {
    let end = text.rfind("\nsha256 ").map_or(text.len(), |at| at + 1);
    let sum: Vec<String> = Hash::hash(&text.as_bytes()[..end]).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}sha256 {}\n", &text[..end], sum.concat())
}

/// The text of a complete ledger of backtracking, with all solutions in its first unit.
pub(crate) fn made_up(n: usize, total: u128) -> String {
    made_up_by(EngineKind::Backtrack, n, total)
}

pub(crate) fn made_up_by(engine: EngineKind, n: usize, total: u128) -> String {
    let run = Request::solutions(size(n)).engine(engine).run().unwrap();
    let (empty, units) = (ledger::encode(run.ledger()).unwrap(), run.ledger().units());
    let lines = (0..units).map(|unit| format!("unit {unit} {}\n", if unit == 0 { total } else { 0 }));
    let end = empty.rfind("sha256 ").unwrap();
    reseal(&(empty[..end].to_owned() + &lines.collect::<String>()))
}

/// The text of a ledger with only the first of its units, as a stopped run leaves it.
pub(crate) fn unfinished(text: &str, units: usize) -> String {
    let (parts, rest): (Vec<&str>, Vec<&str>) = text.split_inclusive('\n').partition(|line| line.starts_with("unit "));
    let (head, tail) = rest.split_at(rest.len() - 1);
    reseal(&[head, &parts[..units], tail].concat().concat())
}
