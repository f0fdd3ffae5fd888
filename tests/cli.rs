//! What all commands have in common: arguments, help, and text that is for people and terminals.

#![cfg(feature = "cli")]

use crate::common::asserted::queens;
use crate::common::output;
use predicates::prelude::*;

#[test]
fn bad_input_is_one_line_that_says_what_is_allowed() {
    let sets = format!("[possible values: {}]", queens::Isa::ALL.map(queens::Isa::name).join(", "));
    let cases: &[(&[&str], &str)] = &[
        (&["count", "33"], "N is a whole number from 0 to 32"),
        (&["count", "-1"], "N is a whole number from 0 to 32"),
        (&["count", "abc"], "N is a whole number from 0 to 32"),
        (&["count", ""], "N is a whole number from 0 to 32"),
        (&["count", "8", "--prefix", ""], "a placement names at least one queen"),
        (&["count", "8", "--prefix", "12"], "the queens in column 1, row 1 and column 2, row 2 share a diagonal"),
        (&["count", "8", "--prefix", "151"], "the queens in column 1, row 1 and column 3, row 1 share a row"),
        (&["count", "8", "--prefix", "19"], "the queen in column 2, row 9 is outside the board; rows go from 1 to 8"),
        (&["count", "8", "--engine", "quick"], "[possible values: auto, join, backtrack, naive]"),
        (&["count", "8", "--isa", "mmx"], &sets),
        (&["count", "4", "--engine", "join"], "the join engine counts whole boards of N = 5 to 28"),
        (&["count", "8", "--engine", "join", "--prefix", "1"], "the join engine counts whole boards"),
        (&["count", "8", "--threads", "0.5"], "threads are a whole number from 0 (every core) to 8192"),
        (&["count", "8", "--threads", "-1"], "threads are a whole number from 0 (every core) to 8192"),
        (&["count", "8", "--threads", "8193"], "threads are a whole number from 0 (every core) to 8192"),
        (&["count", "8", "--color", "blue"], "[possible values: auto, always, never]"),
        (&["count", "8", "--symmetry", "third"], "[possible values: half, quarter]"),
        (&["count", "8-9", "--unique", "--shard", "1/2", "--out", "none/none"], "count the shards without --unique"),
        (&["bench", "8", "--compare", "x", "--tolerance", "much"], "a share is from 0% to 1000%"),
        (&["bench", "8", "--compare", "x", "--tolerance", "1"], "for 1 percent write 1%"),
        (&["count", "8", "--double-check", "1"], "a fraction below 1; for 1 percent write 1%"),
        (&["bench", "3", "--engine", "join"], "the engines named can't count boards of these sizes"),
        (&["bench", "8", "--runs", "0"], "R is a whole number from 1 to 1000"),
        (&["estimate", "8", "--samples", "0"], "S is a whole number from 2 to 1000000000"),
        (&["solutions", "8", "--limit", "abc"], "'--limit <L>': L is a whole number from 0 to 18446744073709551615"),
        (&["solutions", "8", "--limit", "-1"], "'--limit <L>': L is a whole number from 0 to 18446744073709551615"),
        (&["solutions", "8", "--skip", "-1"], "S is a whole number from 0 to 18446744073709551615"),
        (&["symmetries", "12345678901234567890123456789012345678"], "for N above 9, rows are separated by commas"),
        (&["symmetries", ""], "a placement names at least one queen"),
        (&["estimate", "28", "--max-time", "soon"], "a time is more than zero and has a unit"),
        (&["estimate", "29", "--engine", "join"], "join"),
        (&["count", "8", "--double-check", "-1%"], "a share is from 0% to 100%"),
        (&["count", "8", "-x"], "unexpected argument '-x' found"),
        (&["browse", "8", "--number", "93"], "N = 8 has 92 solutions (OEIS A000170), numbered from 1 to 92"),
        (&["completions", "dos"], "possible values: bash"),
    ];
    for (args, reason) in cases {
        let one_line = predicate::function(|text: &str| text.lines().count() == 1 && text.starts_with("error: "));
        let reason = predicate::str::contains(*reason);
        queens(args).assert().code(2).stdout("").stderr(one_line.and(reason));
    }
}

