//! Audits of right ledgers, of forged ledgers, and of ledgers by engines that are wrong on purpose.

use std::cell::Cell;

use super::*;
use crate::engine::backtrack::Backtrack;
use crate::engine::fault::{self, Fault};
use crate::engine::join::Join;
use crate::engine::lanes::Portable;
use crate::engine::{Engine, Method};
use crate::ledger::{Fingerprint, Partial};
use crate::plan::{HalvesPlan, Plan, Units};
use crate::{EngineKind, Placement, Request, Rotation, RotationalBoard, Shard, Size};

/// The ledger that a request makes.
fn made(request: Request) -> Ledger {
    let run = request.prepare().unwrap();
    run.count().unwrap();
    run.ledger()
}

fn counted(n: usize, engine: EngineKind) -> Ledger {
    made(Request::solutions(Size::new(n).unwrap()).engine(engine))
}

fn turned(rotation: Rotation, n: usize) -> Ledger {
    made(Request::rotational(RotationalBoard::new(rotation, n).unwrap()))
}

/// The ledger with other tallies.
fn forged(ledger: &Ledger, mut change: impl FnMut(usize, Tally) -> Tally) -> Ledger {
    let mut other = Ledger::new(ledger.fingerprint().clone(), ledger.shard());
    for (unit, tally) in ledger.tallies() {
        other.record(unit, change(unit, tally)).unwrap();
    }
    other
}

/// Recounts everything.
fn all() -> AuditOptions {
    AuditOptions { begin_within: None, tasks: u64::MAX, ..AuditOptions::default() }
}

/// Audits as the program does, but on two threads.
fn audited(ledger: &Ledger, options: &AuditOptions) -> Findings {
    Request::try_from(ledger.fingerprint())
        .unwrap()
        .threads(2)
        .prepare()
        .unwrap()
        .audit(ledger, options, &Watch::default())
        .unwrap()
}

#[test]
fn what_every_engine_counts_is_confirmed() {
    let counts = [(12, EngineKind::Join), (13, EngineKind::Join), (10, EngineKind::Backtrack), (9, EngineKind::Naive)];
    let counts = counts.map(|(n, engine)| counted(n, engine)).into_iter();
    let turns = [
        (Rotation::Half, 16),
        (Rotation::Half, 17),
        (Rotation::Quarter, 28),
        (Rotation::Quarter, 29),
        (Rotation::Quarter, 1),
    ];
    let turns = turns.map(|(rotation, n)| turned(rotation, n)).into_iter();
    for ledger in counts.chain(turns) {
        let about = ledger.fingerprint();
        let findings = audited(&ledger, &all());
        assert_eq!(findings.units.len(), ledger.finished(), "{about:?}");
        assert_eq!(findings.differences().count(), 0, "{about:?}");
        // The sums over the plan, by the engine and by the auditor, both give the total.
        assert_eq!([findings.recounted(), findings.audited()], [findings.total; 2], "{about:?}");
        assert_eq!(findings.engine, about.engine);
        let chance = if ledger.finished() == 0 { 0.0 } else { 1.0 };
        assert!((findings.chance_to_find(1) - chance).abs() < 1e-12, "{about:?}");
    }
}

/// Ledgers of prefixes hold a part of a board.
#[test]
fn completions_are_confirmed() {
    let request = Request::completions(Placement::parse("2,4", Size::new(11).unwrap()).unwrap());
    let findings = audited(&made(request), &all());
    assert_eq!([findings.recounted(), findings.audited()], [request.count().unwrap().count; 2]);
}

