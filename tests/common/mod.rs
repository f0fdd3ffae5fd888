//! The program and its ledgers, for the tests that run it.

pub(crate) mod asserted;
#[cfg(unix)]
pub(crate) mod option_table;
pub(crate) mod outputs;
#[cfg(unix)]
pub(crate) mod runs;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use queens::ledger::{
    Ledger,
    store::{self, Store},
};

/// `queens` with these arguments, in a folder of the test's own.
pub(crate) fn queens(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_queens"));
    command.args(line.split_whitespace()).current_dir(folder).env_remove("NO_COLOR");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Longer than anything here takes on any machine: what is not over by then hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60 * 10);

/// Its exit code, stdout and stderr. A process that a signal ended, as it ends what hangs, has none of the first.
pub(crate) fn output(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    let mut command = assert_cmd::Command::from_std(queens(folder, line));
    texts(&command.timeout(PATIENCE).write_stdin("").output().unwrap())
}

pub(crate) fn texts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Says on stderr, past what holds back the words of a test that ends well, that this one has tested nothing; fails where
/// `QUEENS_TEST_ALL` asks for all of them.
pub(crate) fn skipped(reason: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    assert!(std::env::var_os("QUEENS_TEST_ALL").is_none(), "{test} cannot run: {reason}");
    let _ = writeln!(std::io::stderr(), "{test}: skipped, {reason}");
}

/// The finished units of a file and their tallies.
pub(crate) fn tallies(path: &Path) -> Vec<(usize, u128)> {
    let ledger: Ledger = store::read(path).unwrap();
    ledger.tallies().map(|(unit, tally)| (unit, tally.get())).collect()
}

/// The ledger of a file with some tallies changed, saved under another name with its checksum made right.
pub(crate) fn forged(folder: &Path, from: &str, to: &str, change: impl Fn(usize, u128) -> u128) {
    let ledger = store::read(&folder.join(from)).unwrap();
    let mut forged = Ledger::new(ledger.fingerprint().clone(), ledger.shard());
    for (unit, tally) in ledger.tallies() {
        forged.record(unit, change(unit, tally.get()).into()).unwrap();
    }
    Store::open(folder.join(to)).unwrap().save(&forged).unwrap();
}

/// Counts N = 11 in so many shards, files s1, s2 and so on.
pub(crate) fn shards(folder: &Path, of: u32) {
    for k in 1..=of {
        let line = format!("count 11 --engine backtrack --shard {k}/{of} --out s{k}");
        let (code, out, err) = output(folder, &line);
        let expected = if of == 1 { "2680\n" } else { "" };
        assert_eq!((code, out.as_str()), (Some(0), expected), "a part alone would pass for the count");
        assert!(err.starts_with(&format!("s{k}: shard {k}/{of} of N = 11, ")), "{err}");
    }
}

/// A file with a checksum that is right, as anybody can make one.
pub(crate) fn sealed(body: &str) -> String {
    use sha2::Digest;
    use std::fmt::Write;
    let mut text = format!("{body}sha256 ");
    for byte in sha2::Sha256::digest(body) {
        write!(text, "{byte:02x}").unwrap();
    }
    text + "\n"
}
