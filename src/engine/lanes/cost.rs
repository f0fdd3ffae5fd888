//! What the steps of matching cost: one model for every decision.
//!
//! [`Cost::choose`] chooses the matcher of a match, the side to tabulate and the windows, and predicts the time, by
//! which the [splitter](crate::engine::split) decides what to match and what to split. Only ratios matter, and little:
//! doubling or halving any figure costs 3 % at N = 18 to 24.
//!
//! `cargo bench --bench costs` measures the figures below for every instruction set of the processor. Only permuting
//! bytes is measured anew by each join, because its cost differs between processors ([`measured`]). A wrong choice
//! costs only time: plans and tallies do not depend on the matcher.

use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

use fastrand::Rng;

use super::windows::{MAX_WINDOWS, MIN_KEYS, Windows};
use super::{Kernels, Tables, disjoint};
use crate::board::Size;

/// Cycles of each step on an instruction set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Keys of the largest windows, whose tables must fit the L1 cache.
    pub largest: usize,
    /// To read a pattern of a list, and to retain or drop it.
    pub retain: f64,
    /// To compare two patterns directly, where there are too few for a block.
    pub pair: f64,
    /// Matching with blocks of patterns, transposed to one vector per key.
    pub block: Block,
    /// Matching by permuting bytes, if the instruction set can and it may pay.
    pub permuted: Option<Permuted>,
    /// Forces this matcher wherever it applies, so that self-checks exercise each one.
    pub forced: Option<Matcher>,
    /// Extra keys added to every match, so that self-checks exercise more windows.
    pub extra_keys: u64,
}

/// Cycles of matching by permuting bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Permuted {
    /// Keys of a window.
    pub keys: u32,
    /// To start a match.
    pub start: f64,
    /// To partition a pattern of either side by bucket, and to index it.
    pub pattern: f64,
    /// To tabulate a pattern of the shorter side.
    pub lane: f64,
    /// To begin matching two buckets.
    pub buckets: f64,
    /// To look up 512 pairs in the table of one window.
    pub window: f64,
}

/// Cycles of tabulating a block of patterns and matching it with queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Patterns of a block, one per lane.
    pub lanes: usize,
    /// To make a row of each key.
    pub transpose: f64,
    /// To fill an entry of a table.
    pub entry: f64,
    /// To begin a query, and to count its matches.
    pub query: f64,
    /// To load the entry of a query from the table of one window.
    pub window: f64,
}

/// How patterns are matched with queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matcher {
    /// Compares each pattern with each query.
    Pairs,
    /// Looks queries up in the tables of one block of patterns at a time.
    Blocks {
        /// The number of windows.
        windows: usize,
        /// Smaller blocks are compared pair by pair.
        min_lanes: usize,
    },
    /// Permutes bytes, a whole match at a time, with this number of frequent keys.
    Permuted(u32),
}

/// How to match two sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The matcher.
    pub matcher: Matcher,
    /// Whether each list of the probe side is tabulated instead of the build side.
    pub is_exchanged: bool,
    /// The predicted cycles.
    pub cycles: f64,
}

// Measured on a Sapphire Rapids whose two cores were shared with other jobs; `largest` and AVX2's `retain` on an
// Emerald Rapids; `transpose` of AVX-512 on a Zen 4 (550 on the first). On Zen 4, AVX-512 look-ups are bound by loads:
// `query` is 0.3, `window` 1.1, `retain` 0.6. With a table of its own, Zen 4 took 0.96 to 1.00 of the time at N = 17 to
// 20, within noise, so all AVX-512 processors share one table.
//
// `permuted` is from a Zen 4 and scaled by [`measured`], except `pattern`, `lane` and `buckets` of AVX-512 and `window`
// of AVX2: with these figures, joins of N = 22 to 27 were fastest on a Zen 5. `pattern` and `lane` are larger than the
// benchmark's, because the lists of long matches do not fit the caches.

