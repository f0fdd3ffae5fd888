//! What the steps of matching cost: one model for whatever decides by it.
//!
//! [`Cost::choose`] tells what matches a call, which side is tabulated, how keys are divided into windows, and how long
//! that takes; by the last the [splitter](crate::engine::split) chooses what to match and what to cut. Only ratios matter, and
//! not much: twice or half of any of them costs 3 % at N = 18 to 24.
//!
//! `cargo bench --bench costs` measures the figures below for every instruction set that the processor has. Only permuting
//! bytes is measured by each join anew, for it differs from one make of processor to the next ([`measured`]). A wrong choice
//! costs time and nothing else: a plan and its tallies are the same, whatever matches.

use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

use fastrand::Rng;

use super::windows::{FEWEST_KEYS, MOST_WINDOWS, Windows};
use super::{Lanes, Tables, disjoint};
use crate::board::Size;

/// Cycles of each step on an instruction set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Keys of the largest windows, as many as the first-level cache has room for.
    pub largest: usize,
    /// To read a pattern of a list, and to retain or drop it.
    pub retain: f64,
    /// To compare one pattern with another, where there are too few for a block.
    pub pair: f64,
    /// Patterns in blocks of a vector for each key.
    pub block: Block,
    /// The other way to match, where the set has it and it is to be used.
    pub permuted: Option<Permuted>,
    /// What matches every call that it can, however long that takes: so checks see each matcher.
    pub only: Option<Matcher>,
    /// Keys that every call is told of, whether any pattern holds them or not: so checks see more windows.
    pub idle: u64,
}

/// Cycles of matching by permuting bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Permuted {
    /// Keys of a window.
    pub keys: u32,
    /// To begin a call.
    pub call: f64,
    /// To deal out a pattern of either side by class, and to index it.
    pub pattern: f64,
    /// To tabulate a pattern of the shorter side.
    pub lane: f64,
    /// To begin with two classes.
    pub classes: f64,
    /// To look up 512 pairs in the table of one window.
    pub window: f64,
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
    /// To load the entry of a query from the table of one window.
    pub window: f64,
}

/// What matches patterns with queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matcher {
    /// Compares each pattern with each query.
    Pairs,
    /// Looks queries up in tables, of a block of patterns at a time.
    Blocks {
        /// How many windows there are.
        windows: usize,
        /// A block of fewer patterns is compared.
        fewest: usize,
    },
    /// Permutes bytes, a whole call at a time, in classes by so many dense keys.
    Permuted(u32),
}

/// How to match a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// What matches it.
    pub matcher: Matcher,
    /// Whether the lists of the probe side are the patterns, each by itself, and the build side the queries.
    pub is_exchanged: bool,
    /// About the cycles that it takes.
    pub cycles: f64,
}

// Measured on a Sapphire Rapids whose two cores were shared with other jobs, `largest` and AVX2's `retain` on an
// Emerald Rapids, `transpose` of AVX-512 on a Zen 4 (550 on the first). On Zen 4 look-ups of AVX-512 wait for loads: `query`
// is 0.3 and `window` 1.1 and `retain` 0.6. With its own costs it took 0.96 to 1.00 of the time for N = 17 to 20, which is
// less than its noise, so there is one table for both, and for the first AVX-512 too.
//
// `permuted` is from a Zen 4 and scaled by what [`measured`] finds, but for `pattern`, `lane` and `classes` of AVX-512 and
// `window` of AVX2: on a Zen 5, joins of N = 22 to 27 took the least time with these. `pattern` and `lane` are more than the
// benchmark finds, for lists of long calls leave the caches.

pub(super) const PORTABLE: Cost = Cost {
    largest: 9,
    retain: 1.55,
    pair: 0.9,
    block: Block { lanes: 256, transpose: 850.0, entry: 2.2, query: 6.8, window: 1.2 },
    permuted: None,
    only: None,
    idle: 0,
};

#[cfg(target_arch = "x86_64")]
pub(super) const AVX2: Cost = Cost {
    retain: 0.7,
    pair: 0.37,
    block: Block { lanes: 256, transpose: 630.0, entry: 1.2, query: 3.1, window: 0.8 },
    permuted: Some(Permuted { keys: 4, call: 8000.0, pattern: 9.0, lane: 4.0, classes: 30.0, window: 2.8 }),
    ..PORTABLE
};

#[cfg(target_arch = "x86_64")]
pub(super) const AVX512: Cost = Cost {
    largest: 8,
    retain: 0.45,
    pair: 0.18,
    block: Block { lanes: 512, transpose: 400.0, entry: 2.0, query: 1.3, window: 0.5 },
    permuted: Some(Permuted { keys: 6, call: 6000.0, pattern: 8.4, lane: 7.5, classes: 15.0, window: 1.1 }),
    only: None,
    idle: 0,
};

#[cfg(target_arch = "x86_64")]
pub(super) const AVX512F: Cost = Cost { permuted: None, ..AVX512 };

