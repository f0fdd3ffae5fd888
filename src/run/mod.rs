//! Running a count: a rayon pool with one worker for each thread, a checked sum, and the state that others can read.

mod audits;
pub(crate) mod counting;
mod double_check;
pub(crate) mod pace;
pub(crate) mod self_check;
mod share;
pub(crate) mod state;
pub(crate) mod threads;

pub(crate) use double_check::Checked;
pub use self_check::SelfCheckError;
pub use share::{Share, ShareError};
pub use threads::{available_threads, thread_count};

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use crate::board::SizeError;
use crate::engine::MethodError;
use crate::ledger::{Ledger, LedgerError, Partial};
use crate::run::counting::{Counting, Found, Second, Worker};
use crate::run::double_check::DoubleCheck;
use crate::run::state::{Recorder, RunState};
use crate::tally::{Overflow, Tally};
use crate::watch::{Stop, lock};

/// Why a count was not made, or ended early. In none of these cases is there a wrong number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// No board has this size.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The engine cannot count this subject, or not on this processor.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The engine failed on a small board.
    #[error(transparent)]
    SelfCheck(#[from] SelfCheckError),
    /// The ledger to resume or to audit belongs to something else.
    #[error("this ledger cannot be used here: {0}")]
    Ledger(#[from] LedgerError),
    /// The threads could not be started.
    #[error("could not start the threads: {0}")]
    Threads(String),
    /// It was asked to stop. The ledger of a run has what is finished.
    #[error("stopped before the end")]
    Stopped,
    /// The sum is too large.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// This run was made before.
    #[error("a run counts only once; begin another from its ledger")]
    Used,
    /// A task or a unit that was counted twice has two different tallies.
    #[error("counted twice with different results, {first} and {second}: {what}; the machine or the program is wrong")]
    Differs {
        /// The name of the task or of the unit.
        what: String,
        /// The tally by the engine of the run; where the auditor differs, by the engine that counts a second time.
        first: Tally,
        /// The tally by the second engine, or by the auditor.
        second: Tally,
    },
}

/// Counts the units that the ledger of a state lacks. Returns the sum of the ledger, and what was counted twice.
pub(crate) fn count(
    counting: &dyn Counting,
    pool: &rayon::ThreadPool,
    share: Share,
    state: &RunState,
) -> Result<(Tally, Checked), CountError> {
    let ledger = state.earlier();
    ledger.check_partials(&*counting.plan())?;
    let check = DoubleCheck::new(counting, &ledger, share);
    state.checked.get_or_init(|| Arc::clone(&check.recounted));
    let counted = check.reread(pool, state).and_then(|()| units(counting, pool, &ledger, &check, state));
    if matches!(counted, Err(CountError::Differs { .. })) {
        state.differs.store(true, Ordering::Relaxed);
    }
    counted?;
    Ok((state.total()?, check.checked()))
}

/// Counts the units that the ledger lacks, on the threads of `pool`.
///
/// Work-stealing deals out the units one at a time, and gives neighbours to the same thread as long as there are
/// enough. The groups of units are shuffled, in the same way every time, so that the finished units are a fair sample
/// for estimating the time left. The units of a group stay together: when they were shuffled too, the join was 5 times
/// slower at N = 17.
///
/// The first thread that meets an error ends the others.
fn units<'a>(
    counting: &'a dyn Counting,
    pool: &rayon::ThreadPool,
    ledger: &Ledger,
    check: &DoubleCheck<'a>,
    state: &RunState,
) -> Result<(), CountError> {
    let (plan, todo) = (counting.plan(), ledger.todo());
    let mut groups: Vec<&[usize]> = todo.chunk_by(|&a, &b| plan.group(a) == plan.group(b)).collect();
    fastrand::Rng::with_seed(0).shuffle(&mut groups);
    let order = groups.concat();
    state.start(pool.current_num_threads());
    // For each thread of the pool what it has at hand while it counts nothing. An engine from outside may use the pool in
    // the middle of a task; while it waits, its thread takes up another unit, for which it needs another set.
    let idle: Vec<_> = (0..pool.current_num_threads()).map(|_| Mutex::new(Vec::new())).collect();
    pool.install(|| {
        order.par_iter().with_max_len(1).try_for_each(|&unit| {
            let thread = rayon::current_thread_index().expect("this runs in the pool");
            // No other thread uses it, so the lock never waits.
            let idle = || lock(&idle[thread]);
            let new = || Box::new(Thread { worker: counting.worker(), second: None, recorder: state.recorder() });
            let found = idle().pop();
            let mut thread = found.unwrap_or_else(new);
            let counted = thread.unit((unit, plan.tasks(unit)), ledger.partial(unit), check, state.stop());
            idle().push(thread);
            counted
        })
    })
}

