//! Units and their parts in and out of ledgers, and unions of ledgers.

use super::*;
use crate::plan::PrefixPlan;
use crate::{EngineKind, Placement, Size};
use proptest::prelude::*;

fn fingerprint(units: usize) -> Fingerprint {
    let prefix = Placement::empty(Size::new(12).unwrap());
    Fingerprint { prefix, engine: EngineKind::Naive, plan: "a plan".into(), units }
}

fn empty(units: usize, shard: &str) -> Ledger {
    Ledger::new(fingerprint(units), shard.parse().unwrap())
}

#[test]
fn differences_are_named_the_plainest_first() {
    let ours = fingerprint(5);
    let prefix = Placement::parse("1,3", Size::new(12).unwrap()).unwrap();
    let eleven = Placement::empty(Size::new(11).unwrap());
    let cases = [
        (Fingerprint { prefix: eleven, units: 4, ..ours.clone() }, "it is for N = 11, not 12"),
        (Fingerprint { prefix, ..ours.clone() }, "it is for completions of 1,3, not the empty board"),
        (Fingerprint { engine: EngineKind::Join, ..ours.clone() }, "it is for the engine join, not naive"),
        (Fingerprint { plan: "b plan".into(), ..ours.clone() }, "it is for the plan b plan, not a plan"),
        (fingerprint(6), "it is for a plan with units: 6, not 5"),
    ];
    for (theirs, message) in cases {
        assert_eq!(theirs.check(&ours).unwrap_err().to_string(), message);
        let merged = empty(5, "1/1").merge(Ledger::new(theirs, Shard::WHOLE));
        assert_eq!(merged.unwrap_err().to_string(), message);
    }
    assert_eq!(empty(5, "1/2").check(&ours, Shard::WHOLE).unwrap_err().to_string(), "it is for shard 1/2, not 1/1");
    assert_eq!(empty(5, "1/1").check(&ours, Shard::WHOLE), Ok(()));
}

#[test]
fn units_stay_in_their_shard() {
    let mut ledger = empty(10, "2/3");
    for unit in [0, 10, 11] {
        let error = ledger.record(unit, 1).unwrap_err().to_string();
        assert_eq!(error, format!("unit {unit} does not belong to shard 2/3 of a plan with 10 units"));
        assert!(ledger.record_partial(unit, Partial { tasks: 1, tally: 1 }).is_err());
    }
    ledger.record(4, 1).unwrap();
    assert_eq!((ledger.todo(), ledger.is_complete()), (vec![1, 7], false));
}

/// A part of a unit must fit the whole unit and every other part, and a unit has one tally.
#[test]
fn what_contradicts_is_refused() {
    let part = |tasks, tally| Partial { tasks, tally };
    let ledger = || {
        let mut ledger = empty(5, "1/2");
        ledger.record_partial(2, part(3, 30)).unwrap();
        ledger.record(4, 50).unwrap();
        ledger
    };
    let refused = |unit, part| ledger().record_partial(unit, part).unwrap_err().to_string();
    let start = "unit 2: its first 3 tasks have 30, which contradicts ";
    assert_eq!(refused(2, part(3, 31)), format!("{start}31 for 3"));
    assert_eq!(refused(2, part(4, 29)), format!("{start}29 for 4"));
    assert_eq!(refused(2, part(2, 31)), "unit 2: its first 2 tasks have 31, which contradicts 30 for 3");
    assert_eq!(refused(4, part(1, 51)), "unit 4: its first 1 tasks have 51, which contradicts 50 for all of it");
    assert_eq!(ledger().record(2, 29).unwrap_err().to_string(), format!("{start}29 for all of it"));
    let mut other = empty(5, "1/1");
    other.record(4, 51).unwrap();
    assert_eq!(ledger().merge(other).unwrap_err().to_string(), "unit 4 has two tallies, 50 and 51");
}

/// All tasks of a unit may be finished while the unit is not: the run may have been killed in between.
#[test]
fn no_part_is_more_than_its_unit() {
    let prefix = Placement::empty(Size::new(8).unwrap());
    let plan = Plan::Prefixes(PrefixPlan::new(&prefix));
    let (plan_line, units) = (plan.fingerprint(), plan.units());
    for tasks in 0..3 {
        let fingerprint = Fingerprint { prefix, engine: EngineKind::Naive, plan: plan_line.clone(), units };
        let mut ledger = Ledger::new(fingerprint, Shard::WHOLE);
        ledger.record_partial(3, Partial { tasks, tally: 1 }).unwrap();
        let beyond = LedgerError::Beyond { unit: 3, tasks, of: 1 };
        assert_eq!(ledger.check_partials(&plan), if tasks <= 1 { Ok(()) } else { Err(beyond) });
    }
}