#[test]
fn a_forged_tally_is_found_when_its_unit_is_drawn() {
    for ledger in [counted(12, EngineKind::Join), turned(Rotation::Half, 18), turned(Rotation::Quarter, 36)] {
        let (wrong, tally) = ledger.tallies().nth(ledger.finished() / 3).unwrap();
        let more = Tally::from(tally.get() + 8);
        let other = forged(&ledger, |unit, tally| if unit == wrong { more } else { tally });
        let mut seen = 0;
        for seed in 0..20 {
            let findings = audited(&other, &AuditOptions { units: ledger.finished() / 2, tasks: 0, seed, ..all() });
            let differences: Vec<_> = findings.differences().collect();
            assert_eq!(differences.is_empty(), findings.units.iter().all(|unit| unit.unit != wrong));
            for unit in differences {
                assert_eq!((unit.unit, &unit.tally, &unit.recounted), (wrong, &more, &tally));
                seen += 1;
            }
        }
        assert!((3..=17).contains(&seen), "half of the units are drawn, and it was seen {seen} times in 20");
    }
}

/// A ledger with `wrong` wrong units. If there are more than one, their sum is right: half of them have one solution
/// too few and the others one too many; if their number is odd, the first has two too few.
fn with_wrong_units(ledger: &Ledger, wrong: usize) -> Ledger {
    let mut units: Vec<(usize, Tally)> = ledger.tallies().collect();
    units.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.get()));
    let wrong_ones: Vec<usize> = units.iter().take(wrong).map(|unit| unit.0).collect();
    let other = forged(ledger, |unit, tally| match wrong_ones.iter().position(|&wrong| wrong == unit) {
        Some(0) if wrong % 2 == 1 && wrong > 1 => (tally.get() - 2).into(),
        Some(place) if place < wrong / 2 => (tally.get() - 1).into(),
        Some(_) => (tally.get() + 1).into(),
        None => tally,
    });
    let too_many = u128::from(wrong == 1);
    assert_eq!(other.total().unwrap().get(), ledger.total().unwrap().get() + too_many);
    assert_eq!(other.tallies().zip(ledger.tallies()).filter(|(other, right)| other != right).count(), wrong);
    other
}

/// Audits find wrong units as often as the stated chance says, within three standard deviations. The seeds are fixed,
/// so the result is always the same.
#[test]
fn forged_units_are_found_with_the_chance_that_is_told() {
    const AUDITS: usize = 50;
    let ledger = counted(12, EngineKind::Join);
    let units = ledger.finished();
    let found = [1, units.div_ceil(100), units.div_ceil(10), units * 95 / 100].map(|wrong| {
        let other = with_wrong_units(&ledger, wrong);
        let audit = |seed| audited(&other, &AuditOptions { units: 16, tasks: 0, seed, ..all() });
        let findings: Vec<Findings> = (0..AUDITS as u64).map(audit).collect();
        let chance = findings[0].chance_to_find(wrong);
        let found = findings.iter().filter(|findings| findings.differences().next().is_some()).count();
        let (expected, deviation) = (AUDITS as f64 * chance, (AUDITS as f64 * chance * (1.0 - chance)).sqrt());
        assert!((found as f64 - expected).abs() <= 3.0 * deviation + 1e-9, "{wrong}: {found}, not {expected}");
        found
    });
    assert_eq!((units, found), (472, [1, 9, 45, 50]));
}

#[test]
fn chances_are_those_of_drawing_without_replacement() {
    let ledger = counted(12, EngineKind::Join);
    let options = AuditOptions { units: 3, tasks: 0, seed: 1, ..all() };
    let findings = Findings { finished: 10, ..audited(&ledger, &options) };
    assert_eq!(findings.units.len(), 3);
    // Of the 120 ways to draw 3 of 10 units, C(10 - w, 3) draw none of the w wrong ones.
    for (wrong, none) in [(0, 120.0), (1, 84.0), (2, 56.0), (5, 10.0), (7, 1.0), (8, 0.0), (10, 0.0), (11, 0.0)] {
        let chance = findings.chance_to_find(wrong);
        assert!((chance - (1.0 - none / 120.0)).abs() < 1e-12, "{wrong}: {chance}");
    }
    // Parts of units are drawn like units.
    let findings = Findings { parts: 10, ..findings };
    assert!((findings.chance_to_find(1) - 3.0 / 20.0).abs() < 1e-12);
}

