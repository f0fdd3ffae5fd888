//! The engine that the others are compared with: one queen in each column, arrays of booleans, no bit sets, no symmetry.
//!
//! It is slow and obvious on purpose. It shares nothing with the other engines, not even the test whether two queens
//! attack each other, so agreement with it means something. For N = 15 it takes 15 times as long as
//! portable backtracking, and 100 times as long as backtracking with AVX-512.

use crate::board::{FixedQueens, Placement, Square};
use crate::engine::{Engine, WithFixed};

/// The engine `naive`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Naive;

impl Engine for Naive {
    type Task = Placement;
    type Worker = ();

    fn worker(&self) {}

    fn count(&self, (): &mut (), task: &Placement) -> u64 {
        self.levels(task).last().copied().unwrap_or(1)
    }
}

impl Naive {
    /// The numbers of ways to place 1, 2, ... more queens in the columns after those of `task`, up to the last column.
    pub fn levels(self, task: &Placement) -> Vec<u64> {
        let mut search = NaiveSearch::of(task.size().get(), task.squares());
        search.column(task.len());
        search.ways.split_off(task.len())
    }
}

impl Engine for WithFixed<Naive> {
    type Task = FixedQueens;
    type Worker = ();

    fn worker(&self) {}

    fn count(&self, (): &mut (), task: &FixedQueens) -> u64 {
        let mut search = NaiveSearch::of(task.size().get(), task.squares());
        search.column(0);
        search.ways.last().copied().unwrap_or(1)
    }
}

/// The rows and diagonals that queens occupy.
struct NaiveSearch {
    n: usize,
    /// The columns that have a queen from the start.
    given: Vec<bool>,
    row: Vec<bool>,
    sum: Vec<bool>,
    difference: Vec<bool>,
    /// To set the queens up to each column.
    ways: Vec<u64>,
}

impl NaiveSearch {
    /// The board with these queens.
    fn of(n: usize, queens: impl Iterator<Item = Square>) -> Self {
        let none = |length: usize| vec![false; length];
        let (sum, difference) = (none(2 * n), none(2 * n));
        let mut search = Self { n, given: none(n), row: none(n), sum, difference, ways: vec![0; n] };
        for queen in queens {
            search.given[queen.column - 1] = true;
            search.set(queen.column - 1, queen.row - 1, true);
        }
        search
    }

    fn set(&mut self, column: usize, row: usize, taken: bool) {
        self.row[row] = taken;
        self.sum[column + row] = taken;
        self.difference[column + self.n - row] = taken;
    }

    fn column(&mut self, column: usize) {
        if column == self.n {
            return;
        }
        if self.given[column] {
            self.ways[column] += 1;
            return self.column(column + 1);
        }
        for row in 0..self.n {
            if !self.row[row] && !self.sum[column + row] && !self.difference[column + self.n - row] {
                self.set(column, row, true);
                self.ways[column] += 1;
                self.column(column + 1);
                self.set(column, row, false);
            }
        }
    }
}
