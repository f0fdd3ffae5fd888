//! `queens audit`, as somebody uses it who trusts neither the file nor the program.

#![cfg(feature = "cli")]

use std::fs;
use std::path::Path;

use crate::common::{forged, output, queens, tallies};
use queens::Shard;
use queens::ledger::store::{self, Store};
use queens::ledger::{Fingerprint, Ledger};
use serde_json::Value;

fn json(folder: &Path, line: &str, code: i32) -> Value {
    let (found, out, err) = output(folder, line);
    assert_eq!(found, Some(code), "{line}: {err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn results_shards_and_checkpoints_are_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 14 --checkpoint whole").0, Some(0));
    let (code, out, err) = output(path, "audit whole --units 20 --tasks 2");
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("20 recounted by join"), "{out}");
    assert!(out.contains("recounted by the auditor: no difference"), "{out}");

    for k in [1, 2] {
        assert_eq!(output(path, &format!("count 13 --engine join --shard {k}/3 --out s{k}")).0, Some(0));
    }
    let all = json(path, "audit s1 s2 --units 1000000 --tasks 1000000 --json", 0);
    let sum: u128 = ["s1", "s2"].iter().flat_map(|file| tallies(&path.join(file))).map(|unit| unit.1).sum();
    let sum = Value::from(sum.to_string());
    assert_eq!([&all["solutions"], &all["recounted"], &all["audited"]], [&sum; 3], "every task by independent code");
    assert_eq!((&all["command"], &all["agrees"]), (&"audit".into(), &true.into()));

    // A checkpoint: some units are finished, others are not.
    let whole = store::read(&path.join("whole")).unwrap();
    let mut part = Ledger::new(whole.fingerprint().clone(), Shard::WHOLE);
    for (unit, tally) in whole.tallies().filter(|(unit, _)| unit % 3 == 1) {
        part.record(unit, tally).unwrap();
    }
    Store::open(path.join("c")).unwrap().save(&part).unwrap();
    let some = json(path, "audit c --units 5 --json", 0);
    let drawn = some["drawn"].as_array().unwrap();
    assert!(drawn.len() == 5 && drawn.iter().all(|found| found["unit"].as_u64().unwrap() % 3 == 1), "{some}");
    assert_eq!([&some["audited_tasks"], &some["finished"]], [&Value::from(5), &part.finished().into()]);

    for engine in ["backtrack", "naive"] {
        assert_eq!(output(path, &format!("count 9 --engine {engine} --checkpoint {engine}")).0, Some(0));
        let all = json(path, &format!("audit {engine} --units 1000 --json"), 0);
        assert_eq!([&all["engine"], &all["audited"]], [engine, "352"]);
    }
}

/// One tally changed, the checksum made right again: seen whenever the unit is drawn, and named. Part of a ledger has no
/// sum to be known by.
#[test]
fn a_forged_tally_is_named_when_its_unit_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 13 --engine join --shard 1/2 --out half").0, Some(0));
    let (unit, tally) = tallies(&path.join("half"))[7];
    forged(path, "half", "other", |at, tally| if at == unit { tally + 8 } else { tally });
    let (code, _, err) = output(path, "audit other --units 1000000");
    let reason = format!("error: other: unit {unit} has {}, but the engine finds {tally}\n", tally + 8);
    assert_eq!((code, err), (Some(3), reason));
    let units = tallies(&path.join("half")).len() as u64;
    let (mut drawn, rounds) = (0, 12);
    for seed in 0..rounds {
        let line = format!("audit other --units {} --tasks 0 --seed {seed} --json", units / 2);
        let (code, out, _) = output(path, &line);
        let json: Value = serde_json::from_str(&out).unwrap();
        let is_drawn = json["drawn"].as_array().unwrap().iter().any(|found| found["unit"] == unit);
        assert_eq!(code, Some(if is_drawn { 3 } else { 0 }));
        assert_eq!(json["agrees"], !is_drawn);
        drawn += u64::from(is_drawn);
    }
    assert!(0 < drawn && drawn < rounds, "half of the units are drawn, this one {drawn} times of {rounds}");
}

