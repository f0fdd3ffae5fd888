use super::hand::Hand;
use super::*;
use crate::engine::Engine;
use crate::ledger::Fingerprint;
use crate::plan::Weighted;
use crate::run::pace::TimeLeft;
use crate::run::run;
use crate::run::{Observer, RunError};
use crate::tally::Tally;
use crate::{Shard, Size};
use std::sync::atomic::{AtomicU64, Ordering};

/// Ten units of ten tasks each; the last unit is half of all work. Task t of unit u counts 10u + t + 1.
struct Uneven;

impl Plan for Uneven {
    type Task = u64;

    fn fingerprint(&self) -> String {
        "uneven".to_owned()
    }

    fn units(&self) -> usize {
        10
    }

    fn tasks(&self, _unit: usize) -> u64 {
        10
    }

    fn task(&self, unit: usize, index: u64) -> Weighted<u64> {
        Weighted { task: 10 * unit as u64 + index + 1, weight: 1 }
    }

    fn work(&self, unit: usize) -> f64 {
        if unit == 9 { 9.0 } else { 1.0 }
    }
}

/// The count of all tasks together.
const ALL: u128 = 100 * 101 / 2;

fn ledger(done: &[usize]) -> Ledger {
    let subject = Size::new(8).unwrap().into();
    let fingerprint = Fingerprint { subject, engine: "none".into(), plan: Uneven.fingerprint(), units: Uneven.units() };
    let mut ledger = Ledger::new(fingerprint, Shard::WHOLE);
    for &unit in done {
        ledger.record(unit, 2.into()).unwrap();
    }
    ledger
}

fn part(tasks: u64, tally: u128) -> Partial {
    Partial { tasks, tally: tally.into() }
}

/// The progress some seconds after the start of a run. Its finished units are (unit, begun, finished), its units in
/// progress are (unit, begun, tasks).
fn told(earlier: Ledger, at: u64, finished: &[(usize, u64, u64)], in_hand: &[(usize, u64, u64)]) -> (Progress, Ledger) {
    let watch = RunState::new(earlier);
    let threads = in_hand.len().max(2);
    let watching = watch.start(&Uneven, threads);
    let start = watch.state().started;
    let when = |seconds| start + Duration::from_secs(seconds);
    for &(unit, begun, end) in finished {
        let earlier = watching.begun(0, unit);
        let of_unit = Uneven.unit(unit).map(|task| u128::from(task.task)).sum::<u128>();
        watching.advanced(0, &part(10, of_unit));
        let hand = lock(&watching.hands[0]).take().unwrap();
        let hand = Hand { begun: when(begun), ..hand };
        let mut state = watch.state();
        let sample = hand.sample(&state, when(end)).unwrap();
        state.pace.add(sample);
        state.done += state.works[unit];
        state.solutions += of_unit;
        state.tasks += 10 - earlier.tasks;
        state.ledger.record(unit, of_unit.into()).unwrap();
    }
    for (thread, &(unit, begun, tasks)) in in_hand.iter().enumerate() {
        watching.begun(thread, unit);
        let of_tasks: u128 = Uneven.unit(unit).take(tasks as usize).map(|task| u128::from(task.task)).sum();
        watching.advanced(thread, &Partial { tasks, tally: Tally::from(of_tasks) });
        let hand = &mut *lock(&watching.hands[thread]);
        hand.as_mut().unwrap().begun = when(begun);
    }
    let progress = watch.state().progress(when(at));
    (progress, watch.ledger())
}

#[test]
fn the_share_is_weighted_by_work() {
    let eight = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    let (half, _) = told(ledger(&eight), 1000, &[], &[]);
    assert_eq!((half.units_done, half.units, half.solutions), (9, 10, 18));
    assert!((half.share - 0.5).abs() < 1e-9);
    assert_eq!(half.left, None, "nothing was finished in this run to judge by");
    let (all, _) = told(ledger(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), 1000, &[], &[]);
    assert_eq!((all.share, all.left), (1.0, Some(TimeLeft::NOTHING)));
    // Parts count by their tasks, also parts from earlier runs, whether or not a thread is working on them.
    let mut earlier = ledger(&eight);
    earlier.record_partial(9, part(4, 100)).unwrap();
    let (waiting, _) = told(earlier.clone(), 1000, &[], &[]);
    assert!((waiting.share - (9.0 + 0.4 * 9.0) / 18.0).abs() < 1e-9);
    assert_eq!((waiting.solutions, waiting.tasks), (118, 0));
    let (gone_on, _) = told(earlier, 1000, &[], &[(9, 0, 6)]);
    assert!((gone_on.share - (9.0 + 0.6 * 9.0) / 18.0).abs() < 1e-9);
    assert_eq!((gone_on.solutions, gone_on.tasks), (18 + 91 + 92 + 93 + 94 + 95 + 96, 2));
    assert!((gone_on.tasks_per_second() - 0.002).abs() < 1e-9);
}

