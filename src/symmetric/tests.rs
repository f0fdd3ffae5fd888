//! Compares counts with published terms and with lists of solutions, cuts with a brute force over orbits, and keys with
//! diagonals.

mod orbits;

use std::collections::BTreeMap;

use fastrand::Rng;

use super::cover::Problem;
use super::list::{CoverLister, Piece, Pieces, word};
use super::*;
use crate::engine::lanes::{Isa, KEY_BITS};
use crate::engine::split::{FirstPieces, GroupedLists};
use crate::plan::MAX_DEPTH;
use crate::{Size, oeis};

fn found(rotation: Rotation, n: usize, isa: Isa) -> u128 {
    let report = SymmetricRequest::new(rotation, n).unwrap().isa(isa).threads(2).count(&Watch::default()).unwrap();
    assert_eq!((report.n, report.symmetry, report.isa, report.threads), (n, Some(rotation), isa, 2));
    report.count
}

fn published(rotation: Rotation, n: usize) -> u128 {
    if n == 0 { 1 } else { rotation.sequence().term(n).unwrap() }
}

/// Boards that can have solutions.
fn boards() -> impl Iterator<Item = (Rotation, usize)> {
    let boards = Rotation::ALL.into_iter().flat_map(|rotation| rotation.sizes().map(move |n| (rotation, n)));
    boards.filter(|&(rotation, n)| rotation == Rotation::Half || n % 4 < 2)
}

#[test]
fn published_terms_are_found() {
    let boards = Rotation::ALL.into_iter().flat_map(|rotation| (0..=33).map(move |n| (rotation, n)));
    for isa in Isa::available() {
        let largest = if isa == Isa::best() { 24 } else { 18 };
        for (rotation, n) in boards.clone().filter(|&(rotation, n)| rotation == Rotation::Quarter || n <= largest) {
            assert_eq!(found(rotation, n, isa), published(rotation, n), "{rotation} turn, N = {n}, {isa}");
        }
    }
}

/// Every cut of small boards; two random cuts of larger boards. The brute force shares no code with the cover.
#[test]
fn cuts_are_counted_as_defined() {
    for (rotation, n) in boards() {
        let (small, larger) = if rotation == Rotation::Half { (15, 18..=24) } else { (25, 28..=45) };
        if n > small && !larger.contains(&n) {
            continue;
        }
        let problem = turns::problem(rotation, n);
        let mut count = problem.counter(Isa::best());
        let drawn = if n > small { 2 } else { problem.cuts.len() };
        for &left in Rng::with_seed(n as u64).choose_multiple(&problem.cuts, drawn) {
            let expected = orbits::solutions(rotation, n, orbits::allowed(rotation, n, &problem, left), u64::MAX);
            assert_eq!(Some(count(left)), expected, "{rotation} turn, N = {n}, cut {left:x}");
        }
    }
}

/// Cuts of the largest boards, whose keys just fit, with few enough squares for the brute force. A key that did not fit
/// would change the count of some of these solutions.
#[test]
fn thinned_cuts_of_the_last_boards_are_counted_as_defined() {
    for (rotation, n) in boards().filter(|&(rotation, n)| n >= 68 || rotation == Rotation::Half && n >= 33) {
        let (problem, mut with_solutions) = (turns::problem(rotation, n), 0);
        for seed in 0..6 {
            let left = *Rng::with_seed(seed).choice(&problem.cuts).unwrap();
            // Adds squares until there are enough solutions. A hash chooses whole orbits of squares.
            for share in 1..=20 {
                let keep = |items: u64| Rng::with_seed(items ^ seed << 56).u8(..20) < share;
                let is_centre = |square| n % 2 == 1 && square == (n / 2, n / 2);
                let allowed = orbits::allowed(rotation, n, &problem, left).into_iter();
                let allowed = allowed.filter(|&square| is_centre(square) || keep(orbits::items(rotation, n, square)));
                let Some(expected) = orbits::solutions(rotation, n, allowed, 1 << 21) else { break };
                let found = thinned(&problem, keep).counter(Isa::best())(left);
                assert_eq!(found, expected, "{rotation} turn, N = {n}, {share} of 20 squares, cut {left:x}");
                if found >= 20 {
                    with_solutions += 1;
                    break;
                }
            }
            if with_solutions == 2 {
                break;
            }
        }
        assert!(with_solutions >= 2, "{rotation} turn, N = {n}: solutions in {with_solutions} of 6 cuts");
    }
}