/// Where OEIS has nothing to compare with, the remainder catches most changes. N = 28 and more can't be counted here,
/// so all tallies are made up.
#[test]
fn a_total_that_nobody_knows_is_checked_by_its_remainder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (code, ..) = output(path, "count 30 --engine naive --checkpoint c --max-time 1ms");
    assert_eq!(code, Some(75));
    let fingerprint: Fingerprint = store::read(&path.join("c")).unwrap().fingerprint().clone();
    let merged = |first: u128| {
        let mut ledger = Ledger::new(fingerprint.clone(), Shard::WHOLE);
        for unit in 0..fingerprint.units {
            ledger.record(unit, (if unit == 0 { first } else { 1000 }).into()).unwrap();
        }
        Store::open(path.join("all")).unwrap().save(&ledger).unwrap();
        output(path, "merge all")
    };
    // No quarter turn leaves a solution of a 30×30 board unchanged, so the number of solutions is a multiple of four.
    let passed: Vec<u128> = (0..8).filter(|&first| merged(first).0 == Some(0)).collect();
    assert_eq!(passed, [0, 4]);
    let (_, out, err) = merged(0);
    assert_eq!(out, format!("{}\n", 1000 * (fingerprint.units - 1)));
    assert_eq!(err, "agrees modulo 4 with the symmetric solutions; OEIS has no such term\n");
    let (code, out, err) = merged(3);
    assert_eq!((code, out.as_str()), (Some(3), ""));
    assert!(err.contains("leaves 3 modulo 4, but the symmetric solutions demand 0"), "{err}");
}

#[test]
fn an_audit_that_compares_nothing_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 20 --engine naive --checkpoint empty --max-time 1ms").0, Some(75));
    let refused = |line: &str, code: i32, reason: &str| {
        let (found, _, err) = output(path, line);
        assert_eq!((found, err), (Some(code), format!("error: {reason}\n")), "{line}");
    };
    refused("audit empty", 1, "nothing was compared: no task is finished");
    assert_eq!(output(path, "count 13 --engine join --checkpoint whole").0, Some(0));
    refused("audit whole --max-time 1ns", 1, "nothing was compared: no unit was recounted within 1 ns");
    refused("audit gone", 1, "gone: there is no such file");
    fs::write(path.join("text"), "hello\n").unwrap();
    refused("audit text", 1, "text: not a ledger of queens");
    assert_eq!(output(path, "count 12 --checkpoint twelve").0, Some(0));
    refused("audit whole twelve", 1, "twelve: it is for N = 12, not 13");
    let mut old = store::read(&path.join("whole")).unwrap().fingerprint().clone();
    let plan = std::mem::replace(&mut old.plan, "halves/0 N=13".to_owned());
    let mut ledger = Ledger::new(old, Shard::WHOLE);
    ledger.record(0, 1.into()).unwrap();
    Store::open(path.join("old")).unwrap().save(&ledger).unwrap();
    refused("audit old", 1, &format!("old: it is for the plan halves/0 N=13, not {plan}"));
    forged(path, "whole", "other", |unit, tally| tally + u128::from(unit == 3));
    let (code, _, err) = output(path, "audit whole other");
    assert_eq!(code, Some(3));
    assert!(err.starts_with("error: other: unit 3 has two tallies, "), "{err}");
    for line in ["audit", "audit whole --units 0", "audit whole --max-time 5", "audit whole --tasks -1"] {
        assert_eq!(output(path, line).0, Some(2), "{line}");
    }
}

/// What a turn leaves unchanged, by an auditor that places queens with their images.
#[test]
fn counts_of_what_a_turn_leaves_unchanged_are_audited() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (rotation, n) in [("half", 18), ("quarter", 33)] {
        let (whole, other) = (format!("{rotation}-whole"), format!("{rotation}-other"));
        let counted = output(path, &format!("count {n} --symmetry {rotation} --checkpoint {whole} -q"));
        let all = json(path, &format!("audit {whole} --units 1000000 --tasks 1000000 --json"), 0);
        let same = ["solutions", "recounted", "audited"].map(|field| all[field].as_str().unwrap());
        assert_eq!(same, [counted.1.trim(); 3]);
        let about = ["engine", "symmetry"].map(|field| all[field].as_str().unwrap());
        assert_eq!((about, &all["n"]), (["cover", rotation], &n.into()));
        let (_, out, _) = output(path, &format!("audit {whole}"));
        assert!(out.contains(&format!("unchanged by  a {rotation} turn\n")), "{out}");

        let (unit, tally) = tallies(&path.join(&whole))[4];
        forged(path, &whole, &other, |at, tally| if at == unit { tally + 8 } else { tally });
        let (code, _, err) = output(path, &format!("audit {other}"));
        let reason = format!("error: {other}: unit {unit} has {}, but the engine finds {tally}\n", tally + 8);
        assert_eq!((code, err), (Some(3), reason));
    }
}

