//! Pruning: lists cut by the rows of their innermost queens until what is left is cheaper to match than to cut.
//!
//! Most pairs of halves fail near the middle. Fixing the queen in the innermost column of one half removes from the
//! other all that stands on its two diagonals, about 0.6 of it, at the price of reading it once. So one side is cut
//! apart by its innermost queen, each part is held against what that queen leaves of the other side, and the same is
//! done again with either side's next queen, as long as that pays.
//!
//! ```text
//! N = 20, one row set      lanes 11,000 × queries 24,600 (10 lists, one for each innermost queen)
//! cut by the queries' queen      4,500 ×          2,460
//! cut by the lanes' queen          450 ×          1,000      then matched, 100 times
//! ```
//!
//! [`Model`] decides, at every cut anew, by the lengths of the lists alone.

use std::ops::Range;

use super::keys::mirrored;
use super::quadrant::MAX_DEPTH;
use crate::engine::lanes::{Lanes, Tables};

/// Lists of queries that are counted apart because they weigh differently.
pub(super) const WEIGHTS: usize = 3;

/// The keys of the inner queens of a group of halves, innermost first; 0 where it is not cut by that column.
pub(super) type Queens = [u64; MAX_DEPTH];

/// Halves in groups, one for each way to set the inner queens.
#[derive(Debug, Default)]
pub(super) struct Grouped {
    pub(super) patterns: Vec<u64>,
    /// Where each group ends.
    ends: Vec<usize>,
    /// Keys of each group: every one that any of its halves holds, and maybe others.
    keys: Vec<u64>,
}

impl Grouped {
    pub(super) fn clear(&mut self) {
        self.patterns.clear();
        self.ends.clear();
        self.keys.clear();
    }

    /// So many groups without a half.
    pub(super) fn clear_groups(&mut self, groups: usize) {
        self.clear();
        self.ends.resize(groups, 0);
        self.keys.resize(groups, 0);
    }

    /// Ends the group being appended.
    pub(super) fn close<L: Lanes>(&mut self, lanes: L) {
        self.keys.push(lanes.union(&self.patterns[self.start(self.ends.len())..]));
        self.ends.push(self.patterns.len());
    }

    fn start(&self, group: usize) -> usize {
        group.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// The halves of consecutive groups.
    pub(super) fn groups(&self, groups: &Range<usize>) -> &[u64] {
        if groups.is_empty() { &[] } else { &self.patterns[self.start(groups.start)..self.ends[groups.end - 1]] }
    }

    /// Refills itself with those halves of the groups of `from` that hold none of the keys.
    pub(super) fn keep<L: Lanes>(&mut self, lanes: L, from: &Self, groups: Range<usize>, keys: u64) {
        self.clear();
        // About what is kept; growing by doubling would take half as much again.
        self.patterns.reserve(from.groups(&groups).len() / 2);
        for group in groups {
            lanes.keep(from.groups(&(group..group + 1)), keys, &mut self.patterns);
            self.ends.push(self.patterns.len());
            self.keys.push(from.keys[group] & !keys);
        }
    }
}

/// The halves of one side that are left, in one list or in several that weigh differently.
#[derive(Debug)]
pub(super) struct Part<'a, const LISTS: usize> {
    pub(super) lists: &'a [Grouped; LISTS],
    /// The groups of the lists that belong to it.
    pub(super) groups: Range<usize>,
    /// The queens of these groups, which agree in the first `cut`.
    pub(super) queens: &'a [Queens],
    /// Columns whose queens have been held against the other side.
    pub(super) cut: usize,
}

impl<'a, const LISTS: usize> Part<'a, LISTS> {
    fn patterns(&self) -> [&'a [u64]; LISTS] {
        self.lists.each_ref().map(|list| list.groups(&self.groups))
    }

    fn len(&self) -> usize {
        self.patterns().iter().map(|patterns| patterns.len()).sum()
    }

    /// The keys that its halves hold.
    fn keys(&self) -> u64 {
        self.lists.iter().flat_map(|list| &list.keys[self.groups.clone()]).fold(0, |keys, group| keys | group)
    }