/// Only the pieces on these items.
fn thinned(problem: &Problem, keep: impl Fn(u64) -> bool) -> Problem {
    let side = |pieces: &Pieces| Pieces::new(pieces.marked, all(pieces).into_iter().filter(|piece| keep(piece.items)));
    Problem { left: side(&problem.left), right: side(&problem.right), ..problem.clone() }
}

fn all(pieces: &Pieces) -> Vec<Piece> {
    pieces.by_item.iter().flatten().copied().collect()
}

/// The pieces with their queens, as east columns and signed rows in half squares from the centre.
fn queens(pieces: &Pieces, rotation: Rotation, n: usize) -> Vec<((i32, i32), Piece)> {
    let distance = |item: u32| (2 * item as usize + 1 + n % 2) as i32;
    let mut queens: Vec<((i32, i32), Piece)> = Vec::new();
    for piece in all(pieces) {
        let (low, high) = (piece.items.trailing_zeros(), piece.items.ilog2());
        // For half turns, two pieces have the same items: the first is north of the middle, the second south.
        let again = queens.iter().any(|(_, other)| other.items == piece.items);
        queens.push(match rotation {
            Rotation::Quarter => ((distance(high), distance(low)), piece),
            Rotation::Half => {
                ((distance(high - n as u32 / 2), if again { -distance(low) } else { distance(low) }), piece)
            }
        });
    }
    queens
}

/// On every board that can have solutions, two pieces share a key exactly if their queens, or images of them, attack
/// each other on a diagonal. A key that left and right pieces share must be in the word that the kernels get.
#[test]
fn keys_are_the_diagonals_of_every_board() {
    for (rotation, n) in boards() {
        let problem = turns::problem(rotation, n);
        let images = |(x, y): (i32, i32)| match rotation {
            Rotation::Half => vec![(x, y), (-x, -y)],
            Rotation::Quarter => vec![(x, y), (-y, x), (-x, -y), (y, -x)],
        };
        let attack = |queen, other| {
            let on_a_diagonal = |(x, y): (i32, i32), (a, b): (i32, i32)| x.abs_diff(a) == y.abs_diff(b);
            images(queen).into_iter().any(|queen| images(other).into_iter().any(|image| on_a_diagonal(queen, image)))
        };
        let [left, right] = [&problem.left, &problem.right].map(|pieces| queens(pieces, rotation, n));
        let apart = |piece: &Piece| {
            let items = piece.items;
            move |(_, other): &&(_, Piece)| items & other.items == 0
        };
        for side in [&left, &right] {
            for (index, (queen, piece)) in side.iter().enumerate() {
                for (other, second) in side[..index].iter().filter(apart(piece)) {
                    let meet = piece.keys & second.keys != 0;
                    assert_eq!(meet, attack(*queen, *other), "{rotation}, N = {n}: {queen:?} and {other:?}");
                }
            }
        }
        for (queen, piece) in &left {
            for (other, second) in right.iter().filter(apart(piece)) {
                let meet = word(piece.keys) & word(second.keys).reverse_bits() & KEY_BITS != 0;
                assert_eq!(meet, attack(*queen, *other), "{rotation}, N = {n}: {queen:?} and {other:?}, sides apart");
            }
        }
    }
}

/// The middle words of the keys of covers, by the covers' first pieces.
type Covers = BTreeMap<FirstPieces, Vec<u64>>;

