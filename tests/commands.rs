//! The commands that count, as their users see them: `count`, `profile`, `verify` and `estimate`.

#![cfg(feature = "cli")]

use crate::common::asserted::{file, queens};
use crate::common::output;
use predicates::prelude::*;
use serde_json::Value;

/// The object that a command prints, one that succeeds.
fn object(args: &[&str]) -> Value {
    serde_json::from_slice(&queens(args).assert().success().get_output().stdout).unwrap()
}

#[test]
fn a_count_is_the_number_alone() {
    for (n, count) in [("0", "1\n"), ("1", "1\n"), ("2", "0\n"), ("3", "0\n"), ("8", "92\n"), ("12", "14200\n")] {
        queens(&["count", n]).assert().success().stdout(count).stderr("agrees with OEIS A000170\n");
        queens(&["count", n, "--quiet"]).assert().success().stdout(count).stderr("");
    }
    for engine in ["auto", "join", "backtrack", "naive"] {
        queens(&["count", "9", "--engine", engine, "--threads", "2"]).assert().success().stdout("352\n");
    }
}

#[test]
fn an_instruction_set_is_used_or_refused() {
    for isa in queens::Isa::ALL {
        let assert = queens(&["count", "9", "--isa", isa.name()]).assert();
        if isa.is_available() {
            assert.success().stdout("352\n");
        } else {
            let reason = format!("this processor has no {isa}; it has portable");
            assert.code(2).stdout("").stderr(predicate::str::contains(reason));
        }
    }
}

#[test]
fn a_prefix_counts_its_completions() {
    queens(&["count", "8", "--prefix", "158"]).assert().success().stdout("1\n");
    queens(&["count", "8", "--prefix", "1"]).assert().success().stdout("4\n");
    queens(&["count", "8", "--prefix", "15863724"]).assert().success().stdout("1\n");
    queens(&["count", "12", "--prefix", "1,3"]).assert().success().stdout("34\n");
}

#[test]
fn symmetric_solutions_are_counted_once_or_alone() {
    for (n, classes) in [("0", "1\n"), ("1", "1\n"), ("2", "0\n"), ("8", "12\n"), ("12", "1787\n")] {
        // The sequence begins with N = 1.
        let note = if n == "0" { "" } else { "agrees with OEIS A002562\n" };
        queens(&["count", n, "--unique"]).assert().success().stdout(classes).stderr(note);
    }
    for (n, rotation, count) in [("8", "half", "4\n"), ("12", "quarter", "8\n"), ("1", "quarter", "1\n")] {
        let note = format!("agrees with OEIS {}\n", if rotation == "half" { "A032522" } else { "A033148" });
        queens(&["count", n, "--symmetry", rotation]).assert().success().stdout(count).stderr(note);
        queens(&["count", n, "--symmetric", rotation]).assert().success().stdout(count);
    }
    let unique = object(&["count", "12", "--unique", "--json"]);
    assert_eq!(unique["unique"], "1787");
    assert_eq!([&unique["count"], &unique["half_turn"], &unique["quarter_turn"]], ["14200", "80", "8"]);
    let half = object(&["count", "12", "--symmetry", "half", "--json"]);
    assert_eq!([&half["count"], &half["symmetry"]], ["80", "half"]);
    for (found, sequence) in [(&unique, "A002562"), (&half, "A032522")] {
        assert_eq!(found["oeis"], serde_json::json!({"sequence": sequence, "agrees": true}));
    }
}

#[test]
fn a_range_says_which_terms_agree() {
    let agree = |terms: &str, id: &str| format!("{terms} with OEIS {id}\n");
    queens(&["count", "1-4"])
        .assert()
        .success()
        .stdout("1 1\n2 0\n3 0\n4 2\n")
        .stderr(agree("terms 1 to 4 agree", "A000170"));
    queens(&["count", "0-1", "--unique"])
        .assert()
        .success()
        .stdout("0 1\n1 1\n")
        .stderr(agree("term 1 agrees", "A002562"));
    for args in [&["count", "1-4", "-q"][..], &["count", "1-4", "--json"], &["count", "1-4", "--progress", "json"]] {
        queens(args).assert().success().stderr(predicate::str::contains("agree with").not());
    }
}

#[test]
fn json_is_one_object() {
    let output = queens(&["count", "10", "--json", "--threads", "2", "--engine", "backtrack"]).output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["n"], 10);
    assert_eq!(json["count"], "724");
    assert_eq!(json["engine"], "backtrack");
    assert_eq!(json["threads"], 2);
    assert_eq!(json["prefix"], Value::Null);
    assert_eq!(json["oeis"], serde_json::json!({"sequence": "A000170", "agrees": true}));
    // Nothing is published of completions.
    let output =
        queens(&["count", "8", "--prefix", "1", "--json"]).assert().success().stderr("").get_output().stdout.clone();
    let json: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!([&json["oeis"], &json["modulo"]], [&Value::Null; 2]);
    assert!(json["seconds"].as_f64().unwrap() > 0.0);
    assert!(json["isa"].is_string() && json["cpu"].is_string());
}

