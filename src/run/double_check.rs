//! Counting some tasks a second time by another engine, to detect errors of the machine itself.
//!
//! Memory and processors make errors now and then, and a run of weeks gives them time. Two engines of different code do
//! not make the same one by chance. So if they agree on a random share of the tasks, errors are not frequent enough to
//! matter. If they differ, the run ends with the name of the task.
//!
//! A task is counted the second time right after the first, before it counts as finished. So a run that is stopped has
//! checked what it saved, and loses no more than the task that it was checking. What earlier runs have saved is recounted
//! before a run goes on from it: a checksum shows that a file is as it was written, but not that its contents are right.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::counting::{Counting, Found, Second};
use super::drawn::Drawn;
use super::state::RunState;
use super::{RunError, Share, Stop};
use crate::ledger::Ledger;
use crate::plan::Units;
use crate::tally::Tally;

/// What was counted twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checked {
    pub(crate) tasks: u64,
    /// Units whose tasks were all counted twice.
    pub(crate) units: usize,
}

/// A random share of the tasks of a run, which are recounted.
pub(super) struct DoubleCheck<'a> {
    counting: &'a dyn Counting,
    drawn: Drawn,
    recounted: AtomicU64,
}

/// The second engine of a thread, with its buffers for the block of tasks that is being recounted. They are dropped when they
/// are not needed for a while: they take as much memory as those of the run.
pub(super) type Kept<'a> = Option<Box<Second<'a>>>;

impl<'a> DoubleCheck<'a> {
    pub(super) fn new(counting: &'a dyn Counting, units: &[usize], share: Share) -> Self {
        Self { counting, drawn: Drawn::new(counting.plan(), units, share), recounted: AtomicU64::new(0) }
    }

    /// Recounts this task of a unit if it is drawn.
    ///
    /// # Errors
    /// If the second engine finds something else, or the run is stopped.
    pub(super) fn check(
        &self,
        kept: &mut Kept<'a>,
        (unit, index): (usize, u64),
        found: Found,
        stop: &Stop,
    ) -> Result<(), RunError> {
        if !self.drawn.has(unit, index) {
            return Ok(());
        }
        let mut second = kept.take().unwrap_or_else(|| self.counting.second());
        let again = second(unit, index, &|| stop.is_requested()).ok_or(RunError::Stopped)?;
        let is_last = index + 1 == self.counting.plan().tasks(unit) || self.drawn.ends_block(index);
        *kept = (!is_last).then_some(second);
        self.recounted.fetch_add(1, Ordering::Relaxed);
        let [first, second] = [found, again].map(|found| {
            let mut tally = Tally::default();
            tally.add(found.count, found.weight).map(|()| tally)
        });
        same(|| format!("task {index} of {}", self.counting.plan().name(unit)), first?, second?)
    }

    /// How many tasks have been counted twice, and how many of these `units` as a whole, if all are finished.
    pub(super) fn checked(&self, units: impl Iterator<Item = usize>) -> Checked {
        let tasks = self.recounted.load(Ordering::Relaxed);
        Checked { tasks, units: units.filter(|&unit| self.drawn.has_all(self.counting.plan(), unit)).count() }
    }
}

/// Fails with a name if two tallies differ.
fn same(name: impl FnOnce() -> String, first: Tally, second: Tally) -> Result<(), RunError> {
    if first == second { Ok(()) } else { Err(RunError::Differs { what: name(), first, second }) }
}

/// Units of a ledger that are recounted by a second engine.
pub(super) struct Reread {
    /// Each with the number of its tasks that are finished, and their tally.
    units: Vec<(usize, u64, Tally)>,
    parts: HashSet<usize>,
}

impl Reread {
    /// Chooses a random `share` of what `ledger` has of units, rounded down: to recount one takes the time of a unit,
    /// hours for the largest boards, and a run that is stopped meanwhile chooses and recounts others when it goes on.
    pub(super) fn new(plan: &dyn Units, ledger: &Ledger, share: Share) -> Self {
        let finished = ledger.tallies().map(|(unit, tally)| (unit, plan.tasks(unit), tally));
        let parts = ledger.partials().map(|(unit, part)| (unit, part.tasks, part.tally));
        let all: Vec<_> = finished.chain(parts).collect();
        let number = (share.get() * all.len() as f64) as usize;
        let units = fastrand::choose_multiple(all, number);
        Self { units, parts: ledger.partials().map(|(unit, _)| unit).collect() }
    }

