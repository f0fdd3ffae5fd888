//! The loop over units, stops and errors, and the self-check.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::audit::Audit;
use crate::engine::EngineKind;
use crate::engine::lanes::{IS_WRONG, fault};
use crate::estimate::Estimator;
use crate::plan::plan_of;
use crate::symmetric::SymmetricRequest;
use crate::watch::Watched;
use crate::{Progress, Request, Size};

fn request(n: usize) -> Request {
    Request::solutions(Size::new(n).unwrap())
}

fn threads(number: usize, watch: &Watch) -> Threads<'_> {
    Threads::start(number, usize::MAX, watch, &|| Ok(())).unwrap()
}

/// The state of a run of the join.
fn state(n: usize) -> RunState {
    let run = request(n).engine(EngineKind::Join).run().unwrap();
    RunState::new(run.ledger().clone(), &threads(1, &Watch::default()))
}

#[test]
fn groups_are_shuffled_and_stay_together() {
    let state = state(13);
    let order = state.order();
    assert!(!order.is_sorted());
    let groups: Vec<usize> = order.iter().map(|&unit| state.earlier.plan().group(unit)).collect();
    assert!(!groups.iter().rev().is_sorted(), "groups are reversed, not shuffled");
    assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), state.earlier.plan().units());
    let groups: Vec<usize> = order
        .chunk_by(|&a, &b| state.earlier.plan().group(a) == state.earlier.plan().group(b))
        .map(|units| state.earlier.plan().group(units[0]))
        .collect();
    // The middle column's queen is in the centre or 1 to 5 squares from it.
    assert_eq!((groups.len(), groups.iter().collect::<BTreeSet<_>>().len()), (6, 6));
}

/// Whichever thread has it, even after a stop. An error does not stop other work under the same watch.
#[test]
fn the_first_error_is_returned_and_ends_the_loop() {
    for wrong in 0..3 {
        let (watch, begun, all_have_begun) = (Watch::default(), AtomicUsize::new(0), Barrier::new(3));
        let threads = threads(3, &watch);
        let each = |(): &mut (), unit: usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            all_have_begun.wait();
            if unit == wrong {
                return Err(CountError::Overflow);
            }
            while !threads.is_stopped() {
                std::thread::yield_now();
            }
            Err(CountError::Stopped)
        };
        assert!(matches!(threads.for_each(0..200, || (), each), Err(CountError::Overflow)), "unit {wrong}");
        assert!(begun.into_inner() == 3 && !watch.is_stopped());
    }
}

/// Reported at once, not after an hour, and only once.
#[test]
fn an_impossible_count_is_an_error() {
    let watch = Watch::default();
    let threads = threads(1, &watch);
    let checked = threads.broadcast(|| {
        IS_WRONG.set(true);
        let error = threads.check_again(HOUR).unwrap_err().to_string();
        assert!(error.ends_with("more pairs were attacked than there are"), "{error}");
        (error.contains(" on core "), threads.check_again(HOUR).unwrap())
    });
    assert_eq!(checked, [(cfg!(target_os = "linux"), false)]);
}

/// A failed check rolls back its thread's results since the last check, collected or not, and no others; if threads
/// share lists, it rolls back all. Of a partly checked unit, the checked tasks stay.
#[test]
fn a_failed_check_keeps_results_that_were_checked_before() {
    for (n, is_collected, left) in [(21, false, (10, 1)), (21, true, (10, 1)), (20, false, (0, 0))] {
        let (watch, fails) = (Watch::default(), AtomicBool::new(false));
        let check = || if fails.load(Ordering::Relaxed) { Err("wrong".to_owned()) } else { Ok(()) };
        let threads = Threads::start(1, 1, &watch, &check).unwrap();
        let state = state(n);
        threads.broadcast(|| {
            let part = |tasks| Partial { tasks, tally: 5 * u128::from(tasks) };
            let reached = || {
                let ledger = state.collect();
                (ledger.finished(), ledger.partial(10).tasks)
            };
            let record = |unit, before, tasks| state.record(&threads, unit, part(before), part(tasks)).unwrap();
            (0..10).for_each(|unit| record(unit, 0, Partial::WHOLE));
            record(10, 0, 1);
            state.check_again(&threads, Duration::ZERO).unwrap();
            record(10, 1, 2);
            record(11, 0, Partial::WHOLE);
            if is_collected {
                assert_eq!((reached(), state.progress().done), ((11, 2), 11));
            }
            fails.store(true, Ordering::Relaxed);
            assert!(state.check_again(&threads, Duration::ZERO).is_err());
            record(12, 0, Partial::WHOLE);
            assert_eq!(reached(), left, "N = {n}");
        });
    }
}