#[test]
fn units_are_counted_twice_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    for engine in ["backtrack", "naive", "join"] {
        let line = format!("count 10 --engine {engine} --json --double-check");
        let json = |share: &str| -> Value {
            serde_json::from_str(&output(folder.path(), &format!("{line} {share}")).1).unwrap()
        };
        let (all, some, none) = (json("100%"), json("0.1"), json("0%"));
        assert_eq!(all["count"], "724");
        assert_eq!(all["double_checked"], all["units"]);
        let units = all["units"].as_u64().unwrap();
        assert_eq!(some["double_checked"].as_u64(), Some(units.div_ceil(10)));
        assert_eq!(none["double_checked"], 0);
    }
}

#[test]
fn a_profile_is_a_line_a_level() {
    queens(&["profile", "6"])
        .assert()
        .success()
        .stdout("1\n6\n20\n36\n46\n40\n4\n")
        .stderr("agrees with OEIS A319284\n");
    queens(&["profile", "6", "-q"]).assert().success().stderr("");
    queens(&["profile", "13"])
        .assert()
        .success()
        .stderr("the last agrees with OEIS A000170; the others are not published\n");
    queens(&["profile", "0"]).assert().success().stdout("1\n");
    let json = object(&["profile", "4", "--json"]);
    assert_eq!(json["profile"], serde_json::json!(["1", "4", "6", "4", "2"]));
    assert_eq!(json["oeis"], serde_json::json!({"sequence": "A319284", "agrees": true}));
}

/// Rows of boards, one after another, with the index that a number has in the whole triangle.
#[test]
fn profiles_of_a_range_are_the_triangle() {
    let rows = "1 1\n2 1\n3 1\n4 2\n5 0\n6 1\n7 3\n8 2\n9 0\n";
    queens(&["profile", "1-3"]).assert().success().stdout(rows).stderr("terms 1 to 9 agree with OEIS A319284\n");
    queens(&["profile", "3-3", "-q"]).assert().success().stdout("6 1\n7 3\n8 2\n9 0\n").stderr("");
    let json = object(&["profile", "4-4", "--json"]);
    let last = &json["terms"][4];
    assert_eq!(
        [&last["n"], &last["results"][0]["value"], &last["results"][0]["agrees"], &last["results"][0]["engine"]],
        [&14.into(), &"2".into(), &true.into(), &Value::from("backtrack")]
    );
    let wrong = file("wrong-row.txt", "5 0\n6 2\n7 3\n8 2\n9 0\n");
    queens(&["verify", "--profile", "3", "--bfile", &wrong])
        .assert()
        .code(3)
        .stdout(predicate::str::starts_with("index "))
        .stderr(predicate::str::contains("the term for index = 6 in "));
    // No row beyond the twelfth is published.
    queens(&["profile", "12-13"]).assert().success().stderr("terms 78 to 90 agree with OEIS A319284\n");
    let json = object(&["verify", "--profile", "0-9", "--json"]);
    let terms = json["terms"].as_array().unwrap();
    assert!(terms.len() == 55 && terms.iter().all(|term| term["results"][0]["agrees"] == true), "{json}");
    for (args, code, reason) in [
        (&["verify", "--profile", "13-14"][..], 1, "A319284 has no term from N = 13 to 14"),
        (&["profile", "1-33"], 2, "N is a whole number from 0 to 32"),
        (&["profile", "3-1"], 2, "a range begins with the smaller board: 1-3"),
    ] {
        queens(args).assert().code(code).stdout("").stderr(predicate::str::contains(reason));
    }
}

