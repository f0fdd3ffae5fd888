//! Counting some tasks a second time by another engine, to detect errors of the machine itself.
//!
//! Memory and processors make errors now and then, and a run of weeks gives them time. Two engines of different code do
//! not make the same one by chance. So if they agree on a random share of the tasks, errors are not frequent enough to
//! matter. If they differ, the run ends with the name of the task.
//!
//! A task is counted the second time right after the first, before it counts as finished. So a run that is stopped has
//! checked what it saved, and loses no more than the task that it was checking. What earlier runs have saved is recounted
//! before a run goes on from it: a checksum shows that a file is as it was written, but not that its contents are right.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::CountError;
use super::counting::{Compared, Counting, Found, Recount, Second};
use super::share::Share;
use super::state::RunState;
use crate::ledger::{Ledger, Partial};
use crate::plan::Units;
use crate::tally::Tally;
use crate::watch::Stop;

/// What was counted twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checked {
    pub(crate) tasks: u64,
    /// Units whose tasks were all counted twice.
    pub(crate) units: usize,
}

/// What of a run is counted twice.
pub(super) struct DoubleCheck<'a> {
    counting: &'a dyn Counting,
    /// What earlier runs have finished.
    ledger: &'a Ledger,
    /// What of it is recounted: of units, all tasks or the first ones.
    reread: Vec<(usize, Partial)>,
    /// The tasks of this run that are recounted, and how many are by now.
    drawn: Drawn,
    pub(super) recounted: Arc<AtomicU64>,
}

impl<'a> DoubleCheck<'a> {
    /// A random `share` of the tasks that the ledger lacks, and of the units and parts of units that it has. The latter is
    /// rounded down: to recount one takes the time of a unit, hours for the largest boards, and a run that is stopped meanwhile chooses and
    /// recounts others when it goes on.
    pub(super) fn new(counting: &'a dyn Counting, ledger: &'a Ledger, share: Share) -> Self {
        let plan = counting.plan();
        let finished = ledger.tallies().map(|(unit, tally)| (unit, Partial { tasks: plan.tasks(unit), tally }));
        let all: Vec<_> = finished.chain(ledger.partials().map(|(unit, part)| (unit, *part))).collect();
        let number = share.product(all.len()) as usize;
        let (reread, drawn) = (fastrand::choose_multiple(all, number), Drawn::new(&*plan, &ledger.todo(), share));
        Self { counting, ledger, reread, drawn, recounted: Arc::default() }
    }

