//! Pruning: lists cut by the rows of their innermost queens until what is left is cheaper to match than to cut.
//!
//! Most pairs of halves fail near the middle. Fixing the queen in the innermost column of one half removes from the
//! other all that stands on its two diagonals, about 0.6 of it, at the price of reading it once. So the lists are cut
//! in turn: by the innermost queen of the queries, by that of the lanes, then by the next of the queries and the next
//! of the lanes. Each cut after the first is made only where it pays, judged from the lengths of the lists alone.
//!
//! ```text
//! cut by            queries'  lanes'   queries' next   lanes' next      then matched
//! lanes   11,000 ->   4,500 ->   450
//! queries 24,600 ->   2,460 -> 1,000                                    100 times (N = 20, one row set)
//! ```

use std::ops::Range;

use super::keys::mirrored;
use crate::engine::lanes::{Lanes, Tables, Windows};

/// Lists of queries that are counted apart because they weigh differently.
pub(super) const WEIGHTS: usize = 3;

/// Halves in groups, one for each way to set the inner queens.
#[derive(Debug, Default)]
pub(super) struct Grouped {
    pub(super) patterns: Vec<u64>,
    /// Where each group ends.
    ends: Vec<usize>,
}

impl Grouped {
    pub(super) fn clear(&mut self) {
        self.patterns.clear();
        self.ends.clear();
    }

    /// Ends the group being appended.
    pub(super) fn close(&mut self) {
        self.ends.push(self.patterns.len());
    }

    fn start(&self, group: usize) -> usize {
        group.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    fn group(&self, group: usize) -> &[u64] {
        &self.patterns[self.start(group)..self.ends[group]]
    }

    fn groups(&self, groups: &Range<usize>) -> &[u64] {
        if groups.is_empty() { &[] } else { &self.patterns[self.start(groups.start)..self.ends[groups.end - 1]] }
    }

    /// Refills itself with what a queen of the other half leaves of the groups of `from`.
    fn keep<L: Lanes>(&mut self, lanes: L, from: &Self, groups: Range<usize>, queen: u64) {
        self.clear();
        for group in groups {
            lanes.keep(from.group(group), mirrored(queen), &mut self.patterns);
            self.close();
        }
    }
}

/// The lanes of a task, and for each group the keys of its innermost queen and the next; 0 where not cut by it.
#[derive(Clone, Copy)]
pub(super) struct Cut<'a> {
    pub(super) list: &'a Grouped,
    pub(super) queens: &'a [[u64; 2]],
}

/// The queries of a task with the same innermost queen.
#[derive(Clone, Copy)]
pub(super) struct Queries<'a> {
    pub(super) lists: &'a [Grouped; WEIGHTS],
    /// Its keys; 0 where the queries are not cut by it.
    pub(super) queen: u64,
    /// Keys of the next queen for each group; 0 where not cut by it.
    pub(super) next_queens: &'a [u64],
}

/// Cycles of the steps, measured on Zen 5 with AVX-512 (`cargo bench --bench join_steps`). The other instruction sets
/// have much the same ratios for each lane, and only ratios matter: they decide what to cut.
mod cycles {
    /// To read a pattern and keep or drop it.
    pub(super) const KEEP: f64 = 0.5;
    /// To transpose a block of lanes and fill its tables.
    pub(super) const TABULATE: f64 = 1200.0;
    /// To match a query with a block of lanes.
    pub(super) const LOOK_UP: f64 = 4.6;
}

/// Share of a list that one queen of the other half leaves (0.38 to 0.45 for N = 16 to 20).
const KEPT: f64 = 0.41;

/// Cycles to match so many lanes and queries.
fn matching<L: Lanes>(lanes: usize, queries: f64) -> f64 {
    lanes.div_ceil(L::LANES) as f64 * (cycles::TABULATE + cycles::LOOK_UP * queries)
}

/// Whether to cut lanes of these lengths apart, each time keeping only the queries that their queen leaves.
fn cut_lanes<L: Lanes>(lanes: impl Iterator<Item = usize> + Clone, queries: usize) -> bool {
    let queries = queries as f64;
    let cut = |lanes| cycles::KEEP * queries + matching::<L>(lanes, KEPT * queries);
    lanes.clone().map(cut).sum::<f64>() < matching::<L>(lanes.sum(), queries)
}

