//! Ledgers that are right, forged ones, and those of engines that are wrong on purpose.

use super::*;
use crate::engine::backtrack::Backtrack;
use crate::engine::fault::{self, Fault};
use crate::engine::join::Join;
use crate::engine::lanes::Portable;
use crate::ledger::Partial;
use crate::plan::halves::HalvesPlan;
use crate::run::progress::Watch;
use crate::{Count, EngineKind, Shard, Size, Turn};

fn counted(n: usize, engine: EngineKind) -> Ledger {
    let count = Count::new(Size::new(n).unwrap()).engine(Choice::Engine(engine));
    let watch = Watch::new(Ledger::new(count.fingerprint().unwrap(), Shard::WHOLE));
    count.run_watched(&watch).unwrap();
    watch.ledger()
}

fn turned(turn: Turn, n: usize) -> Ledger {
    let count = TurnCount::new(TurnBoard::new(turn, n).unwrap());
    let watch = Watch::new(Ledger::new(count.fingerprint(), Shard::WHOLE));
    count.run_watched(&watch).unwrap();
    watch.ledger()
}

fn profiled(n: usize) -> Ledger {
    let profile = Profile::new(Size::new(n).unwrap());
    let watch = Watch::new(Ledger::new(profile.fingerprint(), Shard::WHOLE));
    profile.run_watched(&watch).unwrap();
    watch.ledger()
}

/// The ledger with other tallies.
fn forged(ledger: &Ledger, mut change: impl FnMut(usize, Tally) -> Tally) -> Ledger {
    let mut other = Ledger::new(ledger.fingerprint().clone(), ledger.shard());
    for (unit, tally) in ledger.tallies() {
        other.record(unit, change(unit, tally)).unwrap();
    }
    other
}

/// An audit of everything.
fn all(ledger: &Ledger) -> Audit<'_> {
    Audit { begin_within: None, tasks: u64::MAX, threads: 2, ..Audit::of(ledger) }
}

#[test]
fn what_every_engine_counts_is_confirmed() {
    let counts = [(12, EngineKind::Join), (13, EngineKind::Join), (10, EngineKind::Backtrack), (9, EngineKind::Naive)];
    let counts = counts.map(|(n, engine)| counted(n, engine)).into_iter();
    let turns = [(Turn::Half, 16), (Turn::Half, 17), (Turn::Quarter, 28), (Turn::Quarter, 29), (Turn::Quarter, 1)];
    let turns = turns.map(|(turn, n)| turned(turn, n)).into_iter();
    for ledger in counts.chain(turns).chain([0, 1, 2, 9, 10].map(profiled)) {
        let about = ledger.fingerprint();
        let findings = all(&ledger).run(&|| false).unwrap();
        assert_eq!(findings.units.len(), ledger.finished(), "{about:?}");
        assert_eq!(findings.differences().count(), 0, "{about:?}");
        // All of it twice: the sums over the plan, by the engine and by the auditor.
        assert_eq!([findings.recounted(), findings.audited()], [findings.total; 2], "{about:?}");
        assert_eq!(findings.engine, about.engine);
        let chance = if ledger.finished() == 0 { 0.0 } else { 1.0 };
        assert!((findings.chance_to_find(1) - chance).abs() < 1e-12, "{about:?}");
    }
}

/// Prefixes, whose ledgers hold a part of a board.
#[test]
fn completions_are_confirmed() {
    let count = Count::completions(Placement::parse("2,4", Size::new(11).unwrap()).unwrap());
    let watch = Watch::new(Ledger::new(count.fingerprint().unwrap(), Shard::WHOLE));
    let total = count.run_watched(&watch).unwrap().count;
    let findings = all(&watch.ledger()).run(&|| false).unwrap();
    assert_eq!([findings.recounted(), findings.audited()], [total; 2]);
}

