//! Counting some tasks a second time by another engine, to detect errors of the machine itself.
//!
//! Memory and processors make errors now and then, and a run of weeks gives them time. Two engines that share no code
//! path do not make the same error. So if they agree on a random share of the tasks, errors are not frequent enough to
//! matter. If they differ, the run ends with the name of the task.
//!
//! A task is counted the second time right after the first, before it counts as finished. So a run that is stopped has
//! checked what it saved, and loses no more than the task that it was checking.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::drawn::Drawn;
use super::{Observer, RunError, Share};
use crate::engine::Engine;
use crate::ledger::{Ledger, Partial};
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

/// Units of a ledger that are recounted by a second engine, before a run goes on from it. A checksum shows that a file is
/// as it was written, but not that its contents are right.
#[derive(Debug)]
pub(crate) struct Reread {
    /// Each with the number of its tasks that are finished, and their tally.
    units: Vec<(usize, u64, Tally)>,
    parts: HashSet<usize>,
}

impl Reread {
    /// Chooses a random `share` of what `ledger` has of units, rounded down: to recount one takes the time of a unit,
    /// hours for the largest boards, and a run that is stopped meanwhile chooses and recounts others when it goes on.
    pub(crate) fn new(plan: &impl Plan, ledger: &Ledger, share: Share) -> Self {
        let finished = ledger.tallies().map(|(unit, tally)| (unit, plan.tasks(unit), tally));
        let parts = ledger.partials().map(|(unit, part)| (unit, part.tasks, part.tally.clone()));
        let all: Vec<_> = finished.chain(parts).collect();
        let number = (share.get() * all.len() as f64) as usize;
        let units = fastrand::choose_multiple(all, number);
        Self { units, parts: ledger.partials().map(|(unit, _)| unit).collect() }
    }

    /// Recounts them by the threads of `pool`.
    ///
    /// # Errors
    /// If one differs, or the observer stops it.
    pub(crate) fn recount<P, E, O>(
        &self,
        plan: &P,
        second: &E,
        pool: &rayon::ThreadPool,
        observer: &O,
    ) -> Result<(), RunError>
    where
        P: Plan,
        E: Engine<Task = P::Task>,
        O: Observer,
    {
        let recount = |worker: &mut E::Worker, (unit, tasks, tally): &(usize, u64, Tally)| {
            let mut sum = Tally::default();
            for task in plan.unit(*unit).take(*tasks as usize) {
                if observer.stopped() {
                    return Err(RunError::Stopped);
                }
                second.add_to(&mut sum, worker, &task)?;
            }
            let is_part = self.parts.contains(unit);
            let name = plan.name(*unit);
            let name = || if is_part { format!("{name}, its first {tasks} tasks") } else { name };
            same(name, tally, &sum).inspect_err(|_| {
                if is_part {
                    // The next run must not go on from it.
                    observer.disproved(*unit);
                }
            })
        };
        pool.install(|| self.units.par_iter().try_for_each_init(|| second.worker(), recount))
    }

    /// What it has recounted.
    pub(crate) fn checked(&self) -> Checked {
        let tasks = self.units.iter().map(|(_, tasks, _)| tasks).sum();
        Checked { tasks, units: self.units.iter().filter(|(unit, ..)| !self.parts.contains(unit)).count() }
    }

    /// Whether it has recounted the tasks of this unit that were finished before, if there are any.
    pub(crate) fn covers(&self, unit: usize) -> bool {
        !self.parts.contains(&unit) || self.units.iter().any(|&(reread, ..)| reread == unit)
    }
}

