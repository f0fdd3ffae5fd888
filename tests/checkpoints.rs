//! Which checkpoint a run goes on from, and which it refuses: those of another count, damaged, wrong or in use.

#![cfg(all(unix, feature = "cli"))]

use std::fs;

use crate::common::output;
use crate::common::runs::{AGREES, started, total};
use queens::ledger::store::{self, Store};
use queens::ledger::{Ledger, Partial};
use queens::{Request, Shard, Size};

#[test]
fn a_checkpoint_goes_on_only_where_it_belongs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let base = "count 9 --engine backtrack --checkpoint c";
    assert_eq!(output(path, base).0, Some(0));
    let saved = fs::read(path.join("c")).unwrap();
    let refused = |line: &str, reason: &str| {
        let (code, out, err) = output(path, line);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{line}");
        assert_eq!(err, format!("error: {reason}\n"), "{line}");
        assert_eq!(fs::read(path.join("c")).unwrap(), saved, "left as it was: {line}");
    };
    refused(base, "c: there is a checkpoint already; go on from it with --resume or remove it");
    refused("count 10 --engine backtrack --checkpoint c --resume", "c: it is for N = 9, not 10");
    refused("count 9 --engine naive --checkpoint c --resume", "c: it is for the engine backtrack, not naive");
    refused(
        "count 9 --engine backtrack --prefix 1 --checkpoint c --resume",
        "c: it is for completions of the empty board, not 1",
    );
    refused(
        "count 9 --engine backtrack --shard 1/2 --out o --checkpoint c --resume",
        "c: it is for shard 1/1, not 1/2",
    );
    // Another number of threads is no other count.
    let again = output(path, "count 9 --engine backtrack --checkpoint c --resume --threads 3");
    assert_eq!(again, (Some(0), total(9), AGREES.to_owned()));
    assert_eq!(output(path, &format!("{base} --resume --double-check 100%")).1, total(9));
    assert_eq!(fs::read(path.join("c")).unwrap(), saved, "nothing was left to do");
    // A mistyped name does not pass in silence.
    let (code, out, err) = output(path, "count 9 --checkpoint d --resume");
    assert_eq!((code, out), (Some(0), total(9)));
    assert_eq!(err, format!("d: there is no checkpoint yet; counting from the beginning\n{AGREES}"));

    let bad = |contents: &[u8], reason: &str| {
        fs::write(path.join("bad"), contents).unwrap();
        let (code, _, err) = output(path, "count 9 --engine backtrack --checkpoint bad --resume");
        assert_eq!((code, err), (Some(1), format!("error: bad: {reason}\n")));
        assert_eq!(fs::read(path.join("bad")).unwrap(), contents);
    };
    let mut flipped = saved.clone();
    flipped[saved.len() / 2] ^= 1;
    let advice = "put a copy in its place, or begin anew under another name";
    bad(&flipped, &format!("damaged: the checksum does not match the contents; {advice}"));
    bad(&saved[..saved.len() / 2], &format!("cut short: its last line is not a checksum; {advice}"));
    bad(b"", &format!("cut short: its last line is not a checksum; {advice}"));
    bad(b"a diary\n", "not a ledger of queens, and it is not overwritten; give another name");
    bad(b"queens ledger 2\nn 9\n", "ledger format 2; this program reads format 1");
    let (code, _, err) = output(path, "count 9 --checkpoint . --resume");
    assert_eq!((code, err.as_str()), (Some(1), "error: .: not a regular file\n"));
}

/// Each run has a record in the checkpoint, beside those of the runs before it.
#[test]
fn a_checkpoint_records_its_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let runs = |name: &str| store::read(&path.join(name)).unwrap().runs().to_vec();
    let (_, out, _) = output(path, "count 12 --engine backtrack --threads 1 --double-check 100% --checkpoint c --json");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let whole = runs("c").remove(0);
    assert!(whole.double_checked.is_some_and(|tasks| tasks > 0));
    assert_eq!((json["double_checked_tasks"].as_u64(), Some(0)), (whole.double_checked, whole.differed));
    let processor = json["cpu"].as_str().map(str::to_owned).filter(|name| !name.is_empty());
    assert_eq!(whole.processor, processor);
    assert!(whole.host.is_some() && whole.saved.is_some() && !whole.elapsed.is_zero(), "{whole:?}");
    for (option, number) in [("", 1), ("--resume", 2), ("--resume", 3)] {
        let before = if number > 1 { runs("d") } else { Vec::new() };
        output(
            path,
            &format!("count 20 --engine naive --checkpoint d --checkpoint-every 1ms --max-time 50ms {option}"),
        );
        let after = runs("d");
        assert_eq!((after.len(), &after[..number - 1]), (number, &before[..]));
        assert!(before.iter().all(|run| run.id != after[number - 1].id));
    }
}

#[test]
fn two_runs_do_not_share_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut first = started(path, "count 20 --engine naive --checkpoint c");
    let (code, _, err) = output(path, "count 20 --engine naive --checkpoint c --resume");
    assert_eq!((code, err.as_str()), (Some(1), "error: c: in use by another run\n"));
    first.kill().unwrap();
    first.wait().unwrap();
    // A run that was killed holds no lock.
    let (_, _, err) = output(path, "count 20 --engine naive --checkpoint c --resume --max-time 1ms");
    assert!(err.starts_with("the time is up: saved 0 of "), "{err}");
}

/// Whatever a file says of parts of units: a double check sees what is wrong, and the part is not gone on with again.
#[test]
fn a_wrong_part_is_found_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let request = Request::solutions(Size::new(17).unwrap());
    let mut ledger = Ledger::new(request.fingerprint().unwrap(), Shard::WHOLE);
    ledger.record_partial(5, Partial { tasks: 2, tally: 1_000_000.into() }).unwrap();
    Store::open(path.join("c")).unwrap().save(&ledger).unwrap();
    let line = "count 17 --threads 1 --checkpoint c --resume -q --progress never";
    let (code, out, err) = output(path, &format!("{line} --double-check 100%"));
    assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
    assert!(err.contains("counted twice with different results") && err.contains("unit 5"), "{err}");
    assert_eq!(output(path, line), (Some(0), total(17), String::new()));
    // More tasks than the unit has are none of this plan.
    ledger.record_partial(6, Partial { tasks: 1_000_000, tally: 1.into() }).unwrap();
    Store::open(path.join("c")).unwrap().save(&ledger).unwrap();
    let (code, _, err) = output(path, line);
    assert_eq!(code, Some(1));
    assert!(err.contains("unit 6 has ") && err.contains(" tasks, but 1000000 are recorded as finished"), "{err}");
}
