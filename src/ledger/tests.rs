//! Records of whole and partial units, and merged ledgers.

use super::*;
use crate::tests::cases;
use crate::{Placement, Size};

fn fingerprint() -> Fingerprint {
    Fingerprint { prefix: Placement::empty(Size::new(12).unwrap()), engine: EngineKind::Naive }
}

/// A plan of this number of units, whose tasks are never counted.
struct Uncounted(usize);

impl Plan for Uncounted {
    fn fingerprint(&self) -> String {
        plan_of(EngineKind::Naive, &fingerprint().prefix).fingerprint()
    }

    fn units(&self) -> usize {
        self.0
    }

    fn tasks(&self, _: usize) -> u64 {
        9
    }

    fn unit(&self, _: usize, _: u64) -> Box<dyn Iterator<Item = crate::plan::Weighted> + '_> {
        unreachable!()
    }
}

fn empty(units: usize, shard: &str) -> Ledger {
    Ledger::of_plan(fingerprint(), Arc::new(Uncounted(units)), shard.parse().unwrap())
}

fn whole(tally: u128) -> Partial {
    Partial { tasks: Partial::WHOLE, tally }
}

/// More tasks of a unit have at least the same tally, and the same tasks have the same tally.
#[test]
fn contradicting_records_are_refused() {
    let part = |tasks, tally| Partial { tasks, tally };
    let ledger = || {
        let mut ledger = empty(5, "1/2");
        ledger.record(2, part(3, 30)).unwrap();
        ledger.record(4, whole(50)).unwrap();
        ledger
    };
    let refused = |unit, part| ledger().record(unit, part).unwrap_err().to_string();
    let known = "contradicts 30 for its first 3 tasks";
    assert_eq!(refused(2, part(3, 31)), format!("unit 2: 31 for its first 3 tasks {known}"));
    assert_eq!(refused(2, part(4, 29)), format!("unit 2: 29 for its first 4 tasks {known}"));
    assert_eq!(refused(2, part(2, 31)), format!("unit 2: 31 for its first 2 tasks {known}"));
    assert_eq!(refused(4, part(1, 51)), "unit 4: 51 for its first 1 tasks contradicts 50 for all of it");
    assert_eq!(ledger().record(2, whole(29)).unwrap_err().to_string(), format!("unit 2: 29 for all of it {known}"));
    let mut other = empty(5, "1/1");
    other.record(4, whole(51)).unwrap();
    let contradiction = "unit 4: 51 for all of it contradicts 50 for all of it";
    assert_eq!(ledger().merge(other).unwrap_err().to_string(), contradiction);
}

/// A run in several files counts once, by its latest record. Runs that begin in the same second on one machine are
/// different runs, and so are runs that begin in the same nanosecond on two machines.
#[test]
fn each_run_counts_once() {
    let seconds = Duration::from_secs;
    let run = |begun: Option<u64>, host: &str, elapsed: u64| {
        let (elapsed, cpu_time, host) = (seconds(elapsed), Some(seconds(2 * elapsed)), Some(host.to_owned()));
        let begun = begun.map(|nanoseconds| format!("1795551234.{nanoseconds:09}"));
        let mut ledger = empty(5, "1/1");
        ledger.runs.push(RunRecord { begun, elapsed, cpu_time, host, ..RunRecord::default() });
        ledger
    };
    let merged = |ledgers: &[&Ledger]| {
        let merge = |merged: Ledger, ledger: &&Ledger| merged.merge((*ledger).clone()).unwrap();
        ledgers.iter().fold(empty(5, "1/1"), merge)
    };
    let (first, later, sibling, elsewhere) =
        (run(Some(1), "a", 10), run(Some(1), "a", 12), run(Some(2), "a", 100), run(Some(1), "b", 1000));
    let (unknown, unknown_too) = (run(None, "a", 1), run(None, "a", 2));
    let all = merged(&[&first, &first, &elsewhere, &later, &sibling, &elsewhere, &first]);
    assert_eq!((all.elapsed(), all.cpu_time()), (seconds(1112), Some(seconds(2224))));
    assert_eq!(all.runs().iter().map(|run| run.elapsed.as_secs()).collect::<Vec<_>>(), [12, 1000, 100]);
    assert_eq!(all, merged(&[&sibling, &elsewhere, &later, &first]), "the order matters");
    assert_eq!(merged(&[&unknown, &unknown_too, &unknown]).elapsed(), seconds(3));
}

