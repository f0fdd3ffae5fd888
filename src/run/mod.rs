//! Runs: an engine counts a plan's units on every thread, watched and saved meanwhile.

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
pub(crate) use threads::{HOUR, MINUTE, Threads, run_alongside, run_off_pool, thread_seconds};

/// A count of all solutions ([`Request::run`](crate::Request::run)) or of one shard
/// ([`Request::shard`](crate::Request::shard)). It can [resume](Self::resume) from a ledger.
///
/// The run owns its ledger. The caller saves it in a [file](crate::ledger::LedgerFile): at the end, or during the count
/// from a [`Watch`].
#[derive(Debug)]
#[must_use = "a run counts nothing until `count` is called"]
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

    /// Resumes from a ledger of the same count and shard: only its unfinished tasks are counted. The report has the sum
    /// of the whole ledger, but only the time of this run. Any machine can resume, with any number of threads.
    ///
    /// # Errors
    /// If the ledger belongs to another count or shard, or this run has already resumed or counted.
    pub fn resume(mut self, mut ledger: Ledger) -> Result<Self, LedgerError> {
        ledger.check_is_of(self.ledger.fingerprint(), self.ledger.shard())?;
        if self.ledger.runs().len() > 1 || self.has_counted() {
            return Err(LedgerError::Resumed);
        }
        ledger.begin_run(self.ledger.last_run().processor.as_deref());
        Ok(Self { ledger, ..self })
    }

    /// Records the processor's name in the ledger.
    pub fn processor(mut self, name: Option<String>) -> Self {
        self.ledger.last_run().processor = name;
        self
    }

    /// All finished tasks, and the record of this run. Only [`Self::count`] changes it.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Whether the record of this run has a time.
    fn has_counted(&self) -> bool {
        self.ledger.runs().last().is_some_and(|run| run.saved.is_some())
    }

    /// Counts on all threads. `watch` reports progress, gives snapshots of the ledger and can stop the run. Afterwards,
    /// whatever the result, [`Self::ledger`] is final; a second `count` resumes from it as another run.
    ///
    /// Each thread checks itself before it counts, every hour, and at the end if a minute has passed since its last
    /// check. If a check fails, the thread's results since its last check are removed from the ledger.
    pub fn count(&mut self, watch: &Watch) -> Result<Report, CountError> {
        run_off_pool(|| self.count_here(watch))
    }

    fn count_here(&mut self, watch: &Watch) -> Result<Report, CountError> {
        if self.has_counted() {
            let processor = self.ledger.last_run().processor.clone();
            self.ledger.begin_run(processor.as_deref());
        }
        let (method, Fingerprint { prefix, engine }) = (self.method, self.ledger.fingerprint());
        // Made before the run's clock starts, because the join may first time its kernels on this processor.
        let make = method.engines(prefix.size());
        let check = || self_check::check(method, prefix.size());
        let threads = Threads::start(self.threads, self.ledger.todo().len(), watch, &check)?;
        let state = watch.begin(RunState::new(self.ledger.clone(), &threads));
        let units = state.order().into_iter();
        let counted = threads.for_each(units, &make, |engine, unit| count_unit(&mut **engine, &state, &threads, unit));
        let elapsed = state.begun.elapsed();
        let checked: Result<(), _> = threads.broadcast(|| state.check_again(&threads, MINUTE)).into_iter().collect();
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

fn count_unit(engine: &mut dyn Engine, state: &RunState, threads: &Threads, unit: usize) -> Result<(), CountError> {
    let (plan, mut part) = (state.earlier.plan(), state.earlier.partial(unit));
    let mut before = part;
    for task in plan.unit(unit, part.tasks) {
        before = part;
        fault::wait();
        part.add(engine.count(&task.task), task.weight).ok_or(CountError::Overflow)?;
        // The last task is recorded below as the whole unit, even if a stop is requested now.
        if part.tasks < plan.tasks(unit) {
            state.record(threads, unit, before, part)?;
            if threads.is_stopped() {
                return Err(CountError::Stopped);
            }
        }
    }
    state.record(threads, unit, before, Partial { tasks: Partial::WHOLE, ..part })
}

#[cfg(test)]
mod tests;
