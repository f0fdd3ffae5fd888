//! The solutions themselves, one after another in lexicographic order.
//!
//! Plain backtracking from the first column to the last. A board is given up as soon as some column to come has no free
//! row, or some row without a queen is free in no column to come. At N = 32 the first solution comes after 12 million
//! boards; with the columns alone it would be 34 million, with neither 87 million.

use crate::board::{Board, Orbit, Placement, Size, Square};

/// The solutions that have given queens, in lexicographic order: an iterator that finds them on demand. To find them is known
/// as *n-queens completion* (Gent, Jefferson, Nightingale 2017).
///
/// On a whole board the first is found in less than a second for every N. It may take longer where one or two queens
/// are given on a board of more than 28 columns, or where the list begins in its middle.
///
/// ```
/// use queens::{Placement, Size, Solutions, Square};
/// let eight = Size::new(8)?;
/// assert_eq!(Solutions::new(eight).count(), 92);
/// assert_eq!(Solutions::new(eight).fundamental().count(), 12);
/// let begun = Placement::parse("158", eight)?;
/// assert_eq!(Solutions::having(eight, begun.squares()).count(), 1);
/// let given = [Square { column: 4, row: 2 }];
/// assert_eq!(Solutions::having(eight, given).next().unwrap().to_string(), "36428571");
/// let later = Solutions::new(eight).starting_at(begun).take(3).map(|solution| solution.to_string());
/// assert!(later.eq(["15863724", "16837425", "17468253"]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Solutions {
    size: Size,
    /// The rows that each column may have, without those that a given queen attacks.
    allowed: Vec<u32>,
    is_fundamental: bool,
    /// The boards on the way to the next solution, from the empty one on, each with those rows of its next column that
    /// are still to be tried.
    path: Vec<(Board, u32)>,
}

impl Solutions {
    /// All solutions on a board of this size.
    pub fn new(size: Size) -> Self {
        Self::having(size, [])
    }

    /// The solutions that have a queen on each of these squares; none if two of these attack each other, or one is outside the
    /// board.
    pub fn having(size: Size, queens: impl IntoIterator<Item = Square>) -> Self {
        let mut allowed = vec![size.all_rows(); size.get()];
        for queen in queens {
            if queen.check(size).is_err() {
                allowed.fill(0);
                break;
            }
            let row = 1u64 << (queen.row - 1);
            for (column, rows) in (1..).zip(&mut allowed) {
                let distance = queen.column.abs_diff(column);
                let attacked = (row | row << distance | row >> distance) as u32;
                *rows &= if distance == 0 { attacked } else { !attacked };
            }
        }
        let mut solutions = Self { size, allowed, is_fundamental: false, path: Vec::new() };
        solutions.enter(Board::empty(size));
        solutions
    }

    /// Begins with the first solution at or after `start`, which may be partial: a placement comes before its
    /// completions. One on another board goes by the rows of the columns that this one has.
    #[must_use]
    pub fn starting_at(mut self, start: Placement) -> Self {
        self.path.clear();
        let mut board = Board::empty(self.size);
        for row in start.rows() {
            let (queen, free) = (1 << (row - 1), self.free(&board));
            self.path.push((board, free & !(queen | (queen - 1))));
            if free & queen == 0 {
                return self;
            }
            board = board.place(queen);
        }
        self.enter(board);
        self
    }

    /// Only fundamental solutions: the first of all their images.
    #[must_use]
    pub fn fundamental(self) -> Self {
        Self { is_fundamental: true, ..self }
    }

    /// The rows of the next column where a queen may be placed; none where the board is full.
    fn free(&self, board: &Board) -> u32 {
        self.allowed.get(board.filled).map_or(0, |allowed| allowed & board.free())
    }

    /// Searches this board next, unless a column or a row can have no queen any more.
    fn enter(&mut self, board: Board) {
        let (mut ahead, mut reached) = (board, board.rows);
        for allowed in &self.allowed[board.filled..] {
            let free = allowed & ahead.free();
            if free == 0 {
                return;
            }
            reached |= free;
            // The next column, as if this one stayed empty.
            (ahead.down, ahead.up) = (ahead.down << 1, ahead.up >> 1);
        }
        if reached == self.size.all_rows() {
            self.path.push((board, self.free(&board)));
        }
    }

    /// The queens of the last board of the path: each board has one row more than the board before.
    fn placement(&self) -> Placement {
        let mut placement = Placement::empty(self.size);
        for pair in self.path.windows(2) {
            placement.set(pair[1].0.filled, (pair[0].0.rows ^ pair[1].0.rows).ilog2() as usize + 1);
        }
        placement
    }
}

impl Iterator for Solutions {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        loop {
            let (board, untried) = self.path.last_mut()?;
            let (board, queen) = (*board, *untried & untried.wrapping_neg());
            *untried ^= queen;
            if queen != 0 {
                self.enter(board.place(queen));
            } else if board.filled < self.size.get() {
                self.path.pop();
            } else {
                let solution = self.placement();
                self.path.pop();
                if !self.is_fundamental {
                    return Some(solution);
                }
                // Upside down, the first queen of this solution and of every later one would be in a smaller row.
                if solution.rows().next().is_some_and(|first| 2 * first > self.size.get() + 1) {
                    self.path.clear();
                } else if Orbit::of(&solution).is_some_and(|orbit| orbit.is_fundamental()) {
                    return Some(solution);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
