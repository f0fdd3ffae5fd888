//! Shards and their merge, as users run them.

#![cfg(feature = "cli")]

use std::fs;
use std::time::Duration;

use crate::common::{forged, output, sealed, shards, tallies};
use queens::ledger::LedgerError;
use queens::ledger::store;
use queens::{Shard, oeis};

fn files(of: u32) -> String {
    (1..=of).map(|k| format!("s{k}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn all_shards_make_the_total() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let total = "2680\n";
    assert_eq!(oeis::QUEENS.term(11), Some(2680));
    shards(path, 3);
    let mut units: Vec<usize> = (1..=3).flat_map(|k| tallies(&path.join(format!("s{k}")))).map(|unit| unit.0).collect();
    units.sort_unstable();
    assert!(units.iter().copied().eq(0..units.len()), "every unit once");
    for order in ["s1 s2 s3", "s3 s1 s2", "s2 s2 s1 s3 s1"] {
        let note = "agrees with OEIS A000170\n".to_owned();
        assert_eq!(output(path, &format!("merge {order}")), (Some(0), total.to_owned(), note), "{order}");
    }
    assert_eq!(output(path, "merge -q s1 s2 s3"), (Some(0), total.to_owned(), String::new()));
    let json: serde_json::Value = serde_json::from_str(&output(path, "merge --json s1 s2 s3").1).unwrap();
    assert_eq!((&json["count"], &json["n"], &json["shards"]), (&"2680".into(), &11.into(), &3.into()));
    assert_eq!(json["oeis"], serde_json::json!({"sequence": "A000170", "agrees": true}));
    // The time of all shards together, each as long as its file says: too short here to be told apart from none.
    for k in 1..=3 {
        let file = path.join(format!("s{k}"));
        let text = fs::read_to_string(&file).unwrap();
        let body = text[..text.rfind("sha256").unwrap()].lines().map(|line| match line.split_once(' ') {
            Some(("seconds", _)) => format!("seconds {k}.250\n"),
            Some(("cpu", _)) => format!("cpu {k}.500\n"),
            _ => format!("{line}\n"),
        });
        fs::write(&file, sealed(&body.collect::<String>())).unwrap();
    }
    let json: serde_json::Value = serde_json::from_str(&output(path, "merge --json s1 s2 s3").1).unwrap();
    let elapsed = |k: u32| store::read(&path.join(format!("s{k}"))).unwrap().elapsed();
    let all = (1..=3).map(elapsed).sum::<Duration>().as_secs_f64();
    assert!(all > 0.0 && (json["seconds"].as_f64().unwrap() - all).abs() < 1e-9, "{all} and {json}");
    assert_eq!(json["cpu_seconds"].as_f64(), cfg!(unix).then_some(7.5));
    assert_eq!((&json["oeis"]["sequence"], &json["missing"]), (&"A000170".into(), &serde_json::json!([])));
    // A finished checkpoint of everything is the one shard of one.
    assert_eq!(output(path, "count 11 --engine backtrack --checkpoint c").0, Some(0));
    assert_eq!(output(path, "merge c").1, total);
}

#[test]
fn more_shards_than_units_are_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    for k in 1..=9 {
        let (code, _, err) = output(folder.path(), &format!("count 4 --engine backtrack --shard {k}/9 --out s{k}"));
        assert_eq!(code, Some(0), "{err}");
    }
    let (code, out, _) = output(folder.path(), &format!("merge {}", files(9)));
    assert_eq!((code, out.as_str()), (Some(0), "2\n"));
}

#[test]
fn missing_shards_are_named_as_job_arrays_take_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shards(path, 9);
    let (code, out, err) = output(path, "merge s1 s2 s4 s5 s6");
    assert_eq!((code, out.as_str()), (Some(4), "3,7-9\n"));
    let done: usize = [1, 2, 4, 5, 6].iter().map(|k| tallies(&path.join(format!("s{k}"))).len()).sum();
    let units = store::read(&path.join("s1")).unwrap().fingerprint().units;
    let told = format!("error: 4 of 9 shards are missing or unfinished: 3,7-9; {done} of {units} units are finished\n");
    assert_eq!(err, told);
    let (code, out, _) = output(path, "merge --json s1 s2 s3 s4 s5 s6 s7 s9");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &json["missing"], &json["count"]), (Some(4), &serde_json::json!([8]), &serde_json::Value::Null));
    // An unfinished shard is a missing one.
    let line = "count 20 --engine naive --shard 2/2 --out o --checkpoint c --max-time 1ms";
    assert_eq!(output(path, line).0, Some(75));
    assert_eq!(output(path, "merge c").1, "1-2\n");
    // A checkpoint of a whole count is its only shard: how far it is, is of more use than that it is missing.
    output(path, "count 20 --engine naive --checkpoint whole --max-time 1ms");
    let told = "error: unfinished: 0 of 171 units are finished\n".to_owned();
    assert_eq!(output(path, "merge whole"), (Some(4), "1\n".to_owned(), told));
}

