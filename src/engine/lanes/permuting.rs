//! Matching by permuting bytes, for the long matches of large boards.
//!
//! The table of a window of six keys has 64 entries. For eight lanes an entry is one byte, so with AVX-512 the table
//! fits one register, and one instruction (VPERMB) looks up the entries of 64 queries: 512 pairs. With AVX2 and NEON a
//! window has four keys, and VPSHUFB or two TBL look up 32 queries. The whole match:
//!
//! ```text
//! frequent = up to ten keys that most pairs of a sample share                frequent_keys
//! windows  = the other active keys, six or four at a time
//! for each side:   bucket of a pattern = the frequent keys that it holds     partition
//!                  byte of a pattern and window = its keys there             index_side
//! pairs of buckets that share a frequent key: counted by multiplication      frequent_pairs
//! each eight lanes, for each window:   table[keys] = the lanes that          tabulate
//!                                      hold one of these keys, a bit each
//! queries of each bucket that shares no frequent key with the lanes' bucket: look_up
//!     count += ones(OR over the windows of table[byte of the query])         sum
//! ```
//!
//! Each frequent key leaves about 0.7 of the pairs, and needs no window. Details:
//!
//! - The shorter side is tabulated, whichever it is.
//! - Patterns are partitioned onto pages, because bucket sizes are not known in advance. Both sides reuse the pages.
//! - Padding patterns hold no key, so they add nothing: pairs that share a key are counted.
//! - Tables are built in batches, for four buckets with the same queries, so each query is loaded once for all four.
//! - Each eight queries have their own count, so lists of different weights may lie in one vector.
//!
//! Tried on Zen 4: one list of the query blocks that four buckets meet, with a few tables kept in registers meanwhile.
//! It took 0.97 and 0.96 of the time at N = 24 and 26, but 1.06 and 1.02 at 21 and 20.

use std::ops::Range;

use super::fault::planted;

/// One byte per set of three keys. Each bit of it stands for a set too, and is 1 if the two sets share a key.
#[cfg(target_arch = "x86_64")]
pub(super) const SHARING: u64 = 0xfefc_faf0_eecc_aa00;

/// Tables (eight lanes each) built before they are used: with four windows of AVX-512, 24 KB of the L1 cache.
pub(super) const TABLE_BATCH: usize = 96;

/// Patterns of a page. Each full page costs a mispredicted branch: pages of 64 made matches up to 3 % slower.
pub(super) const PAGE: usize = 256;

/// The number of sampled pairs per frequent key to choose.
pub(super) const SAMPLE: usize = 128;

/// Scratch memory for both sides of a match, for tables and for sums.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The shared keys of each sampled pair without a common frequent key so far, before and after filtering.
    pub(super) shared: [Vec<u64>; 2],
    /// The side that was partitioned last.
    pub(super) pages: Pages,
    pub(super) build: BucketedSide,
    pub(super) probe: BucketedSide,
    pub(super) tables: Vec<u64>,
    /// The pairs so far of each eight patterns of the side that is looked up.
    pub(super) sums: Vec<u64>,
}

/// Patterns partitioned onto pages, one bucket per page. In a bucket each list is padded to a multiple of eight.
#[derive(Debug, Default)]
pub(super) struct Pages {
    pub(super) patterns: Vec<u64>,
    /// The bucket of each page.
    pub(super) buckets: Vec<usize>,
}

impl Pages {
    /// Ends a list: pads its buckets. Returns its share of each bucket, which begins where the previous list ends.
    pub(super) fn end_list(&mut self, ends: &mut [usize], before: Option<&ListBuckets>) -> ListBuckets {
        let mut list = ListBuckets { patterns: vec![0; ends.len()], octets: vec![0..0; ends.len()] };
        for &bucket in &self.buckets {
            list.patterns[bucket] += PAGE;
        }
        for (bucket, end) in ends.iter_mut().enumerate() {
            let start = before.map_or(0, |before| before.octets[bucket].end);
            let all = list.patterns[bucket] - end.wrapping_neg() % PAGE;
            list.patterns[bucket] = all - 8 * start;
            list.octets[bucket] = start..all.div_ceil(8);
            let filled_up = end.next_multiple_of(8);
            self.patterns[*end..filled_up].fill(0);
            *end = filled_up;
        }
        list
    }
}