#[test]
fn verify_agrees_with_the_published_terms() {
    let green = predicate::str::contains("11 terms of A000170").and(predicate::str::contains("all agree"));
    queens(&["verify", "0-10"]).assert().success().stdout(green).stderr("");
    let unique = predicate::str::contains("10 terms of A002562").and(predicate::str::contains("all agree"));
    queens(&["verify", "0-10", "--unique", "--engine", "backtrack"]).assert().success().stdout(unique);
    let right = file("right.txt", "# A000170\r\n\r\n6 4\r\n7 40\r\n8 92\r\n9 352\r\n10 725\r\n");
    let reached = predicate::str::contains("4 terms of").and(predicate::str::contains("all agree"));
    let lacking = predicate::str::is_match(r"right\.txt has no term for N = 0-5\n$").unwrap();
    queens(&["verify", "0-9", "--bfile", &right]).assert().success().stdout(reached).stderr(lacking);
    // An end of the range may be missing, and of a row of the triangle a part may be.
    let ends = predicate::str::ends_with("A032522 has no term for N = 0\n");
    let engine = ["--engine", "backtrack"];
    let far = file("far-ends.txt", "8 92\n9 352\n");
    queens(&[&["verify", "8-10", "--bfile", &far], &engine[..]].concat())
        .assert()
        .success()
        .stderr(predicate::str::ends_with("far-ends.txt has no term for N = 10\n"));
    queens(&["verify", "0-4", "--symmetry", "half"]).assert().success().stderr(ends);
    let part = file("part.txt", "5 0\n6 1\n7 3\n");
    queens(&["verify", "3", "--profile", "--bfile", &part])
        .assert()
        .success()
        .stderr(predicate::str::ends_with("part.txt has no term for index = 8-9\n"))
        .stdout(predicate::str::contains("4 results: 2 agree, 2 are not published"));
    queens(&["verify", "8-9", "--bfile", "-"])
        .write_stdin("8 92\n")
        .assert()
        .success()
        .stderr("stdin has no term for N = 9\n")
        .stdout(predicate::str::contains("1 term of stdin,"));
}

#[test]
fn verify_finishes_the_table_and_names_what_differs() {
    let wrong = file("wrong.txt", "0 1\n1 1\n2 0\n3 0\n4 2\n5 11\n6 4\n7 40\n8 93\n9 352\n");
    let args = ["verify", "0-9", "--bfile", &wrong, "--engine", "backtrack"];
    let named = predicate::str::is_match("N = 5 in .*wrong.txt is 11, but backtrack finds 10").unwrap();
    let table = predicate::str::contains("✗ 92").and(predicate::str::contains(" 352 "));
    let table = table.and(predicate::str::contains("10 results: 2 differ"));
    queens(&args).assert().code(3).stdout(table).stderr(named.clone());
    let output = queens(&[&args[..], &["--json"]].concat()).assert().code(3).stderr(named).get_output().stdout.clone();
    let json: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!([&json["differences"], &json["results"]], [2, 10]);
    assert_eq!(json["terms"][8]["results"][0]["value"], "92");
    assert_eq!(json["terms"][9]["results"][0]["agrees"], true);
}

#[test]
fn verify_refuses_a_malformed_b_file() {
    let malformed = file("malformed.txt", "0 1\n1 1\n2 zero\n");
    let reason = predicate::str::contains("line 3: '2 zero' is not an index and a term");
    queens(&["verify", "--bfile", &malformed]).assert().code(1).stdout("").stderr(reason);
    let late = file("late.txt", "20 39029188884\n");
    let reason = predicate::str::contains("no term from N = 0 to 14");
    queens(&["verify", "--bfile", &late]).assert().code(1).stdout("").stderr(reason);
}

#[test]
fn comparing_nothing_is_no_success() {
    let nothing = predicate::str::contains("nothing to compare: the join engine counts none of N = 0 to 4");
    queens(&["verify", "--engine", "join", "0-4"]).assert().code(1).stdout("").stderr(nothing.clone());
    queens(&["verify", "--engine", "naive", "--engine", "join", "0-4"]).assert().code(1).stderr(nothing);
    let far = file("far.txt", "30 1\n");
    let slow = predicate::str::contains("every engine takes too long for N = 30 to 30");
    queens(&["verify", "0-30", "--bfile", &far]).assert().code(1).stdout("").stderr(slow);
}

#[test]
fn an_estimate_holds_the_count() {
    let args = ["estimate", "14", "--samples", "2000", "--engine", "backtrack", "--threads", "2"];
    let lines = predicate::str::is_match("solutions +3")
        .unwrap()
        .and(predicate::str::is_match("core (ms|seconds) +").unwrap())
        .and(predicate::str::contains("95 %"));
    queens(&args).assert().success().stdout(lines.and(predicate::str::is_match("tasks +78").unwrap())).stderr("");
    let json = |seed: &str| object(&[&args[..], &["--json", "--seed", seed]].concat());
    // The interval misses for one seed in twenty (3 is one), which seeds is fixed.
    let first = json("5");
    let (low, high) = (first["count"]["low"].as_f64().unwrap(), first["count"]["high"].as_f64().unwrap());
    assert!(low < 365_596.0 && 365_596.0 < high && high < 1.2 * low, "{low} to {high}");
    // A run of less than two seconds is made: all of its tasks are timed.
    assert_eq!([&first["count_samples"], &first["time_samples"], &first["timed_n"]], [2000, 78, 14]);
    assert_eq!(first["max_time_needed"], Value::Null);
    // Two threads keep two cores busy, where there are two.
    let cores = std::thread::available_parallelism().unwrap().get().min(2) as f64;
    let [run, work] =
        [&first["run_seconds"]["mean"], &first["core_seconds"]["mean"]].map(|seconds| seconds.as_f64().unwrap());
    assert!(run > 0.0 && (work / run - cores).abs() < 1e-9, "{work} and {run} on {cores} cores");
    assert_eq!(json("5")["count"], first["count"]);
    assert_ne!(json("6")["count"], first["count"]);
}