/// A seed puts the units in an order, and an audit takes the first ones.
#[test]
fn the_same_seed_draws_the_same() {
    let ledger = counted(12, EngineKind::Join);
    let drawn = |seed, units, threads| {
        let request = Request::try_from(ledger.fingerprint()).unwrap().threads(threads);
        let findings = request
            .prepare()
            .unwrap()
            .audit(&ledger, &AuditOptions { seed, units, tasks: 1, ..all() }, &Watch::default())
            .unwrap();
        findings.units.iter().map(|unit| (unit.unit, unit.tasks.clone())).collect::<Vec<_>>()
    };
    assert_eq!(drawn(1, 16, 1), drawn(1, 16, 3));
    assert_ne!(drawn(1, 16, 1), drawn(2, 16, 1));
    let (few, many) = (drawn(1, 5, 2), drawn(1, 16, 2));
    assert!(few.len() == 5 && few.iter().all(|unit| many.contains(unit)));
}

/// Nobody who forges a ledger can know which units an audit will draw.
#[test]
fn audits_without_a_seed_draw_other_units_each_time() {
    let ledger = counted(12, EngineKind::Join);
    let mut orders: Vec<_> = (0..10).map(|_| all().order(&ledger).iter().map(|unit| unit.0).collect()).collect();
    orders.sort_unstable();
    orders.dedup();
    assert_eq!(orders.len(), 10, "{:?}", orders.iter().map(|order: &Vec<usize>| &order[..3]).collect::<Vec<_>>());
}

/// When the time is over, no more than [`AuditOptions::LEAST`] units are begun.
#[test]
fn a_short_time_still_recounts_some_units() {
    let ledger = counted(12, EngineKind::Join);
    assert!(ledger.finished() > AuditOptions::LEAST);
    for threads in [1, 3] {
        let begun = |begin_within| {
            let options = AuditOptions { begin_within, tasks: 0, seed: 7, ..all() };
            let request = Request::try_from(ledger.fingerprint()).unwrap().threads(threads);
            let findings = request.prepare().unwrap().audit(&ledger, &options, &Watch::default()).unwrap();
            findings.units.into_iter().map(|unit| unit.unit).collect::<Vec<_>>()
        };
        assert_eq!(begun(Some(Duration::ZERO)).len(), AuditOptions::LEAST);
        assert_eq!(begun(Some(Duration::MAX)).len(), ledger.finished());
        assert_eq!(begun(None).len(), ledger.finished());
    }
}

/// By the units that are drawn, or by the time where that comes first; a stop leaves what was recounted.
#[test]
fn an_audit_is_watched_and_stopped() {
    let ledger = counted(12, EngineKind::Join);
    let request = Request::try_from(ledger.fingerprint()).unwrap().threads(2);
    let (watch, options) = (Watch::default(), AuditOptions { units: 4, tasks: 0, ..all() });
    assert!(watch.known().is_none() && watch.progress() == Progress::default());
    request.prepare().unwrap().audit(&ledger, &options, &watch).unwrap();
    let Progress { done, total, share, .. } = watch.progress();
    assert_eq!((done, total, share.to_bits(), watch.known().unwrap().units.len()), (4, 4, 1f64.to_bits(), 4));
    let late = AuditOptions { begin_within: Some(Duration::from_nanos(1)), tasks: 0, ..all() };
    request.prepare().unwrap().audit(&ledger, &late, &watch).unwrap();
    assert_eq!((watch.progress().done, watch.progress().share.to_bits()), (16, 1f64.to_bits()), "the time is up");
    // The smallest board whose audit is not over before this thread, which may have to wait, has stopped it.
    let stopped = |n| {
        let (ledger, watch) = (counted(n, EngineKind::Join), Watch::default());
        let request = Request::try_from(ledger.fingerprint()).unwrap().threads(2);
        let (findings, share) = std::thread::scope(|scope| {
            let auditing = scope.spawn(|| request.prepare().unwrap().audit(&ledger, &all(), &watch).unwrap());
            while watch.progress().done == 0 {
                std::thread::yield_now();
            }
            let share = watch.progress().share;
            watch.stop();
            (auditing.join().unwrap(), share)
        });
        let is_early = share < 1.0 && (1..ledger.finished()).contains(&findings.units.len());
        assert!(findings.differences().next().is_none());
        is_early.then_some(watch)
    };
    let watch = (12..=15).find_map(stopped).expect("an audit is stopped");
    assert_eq!(
        request.prepare().unwrap().audit(&ledger, &all(), &watch).unwrap().units.len(),
        0,
        "it was stopped before"
    );
}

