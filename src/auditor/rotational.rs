//! The auditor for what a turn leaves unchanged: tasks of such a count by their definition alone.
//!
//! A solution that a turn leaves unchanged has, with each queen, the images of this queen under the turn: an *orbit* of
//! two queens for the half turn, of four for the quarter turn, and of one in the centre of an odd board. So it is a set
//! of orbits. A task is nothing but a set of squares that orbits may consist of, and what it counts is the number of
//! solutions that consist of them: `RotationalBoard::allowed` names these squares, and is the one place that reads a task.
//!
//! The search places real queens on the real N×N board, an orbit at a time. It knows no pieces, keys, sides, lists or
//! pairings, and shares no code with any engine. Up to four queens strike squares of some twenty to forty columns at each
//! step, so it takes some microseconds for each orbit tried.
//!
//! Squares are named from the centre: the *distance* of a column or row is 0 for the line beside the middle (of an odd
//! board: beside the middle line), and h - 1 for the outermost of the h = ⌊N/2⌋ on that side. A task says of distances
//! whether they are *left* or *right*, which are mere names of two classes, not sides of the board.
//!
//! # Half turn
//!
//! An orbit has a queen in the east and its image in the west, in columns of the same distance and rows of the same
//! distance. The plan says for the columns' distances once and for all whether they are left or right, and a task says
//! it for the rows' distances. A solution belongs to the task if each of its queens has column and row in the same
//! class. Every solution belongs to exactly one task: the one whose left rows are the rows of the queens in left columns.
//!
//! Turning the board upside down carries solutions of a task into solutions of the same task, and moves the queen of the
//! outermost column in the east from the north to the south or back. So a task counts those with it in the north, and
//! *weighs 2*.
//!
//! # Quarter turn
//!
//! The images of a queen at (x, y), from the centre, are (-y, x), (-x, -y) and (y, -x). They take the columns of the
//! distances |x| and |y|, two of each, and the same rows: the two distances are *partners*. They differ, for a queen on a
//! long diagonal and its image attack each other. Partners a and b have two orbits, that of the queen in the eastern
//! column a and the northern row b, and its reflection, that of the eastern column a and the southern row b. Either takes
//! the columns and rows of distance a and b, and of both kinds of diagonals the four whose number from the centre is
//! ±(a + b) or ±(a - b): the same lines. Therefore each orbit of a solution may be replaced by its reflection, alone, and
//! of the m = ⌊N/4⌋ orbits with partners a > b a task counts those that have the queen of the eastern column a in the
//! north, and *weighs 2^m*. (N is 4m or 4m + 1; no other board has such solutions, and its plan has no tasks.)
//!
//! Some of the largest distances are left in every task of the plan: call them *large*. A task says of each smaller one
//! whether it is left or right. A solution belongs to the task if partners are in the same class, and those on the left
//! have at least one large distance among the two. Every solution belongs to exactly one task: the one whose left
//! distances are the large ones and their partners.

use crate::board::rotation::{Rotation, RotationalBoard};
use crate::engine::cover::{Cut, CutPlan};

/// Columns that the search looks at, of the largest board: the eastern half and the middle.
const MOST: usize = 39;

/// Orbits tried between two questions whether to stop: some milliseconds.
const PATIENCE: u64 = 1 << 12;

/// A square: column from the west and row from the north, both from 0.
type Square = (usize, usize);

/// The number of solutions of a task of this plan for this board; none where `stopped`, asked now and then, says so
/// before the end.
pub(crate) fn count(board: RotationalBoard, plan: &CutPlan, task: &Cut, stopped: &dyn Fn() -> bool) -> Option<u64> {
    board.solutions(board.allowed(task, plan.always()), stopped)
}

impl RotationalBoard {
    /// The number of solutions that consist of orbits of these squares.
    fn solutions(self, allowed: impl IntoIterator<Item = Square>, stopped: &dyn Fn() -> bool) -> Option<u64> {
        // The half turn carries the west into the east, so what is free in the east and in the middle tells all.
        let first = self.n() / 2;
        let mut free = [0; MOST];
        for (column, row) in allowed.into_iter().filter(|&(column, _)| column >= first) {
            free[column - first] |= 1 << row;
        }
        let mut search = Search { board: self, solutions: 0, orbits: 0, stopped };
        let open = (1 << (self.n() - first)) - 1;
        search.fill(open, &free).then_some(search.solutions)
    }