/// Whether to cut queries of these lengths apart, each time keeping only the lanes that their queen leaves.
fn cut_queries<L: Lanes>(lanes: usize, queries: impl Iterator<Item = usize> + Clone) -> bool {
    let kept = (KEPT * lanes as f64) as usize;
    let cut = |queries| cycles::KEEP * lanes as f64 + matching::<L>(kept, queries as f64);
    queries.clone().map(cut).sum::<f64>() < matching::<L>(lanes, queries.sum::<usize>() as f64)
}

/// Buffers for one task at a time.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    lanes: [Grouped; 2],
    queries: [[Grouped; WEIGHTS]; 2],
    tables: Tables,
    /// Cuts wherever it can, whether or not that pays: for tests.
    pub(super) always: bool,
}

impl Splitter {
    /// Pairs of a lane and a query that do not attack each other, for each weight. `width` is the number of keys of
    /// each kind.
    pub(super) fn count<L: Lanes>(&mut self, isa: L, width: usize, lanes: Cut, queries: Queries) -> [u64; WEIGHTS] {
        let Self { lanes: [first, second], queries: [once, twice], tables, always } = self;
        let always = *always;
        let mut counts = [0; WEIGHTS];
        let mut add = |lanes: &[u64], queries: [&[u64]; WEIGHTS], windows: &Windows| {
            for (count, more) in counts.iter_mut().zip(isa.disjoint(lanes, queries, windows, tables)) {
                *count += more;
            }
        };
        let windows = [0, 1, 2].map(|decided| Windows::new(width, decided));

        let all = whole(queries.lists);
        let asked: usize = all.iter().map(|list| list.len()).sum();
        if asked == 0 {
            return counts;
        }
        if queries.queen == 0 {
            add(&lanes.list.patterns, all, &windows[0]);
            return counts;
        }
        // The queries' innermost queen.
        first.keep(isa, lanes.list, 0..lanes.queens.len(), queries.queen);
        let runs = || inner_runs(lanes.queens);
        let lengths = runs().map(|run| first.groups(&run).len());
        if lanes.queens[0][0] == 0 || !(always || cut_lanes::<L>(lengths, asked)) {
            add(&first.patterns, all, &windows[0]);
            return counts;
        }
        for run in runs().filter(|run| !first.groups(run).is_empty()) {
            // The lanes' innermost queen.
            let groups = queries.next_queens.len();
            for (once, list) in once.iter_mut().zip(queries.lists) {
                once.keep(isa, list, 0..groups, lanes.queens[run.start][0]);
            }
            let len = |group| once.iter().map(|list| list.group(group).len()).sum::<usize>();
            let left = first.groups(&run).len();
            if queries.next_queens[0] == 0 || !(always || cut_queries::<L>(left, (0..groups).map(len))) {
                add(first.groups(&run), whole(once), &windows[1]);
                continue;
            }
            for group in (0..groups).filter(|&group| len(group) > 0) {
                // The queries' next queen.
                second.keep(isa, first, run.clone(), queries.next_queens[group]);
                let lengths = (0..run.len()).map(|inner| second.group(inner).len());
                if lanes.queens[run.start][1] == 0 || !(always || cut_lanes::<L>(lengths, len(group))) {
                    add(&second.patterns, [0, 1, 2].map(|weight| once[weight].group(group)), &windows[1]);
                    continue;
                }
                for (inner, queens) in lanes.queens[run.clone()].iter().enumerate() {
                    if second.group(inner).is_empty() {
                        continue;
                    }
                    // The lanes' next queen.
                    for (twice, once) in twice.iter_mut().zip(once.iter()) {
                        twice.keep(isa, once, group..group + 1, queens[1]);
                    }
                    add(second.group(inner), whole(twice), &windows[2]);
                }
            }
        }
        counts
    }
}

/// All queries of each weight.
fn whole(lists: &[Grouped; WEIGHTS]) -> [&[u64]; WEIGHTS] {
    lists.each_ref().map(|list| &list.patterns[..])
}

/// The ranges of groups with the same innermost queen.
fn inner_runs(queens: &[[u64; 2]]) -> impl Iterator<Item = Range<usize>> + Clone + '_ {
    let mut start = 0;
    queens.chunk_by(|a, b| a[0] == b[0]).map(move |run| {
        start += run.len();
        start - run.len()..start
    })
}
