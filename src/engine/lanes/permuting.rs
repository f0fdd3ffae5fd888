//! Matching by permuting bytes, for the long calls of large boards.
//!
//! The table of a window of six keys has 64 entries. For eight lanes an entry is one byte, so with AVX-512 the table
//! fits one register, and one instruction (VPERMB) looks up the entries of 64 queries: 512 pairs. With AVX2 and NEON a
//! window has four keys, and VPSHUFB or two TBL look up 32 queries. The whole call:
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
//! Each dense key leaves about 0.7 of the pairs, and needs no window. Details:
//!
//! - The shorter side is tabulated, whichever it is.
//! - Patterns are partitioned onto pages, because class sizes are not known in advance; both sides reuse the same
//!   pages, one after the other.
//! - Padding patterns hold no key, so they add nothing: pairs that share a key are counted.
//! - Tables are built in batches, for four classes that meet the same queries, so each query is loaded once for all
//!   four.
//! - Each eight queries have their own count, so lists of different weights may lie in one vector.
//!
//! Tried on Zen 4: one list of the query blocks that four classes meet, with a few tables kept in registers meanwhile.
//! It took 0.97 and 0.96 of the time at N = 24 and 26, but 1.06 and 1.02 at 21 and 20.

use std::ops::Range;

use super::fault::planted;

/// One byte per set of three keys. Each bit of it stands for a set too, and is 1 if the two sets share a key.
#[cfg(target_arch = "x86_64")]
pub(super) const SHARING: u64 = 0xfefc_faf0_eecc_aa00;

/// The number of tables (eight lanes each) built before they are used: with four windows of AVX-512, 24 KB of the L1
/// cache.
pub(super) const GROUPS: usize = 96;

/// Patterns of a page. Each full page costs a mispredicted branch: pages of 64 made calls up to 3 % slower.
pub(super) const PAGE: usize = 256;

/// The number of sampled pairs per dense key to choose.
pub(super) const SAMPLE: usize = 128;

/// Scratch memory for both sides of a call, for tables and for sums.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// For choosing dense keys: the shared keys of each sampled pair that shares no dense key yet, before and after
    /// filtering.
    pub(super) shared: [Vec<u64>; 2],
    /// The side that was partitioned last.
    pub(super) pages: Pages,
    pub(super) build: DealtSide,
    pub(super) probe: DealtSide,
    pub(super) tables: Vec<u64>,
    /// The pairs so far of each eight patterns of the side that is looked up.
    pub(super) sums: Vec<u64>,
}

/// Patterns partitioned onto pages, one class per page. In a class each list is padded to a multiple of eight.
#[derive(Debug, Default)]
pub(super) struct Pages {
    pub(super) patterns: Vec<u64>,
    /// The class of each page.
    pub(super) classes: Vec<usize>,
}

