//! The contract of every instruction set: the plain definition of each operation, on random patterns.

use std::ops::Range;

use fastrand::Rng;

use super::*;
use crate::tests::{cases, is_all};

/// The lowest `width` keys of each kind, in the middle of the word.
fn keys(width: usize) -> u64 {
    ((1 << (2 * width)) - 1) << (32 - width)
}

/// Random patterns that hold about a third of these keys.
fn patterns(random: &mut Rng, count: Range<usize>, width: usize) -> Vec<u64> {
    let count = random.usize(count);
    (0..count).map(|_| random.u64(..) & (random.u64(..) | random.u64(..)) & keys(width)).collect()
}

fn all_kernels() -> impl Iterator<Item = &'static dyn Kernels> {
    Isa::ALL.into_iter().filter_map(Isa::kernels)
}

/// `Isa::best` agrees with the processor's features, asked independently, and each name has kernels of its own.
#[test]
#[cfg(target_arch = "x86_64")]
fn best_isa_matches_the_processor() {
    let plain = is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl");
    let ice = plain && is_x86_feature_detected!("avx512vpopcntdq") && is_x86_feature_detected!("gfni");
    let ice = ice && is_x86_feature_detected!("avx512vbmi");
    let (expected, lanes) = match (ice, plain) {
        (true, _) => (Isa::Avx512, "Avx512Ice"),
        (_, true) => (Isa::Avx512f, "Avx512f"),
        _ if is_x86_feature_detected!("avx2") => (Isa::Avx2, "Avx2"),
        _ => (Isa::Portable, "Portable"),
    };
    let best = Isa::best();
    assert_eq!((best, format!("{:?}", best.kernels().unwrap())), (expected, format!("{lanes}(())")));
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.is_available()) {
        eprintln!("not run: this processor has no {isa}");
    }
}

fn disjoint_is_right(kernels: &dyn Kernels, build: &[u64], probe: &[u64]) {
    let pairs = |probe: &[u64]| {
        let meets = |one: u64, other: u64| one & other.reverse_bits() != 0;
        build.iter().map(|&one| probe.iter().filter(|&&other| !meets(one, other)).count() as u64).sum::<u64>()
    };
    let (some, rest) = probe.split_at(probe.len() / 3);
    let union = |patterns: &[u64]| patterns.iter().fold(0, |keys, pattern| keys | pattern);
    assert_eq!(kernels.union(build), union(build));
    // As costs decide, and with each matcher forced.
    let matchers = [Matcher::Pairs, Matcher::Blocks { windows: 1, min_lanes: 0 }, Matcher::Permuted(2)];
    for forced in [None].into_iter().chain(matchers.map(Some)) {
        let cost = Cost { forced, ..kernels.cost() };
        let mut tables = Tables::default();
        // With the shared keys, and with others besides.
        for more in [0, 1 << 6 | 1 << 57, KEY_BITS & build.first().unwrap_or(&0)] {
            let keys = union(probe) & union(build).reverse_bits() | more;
            let counts = disjoint(kernels, &cost, keys, build, [some, rest, &[]], &mut tables);
            assert_eq!(counts, [pairs(some), pairs(rest), 0]);
        }
    }
}

fn retains(kernels: &dyn Kernels, patterns: &[u64], avoid: u64) {
    let mut kept = vec![7];
    kernels.retain(patterns, avoid, &mut kept);
    let expected: Vec<u64> =
        [7].into_iter().chain(patterns.iter().copied().filter(|pattern| pattern & avoid == 0)).collect();
    assert_eq!(kept, expected);
}

