//! The loop over units, stops and errors, and the self-check.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::engine::EngineKind;
use crate::engine::lanes::{IS_WRONG, Isa, fault};
use crate::plan::plan_of;
use crate::{Progress, Request, Size};

fn request(n: usize) -> Request {
    Request::solutions(Size::new(n).unwrap())
}

fn threads(number: usize, watch: &Watch) -> Threads<'_> {
    Threads::start(number, watch, &|| Ok(())).unwrap()
}

/// The state of a run of the join.
fn state(n: usize) -> RunState {
    let run = request(n).engine(EngineKind::Join).run().unwrap();
    RunState::new(run.ledger().clone(), &threads(1, &Watch::default()))
}

/// Groups come in another order than in the plan, each in one piece.
#[test]
fn groups_are_shuffled_and_stay_together() {
    let state = state(13);
    let order = state.order();
    assert!(!order.is_sorted());
    let groups: Vec<usize> = order.iter().map(|&unit| state.earlier.plan().group(unit)).collect();
    assert!(!groups.iter().rev().is_sorted(), "reversed is not shuffled");
    assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), state.earlier.plan().units());
    let groups: Vec<usize> = order
        .chunk_by(|&a, &b| state.earlier.plan().group(a) == state.earlier.plan().group(b))
        .map(|units| state.earlier.plan().group(units[0]))
        .collect();
    // The centre, and each place of the queen in the middle column, up to 5 squares from the centre.
    assert_eq!((groups.len(), groups.iter().collect::<BTreeSet<_>>().len()), (6, 6));
}

/// An error stops every thread at its next unit, and is what is returned, even where others were stopped before. It stops nothing
/// else that the watch is given to.
#[test]
fn the_first_error_is_returned_and_ends_the_loop() {
    let order = (0..200).collect::<Vec<_>>();
    for round in 0..200 {
        let (watch, begun) = (Watch::default(), AtomicUsize::new(0));
        let threads = threads(3, &watch);
        let each = |(): &mut (), unit: usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            if unit == round {
                // The request comes first, so that the other threads say that they were stopped.
                if round % 2 == 0 {
                    watch.stop();
                    std::thread::yield_now();
                }
                return Err(CountError::Overflow);
            }
            if threads.is_stopped() { Err(CountError::Stopped) } else { Ok(()) }
        };
        assert!(matches!(threads.for_each_unit(&order, || (), each), Err(CountError::Overflow)));
        assert!(begun.load(Ordering::Relaxed) <= 200 && watch.is_stopped() == (round % 2 == 0));
        let turn = |(): &mut (), turn: usize| if turn == 5 { Err(CountError::Overflow) } else { Ok(turn < 9) };
        assert!(matches!(threads.take_turns(|| (), turn), Err(CountError::Overflow)));
    }
}

/// What cannot be is seen before an hour is over, and told once.
#[test]
fn an_impossible_count_is_an_error() {
    let watch = Watch::default();
    let threads = threads(1, &watch);
    let checked = threads.each(|| {
        IS_WRONG.set(true);
        let error = threads.check_again(HOUR).unwrap_err().to_string();
        assert!(error.ends_with("more pairs were attacked than there are"), "{error}");
        threads.check_again(HOUR).unwrap()
    });
    assert_eq!(checked, [false]);
}

/// A failed check takes out what its thread has entered since the one before, and no more: whether or not somebody has asked
/// for the ledger meanwhile, and of a unit that was checked in part the rest.
#[test]
fn a_failed_check_leaves_what_was_checked_before() {
    for is_asked in [false, true] {
        let (watch, fails) = (Watch::default(), AtomicBool::new(false));
        let check = || if fails.load(Ordering::Relaxed) { Err("wrong".to_owned()) } else { Ok(()) };
        let threads = Threads::start(1, &watch, &check).unwrap();
        let state = state(21);
        threads.beside(
            || {
                let part = |tasks| Partial { tasks, tally: 5 * u128::from(tasks) };
                let reached = || {
                    let ledger = state.entered();
                    (ledger.finished(), ledger.partial(10))
                };
                let enter = |unit, before, tasks| state.enter(&threads, unit, part(before), part(tasks)).unwrap();
                (0..10).for_each(|unit| enter(unit, 0, Partial::WHOLE));
                enter(10, 0, 1);
                state.check_again(&threads, Duration::ZERO).unwrap();
                enter(10, 1, 2);
                enter(11, 0, Partial::WHOLE);
                if is_asked {
                    assert_eq!(reached(), (11, part(2)));
                }
                fails.store(true, Ordering::Relaxed);
                assert!(state.check_again(&threads, Duration::ZERO).is_err());
                enter(12, 0, Partial::WHOLE);
                assert_eq!(reached(), (10, part(1)));
            },
            || (),
        );
    }
}

