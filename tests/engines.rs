//! Engines against OEIS, each other and the plainest search: every way to count gives the same number.

use queens::{EngineKind, Isa, Placement, Request, Solutions, Square, oeis};

use crate::common::size;

/// The solutions of a board that have the queens that `allowed` wants, by trying every row of every column: rows from
/// 1.
fn tried(n: usize, allowed: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut boards = vec![vec![]];
    for column in 1..=n {
        let placed = |board: &Vec<usize>, row: usize| {
            let is_free = |(at, &other): (usize, &usize)| other != row && other.abs_diff(row) != column - 1 - at;
            allowed(column, row) && board.iter().enumerate().all(is_free)
        };
        let longer = |board: Vec<usize>| {
            let rows: Vec<usize> = (1..=n).filter(|&row| placed(&board, row)).collect();
            rows.into_iter().map(move |row| [&board[..], &[row]].concat())
        };
        boards = boards.into_iter().flat_map(longer).collect();
    }
    boards
}

fn rows(solutions: impl IntoIterator<Item = Placement>) -> Vec<Vec<usize>> {
    solutions.into_iter().map(|solution| solution.rows().collect()).collect()
}

/// The sizes up to which an engine is tried: seconds in all, on portable code too.
fn largest(engine: EngineKind, isa: Isa) -> usize {
    match (engine, isa) {
        (EngineKind::Naive, _) => 11,
        (_, Isa::Portable) => 13,
        _ => 15,
    }
}

#[test]
fn every_engine_finds_the_published_terms_on_every_instruction_set() {
    let mut sets = Vec::new();
    for engine in EngineKind::ALL {
        for isa in Isa::available() {
            let sizes = engine.sizes().filter(|&n| n <= largest(engine, isa));
            for n in sizes {
                let request = Request::solutions(size(n)).engine(engine).isa(isa).threads(1 + n % 3);
                // The oracle has one version alone.
                let Ok(method) = request.method() else { continue };
                let report = request.count().unwrap();
                assert_eq!(Some(report.count), oeis::QUEENS.term(n), "N = {n} by {engine} on {isa}");
                assert_eq!((method.engine(), method.isa(), report.isa), (engine, isa, isa));
                sets.push((engine, isa));
            }
        }
    }
    sets.dedup();
    // None is left out in silence.
    assert_eq!(sets.len(), 2 * Isa::available().count() + 1, "{sets:?}");
}

/// Sizes at which the join changes its ways: blocks, permuted bytes, middle lines in two parts.
#[test]
fn the_join_and_backtracking_agree_on_larger_boards() {
    let cases = [(16, None), (17, None), (16, Some(EngineKind::Backtrack))];
    let is_all = std::env::var_os("QUEENS_TEST_ALL").is_some();
    for (n, engine) in cases.into_iter().take(if is_all { cases.len() } else { 1 }) {
        assert_eq!(Some(Request::solutions(size(n)).engine(engine).count().unwrap().count), oeis::QUEENS.term(n));
    }
}

#[test]
fn lists_are_what_trying_everything_finds() {
    let mut random = fastrand::Rng::with_seed(71);
    for _ in 0..200 {
        let n = random.usize(0..=9);
        let mut queens: Vec<Square> = Vec::new();
        for _ in 0..random.usize(0..=n.min(3)) {
            let queen = Square { column: random.usize(1..=n), row: random.usize(1..=n) };
            if queens.iter().all(|other| other.check_apart(queen).is_ok()) {
                queens.push(queen);
            }
        }
        let is_allowed = |column, row| queens.iter().all(|queen| queen.column != column || queen.row == row);
        assert_eq!(
            rows(Solutions::having(size(n), queens.iter().copied())),
            tried(n, is_allowed),
            "N = {n}, {queens:?}"
        );
    }
}

#[test]
fn completions_are_the_solutions_that_begin_so() {
    let mut random = fastrand::Rng::with_seed(72);
    for _ in 0..60 {
        let n = random.usize(4..=9);
        let all = tried(n, |_, _| true);
        let some = random.choice(&all).unwrap();
        let prefix = Placement::new(size(n), &some[..random.usize(0..=n)]).unwrap();
        let expected = all.iter().filter(|board| prefix.rows().eq(board[..prefix.len()].iter().copied())).count();
        for engine in [EngineKind::Naive, EngineKind::Backtrack] {
            let count = Request::completions(prefix).engine(engine).threads(2).count().unwrap().count;
            assert_eq!(count, expected as u128, "N = {n}, {prefix} by {engine}");
        }
    }
}
