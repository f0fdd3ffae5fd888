//! `queens bench` as its users see it: what it times, saves and compares.

#![cfg(feature = "cli")]

use crate::common::asserted::{file, queens};
use predicates::prelude::*;

#[test]
fn bench_times_saves_and_compares() {
    let json = file("bench.json", "");
    let bench = ["bench", "8", "9", "--runs", "2", "--threads", "1,2", "--engine", "backtrack", "--engine", "naive"];
    let table = predicate::str::contains("352  backtrack").and(predicate::str::contains("352  naive"));
    queens(&[&bench[..], &["--json", &json]].concat()).assert().success().stdout(table);

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
        let ratios = predicate::str::contains("ratio: the time now over that in");
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

    // Saved results are shown, compared and exported again without timing anything.
    let same = predicate::str::contains("1.00").and(predicate::str::contains("geometric mean 1.00"));
    queens(&["bench", "--from", &json, "--compare", &json]).assert().success().stdout(same);
    for (args, reason) in [
        (
            &["--plot", "x.svg"][..],
            concat!(
                "--plot is gone: scripts/plot of ",
                env!("CARGO_PKG_REPOSITORY"),
                " draws the files that --json=FILE writes"
            ),
        ),
        (&["--share"], "--share is gone: '--score --markdown -' prints a table to share"),
        (
            &["--from", &json, &json],
            "--from takes one file: --from A --compare B holds A against B, and scripts/plot draws several",
        ),
    ] {
        queens(&[&["bench"], args].concat()).assert().code(2).stdout("").stderr(format!("error: {reason}\n"));
    }
    let csv = queens(&["bench", "--from", &json, "--csv", "-"]).assert().success().get_output().stdout.clone();
    assert_eq!(String::from_utf8(csv).unwrap().lines().count(), 9);
    let markdown =
        predicate::str::contains("| processor |").and(predicate::str::contains("| 9 | 352 | naive | portable |"));
    queens(&["bench", "--from", &json, "--markdown", "-"]).assert().success().stdout(markdown);
    queens(&["bench", "--from", &json]).assert().success().stdout(predicate::str::contains("352  naive"));
    queens(&["bench", "9", "--from", &json]).assert().code(2);
    queens(&["bench", "--from", &json, "--csv", "-", "--markdown", "-"]).assert().code(2);
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
    assert_eq!(output.contains("speed: how many times as fast as by portable"), available.len() > 1);
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
    let (code, out, _) = bench(&saved, &["--compare", "a\nb.json"]);
    assert!(code == Some(0) && out.contains(r"over that in a\nb.json, "), "{out}");

    let refused = |field: &str, value: serde_json::Value, reason: &str| {
        let mut saved = saved.clone();
        match field.strip_prefix("results.") {
            Some(field) => saved["results"][0][field] = value,
            None => saved[field] = value,
        }
        let (code, out, err) = bench(&saved, &["--csv", "-"]);
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
