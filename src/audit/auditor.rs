//! The auditor: counts the tasks of a plan by their definition alone.
//!
//! Engines are clever, so something obvious must recount their tasks. Here a task is only a set of squares on which
//! queens may be placed, and a weight for each solution found there ([`Definition`]). The search tries the squares of
//! one column after another. It shares no code with any engine: no kernels, no keys, no quadrants, no tables. It is
//! slow: it takes 20 to 50 ns for each queen tried. A task of the join takes a few hundredths of a second at N = 18,
//! two seconds at 22, and half an hour to days from 26, where an audit counts a random part.
//!
//! # The definition of a task of the join
//!
//! Let R be the rows of the queens in the east half of a board; the queens of the west half are in the other rows. Let
//! Z(R) be the set of solutions with these rows in the east, so that Q(N) is the sum of |Z(R)| over all R. Turning the
//! board upside down maps Z(R) to Z(R'), where R' is R reversed. So a plan keeps one of R and R' for both. Its *weight*
//! is 2, or 1 if R = R'. Within a task, each solution has a weight too, as follows.
//!
//! **Even N = 2h.** The two long diagonals consist of four *arms*, one in each quadrant. A long diagonal holds at most
//! one queen. So a solution has queens on no arm, on one arm, or on two arms. Two such arms are neighbours, because
//! opposite arms are on the same diagonal. A quarter turn moves each arm to the next. Rotations and reflections map all
//! solutions of the board one to one to solutions.
//!
//! - *Two queens on arms.* Exactly one of the four rotations of a solution has both queens in the west. It has weight
//!   4; the other rotations have weight 0.
//! - *One queen on an arm.* A quarter of these solutions have the queen on the north-west arm, and a quarter on the
//!   south-west arm. Reflection in the diagonal of the north-west arm leaves this queen in place. It swaps the rows of
//!   the queens in that quadrant with their columns, both counted as distances from the middle. So there are as many
//!   solutions with *columns < rows* as with *columns > rows*. (Sets of distances are compared as numbers, with 2^d for
//!   each distance d; any other order of sets would do.) The same holds for the south-west arm. So the solutions with
//!   the queen on one of these two arms count for all: with columns < rows they have weight 4, with columns = rows
//!   weight 2, otherwise 0. All other solutions with one queen on an arm have weight 0.
//! - *No queen on an arm.* The east-west mirror maps Z(R) to Z(C), where C is the set of rows not in R. Among the sets
//!   that the plan keeps, it pairs the set of R, (north, south), with the set of C, (C's south, C's north). So the plan
//!   has either two tasks for these solutions or one. A single task gives these solutions weight 1. If there are two,
//!   the task with the smaller north gives them weight 2 and the other weight 0.
//!
//! **Odd N = 2h + 1, a queen in the centre.** No other queen is on a long diagonal or a middle line. Every solution has
//! weight 1, and the plan's weight is the number of different sets among R, R', C and C'.
//!
//! **Odd N, the centre empty.** The queen of the middle column is u squares from the centre, the queen of the middle
//! row v squares; u ≠ v, or they would attack each other. Exactly one of the eight images of a solution has the first
//! queen in the north, the second in the west, and u < v. A task has the solutions with its u, its v and its rows R in
//! the east: h rows, without the rows of these two queens. Every solution has weight 1, and the plan's weight is 8.
//!
//! Tests check that the tasks of a plan add up to all solutions, and compare engines with the auditor task by task.

use std::cmp::Ordering;

use crate::board::{Placement, Size};
use crate::plan::{Halves, InnerSquares, Middle, Task};

/// A task as the auditor sees it.
struct Definition {
    n: usize,
    /// The squares where queens may be placed: a set of rows (0 is north) per column (0 is west).
    rows: [Rows; Size::MAX],
    weighing: Weighing,
}

/// The weights of solutions within a task.
#[derive(Clone, Copy, Debug)]
enum Weighing {
    /// Every solution has weight 1.
    Alike,
    /// The weight depends on the queens on long diagonals; without any, it is this number.
    ByLongDiagonals(u64),
}

/// The weighted number of solutions of a task; `None` if `stopped`, called every few milliseconds, returns true.
pub(super) fn count(task: &Task, stopped: &dyn Fn() -> bool) -> Option<u64> {
    let Definition { n, rows: mut free, weighing } = Definition::of(task);
    let mut search = SquareSearch { n, weighing, row_of: [0; Size::MAX], weight: 0, nodes: 0, stopped };
    // Squares whose solutions have weight 0 are skipped: east queens on the long diagonals of an even board.
    if matches!(weighing, Weighing::ByLongDiagonals(_)) {
        for (column, free) in free.iter_mut().enumerate().take(n).skip(n / 2) {
            *free &= !set_of([column, n - 1 - column]);
        }
    }
    search.fill(&mut (0..n).collect(), &free).then_some(search.weight)
}

impl Definition {
    fn of(task: &Task) -> Self {
        match task {
            Task::Completions(placement) => Self::of_completions(placement),
            Task::Halves(halves, squares) => Self::of_halves(halves, squares),
        }
    }

    /// The first columns have their given queens; in the others, all squares are allowed.
    fn of_completions(placement: &Placement) -> Self {
        let n = placement.size().get();
        let mut rows = [0; Size::MAX];
        rows[..n].fill(set_of(0..n));
        for queen in placement.squares() {
            rows[queen.column - 1] = set_of([queen.row - 1]);
        }
        Self { n, rows, weighing: Weighing::Alike }
    }

