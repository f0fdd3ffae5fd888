//! How far a run is, and how long it will take.
//!
//! The time left comes from the [pace](crate::run::pace) of the threads. Dividing the elapsed time by the share of
//! finished units would ignore the units in progress, an error of a fifth when 5 % of a hundred units are finished.

use std::time::Duration;

use super::hand::InHand;
use super::{State, share};
use crate::plan::Units;
use crate::run::pace::{Sample, TimeLeft};
use crate::tally::Tally;

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
    /// After `elapsed`, of so many threads which have these units in hand.
    pub(super) fn progress(
        &self,
        plan: &dyn Units,
        threads: usize,
        mut in_hand: Vec<InHand>,
        elapsed: Duration,
    ) -> Progress {
        // One that was put down meanwhile is in the ledger.
        in_hand.retain(|unit| !self.ledger.has(unit.unit));
        let (mut pace, mut blind) = (self.pace, 0);
        for unit in &in_hand {
            match self.sample(unit, plan, elapsed) {
                Some(sample) => pace.add(sample),
                None => blind += 1,
            }
        }
        let seconds = pace.seconds();
        let (units, units_done) = (self.ledger.units(), self.ledger.finished());
        // For each unit in progress, the work done and the work left. If none of its tasks is finished, the work done
        // is estimated from the time spent; but the first task counts at most as its estimated work, however long it
        // takes.
        let of_units: Vec<(f64, f64)> = in_hand
            .iter()
            .map(|&InHand { unit, finished, begun }| {
                let (work, of) = (self.works[unit], plan.tasks(unit));
                let passed = elapsed.saturating_sub(begun).as_secs_f64();
                let first = seconds.map_or(0.0, |seconds| (passed / seconds).min(work * share(1, of)));
                let done = if finished.tasks == 0 { first } else { work * share(finished.tasks, of) };
                (done, work - done)
            })
            .collect();
        // Parts of units that earlier runs have finished, and no thread is working on.
        let waiting = || self.ledger.partials().filter(|(unit, _)| !in_hand.iter().any(|hand| hand.unit == *unit));
        let parts: f64 = waiting().map(|(unit, part)| self.works[unit] * share(part.tasks, plan.tasks(unit))).sum();
        let reached = self.done + parts + of_units.iter().map(|unit| unit.0).sum::<f64>();
        let left = seconds.zip(pace.error(blind)).and_then(|(seconds, error)| {
            // Near the end the longest unit in progress decides, while other threads are idle.
            let longest = of_units.iter().map(|unit| unit.1).fold(0.0, f64::max);
            let expected = ((self.total - reached) / threads as f64).max(longest) * seconds;
            let [expected, low, high] = [1.0, 1.0 - error, 1.0 + error].map(|factor| {
                // A time too long for a `Duration`, hundreds of billions of years, is treated as unknown.
                Duration::try_from_secs_f64(expected * factor).ok()
            });
            Some(TimeLeft { expected: expected?, low: low?, high: high? })
        });
        let is_finished = units_done == units;
        let parts = waiting().map(|(_, part)| part.tally).chain(in_hand.iter().map(|hand| hand.finished.tally));
        let now = in_hand.iter().map(|hand| hand.finished.tasks - self.ledger.partial(hand.unit).tasks);
        Progress {
            units_done,
            units,
            share: if is_finished {
                1.0
            } else if self.total > 0.0 {
                (reached / self.total).clamp(0.0, 1.0)
            } else {
                // The plan has no work.
                0.0
            },
            elapsed,
            earlier: self.earlier,
            left: if is_finished { Some(TimeLeft::NOTHING) } else { left },
            solutions: parts.map(Tally::get).fold(self.solutions, u128::saturating_add),
            tasks: self.tasks + now.sum::<u64>(),
            // The run's state has these beside its lock.
            to_recount: 0,
            recounted: 0,
            threads,
        }
    }

    /// The part of a unit in hand that this run has finished by now, as a sample of its pace; `None` if that is too little.
    fn sample(&self, hand: &InHand, plan: &dyn Units, elapsed: Duration) -> Option<Sample> {
        /// Fewer tasks say little about the others.
        const FEWEST: u64 = 8;
        let (of, finished) = (plan.tasks(hand.unit), hand.finished.tasks);
        let tasks = finished - self.ledger.partial(hand.unit).tasks;
        if tasks < FEWEST.min(of) {
            return None;
        }
        // Only the time at which the unit was begun is known: taking the time of each task would cost more than a small
        // task. On average the current task is half done.
        let half = if finished < of { 0.5 / of as f64 } else { 0.0 };
        let work = self.works[hand.unit] * (share(tasks, of) + half);
        Some(Sample { work, seconds: elapsed.saturating_sub(hand.begun).as_secs_f64(), at: elapsed.as_secs_f64() })
    }
}
