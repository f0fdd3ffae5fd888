//! The state of a run: its ledger, how far it is and how long it will take.
//!
//! What the threads have in hand belongs to the ledger too, as parts of units: a snapshot holds every task that is
//! finished at that moment. So what a kill costs is what was finished since the last save, and what a stop costs is at most
//! the task that each thread has in hand.
//!
//! The time left comes from the [pace](super::pace) of the threads, not from the share done so far: dividing the elapsed
//! time by that share would leave the units in hand out, which at five percent of a hundred units is an error of a fifth.
//!
//! Cost: a lock taken twice a unit, and one a task that nobody else waits for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use super::pace::{Pace, Sample, TimeLeft};
use super::stop::Stop;
use super::{Observer, RunError};
use crate::ledger::{Ledger, Partial};
use crate::plan::Plan;
use crate::run::clock::process_seconds;
use crate::tally::Tally;

/// The state of a run, written by its threads and read by whoever watches; also its ledger.
#[derive(Debug)]
pub struct RunState {
    stop: Stop,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    ledger: Ledger,
    started: Instant,
    /// Seconds spent by earlier runs on the same ledger.
    earlier: f64,
    /// Processor time of theirs, less what this process had used before it began.
    cpu_before: Option<f64>,
    /// Estimated work of every unit of the plan; empty until the run starts.
    works: Vec<f64>,
    /// Estimated work of the units of the ledger's shard.
    total: f64,
    /// That of its finished units.
    done: f64,
    /// That of the finished tasks of other units, as far as no thread has them in hand.
    parts: f64,
    pace: Pace,
    /// Solutions in finished units.
    solutions: u128,
    /// Tasks solved by this run in units that it has finished.
    tasks: u64,
    /// What each thread has in hand.
    hands: Hands,
}

/// Whoever holds the lock of the state may take these, never the other way round.
type Hands = Arc<[Mutex<Option<Hand>>]>;

/// A unit that a thread has in hand.
#[derive(Clone, Debug)]
struct Hand {
    unit: usize,
    /// How many tasks it has.
    of: u64,
    /// How many of them earlier runs have finished.
    earlier: u64,
    /// What is finished of it by now.
    finished: Partial,
    begun: Instant,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Units finished, by this run or before.
    pub units_done: usize,
    /// Units of the ledger's shard.
    pub units: usize,
    /// Estimated work done, from 0 to 1.
    pub share: f64,
    /// Since the run started.
    pub elapsed: Duration,
    /// The time of earlier runs on the same ledger.
    pub earlier: Duration,
    /// Until it ends, where enough is finished to judge by.
    pub left: Option<TimeLeft>,
    /// Solutions found so far.
    pub solutions: u128,
    /// Tasks solved by this run.
    pub tasks: u64,
    /// Threads of the run; none before it begins.
    pub threads: usize,
}

impl Progress {
    /// Tasks solved in a second.
    pub fn tasks_per_second(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 { self.tasks as f64 / seconds } else { 0.0 }
    }
}

impl RunState {
    /// Watches a run that goes on from `ledger`.
    pub fn new(ledger: Ledger) -> Self {
        let solutions = ledger.total().map_or(u128::MAX, |total| total.get());
        let state = State {
            started: Instant::now(),
            earlier: ledger.origin.seconds,
            cpu_before: ledger.origin.cpu_seconds.zip(process_seconds()).map(|(earlier, now)| earlier - now),
            works: Vec::new(),
            total: 0.0,
            done: 0.0,
            parts: 0.0,
            pace: Pace::default(),
            solutions,
            tasks: 0,
            hands: Arc::default(),
            ledger,
        };
        Self { stop: Stop::default(), state: Mutex::new(state) }
    }

    /// The flag that stops the run.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The ledger as it stands, with what the threads have in hand and the seconds spent so far.
    pub fn ledger(&self) -> Ledger {
        self.state().snapshot()
    }

    /// The same where it can be had within this time: a thread that fails may keep it for ever.
    pub fn ledger_within(&self, time: Duration) -> Option<Ledger> {
        const STEP: Duration = Duration::from_millis(1);
        let start = Instant::now();
        while matches!(self.state.try_lock(), Err(TryLockError::WouldBlock)) {
            if start.elapsed() >= time {
                return None;
            }
            std::thread::sleep(STEP);
        }
        Some(self.ledger())
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        self.state().progress(Instant::now())
    }

