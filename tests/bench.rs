//! `queens bench` as its users see it: what it times, saves and compares.

#![cfg(feature = "cli")]

use crate::common::asserted::{file, queens};
use predicates::prelude::*;

#[test]
fn bench_times_saves_and_compares() {
    let json = file("bench.json", "");
    let bench = ["bench", "8", "9", "--runs", "2", "--threads", "1,2", "--engine", "backtrack", "--engine", "naive"];
    let table = predicate::str::contains("352  backtrack").and(predicate::str::contains("352  naive"));
    queens(&[&bench[..], &[&format!("--json={json}")]].concat()).assert().success().stdout(table);

    let old = std::fs::read_to_string(&json).unwrap();
    let mut old: serde_json::Value = serde_json::from_str(&old).unwrap();
    assert_eq!((&old["command"], &old["finished"]), (&"bench".into(), &true.into()));
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

    // Saved results are shown and compared without timing anything.
    let same = predicate::str::contains("1.00").and(predicate::str::contains("geometric mean 1.00"));
    queens(&["bench", "--from", &json, "--compare", &json]).assert().success().stdout(same);
    let markdown =
        predicate::str::contains("| processor |").and(predicate::str::contains("| 9 | 352 | naive | portable |"));
    queens(&["bench", "--from", &json, "--markdown"]).assert().success().stdout(markdown);
    queens(&["bench", "--from", &json]).assert().success().stdout(predicate::str::contains("352  naive"));
    queens(&["bench", "9", "--from", &json]).assert().code(2);
    let none = predicate::str::contains("not a result of queens bench --json");
    queens(&["bench", "--from", &file("none.json", "{}")]).assert().code(1).stdout("").stderr(none);
    let others = predicate::str::contains("none of the sizes, engines and threads timed here");
    let shown = predicate::str::contains("352  naive");
    queens(&["bench", "--from", &json, "--compare", "zen5"]).assert().code(1).stdout(shown).stderr(others);
}

/// The machines that come with the program have names; the object tells what it was found by, and the comparison.
#[test]
fn machines_come_with_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let bench = |line: &str| {
        let run = queens(&[&["bench"], &line.split(' ').collect::<Vec<_>>()[..]].concat());
        let run = { run }.current_dir(folder.path()).output().unwrap();
        (run.status.code(), String::from_utf8(run.stdout).unwrap(), String::from_utf8(run.stderr).unwrap())
    };
    let (code, out, err) = bench("--from zen5 --compare zen4 --json=o.json");
    // Small boards took longer on it, so that this is no success.
    assert!(code == Some(3) && err.contains("are slower than in zen4 by more than 10%"), "{out}{err}");
    assert!(out.starts_with("zen5: AMD EPYC, queens 0.3.0\n N"), "{out}");
    assert!(out.contains("over that in zen4 (AMD EPYC, queens 1.0.0), so"), "{out}");
    let saved: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("o.json")).unwrap()).unwrap();
    assert_eq!((&saved["version"], &saved["cpu"]), (&"0.3.0".into(), &"AMD EPYC".into()));
    let compared = &saved["comparison"];
    let pairs = compared["results"].as_array().unwrap();
    assert!(compared["with"] == "zen4" && pairs.len() == saved["results"].as_array().unwrap().len(), "{compared}");
    assert!(pairs.iter().any(|pair| pair["change"] == "faster"), "{compared}");
    assert_eq!(bench("--from o.json --compare zen5").0, Some(0));
    let (code, out, err) = bench("3 --compare zen3");
    let reason = "zen3: there is no such file, and no machine of this name; there are zen4, zen5";
    assert_eq!((code, out, err), (Some(1), String::new(), format!("error: {reason}\n")));
    // A file of such a name is still one.
    std::fs::write(folder.path().join("zen4"), "{}").unwrap();
    assert_eq!(["--from zen4", "--from ./zen4"].map(|line| bench(line).0), [Some(0), Some(1)]);
}

