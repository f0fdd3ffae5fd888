//! Every engine on every instruction set, compared with OEIS.

use queens::{EngineKind, Isa, Request, oeis};

use crate::common::size;

/// The largest board for an engine: all boards together take seconds, even with portable code.
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
                // The engine `naive` has only portable code.
                let Ok(method) = request.method() else { continue };
                let report = request.count().unwrap();
                assert_eq!(Some(report.count), oeis::QUEENS.term(n), "N = {n} by {engine} on {isa}");
                assert_eq!((method.engine(), method.isa(), report.isa), (engine, isa, isa));
                sets.push((engine, isa));
            }
        }
    }
    sets.dedup();
    // Every other combination was tested.
    assert_eq!(sets.len(), 2 * Isa::available().count() + 1, "{sets:?}");
}
