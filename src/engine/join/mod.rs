//! Counting by joining half boards.
//!
//! Backtracking visits every solution; this engine never sees one. It cuts the board down the middle, lists what can
//! be in the east half and in the west half, and counts the pairs that get along, hundreds to an instruction.
//!
//! # The method
//!
//! Let N = 2h. Choose the set R of h rows whose queens are in the east; the west has the others. Given R, rows and
//! columns never clash, so an east and a west half attack each other only along diagonals that cross the middle:
//! 2(2h-1) of them, the *keys*. A half is the set of keys its queens hold, one word, and
//!
//! ```text
//! Q(N)  =  Σ  #{ (e, w) : e ∈ East(R), w ∈ West(R), keys(e) ∩ keys(w) = ∅ }
//!          R
//!
//!            west  |  east
//!          . . . . | . Q . .      x + y = const ↗ and y - x = const ↘ through
//!          . . Q . ↗ . . . .      the middle line are the keys: the east queen
//!          . . . ↗ | . . . .      in the first row holds one that the west queen
//!          Q . ↗ . | . . . .      in the second row would have to share.
//! ```
//!
//! A task is one R and takes four steps:
//!
//! 1. [`quadrant`]: the placements of queens in given rows of a quadrant, in tables made once for all tasks
//!    ([`table`]), as [`keys`].
//! 2. [`half`]: north and south quadrants with complementary columns joined into halves; about one trial in three fits.
//! 3. [`split`](super::split): the lists cut by their innermost queens, each of which rules out most of the other list.
//! 4. [`lanes`](crate::engine::lanes): what is left matched, 512 pairs in about five cycles.
//!
//! Odd N = 2h+1 places the queens of the middle column and the middle row first and joins what is left of the quadrants;
//! see [`crate::plan::halves`] for these and for the symmetry of row sets.
//!
//! # All eight symmetries
//!
//! Upside down is in the weight of a task. For even N the rest is in the halves themselves. A long diagonal holds at
//! most one queen, and a quarter turn moves the four arms of the long diagonals round. So only east halves without a
//! queen on an arm are listed, and a solution with
//!
//! - two such queens is counted in that one of its four quarter turns that has both in the west: weight 4;
//! - one is counted in the two turns that have it in the west, weight 2. One more reduction: the mirror in the long
//!   diagonal that it is on keeps its quadrant in place and exchanges rows and columns there, so that the quadrant's
//!   row set S and column set C change places. Only C ≤ S is kept, at weight 4, and weight 2 where C = S. (In the
//!   north-west of N = 8, S = {0, 2} and C = {0, 1} are kept and stand for S = {0, 1} and C = {0, 2} too.);
//! - none is counted in the task of R or of its complement, which the east-west mirror exchanges: weight 2 or 0, or 1
//!   in each where they are upside-down images ([`Halves::mirror`]).
//!
//! For odd N with crossed middle queens every task weighs 8 and nothing is left to do.
//!
//! # Cost
//!
//! For N = 20 on one core of a Zen 5 with AVX-512 a task takes about a million cycles: listing 36,000 halves one sixth,
//! cutting them a tenth, matching in 110,000 look-ups of 512 lanes a half (`cargo bench --bench join_steps` measures
//! each step; `benches/join-steps.json` has a run). Each N+2 has about four times as many tasks, seven times as long
//! lists and a hundred times the pairs, but pruning keeps the growth of the whole near that of backtracking: 35-fold
//! from 18 to 20 and 80-fold from 20 to 22. Memory is the quadrants, 130 MB at N = 20, and from N = 22 on, where they are
//! made for each task, a few lists for each thread; at N = 28 these are made in pieces ([`Longest`]) and the quadrants
//! one innermost queen at a time, which is 350 MB a thread in the first tasks, where one task took 1,180.
//!
//! # What did not help
//!
//! - The build side split in three by the weight of its halves: 57 % of the lanes were filled. Now the side without
//!   classes is the build side and the probe side comes in lists of one weight.
//! - Lists split by single keys rather than by queens: after ten splits 0.09 of the pairs were left, against 0.05.
//! - East and west in the same roles for every N: with crossed middle queens the east has a queen more and five times
//!   the halves. Tables for the long list cost more than all look-ups; N = 17 and 19 took twice as long.
//! - Runs of a quadrant list joined set by set: most runs hold one to ten placements, and the loop over sets cost more
//!   than the pairs. Streaming the shorter list placement by placement halved the listing at N = 18.
//! - Asking for the next task's quadrants ahead (1.01 at N = 18, 0.96 at 17), and longer runs of them joined without a
//!   branch (0.99 to 1.01): listing waits for neither.
//! - Narrow blocks transposed by GFNI too (0.97 to 1.00).
//! - Both sides in order by the two keys that most of both hold, so that a block of lanes that all hold one skips the
//!   queries that hold it too: 0.93 to 1.08 of the time at N = 24 to 28, with AVX-512 on Zen 4. Keys chosen for each call,
//!   by a sample of 31 patterns a side, leave 0.70 of the look-ups at N = 26 and 0.65 at 24, but to put both sides in order
//!   takes what that saves. Keys chosen once for a task leave 0.76 to 0.83, for what the cuts leave has other dense keys;
//!   then lists keep their order through all cuts, but four times as many parts are to be kept apart and at last brought
//!   together. To leave such keys out of the windows (the lanes that hold them are the same for all queries of a class)
//!   took as much for the many short runs as it saved, and a third key made it 1.07 times as long.
//! - Turning whole lists from one corner's orientation into another's for each task: 40 % of N = 17. Tables are now made
//!   in the orientation they are used in.

