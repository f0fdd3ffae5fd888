//! Counting by joining half boards.
//!
//! Backtracking visits every solution; this engine never sees one. It cuts the board down the middle, lists what can
//! be in the east half and in the west half, and counts the pairs that get along, hundreds to an instruction.
//!
//! Let N = 2h. Choose the set R of h rows whose queens are in the east; the west has the others. Given R, an east and a
//! west half attack each other only along diagonals that cross the middle, the *keys*. A half is the set of keys that its
//! queens hold, one word, and
//!
//! ```text
//! Q(N)  =  Σ  #{ (e, w) : e ∈ East(R), w ∈ West(R), keys(e) ∩ keys(w) = ∅ }
//!          R
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
//! see [`crate::plan::halves`] for these and for the symmetry of row sets. docs/join.md has pictures, proofs, the use of all
//! eight symmetries, what each step costs, and what did not help.

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

/// Share of a list that one queen of the other half leaves (0.38 to 0.45 for N = 16 to 20).
const SURVIVORS: f64 = 0.42;

/// Where steps are forced: batches shorter than the lists of small boards, and than those of a part of a task of a large
/// one; and how many pairs are matched without a cut.
const SHORT: [[usize; 2]; 2] = [[50, 30], [6400, 3200]];
const FEW_PAIRS: f64 = 64.0;

/// How many tasks take every step that is forced.
pub(crate) const FORCED: usize = 13;

/// What steps a task is counted by. They change its time and its memory, and never its count.
#[derive(Clone, Copy, Debug)]
struct Strategy {
    cache: CachePolicy,
    /// How many halves of the build and of the probe side are listed at a time, about.
    longest: [usize; 2],
    /// Of more pairs than these, sides are cut wherever they can be.
    most_pairs: f64,
    cost: Cost,
}

/// The engine `join`, for one size of board and one instruction set.
#[derive(Debug)]
pub(super) struct Join {
    lanes: &'static dyn Lanes,
    tables: QuadrantTables,
    /// A thread takes one after another, a task each.
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

    /// The engine by every step of large boards, see [`Method::forced`](crate::engine::Method::forced).
    pub(super) fn forced(size: Size, lanes: &'static dyn Lanes) -> Self {
        let n = size.get();
        let longest = SHORT[usize::from(n > 15)];
        // The whole quadrants of the largest boards are too large.
        let tile = if CachePolicy::of(n) == CachePolicy::Slices { CachePolicy::Slices } else { CachePolicy::Tile(2) };
        // Of 16×16 the self-check counts a task before every join, which is to take a millisecond. On 5×5 an inner queen may hold no
        // key.
        let (few, depth) = if n == 16 { (16.0 * FEW_PAIRS, 2) } else { (FEW_PAIRS, MAX_DEPTH.min(n / 2 - 2)) };
        let blocks = |windows, fewest| Matcher::Blocks { windows, fewest };
        let strategy = |cache, longest, most_pairs, only, idle| {
            let cost = Cost { only: Some(only), idle, ..lanes.cost() };
            Strategy { cache, longest, most_pairs, cost }
        };
        // Cut, lists are short and hold few keys in common.
        let cut = [(tile, Matcher::Pairs), (CachePolicy::Slices, blocks(1, 0)), (tile, Matcher::Permuted(2))];
        let cut = cut.into_iter().map(|(cache, only)| strategy(cache, longest, few, only, 0));
        // Whole, by so many windows, by so many dense keys and with so many idle ones at the end of the word, so that bytes are
        // permuted by five windows to eight, or by four to six where they have six keys.
        let whole = [(3, 8, 0), (4, 3, 0), (5, 2, 2), (6, 5, 12), (7, 4, 0)];
        let whole = whole.into_iter().flat_map(|(windows, dense, idle)| {
            // The sides change places in some of a few calls. In the most windows many short ones take the last entries too.
            let longest = if windows == 7 { [80, 30] } else { [LONGEST[0], 50] };
            [(longest, blocks(windows, 20)), (LONGEST, Matcher::Permuted(dense))]
                .map(|(longest, only)| strategy(tile, longest, f64::INFINITY, only, ((1 << idle) - 1) << 46))
        });
        let strategies: Vec<Strategy> = cut.chain(whole).collect();
        debug_assert_eq!(strategies.len(), FORCED, "each takes its turn");
        Self::by(lanes, size, [depth; 2], strategies)
    }
}

/// The join of one thread, with what it keeps from task to task.
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
        // No sum can wrap: at N = 28 the sides of a task have less than 2^28 and 2^30 halves.
        if task.middle == Middle::None { 4 * counts[0] + 2 * counts[1] + counts[2] } else { counts[0] }
    }
}

#[cfg(test)]
mod tests;
