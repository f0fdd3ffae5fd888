//! Counting by joining half boards.
//!
//! Backtracking visits every solution; this engine never sees one. It cuts the board down the middle, lists what can
//! stand in the east half and in the west half, and counts the pairs that get along, hundreds to an instruction.
//!
//! # The method
//!
//! Let N = 2h. Choose the set R of h rows whose queens stand in the east; the west has the others. Given R, rows and
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
//! A task is one R and takes four steps, each a file:
//!
//! 1. [`quadrant`]: the placements of queens in given rows of a quadrant, in tables made once for all tasks
//!    ([`table`]), as [`keys`].
//! 2. [`half`]: north and south quadrants with complementary columns joined into halves; about one trial in three fits.
//! 3. [`split`]: the lists cut by their innermost queens, each of which rules out most of the other list.
//! 4. [`lanes`](crate::engine::lanes): what is left matched, 512 pairs in about five cycles.
//!
//! Odd N = 2h+1 sets the queens of the middle column and the middle row first and joins what is left of the quadrants;
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
//!   diagonal that it stands on keeps its quadrant in place and exchanges rows and columns there, so that the quadrant's
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
//! - Lanes split in three by the weight of their halves: 57 % of the lanes were filled. Now the side without classes is
//!   the lanes and the queries come in lists of one weight.
//! - Lists split by single keys rather than by queens: after ten splits 0.09 of the pairs were left, against 0.05.
//! - East and west in the same roles for every N: with crossed middle queens the east has a queen more and five times
//!   the halves. Tables for the long list cost more than all queries; N = 17 and 19 took twice as long.
//! - Runs of a quadrant list joined set by set: most runs hold one to ten placements, and the loop over sets cost more
//!   than the pairs. Streaming the shorter list placement by placement halved the listing at N = 18.
//! - Asking for the next task's quadrants ahead (1.01 at N = 18, 0.96 at 17), and longer runs of them joined without a
//!   branch (0.99 to 1.01): listing waits for neither.
//! - Narrow blocks transposed by GFNI too (0.97 to 1.00).
//! - Turning whole lists from one corner's orientation into another's for each task: 40 % of N = 17. Tables are now made
//!   in the orientation they are used in.

mod half;
mod keys;
mod quadrant;
mod split;
mod table;

use self::half::{Half, Inner, Outer, inner_queens};
use self::keys::{Keys, Side};
use self::quadrant::LongDiagonal::{Free, Taken};
use self::split::{Grouped, Model, Part, Queens, Splitter, WEIGHTS};
use self::table::{Lists, Role, Tables};
use crate::board::Size;
use crate::engine::Engine;
use crate::engine::lanes::Lanes;
use crate::plan::halves::{Halves, Middle, SHARED_EAST};

/// How many halves are listed at a time, about. Longer lists are made in pieces, and the queries anew for each piece of
/// the lanes.
#[derive(Clone, Copy, Debug)]
struct Longest {
    lanes: usize,
    queries: usize,
}

/// Only N = 28 has longer ones, of 20 to 90 million lanes and up to 20 million queries an innermost queen, and a few row
/// sets of N = 26. There every piece but the first costs 1.4 s, for its queries are listed again, of the 5 minutes that
/// the largest tasks take.
const LONGEST: Longest = Longest { lanes: 12 << 20, queries: 6 << 20 };

/// The engine `join`, for one size of board and one instruction set.
#[derive(Debug)]
pub struct Join<L> {
    lanes: L,
    tables: Tables,
    longest: Longest,
    /// Which solutions are counted, by queens on long diagonals.
    #[cfg(test)]
    classes: [bool; 3],
    /// Where their inner queens stand.
    #[cfg(test)]
    inner_squares: InnerSquares,
    #[cfg(test)]
    fault: crate::engine::fault::Fault,
}

/// For the west and the east half of a board, and each of its inner columns, the rows that its queen may stand in, north
/// and south of the middle: bit i is the i-th from there.
#[cfg(test)]
pub(crate) type InnerSquares = [[[u32; 2]; quadrant::MAX_DEPTH]; 2];

impl<L: Lanes> Join<L> {
    /// The engine for boards of this size.
    pub fn new(size: Size, lanes: L) -> Self {
        Self {
            lanes,
            tables: Tables::new(size, L::LANES),
            longest: LONGEST,
            #[cfg(test)]
            classes: [true; 3],
            #[cfg(test)]
            inner_squares: [[[!0; 2]; quadrant::MAX_DEPTH]; 2],
            #[cfg(test)]
            fault: crate::engine::fault::here(),
        }
    }
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub struct Worker {
    lists: Lists,
    lane_inner: Vec<Inner>,
    lanes: [Grouped; 1],
    lane_queens: Vec<Queens>,
    /// Odd N: the east halves without regard to the middle row's queen, and of which task.
    east: Grouped,
    east_of: Option<(Middle, [u32; 2])>,
    /// Odd N: good as long as `east_of` is.
    query_inner: Vec<Inner>,
    queries: [Grouped; WEIGHTS],
    query_queens: Vec<Queens>,
    splitter: Splitter,
}

impl<L: Lanes> Engine for Join<L> {
    type Task = Halves;
    type Worker = Worker;

