//! Matching by permuting bytes, for the long calls of large boards.
//!
//! The table of a window of six keys has 64 entries. For eight lanes an entry is one byte, so with AVX-512 the table is
//! one register, and one instruction (VPERMB) takes the entries of 64 queries from it: 512 pairs. With AVX2 and NEON a window
//! has four keys, and VPSHUFB or two TBL take the entries of 32 queries. The whole call:
//!
//! ```text
//! dense   = up to ten keys that most pairs of a sample share               dense_keys
//! windows = the other active keys, six or four at a time
//! for each side:    class of a pattern = the dense keys that it holds      deal
//!                   byte of a pattern and window = its keys there          index_side
//! pairs of classes that share a dense key: counted by multiplication       settled
//! each eight lanes, for each window:   table[keys] = the lanes that        tabulate
//!                                      hold one of these keys, a bit each
//! queries of each class that shares no dense key with that of the lanes:   look_up
//!     count += ones(OR over the windows of table[byte of the query])       sum
//! ```
//!
//! Each dense key leaves about 0.7 of the pairs, and needs no window. What is done otherwise:
//!
//! - The shorter side is tabulated, whichever it is.
//! - Patterns are dealt out on pages, for nobody knows how many a class will have, one side after the other on the same.
//! - A pattern that only fills up a vector holds no key; as the pairs that share one are counted, it adds nothing.
//! - Tables of many lanes are made before they are used, of four classes that have queries in common, and each query is loaded
//!   once for all of them.
//! - Counts stay apart for each eight queries, so that lists that weigh differently may lie in one vector.
//!
//! Tried on Zen 4: the blocks of queries that four classes meet in one list, and few tables kept in registers meanwhile. N = 24
//! and 26 took 0.97 and 0.96 of the time, 21 and 20 1.06 and 1.02.

use std::ops::Range;

use super::fault::planted;

/// For each set of three keys a byte, in which each bit is a set too: those that share a key with it.
#[cfg(target_arch = "x86_64")]
pub(super) const SHARING: u64 = 0xfefc_faf0_eecc_aa00;

/// Tables of so many groups of eight lanes are made before they are used: with four windows of AVX-512 24 KB of the
/// first-level cache.
pub(super) const GROUPS: usize = 96;

/// Patterns of a page. A page that is full costs a wrong guess at a branch: with 64 a call took up to 1.03 of the time.
pub(super) const PAGE: usize = 256;

/// Pairs for each dense key by which they are chosen.
pub(super) const SAMPLE: usize = 128;

/// Room for both sides of a call, for tables and for sums.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// What each pair of the sample shares that shares none of the dense keys so far, and what is left of that.
    pub(super) shared: [Vec<u64>; 2],
    /// Of the side that was dealt out last.
    pub(super) pages: Pages,
    pub(super) build: DealtSide,
    pub(super) probe: DealtSide,
    pub(super) tables: Vec<u64>,
    /// For each eight patterns of the side that is looked up their pairs so far.
    pub(super) sums: Vec<u64>,
}

/// Patterns dealt out on pages, each of one class. In a class each list is filled up to whole groups of eight.
#[derive(Debug, Default)]
pub(super) struct Pages {
    pub(super) patterns: Vec<u64>,
    /// The class of each page.
    pub(super) classes: Vec<usize>,
}

impl Pages {
    /// Fills up the classes of a list, which end here, and tells what is in each behind the list before.
    pub(super) fn end_list(&mut self, ends: &mut [usize], before: Option<&Dealt>) -> Dealt {
        let mut list = Dealt { patterns: vec![0; ends.len()], groups: vec![0..0; ends.len()] };
        for &class in &self.classes {
            list.patterns[class] += PAGE;
        }
        for (class, end) in ends.iter_mut().enumerate() {
            let start = before.map_or(0, |before| before.groups[class].end);
            let all = list.patterns[class] - end.wrapping_neg() % PAGE;
            list.patterns[class] = all - 8 * start;
            list.groups[class] = start..all.div_ceil(8);
            let filled_up = end.next_multiple_of(8);
            self.patterns[*end..filled_up].fill(0);
            *end = filled_up;
        }
        list
    }
}

