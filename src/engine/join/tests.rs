//! The join with every way to split its lists and cache its quadrants. The auditor verifies each task's count.

use super::*;
use crate::board::Placement;
use crate::engine::lanes::Isa;
use crate::engine::lanes::fault::{self, STEP_FAULTS};
use crate::engine::{EngineKind, MakeEngine, Method};
use crate::plan::{ANYWHERE, Halves, HalvesPlan, Plan, plan_of};
use crate::run::self_check::check;

impl Thread {
    fn of(&mut self, task: &Halves) -> u64 {
        self.count(&Task::Halves(*task, ANYWHERE))
    }
}

/// Splits and caches that pay only on boards too large for a test are right on small ones. N = 13, which takes as long
/// as the others together, is for complete test runs.
#[test]
fn splits_and_caches_do_not_change_counts() {
    let largest = if crate::tests::is_all() { 13 } else { 12 };
    (8..=largest).for_each(check_splits_and_caches);
}

fn check_splits_and_caches(n: usize) {
    const DEPTHS: [[usize; 2]; 12] =
        [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [2, 1], [2, 2], [2, 3], [3, 3], [4, 0], [0, 4], [4, 4]];
    let size = Size::new(n).unwrap();
    let (plan, expected) = (HalvesPlan::new(size), crate::oeis::QUEENS.term(n).unwrap());
    for (index, depths) in DEPTHS.into_iter().enumerate() {
        for always in [false, true] {
            // As n grows, each depth meets every cache policy, and lists both whole and in batches.
            let cache = [CachePolicy::All, CachePolicy::Tile(1 + index % 3), CachePolicy::Slices][(n + index) % 3];
            let batch = if (n + usize::from(always)).is_multiple_of(2) { BATCH } else { FORCED_BATCH[0] };
            let max_pairs = if always { 0.0 } else { f64::INFINITY };
            let kernels = Isa::Portable.kernels().unwrap();
            let strategy = Strategy { cache, batch, max_pairs, cost: kernels.cost() };
            let join = Arc::new(Join::with_strategies(kernels, size, depths, vec![strategy]));
            let mut thread = Thread::new(join);
            let tasks = (0..plan.units()).flat_map(|unit| plan.row_sets(unit, 0));
            let found: u64 = tasks.map(|(task, weight)| weight * thread.of(&task)).sum();
            assert_eq!(u128::from(found), expected, "N = {n}, depths {index}, always {always}");
        }
    }
}

/// The solutions of a board, with every task counted by one thread's engine.
fn counted(engines: &MakeEngine, n: usize) -> u128 {
    let (plan, mut engine) = (plan_of(EngineKind::Join, &Placement::empty(Size::new(n).unwrap())), engines());
    let tasks = (0..plan.units()).flat_map(|unit| plan.unit(unit, 0));
    tasks.map(|weighted| u128::from(engine.count(&weighted.task) * weighted.weight)).sum()
}

/// The steps of large boards count small ones right on every instruction set. The self-check of even and of odd boards
/// sees a fault in any step or kernel; a plain count of 14×14 does not see faults of steps.
#[test]
fn forced_steps_count_right_and_reveal_faults() {
    for isa in Isa::available() {
        let method =
            Method::choose(Some(EngineKind::Join), Some(isa), &Placement::empty(Size::new(14).unwrap())).unwrap();
        for n in 5..=12 {
            let forced = method.forced(Size::new(n).unwrap());
            assert_eq!(Some(counted(&forced, n)), crate::oeis::QUEENS.term(n), "N = {n}, {isa}");
        }
        let large = [18, 19].map(|n| Size::new(n).unwrap());
        assert_eq!(large.map(|size| check(method, size)), [Ok(()), Ok(())], "{isa}");
        for name in STEP_FAULTS {
            let plain = fault::with(name, || counted(&method.engines(Size::new(14).unwrap()), 14));
            assert_eq!(Some(plain), crate::oeis::QUEENS.term(14), "{name}, {isa}");
        }
        let of_join = |name: &&str| !matches!(*name, "expand" | "last-columns");
        for name in fault::of(isa).filter(of_join).chain(STEP_FAULTS) {
            let seen = large.map(|size| fault::with(name, || check(method, size)).is_err());
            assert_eq!(seen, [true; 2], "{name}, {isa}");
        }
    }
}

/// A thread keeps the east halves while only the middle row's queen moves. It must drop them when tasks, or samples of
/// tasks, come in another order than the plan's, as in an audit.
#[test]
fn task_order_does_not_change_counts() {
    let size = Size::new(9).unwrap();
    // Boards this small have inner queens only on request.
    let kernels = Isa::Portable.kernels().unwrap();
    let strategies = Join::new(size, kernels).strategies;
    let (plan, join) = (HalvesPlan::new(size), Arc::new(Join::with_strategies(kernels, size, [1, 1], strategies)));
    let thread = || Thread::new(Arc::clone(&join));
    let tasks = || (0..plan.units()).flat_map(|unit| plan.row_sets(unit, 0)).map(|weighted| weighted.0);
    let centred: Vec<Halves> = tasks().filter(|task| task.middle == Middle::Centre).collect();
    let mut kept = thread();
    for (task, between) in tasks().zip(centred.iter().cycle()) {
        let [expected, expected_between] = [&task, between].map(|task| thread().of(task));
        let found = [&task, between, &task].map(|task| kept.of(task));
        assert_eq!(found, [expected, expected_between, expected], "{task:?}, {between:?}");
        let near = [[[0b0011; 2]; MAX_DEPTH]; 2];
        let parts = [&mut kept, &mut thread()].map(|thread| thread.count(&Task::Halves(task, near)));
        assert_eq!(parts[0], parts[1], "{task:?}");
    }
}
