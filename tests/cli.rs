//! The program as its users see it: streams, exit codes and messages.

#![cfg(feature = "cli")]

use assert_cmd::Command;
use predicates::prelude::*;

fn queens(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("queens").unwrap();
    for name in ["NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"] {
        command.env_remove(name);
    }
    command.args(args);
    command
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
    let json = |args| -> serde_json::Value {
        serde_json::from_slice(&queens(args).assert().success().get_output().stdout).unwrap()
    };
    let unique = json(&["count", "12", "--unique", "--json"]);
    assert_eq!(unique["unique"], "1787");
    assert_eq!([&unique["count"], &unique["half_turn"], &unique["quarter_turn"]], ["14200", "80", "8"]);
    let half = json(&["count", "12", "--symmetry", "half", "--json"]);
    assert_eq!([&half["count"], &half["symmetry"]], ["80", "half"]);
    for (object, sequence) in [(&unique, "A002562"), (&half, "A032522")] {
        assert_eq!(object["oeis"], serde_json::json!({"sequence": sequence, "agrees": true}));
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
    queens(&["profile", "13"]).assert().success().stderr("agrees with OEIS A000170\n");
    queens(&["profile", "0"]).assert().success().stdout("1\n");
    let output = queens(&["profile", "4", "--json"]).assert().success().get_output().stdout.clone();
    let json: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(json["profile"], serde_json::json!(["1", "4", "6", "4", "2"]));
    assert_eq!(json["oeis"], serde_json::json!({"sequence": "A319284", "agrees": true}));
}

/// Rows of boards, one after another, with the index that a number has in the whole triangle.
#[test]
fn profiles_of_a_range_are_the_triangle() {
    let rows = "1 1\n2 1\n3 1\n4 2\n5 0\n6 1\n7 3\n8 2\n9 0\n";
    queens(&["profile", "1-3"]).assert().success().stdout(rows).stderr("terms 1 to 9 agree with OEIS A319284\n");
    queens(&["profile", "3-3", "-q"]).assert().success().stdout("6 1\n7 3\n8 2\n9 0\n").stderr("");
    let output = queens(&["profile", "4-4", "--json"]).assert().success().get_output().stdout.clone();
    let json: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(json["terms"][4], serde_json::json!({"n": 14, "value": "2", "agrees": true}));
    // No row beyond the twelfth is published.
    queens(&["profile", "12-13"]).assert().success().stderr("terms 78 to 90 agree with OEIS A319284\n");
    let output = queens(&["verify", "--profile", "--to", "9", "--json"]).assert().success().get_output().stdout.clone();
    let json: serde_json::Value = serde_json::from_slice(&output).unwrap();
    let terms = json["terms"].as_array().unwrap();
    assert!(terms.len() == 55 && terms.iter().all(|term| term["agrees"] == true), "{json}");
    for (args, code, reason) in [
        (&["verify", "--profile", "--to", "13-14"][..], 1, "nothing to compare: A319284 has none of these rows"),
        (&["verify", "--profile", "--unique"], 2, "cannot be used with"),
        (&["profile", "1-33"], 2, "N is a whole number from 0 to 32"),
        (&["profile", "3-1"], 2, "or a range as in 1-16"),
        (&["profile", "1-3", "--checkpoint", "none/none"], 2, "go with one N"),
        (&["profile", "1-3", "--shard", "1/2", "--out", "none/none"], 2, "go with one N"),
    ] {
        queens(args).assert().code(code).stdout("").stderr(predicate::str::contains(reason));
    }
}

/// A file of the given content, of its own for each name.
fn file(name: &str, content: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn verify_agrees_with_the_published_terms() {
    let green = predicate::str::contains("11 terms of A000170").and(predicate::str::contains("all agree"));
    queens(&["verify", "--to", "10"]).assert().success().stdout(green).stderr("");
    let unique = predicate::str::contains("10 terms of A002562").and(predicate::str::contains("all agree"));
    queens(&["verify", "--to", "10", "--unique", "--engine", "backtrack"]).assert().success().stdout(unique);
    let right = file("right.txt", "# A000170\r\n\r\n6 4\r\n7 40\r\n8 92\r\n9 352\r\n10 725\r\n");
    let reached = predicate::str::contains("4 terms of").and(predicate::str::contains("all agree"));
    queens(&["verify", "--to", "9", "--bfile", &right]).assert().success().stdout(reached);
}

#[test]
fn verify_finishes_the_table_and_names_what_differs() {
    let wrong = file("wrong.txt", "0 1\n1 1\n2 0\n3 0\n4 2\n5 11\n6 4\n7 40\n8 93\n9 352\n");
    let args = ["verify", "--to", "9", "--bfile", &wrong, "--engine", "backtrack"];
    let named = predicate::str::is_match("N = 5 in .*wrong.txt is 11, but backtrack finds 10").unwrap();
    let table = predicate::str::contains("✗ 92").and(predicate::str::contains(" 352 "));
    let table = table.and(predicate::str::contains("10 results: 2 differ"));
    queens(&args).assert().code(3).stdout(table).stderr(named.clone());
    let output = queens(&[&args[..], &["--json"]].concat()).assert().code(3).stderr(named).get_output().stdout.clone();
    let json: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!([&json["differences"], &json["results"]], [2, 10]);
    assert_eq!(json["terms"][8]["results"][0]["found"], "92");
    assert_eq!(json["terms"][9]["results"][0]["agrees"], true);
}

#[test]
fn verify_refuses_a_malformed_b_file() {
    let malformed = file("malformed.txt", "0 1\n1 1\n2 zero\n");
    let reason = predicate::str::contains("line 3: '2 zero' is not an index and a term");
    queens(&["verify", "--bfile", &malformed]).assert().code(1).stdout("").stderr(reason);
    let late = file("late.txt", "20 39029188884\n");
    let reason = predicate::str::contains("no term up to N = 14");
    queens(&["verify", "--bfile", &late]).assert().code(1).stdout("").stderr(reason);
}

#[test]
fn comparing_nothing_is_no_success() {
    let nothing = predicate::str::contains("nothing to compare: the join engine counts none of N = 0 to 4");
    queens(&["verify", "--engine", "join", "--to", "4"]).assert().code(1).stdout("").stderr(nothing.clone());
    queens(&["verify", "--engine", "naive", "--engine", "join", "--to", "4"]).assert().code(1).stderr(nothing);
    let far = file("far.txt", "30 1\n");
    let slow = predicate::str::contains("every engine takes too long for N = 30 to 30");
    queens(&["verify", "--to", "30", "--bfile", &far]).assert().code(1).stdout("").stderr(slow);
}

#[test]
fn bench_times_draws_and_compares() {
    let (json, plot) = (file("bench.json", ""), file("bench.svg", ""));
    let bench = ["bench", "8", "9", "--runs", "2", "--threads", "1,2", "--engine", "backtrack", "--engine", "naive"];
    let table = predicate::str::contains("352  backtrack").and(predicate::str::contains("352  naive"));
    queens(&[&bench[..], &["--json", &json, "--plot", &plot]].concat()).assert().success().stdout(table);
    let picture = std::fs::read_to_string(plot).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("prefers-color-scheme") && picture.contains("N = 9"));

    let old = std::fs::read_to_string(&json).unwrap();
    let mut old: serde_json::Value = serde_json::from_str(&old).unwrap();
    let results = old["results"].as_array().unwrap();
    assert_eq!(results.len(), 8);
    assert_eq!([&results[0]["n"], &results[0]["threads"]], [8, 1]);
    assert_eq!(results[0]["seconds"].as_array().unwrap().len(), 2);
    assert_eq!(results[7]["count"], "352");
    assert!(results.iter().all(|result| result["speed_up"].as_f64().unwrap() > 0.0));

    // An earlier run that was endlessly slow, then one that was endlessly fast.
    for (median, code) in [(1e9, 0), (1e-12, 3)] {
        for result in old["results"].as_array_mut().unwrap() {
            for field in ["median", "fastest", "slowest"] {
                result[field] = median.into();
            }
        }
        let earlier = file("earlier.json", &old.to_string());
        let compare = [&bench[..], &["--compare", &earlier, "--tolerance", "20%"]].concat();
        let ratios = predicate::str::contains("ratio");
        let error = queens(&compare).assert().code(code).stdout(ratios).get_output().stderr.clone();
        assert_eq!(String::from_utf8(error).unwrap().contains("8 medians of 8 are slower"), code == 3);
    }
    // A slower median whose runs were among those before is noise, and no failure.
    for result in old["results"].as_array_mut().unwrap() {
        result["slowest"] = 1e9.into();
    }
    let earlier = file("noisy.json", &old.to_string());
    let noise = predicate::str::contains("8 medians beyond the tolerance, but with runs among those before");
    queens(&[&bench[..], &["--compare", &earlier, "--tolerance", "20%"]].concat()).assert().success().stdout(noise);

    // Saved results are shown, plotted and exported again without timing anything, of several machines together.
    let again =
        queens(&["bench", "--from", &json, &json, "--plot", "-"]).assert().success().get_output().stdout.clone();
    let again = String::from_utf8(again).unwrap();
    assert!(again.contains(">backtrack, bench</text>") && again.matches(" s</title>").count() == 16);
    let side = predicate::str::contains("bench is 1.00 times as fast as bench, the geometric mean of 8 lines");
    queens(&["bench", "--from", &json, &json]).assert().success().stdout(side);
    let shared = queens(&["bench", "--from", &json, "--share"]).assert().success().get_output().stdout.clone();
    let shared = String::from_utf8(shared).unwrap();
    // Without a score, for none of its boards was timed.
    let labels: Vec<&str> = shared.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(labels, ["processor", "cores", "program", "command"], "{shared}");
    let png = file("bench.png", "");
    queens(&["bench", "--from", &json, "--plot", &png]).assert().success();
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    let gif = predicate::str::contains("no format has the extension .gif; there are .svg, .png");
    queens(&["bench", "--from", &json, "--plot", "bench.gif"]).assert().code(2).stderr(gif);
    queens(&["bench", "8", "--share"]).assert().code(2);
    let csv = queens(&["bench", "--from", &json, "--csv", "-"]).assert().success().get_output().stdout.clone();
    assert_eq!(String::from_utf8(csv).unwrap().lines().count(), 9);
    let markdown =
        predicate::str::contains("| processor |").and(predicate::str::contains("| 9 | 352 | naive | portable |"));
    queens(&["bench", "--from", &json, "--markdown", "-"]).assert().success().stdout(markdown);
    queens(&["bench", "--from", &json]).assert().success().stdout(predicate::str::contains("352  naive"));
    queens(&["bench", "9", "--from", &json]).assert().code(2);
    queens(&["bench", "--from", &json, "--csv", "-", "--plot", "-"]).assert().code(2);
    let none = predicate::str::contains("not a result of queens bench --json");
    queens(&["bench", "--from", &file("none.json", "{}")]).assert().code(1).stdout("").stderr(none);

    let output = queens(&["bench", "6", "--runs", "1", "--threads", "1", "--json"]).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["command"], "bench");
}