    fn worker(&self) -> Worker {
        Worker::default()
    }

    fn count(&self, worker: &mut Worker, task: &Halves) -> u64 {
        let Worker {
            lists,
            lane_inner,
            lanes,
            lane_queens,
            east,
            east_of,
            query_inner,
            queries,
            query_queens,
            splitter,
        } = worker;
        let keys = lists.prepare(&self.tables, task);
        let model = Model { block: L::LANES, narrow: L::NARROW, half: task.half.into() };
        self.list_inner(lists, &keys, Role::Lanes, lane_inner);

        // The east of odd boards is listed once for all places of the middle row's queen, as long as they follow one
        // another, and then filtered.
        let shared = usize::from(task.half) <= SHARED_EAST;
        let mut middle_queen = 0;
        if let Middle::Crossed { column, row } = task.middle {
            middle_queen = keys.middle_row_queen(row);
            let of = (Middle::Crossed { column, row: 0 }, [task.north, task.south]);
            if *east_of != Some(of) {
                *east_of = Some(of);
                self.list_inner(lists, &keys, Role::Queries, query_inner);
                east.clear();
                if shared {
                    for queen in query_inner.chunk_by(same_innermost) {
                        let half = lists.half(&self.tables, Role::Queries, &queen[0]);
                        list_groups(self.lanes, &half, queen, usize::MAX, east);
                    }
                }
            }
        } else {
            *east_of = None;
            self.list_inner(lists, &keys, Role::Queries, query_inner);
        }
        let mut counts = [0u64; WEIGHTS];
        let mut lanes_left = &lane_inner[..];
        while !lanes_left.is_empty() {
            lanes[0].clear();
            let listed = self.list_lanes(lists, lanes_left, &mut lanes[0]);
            lane_queens.clear();
            lane_queens.extend(lanes_left[..listed].iter().map(|inner| inner.keys));
            lanes_left = &lanes_left[listed..];
            let lanes = Part { lists: lanes, groups: 0..listed, queens: lane_queens, cut: 0 };

            // The queries of one innermost queen at a time, so that their lists stay small.
            let mut start = 0;
            while start < query_inner.len() {
                let queen = query_inner[start..].chunk_by(same_innermost).next().expect("there is one left");
                let listed = if let Middle::Crossed { .. } = task.middle {
                    let groups = if shared {
                        start..start + queen.len()
                    } else {
                        east.clear();
                        let half = lists.half(&self.tables, Role::Queries, &queen[0]);
                        0..list_groups(self.lanes, &half, queen, self.longest.queries, east)
                    };
                    let listed = groups.len();
                    queries[0].keep(self.lanes, east, groups, middle_queen);
                    queries[1..].iter_mut().for_each(|list| list.clear_groups(listed));
                    listed
                } else {
                    queries.iter_mut().for_each(Grouped::clear);
                    let half = lists.half(&self.tables, Role::Queries, &queen[0]);
                    if task.middle == Middle::None {
                        self.list_west_by_weight(&half, queen, task.mirror(), queries)
                    } else {
                        let listed = list_groups(self.lanes, &half, queen, self.longest.queries, &mut queries[0]);
                        queries[1..].iter_mut().for_each(|list| list.clear_groups(listed));
                        listed
                    }
                };
                query_queens.clear();
                query_queens.extend(queen[..listed].iter().map(|inner| inner.keys));
                start += listed;
                let queries = Part { lists: queries, groups: 0..listed, queens: query_queens, cut: 0 };
                let more = splitter.count(self.lanes, model, &lanes, &queries);
                for (count, more) in counts.iter_mut().zip(more) {
                    *count += more;
                }
            }
        }
        // No sum can wrap: at N = 28 a task has less than 2^28 lanes and 2^30 queries.
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
    /// All ways to set the inner queens of the lanes or the queries; where a test counts a part of a task, those of it.
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "only a test has parts"))]
    fn list_inner(&self, lists: &Lists, keys: &Keys, role: Role, out: &mut Vec<Inner>) {
        let (shape, rows) = lists.shape(role);
        inner_queens(keys, shape, rows, out);
        #[cfg(test)]
        out.retain(|inner| inner.stands_on(&self.inner_squares[usize::from(!lists.is_west(role))], rows));
    }

    /// What a test makes it find too many of the class that weighs most.
    #[cfg(test)]
    fn too_many(&self, task: &Halves) -> u64 {
        let n = 2 * usize::from(task.half) + usize::from(task.middle != Middle::None);
        (self.fault)(n, std::any::type_name::<L>(), u64::from(task.north) << 32 | u64::from(task.south))
    }

    /// Lists halves with these inner queens, a group each, until the list is long. Returns how many groups.
    fn list_lanes(&self, lists: &mut Lists, inner: &[Inner], out: &mut Grouped) -> usize {
        let mut listed = 0;
        for queen in inner.chunk_by(same_innermost) {
            let half = lists.half(&self.tables, Role::Lanes, &queen[0]);
            listed += list_groups(self.lanes, &half, queen, self.longest.lanes, out);
            // Room for all that is to come, for a list that grows by doubling has its former self beside it for a while.
            let expected = out.patterns.len() * inner.len() / listed;
            out.patterns.reserve(expected.min(self.longest.lanes).saturating_sub(out.patterns.len()));
            if out.patterns.len() >= self.longest.lanes {
                break;
            }
        }
        listed
    }

    /// Lists west halves of an even board with these inner queens, apart by what they weigh, a group each, until the
    /// lists are long. Returns how many groups.
    fn list_west_by_weight(&self, half: &Half, inner: &[Inner], mirror: u64, west: &mut [Grouped; WEIGHTS]) -> usize {
        for (index, inner) in inner.iter().enumerate() {
            self.list_west_group(half, inner, mirror, west);
            for list in west.iter_mut() {
                list.close(self.lanes);
            }
            if west.iter().map(|list| list.patterns.len()).sum::<usize>() >= self.longest.queries {
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
        if self.counts(0) {
            match mirror {
                2 => half.list(lanes, inner, two),
                1 => half.list(lanes, inner, one),
                _ => {}
            }
        }
        if self.counts(1) {
            let (below, equal) = half.ranks_below(Side::North, inner);
            list([Taken, Free], 0..below, four);
            list([Taken, Free], below..below + equal, two);
            let (below, equal) = half.ranks_below(Side::South, inner);
            list([Free, Taken], sets - below..sets, four);
            list([Free, Taken], sets - below - equal..sets - below, two);
        }
        if self.counts(2) {
            list([Taken, Taken], 0..sets, four);
        }
    }

    /// Whether solutions with so many queens on long diagonals are counted: all are, but where a test asks for a class.
    #[cfg(test)]
    fn counts(&self, queens: usize) -> bool {
        self.classes[queens]
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "as above")]
    const fn counts(&self, _queens: usize) -> bool {
        true
    }
}