    /// Recounts the chosen units of the ledger, on the threads of `pool`, and tells `state` how far it is.
    pub(super) fn reread(&self, pool: &rayon::ThreadPool, state: &RunState) -> Result<(), CountError> {
        let stopped = || state.stop().is_requested();
        let recount = |second: &mut Box<Second<'_>>, &(unit, Partial { tasks, tally }): &(usize, Partial)| {
            let mut sum = Tally::default();
            for index in 0..tasks {
                let again = if stopped() { None } else { second(unit, index, &stopped) };
                sum = sum.plus(self.audited(unit, index, &again.ok_or(CountError::Stopped)?)?)?;
                state.recounted.fetch_add(1, Ordering::Relaxed);
            }
            let (is_part, name) = (!self.ledger.has(unit), self.counting.plan().name(unit));
            let name = || if is_part { format!("{name}, its first {tasks} tasks") } else { name };
            same(name, tally, sum).inspect_err(|_| {
                if is_part {
                    state.disproved(unit);
                }
            })
        };
        state.to_recount.store(self.reread.iter().map(|(_, part)| part.tasks).sum(), Ordering::Relaxed);
        pool.install(|| self.reread.par_iter().try_for_each_init(|| self.counting.second(), recount))
    }

    /// Recounts this task of a unit if it is drawn. What a thread recounts with is kept for the tasks of its block, and then
    /// dropped: it takes as much memory as what the run counts with.
    pub(super) fn check(
        &self,
        kept: &mut Option<Box<Second<'a>>>,
        (unit, index): (usize, u64),
        found: Found,
        stop: &Stop,
    ) -> Result<(), CountError> {
        if !self.drawn.has(unit, index) {
            return Ok(());
        }
        let mut second = kept.take().unwrap_or_else(|| self.counting.second());
        let again = second(unit, index, &|| stop.is_requested()).ok_or(CountError::Stopped)?;
        same(|| self.name(unit, index), found.tally(), again.found.tally())?;
        self.audited(unit, index, &again)?;
        let is_last = index + 1 == self.counting.plan().tasks(unit) || self.drawn.ends_block(index);
        *kept = (!is_last).then_some(second);
        self.recounted.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// What was found of a task again, unless the auditor differs.
    fn audited(&self, unit: usize, index: u64, again: &Recount) -> Result<Tally, CountError> {
        if let Some(Compared { engine, auditor, is_part }) = again.audited {
            let part = if is_part { "a random part of " } else { "" };
            let name = || format!("{part}{}, by the auditor", self.name(unit, index));
            let [first, second] = [engine, auditor].map(|count| Found { count, ..again.found }.tally());
            same(name, first, second)?;
        }
        Ok(again.found.tally())
    }

    fn name(&self, unit: usize, index: u64) -> String {
        format!("task {index} of {}", self.counting.plan().name(unit))
    }

    /// What has been counted twice, if all units are finished.
    pub(super) fn checked(&self) -> Checked {
        let (plan, earlier) = (self.counting.plan(), self.reread.iter().map(|(_, part)| part.tasks).sum::<u64>());
        let begun_right = |unit| self.ledger.partial(unit).tasks == 0 || self.reread.iter().any(|part| part.0 == unit);
        let finished = self.reread.iter().filter(|(unit, _)| self.ledger.has(*unit)).count();
        let now = self.ledger.todo().into_iter().filter(|&unit| begun_right(unit) && self.drawn.has_all(&*plan, unit));
        Checked { tasks: earlier + self.recounted.load(Ordering::Relaxed), units: finished + now.count() }
    }
}

/// A random share of the tasks of some units, rounded up. It is drawn in blocks of tasks that share lists, since the
/// first of these tasks alone would take as long as all of them ([`Units::tasks_sharing_lists`]).
///
/// The blocks, in the order of the plan, are divided evenly into as many runs as are to be drawn, and one block of each
/// run is drawn.
#[derive(Debug)]
struct Drawn {
    /// Tasks of a block.
    length: u64,
    /// For each unit of the plan, the number of blocks in the units before it.
    before: Vec<u64>,
    blocks: u64,
    /// How many of these are drawn.
    chosen: u64,
    seed: u64,
}

impl Drawn {
    fn new(plan: &dyn Units, units: &[usize], share: Share) -> Self {
        let length = plan.tasks_sharing_lists().max(1);
        let (mut before, mut blocks) = (vec![0; plan.units()], 0);
        for &unit in units {
            before[unit] = blocks;
            blocks += plan.tasks(unit).div_ceil(length);
        }
        Self { length, before, blocks, chosen: share.of(blocks as usize) as u64, seed: fastrand::u64(..) }
    }

    /// Whether this task is drawn. Its unit must be among the units.
    fn has(&self, unit: usize, index: u64) -> bool {
        if self.chosen == 0 || self.chosen == self.blocks {
            return self.chosen > 0;
        }
        let block = self.before[unit] + index / self.length;
        let run = (u128::from(block) * u128::from(self.chosen) / u128::from(self.blocks)) as u64;
        let first = |run: u64| (u128::from(run) * u128::from(self.blocks)).div_ceil(u128::from(self.chosen)) as u64;
        block == fastrand::Rng::with_seed(self.seed.wrapping_add(run)).u64(first(run)..first(run + 1))
    }

    /// Whether all tasks of a unit are drawn.
    fn has_all(&self, plan: &dyn Units, unit: usize) -> bool {
        (0..plan.tasks(unit)).all(|index| self.has(unit, index))
    }

