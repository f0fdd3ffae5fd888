//! Units and their parts in and out of ledgers, and ledgers merged.

use super::*;
use crate::board::{Rotation, RotationalBoard};
use crate::plan::PrefixPlan;
use crate::subject::Subject;
use crate::{Placement, Size};
use proptest::prelude::*;
use std::time::Duration;

fn fingerprint(units: usize) -> Fingerprint {
    let prefix = Placement::empty(Size::new(12).unwrap());
    Fingerprint { subject: prefix.into(), engine: "naive".into(), plan: "a plan".into(), units }
}

#[test]
fn differences_are_named_the_plainest_first() {
    let ours = fingerprint(5);
    let prefix = Placement::parse("1,3", Size::new(12).unwrap()).unwrap();
    let cases = [
        (
            Fingerprint { subject: Placement::empty(Size::new(11).unwrap()).into(), units: 4, ..ours.clone() },
            "it is for N = 11, not 12",
        ),
        (Fingerprint { subject: prefix.into(), ..ours.clone() }, "it is for completions of 1,3, not the empty board"),
        (Fingerprint { engine: "join".into(), ..ours.clone() }, "it is for the engine join, not naive"),
        (Fingerprint { plan: "b plan".into(), ..ours.clone() }, "it is for the plan b plan, not a plan"),
        (fingerprint(6), "it is for a plan with units: 6, not 5"),
    ];
    for (theirs, message) in cases {
        assert_eq!(theirs.check(&ours).unwrap_err().to_string(), message);
        let mut ledger = Ledger::new(ours.clone(), Shard::WHOLE);
        assert_eq!(ledger.merge(&Ledger::new(theirs, Shard::WHOLE)).unwrap_err().to_string(), message);
    }
    assert_eq!(ours.check(&fingerprint(5)), Ok(()));
    let half = RotationalBoard::new(Rotation::Half, 12).unwrap();
    let turned = Fingerprint { subject: Subject::Rotational(half), ..ours.clone() };
    let message = "it is for a count of those unchanged by a half turn, not all solutions";
    assert_eq!(turned.check(&ours).unwrap_err().to_string(), message);
}

#[test]
fn units_stay_in_their_shard() {
    let mut ledger = Ledger::new(fingerprint(10), Shard::new(2, 3).unwrap());
    let outside = |unit| LedgerError::Outside { unit, shard: Shard::new(2, 3).unwrap(), units: 10 };
    assert_eq!(ledger.record(0, 1.into()), Err(outside(0)));
    assert_eq!(ledger.record(10, 1.into()), Err(outside(10)));
    assert_eq!(ledger.record(4, 1.into()), Ok(()));
    assert!(!ledger.is_complete());
    assert_eq!(ledger.todo(), [1, 7]);
}

/// A part of a unit must fit the whole unit and every other part.
#[test]
fn parts_that_contradict_are_refused() {
    let part = |tasks, tally: u128| Partial { tasks, tally: tally.into() };
    let ledger = || {
        let mut ledger = Ledger::new(fingerprint(5), Shard::new(1, 2).unwrap());
        ledger.record_partial(2, part(3, 30)).unwrap();
        ledger.record(4, 50.into()).unwrap();
        ledger
    };
    let refused = |unit, part| ledger().record_partial(unit, part).unwrap_err().to_string();
    let start = "unit 2: its first 3 tasks have 30, which contradicts ";
    assert_eq!(refused(2, part(3, 31)), format!("{start}31 for 3"));
    assert_eq!(refused(2, part(4, 29)), format!("{start}29 for 4"));
    assert_eq!(refused(2, part(2, 31)), "unit 2: its first 2 tasks have 31, which contradicts 30 for 3");
    assert_eq!(refused(4, part(1, 51)), "unit 4: its first 1 tasks have 51, which contradicts 50 for all of it");
    assert_eq!(refused(3, part(1, 1)), "unit 3 does not belong to shard 1/2 of a plan with 5 units");
    assert_eq!(ledger().record(2, 29.into()).unwrap_err().to_string(), format!("{start}29 for all of it"));
}

/// All tasks of a unit may be finished while the unit is not: the run may have been killed in between.
#[test]
fn no_part_is_more_than_its_unit() {
    let prefix = Placement::empty(Size::new(8).unwrap());
    let plan = PrefixPlan::new(&prefix);
    for tasks in 0..3 {
        let fingerprint = Fingerprint {
            subject: prefix.into(),
            engine: "naive".into(),
            plan: plan.fingerprint(),
            units: plan.units(),
        };
        let mut ledger = Ledger::new(fingerprint, Shard::WHOLE);
        ledger.record_partial(3, Partial { tasks, tally: 1.into() }).unwrap();
        let beyond = LedgerError::Beyond { unit: 3, tasks, of: 1 };
        assert_eq!(ledger.check_partials(&plan), if tasks <= 1 { Ok(()) } else { Err(beyond) });
    }
}

