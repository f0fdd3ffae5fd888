//! Solutions that a half turn leaves unchanged, as signed permutations.
//!
//! Take coordinates from the centre. A half turn maps a queen on (x, y) to its image (-x, -y), and one of the two is in
//! the east. So a solution is determined by its h = ⌊N/2⌋ east queens; on an odd board, the centre has a queen too.
//! Their columns x are 1..h (for even N, half a unit less everywhere). Their distances |y| are also 1..h, once each,
//! because the image of row y is row -y. An east queen attacks another queen or its image exactly if their sums x+y, or
//! their differences x-y, are equal up to the sign. So with
//!
//! ```text
//! y > 0:  |x+y| = x + |y|,     |x-y| = |x - |y||
//! y < 0:  |x+y| = |x - |y||,   |x-y| = x + |y|
//! ```
//!
//! a solution is a permutation of 1..h with signs whose h values |x+y| are distinct and not 0, and whose h values |x-y|
//! are too (A032522). Changing all signs reflects the solution in the vertical axis. So the queen of column h
//! is placed only in the north, and each task has weight 2.
//!
//! # The cut
//!
//! Queens in the inner columns are the left side, queens in the outer columns the right side. The task is the set of
//! distances |y| of the inner queens. Their signs are not part of it, so there are only C(h, h/2) tasks.

use crate::engine::cover::{Cut, CutPlan, Piece, Pieces, Problem};

/// The largest sum of an inner queen. The word has so many keys for sums, and as many for differences.
const LARGEST: usize = 26;

/// How many of the h = ⌊N/2⌋ columns are inner.
pub(super) fn inner(n: usize) -> usize {
    let (h, odd) = (n / 2, n % 2);
    // The sum of a queen in the last inner column is at most inner + h - 1 + odd.
    (h / 2).min((LARGEST + 1).saturating_sub(h + odd))
}

/// The problem for a board of N columns.
pub(super) fn problem(n: usize) -> Problem {
    let inner = inner(n);
    let (h, odd) = (n / 2, n % 2);
    let sum = |x: usize, y: usize| x + y - 1 + odd;
    assert!(inner == 0 || sum(inner, h) <= LARGEST, "the keys of the inner queens fit the word");
    // Keys of sums are above the middle of the word, keys of differences below.
    let key = |sum: usize, difference: usize| 1u128 << (63 + sum) | 1u128 << (64 - difference);
    let item = |x: usize, y: usize| 1u64 << (h + x - 1) | 1 << (y - 1);
    let squares = (1..=h).flat_map(|x| (1..=h).map(move |y| (x, y))).filter(|(x, y)| x != y);
    let pieces: Vec<_> = squares
        .flat_map(|(x, y)| {
            let (far, near) = (sum(x, y), x.abs_diff(y));
            let signs = [(far, near), (near, far)];
            signs
                .into_iter()
                .take(if x == h { 1 } else { 2 })
                .map(move |(s, d)| (x, Piece { items: item(x, y), keys: key(s, d) }))
        })
        .collect();
    let columns = |range: std::ops::RangeInclusive<usize>| range.map(|x| 1u64 << (h + x - 1)).sum();
    let side = |left: bool| {
        Pieces::new(columns(1..=h), pieces.iter().filter(|(x, _)| (*x <= inner) == left).map(|&(_, piece)| piece))
    };
    let fixed = Cut { left: columns(1..=inner), right: columns(inner + 1..=h) };
    let weight = if h == 0 { 1 } else { 2 };
    Problem {
        left: side(true),
        right: side(false).mirrored(),
        plan: CutPlan::new(format!("half {n} {inner}"), h, fixed, weight, &[(inner, 1.0)]),
    }
}
