//! Counting by joining half boards.

mod half;
mod quadrant;
mod split;

use std::sync::OnceLock;

use self::half::{Blocked, Corner, Inner, Keys, LongQueens, Part, inner_queens, join};
use self::quadrant::{Lister, Quadrant, Shape};
use self::split::{Costs, East, Grouped, Splitter, WEIGHTS};
use crate::board::Size;
use crate::engine::Engine;
use crate::engine::lanes::Lanes;
use crate::plan::halves::{Halves, Middle};

/// Largest half for which all quadrants are kept in memory.
const KEPT_HALF: usize = 10;

/// The engine `join`, for one size of board and one instruction set.
#[derive(Debug)]
pub struct Join<L> {
    lanes: L,
    half: usize,
    /// Sets of the columns beyond the inner ones, by size, in increasing order.
    subsets: Vec<Vec<u32>>,
    shape: Shape,
    /// The quadrant of each row set, made when first asked for.
    quadrants: Vec<OnceLock<Quadrant>>,
    /// Which solutions are counted, by queens on long diagonals: all but in tests.
    classes: [bool; 3],
}

impl<L: Lanes> Join<L> {
    /// The engine for boards of this size.
    pub fn new(size: Size, lanes: L) -> Self {
        let half = size.get() / 2;
        let shape = Shape { half, depth: if half <= 10 { 1 } else { 2 } };
        let outer = half - shape.depth;
        let mut subsets = vec![Vec::new(); outer + 1];
        for set in 0..1u32 << outer {
            subsets[set.count_ones() as usize].push(set);
        }
        let kept = if half <= KEPT_HALF { 1 << half } else { 0 };
        let quadrants = (0..kept).map(|_| OnceLock::new()).collect();
        Self { lanes, half, subsets, shape, quadrants, classes: [true; 3] }
    }

    fn all(&self) -> u32 {
        (1 << self.half) - 1
    }
}

/// Buffers of one thread.
#[derive(Debug)]
pub struct Worker {
    lister: Lister,
    scratch: Quadrant,
    parts: [Part; 4],
    /// For which middle queens and corner each part was made last.
    made: [Option<(Middle, u32)>; 4],
    east: Grouped,
    east_inner: Vec<Inner>,
    east_keys: Vec<[u64; 2]>,
    west: [Grouped; WEIGHTS],
    west_inner: Vec<Inner>,
    west_keys: Vec<u64>,
    splitter: Splitter,
}

const CORNERS: [Corner; 4] = [Corner::NorthEast, Corner::SouthEast, Corner::NorthWest, Corner::SouthWest];

impl<L: Lanes> Engine for Join<L> {
    type Task = Halves;
    type Worker = Worker;

    fn worker(&self) -> Worker {
        Worker {
            lister: Lister::new(self.shape),
            scratch: Quadrant::default(),
            parts: Default::default(),
            made: [None; 4],
            east: Grouped::default(),
            east_inner: Vec::new(),
            east_keys: Vec::new(),
            west: Default::default(),
            west_inner: Vec::new(),
            west_keys: Vec::new(),
            splitter: Splitter::default(),
        }
    }

    fn count(&self, worker: &mut Worker, task: &Halves) -> u64 {
        let even = task.middle == Middle::None;
        let keys = Keys {
            shape: self.shape,
            gap: if even { 1 } else { 2 },
            without_long: !matches!(task.middle, Middle::Crossed { .. }),
        };
        let (blocked, west_column) = self.blocked(task.middle);
        let mut west_north = self.all() & !task.north;
        if let Middle::Crossed { column, .. } = task.middle {
            west_north &= !(1 << (column - 1));
        }
        let rows = [task.north, task.south, west_north, self.all() & !task.south];
        for corner in 0..4 {
            self.make_part(worker, &keys, corner, task.middle, rows[corner], blocked[corner]);
        }
        let Worker {
            parts: [ne, se, nw, sw], east, east_inner, east_keys, west, west_inner, west_keys, splitter, ..
        } = worker;

        let columns = self.half;
        let long = if even { LongQueens::None } else { LongQueens::Any };
        inner_queens(&keys, [CORNERS[0], CORNERS[1]], [rows[0], rows[1]], 0, east_inner);
        east.clear();
        east_keys.clear();
        for inner in east_inner.iter() {
            let sets = self.sets(ne, se, inner, columns);
            join(self.lanes, ne, se, inner, sets, [long; 2], 0..sets, &mut east.patterns);
            east.close();
            east_keys.push(inner.keys);
        }
        if east.patterns.is_empty() {
            return 0;
        }

        let columns = self.half - west_column.count_ones() as usize;
        inner_queens(&keys, [CORNERS[2], CORNERS[3]], [rows[2], rows[3]], west_column, west_inner);
        let costs = Costs::of::<L>();
        let mirror = task.mirror();
        let mut counts = [0u64; WEIGHTS];
        for queen in west_inner.chunk_by(|a, b| a.keys[0] == b.keys[0]) {
            west.iter_mut().for_each(Grouped::clear);
            west_keys.clear();
            for inner in queen {
                let sets = self.sets(nw, sw, inner, columns);
                if even {
                    self.list_west_by_weight(nw, sw, inner, sets, mirror, west);
                } else {
                    join(self.lanes, nw, sw, inner, sets, [LongQueens::Any; 2], 0..sets, &mut west[0].patterns);
                }
                west.iter_mut().for_each(Grouped::close);
                west_keys.push(inner.keys[1]);
            }
            let more = splitter.count(
                self.lanes,
                &costs,
                keys.width(),
                East { list: east, keys: east_keys },
                west,
                queen[0].keys[0],
                west_keys,
            );
            for (count, more) in counts.iter_mut().zip(more) {
                *count += more;
            }
        }
        if even { 4 * counts[0] + 2 * counts[1] + counts[2] } else { counts[0] }
    }
}