pub(super) const PORTABLE: Cost = Cost {
    largest: 9,
    retain: 1.55,
    pair: 0.9,
    block: Block { lanes: 256, transpose: 850.0, entry: 2.2, query: 6.8, window: 1.2 },
    permuted: None,
    forced: None,
    extra_keys: 0,
};

#[cfg(target_arch = "x86_64")]
pub(super) const AVX2: Cost = Cost {
    retain: 0.7,
    pair: 0.37,
    block: Block { lanes: 256, transpose: 630.0, entry: 1.2, query: 3.1, window: 0.8 },
    permuted: Some(Permuted { keys: 4, start: 8000.0, pattern: 9.0, lane: 4.0, buckets: 30.0, window: 2.8 }),
    ..PORTABLE
};

#[cfg(target_arch = "x86_64")]
pub(super) const AVX512: Cost = Cost {
    largest: 8,
    retain: 0.45,
    pair: 0.18,
    block: Block { lanes: 512, transpose: 400.0, entry: 2.0, query: 1.3, window: 0.5 },
    permuted: Some(Permuted { keys: 6, start: 6000.0, pattern: 8.4, lane: 7.5, buckets: 15.0, window: 1.1 }),
    forced: None,
    extra_keys: 0,
};

#[cfg(target_arch = "x86_64")]
pub(super) const AVX512F: Cost = Cost { permuted: None, ..AVX512 };

/// Not measured, as we have no such processor; the permuting costs are derived from the Neoverse N1 guide.
#[cfg(target_arch = "aarch64")]
pub(super) const NEON: Cost = Cost {
    permuted: Some(Permuted { keys: 4, start: 5000.0, pattern: 17.0, lane: 8.0, buckets: 30.0, window: 4.5 }),
    ..PORTABLE
};

/// In large matches of N = 18 to 28, both sides hold 25 to 30 of the 40 to 52 keys.
pub(crate) const TYPICAL_KEYS: u64 = (1 << 26) - 1;

impl Cost {
    /// How to match sides of these lengths (the probe side's lists) that share these keys, as bits of the probe side.
    #[inline(always)]
    pub fn choose(&self, keys: u64, build: usize, probe: &[usize]) -> Choice {
        let (count, probe_len) = (keys.count_ones(), probe.iter().sum());
        if let Some(matcher) = self.forced.and_then(|forced| self.fitting(forced, count)) {
            let is_exchanged = (build + probe_len) % 2 == 1 && matches!(matcher, Matcher::Blocks { .. });
            return Choice { matcher, is_exchanged, cycles: 0.0 };
        }
        if let Some(permuted) = self.permuted.filter(|permuted| count <= permuted.max_keys()) {
            let cycles = permuted.matching(count, build, probe_len);
            if cycles < self.by_blocks(TYPICAL_KEYS, build, &[probe_len]).cycles {
                let matcher = Matcher::Permuted(permuted.frequent(count, build, probe_len));
                return Choice { matcher, is_exchanged: false, cycles };
            }
        }
        self.by_blocks(keys, build, probe)
    }

    /// The matcher, with enough windows or frequent keys for `keys` keys, or `None` if it cannot take as many.
    fn fitting(&self, matcher: Matcher, keys: u32) -> Option<Matcher> {
        Some(match matcher {
            Matcher::Pairs => Matcher::Pairs,
            Matcher::Blocks { windows, min_lanes } => {
                Matcher::Blocks { windows: windows.max((keys as usize).div_ceil(self.largest)), min_lanes }
            }
            Matcher::Permuted(frequent) => {
                let permuted = self.permuted.filter(|permuted| keys <= permuted.max_keys())?;
                Matcher::Permuted(frequent.max(permuted.frequent(keys, 0, 0)))
            }
        })
    }

