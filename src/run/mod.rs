//! Running a plan: a rayon pool with one worker for each thread, a checked sum, and observers of the run.

pub(crate) mod audited;
pub(crate) mod clock;
pub(crate) mod dispatch;
mod drawn;
mod error;
pub(crate) mod join_audit;
mod pace;
mod prefix_audit;
mod recheck;
mod reread;
pub(crate) mod self_check;
mod share;
pub mod state;
mod stop;
pub(crate) mod student;
mod threads;

pub use error::{CountError, RunError};
pub use pace::TimeLeft;
pub use self_check::SelfCheckError;
pub use share::{Share, ShareError};
pub use stop::Stop;
pub use threads::{Threads, available_threads};

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::engine::Engine;
use crate::ledger::Partial;
use crate::plan::Plan;
use crate::run::dispatch::{Counter, Job};
use crate::run::recheck::{Checked, Recheck};
use crate::run::reread::Reread;
use crate::run::state::RunState;
use crate::tally::Tally;

/// An observer of a run, called by its threads. `()` observes nothing and costs nothing.
pub(crate) trait Observer: Sync {
    /// A thread of the pool begins a unit. Returns the part of it that is already finished.
    fn begun(&self, _thread: usize, _unit: usize) -> Partial {
        Partial::default()
    }

    /// Whether to stop now; called before every task. The current unit then stays unfinished.
    fn stopped(&self) -> bool {
        false
    }

    /// A thread has solved one more task of its unit. `partial` is the part that is finished by now.
    fn advanced(&self, _thread: usize, _partial: &Partial) {}

    /// A thread has solved a unit.
    ///
    /// # Errors
    /// If the run must not go on.
    fn finished(&self, _thread: usize, _unit: usize, _tally: Tally) -> Result<(), RunError> {
        Ok(())
    }

    /// Whether this task of a unit is to be counted by itself, and then [checked](Observer::check).
    fn is_checked(&self, _unit: usize, _index: u64) -> bool {
        false
    }

    /// Checks the tally of a task.
    ///
    /// # Errors
    /// If it is wrong.
    fn check(&self, _thread: usize, _unit: usize, _index: u64, _tally: &Tally) -> Result<(), RunError> {
        Ok(())
    }

    /// So many tasks that earlier runs finished are recounted before this run goes on.
    fn recounts(&self, _tasks: u64) {}

    /// One more of them is recounted.
    fn recounted(&self) {}

    /// What the ledger has of the first tasks of this unit is wrong.
    fn disproved(&self, _unit: usize) {}
}

impl Observer for () {}

/// The weighted sum over `units` of `plan`, solved by the threads of `pool`.
///
/// Work-stealing deals out the units one at a time, and gives neighbours to the same thread as long as there are
/// enough. The groups of units are shuffled, in the same way every time, so that the finished units are a fair sample
/// for estimating the time left. The units of a group stay together: when they were shuffled too, the join was 5 times
/// slower at N = 17.
///
/// # Errors
/// If the observer stops the run or the sum does not fit. The first thread that meets an error ends the others.
pub(crate) fn run<P, E, O>(
    plan: &P,
    engine: &E,
    pool: &rayon::ThreadPool,
    units: &[usize],
    observer: &O,
) -> Result<Tally, RunError>
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
                // No other thread uses this worker, so the lock never waits. A panic elsewhere ends the run anyway.
                let mut worker = workers[thread].lock().unwrap_or_else(PoisonError::into_inner);
                let tally = unit_tally(plan, engine, &mut worker, thread, unit, observer)?;
                observer.finished(thread, unit, tally.clone())?;
                Ok(tally)
            })
            .try_reduce(Tally::default, |a, b| Ok(a.plus(&b)?))
    })
}

/// Counts the units of a plan, or those that the ledger of a state lacks. Also returns what was counted twice.
pub(crate) struct Sum<'a> {
    pub(crate) pool: &'a rayon::ThreadPool,
    pub(crate) double_check: Share,
    pub(crate) state: Option<&'a RunState>,
}

