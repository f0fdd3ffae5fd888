//! Counting by joining half boards.
//!
//! Backtracking visits every solution; this engine never sees one. It cuts the board down the middle, lists what can
//! be in the east half and in the west half, and counts the pairs that get along, hundreds to an instruction.
//!
//! # The method
//!
//! Let N = 2h. Choose the set R of h rows whose queens are in the east; the west has the others. Given R, rows and
//! columns never clash, so an east and a west half attack each other only along diagonals that cross the middle:
//! 2(2h-1) of them, the *keys*. A half is the set of keys its queens hold, one word, and
//!
//! ```text
//! Q(N)  =  Σ  #{ (e, w) : e ∈ East(R), w ∈ West(R), keys(e) ∩ keys(w) = ∅ }
//!          R
//!
//!            west  |  east
//!          . . . . | . Q . .      x + y = const ↗ and y - x = const ↘ through
//!          . . Q . ↗ . . . .      the middle line are the keys: the east queen
//!          . . . ↗ | . . . .      in the first row holds one that the west queen
//!          Q . ↗ . | . . . .      in the second row would have to share.
//! ```
//!
//! A task is one R and takes four steps:
//!
//! 1. [`quadrant`]: the placements of queens in given rows of a quadrant, in tables made once for all tasks
//!    ([`table`]), as [`keys`].
//! 2. [`listing`]: north and south quadrants with complementary columns joined into halves; about one trial in three fits.
//! 3. [`split`](super::split): the lists cut by their innermost queens, each of which rules out most of the other list.
//! 4. [`lanes`](crate::engine::lanes): what is left matched, 512 pairs in one to five cycles.
//!
//! Odd N = 2h+1 places the queens of the middle column and the middle row first and joins what is left of the quadrants;
//! see [`crate::plan::halves`] for these and for the symmetry of row sets, and docs/join.md for the proofs, the use of all
//! eight symmetries, what each step costs, and what did not help.

mod keys;
mod listing;
mod quadrant;
mod table;

use self::listing::{Inner, LONGEST, list_inner};
use self::table::{QuadrantTables, Quadrants, build_is_west};
use std::sync::Arc;

use crate::board::Size;
use crate::engine::Engine;
use crate::engine::lanes::{Cost, Lanes, cost_on};
use crate::engine::split::{Grouped, GroupedLists, MAX_DEPTH, Model, Splitter};
use crate::plan::{Halves, InnerSquares, Middle, Task};

/// Lists of the probe side that are counted apart because they weigh differently.
const WEIGHTS: usize = 3;

/// Share of a list that one queen of the other half leaves (0.38 to 0.45 for N = 16 to 20).
const SURVIVORS: f64 = 0.42;

/// The engine `join`, for one size of board and one instruction set.
#[derive(Debug)]
pub(super) struct Join<L> {
    lanes: L,
    cost: Cost,
    tables: QuadrantTables,
    longest: [usize; 2],
}

impl<L: Lanes> Join<L> {
    /// The engine for boards of this size.
    pub(super) fn new(size: Size, lanes: L) -> Self {
        let tables = QuadrantTables::new(size, L::COST.block.lanes);
        Self { lanes, cost: cost_on(lanes, size), tables, longest: LONGEST }
    }
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(super) struct Worker {
    quadrants: Quadrants,
    build_inner: Vec<Inner>,
    build: GroupedLists<1>,
    probe_inner: Vec<Inner>,
    probe: GroupedLists<WEIGHTS>,
    /// Where the east is listed once for all places of the middle row's queen: for which middle column and east rows, north
    /// and south, and inner squares. `probe_inner` is good as long as it is. Else the halves of one innermost queen.
    east: [Grouped; 1],
    east_of: Option<(u8, [u32; 2], InnerSquares)>,
    splitter: Splitter<WEIGHTS>,
}

/// The join of one thread.
#[derive(Debug)]
pub(super) struct Thread<L>(pub(super) Arc<Join<L>>, pub(super) Worker);

impl<L: Lanes> Engine for Thread<L> {
    fn count(&mut self, task: &Task) -> u64 {
        let Task::Halves(halves, squares) = task else { unreachable!("its plan has halves") };
        self.0.count_part(&mut self.1, halves, squares)
    }
}

impl<L: Lanes> Join<L> {
    /// The number of solutions of the part of `task` that has its inner queens on `squares`. It is found in the same way
    /// as that of the whole task.
    pub(crate) fn count_part(&self, worker: &mut Worker, task: &Halves, squares: &InnerSquares) -> u64 {
        let keys = worker.quadrants.prepare(&self.tables, task);
        let build_is_west = build_is_west(task.middle);
        list_inner(&worker.quadrants, &keys, build_is_west, squares, &mut worker.build_inner);
        self.list_probe_inner(worker, &keys, task, squares);
        let half = usize::from(task.half);
        // The queen of column c has about `half` - c rows to choose from. The probe side comes one innermost queen at a
        // time.
        let rows: [f64; MAX_DEPTH] = std::array::from_fn(|column| (half - column.min(half - 1)) as f64);
        let branching = [rows, [1.0, rows[1], rows[2], rows[3]]];
        let model = Model { cost: self.cost, survivors: SURVIVORS, branching };

        let mut counts = [0u64; WEIGHTS];
        let mut built = 0;
        while built < worker.build_inner.len() {
            built += self.list_build(worker, build_is_west, built);
            let mut probed = 0;
            while probed < worker.probe_inner.len() {
                probed += self.list_probe(worker, &keys, task, probed);
                let Worker { build, probe, splitter, .. } = worker;
                let more = splitter.count(self.lanes, &model, build, probe);
                for (count, more) in counts.iter_mut().zip(more) {
                    *count += more;
                }
            }
        }
        // No sum can wrap: at N = 28 the sides of a task have less than 2^28 and 2^30 halves.
        if task.middle == Middle::None { 4 * counts[0] + 2 * counts[1] + counts[2] } else { counts[0] }
    }
}

#[cfg(test)]
mod tests;