#[test]
fn options_that_do_not_go_together() {
    let folder = tempfile::tempdir().unwrap();
    for (line, reason) in [
        ("--resume", "--checkpoint <FILE>"),
        ("--shard 1/2", "--out <FILE>"),
        ("--out o", "--shard <K/M>"),
        ("--shard 3/2 --out o", "a shard is K/M with 1 ≤ K ≤ M ≤ 1000000"),
        ("--shard 1/2 --out o --checkpoint o", "must be different files"),
        ("--checkpoint c --max-time 5", "a time is more than zero and has a unit"),
        ("--checkpoint c --checkpoint-every 0s", "a time is more than zero and has a unit"),
        ("--double-check 101%", "a share is from 0% to 100%"),
        ("--progress some", "[possible values: auto, always, never, json]"),
    ] {
        let (code, out, err) = output(folder.path(), &format!("count 8 {line}"));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{line}: {err}");
        // A missing option shows the usage too.
        let (error, rest) = err.split_once('\n').unwrap();
        assert!(error.contains(reason) && (rest.is_empty() || rest.starts_with("Usage: ")), "{line}: {err}");
    }
}

/// What would be right stands in a line of its own.
#[test]
fn wrong_arguments_are_told_what_would_be_right() {
    for (args, wrong, right) in [
        (&["8"][..], "unrecognized subcommand '8'", "tip: to count, 'queens count 8'"),
        (&["8-12"], "unrecognized subcommand '8-12'", "tip: to count, 'queens count 8-12'"),
        (&["cuont", "8"], "unrecognized subcommand 'cuont'", "tip: a similar subcommand exists: 'count'"),
        (
            &["count", "8", "--sharf"],
            "unexpected argument '--sharf' found",
            "tip: a similar argument exists: '--shard'",
        ),
        (&["count"], "the following required arguments were not provided: <N>", "Usage: queens count <N>"),
    ] {
        queens(args).assert().code(2).stdout("").stderr(format!("error: {wrong}\n{right}\n"));
    }
    for word in ["eight", "33", "12-8"] {
        queens(&[word]).assert().code(2).stdout("").stderr(format!("error: unrecognized subcommand '{word}'\n"));
    }
}

#[test]
fn no_command_shows_the_help() {
    queens(&[]).assert().code(2).stdout("").stderr(predicate::str::contains("Usage: queens"));
    queens(&["--help"]).assert().success().stdout(predicate::str::contains("Usage: queens"));
}

