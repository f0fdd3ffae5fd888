//! The auditor against published terms, and the engine against the auditor, task by task.

use super::*;
use crate::Isa;
use crate::engine::Engine;
use crate::engine::lanes::Lanes;
use crate::plan::Plan;
use crate::unchanged::{Cover, Search as Second, TurnJob, dispatch};

/// Every task of a plan: its count by the engine must be that of the auditor. Their sum by the auditor.
struct EveryTask(TurnBoard);

impl TurnJob for EveryTask {
    type Output = u128;

    fn run<L: Lanes>(self, engine: &Cover<L>, _second: &Second) -> u128 {
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

/// The definitions of the tasks, with their weights, add up to the published terms, and each task is counted as defined.
#[test]
fn the_engine_counts_every_task_as_defined() {
    let half = (0..=20).map(|n| (Turn::Half, n));
    for (turn, n) in half.chain((0..=33).map(|n| (Turn::Quarter, n))) {
        let board = TurnBoard::new(turn, n).unwrap();
        let sum = dispatch(board, Isa::best(), EveryTask(board));
        let published = if n == 0 { Some(1) } else { turn.sequence().term(n) };
        assert_eq!(Some(sum), published, "{turn} turn, N = {n}");
    }
}

#[test]
#[ignore]
fn speed() {
    struct One(TurnBoard, u64);
    impl TurnJob for One {
        type Output = ();
        fn run<L: Lanes>(self, engine: &Cover<L>, second: &Second) {
            let plan = engine.plan();
            let mut random = fastrand::Rng::with_seed(self.1);
            let unit = random.usize(..plan.units());
            let task = plan.task(unit, random.u64(..plan.tasks(unit))).task;
            let start = std::time::Instant::now();
            let a = engine.count(&mut engine.worker(), &task);
            let (ta, start) = (start.elapsed(), std::time::Instant::now());
            let b = count(self.0, plan, &task, &|| start.elapsed().as_secs() >= 200);
            let tb = start.elapsed();
            println!("{:?} unit {unit} tasks {}: {a} in {ta:?}, {b:?} in {tb:?}", self.0, plan.tasks(unit));
        }
    }
    let ns: Vec<(Turn, usize)> = vec![
        (Turn::Half, 22),
        (Turn::Half, 24),
        (Turn::Half, 26),
        (Turn::Half, 28),
        (Turn::Half, 30),
        (Turn::Quarter, 44),
        (Turn::Quarter, 52),
        (Turn::Quarter, 56),
        (Turn::Quarter, 60),
    ];
    for (turn, n) in ns {
        for seed in 0..2 {
            let board = TurnBoard::new(turn, n).unwrap();
            dispatch(board, Isa::best(), One(board, seed));
        }
    }
}
