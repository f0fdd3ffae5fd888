//! Lists solutions in lexicographic order.
//!
//! Plain backtracking from the first column to the last. A board is given up if a later column has no free row, or a
//! row without a queen is free in no later column. At N = 32 the first solution takes 12 million boards; testing
//! columns alone takes 34 million, testing neither 87 million.

use crate::board::{Board, Orbit, Placement, Size, Square};

/// An iterator over the solutions with given queens, in lexicographic order, which finds them on demand. Finding them
/// is called *n-queens completion* (Gent, Jefferson, Nightingale 2017).
///
/// Without given queens, the first solution takes less than a second for every N. It may take longer if one or two
/// queens are given on a board of more than 28 columns, or if the list starts in the middle.
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
    /// The rows of each column that given queens allow.
    allowed: Vec<u32>,
    is_fundamental: bool,
    /// The boards on the way to the next solution, from the empty one, each with the untried rows of its next column.
    path: Vec<(Board, u32)>,
}

impl Solutions {
    /// All solutions on a board of this size.
    pub fn new(size: Size) -> Self {
        Self::having(size, [])
    }

    /// The solutions with a queen on each of these squares; none if two attack each other or one is outside the board.
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
        solutions.push(Board::empty(size));
        solutions
    }

    /// Starts at the first solution at or after `start`, which may be partial: a placement comes before its
    /// completions. If `start` is for a larger board, its extra columns are ignored.
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
        self.push(board);
        self
    }

    /// Keeps only fundamental solutions: each is the first of all its images.
    #[must_use]
    pub fn fundamental(self) -> Self {
        Self { is_fundamental: true, ..self }
    }

    /// The rows of the next column where a queen may be placed; none if the board is full.
    fn free(&self, board: &Board) -> u32 {
        self.allowed.get(board.filled).map_or(0, |allowed| allowed & board.free())
    }

    /// Searches this board next, unless a later column or a row has no free square left.
    fn push(&mut self, board: Board) {
        let (mut ahead, mut reached) = (board, board.rows);
        for allowed in &self.allowed[board.filled..] {
            let free = allowed & ahead.free();
            if free == 0 {
                return;
            }
            reached |= free;
            // Diagonals of the next column, as if this one stayed empty.
            (ahead.down, ahead.up) = (ahead.down << 1, ahead.up >> 1);
        }
        if reached == self.size.all_rows() {
            self.path.push((board, self.free(&board)));
        }
    }

    /// The queens of the last board of the path. Each board has one queen more than the board before.
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
                self.push(board.place(queen));
            } else if board.filled < self.size.get() {
                self.path.pop();
            } else {
                let solution = self.placement();
                self.path.pop();
                if !self.is_fundamental {
                    return Some(solution);
                }
                // From here, every upside-down image is earlier: its first queen has a smaller row.
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