/// Each thread has one worker, and each unit is given once.
#[test]
fn a_thread_keeps_its_worker() {
    let (watch, order, made) = (Watch::default(), (0..5000).collect::<Vec<_>>(), AtomicUsize::new(0));
    let given: Vec<_> = order.iter().map(|_| AtomicUsize::new(0)).collect();
    let worker = || made.fetch_add(1, Ordering::Relaxed);
    let each = |_: &mut usize, unit: usize| {
        given[unit].fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    threads(2, &watch).for_each_unit(&order, worker, each).unwrap();
    assert!((1..=2).contains(&made.into_inner()));
    assert!(given.iter().all(|times| times.load(Ordering::Relaxed) == 1));
}

/// Stopped at any moment, a run leaves a ledger from which another goes on to the same total, in whole units and in parts.
#[test]
fn stopped_runs_go_on_to_the_total() {
    let request = request(21).engine(EngineKind::Backtrack);
    let run = request.run().unwrap();
    let (tasks, unit) = (plan_of(EngineKind::Backtrack, &Placement::empty(Size::new(21).unwrap())).tasks(0), 0);
    let mut ledger = run.ledger().clone();
    ledger.put(unit, Partial { tasks: tasks - 1, tally: 5 });
    let watch = Watch::default();
    watch.stop();
    assert!(matches!(run.resume(ledger).unwrap().count(&watch), Err(CountError::Stopped)));
    assert_eq!(watch.ledger().unwrap().partial(unit).tally, 5);
    assert!(watch.progress().share > 0.0 && watch.progress().left.is_none());

    let small = Request::solutions(Size::new(12).unwrap()).engine(EngineKind::Naive).threads(2);
    let (mut ledger, mut runs) = (small.run().unwrap().ledger().clone(), 0);
    let total = loop {
        let (watch, run) = (Watch::default(), small.run().unwrap().resume(ledger.clone()).unwrap());
        let before = ledger.finished();
        let counted = std::thread::scope(|scope| {
            let counting = scope.spawn(|| run.count(&watch));
            while watch.ledger().is_none_or(|ledger| ledger.finished() < before + 20) && !counting.is_finished() {
                std::thread::yield_now();
            }
            watch.stop();
            counting.join().unwrap()
        });
        let Progress { done, total, elapsed, left, .. } = watch.progress();
        // Each unit has one task. What earlier runs have done took none of the time.
        if let Some(left) = left {
            let (now, all) = (done as f64 - before as f64, total as f64 - before as f64);
            let expected = elapsed.as_secs_f64() * (all - now) / now;
            assert!((left.as_secs_f64() - expected).abs() <= 0.01 * expected, "{left:?}, not {expected} s");
        }
        ledger = watch.ledger().unwrap();
        runs += 1;
        match counted {
            Ok(counted) => break counted.report.count,
            Err(error) => assert!(matches!(error, CountError::Stopped)),
        }
    };
    assert!(total == 14_200 && runs > 1 && ledger.is_complete(), "{total} after {runs} runs");
    let fifteen = || Request::solutions(Size::new(15).unwrap()).run().unwrap();
    let mut begun = fifteen().ledger().clone();
    begun.put(0, Partial { tasks: 1, tally: 5 });
    assert_ne!(fifteen().resume(begun).unwrap().count(&Watch::default()).unwrap().report.count, 2_279_184);
    assert!(matches!(small.shard(Shard::new(2, 3).unwrap()).unwrap().resume(ledger), Err(LedgerError::Shard { .. })));
}

/// What a run counts is what it has in its ledger, and a sum that does not fit is an error.
#[test]
fn a_sum_that_does_not_fit_is_an_error() {
    let mut ledger = request(12).run().unwrap().ledger().clone();
    for unit in [3, 5] {
        ledger.put(unit, Partial { tasks: Partial::WHOLE, tally: u128::MAX / 2 + 1 });
    }
    let counted = request(12).run().unwrap().resume(ledger).unwrap().count(&Watch::default());
    assert!(matches!(counted, Err(CountError::Overflow)));
}

/// A fault of a kernel is seen before anything is counted, wherever something is.
#[test]
fn wrong_kernels_count_nothing() {
    for isa in Isa::available() {
        for name in fault::of(isa) {
            let is_of_boards = matches!(name, "expand" | "last-columns");
            for (engine, n, is_seen) in
                [(EngineKind::Join, 12, !is_of_boards), (EngineKind::Backtrack, 10, is_of_boards)]
            {
                let counted = fault::with(name, || request(n).engine(engine).isa(isa).count());
                assert_eq!(matches!(counted, Err(CountError::SelfCheck { .. })), is_seen, "{name} on {isa}");
            }
        }
    }
}

/// 8×8 comes first, 9×9 for odd boards, and a larger board from N = 18 on.
#[test]
fn small_boards_are_counted_before_large_ones() {
    let method = |kind| request(14).engine(kind).method().unwrap();
    let naive = method(EngineKind::Naive);
    let boards = [8, 9, 12, 13, 18].map(|n| self_check::boards(naive, n));
    assert_eq!(boards, [vec![], vec![8, 9], vec![8], vec![8, 9], vec![8]]);
    let join = method(EngineKind::Join);
    assert_eq!([17, 18, 27].map(|n| self_check::boards(join, n)), [vec![8, 9], vec![8, 14], vec![8, 9, 15]]);
    let error = self_check::compare("on 8×8", 91, Some(92)).unwrap_err();
    assert_eq!(error, "found 91 solutions on 8×8 instead of 92");
}

#[test]
fn no_more_threads_are_started_than_make_sense() {
    let number = |number| threads(number, &Watch::default()).number();
    assert_eq!([60_000, 0, 1].map(number), [8 * available_threads(), available_threads(), 1]);
}