    /// Columns left to cut by.
    fn columns(&self) -> usize {
        self.queens.first().map_or(0, |queens| queens[self.cut..].iter().take_while(|&&queen| queen != 0).count())
    }

    /// The parts by the next queen, each with its keys as the other half sees them.
    fn cut(&self) -> impl Iterator<Item = (u64, Self)> {
        let (lists, column) = (self.lists, self.cut);
        let mut start = self.groups.start;
        self.queens.chunk_by(move |a, b| a[column] == b[column]).map(move |queens| {
            let groups = start..start + queens.len();
            start = groups.end;
            (mirrored(queens[0][column]), Self { lists, groups, queens, cut: column + 1 })
        })
    }
}

/// Cycles of the steps, measured on Zen 4 and 5 with AVX-512 (`cargo bench --bench join_steps`). The other instruction
/// sets have much the same ratios for each lane, and only ratios matter: twice or half of any of them costs 3 %.
mod cycles {
    /// To read a pattern and keep or drop it.
    pub(super) const KEEP: f64 = 0.55;
    /// To transpose a block of lanes and fill its tables.
    pub(super) const TABULATE: f64 = 1000.0;
    /// To match a query with a block of lanes.
    pub(super) const LOOK_UP: f64 = 4.5;
    /// Of these two, what a narrow block takes.
    pub(super) const NARROW: (f64, f64) = (0.5, 0.7);
    /// To compare a query with one lane where there are too few for a block.
    pub(super) const PAIR: f64 = 0.125;
    /// What a call takes beside.
    pub(super) const CALL: f64 = 200.0;
}

/// Share of a list that one queen of the other half leaves (0.38 to 0.45 for N = 16 to 20).
const KEPT: f64 = 0.42;

/// How many cuts the model looks ahead. Three decide the same as two, and the model itself then takes 1 %.
const AHEAD: usize = 2;

/// What to do with two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Match,
    CutLanes,
    CutQueries,
}

/// Chooses what to do with lists of such lengths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Model {
    /// Lanes of a block, and of a narrow one.
    pub(super) block: usize,
    pub(super) narrow: usize,
    /// Columns of a half: the queen of column c has about this many rows less c to choose from.
    pub(super) half: usize,
}

/// The lengths of two parts, and how often they have been and can be cut.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    lanes: f64,
    queries: f64,
    /// Columns cut by, of the lanes and of the queries.
    cut: [usize; 2],
    /// Columns left to cut by.
    left: [usize; 2],
}

impl Model {
    fn choose(self, at: Lengths) -> Step {
        let (mut best, mut step) = (self.matching(at), Step::Match);
        for (other, cost) in
            [(Step::CutLanes, self.cutting(at, 0, AHEAD)), (Step::CutQueries, self.cutting(at, 1, AHEAD))]
        {
            if cost < best {
                (best, step) = (cost, other);
            }
        }
        step
    }

    fn matching(self, at: Lengths) -> f64 {
        // Lanes and queries change places where that takes fewer blocks.
        cycles::CALL + self.blocks(at.lanes, at.queries).min(self.blocks(at.queries, at.lanes))
    }

    /// Cycles to match so many lanes with so many queries.
    fn blocks(self, lanes: f64, queries: f64) -> f64 {
        let block = cycles::TABULATE + cycles::LOOK_UP * queries;
        let whole = lanes as usize / self.block;
        let rest = lanes as usize - whole * self.block;
        let last = if rest <= self.narrow && self.narrow < self.block {
            cycles::TABULATE * cycles::NARROW.0 + cycles::LOOK_UP * cycles::NARROW.1 * queries
        } else {
            block
        };
        whole as f64 * block + last.min(rest as f64 * queries * cycles::PAIR)
    }

    /// Cycles where the next step is to cut that side.
    fn cutting(self, at: Lengths, side: usize, ahead: usize) -> f64 {
        if at.left[side] == 0 {
            return f64::INFINITY;
        }
        // The queries come one innermost queen at a time.
        let parts = if (side, at.cut[side]) == (1, 0) { 1.0 } else { (self.half - at.cut[side]) as f64 };
        let mut part = at;
        part.cut[side] += 1;
        part.left[side] -= 1;
        let read = if side == 0 {
            part.lanes /= parts;
            part.queries *= KEPT;
            at.queries
        } else {
            part.queries /= parts;
            part.lanes *= KEPT;
            at.lanes
        };
        parts * (cycles::KEEP * read + self.cost(part, ahead - 1))
    }

