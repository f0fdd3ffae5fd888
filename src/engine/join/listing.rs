//! The two sides of a task as lists: inner queens first, then the halves with them, in pieces where they are many.

use super::half::{Half, Inner, Outer, inner_queens};
use super::keys::{Keys, Side};
use super::quadrant::LongDiagonal::{Free, Taken};
use super::table::{Quadrants, Role};
use super::{ANYWHERE, InnerSquares, Join, WEIGHTS, Worker};
use crate::engine::lanes::Lanes;
use crate::engine::split::Grouped;
use crate::plan::{Halves, Middle, SHARED_EAST};

/// How many halves are listed at a time, about. Longer lists are made in pieces, and the probe side anew for each piece
/// of the build side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Longest {
    pub(super) build: usize,
    pub(super) probe: usize,
}

/// Only N = 28 has longer ones, of 20 to 90 million on the build side and up to 20 million an innermost queen on the
/// probe side, and a few row sets of N = 26. There every piece but the first costs 1.4 s, for the probe side is listed
/// again, of the 5 minutes that the largest tasks take.
pub(super) const LONGEST: Longest = Longest { build: 12 << 20, probe: 6 << 20 };

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

/// All ways to place the inner queens of a side on these squares.
pub(super) fn list_inner(quadrants: &Quadrants, keys: &Keys, role: Role, squares: &InnerSquares, out: &mut Vec<Inner>) {
    let (shape, rows) = quadrants.shape(role);
    inner_queens(keys, shape, rows, out);
    if *squares != ANYWHERE {
        let squares = &squares[usize::from(!quadrants.is_west(role))];
        out.retain(|inner| inner.is_within(squares, rows));
    }
}

impl<L: Lanes> Join<L> {
    /// All ways to place the inner queens of the probe side. The east of an odd board is listed with them, once for all
    /// places of the middle row's queen as long as they follow one another, and then filtered.
    pub(super) fn list_probe_inner(&self, worker: &mut Worker, keys: &Keys, task: &Halves, squares: &InnerSquares) {
        let Worker { quadrants, probe_inner, east, east_of, .. } = worker;
        let of = match task.middle {
            Middle::Crossed { column, .. } => Some((column, [task.north, task.south], *squares)),
            Middle::None | Middle::Centre => None,
        };
        if of.is_some() && *east_of == of {
            return;
        }
        *east_of = of;
        list_inner(quadrants, keys, Role::Probe, squares, probe_inner);
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
    pub(super) fn list_build(&self, worker: &mut Worker, start: usize) -> usize {
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
    pub(super) fn list_probe(&self, worker: &mut Worker, keys: &Keys, task: &Halves, start: usize) -> usize {
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
            let pieces = queen.iter().map(|inner| &inner.keys);
            lists[0].retain(self.lanes, east, groups.clone(), pieces, keys.middle_row_queen(row));
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