/// One side of a call, dealt out by class and indexed.
#[derive(Debug, Default)]
pub(super) struct DealtSide {
    pub(super) lists: Vec<Dealt>,
    /// For each group of eight and each window a word with their bytes; a vector of them, or a block, for each window in
    /// turn; the classes one after another.
    pub(super) bytes: Vec<u64>,
    /// The blocks of each class.
    pub(super) blocks: Vec<Range<usize>>,
}

/// What is in each class of a list.
#[derive(Debug)]
pub(super) struct Dealt {
    /// How many patterns.
    pub(super) patterns: Vec<usize>,
    /// Which groups of eight of the class are its own.
    pub(super) groups: Vec<Range<usize>>,
}

/// The class of the other side that holds all keys but those of this one; it has them in the opposite order.
pub(super) fn lacking(class: usize, classes: usize) -> usize {
    classes - 1 - ((class * 2).reverse_bits() >> classes.leading_zeros())
}

/// The pairs that share a dense key, of sides with so many patterns in each class.
pub(super) fn settled(patterns: &[usize], others: &[usize]) -> u64 {
    let classes = patterns.len();
    // For each class those of the other side with a subset of its keys.
    let mut within = others.to_vec();
    within[classes - 1] += planted("permuted-products") as usize;
    let mut key = 1;
    while key < classes {
        for class in (0..classes).filter(|class| class & key != 0) {
            within[class] += within[class - key];
        }
        key *= 2;
    }
    let attacked = |class| within[classes - 1] - within[lacking(class, classes)];
    patterns.iter().enumerate().map(|(class, patterns)| (patterns * attacked(class)) as u64).sum()
}

