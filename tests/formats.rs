//! Formats: what the files of solutions and boards are named, and what is in them.

#![cfg(feature = "cli")]

use crate::common::asserted::{queens, stdout};
use predicates::prelude::*;

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
    let array = stdout(&["solutions", "8", "--format", "json"]);
    let array: Vec<serde_json::Value> = serde_json::from_str(&array).unwrap();
    for (index, value) in array.iter().enumerate() {
        assert_eq!(value["number"], index + 1);
        assert_eq!(value["placement"], rows(value));
    }
    let lines = stdout(&["solutions", "8", "--format", "jsonl"]);
    assert!(lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()).eq(array));
    assert_eq!(stdout(&["solutions", "3", "--format", "json"]), "[]\n");
    assert_eq!(stdout(&["solutions", "3", "--format", "jsonl"]), "");
    let page = stdout(&["solutions", "8", "--format", "html"]);
    assert!(page.contains(&stdout(&["solutions", "8"]).trim_end().replace('\n', " ")));
    let marks = page.match_indices('@').filter(|(at, _)| page.as_bytes()[at + 1].is_ascii_uppercase());
    assert_eq!(marks.count(), 0, "every mark of the template is filled in");
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("://"), "nothing is loaded");
}

/// The name of a file decides what is in it, in every command; what no format ends in is refused before any work.
#[test]
fn the_extension_decides() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let begins = |args: &[&str], name: &str, wanted: &[u8]| {
        let file = path(name);
        assert_eq!(stdout(&[args, &["-o", &file]].concat()), "");
        let bytes = std::fs::read(file).unwrap();
        assert!(bytes.starts_with(wanted), "{name}: {:?}", String::from_utf8_lossy(&bytes[..40.min(bytes.len())]));
    };
    begins(&["show", "158"], "a.svg", b"<svg");
    begins(&["show", "158"], "a.SVG", b"<svg");
    begins(&["show", "158"], "a.txt", "   ┌─".as_bytes());
    begins(&["show", "158"], "a", "   ┌─".as_bytes());
    begins(&["show", "158"], "a.json", b"{\"schema\":");
    begins(&["solutions", "8"], "b.txt", b"15863724\n");
    begins(&["solutions", "8", "--format", "list"], "c.txt", b"1,5,8,");
    begins(&["solutions", "8"], "b.json", b"[\n{\"number\":1,");
    begins(&["solutions", "8"], "b.jsonl", b"{\"number\":1,");
    begins(&["solutions", "8"], "b.ndjson", b"{\"number\":1,");
    begins(&["solutions", "8"], "b.csv", b"number,column1");
    begins(&["solutions", "8"], "b.html", b"<!doctype html>");
    begins(&["solutions", "8", "--fundamental"], "b.svg", b"<svg");
    let refused = |args: &[&str], name: &str, reason: &'static str| {
        let file = path(name);
        let says = predicate::str::contains(reason);
        queens(&[args, &[&file]].concat()).assert().code(2).stdout("").stderr(says);
        assert!(!std::path::Path::new(&file).exists());
    };
    // N = 30 would never end: the refusal is before the work.
    refused(&["solutions", "30", "-o"], "x.xml", "there are .txt, .json, .jsonl, .ndjson, .csv, .html, .htm, .svg");
    refused(&["solutions", "30", "-o"], "x.md", "there are .txt");
    refused(&["solutions", "30", "--format", "csv", "-o"], "x.json", "for another format than --format csv");
    refused(&["show", "158", "-o"], "x.jpg", "there are .txt, .svg, .json");
    refused(&["show", "158", "--format", "svg", "-o"], "x.txt", "for another format than --format svg");
    for name in ["x.png", "x.PDF"] {
        refused(&["solutions", "30", "-o"], name, "there are .txt, ");
        refused(&["show", "158", "-o"], name, "there are .txt, ");
    }
}

#[test]
fn a_path_that_cannot_be_written_shows_before_the_work() {
    for args in [&["solutions", "30", "-o"][..], &["show", "158", "-o"]] {
        let reason = "error: cannot write no such folder/x: there is no folder no such folder\n";
        queens(&[args, &["no such folder/x"]].concat()).assert().code(1).stdout("").stderr(reason);
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("inner")).unwrap();
    let reason = "error: cannot write inner: is a directory\n";
    queens(&["solutions", "30", "-o", "inner"]).current_dir(&folder).assert().code(1).stdout("").stderr(reason);
}

#[test]
fn a_minus_is_stdout() {
    assert_eq!(stdout(&["solutions", "6", "-o", "-"]), stdout(&["solutions", "6"]));
    assert_eq!(stdout(&["show", "2413", "-o", "-"]), stdout(&["show", "2413"]));
    assert!(!std::path::Path::new("-").exists());
}

#[test]
fn a_sheet_holds_every_board() {
    let sheet = stdout(&["solutions", "8", "--fundamental", "--format", "svg"]);
    assert_eq!(sheet.matches("<use ").count(), 12 * 8);
    assert!(sheet.contains("<title>15863724</title>") && sheet.contains("<title>36258174</title>"));
    let most = stdout(&["solutions", "10", "--format", "svg", "--limit", "100"]);
    assert_eq!(most.matches("<use ").count(), 100 * 10);
}

/// Where a format has a limit of its own, the list that it cuts says so, on stderr and in the file.
#[test]
fn a_list_that_is_cut_says_so() {
    let written = |line: &str| {
        let output = queens(&line.split(' ').collect::<Vec<_>>()).output().unwrap();
        assert!(output.status.success());
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for (line, told, inside) in [
        (
            "solutions 12 --format svg",
            "100 of 14,200 solutions are written; --limit L writes more\n",
            ": 100 of 14200<",
        ),
        ("solutions 12 --format svg --prefix 3", "100 solutions are written; --limit L writes more\n", ": 100 ...<"),
        (
            "solutions 12 --format html",
            "5,000 of 14,200 solutions are written; --limit L writes more\n",
            "more: true, all: 14200,",
        ),
        ("solutions 8 --format svg", "", "for N = 8<"),
        ("solutions 8 --format html", "", "more: false"),
        ("solutions 8 --format svg --limit 5", "", ": 5 of 92<"),
        ("solutions 8 --limit 5", "", ""),
    ] {
        let (text, notes) = written(line);
        assert_eq!(notes, told, "{line}");
        assert!(text.contains(inside), "{line}");
    }
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