impl Job for Sum<'_> {
    type Output = Result<(Tally, Checked), CountError>;

    fn run<C: Counter>(self, counter: &C) -> Self::Output {
        let (plan, engine, second) = (counter.plan(), counter.engine(), counter.second());
        let (threads, share) = (self.pool.current_num_threads(), self.double_check);
        let Some(state) = self.state else {
            let units: Vec<usize> = (0..plan.units()).collect();
            let recheck = Recheck::new(plan, second, (&units, threads), share, &());
            let total = run(plan, engine, self.pool, &units, &recheck)?;
            return Ok((total, recheck.checked(units.into_iter())));
        };
        let ledger = state.ledger();
        ledger.check_partials(plan)?;
        let observer = state.start(plan, threads);
        // What earlier runs finished is double-checked too.
        let reread = Reread::new(plan, &ledger, share);
        reread.recount(plan, second, self.pool, &observer)?;
        let units = ledger.todo();
        let recheck = Recheck::new(plan, second, (&units, threads), share, &observer);
        run(plan, engine, self.pool, &units, &recheck)?;
        let (earlier, now) = (reread.checked(), recheck.checked(units.into_iter().filter(|&unit| reread.covers(unit))));
        let checked = Checked { tasks: earlier.tasks + now.tasks, units: earlier.units + now.units };
        Ok((state.ledger().total()?, checked))
    }
}

/// The weighted sum over one unit, continued from the part that the observer says is finished.
fn unit_tally<P, E, O>(
    plan: &P,
    engine: &E,
    worker: &mut E::Worker,
    thread: usize,
    unit: usize,
    observer: &O,
) -> Result<Tally, RunError>
where
    P: Plan,
    E: Engine<Task = P::Task>,
    O: Observer,
{
    let mut finished = observer.begun(thread, unit);
    for weighted in plan.unit(unit).skip(finished.tasks as usize) {
        if observer.stopped() {
            return Err(RunError::Stopped);
        }
        if observer.is_checked(unit, finished.tasks) {
            let mut once = Tally::default();
            engine.add_to(&mut once, worker, &weighted)?;
            observer.check(thread, unit, finished.tasks, &once)?;
            finished.tally = finished.tally.plus(&once)?;
        } else {
            engine.add_to(&mut finished.tally, worker, &weighted)?;
        }
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
    use crate::plan::prefixes::PrefixPlan;
    use crate::{Placement, Size};
    use std::sync::Mutex;

    /// Notes its calls, and stops after a given number of units.
    struct Seen {
        units: Mutex<Vec<usize>>,
        most: usize,
    }

    impl Observer for Seen {
        fn stopped(&self) -> bool {
            self.units.lock().unwrap().len() >= self.most
        }

        fn finished(&self, _thread: usize, unit: usize, _tally: Tally) -> Result<(), RunError> {
            self.units.lock().unwrap().push(unit);
            Ok(())
        }
    }

    /// Groups come in another order than in the plan, each in one piece.
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
        // The centre, and each place of the queen in the middle column, up to 5 squares from the centre.
        assert_eq!(groups.len(), 1 + 5);
        assert!(groups.iter().enumerate().all(|(at, group)| !groups[..at].contains(group)), "{groups:?}");
    }

    #[test]
    fn runs_end_when_told_to() {
        let plan = PrefixPlan::new(&Placement::empty(Size::new(8).unwrap()));
        let all: Vec<usize> = (0..plan.units()).collect();
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let watched = |most| {
                let seen = Seen { units: Mutex::default(), most };
                let result = run(&plan, &Backtrack::default(), &pool, &all, &seen);
                (result.map(|tally| tally.get()), seen.units.into_inner().unwrap().len())
            };
            assert_eq!(watched(0), (Err(RunError::Stopped), 0));
            let (result, finished) = watched(5);
            assert_eq!(result, Err(RunError::Stopped));
            assert!((5..5 + threads).contains(&finished), "{finished} units with {threads} threads");
            assert_eq!(watched(all.len() + 1), (Ok(92), all.len()), "every unit once");
            assert_eq!(run(&plan, &Backtrack::default(), &pool, &[], &()), Ok(Tally::default()));
        }
    }
}
