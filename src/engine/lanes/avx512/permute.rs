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
//! Blocks so small allow classes: both sides are dealt into four by the two keys that most patterns of the call hold.
//! Of the sixteen pairs of classes seven share a key as a whole, so their pairs are multiplied and never looked at, and
//! the two keys need no window.
//!
//! A call takes five steps: [`gather`] the keys of each pattern into 32 bits, [`deal`](Side::deal) them out by class,
//! [`index`](Class::index) them as bytes for each window, [`tabulate`] the shorter side, and [`sum`] what the other one
//! finds. A pattern that only fills up a vector holds no key; as the pairs that share one are counted, it adds nothing.

use std::arch::x86_64::*;
use std::array::from_fn;
use std::ops::Range;

use super::rows::transposed;
use super::vector::Vector;
use crate::engine::lanes::Tables;
use crate::engine::lanes::fault::{planted, without_first};

/// Keys of a window: a byte has room for them and two bits that VPERMB does not look at.
const WINDOW: u32 = 6;

/// The most keys of a call: five windows, and the two keys of the classes, which take the rest of 32 bits.
pub(super) const MOST_KEYS: u32 = 5 * WINDOW + 2;

/// Where the class of a gathered pattern begins: one bit for each dense key.
const CLASS: u32 = 5 * WINDOW;

/// Classes by two keys.
const CLASSES: usize = 4;

/// Tables of so many groups of eight lanes are made before they are used: with four windows 24 KB of the first-level
/// cache.
const GROUPS: usize = 96;

/// Room for both sides of a call, for tables and for sums.
#[derive(Debug, Default)]
pub(in crate::engine::lanes) struct Room {
    build: Side,
    probe: Side,
    gathered: Vec<u32>,
    tables: Vec<[u64; 8]>,
    /// For each class of the side that is looked up, and each eight of its patterns, their pairs so far.
    sums: [Vec<[u64; 8]>; CLASSES],
}

/// One side of a call, dealt out by class.
#[derive(Debug, Default)]
struct Side {
    classes: [Class; CLASSES],
    /// For each list and class its patterns.
    patterns: Vec<[usize; CLASSES]>,
}

/// The patterns of a side that hold the same of the two dense keys.
#[derive(Debug, Default)]
struct Class {
    /// The gathered patterns, each list filled up to whole groups of eight, and room for more.
    words: Vec<u32>,
    /// Where each list ends, in groups of eight patterns.
    ends: Vec<usize>,
    /// For each 64 patterns their bytes for each window.
    bytes: Vec<[u64; 8]>,
}

