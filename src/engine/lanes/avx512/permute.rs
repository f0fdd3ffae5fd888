//! Matching by permuting bytes, for the long calls of large boards: blocks of 8 lanes and 64 queries.
//!
//! The table of a window of six keys has 64 entries. For eight lanes an entry is one byte, so the table is one
//! register, and one instruction (VPERMB) takes the entries of 64 queries from it:
//!
//! ```text
//! queries    one byte each, their keys of the window:    5   0   63  ...     64 of them
//! table      64 bytes, one bit a lane:                   entry 5 = the lanes that hold its key 0 or its key 2
//! VPERMB     entry 5, entry 0, entry 63, ...             512 pairs
//! ```
//!
//! Blocks so small allow classes: both sides are dealt into sixteen by the four keys that most patterns of the call
//! hold. Of the 256 pairs of classes 175 share a key as a whole, so their pairs are multiplied and never looked at, and
//! the four keys need no window.
//!
//! A call takes four steps: [`deal`](Side::deal) the patterns out by class, [`index`](Side::index) them as bytes for
//! each window, [`tabulate`] the shorter side, and [`sum`] what the other one finds. A pattern that only fills up a
//! vector holds no key; as the pairs that share one are counted, it adds nothing.

use std::arch::x86_64::*;
use std::array::from_fn;
use std::ops::Range;

use super::rows::transposed;
use super::vector::Vector;
use crate::engine::lanes::fault::{planted, without_first};
use crate::engine::lanes::{Permuted, Tables};

/// Keys of a window.
const WINDOW: u32 = Permuted::WINDOW;

/// The most windows.
const WINDOWS: usize = Permuted::WINDOWS[1];

/// The most keys that make classes, and a class for each subset of them.
const DENSE: usize = Permuted::DENSE[1] as usize;
const CLASSES: usize = 1 << DENSE;

/// Tables of so many groups of eight lanes are made before they are used: with four windows 24 KB of the first-level
/// cache.
const GROUPS: usize = 96;

/// Room for both sides of a call, for tables and for sums.
#[derive(Debug, Default)]
pub(in crate::engine::lanes) struct Room {
    build: Side,
    probe: Side,
    tables: Vec<[u64; 8]>,
    /// For each block of the side that is looked up, and each eight of its patterns, their pairs so far.
    sums: Vec<[u64; 8]>,
}

/// One side of a call, dealt out by class.
#[derive(Debug, Default)]
struct Side {
    /// The patterns of each class, a [`stride`](Self::stride) apart, each list filled up to whole groups of eight.
    patterns: Vec<u64>,
    stride: usize,
    lists: Vec<Dealt>,
    /// For each 64 patterns, a block, their bytes for each window; the classes one after another.
    bytes: Vec<[u64; 8]>,
    /// The blocks of each class.
    blocks: Vec<Range<usize>>,
}

/// What is in each class of a list.
#[derive(Clone, Copy, Debug)]
struct Dealt {
    patterns: [usize; CLASSES],
    /// Where it ends among the groups of eight of the class.
    ends: [usize; CLASSES],
}

/// The keys of a call as one of the sides holds them.
#[derive(Clone, Copy, Debug)]
struct Keys {
    /// A class is the number whose bits say which of these a pattern holds, the lowest first.
    dense: u64,
    /// For each window the places of its keys, one byte each.
    windows: [u64; WINDOWS],
}

impl Keys {
    /// Of the build side, which has the keys mirrored, and of the probe side, which has them as they are.
    fn of(windows: u64, dense: u64) -> [Self; 2] {
        // Bit 63 is no key, and so the place of those that a window lacks.
        const NONE: u64 = 0x3f3f_3f3f_3f3f_3f3f;
        let [mut build, mut probe] = [[NONE; WINDOWS]; 2];
        let mut left = windows;
        for place in 0..windows.count_ones() {
            let key = u64::from(left.trailing_zeros());
            left &= left - 1;
            let (window, shift) = ((place / WINDOW) as usize, 8 * (place % WINDOW));
            build[window] ^= key << shift;
            probe[window] ^= (63 ^ key) << shift;
        }
        [Self { dense: dense.reverse_bits(), windows: build }, Self { dense, windows: probe }]
    }
}

/// The class of the other side that holds the same keys, which it has in the opposite order.
fn mirrored(class: usize, classes: usize) -> usize {
    (class * 2).reverse_bits() >> classes.leading_zeros()
}

