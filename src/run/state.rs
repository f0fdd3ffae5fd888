//! The state of a run: its ledger, and how far it is.
//!
//! What each thread has in hand stands under a mutex of its own, which is locked for nanoseconds: by the thread after each
//! task, and by whoever asks for the ledger or the progress. A snapshot has every task that is finished at that moment. So
//! a kill loses the work since the last save, and a stop loses at most the current task of each thread.

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
    begun: Instant,
    /// The processor time that this process had used before.
    cpu_before: Option<Duration>,
    hands: Mutex<Vec<Arc<Mutex<Hand>>>>,
    /// With all that the threads have finished when it was asked for last.
    ledger: Mutex<Ledger>,
}

/// What a thread has in hand, which others read now and then.
#[derive(Debug, Default)]
pub(super) struct Hand {
    /// The units that it has finished.
    pub(super) finished: Vec<(usize, u128)>,
    /// The unit that it is working on, and the part of it that is finished; for a moment that of a finished unit.
    pub(super) current: Option<(usize, Partial)>,
}

impl RunState {
    /// The state of a run that goes on from this ledger, whose units are those of the plan.
    pub(super) fn new(plan: Plan, ledger: Ledger) -> Self {
        let (earlier, begun, cpu_before) = (ledger.clone(), Instant::now(), process_time());
        Self { plan, earlier, begun, cpu_before, hands: Mutex::default(), ledger: Mutex::new(ledger) }
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
    pub(super) fn hand(&self) -> Arc<Mutex<Hand>> {
        let hand = Arc::<Mutex<Hand>>::default();
        lock(&self.hands).push(Arc::clone(&hand));
        hand
    }

    /// The ledger with all that the threads have finished.
    pub(super) fn entered(&self) -> MutexGuard<'_, Ledger> {
        let mut ledger = lock(&self.ledger);
        for hand in lock(&self.hands).iter() {
            let Hand { finished, current } = &mut *lock(hand);
            for (unit, tally) in finished.drain(..) {
                ledger.record(unit, tally).expect("a unit is counted once, and goes on from what the ledger has of it");
            }
            if let Some((unit, part)) = *current {
                ledger.record_partial(unit, part).expect("a thread goes on from what the ledger has of its unit");
            }
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let units = (ledger.finished() - self.earlier.finished()) as u64;
        let cpu_time = process_time().zip(self.cpu_before).map(|(now, before)| now.saturating_sub(before));
        let run = ledger.last_run();
        (run.saved, run.elapsed, run.units, run.cpu_time) =
            (Some(now.as_secs() as u32), self.begun.elapsed(), Some(units), cpu_time);
        ledger
    }

    /// How many tasks a ledger has finished.
    fn tasks(&self, ledger: &Ledger) -> u64 {
        let whole: u64 = ledger.tallies().map(|(unit, _)| self.plan.tasks(unit)).sum();
        whole + ledger.partials().map(|(_, part)| part.tasks).sum::<u64>()
    }
}

impl Watched for RunState {
    fn progress(&self) -> Progress {
        /// So many tasks must be finished before they say something of the others.
        const FEWEST: u64 = 16;
        let (ledger, elapsed) = (self.entered().clone(), self.begun.elapsed());
        let total: u64 = ledger.shard().units(self.plan.units()).map(|unit| self.plan.tasks(unit)).sum();
        let [earlier, reached] = [&self.earlier, &ledger].map(|ledger| self.tasks(ledger));
        // Units without a task are finished too.
        let share = |done: u64, all: u64| if ledger.is_complete() { 1.0 } else { done as f64 / all as f64 };
        let of_this_run = share(reached - earlier, total - earlier);
        let is_known = reached - earlier >= FEWEST || ledger.is_complete();
        Progress {
            doing: "counting units",
            done: ledger.finished() as u64,
            total: ledger.units() as u64,
            share: share(reached, total),
            elapsed,
            left: watch::left(elapsed, of_this_run).filter(|_| is_known),
        }
    }

    fn ledger(&self) -> Option<Ledger> {
        Some(self.entered().clone())
    }
}
