//! The auditor for solutions that a turn leaves unchanged: counts the tasks of such a count by their definition alone.
//!
//! A solution that a turn leaves unchanged has, with each queen, the images of this queen under the turn. Such an
//! *orbit* has two queens for the half turn, four for the quarter turn, and one in the centre of an odd board. So a
//! solution is a set of orbits. A task is only a set of squares, and it counts the solutions whose orbits consist of
//! these squares. `RotationalBoard::allowed` returns the squares, and is the one place that reads a task.
//!
//! The search places real queens on the real N×N board, one orbit at a time. It knows no pieces, keys, sides, lists or
//! pairings, and shares no code with any engine. In each step it removes the squares that up to four queens attack from
//! some twenty to forty columns. So it takes some microseconds for each orbit tried.
//!
//! Squares are named from the centre. The *distance* of a column or row is 0 for the line next to the middle (on an odd
//! board, next to the middle line) and h - 1 for the outermost of the h = ⌊N/2⌋ lines on that side. A task says for
//! each distance whether it is *left* or *right*. These are only names of two classes, not sides of the board.
//!
//! # Half turn
//!
//! An orbit has a queen in the east and its image in the west. Their columns have the same distance, and so have their
//! rows. The plan says once for all tasks which distances of columns are left and which are right; a task says it for
//! the distances of rows. A solution belongs to the task if each of its queens has its column and its row in the same
//! class. Every solution belongs to exactly one task: the task whose left rows are the rows of the queens in left
//! columns.
//!
//! Turning the board upside down maps solutions of a task to solutions of the same task. It moves the queen of the
//! outermost column in the east from the north to the south, or back. So a task counts the solutions with this queen in
//! the north, and has *weight 2*.
//!
//! # Quarter turn
//!
//! The images of a queen at (x, y), from the centre, are (-y, x), (-x, -y) and (y, -x). They take the columns of the
//! distances |x| and |y|, two of each, and the same rows: the two distances are *partners*. Partners are different,
//! because a queen on a long diagonal and its images attack each other. Two orbits have the partners a and b: one has
//! its queen in the eastern column a in the northern row b, its reflection has it in the southern row b. Both take the
//! columns and rows of distance a and b, and in both directions the four diagonals whose number from the centre is
//! ±(a + b) or ±(a - b): the same lines. So each orbit of a solution may be replaced by its reflection, independently of
//! the others. A solution has m = ⌊N/4⌋ orbits with partners a > b. A task counts the solutions in which all of them
//! have the queen of the eastern column a in the north, and has *weight 2^m*. (N is 4m or 4m + 1; no other board has
//! such solutions, and its plan has no tasks.)
//!
//! Some of the largest distances are left in every task of the plan; they are called *large*. A task says for each
//! smaller distance whether it is left or right. A solution belongs to the task if partners are in the same class, and
//! if each pair of left partners has at least one large distance. Every solution belongs to exactly one task: the task
//! whose left distances are the large distances and their partners.

use crate::board::{Rotation, RotationalBoard};
use crate::engine::cover::{Cut, CutPlan};

/// How many columns of the largest board the search looks at: the eastern half and the middle.
const MOST: usize = 39;

/// How many orbits are tried between two calls of `stopped`: some milliseconds.
const PATIENCE: u64 = 1 << 12;

/// A square: column from the west and row from the north, both from 0.
type Square = (usize, usize);

/// The number of solutions of a task of this plan for this board; `None` if `stopped`, called now and then, returns
/// true before the end.
pub(crate) fn count(board: RotationalBoard, plan: &CutPlan, task: &Cut, stopped: &dyn Fn() -> bool) -> Option<u64> {
    board.solutions(board.allowed(task, plan.always()), stopped)
}

impl RotationalBoard {
    /// The number of solutions that consist of orbits of these squares.
    fn solutions(self, allowed: impl IntoIterator<Item = Square>, stopped: &dyn Fn() -> bool) -> Option<u64> {
        // The half turn maps the west to the east, so the free squares of the east and the middle are enough.
        let first = self.n() / 2;
        let mut free = [0; MOST];
        for (column, row) in allowed.into_iter().filter(|&(column, _)| column >= first) {
            free[column - first] |= 1 << row;
        }
        let mut search = OrbitSearch { board: self, solutions: 0, orbits: 0, stopped };
        let open = (1 << (self.n() - first)) - 1;
        search.fill(open, &free).then_some(search.solutions)
    }

    /// The images of a square under the turn, itself included.
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

    /// The one place that reads a task: the squares of the orbits that it allows. An orbit is allowed with all of its
    /// squares or not at all. `always` has the distances that are in every task of the plan.
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
                // The lowest bits of a class are its rows; its columns come after them.
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
struct OrbitSearch<'a> {
    board: RotationalBoard,
    solutions: u64,
    orbits: u64,
    stopped: &'a dyn Fn() -> bool,
}

impl OrbitSearch<'_> {
    /// Finds every way to fill the `open` columns with orbits on `free` squares, which are allowed and not attacked by
    /// a queen on the board. Both have the columns from the middle to the east, numbered from 0. Returns false if it
    /// was stopped.
    ///
    /// Whole orbits are allowed, and whole orbits are attacked. So if a square is free, its images are free too.
    fn fill(&mut self, open: u64, free: &[u128; MOST]) -> bool {
        let first = self.board.n() / 2;
        // The column with the fewest free squares leaves the least to try, or nothing if it has none.
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