#[test]
fn what_is_not_recounted_in_time_is_left_out() {
    for ledger in [counted(12, EngineKind::Join), turned(Rotation::Half, 16)] {
        let findings = audited(&ledger, &AuditOptions { end_within: Some(Duration::ZERO), ..all() });
        assert!(findings.units.is_empty());
        assert_eq!((findings.recounted(), findings.chance_to_find(ledger.finished()).abs()), (0, 0.0));
    }
}

/// A unit that is late before its last task is left out: its tally would be that of its first tasks.
#[test]
fn a_unit_that_is_late_inside_itself_is_left_out() {
    let subject = Size::new(15).unwrap().into();
    let method = Method::choose(None, None, subject).unwrap();
    let counting = Counter::new(method).counting(&subject);
    let plan = counting.plan();
    let unit = (0..plan.units()).find(|&unit| plan.tasks(unit) > 2).expect("units of odd boards have many tasks");
    for part in [None, Some(2)] {
        let tasks = part.unwrap_or_else(|| plan.tasks(unit));
        for in_time in 0..tasks + 2 {
            // It is asked once before the unit and once after each task but the last.
            let asked = Cell::new(0);
            let is_late = || asked.replace(asked.get() + 1) >= in_time;
            let wanted = (unit, part, Tally::default());
            let options = AuditOptions { tasks: 0, ..all() };
            let found = recount(&*plan, &mut *counting.worker(), wanted, &options, &is_late).unwrap();
            assert_eq!(found.is_some(), in_time >= tasks, "{in_time} of {tasks} in time");
        }
    }
}

/// As many tasks of a unit as are asked for, and all where there are fewer.
#[test]
fn tasks_are_audited_as_asked_for() {
    let ledger = counted(13, EngineKind::Join);
    for tasks in [0, 1, 2, u64::MAX] {
        let findings = audited(&ledger, &AuditOptions { units: 10, tasks, ..all() });
        let plan = HalvesPlan::new(Size::new(13).unwrap());
        assert!(findings.units.iter().all(|unit| unit.tasks.len() as u64 == tasks.min(plan.tasks(unit.unit))));
        assert_eq!((findings.units.len(), findings.audited() == 0), (10, tasks == 0));
    }
}

