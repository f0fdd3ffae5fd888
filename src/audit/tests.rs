//! Audits of right ledgers, of forged ledgers, and by engines that are wrong on purpose.

use super::*;
use crate::board::{Placement, Size};
use crate::engine::EngineKind;
use crate::engine::lanes::fault::{self, STEP_FAULTS};
use crate::plan::{Task, plan_of};
use crate::request::Request;

/// The complete ledger of a count, and the count.
fn counted(prefix: Placement, engine: EngineKind) -> (Ledger, u128) {
    let mut run = Request::completions(prefix).engine(engine).run().unwrap();
    let count = run.count(&Watch::default()).unwrap().count;
    (run.ledger().clone(), count)
}

fn board(n: usize) -> Placement {
    Placement::empty(Size::new(n).unwrap())
}

fn method(engine: EngineKind, isa: Isa, n: usize) -> Method {
    Method::choose(Some(engine), Some(isa), &board(n)).unwrap()
}

fn join(n: usize) -> Ledger {
    counted(board(n), EngineKind::Join).0
}

/// The ledger with other tallies.
fn forged(ledger: &Ledger, change: impl Fn(usize, u128) -> u128) -> Ledger {
    let mut other = ledger.clone();
    for (unit, tally) in ledger.tallies() {
        other.set(unit, Partial { tasks: Partial::WHOLE, tally: change(unit, tally) });
    }
    other
}

fn audited(ledger: &Ledger, share: f64, seed: u64) -> Findings {
    Audit::of(ledger, seed).share(share).threads(2).recount(&Watch::default(), &mut |_| ()).unwrap()
}

fn units(findings: &Findings) -> Vec<usize> {
    findings.units.iter().map(|unit| unit.unit).collect()
}

#[test]
fn ledgers_of_every_engine_are_confirmed() {
    let completions = |prefix, n| (Placement::parse(prefix, Size::new(n).unwrap()).unwrap(), EngineKind::Backtrack);
    let counts = [
        (board(12), EngineKind::Join),
        (board(13), EngineKind::Join),
        (board(10), EngineKind::Backtrack),
        completions("2,4", 11),
        completions("15863724", 8),
        (board(9), EngineKind::Naive),
    ];
    for (prefix, engine) in counts {
        let (ledger, count) = counted(prefix, engine);
        let findings = audited(&ledger, 1.0, 1);
        assert!(findings.units.iter().all(|unit| unit.agrees() && unit.task.is_some()), "{prefix:?}, {engine}");
        assert_eq!(findings.units.iter().map(|unit| unit.recounted).sum::<u128>(), count, "{prefix:?}, {engine}");
        assert_eq!((findings.units.len(), findings.engine), (ledger.finished(), engine.name()));
    }
    let nothing = Placement::parse("13", Size::new(4).unwrap()).unwrap();
    assert!(audited(&counted(nothing, EngineKind::Naive).0, 1.0, 1).units.is_empty());
}

/// An audit draws the first units in the order of its seed.
#[test]
fn forged_tallies_of_drawn_units_are_found() {
    let (ledger, is_wrong) = (join(12), |unit: usize| unit.is_multiple_of(10));
    let other = forged(&ledger, |unit, tally| tally + u128::from(is_wrong(unit)));
    for seed in 0..8 {
        let order = order(&other, Draws::new(&other, seed)).into_iter();
        let mut drawn: Vec<usize> = order.map(|(unit, _)| unit).take(ledger.finished().div_ceil(10)).collect();
        drawn.sort_unstable();
        let findings = audited(&other, 0.1, seed);
        assert_eq!(units(&findings), drawn);
        assert!(findings.differences().all(|unit| unit.tally == unit.recounted + 1));
        assert!(findings.differences().map(|unit| unit.unit).eq(drawn.into_iter().filter(|&unit| is_wrong(unit))));
    }
}

