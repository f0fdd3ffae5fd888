//! How far a run is, and how long it will take.
//!
//! The time left comes from the [pace](crate::run::pace) of the threads. Dividing the elapsed time by the share of
//! finished units would ignore the units in progress, an error of a fifth when 5 % of a hundred units are finished.

use std::time::{Duration, Instant};

use super::State;
use super::hand::{Hand, share};
use crate::run::pace::TimeLeft;

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Units finished by this run or earlier ones.
    pub units_done: usize,
    /// Units of the ledger's shard.
    pub units: usize,
    /// Estimated work done, from 0 to 1.
    pub share: f64,
    /// The time since the run started.
    pub elapsed: Duration,
    /// The time of earlier runs on the same ledger.
    pub earlier: Duration,
    /// The time left, if enough is finished to estimate it.
    pub left: Option<TimeLeft>,
    /// Solutions found so far.
    pub solutions: u128,
    /// Tasks solved by this run.
    pub tasks: u64,
    /// Tasks of earlier runs that a double check recounts before this run goes on.
    pub to_recount: u64,
    /// Those of them that it has recounted.
    pub recounted: u64,
    /// Threads of the run; none before it begins.
    pub threads: usize,
}

impl Progress {
    /// Tasks solved per second.
    pub fn tasks_per_second(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 { self.tasks as f64 / seconds } else { 0.0 }
    }
}

impl State {
    pub(super) fn progress(&self, now: Instant) -> Progress {
        let hands: Vec<Hand> = self.hands().collect();
        let (mut pace, mut blind) = (self.pace, 0);
        for hand in &hands {
            match hand.sample(self, now) {
                Some(sample) => pace.add(sample),
                None => blind += 1,
            }
        }
        let seconds = pace.seconds();
        let (units, units_done) = (self.ledger.units(), self.ledger.finished());
        // For each unit in progress, the work done and the work left. If none of its tasks is finished, the work done
        // is estimated from the time spent; but the first task counts at most as its estimated work, however long it
        // takes.
        let in_hand: Vec<(f64, f64)> = hands
            .iter()
            .map(|hand| {
                let work = self.works[hand.unit];
                let passed = now.saturating_duration_since(hand.begun).as_secs_f64();
                let first = seconds.map_or(0.0, |seconds| (passed / seconds).min(work * share(1, hand.of)));
                let done = work * share(hand.finished.tasks, hand.of);
                let done = if hand.finished.tasks == 0 { first } else { done };
                (done, work - done)
            })
            .collect();
        let reached = self.done + self.parts + in_hand.iter().map(|unit| unit.0).sum::<f64>();
        let left = seconds.zip(pace.error(blind)).and_then(|(seconds, error)| {
            // Near the end the longest unit in progress decides, while other threads are idle.
            let longest = in_hand.iter().map(|unit| unit.1).fold(0.0, f64::max);
            let expected = ((self.total - reached) / self.hands.len() as f64).max(longest) * seconds;
            let [expected, low, high] = [1.0, 1.0 - error, 1.0 + error].map(|factor| {
                // A time too long for a `Duration`, hundreds of billions of years, is treated as unknown.
                Duration::try_from_secs_f64(expected * factor).ok()
            });
            Some(TimeLeft { expected: expected?, low: low?, high: high? })
        });
        let finished = units_done == units;
        let parts = self.ledger.partials().filter(|(unit, _)| !hands.iter().any(|hand| hand.unit == *unit));
        let parts = parts.map(|(_, partial)| partial.tally.get());
        let parts = parts.chain(hands.iter().map(|hand| hand.finished.tally.get()));
        Progress {
            units_done,
            units,
            share: if finished {
                1.0
            } else if self.total > 0.0 {
                (reached / self.total).clamp(0.0, 1.0)
            } else {
                // The run has not begun.
                0.0
            },
            elapsed: now.saturating_duration_since(self.started),
            earlier: self.earlier,
            left: if finished { Some(TimeLeft::NOTHING) } else { left },
            solutions: parts.fold(self.solutions, u128::saturating_add),
            tasks: self.tasks + hands.iter().map(|hand| hand.finished.tasks - hand.earlier).sum::<u64>(),
            // The run's state has these beside its lock.
            to_recount: 0,
            recounted: 0,
            threads: self.hands.len(),
        }
    }
}