impl Side {
    /// The groups of a list in a class.
    fn groups(&self, list: usize, class: usize) -> Range<usize> {
        list.checked_sub(1).map_or(0, |before| self.lists[before].ends[class])..self.lists[list].ends[class]
    }
}

compiled_for! { target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512bitalg,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"):
    /// For each list of the probe side its pairs with a pattern of the build side that share an active key; by so many
    /// dense ones the patterns are dealt out.
    pub(super) fn attacked<const LISTS: usize>(
        dense: u32,
        active: u64,
        build: &[u64],
        probe: [&[u64]; LISTS],
        tables: &mut Tables,
    ) -> [u64; LISTS] {
        let longest = probe.into_iter().max_by_key(|list| list.len()).unwrap_or_default();
        let asked = probe.iter().map(|list| list.len()).sum();
        let classes = 1 << dense;
        let dense = dense_keys(active, build, longest, dense as usize);
        let windows = without_first(active & !dense, planted("permuted-index"));
        let [build_keys, probe_keys] = Keys::of(windows, dense);
        let Room { build: lanes, probe: queries, tables, sums } = &mut tables.room;
        lanes.deal(&[build], without_first(build_keys.dense, planted("permuted-dealing")), classes);
        queries.deal(&probe, probe_keys.dense, classes);
        let sides = if build.len() <= asked {
            [(lanes, &build_keys), (queries, &probe_keys)]
        } else {
            [(queries, &probe_keys), (lanes, &build_keys)]
        };
        let mut counts = [0; LISTS];
        match windows.count_ones().div_ceil(WINDOW) {
            0..=3 => match_sides::<3>(sides, tables, sums, &mut counts),
            4 => match_sides::<4>(sides, tables, sums, &mut counts),
            5 => match_sides::<5>(sides, tables, sums, &mut counts),
            6 => match_sides::<6>(sides, tables, sums, &mut counts),
            7 => match_sides::<7>(sides, tables, sums, &mut counts),
            8 => match_sides::<8>(sides, tables, sums, &mut counts),
            count => unreachable!("there are no {count} windows"),
        }
        counts
    }

    /// The active keys whose classes settle most pairs: those that most patterns hold on both sides, by a sample of 64 of
    /// each. Any others would be right too.
    fn dense_keys(active: u64, build: &[u64], probe: &[u64], count: usize) -> u64 {
        let [build, probe] = [build, probe].map(|list| {
            // A byte for each key.
            let mut held = _mm512_setzero_si512();
            for at in 0..64 {
                let pattern = list.get(at * list.len() / 64).copied().unwrap_or(0);
                held = _mm512_sub_epi8(held, _mm512_movm_epi8(pattern));
            }
            let mut words = [0; 8];
            Vector(held).store(&mut words);
            words
        });
        let held = |side: &[u64; 8], key: u32| side[key as usize / 8] >> (key % 8 * 8) & 0xff;
        // Where there are fewer, some that no pattern of either side holds.
        let mut densest: [(u64, u64); DENSE] = from_fn(|place| (0, 1 << (63 - place)));
        let densest = &mut densest[..count];
        let mut left = active;
        while left != 0 {
            let key = left.trailing_zeros();
            left &= left - 1;
            let mut found = (held(&build, 63 - key) * held(&probe, key), 1 << key);
            for dense in &mut *densest {
                if found.0 >= dense.0 {
                    std::mem::swap(&mut found, dense);
                }
            }
        }
        densest.iter().fold(0, |keys, dense| keys | dense.1)
    }

    /// Adds for each list of the probe side, whichever side it is, its pairs with a pattern of the build side.
    fn match_sides<const COUNT: usize>(
        [(tabulated, tabulated_keys), (queried, queried_keys)]: [(&mut Side, &Keys); 2],
        tables: &mut Vec<[u64; 8]>,
        sums: &mut Vec<[u64; 8]>,
        counts: &mut [u64],
    ) {
        tabulated.index::<COUNT>(tabulated_keys);
        queried.index::<COUNT>(queried_keys);
        tables.resize(tables.len().max(GROUPS * COUNT), [0; 8]);
        counts[0] += planted("permuted-products");
        let classes = queried.blocks.len();
        for (list, dealt) in tabulated.lists.iter().enumerate() {
            sums.clear();
            sums.resize(queried.bytes.len() / COUNT, [0; 8]);
            for class in 0..classes {
                let lanes = tabulated.bytes[tabulated.blocks[class].start * COUNT..].as_chunks().0;
                let mut groups = tabulated.groups(list, class);
                while !groups.is_empty() {
                    let some = groups.start..groups.end.min(groups.start + GROUPS);
                    groups.start = some.end;
                    let tables = tables[..some.len() * COUNT].as_chunks_mut().0;
                    tabulate::<COUNT>(lanes, some, tables);
                    let lacking = classes - 1 - mirrored(class, classes);
                    // Every subset of the keys that these lack.
                    let mut other = lacking;
                    loop {
                        let Range { start, end } = queried.blocks[other];
                        sum::<COUNT>(queried.bytes[start * COUNT..end * COUNT].as_chunks().0, tables, &mut sums[start..end]);
                        if other == 0 {
                            break;
                        }
                        other = (other - 1) & lacking;
                    }
                }
            }
            // One of the sides has a single list, so that the number of the other's is the sum.
            for (other_list, others) in queried.lists.iter().enumerate() {
                let count = &mut counts[list + other_list];
                // For each class the patterns of the other side with a subset of its keys.
                let mut within = others.patterns;
                let mut key = 1;
                while key < classes {
                    for class in (0..classes).filter(|class| class & key != 0) {
                        within[class] += within[class - key];
                    }
                    key *= 2;
                }
                for (class, patterns) in dealt.patterns[..classes].iter().enumerate() {
                    let free = within[classes - 1 - mirrored(class, classes)];
                    *count += (patterns * (within[classes - 1] - free)) as u64;
                }
                for (class, blocks) in queried.blocks.iter().enumerate() {
                    let groups = queried.groups(other_list, class);
                    *count += sums[blocks.clone()].as_flattened()[groups].iter().sum::<u64>();
                }
            }
        }
    }

    /// Makes for each group of eight lanes the tables of all windows, the lanes of an entry in any order.
    fn tabulate<const COUNT: usize>(
        bytes: &[[[u64; 8]; COUNT]],
        groups: Range<usize>,
        tables: &mut [[[u64; 8]; COUNT]],
    ) {
        // For a lane with these keys the entries that hold one of its three low keys, of the eight that differ in
        // those.
        const LOW: [u64; 8] = {
            let (mut low, mut entry) = ([0; 8], 0);
            while entry < 8 {
                let (mut held, mut asked) = (0, 0);
                while asked < 8 {
                    held |= ((asked & entry != 0) as u64) << asked;
                    asked += 1;
                }
                low[0] |= held << (8 * entry);
                entry += 1;
            }
            [low[0]; 8]
        };
        // The three high keys of each eight entries.
        const HIGH: [u64; 8] = {
            let (mut high, mut eight) = ([0; 8], 0);
            while eight < 8 {
                high[eight] = 0x0808_0808_0808_0808 * eight as u64;
                eight += 1;
            }
            high
        };
        let [low, high, all] = [&LOW, &HIGH, &[!0; 8]].map(|words| Vector::of(words).0);
        for (group, tables) in groups.zip(&mut *tables) {
            for (table, bytes) in tables.iter_mut().zip(&bytes[group / 8]) {
                // In each word the eight lanes, one byte each.
                let lanes = _mm512_set1_epi64(bytes[group % 8].cast_signed());
                let without_high = _mm512_testn_epi8_mask(lanes, high);
                let entries = _mm512_mask_permutexvar_epi8(all, without_high, lanes, low);
                // Eight entries of eight lanes become eight lanes of eight entries.
                Vector(transposed(entries)).store(table);
            }
        }
        if let Some(first) = tables.first_mut() {
            first[0][0] ^= planted("permuted-tables");
        }
    }

    /// Adds for each eight queries their pairs with a lane of the tables that share a key.
    fn sum<const COUNT: usize>(
        queries: &[[[u64; 8]; COUNT]],
        tables: &[[[u64; 8]; COUNT]],
        sums: &mut [[u64; 8]],
    ) {
        let vectors = |bytes: &[[u64; 8]; COUNT]| bytes.each_ref().map(|words| Vector::of(words));
        // Two blocks at a time, so that each table is read once for both.
        let (twos, rest) = queries.as_chunks::<2>();
        let (sums_of_twos, sum_of_rest) = sums.as_chunks_mut::<2>();
        for ([one, other], [sum, other_sum]) in twos.iter().zip(sums_of_twos) {
            let (one, other) = (vectors(one), vectors(other));
            let (mut found, mut other_found) = (Vector::of(sum), Vector::of(other_sum));
            for table in tables {
                found = found.plus(attacked_lanes(&one, table));
                other_found = other_found.plus(attacked_lanes(&other, table));
            }
            found.store(sum);
            other_found.store(other_sum);
        }
        for (queries, sum) in rest.iter().zip(sum_of_rest) {
            let queries = vectors(queries);
            let mut found = Vector::of(sum);
            for table in tables {
                found = found.plus(attacked_lanes(&queries, table));
            }
            found.store(sum);
        }
        if let Some(first) = sums.first_mut() {
            first[0] += planted("permuted-sums");
        }
    }

    /// For each eight of 64 queries their pairs with one of eight lanes that share a key.
    fn attacked_lanes<const COUNT: usize>(queries: &[Vector; COUNT], tables: &[[u64; 8]; COUNT]) -> Vector {
        let mut found = [Vector::splat(0); COUNT];
        for ((found, query), table) in found.iter_mut().zip(queries).zip(tables) {
            *found = Vector(_mm512_permutexvar_epi8(query.0, Vector::of(table).0));
        }
        let mut lanes = found[0];
        let (twos, rest) = found[1..].as_chunks::<2>();
        for &[one, other] in twos {
            lanes = lanes.or3(one, other);
        }
        for &one in rest {
            lanes = lanes.or(one);
        }
        Vector(_mm512_popcnt_epi64(lanes.0))
    }
}