#[test]
fn the_time_left_comes_from_what_is_finished() {
    // Eight units took ten seconds each of one thread. Ten of 18 units of work are left, for two threads.
    let finished: Vec<_> = (0..8).map(|unit| (unit, 0, 10)).collect();
    let (progress, _) = told(ledger(&[]), 10, &finished, &[]);
    assert_eq!(progress.left.unwrap().expected.as_secs(), 50);
    let (progress, _) = told(ledger(&[]), 60, &finished, &[(9, 10, 5), (8, 60, 0)]);
    let left = progress.left.unwrap();
    assert_eq!(left.expected.as_secs(), 45, "half of the last unit is done, which keeps one thread busy alone");
    assert!(left.low < left.expected && left.expected < left.high || left.low == left.high);
    // The first task of a unit counts at most as its estimated work, here 0.9, that is nine seconds.
    let (progress, _) = told(ledger(&[8]), 65, &finished, &[(9, 60, 0)]);
    assert_eq!(progress.left.unwrap().expected.as_secs(), 85);
    let (progress, _) = told(ledger(&[8]), 99, &finished, &[(9, 60, 0)]);
    assert_eq!(progress.left.unwrap().expected.as_secs(), 81);
    // Seven units are too few to tell.
    assert_eq!(told(ledger(&[]), 10, &finished[1..], &[]).0.left, None);
}

#[test]
fn units_in_hand_are_samples() {
    let in_hand: Vec<_> = (0..8).map(|unit| (unit, unit as u64 % 2, 8)).collect();
    let (progress, _) = told(ledger(&[]), 17, &[], &in_hand);
    let left = progress.left.unwrap();
    assert!(left.low < left.expected && left.expected < left.high, "{left:?}");
    // Each has done 8.5 of its ten tasks, four of them in 17 seconds and four in 16; of 18 units of work 6.4 are
    // done.
    let expected = (18.0 - 6.4) / 8.0 * (4.0 * 17.0 + 4.0 * 16.0) / (8.0 * 0.85);
    assert!((left.expected.as_secs_f64() - expected).abs() < 1e-6, "{left:?}, not {expected}");
    // The part of a unit that an earlier run has finished says nothing about the pace of this run.
    let mut earlier = ledger(&[]);
    earlier.record_partial(0, part(4, 1 + 2 + 3 + 4)).unwrap();
    assert_eq!(told(earlier, 17, &[], &in_hand).0.left, None);
    let fewer: Vec<_> = in_hand.iter().map(|&(unit, begun, _)| (unit, begun, 7)).collect();
    assert_eq!(told(ledger(&[]), 17, &[], &fewer).0.left, None, "seven tasks of a unit are too few");
}

#[test]
fn a_snapshot_has_what_is_in_hand() {
    let mut earlier = ledger(&[3]);
    earlier.record_partial(5, part(2, 51 + 52)).unwrap();
    let (_, snapshot) = told(earlier, 10, &[(4, 0, 1)], &[(5, 1, 4), (6, 1, 0)]);
    assert_eq!(snapshot.tallies().map(|(unit, _)| unit).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(snapshot.partials().collect::<Vec<_>>(), [(5, &part(4, 51 + 52 + 53 + 54))]);
}

/// Counts a task as its own number, notes it, and asks for a stop after so many.
struct Counting<'a> {
    stop: &'a Stop,
    /// How often each task was counted.
    counted: Vec<AtomicU64>,
    tasks: AtomicU64,
    most: u64,
}

impl Engine for Counting<'_> {
    type Task = u64;
    type Worker = ();

    fn worker(&self) {}

    fn count(&self, (): &mut (), task: &u64) -> u64 {
        self.counted[*task as usize].fetch_add(1, Ordering::Relaxed);
        if self.tasks.fetch_add(1, Ordering::Relaxed) + 1 >= self.most {
            self.stop.request();
        }
        *task
    }
}

/// A run that is stopped after every few tasks, and resumed with other numbers of threads, counts each task once.
#[test]
fn a_stop_loses_and_repeats_no_task() {
    for most in [1, 2, 3, 7, 25, 99, 1000] {
        let (mut saved, mut runs) = (ledger(&[]), 0);
        let counted: Vec<AtomicU64> = (0..=100).map(|_| AtomicU64::new(0)).collect();
        let mut counted = counted;
        while !saved.is_complete() {
            let watch = RunState::new(saved);
            let engine = Counting { stop: watch.stop(), counted, tasks: AtomicU64::new(0), most };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1 + runs % 3).build().unwrap();
            let todo = watch.ledger().todo();
            let result = run(&Uneven, &engine, &pool, &todo, &watch.start(&Uneven, 1 + runs % 3));
            saved = watch.ledger();
            assert!(result.is_ok() == saved.is_complete() || result == Err(RunError::Stopped));
            counted = engine.counted;
            runs += 1;
            assert!(runs <= 100, "a run gets nowhere");
        }
        assert_eq!(saved.total().unwrap().get(), ALL, "stopped after {most} tasks");
        assert!(counted[1..].iter().all(|times| times.load(Ordering::Relaxed) == 1), "stopped after {most} tasks");
        assert_eq!(saved.partials().count(), 0);
    }
}