    /// [`choose`](Self::choose) without permuting.
    #[inline(always)]
    fn by_blocks(&self, keys: u64, build: usize, probe: &[usize]) -> Choice {
        let probe_len = probe.iter().sum();
        let pairs = self.pairs(build, probe_len);
        // Too few to pay for a table.
        if pairs <= self.block.transpose {
            return Choice { matcher: Matcher::Pairs, is_exchanged: false, cycles: pairs };
        }
        let (windows, exchanged) = (self.windows(keys, probe_len), self.windows(keys, build));
        let cycles = self.matching(windows, build, probe_len);
        let cycles_exchanged: f64 = probe.iter().map(|&list| self.matching(exchanged, list, build)).sum();
        let is_exchanged = cycles_exchanged < cycles;
        let (windows, queries) = if is_exchanged { (exchanged, build) } else { (windows, probe_len) };
        // Fewer patterns are faster to compare.
        let min_lanes = (self.block.matching(windows, queries) / self.pairs(1, queries)) as usize + 1;
        let matcher = Matcher::Blocks { windows: windows.count, min_lanes };
        Choice { matcher, is_exchanged, cycles: cycles.min(cycles_exchanged) }
    }

    fn pairs(&self, patterns: usize, queries: usize) -> f64 {
        self.pair * (patterns as u64 * queries as u64) as f64
    }

    /// The predicted cycles to match these numbers of patterns and queries.
    pub(super) fn matching(&self, windows: Windows, patterns: usize, queries: usize) -> f64 {
        let (whole, rest) = (patterns / self.block.lanes, patterns % self.block.lanes);
        let last = self.pairs(rest, queries).min(self.block.matching(windows, queries));
        if whole == 0 { last } else { whole as f64 * self.block.matching(windows, queries) + last }
    }

