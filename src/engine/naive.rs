//! The oracle: one queen a column, arrays of booleans, no bit tricks, no symmetry.
//!
//! Slow and obvious on purpose. It shares nothing with the other engines, not even the test whether two queens
//! attack each other, so that an agreement means something. Time about 20 times that of the bitboards.

use crate::engine::Engine;
use crate::placement::Placement;

/// The engine `naive`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Naive;

impl Engine for Naive {
    type Task = Placement;
    type Worker = ();

    fn worker(&self) {}

    fn count(&self, (): &mut (), task: &Placement) -> u64 {
        let n = task.size().get();
        let mut search =
            Search { n, row: vec![false; n], sum: vec![false; 2 * n], difference: vec![false; 2 * n], solutions: 0 };
        for square in task.squares() {
            search.set(square.column - 1, square.row - 1, true);
        }
        search.column(task.len());
        search.solutions
    }
}

/// Which rows and diagonals are taken.
struct Search {
    n: usize,
    row: Vec<bool>,
    sum: Vec<bool>,
    difference: Vec<bool>,
    solutions: u64,
}

impl Search {
    fn set(&mut self, column: usize, row: usize, taken: bool) {
        self.row[row] = taken;
        self.sum[column + row] = taken;
        self.difference[column + self.n - row] = taken;
    }

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