#[test]
fn bench_compares_the_instruction_sets() {
    let bench = |args: &[&str]| queens(&[&["bench", "8", "--runs", "1", "--threads", "1"], args].concat()).assert();
    let available: Vec<&str> = queens::Isa::available().map(queens::Isa::name).collect();
    let output = bench(&["--json", "-", "--isa"]).success().get_output().stdout.clone();
    let json: serde_json::Value = serde_json::from_slice(&output).unwrap();
    let sets: Vec<&str> = json["results"].as_array().unwrap().iter().map(|at| at["isa"].as_str().unwrap()).collect();
    // The join and backtracking, each on every set.
    assert_eq!(sets, [&available[..], &available[..]].concat());

    let output = String::from_utf8(bench(&["--isa"]).success().get_output().stdout.clone()).unwrap();
    assert_eq!(output.contains("speed: how many times as fast as portable"), available.len() > 1);
    // Its own line, or one of the headings of the columns.
    assert!(available.iter().all(|isa| output.contains(isa)), "{output}");

    // One set alone is timed beside the other engines, with nothing to compare it with.
    let one = predicate::str::contains("join       portable").and(predicate::str::contains("backtrack  portable"));
    bench(&["--isa", "portable"]).success().stdout(one.and(predicate::str::contains("speed:").not()));
    let twice = format!("{},portable", available.last().unwrap());
    bench(&["--isa", &twice, "--engine", "join"]).success();
    let missing = if cfg!(target_arch = "x86_64") { "neon" } else { "avx2" };
    let reason = predicate::str::contains(format!("this processor has no {missing}; it has portable"));
    bench(&["--isa", &format!("portable,{missing}")]).code(2).stdout("").stderr(reason);
}

