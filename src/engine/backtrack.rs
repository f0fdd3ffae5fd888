//! Bitboard backtracking, on as many boards at once as a register has lanes.
//!
//! The textbook loop keeps the free squares of a column as a bit set, takes its lowest bit, places the queen and calls
//! itself. That is three shifts and a few ORs for each queen. But whether the column has another free square, and
//! whether the next column has any, is close to a coin toss. So the processor often mispredicts these branches, and
//! most of the time goes into undoing that.
//!
//! This engine visits the same tree in another order, which needs no branch prediction and fills vectors. Boards with
//! equally many queens wait in a list, a level. In one step 4 to 16 of them place their next queen, and the children
//! are packed into the level below ([`LevelSearch`] has the details and a picture). The deepest level that fills every
//! lane goes first. If no level does, the topmost is worked on to its last board, and then the next.
//!
//! # What a queen costs
//!
//! A prototype of the same kernels was measured at N = 16 on one thread of a Zen 4, beside a recursive bitboard loop, on a
//! machine that was not quite idle (medians of three). It took 0.15 of the loop's time with `avx512`, 0.17 with `avx2` and
//! 0.98 with `portable`. With AVX-512 that is 0.53 ns for each of 4.4 × 10⁸ queens; the loop places 5.3 × 10⁸ (mirror
//! symmetry leaves half of all).
//!
//! These changes helped, the most effective first:
//!
//! - packing boards in vectors;
//! - giving idle lanes a board by an expanding load. Packing the boards that were not used up instead stores and
//!   loads 16 more lanes in every step;
//! - three words for each board, with the free squares computed again;
//! - dropping a board that has no free square in the column after the next one;
//! - not storing boards with three columns left to fill, for which two rows and four masks decide;
//! - keeping the registers of a level when it pauses, instead of working it to the end with half of the lanes idle.

use crate::board::{Board, FixedQueens, Placement, Size};
use crate::engine::lanes::{Isa, IsaError, Lanes, Level, LevelSearch, WithLanes};
use crate::engine::{Engine, WithFixed};

/// The engine `backtrack`, for an instruction set of this processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backtrack {
    isa: Isa,
}

/// The number of last columns that are counted without a level.
const LAST: usize = 3;

/// How many boards with queens fixed on any squares go on in vectors together: enough to fill all lanes, and few enough for a
/// level.
const TOGETHER: usize = 512;

/// The levels of a search, by the number of columns left. They are empty between tasks, but keep their memory: about
/// eight kilobytes for each column.
#[derive(Debug, Default)]
pub struct Worker {
    levels: Vec<Level>,
    /// The type of the lanes that searched.
    #[cfg(test)]
    lanes: &'static str,
}

impl Default for Backtrack {
    /// The engine for the fastest instruction set that this processor has.
    fn default() -> Self {
        Self { isa: Isa::best() }
    }
}

impl Engine for Backtrack {
    type Task = Placement;
    type Worker = Worker;

    fn worker(&self) -> Worker {
        Worker::default()
    }

    fn count(&self, worker: &mut Worker, task: &Placement) -> u64 {
        // Without columns left there is one way to place nothing.
        self.ways::<false>(worker, task).last().copied().unwrap_or(1)
    }
}

