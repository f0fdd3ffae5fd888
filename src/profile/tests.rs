//! Profiles compared with the published triangle; engines that are wrong on purpose; ledgers and shards.

use super::*;
use crate::ledger::Ledger;
use crate::plan::Plan;
use crate::plan::prefixes::PrefixPlan;
use crate::run::state::RunState;
use crate::run::{CountError, Share};
use crate::{EngineKind, Isa, Request, Shard, Size, oeis};

fn size(n: usize) -> Size {
    Size::new(n).unwrap()
}

fn profile(n: usize) -> Request {
    Request::profile(size(n)).threads(2)
}

/// Plain search that finds one solution too many in each task of one board.
struct WrongOn(usize);

impl Engine for WrongOn {
    type Task = Placement;
    type Worker = ();

    fn worker(&self) {}

    fn count(&self, (): &mut (), task: &Placement) -> u64 {
        Levels(Naive).count(&mut (), task) + u64::from(task.size().get() == self.0)
    }
}

#[test]
fn a_wrong_engine_makes_no_profile() {
    for (n, wrong_on, is_seen) in [(10, 8, true), (11, 8, true), (11, 9, true), (10, 9, false)] {
        let result = profile(n).count_by(&WrongOn(wrong_on));
        let seen = matches!(result, Err(CountError::SelfCheck(_)));
        assert_eq!(seen, is_seen, "N = {n}, wrong on {wrong_on}: {result:?}");
    }
}

#[test]
fn the_published_triangle() {
    let mut published = oeis::PROFILE.terms;
    for n in 0..=12 {
        let row;
        (row, published) = published.split_at(n + 1);
        for threads in [1, 2, 3] {
            let report = profile(n).threads(threads).count().unwrap();
            assert_eq!(report.placements, row, "N = {n} on {threads} threads");
            assert_eq!((report.engine, report.count), ("profile", row[n]));
        }
    }
    assert!(published.is_empty());
}

/// Boards beyond the published triangle: the last number is the number of solutions, and the number for two queens is
/// that of pairs of rows more than one apart.
#[test]
fn larger_boards_end_in_the_count() {
    for isa in Isa::available() {
        for n in [13, 14] {
            let report = profile(n).isa(isa).count().unwrap();
            assert_eq!(report.isa, isa);
            assert_eq!(report.placements[n], oeis::QUEENS.term(n).unwrap());
            assert_eq!(report.placements[2], ((n - 1) * (n - 2)) as u128);
        }
    }
}

/// The oracle counts every unit a second time, level by level.
#[test]
fn the_oracle_agrees() {
    let report = profile(9).double_check(Share::ALL).count().unwrap();
    let units = PrefixPlan::new(&Placement::empty(size(9))).units();
    assert_eq!((report.double_checked, report.placements[9]), (units, 352));
}

/// A wrong level is found, not only a wrong count.
#[test]
fn a_flipped_level_is_told() {
    struct Flipped;
    impl Engine for Flipped {
        type Task = Placement;
        type Worker = ();
        fn worker(&self) {}
        fn count(&self, (): &mut (), task: &Placement) -> u64 {
            Levels(Naive).count(&mut (), task)
        }
        fn add_to(&self, tally: &mut Tally, (): &mut (), task: &Weighted<Placement>) -> Result<(), Overflow> {
            Levels(Naive).add_to(tally, &mut (), task)?;
            if task.task.rows().eq([3, 5]) { tally.add_fewer(4, 1, 1) } else { Ok(()) }
        }
    }
    let error = profile(8).double_check(Share::ALL).count_by(&Flipped).unwrap_err();
    assert!(error.to_string().contains("(completions of 35)"), "{error}");
}

#[test]
fn shards_make_the_whole() {
    let request = profile(10);
    let whole = request.count().unwrap().placements;
    let mut merged = Ledger::new(request.fingerprint().unwrap(), Shard::WHOLE);
    for index in 1..=3 {
        let state = RunState::new(Ledger::new(request.fingerprint().unwrap(), Shard::new(index, 3).unwrap()));
        request.resume(&state).unwrap();
        merged.merge(&state.ledger()).unwrap();
    }
    let read = Request::try_from(merged.fingerprint()).unwrap();
    assert_eq!((read.subject(), read.fingerprint().unwrap()), (request.subject(), merged.fingerprint().clone()));
    assert_eq!(read.subject().placements(&merged.total().unwrap()), whole);
    // The ledger of a count is not that of a profile, nor the other way round.
    let count = Request::solutions(size(10)).engine(EngineKind::Backtrack);
    let counted = Ledger::new(count.fingerprint().unwrap(), Shard::WHOLE);
    assert!(request.resume(&RunState::new(counted)).is_err() && count.resume(&RunState::new(merged)).is_err());
}