impl<L: Lanes> Join<L> {
    /// What the middle queens attack in each corner, and the column that the middle row's queen takes from the west.
    fn blocked(&self, middle: Middle) -> ([Blocked; 4], u32) {
        let mut blocked = [Blocked::default(); 4];
        let mut column_taken = 0;
        let h = self.half as i32;
        let mut attack = |y: i32, x: i32| {
            for (corner, blocked) in CORNERS.iter().zip(&mut blocked) {
                for i in 0..h {
                    for j in 0..h {
                        let (north, west) = match corner {
                            Corner::NorthEast => (true, false),
                            Corner::SouthEast => (false, false),
                            Corner::NorthWest => (true, true),
                            Corner::SouthWest => (false, true),
                        };
                        let (row, column) = (if north { -i - 1 } else { i + 1 }, if west { -j - 1 } else { j + 1 });
                        if (row - y).abs() == (column - x).abs() {
                            blocked.pattern |= self.attacked_bit(i, j, (row - y) * (column - x), *corner);
                        }
                    }
                }
            }
        };
        match middle {
            Middle::None => {}
            Middle::Centre => attack(0, 0),
            Middle::Crossed { column, row } => {
                attack(-i32::from(column), 0);
                attack(0, -i32::from(row));
                column_taken = 1 << (row - 1);
                blocked[2].column = column_taken;
                blocked[3].column = column_taken;
            }
        }
        (blocked, column_taken)
    }

    /// The bit of a quadrant pattern by which a queen on a square is known to stand on a diagonal: `slope` is positive
    /// where that runs down to the east.
    fn attacked_bit(&self, i: i32, j: i32, slope: i32, corner: Corner) -> u64 {
        let h = self.half as i32;
        let outward = if matches!(corner, Corner::SouthEast | Corner::NorthWest) { 1 } else { -1 };
        if slope * outward > 0 { 1 << (j - i + h - 1) } else { 1 << (2 * h - 1 + i + j) }
    }

    /// Makes a corner's part, unless it is the one from the task before.
    fn make_part(&self, worker: &mut Worker, keys: &Keys, corner: usize, middle: Middle, rows: u32, blocked: Blocked) {
        if worker.made[corner] == Some((middle, rows)) {
            return;
        }
        worker.made[corner] = Some((middle, rows));
        let list = if let Some(kept) = self.quadrants.get(rows as usize) {
            kept.get_or_init(|| {
                let mut list = Quadrant::default();
                worker.lister.list(rows, &mut list);
                list
            })
        } else {
            worker.lister.list(rows, &mut worker.scratch);
            &worker.scratch
        };
        worker.parts[corner].fill(keys, CORNERS[corner], rows, list, blocked, &self.subsets);
    }

    /// How many column sets the north may take beside these inner queens, of `columns` columns in all.
    fn sets(&self, north: &Part, south: &Part, inner: &Inner, columns: usize) -> usize {
        let [north, south] = [(north, inner.north), (south, inner.south)]
            .map(|(part, signature)| self.shape.outer(part.rows.count_ones() as usize, signature));
        let (Some(north), Some(south)) = (north, south) else { return 0 };
        let _ = columns;
        choose(north + south, north)
    }

    /// Lists the west halves of an even board, apart by what they weigh: 4, 2 and 1.
    fn list_west_by_weight(
        &self,
        nw: &Part,
        sw: &Part,
        inner: &Inner,
        sets: usize,
        mirror: u64,
        west: &mut [Grouped; WEIGHTS],
    ) {
        use LongQueens::{None, One};
        let [four, two, one] = west.each_mut().map(|list| &mut list.patterns);
        let lanes = self.lanes;
        // No queen on a long diagonal: as the mirror has it.
        if self.classes[0] {
            match mirror {
                2 => join(lanes, nw, sw, inner, sets, [None; 2], 0..sets, two),
                1 => join(lanes, nw, sw, inner, sets, [None; 2], 0..sets, one),
                _ => {}
            }
        }
        if self.classes[1] {
            let (below, equal) = self.ranks_below(nw, inner.north, sets);
            join(lanes, nw, sw, inner, sets, [One, None], 0..below, four);
            join(lanes, nw, sw, inner, sets, [One, None], below..below + equal, two);
            let (below, equal) = self.ranks_below(sw, inner.south, sets);
            join(lanes, nw, sw, inner, sets, [None, One], sets - below..sets, four);
            join(lanes, nw, sw, inner, sets, [None, One], sets - below - equal..sets - below, two);
        }
        if self.classes[2] {
            join(lanes, nw, sw, inner, sets, [One; 2], 0..sets, four);
        }
    }

