//! One contract for every instruction set: each step against its plain definition, on boards that need not be
//! reachable.

use proptest::prelude::*;

use super::*;
use crate::engine::lanes::{Isa, Lanes, WithLanes};

/// A board: rows, down, up.
type Words = [u32; 3];

/// About as many bits set as on boards with a few columns left.
fn boards() -> impl Strategy<Value = Vec<Words>> {
    let word = || any::<(u32, u32)>().prop_map(|(a, b)| a | b);
    // Some lists are longer than a full level.
    proptest::collection::vec((word(), word(), word()).prop_map(|(a, b, c)| [a, b & c, c & a]), 0..900)
}

/// The children of a board, whatever their future.
fn children([rows, down, up]: Words) -> impl Iterator<Item = Words> {
    let free = !(rows | down | up);
    let queens = (0..u32::BITS).map(|row| 1 << row).filter(move |queen| free & queen != 0);
    queens.map(move |queen: u32| [rows | queen, (down | queen) << 1, (up | queen) >> 1])
}

/// Whether a queen can be placed so many columns on, as far as those that stand go.
fn is_open([rows, down, up]: Words, columns: usize) -> bool {
    !(rows | down << columns | up >> columns) != 0
}

/// Gives a level the boards as it has room for them, and does `step` until all are used up.
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

/// Takes the boards out of a level.
fn take(level: &mut Level, into: &mut Vec<Words>) {
    into.extend((PAD..level.end).map(|at| [level.rows[at], level.down[at], level.up[at]]));
    level.end = PAD;
}

struct Expand<'a, const EVERY: bool>(&'a [Words]);

impl<const EVERY: bool> WithLanes for Expand<'_, EVERY> {
    type Output = (u64, Vec<Words>);

    fn with<L: Lanes + LevelSearch>(self, lanes: L) -> Self::Output {
        let (mut queens, mut found, mut next) = (0, vec![], Level::default());
        feed(self.0, |level, drain| {
            queens += lanes.expand::<EVERY>(level, &mut next, drain);
            // Half full levels must work too.
            if next.end > PAD + FULL / 2 {
                take(&mut next, &mut found);
            }
        });
        take(&mut next, &mut found);
        found.sort_unstable();
        (queens, found)
    }
}

struct LastThree<'a, const EVERY: bool>(&'a [Words]);

impl<const EVERY: bool> WithLanes for LastThree<'_, EVERY> {
    type Output = [u64; 3];

    fn with<L: Lanes + LevelSearch>(self, lanes: L) -> [u64; 3] {
        let mut ways = [0; 3];
        feed(self.0, |level, drain| {
            for (ways, more) in ways.iter_mut().zip(lanes.last_three::<EVERY>(level, drain)) {
                *ways += more;
            }
        });
        ways
    }
}

/// Of each mask its lanes come side by side, byte by byte, and each goes back to where it came from.
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

proptest! {
    #[test]
    fn queens_are_set_in_every_board(boards in boards()) {
        let all: Vec<Words> = boards.iter().flat_map(|&board| children(board)).collect();
        let sorted = |open: &dyn Fn(Words) -> bool| {
            let mut kept: Vec<Words> = all.iter().copied().filter(|&child| open(child)).collect();
            kept.sort_unstable();
            kept
        };
        let (near, far) = (sorted(&|child| is_open(child, 0)), sorted(&|child| is_open(child, 0) && is_open(child, 1)));
        for isa in Isa::available() {
            let (queens, found) = isa.with(Expand::<true>(&boards)).unwrap();
            prop_assert_eq!(queens, all.len() as u64, "{}", isa);
            prop_assert_eq!(&found, &near, "{}", isa);
            let (_, found) = isa.with(Expand::<false>(&boards)).unwrap();
            prop_assert_eq!(&found, &far, "{}", isa);
        }
    }

    #[test]
    fn the_last_three_columns_are_counted(
        boards in proptest::collection::vec((any::<[u8; 3]>(), any::<[u32; 4]>()), 0..900),
    ) {
        // Three rows are left, of which no two may be the same, and diagonals that leave some squares free.
        let boards: Vec<Words> = boards
            .into_iter()
            .map(|(rows, [a, b, c, d])| {
                let [i, j, k] = rows.map(|row| u32::from(row) % 32);
                let j = if j == i { (i + 1) % 32 } else { j };
                let k = (0..3).map(|step| (k + step) % 32).find(|k| *k != i && *k != j).unwrap();
                [!(1 << i | 1 << j | 1 << k), a & b, c & d]
            })
            .collect();
        let mut expected = [0; 3];
        for &board in &boards {
            for first in children(board) {
                expected[0] += 1;
                for second in children(first) {
                    expected[1] += 1;
                    expected[2] += children(second).count() as u64;
                }
            }
        }
        for isa in Isa::available() {
            prop_assert_eq!(isa.with(LastThree::<true>(&boards)).unwrap(), expected, "{}", isa);
            prop_assert_eq!(isa.with(LastThree::<false>(&boards)).unwrap()[2], expected[2], "{}", isa);
        }
    }
}
