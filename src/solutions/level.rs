//! Lists of boards with equally many queens, expanded in order and without branches to predict.
//!
//! A list is expanded board by board and row by row. As in the engine `backtrack`, no step has a branch that the
//! processor must predict. A child is always stored, and the end of its list moves by 0 or 1. The step to the next
//! board is a conditional move of a value that was loaded one step earlier.
//!
//! A list holds 256 boards. So indices are bytes, which need no bounds checks, and all lists together fit in the
//! second-level cache.

use std::hint::select_unpredictable;

use crate::board::Board;

/// Boards in a list.
const BOARDS: usize = 256;

/// A list counts as full when only one more child would fit.
const FULL: usize = BOARDS - 1;

/// The last columns, which are decided together.
pub(super) const TAIL: usize = 3;

/// A board between two columns.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
pub(super) struct Node {
    /// Rows of the next column that are free and still to be tried.
    free: u32,
    /// Rows without a queen.
    pub(super) open: u32,
    /// As in [`Board`].
    down: u32,
    up: u32,
}

/// The boards with equally many queens that are still to be expanded, in order.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) nodes: Box<[Node; BOARDS]>,
    /// The index of each board's parent one level up.
    pub(super) parents: Box<[u8; BOARDS]>,
    /// The first board that still has rows to be tried, and one past the last.
    pub(super) next: usize,
    pub(super) end: usize,
}

/// A solution: the index of its board with three columns left, and the rows of these three columns as sets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub(super) parent: u8,
    pub(super) rows: [u32; TAIL],
}

impl Level {
    pub(super) fn new() -> Self {
        Self { nodes: Box::new([Node::default(); BOARDS]), parents: Box::new([0; BOARDS]), next: 0, end: 0 }
    }

    /// Makes `board` the only board of the list. Of its free rows, those in `keep` are tried.
    pub(super) fn begin(&mut self, board: &Board, keep: u32) {
        let free = board.free() & keep;
        self.nodes[0] = Node { free, open: board.size.all_rows() & !board.rows, down: board.down, up: board.up };
        (self.next, self.end) = (usize::from(free == 0), 1);
    }

    /// Fills this list with the children of the next boards of `level`, in order, as many as there is room for.
    /// Children that leave no free row in one of the next two columns are left out; that is nearly half of them.
    ///
    /// The bitwise operators are on purpose: a lazy operator would be a branch.
    #[expect(clippy::needless_bitwise_bool)]
    #[inline(never)]
    pub(super) fn fill(&mut self, level: &mut Self) {
        let mut children = 0;
        let mut walk = Walk::over(level);
        while walk.index < walk.end && children < FULL {
            let (parent, child, _) = walk.step();
            self.nodes[children % BOARDS] = child;
            self.parents[children % BOARDS] = parent;
            let ahead = child.open & !(child.down << 1 | child.up >> 1);
            children += usize::from((child.free != 0) & (ahead != 0));
        }
        let Walk { index, end, free, .. } = walk;
        if index < end {
            level.nodes[index].free = free;
        }
        level.next = index;
        (self.next, self.end) = (0, children);
    }

    /// Finds the solutions of all boards, each with three columns left.
    ///
    /// The first of the three columns is tried row by row. Then two rows are left, and two ways to place the queens.
    #[expect(clippy::needless_bitwise_bool)]
    #[inline(never)]
    pub(super) fn finish(&mut self, leaves: &mut Vec<Leaf>) {
        let mut walk = Walk::over(self);
        while walk.index < walk.end {
            let (parent, child, queen) = walk.step();
            let low = child.open & child.open.wrapping_neg();
            let high = child.open ^ low;
            // Rows of the last column that are free, if only the queens before the last two are considered.
            let last = child.open & !(child.down << 1 | child.up >> 1);
            let apart = low << 1 != high;
            let low_first = (child.free & low != 0) & (last & high != 0) & apart;
            let high_first = (child.free & high != 0) & (last & low != 0) & apart;
            // Solutions are rare, so this branch is predicted well.
            if low_first | high_first {
                if low_first {
                    leaves.push(Leaf { parent, rows: [queen, low, high] });
                }
                if high_first {
                    leaves.push(Leaf { parent, rows: [queen, high, low] });
                }
            }
        }
        self.next = self.end;
    }
}

/// A walk over the boards of a list, one free row in each step.
struct Walk<'a> {
    nodes: &'a [Node; BOARDS],
    index: usize,
    end: usize,
    /// The remaining free rows of the board, and the free rows of the next board.
    free: u32,
    next_free: u32,
}

impl<'a> Walk<'a> {
    fn over(level: &'a Level) -> Self {
        let (nodes, index) = (&*level.nodes, level.next);
        let free = |index: usize| nodes[index % BOARDS].free;
        Self { nodes, index, end: level.end, free: free(index), next_free: free(index + 1) }
    }

    /// Places a queen in the lowest remaining row, and moves on to the next row or board. Returns the board's index,
    /// the child and the queen.
    #[inline(always)]
    fn step(&mut self) -> (u8, Node, u32) {
        let parent = self.index as u8;
        let node = self.nodes[usize::from(parent)];
        let queen = self.free & self.free.wrapping_neg();
        let (open, down, up) = (node.open ^ queen, (node.down | queen) << 1, (node.up | queen) >> 1);
        let rest = self.free ^ queen;
        self.index += usize::from(rest == 0);
        self.free = select_unpredictable(rest == 0, self.next_free, rest);
        self.next_free = self.nodes[(self.index + 1) % BOARDS].free;
        (parent, Node { free: open & !(down | up), open, down, up }, queen)
    }
}
