//! Two lists of covers, cut by their first pieces until they are worth matching.
//!
//! Once the first piece of one side is fixed, only those covers of the other side count that hold none of its keys,
//! about two in five. So each list is cut in turn, group by group, as long as a model of the cost says that it pays.

use std::ops::Range;

use super::list::{DEPTH, Leaves, List};
use crate::engine::lanes::{Lanes, Tables};

/// Part of a list: some groups of a level, with what is left of their leaves.
#[derive(Clone, Copy)]
struct Part<'a> {
    list: &'a List,
    leaves: &'a Leaves,
    level: usize,
    first: usize,
    end: usize,
}

impl<'a> Part<'a> {
    fn whole(list: &'a List) -> Self {
        let end = list.levels.first().map_or(1, |level| level.len() - 1);
        Self { list, leaves: &list.leaves, level: 0, first: 0, end }
    }

    fn is_cut_out(&self) -> bool {
        self.level == self.list.levels.len()
    }

    fn leaf_range(&self) -> Range<usize> {
        match self.list.levels.get(self.level) {
            Some(level) => level[self.first].leaf..level[self.end].leaf,
            None => self.first..self.end,
        }
    }

    fn patterns(&self) -> &'a [u64] {
        self.leaves.of(self.leaf_range())
    }

    /// The keys of one of its groups, and the part that is this group.
    fn group(&self, group: usize) -> (u64, Self) {
        let level = &self.list.levels[self.level];
        let (own, next) = (level[group], level[group + 1]);
        (own.keys, Self { level: self.level + 1, first: own.child, end: next.child, ..*self })
    }

    /// Groups of each level below, as far as there are levels.
    fn branching(&self) -> Shape {
        let mut shape = Shape { groups: [1.0; DEPTH + 1], levels: self.list.levels.len() - self.level };
        let (mut first, mut end) = (self.first, self.end);
        for (below, level) in self.list.levels[self.level..].iter().enumerate() {
            shape.groups[below] = (end - first) as f64;
            (first, end) = (level[first].child, level[end].child);
        }
        shape
    }
}

/// How many groups a part has, level by level.
#[derive(Clone, Copy, Debug)]
struct Shape {
    groups: [f64; DEPTH + 1],
    levels: usize,
}

/// Cycles of the steps, as far as they are known on Zen 4 with AVX-512. Only ratios matter: they decide what to cut. Of
/// 6, 10 and 20 for a look-up 20 took a quarter longer at N = 68 by quarter turns, and the others the same.
mod cycles {
    /// To read a pattern and keep or drop it.
    pub(super) const KEEP: f64 = 0.6;
    /// To begin a leaf.
    pub(super) const LEAF: f64 = 12.0;
    /// To begin a part.
    pub(super) const PART: f64 = 60.0;
    /// To transpose a block of lanes and fill its tables.
    pub(super) const TABULATE: f64 = 1500.0;
    /// To match a query with a block of lanes.
    pub(super) const LOOK_UP: f64 = 10.0;
    /// To match a query with a lane where there are too few lanes for a block.
    pub(super) const FEW: f64 = 0.4;
}

/// Share of a list that one piece of the other side leaves (0.44 to 0.53, N = 68 by quarter and 30 by half turns).
const KEPT: f64 = 0.48;

/// What to do with two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Match,
    MatchSwapped,
    CutLeft,
    CutRight,
}

/// Cycles to match so many lanes and queries.
fn matching<L: Lanes>(lanes: f64, queries: f64) -> f64 {
    let blocks = (lanes / L::LANES as f64).ceil();
    let few = lanes.min(24.0) * queries * cycles::FEW;
    let look_up = blocks * (cycles::TABULATE + cycles::LOOK_UP * queries);
    if lanes <= 24.0 { few } else { look_up }
}

/// The cheapest step, by the mean number of patterns of a group, and its cycles.
fn plan<L: Lanes>(sizes: [f64; 2], shapes: &[Shape; 2], levels: [usize; 2]) -> (f64, Step) {
    let [left, right] = sizes;
    let mut best = (matching::<L>(left, right), Step::Match);
    let mut consider = |cost: f64, step: Step| {
        if cost < best.0 {
            best = (cost, step);
        }
    };
    consider(matching::<L>(right, left), Step::MatchSwapped);
    for (side, step) in [(0, Step::CutLeft), (1, Step::CutRight)] {
        let (shape, other) = (&shapes[side], &shapes[1 - side]);
        let level = levels[side];
        if level == shape.levels || sizes[1 - side] * sizes[side] < 50_000.0 {
            continue;
        }
        let groups = shape.groups[level] / if level == 0 { 1.0 } else { shape.groups[level - 1] };
        let mut leaves = 1.0;
        for below in levels[1 - side]..other.levels {
            leaves = other.groups[below] / if levels[1 - side] == 0 { 1.0 } else { other.groups[levels[1 - side] - 1] };
        }
        let mut smaller = sizes;
        smaller[side] /= groups;
        smaller[1 - side] *= KEPT;
        let mut deeper = levels;
        deeper[side] += 1;
        let keep = cycles::PART + cycles::KEEP * sizes[1 - side] + cycles::LEAF * leaves;
        consider(groups * (keep + plan::<L>(smaller, shapes, deeper).0), step);
    }
    best
}

/// Buffers for one pair of lists at a time.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    tables: Tables,
    buffers: Vec<Leaves>,
}

impl Splitter {
    /// The pairs of a left and a right cover that share no key; the right ones have their keys mirrored.
    pub(super) fn count<L: Lanes>(&mut self, lanes: L, left: &List, right: &List) -> u64 {
        if left.leaves.patterns.is_empty() || right.leaves.patterns.is_empty() {
            return 0;
        }
        self.parts(lanes, Part::whole(left), Part::whole(right))
    }

    fn parts<L: Lanes>(&mut self, lanes: L, left: Part, right: Part) -> u64 {
        let (ours, theirs) = (left.patterns(), right.patterns());
        if ours.is_empty() || theirs.is_empty() {
            return 0;
        }
        let sizes = [ours.len() as f64, theirs.len() as f64];
        let shapes = [left.branching(), right.branching()];
        match plan::<L>(sizes, &shapes, [0, 0]).1 {
            Step::Match => self.disjoint(lanes, ours, theirs),
            Step::MatchSwapped => self.disjoint(lanes, theirs, ours),
            Step::CutLeft => self.cut(lanes, left, right, |this, left, right| this.parts(lanes, left, right)),
            Step::CutRight => self.cut(lanes, right, left, |this, right, left| this.parts(lanes, left, right)),
        }
    }

    /// Cuts one part in its groups, each with what it leaves of the other part.
    fn cut<L: Lanes>(
        &mut self,
        lanes: L,
        part: Part,
        other: Part,
        mut count: impl FnMut(&mut Self, Part, Part) -> u64,
    ) -> u64 {
        debug_assert!(!part.is_cut_out());
        let mut buffer = self.buffers.pop().unwrap_or_default();
        let mut sum = 0;
        for group in part.first..part.end {
            let (keys, group) = part.group(group);
            if group.patterns().is_empty() {
                continue;
            }
            buffer.keep(lanes, other.leaves, other.leaf_range(), keys.reverse_bits());
            sum += count(self, group, Part { leaves: &buffer, ..other });
        }
        self.buffers.push(buffer);
        sum
    }

    fn disjoint<L: Lanes>(&mut self, lanes: L, ours: &[u64], theirs: &[u64]) -> u64 {
        let [count] = lanes.disjoint(ours, [theirs], &mut self.tables);
        count
    }
}
