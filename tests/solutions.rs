//! `queens solutions` as its users see it: which solutions are listed, in what order, and their numbers.

#![cfg(feature = "cli")]

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::common::asserted::{queens, stdout};
use predicates::prelude::*;

#[test]
fn the_92_solutions() {
    let text = stdout(&["solutions", "8"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 92);
    assert_eq!((lines[0], lines[30], lines[91]), ("15863724", "42586137", "84136275"));
    assert!(lines.is_sorted());
    for n in ["0", "1", "2", "3", "6", "10"] {
        let lines = stdout(&["solutions", n]).lines().count();
        assert_eq!(format!("{lines}\n"), stdout(&["count", n, "--quiet"]), "N = {n}");
    }
}

#[test]
fn beginnings_and_parts() {
    let from = stdout(&["solutions", "8", "--from", "158"]);
    assert!(from.starts_with("15863724\n16837425\n17468253\n") && from.ends_with("\n84136275\n"));
    assert_eq!(stdout(&["solutions", "8", "--prefix", "158"]), "15863724\n");
    let upper: usize =
        ["1", "2", "3", "4"].map(|row| stdout(&["solutions", "8", "--prefix", row]).lines().count()).iter().sum();
    assert_eq!(upper, 46);
    assert_eq!(stdout(&["solutions", "8", "--skip", "30", "--limit", "1"]), "42586137\n");
    assert_eq!(stdout(&["solutions", "8", "--skip", "91"]), "84136275\n");
    assert_eq!(stdout(&["solutions", "8", "--prefix", "1", "--skip", "4"]), "");
    // Solutions that are left out are counted and not walked through, and none where the published total says enough.
    for (n, skip, total) in [("8", "92", "92"), ("20", "1000000000000", "39,029,188,884")] {
        let reason = format!(
            "--skip {skip} leaves nothing: N = {n} has {total} solutions (OEIS A000170), numbered from 1 to {total}\n"
        );
        queens(&["solutions", n, "--skip", skip, "--limit", "2"]).assert().success().stdout("").stderr(reason);
    }
    let walked = stdout(&["solutions", "12", "--from", "3,6", "--fundamental"]);
    for skip in [0, 1, 500, 900, 1_786] {
        let skipped = stdout(&["solutions", "12", "--from", "3,6", "--fundamental", "--skip", &skip.to_string()]);
        assert!(skipped.lines().eq(walked.lines().skip(skip)), "--skip {skip}");
    }
    assert_eq!(stdout(&["solutions", "8", "--limit", "0"]), "");
    assert_eq!(stdout(&["solutions", "8", "--prefix", "4", "--from", "425"]).lines().next(), Some("42586137"));
}

#[test]
fn one_of_each_class() {
    let text = stdout(&["solutions", "8", "--fundamental"]);
    let mut sizes: Vec<&str> = text.lines().map(|line| line.split_once(' ').unwrap().1).collect();
    assert_eq!(text.lines().next(), Some("15863724 8"));
    sizes.sort_unstable();
    assert_eq!(sizes.join(""), "488888888888");
}

/// Whoever reads three lines and leaves gets them at once, and no error, however long the list is.
#[test]
fn a_closed_pipe_ends_quietly() {
    for n in ["14", "24"] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_queens"))
            .args(["solutions", n])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines: Vec<String> =
            BufReader::new(child.stdout.take().unwrap()).lines().take(3).collect::<Result<_, _>>().unwrap();
        assert_eq!(lines.len(), 3);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty());
    }
}

