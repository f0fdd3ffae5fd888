//! The program and its ledgers, for the tests that run it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Longer than anything here takes on any machine: what is not over by then hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60 * 10);

/// The program: the one that was built for these tests, unless `QUEENS_PROGRAM` names another.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("QUEENS_PROGRAM").map_or_else(|| env!("CARGO_BIN_EXE_queens").into(), PathBuf::from)
}

/// `queens` with these arguments, in a folder of the test's own.
pub(crate) fn queens(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(program());
    command.args(line.split_whitespace()).current_dir(folder).env_remove("NO_COLOR");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Its exit code, stdout and stderr. A process that a signal ended, as it ends what hangs, has none of the first.
pub(crate) fn output(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    let mut command = assert_cmd::Command::from_std(queens(folder, line));
    texts(&command.timeout(PATIENCE).write_stdin("").output().unwrap())
}

pub(crate) fn texts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
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
    use sha2::Digest;
    let end = text.rfind("\nsha256 ").map_or(text.len(), |at| at + 1);
    let sum: Vec<String> = sha2::Sha256::digest(&text[..end]).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}sha256 {}\n", &text[..end], sum.concat())
}
