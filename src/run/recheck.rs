//! Counting some tasks a second time by another engine, to detect errors of the machine itself.
//!
//! Memory and processors make errors now and then, and a run of weeks gives them time. Two engines of different code do
//! not make the same one by chance. So if they agree on a random share of the tasks, errors are not frequent enough to
//! matter. If they differ, the run ends with the name of the task.
//!
//! A task is counted the second time right after the first, before it counts as finished. So a run that is stopped has
//! checked what it saved, and loses no more than the task that it was checking.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::drawn::Drawn;
use super::{Observer, RunError, Share};
use crate::engine::Engine;
use crate::ledger::Partial;
use crate::plan::Plan;
use crate::tally::Tally;

/// An observer that recounts tasks that it has drawn, and passes everything on to another observer.
#[derive(Debug)]
pub(crate) struct Recheck<'a, P, E: Engine, O> {
    plan: &'a P,
    second: &'a E,
    drawn: Drawn,
    /// For each thread, the second engine's buffers for the block of tasks that is being recounted.
    workers: Box<[Mutex<Option<E::Worker>>]>,
    recounted: AtomicU64,
    inner: &'a O,
}

impl<'a, P, E, O> Recheck<'a, P, E, O>
where
    P: Plan,
    E: Engine<Task = P::Task>,
{
    /// Recounts a random `share` of the tasks of `units` by the engine `second`, in a run of so many threads.
    pub(crate) fn new(
        plan: &'a P,
        second: &'a E,
        (units, threads): (&[usize], usize),
        share: Share,
        inner: &'a O,
    ) -> Self {
        let workers = (0..threads).map(|_| Mutex::default()).collect();
        let drawn = Drawn::new(plan, units, share);
        Self { plan, second, drawn, workers, recounted: AtomicU64::new(0), inner }
    }

    /// How many tasks have been counted twice, and how many of these `units` as a whole, if all are finished.
    pub(crate) fn checked(&self, units: impl Iterator<Item = usize>) -> Checked {
        let tasks = self.recounted.load(Ordering::Relaxed);
        Checked { tasks, units: units.filter(|&unit| self.drawn.has_all(self.plan, unit)).count() }
    }
}

/// What was counted twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checked {
    pub(crate) tasks: u64,
    /// Units whose tasks were all counted twice.
    pub(crate) units: usize,
}

impl<P, E, O> Observer for Recheck<'_, P, E, O>
where
    P: Plan,
    E: Engine<Task = P::Task>,
    O: Observer,
{
    fn begun(&self, thread: usize, unit: usize) -> Partial {
        self.inner.begun(thread, unit)
    }

    fn stopped(&self) -> bool {
        self.inner.stopped()
    }

    fn is_checked(&self, unit: usize, index: u64) -> bool {
        self.drawn.has(unit, index)
    }

    fn check(&self, thread: usize, unit: usize, index: u64, tally: &Tally) -> Result<(), RunError> {
        // No other thread uses this worker. It is dropped when it is not needed for a while: it has as many lists as the
        // one of the run.
        let mut kept = self.workers[thread].lock().expect("no thread panics with it");
        let mut worker = kept.take().unwrap_or_else(|| self.second.worker());
        let mut second = Tally::default();
        self.second.add_to(&mut second, &mut worker, &self.plan.task(unit, index))?;
        let is_last = index + 1 == self.plan.tasks(unit) || self.drawn.ends_block(index);
        *kept = (!is_last).then_some(worker);
        self.recounted.fetch_add(1, Ordering::Relaxed);
        same(|| format!("task {index} of {}", self.plan.name(unit)), tally, &second)
    }

    fn advanced(&self, thread: usize, partial: &Partial) {
        self.inner.advanced(thread, partial);
    }

    fn finished(&self, thread: usize, unit: usize, tally: Tally) -> Result<(), RunError> {
        self.inner.finished(thread, unit, tally)
    }
}

