//! Wrong kernels, as a broken build or processor would have them: the self-check refuses each of them, before anything is
//! counted or saved. `scripts/faults kernels` does the same by every instruction set.

use crate::common::{output, queens, texts, total};

/// Only a program with debug assertions has places for faults.
#[cfg(debug_assertions)]
#[test]
fn no_wrong_kernel_counts_anything() {
    let folder = tempfile::tempdir().unwrap();
    let with =
        |fault: &str, line: &str| texts(&queens(folder.path(), line).env("QUEENS_FAULT", fault).output().unwrap());
    // An unknown one names those that there are.
    let (_, _, named) = with("?", "count 16");
    let faults: Vec<&str> = named.split("choose one of ").nth(1).unwrap().lines().next().unwrap().split(' ').collect();
    let can_permute = ["avx2", "avx512"].contains(&queens::Isa::best().name());
    let mut refused = 0;
    for fault in faults {
        if fault.starts_with("permuted-") && !can_permute {
            continue;
        }
        let engine = if ["expand", "last-columns"].contains(&fault) { "backtrack" } else { "join" };
        let (code, out, err) = with(fault, &format!("count 18 --engine {engine} --checkpoint c"));
        assert_eq!((code, out.as_str()), (Some(3), ""), "{fault}: {err}");
        assert!(err.contains("self-check failed"), "{fault}: {err}");
        let is_left = std::fs::read_dir(folder.path()).unwrap().count() > 0;
        assert!(!is_left || crate::common::reached(&folder.path().join("c")) == (0, 0), "{fault}: something was saved");
        let _ = std::fs::remove_file(folder.path().join("c"));
        refused += 1;
    }
    assert!(refused >= 11, "{refused}");
    assert_eq!(output(folder.path(), "count 14 --engine join -q").1, total(14), "without a fault");
}