mod half;
mod keys;
mod quadrant;
mod table;

use self::half::{Half, Inner, Outer, inner_queens};
use self::keys::{Keys, Side};
use self::quadrant::LongDiagonal::{Free, Taken};
use self::table::{QuadrantTables, Quadrants, Role};
use crate::board::Size;
use crate::engine::Engine;
use crate::engine::lanes::{Cost, Lanes};
use crate::engine::split::{Grouped, Listed, MAX_DEPTH, Model, Splitter};
use crate::plan::halves::{Halves, Middle, SHARED_EAST};

/// Lists of the probe side that are counted apart because they weigh differently.
const WEIGHTS: usize = 3;

/// Share of a list that one queen of the other half leaves (0.38 to 0.45 for N = 16 to 20).
const SURVIVORS: f64 = 0.42;

/// How many halves are listed at a time, about. Longer lists are made in pieces, and the probe side anew for each piece
/// of the build side.
#[derive(Clone, Copy, Debug)]
struct Longest {
    build: usize,
    probe: usize,
}

/// Only N = 28 has longer ones, of 20 to 90 million on the build side and up to 20 million an innermost queen on the
/// probe side, and a few row sets of N = 26. There every piece but the first costs 1.4 s, for the probe side is listed
/// again, of the 5 minutes that the largest tasks take.
const LONGEST: Longest = Longest { build: 12 << 20, probe: 6 << 20 };

/// The engine `join`, for one size of board and one instruction set.
#[derive(Debug)]
pub struct Join<L> {
    lanes: L,
    cost: Cost,
    tables: QuadrantTables,
    longest: Longest,
    /// Which solutions of an even board are counted, by queens on long diagonals: all, but where a test asks for a class.
    classes: [bool; 3],
    /// Where their inner queens may be: anywhere, but where a test asks for a part of a task.
    inner_squares: Option<InnerSquares>,
    #[cfg(test)]
    fault: crate::engine::fault::Fault,
}

/// For the west and the east half of a board, and each of its inner columns, the rows that its queen may be in, north
/// and south of the middle: bit i is the i-th from there.
pub(crate) type InnerSquares = [[[u32; 2]; MAX_DEPTH]; 2];

impl<L: Lanes> Join<L> {
    /// The engine for boards of this size.
    pub fn new(size: Size, lanes: L) -> Self {
        Self {
            lanes,
            cost: L::COST,
            tables: QuadrantTables::new(size, L::COST.wide.lanes),
            longest: LONGEST,
            classes: [true; 3],
            inner_squares: None,
            #[cfg(test)]
            fault: crate::engine::fault::here(),
        }
    }
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct Worker {
    quadrants: Quadrants,
    build_inner: Vec<Inner>,
    build: Listed<1>,
    probe_inner: Vec<Inner>,
    probe: Listed<WEIGHTS>,
    /// Odd N: the east halves without regard to the middle row's queen, and for which middle column and east rows, north
    /// and south. `probe_inner` is good as long as they are.
    east: Grouped,
    east_of: Option<(u8, [u32; 2])>,
    splitter: Splitter<WEIGHTS>,
}

impl<L: Lanes> Engine for Join<L> {
    type Task = Halves;
    type Worker = Worker;

    fn worker(&self) -> Worker {
        Worker::default()
    }

