//! Compares the auditor with published terms, and the engine with the auditor, task by task.

use std::cell::Cell;

use super::*;
use crate::Isa;
use crate::engine::Engine;
use crate::engine::cover::Cover;
use crate::engine::lanes::{Lanes, WithLanes};
use crate::plan::{Plan, Units};
use crate::rotational::problem;

/// Does `job` with the best lanes of this processor.
fn with_lanes<J: WithLanes>(job: J) -> J::Output {
    Isa::best().with(job).unwrap()
}

/// Checks for every task of a plan that the engine and the auditor agree, and returns the sum.
struct EveryTask(RotationalBoard);

impl WithLanes for EveryTask {
    type Output = u128;

    fn with<L: Lanes>(self, lanes: L) -> u128 {
        let engine = Cover::new(lanes, problem(self.0));
        let (plan, mut worker, mut sum) = (engine.plan(), engine.worker(), 0);
        for unit in 0..plan.units() {
            for (index, weighted) in plan.unit(unit).enumerate() {
                let found = count(self.0, plan, &weighted.task, &|| false).expect("nothing stops it");
                assert_eq!(
                    engine.count(&mut worker, &weighted.task),
                    found,
                    "{:?}, {}, task {index}",
                    self.0,
                    plan.name(unit)
                );
                sum += u128::from(found) * u128::from(weighted.weight);
            }
        }
        sum
    }
}

/// The definitions of the tasks, with their weights, add up to the published terms, and each task is counted as
/// defined.
#[test]
fn the_engine_counts_every_task_as_defined() {
    let half = (0..=20).map(|n| (Rotation::Half, n));
    for (rotation, n) in half.chain((0..=33).map(|n| (Rotation::Quarter, n))) {
        let board = RotationalBoard::new(rotation, n).unwrap();
        let sum = with_lanes(EveryTask(board));
        let published = if n == 0 { Some(1) } else { rotation.sequence().term(n) };
        assert_eq!(Some(sum), published, "{rotation} turn, N = {n}");
    }
}

/// Some tasks of a plan: the engine and the auditor must agree.
struct Tasks {
    board: RotationalBoard,
    tasks: usize,
}

impl WithLanes for Tasks {
    type Output = ();

    fn with<L: Lanes>(self, lanes: L) {
        let engine = Cover::new(lanes, problem(self.board));
        let Self { board, tasks } = self;
        let (plan, mut worker) = (engine.plan(), engine.worker());
        let mut random = fastrand::Rng::with_seed(board.n() as u64);
        for _ in 0..tasks {
            let unit = random.usize(..plan.units());
            let task = plan.task(unit, random.u64(..plan.tasks(unit))).task;
            let found = count(board, plan, &task, &|| false).expect("nothing stops it");
            assert_eq!(engine.count(&mut worker, &task), found, "{board:?}, {}: {task:?}", plan.name(unit));
        }
    }
}

/// Boards with too many tasks to count them all, but each small enough.
#[test]
fn the_engine_counts_random_tasks_as_defined() {
    let half = (21..=26).map(|n| (Rotation::Half, n));
    for (rotation, n) in half.chain((36..=57).filter(|n| n % 4 < 2).map(|n| (Rotation::Quarter, n))) {
        let board = RotationalBoard::new(rotation, n).unwrap();
        with_lanes(Tasks { board, tasks: 5 });
    }
}

/// The auditor may try so many times 65,536 queens for a thinned task. If it needs more, that task is given up: a single one
/// of the last board, which has hardly any solutions, took nine tenths of the time of all.
const PATIENCE: usize = 300;

/// Tasks thinned to so few squares that the auditor can count the remaining solutions, on boards of every size.
struct Thinned {
    board: RotationalBoard,
    tasks: usize,
    /// How many solutions must be left of each task, at least.
    solutions: u64,
}

