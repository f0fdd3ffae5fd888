//! An engine and the auditor on the same task, or on a random part of it where the whole would take the auditor minutes to
//! days.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use fastrand::Rng;

use crate::auditor::{self, Audited, TaskPart};
use crate::board::Size;
use crate::engine::Engine;
use crate::engine::join::{Join, Worker};
use crate::engine::lanes::Lanes;
use crate::plan::{Begun, Halves};
use crate::run::counting::Compared;

/// Up to so many columns that a task leaves empty, the auditor fills them all: that takes it up to a second. Each further
/// column takes it six times as long.
const WHOLE_UP_TO: usize = 15;

/// Has the auditor count a task of which the engine has found `count`, or has both count random parts of it until one has a
/// solution. `None` if it was stopped.
pub(super) fn of_prefix<E: Engine<Task: Begun + Audited>>(
    engine: &E,
    worker: &mut E::Worker,
    (task, count): (&E::Task, u64),
    random: &mut Rng,
    stopped: &dyn Fn() -> bool,
) -> Option<Compared> {
    let all = task.size().get() - task.queens();
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
fn part<B: Begun>(mut task: B, empty: usize, random: &mut Rng) -> B {
    while task.size().get() - task.queens() > empty
        && let Some((_, next)) = random.choice(task.extensions().collect::<Vec<_>>())
    {
        task = next;
    }
    task
}

/// From this size on, a task takes the auditor half an hour to days.
const IN_PARTS_FROM: usize = 26;

/// The rows of each inner column in the first part that is drawn, for even and odd N.
const ROWS: [usize; 2] = [3, 5];

/// So many times 65,536 queens the auditor may try in a part, about a second. If it needs more, a smaller part is drawn.
const PATIENCE: usize = 400;

/// Has the auditor count a task of which the join has found `count`, or has both count a random part of it. `None` if it was
/// stopped.
pub(super) fn of_join<L: Lanes>(
    join: &Join<L>,
    worker: &mut Worker,
    (task, count): (&Halves, u64),
    random: &mut Rng,
    stopped: &dyn Fn() -> bool,
) -> Option<Compared> {
    let n = task.n();
    if n < IN_PARTS_FROM {
        return Some(Compared { engine: count, auditor: auditor::count(task, stopped)?, is_part: false });
    }
    let depths = join.depths(task.middle);
    let mut rows = ROWS[n % 2];
    while !stopped() {
        let part = TaskPart::draw(*task, depths, rows, random);
        let asked = Cell::new(0);
        let is_too_long = || stopped() || asked.replace(asked.get() + 1) >= PATIENCE;
        if let Some(auditor) = auditor::count(&part, &is_too_long) {
            let engine = join.count_part(worker, task, &part.squares);
            return Some(Compared { engine, auditor, is_part: true });
        }
        rows = (rows - 1).max(1);
    }
    None
}

/// Which of the tasks that the join counts again are audited too: one of each so many, drawn at random.
#[derive(Debug)]
pub(super) struct AuditDraw {
    one_in: u64,
    /// How many tasks were counted so far.
    tasks: AtomicU64,
    seed: u64,
}

impl AuditDraw {
    /// Whole tasks take the auditor hundreds of times as long as the join, so it counts one of `many`. Parts take it less
    /// time than the join takes for the whole, so it counts one of each task.
    pub(super) fn new(size: Size, many: u64) -> Self {
        let one_in = if size.get() >= IN_PARTS_FROM { 1 } else { many.max(1) };
        Self { one_in, tasks: AtomicU64::new(0), seed: fastrand::u64(..) }
    }

    /// Random numbers for the audit of the next task, if it is to be audited.
    pub(super) fn draw(&self) -> Option<Rng> {
        let task = self.tasks.fetch_add(1, Ordering::Relaxed);
        let mut random = Rng::with_seed(self.seed.wrapping_add(task / self.one_in));
        (random.u64(..self.one_in) == task % self.one_in).then_some(random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Placement;
    use crate::engine::backtrack::Backtrack;
    use crate::engine::fault;
    use crate::engine::lanes::Portable;
    use crate::plan::{HalvesPlan, Plan, PrefixPlan, Units};

    fn size(n: usize) -> Size {
        Size::new(n).unwrap()
    }

    /// The first task of the plan for this board.
    fn first(n: usize) -> Placement {
        PrefixPlan::new(&Placement::empty(size(n))).task(0, 0).task
    }

    /// Audits that task, of which the engine is said to have found 99 solutions.
    fn audited<E: Engine<Task = Placement>>(n: usize, engine: &E, is_stopped: bool) -> Option<Compared> {
        let (random, stopped) = (&mut Rng::with_seed(n as u64), &|| is_stopped);
        of_prefix(engine, &mut engine.worker(), (&first(n), 99), random, stopped)
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
            let auditor = backtrack.count(&mut backtrack.worker(), &first(n));
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

    /// One task of each so many is audited, and each place among them is drawn. Up to N = 25 whole tasks are audited, so one of
    /// many; larger ones in part, so each.
    #[test]
    fn one_task_of_each_so_many_is_audited() {
        let mut audited = [0; 8];
        for _ in 0..100 {
            let draw = AuditDraw::new(size(25), 8);
            for _ in 0..3 {
                let drawn: Vec<usize> = (0..8).filter(|_| draw.draw().is_some()).collect();
                let [at] = drawn[..] else { panic!("{drawn:?}") };
                audited[at] += 1;
            }
        }
        assert!(audited.iter().all(|&times| times > 0), "{audited:?}");
        let one_in = |n, many| AuditDraw::new(size(n), many).one_in;
        assert_eq!([one_in(12, 0), one_in(25, 8), one_in(26, 8), one_in(27, 8)], [1, 8, 1, 1]);
    }

    /// Of large tasks both count the same part; where the join finds more in the part, the audit shows by how much.
    #[test]
    fn parts_of_large_tasks_are_audited() {
        for n in 26..=28 {
            let plan = HalvesPlan::new(size(n));
            let mut random = Rng::with_seed(n as u64);
            let faults: [(fault::Fault, u64); 2] = [(|_, _, _| 0, 0), (|_, _, _| 1, if n % 2 == 0 { 4 } else { 1 })];
            for (fault, more) in faults {
                let unit = random.usize(..plan.units());
                let task = plan.task(unit, random.u64(..plan.tasks(unit))).task;
                let join = fault::with(fault, || Join::new(size(n), Portable::new()));
                let compared = of_join(&join, &mut join.worker(), (&task, 99), &mut random, &|| false).unwrap();
                assert!(compared.is_part && compared.auditor > 0, "N = {n}, {task:?}: no solutions");
                assert_eq!(compared.engine, compared.auditor + more, "N = {n}, {task:?}");
            }
            let join = Join::new(size(n), Portable::new());
            let task = plan.task(plan.units() / 2, 0).task;
            let asked = Cell::new(0);
            let stopped = || asked.replace(asked.get() + 1) >= 3;
            assert!(of_join(&join, &mut join.worker(), (&task, 99), &mut random, &stopped).is_none());
            assert!(asked.get() < 10, "goes on {} times after it was stopped", asked.get());
        }
    }

    /// Up to N = 25 whole tasks are audited, of which the engine's count is told.
    #[test]
    fn smaller_tasks_are_audited_whole() {
        let (plan, join) = (HalvesPlan::new(size(12)), Join::new(size(12), Portable::new()));
        let (task, mut random) = (plan.task(40, 0).task, Rng::with_seed(1));
        let compared = of_join(&join, &mut join.worker(), (&task, 99), &mut random, &|| false);
        let auditor = join.count(&mut join.worker(), &task);
        assert_eq!(compared, Some(Compared { engine: 99, auditor, is_part: false }));
    }
}
