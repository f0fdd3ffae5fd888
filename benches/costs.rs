//! What the steps of matching cost on each instruction set that this processor has: `cargo bench --bench costs`, some
//! seconds. Prints one `Cost` a set, to be compared with those of `src/engine/lanes/cost.rs`.
//!
//! A cycle is a quarter of a step of `x * (x | 1)`, one addition and one multiplication that wait for each other. Of many
//! short runs the fastest counts, so that other work on the machine shows little.

use std::hint::black_box;
use std::time::Instant;

use queens::engine::lanes::{Block, Cost, Isa, Lanes, Tables, WithLanes};

/// Seconds of the fastest of many runs of `times` calls.
fn seconds(times: usize, runs: usize, mut work: impl FnMut()) -> f64 {
    let mut run = || {
        let start = Instant::now();
        (0..times).for_each(|_| work());
        start.elapsed().as_secs_f64()
    };
    (0..runs).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// Seconds of a cycle.
fn cycle(runs: usize) -> f64 {
    let steps = 100_000;
    let mut x = black_box(3u64);
    let chain = seconds(1, runs, || (0..steps).for_each(|_| x = x.wrapping_mul(x | 1)));
    black_box(x);
    chain / (4 * steps) as f64
}

/// Words with about a third of these bits set.
fn patterns(count: usize, keys: u64) -> Vec<u64> {
    let mut random = fastrand::Rng::with_seed(1);
    (0..count).map(|_| random.u64(..) & (random.u64(..) | random.u64(..)) & keys).collect()
}

struct Measure {
    runs: usize,
}

impl WithLanes for Measure {
    type Output = Cost;

    fn with<L: Lanes>(self, lanes: L) -> Cost {
        let cycle = cycle(self.runs);
        let mut tables = Tables::default();
        // Cycles to match with as many keys in the middle of the word.
        let mut matching = |keys: usize, build: usize, probe: usize| {
            let bits = ((1u64 << keys) - 1) << (32 - keys / 2);
            let (build, probe) = (patterns(build, bits), patterns(probe, bits.reverse_bits()));
            let times = 1 + 20_000 / (build.len() + probe.len());
            let call = || _ = black_box(lanes.disjoint(bits.reverse_bits(), &build, [&probe], &mut tables));
            seconds(times, self.runs, call) / cycle / times as f64
        };
        // 10 and 15 keys are cut into windows of five for any number of queries, and each has a table of 32 entries.
        let mut block = |lanes: usize| {
            let [(two, two_tables), (three, three_tables)] = [10, 15].map(|keys| {
                let [few, many] = [64, 256].map(|queries| matching(keys, lanes, queries));
                let query = (many - few) / 192.0;
                (query, few - 64.0 * query)
            });
            let (window, entry) = (three - two, (three_tables - two_tables) / 32.0);
            Block { lanes, transpose: two_tables - 64.0 * entry, entry, query: two - 2.0 * window, window }
        };
        let (wide, narrow) = (block(L::COST.wide.lanes), block(L::COST.narrow.lanes));
        let pair = (matching(35, 1, 4096) - matching(35, 1, 2048)) / 2048.0;
        let retaining = |length: usize| {
            let list = patterns(length, !0);
            let (times, mut out) = (1 + 20_000 / (length + 10), Vec::with_capacity(length + 64));
            // A bit and two more leave four patterns of nine.
            let retain = || {
                out.clear();
                lanes.retain(&list, 1 << 20 | 1 << 40, &mut out);
                black_box(&out);
            };
            seconds(times, self.runs, retain) / cycle / times as f64
        };
        let retain = (retaining(4096) - retaining(2048)) / 2048.0;
        Cost { largest: L::COST.largest, retain, pair, wide, narrow, permuted: L::COST.permuted }
    }
}

fn main() {
    let runs = if std::env::args().any(|argument| argument == "--test") { 2 } else { 4000 };
    for isa in Isa::available() {
        let cost = isa.with(Measure { runs }).expect("the processor has it");
        println!("{}: {cost:.2?}", isa.version().expect("the processor has it"));
    }
}