impl Thinned {
    /// The items of the engine's piece for the orbit of this square: the distances of its row and of its column. For
    /// half turns the items of columns come after those of rows.
    fn items(&self, (column, row): Square) -> u64 {
        let (n, half) = (self.board.n(), self.board.n() / 2);
        let distance = |line: usize| if line < half { half - 1 - line } else { line - (n - half) };
        let columns_from = if self.board.rotation() == Rotation::Half { half } else { 0 };
        1 << distance(row) | 1 << (distance(column) + columns_from)
    }
}

impl WithLanes for Thinned {
    /// How many tasks had enough solutions left.
    type Output = usize;

    fn with<L: Lanes>(self, lanes: L) -> usize {
        let engine = Cover::new(lanes, problem(self.board));
        let Self { board, tasks, solutions } = self;
        let (plan, mut worker) = (engine.plan(), engine.worker());
        let is_centre = |square| board.n() % 2 == 1 && square == (board.n() / 2, board.n() / 2);
        let mut with_solutions = 0;
        for seed in 0..tasks as u64 {
            let mut random = fastrand::Rng::with_seed(seed << 8 | board.n() as u64);
            let unit = random.usize(..plan.units());
            let task = plan.task(unit, random.u64(..plan.tasks(unit))).task;
            // Adds squares until enough solutions are left. A hash chooses the squares, the same for a whole orbit.
            for share in 1..=20 {
                let keep = |items: u64| fastrand::Rng::with_seed(items ^ seed << 56).u8(..20) < share;
                let allowed = board.allowed(&task, plan.always()).into_iter();
                let allowed = allowed.filter(|&square| is_centre(square) || keep(self.items(square)));
                let asked = Cell::new(0);
                let is_too_long = || asked.replace(asked.get() + 1) >= PATIENCE;
                let Some(found) = board.solutions(allowed, &is_too_long) else { break };
                let by_engine = engine.within(keep).count(&mut worker, &task);
                assert_eq!(by_engine, found, "{board:?}, {}, {share} of 20 squares: {task:?}", plan.name(unit));
                if found >= solutions {
                    with_solutions += 1;
                    break;
                }
            }
        }
        with_solutions
    }
}

/// Up to the last board of each turn, where a whole task would take the auditor hours.
#[test]
fn the_engine_counts_thinned_tasks_of_every_board_as_defined() {
    Rotation::Half.sizes().for_each(|n| thinned_tasks_agree(Rotation::Half, n));
    Rotation::Quarter.sizes().filter(|n| n % 4 < 2).for_each(|n| thinned_tasks_agree(Rotation::Quarter, n));
}

/// Two of these boards, whose lists have every part that long ones have.
#[test]
fn the_engine_counts_thinned_tasks_of_two_large_boards_as_defined() {
    thinned_tasks_agree(Rotation::Half, 34);
    thinned_tasks_agree(Rotation::Quarter, 72);
}

fn thinned_tasks_agree(rotation: Rotation, n: usize) {
    let large = n >= if rotation == Rotation::Half { 28 } else { 60 };
    // For half turns the keys of the last boards just fit. If one did not fit, its queen must be in some of these
    // solutions.
    let (tasks, solutions) = if rotation == Rotation::Half && n >= 35 { (11, 1000) } else { (4, 20) };
    let board = RotationalBoard::new(rotation, n).unwrap();
    let found = with_lanes(Thinned { board, tasks, solutions });
    // Some tasks have hardly any solutions; on small boards that may hold for all tasks.
    assert!(!large || 2 * found >= tasks, "{rotation} turn, N = {n}: solutions in {found} of {tasks} tasks");
}

#[test]
fn a_long_audit_can_be_stopped() {
    struct Stopped(RotationalBoard);
    impl WithLanes for Stopped {
        type Output = Option<u64>;
        fn with<L: Lanes>(self, lanes: L) -> Option<u64> {
            let engine = Cover::new(lanes, problem(self.0));
            let task = engine.plan().task(0, 0).task;
            count(self.0, engine.plan(), &task, &|| true)
        }
    }
    let board = RotationalBoard::new(Rotation::Half, 38).unwrap();
    assert_eq!(with_lanes(Stopped(board)), None);
}
