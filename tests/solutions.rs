//! `queens solutions`, `symmetries` and `show` as their users see them.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use assert_cmd::Command;
use predicates::prelude::*;

fn queens(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("queens").unwrap();
    for name in ["NO_COLOR", "TERM", "LC_ALL", "LC_CTYPE", "LANG"] {
        command.env_remove(name);
    }
    command.args(args);
    command
}

fn stdout(args: &[&str]) -> String {
    let output = queens(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
    String::from_utf8(output.stdout).unwrap()
}

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
    assert_eq!(stdout(&["solutions", "8", "--skip", "92"]), "");
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

#[test]
fn every_format_holds_the_same_solutions() {
    assert_eq!(stdout(&["solutions", "4", "--format", "list"]), "2,4,1,3\n3,1,4,2\n");
    assert_eq!(stdout(&["solutions", "10", "--limit", "1"]), "1,3,6,8,10,5,9,2,4,7\n");
    let boards = "1: 2413\n. . Q .\nQ . . .\n. . . Q\n. Q . .\n\n2: 3142\n. Q . .\n. . . Q\nQ . . .\n. . Q .\n\n";
    assert_eq!(stdout(&["solutions", "4", "--format", "board"]), boards);
    let table = "number,column1,column2,column3,column4,class_size\n1,2,4,1,3,2\n";
    assert_eq!(stdout(&["solutions", "4", "--format", "csv", "--fundamental"]), table);
    let rows = |value: &serde_json::Value| -> String {
        value["rows"].as_array().unwrap().iter().map(ToString::to_string).collect()
    };
    for (index, line) in stdout(&["solutions", "8", "--format", "json"]).lines().enumerate() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["number"], index + 1);
        assert_eq!(value["placement"], rows(&value));
    }
    let page = stdout(&["solutions", "8", "--format", "html"]);
    assert!(page.contains(&stdout(&["solutions", "8"]).trim_end().replace('\n', " ")));
    let marks = page.match_indices('@').filter(|(at, _)| page.as_bytes()[at + 1].is_ascii_uppercase());
    assert_eq!(marks.count(), 0, "every mark of the template is filled in");
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("://"), "nothing is loaded");
}

#[test]
fn files_are_whole_or_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("eight.csv");
    let file = path.to_str().unwrap();
    assert_eq!(stdout(&["solutions", "8", "-o", file]), "");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), stdout(&["solutions", "8", "--format", "csv"]));
    queens(&["solutions", "8", "-o", folder.path().to_str().unwrap()]).assert().code(1).stdout("");
    queens(&["solutions", "8", "-o", "no such folder/file"]).assert().code(1).stdout("");
    queens(&["solutions", "8", "--prefix", "12", "-o", file]).assert().code(2);
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("number,"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left behind");
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

#[test]
fn the_eight_images_are_named() {
    let expected = "\
15863724  identity
36428571  rotation by 90°
57263148  rotation by 180°
82417536  rotation by 270°
84136275  reflection top to bottom
17582463  reflection in the diagonal
42736851  reflection left to right
63571428  reflection in the antidiagonal
class of 8, fundamental 15863724
";
    assert_eq!(stdout(&["symmetries", "15863724"]), expected);
    assert!(stdout(&["symmetries", "35281746"]).starts_with("35281746  identity, rotation by 180°\n"));
    let refused = |text: &str, reason: &'static str| {
        queens(&["symmetries", text]).assert().code(2).stdout("").stderr(predicate::str::contains(reason));
    };
    refused("15863725", "the queens in column 2, row 5 and column 8, row 5 share a row");
    refused("12345678", "the queens in column 1, row 1 and column 2, row 2 share a diagonal");
    refused("158", "no solution");
}

#[test]
fn boards_in_text() {
    let plain = " 1  .  .  Q  .\n 2  Q  .  .  .\n 3  .  .  .  Q\n 4  .  Q  .  .\n    1  2  3  4\n";
    assert_eq!(stdout(&["show", "2413", "--ascii"]), plain);
    // The queens in columns 1 and 2 leave three squares free.
    let partial = " 1  1  1  .  .\n 2  Q  1  1  1\n 3  1  1  2  .\n 4  1  Q  1  2\n    1  2  3  4\n";
    assert_eq!(stdout(&["show", "24", "--ascii"]), partial);
    assert!(stdout(&["show", "2413"]).contains("│   ░░░ ♛ ░░░│"));
    assert!(stdout(&["--color", "always", "show", "2413"]).contains("\u{1b}[48;5;"));
    assert_eq!(queens(&["show", "2413"]).env("LANG", "C").output().unwrap().stdout, plain.as_bytes());
}

#[test]
fn boards_as_pictures() {
    let svg = stdout(&["show", "15863724", "--format", "svg"]);
    assert_eq!(svg.matches("scale(.84)").count(), 8, "eight queens");
    assert!(!svg.contains("<text"), "no font is needed");
    assert_eq!(stdout(&["show", "158", "--format", "svg"]).matches("Attacked by").count(), 3, "a layer a queen");
    let png = queens(&["show", "158", "--format", "png"]).output().unwrap().stdout;
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xaeB`\x82"));
    queens(&["show", "11"]).assert().code(2).stdout("").stderr(predicate::str::contains("share a row"));
}

#[test]
fn browse_wants_a_terminal() {
    queens(&["browse", "8"]).assert().code(1).stdout("").stderr(predicate::str::contains("needs a terminal"));
}
