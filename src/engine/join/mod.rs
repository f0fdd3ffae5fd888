//! Counting by joining half boards.
//!
//! Backtracking visits every solution; this engine never sees one. It halves the board down the middle, lists the
//! possible east and west halves, and counts the compatible pairs, hundreds per instruction.
//!
//! Let N = 2h. Choose the set R of h rows whose queens are in the east; the west has the others. Given R, an east and a
//! west half attack each other only along diagonals that cross the middle, the *keys*. A half is represented by the set
//! of its queens' keys, one word, and
//!
//! ```text
//! Q(N)  =  Σ  #{ (e, w) : e ∈ East(R), w ∈ West(R), keys(e) ∩ keys(w) = ∅ }
//!          R
//! ```
//!
//! A task is one R and has four steps:
//!
//! 1. [`quadrant`]: list the placements of queens in given rows of a quadrant as sets of [`keys`], in tables made once
//!    for all tasks where memory allows ([`table`]).
//! 2. [`listing`]: join north and south quadrants with complementary columns into halves; about one in three pairs
//!    fits.
//! 3. [`split`](super::split): split the lists by their innermost queens, each of which rules out most of the other
//!    list.
//! 4. [`lanes`](crate::engine::lanes): match the rest, 512 pairs in one to five cycles.
//!
//! For odd N = 2h+1 the queens of the middle column and the middle row are placed first, then the rest of the quadrants
//! is joined; see [`crate::plan::halves`] for this and for the symmetry of row sets. docs/join.md has pictures, proofs,
//! the use of all eight symmetries, the cost of each step, and what did not help.

mod keys;
mod listing;
mod quadrant;
mod table;

use std::sync::Arc;

use self::listing::{LONGEST, Lists, WEIGHTS};
pub(crate) use self::table::inner_columns;
use self::table::{CachePolicy, QuadrantTables, depths};
use crate::board::Size;
use crate::engine::Engine;
use crate::engine::lanes::fault::planted;
use crate::engine::lanes::{Cost, Lanes, Matcher, cost_on};
use crate::engine::split::{Model, Splitter, branching};
use crate::plan::{MAX_DEPTH, Middle, Task};

/// The share of a list that one queen of the other half leaves (0.38 to 0.45 for N = 16 to 20).
const SURVIVORS: f64 = 0.42;

/// For forced tasks: batch sizes below the list lengths of small boards, and of samples of large tasks; and the most
/// pairs matched without a split.
const SHORT: [[usize; 2]; 2] = [[50, 30], [6400, 3200]];
const FEW_PAIRS: f64 = 64.0;

/// The number of consecutive tasks that take every forced step.
pub(crate) const FORCED: usize = 13;

/// How a task is counted. This affects time and memory, never the count.
#[derive(Clone, Copy, Debug)]
struct Strategy {
    cache: CachePolicy,
    /// Approximate batch sizes of the build and the probe side.
    longest: [usize; 2],
    /// Above this number of pairs, sides are split whenever possible.
    most_pairs: f64,
    cost: Cost,
}

/// The engine `join`, for one size of board and one instruction set.
#[derive(Debug)]
pub(super) struct Join {
    lanes: &'static dyn Lanes,
    tables: QuadrantTables,
    /// A thread uses them in turn, one per task.
    strategies: Vec<Strategy>,
}

impl Join {
    fn by(lanes: &'static dyn Lanes, size: Size, depths: [usize; 2], strategies: Vec<Strategy>) -> Self {
        let keeps_all = strategies.iter().any(|strategy| strategy.cache == CachePolicy::All);
        Self { lanes, tables: QuadrantTables::new(size.get() / 2, depths, keeps_all), strategies }
    }

    /// The engine for boards of this size.
    pub(super) fn new(size: Size, lanes: &'static dyn Lanes) -> Self {
        let (cache, cost) = (CachePolicy::of(size.get()), cost_on(lanes, size));
        let strategy = Strategy { cache, longest: LONGEST, most_pairs: f64::INFINITY, cost };
        Self::by(lanes, size, depths(size.get(), &cost), vec![strategy])
    }