/// A complete ledger is held against what is known of its sum, even where no wrong unit is drawn.
#[test]
fn a_wrong_sum_is_seen_whatever_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (count, published) in [("count 13 --engine join", "A000170"), ("count 20 --symmetry half", "A032522")] {
        assert_eq!(output(path, &format!("{count} --checkpoint whole --resume")).0, Some(0));
        let right = json(path, "audit whole --units 1 --json", 0);
        assert_eq!(right["oeis"], serde_json::json!({"sequence": published, "agrees": true}));
        let (_, out, _) = output(path, "audit whole --units 1");
        assert!(out.contains(&format!("agrees with OEIS {published}\n")), "{out}");
        let drawn = right["drawn"][0]["unit"].as_u64().unwrap() as usize;
        forged(path, "whole", "other", |at, tally| tally + u128::from(at == (drawn + 1) % 5) * 8);
        let line = format!("audit other --units 1 --seed {}", right["seed"].as_str().unwrap());
        let wrong = json(path, &format!("{line} --json"), 3);
        assert_eq!((&wrong["oeis"]["agrees"], &wrong["agrees"]), (&false.into(), &false.into()));
        let (code, out, err) = output(path, &line);
        assert_eq!(code, Some(3));
        assert!(out.contains("no difference") && !out.contains("agrees with"), "{out}");
        assert!(err.starts_with("error: found ") && err.contains(&format!("but OEIS {published} has ")), "{err}");
        fs::remove_file(path.join("whole")).unwrap();
        fs::remove_file(path.join("other")).unwrap();
    }
    // Part of a ledger is compared with nothing.
    assert_eq!(output(path, "count 13 --engine join --shard 1/2 --out half").0, Some(0));
    assert_eq!(json(path, "audit half --units 1 --json", 0)["oeis"], Value::Null);
    // Nobody has published N = 30, but the remainder is known.
    assert_eq!(output(path, "count 30 --engine naive --checkpoint c --max-time 1ms").0, Some(75));
    let fingerprint: Fingerprint = store::read(&path.join("c")).unwrap().fingerprint().clone();
    let mut ledger = Ledger::new(fingerprint.clone(), Shard::WHOLE);
    for unit in 0..fingerprint.units {
        ledger.record(unit, u128::from(unit == 0).into()).unwrap();
    }
    Store::open(path.join("all")).unwrap().save(&ledger).unwrap();
    let (code, _, err) = output(path, "audit all --max-time 1ns");
    assert_eq!(code, Some(3));
    assert!(err.contains("leaves 1 modulo 4, but the symmetric solutions demand 0"), "{err}");
}

/// Folders stand for the ledgers in them, whatever else is there; a damaged one is an error that keeps nobody
/// from auditing the others.
#[test]
fn folders_stand_for_their_ledgers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("r")).unwrap();
    for k in [1, 2] {
        assert_eq!(output(path, &format!("count 12 --shard {k}/2 --out r/{k}")).0, Some(0));
    }
    fs::write(path.join("r/log"), "hello\n").unwrap();
    let all = json(path, "audit r --units 1000000 --json", 0);
    assert_eq!([&all["recounted"], &all["oeis"]["agrees"]], [&Value::from("14200"), &true.into()]);
    fs::remove_file(path.join("r/log")).unwrap();
    fs::create_dir(path.join("empty")).unwrap();
    let none = "error: empty: neither a checkpoint nor a shard\n";
    assert_eq!(output(path, "audit empty"), (Some(1), String::new(), none.to_owned()));
    forged(path, "r/2", "r/3", |unit, tally| tally + u128::from(unit % 2 == 1));
    let (code, _, err) = output(path, "audit r");
    assert!(code == Some(3) && err.starts_with("error: r/3: unit 1 has two tallies, "), "{err}");
    let text = fs::read_to_string(path.join("r/2")).unwrap();
    fs::write(path.join("r/3"), &text[..text.len() / 2]).unwrap();
    // The others are audited.
    let told = "error: r/3: cut short: its last line is not a checksum; it is not audited\n";
    let (code, out, err) = output(path, "audit r --units 1000000");
    assert!(code == Some(1) && err == told && out.contains(" recounted by "), "{out}{err}");
    assert_eq!(json(path, "audit r --units 2 --json", 1)["damaged"], serde_json::json!(["r/3"]));
    assert_eq!(output(path, "audit r/3"), (Some(1), String::new(), told.to_owned()));
    // A difference is worse.
    forged(path, "r/2", "r/2", |unit, tally| tally + u128::from(unit % 2 == 1));
    let (code, _, err) = output(path, "audit r --units 1000000");
    assert!(code == Some(3) && err.starts_with(told), "{err}");
}

