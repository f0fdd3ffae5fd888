//! Backtracking with bit sets, on as many boards at once as a register has lanes.
//!
//! The textbook loop keeps the free squares of a column as a bit set, takes its lowest bit, places the queen and calls
//! itself: three shifts and a few ORs per queen. But whether this column or the next has another free square is close
//! to a coin toss, so the processor often mispredicts these branches and spends most of the time on recovery.
//!
//! This engine visits the same tree in another order, which needs no branch prediction and fills vectors. Boards with
//! equally many queens wait in a list, a level, and up to 16 of them (one in portable code) place their next queen in
//! one step (`lanes/search` has a picture). The deepest level that fills every lane is processed first; if none does,
//! the topmost is drained, then the next.
//!
//! These changes helped, the most effective first:
//!
//! - packing boards in vectors;
//! - refilling idle lanes by an expanding load (compacting unfinished boards stores and loads 16 more lanes per step);
//! - three words per board, with the free squares recomputed;
//! - dropping a board without a free square in the column after the next;
//! - not storing boards with three columns left;
//! - keeping the registers of a level while it is paused.

use crate::board::{Board, Placement, Size};
use crate::engine::Engine;
use crate::engine::lanes::{Isa, Kernels, Level};
use crate::plan::Task;

/// The engine `backtrack`, for an instruction set of this processor.
#[derive(Debug)]
pub(crate) struct Backtrack {
    kernels: &'static dyn Kernels,
    /// Indexed by the number of columns left. Empty between tasks, but they keep their memory.
    levels: Vec<Level>,
}

/// The last columns, counted without a level.
const LAST_COLUMNS: usize = 3;

impl Engine for Backtrack {
    fn count(&mut self, task: &Task) -> u64 {
        let Task::Completions(placement) = task else { unreachable!("its plan has prefixes") };
        self.completions(placement)
    }
}

impl Backtrack {
    pub(crate) fn new(isa: Isa) -> Self {
        Self { kernels: isa.kernels().expect("the processor has the instruction set"), levels: Vec::new() }
    }

    /// Counts the solutions that begin with these queens.
    pub(crate) fn completions(&mut self, prefix: &Placement) -> u64 {
        let (board, left) = (Board::of(prefix), prefix.size().get() - prefix.len());
        if left < LAST_COLUMNS {
            return board.ways(left);
        }
        self.levels.resize_with(self.levels.len().max(left + 1), Level::default);
        self.levels[left].push(board.rows | !board.size.all_rows(), board.down, board.up);
        descend(self.kernels, &mut self.levels, left)
    }

    /// Whether the search agrees with [`Board::ways`] on a narrow and a wide board (8×8 never fills 16 lanes).
    pub(crate) fn is_right(&mut self) -> bool {
        let on =
            |n, rows: &[usize]| Placement::new(Size::new(n).expect("a size"), rows).expect("no queen attacks another");
        // A knight's moves; both boards have ten columns left.
        let wide: Vec<usize> = (1..=31).step_by(2).chain((2..=12).step_by(2)).collect();
        [on(12, &[2, 5]), on(32, &wide)]
            .iter()
            .all(|task| self.completions(task) == Board::of(task).ways(task.size().get() - task.len()))
    }
}

/// Counts the completions of the boards in the level with `left` columns left.
fn descend(kernels: &dyn Kernels, levels: &mut [Level], mut left: usize) -> u64 {
    let (mut top, mut ways) = (left, 0);
    // Levels above `top` are empty.
    loop {
        let drain = left == top;
        let (below, levels) = levels.split_at_mut(left);
        let level = &mut levels[0];
        if left == LAST_COLUMNS {
            ways += kernels.last_three(level, drain);
            if drain {
                return ways;
            }
            left += 1;
            continue;
        }
        let next = &mut below[left - 1];
        kernels.expand(level, next, drain);
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

    /// Random prefixes of every board size, soon counted by a plain loop. Engines reuse the levels of earlier tasks.
    #[test]
    fn prefixes_agree_with_a_plain_loop_on_every_isa() {
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
                    backtrack.kernels
                );
            }
        }
        assert!(tried > 250, "{tried}");
    }
}
