//! Solutions that a turn of the board leaves unchanged, and with them the number of solutions up to symmetry.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`pairing`] | quarter turns as pairings of numbers with distinct sums and differences |
//! | [`half_board`] | half turns as signed permutations with distinct sums and differences |
//! | [`cover`] | the engine: both are exact covers, cut in two sides that are listed and joined |
//! | [`count`] | counting as a long run: plans, ledgers, threads |
//! | [`search`] | the second engine, for double checks of single units |
//! | [`orbits`] | the oracle: a queen with its images set in one step |
//!
//! By Burnside's lemma the number of classes is the mean, over the eight symmetries of the square, of the solutions
//! each leaves unchanged. For N > 1 no reflection leaves any: its own image in a mirror would put two queens in one
//! row or column, or on one diagonal. What remains is
//! `(all + unchanged by the half turn + 2 × unchanged by the quarter turn) / 8`, and that the division has no
//! remainder is a check of the full count modulo 8.

mod count;
mod cover;
mod half_board;
mod orbits;
mod pairing;
mod residue;
mod search;
mod unique;

pub use count::{TurnCount, TurnReport};
pub(crate) use count::{TurnJob, check, dispatch};
pub(crate) use cover::{Cover, Cut, CutPlan};
pub use residue::Residue;
pub(crate) use search::Search;
pub use unique::{NotDivisible, Unique};

#[cfg(test)]
mod tests {
    use super::count::TurnJob;
    use super::cover::Cover;
    use super::search::Search;
    use super::*;
    use crate::engine::Engine;
    use crate::engine::lanes::Lanes;
    use crate::plan::Plan;
    use crate::{Isa, Size, Turn, TurnBoard, oeis};
    use sha2::{Digest, Sha256};

    fn count(turn: Turn, n: usize) -> u128 {
        TurnCount::new(TurnBoard::new(turn, n).unwrap()).threads(2).run().unwrap().count
    }

    /// By the oracle.
    fn orbits(turn: Turn, n: usize) -> u128 {
        let boards = orbits::boards(Size::new(n).unwrap(), turn);
        boards.iter().map(|board| u128::from(board.task.solutions() * board.weight)).sum()
    }

    /// Solutions equal to their own image, by arrays and plain recursion over every solution.
    fn filtered(n: usize, image: fn(usize, usize, usize) -> (usize, usize)) -> u128 {
        fn extend(n: usize, rows: &mut Vec<usize>, is_own_image: &dyn Fn(&[usize]) -> bool) -> u128 {
            let column = rows.len();
            if column == n {
                return u128::from(is_own_image(rows));
            }
            let mut solutions = 0;
            for row in 0..n {
                if rows.iter().enumerate().all(|(c, &r)| r != row && r.abs_diff(row) != column - c) {
                    rows.push(row);
                    solutions += extend(n, rows, is_own_image);
                    rows.pop();
                }
            }
            solutions
        }
        let is_own_image = |rows: &[usize]| {
            rows.iter().enumerate().all(|(column, &row)| {
                let (column, row) = image(n, column, row);
                rows[column] == row
            })
        };
        extend(n, &mut Vec::new(), &is_own_image)
    }

    #[test]
    fn agrees_with_filtering_every_solution() {
        for n in 0..=11 {
            assert_eq!(count(Turn::Half, n), filtered(n, |n, c, r| (n - 1 - c, n - 1 - r)), "half turn, N = {n}");
            assert_eq!(count(Turn::Quarter, n), filtered(n, |n, c, r| (r, n - 1 - c)), "quarter turn, N = {n}");
        }
        assert_eq!((count(Turn::Half, 0), count(Turn::Quarter, 0)), (1, 1));
    }

    #[test]
    fn agrees_with_the_search_for_orbits() {
        for n in 0..=21 {
            assert_eq!(count(Turn::Half, n), orbits(Turn::Half, n), "half turn, N = {n}");
        }
        for n in 0..=32 {
            assert_eq!(count(Turn::Quarter, n), orbits(Turn::Quarter, n), "quarter turn, N = {n}");
        }
    }