impl Backtrack {
    /// The engine for this instruction set.
    ///
    /// ```
    /// use queens::engine::{Engine, backtrack::Backtrack};
    /// use queens::{Isa, Placement, Size};
    /// let backtrack = Backtrack::new(Isa::Portable)?;
    /// let prefix = Placement::parse("15", Size::new(8)?)?;
    /// assert_eq!(backtrack.count(&mut backtrack.worker(), &prefix), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(isa: Isa) -> Result<Self, IsaError> {
        if isa.is_available() { Ok(Self { isa }) } else { Err(IsaError::Missing(isa)) }
    }

    /// The number of ways to place 1, 2, ... more queens on the columns after those of `task`, up to the last column.
    ///
    /// This takes about 1.3 times as long as counting the solutions alone.
    pub fn levels(&self, worker: &mut Worker, task: &Placement) -> Vec<u64> {
        self.ways::<true>(worker, task)
    }

    /// Whether the search counts right on a narrow and on a wide board, at every column, as [`few`] does. A board of 8×8 fills
    /// no vector of 16 lanes to its end.
    pub(crate) fn is_right(self) -> bool {
        let on = |n, rows: &[usize]| {
            let empty = Placement::empty(Size::new(n).expect("a size"));
            rows.iter().fold(empty, |task, &row| task.with(row).expect("no queen attacks another"))
        };
        // Knight's moves; ten columns of each are left.
        let wide: Vec<usize> = (1..=31).step_by(2).chain((2..=12).step_by(2)).collect();
        [on(12, &[2, 5]), on(32, &wide)].iter().all(|task| {
            let mut plain = vec![0; task.size().get() - task.len()];
            few(board(task), &mut plain);
            let worker = &mut self.worker();
            self.levels(worker, task) == plain && self.count(worker, task) == plain[plain.len() - 1]
        })
    }

    /// The number of ways to place 1, 2, ... more queens. Unless `EVERY` is set, only the last number is valid.
    fn ways<const EVERY: bool>(self, worker: &mut Worker, task: &Placement) -> Vec<u64> {
        let mut ways = vec![0; task.size().get() - task.len()];
        self.add_ways::<EVERY>(worker, &[board(task)], &mut ways);
        ways
    }

    /// Adds the same numbers of some boards, which have as many columns left as there are numbers; at most [`TOGETHER`]
    /// boards.
    fn add_ways<const EVERY: bool>(self, worker: &mut Worker, boards: &[Board], ways: &mut [u64]) {
        let left = ways.len();
        if left < LAST {
            for board in boards {
                few(*board, ways);
            }
            return;
        }
        worker.levels.resize_with(worker.levels.len().max(left + 1), Level::default);
        for board in boards {
            worker.levels[left].push(board.rows | !board.size.all_rows(), board.down, board.up);
        }
        let descent = Descent::<EVERY> {
            levels: &mut worker.levels,
            left,
            ways,
            #[cfg(test)]
            lanes: &mut worker.lanes,
        };
        self.isa.with(descent).expect("the processor had the instruction set when the engine was made");
    }
}

/// One queen at a time up to the last column with a fixed queen; the boards that come out of that go on in vectors.
impl Engine for WithFixed<Backtrack> {
    type Task = FixedQueens;
    type Worker = Worker;

    fn worker(&self) -> Worker {
        self.0.worker()
    }

    fn count(&self, worker: &mut Worker, task: &FixedQueens) -> u64 {
        let last = task.squares().last().map_or(0, |queen| queen.column);
        let mut ways = vec![0; task.size().get() - last];
        let mut full = 0;
        let mut search = FixedSearch {
            task,
            last,
            boards: Vec::with_capacity(TOGETHER),
            done: &mut |boards| {
                full += boards.len() as u64;
                self.0.add_ways::<false>(worker, boards, &mut ways);
            },
        };
        search.begin();
        // Without columns left there is one way to place nothing.
        ways.last().copied().unwrap_or(full)
    }
}

/// The search up to the last column with a fixed queen.
struct FixedSearch<'a> {
    task: &'a FixedQueens,
    last: usize,
    /// What it has found since it handed boards over.
    boards: Vec<Board>,
    done: &'a mut dyn FnMut(&[Board]),
}

impl FixedSearch<'_> {
    /// The rows and diagonals of the fixed queens are taken from the start. A diagonal that reaches the board only in a later
    /// column moves into it from outside: falling ones from below bit 32 of their word, which is the first row, rising ones
    /// from above bit 31 of theirs. In column 4 a queen in row 1 is on the diagonal that is 3 below the first row in column 1.
    fn begin(&mut self) {
        let (mut rows, mut down, mut up) = (0, 0, 0);
        for (column, row) in self.task.squares().map(|queen| (queen.column - 1, queen.row - 1)) {
            rows |= 1 << row;
            down |= 1 << (32 + row - column);
            up |= 1 << (row + column);
        }
        self.fill(0, rows, down, up);
        (self.done)(&self.boards);
    }

    fn fill(&mut self, column: usize, rows: u32, down: u64, up: u64) {
        let here = [(down >> 32) as u32, up as u32];
        if column == self.last {
            let [down, up] = here;
            self.boards.push(Board { size: self.task.size(), filled: column, rows, down, up });
            if self.boards.len() == TOGETHER {
                (self.done)(&self.boards);
                self.boards.clear();
            }
        } else if self.task.row(column + 1).is_some() {
            self.fill(column + 1, rows, down << 1, up >> 1);
        } else {
            let mut free = self.task.size().all_rows() & !(rows | here[0] | here[1]);
            while free != 0 {
                let row = free & free.wrapping_neg();
                self.fill(column + 1, rows | row, (down | u64::from(row) << 32) << 1, (up | u64::from(row)) >> 1);
                free &= free - 1;
            }
        }
    }
}