/// Without the auditor, nothing is said of what it finds.
#[test]
fn no_tasks_are_no_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 12 --engine join --checkpoint whole").0, Some(0));
    let (code, out, err) = output(path, "audit whole --tasks 0");
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(!out.contains("auditor") && !out.contains("independent"), "{out}");
    assert_eq!(out.matches("no difference").count(), 1, "{out}");
    // In no time nothing is recounted, and there is no difference to report.
    let (code, out, _) = output(path, "audit whole --tasks 0 --max-time 1ns");
    assert!(code == Some(1) && out.contains("0 recounted by join") && !out.contains("no difference"), "{out}");
}

/// An audit that a signal ends prints and writes what it has recounted by then.
#[test]
#[cfg(unix)]
fn an_audit_that_is_stopped_tells_what_it_has() {
    use crate::common::runs::{end, first_line_of, signal};
    use crate::common::texts;
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // Made up: units of which each takes a moment, and all of them an hour.
    output(path, "count 60 --symmetry quarter --checkpoint c --max-time 1ms");
    let fingerprint: Fingerprint = store::read(&path.join("c")).unwrap().fingerprint().clone();
    let mut ledger = Ledger::new(fingerprint.clone(), Shard::WHOLE);
    for unit in 0..fingerprint.units {
        ledger.record(unit, 1.into()).unwrap();
    }
    Store::open(path.join("all")).unwrap().save(&ledger).unwrap();
    let line = "audit all --units 1000000 --max-time 9h --tasks 0 --threads 1 --json=o.json --progress json";
    let mut child = queens(path, line).spawn().unwrap();
    // The share of the time is far less than that of a unit.
    let share = |line: &str| serde_json::from_str::<Value>(line).unwrap()["share"].as_f64();
    first_line_of(&mut child, |line| share(line).is_some_and(|share| share * fingerprint.units as f64 > 0.9));
    signal(&child, Signal::INT);
    let ended = end(child);
    let (_, out, err) = texts(&ended);
    assert_eq!(ended.status.signal(), Some(2), "{err}");
    assert!(out.contains(" recounted by cover") && err.contains("\"event\":\"stopped\""), "{out}{err}");
    let saved: Value = serde_json::from_str(&fs::read_to_string(path.join("o.json")).unwrap()).unwrap();
    let drawn = saved["drawn"].as_array().unwrap().len();
    assert!((1..fingerprint.units).contains(&drawn), "{drawn} of {} units", fingerprint.units);
    assert!(err.contains("has 1, but the engine finds "), "{err}");
    let child = queens(path, "audit all --threads 1").spawn().unwrap();
    crate::common::runs::thread_named("audit", &child);
    signal(&child, Signal::TERM);
    assert_eq!(end(child).status.signal(), Some(15));
}

