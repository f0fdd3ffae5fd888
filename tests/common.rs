//! The program, its ledgers and its runs, for the tests that need them.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use queens::ledger::{self, Ledger};
use queens::oeis;
use sha2::{Digest, Sha256};

/// Longer than anything here takes on any machine: what is not over by then hangs.
const PATIENCE: Duration = Duration::from_secs(60 * 10);

/// A count without an end, as far as a test is concerned, of which no task is ever finished.
pub(crate) const ENDLESS: &str = "count 20 --engine naive -t 2 --checkpoint c --checkpoint-every 1ms";

/// The program: the one that was built for these tests, unless `QUEENS_PROGRAM` names another.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("QUEENS_PROGRAM").map_or_else(|| env!("CARGO_BIN_EXE_queens").into(), PathBuf::from)
}

/// `queens` with these arguments, in a folder of the test's own.
pub(crate) fn queens(folder: &Path, line: &str) -> Command {
    piped(Command::new(program()), folder, line.split_whitespace())
}

/// A script for the shell, in which `QUEENS` is the program.
pub(crate) fn shell(folder: &Path, script: &str) -> Command {
    let script = script.replace("QUEENS", program().to_str().unwrap());
    piped(Command::new("sh"), folder, ["-c", &script].into_iter())
}

fn piped<'a>(mut command: Command, folder: &Path, arguments: impl Iterator<Item = &'a str>) -> Command {
    command.args(arguments).current_dir(folder).env_remove("NO_COLOR").env_remove("QUEENS_FAULT");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Its exit code, stdout and stderr.
pub(crate) fn output(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    texts(&end(queens(folder, line).spawn().unwrap()))
}

/// Exit code, stdout and stderr. A process that a signal ended has none of the first.
pub(crate) fn texts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The end of a process; what hangs is killed.
pub(crate) fn end(child: Child) -> Output {
    let id = child.id();
    let (done, waiting) = std::sync::mpsc::channel();
    // The pipes must be read meanwhile.
    std::thread::spawn(move || drop(done.send(child.wait_with_output())));
    waiting.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("process {id} hangs")).unwrap()
}

/// Waits until `done`, or fails.
pub(crate) fn until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < PATIENCE, "{what}: still not");
        sleep(Duration::from_millis(2));
    }
}

/// How far a ledger is: its units, and tasks of others. It is nowhere while there is no file.
pub(crate) fn reached(path: &Path) -> (usize, u64) {
    if path.exists() { read(path).reached() } else { (0, 0) }
}

/// The ledger in a file, which must be whole.
pub(crate) fn read(path: &Path) -> Ledger {
    ledger::read(path).unwrap()
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
    std::fs::read_to_string(folder.path().join("c")).unwrap()
}

/// The text of a ledger with the checksum that it should have, as anybody can make one.
pub(crate) fn resealed(text: &str) -> String {
    let end = text.rfind("\nsha256 ").map_or(text.len(), |at| at + 1);
    let sum: Vec<String> = Sha256::digest(&text[..end]).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}sha256 {}\n", &text[..end], sum.concat())
}

/// The text of a ledger that has only the first of its units, as a run leaves it that was stopped.
pub(crate) fn unfinished(text: &str, units: usize) -> String {
    let (parts, rest): (Vec<&str>, Vec<&str>) = text.split_inclusive('\n').partition(|line| line.starts_with("unit "));
    let (head, tail) = rest.split_at(rest.len() - 1);
    resealed(&[head, &parts[..units], tail].concat().concat())
}