/// The board of a placement.
fn board(task: &Placement) -> Board {
    task.rows().fold(Board::empty(task.size()), |board, row| board.place(1 << (row - 1)))
}

/// The same for a board with few columns left, one queen at a time.
fn few(board: Board, ways: &mut [u64]) {
    let Some((here, ways)) = ways.split_first_mut() else { return };
    let mut free = board.free();
    while free != 0 {
        *here += 1;
        few(board.place(free & free.wrapping_neg()), ways);
        free &= free - 1;
    }
}

/// The search below the boards of a level.
struct Descent<'a, const EVERY: bool> {
    levels: &'a mut [Level],
    /// The number of columns left at that level.
    left: usize,
    ways: &'a mut [u64],
    #[cfg(test)]
    lanes: &'a mut &'static str,
}

impl<const EVERY: bool> WithLanes for Descent<'_, EVERY> {
    type Output = ();

    fn with<L: Lanes + LevelSearch>(self, lanes: L) {
        #[cfg(test)]
        {
            *self.lanes = std::any::type_name::<L>();
        }
        let mut top = self.left;
        let mut left = top;
        // All levels above `top` are done.
        loop {
            let drain = left == top;
            let queens = self.left - left;
            let (below, levels) = self.levels.split_at_mut(left);
            let level = &mut levels[0];
            if left == LAST {
                for (ways, more) in self.ways[queens..].iter_mut().zip(lanes.last_three::<EVERY>(level, drain)) {
                    *ways += more;
                }
                if drain {
                    return;
                }
                left += 1;
                continue;
            }
            let next = &mut below[left - 1];
            self.ways[queens] += lanes.expand::<EVERY>(level, next, drain);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::naive::Naive;
    use proptest::prelude::*;

    /// The number of ways to place more queens, by the attack check of placements alone.
    fn plain(task: &Placement) -> Vec<u64> {
        fn extend(task: &Placement, ways: &mut [u64]) {
            let Some((here, ways)) = ways.split_first_mut() else { return };
            for next in task.extensions() {
                *here += 1;
                extend(&next, ways);
            }
        }
        let mut ways = vec![0; task.size().get() - task.len()];
        extend(task, &mut ways);
        ways
    }

    /// The placement that `choices` pick among the free squares of each column, as long as there are any.
    fn placement(n: usize, choices: &[usize]) -> Placement {
        let mut task = Placement::empty(Size::new(n).unwrap());
        for choice in choices {
            let next: Vec<_> = task.extensions().collect();
            let Some(&next) = next.get(choice % next.len().max(1)) else { break };
            task = next;
        }
        task
    }

    /// Counts twice with the same worker: a task must not affect the next one.
    fn check(task: &Placement) -> Result<(), TestCaseError> {
        let (count, ways) = (Naive.count(&mut Naive.worker(), task), plain(task));
        for isa in Isa::available() {
            let backtrack = Backtrack::new(isa).unwrap();
            let mut worker = backtrack.worker();
            for _ in 0..2 {
                prop_assert_eq!(backtrack.count(&mut worker, task), count, "{} on {}", task, isa);
                prop_assert_eq!(&backtrack.levels(&mut worker, task), &ways, "{} on {}", task, isa);
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn counts_what_naive_counts(n in 0usize..=11, choices in proptest::collection::vec(any::<usize>(), 0..11)) {
            check(&placement(n, &choices))?;
        }

        /// Wide boards, with at most ten columns left.
        #[test]
        fn counts_on_wide_boards(n in 20usize..=32, choices in proptest::collection::vec(any::<usize>(), 32)) {
            check(&placement(n, &choices[..n - 10]))?;
        }
    }

    #[test]
    fn the_search_runs_on_the_lanes_named() {
        let task = Placement::empty(Size::new(8).unwrap());
        for isa in Isa::available() {
            let backtrack = Backtrack::new(isa).unwrap();
            let mut worker = backtrack.worker();
            assert_eq!(backtrack.count(&mut worker, &task), 92, "{isa}");
            assert_eq!(worker.lanes.rsplit("::").next(), Some(isa.lanes()), "{isa} runs {}", worker.lanes);
        }
    }

    #[test]
    fn an_instruction_set_that_is_missing_is_refused() {
        for isa in Isa::ALL {
            assert_eq!(Backtrack::new(isa).is_ok(), isa.is_available(), "{isa}");
        }
    }
}