#[test]
fn ledgers_of_something_else_are_refused() {
    let ledger = counted(9, EngineKind::Join);
    let refused = |ledger: &Ledger, change: &dyn Fn(&mut Fingerprint)| {
        let mut fingerprint = ledger.fingerprint().clone();
        change(&mut fingerprint);
        let other = Ledger::new(fingerprint, Shard::WHOLE);
        match Request::try_from(other.fingerprint()) {
            Ok(request) => request.prepare().unwrap().audit(&other, &all(), &Watch::default()).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        }
    };
    let found = refused(&ledger, &|print| print.plan = "halves/0 N=9".into());
    assert!(found.contains("it is for the plan halves/0 N=9, not "), "{found}");
    assert_eq!(refused(&ledger, &|print| print.engine = "abacus".into()), "unknown engine 'abacus'");
    let half = turned(Rotation::Half, 12);
    let found = refused(&half, &|print| print.plan = "cover 1 half 12 2".into());
    assert!(found.ends_with("it is for the plan cover 1 half 12 2, not cover 1 half 12 3"), "{found}");
    let found = refused(&half, &|print| print.engine = "join".into());
    assert!(found.ends_with("it is for the engine join, not cover"), "{found}");
    let found = refused(&counted(8, EngineKind::Naive), &|print| print.units += 1);
    assert!(found.contains("it is for a plan with units: "), "{found}");
    // A request for something else, and an engine that counts none of its tasks.
    let found = Request::solutions(Size::new(10).unwrap())
        .prepare()
        .unwrap()
        .audit(&ledger, &all(), &Watch::default())
        .unwrap_err()
        .to_string();
    assert!(found.ends_with("it is for N = 9, not 10"), "{found}");
    let request = Request::try_from(half.fingerprint()).unwrap();
    let found = request.prepare_by(&Backtrack::default()).unwrap_err().to_string();
    assert!(found.ends_with("which fill the first columns, and nothing else"), "{found}");
}

/// Checks that the engine confirms every unit, and that the auditor finds `less` solutions fewer in some tasks.
fn told(findings: &Findings, less: u128) {
    assert!(less > 0 && findings.units.iter().all(Recounted::is_confirmed));
    assert!(findings.differences().next().is_some());
    let tasks = findings.units.iter().flat_map(|unit| &unit.tasks);
    let found_less = |task: &AuditedTask| u128::from(task.weight) * u128::from(task.engine - task.auditor);
    assert_eq!(tasks.map(found_less).sum::<u128>(), less);
}

/// An engine that is wrong in every task, but not on the small boards of the self-check, confirms its own ledger. Only
/// the auditor finds the error.
#[test]
fn what_the_auditor_finds_is_a_difference() {
    // For covers the fault gets the number of items: 16 for half turns at N = 16, 12 for quarter turns at N = 24.
    let fault: Fault = |n, _, _| u64::from(n == 12 || n == 16);
    let turned = |rotation, n| Request::rotational(RotationalBoard::new(rotation, n).unwrap());
    let join = Request::solutions(Size::new(12).unwrap()).engine(EngineKind::Join);
    for (request, right) in [(join, 14_200), (turned(Rotation::Half, 16), 3000), (turned(Rotation::Quarter, 24), 3328)]
    {
        for isa in Isa::available() {
            let request = request.isa(isa).threads(2);
            let (ledger, findings) = fault::with(fault, || {
                let ledger = made(request);
                let findings = request.prepare().unwrap().audit(&ledger, &all(), &Watch::default()).unwrap();
                (ledger, findings)
            });
            assert_eq!((findings.units.len(), findings.isa), (ledger.units(), isa));
            told(&findings, ledger.total().unwrap().get() - right);
        }
    }
}

/// The same for an engine from outside.
#[test]
fn the_auditor_finds_what_an_engine_of_ones_own_does_wrong() {
    /// One solution too many in each task of N = 10.
    struct Wrong;
    impl Engine for Wrong {
        type Task = Placement;
        type Worker = <Backtrack as Engine>::Worker;
        fn worker(&self) -> Self::Worker {
            Backtrack::default().worker()
        }
        fn count(&self, worker: &mut Self::Worker, task: &Placement) -> u64 {
            Backtrack::default().count(worker, task) + u64::from(task.size().get() == 10)
        }
    }
    let wrong = |request: Request, ledger: &Ledger| {
        request
            .prepare_by(&Wrong)
            .unwrap()
            .audit(ledger, &AuditOptions { units: 5, ..all() }, &Watch::default())
            .unwrap()
    };
    let request = Request::solutions(Size::new(10).unwrap()).engine(EngineKind::Backtrack).threads(2);
    let ledger = made(request);
    let recounted = wrong(request, &forged(&ledger, |_, tally| tally));
    assert!(recounted.units.iter().all(|unit| !unit.is_confirmed()));
    let everything = request.prepare_by(&Wrong).unwrap().audit(&ledger, &all(), &Watch::default()).unwrap();
    let its_own = forged(&ledger, |unit, _| everything.units[unit].recounted);
    told(
        &request.prepare_by(&Wrong).unwrap().audit(&its_own, &all(), &Watch::default()).unwrap(),
        its_own.total().unwrap().get() - 724,
    );
}

