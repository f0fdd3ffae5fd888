//! `queens solutions`, `symmetries` and `show` as their users see them.

#![cfg(feature = "cli")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::common::asserted::queens;
use predicates::prelude::*;

fn stdout(args: &[&str]) -> String {
    let output = queens(args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    // What there is none of is said beside the list.
    assert!(output.status.success() && (said.is_empty() || said.starts_with("no solutions ")), "{args:?}: {said}");
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
36428571  rotation by 90° clockwise
57263148  rotation by 180°
82417536  rotation by 270° clockwise
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
    refused("158", "not a solution: 3 queens, 8 needed");
}

#[test]
fn boards_in_text() {
    let plain = " 1  .  .  Q  .\n 2  Q  .  .  .\n 3  .  .  .  Q\n 4  .  Q  .  .\n    1  2  3  4\n";
    assert_eq!(stdout(&["show", "2413", "--ascii"]), plain);
    // The queens in columns 1 and 2 leave three squares free.
    let partial = " 1  a  a  .  .\n 2  Q  a  a  a\n 3  a  a  b  .\n 4  a  Q  a  b\n    1  2  3  4\n\
        Attacked first by (column,row):\n   a 1,2\n   b 2,4\n";
    assert_eq!(stdout(&["show", "2,4", "-n", "4", "--ascii"]), partial);
    // The same queens by their squares.
    assert_eq!(stdout(&["show", "-n", "4", "--queen", "b1", "--queen", "1,2", "--ascii"]), partial);
    assert!(stdout(&["show", "2413"]).contains("│   ░░░ ♛ ░░░│"));
    let colours = stdout(&["--color", "always", "show", "2,4"]);
    assert!(colours.contains("\u{1b}[48;5;") && colours.contains(" a \u{1b}[0m"), "{colours}");
    assert_eq!(queens(&["show", "2413"]).env("TERM", "dumb").output().unwrap().stdout, plain.as_bytes());
}

#[test]
fn boards_as_pictures() {
    let svg = stdout(&["show", "15863724", "--format", "svg"]);
    assert_eq!(svg.matches("scale(.84)").count(), 8, "eight queens");
    assert_eq!(svg.matches(">8</text>").count(), 4, "each number on four sides");
    assert!(!svg.contains("Attacked by"), "nothing is left to decide");
    queens(&["show", "1,1"]).assert().code(2).stdout("").stderr(predicate::str::contains("share a row"));
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
fn boards_and_classes_as_objects() {
    let json = |args: &[&str]| -> serde_json::Value { serde_json::from_str(&stdout(args)).unwrap() };
    let class = json(&["symmetries", "35281746", "--json"]);
    assert_eq!([&class["class_size"], &class["n"]], [4, 8]);
    assert_eq!(class["images"][0]["symmetries"], serde_json::json!(["identity", "rotation by 180°"]));
    assert_eq!(class["images"].as_array().unwrap().len(), 4);
    assert_eq!(class["fundamental"], "35281746");
    assert_eq!(json(&["show", "42586137", "--json"])["number"], 31);
    let board = json(&["show", "2,4", "--json"]);
    assert_eq!(board["number"], serde_json::Value::Null);
    assert_eq!([&board["solution"], &board["class_size"]], [&serde_json::json!(false), &serde_json::Value::Null]);
    assert_eq!(board["free"], serde_json::json!([[3, 1], [4, 1], [4, 3]]));
    let attacked = board["attacked"].as_array().unwrap();
    assert_eq!(attacked.len(), 16 - 2 - 3);
    assert!(attacked.contains(&serde_json::json!({"column": 3, "row": 4, "by": [1, 2]})));
}

/// From the middle of her square go the row, the column and both diagonals of each queen, in a colour of her own.
#[test]
fn every_queen_has_lines_of_her_own() {
    let svg = stdout(&["show", "158", "-n", "8", "-o", "-", "--format", "svg"]);
    let lines: Vec<&str> = svg.lines().filter(|line| line.contains("<title>Attacked by the queen in")).collect();
    let colours: BTreeSet<&str> = lines.iter().map(|line| line.split('"').nth(1).unwrap()).collect();
    assert_eq!((lines.len(), colours.len()), (3, 3));
    for (line, middle) in lines.iter().zip(["M50 50", "M150 450", "M250 750"]) {
        for way in ["h800h-1600", "v800v-1600", "l800 800l-1600 -1600", "l800 -800l-1600 1600"] {
            assert!(line.contains(&format!("{middle}{way}")), "{line}");
        }
    }
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
fn a_solution_is_drawn_at_random() {
    let drawn = |n: &str| -> serde_json::Value {
        serde_json::from_slice(&queens(&["show", "--random", n, "--json"]).output().unwrap().stdout).unwrap()
    };
    // Both of 4×4 are drawn, each with its number: that one is missed in 60 draws has a chance of 10⁻¹⁸.
    let of_four: BTreeSet<String> =
        (0..60).map(|_| drawn("4")).map(|board| format!("{} {}", board["number"], board["placement"])).collect();
    assert_eq!(of_four, BTreeSet::from(["1 \"2413\"".to_owned(), "2 \"3142\"".to_owned()]));
    let large = drawn("24");
    assert_eq!([&large["solution"], &large["number"]], [&serde_json::json!(true), &serde_json::Value::Null]);
    queens(&["show", "--random", "24"]).assert().success().stderr(predicate::str::contains("not all equally likely"));
    queens(&["show", "--random", "12"]).assert().success().stderr("");
    queens(&["show", "--random", "3"]).assert().code(2).stderr(predicate::str::contains("there is no solution"));
    queens(&["show", "--random", "8", "--number", "1"]).assert().code(2);
    for n in ["12", "20"] {
        let seeded = |seed: &str| queens(&["show", "--random", n, "--seed", seed]).output().unwrap().stdout;
        assert!(seeded("7") == seeded("7") && seeded("7") != seeded("8"), "N = {n}");
    }
}

/// On any machine it takes longer than ten seconds.
#[test]
fn a_long_look_up_says_before_it_begins_what_it_takes() {
    for line in ["show --number 100000000000000 24", "solutions 24 --skip 100000000000000"] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_queens"))
            .args(line.split(' '))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let [time, advice] = [(); 2].map(|()| told.next().unwrap());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(time.starts_with("counting the solutions takes ") && time.contains(" on "), "{time}");
        assert_eq!(advice, "'queens solutions 24 --from P' begins at any placement at once");
    }
}

/// What may be N or a placement is neither, and the error names what shows a board.
#[test]
fn a_number_alone_is_no_placement() {
    for number in ["2", "8", "20", "32"] {
        let names = [format!("show --random {number}'"), format!("--number K {number}'"), format!("-n N {number}'")];
        let output = queens(&["show", number]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && names.iter().all(|name| said.contains(name)), "{said}");
    }
    assert!(stdout(&["show", "8", "-n", "8"]) != stdout(&["show", "1", "-n", "8"]));
    queens(&["show", "158"]).assert().success();
    queens(&["show", "--queen", "4,2"]).assert().code(2).stderr(predicate::str::contains("-n N"));
}

/// A number in the second half is counted from the end: on any machine at once.
#[test]
fn the_last_solutions_are_near_the_end() {
    let last = stdout(&["show", "--number", "39029188884", "20", "--json"]);
    let first = stdout(&["solutions", "20", "--limit", "1"]);
    let upside_down: Vec<String> =
        first.trim_end().split(',').map(|row| (21 - row.parse::<usize>().unwrap()).to_string()).collect();
    assert!(last.contains(&format!("\"placement\":\"{}\"", upside_down.join(","))), "{last}");
    for number in ["46", "47", "92"] {
        let skipped = (number.parse::<usize>().unwrap() - 1).to_string();
        let listed = stdout(&["solutions", "8", "--skip", &skipped, "--limit", "1"]);
        assert!(listed.lines().eq(stdout(&["solutions", "8"]).lines().nth(number.parse::<usize>().unwrap() - 1)));
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
        (&["--queen", "4,2", "--queen", "5,3"], "column 4, row 2 and column 5, row 3 share a diagonal"),
        (&["--queen", "9,2"], "columns go from 1 to 8"),
        (&["--queen", "42"], "is not a square"),
        (&["--queen", "4,2", "--rank", "15863724"], "only solutions with the queens 4,2"),
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
        ("solutions 6 --prefix 1", "no solutions with the queens 1 for N = 6\n"),
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

#[test]
fn browse_wants_a_terminal() {
    queens(&["browse", "8"]).assert().code(1).stdout("").stderr(predicate::str::contains("needs a terminal"));
}
