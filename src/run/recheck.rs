//! Counting some units a second time by another engine, to detect errors of the machine itself.
//!
//! Memory and processors make errors now and then, and a run of weeks gives them time. Two engines that share no code
//! path do not make the same error. So if they agree on a random share of the units, errors are not frequent enough to
//! matter. If they differ, the run ends with the name of the unit.

use std::collections::{HashMap, HashSet};

use super::{Observer, RunError, Share, unit_tally};
use crate::engine::Engine;
use crate::ledger::{Ledger, Partial};
use crate::plan::Plan;
use crate::tally::Tally;

/// An observer that recounts chosen units, and then passes all units on to another observer.
#[derive(Debug)]
pub(crate) struct Recheck<'a, P, E, O> {
    plan: &'a P,
    second: &'a E,
    chosen: HashSet<usize>,
    inner: &'a O,
}

impl<'a, P, E, O> Recheck<'a, P, E, O> {
    /// Recounts a random `share` of `units`, rounded up to whole units, by the engine `second`.
    pub(crate) fn new(plan: &'a P, second: &'a E, units: &[usize], share: Share, inner: &'a O) -> Self {
        Self { plan, second, chosen: chosen(units.iter().copied(), units.len(), share), inner }
    }

    /// How many units are recounted.
    pub(crate) fn units(&self) -> usize {
        self.chosen.len()
    }
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

    fn advanced(&self, thread: usize, partial: &Partial) {
        self.inner.advanced(thread, partial);
    }

    fn disproved(&self, thread: usize) {
        self.inner.disproved(thread);
    }

    fn finished(&self, thread: usize, unit: usize, tally: Tally) -> Result<(), RunError> {
        if self.chosen.contains(&unit) {
            let (plan, second, mut worker) = (self.plan, self.second, self.second.worker());
            let recounted = unit_tally(plan, second, &mut worker, thread, unit, &Recount(self.inner))?;
            // The tasks that led to a wrong tally must not be saved as a finished part.
            same(plan, unit, &tally, &recounted).inspect_err(|_| self.inner.disproved(thread))?;
        }
        self.inner.finished(thread, unit, tally)
    }
}

/// An observer of a second engine that recounts units of a ledger: its results must be the tallies of the ledger. A
/// checksum shows that a file is as it was written, but not that its contents are right.
#[derive(Debug)]
pub(crate) struct Reread<'a, P, O> {
    plan: &'a P,
    tallies: HashMap<usize, Tally>,
    units: Vec<usize>,
    inner: &'a O,
}

impl<'a, P, O> Reread<'a, P, O> {
    /// Chooses a random `share` of the finished units of `ledger`, rounded up to whole units.
    pub(crate) fn new(plan: &'a P, ledger: &Ledger, share: Share, inner: &'a O) -> Self {
        let tallies: HashMap<usize, Tally> = ledger.tallies().collect();
        let mut units: Vec<usize> = chosen(ledger.tallies().map(|(unit, _)| unit), tallies.len(), share);
        units.sort_unstable();
        Self { plan, tallies, units, inner }
    }

    /// The units to be counted again, in order.
    pub(crate) fn units(&self) -> &[usize] {
        &self.units
    }
}

impl<P: Plan, O: Observer> Observer for Reread<'_, P, O> {
    fn stopped(&self) -> bool {
        self.inner.stopped()
    }

    fn finished(&self, _thread: usize, unit: usize, tally: Tally) -> Result<(), RunError> {
        same(self.plan, unit, &self.tallies[&unit], &tally)
    }
}

/// A random share of the units.
fn chosen<C: FromIterator<usize>>(units: impl Iterator<Item = usize>, of: usize, share: Share) -> C {
    fastrand::choose_multiple(units, share.of(of)).into_iter().collect()
}

/// Fails with the unit's name if its two tallies differ.
fn same(plan: &impl Plan, unit: usize, first: &Tally, second: &Tally) -> Result<(), RunError> {
    if first == second {
        return Ok(());
    }
    let (first, second) = (Box::new(first.clone()), Box::new(second.clone()));
    Err(RunError::Differs { unit: plan.name(unit), first, second })
}

/// The observer of a recount. A recount begins with the first task and can be stopped, and its tasks do not count as
/// progress.
struct Recount<'a, O>(&'a O);