/// A run that is in several files counts once, by what it says last.
#[test]
fn each_run_counts_once() {
    let seconds = Duration::from_secs;
    let run = |id: u64, elapsed: u64| {
        let (elapsed, cpu_time) = (seconds(elapsed), Some(seconds(2 * elapsed)));
        let mut ledger = Ledger::new(fingerprint(5), Shard::WHOLE);
        ledger.record_run(&RunRecord { id, elapsed, cpu_time, ..RunRecord::begin(None) });
        ledger
    };
    let (first, later, other) = (run(1, 10), run(1, 12), run(2, 1));
    let mut merged = Ledger::new(fingerprint(5), Shard::WHOLE);
    for ledger in [&first, &first, &other, &later, &other, &first] {
        merged.merge(ledger).unwrap();
    }
    assert_eq!((merged.elapsed(), merged.cpu_time()), (seconds(13), Some(seconds(26))));
    assert_eq!(merged.runs().iter().map(|run| run.id).collect::<Vec<_>>(), [1, 2]);
    let mut unknown = run(3, 1);
    unknown.runs[0].cpu_time = None;
    merged.merge(&unknown).unwrap();
    assert_eq!((merged.elapsed(), merged.cpu_time()), (seconds(14), None), "not known is not known");
    assert_eq!(Ledger::new(fingerprint(5), Shard::WHOLE).cpu_time(), Some(Duration::ZERO));
}

proptest! {
    /// However a plan is dealt, and in whatever order the parts are merged, overlaps included, they give the whole.
    #[test]
    fn any_partition_merges_to_the_whole(
        tallies in proptest::collection::vec((any::<u64>(), 0u32..8, any::<bool>()), 0..60),
        reversed: bool,
    ) {
        let fingerprint = fingerprint(tallies.len());
        let part = |keep: &dyn Fn(u32, bool) -> bool| {
            let mut ledger = Ledger::new(fingerprint.clone(), Shard::WHOLE);
            for (unit, &(tally, owner, twice)) in tallies.iter().enumerate() {
                if keep(owner, twice) {
                    ledger.record(unit, u128::from(tally).into()).unwrap();
                }
            }
            ledger
        };
        let whole = part(&|_, _| true);
        // Part 8 has units that another part has too.
        let mut parts: Vec<Ledger> = (0..8).map(|p| part(&|owner, _| owner == p)).collect();
        parts.push(part(&|_, twice| twice));
        if reversed {
            parts.reverse();
        }
        let mut merged = Ledger::new(fingerprint.clone(), Shard::WHOLE);
        for part in &parts {
            merged.merge(part).unwrap();
        }
        prop_assert_eq!(&merged, &whole);
        prop_assert!(merged.is_complete());
        let sum: u128 = tallies.iter().map(|&(tally, ..)| u128::from(tally)).sum();
        prop_assert_eq!(merged.total().unwrap().get(), sum);
    }

    /// Shards give the whole, and missing shards are named.
    #[test]
    fn shards_merge_to_the_whole(units in 0usize..60, of in 1u32..10, lost in 1u32..10) {
        let mut merged = Ledger::new(fingerprint(units), Shard::WHOLE);
        for index in (1..=of).filter(|&index| index != lost) {
            let mut ledger = Ledger::new(fingerprint(units), Shard::new(index, of).unwrap());
            for unit in ledger.todo() {
                ledger.record(unit, (unit as u128).into()).unwrap();
            }
            prop_assert!(ledger.is_complete());
            merged.merge(&ledger).unwrap();
        }
        let missing: Vec<u32> = merged.unfinished_shards(of).unwrap().collect();
        let lost_units = lost <= of && (lost as usize) <= units;
        prop_assert_eq!(missing, if lost_units { vec![lost] } else { vec![] });
        prop_assert_eq!(merged.is_complete(), !lost_units);
        for of in [0, Shard::MOST + 1] {
            prop_assert!(merged.unfinished_shards(of).is_err());
        }
    }

    /// Parts of units can be merged in any order, and the largest part of each unit remains.
    #[test]
    fn parts_merge_to_the_largest(
        parts in proptest::collection::vec((0usize..4, 0u64..6), 0..20),
        finished in proptest::collection::vec(any::<bool>(), 4),
    ) {
        // A unit has five tasks; the first k of unit u count 10u + k².
        let tally = |unit: usize, tasks: u64| Tally::from(10 * unit as u128 + u128::from(tasks * tasks));
        let mut merged = Ledger::new(fingerprint(4), Shard::WHOLE);
        for (number, &(unit, tasks)) in parts.iter().enumerate() {
            let mut one = Ledger::new(fingerprint(4), Shard::WHOLE);
            one.record_partial(unit, Partial { tasks, tally: tally(unit, tasks) }).unwrap();
            if finished[unit] && number % 3 == 0 {
                one.record(unit, tally(unit, 5)).unwrap();
            }
            merged.merge(&one).unwrap();
        }
        for (unit, &finished) in finished.iter().enumerate() {
            let known = || parts.iter().enumerate().filter(move |(_, part)| part.0 == unit);
            let done = finished && known().any(|(number, _)| number % 3 == 0);
            let most = known().map(|(_, part)| part.1).max().unwrap_or(0);
            prop_assert_eq!(merged.todo().contains(&unit), !done);
            let tasks = if done { 0 } else { most };
            prop_assert_eq!(merged.partial(unit).tasks, tasks);
            prop_assert!(tasks == 0 || merged.partial(unit).tally == tally(unit, tasks));
        }
    }

    /// A tally that differs between two ledgers is never accepted.
    #[test]
    fn contradictions_are_found(units in 1usize..40, unit in 0usize..40, by in 1u128..1000) {
        let unit = unit % units;
        let mut ours = Ledger::new(fingerprint(units), Shard::WHOLE);
        let mut theirs = ours.clone();
        ours.record(unit, 1000.into()).unwrap();
        theirs.record(unit, (1000 + by).into()).unwrap();
        prop_assert_eq!(
            ours.merge(&theirs),
            Err(LedgerError::Conflict { unit, first: 1000.into(), second: (1000 + by).into() })
        );
    }
}
