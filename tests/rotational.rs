//! Counts of what turns leave unchanged, as users run them.

#![cfg(feature = "cli")]

use crate::common::{output, tallies};
use queens::oeis;

#[test]
fn a_range_is_a_b_file() {
    let folder = tempfile::tempdir().unwrap();
    let terms = |sequence: &oeis::Sequence, sizes: std::ops::RangeInclusive<usize>| -> String {
        let lines: Vec<String> = sizes.map(|n| format!("{n} {}\n", sequence.term(n).unwrap())).collect();
        lines.concat()
    };
    for (line, expected) in [
        ("count 4-12", terms(&oeis::QUEENS, 4..=12)),
        ("count 1-12 --unique", terms(&oeis::UNIQUE, 1..=12)),
        ("count 8-22 --symmetry half", terms(&oeis::HALF_TURN, 8..=22)),
        ("count 30-41 --symmetry quarter", terms(&oeis::QUARTER_TURN, 30..=41)),
    ] {
        let (code, out, err) = output(folder.path(), line);
        assert_eq!((code, out), (Some(0), expected), "{line}: {err}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&output(folder.path(), "count 19-20 --symmetry half --json").1).unwrap();
    let terms = json["terms"].as_array().unwrap();
    let terms = terms.iter().map(|term| {
        let found = &term["results"][0];
        (term["n"].as_u64(), found["value"].as_str(), found["agrees"].as_bool())
    });
    assert!(terms.eq([(Some(19), Some("44184"), Some(true)), (Some(20), Some("144620"), Some(true))]), "{json}");
}

#[test]
fn shards_make_the_total() {
    let folder = tempfile::tempdir().unwrap();
    for (n, rotation, sequence) in [(22, "half", &oeis::HALF_TURN), (37, "quarter", &oeis::QUARTER_TURN)] {
        let line = |k: u32| format!("count {n} --symmetry {rotation} --shard {k}/3 --out {rotation}{k}");
        for k in [1, 3] {
            let (code, out, err) = output(folder.path(), &line(k));
            assert_eq!((code, out.as_str()), (Some(0), ""), "{err}");
        }
        let files = format!("merge {rotation}1 {rotation}3");
        assert_eq!(output(folder.path(), &files).0, Some(4), "a shard is missing");
        output(folder.path(), &line(2));
        let expected =
            (Some(0), format!("{}\n", sequence.term(n).unwrap()), format!("agrees with OEIS {}\n", sequence.id));
        assert_eq!(output(folder.path(), &format!("{files} {rotation}2")), expected);
    }
    let (code, _, err) = output(folder.path(), "merge half1 quarter2");
    assert!(code == Some(1) && err.contains("it is for N = 37, not 22"), "{err}");
}

#[test]
fn a_checkpoint_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let line = "count 26 --symmetry half --threads 1 --checkpoint c --resume";
    let (mut stops, mut time) = (0, 1);
    loop {
        let (code, out, err) = output(folder.path(), &format!("{line} --max-time {time}ms"));
        if code == Some(0) {
            assert_eq!(out, format!("{}\n", oeis::HALF_TURN.term(26).unwrap()), "after {stops} stops");
            break;
        }
        // Too short for a task on this machine, a second time.
        assert!(matches!(code, Some(75 | 1)) && out.is_empty(), "{err}");
        stops += usize::from(!tallies(&folder.path().join("c")).is_empty());
        time *= 2;
    }
    assert!(stops > 0, "the count was over before the time was up");
    let (code, _, err) = output(folder.path(), "count 26 --symmetry half --double-check 2%");
    assert_eq!(code, Some(0), "{err}");
    let (code, _, err) = output(folder.path(), "count 26 --checkpoint c --resume");
    assert!(code == Some(1) && err.contains("a count of those unchanged by a half turn"), "{err}");
}

#[test]
fn published_terms_are_verified() {
    let folder = tempfile::tempdir().unwrap();
    for (rotation, to, terms) in [("half", 24, 24), ("quarter", 41, 41)] {
        let (code, out, err) = output(folder.path(), &format!("verify --symmetry {rotation} 0-{to}"));
        assert_eq!((code, out.matches('✓').count()), (Some(0), terms), "{out}{err}");
    }
}

#[test]
fn limits_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for (line, limit) in [
        ("count 33", "32"),
        ("count 30-33", "32"),
        ("count 41 --symmetry half", "unchanged by a half turn are counted for N = 0 to 38"),
        ("count 38-41 --symmetry half", "unchanged by a half turn are counted for N = 0 to 38"),
        ("count 78 --symmetry quarter", "77"),
        ("estimate 41 --symmetry half", "0 to 38"),
        ("count 12-8", "a range begins with the smaller board: 8-12"),
        ("count 20-22 --symmetry half --checkpoint c", "a single N"),
    ] {
        let (code, out, err) = output(folder.path(), line);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{line}");
        assert!(err.contains(limit), "{line}: {err}");
    }
}
