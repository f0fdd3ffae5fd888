//! Watching a run: its ledger, how far it is and how long it will take.
//!
//! The time left comes from the speed of the threads, not from the share done so far: every finished unit tells how
//! much estimated work a thread does in a second, and the units at hand are counted by the time that they have
//! already taken. Dividing the elapsed time by the finished share instead would leave the units at hand out, which
//! at five percent of a hundred units is an error of a fifth. Later units count more, so that what only a start costs
//! (tables, cold caches) and what else the machine was doing then are forgotten in time.
//!
//! Cost: a lock taken twice a unit, one atomic addition a task.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use super::stop::Stop;
use super::{Halt, Observer};
use crate::clock::process_seconds;
use crate::ledger::Ledger;
use crate::plan::Plan;
use crate::tally::Tally;

/// The state of a run, written by its threads and read by whoever watches; also its ledger.
#[derive(Debug)]
pub struct Watch {
    stop: Stop,
    tasks: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    ledger: Ledger,
    solutions: u128,
    started: Instant,
    /// Seconds spent by earlier runs on the same ledger.
    earlier: f64,
    /// Processor time of theirs, less what this process had used before it began.
    cpu_before: Option<f64>,
    /// Estimated work of every unit of the plan; empty until the run starts.
    works: Vec<f64>,
    /// Of the units of the ledger's shard, and of those finished, by this run or before.
    work: Work,
    /// What the threads have in hand, and since when.
    at_hand: Vec<Option<(usize, Instant)>>,
    /// Estimated work that a thread is expected to do in a second, for as long as no unit is finished to judge by.
    expected: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Work {
    total: f64,
    done: f64,
    /// Work w done by this run and the seconds d that its threads took for it, as the sums of w·t and d·t over its units,
    /// where t is how far into the run a unit was finished: the newest weigh most.
    here: f64,
    busy: f64,
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
    /// Until it ends, where a unit is finished to judge by, or something was expected beforehand.
    pub left: Option<Duration>,
    /// Solutions in the finished units.
    pub solutions: u128,
    /// Tasks solved by this run.
    pub tasks: u64,
}

impl Progress {
    /// Tasks solved in a second.
    pub fn tasks_per_second(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 { self.tasks as f64 / seconds } else { 0.0 }
    }
}

impl Watch {
    /// Watches a run that goes on from `ledger`.
    pub fn new(ledger: Ledger) -> Self {
        let solutions = ledger.total().map_or(u128::MAX, |total| total.get());
        let state = State {
            solutions,
            started: Instant::now(),
            earlier: ledger.origin.seconds,
            cpu_before: ledger.origin.cpu_seconds.zip(process_seconds()).map(|(earlier, now)| earlier - now),
            works: Vec::new(),
            work: Work::default(),
            at_hand: Vec::new(),
            expected: None,
            ledger,
        };
        Self { stop: Stop::default(), tasks: AtomicU64::new(0), state: Mutex::new(state) }
    }

