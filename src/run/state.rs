//! The state of a run: its ledger, and how far it is.
//!
//! What each thread has in hand stands under a mutex of its own, which is locked for nanoseconds: by the thread after each
//! task, and by whoever asks for the ledger or the progress. A snapshot has every task that is finished at that moment. So
//! a kill loses the work since the last save, and a stop loses at most the current task of each thread.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime};

use super::process_time;
use crate::ledger::{Ledger, Partial};
use crate::plan::Plan;
use crate::watch::{self, Progress, Watched, lock};

/// The state of a run. Its threads write it, and others read it meanwhile.
#[derive(Debug)]
pub(super) struct RunState {
    pub(super) plan: Plan,
    /// What earlier runs have finished.
    pub(super) earlier: Ledger,
    /// How many tasks there are, and how many of them earlier runs have finished.
    tasks: u64,
    earlier_tasks: u64,
    begun: Instant,
    /// The processor time that this process had used before.
    cpu_before: Option<Duration>,
    hands: Mutex<Vec<Hand>>,
    /// With all that the threads have finished when it was asked for last.
    ledger: Mutex<Ledger>,
    /// How many tasks of this run it has. It is counted here, since whoever shows the progress asks ten times a second.
    entered_tasks: AtomicU64,
}

/// What a thread has finished of each unit since somebody asked last.
pub(super) type Hand = Arc<Mutex<HashMap<usize, Partial>>>;

impl RunState {
    /// The state of a run that goes on from this ledger, whose units are those of the plan.
    pub(super) fn new(plan: Plan, ledger: Ledger) -> Self {
        let tasks = ledger.shard().units(plan.units()).map(|unit| plan.tasks(unit)).sum();
        let left = |&unit: &usize| plan.tasks(unit) - ledger.partial(unit).tasks;
        let earlier_tasks = tasks - ledger.todo().iter().map(left).sum::<u64>();
        let (earlier, begun, cpu_before) = (ledger.clone(), Instant::now(), process_time());
        let (hands, ledger, entered_tasks) = (Mutex::default(), Mutex::new(ledger), AtomicU64::new(0));
        Self { plan, earlier, tasks, earlier_tasks, begun, cpu_before, hands, ledger, entered_tasks }
    }

    /// The units that are left. The groups of the plan are shuffled, in the same way every time, so that the finished units
    /// are a fair sample for telling the time left. The units of a group stay together: when they were shuffled too, the
    /// join was 5 times slower at N = 17.
    pub(super) fn order(&self) -> Vec<usize> {
        let todo = self.earlier.todo();
        let mut groups: Vec<&[usize]> = todo.chunk_by(|&a, &b| self.plan.group(a) == self.plan.group(b)).collect();
        fastrand::Rng::with_seed(0).shuffle(&mut groups);
        groups.concat()
    }

    /// What one more thread has in hand.
    pub(super) fn hand(&self) -> Hand {
        let hand = Hand::default();
        lock(&self.hands).push(Arc::clone(&hand));
        hand
    }

    /// The ledger with all that the threads have finished.
    pub(super) fn entered(&self) -> MutexGuard<'_, Ledger> {
        let (mut ledger, mut tasks) = (lock(&self.ledger), 0);
        for hand in lock(&self.hands).iter() {
            for (unit, part) in lock(hand).drain() {
                tasks += part.tasks.min(self.plan.tasks(unit)) - ledger.partial(unit).tasks;
                ledger.record_partial(unit, part).expect("a thread goes on from what the ledger has of its unit");
            }
        }
        // Relaxed: only who has locked the ledger uses it.
        self.entered_tasks.fetch_add(tasks, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let units = (ledger.finished() - self.earlier.finished()) as u64;
        let cpu_time = process_time().zip(self.cpu_before).map(|(now, before)| now.saturating_sub(before));
        let run = ledger.last_run();
        (run.saved, run.elapsed, run.units, run.cpu_time) =
            (u32::try_from(now.as_secs()).ok(), self.begun.elapsed(), Some(units), cpu_time);
        ledger
    }
}

impl Watched for RunState {
    fn progress(&self) -> Progress {
        /// So many tasks must be finished before they say something of the others.
        const FEWEST: u64 = 16;
        let (ledger, elapsed) = (self.entered(), self.begun.elapsed());
        let (entered, earlier) = (self.entered_tasks.load(Ordering::Relaxed), self.earlier_tasks);
        // Units without a task are finished too.
        let share = |done: u64, all: u64| if ledger.is_complete() { 1.0 } else { done as f64 / all as f64 };
        let of_this_run = share(entered, self.tasks - earlier);
        let is_known = entered >= FEWEST || ledger.is_complete();
        Progress {
            doing: "counting units",
            done: ledger.finished() as u64,
            total: ledger.units() as u64,
            share: share(earlier + entered, self.tasks),
            elapsed,
            left: watch::left(elapsed, of_this_run).filter(|_| is_known),
        }
    }

    fn ledger(&self) -> Option<Ledger> {
        Some(self.entered().clone())
    }
}
