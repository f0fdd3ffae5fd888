//! Runs: a plan's units counted by an engine on every thread, checked before, watched and saved meanwhile.

pub(crate) mod self_check;
mod state;
mod threads;

use std::sync::{Arc, Mutex};
use std::time::Instant;

use rayon::prelude::*;

use crate::board::Placement;
use crate::engine::{Engine, Method};
use crate::ledger::{Fingerprint, Ledger, LedgerError, Partial, Shard};
use crate::plan::Plan;
use crate::report::{CountError, Report};
use crate::watch::{Watch, lock};

pub use threads::available_threads;

use state::{Hand, RunState};
pub(crate) use threads::{pool, process_time, thread_seconds};

/// A count with its plan, made by [`Request::run`](crate::Request::run).
///
/// ```
#[doc = include_str!("../../examples/shards.rs")]
/// ```
#[must_use = "nothing is counted until it is told to count"]
pub struct Run {
    prefix: Placement,
    method: Method,
    threads: usize,
    plan: Plan,
    ledger: Ledger,
}

impl Run {
    pub(crate) fn new(prefix: Placement, method: Method, threads: usize) -> Self {
        let plan = Plan::new(method.engine, &prefix);
        let (engine, units) = (method.engine, plan.units());
        let fingerprint = Fingerprint { prefix, engine, plan: plan.fingerprint(), units };
        let mut ledger = Ledger::new(fingerprint, Shard::WHOLE);
        ledger.begin_run();
        Self { prefix, method, threads, plan, ledger }
    }

    /// Lets it count only the units that this ledger lacks, of the ledger's shard: of a new one all. The report has the sum
    /// of the whole ledger. The units do not depend on the number of threads, so any machine can go on with it.
    ///
    /// # Errors
    /// If the ledger belongs to another count.
    pub fn resume(mut self, ledger: Ledger) -> Result<Self, LedgerError> {
        ledger.check(self.ledger.fingerprint(), &self.plan)?;
        self.ledger = ledger;
        self.ledger.begin_run();
        Ok(self)
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

    /// Counts on all threads. `watch` shows how far it is, has the ledger at every moment, and stops it. The calling thread
    /// makes the self-check, for which 256 KB of stack are plenty.
    ///
    /// # Errors
    /// If the engine fails its self-check, the count does not fit in 128 bits, the threads cannot be started, or it was
    /// stopped.
    pub fn count(self, watch: &Watch) -> Result<Report, CountError> {
        let Self { prefix, method, threads, plan, ledger } = self;
        let pool = pool(threads)?;
        let threads = pool.current_num_threads();
        let state = Arc::new(RunState::new(plan, ledger));
        watch.begin(Arc::clone(&state) as _);
        self_check::check(method, prefix.size())?;
        let begun = Instant::now();
        let make = method.engines(prefix.size());
        let order = state.order();
        let worker = || (make(), state.hand());
        for_each_unit(&pool, &order, watch, worker, |(engine, hand), unit| {
            count_unit(&mut **engine, &state, hand, unit, watch)
        })?;
        Ok(Report {
            n: prefix.size().get(),
            prefix: (!prefix.is_empty()).then_some(prefix),
            symmetry: None,
            count: state.entered().total()?,
            engine: method.engine.info().name,
            isa: method.isa,
            threads,
            elapsed: begun.elapsed(),
        })
    }
}

/// Counts the tasks of a unit that are not finished yet.
fn count_unit(
    engine: &mut dyn Engine,
    state: &RunState,
    hand: &Hand,
    unit: usize,
    watch: &Watch,
) -> Result<(), CountError> {
    let (mut part, all) = (state.earlier.partial(unit), state.plan.tasks(unit));
    for task in state.plan.unit(unit, part.tasks) {
        part.add(engine.count(&task.task), task.weight)?;
        // A unit is finished however soon the stop comes.
        if part.tasks < all {
            lock(hand).insert(unit, part);
            if watch.is_stopped() {
                return Err(CountError::Stopped);
            }
        }
    }
    lock(hand).insert(unit, Partial { tasks: Partial::WHOLE, ..part });
    Ok(())
}

/// The loop over units, on the threads of `pool`: `each` is given the units of `order`, with the worker of its thread, which
/// `worker` makes when the thread gets its first unit.
///
/// Work-stealing deals out the units one at a time, and gives neighbours to the same thread as long as there are enough.
///
/// The first error stops every thread at its next task, and is what is returned. A stop by `watch` is an error only where
/// there is no other.
pub(crate) fn for_each_unit<W: Send>(
    pool: &rayon::ThreadPool,
    order: &[usize],
    watch: &Watch,
    worker: impl Fn() -> W + Sync,
    each: impl Fn(&mut W, usize) -> Result<(), CountError> + Sync,
) -> Result<(), CountError> {
    // No other thread uses a worker, so its lock never waits.
    let workers: Vec<_> = (0..pool.current_num_threads()).map(|_| Mutex::new(None)).collect();
    let first: Mutex<Option<CountError>> = Mutex::new(None);
    let one = |&unit: &usize| {
        let thread = rayon::current_thread_index().expect("this runs in the pool");
        let counted = if watch.is_stopped() {
            Err(CountError::Stopped)
        } else {
            each(lock(&workers[thread]).get_or_insert_with(&worker), unit)
        };
        counted.map_err(|error| {
            watch.stop();
            let mut first = lock(&first);
            if first.as_ref().is_none_or(|first| *first == CountError::Stopped) {
                *first = Some(error);
            }
        })
    };
    let _ = pool.install(|| order.par_iter().with_max_len(1).try_for_each(one));
    lock(&first).take().map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests;