#[test]
fn probabilities_are_those_of_drawing_without_replacement() {
    let findings = Findings { finished: 10, ..audited(&join(12), 3.0 / 472.0, 1) };
    assert_eq!(findings.units.len(), 3);
    // There are 120 ways to draw 3 of 10 units; C(10 - w, 3) of them draw none of the w wrong units.
    for (wrong, none) in [(0, 120.0), (1, 84.0), (2, 56.0), (5, 10.0), (7, 1.0), (8, 0.0), (10, 0.0), (11, 0.0)] {
        let chance = findings.chance_to_find(wrong);
        assert!((chance - (1.0 - none / 120.0)).abs() < 1e-12, "{wrong}: {chance}");
    }
}

/// On any number of threads, a seed draws the same units and tasks. A smaller share draws some of the same units.
#[test]
fn the_same_seed_draws_the_same() {
    let ledger = join(15);
    let drawn = |seed, share, threads| {
        let audit = Audit::of(&ledger, seed).share(share).threads(threads);
        let findings = audit.recount(&Watch::default(), &mut |_| ()).unwrap();
        findings.units.into_iter().map(|unit| (unit.unit, unit.task)).collect::<Vec<_>>()
    };
    let many = drawn(1, 0.1, 1);
    assert_eq!(many, drawn(1, 0.1, 3));
    assert!(drawn(1, 0.01, 2).iter().all(|unit| many.contains(unit)));
    // Consecutive seeds share about a tenth of their units, no more than other seeds.
    let common = drawn(2, 0.1, 1).iter().filter(|unit| many.contains(unit)).count();
    assert!(common * 5 < many.len(), "{common} of {}", many.len());
    let last = many.iter().filter(|(at, task)| task.as_ref().unwrap().index + 1 == ledger.plan().tasks(*at)).count();
    assert!((1..many.len()).contains(&last), "the last task of {last} units is audited");
}

/// A published seed draws the same units and tasks in every later version. Another tally, a smaller partial unit or
/// another plan changes the draws; other runs do not.
#[test]
fn the_draws_of_a_seed_are_pinned() {
    let first = |ledger: &Ledger, seed| {
        let draws = Draws::new(ledger, seed);
        let order = order(ledger, draws.clone());
        order.iter().take(6).map(|&(unit, _)| (unit, draws.within(unit).below(1000))).collect::<Vec<_>>()
    };
    let made_up = |n, changed: u128, tasks| {
        let request = Request::solutions(Size::new(n).unwrap()).engine(EngineKind::Naive);
        let mut ledger = request.run().unwrap().ledger().clone();
        for unit in 0..99 {
            ledger.set(unit, Partial { tasks: Partial::WHOLE, tally: 10 + u128::from(unit == 42) * changed });
        }
        ledger.set(99, Partial { tasks, tally: 5 });
        ledger
    };
    let ledger = made_up(24, 0, 3);
    let pinned = [(39, 370), (73, 869), (64, 575), (34, 671), (88, 391), (20, 652)];
    assert_eq!(first(&ledger, 7), pinned);
    let mut later = ledger.clone();
    later.begin_run(None);
    assert_eq!(first(&later, 7), pinned);
    let others = [(ledger, 8), (made_up(24, 1, 3), 7), (made_up(24, 0, 2), 7), (made_up(25, 0, 3), 7)];
    for (other, seed) in others {
        assert!(first(&other, seed).iter().all(|drawn| !pinned.contains(drawn)), "seed {seed}: {other:?}");
    }
}

/// Numbers and orders, within five standard deviations.
#[test]
fn draws_are_uniform() {
    let (mut draws, mut numbers, mut orders) = (Draws::by("uniform"), [0; 7], [0; 6]);
    for _ in 0..6000 {
        numbers[draws.below(7)] += 1;
        let mut list = [0, 1, 2];
        draws.shuffle(&mut list);
        orders[list[0] * 2 + usize::from(list[1] > list[2])] += 1;
    }
    assert!(numbers.iter().all(|&times: &i32| (times - 857).abs() < 136), "{numbers:?}");
    assert!(orders.iter().all(|&times: &i32| (times - 1000).abs() < 145), "{orders:?}");
}

