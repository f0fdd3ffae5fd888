//! Readers of stdout: those that are gone, those that have enough, and files that take no more.

#![cfg(all(unix, feature = "cli"))]

use std::fs::{self, File};
use std::io::Read;
use std::process::Stdio;

use crate::common::runs::{end, shell};
use crate::common::{output, queens, texts};

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
    let benches = ["bench --from zen4 --compare zen5", "bench --from zen5 --compare zen5", "bench --from zen5"];
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
        ("verify 1-14 --symmetry half --json=v.json", 0, "v.json"),
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
