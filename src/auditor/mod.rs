//! The auditor: what the tasks of a plan count, by their definition alone.
//!
//! An engine may be clever; whoever doubts it wants to recount a task by something obvious. Here a task is nothing but
//! a set of squares that queens may stand on and a weight for each solution found there ([`Definition`]). The search
//! tries the squares of one column after the other. It shares no code with any engine: no lanes, no keys, no
//! quadrants, no tables. Slow: some 20 to 50 nanoseconds for each queen tried, so a task of the join takes a few
//! hundredths of a second at N = 18, seconds at N = 22, and minutes at N = 26.
//!
//! # What a task of the join is
//!
//! Let R be the rows of the queens in the east half of a board; the west half has the others. Let Z(R) be the solutions
//! with these rows in the east, so that Q(N) is the sum of |Z(R)| over all R. Turning the board upside down carries
//! Z(R) into Z(R'), R' being R reversed; so a plan keeps one of R and R' and lets it stand for both: that is its
//! *weight*, 2, or 1 where R = R'. Within a task each solution has a weight of its own, as follows.
//!
//! **Even N = 2h.** The two long diagonals make four *arms*, one in each quadrant. Each diagonal holds at most one
//! queen, so a solution has queens on no arm, on one, or on two, which are then neighbours, for arms that face each
//! other are on one diagonal. Quarter turns carry each arm into the next. All turns and reflections carry solutions into
//! solutions, so what follows is about all solutions of the board, and each sentence is a bijection between some.
//!
//! - *Two queens.* Of the four turns of a solution exactly one has both queens in the west. That one weighs 4, any
//!   other 0.
//! - *One queen.* Four times as many solutions have a queen on some arm as on the north-west arm, and as on the
//!   south-west arm. Reflection in the north-west arm's own diagonal leaves its queen where it is and swaps the rows
//!   that the queens of that quadrant take with the columns that they take, both counted as distances from the middle.
//!   So solutions with *columns < rows* are as many as those with *columns > rows* (sets of distances compared as
//!   numbers, 2^d for each distance d; any order of sets would do). All with a queen on one arm, being twice those with
//!   it on the north-west or south-west arm, are therefore counted where it is on one of these two and columns < rows
//!   weigh 4, columns = rows weigh 2, and all others 0.
//! - *No queen.* The east-west mirror carries Z(R) into Z(C), C being the rows not in R. Among the sets that the plan
//!   keeps it pairs that of R with that of C: they are (north, south) and (C's south, C's north), so where the plan keeps
//!   one R of each upside-down pair, one of the two tasks weighs these solutions 2 and the other 0, the one with the
//!   smaller north being the first, or both are the same task, which weighs them 1.
//!
//! **Odd N = 2h + 1, a queen in the centre.** No other queen is on a long diagonal or a middle line. Every solution
//! weighs 1, and the plan's weight is how many of R, R', C and C' differ.
//!
//! **Odd N, the centre empty.** The middle column has a queen u squares from the centre, the middle row one v squares
//! from it, and u ≠ v, since they would attack each other. Of the eight images of a solution exactly one has the first in the
//! north, the second in the west, and u < v. A task has all of these that have u, and v or any v > u, as it says, and
//! the rows R in the east: h rows without the middle one and without that of the middle column's queen. Every solution weighs 1, and
//! the plan's weight is 8.
//!
//! What the tasks of a count of `--symmetry` are is told in [`rotational`].
//!
//! That the tasks of a plan, so defined and weighed, add up to all solutions is tested by summing them; that each
//! engine counts each task so, by comparing them one by one.

pub(crate) mod rotational;

use crate::board::placement::Placement;
use crate::engine::Engine;
use crate::plan::halves::{Halves, Middle};
use crate::tally::Tally;

/// The most columns that a board has.
const MOST: usize = 32;

/// A task as the auditor sees it.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Columns and rows of the board.
    n: usize,
    /// The squares that queens may stand on: for each column, from the west, a set of rows, from the north, both from 0.
    rows: [Rows; MOST],
    weighing: Weighing,
}

/// What a solution weighs.
#[derive(Clone, Copy, Debug)]
enum Weighing {
    /// One.
    Alike,
    /// By its queens on long diagonals; with none of them, this much.
    ByLongDiagonals(u64),
}

/// A task that the auditor can count.
pub trait Audited {
    /// Which squares it allows, and what a solution weighs.
    fn definition(&self) -> Definition;
}