/// At a terminal, which `script` makes, `man` shows a page; where it does not, the page is printed as it is.
#[cfg(target_os = "linux")]
#[test]
fn pages_are_shown_at_a_terminal() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let man = folder.path().join("man");
    std::fs::write(&man, "#!/bin/sh\necho shown by $*: `grep -c queens-show`\nexit $RESULT\n").unwrap();
    std::fs::set_permissions(&man, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let line = format!("{} man show", env!("CARGO_BIN_EXE_queens"));
    let printed = |result: &str| {
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).env("PATH", &path).env("RESULT", result);
        let output = script.stdin(std::process::Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(printed("0"), "shown by -l -: 1\r\n");
    let page = printed("3");
    assert!(page.contains("\n.TH queens-show 1"), "{page}");
}

#[test]
fn completions_and_man_page() {
    for (shell, option) in [("bash", "--prefix"), ("zsh", "--prefix"), ("fish", "-l prefix")] {
        queens(&["completions", shell]).assert().success().stdout(predicate::str::contains(option));
    }
    let page = predicate::str::contains(".TH queens 1").and(predicate::str::contains("queens\\-count(1)"));
    // What is in use on this machine is no part of a page that is the same on every machine.
    let page = page.and(predicate::str::contains("in use").not()).and(predicate::str::contains("130"));
    queens(&["man"]).assert().success().stdout(page);
    let page = predicate::str::contains("--prefix").or(predicate::str::contains("\\-\\-prefix"));
    let page = page.and(predicate::str::contains(".TH queens-count 1")).and(predicate::str::contains("143"));
    queens(&["man", "count"]).assert().success().stdout(page.and(predicate::str::contains("in use").not()));
    queens(&["man", "cuont"])
        .assert()
        .code(2)
        .stdout("")
        .stderr(predicate::str::contains("count, merge, status, audit, profile"));
    // The exit codes are told once.
    for args in [&["count", "-h"][..], &["count", "--help"]] {
        queens(args).assert().success().stdout(predicate::str::contains("Exit codes").not());
    }
    queens(&["-h"]).assert().success().stdout(predicate::str::contains("\n  129  ended by SIGHUP"));
    let two =
        predicate::function(|text: &str| text.split("Examples:\n").nth(1).is_some_and(|all| all.lines().count() == 2));
    queens(&["audit", "-h"]).assert().success().stdout(two);
    let help = predicate::str::contains("Examples:\n  queens solutions 8")
        .and(predicate::str::contains("Q for a queen and . for an empty square"));
    // The option that every command has does not open the page.
    let last = predicate::function(|text: &str| text.find("--color") > text.find("--output"));
    queens(&["solutions", "--help"]).assert().success().stdout(help.and(last));
}

#[test]
fn versions() {
    let short = format!("queens {}\n", env!("CARGO_PKG_VERSION"));
    queens(&["-V"]).assert().success().stdout(short.clone());
    let long = predicate::str::starts_with(short)
        .and(predicate::str::contains("commit "))
        .and(predicate::str::contains("target "))
        .and(predicate::str::contains("compiled in: portable"))
        .and(predicate::str::ends_with(format!("; in use: {}\n", queens::Isa::best().version().unwrap())));
    queens(&["--version"]).assert().success().stdout(long);
}

/// A terminal shows an object as it is.
#[test]
fn objects_are_ascii() {
    let object = queens(&["symmetries", "2413", "--json"]).output().unwrap().stdout;
    assert!(object.is_ascii() && String::from_utf8(object).unwrap().contains(r"rotation by 90\u00b0 clockwise"));
}

#[test]
fn colour_goes_where_it_is_wanted() {
    let escape = predicate::str::contains("\u{1b}[");
    queens(&["count", "33", "--color", "never"]).assert().code(2).stderr(escape.clone().not());
    queens(&["count", "8", "--color", "always"]).assert().success().stdout("92\n");
}

#[test]
fn terminals_do_not_obey_names() {
    let folder = tempfile::tempdir().unwrap();
    // Would name the window, begin a line of its own, and turn the rest of the line.
    let name = "a\u{1b}]0;bad\u{7}\nerror: \u{202e}b";
    let shown = r"a\u{1b}]0;bad\u{7}\nerror: \u{202e}b";
    let run = |arguments: &[&str]| {
        let output = queens(arguments).current_dir(folder.path()).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    std::fs::write(folder.path().join("text"), "no ledger").unwrap();
    std::fs::write(folder.path().join(name), "8 93\n").unwrap();
    for arguments in [
        ["merge", name].as_slice(),
        &["audit", name],
        &["bench", "--from", name],
        &["show", "4", "-o", &format!("{name}/b")],
        &["count", "9", "--resume", "--checkpoint", name],
        &["count", "9", "--shard", "1/2", "--out", name],
        &["verify", "8", "--bfile", name],
    ] {
        let (_, err) = run(arguments);
        assert!(err.lines().count() == 1 && err.contains(shown), "{arguments:?}: {err:?}");
    }
    let (out, _) = run(&["verify", "0-8", "--bfile", name]);
    assert!(out.contains(&format!("1 term of {shown}, ")) && !out.contains('\u{1b}'), "{out:?}");
    // A count of such a name's line breaks would be of use to nobody.
    let (_, err) = run(&["count", name]);
    assert!(err.lines().count() == 1 && !err.contains(['\u{1b}', '\u{202e}']), "{err:?}");
}
