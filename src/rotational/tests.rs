//! Compares counts with oracles, tasks with the auditor, and plans with golden plans. Covers that are wrong on
//! purpose are called through the public functions.

mod orbits;

use super::*;
use crate::engine::Method;
use crate::engine::cover::{Piece, Pieces, word};
use crate::engine::fault::{self, Fault};
use crate::engine::lanes::KEY_BITS;
use crate::plan::{Plan, Units};
use crate::run::counting::Counter;
use crate::run::{CountError, SelfCheckError};
use crate::{Isa, Request, Share, Size, oeis};
use sha2::{Digest, Sha256};

fn request(rotation: Rotation, n: usize) -> Request {
    Request::rotational(RotationalBoard::new(rotation, n).unwrap()).threads(2)
}

fn count(rotation: Rotation, n: usize) -> u128 {
    request(rotation, n).count().unwrap().count
}

/// The count of the oracle.
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

/// Compares the cover with the auditor: every task of small boards.
#[test]
fn tasks_agree_with_the_auditor() {
    tasks_agree(
        (0..=9).map(|n| (Rotation::Half, n)).chain((0..=9).chain([12, 13, 16, 17]).map(|n| (Rotation::Quarter, n))),
    );
}

/// For larger boards a few tasks from each end and from the middle, where the kinds of task differ.
#[test]
fn tasks_of_larger_boards_agree_with_the_auditor() {
    let half = (10..=15).chain([18, 19, 22, 23]).map(|n| (Rotation::Half, n));
    tasks_agree(half.chain([20, 21, 32, 33, 40, 41, 44].map(|n| (Rotation::Quarter, n))));
}

fn tasks_agree(boards: impl Iterator<Item = (Rotation, usize)>) {
    for (rotation, n) in boards {
        for isa in Isa::available() {
            let subject = RotationalBoard::new(rotation, n).unwrap().into();
            let counting = Counter::new(Method::choose(None, Some(isa), subject).unwrap()).counting(&subject);
            let (plan, mut cover, mut auditor) = (counting.plan(), counting.worker(), counting.second());
            let mut solutions = 0;
            for unit in (0..plan.units()).step_by((plan.units() / 20).max(1)) {
                let mut index = 0;
                let counted = cover.unit(unit, 0, &mut |found| {
                    let again = auditor(unit, index, &|| false).unwrap();
                    assert_eq!(found, again.found, "{}", plan.name(unit));
                    (solutions, index) = (solutions + found.count, index + 1);
                    Ok(())
                });
                counted.unwrap();
            }
            assert!(solutions > 0 || n < 12, "{rotation} turn, N = {n}: no task with a solution");
        }
    }
}

/// The assumptions of every plan: its keys fit in the word, and its items in their set.
#[test]
fn every_board_has_a_plan() {
    for rotation in [Rotation::Half, Rotation::Quarter] {
        for n in rotation.sizes() {
            let fingerprint = request(rotation, n).fingerprint().unwrap();
            assert_eq!(fingerprint.units > 0, rotation == Rotation::Half || n % 4 < 2, "{rotation} turn, N = {n}");
        }
    }
}

/// The queens of a side's pieces, as east columns and signed rows in half squares from the centre, with their keys.
fn queens(pieces: &Pieces, rotation: Rotation, n: usize) -> Vec<((i32, i32), Piece)> {
    let distance = |item: u32| (2 * item as usize + 1 + n % 2) as i32;
    let mut queens: Vec<((i32, i32), Piece)> = Vec::new();
    for &piece in (0..64).flat_map(|item| pieces.of(item)) {
        let (low, high) = (piece.items.trailing_zeros(), piece.items.ilog2());
        let queen = match rotation {
            Rotation::Quarter => (distance(high), distance(low)),
            // North of the middle first, then south.
            Rotation::Half => {
                let again = queens.iter().any(|(_, other)| other.items == piece.items);
                (distance(high - n as u32 / 2), if again { -distance(low) } else { distance(low) })
            }
        };
        queens.push((queen, piece));
    }
    queens
}