/// Where there is no time for tasks of the board itself that is said, with the time that would do; and the interval is wide.
/// Of turns, which are counted by the same tasks, there is then no count.
#[test]
fn an_estimate_says_what_it_could_not_time() {
    for (line, timed_n) in [("24", 14), ("38 --symmetry half", 24), ("76 --symmetry quarter", 48)] {
        let line = format!("estimate {line} --samples 50 --max-time 1ns --threads 1");
        let args: Vec<&str> = line.split_whitespace().collect();
        let why = format!(
            " +extrapolated from tasks of N = {timed_n}; to time its own, give --max-time \\S+ \\(one takes about .*\\)"
        );
        let count = predicate::str::is_match("solutions +[0-9]").unwrap().not();
        queens(&args).assert().success().stdout(predicate::str::is_match(why).unwrap().and(count));
        let found = object(&[&args[..], &["--json"]].concat());
        let [low, mean, high] = ["low", "mean", "high"].map(|name| found["core_seconds"][name].as_f64().unwrap());
        assert!(low < mean / 1.5 && mean * 1.5 < high, "{found}");
        assert_eq!((&found["timed_n"], &found["time_samples"]), (&timed_n.into(), &5.into()));
        assert!(
            found["sample_seconds"].as_f64() > Some(0.0) && found["max_time_needed"].as_f64() > Some(0.0),
            "{found}"
        );
    }
    let parts = "estimate 32 --samples 50 --max-time 1ns --threads 1";
    let why = "core time  too few samples to tell\ntime       too few samples to tell\n {11}for more of them, give --max-time \\S+ \\(one";
    let lines = predicate::str::is_match(why).unwrap();
    queens(&parts.split_whitespace().collect::<Vec<_>>()).assert().success().stdout(lines);
}

/// A line for each board, as soon as it is estimated; a reader who has enough ends the list.
#[test]
fn a_range_is_estimated_board_by_board() {
    let args = ["estimate", "8-10", "--samples", "50", "--threads", "1"];
    let output = queens(&args).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(output.status.success() && lines.len() == 5, "{text}");
    assert!(lines[0].ends_with("solutions             core time                  time   timed"), "{text}");
    for (line, begin, timed) in
        [(1, " 8                       92  ", "N = 8"), (3, "10                      724  ", "N = 10")]
    {
        assert!(lines[line].starts_with(begin) && lines[line].ends_with(timed), "{text}");
    }
    assert!(lines[4].starts_with("95 % intervals; time: on 1 core with nothing else to do; in "), "{text}");
    let found = object(&[&args[..], &["--json"]].concat());
    let estimates = found["estimates"].as_array().unwrap();
    assert!(estimates.iter().map(|estimate| estimate["n"].as_u64().unwrap()).eq(8..=10), "{found}");
    assert_eq!(found["finished"], true);
    queens(&["estimate", "30-33"]).assert().code(2).stdout("").stderr(predicate::str::contains("0 to 32"));
}

/// What is named is what runs, as far as the objects tell; and a range is that range alone.
#[test]
fn estimates_and_verifications_are_of_what_is_named() {
    for isa in queens::Isa::available() {
        for engine in ["join", "backtrack"] {
            let found =
                object(&["estimate", "9", "--samples", "20", "--json", "--engine", engine, "--isa", isa.name()]);
            assert_eq!([&found["engine"], &found["isa"]], [engine, isa.name()]);
            let found = object(&["verify", "6-8", "--json", "--engine", engine, "--isa", isa.name()]);
            let terms = found["terms"].as_array().unwrap();
            assert!(terms.iter().map(|term| term["n"].as_u64().unwrap()).eq(6..=8), "{found}");
            for term in terms {
                let result = &term["results"][0];
                assert_eq!([&result["engine"], &result["isa"]], [engine, isa.name()]);
            }
        }
    }
    // What the file does not have is not taken from elsewhere.
    let few = file("few.txt", "7 40\n8 92\n");
    assert_eq!(object(&["verify", "0-9", "--json", "--bfile", &few])["terms"].as_array().unwrap().len(), 2);
}
