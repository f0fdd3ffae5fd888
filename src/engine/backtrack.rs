//! Bitboard backtracking without the mispredicted branches.
//!
//! The textbook loop keeps the free squares of a column as a bit set, takes its lowest bit, sets the queen and calls
//! itself. Three shifts and a few ORs a queen, and then the processor guesses wrong: whether the column has another
//! free square, and whether the next has any at all, is close to a coin toss, so most of the time goes into undoing
//! wrong guesses. This engine visits the same tree in another order. It holds a batch of boards with equally many
//! queens and lets each board set its lowest free queen; a board with free squares left stays in the batch, a child
//! with a free square is appended to the next batch, and both happen by storing always and moving the end of the list
//! by 0 or 1. What is left to guess is only where each list ends.
//!
//! ```text
//! batch, k queens      lowest free queen set in each        next batch, k+1 queens
//! [ a b c d ]     ->   a' b' c' d'                   ->     [ a' c' d' ]   (b' has no free square)
//! [ a c ]              a" c"       (b, d are used up)       [ a' c' d' a" ]   ...
//! ```
//!
//! Batches are bounded ([`BATCH`] boards in, at most N times as many out, then that batch is finished first), so a
//! worker needs a few hundred kilobytes for any N. The last two columns are not searched: with two rows left
//! there are two ways to set the queens, and both are decided by masks.
//!
//! Time for N = 16 about a third of the plain loop's (`scripts/vs-plain` measures both).

use crate::board::Board;
use crate::engine::Engine;
use crate::placement::Placement;

/// The engine `backtrack`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Backtrack;

/// Boards expanded at a time.
const BATCH: usize = 64;

/// A board between two columns: the free rows of the next one, and what [`Board`] knows of the columns before.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
struct Node {
    free: u32,
    rows: u32,
    down: u32,
    up: u32,
}

/// One list of children for each column, kept between tasks.
#[derive(Debug, Default)]
pub struct Worker {
    levels: Vec<Vec<Node>>,
}

impl Engine for Backtrack {
    type Task = Placement;
    type Worker = Worker;

    fn worker(&self) -> Worker {
        Worker::default()
    }

    fn count(&self, worker: &mut Worker, task: &Placement) -> u64 {
        let left = task.size().get() - task.len();
        let root = worker.prepare(task);
        let all = task.size().all_rows();
        match left {
            0 => 1,
            _ if root.free == 0 => 0,
            1 => 1,
            2 => last_two(all, root),
            _ => search(all, left, &mut [root], &mut worker.levels),
        }
    }
}

impl Backtrack {
    /// The ways to set 1, 2, ... more queens on the columns after those of `task`, to the last column.
    ///
    /// Time about twice that of counting the solutions alone.
    pub fn levels(&self, worker: &mut Worker, task: &Placement) -> Vec<u64> {
        let mut profile = vec![0; task.size().get() - task.len()];
        let root = worker.prepare(task);
        // As everywhere in this engine, a board without a free square is not searched.
        if root.free != 0 {
            count_levels(task.size().all_rows(), &mut [root], &mut worker.levels, &mut profile);
        }
        profile
    }
}

impl Worker {
    /// The board of `task`, and a list for each column after it.
    fn prepare(&mut self, task: &Placement) -> Node {
        let board = task.rows().fold(Board::empty(task.size()), |board, row| board.place(1 << (row - 1)));
        let left = board.size.get() - board.filled;
        self.levels.resize_with(self.levels.len().max(left), || vec![Node::default(); BATCH * 32]);
        Node { free: board.free(), rows: board.rows, down: board.down, up: board.up }
    }
}

/// Solutions below `nodes`, each with `left` ≥ 3 columns to fill and a free square in the next one.
fn search(all: u32, left: usize, nodes: &mut [Node], levels: &mut [Vec<Node>]) -> u64 {
    let (next, levels) = levels.split_first_mut().expect("a list for each column");
    let mut solutions = 0;
    for batch in nodes.chunks_mut(BATCH) {
        if left == 3 {
            solutions += last_three(all, batch);
            continue;
        }
        let children = expand(all, batch, next);
        if children > 0 {
            solutions += search(all, left - 1, &mut next[..children], levels);
        }
    }
    solutions
}

/// Sets every next queen of a batch, using it up: the children that have a free square are stored in `next`, and their
/// number returned.
#[inline(always)]
fn expand(all: u32, batch: &mut [Node], next: &mut [Node]) -> usize {
    let mut children = 0;
    let mut open = batch.len();
    while open > 0 {
        let mut still_open = 0;
        for i in 0..open {
            let (child, rest) = set_lowest(all, batch[i]);
            batch[still_open] = rest;
            still_open += usize::from(rest.free != 0);
            next[children] = child;
            children += usize::from(child.free != 0);
        }
        open = still_open;
    }
    children
}

/// Adds to `profile[k]` the ways to set k+1 more queens below `nodes`, for each k up to the last column.
fn count_levels(all: u32, nodes: &mut [Node], levels: &mut [Vec<Node>], profile: &mut [u64]) {
    let Some((here, profile)) = profile.split_first_mut() else { return };
    let (next, levels) = levels.split_first_mut().expect("a list for each column");
    for batch in nodes.chunks_mut(BATCH) {
        *here += batch.iter().map(|node| u64::from(node.free.count_ones())).sum::<u64>();
        if !profile.is_empty() {
            let children = expand(all, batch, next);
            count_levels(all, &mut next[..children], levels, profile);
        }
    }
}

/// The board with a queen on its lowest free square, and the board without that choice.
#[inline(always)]
fn set_lowest(all: u32, node: Node) -> (Node, Node) {
    let queen = node.free & node.free.wrapping_neg();
    let (rows, down, up) = (node.rows | queen, (node.down | queen) << 1, (node.up | queen) >> 1);
    let child = Node { free: all & !(rows | down | up), rows, down, up };
    (child, Node { free: node.free ^ queen, ..node })
}

/// Solutions below a batch with three columns to fill: the children are counted, not stored.
fn last_three(all: u32, batch: &mut [Node]) -> u64 {
    let mut solutions = 0;
    let mut open = batch.len();
    while open > 0 {
        let mut still_open = 0;
        for i in 0..open {
            let (child, rest) = set_lowest(all, batch[i]);
            batch[still_open] = rest;
            still_open += usize::from(rest.free != 0);
            solutions += last_two(all, child);
        }
        open = still_open;
    }
    solutions
}

/// Solutions with two columns, and so two rows, left.
///
/// Bitwise on purpose: a lazy operator would bring the guesses back that this engine avoids.
#[inline(always)]
#[expect(clippy::needless_bitwise_bool)]
fn last_two(all: u32, node: Node) -> u64 {
    let rows = all & !node.rows;
    let low = rows & rows.wrapping_neg();
    let high = rows ^ low;
    // Free in the last column as far as the queens before the last two go.
    let last = rows & !(node.down << 1 | node.up >> 1);
    let apart = low << 1 != high;
    let low_first = (node.free & low != 0) & (last & high != 0);
    let high_first = (node.free & high != 0) & (last & low != 0);
    u64::from(low_first & apart) + u64::from(high_first & apart)
}
