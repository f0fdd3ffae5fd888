//! The state of a run: its ledger, its progress and the time left.
//!
//! The ledger also has the units that the threads are working on, as parts of units. A snapshot has every task that is
//! finished at that moment, but for units of microseconds, which are told a millisecond later. So a kill loses the work since
//! the last save, and a stop loses at most the current task of each thread.

mod hand;
mod progress;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::clock::process_time;
use super::pace::{Pace, Sample};
use super::stop::Stop;
use crate::ledger::Ledger;
use crate::plan::Units;
use crate::tally::{Overflow, Tally};
pub(crate) use hand::Scribe;
use hand::{Batch, Hand};
pub use progress::Progress;

/// The state of a run with its ledger. The threads of the run write it, and others can read it meanwhile.
pub struct RunState {
    plan: Arc<dyn Units>,
    stop: Stop,
    /// Tasks of earlier runs that are recounted before this run goes on, and those that are recounted by now.
    to_recount: AtomicU64,
    recounted: AtomicU64,
    /// What the threads have in hand, once the run has started, and when that was.
    threads: OnceLock<(Box<[Hand]>, Instant)>,
    state: Mutex<State>,
}

struct State {
    ledger: Ledger,
    /// What the threads have finished, to be entered in the ledger.
    fresh: Vec<Batch>,
    /// The time of earlier runs on the same ledger.
    earlier: Duration,
    /// Processor time of the earlier runs, and what this process had used before this run began.
    cpu_before: Option<(Duration, Duration)>,
    /// Estimated work of every unit of the plan; empty until somebody asks for the ledger or the progress.
    works: Vec<f64>,
    /// Estimated work of the units of the ledger's shard.
    total: f64,
    /// Estimated work of its finished units.
    done: f64,
    pace: Pace,
    /// Solutions in finished units.
    solutions: u128,
    /// Tasks solved by this run in units that it has finished.
    tasks: u64,
}

impl RunState {
    /// The state of a run that continues from `ledger`, whose units are those of the plan, until this flag stops it.
    pub(crate) fn new(ledger: Ledger, plan: Arc<dyn Units>, stop: Stop) -> Self {
        let solutions = ledger.total().map_or(u128::MAX, Tally::get);
        let state = State {
            fresh: Vec::new(),
            earlier: ledger.origin.elapsed,
            cpu_before: ledger.origin.cpu_time.zip(process_time()),
            works: Vec::new(),
            total: 0.0,
            done: 0.0,
            pace: Pace::default(),
            solutions,
            tasks: 0,
            ledger,
        };
        let [to_recount, recounted] = [AtomicU64::default(), AtomicU64::default()];
        Self { plan, stop, to_recount, recounted, threads: OnceLock::new(), state: Mutex::new(state) }
    }

    /// The flag that stops the run.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The ledger at this moment, with the units in progress and the seconds spent so far.
    pub fn ledger(&self) -> Ledger {
        let in_hand: Vec<_> = self.hands().iter().filter_map(Hand::read).collect();
        let state = self.entered();
        let mut ledger = state.ledger.clone();
        for unit in in_hand {
            let entered = ledger.record_partial(unit.unit, unit.finished);
            entered.expect("what a thread has in hand goes on from what the ledger has of it");
        }
        ledger.origin.elapsed = state.earlier.saturating_add(self.elapsed());
        let cpu = state.cpu_before.zip(process_time());
        ledger.origin.cpu_time = cpu.map(|((earlier, start), now)| earlier.saturating_add(now.saturating_sub(start)));
        ledger
    }

    /// The ledger that the run continues from.
    pub(crate) fn earlier(&self) -> Ledger {
        lock(&self.state).ledger.clone()
    }

    /// The progress of the run.
    pub fn progress(&self) -> Progress {
        let in_hand = self.hands().iter().filter_map(Hand::read).collect();
        let progress = self.entered().progress(&*self.plan, self.hands().len(), in_hand, self.elapsed());
        let [to_recount, recounted] = [&self.to_recount, &self.recounted].map(|tasks| tasks.load(Ordering::Relaxed));
        Progress { to_recount, recounted, ..progress }
    }

    /// Starts the clock, for so many threads. A state is that of one run.
    pub(crate) fn start(&self, threads: usize) -> impl Iterator<Item = Scribe<'_>> {
        let (hands, started) =
            self.threads.get_or_init(|| ((0..threads).map(|_| Hand::default()).collect(), Instant::now()));
        hands.iter().map(|hand| Scribe::new(hand, *started))
    }

    /// The sum of the finished units.
    pub(crate) fn total(&self) -> Result<Tally, Overflow> {
        let state = self.gathered();
        let mut fresh = state.fresh.iter().flat_map(|batch| &batch.units);
        fresh.try_fold(state.ledger.total()?, |sum, (_, tally)| sum.plus(*tally))
    }

    /// So many tasks that earlier runs finished are recounted before this run goes on.
    pub(super) fn recounts(&self, tasks: u64) {
        self.to_recount.store(tasks, Ordering::Relaxed);
    }

    /// One more of them is recounted.
    pub(super) fn recounted(&self) {
        self.recounted.fetch_add(1, Ordering::Relaxed);
    }

    /// What the ledger has of the first tasks of this unit is wrong: the next run must not go on from it.
    pub(super) fn disproved(&self, unit: usize) {
        lock(&self.state).ledger.forget_partial(unit);
    }

    fn hands(&self) -> &[Hand] {
        self.threads.get().map_or(&[], |(hands, _)| hands)
    }

    fn elapsed(&self) -> Duration {
        self.threads.get().map_or(Duration::ZERO, |(_, started)| started.elapsed())
    }

    /// The state, with what the threads have finished.
    fn gathered(&self) -> MutexGuard<'_, State> {
        let mut state = lock(&self.state);
        state.fresh.extend(self.hands().iter().flat_map(Hand::take_finished));
        state
    }

    /// The same, entered in the ledger.
    fn entered(&self) -> MutexGuard<'_, State> {
        let mut state = self.gathered();
        state.enter(&*self.plan);
        state
    }
}

impl std::fmt::Debug for RunState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunState").field("progress", &self.progress()).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere ends the run anyway.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// Enters what the threads have finished in the ledger.
    fn enter(&mut self, plan: &dyn Units) {
        if self.works.is_empty() {
            self.works = (0..plan.units()).map(|unit| plan.work(unit)).collect();
            self.total = self.ledger.shard().units(self.works.len()).map(|unit| self.works[unit]).sum();
            self.done = self.ledger.tallies().map(|(unit, _)| self.works[unit]).sum();
        }
        for Batch { units, begun, ended } in std::mem::take(&mut self.fresh) {
            let mut work = 0.0;
            for (unit, tally) in units {
                let (tasks, earlier) = (plan.tasks(unit), self.ledger.partial(unit).tasks);
                self.tasks += tasks - earlier;
                self.solutions = self.solutions.saturating_add(tally.get());
                self.done += self.works[unit];
                work += self.works[unit] * share(tasks - earlier, tasks);
                let entered = self.ledger.record(unit, tally);
                entered.expect("a unit is counted once, and goes on from what the ledger has of it");
            }
            let (seconds, at) = (ended.saturating_sub(begun).as_secs_f64(), ended.as_secs_f64());
            self.pace.add(Sample { work, seconds, at });
        }
    }
}

/// The share of a unit that `tasks` of its tasks are.
fn share(tasks: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { tasks as f64 / of as f64 }
}

#[cfg(test)]
mod tests;
