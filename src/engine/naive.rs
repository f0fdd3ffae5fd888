//! The engine that the others are compared with: one queen in each column, arrays of booleans, no bit sets, no symmetry.
//!
//! It is slow and obvious on purpose. It shares nothing with the other engines, not even the test whether two queens
//! attack each other, so agreement with it means something. For N = 15 it takes 15 times as long as
//! portable backtracking, and 100 times as long as backtracking with AVX-512.

use crate::board::Placement;
use crate::engine::Engine;

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
        let n = task.size().get();
        let (row, sum, difference) = (vec![false; n], vec![false; 2 * n], vec![false; 2 * n]);
        let mut search = NaiveSearch { n, row, sum, difference, ways: vec![0; n] };
        for square in task.squares() {
            search.set(square.column - 1, square.row - 1, true);
        }
        search.column(task.len());
        search.ways.split_off(task.len())
    }
}

/// The rows and diagonals that queens occupy.
struct NaiveSearch {
    n: usize,
    row: Vec<bool>,
    sum: Vec<bool>,
    difference: Vec<bool>,
    /// To set the queens up to each column.
    ways: Vec<u64>,
}

impl NaiveSearch {
    fn set(&mut self, column: usize, row: usize, taken: bool) {
        self.row[row] = taken;
        self.sum[column + row] = taken;
        self.difference[column + self.n - row] = taken;
    }

    fn column(&mut self, column: usize) {
        if column == self.n {
            return;
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