/// The first columns have their queens, and all squares of the others are allowed.
impl Audited for Placement {
    fn definition(&self) -> Definition {
        let n = self.size().get();
        let mut rows = [Rows::EMPTY; MOST];
        rows[..n].fill(Rows::below(n));
        for (column, row) in self.rows().enumerate() {
            rows[column] = Rows::of([row - 1]);
        }
        Definition { n, rows, weighing: Weighing::Alike }
    }
}

/// The one place that reads a task of the join: what its fields say, in rows and columns of the board.
impl Audited for Halves {
    fn definition(&self) -> Definition {
        let half = usize::from(self.half);
        let odd = usize::from(self.middle != Middle::None);
        let n = 2 * half + odd;
        // Distances from the middle begin with 0 for the first line beside it.
        let above = |distance: usize| half - 1 - distance;
        let below = |distance: usize| half + odd + distance;
        let distances = |set: u32| (0..half).filter(move |distance| set >> distance & 1 == 1);
        let east_rows = Rows::of(distances(self.north).map(above).chain(distances(self.south).map(below)));
        let mut west_rows = Rows::below(n).without(east_rows);

        let mut rows = [Rows::EMPTY; MOST];
        let mut weighing = Weighing::Alike;
        let (west, east) = (0..half, half + odd..n);
        match self.middle {
            Middle::None => weighing = Weighing::ByLongDiagonals(east_west_mirror(self)),
            Middle::Centre => {
                rows[half] = Rows::of([half]);
                west_rows = west_rows.without(Rows::of([half]));
            }
            Middle::Crossed { column, .. } => {
                let taken = Rows::of([half - usize::from(column)]);
                rows[half] = taken;
                west_rows = west_rows.without(taken).without(Rows::of([half]));
            }
        }
        rows[west].fill(west_rows);
        rows[east].fill(east_rows);
        if let Middle::Crossed { row, .. } = self.middle {
            rows[half - usize::from(row)] = Rows::of([half]);
        }
        Definition { n, rows, weighing }
    }
}

/// What the solutions without queens on long diagonals weigh in a task of an even board.
fn east_west_mirror(task: &Halves) -> u64 {
    let image_of_north: u32 = (0..task.half).filter(|distance| task.south >> distance & 1 == 0).map(|d| 1 << d).sum();
    match task.north {
        north if north < image_of_north => 2,
        north if north == image_of_north => 1,
        _ => 0,
    }
}

/// The weighted number of solutions of a task; none where `stopped`, asked now and then, says so before the end.
///
/// ```
/// use queens::{Placement, Size, auditor};
/// let prefix = Placement::parse("1", Size::new(8)?)?;
/// assert_eq!(auditor::count(&prefix, &|| false), Some(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn count(task: &impl Audited, stopped: &dyn Fn() -> bool) -> Option<u64> {
    let definition = task.definition();
    definition.solutions(definition.n, stopped)
}

/// What a task of a profile counts: itself and the ways to set 1, 2, ... more queens in the columns after its own, to the
/// last column; none where `stopped`, asked now and then, says so before the end.
pub(crate) fn levels(task: &Placement, stopped: &dyn Fn() -> bool) -> Option<Tally> {
    let (n, mut tally) = (task.size().get(), Tally::default());
    for queens in task.len()..=n {
        let ways = task.definition().solutions(queens, stopped)?;
        let added = if queens < n { tally.add_fewer(queens, ways, 1) } else { tally.add(ways, 1) };
        added.expect("one number at each place");
    }
    Some(tally)
}

impl Definition {
    /// The weighted number of ways to set queens in the first so many columns.
    fn solutions(&self, columns: usize, stopped: &dyn Fn() -> bool) -> Option<u64> {
        let Self { n, rows, weighing } = *self;
        let mut search = Search { n, weighing, row_of: [0; MOST], weight: 0, nodes: 0, stopped };
        // No queen of weight 0: east queens on the long diagonals of an even board.
        let mut free = rows;
        if matches!(weighing, Weighing::ByLongDiagonals(_)) {
            for (column, free) in free.iter_mut().enumerate().take(n).skip(n / 2) {
                *free = free.without(Rows::of([column, n - 1 - column]));
            }
        }
        search.fill(&mut (0..columns).collect(), &free).then_some(search.weight)
    }
}

/// An engine that lets the auditor count a random one of its tasks now and then, and takes its word where they differ:
/// for double checks, which look for differences.
#[derive(Debug)]
pub(crate) struct Sampled<E> {
    engine: E,
    /// One in so many tasks is audited.
    one_in: u64,
}