impl Pages {
    /// Pads the classes of a list, which end here. Returns the list's share of each, behind the list before.
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

/// One side of a call, partitioned by class and indexed.
#[derive(Debug, Default)]
pub(super) struct DealtSide {
    pub(super) lists: Vec<Dealt>,
    /// One word per eight patterns and window, with their bytes. A block has a vector of these words for each window in
    /// turn; the blocks of a class are consecutive.
    pub(super) bytes: Vec<u64>,
    /// The blocks of each class.
    pub(super) blocks: Vec<Range<usize>>,
}

/// The share of one list in each class.
#[derive(Debug)]
pub(super) struct Dealt {
    /// The number of patterns.
    pub(super) patterns: Vec<usize>,
    /// The list's range among the groups of eight of the class.
    pub(super) groups: Vec<Range<usize>>,
}

/// The other side's class that holds exactly the dense keys this class lacks (that side has them in reverse order).
pub(super) fn lacking(class: usize, classes: usize) -> usize {
    classes - 1 - ((class * 2).reverse_bits() >> classes.leading_zeros())
}

/// Counts the pairs that share a dense key, from the number of patterns of each side in each class.
pub(super) fn settled(patterns: &[usize], others: &[usize]) -> u64 {
    let classes = patterns.len();
    // The number of the other side's patterns in classes with a subset of each class's keys.
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

/// Expands `conflicts` for each of these numbers of windows, `COUNT`, with the given functions. The expanding file has
/// in scope `COST`, `Vector` and `retain`, as in [`kernels!`](super::kernels), and defines
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

        /// The most dense keys, and a class per subset of them.
        const DENSE: usize = Permuted::dense_range(WINDOW)[1] as usize;
        const CLASSES: usize = 1 << DENSE;

        /// Patterns of a block, as many as a vector has bytes.
        const BLOCK: usize = 8 * Vector::WORDS;

        /// Keys of a window, and words of its table, which has a byte per set of keys.
        const WINDOW: u32 = COST.permuted.unwrap().keys;
        const TABLE: usize = (1 << WINDOW) / 8;

        /// See [`look_up`], for the tables of four classes from `first` on, which meet at these bounds. Not inlined,
        /// because the code around its loops would take registers from them: N = 24 executed 3 % more instructions.
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
            // Every subset of the keys that `first` lacks, which has the fewest keys of the four.
            let lacking = lacking(first, classes);
            let mut other = lacking;
            loop {
                // The two highest bits of `other` are the two lowest keys in reverse order. They select the classes of
                // the four that share neither.
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

            /// See [`Lanes::conflicts`](crate::engine::lanes::Lanes::conflicts); `dense` is the number of dense keys.
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

            /// Chooses `count` dense keys greedily: each is the key shared by most sampled pairs that share none of the
            /// earlier ones. Any choice gives the right count. Chosen by how many of 64 patterns on each side hold
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
                // Pairs with the probe side in another order, by the golden ratio.
                shared.extend((0..pairs).map(|pair| {
                    let other = (pair as u32).wrapping_mul(0x9e37_79b1) as usize * pairs >> 32;
                    of(build, pair).reverse_bits() & left[other] & active
                }));
                let mut dense = 0;
                for _ in 0..count {
                    let mut held = [0u32; 64];
                    for words in shared.chunks(255) {
                        // Byte k / 8 of word k % 8 counts the words that hold key k.
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
                    // Only active keys, even if the sample lacks them, or the rest would not fit the windows. If too
                    // few are active, keys that no pattern holds.
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

            /// Adds, per list of the probe side, its pairs with a pattern of the build side, which is mirrored.
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
                // Fill all windows with keys that no looked-up pair shares.
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
                // Align to a cache line, which not every allocator does: with straddling tables a call takes up to 20 %
                // longer.
                let skip = tables.as_ptr().align_offset(64);
                let has_any = |(_, list): &(usize, &Dealt)| list.patterns.iter().any(|&patterns| patterns > 0);
                for (list, dealt) in tabulated.lists.iter().enumerate().filter(has_any) {
                    sums.clear();
                    sums.resize(queried.bytes.len() / COUNT, 0);
                    look_up::<COUNT>(tabulated, dealt, queried, &mut tables[skip..], sums.as_chunks_mut().0);
                    sums.iter_mut().take(1).for_each(|first| *first += planted("permuted-sums"));
                    // One side has a single list, so `list + other` is the index of the other side's list.
                    for (other, others) in queried.lists.iter().enumerate().filter(has_any) {
                        let looked_up = (0..queried.blocks.len()).flat_map(|class| {
                            let first = Vector::WORDS * queried.blocks[class].start;
                            &sums[first..][others.groups[class].clone()]
                        });
                        counts[list + other] += settled(&dealt.patterns, &others.patterns) + looked_up.sum::<u64>();
                    }
                }
            }

            /// Adds, for each eight queries, the pairs that share a key of the windows and no dense key, with the lanes
            /// of this list.
            fn look_up<const COUNT: usize>(
                tabulated: &DealtSide,
                list: &Dealt,
                queried: &DealtSide,
                tables: &mut [u64],
                sums: &mut [[u64; Vector::WORDS]],
            ) {
                let lanes: &[[[u64; Vector::WORDS]; COUNT]] = tabulated.bytes.as_chunks().0.as_chunks().0;
                let tables = tables.as_chunks_mut().0.as_chunks_mut().0;
                // Four classes at a time, which differ in the two lowest keys. In this order the classes that lack
                // either key are adjacent, and so are those that lack the other: each query is loaded once for all
                // four.
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

            /// Partitions the patterns of these lists by class.
            fn deal(pages: &mut Pages, side: &mut DealtSide, lists: &[&[u64]], dense: u64, classes: usize) {
                let all = lists.iter().map(|list| list.len() + 8 * classes).sum::<usize>() + PAGE * classes;
                pages.patterns.resize(pages.patterns.len().max(all.next_multiple_of(PAGE)), 0);
                pages.classes.clear();
                side.blocks.resize(classes, 0..0);
                side.lists.clear();
                // The place of each class's next pattern, or the end of its last page.
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
                    // Four are read before the first is written, as in `retain`: one at a time took 1.15 of the time on
                    // Zen 5. Prefetching, or more places to write a class to, gained nothing.
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

            /// Makes one byte of a pattern's keys in each window.
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
                        // Slots beyond the end of a class are looked up too, but their results are not read.
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
