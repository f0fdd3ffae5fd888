//! What a thread has in hand.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::State;
use crate::ledger::Partial;
use crate::run::pace::Sample;

/// Whoever holds the lock of the state may take these, never the other way round.
pub(super) type Hands = Arc<[Mutex<Option<Hand>>]>;

/// A unit that a thread has in hand.
#[derive(Clone, Debug)]
pub(super) struct Hand {
    pub(super) unit: usize,
    /// How many tasks it has.
    pub(super) of: u64,
    /// How many of them earlier runs have finished.
    pub(super) earlier: u64,
    /// What is finished of it by now.
    pub(super) finished: Partial,
    pub(super) begun: Instant,
}

/// The share of a unit that so many tasks of it are.
pub(super) fn share(tasks: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { tasks as f64 / of as f64 }
}

impl Hand {
    /// What this run has finished of the unit by now, as a sample of its pace; nothing where that is too little to tell.
    pub(super) fn sample(&self, state: &State, now: Instant) -> Option<Sample> {
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
