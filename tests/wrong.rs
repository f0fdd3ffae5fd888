//! Wrong kernels, as a broken build or processor would have them: the self-check refuses each of them, before anything
//! is counted or saved, on every instruction set and on whatever core.
//!
//! Only a program with debug assertions has places for faults.
#![cfg(debug_assertions)]

use std::fs;

use queens::Isa;

use crate::common::{output, queens, reached, texts, total};

#[test]
fn no_wrong_kernel_counts_anything() {
    let folder = tempfile::tempdir().unwrap();
    let with =
        |fault: &str, line: &str| texts(&queens(folder.path(), line).env("QUEENS_FAULT", fault).output().unwrap());
    // An unknown one names those that there are.
    let (_, _, named) = with("?", "count 12");
    let faults: Vec<&str> = named.split("choose one of ").nth(1).unwrap().lines().next().unwrap().split(' ').collect();
    let cases: Vec<(Isa, &str)> =
        Isa::available().flat_map(|isa| faults.iter().map(move |&fault| (isa, fault))).collect();
    // The others do not permute bytes.
    let is_there =
        |&&(isa, fault): &&(Isa, &str)| !fault.starts_with("permuted-") || [Isa::Avx2, Isa::Avx512].contains(&isa);
    let refused = cases.iter().filter(is_there).map(|&(isa, fault)| {
        let engine = if ["expand", "last-columns"].contains(&fault) { "backtrack" } else { "join" };
        let line = format!("count 12 --engine {engine} --isa {isa} --checkpoint {engine}");
        let (code, out, err) = with(fault, &line);
        assert_eq!((code, out.as_str()), (Some(3), ""), "{fault} on {isa}: {err}");
        assert!(err.contains("self-check failed"), "{fault} on {isa}: {err}");
        assert_eq!(reached(&folder.path().join(engine)), (0, 0), "{fault} on {isa}: something was saved");
        let (code, out, _) = with(fault, &format!("count 12 --symmetry half --isa {isa}"));
        assert!(engine != "join" || (code, out.as_str()) == (Some(3), ""), "{fault} on {isa}, of turns");
    });
    assert!(refused.count() >= 11 * Isa::available().count());
    assert_eq!(output(folder.path(), "count 14 --engine join -q").1, total(14), "without a fault");
}

/// From the beginning, or from the first check on: by that after an hour of some milliseconds, or by the last after a minute.
/// What that thread has entered since is taken out of the file, and of a join whose threads share lists all that was counted
/// meanwhile.
#[test]
fn one_wrong_thread_of_four_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(output(folder.path(), "count 14 --engine join --checkpoint whole").0, Some(0));
    let lines = [
        ("pairs", "count 15 --engine join --checkpoint j --checkpoint-every 1ms"),
        ("expand", "count 15 --engine backtrack --checkpoint b --checkpoint-every 1ms"),
        ("pairs", "count 24 --symmetry half"),
        ("sums", "count 24 --unique --checkpoint u"),
        ("pairs", "audit whole --isa portable --share 100%"),
        ("sums", "estimate 22 --max-time 100ms"),
        ("expand", "estimate 22 --max-time 100ms"),
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
        assert!(!folder.path().join("u").exists(), "turns are counted first");
        assert_eq!(reached(&folder.path().join("b")).0 > 0, hour.is_some());
        fs::remove_file(folder.path().join("b")).unwrap_or_default();
    }
    // A difference may be the core's own, however soon it comes.
    let mut command = queens(folder.path(), "audit whole --isa portable --share 100% -t 4");
    command.env("QUEENS_FAULT", "pairs@1").env("QUEENS_HOUR", "3600000");
    let (code, out, err) = texts(&command.output().unwrap());
    assert!(code == Some(3) && err.contains("self-check failed"), "{code:?} {out}{err}");
    for file in ["j", "b"] {
        assert_eq!(output(folder.path(), &format!("count 15 --checkpoint {file} -q")).1, total(15), "{file}");
    }
}