    /// Takes note of the plan and the number of threads; the clock starts. What this gives is to see the run.
    pub(crate) fn start<'a, P: Plan>(&'a self, plan: &'a P, threads: usize) -> RunObserver<'a, P> {
        let mut state = self.state();
        let works: Vec<f64> = (0..plan.units()).map(|unit| plan.work(unit)).collect();
        state.total = state.ledger.shard().units(works.len()).map(|unit| works[unit]).sum();
        state.done = state.ledger.tallies().map(|(unit, _)| works[unit]).sum();
        let part = |(unit, partial): (usize, &Partial)| works[unit] * share(partial.tasks, plan.tasks(unit));
        state.parts = state.ledger.partials().map(part).sum();
        state.works = works;
        state.hands = (0..threads).map(|_| Mutex::default()).collect();
        state.started = Instant::now();
        RunObserver { watch: self, plan, hands: Arc::clone(&state.hands) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere ends the run anyway.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The share of a unit that so many tasks of it are.
fn share(tasks: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { tasks as f64 / of as f64 }
}

impl Hand {
    /// What this run has finished of the unit by now, as a sample of its pace; nothing where that is too little to tell.
    fn sample(&self, state: &State, now: Instant) -> Option<Sample> {
        /// Fewer tasks say little of the others.
        const FEWEST: u64 = 8;
        let tasks = self.finished.tasks - self.earlier;
        if tasks < FEWEST.min(self.of) {
            return None;
        }
        let since = |earlier: Instant| now.saturating_duration_since(earlier).as_secs_f64();
        // The time is known at which the unit was taken up, and not that of each task, which would cost more than a small
        // task takes. On average the task under way is half done.
        let half = if self.finished.tasks < self.of { 0.5 / self.of as f64 } else { 0.0 };
        let work = state.works[self.unit] * (share(tasks, self.of) + half);
        Some(Sample { work, seconds: since(self.begun), at: since(state.started) })
    }
}

impl State {
    fn hands(&self) -> impl Iterator<Item = Hand> {
        self.hands.iter().filter_map(|hand| lock(hand).clone())
    }

    fn snapshot(&self) -> Ledger {
        let mut ledger = self.ledger.clone();
        for hand in self.hands() {
            let entered = ledger.record_partial(hand.unit, hand.finished);
            entered.expect("what a thread has in hand goes on from what the ledger has of it");
        }
        ledger.origin.seconds = self.earlier + self.started.elapsed().as_secs_f64();
        ledger.origin.cpu_seconds = self.cpu_before.zip(process_seconds()).map(|(before, now)| before + now);
        ledger
    }

    fn progress(&self, now: Instant) -> Progress {
        let hands: Vec<Hand> = self.hands().collect();
        let (mut pace, mut blind) = (self.pace, 0);
        for hand in &hands {
            match hand.sample(self, now) {
                Some(sample) => pace.add(sample),
                None => blind += 1,
            }
        }
        let seconds = pace.seconds();
        let (units, units_done) = (self.ledger.units(), self.ledger.finished());
        // Of every unit in hand the work that is done, and what is left. Where none of its tasks is finished, the time that
        // it has taken tells; but the first task counts for no more than what it is estimated to be, however long it takes.
        let in_hand: Vec<(f64, f64)> = hands
            .iter()
            .map(|hand| {
                let work = self.works[hand.unit];
                let passed = now.saturating_duration_since(hand.begun).as_secs_f64();
                let first = seconds.map_or(0.0, |seconds| (passed / seconds).min(work * share(1, hand.of)));
                let done = work * share(hand.finished.tasks, hand.of);
                let done = if hand.finished.tasks == 0 { first } else { done };
                (done, work - done)
            })
            .collect();
        let reached = self.done + self.parts + in_hand.iter().map(|unit| unit.0).sum::<f64>();
        let left = seconds.zip(pace.error(blind)).and_then(|(seconds, error)| {
            // Near the end the longest unit in hand decides, while other threads idle.
            let longest = in_hand.iter().map(|unit| unit.1).fold(0.0, f64::max);
            let expected = ((self.total - reached) / self.hands.len() as f64).max(longest) * seconds;
            let [expected, low, high] = [1.0, 1.0 - error, 1.0 + error].map(|factor| {
                // More than a duration holds, hundreds of billions of years, is as good as not known.
                Duration::try_from_secs_f64(expected * factor).ok()
            });
            Some(TimeLeft { expected: expected?, low: low?, high: high? })
        });
        let finished = units_done == units;
        let parts = self.ledger.partials().filter(|(unit, _)| !hands.iter().any(|hand| hand.unit == *unit));
        let parts = parts.map(|(_, partial)| partial.tally.get());
        let parts = parts.chain(hands.iter().map(|hand| hand.finished.tally.get()));
        Progress {
            units_done,
            units,
            share: if finished {
                1.0
            } else if self.total > 0.0 {
                (reached / self.total).clamp(0.0, 1.0)
            } else {
                // Asked before the run has begun.
                0.0
            },
            elapsed: now.saturating_duration_since(self.started),
            earlier: Duration::try_from_secs_f64(self.earlier).unwrap_or(Duration::MAX),
            left: if finished { Some(TimeLeft::NOTHING) } else { left },
            solutions: parts.fold(self.solutions, u128::saturating_add),
            tasks: self.tasks + hands.iter().map(|hand| hand.finished.tasks - hand.earlier).sum::<u64>(),
            threads: self.hands.len(),
        }
    }
}

/// Sees a run for a [`RunState`].
#[derive(Debug)]
pub(crate) struct RunObserver<'a, P> {
    watch: &'a RunState,
    plan: &'a P,
    hands: Hands,
}

impl<P: Plan> Observer for RunObserver<'_, P> {
    fn begun(&self, thread: usize, unit: usize) -> Partial {
        let (now, of) = (Instant::now(), self.plan.tasks(unit));
        let mut state = self.watch.state();
        let finished = state.ledger.partial(unit);
        state.parts -= state.works[unit] * share(finished.tasks, of);
        let hand = Hand { unit, of, earlier: finished.tasks, finished: finished.clone(), begun: now };
        *lock(&self.hands[thread]) = Some(hand);
        finished
    }

    fn stopped(&self) -> bool {
        self.watch.stop.is_requested()
    }

    fn advanced(&self, thread: usize, partial: &Partial) {
        if let Some(hand) = &mut *lock(&self.hands[thread]) {
            hand.finished.clone_from(partial);
        }
    }

    fn finished(&self, thread: usize, unit: usize, tally: Tally) -> Result<(), RunError> {
        let now = Instant::now();
        let mut state = self.watch.state();
        let solutions = tally.get();
        state.ledger.record(unit, tally)?;
        state.solutions = state.solutions.saturating_add(solutions);
        state.done += state.works[unit];
        if let Some(hand) = lock(&self.hands[thread]).take() {
            state.tasks += hand.finished.tasks - hand.earlier;
            if let Some(sample) = hand.sample(&state, now) {
                state.pace.add(sample);
            }
        }
        Ok(())
    }

    fn disproved(&self, thread: usize) {
        let mut state = self.watch.state();
        if let Some(hand) = lock(&self.hands[thread]).take() {
            state.ledger.forget_partial(hand.unit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::ledger::Fingerprint;
    use crate::plan::Weighted;
    use crate::run::run;
    use crate::{Shard, Size};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Ten units of ten tasks each, the last of which is half of all work. Task t of unit u counts 10u + t + 1.
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

    /// What all tasks together count.
    const ALL: u128 = 100 * 101 / 2;

    fn ledger(done: &[usize]) -> Ledger {
        let subject = Size::new(8).unwrap().into();
        let fingerprint =
            Fingerprint { subject, engine: "none".into(), plan: Uneven.fingerprint(), units: Uneven.units() };
        let mut ledger = Ledger::new(fingerprint, Shard::WHOLE);
        for &unit in done {
            ledger.record(unit, 2.into()).unwrap();
        }
        ledger
    }

    fn part(tasks: u64, tally: u128) -> Partial {
        Partial { tasks, tally: tally.into() }
    }

    /// What is told so many seconds into the run, in which units were finished (unit, begun, finished), and of others so
    /// many tasks (unit, begun, tasks).
    fn told(
        earlier: Ledger,
        at: u64,
        finished: &[(usize, u64, u64)],
        in_hand: &[(usize, u64, u64)],
    ) -> (Progress, Ledger) {
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
        // Parts count by their tasks, those of earlier runs too, whether a thread has them in hand or not.
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
        // Eight units of ten seconds each of one thread; ten of 18 units of work are left to two threads.
        let finished: Vec<_> = (0..8).map(|unit| (unit, 0, 10)).collect();
        let (progress, _) = told(ledger(&[]), 10, &finished, &[]);
        assert_eq!(progress.left.unwrap().expected.as_secs(), 50);
        let (progress, _) = told(ledger(&[]), 60, &finished, &[(9, 10, 5), (8, 60, 0)]);
        let left = progress.left.unwrap();
        assert_eq!(left.expected.as_secs(), 45, "half of the last unit is done, which keeps one thread busy alone");
        assert!(left.low < left.expected && left.expected < left.high || left.low == left.high);
        // The first task of a unit counts for what it is estimated to be, and for no more: one of 0.9, that is nine seconds.
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
        // Each has done 8.5 of its ten tasks, four of them in 17 seconds and four in 16; of 18 units of work 6.4 are done.
        let expected = (18.0 - 6.4) / 8.0 * (4.0 * 17.0 + 4.0 * 16.0) / (8.0 * 0.85);
        assert!((left.expected.as_secs_f64() - expected).abs() < 1e-6, "{left:?}, not {expected}");
        // What an earlier run has done of a unit tells nothing of this one's pace.
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

    /// Stopped after every few tasks, by ever other numbers of threads, a run counts each task once.
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

    /// What a double check finds wrong is not saved as a part to go on from.
    #[test]
    fn what_is_disproved_is_forgotten() {
        let mut earlier = ledger(&[]);
        earlier.record_partial(5, part(2, 1000)).unwrap();
        let watch = RunState::new(earlier);
        let watching = watch.start(&Uneven, 1);
        watching.begun(0, 5);
        watching.advanced(0, &part(3, 1053));
        assert_eq!(watch.ledger().partial(5), part(3, 1053));
        watching.disproved(0);
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

    /// What threads finish counts for all that is told, by the calls that they make.
    #[test]
    fn what_threads_finish_is_told() {
        let mut earlier = ledger(&[]);
        earlier.record_partial(0, part(4, 1)).unwrap();
        let watch = RunState::new(earlier);
        let watching = watch.start(&Uneven, 1);
        // Samples weigh by how long after the start they came.
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

    /// The clock begins with the run, and a shard without units is finished from the beginning.
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

    /// A thread that failed may keep the state for ever.
    #[test]
    fn a_state_that_is_kept_is_not_waited_for() {
        let watch = RunState::new(ledger(&[3]));
        let kept = watch.state();
        assert!(watch.ledger_within(Duration::ZERO).is_none());
        drop(kept);
        assert_eq!(watch.ledger_within(Duration::ZERO).map(|ledger| ledger.finished()), Some(1));
    }

    /// The time of earlier runs is theirs and this one's, once.
    #[test]
    fn earlier_time_is_added_to() {
        let mut earlier = ledger(&[3]);
        (earlier.origin.seconds, earlier.origin.cpu_seconds) = (1000.0, Some(2000.0));
        let (begun, cpu) = (Instant::now(), process_seconds());
        let watch = RunState::new(earlier.clone());
        watch.start(&Uneven, 1);
        assert_eq!(watch.progress().earlier, Duration::from_secs(1000));
        let no_time = Progress { elapsed: Duration::ZERO, ..watch.progress() };
        assert!(no_time.tasks_per_second().abs() < f64::EPSILON, "no time, no speed");
        // The clock of the process may stand still for a while.
        let now = process_seconds();
        while now.is_some() && process_seconds() <= now {
            std::hint::spin_loop();
        }
        let saved = watch.ledger().origin;
        assert!(saved.seconds > 1000.0 && saved.cpu_seconds.is_none_or(|seconds| seconds > 2000.0), "{saved:?}");
        let no_more_than = |most: f64, time: f64| (-1e-6..=most + 1e-6).contains(&time);
        assert!(no_more_than(begun.elapsed().as_secs_f64(), saved.seconds - 1000.0), "{saved:?}");
        if let Some((before, now)) = cpu.zip(process_seconds()) {
            assert!(no_more_than(now - before, saved.cpu_seconds.unwrap() - 2000.0), "{saved:?}");
        }
        earlier.origin.cpu_seconds = None;
        assert_eq!(RunState::new(earlier).ledger().origin.cpu_seconds, None, "not known is not known");
    }
}
