//! `--json`, in every command alike: alone it takes the place of the text, and with a file the text stays.

#![cfg(feature = "cli")]

use std::fs;
use std::path::Path;

use crate::common::{forged, output};
use serde_json::Value;

/// A line for each command that has the option, and its exit code.
const LINES: [(&str, i32); 14] = [
    ("count 8", 0),
    ("count 4-6", 0),
    ("count 8 --unique", 0),
    ("count 8 --symmetry half", 0),
    ("profile 4", 0),
    ("merge s1 s2", 0),
    ("merge s1", 4),
    ("status s1", 0),
    ("audit s1 s2 --seed 7 --units 2", 0),
    ("verify 0-5", 0),
    ("verify 0-5 --symmetry half", 0),
    ("estimate 8 --samples 20", 0),
    ("show 158", 0),
    ("symmetries 2413", 0),
];

/// Two shards of a small count.
fn shards(folder: &Path) {
    for shard in 1..=2 {
        assert_eq!(output(folder, &format!("count 8 --shard {shard}/2 --out s{shard} -q")).0, Some(0));
    }
}

/// What is measured differs from run to run.
fn without_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| {
                !name.contains("seconds")
                    && !["saved_ago", "drift", "core_share", "memory_bytes"].contains(&name.as_str())
            });
            fields.values_mut().for_each(without_times);
        }
        Value::Array(values) => values.iter_mut().for_each(without_times),
        _ => {}
    }
}

fn object(text: &str) -> Value {
    let mut object = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    without_times(&mut object);
    object
}

/// The first words of its lines, but for those that a busy machine adds.
fn labels(text: &str) -> Vec<&str> {
    let words = text.lines().map(|line| line.split_whitespace().next().unwrap_or_default());
    words.filter(|word| !["for", "machine", "speed"].contains(word)).collect()
}

#[test]
fn the_file_has_the_object_and_stdout_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shards(path);
    for (line, exit) in LINES {
        let (code, text, said) = output(path, line);
        assert_eq!(code, Some(exit), "{line}: {said}");
        let (code, printed, _) = output(path, &format!("{line} --json"));
        assert_eq!((code, printed.lines().count()), (Some(exit), 1), "{line}: {printed}");
        let (code, beside, said_too) = output(path, &format!("{line} --json=o.json"));
        assert_eq!(code, Some(exit), "{line}: {said_too}");
        assert_eq!((labels(&beside), labels(&said_too)), (labels(&text), labels(&said)), "{line}");
        let written = fs::read_to_string(path.join("o.json")).unwrap();
        assert_eq!((object(&written), written.lines().count()), (object(&printed), 1), "{line}");
        fs::remove_file(path.join("o.json")).unwrap();
        assert_eq!(object(&output(path, &format!("{line} --json=-")).1), object(&printed), "{line}");
    }
}

/// Names that no object can have, told before the work, of which N = 32 would never end.
#[test]
fn a_wrong_file_is_told_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shards(path);
    fs::create_dir(path.join("folder")).unwrap();
    let before = fs::read(path.join("s1")).unwrap();
    let [counts, others] = [
        ["count 32", "count 20-32", "profile 32"],
        ["verify 0-32 --engine naive", "estimate 32 --max-time 9h", "bench 32 --engine naive"],
    ];
    for line in counts.iter().chain(&others) {
        let wrong = [
            ("--json=o.txt", 2, "no format has the extension .txt; there are .json, .jsonl, .ndjson"),
            ("--json=", 2, "a value is required"),
            ("--json=none/o.json", 1, "cannot write none/o.json: there is no folder none"),
            ("--json=folder", 1, "cannot write folder: is a directory"),
            ("--json=s1", 1, "cannot write s1: it is a checkpoint or a shard"),
        ];
        for (option, exit, reason) in wrong {
            let (code, out, err) = output(path, &format!("{line} {option}"));
            assert_eq!((code, out.as_str()), (Some(exit), ""), "{line} {option}: {err}");
            assert!(err.starts_with("error: ") && err.contains(reason), "{line} {option}: {err}");
        }
    }
    let (code, _, err) = output(path, "count 8 --json o.json");
    assert_eq!((code, err.lines().nth(1)), (Some(2), Some("tip: to write a file, '--json=o.json'")), "{err}");
    let mut names: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let visible = names.iter().filter_map(|name| name.to_str()).filter(|name| !name.starts_with('.'));
    assert_eq!(visible.collect::<Vec<_>>(), ["folder", "s1", "s2"]);
    assert_eq!(fs::read(path.join("s1")).unwrap(), before);
}

/// What is wrong stays wrong, and the file says so.
#[test]
fn a_wrong_result_is_written_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 11 --checkpoint right").0, Some(0));
    forged(path, "right", "wrong", |unit, tally| if unit == 0 { tally + 8 } else { tally });
    let (code, out, err) = output(path, "count 11 --checkpoint wrong --resume --json=o.json");
    assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
    assert_eq!(object(&fs::read_to_string(path.join("o.json")).unwrap())["oeis"]["agrees"], false);
}

/// The time of a run is part of the time of all runs; where there is no other, it is that.
#[test]
fn the_time_of_all_runs_includes_this_one() {
    let folder = tempfile::tempdir().unwrap();
    let times = |line: &str| {
        let object: Value = serde_json::from_str(&output(folder.path(), line).1).unwrap();
        ["seconds", "total_seconds"].map(|key| object[key].as_f64().unwrap())
    };
    for _ in 0..20 {
        let [seconds, total] = times("count 12 --json");
        assert_eq!(seconds.to_bits(), total.to_bits());
    }
    // Long enough for a ledger, which has milliseconds.
    output(folder.path(), "count 12 --engine naive --threads 1 --checkpoint c");
    let [seconds, total] = times("count 12 --engine naive --threads 1 --json --checkpoint c --resume");
    assert!(seconds < total, "{seconds} s, and {total} s with the run before");
}
