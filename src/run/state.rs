//! The state of a run: its ledger, and how far it is.
//!
//! What each thread has in hand stands under a mutex of its own, which is locked for nanoseconds: by the thread after each
//! task, and by whoever asks for the ledger or the progress. A snapshot has every task that is finished at that moment. So
//! a kill loses the work since the last save, and a stop loses at most the current task of each thread.
//!
//! What a thread enters is unchecked until its next check. If that fails it is taken out again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime};

use super::threads::{HOUR, Threads, this_thread, thread_time};
use crate::engine::lanes::IS_WRONG;
use crate::ledger::{Ledger, Partial};
use crate::report::CountError;
use crate::watch::{self, Progress, Watched, lock};

/// The state of a run. Its threads write it, and others read it meanwhile.
#[derive(Debug)]
pub(super) struct RunState {
    /// What earlier runs have finished.
    pub(super) earlier: Ledger,
    /// How many tasks there are.
    tasks: u64,
    /// Whether a task takes far longer than a look at the clock.
    is_large: bool,
    pub(super) begun: Instant,
    /// By the number of the thread.
    hands: Vec<Mutex<Hand>>,
    /// What the threads have finished, when somebody asked last.
    entered: Mutex<Ledger>,
    /// Whether the run has ended, and with it the time of its record.
    has_ended: AtomicBool,
}

/// A thread's part in the run.
#[derive(Debug, Default)]
struct Hand {
    /// What it has finished of each unit since somebody asked last.
    new: Vec<(usize, Partial)>,
    /// What there was of each unit when it passed its last check, of those that it has worked on since.
    unchecked: Vec<(usize, Partial)>,
    /// It has failed its check, or uses what one has listed that did.
    is_wrong: bool,
    /// How often it has entered something.
    entered: u64,
    /// When the run began and when it noted the time last, by the processor time of the thread.
    time: [Duration; 2],
}

impl RunState {
    /// The state of a run that goes on from this ledger, on these threads.
    pub(super) fn new(ledger: Ledger, threads: &Threads) -> Self {
        let plan = ledger.plan();
        let tasks = ledger.shard().units(plan.units()).map(|unit| plan.tasks(unit)).sum();
        let hands =
            threads.each(|| Mutex::new(Hand { time: [thread_time().unwrap_or_default(); 2], ..Hand::default() }));
        let (earlier, is_large) = (ledger.clone(), ledger.fingerprint().prefix.size().get() >= 20);
        let (begun, entered, has_ended) = (Instant::now(), Mutex::new(ledger), AtomicBool::new(false));
        Self { earlier, tasks, is_large, begun, hands, entered, has_ended }
    }

    /// The units that are left. The groups of the plan are shuffled, in the same way every time, so that the finished units
    /// are a fair sample for telling the time left. The units of a group stay together: when they were shuffled too, the
    /// join was 5 times slower at N = 17.
    pub(super) fn order(&self) -> Vec<usize> {
        let (todo, plan) = (self.earlier.todo(), self.earlier.plan());
        let mut groups: Vec<&[usize]> = todo.chunk_by(|&a, &b| plan.group(a) == plan.group(b)).collect();
        fastrand::Rng::with_seed(0).shuffle(&mut groups);
        groups.concat()
    }

    /// This thread has finished `part` of a unit, of which there was `before`. It checks itself if it has found what cannot be,
    /// or has worked for an hour. From N = 20 on it looks at the clock after each task: those of N = 28 take half a minute,
    /// and those of N = 17 hardly more than a microsecond.
    pub(super) fn enter(
        &self,
        threads: &Threads,
        unit: usize,
        before: Partial,
        part: Partial,
    ) -> Result<(), CountError> {
        if IS_WRONG.get() {
            self.check_again(threads, HOUR)?;
        }
        let mut hand = lock(&self.hands[this_thread()]);
        hand.entered += 1;
        if !hand.is_wrong {
            if hand.unchecked.last().is_none_or(|last| last.0 != unit) {
                hand.unchecked.push((unit, before));
            }
            match hand.new.last_mut() {
                Some(last) if last.0 == unit => last.1 = part,
                _ => hand.new.push((unit, part)),
            }
        }
        let is_due = self.is_large || hand.entered.is_multiple_of(64);
        drop(hand);
        if is_due { self.check_again(threads, HOUR) } else { Ok(()) }
    }

