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
pub(crate) use threads::{HOUR, MINUTE, Threads, thread_seconds};

/// A count of all solutions, made by [`Request::run`](crate::Request::run), or of a shard of them, by
/// [`Request::shard`](crate::Request::shard). It may [go on](Self::resume) from a ledger.
///
/// ```
#[doc = include_str!("../../examples/shards.rs")]
/// ```
#[derive(Debug)]
#[must_use = "nothing is counted until it is told to count"]
pub struct Run {
    method: Method,
    threads: usize,
    ledger: Ledger,
}

/// What a run has counted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Counted {
    /// The count.
    pub report: Report,
    /// The tally of each unit.
    pub ledger: Ledger,
}

impl Run {
    pub(crate) fn new(prefix: Placement, method: Method, threads: usize, shard: Shard) -> Self {
        let mut ledger = Ledger::new(Fingerprint { prefix, engine: method.engine() }, shard);
        ledger.begin_run();
        Self { method, threads, ledger }
    }

    /// Goes on from this ledger, which must be of the same count and shard: only the units that it lacks are counted. The report
    /// has the sum of the whole ledger, and the time of this run. The units do not depend on the number of threads, so any
    /// machine can go on with it.
    pub fn resume(mut self, mut ledger: Ledger) -> Result<Self, LedgerError> {
        ledger.check_is_of(self.ledger.fingerprint(), self.ledger.shard())?;
        ledger.begin_run();
        ledger.last_run().processor = self.ledger.last_run().processor.take();
        Ok(Self { ledger, ..self })
    }

    /// Records this name of the processor.
    pub fn processor(mut self, name: Option<String>) -> Self {
        self.ledger.last_run().processor = name;
        self
    }

    /// What earlier runs have finished, with the record of this one.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Counts on all threads. `watch` shows how far it is, has the ledger at every moment, and stops it.
    ///
    /// Each thread checks itself before it counts anything, again after every hour of work, and once more at the end if it has
    /// worked for over a minute since. If a check fails, the watch's ledger has nothing that the thread has counted since its
    /// last check.
    ///
    /// # Errors
    /// If a thread fails its self-check, the count does not fit in 128 bits, the threads cannot be started, or it was stopped.
    pub fn count(self, watch: &Watch) -> Result<Counted, CountError> {
        let Self { method, threads, ledger } = self;
        let Fingerprint { prefix, engine } = ledger.fingerprint();
        let check = || self_check::check(method, prefix.size());
        let threads = Threads::start(threads, watch, &check)?;
        let state = watch.begin(RunState::new(ledger, &threads));
        let make = method.engines(prefix.size());
        let counted = threads
            .for_each_unit(&state.order(), &make, |engine, unit| count_unit(&mut **engine, &state, &threads, unit));
        let elapsed = state.begun.elapsed();
        let checked = threads.each(|| state.check_again(&threads, MINUTE));
        checked.into_iter().collect::<Result<(), _>>().and(counted)?;
        let ledger = state.entered().clone();
        let report = Report {
            n: prefix.size().get(),
            prefix: (!prefix.is_empty()).then_some(prefix),
            symmetry: None,
            count: ledger.subtotal().ok_or(CountError::Overflow)?,
            engine: engine.name(),
            isa: method.isa(),
            threads: threads.number(),
            elapsed,
            checked: threads.checked,
        };
        Ok(Counted { report, ledger })
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
