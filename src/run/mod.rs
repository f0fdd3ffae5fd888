//! Running a plan: a rayon pool, one worker a thread, a checked sum.

pub(crate) mod dispatch;
pub mod gate;

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::engine::Engine;
use crate::plan::Plan;
use crate::tally::{Overflow, Tally};

/// The weighted sum over every unit of `plan`, solved by the threads of `pool`.
///
/// Work-stealing deals the units out one at a time; each thread keeps one worker for all the units it solves.
///
/// # Errors
/// Where the sum does not fit.
pub fn sum<P, E>(plan: &P, engine: &E, pool: &rayon::ThreadPool) -> Result<Tally, Overflow>
where
    P: Plan,
    E: Engine<Task = P::Task>,
{
    let workers: Vec<_> = (0..pool.current_num_threads()).map(|_| Mutex::new(engine.worker())).collect();
    pool.install(|| {
        (0..plan.units())
            .into_par_iter()
            .with_max_len(1)
            .map(|unit| {
                let thread = rayon::current_thread_index().expect("this runs in the pool");
                // Nobody else ever asks for this thread's worker, so the lock never waits; a panic elsewhere ends
                // the run anyway.
                let mut worker = workers[thread].lock().unwrap_or_else(PoisonError::into_inner);
                unit_tally(plan, engine, &mut worker, unit)
            })
            .try_reduce(Tally::default, Tally::join)
    })
}

/// The weighted sum over one unit.
fn unit_tally<P, E>(plan: &P, engine: &E, worker: &mut E::Worker, unit: usize) -> Result<Tally, Overflow>
where
    P: Plan,
    E: Engine<Task = P::Task>,
{
    let mut tally = Tally::default();
    for weighted in plan.unit(unit) {
        tally.add(engine.count(worker, &weighted.task), weighted.weight)?;
    }
    Ok(tally)
}