/// Finds every cover of `left` by its definition, under its first `depth` pieces.
fn search(pieces: &[Piece], left: u64, keys: u128, depth: usize, first: &[u64], covers: &mut Covers) {
    if left == 0 {
        let mut name = [0; MAX_DEPTH];
        name[..depth].copy_from_slice(&first[..depth]);
        return covers.entry(name).or_default().push(word(keys) & KEY_BITS);
    }
    for piece in pieces.iter().filter(|piece| piece.items.ilog2() == left.ilog2()) {
        if piece.items & !left == 0 && piece.keys & keys == 0 {
            let first = [first, &[word(piece.keys)]].concat();
            search(pieces, left & !piece.items, keys | piece.keys, depth, &first, covers);
        }
    }
}

/// Whichever pieces have them. A tail has no pieces with such keys.
#[test]
fn keys_beyond_the_word_are_compared() {
    // Below the word, on its lower and on its upper edge, above it, and on both sides.
    for beyond in [20..32, 30..34, 94..98, 96..108, 20..108] {
        for from in [0, 1, 6, 9, 11, 12] {
            let mut random = Rng::with_seed(u64::from(from));
            // A piece per pair of twelve items, with two random keys. Pieces of items from `from` may hold keys beyond.
            let mut key = |item| {
                let keys = if item >= from && random.bool() { beyond.clone() } else { 40..88 };
                1u128 << random.u32(keys)
            };
            let pairs = (0..12u32).flat_map(|high| (0..high).map(move |low| (high, low)));
            let pieces: Vec<Piece> = pairs
                .map(|(high, low)| Piece { items: 1u64 << high | 1u64 << low, keys: key(high) | key(high) })
                .collect();
            let (mut lister, mut list) = (CoverLister::default(), GroupedLists::default());
            let kernels = Isa::Portable.kernels().unwrap();
            lister.list(kernels, &Pieces::new(u64::MAX, pieces.clone()), 0xfff, 2, &mut list);
            let mut covers = Covers::new();
            for (group, first) in list.pieces.iter().enumerate() {
                let patterns = list.lists[0].group_patterns(&(group..group + 1));
                covers.entry(*first).or_default().extend(patterns.iter().map(|pattern| pattern & KEY_BITS));
            }
            // The tail has up to five pieces, of items below `from`.
            let tail = from.saturating_sub(6).min(5) as usize;
            let mut expected = Covers::new();
            search(&pieces, 0xfff, 0, (6 - tail).min(2), &[], &mut expected);
            covers.values_mut().chain(expected.values_mut()).for_each(|patterns| patterns.sort_unstable());
            assert!(covers == expected, "keys {beyond:?} from item {from} on");
            assert!(expected.len() > 5, "{} first pieces", expected.len());
        }
    }
}

#[test]
fn a_count_can_be_watched_and_stopped() {
    let (watch, request) = (Watch::default(), SymmetricRequest::new(Rotation::Half, 30).unwrap().threads(2));
    std::thread::scope(|scope| {
        let counting = scope.spawn(|| request.count(&watch));
        while watch.progress().done < 2 {
            std::thread::yield_now();
        }
        let progress = watch.progress();
        assert!(progress.total == 6435 && progress.share > 0.0 && progress.share < 1.0 && progress.left.is_some());
        watch.stop();
        assert!(matches!(counting.join().unwrap(), Err(CountError::Stopped)));
    });
}

fn size(n: usize) -> Size {
    Size::new(n).unwrap()
}

#[test]
fn published_totals_give_published_numbers_of_orbits() {
    for n in 1..=27 {
        let [half, quarter] = Rotation::ALL.map(|rotation| published(rotation, n));
        let all = oeis::QUEENS.term(n).unwrap();
        assert_eq!(orbits(size(n), all, [half, quarter]), oeis::UNIQUE.term(n), "N = {n}");
        for wrong in (1..8).filter(|_| n > 1) {
            assert_eq!(orbits(size(n), all + wrong, [half, quarter]), None, "N = {n}, off by {wrong}");
        }
        assert_eq!(orbits(size(n), u128::MAX, [half, quarter]), None);
    }
    assert_eq!(orbits(size(8), 94, [6, 0]), None, "two solutions are no orbit of four");
    // The board of size 0 has one solution, in an orbit of its own.
    assert_eq!(orbits(size(0), 1, [1, 1]), Some(1));
}
