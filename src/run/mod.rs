//! Runs: a plan's units counted by an engine on every thread, checked before, watched and saved meanwhile.

pub(crate) mod self_check;
mod state;
mod threads;

use crate::board::Placement;
use crate::engine::lanes::fault;
use crate::engine::{Engine, Method};
use crate::ledger::{Fingerprint, Ledger, LedgerError, Partial, Shard};
use crate::report::{CountError, Report};
use crate::watch::Watch;

use state::RunState;
pub use threads::available_threads;
pub(crate) use threads::{HOUR, MINUTE, Threads, alongside, thread_seconds, waiting};

/// A count of all solutions, made by [`Request::run`](crate::Request::run), or of a shard of them, by
/// [`Request::shard`](crate::Request::shard). It may [go on](Self::resume) from a ledger.
///
/// The ledger is the run's, and saving it is the caller's: at the end, or while a [`Watch`] shows it.
///
/// ```
#[doc = include_str!("../../examples/checkpoint.rs")]
/// ```
#[derive(Debug)]
#[must_use = "nothing is counted until it is told to count"]
pub struct Run {
    method: Method,
    threads: usize,
    ledger: Ledger,
}

impl Run {
    pub(crate) fn new(prefix: Placement, method: Method, threads: usize, shard: Shard) -> Self {
        let mut ledger = Ledger::new(Fingerprint { prefix, engine: method.engine() }, shard);
        ledger.begin_run(None);
        Self { method, threads, ledger }
    }

    /// Goes on from this ledger, which must be of the same count and shard: only the units that it lacks are counted. The report
    /// has the sum of the whole ledger, and the time of this run. The units do not depend on the number of threads, so any
    /// machine can go on with it.
    ///
    /// # Errors
    /// If the ledger is of another count or shard, or the run has a ledger already that it went on from or has counted.
    pub fn resume(mut self, mut ledger: Ledger) -> Result<Self, LedgerError> {
        ledger.check_is_of(self.ledger.fingerprint(), self.ledger.shard())?;
        if self.ledger.runs().len() > 1 || self.has_counted() {
            return Err(LedgerError::Resumed);
        }
        ledger.begin_run(self.ledger.last_run().processor.as_deref());
        Ok(Self { ledger, ..self })
    }

    /// Records this name of the processor.
    pub fn processor(mut self, name: Option<String>) -> Self {
        self.ledger.last_run().processor = name;
        self
    }

    /// Every task that is finished, with the record of this run. It changes only in [`Self::count`].
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Whether the record of this run has a time.
    fn has_counted(&self) -> bool {
        self.ledger.runs().last().is_some_and(|run| run.saved.is_some())
    }

    /// Counts on all threads. Meanwhile `watch` shows how far it is, has the ledger at every moment, and stops it. Afterwards,
    /// whatever the result, the run has its final ledger; it can count again, and then goes on from that as another run.
    ///
    /// Each thread checks itself before it counts anything, again after every hour of work, and once more at the end if it has
    /// worked for over a minute since. If a check fails, the ledger has nothing that the thread has counted since its last
    /// check.
    ///
    /// # Errors
    /// If a thread fails its self-check, the count does not fit in 128 bits, the threads cannot be started, or it was stopped.
    pub fn count(&mut self, watch: &Watch) -> Result<Report, CountError> {
        waiting(|| self.count_here(watch))
    }

    fn count_here(&mut self, watch: &Watch) -> Result<Report, CountError> {
        if self.has_counted() {
            let processor = self.ledger.last_run().processor.clone();
            self.ledger.begin_run(processor.as_deref());
        }
        let (method, Fingerprint { prefix, engine }) = (self.method, self.ledger.fingerprint());
        // What the join measures of the processor is no time of the count.
        let make = method.engines(prefix.size());
        let check = || self_check::check(method, prefix.size());
        let threads = Threads::start(self.threads, self.ledger.todo().len(), watch, &check)?;
        let state = watch.begin(RunState::new(self.ledger.clone(), &threads));
        let units = state.order().into_iter();
        let counted = threads.for_each(units, &make, |engine, unit| count_unit(&mut **engine, &state, &threads, unit));
        let elapsed = state.begun.elapsed();
        let checked: Result<(), _> = threads.each(|| state.check_again(&threads, MINUTE)).into_iter().collect();
        self.ledger = state.end();
        checked.and(counted)?;
        Ok(Report {
            n: prefix.size().get(),
            prefix: (!prefix.is_empty()).then_some(prefix),
            symmetry: None,
            count: self.ledger.subtotal().ok_or(CountError::Overflow)?,
            engine: engine.name(),
            isa: method.isa(),
            threads: threads.number(),
            elapsed,
            checked: threads.checked,
        })
    }
}

/// Counts the tasks of a unit that are not finished yet.
fn count_unit(engine: &mut dyn Engine, state: &RunState, threads: &Threads, unit: usize) -> Result<(), CountError> {
    let (plan, mut part) = (state.earlier.plan(), state.earlier.partial(unit));
    let mut before = part;
    for task in plan.unit(unit, part.tasks) {
        before = part;
        fault::wait();
        part.add(engine.count(&task.task), task.weight).ok_or(CountError::Overflow)?;
        // A unit is finished however soon the stop comes.
        if part.tasks < plan.tasks(unit) {
            state.enter(threads, unit, before, part)?;
            if threads.is_stopped() {
                return Err(CountError::Stopped);
            }
        }
    }
    state.enter(threads, unit, before, Partial { tasks: Partial::WHOLE, ..part })
}

#[cfg(test)]
mod tests;
