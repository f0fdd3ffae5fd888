//! Running a plan: a rayon pool, one worker a thread, a checked sum; and what may watch it.

pub(crate) mod dispatch;
pub(crate) mod gate;
mod pace;
pub mod progress;
pub(crate) mod recheck;
mod stop;

pub use gate::{Board, GateError};
pub use pace::TimeLeft;
pub use stop::Stop;

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::engine::Engine;
use crate::ledger::{LedgerError, Partial};
use crate::plan::Plan;
use crate::tally::{Overflow, Tally};

/// Sees a run from within its threads. `()` sees nothing and costs nothing.
pub(crate) trait Observer: Sync {
    /// A thread of the pool takes up a unit, and is told what is finished of it already.
    fn begun(&self, _thread: usize, _unit: usize) -> Partial {
        Partial::default()
    }

    /// Asked before every task: whether to stop instead. The unit in hand is then not finished.
    fn stopped(&self) -> bool {
        false
    }

    /// A thread has solved one more task of the unit that it has in hand; what is finished of that by now.
    fn advanced(&self, _thread: usize, _partial: &Partial) {}

    /// A thread has solved a unit.
    ///
    /// # Errors
    /// Where the run must not go on.
    fn finished(&self, _thread: usize, _unit: usize, _tally: Tally) -> Result<(), Halt> {
        Ok(())
    }

    /// What a thread has counted of the unit in hand is wrong.
    fn disproved(&self, _thread: usize) {}
}

impl Observer for () {}

/// Why a run ended before its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Halt {
    /// It was asked to.
    #[error("stopped before the end")]
    Stopped,
    /// The sum is too large.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// The ledger it writes to has something else.
    #[error("the ledger does not take a result: {0}")]
    Ledger(#[from] LedgerError),
    /// A unit counted twice gave two tallies.
    #[error("counted twice with different results, {first} and {second}: {unit}; the machine or the program is wrong")]
    Differs {
        /// The unit's name.
        unit: String,
        /// By the engine of the run.
        first: Box<Tally>,
        /// By the second engine.
        second: Box<Tally>,
    },
}

/// The weighted sum over `units` of `plan`, solved by the threads of `pool`.
///
/// Work-stealing deals the units out one at a time, neighbours to the same thread as long as there are enough. Their
/// groups are shuffled, alike every time, so that those finished at any moment are a fair sample to tell the time left
/// from. The units of a group stay together: shuffled apart they made the join 5 times slower at N = 17.
///
/// # Errors
/// Where the observer stops it or the sum does not fit; the first thread that meets an error ends the others.
pub(crate) fn run<P, E, O>(
    plan: &P,
    engine: &E,
    pool: &rayon::ThreadPool,
    units: &[usize],
    observer: &O,
) -> Result<Tally, Halt>
where
    P: Plan,
    E: Engine<Task = P::Task>,
    O: Observer,
{
    let mut groups: Vec<&[usize]> = units.chunk_by(|&a, &b| plan.group(a) == plan.group(b)).collect();
    fastrand::Rng::with_seed(0).shuffle(&mut groups);
    let order = groups.concat();
    let workers: Vec<_> = (0..pool.current_num_threads()).map(|_| Mutex::new(engine.worker())).collect();
    pool.install(|| {
        order
            .par_iter()
            .with_max_len(1)
            .map(|&unit| {
                let thread = rayon::current_thread_index().expect("this runs in the pool");
                // Nobody else ever asks for this thread's worker, so the lock never waits; a panic elsewhere ends
                // the run anyway.
                let mut worker = workers[thread].lock().unwrap_or_else(PoisonError::into_inner);
                let tally = unit_tally(plan, engine, &mut worker, thread, unit, observer)?;
                observer.finished(thread, unit, tally.clone())?;
                Ok(tally)
            })
            .try_reduce(Tally::default, |a, b| Ok(a.join(&b)?))
    })
}

/// The weighted sum over one unit, from what the observer says is finished of it.
fn unit_tally<P, E, O>(
    plan: &P,
    engine: &E,
    worker: &mut E::Worker,
    thread: usize,
    unit: usize,
    observer: &O,
) -> Result<Tally, Halt>
where
    P: Plan,
    E: Engine<Task = P::Task>,
    O: Observer,
{
    let mut finished = observer.begun(thread, unit);
    for weighted in plan.unit(unit).skip(finished.tasks as usize) {
        if observer.stopped() {
            return Err(Halt::Stopped);
        }
        engine.add_to(&mut finished.tally, worker, &weighted)?;
        finished.tasks += 1;
        observer.advanced(thread, &finished);
    }
    Ok(finished.tally)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::join::Join;
    use crate::engine::lanes::Portable;
    use crate::plan::halves::HalvesPlan;
    use crate::plan::prefixes::{Columns, PrefixPlan};
    use crate::{Placement, Size};
    use std::sync::Mutex;

    /// Notes what it sees, and stops after so many units.
    struct Seen {
        units: Mutex<Vec<usize>>,
        most: usize,
    }

    impl Observer for Seen {
        fn stopped(&self) -> bool {
            self.units.lock().unwrap().len() >= self.most
        }

        fn finished(&self, _thread: usize, unit: usize, _tally: Tally) -> Result<(), Halt> {
            self.units.lock().unwrap().push(unit);
            Ok(())
        }
    }

    /// Groups come in another order than that of the plan, each in one piece.
    #[test]
    fn groups_are_shuffled_and_stay_together() {
        let size = Size::new(13).unwrap();
        let (plan, join) = (HalvesPlan::new(size), Join::new(size, Portable::new()));
        let all: Vec<usize> = (0..plan.units()).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let seen = Seen { units: Mutex::default(), most: usize::MAX };
        assert_eq!(run(&plan, &join, &pool, &all, &seen).map(|tally| tally.get()), Ok(73712));
        let seen = seen.units.into_inner().unwrap();
        assert!(!seen.is_sorted());
        let groups: Vec<usize> =
            seen.chunk_by(|&a, &b| plan.group(a) == plan.group(b)).map(|units| plan.group(units[0])).collect();
        // The centre, and each place of the queen in the middle column, up to 5 from it.
        assert_eq!(groups.len(), 1 + 5);
        assert!(groups.iter().enumerate().all(|(at, group)| !groups[..at].contains(group)), "{groups:?}");
    }

    #[test]
    fn runs_end_when_told_to() {
        let plan = PrefixPlan::new(&Placement::empty(Size::new(8).unwrap()), Columns::Two);
        let all: Vec<usize> = (0..plan.units()).collect();
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let watched = |most| {
                let seen = Seen { units: Mutex::default(), most };
                let result = run(&plan, &Backtrack::default(), &pool, &all, &seen);
                (result.map(|tally| tally.get()), seen.units.into_inner().unwrap().len())
            };
            assert_eq!(watched(0), (Err(Halt::Stopped), 0));
            let (result, finished) = watched(5);
            assert_eq!(result, Err(Halt::Stopped));
            assert!((5..5 + threads).contains(&finished), "{finished} units with {threads} threads");
            assert_eq!(watched(all.len() + 1), (Ok(92), all.len()), "every unit once");
            assert_eq!(run(&plan, &Backtrack::default(), &pool, &[], &()), Ok(Tally::default()));
        }
    }
}