/// What a thread of a run counts a unit with.
struct Thread<'a> {
    worker: Box<dyn Worker + 'a>,
    second: Option<Box<Second<'a>>>,
    recorder: Recorder,
}

impl<'a> Thread<'a> {
    /// Counts a unit of so many tasks from the part on that is already finished.
    fn unit(
        &mut self,
        (unit, of): (usize, u64),
        mut finished: Partial,
        check: &DoubleCheck<'a>,
        stop: &Stop,
    ) -> Result<(), CountError> {
        let Self { worker, second, recorder } = self;
        let stopped = || if stop.is_requested() { Err(CountError::Stopped) } else { Ok(()) };
        stopped()?;
        recorder.begin(unit, finished);
        worker.unit(unit, finished.tasks, &mut |found: Found| {
            check.check(second, (unit, finished.tasks), found, stop)?;
            finished.tally.add(found.count, found.weight)?;
            finished.tasks += 1;
            // A unit is finished however soon the stop comes.
            if finished.tasks == of {
                return Ok(());
            }
            recorder.advance(&finished);
            stopped()
        })?;
        recorder.finish(unit, &finished);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::join::Join;
    use crate::engine::lanes::Portable;
    use crate::engine::naive::Naive;
    use crate::ledger::{Fingerprint, Ledger};
    use crate::plan::{HalvesPlan, PrefixPlan, Units};
    use crate::run::counting::tests::planted;
    use crate::{Placement, Shard, Size};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Solutions on a board of this size, by these engines.
    pub(super) fn counting<E, S>(n: usize, engine: E, second: S) -> impl Counting
    where
        E: Engine<Task = Placement> + Send,
        S: Engine<Task = Placement> + Send + 'static,
    {
        planted(PrefixPlan::new(&Placement::empty(Size::new(n).unwrap())), engine, second, None)
    }

    pub(super) fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
    }

    pub(super) fn share(share: f64) -> Share {
        share.try_into().unwrap()
    }

    /// A ledger without units.
    pub(super) fn empty(counting: &dyn Counting) -> Ledger {
        let (plan, subject) = (counting.plan(), Size::new(8).unwrap().into());
        let fingerprint = Fingerprint { subject, engine: "none".into(), plan: plan.fingerprint(), units: plan.units() };
        Ledger::new(fingerprint, Shard::WHOLE)
    }

    /// The state of a run on this ledger.
    pub(super) fn state_of(counting: &dyn Counting, ledger: Ledger) -> RunState {
        RunState::new(ledger, counting.plan(), Stop::default())
    }

    /// The number of solutions, and what was counted twice.
    pub(super) fn count_all(
        counting: &dyn Counting,
        threads: usize,
        share: Share,
    ) -> Result<(u128, Checked), CountError> {
        match count(counting, &pool(threads), share, &state_of(counting, empty(counting))) {
            Ok((tally, checked)) => Ok((tally.get(), checked)),
            Err(error) => Err(error),
        }
    }

    /// A plan with several tasks in a unit, that unit, and a ledger of the plan.
    pub(super) fn with_tasks() -> (PrefixPlan, usize, Ledger) {
        let plan = PrefixPlan::new(&Placement::empty(Size::new(22).unwrap()));
        let unit = (0..plan.units()).find(|&unit| plan.tasks(unit) > 6).unwrap();
        (plan, unit, empty(&counting(22, Naive, Naive)))
    }

    /// Backtracking on a machine that flips the lowest bit of one task's count.
    pub(super) struct Flipped;