fn pairs_are_right(kernels: &dyn Kernels, stream: &[(u64, u16)], partners: &[Vec<u64>]) {
    let ranked_stream: Vec<u64> = stream.iter().map(|&(pattern, rank)| ranked(pattern, rank)).collect();
    // The partners have ranks, which must be ignored.
    let mut all: Vec<u64> = partners.concat().iter().map(|&partner| ranked(partner, 0xabc)).collect();
    all.extend([0; PADDING]);
    let mut starts = vec![0];
    for run in partners {
        starts.push(starts.last().unwrap() + run.len() as u32);
    }
    let mut found = vec![];
    kernels.join_quadrants(&ranked_stream, Partners { patterns: &all, starts: &starts }, &mut found);
    let mut expected = vec![];
    for &(pattern, rank) in stream {
        let run = &partners[partners.len() - 1 - usize::from(rank)];
        expected.extend(run.iter().filter(|&&partner| partner & pattern == 0).map(|&partner| partner | pattern));
    }
    assert_eq!(found, expected);
}

#[test]
fn disjoint_pairs_are_counted() {
    for mut random in cases() {
        let width = random.usize(1..=26);
        let [lanes, queries] = [0..1200, 0..70].map(|count| patterns(&mut random, count, width));
        // Thinned once more, or hardly any pair would be disjoint.
        let thin = random.u64(..);
        let lanes: Vec<u64> = lanes.into_iter().map(|lane| lane & thin).collect();
        all_kernels().for_each(|kernels| disjoint_is_right(kernels, &lanes, &queries));
    }
}

#[test]
fn retaining_keeps_the_order() {
    for mut random in cases() {
        let patterns = patterns(&mut random, 0..300, 20);
        let avoid = random.u64(..) & random.u64(..) & random.u64(..);
        all_kernels().for_each(|kernels| retains(kernels, &patterns, avoid));
    }
}

#[test]
fn quadrants_are_paired() {
    for mut random in cases() {
        let partners: Vec<_> = (0..random.usize(1..12)).map(|_| patterns(&mut random, 0..30, 18)).collect();
        let stream = patterns(&mut random, 0..40, 18);
        let stream: Vec<_> = stream.into_iter().map(|pattern| (pattern, random.u16(..partners.len() as u16))).collect();
        all_kernels().for_each(|kernels| pairs_are_right(kernels, &stream, &partners));
    }
}

/// Lengths around the sizes of blocks and of the batches of eight queries.
#[test]
fn blocks_of_every_length_are_matched() {
    let mut random = Rng::with_seed(1);
    let patterns: Vec<u64> = (0..1100).map(|_| random.u64(..) & random.u64(..) & random.u64(..) & keys(18)).collect();
    for lanes in [0, 1, 23, 24, 25, 63, 64, 65, 255, 256, 257, 281, 511, 512, 513, 1024, 1037] {
        for queries in (0..=17).chain([64, 300, 800]) {
            all_kernels()
                .for_each(|kernels| disjoint_is_right(kernels, &patterns[..lanes], &patterns[1100 - queries..]));
        }
    }
    // No shared key.
    all_kernels().for_each(|kernels| disjoint_is_right(kernels, &[1 << 6; 600], &[1 << 6; 600]));
    // As many keys as possible, which hardly any pair shares.
    for rare in [KEY_BITS, keys(20)] {
        let list = [&[0, rare][..], &[0; 300]].concat();
        all_kernels().for_each(|kernels| disjoint_is_right(kernels, &list, &list));
    }
}

/// Each lane and query has a single key, so a key that no window covers would add disjoint pairs. Tests every size of
/// windows and every number of keys (by default, every third number).
#[test]
fn no_key_is_lost_between_windows() {
    let third = if is_all() { 1 } else { 3 };
    for count in (1..=52).step_by(third) {
        // Adjacent keys, and keys as far apart as there is room for.
        for step in [1, 52 / count] {
            let keys: Vec<u64> = (0..count).map(|key| 1 << (6 + key * step)).collect();
            let lanes: Vec<u64> = keys.iter().copied().cycle().take(count.max(64)).collect();
            // From few queries, which pay only for windows of five keys, to enough for the largest.
            for queries in [count, 300, 1000, 6000] {
                let queries: Vec<u64> =
                    keys.iter().map(|key| key.reverse_bits()).cycle().take(queries.max(count)).collect();
                all_kernels().for_each(|kernels| disjoint_is_right(kernels, &lanes, &queries));
            }
        }
    }
}
