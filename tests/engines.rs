//! Engines against OEIS, each other and the list of solutions: every way to count gives the same number.

use queens::{EngineKind, Isa, Placement, Request, Solutions, oeis};

use crate::common::size;

/// The sizes up to which an engine is tried: seconds in all, on portable code too.
fn largest(engine: EngineKind, isa: Isa) -> usize {
    match (engine, isa) {
        (EngineKind::Naive, _) => 11,
        (_, Isa::Portable) => 13,
        _ => 15,
    }
}

#[test]
fn every_engine_finds_the_published_terms_on_every_instruction_set() {
    let mut sets = Vec::new();
    for engine in EngineKind::ALL {
        for isa in Isa::available() {
            let sizes = engine.sizes().filter(|&n| n <= largest(engine, isa));
            for n in sizes {
                let request = Request::solutions(size(n)).engine(engine).isa(isa).threads(1 + n % 3);
                // The oracle has one version alone.
                let Ok(method) = request.method() else { continue };
                let report = request.count().unwrap();
                assert_eq!(Some(report.count), oeis::QUEENS.term(n), "N = {n} by {engine} on {isa}");
                assert_eq!((method.engine(), method.isa(), report.isa), (engine, isa, isa));
                sets.push((engine, isa));
            }
        }
    }
    sets.dedup();
    // None is left out in silence.
    assert_eq!(sets.len(), 2 * Isa::available().count() + 1, "{sets:?}");
}

#[test]
fn completions_are_the_solutions_that_begin_so() {
    let mut random = fastrand::Rng::with_seed(72);
    for _ in 0..60 {
        let n = random.usize(4..=9);
        let all: Vec<Vec<usize>> = Solutions::new(size(n)).map(|solution| solution.rows().collect()).collect();
        let queens = &random.choice(&all).unwrap()[..random.usize(0..=n)];
        let prefix = Placement::new(size(n), queens).unwrap();
        let expected = all.iter().filter(|rows| rows.starts_with(queens)).count();
        for engine in [EngineKind::Naive, EngineKind::Backtrack] {
            let count = Request::completions(prefix).engine(engine).threads(2).count().unwrap().count;
            assert_eq!(count, expected as u128, "N = {n}, {prefix} by {engine}");
        }
    }
}