    impl Engine for Flipped {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), task: &Placement) -> u64 {
            let backtrack = Backtrack::default();
            backtrack.count(&mut backtrack.worker(), task) ^ u64::from(task.rows().eq([3, 5]))
        }
    }

    /// Finds two solutions in every task.
    pub(super) struct Two;

    impl Engine for Two {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), _task: &Placement) -> u64 {
            2
        }
    }

    /// Notes the units in the order in which they are begun.
    struct Noted<C>(C, Mutex<Vec<usize>>);

    struct NotedWorker<'a>(Box<dyn Worker + 'a>, &'a Mutex<Vec<usize>>);

    impl<C: Counting> Counting for Noted<C> {
        fn plan(&self) -> Arc<dyn Units> {
            self.0.plan()
        }

        fn worker(&self) -> Box<dyn Worker + '_> {
            Box::new(NotedWorker(self.0.worker(), &self.1))
        }

        fn second(&self) -> Box<Second<'_>> {
            self.0.second()
        }

        fn name(&self) -> &'static str {
            self.0.name()
        }
    }

    impl Worker for NotedWorker<'_> {
        fn unit(
            &mut self,
            unit: usize,
            from: u64,
            each: &mut dyn FnMut(Found) -> Result<(), CountError>,
        ) -> Result<(), CountError> {
            self.1.lock().unwrap().push(unit);
            self.0.unit(unit, from, each)
        }

        fn sample(&mut self, _: usize, _: &mut fastrand::Rng) -> counting::Sample {
            unreachable!("nothing is sampled")
        }

        fn audit(
            &mut self,
            _: (usize, u64),
            _: u64,
            _: &mut fastrand::Rng,
            _: &dyn Fn() -> bool,
        ) -> Option<counting::Compared> {
            unreachable!("nothing is audited")
        }
    }

    /// Groups come in another order than in the plan, each in one piece.
    #[test]
    fn groups_are_shuffled_and_stay_together() {
        let size = Size::new(13).unwrap();
        let join = || Join::new(size, Portable::new());
        let noted = Noted(planted(HalvesPlan::new(size), join(), join(), None), Mutex::default());
        assert_eq!(count_all(&noted, 1, Share::NONE), Ok((73712, Checked::default())));
        let seen = noted.1.lock().unwrap().clone();
        assert!(!seen.is_sorted());
        let plan = noted.plan();
        let groups: Vec<usize> =
            seen.chunk_by(|&a, &b| plan.group(a) == plan.group(b)).map(|units| plan.group(units[0])).collect();
        // The centre, and each place of the queen in the middle column, up to 5 squares from the centre.
        assert_eq!(groups.len(), 1 + 5);
        assert!(groups.iter().enumerate().all(|(at, group)| !groups[..at].contains(group)), "{groups:?}");
    }

    /// Counts each child of a task as a job of its own, as an engine from outside may.
    struct Parallel;

    impl Engine for Parallel {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), task: &Placement) -> u64 {
            let children: Vec<Placement> = task.extensions().collect();
            let of_child = |child| {
                std::thread::yield_now();
                Naive.count(&mut (), &child)
            };
            children.into_par_iter().with_max_len(1).map(of_child).sum()
        }
    }

    /// A thread that waits for such jobs takes up another unit meanwhile, and another one while it waits in that.
    #[test]
    fn engines_may_use_the_threads_of_the_run() {
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for threads in [1, 2, 3, 8] {
                let parallel = counting(10, Parallel, Parallel);
                tell.send(count_all(&parallel, threads, share(0.5))).unwrap();
            }
        });
        for _ in 0..4 {
            let found = told.recv_timeout(std::time::Duration::from_secs(60)).expect("the run hangs");
            assert_eq!(found.map(|(count, checked)| (count, checked.tasks)), Ok((724, 18)));
        }
    }

    /// Backtracking that stops the run in the task of this number.
    struct Stops<'a>(&'a RunState, AtomicUsize, usize);

    impl Engine for Stops<'_> {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), task: &Placement) -> u64 {
            if self.1.fetch_add(1, Ordering::Relaxed) + 1 == self.2 {
                self.0.stop().request();
            }
            Naive.count(&mut (), task)
        }
    }

    /// Each unit is counted once, whichever runs count it, and a stop leaves the others to the next.
    #[test]
    fn runs_end_when_told_to() {
        let ledger = empty(&counting(8, Naive, Naive));
        let all = ledger.units();
        for threads in [1, 2, 3] {
            let naive = counting(8, Naive, Naive);
            let state = state_of(&naive, ledger.clone());
            state.stop().request();
            let halted = count(&naive, &pool(threads), Share::NONE, &state);
            assert!(matches!(halted, Err(CountError::Stopped)) && state.ledger().finished() == 0);
            let state = state_of(&naive, ledger.clone());
            let stops = counting(8, Stops(&state, AtomicUsize::new(0), 5), Naive);
            let halted = count(&stops, &pool(threads), Share::NONE, &state);
            assert!(matches!(halted, Err(CountError::Stopped)), "{halted:?}");
            let left = state.ledger();
            assert!((5..5 + threads).contains(&left.finished()), "{} units on {threads} threads", left.finished());
            for (ledger, expected) in [(left, all), (ledger.clone(), all)] {
                let state = state_of(&naive, ledger);
                let total = count(&naive, &pool(threads), Share::NONE, &state).unwrap().0;
                assert_eq!((total.get(), state.ledger().finished()), (92, expected));
            }
        }
    }
}