    fn cost(self, at: Lengths, ahead: usize) -> f64 {
        let matching = self.matching(at);
        if ahead == 0 {
            return matching;
        }
        matching.min(self.cutting(at, 0, ahead)).min(self.cutting(at, 1, ahead))
    }
}

/// What one cut leaves of the other side.
#[derive(Debug, Default)]
struct Kept {
    lanes: [Grouped; 1],
    queries: [Grouped; WEIGHTS],
}

/// Buffers for one task at a time.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    /// One for each cut after another.
    kept: [Kept; 2 * MAX_DEPTH],
    tables: Tables,
    /// Cuts wherever it can, whether or not that pays.
    #[cfg(test)]
    pub(super) always: bool,
}

impl Splitter {
    /// Pairs of a lane and a query that do not attack each other, for each weight.
    pub(super) fn count<L: Lanes>(
        &mut self,
        isa: L,
        model: Model,
        lanes: &Part<1>,
        queries: &Part<WEIGHTS>,
    ) -> [u64; WEIGHTS] {
        let cutting = Cutting {
            isa,
            model,
            tables: &mut self.tables,
            #[cfg(test)]
            always: self.always,
            counts: [0; WEIGHTS],
        };
        cutting.run(lanes, queries, &mut self.kept)
    }
}

/// One task being cut.
struct Cutting<'a, L> {
    isa: L,
    model: Model,
    tables: &'a mut Tables,
    #[cfg(test)]
    always: bool,
    counts: [u64; WEIGHTS],
}

impl<L: Lanes> Cutting<'_, L> {
    fn run(mut self, lanes: &Part<1>, queries: &Part<WEIGHTS>, kept: &mut [Kept]) -> [u64; WEIGHTS] {
        self.cut(lanes, queries, kept);
        self.counts
    }

    /// Counts the pairs of two parts.
    fn cut(&mut self, lanes: &Part<1>, queries: &Part<WEIGHTS>, kept: &mut [Kept]) {
        let (lanes_left, queries_left) = (lanes.len(), queries.len());
        if lanes_left == 0 || queries_left == 0 {
            return;
        }
        let step = self.choose(Lengths {
            lanes: lanes_left as f64,
            queries: queries_left as f64,
            cut: [lanes.cut, queries.cut],
            left: [lanes.columns(), queries.columns()],
        });
        if step == Step::Match {
            let keys = queries.keys() & mirrored(lanes.keys());
            let [lanes] = lanes.patterns();
            let found = self.isa.disjoint_on(keys, lanes, queries.patterns(), self.tables);
            for (count, more) in self.counts.iter_mut().zip(found) {
                *count += more;
            }
            return;
        }
        let (here, deeper) = kept.split_first_mut().expect("one for each cut");
        if step == Step::CutLanes {
            for (queen, part) in lanes.cut().filter(|(_, part)| part.len() > 0) {
                for (list, from) in here.queries.iter_mut().zip(queries.lists) {
                    list.keep(self.isa, from, queries.groups.clone(), queen);
                }
                self.cut(&part, &Part { lists: &here.queries, groups: 0..queries.groups.len(), ..*queries }, deeper);
            }
        } else {
            for (queen, part) in queries.cut().filter(|(_, part)| part.len() > 0) {
                here.lanes[0].keep(self.isa, &lanes.lists[0], lanes.groups.clone(), queen);
                self.cut(&Part { lists: &here.lanes, groups: 0..lanes.groups.len(), ..*lanes }, &part, deeper);
            }
        }
    }

    fn choose(&self, at: Lengths) -> Step {
        #[cfg(test)]
        if self.always {
            // In turn, as deep as there are columns.
            return match at.left {
                [0, 0] => Step::Match,
                [lanes, queries] if lanes > queries => Step::CutLanes,
                _ => Step::CutQueries,
            };
        }
        self.model.choose(at)
    }
}
