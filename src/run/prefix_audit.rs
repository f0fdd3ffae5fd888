//! An engine and the auditor on the same placement, or on a part of its completions where all would take the auditor
//! minutes to hours.

use fastrand::Rng;

use crate::auditor;
use crate::board::Placement;
use crate::engine::Engine;
use crate::run::counting::{Compared, ToAudit};

/// Up to so many columns that a task leaves empty, the auditor fills them all: that takes it up to a second. Each further
/// column takes it six times as long.
const WHOLE_UP_TO: usize = 15;

/// Has the auditor count a task, or has both count random parts of it until one has a solution. `None` if it was stopped.
pub(crate) fn audit<E: Engine<Task = Placement>>(
    engine: &E,
    worker: &mut E::Worker,
    ToAudit { task, count, random, stopped }: ToAudit<'_, Placement>,
) -> Option<Compared> {
    let all = task.size().get() - task.len();
    // No part of a small task; on a large board few placements of many queens can be completed, so the parts grow.
    for empty in WHOLE_UP_TO..all {
        let part = part(*task, empty, random);
        let (engine, auditor) = (engine.count(worker, &part), auditor::count(&part, stopped)?);
        if auditor > 0 || engine != auditor {
            return Some(Compared { engine, auditor, is_part: true });
        }
    }
    Some(Compared { engine: count, auditor: auditor::count(task, stopped)?, is_part: false })
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
    use crate::board::Size;
    use crate::engine::backtrack::Backtrack;
    use crate::plan::{Plan, PrefixPlan};

    /// Audits the first task of the plan for this board, of which the engine is said to have found 99 solutions.
    fn audited<E: Engine<Task = Placement>>(n: usize, engine: &E, is_stopped: bool) -> Option<Compared> {
        let task = &PrefixPlan::new(&Placement::empty(Size::new(n).unwrap())).task(0, 0).task;
        let (random, stopped) = (&mut Rng::with_seed(n as u64), &|| is_stopped);
        audit(engine, &mut engine.worker(), ToAudit { task, count: 99, random, stopped })
    }

    /// Backtracking that finds one solution too many, and checks how many columns are left to it.
    struct Wrong;

    impl Engine for Wrong {
        type Task = Placement;
        type Worker = ();

        fn worker(&self) {}

        fn count(&self, (): &mut (), task: &Placement) -> u64 {
            assert!(task.size().get() - task.len() <= WHOLE_UP_TO, "{task}");
            Backtrack::default().count(&mut Backtrack::default().worker(), task) + 1
        }
    }

    /// Small tasks are audited whole, so the engine's count is the one that it has told before. Of large ones both count
    /// the same few solutions.
    #[test]
    fn large_tasks_are_audited_in_part() {
        let backtrack = Backtrack::default();
        for n in [12, 17] {
            let task = PrefixPlan::new(&Placement::empty(Size::new(n).unwrap())).task(0, 0).task;
            let auditor = backtrack.count(&mut backtrack.worker(), &task);
            assert_eq!(audited(n, &backtrack, false), Some(Compared { engine: 99, auditor, is_part: false }));
        }
        for n in [18, 24, 32] {
            let Compared { engine, auditor, is_part } = audited(n, &backtrack, false).unwrap();
            assert!(is_part && auditor > 0 && engine == auditor, "N = {n}: {engine}, {auditor}");
            let Compared { engine, auditor, is_part } = audited(n, &Wrong, false).unwrap();
            assert!(is_part && engine == auditor + 1, "N = {n}: {engine}, {auditor}");
        }
        assert_eq!(audited(20, &backtrack, true), None);
    }
}