    fn count(&self, worker: &mut Worker, task: &Halves) -> u64 {
        let keys = worker.quadrants.prepare(&self.tables, task);
        self.list_inner(&worker.quadrants, &keys, Role::Build, &mut worker.build_inner);
        self.list_probe_inner(worker, &keys, task);
        let half = usize::from(task.half);
        // The queen of column c has about `half` - c rows to choose from. The probe side comes one innermost queen at a
        // time.
        let rows: [f64; MAX_DEPTH] = std::array::from_fn(|column| (half - column.min(half - 1)) as f64);
        let branching = [rows, [1.0, rows[1], rows[2], rows[3]]];
        let model = Model { cost: self.cost, survivors: SURVIVORS, branching };

        let mut counts = [0u64; WEIGHTS];
        let mut built = 0;
        while built < worker.build_inner.len() {
            built += self.list_build(worker, built);
            let mut probed = 0;
            while probed < worker.probe_inner.len() {
                probed += self.list_probe(worker, &keys, task, probed);
                let Worker { build, probe, splitter, .. } = worker;
                let more = splitter.count(self.lanes, &model, build, probe);
                for (count, more) in counts.iter_mut().zip(more) {
                    *count += more;
                }
            }
        }
        // No sum can wrap: at N = 28 the sides of a task have less than 2^28 and 2^30 halves.
        #[cfg(test)]
        let counts = [counts[0] + self.too_many(task), counts[1], counts[2]];
        if task.middle == Middle::None { 4 * counts[0] + 2 * counts[1] + counts[2] } else { counts[0] }
    }
}

/// Whether two halves agree in the queen of the innermost column.
fn same_innermost(a: &Inner, b: &Inner) -> bool {
    a.keys[0] == b.keys[0]
}

/// Appends halves with these inner queens, a group each, until there are `longest` or more. Returns how many groups.
fn list_groups<L: Lanes>(lanes: L, half: &Half, inner: &[Inner], longest: usize, out: &mut Grouped) -> usize {
    for (index, inner) in inner.iter().enumerate() {
        half.list(lanes, inner, &mut out.patterns);
        out.close(lanes);
        if out.patterns.len() >= longest {
            return index + 1;
        }
    }
    inner.len()
}

impl<L: Lanes> Join<L> {
    /// All ways to place the inner queens of a side.
    fn list_inner(&self, quadrants: &Quadrants, keys: &Keys, role: Role, out: &mut Vec<Inner>) {
        let (shape, rows) = quadrants.shape(role);
        inner_queens(keys, shape, rows, out);
        if let Some(squares) = &self.inner_squares {
            let squares = &squares[usize::from(!quadrants.is_west(role))];
            out.retain(|inner| inner.is_within(squares, rows));
        }
    }

    /// All ways to place the inner queens of the probe side. The east of an odd board is listed with them, once for all
    /// places of the middle row's queen as long as they follow one another, and then filtered.
    fn list_probe_inner(&self, worker: &mut Worker, keys: &Keys, task: &Halves) {
        let Worker { quadrants, probe_inner, east, east_of, .. } = worker;
        let of = match task.middle {
            Middle::Crossed { column, .. } => Some((column, [task.north, task.south])),
            Middle::None | Middle::Centre => None,
        };
        if of.is_some() && *east_of == of {
            return;
        }
        *east_of = of;
        self.list_inner(quadrants, keys, Role::Probe, probe_inner);
        if of.is_some() && shares_east(task) {
            east.clear();
            for queen in probe_inner.chunk_by(same_innermost) {
                let half = quadrants.half(&self.tables, Role::Probe, &queen[0]);
                list_groups(self.lanes, &half, queen, usize::MAX, east);
            }
        }
    }

    /// Lists halves of the build side with the inner queens from `start` on, a group each, until the list is long.
    /// Returns how many groups.
    fn list_build(&self, worker: &mut Worker, start: usize) -> usize {
        let Worker { quadrants, build_inner, build, .. } = worker;
        let (inner, [out]) = (&build_inner[start..], &mut build.lists);
        out.clear();
        let mut listed = 0;
        for queen in inner.chunk_by(same_innermost) {
            let half = quadrants.half(&self.tables, Role::Build, &queen[0]);
            listed += list_groups(self.lanes, &half, queen, self.longest.build, out);
            // Room for all that is to come, for a list that grows by doubling has its former self beside it for a while.
            let expected = out.patterns.len() * inner.len() / listed;
            out.patterns.reserve(expected.min(self.longest.build).saturating_sub(out.patterns.len()));
            if out.patterns.len() >= self.longest.build {
                break;
            }
        }
        build.name(inner[..listed].iter().map(|inner| inner.keys));
        listed
    }

