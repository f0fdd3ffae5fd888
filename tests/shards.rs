//! Shards and their merge, as users run them.

#![cfg(feature = "cli")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::common::{forged, output, tallies};
use queens::ledger::store::{self, Store};
use queens::ledger::{Ledger, LedgerError};
use queens::{Shard, oeis};

/// Counts N = 11 in so many shards, files s1, s2 and so on.
fn shards(folder: &Path, of: u32) {
    for k in 1..=of {
        let line = format!("count 11 --engine backtrack --shard {k}/{of} --out s{k}");
        let (code, out, err) = output(folder, &line);
        let expected = if of == 1 { "2680\n" } else { "" };
        assert_eq!((code, out.as_str()), (Some(0), expected), "a part alone would pass for the count");
        assert!(err.starts_with(&format!("s{k}: shard {k}/{of} of N = 11, ")), "{err}");
    }
}

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
    assert_eq!(err, "error: 4 of 9 shards are missing or unfinished: 3,7-9\n");
    let (code, out, _) = output(path, "merge --json s1 s2 s3 s4 s5 s6 s7 s9");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &json["missing"], &json["count"]), (Some(4), &serde_json::json!([8]), &serde_json::Value::Null));
    // An unfinished shard is a missing one.
    let line = "count 20 --engine naive --shard 2/2 --out o --checkpoint c --max-time 1ms";
    assert_eq!(output(path, line).0, Some(75));
    assert_eq!(output(path, "merge c").1, "1-2\n");
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
    let (mut stops, mut time) = (0, 100);
    loop {
        match output(folder.path(), &format!("{line} --max-time {time}ms")).0 {
            Some(75) => stops += 1,
            // Too short for a task on this machine, a second time.
            Some(1) => time *= 2,
            _ => break,
        }
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
    for (bytes, reason) in [
        (&whole[..0], "cut short: its last line is not a checksum"),
        (&whole[..5], "cut short: its last line is not a checksum"),
        (&whole[..whole.len() - 1], "cut short: its last line is not a checksum"),
        (&changed, "damaged: the checksum does not match the contents"),
    ] {
        fs::write(path.join("s2"), bytes).unwrap();
        let missing =
            format!("warning: s2: {reason}; it counts as missing\nerror: 1 of 3 shards is missing or unfinished: 2\n");
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
    assert_eq!(output(path, line), (Some(1), String::new(), "error: s2: not a ledger of queens\n".to_owned()));
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

/// What a file says of times far away takes nobody else's file with it, and what is empty is no shard at all.
#[test]
fn odd_files_in_a_folder_harm_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shards(path, 3);
    let with = |name: &str, to: &str| {
        let text = fs::read_to_string(path.join(name)).unwrap();
        let body = text[..text.rfind("sha256").unwrap()].lines().map(|line| {
            let is_it = line.split(' ').next() == to.split(' ').next();
            format!("{}\n", if is_it { to } else { line })
        });
        sealed(&body.collect::<String>())
    };
    // As long as a ledger's time may be: a million of them have a sum.
    for name in ["s1", "s2", "s3"] {
        fs::write(path.join(name), with(name, "seconds 9223372036854.000")).unwrap();
    }
    fs::write(path.join("odd"), with("s1", "saved 9223372036854775808")).unwrap();
    fs::write(path.join("slurm-3.err"), "").unwrap();
    let (code, out, err) = output(path, "status .");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("complete   3: 1-3\n") && !out.contains("slurm"), "{out}");
    assert!(out.contains("damaged  ./odd: not written by this program: '9223372036854775808' is no time\n"), "{out}");
    fs::remove_file(path.join("odd")).unwrap();
    assert_eq!(output(path, "merge -q ."), (Some(0), "2680\n".to_owned(), String::new()));
    assert!(!output(path, "status .").1.contains("damaged"));
    // Named, it is told.
    assert_eq!(output(path, "status slurm-3.err").0, Some(1));
    // Longer times are refused.
    fs::write(path.join("s1"), with("s1", "seconds 9223372036855.000")).unwrap();
    let (code, _, err) = output(path, "merge s1");
    assert!(code == Some(1) && err.contains("its runs took longer than any can"), "{err}");
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
    fs::write(path.join("r/notes"), "not a ledger\n").unwrap();
    assert_eq!(output(path, "merge r").1, "2-3\n");
    for k in [2, 3] {
        assert_eq!(shard(k, &format!("r/{k}")).0, Some(0));
    }
    assert_eq!(output(path, "merge -q r"), (Some(0), "2680\n".to_owned(), String::new()));
    assert_eq!(output(path, "merge -q r r/1").1, "2680\n");
    fs::create_dir(path.join("empty")).unwrap();
    assert_eq!(output(path, "merge empty").0, Some(4));
    assert_eq!(output(path, "merge none"), (Some(1), String::new(), "error: none: there is no such file\n".to_owned()));
    fs::write(path.join("file"), "").unwrap();
    assert_eq!(shard(1, "file/1").2, "error: file/1: file is no folder\n");
}

