//! `queens audit`, as somebody uses it who trusts neither the file nor the program.

#![cfg(feature = "cli")]

mod common;

use std::fs;
use std::path::Path;

use common::{output, tallies};
use queens::Shard;
use queens::ledger::store::{self, Store};
use queens::ledger::{Fingerprint, Ledger};
use serde_json::Value;

/// The ledger of a file with other tallies, saved under another name with its checksum made right.
fn forged(folder: &Path, from: &str, to: &str, change: impl Fn(usize, u128) -> u128) {
    let ledger = store::read(&folder.join(from)).unwrap();
    let mut forged = Ledger::new(ledger.fingerprint().clone(), ledger.shard());
    for (unit, tally) in ledger.tallies() {
        forged.record(unit, change(unit, tally.get()).into()).unwrap();
    }
    Store::open(folder.join(to)).unwrap().save(&forged).unwrap();
}

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

/// One tally changed, the checksum made right again: seen whenever the unit is drawn, and named.
#[test]
fn a_forged_tally_is_named_when_its_unit_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 13 --engine join --checkpoint whole").0, Some(0));
    let (unit, tally) = tallies(&path.join("whole"))[7];
    forged(path, "whole", "other", |at, tally| if at == unit { tally + 8 } else { tally });
    let (code, _, err) = output(path, "audit other --units 1000000");
    let reason = format!("error: other: unit {unit} has {}, but the engine finds {tally}\n", tally + 8);
    assert_eq!((code, err), (Some(3), reason));
    let units = tallies(&path.join("whole")).len() as u64;
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
    refused("audit empty", 1, "nothing was compared: no unit is finished");
    assert_eq!(output(path, "count 13 --engine join --checkpoint whole").0, Some(0));
    refused("audit whole --max-time 1ns", 1, "nothing was compared: no unit was recounted within 0.00 µs");
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

/// The auditor knows the tasks of other counts; what can be done instead is said.
#[test]
fn what_a_turn_leaves_unchanged_is_not_audited() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(output(folder.path(), "count 16 --symmetry half --checkpoint c -q").0, Some(0));
    let (code, out, err) = output(folder.path(), "audit c");
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("not audited; 'queens count 16 --symmetry half ") && err.contains("--double-check"), "{err}");
    let again = output(folder.path(), "count 16 --symmetry half --checkpoint c --resume --double-check 1% -q");
    assert_eq!(again.0, Some(0), "{again:?}");
}
