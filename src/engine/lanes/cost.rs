//! What the steps of matching cost: one model for whatever decides by it.
//!
//! The kernels choose by it which side of a call is tabulated, by what means, and how its keys are cut into windows; the
//! [splitter](crate::engine::split) chooses what to match and what to cut. Only ratios matter, and not much: twice or
//! half of any of them costs 3 % at N = 18 to 24.
//!
//! `cargo bench --bench costs` measures the figures below for every instruction set that the processor has, in cycles of
//! a chain of dependent additions.

use super::windows::Windows;

/// Cycles of each step on an instruction set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// To read a pattern of a list, and to retain or drop it.
    pub retain: f64,
    /// To begin with such a list.
    pub list: f64,
    /// To compare one pattern with another, where there are too few for a block.
    pub pair: f64,
    /// To begin a call of [`Lanes::disjoint`](super::Lanes::disjoint).
    pub call: f64,
    /// Patterns in blocks of a vector for each key.
    pub wide: Block,
    /// Smaller blocks for the rest of a list; where there are none, the same.
    pub narrow: Block,
}

/// Cycles of a block of patterns that are tabulated and matched with queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Patterns of a block, one to a lane.
    pub lanes: usize,
    /// To make a row of each key.
    pub transpose: f64,
    /// To fill an entry of a table.
    pub entry: f64,
    /// To begin a query, and to count what it has found.
    pub query: f64,
    /// To look a query up in one window.
    pub window: f64,
}

/// How a block is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Means {
    /// Each pattern with each query.
    Pairs,
    /// In a block of [`Cost::narrow`].
    Narrow,
    /// In a block of [`Cost::wide`].
    Wide,
}

#[cfg(target_arch = "x86_64")]
const NARROW_AVX512: Block = Block { lanes: 256, transpose: 210.0, entry: 1.0, query: 2.0, window: 0.6 };
#[cfg(target_arch = "x86_64")]
pub(super) const AVX512: Cost = Cost {
    retain: 0.55,
    list: 12.0,
    pair: 0.2,
    call: 200.0,
    wide: Block { lanes: 512, transpose: 350.0, entry: 2.0, query: 2.0, window: 0.8 },
    narrow: NARROW_AVX512,
};
#[cfg(target_arch = "x86_64")]
pub(super) const AVX512F: Cost = AVX512;
#[cfg(target_arch = "x86_64")]
pub(super) const AVX2: Cost =
    four_words(0.8, 0.4, Block { lanes: 256, transpose: 750.0, entry: 1.0, query: 2.0, window: 0.8 });
pub(super) const PORTABLE: Cost =
    four_words(1.0, 1.0, Block { lanes: 256, transpose: 1000.0, entry: 1.0, query: 4.0, window: 1.0 });
#[cfg(target_arch = "aarch64")]
pub(super) const NEON: Cost = PORTABLE;

const fn four_words(retain: f64, pair: f64, block: Block) -> Cost {
    Cost { retain, list: 12.0, pair, call: 200.0, wide: block, narrow: block }
}

impl Cost {
    /// Keys that some pattern of either side holds, about: 25 to 28 in the large calls of N = 18 to 27.
    pub const TYPICAL_KEYS: usize = 26;

    /// Whether these are too few to make any table of.
    pub(super) fn are_few(&self, patterns: usize, queries: usize) -> bool {
        self.pair * (patterns * queries) as f64 <= self.narrow.transpose
    }

    /// About the cycles to match so many patterns with so many queries by so many keys.
    pub fn matching(&self, keys: usize, patterns: usize, queries: usize) -> f64 {
        if self.are_few(patterns, queries) {
            return self.pair * (patterns * queries) as f64;
        }
        // Which keys they are makes no difference.
        let windows = self.windows(!0 >> (64 - keys), queries);
        let (whole, rest) = (patterns / self.wide.lanes, patterns % self.wide.lanes);
        whole as f64 * self.wide.matching(windows, queries) + self.cheapest(windows, rest, queries).1
    }

    /// The cheapest windows over these keys for so many queries.
    pub(super) fn windows(&self, active: u64, queries: usize) -> Windows {
        Windows::cheapest(active, |windows| self.wide.matching(windows, queries))
    }

    /// The cheapest means to match a block of so many patterns or fewer, and its cycles.
    pub(super) fn cheapest(&self, windows: Windows, patterns: usize, queries: usize) -> (Means, f64) {
        let (means, block) =
            if patterns <= self.narrow.lanes { (Means::Narrow, self.narrow) } else { (Means::Wide, self.wide) };
        let (pairs, block) = (self.pair * (patterns * queries) as f64, block.matching(windows, queries));
        if pairs <= block { (Means::Pairs, pairs) } else { (means, block) }
    }
}

impl Block {
    fn matching(&self, windows: Windows, queries: usize) -> f64 {
        let tables = self.transpose + self.entry * windows.entries() as f64;
        tables + (self.query + self.window * windows.count as f64) * queries as f64
    }
}
