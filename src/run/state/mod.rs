//! The state of a run: its ledger, its progress and the time left.
//!
//! The ledger also has the units that the threads are working on, as parts of units. A snapshot has every task that is
//! finished at that moment. So a kill loses the work since the last save, and a stop loses at most the current task of
//! each thread.
//!
//! The cost is a shared lock taken twice for each unit, and for each task a lock that no other thread waits for.

mod hand;
mod observer;
mod progress;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use super::clock::process_time;
use super::pace::Pace;
use super::stop::Stop;
use crate::ledger::{Ledger, Partial};
use crate::plan::Plan;
use hand::{Hand, Hands, share};
pub(crate) use observer::RunObserver;
pub use progress::Progress;

/// The state of a run with its ledger. The threads of the run write it, and others can read it meanwhile.
#[derive(Debug)]
pub struct RunState {
    stop: Stop,
    /// Tasks of earlier runs that are recounted before this run goes on, and those that are recounted by now.
    to_recount: AtomicU64,
    recounted: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    ledger: Ledger,
    started: Instant,
    /// The time of earlier runs on the same ledger.
    earlier: Duration,
    /// Processor time of the earlier runs, and what this process had used before this run began.
    cpu_before: Option<(Duration, Duration)>,
    /// Estimated work of every unit of the plan; empty until the run starts.
    works: Vec<f64>,
    /// Estimated work of the units of the ledger's shard.
    total: f64,
    /// Estimated work of its finished units.
    done: f64,
    /// Estimated work of the finished tasks of other units that no thread is working on.
    parts: f64,
    pace: Pace,
    /// Solutions in finished units.
    solutions: u128,
    /// Tasks solved by this run in units that it has finished.
    tasks: u64,
    /// The unit that each thread is working on.
    hands: Hands,
}

impl RunState {
    /// The state of a run that continues from `ledger`.
    pub fn new(ledger: Ledger) -> Self {
        let solutions = ledger.total().map_or(u128::MAX, |total| total.get());
        let state = State {
            started: Instant::now(),
            earlier: ledger.origin.elapsed,
            cpu_before: ledger.origin.cpu_time.zip(process_time()),
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
        let [to_recount, recounted] = [AtomicU64::default(), AtomicU64::default()];
        Self { stop: Stop::default(), to_recount, recounted, state: Mutex::new(state) }
    }

    /// The flag that stops the run.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The ledger at this moment, with the units in progress and the seconds spent so far.
    pub fn ledger(&self) -> Ledger {
        self.state().snapshot()
    }

    /// The same, or `None` if the lock is not free within this time: a thread that fails may keep it for ever.
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

    /// The progress of the run.
    pub fn progress(&self) -> Progress {
        let progress = self.state().progress(Instant::now());
        let [to_recount, recounted] = [&self.to_recount, &self.recounted].map(|tasks| tasks.load(Ordering::Relaxed));
        Progress { to_recount, recounted, ..progress }
    }

    /// Takes note of the plan and the number of threads, and starts the clock. Returns the observer for the run.
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
        RunObserver::new(self, plan, Arc::clone(&state.hands))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere ends the run anyway.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        ledger.origin.elapsed = self.earlier.saturating_add(self.started.elapsed());
        let cpu = self.cpu_before.zip(process_time());
        ledger.origin.cpu_time = cpu.map(|((earlier, start), now)| earlier.saturating_add(now.saturating_sub(start)));
        ledger
    }
}

#[cfg(test)]
mod tests;