/// A bench that a signal ends prints what it has timed by then, and says in its file that it is not finished.
#[test]
#[cfg(unix)]
fn a_bench_that_is_stopped_tells_what_it_has() {
    use crate::common::runs::{end, first_line_of, signal};
    use crate::common::texts;
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    let folder = tempfile::tempdir().unwrap();
    let stopped = |line: &str, is_time: &dyn Fn(&str) -> bool| {
        let mut child = crate::common::queens(folder.path(), &format!("{line} --progress json")).spawn().unwrap();
        first_line_of(&mut child, is_time);
        signal(&child, Signal::INT);
        let ended = end(child);
        assert_eq!(ended.status.signal(), Some(2), "{:?}", texts(&ended));
        texts(&ended)
    };
    // A run takes as long as others, 50 ms, so that all would take a minute.
    let line = "bench 6 --engine naive --threads 1 --runs 1000 --json=o.json";
    // The first of 1,001 is the warm-up, which is no result.
    let is_timed = |line: &str| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        event["share"].as_f64().is_some_and(|share| share > 1.5 / 1001.0)
    };
    let (_, out, err) = stopped(line, &is_timed);
    assert!(out.contains("4  naive") && out.contains("stopped early: not everything was timed 1,000 times"), "{out}");
    assert!(err.contains("\"event\":\"stopped\""), "{err}");
    let saved = std::fs::read_to_string(folder.path().join("o.json")).unwrap();
    let saved: serde_json::Value = serde_json::from_str(&saved).unwrap();
    let runs = saved["results"][0]["seconds"].as_array().unwrap().len();
    assert!(saved["finished"] == false && (1..1000).contains(&runs), "{runs} runs");
    let (_, out, _) = stopped("bench 32 --engine naive --json=none.json", &|line| line.contains("N = 32"));
    assert!(out.is_empty() && !folder.path().join("none.json").exists(), "nothing was timed: {out}");
}

#[test]
fn bench_compares_the_instruction_sets() {
    let bench = |args: &[&str]| queens(&[&["bench", "8", "--runs", "1", "--threads", "1"], args].concat()).assert();
    let available: Vec<&str> = queens::Isa::available().map(queens::Isa::name).collect();
    let output = bench(&["--json", "--isa"]).success().get_output().stdout.clone();
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
        "fastest": 0.0, "slowest": 1.0, "solutions_per_second": 92.0, "speed_up": 1.0,
    });
    let saved = serde_json::json!({
        "version": "1.0.0", "cpu": "a|b", "commit": "", "date": "", "runs": 1, "finished": true, "results": [entry],
        "machine": {"threads": 1, "system": ""},
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
    assert_eq!((code, out.lines().next()), (Some(0), Some(r"a\nb.json: a|b, queens 1.0.0")), "{err}");
    let (code, out, _) = bench(&saved, &["--markdown"]);
    assert!(code == Some(0) && out.contains(r"| =a\|b | &lt;b&gt; |") && out.contains(r"| a\|b |"), "{out}");
    let (code, out, _) = bench(&saved, &["--compare", "a\nb.json"]);
    assert!(code == Some(0) && out.contains(r"over that in a\nb.json (a|b, "), "{out}");

    let refused = |field: &str, value: serde_json::Value, reason: &str| {
        let mut saved = saved.clone();
        match field.strip_prefix("results.") {
            Some(field) => saved["results"][0][field] = value,
            None => saved[field] = value,
        }
        let (code, out, err) = bench(&saved, &["--markdown"]);
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
        ("speed_up", (-1.0).into()),
    ] {
        refused(&format!("results.{field}"), value, numbers);
    }
    let mut nothing = saved.clone();
    for field in ["fastest", "median", "slowest"] {
        nothing["results"][0][field] = 0.0.into();
    }
    assert_eq!(bench(&nothing, &[]).0, Some(1));
}
