//! Solutions that a half turn leaves unchanged, as signed permutations.
//!
//! Take coordinates from the centre. Of a queen on (x, y) and its image (-x, -y) one is in the east, so a solution is its
//! h = ⌊N/2⌋ east queens, the centre of an odd board being taken. Columns x are 1..h (for even N half a unit less
//! throughout), the distances |y| are 1..h too, once each, since the image of row y is row -y. An east queen attacks
//! another or its image exactly where their sums x+y, or their differences x-y, are equal up to the sign. So with
//!
//! ```text
//! y > 0:  |x+y| = x + |y|,     |x-y| = |x - |y||
//! y < 0:  |x+y| = |x - |y||,   |x-y| = x + |y|
//! ```
//!
//! a solution is a permutation of 1..h with signs, whose h values |x+y| are distinct and not 0, and whose h values |x-y|
//! likewise (A032522). Changing all signs is the reflection in the vertical axis: the queen of column h is set north
//! only, and each task weighs 2.
//!
//! # The cut
//!
//! Queens in the inner columns go left, those in the outer columns right. The task is the set of distances |y| of the
//! inner queens; their signs are not part of it, so that there are only C(h, h/2) tasks.

use crate::engine::cover::{Cut, CutPlan, Piece, Pieces, Problem};

/// The largest sum of an inner queen: the word has as many keys of either kind.
const LARGEST: usize = 26;

/// How many of the h = ⌊N/2⌋ columns are inner.
pub(super) fn inner(n: usize) -> usize {
    let (h, odd) = (n / 2, n % 2);
    // A queen of the last inner column has a sum of inner + h - 1 + odd at the most.
    (h / 2).min((LARGEST + 1).saturating_sub(h + odd))
}

/// The problem for a board of N columns.
pub(super) fn problem(n: usize) -> Problem {
    let inner = inner(n);
    let (h, odd) = (n / 2, n % 2);
    let sum = |x: usize, y: usize| x + y - 1 + odd;
    assert!(inner == 0 || sum(inner, h) <= LARGEST, "the keys of the inner queens fit the word");
    // Keys of sums lie above the middle of the word, those of differences below.
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