    /// Lists halves of the probe side with the inner queens from `start` on, a group each: those of one innermost queen,
    /// so that the lists stay small, or fewer where they are long. Returns how many groups.
    fn list_probe(&self, worker: &mut Worker, keys: &Keys, task: &Halves, start: usize) -> usize {
        let Worker { quadrants, probe_inner, probe, east, .. } = worker;
        let queen = probe_inner[start..].chunk_by(same_innermost).next().expect("there is one left");
        let lists = &mut probe.lists;
        lists.iter_mut().for_each(Grouped::clear);
        let longest = self.longest.probe;
        let listed = if let Middle::Crossed { row, .. } = task.middle {
            let groups = if shares_east(task) {
                start..start + queen.len()
            } else {
                east.clear();
                let half = quadrants.half(&self.tables, Role::Probe, &queen[0]);
                0..list_groups(self.lanes, &half, queen, longest, east)
            };
            lists[0].retain(self.lanes, east, groups.clone(), keys.middle_row_queen(row));
            groups.len()
        } else {
            let half = quadrants.half(&self.tables, Role::Probe, &queen[0]);
            if task.middle == Middle::None {
                self.list_west(&half, queen, task.mirror(), lists)
            } else {
                list_groups(self.lanes, &half, queen, longest, &mut lists[0])
            }
        };
        if task.middle != Middle::None {
            lists[1..].iter_mut().for_each(|list| list.clear_groups(listed));
        }
        probe.name(queen[..listed].iter().map(|inner| inner.keys));
        listed
    }

    /// Lists west halves of an even board with these inner queens, apart by what they weigh, a group each, until the
    /// lists are long. Returns how many groups.
    fn list_west(&self, half: &Half, inner: &[Inner], mirror: u64, west: &mut [Grouped; WEIGHTS]) -> usize {
        for (index, inner) in inner.iter().enumerate() {
            self.list_west_group(half, inner, mirror, west);
            for list in west.iter_mut() {
                list.close(self.lanes);
            }
            if west.iter().map(|list| list.patterns.len()).sum::<usize>() >= self.longest.probe {
                return index + 1;
            }
        }
        inner.len()
    }

    /// Lists the west halves of a group, apart by what they weigh: 4, 2 and 1.
    fn list_west_group(&self, half: &Half, inner: &Inner, mirror: u64, west: &mut [Grouped; WEIGHTS]) {
        let [four, two, one] = west.each_mut().map(|list| &mut list.patterns);
        let (lanes, sets) = (self.lanes, inner.sets);
        let list = |diagonals, ranks, out: &mut Vec<u64>| half.list_some(lanes, inner, Outer { diagonals, ranks }, out);
        // No queen on a long diagonal: as the mirror has it.
        if self.classes[0] {
            match mirror {
                2 => half.list(lanes, inner, two),
                1 => half.list(lanes, inner, one),
                _ => {}
            }
        }
        if self.classes[1] {
            let (below, equal) = half.ranks_below(Side::North, inner);
            list([Taken, Free], 0..below, four);
            list([Taken, Free], below..below + equal, two);
            let (below, equal) = half.ranks_below(Side::South, inner);
            list([Free, Taken], sets - below..sets, four);
            list([Free, Taken], sets - below - equal..sets - below, two);
        }
        if self.classes[2] {
            list([Taken, Taken], 0..sets, four);
        }
    }
}

/// Whether the east is listed once for all places of the middle row's queen.
fn shares_east(task: &Halves) -> bool {
    usize::from(task.half) <= SHARED_EAST
}

#[cfg(test)]
impl<L: Lanes> Join<L> {
    /// What a test makes it find too many of the class that weighs most.
    fn too_many(&self, task: &Halves) -> u64 {
        let n = 2 * usize::from(task.half) + usize::from(task.middle != Middle::None);
        (self.fault)(n, std::any::type_name::<L>(), u64::from(task.north) << 32 | u64::from(task.south))
    }

    /// Inner columns of the west and of the east.
    pub(crate) fn depths(&self, middle: Middle) -> [usize; 2] {
        self.tables.depths(middle)
    }