/// Not measured, for want of such a processor; those of permuting are counted from the guide to the Neoverse N1.
#[cfg(target_arch = "aarch64")]
pub(super) const NEON: Cost = Cost {
    permuted: Some(Permuted { keys: 4, call: 5000.0, pattern: 17.0, lane: 8.0, classes: 30.0, window: 4.5 }),
    ..PORTABLE
};

/// Of 40 to 52 keys 25 to 30 are held by both sides in the large calls of N = 18 to 28.
pub(crate) const TYPICAL_KEYS: u64 = (1 << 26) - 1;

impl Cost {
    /// How to match two sides of so many patterns, that of the probe in lists, which hold these keys in common, as bits of the
    /// probe side.
    #[inline(always)]
    pub fn choose(&self, keys: u64, build: usize, probe: &[usize]) -> Choice {
        let (count, asked) = (keys.count_ones(), probe.iter().sum());
        if let Some(matcher) = self.only.and_then(|only| self.fitting(only, count)) {
            let is_exchanged = (build + asked) % 2 == 1 && matches!(matcher, Matcher::Blocks { .. });
            return Choice { matcher, is_exchanged, cycles: 0.0 };
        }
        if let Some(permuted) = self.permuted.filter(|permuted| count <= permuted.most_keys()) {
            let cycles = permuted.matching(count, build, asked);
            if cycles < self.by_blocks(TYPICAL_KEYS, build, &[asked]).cycles {
                let matcher = Matcher::Permuted(permuted.dense(count, build, asked));
                return Choice { matcher, is_exchanged: false, cycles };
            }
        }
        self.by_blocks(keys, build, probe)
    }

    /// The matcher as it can take a call of so many keys, if it can.
    fn fitting(&self, matcher: Matcher, keys: u32) -> Option<Matcher> {
        Some(match matcher {
            Matcher::Pairs => Matcher::Pairs,
            Matcher::Blocks { windows, fewest } => {
                Matcher::Blocks { windows: windows.max((keys as usize).div_ceil(self.largest)), fewest }
            }
            Matcher::Permuted(dense) => {
                let permuted = self.permuted.filter(|permuted| keys <= permuted.most_keys())?;
                Matcher::Permuted(dense.max(permuted.dense(keys, 0, 0)))
            }
        })
    }

    /// [`choose`](Self::choose) without permuting.
    #[inline(always)]
    fn by_blocks(&self, keys: u64, build: usize, probe: &[usize]) -> Choice {
        let asked = probe.iter().sum();
        let pairs = self.pairs(build, asked);
        // Too few to make any table of.
        if pairs <= self.block.transpose {
            return Choice { matcher: Matcher::Pairs, is_exchanged: false, cycles: pairs };
        }
        let (windows, exchanged) = (self.windows(keys, asked), self.windows(keys, build));
        let cycles = self.matching(windows, build, asked);
        let cycles_exchanged: f64 = probe.iter().map(|&list| self.matching(exchanged, list, build)).sum();
        let is_exchanged = cycles_exchanged < cycles;
        let (windows, queries) = if is_exchanged { (exchanged, build) } else { (windows, asked) };
        // Fewer are compared in less time.
        let fewest = (self.block.matching(windows, queries) / self.pairs(1, queries)) as usize + 1;
        let matcher = Matcher::Blocks { windows: windows.count, fewest };
        Choice { matcher, is_exchanged, cycles: cycles.min(cycles_exchanged) }
    }

    fn pairs(&self, patterns: usize, queries: usize) -> f64 {
        self.pair * (patterns as u64 * queries as u64) as f64
    }

    /// About the cycles to match so many patterns with so many queries.
    pub(super) fn matching(&self, windows: Windows, patterns: usize, queries: usize) -> f64 {
        let (whole, rest) = (patterns / self.block.lanes, patterns % self.block.lanes);
        let last = self.pairs(rest, queries).min(self.block.matching(windows, queries));
        if whole == 0 { last } else { whole as f64 * self.block.matching(windows, queries) + last }
    }

    /// The cheapest windows over these keys, of which there is one at least, for so many queries. Large windows take
    /// fewer loads and longer to fill.
    #[inline]
    pub(super) fn windows(&self, active: u64, queries: usize) -> Windows {
        let keys = active.count_ones() as usize;
        let (most, loads) = (keys.div_ceil(FEWEST_KEYS).min(MOST_WINDOWS), self.block.window * queries as f64);
        // The more windows there are, the fewer entries does one more of them save.
        let mut windows = Windows { active, count: keys.div_ceil(self.largest) };
        while windows.count < most {
            let more = Windows { active, count: windows.count + 1 };
            if loads >= self.block.entry * (windows.entries() - more.entries()) {
                break;
            }
            windows = more;
        }
        windows
    }
}

impl Permuted {
    /// Windows of so many keys, at least and at most; a call of fewer has some whose keys no pair shares. Hardly any call of
    /// N = 18 to 28 would be matched with others.
    pub(super) const fn windows_range(window: u32) -> [u32; 2] {
        if window > 4 { [4, 6] } else { [5, 8] }
    }

    /// Keys that make the classes, the dense ones, at least and at most, with windows of so many keys.
    pub(super) const fn dense_range(window: u32) -> [u32; 2] {
        [2, if window > 4 { 10 } else { 9 }]
    }

