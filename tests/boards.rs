//! `queens show` and `queens symmetries` as their users see them: one board, and its images.

#![cfg(feature = "cli")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::common::asserted::{queens, stdout};
use predicates::prelude::*;

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
        Attacked by the queen in column,row:\n   a 1,2\n   b 2,4\n";
    assert_eq!(stdout(&["show", "2,4", "-n", "4", "--ascii"]), partial);
    // The same queens by their squares.
    assert_eq!(stdout(&["show", "-n", "4", "--queen", "b1", "--queen", "1,2", "--ascii"]), partial);
    assert!(stdout(&["show", "2413"]).contains("│   ░░░ ♛ ░░░│"));
    let colours = stdout(&["--color", "always", "show", "2,4"]);
    assert!(colours.contains("\u{1b}[48;5;") && colours.contains(" a \u{1b}[0m"), "{colours}");
    // And no queens at all.
    let empty = " 1  .  .\n 2  .  .\n    1  2\n";
    assert_eq!(stdout(&["show", "-n", "2", "--ascii"]), empty);
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
    // What is drawn can be cited, and drawn again.
    let output = queens(&["show", "--random", "12"]).output().unwrap();
    let (shown, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let seed = err.strip_prefix("--seed ").and_then(|err| err.strip_suffix(" draws it again\n")).unwrap();
    queens(&["show", "--random", "12", "--seed", seed]).assert().success().stdout(shown.clone()).stderr("");
    let (number, placement) = shown.lines().next().unwrap().split_once(": ").unwrap();
    queens(&["solutions", "12", "--rank", placement]).assert().success().stdout(format!("{number}\n"));
    let named = stdout(&["show", "--number", "31", "8"]);
    assert_eq!(named, format!("31: 42586137\n{}", stdout(&["show", "42586137"])));
    queens(&["show", "--random", "3"]).assert().code(2).stderr(predicate::str::contains("there is no solution"));
    queens(&["show", "--random", "8", "--number", "1"]).assert().code(2);
    for chosen in [&["--random"][..], &["--number", "1"]] {
        let advice = predicate::str::contains("'queens solutions N --queen C,R' lists those with given queens");
        queens(&[&["show", "8", "--queen", "d4"], chosen].concat()).assert().code(2).stdout("").stderr(advice);
    }
    let tip = predicate::str::contains("tip: to draw a solution, 'queens show --random N'\n");
    queens(&["solutions", "8", "--random"]).assert().code(2).stderr(tip);
    for n in ["12", "20"] {
        let seeded = |seed: &str| queens(&["show", "--random", n, "--seed", seed]).output().unwrap().stdout;
        assert!(seeded("7") == seeded("7") && seeded("7") != seeded("8"), "N = {n}");
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
    for args in [&["show", "--queen", "4,2"][..], &["show", "8", "--queen", "4,2"]] {
        queens(args).assert().code(2).stderr(predicate::str::contains("-n N"));
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
