//! Counts that come out wrong: whatever was asked for, the program says so and ends with exit code 3.

#![cfg(feature = "cli")]

use crate::common::{forged, output};

/// A checkpoint whose tallies are changed stands for an engine that is wrong: nothing but the published term tells.
#[test]
fn a_wrong_total_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (index, (line, more, sequence)) in [
        ("count 11", 8, "A000170"),
        ("count 11 --engine join", 8, "A000170"),
        ("count 11 --unique", 8, "A002562"),
        ("count 16 --symmetry half", 2, "A032522"),
        ("count 24 --symmetry quarter", 64, "A033148"),
    ]
    .into_iter()
    .enumerate()
    {
        let [right, wrong] = ["right", "wrong"].map(|name| format!("{name}-{index}"));
        assert_eq!(output(path, &format!("{line} --checkpoint {right}")).0, Some(0), "{line}");
        forged(path, &right, &wrong, |unit, tally| if unit == 0 { tally + more } else { tally });
        for (options, lines) in [("", 0), ("-q", 0), ("--json", 1)] {
            let line = format!("{line} --checkpoint {wrong} --resume {options}");
            let (code, out, err) = output(path, &line);
            assert_eq!((code, out.lines().count()), (Some(3), lines), "{line}: {out}{err}");
            assert!(
                err.starts_with("error: found ") && err.contains(&format!("OEIS {sequence} has ")),
                "{line}: {err}"
            );
            assert!(out.is_empty() || out.contains("\"agrees\":false"), "{out}");
        }
    }
}

/// One too many, which no sum of orbits can be.
#[test]
fn a_total_that_symmetry_forbids_has_no_classes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 11 --checkpoint right").0, Some(0));
    forged(path, "right", "wrong", |unit, tally| if unit == 0 { tally + 1 } else { tally });
    for options in ["", "-q", "--json"] {
        let (code, out, err) = output(path, &format!("count 11 --unique --checkpoint wrong --resume {options}"));
        assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
        assert!(err.contains("no whole number of symmetry classes"), "{err}");
    }
}