    /// Notes how long this thread has worked, and has it check itself, if that is so long. What has entered since its last check
    /// is good, or is taken out.
    pub(super) fn check_again(&self, threads: &Threads, after: Duration) -> Result<(), CountError> {
        lock(&self.hands[this_thread()]).time[1] = thread_time().unwrap_or_default();
        let passed = threads.check_again(after);
        match passed {
            Err(_) => self.take_out(),
            // Where threads share lists, what is wrong in another's is wrong in all that were counted since they began.
            Ok(true) if !self.earlier.plan().shares_lists() => lock(&self.hands[this_thread()]).unchecked.clear(),
            Ok(_) => {}
        }
        passed.map(drop)
    }

    /// Takes out what this thread has entered since its last check, or where threads share lists, what all have: once all of it is
    /// there, each unit goes back to what there was before.
    fn take_out(&self) {
        let (mut entered, thread) = (lock(&self.entered), this_thread());
        let hands = if self.earlier.plan().shares_lists() { &self.hands[..] } else { &self.hands[thread..=thread] };
        for hand in hands {
            let hand = &mut *lock(hand);
            hand.is_wrong = true;
            hand.new.drain(..).chain(hand.unchecked.drain(..)).for_each(|(unit, part)| entered.put(unit, part));
        }
    }

    /// All that the threads have finished.
    pub(super) fn entered(&self) -> MutexGuard<'_, Ledger> {
        let (mut entered, mut cpu_time) = (lock(&self.entered), Duration::ZERO);
        // Relaxed: it is set under the same lock.
        if self.has_ended.load(Ordering::Relaxed) {
            return entered;
        }
        for hand in &self.hands {
            let hand = &mut *lock(hand);
            hand.new.drain(..).for_each(|(unit, part)| entered.put(unit, part));
            cpu_time += hand.time[1].saturating_sub(hand.time[0]);
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let units = (entered.finished() - self.earlier.finished()) as u64;
        let run = entered.last_run();
        (run.saved, run.elapsed, run.units) = (u32::try_from(now.as_secs()).ok(), self.begun.elapsed(), Some(units));
        run.cpu_time = thread_time().map(|_| cpu_time);
        entered
    }

    /// The final ledger: the threads have ended.
    pub(super) fn end(&self) -> Ledger {
        let ledger = self.entered();
        self.has_ended.store(true, Ordering::Relaxed);
        ledger.clone()
    }
}

impl Watched for RunState {
    fn progress(&self) -> Progress {
        /// So many tasks must be finished before they say something of the others.
        const TELLING: u64 = 16;
        let mut ledger = self.entered();
        let elapsed = ledger.last_run().elapsed;
        let ((_, earlier), (units, tasks)) = (self.earlier.reached(), ledger.reached());
        // All units may be without a task, and are finished nevertheless.
        let share = |done: u64, all: u64| if ledger.is_complete() { 1.0 } else { done as f64 / all.max(1) as f64 };
        let of_this_run = share(tasks - earlier, self.tasks - earlier);
        let is_known = tasks - earlier >= TELLING || ledger.is_complete();
        Progress {
            doing: "counting units",
            done: units as u64,
            total: ledger.units() as u64,
            share: share(tasks, self.tasks),
            elapsed,
            left: watch::left(elapsed, of_this_run).filter(|_| is_known),
        }
    }

    fn ledger(&self) -> Option<Ledger> {
        Some(self.entered().clone())
    }
}