/// Units are started in the order of the seed, at least one.
#[test]
fn no_unit_is_started_after_the_time() {
    let ledger = join(14);
    let within = |max_time, threads| {
        let audit = Audit::of(&ledger, 7).max_time(max_time).threads(threads);
        audit.recount(&Watch::default(), &mut |_| ()).unwrap()
    };
    assert_eq!(within(Duration::MAX, 2).units.len(), ledger.finished());
    let drawn: Vec<usize> = order(&ledger, Draws::new(&ledger, 7)).into_iter().map(|(unit, _)| unit).collect();
    assert_eq!(units(&within(Duration::ZERO, 2)), drawn[..1]);
    let some = within(Duration::from_millis(2), 3);
    let mut expected = drawn[..some.units.len()].to_vec();
    expected.sort_unstable();
    assert_eq!(units(&some), expected);
}

#[test]
fn share_rounds_up_and_invalid_share_means_all() {
    for (share, expected) in
        [(0.0, 1), (0.01, 1), (0.011, 2), (0.07, 7), (0.5, 50), (1.0, 100), (2.0, 100), (-1.0, 100), (f64::NAN, 100)]
    {
        assert_eq!(share_of(100, share), expected, "{share}");
    }
}

/// Stopped by the callback of the first unit.
#[test]
fn a_stop_ends_an_audit() {
    let (ledger, watch, mut called) = (join(16), Watch::default(), 0);
    let audit = Audit::of(&ledger, 1).share(1.0).threads(2);
    let mut each = |unit: &AuditedUnit| {
        assert!(unit.agrees() && watch.progress().share > 0.0);
        called += 1;
        watch.stop();
    };
    assert!(matches!(audit.recount(&watch, &mut each), Err(CountError::Stopped)));
    assert!((1..ledger.finished()).contains(&called), "{called}");
    let plan = plan_of(EngineKind::Join, &board(16));
    let mut engine = method(EngineKind::Join, Isa::Portable, 16).engines(board(16).size())();
    let (draws, unit) = (Draws::new(&ledger, 1), (0, Partial { tasks: Partial::WHOLE, tally: 0 }));
    let threads = Threads::start(1, 1, &watch, &|| Ok(())).unwrap();
    assert!(matches!(recount(&mut *engine, &[], &*plan, unit, &draws, &threads), Err(CountError::Stopped)));
}

/// Also if the caller is a thread of a rayon pool.
#[test]
fn the_callback_may_start_another_count() {
    let ledger = join(12);
    let audit = || {
        let mut count = |_: &AuditedUnit| assert_eq!(crate::count(10).unwrap(), 724);
        Audit::of(&ledger, 1).share(1.0).recount(&Watch::default(), &mut count).unwrap().units.len()
    };
    let callers = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!([audit(), callers.install(audit)], [ledger.finished(); 2]);
}

/// Only the finished tasks of a partial unit are recounted; a wrong number of them is a difference.
#[test]
fn partial_units_are_recounted() {
    let (request, whole) = (Request::completions(board(15)), join(15));
    let plan = plan_of(EngineKind::Join, &board(15));
    let mut engine = request.method().unwrap().engines(board(15).size())();
    // A unit whose second and third tasks have solutions.
    let unit = (plan.units() / 2..plan.units()).find(|&unit| {
        let counts: Vec<u64> = plan.unit(unit, 0).take(3).map(|task| engine.count(&task.task)).collect();
        counts.len() == 3 && counts[1] > 0 && counts[2] > 0
    });
    let (unit, mut part) = (unit.unwrap(), Partial::default());
    for task in plan.unit(unit, 0).take(2) {
        part.add(engine.count(&task.task), task.weight).unwrap();
    }
    for (tasks, agrees) in [(1, false), (2, true), (3, false)] {
        let mut ledger = whole.emptied();
        ledger.set(unit, Partial { tasks, ..part });
        let findings = audited(&ledger, 1.0, 1);
        let [found] = findings.units.as_slice() else { panic!("one partial unit is one unit") };
        assert_eq!((found.agrees(), findings.finished), (agrees, 1), "{tasks}: {found:?}");
        assert!(found.task.as_ref().is_some_and(|task| task.index < tasks));
    }
}