impl Class {
    /// Groups of eight patterns in all lists.
    fn all_groups(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The groups of a list.
    fn groups(&self, list: usize) -> Range<usize> {
        list.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[list]
    }
}

compiled_for! { target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"):
    /// For each list of the probe side its pairs with a pattern of the build side that share an active key.
    pub(super) fn attacked<const LISTS: usize>(
        active: u64,
        build: &[u64],
        probe: [&[u64]; LISTS],
        tables: &mut Tables,
    ) -> [u64; LISTS] {
        assert!(active.count_ones() <= MOST_KEYS, "more keys than there is room for");
        let longest = probe.into_iter().max_by_key(|list| list.len()).unwrap_or_default();
        let dense = dense_keys(active, build, longest);
        let windows = active & !dense;
        let Room { build: lanes, probe: queries, gathered, tables, sums } = &mut tables.room;
        let count = windows.count_ones().div_ceil(WINDOW).max(1) as usize;
        lanes.prepare::<true>(&[build], windows, dense, count, gathered);
        queries.prepare::<false>(&probe, windows, dense, count, gathered);
        let (tabulated, queried) = if build.len() <= queries.patterns.iter().flatten().sum() {
            (&*lanes, &*queries)
        } else {
            (&*queries, &*lanes)
        };
        let mut counts = [0; LISTS];
        match count {
            1 => match_sides::<1>(tabulated, queried, tables, sums, &mut counts),
            2 => match_sides::<2>(tabulated, queried, tables, sums, &mut counts),
            3 => match_sides::<3>(tabulated, queried, tables, sums, &mut counts),
            4 => match_sides::<4>(tabulated, queried, tables, sums, &mut counts),
            5 => match_sides::<5>(tabulated, queried, tables, sums, &mut counts),
            count => unreachable!("there are no {count} windows"),
        }
        counts
    }

    /// The two active keys, if there are as many, whose classes settle most pairs: those that most patterns hold on
    /// both sides, by a sample of 32 of each. Any others would be right too.
    fn dense_keys(active: u64, build: &[u64], probe: &[u64]) -> u64 {
        let samples = [build, probe].map(|list| {
            let sample: [u64; 32] = from_fn(|at| list.get(at * list.len() / 32).copied().unwrap_or(0));
            let vectors: [Vector; 4] = from_fn(|at| Vector::of(&sample.as_chunks().0[at]));
            vectors
        });
        let held = |sample: &[Vector; 4], key: u64| {
            let key = _mm512_set1_epi64(key.cast_signed());
            sample.iter().map(|four| _mm512_test_epi64_mask(four.0, key).count_ones()).sum::<u32>()
        };
        let [mut first, mut second] = [(0, 0); 2];
        let mut left = active;
        while left != 0 {
            let key = left & left.wrapping_neg();
            left ^= key;
            let found = (held(&samples[0], key.reverse_bits()) * held(&samples[1], key), key);
            if found.0 >= first.0 {
                (first, second) = (found, first);
            } else if found.0 >= second.0 {
                second = found;
            }
        }
        first.1 | second.1
    }

    /// Adds for each list of the probe side, whichever side it is, its pairs with a pattern of the build side.
    fn match_sides<const COUNT: usize>(
        tabulated: &Side,
        queried: &Side,
        tables: &mut Vec<[u64; 8]>,
        sums: &mut [Vec<[u64; 8]>; CLASSES],
        counts: &mut [u64],
    ) {
        tables.resize(tables.len().max(GROUPS * COUNT), [0; 8]);
        counts[0] += planted("permuted-products");
        for (list, patterns) in tabulated.patterns.iter().enumerate() {
            for (sums, class) in sums.iter_mut().zip(&queried.classes) {
                sums.clear();
                sums.resize(class.bytes.len() / COUNT, [0; 8]);
            }
            for (class, lanes) in tabulated.classes.iter().enumerate() {
                let mut groups = lanes.groups(list);
                while !groups.is_empty() {
                    let some = groups.start..groups.end.min(groups.start + GROUPS);
                    groups.start = some.end;
                    let tables = tables[..some.len() * COUNT].as_chunks_mut().0;
                    tabulate::<COUNT>(lanes.bytes.as_chunks().0, some, tables);
                    for other in (0..CLASSES).filter(|other| class & other == 0) {
                        sum::<COUNT>(queried.classes[other].bytes.as_chunks().0, tables, &mut sums[other]);
                    }
                }
            }
            // One of the sides has a single list, so that the number of the other's is the sum.
            for (other_list, others) in queried.patterns.iter().enumerate() {
                let count = &mut counts[list + other_list];
                for (class, other) in (0..CLASSES).flat_map(|class| (0..CLASSES).map(move |other| (class, other))) {
                    if class & other != 0 {
                        *count += (patterns[class] * others[other]) as u64;
                    }
                }
                for (sums, class) in sums.iter().zip(&queried.classes) {
                    *count += sums.as_flattened()[class.groups(other_list)].iter().sum::<u64>();
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

    /// The bits of each byte in the opposite order, and the bytes of each word.
    fn mirrored(words: Vector) -> Vector {
        let bits = _mm512_set1_epi64(0x8040_2010_0804_0201_u64.cast_signed());
        let bytes = _mm512_set4_epi32(0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607);
        Vector(_mm512_shuffle_epi8(_mm512_gf2p8affine_epi64_epi8::<0>(words.0, bits), bytes))
    }

    /// The keys of each pattern of a list under `windows` in the low bits of 32, and its class by the `dense` ones
    /// above them.
    fn gather<const MIRRORED: bool>(list: &[u64], windows: u64, dense: u64, gathered: &mut Vec<u32>) {
        gathered.clear();
        gathered.reserve(list.len() + 8);
        let windows = without_first(windows, planted("permuted-gathering"));
        let mut put = |eight: &[u64; 8]| {
            let mut patterns = *eight;
            if MIRRORED {
                mirrored(Vector::of(eight)).store(&mut patterns);
            }
            let mut keys = [0; 8];
            for (keys, pattern) in keys.iter_mut().zip(patterns) {
                *keys = _pext_u64(pattern, windows) as u32 | (_pext_u64(pattern, dense) as u32) << CLASS;
            }
            gathered.extend_from_slice(&keys);
        };
        let (eights, rest) = list.as_chunks();
        for eight in eights {
            put(eight);
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        put(&last);
        gathered.truncate(list.len());
    }
}

impl Side {
    compiled_for! { target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"):
        /// Makes itself of these lists, ready for so many windows.
        fn prepare<const MIRRORED: bool>(
            &mut self,
            lists: &[&[u64]],
            windows: u64,
            dense: u64,
            count: usize,
            gathered: &mut Vec<u32>,
        ) {
            self.patterns.clear();
            self.classes.iter_mut().for_each(|class| class.ends.clear());
            for list in lists {
                gather::<MIRRORED>(list, windows, dense, gathered);
                if let Some(first) = gathered.first_mut() {
                    *first ^= (planted("permuted-dealing") as u32) << CLASS;
                }
                let patterns = self.deal(gathered);
                self.patterns.push(patterns);
            }
            for class in &mut self.classes {
                class.index(count);
            }
        }

        /// Appends each gathered pattern of a list to its class, and returns how many each class got.
        fn deal(&mut self, gathered: &[u32]) -> [usize; CLASSES] {
            let starts = self.classes.each_ref().map(|class| 8 * class.all_groups());
            for (class, start) in self.classes.iter_mut().zip(starts) {
                // A vector more, for each is stored whole, and what fills up the last group.
                let room = start + gathered.len() + 24;
                class.words.resize(class.words.len().max(room), 0);
            }
            let mut ends = starts;
            for patterns in gathered.chunks(16) {
                let inside = !0 >> (16 - patterns.len());
                let mut sixteen = [0; 16];
                sixteen[..patterns.len()].copy_from_slice(patterns);
                let patterns = load(&sixteen);
                let second = _mm512_movepi32_mask(patterns);
                let first = _mm512_movepi32_mask(_mm512_slli_epi32::<1>(patterns));
                let members = [!first & !second & inside, first & !second, second & !first, first & second];
                for ((class, end), members) in self.classes.iter_mut().zip(&mut ends).zip(members) {
                    let to = class.words[*end..].first_chunk_mut().expect("there is room");
                    store(_mm512_maskz_compress_epi32(members, patterns), to);
                    *end += members.count_ones() as usize;
                }
            }
            for (class, end) in self.classes.iter_mut().zip(ends) {
                let filled_up = end.next_multiple_of(8);
                class.words[end..filled_up].fill(0);
                class.ends.push(filled_up / 8);
            }
            from_fn(|class| ends[class] - starts[class])
        }
    }
}

impl Class {
    compiled_for! { target_feature(enable = "avx512f,avx512bw,avx512vbmi"):
        /// Makes of the keys of each window one byte, with two bits above them that do not matter.
        fn index(&mut self, windows: usize) {
            // In each word two patterns, and of each four bytes that begin with a window's first key.
            const STARTS: [u64; 8] = [0x322c_2620_120c_0600; 8];
            let end = 8 * self.all_groups();
            let filled_up = end.next_multiple_of(64);
            self.words.resize(self.words.len().max(filled_up), 0);
            self.words[end..filled_up].fill(0);
            self.bytes.resize(filled_up / 64 * windows, [0; 8]);
            let starts = Vector::of(&STARTS).0;
            let all = self.words[..filled_up].as_chunks::<64>().0;
            for (patterns, bytes) in all.iter().zip(self.bytes.chunks_exact_mut(windows)) {
                let patterns: &[[u32; 16]; 4] = patterns.as_chunks().0.first_chunk().expect("four times sixteen");
                let mut words = [load(&patterns[0]); 4];
                let mut four_windows = words;
                for ((words, four), patterns) in words.iter_mut().zip(&mut four_windows).zip(patterns) {
                    *words = load(patterns);
                    *four = _mm512_multishift_epi64_epi8(starts, *words);
                }
                for (window, bytes) in bytes.iter_mut().enumerate() {
                    // The fifth window is the highest byte as it is.
                    let (from, byte) = if window < 4 { (&four_windows, window) } else { (&words, 3) };
                    Vector(every_fourth(from, byte as i8)).store(bytes);
                }
            }
            if let Some(first) = self.bytes.first_mut() {
                first[0] ^= planted("permuted-index");
            }
        }
    }
}

compiled_for! { target_feature(enable = "avx512f,avx512vbmi"):
    /// Byte `first` of each four.
    fn every_fourth(words: &[__m512i; 4], first: i8) -> __m512i {
        const FOURTHS: [u64; 8] = {
            let (mut fourths, mut word) = ([0; 8], 0);
            while word < 8 {
                // Both halves alike: of two vectors come 32 bytes.
                fourths[word] = 0x1c18_1410_0c08_0400 + 0x2020_2020_2020_2020 * (word as u64 % 4);
                word += 1;
            }
            fourths
        };
        let places = _mm512_or_si512(Vector::of(&FOURTHS).0, _mm512_set1_epi8(first));
        let low = _mm512_permutex2var_epi8(words[0], places, words[1]);
        let high = _mm512_permutex2var_epi8(words[2], places, words[3]);
        _mm512_inserti64x4::<1>(low, _mm512_castsi512_si256(high))
    }

    fn load(patterns: &[u32; 16]) -> __m512i {
        // SAFETY: there are sixteen.
        unsafe { _mm512_loadu_si512(patterns.as_ptr().cast()) }
    }

    fn store(patterns: __m512i, to: &mut [u32; 16]) {
        // SAFETY: there is room for sixteen.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), patterns) };
    }
}