impl Side {
    compiled_for! { target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512bitalg,bmi1,bmi2,popcnt"):
        /// Deals out the patterns of these lists by class.
        fn deal(&mut self, lists: &[&[u64]], dense: u64, classes: usize) {
            // Every list may be in one class, each with what fills it up.
            let room = lists.iter().map(|list| list.len().next_multiple_of(8)).sum::<usize>();
            if room > self.stride {
                // Where classes begin stays the same for most calls, and so in the cache; an odd number of cache lines
                // apart, for those that are a multiple of 4096 bytes apart would drive one another out.
                self.stride = room.next_multiple_of(2048) + 8;
                // Zeros that no memory is taken for until they are written to.
                self.patterns = vec![0; CLASSES * self.stride];
            }
            let patterns = &mut self.patterns[..];
            let mut ends: [usize; CLASSES] = from_fn(|class| class * self.stride);
            self.blocks.resize(classes, 0..0);
            self.lists.clear();
            for list in lists {
                let mut dealt = Dealt { patterns: ends, ends };
                for &pattern in *list {
                    let end = &mut ends[_pext_u64(pattern, dense) as usize % CLASSES];
                    patterns[*end] = pattern;
                    *end += 1;
                }
                for (class, end) in ends[..classes].iter_mut().enumerate() {
                    dealt.patterns[class] = *end - dealt.patterns[class];
                    let filled_up = end.next_multiple_of(8);
                    patterns[*end..filled_up].fill(0);
                    *end = filled_up;
                    dealt.ends[class] = (filled_up - class * self.stride) / 8;
                }
                self.lists.push(dealt);
            }
        }

        /// Makes of the keys of each window one byte, with two bits above them that do not matter.
        fn index<const COUNT: usize>(&mut self, keys: &Keys) {
            let Self { patterns, stride, lists, bytes, blocks } = self;
            let ends = lists.last().map_or([0; CLASSES], |last| last.ends);
            let mut start = 0;
            for (blocks, end) in blocks.iter_mut().zip(ends) {
                *blocks = start..start + end.div_ceil(8);
                start = blocks.end;
            }
            bytes.resize(start * COUNT, [0; 8]);
            let bytes = bytes.as_chunks_mut::<COUNT>().0;
            let windows: [__m512i; COUNT] = from_fn(|window| _mm512_set1_epi64(keys.windows[window].cast_signed()));
            for (class, blocks) in blocks.iter().enumerate() {
                if let Some(last) = bytes[blocks.clone()].last_mut() {
                    *last = [[0; 8]; COUNT];
                }
                let patterns = &patterns[class * *stride..][..8 * ends[class]];
                for (eights, bytes) in patterns.chunks(64).zip(&mut bytes[blocks.clone()]) {
                    for (place, eight) in eights.as_chunks().0.iter().enumerate() {
                        for (window, bytes) in windows.iter().zip(&mut *bytes) {
                            bytes[place] = _mm512_bitshuffle_epi64_mask(Vector::of(eight).0, *window);
                        }
                    }
                }
            }
        }
    }
}