/// Fails with a name if two tallies differ.
fn same(name: impl FnOnce() -> String, first: &Tally, second: &Tally) -> Result<(), RunError> {
    if first == second {
        return Ok(());
    }
    let (first, second) = (Box::new(first.clone()), Box::new(second.clone()));
    Err(RunError::Differs { what: name(), first, second })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::naive::Naive;
    use crate::ledger::Fingerprint;
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

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
    }

    /// A plan for 8×8, all its units, and a ledger of it without a finished unit.
    fn eight() -> (PrefixPlan, Vec<usize>, Ledger) {
        let prefix = Placement::empty(Size::new(8).unwrap());
        let plan = PrefixPlan::new(&prefix);
        let (subject, engine) = (prefix.into(), "naive".to_owned());
        let fingerprint = Fingerprint { subject, engine, plan: plan.fingerprint(), units: plan.units() };
        let units = (0..plan.units()).collect();
        (plan, units, Ledger::new(fingerprint, Shard::WHOLE))
    }

    fn share(share: f64) -> Share {
        share.try_into().unwrap()
    }

    #[test]
    fn a_flipped_tally_is_caught_and_named() {
        let (plan, units, _) = eight();
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
        let (plan, units, _) = eight();
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
    struct Told([AtomicUsize; 4]);

    impl Told {
        fn note(&self, what: usize) {
            self.0[what].fetch_add(1, Ordering::Relaxed);
        }

        fn all(self) -> [usize; 4] {
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
        let (plan, units, _) = eight();
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

    struct Stopped;

    impl Observer for Stopped {
        fn stopped(&self) -> bool {
            true
        }
    }

    /// A request to stop also stops a double check.
    #[test]
    fn double_checks_can_be_stopped() {
        let (plan, units, mut ledger) = eight();
        assert!(Recheck::new(&plan, &Naive, (&units, 1), Share::ALL, &Stopped).stopped());
        assert!(!Recheck::new(&plan, &Naive, (&units, 1), Share::ALL, &()).stopped());
        ledger.record(0, 0.into()).unwrap();
        let reread = Reread::new(&plan, &ledger, Share::ALL);
        assert_eq!(reread.recount(&plan, &Naive, &pool(1), &Stopped), Err(RunError::Stopped));
    }

    /// Finds two solutions in every task.
    struct Two;

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
    fn with_tasks() -> (PrefixPlan, usize, Ledger) {
        let prefix = Placement::empty(Size::new(22).unwrap());
        let plan = PrefixPlan::new(&prefix);
        let unit = (0..plan.units()).find(|&unit| plan.tasks(unit) > 6).unwrap();
        let (subject, engine) = (prefix.into(), "naive".to_owned());
        let fingerprint = Fingerprint { subject, engine, plan: plan.fingerprint(), units: plan.units() };
        (plan, unit, Ledger::new(fingerprint, Shard::WHOLE))
    }

    /// Units and parts of units that earlier runs finished are recounted, a share rounded down; what is wrong is named,
    /// and a part that is wrong is to be forgotten.
    #[test]
    fn what_earlier_runs_finished_is_recounted() {
        let (plan, unit, empty) = with_tasks();
        let first: u64 = plan.unit(unit).take(2).map(|task| 2 * task.weight).sum();
        for (more, wrong) in [(0, None), (1, Some(format!("{}, its first 2 tasks", plan.name(unit))))] {
            let mut ledger = empty.clone();
            let all: u64 = plan.unit(unit + 1).map(|task| 2 * task.weight).sum();
            ledger.record(unit + 1, u128::from(all).into()).unwrap();
            ledger.record_partial(unit, Partial { tasks: 2, tally: u128::from(first + more).into() }).unwrap();
            let reread = Reread::new(&plan, &ledger, Share::ALL);
            let told = Told::default();
            let result = reread.recount(&plan, &Two, &pool(1), &told);
            let name = result.err().map(|error| match error {
                RunError::Differs { what, .. } => what,
                other => panic!("{other}"),
            });
            assert_eq!(name, wrong);
            assert_eq!(told.all(), [0, 0, 0, usize::from(wrong.is_some())]);
            assert_eq!(reread.checked(), Checked { tasks: 2 + plan.tasks(unit + 1), units: 1 });
            assert!(reread.covers(unit) && reread.covers(unit + 2));
        }
        let mut ledger = empty;
        ledger.record(unit + 1, 1.into()).unwrap();
        let told = Told::default();
        let reread = Reread::new(&plan, &ledger, Share::ALL);
        let result = reread.recount(&plan, &Two, &pool(1), &told);
        assert!(matches!(result, Err(RunError::Differs { what, .. }) if what == plan.name(unit + 1)));
        assert_eq!(told.all(), [0; 4], "a finished unit is not a part");
        let reread = Reread::new(&plan, &ledger, share(0.99));
        assert_eq!((reread.checked(), reread.recount(&plan, &Two, &pool(1), &())), (Checked::default(), Ok(())));
        ledger.record_partial(unit, Partial { tasks: 2, tally: 4.into() }).unwrap();
        assert!(!Reread::new(&plan, &ledger, Share::NONE).covers(unit));
        let other = Reread { units: vec![(unit + 1, 1, 1.into())], parts: HashSet::from([unit]) };
        assert!(!other.covers(unit) && other.covers(unit + 1));
    }
}