    /// The cheapest windows over these keys (at least one). Large windows need fewer loads but take longer to fill.
    #[inline]
    pub(super) fn windows(&self, active: u64, queries: usize) -> Windows {
        let keys = active.count_ones() as usize;
        let (most, loads) = (keys.div_ceil(MIN_KEYS).min(MAX_WINDOWS), self.block.window * queries as f64);
        // Each further window saves fewer entries than the one before.
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
    /// The fewest and the most windows of this many keys; matches with fewer keys are padded with keys that no pair
    /// shares. Hardly any match of N = 18 to 28 needs other numbers.
    pub(super) const fn windows_range(window: u32) -> [u32; 2] {
        if window > 4 { [4, 6] } else { [5, 8] }
    }

    /// The minimum and maximum number of frequent keys, for windows of this many keys.
    pub(super) const fn frequent_range(window: u32) -> [u32; 2] {
        [2, if window > 4 { 10 } else { 9 }]
    }

    /// The most keys of a match.
    fn max_keys(self) -> u32 {
        Self::windows_range(self.keys)[1] * self.keys + Self::frequent_range(self.keys)[1]
    }

    /// The predicted cycles to match two sides of these lengths that share `keys` keys.
    pub(super) fn matching(self, keys: u32, build: usize, probe: usize) -> f64 {
        /// The share of pairs that share none of 0 to 10 frequent keys; the last ones count small buckets as costlier.
        const LEFT: [f64; 11] = [1.0, 0.68, 0.46, 0.31, 0.21, 0.145, 0.1, 0.08, 0.063, 0.05, 0.043];
        let frequent = self.frequent(keys, build, probe);
        let buckets = f64::from(1u32 << frequent);
        let windows = keys.saturating_sub(frequent).div_ceil(self.keys).max(Self::windows_range(self.keys)[0]);
        // On average, half of the last eight lanes and of the last 64 queries of a bucket are padding.
        let (lanes, queries) = (build.min(probe) as f64, build.max(probe) as f64);
        let blocks = (lanes + 4.0 * buckets) * (queries + 32.0 * buckets) / 512.0 * LEFT[frequent as usize];
        let patterns = self.pattern * (lanes + queries) + self.lane * lanes;
        self.start + patterns + self.buckets * f64::from(3u32.pow(frequent)) + self.window * f64::from(windows) * blocks
    }

    /// The number of frequent keys for two sides. One key more leaves about 0.7 of the blocks but triples the pairs of
    /// buckets, so it pays only with four times as many blocks.
    pub(super) fn frequent(self, keys: u32, build: usize, probe: usize) -> u32 {
        let [min, max] = Self::frequent_range(self.keys);
        let min = min.max(keys.saturating_sub(Self::windows_range(self.keys)[1] * self.keys));
        // With AVX-512 the unit is two blocks: with one, matches of N = 22 and 24 were 2 % slower on a Zen 5.
        let pairs_of_blocks = if self.keys > 4 { 1024 } else { 256 };
        let blocks = (build as u64 * probe as u64 / pairs_of_blocks).max(1).ilog2();
        (blocks.saturating_sub(4) / 2).clamp(min.min(max), max)
    }
}

impl Block {
    fn matching(&self, windows: Windows, queries: usize) -> f64 {
        let tables = self.transpose + self.entry * windows.entries();
        tables + (self.query + self.window * windows.count as f64) * queries as f64
    }
}

/// The costs for a join of this board size: those of the instruction set, with permuting only where it may pay.
pub fn cost_for_join(kernels: &dyn Kernels, size: Size) -> Cost {
    let cost = kernels.cost();
    // On other boards matches are so short that permuting takes as long as blocks, or up to 5 % longer.
    let permuted = cost.permuted.filter(|_| size.get() == 18 || size.get() >= 20);
    Cost { permuted: permuted.map(|permuted| measured(kernels, permuted)), ..cost }
}

/// Scales the costs of permuting bytes to the cycles of the blocks: matches a made-up pair of sides in both ways, four
/// times each, and takes the fastest. This takes about two milliseconds. With a thousand patterns per side the costs
/// would seem 0.8 of those on large boards. The self-check, not this function, verifies that both count right.
fn measured(kernels: &dyn Kernels, permuted: Permuted) -> Permuted {
    /// As many active keys as in the matches of N = 18 to 28.
    const KEYS: Range<u32> = 18..46;
    const LENGTHS: [usize; 2] = [4000, 16_000];
    // Half of the patterns of both sides hold a middle key, few hold an outer one.
    let random = &mut Rng::with_seed(8);
    let mut pattern =
        || KEYS.filter(|key| random.u32(..32) < 17 - key.abs_diff(32)).fold(0, |pattern, key| pattern | 1 << key);
    let [build, probe] = LENGTHS.map(|length| (0..length).map(|_| pattern()).collect::<Vec<u64>>());
    let keys = KEYS.fold(0, |keys, key| keys | 1 << key);
    let (without, [lanes_of, queries]) = (Cost { permuted: None, ..kernels.cost() }, LENGTHS);
    let forced = Some(Matcher::Permuted(permuted.frequent(KEYS.len() as u32, lanes_of, queries)));
    let [blocks, bytes] = [without, Cost { forced, ..kernels.cost() }].map(|cost| {
        let tables = &mut Tables::default();
        let timed = (0..4).map(|_| {
            let start = Instant::now();
            black_box(disjoint(kernels, &cost, keys, black_box(&build), [&probe], tables));
            start.elapsed().as_secs_f64()
        });
        timed.fold(f64::INFINITY, f64::min)
    });
    let expected = permuted.matching(KEYS.len() as u32, lanes_of, queries)
        / without.choose(TYPICAL_KEYS, lanes_of, &[queries]).cycles;
    let (by, Permuted { keys, start, pattern, lane, buckets, window }) = (bytes / blocks / expected, permuted);
    let [start, pattern, lane, buckets, window] = [start, pattern, lane, buckets, window].map(|cycles| by * cycles);
    Permuted { keys, start, pattern, lane, buckets, window }
}