    /// Translates a task of the join, and the squares of its inner queens, to rows and columns of the board.
    fn of_halves(task: &Halves, [inner_west, inner_east]: &InnerSquares) -> Self {
        let half = usize::from(task.half);
        let odd = usize::from(task.middle != Middle::None);
        let n = 2 * half + odd;
        let middle_row = set_of((half..).take(odd));
        let (middle_column, weighing) = match task.middle {
            Middle::None => {
                let image_of_north = !task.south & ((1 << task.half) - 1);
                (0, Weighing::ByLongDiagonals(for_both(task.north, image_of_north)))
            }
            Middle::Centre => (middle_row, Weighing::Alike),
            Middle::Crossed { column, .. } => (set_of([half - usize::from(column)]), Weighing::Alike),
        };
        let east = by_distance(n, [task.north, task.south]);
        let west = set_of(0..n) & !(east | middle_row | middle_column);

        let mut rows = [0; Size::MAX];
        rows[..half].fill(west);
        rows[half..half + odd].fill(middle_column);
        rows[half + odd..n].fill(east);
        for distance in 0..half.min(inner_west.len()) {
            for (column, squares) in [(half - 1 - distance, inner_west), (half + odd + distance, inner_east)] {
                rows[column] &= !by_distance(n, squares[distance].map(|rows| !rows));
            }
        }
        // Last, because the squares of inner queens do not include the middle row.
        if let Middle::Crossed { row, .. } = task.middle {
            rows[half - usize::from(row)] = middle_row;
        }
        Self { n, rows, weighing }
    }
}

/// The weight of an item: 2 if it is smaller than its mirror image, 0 if larger, 1 if it is its own image.
fn for_both(itself: u32, image: u32) -> u64 {
    match itself.cmp(&image) {
        Ordering::Less => 2,
        Ordering::Equal => 1,
        Ordering::Greater => 0,
    }
}

struct SquareSearch<'a> {
    n: usize,
    weighing: Weighing,
    /// The row of the queen, in the columns that have one.
    row_of: [usize; Size::MAX],
    /// The sum of the weights of the solutions found so far.
    weight: u64,
    nodes: u64,
    stopped: &'a dyn Fn() -> bool,
}

/// The number of queens tried between two calls of `stopped`: some milliseconds.
const CHECK_EVERY: u64 = 1 << 16;

impl SquareSearch<'_> {
    /// Finds every way to fill the `empty` columns on `free` squares (allowed, not attacked). False if stopped.
    fn fill(&mut self, empty: &mut Vec<usize>, free: &[Rows; Size::MAX]) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(CHECK_EVERY) && (self.stopped)() {
            return false;
        }
        // The column with the fewest free squares leaves the least to try, or nothing if it has none.
        let Some(place) = (0..empty.len()).min_by_key(|&place| free[empty[place]].count_ones()) else {
            self.weight += self.weigh();
            return true;
        };
        let column = empty.swap_remove(place);
        let finished = (0..self.n).filter(|row| free[column] >> row & 1 == 1).all(|row| {
            self.row_of[column] = row;
            let mut left = *free;
            let queen = 1 << row;
            for &other in empty.iter() {
                let distance = column.abs_diff(other);
                left[other] &= !(queen | queen << distance | queen >> distance);
            }
            self.fill(empty, &left)
        });
        // Restores the order of `empty`, which the caller still uses.
        empty.push(column);
        let last = empty.len() - 1;
        empty.swap(place, last);
        finished
    }

    fn weigh(&self) -> u64 {
        let Weighing::ByLongDiagonals(with_none) = self.weighing else { return 1 };
        let (n, half) = (self.n, self.n / 2);
        let west_queens = || (0..half).map(|column| (column, self.row_of[column]));
        let north_west_arm = west_queens().any(|(column, row)| row == column);
        let south_west_arm = west_queens().any(|(column, row)| row == n - 1 - column);
        if north_west_arm == south_west_arm {
            return if north_west_arm { 4 } else { with_none };
        }
        // The distances from the middle, of the queens in that arm's quadrant.
        let distance = |line: usize| if line < half { half - 1 - line } else { line - half };
        let quadrant = || west_queens().filter(|&(_, row)| (row < half) == north_west_arm);
        let columns = quadrant().map(|(column, _)| 1 << distance(column)).sum();
        let rows = quadrant().map(|(_, row)| 1 << distance(row)).sum();
        2 * for_both(columns, rows)
    }
}

/// A set of rows: bit r stands for row r.
type Rows = u64;

fn set_of(rows: impl IntoIterator<Item = usize>) -> Rows {
    rows.into_iter().fold(0, |set, row| set | 1 << row)
}

/// Rows by their distances from the middle, from 0, north and south of it.
fn by_distance(n: usize, [north, south]: [u32; 2]) -> Rows {
    let distances = |set: u32| (0..n / 2).filter(move |distance| set >> distance & 1 == 1);
    let north = distances(north).map(|distance| n / 2 - 1 - distance);
    set_of(north.chain(distances(south).map(|distance| n.div_ceil(2) + distance)))
}

#[cfg(test)]
mod tests;