#[test]
fn an_estimate_holds_the_count() {
    let args = ["estimate", "14", "--samples", "2000", "--engine", "backtrack", "--threads", "2"];
    let lines = predicate::str::contains("solutions     3")
        .and(predicate::str::contains("core seconds  "))
        .and(predicate::str::contains("95 %"));
    queens(&args).assert().success().stdout(lines.and(predicate::str::contains("tasks         78"))).stderr("");
    let json = |seed: &str| -> serde_json::Value {
        let output = queens(&[&args[..], &["--json", "--seed", seed]].concat()).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    // The interval misses for one seed in twenty (3 is one), which seeds is fixed.
    let first = json("5");
    let (low, high) = (first["count"]["low"].as_f64().unwrap(), first["count"]["high"].as_f64().unwrap());
    assert!(low < 365_596.0 && 365_596.0 < high && high < 1.2 * low, "{low} to {high}");
    // A run of less than two seconds is made: all of its tasks are timed.
    assert_eq!([&first["count_samples"], &first["time_samples"], &first["timed_n"]], [2000, 78, 14]);
    assert_eq!(
        [&first["max_time_needed"], &first["core_seconds"]["mean"]],
        [&serde_json::Value::Null, &first["cpu_seconds"]]
    );
    // Two threads keep two cores busy, where there are two.
    let cores = std::thread::available_parallelism().unwrap().get().min(2) as f64;
    let [run, work] = [&first["run_seconds"]["mean"], &first["cpu_seconds"]].map(|seconds| seconds.as_f64().unwrap());
    assert!(run > 0.0 && (work / run - cores).abs() < 1e-9, "{work} and {run} on {cores} cores");
    assert_eq!(json("5")["count"], first["count"]);
    assert_ne!(json("6")["count"], first["count"]);
}

/// Where there is no time for tasks of the board itself that is said, with the time that would do as far as that can be
/// told; and the interval is wide: a factor of 3 for each step of two.
#[test]
fn an_estimate_says_what_it_could_not_time() {
    for (n, engine, timed_n, factor, told) in [
        (20, "naive", 12, 81.0, "a longer --max-time tells more\n"),
        (9, "join", 7, 3.0, "some would be timed with --max-time 1m\n"),
    ] {
        let line = format!("estimate {n} --engine {engine} --samples 50 --max-time 1ns --threads 1");
        let args: Vec<&str> = line.split_whitespace().collect();
        let why = format!("extrapolated from N = {timed_n}, for too few of its own tasks were timed;\n");
        queens(&args).assert().success().stdout(predicate::str::contains(why).and(predicate::str::contains(told)));
        let output = queens(&[&args[..], &["--json"]].concat()).output().unwrap();
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let [low, mean, high] = ["low", "mean", "high"].map(|name| found["core_seconds"][name].as_f64().unwrap());
        assert!(low < mean / factor && mean * factor < high && low > 0.0, "{found}");
        assert_eq!((&found["timed_n"], found["max_time_needed"].is_null()), (&timed_n.into(), n == 20));
    }
}

/// What is named is what runs, as far as the objects tell; and a range is that range alone.
#[test]
fn estimates_and_verifications_are_of_what_is_named() {
    let json = |args: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&queens(args).assert().success().get_output().stdout).unwrap()
    };
    for isa in queens::Isa::available() {
        for engine in ["join", "backtrack"] {
            let found = json(&["estimate", "9", "--samples", "20", "--json", "--engine", engine, "--isa", isa.name()]);
            assert_eq!([&found["engine"], &found["isa"]], [engine, isa.name()]);
            let found = json(&["verify", "--to", "6-8", "--json", "--engine", engine, "--isa", isa.name()]);
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
    assert_eq!(json(&["verify", "--to", "9", "--json", "--bfile", &few])["terms"].as_array().unwrap().len(), 2);
}

#[test]
fn json_is_one_object() {
    let output = queens(&["count", "10", "--json", "--threads", "2", "--engine", "backtrack"]).output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["n"], 10);
    assert_eq!(json["count"], "724");
    assert_eq!(json["engine"], "backtrack");
    assert_eq!(json["threads"], 2);
    assert_eq!(json["prefix"], serde_json::Value::Null);
    assert_eq!(json["oeis"], serde_json::json!({"sequence": "A000170", "agrees": true}));
    // Nothing is published of completions.
    let output =
        queens(&["count", "8", "--prefix", "1", "--json"]).assert().success().stderr("").get_output().stdout.clone();
    let json: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!([&json["oeis"], &json["modulo"]], [&serde_json::Value::Null; 2]);
    assert!(json["seconds"].as_f64().unwrap() > 0.0);
    assert!(json["isa"].is_string() && json["cpu"].is_string());
}