/// One side of a match, partitioned by bucket and indexed.
#[derive(Debug, Default)]
pub(super) struct BucketedSide {
    pub(super) lists: Vec<ListBuckets>,
    /// A word holds the bytes of eight patterns in one window. A block is a vector of words per window, and the blocks
    /// of a bucket are consecutive.
    pub(super) bytes: Vec<u64>,
    pub(super) blocks: Vec<Range<usize>>,
}

/// The share of one list in each bucket.
#[derive(Debug)]
pub(super) struct ListBuckets {
    pub(super) patterns: Vec<usize>,
    /// The list's range among the octets of the bucket.
    pub(super) octets: Vec<Range<usize>>,
}

/// The other side's bucket with exactly the frequent keys this bucket lacks (in reverse order there).
pub(super) fn complement_bucket(bucket: usize, buckets: usize) -> usize {
    buckets - 1 - ((bucket * 2).reverse_bits() >> buckets.leading_zeros())
}

/// Counts the pairs that share a frequent key, from the number of patterns of each side in each bucket.
pub(super) fn frequent_pairs(patterns: &[usize], others: &[usize]) -> u64 {
    let buckets = patterns.len();
    // The number of the other side's patterns in buckets with a subset of each bucket's keys.
    let mut within = others.to_vec();
    within[buckets - 1] += planted("permuted-products") as usize;
    let mut key = 1;
    while key < buckets {
        for bucket in (0..buckets).filter(|bucket| bucket & key != 0) {
            within[bucket] += within[bucket - key];
        }
        key *= 2;
    }
    let attacked = |bucket| within[buckets - 1] - within[complement_bucket(bucket, buckets)];
    patterns.iter().enumerate().map(|(bucket, patterns)| (patterns * attacked(bucket)) as u64).sum()
}