/// Fails with a name if two tallies differ.
pub(super) fn same(name: impl FnOnce() -> String, first: &Tally, second: &Tally) -> Result<(), RunError> {
    if first == second {
        return Ok(());
    }
    let (first, second) = (Box::new(first.clone()), Box::new(second.clone()));
    Err(RunError::Differs { what: name(), first, second })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::naive::Naive;
    use crate::ledger::{Fingerprint, Ledger};
    use crate::plan::prefixes::PrefixPlan;
    use crate::run::run;
    use crate::run::state::RunState;
    use crate::{Placement, Shard, Size};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Backtracking on a machine that flips the lowest bit of one task's count.
    struct Flipped;

    impl Engine for Flipped {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), task: &Placement) -> u64 {
            Backtrack::default().count(&mut Backtrack::default().worker(), task) ^ u64::from(task.rows().eq([3, 5]))
        }
    }

    pub(crate) fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
    }

    /// A plan for 8×8 and all its units.
    fn eight() -> (PrefixPlan, Vec<usize>) {
        let plan = PrefixPlan::new(&Placement::empty(Size::new(8).unwrap()));
        let units = (0..plan.units()).collect();
        (plan, units)
    }

    pub(crate) fn share(share: f64) -> Share {
        share.try_into().unwrap()
    }

    #[test]
    fn a_flipped_tally_is_caught_and_named() {
        let (plan, units) = eight();
        let of = (&units[..], 2);
        let all = Recheck::new(&plan, &Naive, of, Share::ALL, &());
        assert_eq!(run(&plan, &Backtrack::default(), &pool(2), &units, &all).map(|tally| tally.get()), Ok(92));
        assert_eq!(all.checked(units.iter().copied()), Checked { tasks: 21, units: 21 });
        let halt = run(&plan, &Flipped, &pool(2), &units, &all).unwrap_err();
        let RunError::Differs { what, first, second } = &halt else { panic!("{halt}") };
        assert!(what.starts_with("task 0 of unit ") && what.ends_with("(completions of 35)"), "{what}");
        assert_eq!(first.get().abs_diff(second.get()), 2, "the task's weight is 2");
        // Unchecked, the error passes.
        let none = Recheck::new(&plan, &Naive, of, Share::NONE, &());
        assert_eq!(run(&plan, &Flipped, &pool(2), &units, &none).map(|tally| tally.get()), Ok(92 + 2));
        assert_eq!(none.checked(units.iter().copied()), Checked::default());
    }

    /// As many tasks as the share says are counted twice, whichever threads count them.
    #[test]
    fn a_share_of_the_tasks_is_counted_twice() {
        let (plan, units) = eight();
        for threads in [1, 3] {
            let some = Recheck::new(&plan, &Naive, (&units, threads), share(0.3), &());
            assert_eq!(
                run(&plan, &Backtrack::default(), &pool(threads), &units, &some).map(|tally| tally.get()),
                Ok(92)
            );
            assert_eq!(some.checked(units.iter().copied()), Checked { tasks: 7, units: 7 });
        }
    }

    /// Counts the calls: units begun, tasks, units finished, parts disproved.
    #[derive(Default)]
    pub(crate) struct Told([AtomicUsize; 4]);

    impl Told {
        fn note(&self, what: usize) {
            self.0[what].fetch_add(1, Ordering::Relaxed);
        }

        pub(crate) fn all(self) -> [usize; 4] {
            self.0.map(AtomicUsize::into_inner)
        }
    }

    impl Observer for Told {
        fn begun(&self, _thread: usize, _unit: usize) -> Partial {
            self.note(0);
            Partial::default()
        }

        fn advanced(&self, _thread: usize, _partial: &Partial) {
            self.note(1);
        }

        fn finished(&self, _thread: usize, _unit: usize, _tally: Tally) -> Result<(), RunError> {
            self.note(2);
            Ok(())
        }

        fn disproved(&self, _unit: usize) {
            self.note(3);
        }
    }

    /// The observer of a double-checked run sees every unit once, and nothing of a task that is wrong.
    #[test]
    fn the_run_is_watched_as_without_a_double_check() {
        let (plan, units) = eight();
        let tasks = units.iter().map(|&unit| plan.tasks(unit) as usize).sum();
        let told = Told::default();
        let recheck = Recheck::new(&plan, &Naive, (&units, 1), Share::ALL, &told);
        run(&plan, &Backtrack::default(), &pool(1), &units, &recheck).unwrap();
        assert_eq!(told.all(), [units.len(), tasks, units.len(), 0]);
        let wrong: Vec<usize> = units.iter().copied().filter(|&unit| plan.name(unit).ends_with("of 35)")).collect();
        let told = Told::default();
        let recheck = Recheck::new(&plan, &Naive, (&wrong, 1), Share::ALL, &told);
        run(&plan, &Flipped, &pool(1), &wrong, &recheck).unwrap_err();
        assert_eq!(told.all(), [1, 0, 0, 0]);
    }

    pub(crate) struct Stopped;

    impl Observer for Stopped {
        fn stopped(&self) -> bool {
            true
        }
    }

    /// A request to stop also stops a double check.
    #[test]
    fn double_checks_can_be_stopped() {
        let (plan, units) = eight();
        assert!(Recheck::new(&plan, &Naive, (&units, 1), Share::ALL, &Stopped).stopped());
        assert!(!Recheck::new(&plan, &Naive, (&units, 1), Share::ALL, &()).stopped());
    }

    /// Finds two solutions in every task.
    pub(crate) struct Two;

    impl Engine for Two {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), _task: &Placement) -> u64 {
            2
        }
    }

    /// The same, and stops a run after three tasks.
    struct Three<'a>(&'a RunState, AtomicU64);

    impl Engine for Three<'_> {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), _task: &Placement) -> u64 {
            if self.1.fetch_add(1, Ordering::Relaxed) == 2 {
                self.0.stop().clone().request();
            }
            2
        }
    }

    /// A run that is stopped within a unit has saved every task that it has checked, and the next one checks the others.
    #[test]
    fn a_stop_keeps_what_was_checked() {
        let (plan, unit, mut ledger) = with_tasks();
        for (earlier, now) in [(0, 3), (3, 6)] {
            let state = RunState::new(ledger);
            let observer = state.start(&plan, 1);
            let second = Three(&state, AtomicU64::new(0));
            let recheck = Recheck::new(&plan, &second, (&[unit], 1), Share::ALL, &observer);
            assert_eq!(run(&plan, &Two, &pool(1), &[unit], &recheck), Err(RunError::Stopped));
            assert_eq!((recheck.checked(std::iter::empty()).tasks, second.1.load(Ordering::Relaxed)), (3, 3));
            ledger = state.ledger();
            let sum: u64 = plan.unit(unit).take(now).map(|task| 2 * task.weight).sum();
            let part = Partial { tasks: now as u64, tally: u128::from(sum).into() };
            assert_eq!((ledger.partial(unit), earlier + 3), (part, now));
        }
    }

    /// A plan with several tasks in a unit, that unit, and a ledger of the plan.
    pub(crate) fn with_tasks() -> (PrefixPlan, usize, Ledger) {
        let prefix = Placement::empty(Size::new(22).unwrap());
        let plan = PrefixPlan::new(&prefix);
        let unit = (0..plan.units()).find(|&unit| plan.tasks(unit) > 6).unwrap();
        let (subject, engine) = (prefix.into(), "naive".to_owned());
        let fingerprint = Fingerprint { subject, engine, plan: plan.fingerprint(), units: plan.units() };
        (plan, unit, Ledger::new(fingerprint, Shard::WHOLE))
    }
}