impl<E> Sampled<E> {
    pub(crate) fn new(engine: E, one_in: u64) -> Self {
        Self { engine, one_in: one_in.max(1) }
    }
}

impl<E: Engine<Task: Audited>> Engine for Sampled<E> {
    type Task = E::Task;
    /// Beside the engine's own, how many tasks remain of the present `one_in`, and how many until the one to audit.
    type Worker = (E::Worker, u64, u64);

    fn worker(&self) -> Self::Worker {
        (self.engine.worker(), self.one_in, fastrand::u64(..self.one_in))
    }

    fn count(&self, (worker, remain, until): &mut Self::Worker, task: &E::Task) -> u64 {
        let audit = *remain - 1 == *until;
        *remain -= 1;
        if *remain == 0 {
            (*remain, *until) = (self.one_in, fastrand::u64(..self.one_in));
        }
        if audit { count(task, &|| false).expect("nothing stops it") } else { self.engine.count(worker, task) }
    }
}

/// A board that is being filled.
struct Search<'a> {
    n: usize,
    weighing: Weighing,
    /// Where the queens stand, in the columns that have one.
    row_of: [usize; MOST],
    /// What the solutions found so far weigh.
    weight: u64,
    nodes: u64,
    stopped: &'a dyn Fn() -> bool,
}

/// Queens tried between two questions whether to stop: some milliseconds.
const PATIENCE: u64 = 1 << 16;

impl Search<'_> {
    /// Finds every way to set queens in the `empty` columns on squares that are `free`: allowed, and attacked by no queen
    /// that is set. Whether it was let to finish.
    fn fill(&mut self, empty: &mut Vec<usize>, free: &[Rows; MOST]) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(PATIENCE) && (self.stopped)() {
            return false;
        }
        // The column with the fewest free squares, which leaves the least to try; where one has none, nothing.
        let Some(place) = (0..empty.len()).min_by_key(|&place| free[empty[place]].len()) else {
            self.weight += self.weigh();
            return true;
        };
        let column = empty.swap_remove(place);
        let finished = free[column].rows().all(|row| {
            self.row_of[column] = row;
            let mut left = *free;
            for &other in empty.iter() {
                let distance = column.abs_diff(other);
                left[other] = free[other].not_attacked(row, distance);
            }
            self.fill(empty, &left)
        });
        // Back to where it was taken from.
        empty.push(column);
        let last = empty.len() - 1;
        empty.swap(place, last);
        finished
    }

    /// What the solution that stands on the board weighs.
    fn weigh(&self) -> u64 {
        let Weighing::ByLongDiagonals(with_none) = self.weighing else { return 1 };
        let (n, half) = (self.n, self.n / 2);
        let west_queens = || (0..half).map(|column| (column, self.row_of[column]));
        let north_west_arm = west_queens().any(|(column, row)| row == column);
        let south_west_arm = west_queens().any(|(column, row)| row == n - 1 - column);
        if north_west_arm && south_west_arm {
            return 4;
        }
        if !north_west_arm && !south_west_arm {
            return with_none;
        }
        // Distances from the middle of the queens in the quadrant of that arm.
        let distance = |line: usize| if line < half { half - 1 - line } else { line - half };
        let quadrant = || west_queens().filter(|&(_, row)| (row < half) == north_west_arm);
        let columns: u64 = quadrant().map(|(column, _)| 1 << distance(column)).sum();
        let rows: u64 = quadrant().map(|(_, row)| 1 << distance(row)).sum();
        match columns.cmp(&rows) {
            std::cmp::Ordering::Less => 4,
            std::cmp::Ordering::Equal => 2,
            std::cmp::Ordering::Greater => 0,
        }
    }
}

/// A set of rows: bit r stands for row r.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rows(u64);

impl Rows {
    const EMPTY: Self = Self(0);

    fn of(rows: impl IntoIterator<Item = usize>) -> Self {
        Self(rows.into_iter().fold(0, |set, row| set | 1 << row))
    }

    fn below(n: usize) -> Self {
        Self::of(0..n)
    }

    fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Those of a column `distance` away that a queen in `row` does not attack.
    fn not_attacked(self, row: usize, distance: usize) -> Self {
        let row = 1u64 << row;
        self.without(Self(row | row << distance | row >> distance))
    }

    fn len(self) -> u32 {
        self.0.count_ones()
    }

    fn rows(self) -> impl Iterator<Item = usize> {
        (0..MOST).filter(move |row| self.0 >> row & 1 == 1)
    }
}

#[cfg(test)]
mod tests;