/// Expands `conflicts` for each of these numbers of windows, `COUNT`, with the given functions. The expanding file has
/// in scope `COST`, `Vector` and `retain`, as in [`kernels!`](super::kernels), and defines
///
/// ```text
/// bucket_keys(frequent: u64) -> F                    the frequent keys in the form that `bucket` takes
/// bucket(pattern, F) -> u64                          the frequent keys that a pattern holds, one bit each
/// places::<COUNT>(windows: u64, is_mirrored) -> P    the windows of a side in the form that `index` takes
/// index(&[u64; 8], &P) -> [u64; COUNT]               per window, a word with the bytes of eight patterns
/// tabulate(&[u64; COUNT], &mut [[u64; TABLE]; COUNT])   the tables of eight lanes, given by such words
/// sum(queries: &[[[u64; WORDS]; COUNT]], tables: &[[[u64; TABLE]; COUNT]], &mut [[u64; WORDS]])
///     adds, for each eight queries, their pairs with a lane of the tables that share a key
/// ```
macro_rules! permuting {
    ($features:meta, $($count:literal)+: $($function:item)*) => {
        use $crate::engine::lanes::fault::{planted, without_first};
        use $crate::engine::lanes::permuting::{
            BucketedSide, ListBuckets, PAGE, Pages, SAMPLE, Scratch, TABLE_BATCH, complement_bucket, frequent_pairs,
        };
        use $crate::engine::lanes::{Permuted, Sides, Tables};

        /// The maximum number of frequent keys, and of buckets: one per set of these keys.
        const MAX_FREQUENT: usize = Permuted::frequent_range(WINDOW)[1] as usize;
        const BUCKETS: usize = 1 << MAX_FREQUENT;

        /// Patterns of a block, as many as a vector has bytes.
        const BLOCK: usize = 8 * Vector::WORDS;

        /// Keys of a window, and words of its table, which has a byte per set of keys.
        const WINDOW: u32 = COST.permuted.unwrap().keys;
        const TABLE: usize = (1 << WINDOW) / 8;

        /// See [`look_up`], for the tables of four buckets from `first` on; `bounds` are where each begins and the last
        /// ends. Not inlined, because the code around its loops would take registers from them: N = 24 executed 3 %
        /// more instructions.
        #[$features]
        #[inline(never)]
        fn look_up_in<const COUNT: usize>(
            first: usize,
            bounds: [usize; 5],
            tables: &[[[u64; TABLE]; COUNT]],
            queried: &BucketedSide,
            sums: &mut [[u64; Vector::WORDS]],
        ) {
            let queries: &[[[u64; Vector::WORDS]; COUNT]] = queried.bytes.as_chunks().0.as_chunks().0;
            let buckets = queried.blocks.len();
            // Every subset of the keys that `first` lacks, which has the fewest keys of the four.
            let lacked = complement_bucket(first, buckets);
            let mut other = lacked;
            loop {
                // The two highest bits of `other` stand for the two lowest keys. Skip the buckets with one of its keys.
                let from = [0, bounds[1], bounds[2], bounds[2]][4 * other / buckets];
                let from = from + planted("permuted-classes") as usize;
                let to = [bounds[4], bounds[3]][4 * other / buckets % 2];
                if from < to {
                    let blocks = queried.blocks[other].clone();
                    sum::<COUNT>(&queries[blocks.clone()], &tables[from..to], &mut sums[blocks]);
                }
                if other == 0 {
                    break;
                }
                other = (other - 1) & lacked;
            }
        }

        compiled_for! { $features:
            $($function)*

            /// See [`Kernels::conflicts`](crate::engine::lanes::Kernels::conflicts); chooses `count` frequent keys.
            pub(super) fn conflicts(count: u32, sides: Sides, tables: &mut Tables, counts: &mut [u64]) {
                let Sides { keys: active, patterns: build, queries: probe } = sides;
                let longest = probe.iter().copied().max_by_key(|list| list.len()).unwrap_or_default();
                let buckets = 1 << count;
                let frequent = frequent_keys(active, build, longest, count, &mut tables.scratch.shared);
                let windows = without_first(active & !frequent, planted("permuted-index"));
                let number = windows.count_ones().div_ceil(WINDOW).max(Permuted::windows_range(WINDOW)[0]);
                let scratch = &mut tables.scratch;
                with_constant!(
                    number, $($count)+, match_sides(frequent, windows, buckets, build, probe, scratch, counts)
                );
            }

            /// Chooses `count` frequent keys greedily: each is the key shared by most sampled pairs that share none of
            /// the earlier ones. Any choice gives the right count. Choosing the keys held by most of 64 patterns per
            /// side left 1.2 times as many pairs with seven or eight keys.
            fn frequent_keys(active: u64, build: &[u64], probe: &[u64], count: u32, shared: &mut [Vec<u64>; 2]) -> u64 {
                let [shared, left] = shared;
                let pairs = SAMPLE * count as usize;
                let of = |list: &[u64], pair: usize| {
                    let step = (list.len() << 32) / pairs;
                    list.get(pair * step >> 32).copied().unwrap_or(0)
                };
                left.clear();
                left.extend((0..pairs).map(|pair| of(probe, pair)));
                shared.clear();
                // The golden ratio permutes the probe side's sample, so that the pairs are random.
                shared.extend((0..pairs).map(|pair| {
                    let other = (pair as u32).wrapping_mul(0x9e37_79b1) as usize * pairs >> 32;
                    of(build, pair).reverse_bits() & left[other] & active
                }));
                let mut frequent = 0;
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
                    let among = if active & !frequent == 0 { !frequent } else { active & !frequent };
                    let key = (0..64).filter(|key| among >> key & 1 == 1).max_by_key(|&key| held[key]);
                    let key = key.expect("there are fewer frequent keys than bits");
                    frequent |= 1 << key;
                    left.clear();
                    retain(shared, 1 << key, left);
                    std::mem::swap(shared, left);
                }
                frequent
            }

            /// Adds, per list of the probe side, its pairs with a pattern of the build side, which is mirrored.
            fn match_sides<const COUNT: usize>(
                frequent: u64,
                mut windows: u64,
                buckets: usize,
                build: &[u64],
                probe: &[&[u64]],
                scratch: &mut Scratch,
                counts: &mut [u64],
            ) {
                let Scratch { pages, build: lanes, probe: queries, tables, sums, .. } = scratch;
                // Fill all windows with keys that no looked-up pair shares.
                while windows.count_ones() < WINDOW * COUNT as u32 {
                    windows |= 1 << (63 - windows.leading_ones());
                }
                let mirrored = without_first(frequent.reverse_bits(), planted("permuted-dealing"));
                partition(pages, lanes, &[build], mirrored, buckets);
                index_side::<COUNT>(pages, lanes, windows, true);
                partition(pages, queries, probe, frequent, buckets);
                index_side::<COUNT>(pages, queries, windows, false);
                let probe_len: usize = probe.iter().map(|list| list.len()).sum();
                let (tabulated, queried) = if probe_len < build.len() { (queries, lanes) } else { (lanes, queries) };
                tables.resize(tables.len().max(TABLE_BATCH * COUNT * TABLE + 8), 0);
                // Align to a cache line, as not every allocator does: otherwise a match takes up to 20 % longer.
                let skip = tables.as_ptr().align_offset(64);
                let has_any = |(_, list): &(usize, &ListBuckets)| list.patterns.iter().any(|&patterns| patterns > 0);
                for (list, buckets) in tabulated.lists.iter().enumerate().filter(has_any) {
                    sums.clear();
                    sums.resize(queried.bytes.len() / COUNT, 0);
                    look_up::<COUNT>(tabulated, buckets, queried, &mut tables[skip..], sums.as_chunks_mut().0);
                    sums.iter_mut().take(1).for_each(|first| *first += planted("permuted-sums"));
                    // One side has a single list, so `list + other` is the index of the other side's list.
                    for (other, others) in queried.lists.iter().enumerate().filter(has_any) {
                        let count = &mut counts[list + other];
                        *count += frequent_pairs(&buckets.patterns, &others.patterns);
                        for (block, octets) in queried.blocks.iter().zip(&others.octets) {
                            *count += sums[Vector::WORDS * block.start..][octets.clone()].iter().sum::<u64>();
                        }
                    }
                }
            }

            /// Adds each eight queries' pairs with the list's lanes that share a key, but no frequent one.
            fn look_up<const COUNT: usize>(
                tabulated: &BucketedSide,
                list: &ListBuckets,
                queried: &BucketedSide,
                tables: &mut [u64],
                sums: &mut [[u64; Vector::WORDS]],
            ) {
                let lanes: &[[[u64; Vector::WORDS]; COUNT]] = tabulated.bytes.as_chunks().0.as_chunks().0;
                let tables = tables.as_chunks_mut().0.as_chunks_mut().0;
                // Four buckets at a time, which differ in the two lowest keys. In this order the buckets that lack one
                // key are adjacent, and so are those that lack the other, so each query is loaded once for all four.
                for first in (0..queried.blocks.len()).step_by(4) {
                    let four = [3, 1, 0, 2].map(|keys| first + keys);
                    let mut bounds = [0; 5];
                    for (place, bucket) in four.into_iter().enumerate() {
                        bounds[place + 1] = bounds[place] + list.octets[bucket].len();
                    }
                    let mut octets = four.into_iter().flat_map(|bucket| {
                        let first = Vector::WORDS * tabulated.blocks[bucket].start;
                        list.octets[bucket].clone().map(move |octet| first + octet)
                    });
                    for start in (0..bounds[4]).step_by(TABLE_BATCH) {
                        let end = bounds[4].min(start + TABLE_BATCH);
                        let tables = &mut tables[..end - start];
                        for (table, octet) in tables.iter_mut().zip(&mut octets) {
                            let block = lanes[octet / Vector::WORDS].each_ref();
                            tabulate::<COUNT>(&block.map(|words| words[octet % Vector::WORDS]), table);
                        }
                        tables[0][0][0] ^= planted("permuted-tables");
                        let bounds = bounds.map(|bound| bound.clamp(start, end) - start);
                        look_up_in::<COUNT>(first, bounds, tables, queried, sums);
                    }
                }
            }

            fn partition(pages: &mut Pages, side: &mut BucketedSide, lists: &[&[u64]], frequent: u64, buckets: usize) {
                let all = lists.iter().map(|list| list.len() + 8 * buckets).sum::<usize>() + PAGE * buckets;
                pages.patterns.resize(pages.patterns.len().max(all.next_multiple_of(PAGE)), 0);
                pages.buckets.clear();
                side.blocks.resize(buckets, 0..0);
                side.lists.clear();
                // The place of each bucket's next pattern, or the end of its last page.
                let mut ends = [0; BUCKETS];
                let frequent = bucket_keys(frequent);
                for list in lists {
                    let patterns = pages.patterns.as_mut_ptr();
                    let mut put = |pattern, bucket: usize| {
                        let end = &mut ends[bucket];
                        if *end % PAGE == 0 {
                            *end = PAGE * pages.buckets.len();
                            pages.buckets.push(bucket);
                        }
                        // SAFETY: there is room for every page that has a bucket.
                        unsafe { *patterns.add(*end) = pattern };
                        *end += 1;
                    };
                    let bucket = |pattern| bucket(pattern, frequent) as usize % BUCKETS;
                    // Four are read before the first is written, as in `retain`: one at a time took 15 % longer on Zen
                    // 5. Prefetching, or more places to write a bucket to, gained nothing.
                    let (fours, rest) = list.as_chunks();
                    for &[a, b, c, d] in fours {
                        let four = [(a, bucket(a)), (b, bucket(b)), (c, bucket(c)), (d, bucket(d))];
                        for (pattern, bucket) in four {
                            put(pattern, bucket);
                        }
                    }
                    for &pattern in rest {
                        put(pattern, bucket(pattern));
                    }
                    side.lists.push(pages.end_list(&mut ends[..buckets], side.lists.last()));
                }
            }

            /// Makes one byte of a pattern's keys in each window.
            fn index_side<const COUNT: usize>(pages: &Pages, side: &mut BucketedSide, windows: u64, is_mirrored: bool) {
                let BucketedSide { lists, bytes, blocks } = side;
                let last = &lists[lists.len() - 1].octets;
                let mut start = 0;
                for (blocks, octets) in blocks.iter_mut().zip(last) {
                    *blocks = start..start + octets.end.div_ceil(Vector::WORDS);
                    start = blocks.end;
                }
                bytes.resize(start * COUNT * Vector::WORDS, 0);
                let bytes: &mut [[[u64; Vector::WORDS]; COUNT]] = bytes.as_chunks_mut().0.as_chunks_mut().0;
                let places = places::<COUNT>(windows, is_mirrored);
                let mut next: Vec<usize> = blocks.iter().map(|blocks| blocks.start).collect();
                for (page, &bucket) in pages.patterns.as_chunks::<PAGE>().0.iter().zip(&pages.buckets) {
                    for block in page.as_chunks::<BLOCK>().0.iter().take(blocks[bucket].end - next[bucket]) {
                        let octets = last[bucket].end - (next[bucket] - blocks[bucket].start) * Vector::WORDS;
                        let bytes = &mut bytes[next[bucket]];
                        next[bucket] += 1;
                        // Slots beyond the end of a bucket are looked up too, but their results are not read.
                        for (place, eight) in block.as_chunks().0.iter().enumerate().take(octets) {
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
