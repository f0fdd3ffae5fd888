//! The reference engine: one queen in each column, arrays of booleans, no bit sets, no symmetry.
//!
//! It is slow and obvious on purpose. It shares nothing with the other engines, not even the test whether two queens
//! attack each other, so agreement with it is evidence. At N = 15 it takes 15 times as long as portable backtracking,
//! and 100 times as long as backtracking with AVX-512.

use crate::board::Square;
use crate::engine::Engine;
use crate::plan::Task;

pub(super) struct Naive;

impl Engine for Naive {
    fn count(&mut self, task: &Task) -> u64 {
        let Task::Completions(placement) = task else { unreachable!("its plan has prefixes") };
        let mut search = NaiveSearch::of(placement.size().get(), placement.squares());
        search.column(placement.len());
        search.solutions
    }
}

/// The occupied rows and diagonals.
struct NaiveSearch {
    n: usize,
    row: Vec<bool>,
    sum: Vec<bool>,
    difference: Vec<bool>,
    solutions: u64,
}

impl NaiveSearch {
    /// The board with these queens.
    fn of(n: usize, queens: impl Iterator<Item = Square>) -> Self {
        let none = |length: usize| vec![false; length];
        let mut search = Self { n, row: none(n), sum: none(2 * n), difference: none(2 * n), solutions: 0 };
        for queen in queens {
            search.set(queen.column - 1, queen.row - 1, true);
        }
        search
    }

    fn set(&mut self, column: usize, row: usize, taken: bool) {
        self.row[row] = taken;
        self.sum[column + row] = taken;
        self.difference[column + self.n - row] = taken;
    }

    /// Counts every way to fill the columns from this one on.
    fn column(&mut self, column: usize) {
        if column == self.n {
            self.solutions += 1;
            return;
        }
        for row in 0..self.n {
            if !self.row[row] && !self.sum[column + row] && !self.difference[column + self.n - row] {
                self.set(column, row, true);
                self.column(column + 1);
                self.set(column, row, false);
            }
        }
    }
}
