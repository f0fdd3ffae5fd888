//! Bitboard backtracking, on as many boards at once as a register has lanes.
//!
//! The textbook loop keeps the free squares of a column as a bit set, takes its lowest bit, places the queen and calls
//! itself. That is three shifts and a few ORs for each queen. But whether the column has another free square, and
//! whether the next column has any, is close to a coin toss. So the processor often mispredicts these branches, and
//! most of the time goes into undoing that.
//!
//! This engine visits the same tree in another order, which needs no branch prediction and fills vectors: boards with
//! equally many queens wait in a list, a level, and 4 to 16 of them place their next queen in one step ([`LevelSearch`] has
//! the details and a picture). The deepest level that fills every lane goes first. If no level does, the topmost is worked on
//! to its last board, and then the next.
//!
//! These changes helped, the most effective first: packing boards in vectors; giving idle lanes a board by an expanding load
//! (packing the boards that were not used up instead stores and loads 16 more lanes in every step); three words for each
//! board, with the free squares computed again; dropping a board that has no free square in the column after the next one;
//! not storing boards with three columns left; keeping the registers of a level when it pauses.

use crate::board::{Board, Placement, Size};
use crate::engine::Engine;
use crate::engine::lanes::{Isa, Lanes, Level};
use crate::plan::Task;

/// The engine `backtrack`, for an instruction set of this processor.
#[derive(Debug)]
pub struct Backtrack {
    lanes: &'static dyn Lanes,
    /// By the number of columns left. They are empty between tasks, but keep their memory.
    levels: Vec<Level>,
}

/// The number of last columns that are counted without a level.
const LAST: usize = 3;

impl Engine for Backtrack {
    fn count(&mut self, task: &Task) -> u64 {
        let Task::Completions(placement) = task else { unreachable!("its plan has prefixes") };
        self.completions(placement)
    }
}

impl Backtrack {
    /// The engine for an instruction set that this processor has.
    pub fn new(isa: Isa) -> Self {
        Self { lanes: isa.lanes().expect("the processor has the instruction set"), levels: Vec::new() }
    }

    /// The number of solutions that begin with these queens.
    pub fn completions(&mut self, prefix: &Placement) -> u64 {
        let (board, left) = (Board::of(prefix), prefix.size().get() - prefix.len());
        if left < LAST {
            return board.ways(left);
        }
        self.levels.resize_with(self.levels.len().max(left + 1), Level::default);
        self.levels[left].push(board.rows | !board.size.all_rows(), board.down, board.up);
        descend(self.lanes, &mut self.levels, left)
    }

    /// Whether the search counts right on a narrow and on a wide board, as [`Board::ways`] does. A board of 8×8 fills no vector
    /// of 16 lanes to its end.
    pub(crate) fn is_right(&mut self) -> bool {
        let on =
            |n, rows: &[usize]| Placement::new(Size::new(n).expect("a size"), rows).expect("no queen attacks another");
        // Knight's moves; ten columns of each are left.
        let wide: Vec<usize> = (1..=31).step_by(2).chain((2..=12).step_by(2)).collect();
        [on(12, &[2, 5]), on(32, &wide)]
            .iter()
            .all(|task| self.completions(task) == Board::of(task).ways(task.size().get() - task.len()))
    }
}

/// Searches below the boards of the level that has so many columns left.
fn descend(lanes: &dyn Lanes, levels: &mut [Level], mut left: usize) -> u64 {
    let (mut top, mut ways) = (left, 0);
    // All levels above `top` are done.
    loop {
        let drain = left == top;
        let (below, levels) = levels.split_at_mut(left);
        let level = &mut levels[0];
        if left == LAST {
            ways += lanes.last_three(level, drain);
            if drain {
                return ways;
            }
            left += 1;
            continue;
        }
        let next = &mut below[left - 1];
        lanes.expand(level, next, drain);
        if next.is_full() {
            left -= 1;
        } else if drain {
            top -= 1;
            left = top;
        } else {
            left += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::oeis;

    #[test]
    fn every_set_counts_whole_boards() {
        for isa in Isa::available() {
            let mut backtrack = Backtrack::new(isa);
            for n in 0..=12 {
                let found = backtrack.completions(&Placement::empty(Size::new(n).unwrap()));
                assert_eq!(Some(u128::from(found)), oeis::QUEENS.term(n), "N = {n}, {isa}");
            }
        }
    }

    /// Random queens on the first columns of every board, with every number of columns left that a loop counts soon.
    /// An engine goes on with the levels of all tasks before.
    #[test]
    fn every_set_counts_what_a_plain_loop_counts() {
        let (mut random, mut tried) = (Rng::with_seed(1), 0);
        let mut engines: Vec<Backtrack> = Isa::available().map(Backtrack::new).collect();
        for size in (1..=Size::MAX).flat_map(|n| [Size::new(n).unwrap(); 12]) {
            let mut task = Placement::empty(size);
            let longest = size.get() - random.usize(0..=size.get().min(11));
            while task.len() < longest {
                let longer: Vec<Placement> = task.extensions().collect();
                let Some(next) = random.choice(longer) else { break };
                task = next;
            }
            let left = size.get() - task.len();
            if left > 14 {
                continue;
            }
            tried += 1;
            for backtrack in &mut engines {
                assert_eq!(
                    backtrack.completions(&task),
                    Board::of(&task).ways(left),
                    "{task:?}, {:?}",
                    backtrack.lanes
                );
            }
        }
        assert!(tried > 250, "{tried}");
    }
}