    /// The same engine for parts of tasks that are too large for a test, those with their inner queens on these squares:
    /// what is particular to large boards is done for these as for the whole. The lists are in pieces where `pieces` is set.
    /// From one such part of a task to another a worker must [forget](Worker::forget_east) the first.
    pub(crate) fn of_part(mut self, inner_squares: InnerSquares, pieces: bool) -> Self {
        if pieces {
            self.longest = Longest { build: 1 << 14, probe: 1 << 12 };
        }
        Self { inner_squares: Some(inner_squares), ..self }
    }
}

#[cfg(test)]
impl Worker {
    /// Forgets what it keeps for other places of the middle row's queen.
    pub(crate) fn forget_east(&mut self) {
        self.east_of = None;
    }
}

#[cfg(test)]
mod tests {
    use super::table::{CachePolicy, Depths};
    use super::*;
    use crate::engine::lanes::Portable;
    use crate::engine::split::ENDLESS_MATCHING;
    use crate::plan::Plan;
    use crate::plan::halves::HalvesPlan;

    /// Pieces of lists as short as those of small boards.
    const SHORT: Longest = Longest { build: 30, probe: 20 };

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
                let mut join = Join::new(size, Portable::new());
                join.classes = [0, 1, 2].map(|class| class == queens);
                let expected = boards.iter().filter(|board| on_long_diagonals(board) == queens).count();
                let count = weighted(&join, &plan, |_| true);
                assert_eq!(count, expected as u64, "N = {n}, {queens} queens on the long diagonals");
            }
            assert_eq!(weighted(&Join::new(size, Portable::new()), &plan, |_| true), boards.len() as u64, "N = {n}");
        }
    }

    /// However the lists are cut and whether quadrants are kept or not: what only pays for boards too large for a test
    /// is right on small ones.
    #[test]
    fn cuts_and_tables_change_nothing() {
        const DEPTHS: [Depths; 12] = [
            |_, _| (0, 0),
            |_, _| (0, 1),
            |_, _| (1, 0),
            |_, _| (1, 1),
            |_, _| (1, 2),
            |_, _| (2, 1),
            |_, _| (2, 2),
            |_, _| (2, 3),
            |_, _| (3, 3),
            |_, _| (4, 0),
            |_, _| (0, 4),
            |_, _| (4, 4),
        ];
        for n in 8..=13 {
            let size = Size::new(n).unwrap();
            let (plan, expected) = (HalvesPlan::new(size), crate::oeis::QUEENS.term(n).unwrap());
            for (index, depths) in DEPTHS.into_iter().enumerate() {
                for always in [false, true] {
                    // Each depth with every way to keep quadrants and with lists whole and in pieces, as n grows.
                    let cache =
                        [CachePolicy::All, CachePolicy::Souths(1 + index % 3), CachePolicy::Parts][(n + index) % 3];
                    let tables = QuadrantTables::otherwise(size, depths, cache);
                    let longest = if (n + usize::from(always)) % 2 == 0 { LONGEST } else { SHORT };
                    let cost = if always { ENDLESS_MATCHING } else { Portable::COST };
                    let join = Join { cost, tables, longest, ..Join::new(size, Portable::new()) };
                    let found = weighted(&join, &plan, |_| true);
                    assert_eq!(u128::from(found), expected, "N = {n}, depths {index}, always {always}");
                }
            }
        }
    }

    /// A worker keeps the east for the places of the middle row's queen, and no longer than it is good: where tasks come in
    /// another order than that of the plan, as in an audit, it counts the same.
    #[test]
    fn the_order_of_tasks_changes_nothing() {
        let size = Size::new(9).unwrap();
        // With inner queens, which smaller boards have only where a test asks for them.
        let tables = QuadrantTables::otherwise(size, |_, _| (1, 1), CachePolicy::All);
        let (plan, join) = (HalvesPlan::new(size), Join { tables, ..Join::new(size, Portable::new()) });
        let tasks = || (0..plan.units()).flat_map(|unit| plan.unit(unit)).map(|weighted| weighted.task);
        let centred: Vec<Halves> = tasks().filter(|task| task.middle == Middle::Centre).collect();
        let mut worker = join.worker();
        for (task, between) in tasks().zip(centred.iter().cycle()) {
            let [expected, expected_between] = [&task, between].map(|task| join.count(&mut join.worker(), task));
            let found = [&task, between, &task].map(|task| join.count(&mut worker, task));
            assert_eq!(found, [expected, expected_between, expected], "{task:?}, {between:?}");
        }
    }

    /// Odd N: the queen in the centre, and each pair of middle queens with all its images.
    #[test]
    fn classes_of_odd_boards_agree_with_enumeration() {
        for n in [5, 7, 9, 11] {
            let size = Size::new(n).unwrap();
            let (plan, boards, half) = (HalvesPlan::new(size), solutions(n), n / 2);
            let join = Join::new(size, Portable::new());
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