impl<O: Observer> Observer for Recount<'_, O> {
    fn stopped(&self) -> bool {
        self.0.stopped()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::naive::Naive;
    use crate::ledger::Fingerprint;
    use crate::plan::prefixes::PrefixPlan;
    use crate::run::run;
    use crate::{Placement, Shard, Size};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Backtracking on a machine that flips the lowest bit of one unit's tally.
    struct Flipped;

    impl Engine for Flipped {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), task: &Placement) -> u64 {
            Backtrack::default().count(&mut Backtrack::default().worker(), task) ^ u64::from(task.rows().eq([3, 5]))
        }
    }

    /// A plan for 8×8, and a ledger of it without a finished unit.
    fn eight() -> (PrefixPlan, Ledger) {
        let prefix = Placement::empty(Size::new(8).unwrap());
        let plan = PrefixPlan::new(&prefix);
        let (subject, engine) = (prefix.into(), "naive".to_owned());
        let fingerprint = Fingerprint { subject, engine, plan: plan.fingerprint(), units: plan.units() };
        (plan, Ledger::new(fingerprint, Shard::WHOLE))
    }

    #[test]
    fn a_flipped_tally_is_caught_and_named() {
        let plan = PrefixPlan::new(&Placement::empty(Size::new(8).unwrap()));
        let units: Vec<usize> = (0..plan.units()).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let all = Recheck::new(&plan, &Naive, &units, Share::ALL, &());
        assert_eq!(all.units(), units.len());
        assert_eq!(run(&plan, &Backtrack::default(), &pool, &units, &all).map(|tally| tally.get()), Ok(92));
        let halt = run(&plan, &Flipped, &pool, &units, &all).unwrap_err();
        let RunError::Differs { unit, first, second } = &halt else { panic!("{halt}") };
        assert!(unit.ends_with("(completions of 35)"), "{unit}");
        assert_eq!(first.get().abs_diff(second.get()), 2, "the unit's weight is 2");
        // Unchecked, the error passes.
        let none = Recheck::new(&plan, &Naive, &units, Share::NONE, &());
        assert_eq!(none.units(), 0);
        assert_ne!(run(&plan, &Flipped, &pool, &units, &none).map(|tally| tally.get()), Ok(92));
    }

    /// Counts the calls: units begun, tasks, units finished, units disproved.
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

        fn disproved(&self, _thread: usize) {
            self.note(3);
        }
    }

    /// The observer of a double-checked run sees every unit once.
    #[test]
    fn the_run_is_watched_as_without_a_double_check() {
        let plan = PrefixPlan::new(&Placement::empty(Size::new(8).unwrap()));
        let units: Vec<usize> = (0..plan.units()).collect();
        let tasks = units.iter().map(|&unit| plan.tasks(unit) as usize).sum();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let told = Told::default();
        run(&plan, &Backtrack::default(), &pool, &units, &Recheck::new(&plan, &Naive, &units, Share::ALL, &told))
            .unwrap();
        assert_eq!(told.all(), [units.len(), tasks, units.len(), 0]);
        let wrong: Vec<usize> = units.iter().copied().filter(|&unit| plan.name(unit).ends_with("of 35)")).collect();
        let told = Told::default();
        run(&plan, &Flipped, &pool, &wrong, &Recheck::new(&plan, &Naive, &units, Share::ALL, &told)).unwrap_err();
        assert_eq!(told.all(), [1, plan.tasks(wrong[0]) as usize, 0, 1], "what is wrong is not finished");
    }

    /// A request to stop also stops a double check.
    #[test]
    fn double_checks_can_be_stopped() {
        struct Stopped;
        impl Observer for Stopped {
            fn stopped(&self) -> bool {
                true
            }
        }
        let (plan, ledger) = eight();
        assert!(Recount(&Stopped).stopped() && !Recount(&()).stopped());
        assert!(Recheck::new(&plan, &Naive, &[], Share::ALL, &Stopped).stopped());
        assert!(!Recheck::new(&plan, &Naive, &[], Share::ALL, &()).stopped());
        assert!(
            Reread::new(&plan, &ledger, Share::ALL, &Stopped).stopped()
                && !Reread::new(&plan, &ledger, Share::ALL, &()).stopped()
        );
    }

    /// Units are recounted in the order of the plan, in which neighbours share lists.
    #[test]
    fn units_are_reread_in_order() {
        let (plan, mut ledger) = eight();
        (0..plan.units()).for_each(|unit| ledger.record(unit, 1.into()).unwrap());
        let reread = Reread::new(&plan, &ledger, 0.5.try_into().unwrap(), &());
        assert_eq!(reread.units().len(), plan.units().div_ceil(2));
        assert!(reread.units().is_sorted());
    }

    #[test]
    fn shares_are_rounded_up() {
        let plan = PrefixPlan::new(&Placement::empty(Size::new(8).unwrap()));
        let units: Vec<usize> = (0..10).collect();
        let number = |share: f64| Recheck::new(&plan, &Naive, &units, share.try_into().unwrap(), &()).units();
        assert_eq!([0.0, 0.001, 0.1, 0.11, 1.0].map(number), [0, 1, 1, 2, 10]);
    }
}