#[test]
fn a_complete_shard_is_not_counted_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shards(path, 2);
    let before = fs::metadata(path.join("s1")).unwrap().modified().unwrap();
    let (code, out, err) = output(path, "count 11 --engine backtrack --shard 1/2 --out s1");
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "", "s1: shard 1/2 is complete already\n"));
    assert_eq!(fs::metadata(path.join("s1")).unwrap().modified().unwrap(), before);
    let (_, out, _) = output(path, "count 11 --engine backtrack --shard 1/2 --out s1 --json");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let part: u128 = tallies(&path.join("s1")).iter().map(|unit| unit.1).sum();
    assert_eq!((&json["count"], &json["shard"]), (&serde_json::Value::Null, &"1/2".into()));
    assert_eq!((&json["part"], &json["resumed"]), (&part.to_string().into(), &json["units"]));
    for (line, reason) in [
        ("count 11 --engine backtrack --shard 2/2 --out s1", "s1: it is for shard 1/2, not 2/2"),
        ("count 10 --engine backtrack --shard 1/2 --out s1", "s1: it is for N = 11, not 10"),
    ] {
        assert_eq!(output(path, line), (Some(1), String::new(), format!("error: {reason}\n")));
    }
}

#[test]
fn a_shard_goes_on_from_its_checkpoint_without_being_told() {
    let folder = tempfile::tempdir().unwrap();
    let line = "count 14 --engine naive --threads 1 --shard 1/2 --out o --checkpoint c --checkpoint-every 1ms";
    let (mut stops, mut time) = (0, 1);
    // One where the time is too short for a task on this machine, a second time.
    while let (Some(75 | 1), ..) = output(folder.path(), &format!("{line} --max-time {time}ms")) {
        stops += u32::from(store::read(&folder.path().join("c")).unwrap().reached() > (0, 0));
        time *= 2;
    }
    assert!(stops > 0, "the shard was over before the time was up");
    assert_eq!(tallies(&folder.path().join("c")), tallies(&folder.path().join("o")));
    assert!(store::read(&folder.path().join("o")).unwrap().is_complete());
}

