//! The state of a run: its ledger and its progress.
//!
//! Each thread records its new results under its own mutex, which is locked for nanoseconds: by the thread after each
//! task, and by every request for the ledger or the progress. A snapshot contains every task finished so far. So a kill
//! loses the work since the last save, and a stop at most each thread's current task.
//!
//! A thread's results are provisional until its next self-check. If the check fails, they are rolled back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime};

use super::threads::{HOUR, Threads, this_thread, thread_time};
use crate::engine::lanes::IS_WRONG;
use crate::ledger::{Ledger, Partial};
use crate::report::CountError;
use crate::watch::{self, Progress, Watched, lock};

/// The state of a run. The run's threads write it; other threads may read it meanwhile.
#[derive(Debug)]
pub(super) struct RunState {
    /// The ledger at the start of this run.
    pub(super) earlier: Ledger,
    tasks: u64,
    /// Whether a task takes far longer than reading the clock.
    is_large: bool,
    pub(super) begun: Instant,
    /// Indexed by thread.
    results: Vec<Mutex<ThreadResults>>,
    /// All finished work, as of the last request.
    ledger: Mutex<Ledger>,
    /// Whether the run has ended; then its record keeps its times.
    has_ended: AtomicBool,
}

/// The results of one thread.
#[derive(Debug, Default)]
struct ThreadResults {
    /// Results per unit since the last request.
    new: Vec<(usize, Partial)>,
    /// For each unit worked on since the last passed check: its state at that check, to roll back to.
    unchecked: Vec<(usize, Partial)>,
    /// Whether this thread, or one whose lists it shares, failed its check.
    is_wrong: bool,
    recorded: u64,
    /// The thread's processor time at the start of the run and at the last reading.
    time: [Duration; 2],
}

impl RunState {
    pub(super) fn new(ledger: Ledger, threads: &Threads) -> Self {
        let plan = ledger.plan();
        let tasks = ledger.shard().units(plan.units()).map(|unit| plan.tasks(unit)).sum();
        let results = threads.broadcast(|| {
            let time = [thread_time().unwrap_or_default(); 2];
            Mutex::new(ThreadResults { time, ..ThreadResults::default() })
        });
        let (earlier, is_large) = (ledger.clone(), ledger.fingerprint().prefix.size().get() >= 20);
        let (begun, ledger, has_ended) = (Instant::now(), Mutex::new(ledger), AtomicBool::new(false));
        Self { earlier, tasks, is_large, begun, results, ledger, has_ended }
    }

    /// The unfinished units. The groups of the plan are shuffled, in the same way every time, so that the finished
    /// units are a fair sample for estimating the time left. Units of a group stay together: shuffling them too made
    /// the join 5 times slower at N = 17.
    pub(super) fn order(&self) -> Vec<usize> {
        let (todo, plan) = (self.earlier.todo(), self.earlier.plan());
        let mut groups: Vec<&[usize]> = todo.chunk_by(|&a, &b| plan.group(a) == plan.group(b)).collect();
        fastrand::Rng::with_seed(0).shuffle(&mut groups);
        groups.concat()
    }

    /// Records that this thread has finished `part` of a unit, of which `before` was finished. Runs a self-check after
    /// an impossible result or an hour. Reads the clock after every task from N = 20, otherwise after 64 tasks: a task
    /// of N = 28 takes 13 s on a Zen 5, one of N = 17 hardly more than a microsecond.
    pub(super) fn record(
        &self,
        threads: &Threads,
        unit: usize,
        before: Partial,
        part: Partial,
    ) -> Result<(), CountError> {
        if IS_WRONG.get() {
            self.check_again(threads, HOUR)?;
        }
        let mut results = lock(&self.results[this_thread()]);
        results.recorded += 1;
        if !results.is_wrong {
            if results.unchecked.last().is_none_or(|last| last.0 != unit) {
                results.unchecked.push((unit, before));
            }
            match results.new.last_mut() {
                Some(last) if last.0 == unit => last.1 = part,
                _ => results.new.push((unit, part)),
            }
        }
        let is_due = self.is_large || results.recorded.is_multiple_of(64);
        drop(results);
        if is_due { self.check_again(threads, HOUR) } else { Ok(()) }
    }

    /// Reads this thread's processor time and runs a self-check if the last one is older than `after`. The results
    /// since the last check are then confirmed or rolled back.
    pub(super) fn check_again(&self, threads: &Threads, after: Duration) -> Result<(), CountError> {
        lock(&self.results[this_thread()]).time[1] = thread_time().unwrap_or_default();
        let passed = threads.check_again(after);
        match passed {
            Err(_) => self.roll_back(),
            // If threads share lists, any result may come from another thread's faulty list.
            Ok(true) if !self.earlier.plan().shares_lists() => lock(&self.results[this_thread()]).unchecked.clear(),
            Ok(_) => {}
        }
        passed.map(drop)
    }

    /// Rolls back this thread's results since its last check or, if threads share lists, those of all threads. New
    /// results are set first, so that each unit ends at its checked state.
    fn roll_back(&self) {
        let (mut ledger, thread) = (lock(&self.ledger), this_thread());
        let all = &self.results[..];
        for results in if self.earlier.plan().shares_lists() { all } else { &all[thread..=thread] } {
            let results = &mut *lock(results);
            results.is_wrong = true;
            results.new.drain(..).chain(results.unchecked.drain(..)).for_each(|(unit, part)| ledger.set(unit, part));
        }
    }

    /// The ledger, with all results so far and the times of this run.
    pub(super) fn collect(&self) -> MutexGuard<'_, Ledger> {
        let (mut ledger, mut cpu_time) = (lock(&self.ledger), Duration::ZERO);
        // Relaxed: it is set under the same lock.
        if self.has_ended.load(Ordering::Relaxed) {
            return ledger;
        }
        for results in &self.results {
            let results = &mut *lock(results);
            results.new.drain(..).for_each(|(unit, part)| ledger.set(unit, part));
            cpu_time += results.time[1].saturating_sub(results.time[0]);
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let units = (ledger.finished() - self.earlier.finished()) as u64;
        let run = ledger.last_run();
        (run.saved, run.elapsed, run.units) = (u32::try_from(now.as_secs()).ok(), self.begun.elapsed(), Some(units));
        run.cpu_time = thread_time().map(|_| cpu_time);
        ledger
    }

    /// Ends the run, whose threads have ended, and returns the final ledger.
    pub(super) fn end(&self) -> Ledger {
        let ledger = self.collect();
        self.has_ended.store(true, Ordering::Relaxed);
        ledger.clone()
    }
}

impl Watched for RunState {
    fn progress(&self) -> Progress {
        /// The tasks to finish before the time left is estimated.
        const MIN_TASKS_FOR_ETA: u64 = 16;
        let mut ledger = self.collect();
        let elapsed = ledger.last_run().elapsed;
        let ((_, earlier), (units, tasks)) = (self.earlier.reached(), ledger.reached());
        // A shard may have no tasks at all. It is done when its units are recorded.
        let share = |done: u64, all: u64| if ledger.is_complete() { 1.0 } else { done as f64 / all.max(1) as f64 };
        let of_this_run = share(tasks - earlier, self.tasks - earlier);
        let is_known = tasks - earlier >= MIN_TASKS_FOR_ETA || ledger.is_complete();
        Progress {
            done: units as u64,
            total: ledger.units() as u64,
            share: share(tasks, self.tasks),
            elapsed,
            left: watch::left(elapsed, of_this_run).filter(|_| is_known),
        }
    }

    fn ledger(&self) -> Option<Ledger> {
        Some(self.collect().clone())
    }
}
