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
pub(super) struct OpenBoard {
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
pub(super) struct BoardList {
    pub(super) boards: Box<[OpenBoard; BOARDS]>,
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

impl BoardList {
    pub(super) fn new() -> Self {
        Self { boards: Box::new([OpenBoard::default(); BOARDS]), parents: Box::new([0; BOARDS]), next: 0, end: 0 }
    }

    /// Makes `board` the only board of the list. Of its free rows, those in `keep` are tried.
    pub(super) fn begin(&mut self, board: &Board, keep: u32) {
        let free = board.free() & keep;
        self.boards[0] = OpenBoard { free, open: board.size.all_rows() & !board.rows, down: board.down, up: board.up };
        (self.next, self.end) = (usize::from(free == 0), 1);
    }

    /// Fills this list with the children of the next boards of `above`, in order, as many as there is room for.
    /// Children that leave no free row in one of the next two columns are left out; that is nearly half of them.
    ///
    /// The bitwise operators are on purpose: a lazy operator would be a branch.
    #[expect(clippy::needless_bitwise_bool)]
    #[inline(never)]
    pub(super) fn fill(&mut self, above: &mut Self) {
        let mut children = 0;
        above.place_each(|parent, child, _| {
            self.boards[children % BOARDS] = child;
            self.parents[children % BOARDS] = parent;
            let ahead = child.open & !(child.down << 1 | child.up >> 1);
            children += usize::from((child.free != 0) & (ahead != 0));
            children < FULL
        });
        (self.next, self.end) = (0, children);
    }

    /// Finds the solutions of all boards, each with three columns left.
    ///
    /// The first of the three columns is tried row by row. Then two rows are left, and two ways to place the queens.
    #[expect(clippy::needless_bitwise_bool)]
    #[inline(never)]
    pub(super) fn finish(&mut self, leaves: &mut Vec<Leaf>) {
        self.place_each(|parent, child, queen| {
            let low = child.open & child.open.wrapping_neg();
            let high = child.open ^ low;
            // Rows of the last column that are free, if only the queens before the last two are considered.
            let last = child.open & !(child.down << 1 | child.up >> 1);
            let apart = low << 1 != high;
            let low_first = (child.free & low != 0) & (last & high != 0) & apart;
            let high_first = (child.free & high != 0) & (last & low != 0) & apart;
            // Solutions are rare, so this branch is predicted well.
            if low_first | high_first {
                let ways = [(low_first, [queen, low, high]), (high_first, [queen, high, low])];
                leaves.extend(ways.iter().filter(|way| way.0).map(|&(_, rows)| Leaf { parent, rows }));
            }
            true
        });
    }

    /// Places a queen in every free row of the boards, in order, as long as `each` returns true. It gets the board's
    /// index, the child and the queen.
    #[inline(always)]
    fn place_each(&mut self, mut each: impl FnMut(u8, OpenBoard, u32) -> bool) {
        let (boards, end) = (&mut *self.boards, self.end);
        let mut index = self.next;
        // The remaining free rows of the board, and the free rows of the next board.
        let (mut free, mut next_free) = (boards[index % BOARDS].free, boards[(index + 1) % BOARDS].free);
        let mut goes_on = true;
        while index < end && goes_on {
            let parent = index as u8;
            let board = boards[usize::from(parent)];
            let queen = free & free.wrapping_neg();
            let (open, down, up) = (board.open ^ queen, (board.down | queen) << 1, (board.up | queen) >> 1);
            goes_on = each(parent, OpenBoard { free: open & !(down | up), open, down, up }, queen);
            let rest = free ^ queen;
            index += usize::from(rest == 0);
            free = select_unpredictable(rest == 0, next_free, rest);
            next_free = boards[(index + 1) % BOARDS].free;
        }
        if index < end {
            boards[index].free = free;
        }
        self.next = index;
    }
}