/// Expands `conflicts` for calls of each of these numbers of windows, `COUNT`, beside the functions given. A file has in scope
/// `COST`, `Vector` and `retain`, as [`kernels!`](super::kernels) needs them, and gives
///
/// ```text
/// dealer(dense: u64) -> D                            what `class` needs to know of the dense keys
/// class(pattern, D) -> u64                           which of them a pattern holds, one bit each
/// places::<COUNT>(windows: u64, is_mirrored) -> P    what `index` needs to know of a side
/// index(&[u64; 8], &P) -> [u64; COUNT]               for each window a word with the bytes of eight patterns
/// tabulate(&[u64; COUNT], &mut [[u64; TABLE]; COUNT])   the tables of eight lanes, whose bytes are such words
/// sum(queries: &[[[u64; WORDS]; COUNT]], tables: &[[[u64; TABLE]; COUNT]], &mut [[u64; WORDS]])
///     adds for each eight queries their pairs with a lane of the tables that share a key
/// ```
macro_rules! permuting {
    ($features:meta, $($count:literal)+: $($function:item)*) => {
        use $crate::engine::lanes::fault::{planted, without_first};
        use $crate::engine::lanes::permuting::{Dealt, DealtSide, GROUPS, PAGE, Pages, Room, SAMPLE, lacking, settled};
        use $crate::engine::lanes::{Call, Permuted, Tables};

        /// The most keys that make classes, and a class for each subset of them.
        const DENSE: usize = Permuted::dense_range(WINDOW)[1] as usize;
        const CLASSES: usize = 1 << DENSE;

        /// Patterns of a block, as many as a vector has bytes.
        const BLOCK: usize = 8 * Vector::WORDS;

        /// Keys of a window, and words of its table: a byte for each set of them.
        const WINDOW: u32 = COST.permuted.unwrap().keys;
        const TABLE: usize = (1 << WINDOW) / 8;

        /// See [`look_up`], in the tables of four classes from `first` on: from each of these bounds to the next those of
        /// one. What surrounds its loops would take registers from them, so it is not inlined: N = 24 executed 1.03 of the
        /// instructions.
        #[$features]
        #[inline(never)]
        fn look_up_in<const COUNT: usize>(
            first: usize,
            bounds: [usize; 5],
            tables: &[[[u64; TABLE]; COUNT]],
            queried: &DealtSide,
            sums: &mut [[u64; Vector::WORDS]],
        ) {
            let queries: &[[[u64; Vector::WORDS]; COUNT]] = queried.bytes.as_chunks().0.as_chunks().0;
            let classes = queried.blocks.len();
            // Every subset of the keys that the one of the four with the fewest lacks.
            let lacking = lacking(first, classes);
            let mut other = lacking;
            loop {
                // Those of the four that share neither of the two keys, which the other side has in the opposite order.
                let from = [0, bounds[1], bounds[2], bounds[2]][4 * other / classes];
                let from = from + planted("permuted-classes") as usize;
                let to = [bounds[4], bounds[3]][4 * other / classes % 2];
                if from < to {
                    let blocks = queried.blocks[other].clone();
                    sum::<COUNT>(&queries[blocks.clone()], &tables[from..to], &mut sums[blocks]);
                }
                if other == 0 {
                    break;
                }
                other = (other - 1) & lacking;
            }
        }

        compiled_for! { $features:
            $($function)*

            /// See [`Lanes::conflicts`](crate::engine::lanes::Lanes::conflicts), with so many dense keys.
            pub(in crate::engine::lanes) fn conflicts(dense: u32, call: Call, tables: &mut Tables, counts: &mut [u64]) {
                let Call { keys: active, patterns: build, queries: probe } = call;
                let longest = probe.iter().copied().max_by_key(|list| list.len()).unwrap_or_default();
                let classes = 1 << dense;
                let dense = dense_keys(active, build, longest, dense, &mut tables.room.shared);
                let windows = without_first(active & !dense, planted("permuted-index"));
                let count = windows.count_ones().div_ceil(WINDOW).max(Permuted::windows_range(WINDOW)[0]);
                let room = &mut tables.room;
                with_constant!(count, $($count)+, match_sides(dense, windows, classes, build, probe, room, counts));
            }

            /// So many keys whose classes settle most pairs: each in turn the one that most pairs of a sample share which
            /// share none of those before. Any others would be right too. By how many patterns of 64 on each side hold
            /// them, seven or eight keys left 1.2 times as many pairs.
            fn dense_keys(active: u64, build: &[u64], probe: &[u64], count: u32, shared: &mut [Vec<u64>; 2]) -> u64 {
                let [shared, left] = shared;
                let pairs = SAMPLE * count as usize;
                let of = |list: &[u64], pair: usize| {
                    let step = (list.len() << 32) / pairs;
                    list.get(pair * step >> 32).copied().unwrap_or(0)
                };
                left.clear();
                left.extend((0..pairs).map(|pair| of(probe, pair)));
                shared.clear();
                // The probe side in another order, by the golden ratio.
                shared.extend((0..pairs).map(|pair| {
                    let other = (pair as u32).wrapping_mul(0x9e37_79b1) as usize * pairs >> 32;
                    of(build, pair).reverse_bits() & left[other] & active
                }));
                let mut dense = 0;
                for _ in 0..count {
                    let mut held = [0u32; 64];
                    for words in shared.chunks(255) {
                        // Byte k / 8 of word k % 8 tells how many hold key k.
                        let mut bytes = [0u64; 8];
                        for &word in words {
                            for (shift, bytes) in bytes.iter_mut().enumerate() {
                                *bytes += word >> shift & 0x0101_0101_0101_0101;
                            }
                        }
                        for (key, held) in held.iter_mut().enumerate() {
                            *held += (bytes[key % 8] >> (key / 8 * 8)) as u32 & 0xff;
                        }
                    }
                    // Active ones, whatever the sample holds, or more keys than fit the windows would be left. Where there are
                    // fewer, some that no pattern of either side holds.
                    let among = if active & !dense == 0 { !dense } else { active & !dense };
                    let key = (0..64).filter(|key| among >> key & 1 == 1).max_by_key(|&key| held[key]);
                    let key = key.expect("there are fewer dense keys than bits");
                    dense |= 1 << key;
                    left.clear();
                    retain(shared, 1 << key, left);
                    std::mem::swap(shared, left);
                }
                dense
            }

            /// Adds for each list of the probe side its pairs with a pattern of the build side, which is mirrored.
            fn match_sides<const COUNT: usize>(
                dense: u64,
                mut windows: u64,
                classes: usize,
                build: &[u64],
                probe: &[&[u64]],
                room: &mut Room,
                counts: &mut [u64],
            ) {
                let Room { pages, build: lanes, probe: queries, tables, sums, .. } = room;
                // Keys that no pair shares which is looked up make all windows whole.
                while windows.count_ones() < WINDOW * COUNT as u32 {
                    windows |= 1 << (63 - windows.leading_ones());
                }
                deal(pages, lanes, &[build], without_first(dense.reverse_bits(), planted("permuted-dealing")), classes);
                index_side::<COUNT>(pages, lanes, windows, true);
                deal(pages, queries, probe, dense, classes);
                index_side::<COUNT>(pages, queries, windows, false);
                let asked: usize = probe.iter().map(|list| list.len()).sum();
                let (tabulated, queried) = if asked < build.len() { (queries, lanes) } else { (lanes, queries) };
                tables.resize(tables.len().max(GROUPS * COUNT * TABLE + 8), 0);
                // Not every allocator begins at a cache line; where tables straddle them a call takes up to 1.2 of the time.
                let skip = tables.as_ptr().align_offset(64);
                let has_any = |(_, list): &(usize, &Dealt)| list.patterns.iter().any(|&patterns| patterns > 0);
                for (list, dealt) in tabulated.lists.iter().enumerate().filter(has_any) {
                    sums.clear();
                    sums.resize(queried.bytes.len() / COUNT, 0);
                    look_up::<COUNT>(tabulated, dealt, queried, &mut tables[skip..], sums.as_chunks_mut().0);
                    sums.iter_mut().take(1).for_each(|first| *first += planted("permuted-sums"));
                    // One of the sides has a single list, so that the number of the other's is the sum.
                    for (other, others) in queried.lists.iter().enumerate().filter(has_any) {
                        let looked_up = (0..queried.blocks.len()).flat_map(|class| {
                            let first = Vector::WORDS * queried.blocks[class].start;
                            &sums[first..][others.groups[class].clone()]
                        });
                        counts[list + other] += settled(&dealt.patterns, &others.patterns) + looked_up.sum::<u64>();
                    }
                }
            }

            /// Adds for each eight queries their pairs with a lane of this list that share a key of the windows, in classes
            /// that share none.
            fn look_up<const COUNT: usize>(
                tabulated: &DealtSide,
                list: &Dealt,
                queried: &DealtSide,
                tables: &mut [u64],
                sums: &mut [[u64; Vector::WORDS]],
            ) {
                let lanes: &[[[u64; Vector::WORDS]; COUNT]] = tabulated.bytes.as_chunks().0.as_chunks().0;
                let tables = tables.as_chunks_mut().0.as_chunks_mut().0;
                // Four classes at a time, which differ in the two lowest keys. In this order those that lack one of the two
                // are neighbours, and those that lack the other: so a query is loaded once for all of the four.
                for first in (0..queried.blocks.len()).step_by(4) {
                    let four = [3, 1, 0, 2].map(|keys| first + keys);
                    let mut bounds = [0; 5];
                    for (place, class) in four.into_iter().enumerate() {
                        bounds[place + 1] = bounds[place] + list.groups[class].len();
                    }
                    let mut groups = four.into_iter().flat_map(|class| {
                        let first = Vector::WORDS * tabulated.blocks[class].start;
                        list.groups[class].clone().map(move |group| first + group)
                    });
                    for start in (0..bounds[4]).step_by(GROUPS) {
                        let end = bounds[4].min(start + GROUPS);
                        let tables = &mut tables[..end - start];
                        for (table, group) in tables.iter_mut().zip(&mut groups) {
                            let block = lanes[group / Vector::WORDS].each_ref();
                            tabulate::<COUNT>(&block.map(|words| words[group % Vector::WORDS]), table);
                        }
                        tables[0][0][0] ^= planted("permuted-tables");
                        let bounds = bounds.map(|bound| bound.clamp(start, end) - start);
                        look_up_in::<COUNT>(first, bounds, tables, queried, sums);
                    }
                }
            }

            /// Deals out the patterns of these lists by class.
            fn deal(pages: &mut Pages, side: &mut DealtSide, lists: &[&[u64]], dense: u64, classes: usize) {
                let all = lists.iter().map(|list| list.len() + 8 * classes).sum::<usize>() + PAGE * classes;
                pages.patterns.resize(pages.patterns.len().max(all.next_multiple_of(PAGE)), 0);
                pages.classes.clear();
                side.blocks.resize(classes, 0..0);
                side.lists.clear();
                // Where the next pattern of each class goes, or where its last page ends.
                let mut ends = [0; CLASSES];
                let dense = dealer(dense);
                for list in lists {
                    let patterns = pages.patterns.as_mut_ptr();
                    let mut put = |pattern, class: usize| {
                        let end = &mut ends[class];
                        if *end % PAGE == 0 {
                            *end = PAGE * pages.classes.len();
                            pages.classes.push(class);
                        }
                        // SAFETY: there is room for every page that has a class.
                        unsafe { *patterns.add(*end) = pattern };
                        *end += 1;
                    };
                    let class = |pattern| class(pattern, dense) as usize % CLASSES;
                    // Four are read before the first is put anywhere, as when patterns are retained: one by one, dealing
                    // took 1.15 of the time on Zen 5. Prefetching, or more places to put those of a class, gained nothing.
                    let (fours, rest) = list.as_chunks();
                    for &[a, b, c, d] in fours {
                        let four = [(a, class(a)), (b, class(b)), (c, class(c)), (d, class(d))];
                        for (pattern, class) in four {
                            put(pattern, class);
                        }
                    }
                    for &pattern in rest {
                        put(pattern, class(pattern));
                    }
                    side.lists.push(pages.end_list(&mut ends[..classes], side.lists.last()));
                }
            }

            /// Makes of the keys of each window one byte.
            fn index_side<const COUNT: usize>(pages: &Pages, side: &mut DealtSide, windows: u64, is_mirrored: bool) {
                let DealtSide { lists, bytes, blocks } = side;
                let last = &lists[lists.len() - 1].groups;
                let mut start = 0;
                for (blocks, groups) in blocks.iter_mut().zip(last) {
                    *blocks = start..start + groups.end.div_ceil(Vector::WORDS);
                    start = blocks.end;
                }
                bytes.resize(start * COUNT * Vector::WORDS, 0);
                let bytes: &mut [[[u64; Vector::WORDS]; COUNT]] = bytes.as_chunks_mut().0.as_chunks_mut().0;
                let places = places::<COUNT>(windows, is_mirrored);
                let mut next: Vec<usize> = blocks.iter().map(|blocks| blocks.start).collect();
                for (page, &class) in pages.patterns.as_chunks::<PAGE>().0.iter().zip(&pages.classes) {
                    for block in page.as_chunks::<BLOCK>().0.iter().take(blocks[class].end - next[class]) {
                        let groups = last[class].end - (next[class] - blocks[class].start) * Vector::WORDS;
                        let bytes = &mut bytes[next[class]];
                        next[class] += 1;
                        // What is beyond the end of a class is looked up too, and not read.
                        for (place, eight) in block.as_chunks().0.iter().enumerate().take(groups) {
                            for (word, bytes) in index::<COUNT>(eight, &places).into_iter().zip(&mut *bytes) {
                                bytes[place] = word;
                            }
                        }
                    }
                }
            }
        }
    };
}
pub(super) use permuting;
