//! The state of a run: its ledger, and how far it is.
//!
//! What each thread has in hand stands under a mutex of its own, which is locked for nanoseconds: by the thread after each
//! task, and by whoever asks for the ledger or the progress. A snapshot has every task that is finished at that moment. So
//! a kill loses the work since the last save, and a stop loses at most the current task of each thread.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use super::{CountError, process_time};
use crate::ledger::{Ledger, Partial};
use crate::plan::Plan;
use crate::watch::{self, Progress, Watched, lock};

/// The state of a run. Its threads write it, and others read it meanwhile.
pub(super) struct RunState {
    plan: Plan,
    /// What earlier runs have finished.
    earlier: Ledger,
    begun: Instant,
    /// The processor time that this process had used before.
    cpu_before: Option<Duration>,
    hands: Mutex<Vec<Arc<InHand>>>,
    /// With all that the threads have finished when it was asked for last.
    ledger: Mutex<Ledger>,
    /// The work of each unit; only the progress needs it.
    works: OnceLock<Vec<f64>>,
}

/// What a thread has in hand, which others read now and then.
#[derive(Debug, Default)]
pub(super) struct InHand(Mutex<Hand>);

#[derive(Debug, Default)]
struct Hand {
    /// The units that it has finished.
    finished: Vec<(usize, u128)>,
    /// The unit that it is working on, and the part of it that is finished.
    current: Option<(usize, Partial)>,
}

impl InHand {
    /// The thread begins a unit, or has finished more of its tasks.
    pub(super) fn advance(&self, unit: usize, part: Partial) {
        lock(&self.0).current = Some((unit, part));
    }

    /// The thread has finished a unit.
    pub(super) fn finish(&self, unit: usize, tally: u128) {
        let Hand { finished, current } = &mut *lock(&self.0);
        finished.push((unit, tally));
        *current = None;
    }
}

impl RunState {
    /// The state of a run that goes on from this ledger, whose units are those of the plan.
    pub(super) fn new(plan: Plan, ledger: Ledger) -> Self {
        let (earlier, hands, works) = (ledger.clone(), Mutex::default(), OnceLock::new());
        let (begun, cpu_before) = (Instant::now(), process_time());
        Self { plan, earlier, begun, cpu_before, hands, ledger: Mutex::new(ledger), works }
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What earlier runs have finished.
    pub(super) fn earlier(&self) -> &Ledger {
        &self.earlier
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
    pub(super) fn hand(&self) -> Arc<InHand> {
        let hand = Arc::new(InHand::default());
        lock(&self.hands).push(Arc::clone(&hand));
        hand
    }

    /// The sum of all finished units.
    pub(super) fn total(&self) -> Result<u128, CountError> {
        Ok(self.entered().total()?)
    }

    /// The ledger with all that the threads have finished.
    fn entered(&self) -> MutexGuard<'_, Ledger> {
        let mut ledger = lock(&self.ledger);
        for hand in lock(&self.hands).iter() {
            let Hand { finished, current } = &mut *lock(&hand.0);
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

    /// The work that a ledger has finished, and the number of its finished tasks.
    fn reached(&self, ledger: &Ledger, works: &[f64]) -> (f64, u64) {
        let whole = ledger.tallies().map(|(unit, _)| (unit, self.plan.tasks(unit)));
        let parts = ledger.partials().map(|(unit, part)| (unit, part.tasks));
        whole.chain(parts).fold((0.0, 0), |(work, tasks), (unit, done)| {
            let share = if done == 0 { 1.0 } else { done as f64 / self.plan.tasks(unit) as f64 };
            (work + works[unit] * share, tasks + done)
        })
    }
}

impl Watched for RunState {
    fn progress(&self) -> Progress {
        /// So many tasks must be finished before they say something of the others.
        const FEWEST: u64 = 16;
        let works = self.works.get_or_init(|| (0..self.plan.units()).map(|unit| self.plan.work(unit)).collect());
        let (ledger, elapsed) = (self.entered().clone(), self.begun.elapsed());
        let total: f64 = ledger.shard().units(works.len()).map(|unit| works[unit]).sum();
        let [(earlier, tasks_before), (reached, tasks)] = [&self.earlier, &ledger].map(|of| self.reached(of, works));
        let share = if ledger.is_complete() { 1.0 } else { (reached / total).min(1.0) };
        let of_this_run = if total > earlier { (reached - earlier) / (total - earlier) } else { 1.0 };
        let is_known = tasks - tasks_before >= FEWEST || ledger.is_complete();
        Progress {
            doing: "counting units",
            done: ledger.finished() as u64,
            total: ledger.units() as u64,
            share,
            elapsed,
            left: watch::left(elapsed, of_this_run).filter(|_| is_known),
        }
    }

    fn ledger(&self) -> Option<Ledger> {
        Some(self.entered().clone())
    }
}