    /// The most keys of a call.
    fn most_keys(self) -> u32 {
        Self::windows_range(self.keys)[1] * self.keys + Self::dense_range(self.keys)[1]
    }

    /// About the cycles to match two sides of so many patterns, which hold so many keys in common.
    pub(super) fn matching(self, keys: u32, build: usize, probe: usize) -> f64 {
        /// Shares of the pairs that share none of so many dense keys, the last ones larger than they are: of small classes a
        /// pair takes longer.
        const LEFT: [f64; 11] = [1.0, 0.68, 0.46, 0.31, 0.21, 0.145, 0.1, 0.08, 0.063, 0.05, 0.043];
        let dense = self.dense(keys, build, probe);
        let classes = f64::from(1u32 << dense);
        let windows = keys.saturating_sub(dense).div_ceil(self.keys).max(Self::windows_range(self.keys)[0]);
        // Of each class half of the last eight lanes, and of the last 64 queries, are none.
        let (lanes, queries) = (build.min(probe) as f64, build.max(probe) as f64);
        let blocks = (lanes + 4.0 * classes) * (queries + 32.0 * classes) / 512.0 * LEFT[dense as usize];
        let patterns = self.pattern * (lanes + queries) + self.lane * lanes;
        self.call + patterns + self.classes * f64::from(3u32.pow(dense)) + self.window * f64::from(windows) * blocks
    }

    /// By how many of so many keys to make the classes of two sides. One more leaves about 0.7 of the blocks, and
    /// makes three times as many pairs of classes: so it takes four times as many blocks.
    pub(super) fn dense(self, keys: u32, build: usize, probe: usize) -> u32 {
        let [fewest, most] = Self::dense_range(self.keys);
        let fewest = fewest.max(keys.saturating_sub(Self::windows_range(self.keys)[1] * self.keys));
        // With AVX-512 two blocks: by one, calls of N = 22 and 24 took 1.02 of the time on a Zen 5.
        let pairs_of_blocks = if self.keys > 4 { 1024 } else { 256 };
        let blocks = (build as u64 * probe as u64 / pairs_of_blocks).max(1).ilog2();
        (blocks.saturating_sub(4) / 2).clamp(fewest.min(most), most)
    }
}

impl Block {
    fn matching(&self, windows: Windows, queries: usize) -> f64 {
        let tables = self.transpose + self.entry * windows.entries();
        tables + (self.query + self.window * windows.count as f64) * queries as f64
    }
}

/// The costs by which a join decides on boards of this size: those of the lanes, with permuting only where it may pay.
pub fn cost_on(lanes: &dyn Lanes, size: Size) -> Cost {
    let cost = lanes.cost();
    // Of smaller boards calls are so short that permuting takes as long as blocks, or up to 1.05 of it.
    let permuted = cost.permuted.filter(|_| size.get() == 18 || size.get() >= 20);
    Cost { permuted: permuted.map(|permuted| measured(lanes, permuted)), ..cost }
}

/// The costs of permuting bytes in cycles that are as long as those of the blocks: by a made-up call that is matched in
/// both ways, the least of four times each, about two milliseconds. By a call of a thousand patterns on either side they
/// seem 0.8 as large as in those of large boards. Whether both count right is left to the self-check.
fn measured(lanes: &dyn Lanes, permuted: Permuted) -> Permuted {
    /// Keys that matter in the calls of N = 18 to 28.
    const KEYS: Range<u32> = 18..46;
    const LENGTHS: [usize; 2] = [4000, 16_000];
    // A key in the middle is held by half of the patterns of both sides, one at the end by few.
    let random = &mut Rng::with_seed(8);
    let mut pattern =
        || KEYS.filter(|key| random.u32(..32) < 17 - key.abs_diff(32)).fold(0, |pattern, key| pattern | 1 << key);
    let [build, probe] = LENGTHS.map(|length| (0..length).map(|_| pattern()).collect::<Vec<u64>>());
    let keys = KEYS.fold(0, |keys, key| keys | 1 << key);
    let (without, [lanes_of, queries]) = (Cost { permuted: None, ..lanes.cost() }, LENGTHS);
    let only = Some(Matcher::Permuted(permuted.dense(KEYS.len() as u32, lanes_of, queries)));
    let [blocks, bytes] = [without, Cost { only, ..lanes.cost() }].map(|cost| {
        let tables = &mut Tables::default();
        let timed = (0..4).map(|_| {
            let start = Instant::now();
            black_box(disjoint(lanes, &cost, keys, black_box(&build), [&probe], tables));
            start.elapsed().as_secs_f64()
        });
        timed.fold(f64::INFINITY, f64::min)
    });
    let expected = permuted.matching(KEYS.len() as u32, lanes_of, queries)
        / without.choose(TYPICAL_KEYS, lanes_of, &[queries]).cycles;
    let (by, Permuted { keys, call, pattern, lane, classes, window }) = (bytes / blocks / expected, permuted);
    let [call, pattern, lane, classes, window] = [call, pattern, lane, classes, window].map(|cycles| by * cycles);
    Permuted { keys, call, pattern, lane, classes, window }
}