/// The number is that in the whole list, in every format that has one, wherever the output begins.
#[test]
fn numbers_are_ranks() {
    let from = ["solutions", "8", "--from", "425", "--limit", "2"];
    let csv = stdout(&[&from[..], &["--format", "csv"]].concat());
    assert_eq!(csv.lines().skip(1).collect::<Vec<_>>(), ["31,4,2,5,8,6,1,3,7", "32,4,2,7,3,6,8,1,5"]);
    assert!(stdout(&[&from[..], &["--format", "json"]].concat()).starts_with("[\n{\"number\":31,"));
    assert!(stdout(&[&from[..], &["--format", "board"]].concat()).starts_with("31: 42586137\n"));
    assert!(stdout(&[&from[..], &["--format", "html"]].concat()).contains("first: 31,"));
    assert!(stdout(&[&from[..], &["--skip", "1", "--format", "html"]].concat()).contains("first: 32,"));
    // Whether the limit has cut the list short.
    for (limit, more) in [("91", "true"), ("92", "false"), ("93", "false")] {
        let page = stdout(&["solutions", "8", "--limit", limit, "--format", "html"]);
        assert!(page.contains(&format!("more: {more}")), "--limit {limit}");
    }
    assert!(stdout(&[&from[..], &["--skip", "1", "--format", "csv"]].concat()).contains("\n32,4"));
    let fundamental = stdout(&["solutions", "8", "--fundamental", "--from", "3", "--format", "csv"]);
    let whole = stdout(&["solutions", "8", "--fundamental", "--format", "csv"]);
    assert!(whole.ends_with(fundamental.split_once('\n').unwrap().1));
    assert!(fundamental.lines().count() > 3);
    assert_eq!(stdout(&["solutions", "8", "--from", "85", "--format", "csv"]).lines().count(), 1, "nothing is left");
    // Where that would take days, there is no number rather than a wrong one.
    let large = queens(&["solutions", "24", "--from", "12", "--limit", "1", "--format", "json"]).output().unwrap();
    assert!(String::from_utf8(large.stdout).unwrap().starts_with("[\n{\"number\":null,"));
    assert!(String::from_utf8(large.stderr).unwrap().contains("would take long"));
}

#[test]
fn rank_and_number_are_each_other() {
    assert_eq!(stdout(&["solutions", "8", "--rank", "42586137"]), "31\n");
    assert_eq!(stdout(&["solutions", "8", "--rank", "42586137", "--prefix", "425"]), "1\n");
    assert_eq!(stdout(&["solutions", "8", "--rank", "36258174", "--fundamental"]), "12\n");
    assert!(stdout(&["show", "--number", "31", "8", "--json"]).contains("\"placement\":\"42586137\""));
    for (args, reason) in [
        (&["solutions", "8", "--rank", "158"][..], "not a solution: 3 queens, 8 needed"),
        (
            &["solutions", "8", "--rank", "84136275", "--fundamental"],
            "the fundamental solution of its class is 15863724",
        ),
        (
            &["solutions", "8", "--rank", "84136275", "--prefix", "1"],
            "not in the list, which has only solutions that begin with 1",
        ),
        (&["show", "--number", "0", "8"], "K is a whole number from 1 to 18446744073709551615"),
        (&["show", "--number", "1", "33"], "N is a whole number from 0 to 32"),
    ] {
        queens(args).assert().code(2).stdout("").stderr(predicate::str::contains(reason));
    }
    for (number, n, reason) in [
        ("93", "8", "N = 8 has 92 solutions (OEIS A000170), numbered from 1 to 92"),
        ("1", "3", "N = 3 has no solutions (OEIS A000170)"),
        ("1000000000000", "18", "numbered from 1 to 666,090,624"),
    ] {
        let reason = predicate::str::contains(format!("invalid value '{number}' for '--number <K>': "))
            .and(predicate::str::contains(reason));
        queens(&["show", "--number", number, n]).assert().code(2).stdout("").stderr(reason);
    }
    // Wherever the path to it leads, the number is that of the list.
    for number in ["1", "77", "7000", "14200"] {
        let listed =
            stdout(&["solutions", "12", "--skip", &(number.parse::<u64>().unwrap() - 1).to_string(), "--limit", "1"]);
        let shown = stdout(&["show", "--number", number, "12", "--json"]);
        assert!(shown.contains(&format!("\"placement\":\"{}\"", listed.trim_end())), "{shown}");
        assert_eq!(stdout(&["solutions", "12", "--rank", listed.trim_end()]), format!("{number}\n"));
    }
}