    /// Recounts them by the threads of `pool`, and tells `state` how far it is.
    ///
    /// # Errors
    /// If one differs, or the run is stopped.
    pub(super) fn recount(
        &self,
        counting: &dyn Counting,
        pool: &rayon::ThreadPool,
        state: &RunState,
    ) -> Result<(), RunError> {
        let stopped = || state.stop().is_requested();
        let recount = |second: &mut Box<Second<'_>>, &(unit, tasks, tally): &(usize, u64, Tally)| {
            let mut sum = Tally::default();
            for index in 0..tasks {
                let again = if stopped() { None } else { second(unit, index, &stopped) };
                let Found { count, weight } = again.ok_or(RunError::Stopped)?;
                sum.add(count, weight)?;
                state.recounted();
            }
            let (is_part, name) = (self.parts.contains(&unit), counting.plan().name(unit));
            let name = || if is_part { format!("{name}, its first {tasks} tasks") } else { name };
            same(name, tally, sum).inspect_err(|_| {
                if is_part {
                    state.disproved(unit);
                }
            })
        };
        state.recounts(self.checked().tasks);
        pool.install(|| self.units.par_iter().try_for_each_init(|| counting.second(), recount))
    }

    /// What it has recounted.
    pub(super) fn checked(&self) -> Checked {
        let tasks = self.units.iter().map(|(_, tasks, _)| tasks).sum();
        Checked { tasks, units: self.units.iter().filter(|(unit, ..)| !self.parts.contains(unit)).count() }
    }

    /// Whether it has recounted the tasks of this unit that were finished before, if there are any.
    pub(super) fn covers(&self, unit: usize) -> bool {
        !self.parts.contains(&unit) || self.units.iter().any(|&(reread, ..)| reread == unit)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        tests::{Flipped, Two, count_all, counting, pool, share, state_of, with_tasks},
        units,
    };
    use super::*;
    use crate::engine::Engine;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::naive::Naive;
    use crate::ledger::Partial;
    use crate::plan::{Plan, Units};
    use crate::{Choice, Method, Placement, Rotation, RotationalBoard, Shard};

    #[test]
    fn a_flipped_tally_is_caught_and_named() {
        let right = counting(8, Backtrack::default(), Naive);
        assert_eq!(count_all(&right, 2, Share::ALL), Ok((92, Checked { tasks: 21, units: 21 })));
        let wrong = counting(8, Flipped, Naive);
        let halt = count_all(&wrong, 2, Share::ALL).unwrap_err();
        let RunError::Differs { what, first, second } = &halt else { panic!("{halt}") };
        assert!(what.starts_with("task 0 of unit ") && what.ends_with("(completions of 35)"), "{what}");
        assert_eq!(first.get().abs_diff(second.get()), 2, "the task's weight is 2");
        // Unchecked, the error passes.
        assert_eq!(count_all(&wrong, 2, Share::NONE), Ok((92 + 2, Checked::default())));
    }

    /// As many tasks as the share says are counted twice, whichever threads count them.
    #[test]
    fn a_share_of_the_tasks_is_counted_twice() {
        let right = counting(8, Backtrack::default(), Naive);
        for threads in [1, 3] {
            assert_eq!(count_all(&right, threads, share(0.3)), Ok((92, Checked { tasks: 7, units: 7 })));
        }
    }

    /// Finds two solutions in every task, and stops a run in the third.
    struct Three<'a>(&'a RunState, AtomicU64);

    impl Engine for Three<'_> {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), _task: &Placement) -> u64 {
            if self.1.fetch_add(1, Ordering::Relaxed) == 2 {
                self.0.stop().request();
            }
            2
        }
    }

    /// A run that is stopped within a unit has saved every task that it has checked, and the next one checks the others.
    #[test]
    fn a_stop_keeps_what_was_checked() {
        let (plan, unit, empty) = with_tasks();
        let only = Shard::new(unit as u32 + 1, plan.units() as u32).unwrap();
        let mut ledger = Ledger::new(empty.fingerprint().clone(), only);
        for (earlier, now) in [(0, 3), (3, 6)] {
            let state = state_of(&counting(22, Two, Two), ledger.clone());
            let stops = counting(22, Two, Three(&state, AtomicU64::new(0)));
            let check = DoubleCheck::new(&stops, &[unit], Share::ALL);
            assert_eq!(units(&stops, &pool(1), &ledger, &check, &state), Err(RunError::Stopped));
            assert_eq!(check.checked(std::iter::empty()).tasks, 3);
            ledger = state.ledger();
            let sum: u64 = plan.unit(unit).take(now).map(|task| 2 * task.weight).sum();
            let part = Partial { tasks: now as u64, tally: u128::from(sum).into() };
            assert_eq!((ledger.partial(unit), earlier + 3), (part, now));
        }
    }

    /// A request to stop also stops the recount, even within a task.
    #[test]
    fn a_recount_can_be_stopped() {
        let (_, unit, mut ledger) = with_tasks();
        ledger.record(unit, 0.into()).unwrap();
        let two = counting(22, Two, Two);
        let state = state_of(&two, ledger);
        state.stop().request();
        let reread = Reread::new(two.plan(), &state.ledger(), Share::ALL);
        assert_eq!(reread.recount(&two, &pool(1), &state), Err(RunError::Stopped));
        let half = RotationalBoard::new(Rotation::Half, 28).unwrap();
        let turned = Method::choose(Choice::Auto, None, half).unwrap().counting(&half.into());
        assert_eq!(turned.second()(0, 0, &|| true), None, "the auditor for turns is asked within a task");
    }

    /// Units and parts of units that earlier runs finished are recounted, a share rounded down; what is wrong is named,
    /// and a part that is wrong is forgotten. Who watches the run sees how many of the tasks are recounted.
    #[test]
    fn what_earlier_runs_finished_is_recounted() {
        let (plan, unit, empty) = with_tasks();
        let two = counting(22, Two, Two);
        let first: u64 = plan.unit(unit).take(2).map(|task| 2 * task.weight).sum();
        let all: u64 = plan.unit(unit + 1).map(|task| 2 * task.weight).sum();
        for (more, wrong) in [(0, None), (1, Some(format!("{}, its first 2 tasks", plan.name(unit))))] {
            let mut ledger = empty.clone();
            ledger.record(unit + 1, u128::from(all).into()).unwrap();
            ledger.record_partial(unit, Partial { tasks: 2, tally: u128::from(first + more).into() }).unwrap();
            let reread = Reread::new(&plan, &ledger, Share::ALL);
            let state = state_of(&two, ledger);
            assert_eq!((state.progress().recounted, state.progress().to_recount), (0, 0));
            let name = reread.recount(&two, &pool(1), &state).err().map(|error| match error {
                RunError::Differs { what, .. } => what,
                other => panic!("{other}"),
            });
            assert_eq!(name, wrong);
            assert_eq!(state.ledger().partials().count(), usize::from(wrong.is_none()));
            assert_eq!(reread.checked(), Checked { tasks: 2 + plan.tasks(unit + 1), units: 1 });
            assert_eq!(state.progress().to_recount, reread.checked().tasks);
            assert!(wrong.is_some() || state.progress().recounted == reread.checked().tasks);
            assert!(reread.covers(unit) && reread.covers(unit + 2));
        }
        let mut ledger = empty;
        ledger.record(unit + 1, 1.into()).unwrap();
        let reread = Reread::new(&plan, &ledger, Share::ALL);
        let state = state_of(&two, ledger.clone());
        let result = reread.recount(&two, &pool(1), &state);
        assert!(matches!(result, Err(RunError::Differs { what, .. }) if what == plan.name(unit + 1)));
        assert_eq!(state.ledger().finished(), 1, "a finished unit is not a part");
        let reread = Reread::new(&plan, &ledger, share(0.99));
        assert_eq!((reread.checked(), reread.recount(&two, &pool(1), &state)), (Checked::default(), Ok(())));
        ledger.record_partial(unit, Partial { tasks: 2, tally: 4.into() }).unwrap();
        assert!(!Reread::new(&plan, &ledger, Share::NONE).covers(unit));
        let other = Reread { units: vec![(unit + 1, 1, 1.into())], parts: HashSet::from([unit]) };
        assert!(!other.covers(unit) && other.covers(unit + 1));
    }
}
