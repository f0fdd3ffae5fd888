//! A locale without Unicode gets ASCII, whatever is printed.

#![cfg(feature = "cli")]

mod common;

use common::{output, queens, texts};

const LINES: &[&str] = &[
    "count 12 --progress always",
    "count 8-10",
    "count 12 --unique",
    "count 12 --symmetry quarter",
    "count 29 --engine naive --checkpoint c --max-time 500ms --progress always",
    "estimate 12 --samples 20 --progress always",
    "estimate 20 --samples 2 --max-time 1ms",
    "verify --to 9 --progress always",
    "verify --symmetry half --to 8",
    "bench --from b.json",
    "bench --from b.json --markdown -",
    "bench --from b.json --compare b.json",
    "bench --from b.json --compare b.json --csv -",
    "audit s1 s2 --units 2 --progress always",
    "merge s1 s2",
    "status .",
    "show 15863724",
    "show 158",
    "show --number 93 8",
    "show 158 --json",
    "solutions 6 --format board",
    "symmetries 2413",
    "symmetries 158",
    "profile 8",
    "count 33",
    "completions fish",
];

const COMMANDS: &[&str] = &[
    "",
    "count",
    "merge",
    "status",
    "audit",
    "profile",
    "verify",
    "bench",
    "estimate",
    "solutions",
    "symmetries",
    "show",
    "completions",
    "man",
];

#[test]
fn a_plain_locale_gets_ascii() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for line in ["count 12 --shard 1/2 --out s1", "count 12 --shard 2/2 --out s2"] {
        assert_eq!(output(path, line).0, Some(0));
    }
    // Quick enough that its times are in microseconds.
    assert_eq!(output(path, "bench 2 --engine naive --threads 1,2 --runs 1 --json=b.json").0, Some(0));
    let helps = COMMANDS.iter().flat_map(|command| [format!("help {command}"), format!("man {command}")]);
    for line in LINES.iter().map(|line| (*line).to_owned()).chain(helps) {
        let (_, out, err) = texts(&queens(path, &line).env("LC_ALL", "C").output().unwrap());
        assert!(out.is_ascii() && err.is_ascii() && !(out + &err).is_empty(), "{line}");
    }
}
