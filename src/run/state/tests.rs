use super::*;
use crate::engine::Engine;
use crate::ledger::{Fingerprint, Partial};
use crate::plan::{Plan, Weighted};
use crate::run::counting::tests::planted;
use crate::run::{CountError, Share, count};
use crate::{Shard, Size};
use std::sync::atomic::{AtomicU64, Ordering};

/// Ten units of ten tasks each; the last unit is half of all work. Task t of unit u counts 10u + t + 1.
struct Uneven;

impl Units for Uneven {
    fn fingerprint(&self) -> String {
        "uneven".to_owned()
    }

    fn units(&self) -> usize {
        10
    }

    fn tasks(&self, _unit: usize) -> u64 {
        10
    }

    fn work(&self, unit: usize) -> f64 {
        if unit == 9 { 9.0 } else { 1.0 }
    }
}

impl Plan for Uneven {
    type Task = u64;

    fn task(&self, unit: usize, index: u64) -> Weighted<u64> {
        Weighted { task: 10 * unit as u64 + index + 1, weight: 1 }
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

fn state(ledger: Ledger) -> RunState {
    RunState::new(ledger, Arc::new(Uneven), Stop::default())
}

/// The progress some seconds after the start of a run. Its finished units are (unit, begun, finished), its units in
/// progress are (unit, begun, tasks).
fn told(earlier: Ledger, at: u64, finished: &[(usize, u64, u64)], current: &[(usize, u64, u64)]) -> (Progress, Ledger) {
    let watch = state(earlier);
    let of_tasks = |unit, tasks| Uneven.unit(unit).take(tasks).map(|task| u128::from(task.task)).sum::<u128>();
    let when = Duration::from_secs;
    let mut held = lock(&watch.state);
    for &(unit, begun, ended) in finished {
        let units = vec![(unit, of_tasks(unit, 10).into())];
        held.fresh.push(Batch { units, begun: when(begun), ended: when(ended) });
    }
    held.enter(&Uneven);
    let thread = |&(unit, begun, tasks): &(usize, u64, u64)| {
        let finished = part(tasks, of_tasks(unit, tasks as usize));
        CurrentUnit { unit, finished, begun: when(begun) }
    };
    let states = current.iter().map(thread).collect();
    let progress = watch.progress_of(&held, current.len().max(2), states, when(at));
    drop(held);
    watch.start(current.len());
    for &(unit, _, tasks) in current {
        watch.recorder().begin(unit, part(tasks, of_tasks(unit, tasks as usize)));
    }
    (progress, watch.ledger())
}

#[test]
fn the_share_is_weighted_by_work() {
    let eight = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    let (half, _) = told(ledger(&eight), 1000, &[], &[]);
    assert_eq!((half.done, half.total, half.solutions), (9, 10, 18));
    assert!((half.share - 0.5).abs() < 1e-9);
    assert_eq!(half.left, None, "nothing was finished in this run to judge by");
    let (all, _) = told(ledger(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), 1000, &[], &[]);
    assert_eq!((all.share, all.left), (1.0, Some(Interval::exactly(0.0))));
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
    assert_eq!(progress.left.unwrap().mean.round() as u64, 50);
    let (progress, _) = told(ledger(&[]), 60, &finished, &[(9, 10, 5), (8, 60, 0)]);
    let left = progress.left.unwrap();
    assert_eq!(left.mean.round() as u64, 45, "half of the last unit is done, which keeps one thread busy alone");
    assert!(left.low < left.mean && left.mean < left.high);
    // The first task of a unit counts at most as its estimated work, here 0.9, that is nine seconds.
    let (progress, _) = told(ledger(&[8]), 65, &finished, &[(9, 60, 0)]);
    assert_eq!(progress.left.unwrap().mean.round() as u64, 85);
    let (progress, _) = told(ledger(&[8]), 99, &finished, &[(9, 60, 0)]);
    assert_eq!(progress.left.unwrap().mean.round() as u64, 81);
    // Seven units are too few to tell.
    assert_eq!(told(ledger(&[]), 10, &finished[1..], &[]).0.left, None);
}

#[test]
fn units_in_hand_are_samples() {
    let current: Vec<_> = (0..8).map(|unit| (unit, unit as u64 % 2, 8)).collect();
    let (progress, _) = told(ledger(&[]), 17, &[], &current);
    let left = progress.left.unwrap();
    assert!(left.low < left.mean && left.mean < left.high, "{left:?}");
    // Each has done 8.5 of its ten tasks, four of them in 17 seconds and four in 16; of 18 units of work 6.4 are
    // done.
    let expected = (18.0 - 6.4) / 8.0 * (4.0 * 17.0 + 4.0 * 16.0) / (8.0 * 0.85);
    assert!((left.mean - expected).abs() < 1e-6, "{left:?}, not {expected}");
    // The part of a unit that an earlier run has finished says nothing about the pace of this run.
    let mut earlier = ledger(&[]);
    earlier.record_partial(0, part(4, 1 + 2 + 3 + 4)).unwrap();
    assert_eq!(told(earlier, 17, &[], &current).0.left, None);
    let fewer: Vec<_> = current.iter().map(|&(unit, begun, _)| (unit, begun, 7)).collect();
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
struct Numbers<'a> {
    stop: &'a Stop,
    /// How often each task was counted.
    counted: Vec<AtomicU64>,
    tasks: AtomicU64,
    most: u64,
}

impl Engine for Numbers<'_> {
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

/// A second engine that nobody asks.
struct Never;

impl Engine for Never {
    type Task = u64;
    type Worker = ();

    fn worker(&self) {}

    fn count(&self, (): &mut (), _: &u64) -> u64 {
        unreachable!("nothing is counted twice")
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
            let watch = state(saved);
            let engine = Numbers { stop: watch.stop(), counted, tasks: AtomicU64::new(0), most };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1 + runs % 3).build().unwrap();
            let result = count(&planted(Uneven, &engine, Never, None), &pool, Share::NONE, &watch);
            saved = watch.ledger();
            let stopped = matches!(result, Err(CountError::Stopped));
            assert!(if saved.is_complete() { stopped || result.is_ok() } else { stopped });
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
    let watch = state(earlier);
    assert_eq!(watch.ledger().partial(5), part(2, 1000));
    watch.disproved(5);
    assert_eq!(watch.ledger().partials().count(), 0);
}

/// The calls that the threads make update everything in the progress, and the total needs no ledger.
#[test]
fn what_threads_finish_is_told() {
    let mut earlier = ledger(&[]);
    earlier.record_partial(0, part(4, 1)).unwrap();
    let watch = state(earlier);
    {
        watch.start(1);
        let mut recorder = watch.recorder();
        // The weight of a sample is its time after the start.
        for unit in 0..8 {
            recorder.begin(unit, part(if unit == 0 { 4 } else { 0 }, 1));
            std::thread::sleep(Duration::from_millis(2));
            recorder.advance(&part(10, 7));
            recorder.finish(unit, &part(10, 7));
        }
        assert_eq!(watch.total().map(Tally::get), Ok(56));
        let progress = watch.progress();
        assert_eq!((progress.done, progress.solutions, progress.tasks), (8, 56, 76));
        assert!((progress.share - 8.0 / 18.0).abs() < 1e-9, "{progress:?}");
        assert!(lock(&watch.state).pace.seconds().is_some());
        assert_eq!((watch.total().map(Tally::get), watch.ledger().finished()), (Ok(56), 8));
        recorder.begin(8, part(0, 0));
        recorder.finish(8, &part(10, u128::MAX));
    }
    assert_eq!(watch.progress().solutions, u128::MAX, "as many as can be told");
    assert!(watch.total().is_err(), "and more than fit");
}

/// The clock starts with the run, and a shard without units is finished from the start.
#[test]
fn a_run_that_has_not_begun_is_at_its_beginning() {
    let watch = state(ledger(&[]));
    assert!(watch.progress().share.abs() < f64::EPSILON);
    std::thread::sleep(Duration::from_millis(2));
    let begun = Instant::now();
    watch.start(1);
    let elapsed = watch.progress().elapsed;
    assert!(elapsed <= begun.elapsed(), "{elapsed:?}");
    let fingerprint = ledger(&[]).fingerprint().clone();
    let (nothing, _) = told(Ledger::new(fingerprint, Shard::new(11, 11).unwrap()), 0, &[], &[]);
    assert_eq!((nothing.total, nothing.left), (0, Some(Interval::exactly(0.0))));
    assert!((nothing.share - 1.0).abs() < f64::EPSILON);
}

/// The time of earlier runs is added to that of this run once.
#[test]
fn earlier_time_is_added_to() {
    let mut earlier = ledger(&[3]);
    earlier.begin_run(None);
    let run = earlier.current_run().unwrap();
    (run.elapsed, run.cpu_time) = (Duration::from_secs(1000), Some(Duration::from_secs(2000)));
    let (begun, cpu) = (Instant::now(), process_time());
    let watch = state(earlier.clone());
    watch.start(1);
    assert_eq!(watch.progress().earlier, Duration::from_secs(1000));
    let no_time = Progress { elapsed: Duration::ZERO, ..watch.progress() };
    assert!(no_time.tasks_per_second().abs() < f64::EPSILON, "no time, no speed");
    // The clock of the process may stand still for a while.
    let now = process_time();
    while now.is_some() && process_time() <= now {
        std::hint::spin_loop();
    }
    let saved = watch.ledger();
    let added = saved.elapsed().saturating_sub(Duration::from_secs(1000));
    assert!(!added.is_zero() && added <= begun.elapsed(), "{saved:?}");
    if let Some((before, now)) = cpu.zip(process_time()) {
        let added = saved.cpu_time().unwrap().saturating_sub(Duration::from_secs(2000));
        assert!(!added.is_zero() && added <= now.saturating_sub(before), "{saved:?}");
    }
    assert_eq!(saved.runs().len(), 1, "the run that was begun with the ledger");
    earlier.current_run().unwrap().cpu_time = None;
    assert_eq!(state(earlier).ledger().cpu_time(), None, "not known is not known");
    assert_eq!(state(ledger(&[3])).ledger().runs().len(), 1, "a run that nobody has begun is recorded too");
}
