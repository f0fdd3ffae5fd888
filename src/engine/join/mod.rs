//! Counting by joining half boards.
//!
//! Backtracking visits every solution; this engine never sees one. It halves the board down the middle, lists the
//! possible east and west halves, and counts the compatible pairs, hundreds per instruction.
//!
//! Let N = 2h. Choose a set R of h rows for the queens in the east; the west has the others. Given R, east and west
//! attack each other only along diagonals that cross the middle, the *keys*. A half is the set of its queens' keys, one
//! word, and
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
//! 2. [`listing`]: join north and south quadrants with complementary columns into halves; one pair in three fits.
//! 3. [`split`](super::split): split the lists by innermost queens, each of which rules out most of the other list.
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

use self::listing::{BATCH, Lists, WEIGHTS};
pub(crate) use self::table::inner_columns;
use self::table::{CachePolicy, QuadrantTables, depths};
use crate::board::Size;
use crate::engine::Engine;
use crate::engine::lanes::fault::planted;
use crate::engine::lanes::{Cost, Kernels, Matcher, cost_for_join};
use crate::engine::split::{Model, Splitter, branching};
use crate::plan::{MAX_DEPTH, Middle, Task};

/// The share of a list that one queen of the other half leaves (0.38 to 0.45 for N = 16 to 20).
const SURVIVORS: f64 = 0.42;

/// For forced tasks: batches shorter than lists of small boards and of samples, and the most pairs matched unsplit.
const FORCED_BATCH: [[usize; 2]; 2] = [[50, 30], [6400, 3200]];
const FORCED_PAIRS: f64 = 64.0;

/// The number of consecutive tasks that take every forced step.
pub(crate) const FORCED_TASKS: usize = 13;

/// The first of them split lists, one task per matcher.
pub(crate) const SPLIT_TASKS: usize = 3;

/// How a task is counted. This affects time and memory, never the count.
#[derive(Clone, Copy, Debug)]
struct Strategy {
    cache: CachePolicy,
    /// Approximate batch sizes of the build and the probe side.
    batch: [usize; 2],
    /// Above this number of pairs, sides are split whenever possible.
    max_pairs: f64,
    cost: Cost,
}

/// The engine `join`, for one size of board and one instruction set.
#[derive(Debug)]
pub(super) struct Join {
    kernels: &'static dyn Kernels,
    tables: QuadrantTables,
    /// A thread uses them in turn, one per task.
    strategies: Vec<Strategy>,
}

impl Join {
    fn with_strategies(
        kernels: &'static dyn Kernels,
        size: Size,
        depths: [usize; 2],
        strategies: Vec<Strategy>,
    ) -> Self {
        let keeps_all = strategies.iter().any(|strategy| strategy.cache == CachePolicy::All);
        Self { kernels, tables: QuadrantTables::new(size.get() / 2, depths, keeps_all), strategies }
    }

    pub(super) fn new(size: Size, kernels: &'static dyn Kernels) -> Self {
        let (cache, cost) = (CachePolicy::of(size.get()), cost_for_join(kernels, size));
        let strategy = Strategy { cache, batch: BATCH, max_pairs: f64::INFINITY, cost };
        Self::with_strategies(kernels, size, depths(size.get(), &cost), vec![strategy])
    }

    /// The engine with every step of large boards, see [`Method::forced`](crate::engine::Method::forced).
    pub(super) fn forced(size: Size, kernels: &'static dyn Kernels) -> Self {
        let n = size.get();
        let batch = FORCED_BATCH[usize::from(n > 15)];
        // The whole quadrants of the largest boards are too large.
        let tile = if CachePolicy::of(n) == CachePolicy::Slices { CachePolicy::Slices } else { CachePolicy::Tile(2) };
        // The self-check counts a 16×16 task before every join, within 1 ms. On 5×5 an inner queen may hold no key.
        let (few, depth) = if n == 16 { (16.0 * FORCED_PAIRS, 2) } else { (FORCED_PAIRS, MAX_DEPTH.min(n / 2 - 2)) };
        let blocks = |windows, min_lanes| Matcher::Blocks { windows, min_lanes };
        let strategy = |cache, batch, max_pairs, matcher, extra_keys| {
            let cost = Cost { forced: Some(matcher), extra_keys, ..kernels.cost() };
            Strategy { cache, batch, max_pairs, cost }
        };
        // Split lists are short and share few keys.
        let cut = [(tile, Matcher::Pairs), (CachePolicy::Slices, blocks(1, 0)), (tile, Matcher::Permuted(2))];
        let cut = cut.into_iter().map(|(cache, matcher)| strategy(cache, batch, few, matcher, 0));
        // Whole lists: (windows, frequent keys, extra keys at the end of the word), chosen so that permuting uses five
        // to eight windows of four keys or four to six of six keys.
        let whole = [(3, 8, 0), (4, 3, 0), (5, 2, 2), (6, 5, 12), (7, 4, 0)];
        let whole = whole.into_iter().flat_map(|(windows, frequent, extra)| {
            // Short batches make several matches, in some of which the sides are exchanged. With seven windows, many
            // short matches also reach the last table entries.
            let batch = if windows == 7 { [80, 30] } else { [BATCH[0], 50] };
            [(batch, blocks(windows, 20)), (BATCH, Matcher::Permuted(frequent))]
                .map(|(batch, matcher)| strategy(tile, batch, f64::INFINITY, matcher, ((1 << extra) - 1) << 46))
        });
        let strategies: Vec<Strategy> = cut.chain(whole).collect();
        debug_assert_eq!(strategies.len(), FORCED_TASKS, "each takes its turn");
        Self::with_strategies(kernels, size, [depth; 2], strategies)
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
        let (kernels, strategy) = (join.kernels, &join.strategies[*tasks % join.strategies.len()]);
        *tasks += 1;
        lists.quadrants.prepare(&join.tables, strategy.cache, task);
        lists.begin(task, squares);
        let Strategy { batch, max_pairs, cost, .. } = *strategy;

        let mut counts = [0u64; WEIGHTS];
        let mut built = 0;
        while built < lists.build_inner.len() {
            built += lists.list_build(kernels, batch[0], task, built) * (1 + planted("batch") as usize);
            let of_build = branching(&lists.build.pieces);
            let mut probed = 0;
            while probed < lists.probe_inner.len() {
                probed += lists.list_probe(kernels, batch[1], task, probed);
                let branching = [of_build, branching(&lists.probe.pieces)];
                let model = Model { cost, max_pairs, survivors: SURVIVORS, branching };
                let more = splitter.count(kernels, &model, &lists.build, &lists.probe);
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