/// Nobody can forge a ledger so that the next audit misses it: which units it draws is known to nobody before.
#[test]
fn each_audit_draws_other_units() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 13 --engine join --checkpoint whole").0, Some(0));
    let drawn = |json: &Value| {
        let units = json["drawn"].as_array().unwrap();
        units.iter().map(|found| found["unit"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let audits: Vec<Value> = (0..3).map(|_| json(path, "audit whole --units 8 --json", 0)).collect();
    assert!(audits[0]["seed"] != audits[1]["seed"] && audits[1]["seed"] != audits[2]["seed"]);
    assert!(drawn(&audits[0]) != drawn(&audits[1]) && drawn(&audits[1]) != drawn(&audits[2]));
    let again = json(path, &format!("audit whole --units 8 --seed {} --json", audits[0]["seed"].as_str().unwrap()), 0);
    assert_eq!(again["drawn"], audits[0]["drawn"]);
    // As printed.
    let (_, out, _) = output(path, "audit whole --units 8 --seed 7");
    assert!(out.contains("7; the same units again: --seed 7 --units 8\n"), "{out}");
    // Without a number: all that there is time for.
    let all = json(path, "audit whole --tasks 0 --json", 0);
    assert_eq!(drawn(&all).len() as u64, all["finished"].as_u64().unwrap());
    let chances: Vec<f64> =
        audits[0]["chances"].as_array().unwrap().iter().map(|of| of["chance"].as_f64().unwrap()).collect();
    let units = all["finished"].as_f64().unwrap();
    assert!((chances[0] - 8.0 / units).abs() < 1e-9 && chances.is_sorted(), "{chances:?}");
    assert!(all["chances"].as_array().unwrap().iter().all(|of| of["chance"] == 1.0), "{all}");
}

/// A reader of stdout that goes away takes no verdict with it.
#[test]
#[cfg(unix)]
fn a_difference_is_told_though_nobody_reads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 12 --checkpoint whole").0, Some(0));
    forged(path, "whole", "other", |at, tally| tally + u128::from(at == 3));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = queens(path, "audit other").stdout(writer).status().unwrap();
    assert_eq!(status.code(), Some(3));
}

/// Forged ledgers are found as often as chance says, with default options and with few units: a table of a hundred audits
/// of each. All have the right sum but the first, whose one wrong unit also shows in the sum.
///
/// Some minutes: `cargo test audit:: -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes; a small version of it is among the unit tests"]
fn forged_ledgers_are_found_as_often_as_is_told() {
    const AUDITS: usize = 100;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 12 --engine join --checkpoint whole").0, Some(0));
    let mut units = tallies(&path.join("whole"));
    let finished = units.len();
    units.sort_by_key(|unit| std::cmp::Reverse(unit.1));
    println!("N = 12, {finished} units; of {AUDITS} audits");
    println!("wrong units  options     units drawn  found  expected");
    for wrong in [1, finished.div_ceil(100), finished.div_ceil(10), finished * 95 / 100] {
        let wrong_ones: Vec<usize> = units.iter().take(wrong).map(|unit| unit.0).collect();
        forged(path, "whole", "other", |unit, tally| match wrong_ones.iter().position(|&wrong| wrong == unit) {
            Some(0) if wrong % 2 == 1 && wrong > 1 => tally - 2,
            Some(place) if place < wrong / 2 => tally - 1,
            Some(_) => tally + 1,
            None => tally,
        });
        for options in ["", "--units 16"] {
            let (mut found, mut expected, mut deviation, mut drawn) = (0, 0.0, 0.0, 0);
            for _ in 0..AUDITS {
                let (code, out, err) = output(path, &format!("audit other {options} --json"));
                let json: Value = serde_json::from_str(&out).unwrap();
                let is_wrong = |unit: &Value| unit["tally"] != unit["recounted"];
                let drawn_units = json["drawn"].as_array().unwrap();
                let finds = drawn_units.iter().any(is_wrong);
                // One wrong unit is in the sum too.
                assert_eq!(code, Some(if finds || wrong == 1 { 3 } else { 0 }), "{err}");
                let right = |drawn: usize| (finished - drawn).saturating_sub(wrong) as f64 / (finished - drawn) as f64;
                let chance = 1.0 - (0..drawn_units.len()).map(right).product::<f64>();
                (found, expected) = (found + usize::from(finds), expected + chance);
                (deviation, drawn) = (deviation + chance * (1.0 - chance), drawn + drawn_units.len());
            }
            let name = if options.is_empty() { "(default)" } else { options };
            println!("{wrong:11}  {name:10}  {:11}  {found:5}  {expected:8.1}", drawn / AUDITS);
            let most = 5.0 * f64::sqrt(deviation) + 1e-9;
            assert!((found as f64 - expected).abs() <= most, "{found} found, {expected} expected");
        }
    }
}