/// Of an unfinished unit, only its finished first tasks are recounted.
#[test]
fn parts_of_units_are_recounted() {
    let size = Size::new(15).unwrap();
    let request = Request::solutions(size);
    let (plan, join) = (HalvesPlan::new(size), Join::new(size, Portable::new()));
    let mut worker = join.worker();
    let unit = (0..plan.units()).find(|&unit| plan.tasks(unit) > 2).expect("units of odd boards have many tasks");
    for (tasks, extra) in [(1, 0), (2, 0), (2, 8)] {
        let mut tally = Tally::from(extra);
        for task in plan.unit(unit).take(tasks as usize) {
            tally.add(join.count(&mut worker, &task.task), task.weight).unwrap();
        }
        let mut ledger = Ledger::new(request.fingerprint().unwrap(), Shard::WHOLE);
        ledger.record_partial(unit, Partial { tasks, tally }).unwrap();
        let findings = audited(&ledger, &all());
        assert_eq!((findings.finished, findings.parts, findings.total), (0, 1, tally.get()));
        let [found] = findings.units.as_slice() else { panic!("one part is one unit") };
        assert_eq!(found.name, format!("unit {unit}, its first {tasks} tasks,"));
        assert_eq!((found.is_confirmed(), found.tasks.len() as u64), (extra == 0, tasks));
        assert!((findings.chance_to_find(1) - 1.0).abs() < 1e-12);
    }
    // A part with more tasks than the unit has is not of this plan.
    let mut ledger = Ledger::new(request.fingerprint().unwrap(), Shard::WHOLE);
    ledger.record_partial(unit, Partial { tasks: 1_000_000, tally: 1.into() }).unwrap();
    let error = request.prepare().unwrap().audit(&ledger, &all(), &Watch::default()).unwrap_err().to_string();
    assert!(error.contains("1000000 are recorded as finished"), "{error}");
}

/// An engine that fails on a small board audits nothing, whether it is from this crate or from outside.
#[test]
fn an_engine_that_fails_its_self_check_audits_nothing() {
    let small: Fault = |n, _, _| u64::from([8, 10, 14].contains(&n));
    for ledger in [counted(12, EngineKind::Join), turned(Rotation::Half, 16), turned(Rotation::Quarter, 24)] {
        let options = AuditOptions { units: 1, ..all() };
        assert_eq!(audited(&ledger, &options).differences().count(), 0);
        let request = Request::try_from(ledger.fingerprint()).unwrap();
        let wrong = fault::with(small, || request.prepare().unwrap().audit(&ledger, &options, &Watch::default()));
        assert!(matches!(wrong, Err(CountError::SelfCheck(_))), "{:?}: {wrong:?}", ledger.fingerprint().engine);
    }
}

/// A unit is right only if each of its tasks is.
#[test]
fn one_wrong_task_is_a_difference() {
    let task = |index, auditor| AuditedTask { index, weight: 2, engine: 5, auditor, is_part: false };
    let unit = |tasks| Recounted { unit: 0, name: String::new(), tally: 20.into(), recounted: 20.into(), tasks };
    assert!(unit(vec![task(0, 5), task(1, 5)]).agrees());
    assert!(!unit(vec![task(0, 5), task(1, 6)]).agrees() && !unit(vec![task(0, 4), task(1, 5)]).agrees());
}
