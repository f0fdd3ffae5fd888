//! Pruning: lists cut by the rows of their innermost queens until what is left is cheaper to match than to cut.
//!
//! Most pairs of halves fail near the middle. Fixing the queen in the innermost column of one half removes from the
//! other all that stands on its two diagonals, about 0.7 of it, at the price of reading it once. So the lists are cut
//! in turn: by the west's innermost queen, the east's, then the west's next and the east's next. Whether a cut pays
//! is decided each time from the lengths of the lists alone ([`Costs`]).

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
    pub(super) ends: Vec<usize>,
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

    fn range(&self, groups: &Range<usize>) -> &[u64] {
        if groups.is_empty() { &[] } else { &self.patterns[self.start(groups.start)..self.ends[groups.end - 1]] }
    }

    /// Refills itself with what is left of the groups of `from`.
    fn keep<L: Lanes>(&mut self, lanes: L, from: &Self, groups: Range<usize>, avoid: u64) {
        self.clear();
        for group in groups {
            lanes.keep(&from.patterns[from.start(group)..from.ends[group]], avoid, &mut self.patterns);
            self.close();
        }
    }
}

/// What the steps cost on this instruction set, in cycles; only the ratios matter, and they only choose how to cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    /// To read a pattern and keep or drop it.
    keep: f64,
    /// To transpose a block of lanes and fill its tables.
    tabulate: f64,
    /// To match a query with a block of lanes.
    look_up: f64,
    /// Lanes of a block.
    lanes: usize,
}

/// Share of a list that one queen of the other half leaves (measured, N = 16 to 22: 0.26 to 0.32).
const KEPT: f64 = 0.3;

impl Costs {
    pub(super) const fn of<L: Lanes>() -> Self {
        // Measured on AVX-512 (Zen 5); the other instruction sets have about the same ratios for each lane.
        Self { keep: 0.7, tabulate: 900.0, look_up: 4.0, lanes: L::LANES }
    }

    /// To match so many lanes and queries.
    fn matching(&self, lanes: usize, queries: f64) -> f64 {
        lanes.div_ceil(self.lanes) as f64 * (self.tabulate + self.look_up * queries)
    }
}

/// The lists of one level, and the keys of the queens that group them.
#[derive(Clone, Copy)]
pub(super) struct East<'a> {
    pub(super) list: &'a Grouped,
    /// Keys of the innermost queen and the next, for each group of the whole list.
    pub(super) keys: &'a [[u64; 2]],
}

/// Buffers for one task at a time.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    east: [Grouped; 2],
    west: [[Grouped; WEIGHTS]; 2],
    tables: Tables,
}

impl Splitter {
    /// Pairs of an east and a west half that do not attack each other, for each weight of the west.
    ///
    /// All west halves have the same innermost queen, whose keys are `west_queen`; `west_keys` are those of the next
    /// one for each group. `width` is the number of keys of each kind.
    #[expect(clippy::too_many_arguments)]
    pub(super) fn count<L: Lanes>(
        &mut self,
        lanes: L,
        costs: &Costs,
        width: usize,
        east: East,
        west: &[Grouped; WEIGHTS],
        west_queen: u64,
        west_keys: &[u64],
    ) -> [u64; WEIGHTS] {
        let Self { east: [first, second], west: [kept, rest], tables } = self;
        let mut counts = [0; WEIGHTS];
        let mut add = |more: [u64; WEIGHTS]| {
            for (count, more) in counts.iter_mut().zip(more) {
                *count += more;
            }
        };
        // The west's innermost queen.
        first.keep(lanes, east.list, 0..east.list.ends.len(), mirrored(west_queen));
        let queries: usize = west.iter().map(|list| list.patterns.len()).sum();
        if first.patterns.is_empty() || queries == 0 {
            return counts;
        }
        let runs = || inner_runs(east.keys);
        let cut: f64 = runs()
            .map(|run| {
                let len = first.range(&run).len();
                costs.keep * queries as f64 + costs.matching(len, KEPT * queries as f64)
            })
            .sum();
        // Keys of 0 mean that the lists are not cut any finer.
        if east.keys[0][0] == 0 || costs.matching(first.patterns.len(), queries as f64) <= cut {
            let queries = [0, 1, 2].map(|weight| &west[weight].patterns[..]);
            add(lanes.disjoint(&first.patterns, queries, &Windows::new(width, 0), tables));
            return counts;
        }
        // The east's innermost queen.
        let (once, twice) = (Windows::new(width, 1), Windows::new(width, 2));
        for run in runs() {
            let len = first.range(&run).len();
            if len == 0 {
                continue;
            }
            for (kept, west) in kept.iter_mut().zip(west) {
                kept.keep(lanes, west, 0..west.ends.len(), mirrored(east.keys[run.start][0]));
            }
            let groups = west_keys.len();
            let in_group =
                |group: usize| -> usize { kept.iter().map(|list| list.range(&(group..group + 1)).len()).sum() };
            let queries: usize = kept.iter().map(|list| list.patterns.len()).sum();
            let left = (KEPT * len as f64) as usize;
            let cut: f64 =
                (0..groups).map(|group| costs.keep * len as f64 + costs.matching(left, in_group(group) as f64)).sum();
            if west_keys[0] == 0 || costs.matching(len, queries as f64) <= cut {
                let queries = [0, 1, 2].map(|weight| &kept[weight].patterns[..]);
                add(lanes.disjoint(first.range(&run), queries, &once, tables));
                continue;
            }
            // The west's next queen.
            for (group, &avoid) in west_keys.iter().enumerate() {
                let queries = in_group(group);
                if queries == 0 {
                    continue;
                }
                second.keep(lanes, first, run.clone(), mirrored(avoid));
                let cut: f64 = (0..run.len())
                    .map(|inner| {
                        let len = second.range(&(inner..inner + 1)).len();
                        costs.keep * queries as f64 + costs.matching(len, KEPT * queries as f64)
                    })
                    .sum();
                if costs.matching(second.patterns.len(), queries as f64) <= cut {
                    let queries = [0, 1, 2].map(|weight| kept[weight].range(&(group..group + 1)));
                    add(lanes.disjoint(&second.patterns, queries, &once, tables));
                    continue;
                }
                // The east's next queen.
                for (inner, keys) in east.keys[run.clone()].iter().enumerate() {
                    let block = second.range(&(inner..inner + 1));
                    if block.is_empty() {
                        continue;
                    }
                    for (rest, kept) in rest.iter_mut().zip(kept.iter()) {
                        rest.keep(lanes, kept, group..group + 1, mirrored(keys[1]));
                    }
                    let queries = [0, 1, 2].map(|weight| &rest[weight].patterns[..]);
                    add(lanes.disjoint(block, queries, &twice, tables));
                }
            }
        }
        counts
    }
}

/// The ranges of groups with the same innermost queen.
fn inner_runs(keys: &[[u64; 2]]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    keys.chunk_by(|a, b| a[0] == b[0]).map(move |run| {
        start += run.len();
        start - run.len()..start
    })
}
