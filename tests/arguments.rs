//! Public functions with extreme arguments return a value or an error, but never panic, overflow or return a wrong result.

use std::path::Path;
use std::time::Duration;

use queens::audit::Audit;
use queens::estimate::Estimator;
use queens::ledger::{self, Ledger, LedgerFile, Shard};
use queens::symmetric::{SymmetricRequest, orbits};
use queens::{
    AtomicFile, CountError, EngineKind, Interval, Isa, Method, Placement, Request, Rotation, Size, Solutions, Square,
    Watch, oeis,
};

use crate::common::size;

const FARTHEST: Square = Square { column: usize::MAX, row: usize::MAX };

fn counted(n: usize, shard: &str) -> Ledger {
    let mut run = Request::solutions(size(n)).shard(shard.parse().unwrap()).unwrap();
    run.count(&Watch::default()).unwrap();
    run.ledger().clone()
}

#[test]
fn extreme_values_are_right_or_refused() {
    assert!([33, 256 + 8, usize::MAX].iter().all(|&n| Size::new(n).is_err() && queens::count(n).is_err()));
    let last = Shard::new(Shard::MAX, Shard::MAX).unwrap();
    assert_eq!((last.units(0).len(), last.units(usize::MAX).len()), (0, usize::MAX / 1_000_000));
    assert!(!last.contains(usize::MAX) && !last.is_whole());
    for rows in [&[0][..], &[usize::MAX], &[1; 40]] {
        assert!((0..=32).all(|n| Placement::new(size(n), rows).is_err()), "{rows:?}");
    }
    let long = "9".repeat(10_000);
    assert!(["", ",", "-1,-1", "0,1", "33,1", &long, &format!("{long},1")].iter().all(|text| {
        Placement::parse(text, size(32)).is_err()
            && text.parse().map_or(true, |square: Square| square.check(size(32)).is_err())
    }));
    assert!(FARTHEST.check_apart(Square { column: 0, row: 0 }).is_err(), "a distant square on the diagonal");
    let thirty_two =
        Placement::parse(&(1..=16).map(|row| (2 * row).to_string()).collect::<Vec<_>>().join(","), size(32));
    assert_eq!(Solutions::having(size(8), [FARTHEST]).count(), 0);
    assert_eq!(Solutions::new(size(8)).starting_at(thirty_two.unwrap()).count(), 92 - 4 - 1);
    let complete = Solutions::new(size(9)).next().unwrap();
    assert!([0, 1, 5].iter().all(|&n| Solutions::new(size(n)).starting_at(complete).count() <= 10));
    assert_eq!((oeis::QUEENS.term(usize::MAX), oeis::UNIQUE.term(0)), (None, None));
    for times in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        let factor = Interval::exactly(2.0).times(times).factor();
        assert!(factor.is_nan() || factor >= 1.0, "{times}: {factor}");
    }
    let most = [u128::MAX; 2];
    assert!([most, [0, u128::MAX], [4, 2], [8, 0], [0, 0]].iter().all(|&turns| orbits(size(8), 92, turns).is_none()));
    assert_eq!([orbits(size(8), 13, [5, 1]), orbits(size(1), u128::MAX, most)], [None, None]);
}

#[test]
fn extreme_requests_are_right_or_refused() {
    let (eight, watch) = (Request::solutions(size(8)), Watch::default());
    assert_eq!(eight.threads(usize::MAX).count().unwrap().count, 92);
    let missing = Isa::ALL.into_iter().find(|isa| !isa.is_available()).unwrap();
    for kind in [EngineKind::Join, EngineKind::Backtrack, EngineKind::Naive] {
        let method = |n| Method::choose(Some(kind), Some(missing), &Placement::empty(size(n)));
        assert!((0..=32).all(|n| method(n).is_err()), "a method without its instruction set");
    }
    assert!([0, 3, 4, 29, 32].iter().all(|&n| Request::solutions(size(n)).engine(EngineKind::Join).method().is_err()));
    assert_eq!(eight.method().unwrap().memory(size(8), usize::MAX), Some(u64::MAX));
    let join = Method::choose(Some(EngineKind::Join), None, &Placement::empty(size(28))).unwrap();
    assert!([0, 4, 29, 32].iter().all(|&n| join.memory(size(n), 1).is_none()), "the join cannot count this board");
    for rotation in Rotation::ALL {
        assert!([rotation.sizes().end() + 1, usize::MAX].iter().all(|&n| SymmetricRequest::new(rotation, n).is_err()));
        assert!(SymmetricRequest::new(rotation, 8).unwrap().isa(missing).count(&watch).is_err());
    }
    let estimate = Estimator::new(eight).time(Duration::MAX).seed(u64::MAX).estimate(&watch).unwrap();
    assert_eq!(estimate.counted, Some(92));
    assert!(Estimator::new(Request::solutions(size(32))).time(Duration::ZERO).estimate(&watch).is_ok());
}

#[test]
fn ledgers_and_audits_report_only_finished_work() {
    let (shard, whole, watch) = (counted(9, "1/3"), counted(9, "1/1"), Watch::default());
    assert_eq!((shard.total(), shard.subtotal(), whole.total()), (None, Some(136), Some(352)));
    assert!([0, Shard::MAX + 1, u32::MAX].iter().all(|&of| whole.unfinished_shards(of).is_err()));
    assert_eq!(whole.unfinished_shards(Shard::MAX), Ok(vec![]));
    let audit =
        |share| Audit::of(&whole, u64::MAX).share(share).max_time(Duration::MAX).recount(&watch, &mut |_| ()).unwrap();
    let findings = audit(f64::NAN);
    assert_eq!((findings.units.len(), audit(f64::MIN_POSITIVE).units.len()), (whole.finished(), 1));
    assert!((findings.chance_to_find(usize::MAX) - 1.0).abs() < 1e-12 && findings.chance_to_find(0) < 1e-12);
    Audit::of(&whole, 1).max_time(Duration::from_nanos(1)).recount(&watch, &mut |_| ()).unwrap();
    assert_eq!((watch.progress().share, watch.progress().done), (1.0, 1), "the progress after the time limit");
    for path in ["", "/", "..", "a\0b"].map(Path::new) {
        assert!(LedgerFile::open(path).is_err() && AtomicFile::new(path).is_err() && ledger::read(path).is_err());
    }
    watch.stop();
    assert!(matches!(Request::solutions(size(8)).run().unwrap().count(&watch), Err(CountError::Stopped)));
}
