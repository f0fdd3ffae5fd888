//! Solutions with queens on given squares, or unchanged by a turn, in lexicographic order.
//!
//! Plain backtracking: the first empty column gets a queen in each of its free rows, in order, and with her every queen to which
//! the turn moves her. A board on which some empty column has no free row left is given up at once.
//!
//! The order is that of the list because at every decision all columns before it are filled: two solutions first differ in
//! the column in which their ways part.

use crate::board::{FixedQueens, Placement, Rotation, Square};

/// A board with queens in some columns.
#[derive(Clone, Copy, Debug)]
struct OpenBoard {
    queens: FixedQueens,
    /// Columns and rows with a queen.
    columns: u32,
    rows: u32,
    /// Diagonals with a queen. Those that rise to the right are numbered by column + row, the others by row + N − 1 − column, both
    /// from 0.
    rising: u64,
    falling: u64,
}

impl OpenBoard {
    fn n(&self) -> usize {
        self.queens.size().get()
    }

    /// The first empty column, from 0; N if there is none.
    fn column(&self) -> usize {
        self.columns.trailing_ones() as usize
    }

    /// The free rows of an empty column.
    fn free(&self, column: usize) -> u32 {
        let (rising, falling) = (self.rising >> column, self.falling >> (self.n() - 1 - column));
        self.queens.size().all_rows() & !(self.rows | rising as u32 | falling as u32)
    }

    /// The board with one more queen; the same board if she is there already, `None` if another attacks her.
    fn place(mut self, column: usize, row: usize) -> Option<Self> {
        let queen = Square { column: column + 1, row: row + 1 };
        if self.columns >> column & 1 == 1 {
            return Some(self).filter(|board| board.queens.row(queen.column) == Some(queen.row));
        }
        if self.free(column) >> row & 1 == 0 {
            return None;
        }
        self.queens.set(queen);
        self.columns |= 1 << column;
        self.rows |= 1 << row;
        self.rising |= 1 << (column + row);
        self.falling |= 1 << (row + self.n() - 1 - column);
        Some(self)
    }

    /// The same with all queens to which the turn moves her.
    fn place_turned(self, column: usize, row: usize, turn: Option<Rotation>) -> Option<Self> {
        let last = self.n() - 1;
        let turns = [(column, row), (last - row, column), (last - column, last - row), (row, last - column)];
        let step = match turn {
            None => 4,
            Some(Rotation::Half) => 2,
            Some(Rotation::Quarter) => 1,
        };
        turns.iter().step_by(step).try_fold(self, |board, &(column, row)| board.place(column, row))
    }

    /// Whether every empty column has a free row.
    fn may_be_completed(&self) -> bool {
        (self.column()..self.n()).all(|column| self.columns >> column & 1 == 1 || self.free(column) != 0)
    }
}

/// The search: the boards on the way to the next solution, each with the rows of its first empty column that are still to be
/// tried.
#[derive(Clone, Debug)]
pub(super) struct Constrained {
    turn: Option<Rotation>,
    start: Placement,
    boards: Vec<(OpenBoard, u32)>,
}

impl Constrained {
    /// The solutions that have these queens and that the turn leaves unchanged, from `start` on.
    pub(super) fn new(fixed: FixedQueens, turn: Option<Rotation>, start: Placement) -> Self {
        let queens = Placement::empty(fixed.size()).into();
        let empty = OpenBoard { queens, columns: 0, rows: 0, rising: 0, falling: 0 };
        let mut search = Self { turn, start, boards: Vec::new() };
        let begun =
            fixed.squares().try_fold(empty, |board, queen| board.place_turned(queen.column - 1, queen.row - 1, turn));
        if let Some(board) = begun {
            search.enter(board);
        }
        search
    }

    /// Searches this board next.
    fn enter(&mut self, board: OpenBoard) {
        let (begun, start) = (board.queens.prefix(), &self.start);
        let common = begun.rows().zip(start.rows()).find(|(row, from)| row != from);
        let untried = match common {
            Some((row, from)) if row < from => return,
            None if begun.len() < start.len() => {
                // The rows from that of `start` on.
                let from = start.rows().nth(begun.len()).expect("it has more queens");
                u32::MAX << (from - 1)
            }
            _ => u32::MAX,
        };
        let column = board.column();
        if column == board.n() {
            self.boards.push((board, 0));
        } else if board.may_be_completed() {
            self.boards.push((board, board.free(column) & untried));
        }
    }
}

impl Iterator for Constrained {
    type Item = Placement;

    fn next(&mut self) -> Option<Placement> {
        loop {
            let (board, untried) = self.boards.last_mut()?;
            let (column, row) = (board.column(), untried.trailing_zeros() as usize);
            if column == board.n() {
                return self.boards.pop().map(|(board, _)| board.queens.prefix());
            }
            let next = (*untried != 0).then(|| board.place_turned(column, row, self.turn));
            *untried &= untried.wrapping_sub(1);
            match next {
                None => drop(self.boards.pop()),
                Some(Some(next)) => self.enter(next),
                Some(None) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Orbit, Size, Symmetry};
    use crate::oeis;
    use crate::solutions::Solutions;

    fn board(n: usize) -> Placement {
        Placement::empty(Size::new(n).unwrap())
    }

    /// Every two squares that do not attack each other, on every board up to 8×8, and some on 10×10, against all solutions
    /// that have these queens; from the middle on as well.
    #[test]
    fn fixed_queens_are_what_the_list_is_filtered_by() {
        let mut tried = 0;
        for n in 1..=10 {
            let all: Vec<Placement> = Solutions::new(board(n).size()).collect();
            let step = if n <= 8 { 1 } else { 7 };
            let squares = || (1..=n).flat_map(|column| (1..=n).map(move |row| Square { column, row }));
            for (first, second) in
                squares().flat_map(|first| squares().map(move |second| (first, second))).step_by(step)
            {
                // With the same square twice, one queen.
                let one = FixedQueens::from(board(n)).with(first).unwrap();
                let Ok(fixed) = (if first == second { Ok(one) } else { one.with(second) }) else { continue };
                let has = |solution: &&Placement| fixed.is_part_of(solution);
                let expected: Vec<Placement> = all.iter().filter(has).copied().collect();
                assert!(Constrained::new(fixed, None, board(n)).eq(expected.iter().copied()), "{fixed:?}");
                if let Some(from) = expected.get(expected.len() / 2) {
                    let rest = Constrained::new(fixed, None, *from);
                    assert!(rest.eq(expected[expected.len() / 2..].iter().copied()), "{fixed:?} from {from}");
                }
                tried += 1;
            }
        }
        assert!(tried > 2000, "{tried}");
    }

    /// Against the images of all solutions on small boards, and the published numbers on larger ones.
    #[test]
    fn turns_leave_unchanged_what_is_listed() {
        for (turn, symmetry, sequence) in [
            (Rotation::Half, Symmetry::Rotation180, &oeis::HALF_TURN),
            (Rotation::Quarter, Symmetry::Rotation90, &oeis::QUARTER_TURN),
        ] {
            for n in 0..=10 {
                let unchanged = |solution: &Placement| Orbit::of(solution).unwrap().image(symmetry) == *solution;
                let expected = Solutions::new(board(n).size()).filter(unchanged);
                assert!(Constrained::new(board(n).into(), Some(turn), board(n)).eq(expected), "{turn} N = {n}");
            }
            for n in 11..=16 {
                let count = Constrained::new(board(n).into(), Some(turn), board(n)).count() as u128;
                assert_eq!(Some(count), sequence.term(n), "{turn} N = {n}");
            }
        }
    }
}
