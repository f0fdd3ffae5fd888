//! The contract of every instruction set: each step against its plain definition, on boards that need not be reachable.

use fastrand::Rng;

use super::*;
use crate::engine::lanes::{Isa, Kernels};
use crate::tests::cases;

/// A board: rows, down, up.
type Words = [u32; 3];

/// Random boards, sometimes more than a level has room for.
fn boards(random: &mut Rng, mut board: impl FnMut(&mut Rng) -> Words) -> Vec<Words> {
    (0..random.usize(..900)).map(|_| board(random)).collect()
}

/// The children of a board, dead ends included.
fn children([rows, down, up]: Words) -> impl Iterator<Item = Words> {
    let free = !(rows | down | up);
    let queens = (0..u32::BITS).map(|row| 1 << row).filter(move |queen| free & queen != 0);
    queens.map(move |queen: u32| [rows | queen, (down | queen) << 1, (up | queen) >> 1])
}

/// Whether a queen can be placed this many columns further on, as far as the placed queens allow.
fn is_open([rows, down, up]: Words, columns: usize) -> bool {
    !(rows | down << columns | up >> columns) != 0
}

/// Feeds the boards to a level as it has room, and calls `step` until all are used up.
fn feed(mut boards: &[Words], mut step: impl FnMut(&mut Level, bool)) {
    let mut level = Level::default();
    loop {
        while let Some((&[rows, down, up], rest)) = boards.split_first().filter(|_| !level.is_full()) {
            level.push(rows, down, up);
            boards = rest;
        }
        let before = level.end;
        step(&mut level, boards.is_empty());
        if boards.is_empty() && before == PAD && level.end == PAD {
            return;
        }
    }
}

fn take(level: &mut Level, into: &mut Vec<Words>) {
    into.extend((PAD..level.end).map(|at| [level.rows[at], level.down[at], level.up[at]]));
    level.end = PAD;
}

fn expanded(kernels: &dyn Kernels, boards: &[Words]) -> Vec<Words> {
    let (mut found, mut next) = (vec![], Level::default());
    feed(boards, |level, drain| {
        kernels.expand(level, &mut next, drain);
        // Levels that are half full must work too.
        if next.end > PAD + FULL / 2 {
            take(&mut next, &mut found);
        }
    });
    take(&mut next, &mut found);
    found.sort_unstable();
    found
}

fn last_three(kernels: &dyn Kernels, boards: &[Words]) -> u64 {
    let mut ways = 0;
    feed(boards, |level, drain| ways += kernels.last_three(level, drain));
    ways
}

/// Packing moves the lanes of a mask to the left, in order, and spreading moves each one back.
#[test]
fn masks_are_packed_and_spread() {
    fn check<const MASKS: usize, const BYTES: usize>() {
        let tables = Packing::<MASKS, BYTES>::new();
        let size = BYTES / MASKS.ilog2() as usize;
        for mask in 0..MASKS {
            let bytes: Vec<usize> = (0..BYTES).filter(|byte| mask >> (byte / size) & 1 == 1).collect();
            let (mut packed, mut spread) = ([0; BYTES], [0; BYTES]);
            for (to, &from) in bytes.iter().enumerate() {
                (packed[to], spread[from]) = (from as u8, to as u8);
            }
            assert_eq!((tables.packed[mask], tables.spread[mask]), (packed, spread), "{mask:b}");
        }
    }
    check::<256, 8>();
    check::<16, 16>();
}

#[test]
fn queens_are_placed_on_every_board() {
    for mut random in cases() {
        // About as many bits are set as with a few columns left.
        let boards = boards(&mut random, |random| {
            let [a, b, c] = std::array::from_fn(|_| random.u32(..) | random.u32(..));
            [a, b & c, c & a]
        });
        let open = |child: &Words| is_open(*child, 0) && is_open(*child, 1);
        let mut expected: Vec<Words> = boards.iter().flat_map(|&board| children(board)).filter(open).collect();
        expected.sort_unstable();
        for kernels in Isa::ALL.into_iter().filter_map(Isa::kernels) {
            assert_eq!(expanded(kernels, &boards), expected, "{kernels:?}");
        }
    }
}

#[test]
fn last_three_columns_are_counted() {
    for mut random in cases() {
        // Three rows are left, and diagonals that leave some squares free.
        let boards = boards(&mut random, |random| {
            let rows = random.choose_multiple(0..32, 3).into_iter().fold(0, |rows, row| rows | 1 << row);
            [!rows, random.u32(..) & random.u32(..), random.u32(..) & random.u32(..)]
        });
        let two = boards.iter().flat_map(|&board| children(board)).flat_map(children);
        let expected: u64 = two.map(|board| children(board).count() as u64).sum();
        for kernels in Isa::ALL.into_iter().filter_map(Isa::kernels) {
            assert_eq!(last_three(kernels, &boards), expected, "{kernels:?}");
        }
    }
}
