//! Solutions that a quarter turn leaves unchanged, as pairings with distinct sums and differences.
//!
//! Take coordinates from the centre of the board, for columns and rows alike. A queen on (x, y) has the images (-y, x),
//! (-x, -y) and (y, -x). Together they fill the columns ±x and ±y: the distances |x| and |y| are *paired*. The two
//! distances are different, because a queen on a long diagonal attacks its images. The four queens hold the diagonals
//! ±(|x|+|y|) and ±(|x|-|y|) of both directions. These are the same for the orbit of (|x|, |y|) and for that of (|y|,
//! |x|). The paired numbers are 1..2m for N = 4m+1, where the centre has a queen too, and 1, 3, .., 4m-1 for N = 4m. So
//!
//! ```text
//! A033148(N)  =  2^m · #{ pairings of the 2m numbers, all m sums and m differences distinct }
//! ```
//!
//! The number of pairings is A002968(m) for odd N and A398960(m) for even N; other N have no such solutions. For even
//! N, number i (from 1) stands for 2i-1. Then half of the sum of i and j is i+j-1, and half of the difference is i-j as
//! before.
//!
//! # The cut
//!
//! Pairs with one of the H largest numbers are the left side. They have the large sums, which do not occur on the right
//! side: for numbers up to 2m-H, no sum is more than 4m-2H-1. So the keys that both sides may hold fit in a word even
//! when 4m is much larger than the word.

use crate::engine::cover::{Cut, CutPlan, Piece, Pieces, Problem};

/// The largest number of small numbers: their sums and differences are up to 52 keys.
const LONGEST: usize = 26;

/// The number of small numbers: of the numbers 1 to 2m, those above it are large.
pub(super) fn small(n: usize) -> usize {
    let m = n / 4;
    // The best values tried for m = 11, 13, 15 and 17. From m = 18 on, the keys that the two sides share decide.
    let large = m.midpoint(3).min(9).max((2 * m).saturating_sub(LONGEST));
    2 * m - large.min(2 * m)
}

/// The problem for a board of N columns.
pub(super) fn problem(n: usize) -> Problem {
    let (m, odd) = (n / 4, n % 4);
    let (numbers, small) = (2 * m, small(n));
    let large = numbers - small;
    let key_of_sum = |a: usize, b: usize| a + b - 1 + odd;
    // The largest key of the right side. The keys up to it are in the middle of the word.
    let most = if small < 2 { 1 } else { key_of_sum(small, small - 1) };
    let width = most.div_ceil(2);
    let bit = |key: usize| 1u128 << (63 - width + key);
    let pairs = (1..=numbers).flat_map(|a| (1..a).map(move |b| (a, b)));
    let piece = |(a, b): (usize, usize)| Piece {
        items: 1u64 << (a - 1) | 1u64 << (b - 1),
        keys: bit(key_of_sum(a, b)) | bit(a - b),
    };
    let (left, right): (Vec<_>, Vec<_>) = pairs.partition(|&(a, _)| a > small);
    let fixed = Cut { left: ((1 << numbers) - 1) & !((1 << small) - 1), right: 0 };
    // The other large numbers are paired among themselves. For other N there is nothing to pair.
    let partners = (0..=small.min(large)).rev().filter(|partners| odd < 2 && (large - partners) % 2 == 0);
    let sections: Vec<_> = partners.map(|partners| (partners, work(large, small, partners))).collect();
    Problem {
        left: Pieces::new(fixed.left, left.into_iter().map(piece)),
        right: Pieces::new((1 << small) - 1, right.into_iter().map(piece)).mirrored(),
        plan: CutPlan::new(format!("quarter {n} {small}"), small, fixed, 1 << m, &sections),
    }
}

/// The work of a task in which large numbers have `partners` small partners. It grows with the number of pairings of
/// each side, whatever their sums, but more slowly (a guess from the lengths of lists at m = 17).
fn work(large: usize, small: usize, partners: usize) -> f64 {
    let among = (large - partners) / 2;
    let left: f64 =
        (1..=large).map(|i| i as f64).product::<f64>() / (1..=among).map(|i| 2.0 * i as f64).product::<f64>();
    let right: f64 = (1..small - partners).step_by(2).map(|i| i as f64).product();
    (left * right).powf(0.6)
}
