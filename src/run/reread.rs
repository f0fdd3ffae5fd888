//! Recounting what earlier runs have saved, by another engine, before a run goes on from it.
//!
//! A checksum shows that a file is as it was written, but not that its contents are right.

use std::collections::HashSet;

use rayon::prelude::*;

use super::recheck::{Checked, same};
use super::{Observer, RunError, Share};
use crate::engine::Engine;
use crate::ledger::Ledger;
use crate::plan::Plan;
use crate::tally::Tally;

/// Units of a ledger that are recounted by a second engine.
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
                observer.recounted();
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
        observer.recounts(self.checked().tasks);
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

#[cfg(test)]
mod tests {
    use super::super::recheck::tests::{Stopped, Told, Two, pool, share, with_tasks};
    use super::*;
    use crate::ledger::Partial;
    use crate::run::state::RunState;

    /// A request to stop also stops the recount.
    #[test]
    fn it_can_be_stopped() {
        let (plan, unit, mut ledger) = with_tasks();
        ledger.record(unit, 0.into()).unwrap();
        let reread = Reread::new(&plan, &ledger, Share::ALL);
        assert_eq!(reread.recount(&plan, &Two, &pool(1), &Stopped), Err(RunError::Stopped));
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

    /// Who watches the run sees how many of the tasks are recounted.
    #[test]
    fn it_says_how_far_it_is() {
        let (plan, unit, mut ledger) = with_tasks();
        let tally: u64 = plan.unit(unit).take(2).map(|task| 2 * task.weight).sum();
        ledger.record_partial(unit, Partial { tasks: 2, tally: u128::from(tally).into() }).unwrap();
        let state = RunState::new(ledger.clone());
        let told = || (state.progress().recounted, state.progress().to_recount);
        assert_eq!(told(), (0, 0));
        let reread = Reread::new(&plan, &ledger, Share::ALL);
        reread.recount(&plan, &Two, &pool(1), &state.start(&plan, 1)).unwrap();
        assert_eq!(told(), (2, 2));
    }
}
