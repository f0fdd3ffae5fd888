//! An engine and the auditor on the same placement, or on a part of its completions where all would take the auditor
//! minutes to hours.

use fastrand::Rng;

use crate::board::placement::Placement;
use crate::engine::Engine;
use crate::plan::Weighted;
use crate::run::audited::{Compared, Counted};
use crate::tally::Tally;

/// Up to so many columns that a task leaves empty, the auditor fills them all: that takes it up to a second, for a profile
/// a few. Each further column takes it six times as long.
const WHOLE_UP_TO: usize = 15;

/// Has the auditor count a task, or has both count random parts of it until one has a solution. `None` if it was stopped.
pub(crate) fn audit<E: Engine<Task = Placement>>(
    (engine, worker): (&E, &mut E::Worker),
    counted: Counted<'_, Placement>,
    auditor: impl Fn(&Placement, &dyn Fn() -> bool) -> Option<Tally>,
) -> Option<Compared> {
    let all = counted.task.size().get() - counted.task.len();
    // No part of a small task; on a large board few placements of many queens can be completed, so the parts grow.
    for empty in WHOLE_UP_TO..all {
        let part = part(*counted.task, empty, counted.random);
        let mut engine_finds = Tally::default();
        let added = engine.add_to(&mut engine_finds, worker, &Weighted { task: part, weight: 1 });
        added.expect("it is a part of what was added up before");
        let auditor_finds = auditor(&part, counted.stopped)?;
        if auditor_finds.get() > 0 || engine_finds != auditor_finds {
            return Some(Compared { engine: engine_finds, auditor: auditor_finds, is_part: true });
        }
    }
    counted.audit_whole(auditor)
}

/// The task with more queens, each on a random free square of the next column, until so many columns are empty or a column
/// has no free square.
fn part(mut task: Placement, empty: usize, random: &mut Rng) -> Placement {
    while task.size().get() - task.len() > empty
        && let Some(next) = random.choice(task.extensions().collect::<Vec<_>>())
    {
        task = next;
    }
    task
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auditor;
    use crate::board::Size;
    use crate::engine::backtrack::Backtrack;
    use crate::plan::Plan;
    use crate::plan::prefixes::PrefixPlan;
    use crate::profile::Levels;
    use crate::run::audited::once;

    /// Audits the first task of the plan for this board, of which the engine is said to have found 99 solutions.
    fn audited<E: Engine<Task = Placement>>(
        n: usize,
        engine: &E,
        auditor: impl Fn(&Placement, &dyn Fn() -> bool) -> Option<Tally>,
    ) -> Option<Compared> {
        let plan = PrefixPlan::new(&Placement::empty(Size::new(n).unwrap()));
        let task = plan.task(0, 0).task;
        let counted =
            Counted { task: &task, tally: &once(99), random: &mut Rng::with_seed(n as u64), stopped: &|| false };
        audit((engine, &mut engine.worker()), counted, auditor)
    }

    /// Small tasks are audited whole, so the engine's count is the one that it has told before. Of large ones both count
    /// the same few solutions, at every level of a profile.
    #[test]
    fn large_tasks_are_audited_in_part() {
        let count = |task: &Placement, stopped: &dyn Fn() -> bool| auditor::count(task, stopped).map(once);
        let backtrack = Backtrack::default();
        let small = audited(12, &backtrack, count).unwrap();
        let task = PrefixPlan::new(&Placement::empty(Size::new(12).unwrap())).task(0, 0).task;
        let right = backtrack.count(&mut backtrack.worker(), &task);
        assert_eq!((small.engine, small.auditor, small.is_part), (once(99), once(right), false));
        for (n, is_part) in [(17, false), (18, true)] {
            // Fewer than the engine finds.
            let none = |counted: &Placement, _: &dyn Fn() -> bool| {
                assert_eq!(n - counted.len(), WHOLE_UP_TO);
                Some(once(0))
            };
            assert_eq!(audited(n, &backtrack, none).unwrap().is_part, is_part, "N = {n}");
        }
        for n in [18, 24, 32] {
            let large = audited(n, &backtrack, count).unwrap();
            assert!(large.is_part && large.auditor.get() > 0, "N = {n}: no solutions");
            assert_eq!(large.engine, large.auditor, "N = {n}");
            let levels = audited(n, &Levels(Backtrack::default()), auditor::levels).unwrap();
            assert!(levels.is_part && levels.auditor.fewer().len() > n / 2, "N = {n}: {levels:?}");
            assert_eq!(levels.engine, levels.auditor, "N = {n}");
        }
        assert!(audited(20, &backtrack, |_, _| None).is_none());
    }
}