    /// Whether another block begins after this task of a unit.
    fn ends_block(&self, index: u64) -> bool {
        (index + 1).is_multiple_of(self.length)
    }
}

/// Fails with a name if two tallies differ.
fn same(name: impl FnOnce() -> String, first: Tally, second: Tally) -> Result<(), CountError> {
    if first == second { Ok(()) } else { Err(CountError::Differs { what: name(), first, second }) }
}

#[cfg(test)]
mod tests {
    use super::super::{
        count,
        tests::{Flipped, Two, count_all, counting, empty, pool, share, state_of, with_tasks},
        units,
    };
    use super::*;
    use crate::engine::Engine;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::naive::Naive;
    use crate::plan::{HalvesPlan, Plan, PrefixPlan};
    use crate::run::counting::Counter;
    use crate::watch::Watched;
    use crate::{Method, Placement, Rotation, RotationalBoard, Shard, Size};

    #[test]
    fn a_flipped_tally_is_caught_and_named() {
        let right = counting(8, Backtrack::default(), Naive);
        assert_eq!(count_all(&right, 2, Share::ALL), Ok((92, Checked { tasks: 21, units: 21 })));
        let wrong = counting(8, Flipped, Naive);
        let halt = count_all(&wrong, 2, Share::ALL).unwrap_err();
        let CountError::Differs { what, first, second } = &halt else { panic!("{halt}") };
        assert!(what.starts_with("task 0 of unit ") && what.ends_with("(completions of 35)"), "{what}");
        assert_eq!(first.get().abs_diff(second.get()), 2, "the task's weight is 2");
        // The ledger says that one differed, of those that were counted twice by then.
        let state = state_of(&wrong, empty(&wrong));
        count(&wrong, &pool(1), Share::ALL, &state).unwrap_err();
        let run = state.ledger().runs()[0].clone();
        assert_eq!((run.differed, run.double_checked.is_some_and(|tasks| tasks < 21)), (Some(1), true));
        let state = state_of(&right, empty(&right));
        count(&right, &pool(1), Share::ALL, &state).unwrap();
        let run = state.ledger().runs()[0].clone();
        assert_eq!((run.differed, run.double_checked), (Some(0), Some(21)));
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
    struct Three(Stop, AtomicU64);

    impl Engine for Three {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), _task: &Placement) -> u64 {
            if self.1.fetch_add(1, Ordering::Relaxed) == 2 {
                self.0.request();
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
            let stops = counting(22, Two, Three(state.stop().clone(), AtomicU64::new(0)));
            let check = DoubleCheck::new(&stops, &ledger, Share::ALL);
            assert_eq!(units(&stops, &pool(1), &ledger, &check, &state), Err(CountError::Stopped));
            assert_eq!(check.recounted.load(Ordering::Relaxed), 3);
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
        let state = state_of(&two, ledger.clone());
        state.stop().request();
        let check = DoubleCheck::new(&two, &ledger, Share::ALL);
        assert_eq!(check.reread(&pool(1), &state), Err(CountError::Stopped));
        let half = RotationalBoard::new(Rotation::Half, 28).unwrap();
        let turned = Counter::new(Method::choose(None, None, half).unwrap()).counting(&half.into());
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
            let check = DoubleCheck::new(&two, &ledger, Share::ALL);
            let state = state_of(&two, ledger.clone());
            assert_eq!((state.progress().recounted, state.progress().to_recount), (0, 0));
            let name = check.reread(&pool(1), &state).err().map(|error| match error {
                CountError::Differs { what, .. } => what,
                other => panic!("{other}"),
            });
            assert_eq!(name, wrong);
            assert_eq!(state.ledger().partials().count(), usize::from(wrong.is_none()));
            assert_eq!(check.checked(), Checked { tasks: 2 + plan.tasks(unit + 1), units: plan.units() });
            assert_eq!(state.progress().to_recount, check.checked().tasks);
            assert!(wrong.is_some() || state.progress().recounted == check.checked().tasks);
            // A unit of which the first tasks are not recounted is not counted twice as a whole.
            let part = check.reread.iter().position(|part| part.0 == unit).unwrap();
            let mut check = check;
            check.reread.remove(part);
            assert_eq!(check.checked(), Checked { tasks: plan.tasks(unit + 1), units: plan.units() - 1 });
        }
        let mut ledger = empty;
        ledger.record(unit + 1, 1.into()).unwrap();
        let state = state_of(&two, ledger.clone());
        let result = DoubleCheck::new(&two, &ledger, Share::ALL).reread(&pool(1), &state);
        assert!(matches!(result, Err(CountError::Differs { what, .. }) if what == plan.name(unit + 1)));
        assert_eq!(state.ledger().finished(), 1, "a finished unit is not a part");
        let check = DoubleCheck::new(&two, &ledger, share(0.99));
        assert_eq!((check.reread.len(), check.reread(&pool(1), &state)), (0, Ok(())));
        assert_eq!(DoubleCheck::new(&two, &ledger, Share::NONE).checked(), Checked::default());
    }

