//! Solutions that a turn of the board leaves unchanged, and with them the number of solutions up to symmetry.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`pairing`] | quarter turns as pairings of numbers with distinct sums and differences |
//! | [`half_board`] | half turns as signed permutations with distinct sums and differences |
//! | [`cover`](crate::engine::cover) | the engine: both are exact covers, cut in two sides that are listed and joined |
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
mod half_board;
mod orbits;
mod pairing;
mod residue;
mod search;
mod unique;

pub use count::{RotationalCount, RotationalReport};
pub(crate) use count::{RotationalJob, check, dispatch};
pub use residue::Residue;
pub(crate) use search::Search;
pub use unique::{NotDivisible, Unique};

#[cfg(test)]
mod tests {
    use super::count::{RotationalJob, problem};
    use super::search::{Diagonals, Search};
    use super::*;
    use crate::engine::Engine;
    use crate::engine::cover::{Cover, Piece, Pieces, word};
    use crate::engine::lanes::{KEY_BITS, Lanes};
    use crate::plan::Plan;
    use crate::{Isa, Rotation, RotationalBoard, Size, oeis};
    use sha2::{Digest, Sha256};

    fn count(rotation: Rotation, n: usize) -> u128 {
        RotationalCount::new(RotationalBoard::new(rotation, n).unwrap()).threads(2).run().unwrap().count
    }

