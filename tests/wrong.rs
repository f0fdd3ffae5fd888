//! Wrong kernels, as a broken build or processor would have them: the self-check refuses each of them, before anything
//! is counted or saved, and on whatever core. `scripts/faults kernels` does the same by every instruction set.
//!
//! Only a program with debug assertions has places for faults.
#![cfg(debug_assertions)]

use crate::common::{output, queens, reached, texts, total};

#[test]
fn no_wrong_kernel_counts_anything() {
    let folder = tempfile::tempdir().unwrap();
    let with =
        |fault: &str, line: &str| texts(&queens(folder.path(), line).env("QUEENS_FAULT", fault).output().unwrap());
    // An unknown one names those that there are.
    let (_, _, named) = with("?", "count 16");
    let faults: Vec<&str> = named.split("choose one of ").nth(1).unwrap().lines().next().unwrap().split(' ').collect();
    let can_permute = [queens::Isa::Avx2, queens::Isa::Avx512].contains(&queens::Isa::best());
    let mut refused = 0;
    for fault in faults {
        if fault.starts_with("permuted-") && !can_permute {
            continue;
        }
        let engine = if ["expand", "last-columns"].contains(&fault) { "backtrack" } else { "join" };
        let (code, out, err) = with(fault, &format!("count 18 --engine {engine} --checkpoint {engine}"));
        assert_eq!((code, out.as_str()), (Some(3), ""), "{fault}: {err}");
        assert!(err.contains("self-check failed"), "{fault}: {err}");
        assert_eq!(reached(&folder.path().join(engine)), (0, 0), "{fault}: something was saved");
        refused += 1;
    }
    assert!(refused >= 11, "{refused}");
    assert_eq!(output(folder.path(), "count 14 --engine join -q").1, total(14), "without a fault");
}

/// From the beginning, or from the first check on. What that thread has entered since is taken out of the file, and of a join
/// whose threads share lists all that was counted meanwhile.
#[test]
fn one_wrong_thread_of_four_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(output(folder.path(), "count 14 --engine join --checkpoint whole").0, Some(0));
    let lines = [
        ("pairs", "count 15 --engine join --checkpoint j --checkpoint-every 1ms"),
        ("expand", "count 15 --engine backtrack --checkpoint b --checkpoint-every 1ms"),
        ("sums", "count 24 --symmetry half"),
        ("sums", "count 24 --unique --checkpoint u"),
        ("sums", "audit whole --isa portable --share 100%"),
        ("sums", "estimate 22 --max-time 100ms"),
        ("expand", "estimate 22 --max-time 100ms"),
    ];
    for hour in [None, Some("10")] {
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
    }
    for file in ["j", "b"] {
        assert_eq!(output(folder.path(), &format!("count 15 --checkpoint {file} -q")).1, total(15), "{file}");
    }
}
