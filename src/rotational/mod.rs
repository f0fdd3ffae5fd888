//! Solutions that a turn of the board leaves unchanged: what their counts are made of.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`pairing`] | quarter turns as pairings of numbers with distinct sums and differences |
//! | [`half_board`] | half turns as signed permutations with distinct sums and differences |
//! | [`search`] | the second engine, for double checks of single units |
//!
//! Both are exact covers, which the engine [`cover`](crate::engine::cover) cuts in two sides that are listed and joined.

mod half_board;
mod pairing;
mod search;
#[cfg(test)]
mod tests;

use crate::board::rotation::{Rotation, RotationalBoard};
use crate::engine::cover::Problem;

pub(crate) use search::Search;

/// The pieces and the plan of a board.
pub(crate) fn problem(board: RotationalBoard) -> Problem {
    match board.rotation() {
        Rotation::Half => half_board::problem(board.n()),
        Rotation::Quarter => pairing::problem(board.n()),
    }
}

/// Columns of the left side, or numbers that may be paired on the right side: what a task means besides its items.
fn border(board: RotationalBoard) -> usize {
    match board.rotation() {
        Rotation::Half => half_board::inner(board.n()),
        Rotation::Quarter => pairing::small(board.n()),
    }
}