#[test]
fn foreign_and_damaged_files_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shards(path, 2);
    output(path, "count 10 --engine backtrack --shard 2/2 --out ten");
    output(path, "count 11 --engine naive --shard 2/2 --out naive");
    output(path, "count 11 --engine backtrack --shard 2/3 --out third");
    fs::write(path.join("text"), "hello\n").unwrap();
    let whole = fs::read(path.join("s2")).unwrap();
    fs::write(path.join("cut"), &whole[..whole.len() - 1]).unwrap();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] = bytes[at].wrapping_add(1);
        fs::write(path.join("byte"), bytes).unwrap();
        // The whole program for some bytes, what it calls for each.
        let error = store::read(&path.join("byte")).unwrap_err().to_string();
        assert!(error.contains("byte: "), "{at}: {error}");
        if at % 40 == 0 {
            let (code, out, err) = output(path, "merge s1 byte");
            // What does not begin as a ledger may be anything.
            let expected = if at == 0 { (Some(1), "", "error") } else { (Some(4), "2\n", "warning") };
            assert_eq!((code, out.as_str(), err.split(": byte: ").next().unwrap()), expected, "{err}");
        }
    }
    for (file, reason) in [
        ("ten", "it is for N = 10, not 11"),
        ("naive", "it is for the engine naive, not backtrack"),
        ("third", "it is for a count in 3 shards, not 2"),
        ("text", "not a ledger of queens"),
        ("gone", "there is no such file"),
    ] {
        let (code, out, err) = output(path, &format!("merge s1 {file}"));
        assert_eq!((code, out.as_str(), err), (Some(1), "", format!("error: {file}: {reason}\n")));
    }
}

/// Cut anywhere, emptied or with a byte changed, a shard is missing at a merge, and its own command writes it anew.
#[test]
fn damaged_shards_heal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shards(path, 3);
    let whole = fs::read(path.join("s2")).unwrap();
    let line = "count 11 --engine backtrack --shard 2/3 --out s2";
    let mut changed = whole.clone();
    changed[60] ^= 1;
    let units = store::read(&path.join("s2")).unwrap().fingerprint().units;
    let done = units - tallies(&path.join("s2")).len();
    for (bytes, reason) in [
        (&whole[..0], "cut short: its last line is not a checksum"),
        (&whole[..5], "cut short: its last line is not a checksum"),
        (&whole[..whole.len() - 1], "cut short: its last line is not a checksum"),
        (&changed, "damaged: the checksum does not match the contents"),
    ] {
        fs::write(path.join("s2"), bytes).unwrap();
        let missing = format!(
            "warning: s2: {reason}; it counts as missing\n\
             error: 1 of 3 shards is missing or unfinished: 2; {done} of {units} units are finished\n"
        );
        assert_eq!(output(path, "merge s1 s2 s3"), (Some(4), "2\n".to_owned(), missing));
        let json: serde_json::Value = serde_json::from_str(&output(path, "merge --json s1 s2 s3").1).unwrap();
        assert_eq!((&json["damaged"], &json["missing"]), (&serde_json::json!(["s2"]), &serde_json::json!([2])));
        let (code, out, err) = output(path, line);
        assert_eq!((code, out.as_str()), (Some(0), ""), "{err}");
        assert!(err.starts_with(&format!("warning: s2: {reason}; shard 2/3 is written anew\n")), "{err}");
        assert_eq!(output(path, "merge -q s1 s2 s3"), (Some(0), "2680\n".to_owned(), String::new()));
    }
    // A checkpoint of a shard heals too; that of a whole count is for somebody to look at.
    fs::write(path.join("c"), &whole[..40]).unwrap();
    fs::remove_file(path.join("s2")).unwrap();
    let (code, _, err) = output(path, &format!("{line} --checkpoint c"));
    assert_eq!(code, Some(0), "{err}");
    assert!(
        err.starts_with("warning: c: cut short: its last line is not a checksum; counting from the beginning\n"),
        "{err}"
    );
    fs::write(path.join("c"), &whole[..40]).unwrap();
    assert_eq!(output(path, "count 11 --engine backtrack --checkpoint c --resume").0, Some(1));
    // What is no ledger may be dear to somebody.
    fs::write(path.join("s2"), "a diary\n").unwrap();
    let told = "error: s2: not a ledger of queens, and it is not overwritten; give another name\n".to_owned();
    assert_eq!(output(path, line), (Some(1), String::new(), told));
    assert_eq!(fs::read(path.join("s2")).unwrap(), b"a diary\n");
    // Nothing sound at all.
    fs::write(path.join("s1"), "").unwrap();
    let (code, out, err) = output(path, "merge s1");
    assert_eq!((code, out.as_str()), (Some(4), ""));
    assert!(err.ends_with("error: s1: no undamaged shard, so all are missing\n"), "{err}");
}

