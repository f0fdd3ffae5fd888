//! What a thread has in hand.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::State;
use crate::ledger::Partial;
use crate::run::pace::Sample;

/// These locks may be taken while the lock of the state is held, never the other way round.
pub(super) type Hands = Arc<[Mutex<Option<Hand>>]>;

/// A unit that a thread is working on.
#[derive(Clone, Debug)]
pub(super) struct Hand {
    pub(super) unit: usize,
    /// How many tasks it has.
    pub(super) of: u64,
    /// How many of them were finished by earlier runs.
    pub(super) earlier: u64,
    /// The part that is finished by now.
    pub(super) finished: Partial,
    pub(super) begun: Instant,
}

/// The share of a unit that `tasks` of its tasks are.
pub(super) fn share(tasks: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { tasks as f64 / of as f64 }
}

impl Hand {
    /// The part of the unit that this run has finished by now, as a sample of its pace; `None` if that is too little.
    pub(super) fn sample(&self, state: &State, now: Instant) -> Option<Sample> {
        /// Fewer tasks say little about the others.
        const FEWEST: u64 = 8;
        let tasks = self.finished.tasks - self.earlier;
        if tasks < FEWEST.min(self.of) {
            return None;
        }
        let since = |earlier: Instant| now.saturating_duration_since(earlier).as_secs_f64();
        // Only the time at which the unit was begun is known: taking the time of each task would cost more than a small
        // task. On average the current task is half done.
        let half = if self.finished.tasks < self.of { 0.5 / self.of as f64 } else { 0.0 };
        let work = state.works[self.unit] * (share(tasks, self.of) + half);
        Some(Sample { work, seconds: since(self.begun), at: since(state.started) })
    }
}