#[test]
fn only_all_units_of_a_count_have_a_total() {
    let (mut shard, mut ledger) = (empty(4, "1/2"), empty(4, "1/1"));
    for unit in [0, 2] {
        shard.set(unit, whole(5));
        ledger.set(unit, whole(5));
    }
    assert!(shard.is_complete() && shard.total().is_none() && ledger.total().is_none());
    assert_eq!((shard.subtotal(), ledger.subtotal()), (Some(10), Some(10)));
    ledger.set(1, whole(1));
    ledger.set(3, whole(u128::MAX - 11));
    assert_eq!((ledger.total(), ledger.set(3, whole(u128::MAX - 10)), ledger.total()), (Some(u128::MAX), (), None));
}

/// Killed before its first save, a run does not make the total time unknown.
#[test]
fn a_run_that_saved_nothing_is_ignored_in_the_total_time() {
    let mut ledger = empty(5, "1/1");
    ledger.runs.push(RunRecord { cpu_time: Some(Duration::from_secs(2)), units: Some(1), ..RunRecord::default() });
    ledger.begin_run(None);
    assert_eq!(ledger.cpu_time(), Some(Duration::from_secs(2)));
    ledger.last_run().units = Some(1);
    assert_eq!(ledger.cpu_time(), None, "as on Windows");
}

#[test]
fn a_new_record_has_time_program_and_host() {
    let mut ledger = empty(5, "1/1");
    ledger.begin_run(None);
    ledger.begin_run(None);
    assert_eq!(ledger.runs().len(), 2);
    let RunRecord { begun, program, host, .. } = ledger.last_run();
    let begun: f64 = begun.as_deref().unwrap().parse().unwrap();
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
    assert!((begun..begun + 1000.0).contains(&now) && begun.fract() > 2e-6, "{begun} has no microseconds");
    assert_eq!(program.as_deref(), Some(concat!("queens ", env!("CARGO_PKG_VERSION"))));
    assert!(host.is_some());
}

/// Missing shards are named. Two ledgers of one shard merge to a ledger of that shard.
#[test]
fn shards_merge_to_the_whole_count() {
    for mut random in cases() {
        let (units, of, lost) = (random.usize(..60), random.u32(1..10), random.u32(1..10));
        let shards = (1..=of).map(|index| {
            let mut ledger = empty(units, &format!("{index}/{of}"));
            for unit in ledger.todo() {
                ledger.record(unit, whole(unit as u128)).unwrap();
            }
            assert!(ledger.is_complete());
            ledger
        });
        let there = shards.filter(|shard| Ok(shard.shard()) != Shard::new(lost, of));
        let mut merged = empty(units, "1/1");
        for shard in there {
            assert_eq!(shard.clone().merge(empty(units, &shard.shard().to_string())).unwrap(), shard.clone());
            merged = shard.merge(merged).unwrap();
        }
        let lost_units = lost <= of && (lost as usize) <= units;
        let unfinished: Vec<u32> = merged.unfinished_shards(of).unwrap().into_iter().map(Shard::index).collect();
        assert_eq!(unfinished, if lost_units { vec![lost] } else { vec![] });
        assert_eq!((merged.shard(), merged.is_complete()), (Shard::WHOLE, !lost_units));
        assert_eq!(merged.total(), (!lost_units).then(|| (0..units as u128).sum()));
    }
}

#[test]
fn partial_units_merge_to_the_largest_in_any_order() {
    for mut random in cases() {
        let parts: Vec<(usize, u64)> = (0..random.usize(..20)).map(|_| (random.usize(..4), random.u64(..6))).collect();
        let finished: [bool; 4] = std::array::from_fn(|_| random.bool());
        // A unit has five tasks; the first k of unit u count 10u + k².
        let tally = |unit: usize, tasks: u64| 10 * unit as u128 + u128::from(tasks * tasks);
        let mut merged = empty(4, "1/1");
        for (number, &(unit, tasks)) in parts.iter().enumerate() {
            let mut one = empty(4, "1/1");
            let tally_of_part = if tasks > 0 { tally(unit, tasks) } else { 0 };
            one.record(unit, Partial { tasks, tally: tally_of_part }).unwrap();
            if finished[unit] && number % 3 == 0 {
                one.record(unit, whole(tally(unit, 5))).unwrap();
            }
            merged = merged.merge(one).unwrap();
        }
        let mut tasks = 0;
        for (unit, &finished) in finished.iter().enumerate() {
            let known = || parts.iter().enumerate().filter(move |(_, part)| part.0 == unit);
            let done = finished && known().any(|(number, _)| number % 3 == 0);
            let most = known().map(|(_, part)| part.1).max().unwrap_or(0);
            assert_eq!(merged.todo().contains(&unit), !done);
            let part = Partial { tasks: most, tally: if most > 0 { tally(unit, most) } else { 0 } };
            assert!(done || merged.partial(unit) == part);
            tasks += if done { 9 } else { most };
        }
        assert_eq!(merged.reached().1, tasks);
    }
}