/// What cannot be saved in the end is told before anything is counted.
#[test]
fn a_shard_that_cannot_be_saved_is_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join(".s.new")).unwrap();
    let (code, out, err) = output(path, "count 11 --engine backtrack --shard 1/2 --out s");
    assert_eq!((code, out.as_str(), err.lines().count()), (Some(1), "", 1));
    assert!(err.starts_with("error: .s.new: removing failed: "), "{err}");
}

/// The folder of a shard is made, those that it is in are not; a folder stands for the shards in it.
#[test]
fn a_folder_of_shards() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let shard = |k: u32, out: &str| output(path, &format!("count 11 --engine backtrack --shard {k}/3 --out {out}"));
    for (out, missing) in [("a/b/1", "a"), ("r/b/c/1", "r")] {
        let expected = format!("error: {out}: there is no folder {missing}\n");
        assert_eq!(shard(1, out), (Some(1), String::new(), expected));
    }
    assert_eq!(output(path, "count 11 --checkpoint a/b/c").2, "error: a/b/c: there is no folder a\n");
    assert_eq!(shard(1, "r/1").0, Some(0));
    assert_eq!(shard(2, "r/b/1").0, Some(0), "another level, of a folder that is there");
    assert!(shard(1, "r/c/d/1").2.contains("there is no folder r/c\n"));
    for k in [2, 3] {
        assert_eq!(shard(k, &format!("r/{k}")).0, Some(0));
    }
    fs::remove_dir_all(path.join("r/b")).unwrap();
    assert_eq!(output(path, "merge -q r"), (Some(0), "2680\n".to_owned(), String::new()));
    assert_eq!(output(path, "merge -q r r/1").1, "2680\n");
    fs::create_dir(path.join("empty")).unwrap();
    assert_eq!(output(path, "merge empty").0, Some(4));
    assert_eq!(output(path, "merge none"), (Some(1), String::new(), "error: none: there is no such file\n".to_owned()));
    fs::write(path.join("file"), "").unwrap();
    assert_eq!(shard(1, "file/1").2, "error: file/1: file is no folder\n");
}

/// What is in the place of a shard, and is none, is named by whatever reads the folder: whoever repeats the shards until none is
/// missing would do so for ever. Hidden files belong to others.
#[test]
fn what_is_no_ledger_in_a_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for k in [1, 2] {
        output(path, &format!("count 11 --engine backtrack --shard {k}/3 --out r/{k}"));
    }
    fs::write(path.join("r/3"), "hello").unwrap();
    fs::write(path.join("r/4"), "").unwrap();
    fs::create_dir_all(path.join("r/5/a/b")).unwrap();
    for hidden in ["r/.1.lock", "r/.1.new", "r/.git"] {
        fs::write(path.join(hidden), "hello").unwrap();
    }
    let lines = |folder: &str| {
        format!("skipped, a folder: {folder}\nskipped, empty: r/4\nskipped, not a ledger of queens: r/3\n")
    };
    let (code, out, err) = output(path, "merge r");
    assert_eq!((code, out.as_str()), (Some(4), "3\n"));
    assert!(err.starts_with(&format!("{}error: 1 of 3 shards is missing", lines("r/5"))), "{err}");
    assert_eq!(output(path, "audit r --units 1 --progress never").2, lines("r/5"));
    // It looks into folders within the folder.
    let (code, out, err) = output(path, "status r");
    assert!(code == Some(0) && out.contains("missing   1: 3\n"), "{out}");
    assert_eq!(err, lines("r/5/a"));
    // The shard's own command says the same of the file.
    let (code, _, err) = output(path, "count 11 --engine backtrack --shard 3/3 --out r/3");
    assert!(code == Some(1) && err.contains("r/3: not a ledger of queens"), "{err}");
    // Of many, only the first are named.
    for k in 10..25 {
        fs::write(path.join(format!("r/{k}")), "hello").unwrap();
    }
    let err = output(path, "merge r").2;
    assert!(err.contains("not a ledger of queens: r/10, ") && err.contains(", r/19 and 6 more\n"), "{err}");
}

