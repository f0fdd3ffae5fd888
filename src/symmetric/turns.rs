//! Solutions that a rotation leaves unchanged, as exact covers: half turns are signed permutations, quarter turns are
//! pairings of numbers, both with distinct sums and differences.
//!
//! Columns and rows have coordinates from the centre of the board.
//!
//! # Half turns
//!
//! A half turn maps a queen on (x, y) to its image (-x, -y), and one of the two is in the east. So the h = ⌊N/2⌋ east
//! queens determine a solution; for odd N there is also a queen in the centre. The columns x of the east queens are
//! 1..h (for even N, all coordinates are half a unit less). Their distances |y| are also 1..h, once each, because the
//! image of row y is row -y. East queens attack each other or their images if and only if x+y or x-y are equal up to
//! sign. With
//!
//! ```text
//! y > 0:  |x+y| = x + |y|,     |x-y| = |x - |y||
//! y < 0:  |x+y| = |x - |y||,   |x-y| = x + |y|
//! ```
//!
//! a solution is a signed permutation of 1..h whose h values |x+y| are distinct and not 0, and so are its h values
//! |x-y| (A032522). Changing all signs reflects the solution, so queen h is placed only in the north, with weight 2.
//!
//! *The cut.* Queens in the inner columns are left pieces, queens in the outer columns right pieces. The cut is the set
//! of distances |y| of the inner queens. It has no signs, so there are only C(h, h/2) cuts.
//!
//! # Quarter turns
//!
//! A queen on (x, y) has the images (-y, x), (-x, -y) and (y, -x). Together they fill the columns ±x and ±y: the
//! distances |x| and |y| are *paired*. The two distances are different, because a queen on a long diagonal attacks its
//! images. The four queens hold the diagonals ±(|x|+|y|) and ±(|x|-|y|) of both directions. These are the same for the
//! orbit of (|x|, |y|) and for that of (|y|, |x|). The paired numbers are 1..2m for N = 4m+1, where the centre has a
//! queen too, and 1, 3, .., 4m-1 for N = 4m. So
//!
//! ```text
//! A033148(N)  =  2^m · #{ pairings of the 2m numbers, all m sums and m differences distinct }
//! ```
//!
//! The number of pairings is A002968(m) for odd N and A398960(m) for even N; other N have no such solutions. For even
//! N, number i (from 1) stands for 2i-1. Then half the sum of i and j is i+j-1, and half the difference i-j as before.
//!
//! *The cut.* Pairs with one of the H largest numbers are left pieces. Only these have large sums: of numbers up to
//! 2m-H, no sum is more than 4m-2H-1. So the keys that left and right pieces share fit in a word, even if 4m is much
//! larger than the word. The cut is the set of the other numbers in left pieces.

use std::ops::RangeInclusive;

use super::cover::Problem;
use super::list::{Piece, Pieces};
use crate::board::Rotation;

pub(super) fn problem(rotation: Rotation, n: usize) -> Problem {
    match rotation {
        Rotation::Half => half_turns(n),
        Rotation::Quarter => quarter_turns(n),
    }
}

/// The signed permutations: item y - 1 is row distance y, item h + x - 1 is column distance x.
fn half_turns(n: usize) -> Problem {
    let (h, odd) = (n / 2, n % 2);
    let inner = h / 2;
    let side = |columns: RangeInclusive<usize>| {
        let squares = columns.flat_map(|x| (1..=h).map(move |y| (x, y))).filter(|(x, y)| x != y);
        let pieces = squares.flat_map(|(x, y)| {
            let (far, near) = (x + y - 1 + odd, x.abs_diff(y));
            let signs = [(far, near), (near, far)].into_iter().take(if x == h { 1 } else { 2 });
            signs.map(move |(sum, difference)| Piece {
                items: 1 << (h + x - 1) | 1 << (y - 1),
                // Keys of sums are above the middle of the word, keys of differences below. The keys of inner queens
                // fit in the word, because no sum is more than 24.
                keys: 1 << (63 + sum) | 1 << (64 - difference),
            })
        });
        Pieces::new(((1 << h) - 1) << h, pieces)
    };
    let always = ((1 << inner) - 1) << h;
    Problem {
        left: side(1..=inner),
        right: side(inner + 1..=h).reversed(),
        items: (1 << (2 * h)) - 1,
        cuts: subsets(h, inner).map(|rows| always | rows).collect(),
        weight: if h == 0 { 1 } else { 2 },
    }
}

/// The pairings: item i - 1 is the number i.
fn quarter_turns(n: usize) -> Problem {
    let (m, odd) = (n / 4, n % 4);
    let numbers = 2 * m;
    // The best of the values tried for m = 11, 13, 15 and 17.
    let large = m.midpoint(3).min(9).min(numbers);
    let small = numbers - large;
    let key_of_sum = |a: usize, b: usize| a + b - 1 + odd;
    // The largest key of right pieces. The keys up to it are in the middle of the word.
    let most = if small < 2 { 1 } else { key_of_sum(small, small - 1) };
    let width = most.div_ceil(2);
    let bit = |key: usize| 1u128 << (63 - width + key);
    let pairs = (1..=numbers).flat_map(|a| (1..a).map(move |b| (a, b)));
    let piece = |(a, b): (usize, usize)| Piece {
        items: 1u64 << (a - 1) | 1u64 << (b - 1),
        keys: bit(key_of_sum(a, b)) | bit(a - b),
    };
    let (left, right): (Vec<_>, Vec<_>) = pairs.map(piece).partition(|piece| piece.items >> small != 0);
    let items = (1 << numbers) - 1;
    let always = items & !((1 << small) - 1);
    // Large numbers without a small partner are paired among themselves. For N ≢ 0, 1 (mod 4) there are no solutions.
    let partners = (0..=small.min(large)).filter(|partners| odd < 2 && (large - partners) % 2 == 0);
    Problem {
        left: Pieces::new(always, left),
        right: Pieces::new(items, right).reversed(),
        items,
        cuts: partners.flat_map(|partners| subsets(small, partners)).map(|partners| always | partners).collect(),
        weight: 1 << m,
    }
}

/// The sets of `size` items of the lowest `pool` items, in increasing order.
fn subsets(pool: usize, size: usize) -> impl Iterator<Item = u64> {
    (0..1 << pool).filter(move |set: &u64| set.count_ones() as usize == size)
}