/// Parts of tasks that are too large for a test: what is particular to large boards is done for these as for the whole.
#[cfg(test)]
impl<L: Lanes> Join<L> {
    /// Inner columns of the west and of the east.
    pub(crate) fn depths(&self, middle: Middle) -> [usize; 2] {
        self.tables.depths(middle)
    }

    /// The same engine for what has its inner queens on these squares, whose lists are in pieces where `pieces` is set. From
    /// one such part of a task to another a worker must [forget](Worker::forget_east) the first.
    pub(crate) fn of_part(mut self, inner_squares: InnerSquares, pieces: bool) -> Self {
        if pieces {
            self.longest = Longest { lanes: 1 << 14, queries: 1 << 12 };
        }
        Self { inner_squares, ..self }
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
    use super::table::{Depths, Keep};
    use super::*;
    use crate::engine::lanes::Portable;
    use crate::plan::Plan;
    use crate::plan::halves::HalvesPlan;

    /// Pieces of lists as short as those of small boards.
    const SHORT: Longest = Longest { lanes: 30, queries: 20 };

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
        summed(join, &mut join.worker(), plan, wanted)
    }

    fn summed(join: &Join<Portable>, worker: &mut Worker, plan: &HalvesPlan, wanted: impl Fn(Middle) -> bool) -> u64 {
        (0..plan.units())
            .flat_map(|unit| plan.unit(unit))
            .filter(|weighted| wanted(weighted.task.middle))
            .map(|weighted| weighted.weight * join.count(worker, &weighted.task))
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
                    let keep = [Keep::All, Keep::Souths(1 + index % 3), Keep::Parts][(n + index) % 3];
                    let tables = Tables::otherwise(size, depths, keep);
                    let longest = if (n + usize::from(always)) % 2 == 0 { LONGEST } else { SHORT };
                    let join = Join { tables, longest, ..Join::new(size, Portable::new()) };
                    let mut worker = join.worker();
                    worker.splitter.always = always;
                    let found = summed(&join, &mut worker, &plan, |_| true);
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
        let tables = Tables::otherwise(size, |_, _| (2, 2), Keep::All);
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