#[test]
fn results_that_differ_are_an_alarm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shards(path, 2);
    forged(path, "s2", "other", |unit, tally| if unit == 5 { tally ^ 1 } else { tally });
    let (code, out, err) = output(path, "merge s1 s2 other");
    assert_eq!((code, out.as_str()), (Some(3), ""));
    let tally = tallies(&path.join("s2"))[2];
    assert_eq!(tally.0, 5);
    assert_eq!(err, format!("error: other: unit 5 has two tallies, {} and {}\n", tally.1, tally.1 ^ 1));
    // Nothing to compare with but the published total.
    let (code, out, err) = output(path, "merge s1 other");
    assert_eq!((code, out.as_str()), (Some(3), ""));
    assert!(err.contains("but OEIS A000170 has 2680"), "{err}");
    let (code, out, _) = output(path, "merge --json s1 other");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &json["oeis"]["agrees"], &json["oeis"]["sequence"]), (Some(3), &false.into(), &"A000170".into()));
    let error = store::read(&path.join("s1")).unwrap().record(4, 1.into()).unwrap_err();
    assert!(matches!(error, LedgerError::Conflict { unit: 4, .. }), "{error}");
    assert!(Shard::new(1, 2).unwrap().contains(4));
}

/// What a count consists of is found out anew, whatever the file says of it.
#[test]
fn merge_does_not_believe_what_it_can_find_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shards(path, 1);
    let whole = fs::read_to_string(path.join("s1")).unwrap();
    let body = &whole[..whole.rfind("sha256").unwrap()];
    fs::write(path.join("same"), sealed(body)).unwrap();
    assert_eq!(output(path, "merge same").1, "2680\n");
    let header = &body[..body.find("unit ").unwrap()];
    let plan = header.lines().find_map(|line| line.strip_prefix("plan ")).unwrap();
    let units = header.lines().find_map(|line| line.strip_prefix("units ")).unwrap();
    for (from, to, reason) in [
        (format!("units {units}"), "units 0".to_owned(), "it is for a plan with units: 0, not "),
        (format!("plan {plan}"), "plan another".to_owned(), "it is for the plan another, not rows/"),
        ("n 11".to_owned(), "n 12".to_owned(), "it is for the plan rows/1 N=11"),
        ("engine backtrack".to_owned(), "engine other".to_owned(), "unknown engine 'other'"),
    ] {
        let forged = header.replace(&from, &to);
        assert_ne!(forged, header);
        fs::write(path.join("forged"), sealed(&forged)).unwrap();
        let (code, out, err) = output(path, "merge forged");
        assert_eq!((code, out.as_str()), (Some(1), ""), "{to}");
        assert!(err.contains(reason), "{to}: {err}");
    }
    fs::write(path.join("forged"), sealed(&body.replace("\nseconds ", "\nseconds NaN\nseconds "))).unwrap();
    assert_eq!(output(path, "merge forged").0, Some(1));
}

/// What an earlier run finished is held to the same as what this one finds.
#[test]
fn a_double_check_reads_what_was_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for engine in ["backtrack", "join"] {
        let line = format!("count 11 --engine {engine} --resume --double-check 100% --checkpoint");
        assert_eq!(output(path, &format!("{line} right-{engine}")).1, "2680\n");
        // Off by 8, which no symmetry shows.
        forged(path, &format!("right-{engine}"), "wrong", |unit, tally| if unit == 3 { tally + 8 } else { tally });
        let (code, out, err) = output(path, &format!("{line} wrong"));
        assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
        assert!(err.contains("counted twice with different results"), "{err}");
        fs::remove_file(path.join("wrong")).unwrap();
        let (_, json, _) = output(path, &format!("{line} right-{engine} --json"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&json["double_checked"], &json["resumed"]), (&json["units"], &json["units"]));
    }
}
