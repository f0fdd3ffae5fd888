//! An engine and the auditor on the same task, or on a random part of it where the whole would take the auditor too long.

use std::cell::Cell;

use super::draws::Draws;
use super::{AuditedTask, auditor};
use crate::engine::join::inner_columns;
use crate::engine::{Engine, MakeEngine};
use crate::plan::{ANYWHERE, Halves, Middle, Task, prefixes};

/// The auditor counts a task with up to so many empty columns as a whole, in a second at most. One more takes six times that.
const WHOLE_UP_TO: usize = 15;

/// At most so many parts of a task are drawn until one has a solution. On the largest boards few have.
const DRAWS: usize = 2000;

/// From this size on, a task of the join takes the auditor half an hour to days.
const IN_PARTS_FROM: usize = 26;

/// The rows of each inner column in the first part that is drawn, for even and odd N.
const ROWS: [usize; 2] = [2, 3];

/// So many times 65,536 queens the auditor may try in a part, about two seconds. If it needs more, a smaller part is drawn.
const PATIENCE: usize = 800;

/// How many tasks an engine counts until it has cut, kept and matched lists in every way that can be forced.
const FORCED_TASKS: usize = 3;

/// Has the auditor count a task of which the engine has found `count`, or both a random part of it; `None` if stopped.
///
/// A part of a task of the join has such short lists that they are hardly cut. So each of `forced` counts it too. A whole task
/// of a smaller board is cut as in the count, and forcing it would take as long again at N = 20, and seven times as long at 16.
pub(super) fn audit_task(
    engine: &mut dyn Engine,
    forced: &[MakeEngine],
    (index, task, count): (u64, &Task, u64),
    draws: &mut Draws,
    stopped: &dyn Fn() -> bool,
) -> Option<AuditedTask> {
    let mut audited = AuditedTask { index, engine: count, auditor: 0, forced: Vec::new(), is_part: true };
    match task {
        Task::Completions(queens) if queens.size().get() - queens.len() > WHOLE_UP_TO => {
            let left = prefixes::part_columns(queens.size());
            for _ in 0..DRAWS {
                if stopped() {
                    return None;
                }
                let part = Task::Completions(prefixes::part(*queens, left, &mut |below| draws.below(below)).0);
                (audited.engine, audited.auditor) = (engine.count(&part), auditor::count(&part, stopped)?);
                if audited.engine > 0 || audited.auditor > 0 {
                    break;
                }
            }
        }
        Task::Halves(halves, _) if halves.n() >= IN_PARTS_FROM => {
            let part;
            (part, audited.auditor) = part_of_halves_in_time(halves, draws, stopped)?;
            audited.engine = engine.count(&part);
            for make in forced {
                let mut engine = make();
                audited.forced.extend([(); FORCED_TASKS].map(|()| engine.count(&part)));
            }
        }
        _ => (audited.auditor, audited.is_part) = (auditor::count(task, stopped)?, false),
    }
    Some(audited)
}

/// A random part of a task of the join, and the auditor's count of it, which takes it about two seconds at most.
fn part_of_halves_in_time(task: &Halves, draws: &mut Draws, stopped: &dyn Fn() -> bool) -> Option<(Task, u64)> {
    let mut rows = ROWS[task.n() % 2];
    while !stopped() {
        let part = part_of_halves(task, rows, draws);
        let asked = Cell::new(0);
        let is_too_long = || stopped() || asked.replace(asked.get() + 1) >= PATIENCE;
        if let Some(count) = auditor::count(&part, &is_too_long) {
            return Some((part, count));
        }
        rows = (rows - 1).max(1);
    }
    None
}

/// A random part of a task of the join: in each inner column that a side is cut by, `rows` of the rows of its half.
pub(super) fn part_of_halves(task: &Halves, rows: usize, draws: &mut Draws) -> Task {
    let all = (1 << task.half) - 1;
    let columns = inner_columns(task.n());
    let mut west = [all & !task.north, all & !task.south];
    if let Middle::Crossed { column, .. } = task.middle {
        west[0] &= !(1 << (column - 1));
    }
    let mut squares = ANYWHERE;
    for (side, sets) in [west, [task.north, task.south]].into_iter().enumerate() {
        let mut of_side: Vec<(usize, u32)> = (0..2)
            .flat_map(|south| (0..32).map(move |distance| (south, distance)))
            .filter(|&(south, distance)| sets[south] >> distance & 1 == 1)
            .collect();
        // Where the middle row's queen is in an inner column, she stays: she is neither in the north nor in the south.
        for chosen in &mut squares[side][..columns] {
            *chosen = [0; 2];
            draws.shuffle(&mut of_side);
            for &(south, distance) in of_side.iter().take(rows) {
                chosen[south] |= 1 << distance;
            }
        }
    }
    Task::Halves(*task, squares)
}