#[test]
fn bad_input_is_one_line_that_says_what_is_allowed() {
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
        (&["count", "8", "--isa", "mmx"], "[possible values: portable, neon, avx2, avx512f, avx512]"),
        (&["count", "4", "--engine", "join"], "the join engine counts whole boards of N = 5 to 28"),
        (&["count", "8", "--engine", "join", "--prefix", "1"], "the join engine counts whole boards"),
        (&["count", "8", "--threads", "0.5"], "threads are a whole number from 0 (every core) to 1024"),
        (&["count", "8", "--threads", "-1"], "threads are a whole number from 0 (every core) to 1024"),
        (&["count", "8", "--threads", "1025"], "threads are a whole number from 0 (every core) to 1024"),
        (&["count", "8", "--color", "blue"], "[possible values: auto, always, never]"),
        (&["count", "8", "--symmetry", "third"], "[possible values: half, quarter]"),
        (&["count", "8", "--unique", "--symmetry", "half"], "cannot be used with"),
        (&["count", "8", "--unique", "--prefix", "1"], "cannot be used with"),
        (
            &["count", "8", "--unique", "--shard", "1/2", "--out", "none/none"],
            "count the shards without it and merge them",
        ),
        (&["count", "8-9", "--unique", "--shard", "1/2", "--out", "none/none"], "which no shard has"),
        (&["bench", "8", "--compare", "x", "--tolerance", "much"], "a share is from 0% to 1000%"),
        (&["bench", "8", "--compare", "x", "--tolerance", "1"], "for 1 percent write 1%"),
        (&["count", "8", "--double-check", "1"], "a fraction below 1; for 1 percent write 1%"),
        (&["bench", "3", "--engine", "join"], "the engines named can't count boards of these sizes"),
        (&["bench", "8", "--runs", "0"], "R is a whole number from 1 to 1000"),
        (&["estimate", "8", "--samples", "0"], "S is a whole number from 2 to 1000000000"),
        (&["solutions", "8", "--limit", "abc"], "'--limit <L>': L is a whole number, 0 or more"),
        (&["solutions", "8", "--limit", "-1"], "'--limit <L>': L is a whole number, 0 or more"),
        (&["solutions", "8", "--skip", "-1"], "S is a whole number, 0 or more"),
        (
            &["symmetries", "12345678901234567890123456789012345678"],
            "rows are separated by commas where N is more than 9",
        ),
        (&["symmetries", ""], "a placement names at least one queen"),
        (&["estimate", "28", "--max-time", "soon"], "a time is more than zero and has a unit"),
        (&["estimate", "29", "--engine", "join"], "join"),
        (&["count", "8", "--double-check", "-1%"], "a share is from 0% to 100%"),
        (&["count", "8", "-x"], "unexpected argument '-x' found"),
        (&["browse", "8", "--at", "93"], "N = 8 has 92 solutions (OEIS A000170), numbered from 1 to 92"),
        (&["completions", "dos"], "possible values: bash"),
    ];
    for (args, reason) in cases {
        let one_line = predicate::function(|text: &str| text.lines().count() == 1 && text.starts_with("error: "));
        let reason = predicate::str::contains(*reason);
        queens(args).assert().code(2).stdout("").stderr(one_line.and(reason));
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

/// A locale without Unicode gets ASCII, on both streams; objects are ASCII everywhere.
#[test]
fn ascii_is_enough() {
    for args in [
        &["symmetries", "2413"][..],
        &["show", "158"],
        &["verify", "--to", "6"],
        &["count", "--help"],
        &["count", "8", "--prefix", "12"],
        &["symmetries", "158"],
        &["estimate", "9"],
    ] {
        let output = queens(args).env("LANG", "C").output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        assert!(!text.is_empty() && text.is_ascii(), "{args:?}: {}", String::from_utf8_lossy(&text));
    }
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

#[test]
fn no_command_shows_the_help() {
    queens(&[]).assert().code(2).stdout("").stderr(predicate::str::contains("Usage: queens"));
    queens(&["--help"]).assert().success().stdout(predicate::str::contains("Usage: queens"));
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
        &["verify", "--to", "8", "--bfile", name],
    ] {
        let (_, err) = run(arguments);
        assert!(err.lines().count() == 1 && err.contains(shown), "{arguments:?}: {err:?}");
    }
    let (out, _) = run(&["verify", "--to", "8", "--bfile", name]);
    assert!(out.contains(&format!("1 term of {shown}, ")) && !out.contains('\u{1b}'), "{out:?}");
    // A count of such a name's line breaks would be of use to nobody.
    let (_, err) = run(&["count", name]);
    assert!(err.lines().count() == 1 && !err.contains(['\u{1b}', '\u{202e}']), "{err:?}");
}

/// Results come from anybody.
#[test]
fn results_of_a_benchmark_are_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let entry = serde_json::json!({
        "n": 8, "engine": "=a|b", "isa": "<b>", "threads": 1, "count": "92", "seconds": [1.0], "median": 1.0,
        "fastest": 0.0, "slowest": 1.0, "solutions_per_second": 92.0, "speed_up": 1.0, "efficiency": 1.0,
    });
    let saved = serde_json::json!({
        "schema": 1, "version": "0.2.0", "cpu": "=a", "command": "bench", "runs": 1, "results": [entry],
    });
    let path = folder.path().join("a\nb.json");
    let bench = |saved: &serde_json::Value, options: &[&str]| {
        std::fs::write(&path, saved.to_string()).unwrap();
        let file = path.file_name().unwrap().to_str().unwrap();
        let run = queens(&["bench", "--from", file]).args(options).current_dir(folder.path()).output().unwrap();
        let (out, err) = (String::from_utf8(run.stdout).unwrap(), String::from_utf8(run.stderr).unwrap());
        (run.status.code(), out, err)
    };
    let (code, out, err) = bench(&saved, &[]);
    assert_eq!((code, out.lines().next()), (Some(0), Some(r"a\nb.json: =a, queens 0.2.0")), "{err}");
    let (code, out, _) = bench(&saved, &["--markdown", "-"]);
    assert!(code == Some(0) && out.contains(r"| =a\|b | &lt;b&gt; |"), "{out}");
    let (code, out, _) = bench(&saved, &["--csv", "-"]);
    assert!(code == Some(0) && out.contains("8,92,'=a|b,<b>,1,") && out.contains(",'=a,,0.2.0,"), "{out}");
    // Two machines, so that their files name the lines: a name is text there, and a time of nothing has its place.
    let (code, out, _) = bench(&saved, &["a\nb.json", "--plot", "-"]);
    assert!(code == Some(0) && out.contains(r"a\nb") && out.contains("&lt;b&gt;") == out.contains("<b>"), "{out}");
    assert!(!out.contains("NaN") && !out.contains("inf"), "{out}");

    let refused = |field: &str, value: serde_json::Value, reason: &str| {
        let mut saved = saved.clone();
        match field.strip_prefix("results.") {
            Some(field) => saved["results"][0][field] = value,
            None => saved[field] = value,
        }
        let (code, out, err) = bench(&saved, &["--plot", "-"]);
        let reason = format!("error: a\\nb.json: not a result of queens bench --json: {reason}\n");
        assert_eq!((code, out, err), (Some(1), String::new(), reason), "{field}");
    };
    let controls = "control characters in its text";
    refused("cpu", "a\u{1b}[31m".into(), controls);
    refused("machine", serde_json::json!({"caches": ["a", "b\nc"], "threads": 1, "system": ""}), controls);
    refused("results.engine", "a\u{202e}b".into(), controls);
    let numbers = "no run has the numbers of result 1";
    for (field, value) in [
        ("n", 33.into()),
        ("n", 1_000_000_000_000_000_000_u64.into()),
        ("threads", 0.into()),
        ("threads", 1_000_000_000_000_000_000_u64.into()),
        ("fastest", (-1.0).into()),
        ("fastest", 1.5.into()),
        ("slowest", 0.5.into()),
        ("slowest", 1e300.into()),
        ("speed_up", 1e300.into()),
        ("efficiency", (-1.0).into()),
    ] {
        refused(&format!("results.{field}"), value, numbers);
    }
    let mut nothing = saved.clone();
    for field in ["fastest", "median", "slowest"] {
        nothing["results"][0][field] = 0.0.into();
    }
    assert_eq!(bench(&nothing, &[]).0, Some(1));
}