#[test]
fn lists_with_given_queens_and_turns() {
    let all = stdout(&["solutions", "8"]);
    let with = |args: &[&str]| stdout(&[&["solutions", "8"], args].concat());
    let fourth_in_second = |line: &&str| line.as_bytes()[3] == b'2';
    let expected: Vec<&str> = all.lines().filter(fourth_in_second).collect();
    assert_eq!(with(&["--queen", "4,2"]).lines().collect::<Vec<_>>(), expected);
    assert_eq!(with(&["--queen", "d7"]), with(&["--queen", "4,2"]));
    let both: Vec<&str> = expected.iter().filter(|line| line.starts_with('6')).copied().collect();
    assert_eq!(with(&["--prefix", "6", "--queen", "4,2"]).lines().collect::<Vec<_>>(), both);
    assert_eq!(with(&["--queen", "4,2", "--rank", expected[2]]), "3\n");
    let some = with(&["--queen", "4,2", "--from", "6", "--skip", "1", "--limit", "1"]);
    assert_eq!(some.trim_end(), both[1]);
    let numbered = with(&["--queen", "4,2", "--from", both[0], "--format", "csv"]);
    let number = expected.iter().position(|line| *line == both[0]).unwrap() + 1;
    assert!(numbered.lines().nth(1).unwrap().starts_with(&format!("{number},6,")), "{numbered}");
    assert_eq!(with(&["--symmetry", "half"]), "35281746\n46827135\n53172864\n64718253\n");
    assert_eq!(with(&["--symmetry", "quarter"]), "");
    assert_eq!(stdout(&["solutions", "12", "--symmetry", "quarter"]).lines().count(), 8);
    for (args, reason) in [
        (&["--queen", "4,2", "--symmetry", "half"][..], "cannot be used with"),
        // A square is called as it was written.
        (&["--queen", "4,2", "--queen", "e6"], "the queens on 4,2 and e6 share a diagonal"),
        (&["--queen", "D7", "--prefix", "5"], "the queens on 1,5 and D7 share a diagonal"),
        (&["--queen", "z9"], "z9 is outside the board; its squares are a1 to h8"),
        (&["--queen", "9,2"], "columns go from 1 to 8"),
        (&["--queen", "42"], "is not a square"),
        (&["--queen", "4,2", "--rank", "15863724"], "only solutions that have queens on 4,2\n"),
        (&["--queen", "d7", "--rank", "15863724"], "only solutions that have queens on d7\n"),
        (&["--symmetry", "half", "--rank", "15863724"], "the turn leads to another solution"),
    ] {
        let says = predicate::str::contains(reason);
        queens(&[&["solutions", "8"], args].concat()).assert().code(2).stdout("").stderr(says);
    }
}

/// What there is none of is said on stderr, and how large a file will be before it is begun.
#[test]
fn empty_and_long_lists_say_so() {
    for (line, told) in [
        ("solutions 3", "no solutions for N = 3\n"),
        ("solutions 6 --prefix 1", "no solutions that begin with 1 for N = 6\n"),
        ("solutions 6 --prefix 1 --queen f5", "no solutions that begin with 1 and have queens on f5 for N = 6\n"),
        ("solutions 8 --from 85", "no solutions from 85 on for N = 8\n"),
        ("solutions 8 --limit 0", ""),
        ("solutions 6", ""),
    ] {
        queens(&line.split(' ').collect::<Vec<_>>()).assert().success().stderr(told);
    }
    let folder = tempfile::tempdir().unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_queens"))
        .args(["solutions", "20", "--progress", "never", "-o", "big.txt"])
        .current_dir(&folder)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let told = BufReader::new(child.stderr.take().unwrap()).lines().next().unwrap().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    // 31 digits, 19 commas and an end of line each.
    let bytes = "1.99 trillion";
    assert_eq!(told, format!("writing 39,029,188,884 solutions, about {bytes} bytes; --limit L writes fewer"));
}