#[test]
fn status_tells_shards_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for k in [1, 2] {
        assert_eq!(output(path, &format!("count 11 --engine backtrack --shard {k}/6 --out r/{k}")).0, Some(0));
    }
    let whole = store::read(&path.join("r/2")).unwrap();
    let units = whole.fingerprint().units;
    let begun = |k: u32, name: &str| {
        let mut ledger = Ledger::new(whole.fingerprint().clone(), Shard::new(k, 6).unwrap());
        ledger.record(k as usize - 1, 1.into()).unwrap();
        ledger.begin_run(Some("a processor".to_owned()));
        let run = ledger.current_run().unwrap();
        (run.elapsed, run.double_checked, run.differed) = (Duration::from_secs(2), Some(5), Some(u64::from(k == 4)));
        let mut store = Store::open(path.join(name)).unwrap();
        store.save(&ledger).unwrap();
        store
    };
    fs::create_dir(path.join("c")).unwrap();
    drop(begun(3, "c/3"));
    let held = begun(4, "c/4");
    // Without a save, and told by its name.
    let unsaved = Store::open(path.join("r/5")).unwrap();
    fs::write(path.join("r/6"), "queens ledger 1\n").unwrap();
    let status = |line: &str| -> serde_json::Value {
        let (code, out, err) = output(path, &format!("status --json {line}"));
        assert_eq!((code, err.as_str()), (Some(0), ""));
        serde_json::from_str(&out).unwrap()
    };
    let json = status(".");
    let count = &json["counts"][0];
    let lists = ["complete", "running", "stopped", "missing"].map(|name| count[name].to_string());
    assert_eq!(lists, ["[1,2]", "[4,5]", "[3]", "[6]"], "{json}");
    let done = (1..=2).map(|k| Shard::new(k, 6).unwrap().units(units).len()).sum::<usize>() + 2;
    assert_eq!((&count["units"], &count["units_done"]), (&units.into(), &done.into()));
    assert_eq!((&json["damaged"][0]["file"], json["counts"].as_array().unwrap().len()), (&"./r/6".into(), 1));
    // As long as so far for each unit, by the two that are running.
    let (seconds, left) = (count["seconds"].as_f64().unwrap(), count["left"].as_f64().unwrap());
    let expected = seconds / done as f64 * (units - done) as f64 / 2.0;
    assert!(seconds >= 4.0 && (left - expected).abs() < 1e-6 * expected, "{left} {expected}");
    let text = output(path, "status .").1;
    for line in [
        "complete  2: 1-2\n", "running   2: 4-5\n", "stopped   1: 3\n", "missing   1: 6\n", " with 2 running\n",
        "damaged  ./r/6: cut short",
    ] {
        assert!(text.contains(line), "{text}");
    }
    // The record of the runs.
    let count = &status(".")["counts"][0];
    assert_eq!((&count["double_checked_tasks"], &count["differed"]), (&10.into(), &1.into()), "{count}");
    let program = concat!("queens ", env!("CARGO_PKG_VERSION"));
    assert_eq!((&count["programs"], &count["count"]), (&serde_json::json!([program]), &serde_json::Value::Null));
    let machines: Vec<&str> = count["machines"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let host = machines.iter().find_map(|name| name.strip_suffix(" (a processor)")).unwrap();
    assert!(machines.len() == 2 && machines.iter().all(|name| name.starts_with(host)), "{count}");
    let of = |file: &str| count["files"].as_array().unwrap().iter().find(|of| of["file"] == file).unwrap();
    let run = &of("./c/4")["runs"][0];
    assert_eq!((&run["seconds"], &run["differed"], &run["host"]), (&2.0.into(), &1.into(), &host.into()));
    assert_eq!(of("./r/1")["runs"][0]["double_checked_tasks"], 0);
    let text = output(path, "status .").1;
    for line in ["checked   10 tasks counted twice, 1 DIFFERED\n", "plan      rows/1 N=11 ", " (a processor)\n"] {
        assert!(text.contains(line), "{text}");
    }
    // One file: of a single unit nobody can tell how long the others take.
    let text = output(path, "status c/4").1;
    assert!(text.contains("\nstate     running, saved ") && text.contains("\nleft      not known yet\n"), "{text}");
    drop((held, unsaved));
    assert!(output(path, "status c/4").1.contains("state     stopped, saved "));
    // As a run leaves it that is killed.
    fs::write(path.join("r/.5.lock"), "").unwrap();
    assert_eq!(status(".")["counts"][0]["running"].to_string(), "[]");
    assert_eq!(status(".")["unsaved"], serde_json::json!([]));
    assert_eq!(status(".")["counts"][0]["left"], serde_json::Value::Null, "nothing is running");
    // Another count in the same folder is told apart; what is no ledger is not there.
    assert_eq!(output(path, "count 8 --checkpoint r/eight").0, Some(0));
    fs::write(path.join("r/notes"), "not a ledger\n").unwrap();
    assert_eq!(status("r")["counts"].as_array().unwrap().len(), 2);
    assert!(output(path, "status r").1.contains("state      complete, saved "));
    for (line, reason) in [
        ("status none", "none: there is no such file"),
        ("status r/6", "r/6: cut short: its last line is not a checksum"),
        ("status r/notes", "r/notes: not a ledger of queens"),
    ] {
        assert_eq!(output(path, line), (Some(1), String::new(), format!("error: {reason}\n")));
    }
    fs::create_dir(path.join("empty")).unwrap();
    assert_eq!(output(path, "status empty").2, "error: empty: neither a checkpoint nor a shard\n");
    assert_eq!(output(path, "status").0, Some(2));
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

/// A file with a checksum that is right, as anybody can make one.
fn sealed(body: &str) -> String {
    use sha2::Digest;
    use std::fmt::Write;
    let mut text = format!("{body}sha256 ");
    for byte in sha2::Sha256::digest(body) {
        write!(text, "{byte:02x}").unwrap();
    }
    text + "\n"
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