    /// Every task of the small boards, and of larger ones a few from each end and the middle, where the kinds of task
    /// differ: the join against the second engine.
    #[test]
    fn tasks_agree_with_the_second_engine() {
        struct Both;
        impl TurnJob for Both {
            type Output = usize;

            fn run<L: Lanes>(self, engine: &Cover<L>, second: &Search) -> usize {
                let plan = engine.plan();
                let mut worker = engine.worker();
                let step = (plan.units() / 20).max(1);
                let mut solutions = 0;
                for unit in (0..plan.units()).step_by(step) {
                    for task in plan.unit(unit) {
                        let count = engine.count(&mut worker, &task.task);
                        assert_eq!(count, second.count(&mut (), &task.task), "{}", plan.name(unit));
                        solutions += usize::from(count > 0);
                    }
                }
                solutions
            }
        }
        let boards = (0..=15).chain([18, 19, 22, 23]).map(|n| (Turn::Half, n));
        let boards = boards.chain((0..=9).chain([20, 21, 32, 33, 40, 41, 44]).map(|n| (Turn::Quarter, n)));
        for (turn, n) in boards {
            for isa in Isa::available() {
                let found = dispatch(TurnBoard::new(turn, n).unwrap(), isa, Both);
                assert!(found > 0 || n < 12, "{turn} turn, N = {n}: no task with a solution");
            }
        }
    }

    /// What a plan of each size takes for granted: keys in the word, items in their set.
    #[test]
    fn every_board_has_a_plan() {
        for turn in [Turn::Half, Turn::Quarter] {
            for n in turn.sizes() {
                let fingerprint = TurnCount::new(TurnBoard::new(turn, n).unwrap()).fingerprint();
                assert_eq!(fingerprint.units > 0, turn == Turn::Half || n % 4 < 2, "{turn} turn, N = {n}");
            }
        }
    }

    /// What `tests/plans.rs` pins for other plans: a line here changes with the version in the fingerprint, or never.
    #[test]
    fn a_fingerprint_has_one_plan_for_ever() {
        struct Hash;
        impl TurnJob for Hash {
            type Output = String;

            fn run<L: Lanes>(self, engine: &Cover<L>, _second: &Search) -> String {
                let plan = engine.plan();
                let all: u64 = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
                let mut hash = Sha256::new();
                // Large plans are sampled.
                for unit in (0..plan.units()).step_by((all / 10_000).max(1) as usize) {
                    for task in plan.unit(unit) {
                        hash.update(format!("{unit} {task:?}\n"));
                    }
                }
                let hash: Vec<String> = hash.finalize()[..4].iter().map(|byte| format!("{byte:02x}")).collect();
                format!("{} units={} tasks={all} {}", plan.fingerprint(), plan.units(), hash.concat())
            }
        }
        let boards = [(Turn::Half, 9), (Turn::Half, 26), (Turn::Half, 30), (Turn::Half, 36)];
        let boards = boards.into_iter().chain([(Turn::Quarter, 20), (Turn::Quarter, 45), (Turn::Quarter, 68)]);
        let plans: Vec<String> =
            boards.map(|(turn, n)| dispatch(TurnBoard::new(turn, n).unwrap(), Isa::Portable, Hash)).collect();
        assert_eq!(plans, GOLDEN);
    }

    const GOLDEN: [&str; 7] = [
        "cover 1 half 9 2 units=6 tasks=6 fb29c60d",
        "cover 1 half 26 6 units=1716 tasks=1716 006fb5f0",
        "cover 1 half 30 7 units=6435 tasks=6435 6037e34e",
        "cover 1 half 36 9 units=9724 tasks=48620 c1397d5b",
        "cover 1 quarter 20 6 units=31 tasks=31 72567746",
        "cover 1 quarter 45 15 units=9908 tasks=9908 fd75d980",
        "cover 1 quarter 68 25 units=8214 tasks=2579130 96f465f3",
    ];

    #[test]
    fn finds_the_published_terms() {
        for n in 1..=24 {
            assert_eq!(count(Turn::Half, n), oeis::HALF_TURN.term(n).unwrap(), "half turn, N = {n}");
        }
        for n in 1..=41 {
            assert_eq!(count(Turn::Quarter, n), oeis::QUARTER_TURN.term(n).unwrap(), "quarter turn, N = {n}");
        }
    }
}
