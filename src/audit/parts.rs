//! Has the engine and the auditor count the same task or, if that would take the auditor too long, a random part of it.

use std::cell::Cell;

use super::draws::Draws;
use super::{AuditedTask, auditor};
use crate::engine::join::{SPLIT_TASKS, inner_columns};
use crate::engine::{Engine, MakeEngine};
use crate::plan::{ANYWHERE, Halves, Middle, Task, prefixes};

/// The most empty columns that the auditor fills whole, in a second at most. One more takes six times as long.
const WHOLE_UP_TO: usize = 15;

/// The most parts drawn until one has a solution. On the largest boards, few parts have one.
const MAX_DRAWS: usize = 2000;

/// From this N, a whole task of the join takes the auditor half an hour to days.
const IN_PARTS_FROM: usize = 26;

/// The allowed rows of each inner column in the first part that is drawn, for even and odd N.
const ROWS: [usize; 2] = [2, 3];

/// The auditor's limit for a part, in steps of 65,536 queens: about two seconds. Then a smaller part is drawn.
const MAX_AUDITOR_STEPS: usize = 800;

/// Has the auditor recount a task that the engine counted, or both count a random part; `None` if stopped.
///
/// The lists of a part of a join task are too short to be split much, so each engine of `forced` counts it too. Whole
/// tasks of smaller boards are split as in the count; forcing takes as long again at N = 20, 7 times at 16.
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
            for _ in 0..MAX_DRAWS {
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
                audited.forced.extend([(); SPLIT_TASKS].map(|()| engine.count(&part)));
            }
        }
        _ => (audited.auditor, audited.is_part) = (auditor::count(task, stopped)?, false),
    }
    Some(audited)
}

/// A random part of a task of the join, and the auditor's count of it, which takes about two seconds at most.
fn part_of_halves_in_time(task: &Halves, draws: &mut Draws, stopped: &dyn Fn() -> bool) -> Option<(Task, u64)> {
    let mut rows = ROWS[task.n() % 2];
    while !stopped() {
        let part = part_of_halves(task, rows, draws);
        let steps = Cell::new(0);
        let is_too_long = || stopped() || steps.replace(steps.get() + 1) >= MAX_AUDITOR_STEPS;
        if let Some(count) = auditor::count(&part, &is_too_long) {
            return Some((part, count));
        }
        rows = (rows - 1).max(1);
    }
    None
}

/// A random part of a task of the join: the queens of the inner columns, by which lists are split, may be in only
/// `rows` random rows of their half.
pub(super) fn part_of_halves(task: &Halves, rows: usize, draws: &mut Draws) -> Task {
    let all = (1 << task.half) - 1;
    let columns = inner_columns(task.n());
    let mut west = [all & !task.north, all & !task.south];
    if let Middle::Crossed { column, .. } = task.middle {
        west[0] &= !(1 << (column - 1));
    }
    let mut squares = ANYWHERE;
    for (half, sets) in [west, [task.north, task.south]].into_iter().enumerate() {
        let mut all_rows: Vec<(usize, u32)> = (0..2)
            .flat_map(|south| (0..32).map(move |distance| (south, distance)))
            .filter(|&(south, distance)| sets[south] >> distance & 1 == 1)
            .collect();
        // The middle row's queen stays, even in an inner column: the middle row is neither north nor south.
        for chosen in &mut squares[half][..columns] {
            *chosen = [0; 2];
            draws.shuffle(&mut all_rows);
            for &(south, distance) in all_rows.iter().take(rows) {
                chosen[south] |= 1 << distance;
            }
        }
    }
    Task::Halves(*task, squares)
}