/// From whole and partial units, wherever a run was stopped.
#[test]
fn stopped_runs_resume_to_the_right_total() {
    let request = request(21).engine(EngineKind::Backtrack);
    let run = request.run().unwrap();
    let (tasks, unit) = (plan_of(EngineKind::Backtrack, &Placement::empty(Size::new(21).unwrap())).tasks(0), 0);
    let mut ledger = run.ledger().clone();
    ledger.set(unit, Partial { tasks: tasks - 1, tally: 5 });
    let watch = Watch::default();
    watch.stop();
    let mut run = run.resume(ledger).unwrap();
    assert!(matches!(run.count(&watch), Err(CountError::Stopped)));
    assert_eq!(run.ledger().partial(unit).tally, 5);
    assert!(watch.progress().share > 0.0 && watch.progress().left.is_none());

    let small = Request::solutions(Size::new(12).unwrap()).engine(EngineKind::Naive).threads(2);
    let (mut ledger, mut runs) = (small.run().unwrap().ledger().clone(), 0);
    let total = loop {
        let (watch, mut run) = (Watch::default(), small.run().unwrap().resume(ledger.clone()).unwrap());
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
        // Each unit has one task. Units of earlier runs took none of this run's time.
        let (now, all, left) = (done as f64 - before as f64, total as f64 - before as f64, left.unwrap());
        let expected = elapsed.as_secs_f64() * (all - now) / now;
        assert!((left.as_secs_f64() - expected).abs() <= 0.01 * expected, "{left:?}, not {expected} s");
        ledger = run.ledger().clone();
        runs += 1;
        match counted {
            Ok(report) => break report.count,
            Err(error) => assert!(matches!(error, CountError::Stopped)),
        }
    };
    assert!(total == 14_200 && runs > 1 && ledger.is_complete(), "{total} after {runs} runs");
    assert!(matches!(small.shard(Shard::new(2, 3).unwrap()).unwrap().resume(ledger), Err(LedgerError::Shard { .. })));
}

/// A stopped run keeps its results, whatever work its watch shows by then. Nothing changes them after the end, and a
/// second count resumes from them.
#[test]
fn a_run_owns_its_ledger() {
    let (watch, begun) = (Watch::default(), |n| request(n).engine(EngineKind::Naive).threads(1).run().unwrap());
    let mut runs = [begun(15), begun(16)];
    std::thread::scope(|scope| {
        for run in &mut runs {
            let of = run.ledger().fingerprint();
            let counting = scope.spawn(|| run.count(&watch).map(drop));
            let has_begun = |ledger: Ledger| ledger.fingerprint() == of && ledger.reached() > (0, 0);
            while !watch.ledger().is_some_and(has_begun) && !counting.is_finished() {
                std::thread::yield_now();
            }
        }
        watch.stop();
    });
    let of =
        runs.each_ref().map(|run| (run.ledger().fingerprint().prefix.size().get(), run.ledger().reached() > (0, 0)));
    assert_eq!(of, [(15, true), (16, true)]);
    let last = || (watch.ledger().unwrap(), watch.progress());
    let at_the_end = last();
    assert_eq!(runs.each_ref().map(|run| *run.ledger() == at_the_end.0).iter().filter(|&&is| is).count(), 1);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(last(), at_the_end);

    let mut run = begun(9);
    for runs in 1..=2 {
        let (finished, counted) = (run.ledger().clone(), run.count(&Watch::default()).unwrap().count);
        assert_eq!((counted, run.ledger().runs().len(), run.ledger().is_complete()), (352, runs, true));
        assert!(finished.runs().len() < 2 || finished.runs()[0] == run.ledger().runs()[0]);
    }
    let failed = fault::with("expand", || request(9).engine(EngineKind::Backtrack).run().unwrap().count(&watch));
    assert!(matches!(failed, Err(CountError::SelfCheck { .. })) && watch.ledger().is_none(), "the run has not begun");
    // Another ledger never replaces results.
    let ([_, once], complete, empty) = (runs, run.ledger().clone(), begun(9).ledger().clone());
    let resumed = begun(9).resume(complete).unwrap().resume(empty);
    assert!([resumed, once.resume(at_the_end.0)].into_iter().all(|again| again.unwrap_err() == LedgerError::Resumed));
}

