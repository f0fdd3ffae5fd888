//! Solutions that a turn of the board leaves unchanged, described as exact covers.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`pairing`] | quarter turns as pairings of numbers with distinct sums and differences |
//! | [`half_board`] | half turns as signed permutations with distinct sums and differences |
//!
//! Pairings and permutations are both exact covers. The engine [`cover`](crate::engine::cover) cuts them into two
//! sides, lists the sides and joins them.

mod half_board;
mod pairing;
#[cfg(test)]
mod tests;

use crate::board::{Rotation, RotationalBoard};
use crate::engine::cover::Problem;

/// The pieces and the plan of a board.
pub(crate) fn problem(board: RotationalBoard) -> Problem {
    match board.rotation() {
        Rotation::Half => half_board::problem(board.n()),
        Rotation::Quarter => pairing::problem(board.n()),
    }
}