    /// The engine with every step of large boards, see [`Method::forced`](crate::engine::Method::forced).
    pub(super) fn forced(size: Size, lanes: &'static dyn Lanes) -> Self {
        let n = size.get();
        let longest = SHORT[usize::from(n > 15)];
        // The whole quadrants of the largest boards are too large.
        let tile = if CachePolicy::of(n) == CachePolicy::Slices { CachePolicy::Slices } else { CachePolicy::Tile(2) };
        // The self-check counts a 16×16 task before every join, within a millisecond. On 5×5 an inner queen may hold no
        // key.
        let (few, depth) = if n == 16 { (16.0 * FEW_PAIRS, 2) } else { (FEW_PAIRS, MAX_DEPTH.min(n / 2 - 2)) };
        let blocks = |windows, fewest| Matcher::Blocks { windows, fewest };
        let strategy = |cache, longest, most_pairs, only, idle| {
            let cost = Cost { only: Some(only), idle, ..lanes.cost() };
            Strategy { cache, longest, most_pairs, cost }
        };
        // Split lists are short and share few keys.
        let cut = [(tile, Matcher::Pairs), (CachePolicy::Slices, blocks(1, 0)), (tile, Matcher::Permuted(2))];
        let cut = cut.into_iter().map(|(cache, only)| strategy(cache, longest, few, only, 0));
        // Whole lists: (windows, dense keys, extra keys at the end of the word), chosen so that permuting uses five to
        // eight windows of four keys or four to six of six keys.
        let whole = [(3, 8, 0), (4, 3, 0), (5, 2, 2), (6, 5, 12), (7, 4, 0)];
        let whole = whole.into_iter().flat_map(|(windows, dense, idle)| {
            // Short batches make several calls, in some of which the sides are exchanged. With seven windows, many
            // short calls also reach the last table entries.
            let longest = if windows == 7 { [80, 30] } else { [LONGEST[0], 50] };
            [(longest, blocks(windows, 20)), (LONGEST, Matcher::Permuted(dense))]
                .map(|(longest, only)| strategy(tile, longest, f64::INFINITY, only, ((1 << idle) - 1) << 46))
        });
        let strategies: Vec<Strategy> = cut.chain(whole).collect();
        debug_assert_eq!(strategies.len(), FORCED, "each takes its turn");
        Self::by(lanes, size, [depth; 2], strategies)
    }
}

/// The join of one thread, with the buffers that it keeps from task to task.
#[derive(Debug)]
pub(super) struct Thread {
    join: Arc<Join>,
    lists: Lists,
    splitter: Splitter<WEIGHTS>,
    /// Tasks counted.
    tasks: usize,
}

impl Thread {
    pub(super) fn new(join: Arc<Join>) -> Self {
        Self { join, lists: Lists::default(), splitter: Splitter::default(), tasks: 0 }
    }
}

impl Engine for Thread {
    fn count(&mut self, task: &Task) -> u64 {
        let Task::Halves(task, squares) = task else { unreachable!("its plan has halves") };
        let Self { join, lists, splitter, tasks } = self;
        let (lanes, strategy) = (join.lanes, &join.strategies[*tasks % join.strategies.len()]);
        *tasks += 1;
        lists.quadrants.prepare(&join.tables, strategy.cache, task);
        lists.begin(task, squares);
        let Strategy { longest, most_pairs, cost, .. } = *strategy;

        let mut counts = [0u64; WEIGHTS];
        let mut built = 0;
        while built < lists.build_inner.len() {
            built += lists.list_build(lanes, longest[0], task, built) * (1 + planted("batch") as usize);
            let of_build = branching(&lists.build.pieces);
            let mut probed = 0;
            while probed < lists.probe_inner.len() {
                probed += lists.list_probe(lanes, longest[1], task, probed);
                let branching = [of_build, branching(&lists.probe.pieces)];
                let model = Model { cost, most_pairs, survivors: SURVIVORS, branching };
                let more = splitter.count(lanes, &model, &lists.build, &lists.probe);
                for (count, more) in counts.iter_mut().zip(more) {
                    *count += more;
                }
            }
        }
        // No sum can overflow: at N = 28 the sides of a task have fewer than 2^28 and 2^30 halves.
        if task.middle == Middle::None { 4 * counts[0] + 2 * counts[1] + counts[2] } else { counts[0] }
    }
}

#[cfg(test)]
mod tests;