/// A run that is in several files counts once, by what it says last. The shards that a machine begins in one second are not one
/// run, nor are those that two machines begin in one nanosecond.
#[test]
fn each_run_counts_once() {
    let seconds = Duration::from_secs;
    let run = |begun: Option<u64>, host: &str, elapsed: u64| {
        let (elapsed, cpu_time, host) = (seconds(elapsed), Some(seconds(2 * elapsed)), Some(host.to_owned()));
        let begun = begun.map(|nanoseconds| seconds(1_795_551_234) + Duration::from_nanos(nanoseconds));
        let mut ledger = empty(5, "1/1");
        ledger.enter_run(RunRecord { begun, elapsed, cpu_time, host, ..RunRecord::default() });
        ledger
    };
    let merged = |ledgers: &[&Ledger]| {
        let merge = |merged: Ledger, ledger: &&Ledger| merged.merge((*ledger).clone()).unwrap();
        ledgers.iter().fold(empty(5, "1/1"), merge)
    };
    let (first, later, beside, elsewhere) =
        (run(Some(1), "a", 10), run(Some(1), "a", 12), run(Some(2), "a", 100), run(Some(1), "b", 1000));
    let (unknown, unknown_too) = (run(None, "a", 1), run(None, "a", 2));
    let all = merged(&[&first, &first, &elsewhere, &later, &beside, &elsewhere, &first]);
    assert_eq!((all.elapsed(), all.cpu_time()), (seconds(1112), Some(seconds(2224))));
    assert_eq!(all.runs().iter().map(|run| run.elapsed.as_secs()).collect::<Vec<_>>(), [12, 1000, 100]);
    assert_eq!(merged(&[&unknown, &unknown_too, &unknown]).elapsed(), seconds(3));
    let mut cpu_unknown = later.clone();
    (cpu_unknown.runs[0].begun, cpu_unknown.runs[0].cpu_time) = (None, None);
    assert_eq!(merged(&[&first, &cpu_unknown]).cpu_time(), None, "not known is not known");
}

/// The record of a run that begins says where and when, and is the one that is in progress.
#[test]
fn a_run_begins_its_record() {
    let mut ledger = empty(5, "1/1");
    assert!(!ledger.is_run_begun());
    let mut records: Vec<RunRecord> = Vec::new();
    for processor in ["a", "b"] {
        ledger.begin_run(Some(processor.to_owned()));
        records.push(ledger.current_run().unwrap().clone());
    }
    assert_eq!(ledger.runs(), records);
    let RunRecord { begun, program, host, processor, .. } = &records[1];
    let now = std::time::UNIX_EPOCH.elapsed().unwrap();
    assert!(begun.is_some_and(|begun| begun <= now && now < begun + Duration::from_secs(1000)));
    assert_eq!(program.as_deref(), Some(concat!("queens ", env!("CARGO_PKG_VERSION"))));
    assert_eq!((host.is_some(), processor.as_deref()), (true, Some("b")));
    assert!(!decode(encode(&ledger).as_bytes()).unwrap().is_run_begun(), "a run that was read is over");
}

proptest! {
    /// However a plan is dealt, and in whatever order the parts are merged, overlaps included, they give the whole.
    #[test]
    fn any_partition_merges_to_the_whole(
        tallies in proptest::collection::vec((any::<u64>(), 0u32..8, any::<bool>()), 0..60),
        reversed: bool,
    ) {
        let part = |keep: &dyn Fn(u32, bool) -> bool| {
            let mut ledger = empty(tallies.len(), "1/1");
            for (unit, &(tally, owner, twice)) in tallies.iter().enumerate() {
                if keep(owner, twice) {
                    ledger.record(unit, tally.into()).unwrap();
                }
            }
            ledger
        };
        // Part 8 has units that another part has too.
        let mut parts: Vec<Ledger> = (0..8).map(|p| part(&|owner, _| owner == p)).collect();
        parts.push(part(&|_, twice| twice));
        if reversed {
            parts.reverse();
        }
        let merged = parts.into_iter().reduce(|merged, part| merged.merge(part).unwrap()).unwrap();
        prop_assert!(merged.is_complete());
        prop_assert_eq!(merged.total().unwrap(), tallies.iter().map(|&(tally, ..)| u128::from(tally)).sum::<u128>());
        prop_assert_eq!(merged, part(&|_, _| true));
    }

    /// Shards give the whole, and missing shards are named. Copies of one shard stay that shard.
    #[test]
    fn shards_merge_to_the_whole(units in 0usize..60, of in 1u32..10, lost in 1u32..10) {
        let shards = (1..=of).map(|index| {
            let mut ledger = empty(units, &format!("{index}/{of}"));
            for unit in ledger.todo() {
                ledger.record(unit, unit as u128).unwrap();
            }
            assert!(ledger.is_complete());
            ledger
        });
        let there = shards.filter(|shard| shard.shard().index() != lost);
        let mut merged = empty(units, "1/1");
        for shard in there {
            prop_assert_eq!(shard.clone().merge(empty(units, &shard.shard().to_string())).unwrap(), shard.clone());
            merged = shard.merge(merged).unwrap();
        }
        let lost_units = lost <= of && (lost as usize) <= units;
        prop_assert_eq!(merged.unfinished_shards(of), if lost_units { vec![lost] } else { vec![] });
        prop_assert_eq!((merged.shard(), merged.is_complete()), (Shard::WHOLE, !lost_units));
    }

    /// Parts of units can be merged in any order, and the largest part of each unit remains.
    #[test]
    fn parts_merge_to_the_largest(
        parts in proptest::collection::vec((0usize..4, 0u64..6), 0..20),
        finished in proptest::collection::vec(any::<bool>(), 4),
    ) {
        // A unit has five tasks; the first k of unit u count 10u + k².
        let tally = |unit: usize, tasks: u64| 10 * unit as u128 + u128::from(tasks * tasks);
        let mut merged = empty(4, "1/1");
        for (number, &(unit, tasks)) in parts.iter().enumerate() {
            let mut one = empty(4, "1/1");
            one.record_partial(unit, Partial { tasks, tally: tally(unit, tasks) }).unwrap();
            if finished[unit] && number % 3 == 0 {
                one.record(unit, tally(unit, 5)).unwrap();
            }
            merged = merged.merge(one).unwrap();
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
}