    /// The squares that a queen on this one takes with it, itself included.
    fn orbit(self, (column, row): Square) -> Vec<Square> {
        let last = self.n() - 1;
        let quarter = |(column, row): Square| (last - row, column);
        let mut orbit = vec![(column, row)];
        let rotation = |square| match self.rotation() {
            Rotation::Half => quarter(quarter(square)),
            Rotation::Quarter => quarter(square),
        };
        let mut image = rotation((column, row));
        while image != (column, row) {
            orbit.push(image);
            image = rotation(image);
        }
        orbit
    }

    /// The one place that reads a task: the squares that its orbits may consist of, an orbit with all of its squares or
    /// with none. `always` has what each task of the plan has.
    fn allowed(self, task: &Cut, always: Cut) -> Vec<Square> {
        let (n, half) = (self.n(), self.n() / 2);
        let (east, south) = (|distance: usize| n - half + distance, |distance: usize| n - half + distance);
        let north = |distance: usize| half - 1 - distance;
        let distances = |set: u64| (0..half).filter(move |distance| set >> distance & 1 == 1);
        let mut squares = Vec::new();
        if n % 2 == 1 {
            squares.push((half, half));
        }
        for class in [task.left, task.right] {
            match self.rotation() {
                // Rows are the lowest bits of a class, and columns those after them.
                Rotation::Half => {
                    for (column, row) in distances(class >> half).flat_map(|x| distances(class).map(move |y| (x, y))) {
                        squares.push((east(column), north(row)));
                        if column + 1 < half {
                            squares.push((east(column), south(row)));
                        }
                    }
                }
                Rotation::Quarter => {
                    let large = |distance: usize| always.left >> distance & 1 == 1;
                    let pairs = distances(class)
                        .flat_map(|a| distances(class).take_while(move |&b| b < a).map(move |b| (a, b)));
                    let pairs = pairs.filter(|&(a, b)| class == task.right || large(a) || large(b));
                    squares.extend(pairs.map(|(a, b)| (east(a), north(b))));
                }
            }
        }
        let orbits = squares.into_iter().map(|square| self.orbit(square));
        orbits.filter(|orbit| !attack_each_other(orbit)).flatten().collect()
    }
}

/// Whether two of these queens share a column, row or diagonal.
fn attack_each_other(queens: &[Square]) -> bool {
    let attacks = |a: Square, b: Square| {
        let (columns, rows) = (a.0.abs_diff(b.0), a.1.abs_diff(b.1));
        columns == 0 || rows == 0 || columns == rows
    };
    queens.iter().enumerate().any(|(at, &queen)| queens[..at].iter().any(|&other| attacks(queen, other)))
}

/// A board that is being filled.
struct Search<'a> {
    board: RotationalBoard,
    solutions: u64,
    orbits: u64,
    stopped: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    /// Finds every way to fill the `open` columns with orbits on squares that are `free`: allowed, and attacked by no
    /// queen on the board. Both are told of the columns from the middle to the east, the first of them being number 0.
    /// Whether it was let to finish.
    ///
    /// What is allowed and what is attacked are whole orbits, so where a square is free its images are.
    fn fill(&mut self, open: u64, free: &[u128; MOST]) -> bool {
        let first = self.board.n() / 2;
        // The column with the fewest free squares, which leaves the least to try; where one has none, nothing.
        let Some(column) = members(open).min_by_key(|&column| free[column].count_ones()) else {
            self.solutions += 1;
            return true;
        };
        for row in (0..self.board.n()).filter(|row| free[column] >> row & 1 == 1) {
            self.orbits += 1;
            if self.orbits.is_multiple_of(PATIENCE) && (self.stopped)() {
                return false;
            }
            let queens = self.board.orbit((first + column, row));
            let taken =
                queens.iter().filter(|queen| queen.0 >= first).fold(0, |set, queen| set | 1 << (queen.0 - first));
            let mut left = *free;
            for other in members(open & !taken) {
                for &(column, row) in &queens {
                    let (row, distance) = (1u128 << row, column.abs_diff(first + other));
                    left[other] &= !(row | row << distance | row >> distance);
                }
            }
            if !self.fill(open & !taken, &left) {
                return false;
            }
        }
        true
    }
}

fn members(set: u64) -> impl Iterator<Item = usize> {
    (0..MOST).filter(move |member| set >> member & 1 == 1)
}

#[cfg(test)]
mod tests;