    /// The flag that stops the run.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The ledger as it stands, with the seconds spent so far.
    pub fn ledger(&self) -> Ledger {
        let state = self.state();
        let mut ledger = state.ledger.clone();
        ledger.origin.seconds = state.earlier + state.started.elapsed().as_secs_f64();
        ledger.origin.cpu_seconds = state.cpu_before.zip(process_seconds()).map(|(before, now)| before + now);
        ledger
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

    /// Lets the time left be told before a unit is finished: one thread is expected to take so many seconds for the
    /// whole plan, all shards together.
    pub fn expect(&self, seconds: f64) {
        let mut state = self.state();
        let speed = state.works.iter().sum::<f64>() / seconds;
        state.expected = Some(speed).filter(|speed| speed.is_finite() && *speed > 0.0);
    }

    /// The threads of the run; none before it starts.
    pub fn threads(&self) -> usize {
        self.state().at_hand.len()
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        self.state().progress(Instant::now(), self.tasks.load(Ordering::Relaxed))
    }

    /// Takes note of the plan and the number of threads; the clock starts.
    pub(crate) fn start(&self, plan: &impl Plan, threads: usize) {
        let mut state = self.state();
        let works: Vec<f64> = (0..plan.units()).map(|unit| plan.work(unit)).collect();
        let sum = |units: &mut dyn Iterator<Item = usize>| units.map(|unit| works[unit]).sum();
        let total = sum(&mut state.ledger.shard().units(works.len()));
        let done = sum(&mut state.ledger.tallies().map(|(unit, _)| unit));
        state.work = Work { total, done, ..Work::default() };
        state.works = works;
        state.at_hand = vec![None; threads];
        state.started = Instant::now();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere ends the run anyway.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A thread has solved the unit that it had in hand.
    fn finish(&mut self, thread: usize, unit: usize, now: Instant) {
        let Some((_, since)) = self.at_hand[thread].take() else { return };
        let late = now.saturating_duration_since(self.started).as_secs_f64();
        self.work.done += self.works[unit];
        self.work.here += self.works[unit] * late;
        self.work.busy += now.saturating_duration_since(since).as_secs_f64() * late;
    }

    fn progress(&self, now: Instant, tasks: u64) -> Progress {
        let Work { total, done, here, busy } = self.work;
        let measured = here > 0.0;
        let speed = if measured { here / busy.max(f64::MIN_POSITIVE) } else { self.expected.unwrap_or(0.0) };
        // No unit at hand counts for more than it is estimated to be, however long it takes.
        let partly = |&(unit, since): &(usize, Instant)| {
            (now.saturating_duration_since(since).as_secs_f64() * speed).min(self.works[unit])
        };
        let at_hand: Vec<(f64, f64)> =
            self.at_hand.iter().flatten().map(|unit| (partly(unit), self.works[unit.0])).collect();
        let reached = done + at_hand.iter().map(|unit| unit.0).sum::<f64>();
        let units = self.ledger.units();
        let units_done = self.ledger.finished();
        let share = if units_done == units {
            1.0
        } else if total > 0.0 {
            (reached / total).clamp(0.0, 1.0)
        } else {
            // Asked before the run has begun.
            0.0
        };
        let left = if units_done == units {
            Some(0.0)
        } else {
            // Near the end the longest unit at hand decides, while other threads idle.
            let longest = at_hand.iter().map(|(reached, work)| work - reached).fold(0.0, f64::max);
            (speed > 0.0).then(|| ((total - reached) / self.at_hand.len() as f64).max(longest) / speed)
        };
        Progress {
            units_done,
            units,
            share,
            elapsed: now.saturating_duration_since(self.started),
            earlier: Duration::try_from_secs_f64(self.earlier).unwrap_or(Duration::MAX),
            left: left.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            solutions: self.solutions,
            tasks,
        }
    }
}

impl Observer for Watch {
    fn begun(&self, thread: usize, unit: usize) {
        self.state().at_hand[thread] = Some((unit, Instant::now()));
    }

    fn stopped(&self) -> bool {
        self.stop.is_requested()
    }

    fn task_done(&self) {
        // Relaxed: a figure for people, read now and then.
        self.tasks.fetch_add(1, Ordering::Relaxed);
    }

    fn finished(&self, thread: usize, unit: usize, tally: Tally) -> Result<(), Halt> {
        let mut state = self.state();
        state.solutions = state.solutions.saturating_add(tally.get());
        state.ledger.record(unit, tally)?;
        state.finish(thread, unit, Instant::now());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Fingerprint;
    use crate::plan::Weighted;
    use crate::{Placement, Shard, Size};

    /// Ten units, the last of which is half of all work.
    struct Uneven;

    impl Plan for Uneven {
        type Task = ();

        fn fingerprint(&self) -> String {
            "uneven".to_owned()
        }

        fn units(&self) -> usize {
            10
        }

        fn tasks(&self, _unit: usize) -> u64 {
            1
        }

        fn task(&self, _unit: usize, _index: u64) -> Weighted<()> {
            Weighted { task: (), weight: 1 }
        }

        fn work(&self, unit: usize) -> f64 {
            if unit == 9 { 9.0 } else { 1.0 }
        }
    }

    fn watch(done: &[usize]) -> Watch {
        let fingerprint = Fingerprint::new(Placement::empty(Size::new(8).unwrap()), "none", &Uneven);
        let mut ledger = Ledger::new(fingerprint, Shard::WHOLE);
        for &unit in done {
            ledger.record(unit, 2.into()).unwrap();
        }
        let watch = Watch::new(ledger);
        watch.start(&Uneven, 2);
        watch
    }

    /// The state after two threads have spent given seconds, with no clock involved.
    fn after(watch: &Watch, here: f64, busy: f64, at_hand: [Option<(usize, u64)>; 2]) -> Progress {
        let mut state = watch.state();
        state.work.done += here;
        state.work.here = here;
        state.work.busy = busy;
        let since = state.started;
        let now = since + Duration::from_secs(1000);
        state.at_hand = at_hand
            .map(|unit| unit.map(|(unit, seconds)| (unit, since + Duration::from_secs(1000 - seconds))))
            .to_vec();
        state.progress(now, 500)
    }

    #[test]
    fn the_share_is_weighted_by_work() {
        let half = after(&watch(&[0, 1, 2, 3, 4, 5, 6, 7, 8]), 0.0, 0.0, [None, None]);
        assert_eq!((half.units_done, half.units, half.solutions), (9, 10, 18));
        assert!((half.share - 0.5).abs() < 1e-9);
        assert_eq!(half.left, None, "nothing was finished in this run to judge by");
        assert!((half.tasks_per_second() - 0.5).abs() < 1e-9);
        let all = after(&watch(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), 0.0, 0.0, [None, None]);
        assert_eq!((all.share, all.left), (1.0, Some(Duration::ZERO)));
    }

    #[test]
    fn the_time_left_counts_the_units_at_hand() {
        // 4 of 18 done in 40 thread seconds, and two units half done: 13 left at 0.1 a second for each of 2 threads.
        let progress = after(&watch(&[]), 4.0, 40.0, [Some((4, 5)), Some((5, 5))]);
        assert_eq!(progress.left.unwrap().as_secs_f64().round() as u64, 65);
        assert!((progress.share - 5.0 / 18.0).abs() < 1e-9);
        // A unit that takes longer than estimated counts as its estimate: 14 - 1 - 0.5 left.
        let progress = after(&watch(&[]), 4.0, 40.0, [Some((4, 500)), Some((5, 5))]);
        assert!((progress.left.unwrap().as_secs_f64() - 62.5).abs() < 1e-6);
        // The last unit keeps one thread busy alone.
        let progress = after(&watch(&[]), 9.0, 90.0, [Some((9, 10)), None]);
        assert_eq!(progress.left.unwrap().as_secs_f64().round() as u64, 80);
    }

    #[test]
    fn what_was_expected_counts_until_a_unit_is_finished() {
        let watch = watch(&[]);
        // 18 units of work in 180 seconds of one thread; two units of one under way for 5 seconds each are half done.
        watch.expect(180.0);
        let seeded = after(&watch, 0.0, 0.0, [Some((4, 5)), Some((5, 5))]);
        assert_eq!(seeded.left.unwrap().as_secs_f64().round() as u64, 85);
        assert!((seeded.share - 1.0 / 18.0).abs() < 1e-9);
        let measured = after(&watch, 4.0, 80.0, [None, None]);
        assert_eq!(measured.left.unwrap().as_secs_f64().round() as u64, 14 * 20 / 2);
        for nothing in [0.0, f64::NAN, f64::INFINITY] {
            watch.expect(nothing);
            assert_eq!(after(&watch, 0.0, 0.0, [None, None]).left, None);
        }
    }

    #[test]
    fn later_units_count_more() {
        let watch = watch(&[]);
        let mut state = watch.state();
        let at = |state: &State, seconds| state.started + Duration::from_secs(seconds);
        for (unit, begun, finished) in [(0, 0, 10), (1, 98, 100)] {
            state.at_hand[0] = Some((unit, at(&state, begun)));
            let now = at(&state, finished);
            state.finish(0, unit, now);
        }
        // Ten seconds for a unit with weight 10, two with weight 100: 300 / 110 for each of the 16 that two threads
        // have left.
        let left = state.progress(at(&state, 100), 2).left.unwrap().as_secs_f64();
        assert!((left - 16.0 / 2.0 * 300.0 / 110.0).abs() < 1e-6, "{left}");
    }

    #[test]
    fn what_is_finished_enters_the_ledger() {
        let watch = watch(&[3]);
        watch.begun(0, 4);
        watch.finished(0, 4, 5.into()).unwrap();
        assert_eq!(watch.ledger().total().unwrap().get(), 7);
        assert_eq!(watch.progress().units_done, 2);
        assert!(watch.finished(0, 3, 1.into()).is_err(), "another tally for a unit of an earlier run");
        assert!(!watch.stopped());
        watch.stop().clone().request();
        assert!(watch.stopped());
    }
}