    fn size(n: usize) -> Size {
        Size::new(n).unwrap()
    }

    /// The numbers of the tasks that are drawn, in the order of the units.
    fn numbers(plan: &dyn Units, units: &[usize], share: f64) -> Vec<usize> {
        let drawn = Drawn::new(plan, units, share.try_into().unwrap());
        let tasks = units.iter().flat_map(|&unit| (0..plan.tasks(unit)).map(move |index| (unit, index)));
        (0..).zip(tasks).filter(|&(_, (unit, index))| drawn.has(unit, index)).map(|(number, _)| number).collect()
    }

    /// Tasks of backtracking share nothing: as many as the share says, rounded up, of which each may be drawn, and one of
    /// each run.
    #[test]
    fn a_share_is_drawn_evenly() {
        let plan = PrefixPlan::new(&Placement::empty(size(8)));
        let units: Vec<usize> = (0..10).rev().collect();
        let number = |share| numbers(&plan, &units, share).len();
        assert_eq!([0.0, 0.001, 0.1, 0.11, 0.35, 1.0].map(number), [0, 1, 1, 2, 4, 10]);
        let mut times = [0; 10];
        for _ in 0..200 {
            let drawn = numbers(&plan, &units, 0.4);
            assert!(drawn.iter().zip([0..=2, 3..=4, 5..=7, 8..=9]).all(|(at, run)| run.contains(at)), "{drawn:?}");
            for at in drawn {
                times[at] += 1;
            }
        }
        assert!(times.iter().all(|&times| (30..170).contains(&times)), "{times:?}");
    }

    /// Tasks that share lists are drawn together, up to the end of their unit.
    #[test]
    fn blocks_are_drawn_whole() {
        let plan = HalvesPlan::new(size(25));
        let length = plan.tasks_sharing_lists();
        let unit = plan.units() - 1;
        assert!(length > 1 && plan.tasks(unit) > 2 * length && !plan.tasks(unit).is_multiple_of(length));
        for _ in 0..20 {
            let drawn = Drawn::new(&plan, &[unit], 0.5.try_into().unwrap());
            let has: Vec<bool> = (0..plan.tasks(unit)).map(|index| drawn.has(unit, index)).collect();
            let blocks: Vec<&[bool]> = has.chunks(length as usize).collect();
            assert!(blocks.iter().all(|block| block.iter().all(|&has| has == block[0])), "{has:?}");
            assert_eq!(blocks.iter().filter(|block| block[0]).count(), blocks.len().div_ceil(2));
            assert!(!drawn.has_all(&plan, unit));
            let ends = (0..plan.tasks(unit)).filter(|&index| drawn.ends_block(index)).count() as u64;
            assert_eq!(ends, plan.tasks(unit) / length);
        }
        assert!(Drawn::new(&plan, &[unit], Share::ALL).has_all(&plan, unit));
    }
}