/// Counts each solution twice.
struct Wrong(Box<dyn Engine>);

impl Engine for Wrong {
    fn count(&mut self, task: &Task) -> u64 {
        2 * self.0.count(task)
    }
}

/// Small tasks are audited whole and compared with the given count of the engine. For a large task, both count the same
/// part, which has solutions.
#[test]
fn the_auditor_counts_the_same_task_or_part_as_the_engine() {
    let drawn = [(EngineKind::Backtrack, [12, 16, 18, 32]), (EngineKind::Join, [12, 18, 27, 28])];
    for (kind, sizes) in drawn {
        for n in sizes {
            let (plan, mut draws) = (plan_of(kind, &board(n)), Draws::by(&format!("N = {n}")));
            let unit = draws.below(plan.units());
            let task = plan.unit(unit, draws.below(plan.tasks(unit) as usize) as u64).next().unwrap().task;
            let engine = method(kind, Isa::best(), n).engines(board(n).size())();
            let mut wrong = Wrong(engine);
            let compared = audit_task(&mut wrong, &[], (0, &task, 99), &mut draws, &|| false).unwrap();
            assert_eq!(compared.is_part, n > if kind == EngineKind::Join { 25 } else { 17 }, "{kind}, N = {n}");
            let engine = if compared.is_part { 2 * compared.auditor } else { 99 };
            assert!(compared.engine == engine && compared.auditor > 0, "{kind}, N = {n}: {compared:?}");
            let stopped = audit_task(&mut wrong, &[], (0, &task, 99), &mut draws, &|| true);
            assert!(n < 18 || stopped.is_none(), "{kind}, N = {n}: {stopped:?}");
        }
    }
}

/// The lists of a part are split only on the forced path. Without slow cases, only the last fault is tested.
#[test]
fn a_fault_of_the_forced_path_is_a_difference() {
    let method = method(EngineKind::Join, Isa::best(), 26);
    let (task, size) = (plan_of(EngineKind::Join, &board(26)).unit(14846, 1).next().unwrap().task, board(26).size());
    let (mut engine, forced) = (method.engines(size)(), [method.forced(size)]);
    let untested = if crate::tests::is_all() { 0 } else { STEP_FAULTS.len() - 1 };
    for step in [""].into_iter().chain(STEP_FAULTS.into_iter().skip(untested)) {
        let mut draws = Draws::by("part 9");
        let audit = || audit_task(&mut *engine, &forced, (0, &task, 0), &mut draws, &|| false).unwrap();
        let audited = fault::with(step, audit);
        assert!(audited.auditor > 0 && audited.forced.len() == 3, "{audited:?}");
        assert_eq!(audited.agrees(), step.is_empty(), "{step}: {audited:?}");
    }
}

/// Even if the unit's tally is right.
#[test]
fn a_wrong_task_is_a_difference() {
    let unit = |auditor, forced: &[u64]| {
        let task = Some(AuditedTask { index: 0, engine: 5, auditor, forced: forced.into(), is_part: false });
        AuditedUnit { unit: 0, tally: 20, recounted: 20, task }
    };
    assert!(unit(5, &[]).agrees() && unit(5, &[5; 6]).agrees());
    assert!(!unit(4, &[]).agrees() && !unit(6, &[]).agrees() && !unit(5, &[5, 5, 4]).agrees());
}