#[test]
fn a_forged_tally_is_found_when_its_unit_is_drawn() {
    for ledger in [counted(12, EngineKind::Join), turned(Turn::Half, 18), turned(Turn::Quarter, 36)] {
        let (wrong, tally) = ledger.tallies().nth(ledger.finished() / 3).unwrap();
        let more = Tally::from(tally.get() + 8);
        let other = forged(&ledger, |unit, tally| if unit == wrong { more.clone() } else { tally });
        let mut seen = 0;
        for seed in 0..20 {
            let audit = Audit { units: ledger.finished() / 2, tasks: 0, seed, ..all(&other) };
            let findings = audit.run(&|| false).unwrap();
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

/// In a profile every level counts, not only the last.
#[test]
fn a_forged_level_is_found() {
    let ledger = profiled(9);
    let more = |unit: usize, mut tally: Tally| {
        if unit == 5 {
            tally.add_fewer(4, 1, 1).unwrap();
        }
        tally
    };
    let findings = all(&forged(&ledger, more)).run(&|| false).unwrap();
    assert_eq!(findings.differences().map(|unit| unit.unit).collect::<Vec<_>>(), [5]);
    assert_eq!(findings.tasks(), findings.units.len(), "a task of each");
}

/// A ledger with so many wrong units, and the right sum where they are more than one: half of them have one solution too
/// few and the others one too many, and of an odd number the first has two too few.
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

/// What audits by these seeds find is what chance says: within three standard deviations, and the same each time.
#[test]
fn forged_units_are_found_with_the_chance_that_is_told() {
    const AUDITS: usize = 50;
    let ledger = counted(12, EngineKind::Join);
    let units = ledger.finished();
    let found = [1, units.div_ceil(100), units.div_ceil(10), units * 95 / 100].map(|wrong| {
        let other = with_wrong_units(&ledger, wrong);
        let audit = |seed| Audit { units: 16, tasks: 0, seed, threads: 1, ..all(&other) }.run(&|| false).unwrap();
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
    let findings = Audit { units: 3, tasks: 0, seed: 1, ..all(&ledger) }.run(&|| false).unwrap();
    let findings = Findings { finished: 10, ..findings };
    assert_eq!(findings.units.len(), 3);
    // Of the 120 ways to draw 3 of 10, C(10 - w, 3) have none of w.
    for (wrong, none) in [(0, 120.0), (1, 84.0), (2, 56.0), (5, 10.0), (7, 1.0), (8, 0.0), (10, 0.0), (11, 0.0)] {
        let chance = findings.chance_to_find(wrong);
        assert!((chance - (1.0 - none / 120.0)).abs() < 1e-12, "{wrong}: {chance}");
    }
    assert_eq!([0.0, 0.01, 0.1, 0.11, 1.0].map(|share| findings.share_of_units(share)), [0, 1, 1, 2, 10]);
    // Parts of units are drawn like units.
    let findings = Findings { parts: 10, ..findings };
    assert_eq!([0.0, 0.01, 0.1, 0.11, 1.0].map(|share| findings.share_of_units(share)), [0, 1, 2, 3, 20]);
    assert!((findings.chance_to_find(1) - 3.0 / 20.0).abs() < 1e-12);
}

/// A seed puts the units in an order, of which an audit takes the first.
#[test]
fn the_same_seed_draws_the_same() {
    let ledger = counted(12, EngineKind::Join);
    let drawn = |seed, units, threads| {
        let findings = Audit { seed, units, threads, tasks: 1, ..all(&ledger) }.run(&|| false).unwrap();
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
    let mut orders: Vec<_> = (0..10).map(|_| Audit::of(&ledger).order().iter().map(|unit| unit.0).collect()).collect();
    orders.sort_unstable();
    orders.dedup();
    assert_eq!(orders.len(), 10, "{:?}", orders.iter().map(|order: &Vec<usize>| &order[..3]).collect::<Vec<_>>());
}

/// A time that is over lets begin no more units than the least.
#[test]
fn a_short_time_still_recounts_some_units() {
    let ledger = counted(12, EngineKind::Join);
    assert!(ledger.finished() > Audit::LEAST);
    for threads in [1, 3] {
        let begun = |begin_within| {
            let audit = Audit { begin_within, threads, tasks: 0, seed: 7, ..all(&ledger) };
            let findings = audit.run(&|| false).unwrap();
            findings.units.into_iter().map(|unit| unit.unit).collect::<Vec<_>>()
        };
        assert_eq!(begun(Some(Duration::ZERO)).len(), Audit::LEAST);
        assert_eq!(begun(Some(Duration::MAX)).len(), ledger.finished());
        assert_eq!(begun(None).len(), ledger.finished());
    }
}

#[test]
fn what_is_stopped_is_left_out() {
    for ledger in [counted(12, EngineKind::Join), turned(Turn::Half, 16), profiled(8)] {
        let findings = Audit::of(&ledger).run(&|| true).unwrap();
        assert!(findings.units.is_empty());
        assert_eq!((findings.recounted(), findings.chance_to_find(ledger.finished()).abs()), (0, 0.0));
    }
}

#[test]
fn ledgers_of_something_else_are_refused() {
    let ledger = counted(9, EngineKind::Join);
    let refused = |ledger: &Ledger, change: &dyn Fn(&mut Fingerprint)| {
        let mut fingerprint = ledger.fingerprint().clone();
        change(&mut fingerprint);
        let other = Ledger::new(fingerprint, Shard::WHOLE);
        Audit::of(&other).run(&|| false).unwrap_err().to_string()
    };
    let found = refused(&ledger, &|print| print.plan = "halves/0 N=9".into());
    assert!(found.contains("it is for the plan halves/0 N=9, not "), "{found}");
    assert_eq!(refused(&ledger, &|print| print.engine = "abacus".into()), "this program has no engine 'abacus'");
    let half = turned(Turn::Half, 12);
    let found = refused(&half, &|print| print.plan = "cover 1 half 12 2".into());
    assert!(found.ends_with("it is for the plan cover 1 half 12 2, not cover 1 half 12 3"), "{found}");
    let found = refused(&half, &|print| print.engine = "join".into());
    assert!(found.ends_with("it is for the engine join, not cover"), "{found}");
    let found = refused(&profiled(8), &|print| print.units += 1);
    assert!(found.contains("it is for a plan with units: "), "{found}");
    let found = Audit::of(&half).run_by(&Backtrack::default(), &|| false).unwrap_err().to_string();
    assert!(found.ends_with("it is for a count of what a turn leaves unchanged, not all solutions"), "{found}");
}

/// Another engine, with one solution too many in each task.
struct Wrong<'a, E>(&'a E);

impl<E: Engine> Engine for Wrong<'_, E> {
    type Task = E::Task;
    type Worker = E::Worker;

    fn worker(&self) -> E::Worker {
        self.0.worker()
    }

    fn count(&self, worker: &mut E::Worker, task: &E::Task) -> u64 {
        self.0.count(worker, task) + 1
    }
}

/// The ledger that an engine makes of a plan.
fn made<P: Plan, E: Engine<Task = P::Task>>(like: &Ledger, plan: &P, engine: &E) -> Ledger {
    let mut worker = engine.worker();
    forged(like, |unit, _| {
        let mut tally = Tally::default();
        plan.unit(unit).for_each(|task| engine.add_to(&mut tally, &mut worker, &task).unwrap());
        tally
    })
}

/// Every unit is as the ledger has it, and every task differs by the one solution that is too many.
fn told(findings: &Findings, drawn: usize) {
    assert_eq!(findings.units.len(), drawn);
    assert!(findings.units.iter().all(|unit| unit.is_confirmed() && !unit.agrees()));
    assert_eq!(findings.differences().count(), drawn);
    for task in findings.units.iter().flat_map(|unit| &unit.tasks) {
        assert_eq!(task.engine.get(), task.auditor.get() + 1);
    }
    assert_eq!((findings.tasks(), findings.audited()), (drawn, 0));
}

/// An audit of the ledger that a wrong engine makes of what a turn leaves unchanged.
struct WrongTurn(TurnBoard);
impl TurnJob for WrongTurn {
    type Output = Findings;
    fn run<L: Lanes>(self, engine: &Cover<L>, _second: &unchanged::Search) -> Findings {
        let wrong = Wrong(engine);
        let ledger = made(&turned(self.0.turn(), self.0.n()), engine.plan(), &wrong);
        let audit = Audit { units: 5, tasks: 1, ..all(&ledger) };
        let recount = audit.recount(TurnCount::ENGINE, Isa::Portable, &|| false).unwrap();
        recount.of_turn(self.0, engine.plan(), &wrong).unwrap()
    }
}

/// An engine that is wrong in every task makes a ledger that it confirms: the auditor alone tells.
#[test]
fn what_the_auditor_finds_is_a_difference() {
    let size = Size::new(12).unwrap();
    let (plan, join) = (HalvesPlan::new(size), Join::new(size, Portable::new()));
    let wrong = Wrong(&join);
    let ledger = made(&counted(12, EngineKind::Join), &plan, &wrong);
    let audit = Audit { units: 5, tasks: 1, ..all(&ledger) };
    let recount = audit.recount("join", Isa::Portable, &|| false).unwrap();
    told(&recount.of(&plan, &wrong, by_definition).unwrap(), 5);

    for (turn, n) in [(Turn::Half, 16), (Turn::Quarter, 29)] {
        let board = TurnBoard::new(turn, n).unwrap();
        told(&unchanged::dispatch(board, Isa::Portable, WrongTurn(board)), 5);
    }
}

/// Of a unit that is not finished its first tasks are recounted, and no others.
#[test]
fn parts_of_units_are_recounted() {
    let size = Size::new(15).unwrap();
    let count = Count::new(size);
    let (plan, join) = (HalvesPlan::new(size), Join::new(size, Portable::new()));
    let mut worker = join.worker();
    let unit = (0..plan.units()).find(|&unit| plan.tasks(unit) > 2).expect("units of odd boards have many tasks");
    for (tasks, extra) in [(1, 0), (2, 0), (2, 8)] {
        let mut tally = Tally::from(extra);
        for task in plan.unit(unit).take(tasks as usize) {
            join.add_to(&mut tally, &mut worker, &task).unwrap();
        }
        let mut ledger = Ledger::new(count.fingerprint().unwrap(), Shard::WHOLE);
        ledger.record_partial(unit, Partial { tasks, tally: tally.clone() }).unwrap();
        let findings = all(&ledger).run(&|| false).unwrap();
        assert_eq!((findings.finished, findings.parts, findings.total), (0, 1, tally.get()));
        let [found] = findings.units.as_slice() else { panic!("one part is one unit") };
        assert_eq!(found.name, format!("unit {unit}, its first {tasks} tasks,"));
        assert_eq!((found.is_confirmed(), found.tasks.len() as u64), (extra == 0, tasks));
        assert!((findings.chance_to_find(1) - 1.0).abs() < 1e-12);
    }
    // More tasks than the unit has are none of this plan.
    let mut ledger = Ledger::new(count.fingerprint().unwrap(), Shard::WHOLE);
    ledger.record_partial(unit, Partial { tasks: 1_000_000, tally: 1.into() }).unwrap();
    let error = all(&ledger).run(&|| false).unwrap_err().to_string();
    assert!(error.contains("1000000 of them are said to be finished"), "{error}");
}

/// Nothing is audited by an engine that fails on a small board, whichever way it comes.
#[test]
fn an_engine_that_fails_its_gate_audits_nothing() {
    let gate: Fault = |n, _, _| u64::from([8, 10, 14].contains(&n));
    for ledger in [counted(12, EngineKind::Join), turned(Turn::Half, 16), turned(Turn::Quarter, 24)] {
        let audit = Audit { units: 1, ..all(&ledger) };
        assert_eq!(audit.run(&|| false).unwrap().differences().count(), 0);
        let wrong = fault::with(gate, || audit.run(&|| false));
        assert!(matches!(wrong, Err(CountError::Gate(_))), "{:?}: {wrong:?}", ledger.fingerprint().engine);
    }
    let ledger = counted(10, EngineKind::Backtrack);
    let wrong = all(&ledger).run_by(&Wrong(&Backtrack::default()), &|| false);
    assert!(matches!(wrong, Err(CountError::Gate(_))), "{wrong:?}");
}

/// A unit is right only where each of its tasks is.
#[test]
fn one_wrong_task_is_a_difference() {
    let task = |index, auditor: u128| AuditedTask { index, weight: 2, engine: 5.into(), auditor: auditor.into() };
    let unit = |tasks| Recounted { unit: 0, name: String::new(), tally: 20.into(), recounted: 20.into(), tasks };
    assert!(unit(vec![task(0, 5), task(1, 5)]).agrees());
    assert!(!unit(vec![task(0, 5), task(1, 6)]).agrees() && !unit(vec![task(0, 4), task(1, 5)]).agrees());
}
