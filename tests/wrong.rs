//! Wrong kernels, as in a broken build or processor: on every instruction set and core, the self-check finds each fault
//! before any result is printed or saved.
//!
//! Only a program with debug assertions can simulate faults.
#![cfg(debug_assertions)]

use std::fs;

use queens::Isa;

use crate::common::{matches, output, queens, reached, texts, total};

#[test]
fn a_wrong_kernel_counts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let with =
        |fault: &str, line: &str| texts(&queens(folder.path(), line).env("QUEENS_FAULT", fault).output().unwrap());
    // The error for an unknown fault lists the known ones.
    let (_, _, named) = with("?", "count 12");
    let faults: Vec<&str> = named.split("choose one of ").nth(1).unwrap().lines().next().unwrap().split(' ').collect();
    let sets: Vec<Isa> = Isa::available().collect();
    let cases: Vec<(Isa, &str)> = sets.iter().flat_map(|&isa| faults.iter().map(move |&fault| (isa, fault))).collect();
    // Only these instruction sets permute bytes.
    let is_there =
        |&&(isa, fault): &&(Isa, &str)| !fault.starts_with("permuted-") || [Isa::Avx2, Isa::Avx512].contains(&isa);
    let refused = cases.iter().filter(is_there).map(|&(isa, fault)| {
        let engine = if ["expand", "last-columns"].contains(&fault) { "backtrack" } else { "join" };
        let line = format!("count 12 --engine {engine} --isa {isa} --checkpoint {engine}");
        let (code, out, err) = with(fault, &line);
        assert_eq!((code, out.as_str()), (Some(3), ""), "{fault} on {isa}: {err}");
        let expected = "saved 0 of ...; unverified work was discarded\nerror: ...self-check failed...";
        assert!(matches(expected, &err), "{fault} on {isa}: {err}");
        assert_eq!(reached(&folder.path().join(engine)), (0, 0), "{fault} on {isa}: something was saved");
        let turn = ["half", "quarter"][fault.len() % 2];
        let (code, out, _) = with(fault, &format!("count 12 --symmetry {turn} --isa {isa}"));
        assert!(engine != "join" || (code, out.as_str()) == (Some(3), ""), "{fault} on {isa}, with symmetry");
    });
    assert!(refused.count() >= 11 * sets.len());
    // A fault of the join is found by the check of the remainder.
    let mut command = queens(folder.path(), "count 12 --engine backtrack");
    command.env("QUEENS_FAULT", "pairs").env("QUEENS_TERMS", "unpublished");
    let (code, out, err) = texts(&command.output().unwrap());
    assert!((code, &*out) == (Some(3), "") && err.contains("self-check failed"), "{out}{err}");
    assert_eq!(output(folder.path(), "count 14 --engine join -q").1, total(14), "without a fault");
}

/// The thread is wrong from the start, or after the first check. An hourly check, simulated after milliseconds, or the last
/// check finds it, and its results since its previous check are rolled back. In a join whose threads share lists, all
/// results since then are rolled back.
#[test]
fn one_wrong_thread_of_four_is_found() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(output(folder.path(), "count 14 --engine join --checkpoint whole").0, Some(0));
    let lines = [
        ("pairs", "count 15 --engine join --checkpoint j --checkpoint-every 1ms"),
        ("expand", "count 15 --engine backtrack --checkpoint b --checkpoint-every 1ms"),
        ("pairs", "count 24 --symmetry half"),
        ("sums", "count 24 --unique --checkpoint u"),
        ("cut", "audit whole --isa portable --share 100%"),
        ("sums", "estimate 22 --max-time 500ms"),
        ("expand", "estimate 22 --max-time 500ms"),
    ];
    for hour in [None, Some("1200"), Some("10")] {
        for (fault, line) in lines {
            let mut command = queens(folder.path(), &format!("{line} -t 4"));
            command.env("QUEENS_FAULT", format!("{fault}@1")).envs(hour.map(|hour| ("QUEENS_HOUR", hour)));
            let (code, out, err) = texts(&command.output().unwrap());
            assert!(code == Some(3) && err.contains("self-check failed"), "{fault}, {hour:?}, {line}: {code:?} {err}");
            assert!(!out.contains(|c: char| c.is_ascii_digit() && !line.starts_with("estimate")), "{line}: {out}");
        }
        assert_eq!(reached(&folder.path().join("j")), (0, 0), "{hour:?}");
        assert!(!folder.path().join("u").exists(), "the symmetric counts come first");
        assert_eq!(reached(&folder.path().join("b")).0 > 0, hour.is_some());
        fs::remove_file(folder.path().join("b")).unwrap_or_default();
    }
    // A difference in an audit may be the core's fault, so the core is checked even before the hour is over.
    let mut command = queens(folder.path(), "audit whole --isa portable --share 100% -t 4");
    command.env("QUEENS_FAULT", "pairs@1").env("QUEENS_HOUR", "3600000");
    let (code, out, err) = texts(&command.output().unwrap());
    assert!(code == Some(3) && err.contains("self-check failed"), "{code:?} {out}{err}");
    for file in ["j", "b"] {
        assert_eq!(output(folder.path(), &format!("count 15 --checkpoint {file} -q")).1, total(15), "{file}");
    }
}