    /// By the oracle.
    fn orbits(rotation: Rotation, n: usize) -> u128 {
        let boards = orbits::boards(Size::new(n).unwrap(), rotation);
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
            assert_eq!(count(Rotation::Half, n), filtered(n, |n, c, r| (n - 1 - c, n - 1 - r)), "half turn, N = {n}");
            assert_eq!(count(Rotation::Quarter, n), filtered(n, |n, c, r| (r, n - 1 - c)), "quarter turn, N = {n}");
        }
        assert_eq!((count(Rotation::Half, 0), count(Rotation::Quarter, 0)), (1, 1));
    }

    #[test]
    fn agrees_with_the_search_for_orbits() {
        for n in 0..=21 {
            assert_eq!(count(Rotation::Half, n), orbits(Rotation::Half, n), "half turn, N = {n}");
        }
        for n in 0..=32 {
            assert_eq!(count(Rotation::Quarter, n), orbits(Rotation::Quarter, n), "quarter turn, N = {n}");
        }
    }

    /// Every task of the small boards, and of larger ones a few from each end and the middle, where the kinds of task
    /// differ: the join against the second engine.
    #[test]
    fn tasks_agree_with_the_second_engine() {
        struct Both;
        impl RotationalJob for Both {
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
        let boards = (0..=15).chain([18, 19, 22, 23]).map(|n| (Rotation::Half, n));
        let boards = boards.chain((0..=9).chain([20, 21, 32, 33, 40, 41, 44]).map(|n| (Rotation::Quarter, n)));
        for (rotation, n) in boards {
            for isa in Isa::available() {
                let found = dispatch(RotationalBoard::new(rotation, n).unwrap(), isa, Both);
                assert!(found > 0 || n < 12, "{rotation} turn, N = {n}: no task with a solution");
            }
        }
    }

    /// Each instruction set is the lanes of its name.
    #[test]
    fn the_engine_runs_on_the_lanes_named() {
        struct Type;
        impl RotationalJob for Type {
            type Output = &'static str;

            fn run<L: Lanes>(self, _engine: &Cover<L>, _second: &Search) -> &'static str {
                std::any::type_name::<Cover<L>>()
            }
        }
        for isa in Isa::available() {
            let engine = dispatch(RotationalBoard::new(Rotation::Half, 9).unwrap(), isa, Type);
            assert!(engine.ends_with(&format!("::{}>", isa.lanes())), "{engine} for {isa}");
        }
    }

    /// What a plan of each size takes for granted: keys in the word, items in their set.
    #[test]
    fn every_board_has_a_plan() {
        for rotation in [Rotation::Half, Rotation::Quarter] {
            for n in rotation.sizes() {
                let fingerprint = RotationalCount::new(RotationalBoard::new(rotation, n).unwrap()).fingerprint();
                assert_eq!(fingerprint.units > 0, rotation == Rotation::Half || n % 4 < 2, "{rotation} turn, N = {n}");
            }
        }
    }

    /// The queens of a side's pieces, east columns and signed rows in half squares from the centre, beside their keys.
    fn queens(pieces: &Pieces, rotation: Rotation, n: usize) -> Vec<((i32, i32), Piece)> {
        let distance = |item: u32| (2 * item as usize + 1 + n % 2) as i32;
        let mut queens: Vec<((i32, i32), Piece)> = Vec::new();
        for &piece in (0..64).flat_map(|item| pieces.of(item)) {
            let (low, high) = (piece.items.trailing_zeros(), piece.items.ilog2());
            let queen = match rotation {
                Rotation::Quarter => (distance(high), distance(low)),
                // North and south of the middle in this order.
                Rotation::Half => {
                    let again = queens.iter().any(|(_, other)| other.items == piece.items);
                    (distance(high - n as u32 / 2), if again { -distance(low) } else { distance(low) })
                }
            };
            queens.push((queen, piece));
        }
        queens
    }

    /// On every board that can have solutions two pieces share a key exactly if their queens attack each other, by the second engine's diagonals.
    /// Those of different sides must do so in the word that the lanes are given: a key beyond it would be lost.
    #[test]
    fn keys_are_the_diagonals_of_every_board() {
        for (rotation, n) in [Rotation::Half, Rotation::Quarter]
            .into_iter()
            .flat_map(|rotation| rotation.sizes().map(move |n| (rotation, n)))
        {
            let board = RotationalBoard::new(rotation, n).unwrap();
            let (search, problem) = (Search::new(board), problem(board));
            if problem.plan.units() == 0 {
                continue;
            }
            let left = queens(&problem.left, rotation, n);
            let mirrored = queens(&problem.right, rotation, n);
            let unmirrored =
                |&(queen, piece): &((i32, i32), Piece)| (queen, Piece { keys: piece.keys.reverse_bits(), ..piece });
            let right: Vec<_> = mirrored.iter().map(unmirrored).collect();
            let attack = |(x, y): (i32, i32), (other_x, other_y): (i32, i32)| {
                let alone = search.with(Diagonals::default(), x, y).expect("a queen does not attack its images");
                search.with(alone, other_x, other_y).is_none()
            };
            for side in [&left, &right] {
                for (index, (queen, piece)) in side.iter().enumerate() {
                    for (other, second) in side[..index].iter().filter(|(_, other)| other.items & piece.items == 0) {
                        let meet = piece.keys & second.keys != 0;
                        assert_eq!(meet, attack(*queen, *other), "{rotation} turn, N = {n}: {queen:?} and {other:?}");
                    }
                }
            }
            for (queen, piece) in &left {
                for (other, second) in mirrored.iter().filter(|(_, other)| other.items & piece.items == 0) {
                    let meet = word(piece.keys) & word(second.keys).reverse_bits() & KEY_BITS != 0;
                    assert_eq!(
                        meet,
                        attack(*queen, *other),
                        "{rotation} turn, N = {n}: {queen:?} and {other:?}, sides apart"
                    );
                }
            }
        }
    }

    /// What `tests/plans.rs` pins for other plans, for every board here: a line of `plans.txt` changes with the version in
    /// the fingerprint, or never. `QUEENS_GOLDEN=write cargo test --lib unchanged` adds lines where there are none, and
    /// changes no other.
    #[test]
    fn a_fingerprint_has_one_plan_for_ever() {
        struct Hash;
        impl RotationalJob for Hash {
            type Output = (String, String);

            fn run<L: Lanes>(self, engine: &Cover<L>, _second: &Search) -> Self::Output {
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
                (plan.fingerprint(), format!("units={} tasks={all} {}", plan.units(), hash.concat()))
            }
        }
        let boards = [Rotation::Half, Rotation::Quarter]
            .into_iter()
            .flat_map(|rotation| rotation.sizes().map(move |n| (rotation, n)));
        let plans: Vec<(String, String)> = boards
            .map(|(rotation, n)| dispatch(RotationalBoard::new(rotation, n).unwrap(), Isa::Portable, Hash))
            .collect();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/rotational/plans.txt");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let golden: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(" | ")).collect();
        for (fingerprint, plan) in &plans {
            let Some((_, held)) = golden.iter().find(|(held, _)| held == fingerprint) else { continue };
            assert_eq!(plan, held, "{fingerprint}: its tasks, their weights or their order changed; raise the version");
        }
        if std::env::var_os("QUEENS_GOLDEN").is_some_and(|value| value == "write") {
            let lines: Vec<String> =
                plans.iter().map(|(fingerprint, plan)| format!("{fingerprint} | {plan}\n")).collect();
            return std::fs::write(path, lines.concat()).unwrap();
        }
        let fingerprints: Vec<&str> = plans.iter().map(|(fingerprint, _)| fingerprint.as_str()).collect();
        let held: Vec<&str> = golden.iter().map(|(fingerprint, _)| *fingerprint).collect();
        assert_eq!(fingerprints, held, "a new version? QUEENS_GOLDEN=write cargo test --lib unchanged");
    }

    #[test]
    fn finds_the_published_terms() {
        for n in 1..=24 {
            assert_eq!(count(Rotation::Half, n), oeis::HALF_TURN.term(n).unwrap(), "half turn, N = {n}");
        }
        for n in 1..=41 {
            assert_eq!(count(Rotation::Quarter, n), oeis::QUARTER_TURN.term(n).unwrap(), "quarter turn, N = {n}");
        }
    }
}
