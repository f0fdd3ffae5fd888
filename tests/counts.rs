//! Every engine against the published terms, against the others, and against itself on other numbers of threads.

use proptest::prelude::*;
use queens::{ENGINES, EngineKind, Isa, Placement, Request, Rotation, RotationalBoard, Size, oeis};

fn count(prefix: Placement, engine: EngineKind, threads: usize) -> u128 {
    Request::completions(prefix).engine(engine).threads(threads).count().unwrap().count
}

fn empty(n: usize) -> Placement {
    Placement::empty(Size::new(n).unwrap())
}

#[test]
fn every_engine_finds_the_published_terms() {
    for engine in ENGINES {
        for n in *engine.sizes.start()..=engine.quick {
            let expected = oeis::QUEENS.term(n).unwrap();
            assert_eq!(count(empty(n), engine.kind, 2), expected, "{} for N = {n}", engine.name);
        }
    }
}

/// Some minutes on two cores: `cargo test counts:: -- --ignored`.
#[test]
#[ignore = "takes minutes; run with --ignored"]
fn the_join_finds_the_published_terms_from_18_to_20() {
    for n in 18..=20 {
        assert_eq!(count(empty(n), EngineKind::Join, 0), oeis::QUEENS.term(n).unwrap(), "N = {n}");
    }
}

/// Each instruction set that the processor has; the others are named, not passed over.
#[test]
fn every_instruction_set_finds_the_published_terms() {
    for isa in Isa::ALL {
        if !isa.is_available() {
            eprintln!("not run: this processor has no {isa}");
            continue;
        }
        for engine in [EngineKind::Join, EngineKind::Backtrack] {
            for n in 5..=14 {
                let report = Request::solutions(Size::new(n).unwrap()).engine(engine).isa(isa).count().unwrap();
                assert_eq!(report.count, oeis::QUEENS.term(n).unwrap(), "{engine} by {isa} for N = {n}");
                assert_eq!(report.isa, isa);
            }
        }
    }
}

#[test]
fn methods_that_do_not_fit_are_errors() {
    let prefix = empty(8).with(1).unwrap();
    for subject in [prefix, empty(4), empty(29)] {
        let error = Request::completions(subject).engine(EngineKind::Join).count().unwrap_err().to_string();
        assert_eq!(error, "the join engine counts whole boards of N = 5 to 28, without fixed queens");
    }
    let naive = Request::solutions(Size::new(8).unwrap()).engine(EngineKind::Naive);
    for isa in [Isa::Avx2, Isa::Avx512f, Isa::Avx512] {
        let error = naive.isa(isa).count().unwrap_err().to_string();
        if isa.is_available() {
            assert_eq!(error, format!("the naive engine runs on any processor and has no {isa} version"));
        } else {
            assert!(error.starts_with(&format!("this processor has no {isa}; it has portable")), "{error}");
        }
    }
    assert_eq!(naive.isa(Isa::Portable).count().unwrap().count, 92);
    let turned = Request::rotational(RotationalBoard::new(Rotation::Half, 8).unwrap());
    let error = turned.engine(EngineKind::Backtrack).count().unwrap_err().to_string();
    assert_eq!(error, "the backtrack engine cannot count this; the cover engine can");
    let error = Request::solutions(Size::new(8).unwrap()).engine(EngineKind::Cover).count().unwrap_err().to_string();
    assert_eq!(error, "the cover engine cannot count this; the backtrack engine can");
}

#[test]
fn auto_finds_the_published_terms() {
    for n in 0..=14 {
        assert_eq!(queens::count(n).unwrap(), oeis::QUEENS.term(n).unwrap(), "N = {n}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for engine in ENGINES {
        for n in [1, 6, 9, 10].into_iter().filter(|n| engine.sizes.contains(n)) {
            let counts = [1, 2, 7].map(|threads| count(empty(n), engine.kind, threads));
            assert_eq!(counts, [oeis::QUEENS.term(n).unwrap(); 3], "{} for N = {n}", engine.name);
        }
    }
}

/// Counts that no published table holds: the first queen's row alone decides, and the rows add up.
#[test]
fn completions_of_each_first_queen_add_up() {
    for n in 1..=10 {
        let parts: Vec<u128> =
            (1..=n).map(|row| count(empty(n).with(row).unwrap(), EngineKind::Backtrack, 1)).collect();
        assert_eq!(parts.iter().sum::<u128>(), oeis::QUEENS.term(n).unwrap());
        assert!(parts.iter().eq(parts.iter().rev()), "upside down is the same: {parts:?}");
    }
}

/// A placement grown from random rows, as far as they fit.
fn placement(n: usize, rows: &[usize]) -> Placement {
    rows.iter().fold(empty(n), |placement, row| placement.with(row % n + 1).unwrap_or(placement))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn engines_agree_on_random_prefixes(
        n in 1usize..=11,
        rows in proptest::collection::vec(0usize..32, 0..6),
        threads in 1usize..=3,
    ) {
        let prefix = placement(n, &rows);
        prop_assert_eq!(
            count(prefix, EngineKind::Backtrack, threads),
            count(prefix, EngineKind::Naive, 1),
            "{:?}", prefix
        );
    }

    /// Boards too large to count, with so many queens set that the rest is quick; N = 32 fills every bit of a row set.
    #[test]
    fn engines_agree_on_large_boards(n in 24usize..=32, seed in proptest::collection::vec(0usize..1000, 400)) {
        let prefix = placement(n, &seed);
        let keep = prefix.len().min(n.saturating_sub(9));
        let rows: Vec<usize> = prefix.rows().take(keep).collect();
        prop_assume!(keep + 10 >= n);
        let prefix = Placement::new(prefix.size(), &rows).unwrap();
        prop_assert_eq!(count(prefix, EngineKind::Backtrack, 2), count(prefix, EngineKind::Naive, 1), "{:?}", prefix);
    }
}
