//! An engine and the auditor on the same task, or on a random part of it where the whole would take the auditor minutes to
//! days.

use std::cell::Cell;

use fastrand::Rng;

use super::{AuditedTask, auditor};
use crate::board::Placement;
use crate::engine::Engine;
use crate::plan::halves::MAX_DEPTH;
use crate::plan::{ANYWHERE, Halves, Middle, Task, prefixes};

/// Up to so many columns that a task leaves empty, the auditor fills them all: that takes it up to a second. Each further
/// column takes it six times as long.
const WHOLE_UP_TO: usize = 15;

/// At most so many parts of a task are drawn until one has a solution. On the largest boards few have.
const DRAWS: usize = 2000;

/// From this size on, a task of the join takes the auditor half an hour to days.
const IN_PARTS_FROM: usize = 26;

/// The rows of each inner column in the first part that is drawn, for even and odd N.
const ROWS: [usize; 2] = [3, 5];

/// So many times 65,536 queens the auditor may try in a part, about a second. If it needs more, a smaller part is drawn.
const PATIENCE: usize = 400;

/// Has the auditor count a task of which the engine has found `count`, or has both count a random part of it. `None` if it
/// was stopped.
pub(super) fn compare(
    engine: &mut dyn Engine,
    (index, task, count): (u64, &Task, u64),
    random: &mut Rng,
    stopped: &dyn Fn() -> bool,
) -> Option<AuditedTask> {
    let ([engine, auditor], is_part) = match task {
        Task::Completions(queens) if queens.size().get() - queens.len() > WHOLE_UP_TO => {
            (in_part_of_prefix(engine, *queens, random, stopped)?, true)
        }
        Task::Halves(halves, _) if halves.n() >= IN_PARTS_FROM => {
            (in_part_of_halves(engine, halves, random, stopped)?, true)
        }
        _ => ([count, auditor::count(task, stopped)?], false),
    };
    Some(AuditedTask { index, engine, auditor, is_part })
}

/// The counts of the engine and of the auditor.
fn in_part_of_prefix(
    engine: &mut dyn Engine,
    queens: Placement,
    random: &mut Rng,
    stopped: &dyn Fn() -> bool,
) -> Option<[u64; 2]> {
    let mut counts = [0; 2];
    for _ in 0..DRAWS {
        if stopped() {
            return None;
        }
        let left = prefixes::part_columns(queens.size());
        let part = Task::Completions(prefixes::part(queens, left, &mut |below| random.usize(..below)).0);
        counts = [engine.count(&part), auditor::count(&part, stopped)?];
        if counts != [0; 2] {
            break;
        }
    }
    Some(counts)
}

/// The same of a task of the join.
fn in_part_of_halves(
    engine: &mut dyn Engine,
    task: &Halves,
    random: &mut Rng,
    stopped: &dyn Fn() -> bool,
) -> Option<[u64; 2]> {
    let mut rows = ROWS[task.n() % 2];
    while !stopped() {
        let part = part_of_halves(task, rows, random);
        let asked = Cell::new(0);
        let is_too_long = || stopped() || asked.replace(asked.get() + 1) >= PATIENCE;
        if let Some(auditor) = auditor::count(&part, &is_too_long) {
            return Some([engine.count(&part), auditor]);
        }
        rows = (rows - 1).max(1);
    }
    None
}

/// So many inner columns of the west and of the east the queens of a part are held to some squares. The join cuts its
/// lists by as many, or by more.
pub(super) fn inner_columns(half: usize) -> usize {
    match half {
        ..=9 => 0,
        10 | 11 => 1,
        12 => 2,
        13 => 3,
        _ => MAX_DEPTH,
    }
}

/// A random part of a task of the join: in each inner column `rows` of the rows that the task has for that half.
pub(super) fn part_of_halves(task: &Halves, rows: usize, random: &mut Rng) -> Task {
    let all = (1 << task.half) - 1;
    let mut west = [all & !task.north, all & !task.south];
    if let Middle::Crossed { column, .. } = task.middle {
        west[0] &= !(1 << (column - 1));
    }
    let mut squares = ANYWHERE;
    for (side, sets) in [west, [task.north, task.south]].into_iter().enumerate() {
        let of_side: Vec<(usize, u32)> = (0..2)
            .flat_map(|south| (0..32).map(move |distance| (south, distance)))
            .filter(|&(south, distance)| sets[south] >> distance & 1 == 1)
            .collect();
        // Where the middle row's queen is in an inner column, she stays: she is neither in the north nor in the south.
        for chosen in &mut squares[side][..inner_columns(task.half.into())] {
            *chosen = [0; 2];
            for (south, distance) in random.choose_multiple(of_side.iter().copied(), rows) {
                chosen[south] |= 1 << distance;
            }
        }
    }
    Task::Halves(*task, squares)
}