/// What the ledger has of a unit, and a double check disproves, is not gone on from.
#[test]
fn what_is_disproved_is_forgotten() {
    let mut earlier = ledger(&[]);
    earlier.record_partial(5, part(2, 1000)).unwrap();
    let watch = RunState::new(earlier);
    let watching = watch.start(&Uneven, 1);
    assert_eq!(watch.ledger().partial(5), part(2, 1000));
    watching.disproved(5);
    assert_eq!(watch.ledger().partials().count(), 0);
}

#[test]
fn what_is_finished_enters_the_ledger() {
    let watch = RunState::new(ledger(&[3]));
    let watching = watch.start(&Uneven, 2);
    watching.begun(0, 4);
    watching.finished(0, 4, 5.into()).unwrap();
    assert_eq!(watch.ledger().total().unwrap().get(), 7);
    assert_eq!((watch.progress().units_done, watch.progress().solutions), (2, 7));
    assert!(watching.finished(0, 3, 1.into()).is_err(), "another tally for a unit of an earlier run");
    assert!(!watching.stopped());
    watch.stop().clone().request();
    assert!(watching.stopped());
}

/// The calls that the threads make update everything in the progress.
#[test]
fn what_threads_finish_is_told() {
    let mut earlier = ledger(&[]);
    earlier.record_partial(0, part(4, 1)).unwrap();
    let watch = RunState::new(earlier);
    let watching = watch.start(&Uneven, 1);
    // The weight of a sample is its time after the start.
    std::thread::sleep(Duration::from_millis(1));
    for unit in 0..8 {
        assert_eq!(watching.begun(0, unit).tasks, if unit == 0 { 4 } else { 0 });
        watching.advanced(0, &part(10, 7));
        watching.finished(0, unit, 7.into()).unwrap();
    }
    let progress = watch.progress();
    assert_eq!((progress.units_done, progress.solutions, progress.tasks), (8, 56, 76));
    assert!((progress.share - 8.0 / 18.0).abs() < 1e-9, "{progress:?}");
    assert!(watch.state().pace.seconds().is_some());
    watching.finished(0, 8, u128::MAX.into()).unwrap();
    assert_eq!(watch.progress().solutions, u128::MAX, "as many as can be told");
}

/// The clock starts with the run, and a shard without units is finished from the start.
#[test]
fn a_run_that_has_not_begun_is_at_its_beginning() {
    let watch = RunState::new(ledger(&[]));
    assert!(watch.progress().share.abs() < f64::EPSILON);
    std::thread::sleep(Duration::from_millis(2));
    let begun = Instant::now();
    watch.start(&Uneven, 1);
    let elapsed = watch.progress().elapsed;
    assert!(elapsed <= begun.elapsed(), "{elapsed:?}");
    let fingerprint = ledger(&[]).fingerprint().clone();
    let (nothing, _) = told(Ledger::new(fingerprint, Shard::new(11, 11).unwrap()), 0, &[], &[]);
    assert_eq!((nothing.units, nothing.left), (0, Some(TimeLeft::NOTHING)));
    assert!((nothing.share - 1.0).abs() < f64::EPSILON);
}

/// A thread that failed may hold the lock of the state for ever.
#[test]
fn a_state_that_is_kept_is_not_waited_for() {
    let watch = RunState::new(ledger(&[3]));
    let kept = watch.state();
    assert!(watch.ledger_within(Duration::ZERO).is_none());
    drop(kept);
    assert_eq!(watch.ledger_within(Duration::ZERO).map(|ledger| ledger.finished()), Some(1));
}

/// The time of earlier runs is added to that of this run once.
#[test]
fn earlier_time_is_added_to() {
    let mut earlier = ledger(&[3]);
    (earlier.origin.elapsed, earlier.origin.cpu_time) = (Duration::from_secs(1000), Some(Duration::from_secs(2000)));
    let (begun, cpu) = (Instant::now(), process_time());
    let watch = RunState::new(earlier.clone());
    watch.start(&Uneven, 1);
    assert_eq!(watch.progress().earlier, Duration::from_secs(1000));
    let no_time = Progress { elapsed: Duration::ZERO, ..watch.progress() };
    assert!(no_time.tasks_per_second().abs() < f64::EPSILON, "no time, no speed");
    // The clock of the process may stand still for a while.
    let now = process_time();
    while now.is_some() && process_time() <= now {
        std::hint::spin_loop();
    }
    let saved = watch.ledger().origin;
    let added = saved.elapsed.saturating_sub(Duration::from_secs(1000));
    assert!(!added.is_zero() && added <= begun.elapsed(), "{saved:?}");
    if let Some((before, now)) = cpu.zip(process_time()) {
        let added = saved.cpu_time.unwrap().saturating_sub(Duration::from_secs(2000));
        assert!(!added.is_zero() && added <= now.saturating_sub(before), "{saved:?}");
    }
    earlier.origin.cpu_time = None;
    assert_eq!(RunState::new(earlier).ledger().origin.cpu_time, None, "not known is not known");
}
