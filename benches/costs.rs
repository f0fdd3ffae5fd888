//! Measures the costs of matching on each instruction set of this processor: `cargo bench --bench costs`. Takes seconds, and
//! prints one `Cost` per set, to compare with those in `src/engine/lanes/cost.rs`.
//!
//! A cycle is a quarter of a step of `x * (x | 1)`, whose two operations depend on each other. The fastest of many short runs
//! counts, because other work on the machine can only slow a run down.

use std::hint::black_box;
use std::time::Instant;

use queens::internals::lanes::{Block, Cost, Isa, Kernels, Matcher, Permuted, Sides, Tables, disjoint};

/// The seconds of the fastest of these runs of `times` calls.
fn seconds(times: usize, runs: usize, mut work: impl FnMut()) -> f64 {
    let mut run = || {
        let start = Instant::now();
        (0..times).for_each(|_| work());
        start.elapsed().as_secs_f64()
    };
    (0..runs).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// The seconds of a cycle.
fn cycle(runs: usize) -> f64 {
    let steps = 100_000;
    let mut x = black_box(3u64);
    let chain = seconds(1, runs, || (0..steps).for_each(|_| x = x.wrapping_mul(x | 1)));
    black_box(x);
    chain / (4 * steps) as f64
}

/// Random words. Each has about three eighths of these bits.
fn patterns(count: usize, keys: u64) -> Vec<u64> {
    let mut random = fastrand::Rng::with_seed(1);
    (0..count).map(|_| random.u64(..) & (random.u64(..) | random.u64(..)) & keys).collect()
}

/// The costs of permuting bytes with this many frequent keys, from the cycles of matches of different sizes.
fn permuted(keys: u32, mut cycles: impl FnMut(u32, u64, [Vec<u64>; 2]) -> f64) -> Permuted {
    // 26 keys, which are symmetric. Half of the patterns on each side hold each of the two frequent keys, and fewer hold any
    // other key. So the two frequent keys determine the buckets, which decide seven of sixteen pairs.
    const KEYS: u64 = ((1 << 26) - 1) << 19;
    const FREQUENT: u64 = 1 << 25 | 1 << 38;
    let mut random = fastrand::Rng::with_seed(2);
    let mut side = |count| {
        let words = patterns(count, KEYS & !FREQUENT).into_iter();
        words.map(|word| word & random.u64(..) | random.u64(..) & FREQUENT).collect()
    };
    let mut call =
        |by: u32, [build, probe]: [f64; 2]| cycles(by, KEYS, [build, probe].map(|count| side(count as usize)));
    // Few and many lanes (the build list), each with few and many queries (the probe list).
    let (lanes, queries, more_lanes, more_queries) = (512.0, 2560.0, 2048.0, 8192.0);
    let [few, by_lanes, by_queries, many] =
        [[lanes, queries], [more_lanes, queries], [lanes, more_queries], [more_lanes, more_queries]]
            .map(|sides| call(2, sides));
    let pair = (many - by_lanes - by_queries + few) / ((more_lanes - lanes) * (more_queries - queries));
    let pattern = (by_queries - few) / (more_queries - queries) - pair * lanes;
    let lane = (by_lanes - few) / (more_lanes - lanes) - pattern - pair * queries;
    // The cost of two short lists is mostly that of their buckets.
    let [least, most] = [2, 6].map(|by| call(by, [64.0, 64.0]));
    let buckets = (most - least) / (3f64.powi(6) - 3f64.powi(2));
    let call = few - pattern * (lanes + queries) - lane * lanes - pair * lanes * queries - buckets * 3f64.powi(2);
    Permuted {
        keys,
        start: call,
        pattern,
        lane,
        buckets,
        window: 512.0 * pair * 16.0 / 9.0 / f64::from(24_u32.div_ceil(keys)),
    }
}

/// The costs on an instruction set, from this number of runs of each step.
fn measured(kernels: &dyn Kernels, runs: usize) -> Cost {
    let cycle = cycle(runs);
    let mut tables = Tables::default();
    let without_permuting = Cost { permuted: None, ..kernels.cost() };
    // The cycles to match two lists, by permuting bytes with this many frequent keys, or by blocks.
    let mut matching = |permuted: Option<u32>, keys: u64, build: &[u64], probe: &[u64]| {
        let times = 1 + 20_000 / (build.len() + probe.len());
        let mut count = [0];
        let match_once = || match permuted {
            Some(by) => {
                let call = Sides { keys, patterns: build, queries: &[probe] };
                kernels.conflicts(Matcher::Permuted(by), call, &mut tables, black_box(&mut count));
            }
            None => _ = black_box(disjoint(kernels, &without_permuting, keys, build, [probe], &mut tables)),
        };
        seconds(times, runs, match_once) / cycle / times as f64
    };
    // The cycles to match by blocks, with this many keys in the middle of the word.
    let mut by_blocks = |keys: usize, build: usize, probe: usize| {
        let bits = ((1u64 << keys) - 1) << (32 - keys / 2);
        matching(None, bits.reverse_bits(), &patterns(build, bits), &patterns(probe, bits.reverse_bits()))
    };
    // For any number of queries, 10 and 15 keys have windows of five keys, each with a table of 32 entries.
    let mut block = |lanes: usize| {
        let [(two, two_tables), (three, three_tables)] = [10, 15].map(|keys| {
            let [few, many] = [64, 256].map(|queries| by_blocks(keys, lanes, queries));
            let query = (many - few) / 192.0;
            (query, few - 64.0 * query)
        });
        let (window, entry) = (three - two, (three_tables - two_tables) / 32.0);
        Block { lanes, transpose: two_tables - 64.0 * entry, entry, query: two - 2.0 * window, window }
    };
    let block = block(kernels.cost().block.lanes);
    let pair = (by_blocks(35, 1, 4096) - by_blocks(35, 1, 2048)) / 2048.0;
    let permuted = kernels.cost().permuted.map(|Permuted { keys, .. }| {
        permuted(keys, |by, keys, [build, probe]| matching(Some(by), keys, &build, &probe))
    });
    let retaining = |length: usize| {
        let list = patterns(length, !0);
        let (times, mut out) = (1 + 20_000 / (length + 10), Vec::with_capacity(length + 64));
        // Each of the two bits is in three of eight patterns, so 25 of 64 patterns are kept.
        let retain = || {
            out.clear();
            kernels.retain(&list, 1 << 20 | 1 << 40, &mut out);
            black_box(&out);
        };
        seconds(times, runs, retain) / cycle / times as f64
    };
    let retain = (retaining(4096) - retaining(2048)) / 2048.0;
    Cost { largest: kernels.cost().largest, retain, pair, block, permuted, forced: None, extra_keys: 0 }
}

fn main() {
    let runs = if std::env::args().any(|argument| argument == "--test") { 2 } else { 4000 };
    for isa in Isa::available() {
        let cost = measured(isa.kernels().expect("the processor has it"), runs);
        println!("{isa}: {cost:.2?}");
    }
}