    /// How many column sets of a signature are smaller than the row set, and whether the next is the same.
    fn ranks_below(&self, part: &Part, signature: usize, sets: usize) -> (usize, usize) {
        if sets == 0 {
            return (0, 0);
        }
        let count = part.rows.count_ones() as usize;
        let outer = self.shape.outer(count, signature).expect("there are such sets");
        let inner = self.shape.inner(count, signature);
        let low = inner.iter().enumerate().map(|(column, &row)| u32::from(row > 0) << column).sum::<u32>();
        let columns = |set: u32| set << self.shape.depth | low;
        let subsets = &self.subsets[outer];
        let below = subsets.partition_point(|&set| columns(set) < part.rows);
        let equal = subsets.get(below).is_some_and(|&set| columns(set) == part.rows);
        (below, equal.into())
    }
}

/// The number of subsets of size `k` of a set of size `n`.
fn choose(n: usize, k: usize) -> usize {
    if k > n { 0 } else { (0..k).fold(1, |product, i| product * (n - i) / (i + 1)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lanes::Portable;
    use crate::plan::Plan;
    use crate::plan::halves::HalvesPlan;

    /// The rows, from 0, of every solution, by plain recursion.
    fn solutions(n: usize) -> Vec<Vec<usize>> {
        let mut boards = vec![vec![]];
        for _ in 0..n {
            let fits = |board: &Vec<usize>, row: usize| {
                board.iter().rev().enumerate().all(|(back, &other)| other != row && other.abs_diff(row) != back + 1)
            };
            boards = boards
                .iter()
                .flat_map(|board| (0..n).filter(|&row| fits(board, row)).map(|row| [&board[..], &[row]].concat()))
                .collect();
        }
        boards
    }

    /// Queens on the two long diagonals.
    fn on_long_diagonals(board: &[usize]) -> usize {
        let n = board.len();
        board.iter().enumerate().filter(|&(column, &row)| row == column || row + column == n - 1).count()
    }

    fn weighted(join: &Join<Portable>, plan: &HalvesPlan, wanted: impl Fn(Middle) -> bool) -> u64 {
        let mut worker = join.worker();
        (0..plan.units())
            .flat_map(|unit| plan.unit(unit))
            .filter(|weighted| wanted(weighted.task.middle))
            .map(|weighted| weighted.weight * join.count(&mut worker, &weighted.task))
            .sum()
    }

    /// Even N: each reduction by quarter turns, mirror and diagonal reflection by itself.
    #[test]
    fn classes_of_even_boards_agree_with_enumeration() {
        for n in [6, 8, 10, 12] {
            let size = Size::new(n).unwrap();
            let (plan, boards) = (HalvesPlan::new(size), solutions(n));
            for queens in 0..=2 {
                let mut join = Join::new(size, Portable);
                join.classes = [0, 1, 2].map(|class| class == queens);
                let expected = boards.iter().filter(|board| on_long_diagonals(board) == queens).count();
                let count = weighted(&join, &plan, |_| true);
                assert_eq!(count, expected as u64, "N = {n}, {queens} queens on the long diagonals");
            }
            assert_eq!(weighted(&Join::new(size, Portable), &plan, |_| true), boards.len() as u64, "N = {n}");
        }
    }

    /// Odd N: the queen in the centre, and each pair of middle queens with all its images.
    #[test]
    fn classes_of_odd_boards_agree_with_enumeration() {
        for n in [5, 7, 9, 11] {
            let size = Size::new(n).unwrap();
            let (plan, boards, half) = (HalvesPlan::new(size), solutions(n), n / 2);
            let join = Join::new(size, Portable);
            let crossing = |board: &Vec<usize>| {
                let row = board.iter().position(|&row| row == half).unwrap();
                let mut distances = [board[half].abs_diff(half), row.abs_diff(half)];
                distances.sort_unstable();
                distances
            };
            let count = |distances: [usize; 2]| boards.iter().filter(|board| crossing(board) == distances).count();
            assert_eq!(weighted(&join, &plan, |middle| middle == Middle::Centre), count([0, 0]) as u64, "N = {n}");
            for column in 1..=half as u8 {
                for row in column + 1..=half as u8 {
                    let found = weighted(&join, &plan, |middle| middle == Middle::Crossed { column, row });
                    assert_eq!(found, count([column.into(), row.into()]) as u64, "N = {n}, {column} and {row}");
                }
            }
        }
    }
}