/// On every board that can have solutions, two pieces share a key exactly if their queens or the images of these attack each
/// other on a diagonal. For pieces of different sides the shared key must be in the word that the lanes get: a
/// key beyond it would be lost.
#[test]
fn keys_are_the_diagonals_of_every_board() {
    for (rotation, n) in [Rotation::Half, Rotation::Quarter]
        .into_iter()
        .flat_map(|rotation| rotation.sizes().map(move |n| (rotation, n)))
    {
        let problem = problem(RotationalBoard::new(rotation, n).unwrap());
        if problem.plan.units() == 0 {
            continue;
        }
        let left = queens(&problem.left, rotation, n);
        let mirrored = queens(&problem.right, rotation, n);
        let unmirrored =
            |&(queen, piece): &((i32, i32), Piece)| (queen, Piece { keys: piece.keys.reverse_bits(), ..piece });
        let right: Vec<_> = mirrored.iter().map(unmirrored).collect();
        let images = |(x, y): (i32, i32)| match rotation {
            Rotation::Half => vec![(x, y), (-x, -y)],
            Rotation::Quarter => vec![(x, y), (-y, x), (-x, -y), (y, -x)],
        };
        let attack = |queen, other| {
            let on_a_diagonal = |(x, y): (i32, i32), (a, b): (i32, i32)| x.abs_diff(a) == y.abs_diff(b);
            images(queen).into_iter().any(|queen| images(other).into_iter().any(|image| on_a_diagonal(queen, image)))
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

/// Pins the plan of every board, as `tests/plans.rs` does for other plans: a line of `plans.txt` changes only with the
/// version in the fingerprint. `QUEENS_GOLDEN=write cargo test --lib rotational` adds missing lines, and changes no
/// others.
#[test]
fn a_fingerprint_has_one_plan_for_ever() {
    let plans: Vec<(String, String)> = [Rotation::Half, Rotation::Quarter]
        .into_iter()
        .flat_map(|rotation| rotation.sizes().map(move |n| RotationalBoard::new(rotation, n).unwrap()))
        .map(|board| {
            let plan = problem(board).plan;
            let all: u64 = (0..plan.units()).map(|unit| plan.tasks(unit)).sum();
            let mut hash = Sha256::new();
            // Of large plans, some units are taken.
            for unit in (0..plan.units()).step_by((all / 10_000).max(1) as usize) {
                for task in plan.unit(unit) {
                    hash.update(format!("{unit} {task:?}\n"));
                }
            }
            let hash: Vec<String> = hash.finalize()[..4].iter().map(|byte| format!("{byte:02x}")).collect();
            (plan.fingerprint(), format!("units={} tasks={all} {}", plan.units(), hash.concat()))
        })
        .collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/rotational/plans.txt");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let golden: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(" | ")).collect();
    for (fingerprint, plan) in &plans {
        let Some((_, held)) = golden.iter().find(|(held, _)| held == fingerprint) else { continue };
        assert_eq!(plan, held, "{fingerprint}: its tasks, their weights or their order changed; raise the version");
    }
    if std::env::var_os("QUEENS_GOLDEN").is_some_and(|value| value == "write") {
        let lines: Vec<String> = plans.iter().map(|(fingerprint, plan)| format!("{fingerprint} | {plan}\n")).collect();
        return std::fs::write(path, lines.concat()).unwrap();
    }
    let fingerprints: Vec<&str> = plans.iter().map(|(fingerprint, _)| fingerprint.as_str()).collect();
    let held: Vec<&str> = golden.iter().map(|(fingerprint, _)| *fingerprint).collect();
    assert_eq!(fingerprints, held, "a new version? QUEENS_GOLDEN=write cargo test --lib rotational");
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

fn published(rotation: Rotation, n: usize) -> u128 {
    rotation.sequence().term(n).unwrap()
}

/// Wrong in each task of the self-check's boards: N = 15 has 14 items for a half turn, N = 21 has 10 for a quarter
/// turn.
const GATE: Fault = |items, _, _| u64::from(items == 14 || items == 10);

/// Wrong in the tasks that have item 0 on the left, on boards that the self-check does not see.
const LARGE: Fault = |items, _, task| u64::from(items == 16 || items == 12) * (task & 1);

#[test]
fn a_wrong_cover_counts_nothing() {
    for (rotation, n) in [(Rotation::Half, 16), (Rotation::Quarter, 24)] {
        for isa in Isa::available() {
            let right = request(rotation, n).isa(isa).count().unwrap();
            assert_eq!((right.count, right.isa), (published(rotation, n), isa));
            let wrong = fault::with(GATE, || request(rotation, n).isa(isa).count());
            assert!(matches!(wrong, Err(CountError::SelfCheck(SelfCheckError::Wrong { .. }))), "{wrong:?}");
            // The self-check runs on the lanes of the count.
            let one: Fault = |items, lanes, task| if lanes.ends_with("::Portable") { 0 } else { GATE(items, "", task) };
            let wrong = fault::with(one, || request(rotation, n).isa(isa).count());
            assert_eq!(wrong.is_err(), isa != Isa::Portable, "{rotation} on {isa}: {wrong:?}");
        }
    }
}

/// In a plain count, and in the units of an earlier run.
#[test]
fn a_double_check_asks_the_auditor() {
    let differs = |error: CountError| assert!(matches!(error, CountError::Differs { .. }), "{error}");
    for (rotation, n) in [(Rotation::Half, 16), (Rotation::Quarter, 24)] {
        let (checked, unchecked) = (request(rotation, n).double_check(Share::ALL), request(rotation, n));
        let right = checked.count().unwrap();
        assert_eq!((right.count, right.double_checked), (published(rotation, n), checked.fingerprint().unwrap().units));
        fault::with(LARGE, || {
            differs(checked.count().unwrap_err());
            let run = unchecked.prepare().unwrap();
            run.count().unwrap();
            assert_ne!(run.ledger().total().unwrap().get(), published(rotation, n), "nobody else sees it");
            differs(checked.prepare().unwrap().resume(run.ledger()).unwrap().count().unwrap_err());
        });
    }
}