/// While a job of the caller's pool counts, no other job starts on its thread: that job may need a lock of the first
/// one.
#[test]
fn a_count_takes_no_job_of_the_callers_pool() {
    let (ledger, has_begun) = (request(9).run().unwrap().ledger().clone(), AtomicBool::new(false));
    let callers = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    callers.in_place_scope(|scope| {
        scope.spawn(|scope| {
            scope.spawn(|_| has_begun.store(true, Ordering::Relaxed));
            let watch = Watch::default();
            let half = SymmetricRequest::new(crate::Rotation::Half, 8).unwrap();
            assert_eq!((crate::count(9).unwrap(), half.count(&watch).unwrap().count), (352, 4));
            assert_eq!(Estimator::new(request(9)).estimate(&watch).unwrap().counted, Some(352));
            assert!(Audit::of(&ledger, 1).recount(&watch, &mut |_| ()).unwrap().units.is_empty());
            let failed = fault::with("sums", || request(12).engine(EngineKind::Join).count());
            assert!(matches!(failed, Err(CountError::SelfCheck { .. })), "the plain thread inherits the fault");
            let panicked = std::panic::catch_unwind(|| run_off_pool(|| -> Result<(), _> { std::panic::panic_any(5) }));
            assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&5));
            assert!(!has_begun.load(Ordering::Relaxed));
        });
    });
    assert!(has_begun.into_inner());
}

/// It reads the clock after each task only from N = 20.
#[test]
fn a_thread_obeys_a_stop_and_reads_the_clock_after_each_long_task() {
    for (n, is_known) in [(19, false), (20, true)] {
        let (watch, run) = (Watch::default(), request(n).engine(EngineKind::Join).run().unwrap());
        let (threads, make) = (threads(1, &watch), run.method.engines(Size::new(n).unwrap()));
        let state = RunState::new(run.ledger().clone(), &threads);
        watch.stop();
        threads.broadcast(|| count_unit(&mut *make(), &state, &threads, 0).unwrap_err());
        let ledger = state.end();
        assert_eq!((ledger.partial(0).tasks, ledger.cpu_time() > Some(Duration::ZERO)), (1, is_known), "N = {n}");
    }
}

/// These queens attack all squares of some columns, so no unit of the shard has a task.
#[test]
fn a_shard_without_tasks_is_done() {
    let prefix = Placement::parse("19,17,20,18,21,15,11,8,22,30,13", Size::new(32).unwrap()).unwrap();
    let (request, watch) = (Request::completions(prefix), Watch::default());
    let mut run = request.shard(Shard::new(6, 57).unwrap()).unwrap();
    let state = RunState::new(run.ledger().clone(), &threads(1, &watch));
    let Progress { total, share, left, .. } = state.progress();
    assert_eq!((total, share, left), (run.ledger().units() as u64, 0.0, None));
    assert_eq!((run.count(&watch).unwrap().count, watch.progress().share), (0, 1.0));
}

#[test]
fn a_sum_that_does_not_fit_is_an_error() {
    let mut ledger = request(12).run().unwrap().ledger().clone();
    for unit in [3, 5] {
        ledger.set(unit, Partial { tasks: Partial::WHOLE, tally: u128::MAX / 2 + 1 });
    }
    let counted = request(12).run().unwrap().resume(ledger).unwrap().count(&Watch::default());
    assert!(matches!(counted, Err(CountError::Overflow)));
}

#[test]
fn at_most_eight_threads_per_core_are_started() {
    let (cores, watch) = (available_threads(), Watch::default());
    let started = |number, items| Threads::start(number, items, &watch, &|| Ok(())).unwrap().number();
    assert_eq!([60_000, 0, 1].map(|number| started(number, 60_000)), [8 * cores, cores, 1]);
    // The default is one per core, but no more than items. A given number is kept.
    assert_eq!([started(0, 1), started(0, 0), started(3, 1)], [1, 1, 3]);
}
