//! The algorithms, written once and expanded for every instruction set.
//!
//! A macro rather than generic functions, so that each function has the features of its instruction set (see the
//! header of [`super`]). A file that expands it has in scope
//!
//! - `Vector`, a `Copy` type of `Vector::WORDS` words, with `splat`, `of`, `load`, `store`, `or`, `or3`, `plus`, `sum`,
//!   and `add3`, a carry-save adder;
//! - `match_block`, `WORDS` and `AT` of [`super::matching`], and a module `narrow` with them for blocks of at most as many lanes;
//! - `GATHERED`, whether queries are gathered once for all blocks, and `gather`, which is done at each look-up;
//! - `compress`, `keep` and `count_disjoint` on lists of words.
//!
//! Nothing here may be called that lacks the attribute, but for plain functions on words, which need no features.

/// Implements `Lanes` for `$token`, named `$name`. `$features` is the attribute that every function gets:
/// `target_feature(enable = "...")`, or one that does nothing where the target needs none; `$detected` tells whether
/// this processor has them.
macro_rules! kernels {
    ($token:ty, $name:literal, $features:meta, $detected:expr) => {
        use $crate::engine::lanes::windows::Gather;
        use $crate::engine::lanes::{KEY_BITS, Lanes, Partners, Tables, rank};

        #[allow(unused_unsafe, reason = "portable code needs no proof")]
        impl Lanes for $token {
            const NAME: &'static str = $name;
            const LANES: usize = 64 * WORDS;
            const NARROW: usize = 64 * narrow::WORDS;

            fn detect() -> Option<Self> {
                ($detected).then_some(Self(()))
            }

            fn pairs(self, stream: &[u64], partners: Partners, out: &mut Vec<u64>) {
                // SAFETY: `self` proves that the processor has the features.
                unsafe { pairs(stream, partners, out) }
            }

            fn keep(self, patterns: &[u64], avoid: u64, out: &mut Vec<u64>) {
                // SAFETY: as above.
                unsafe { keep(patterns, avoid, out) }
            }

            fn disjoint<const LISTS: usize>(
                self,
                lanes: &[u64],
                queries: [&[u64]; LISTS],
                tables: &mut Tables,
            ) -> [u64; LISTS] {
                // SAFETY: as above.
                unsafe {
                    let keys = queries.iter().fold(0, |keys, queries| keys | union(queries));
                    disjoint(keys & union(lanes).reverse_bits(), lanes, queries, tables)
                }
            }

            fn disjoint_on<const LISTS: usize>(
                self,
                keys: u64,
                lanes: &[u64],
                queries: [&[u64]; LISTS],
                tables: &mut Tables,
            ) -> [u64; LISTS] {
                // SAFETY: as above.
                unsafe { disjoint(keys, lanes, queries, tables) }
            }

            fn union(self, patterns: &[u64]) -> u64 {
                // SAFETY: as above.
                unsafe { union(patterns) }
            }
        }

        /// See [`Lanes::pairs`].
        #[$features]
        #[inline]
        fn pairs(stream: &[u64], partners: Partners, out: &mut Vec<u64>) {
            let Some(last) = partners.starts.len().checked_sub(2) else { return };
            // The length stays in a register: through memory it would be the longest chain of the loop.
            let (mut len, mut capacity, mut to) = (out.len(), out.capacity(), out.as_mut_ptr());
            for &pattern in stream {
                let run = last - rank(pattern);
                let pattern = pattern & KEY_BITS;
                let (start, end) = (partners.starts[run] as usize, partners.starts[run + 1] as usize);
                let readable = &partners.patterns[start..];
                let partners = &readable[..end - start];
                if capacity - len < partners.len() + Vector::WORDS {
                    // SAFETY: `len` words were written, no more than were reserved.
                    unsafe { out.set_len(len) };
                    out.reserve(partners.len() + Vector::WORDS);
                    (capacity, to) = (out.capacity(), out.as_mut_ptr());
                }
                // SAFETY: there is room for every partner, and `WORDS` more; no more is readable than the slice has.
                len += unsafe {
                    compress(readable.as_ptr(), partners.len(), readable.len(), pattern, pattern, to.add(len))
                };
            }
            // SAFETY: `len` words were written, no more than were reserved.
            unsafe { out.set_len(len) };
        }

        /// See [`Lanes::disjoint_on`].
        #[$features]
        #[inline]
        fn disjoint<const LISTS: usize>(
            active: u64,
            lanes: &[u64],
            queries: [&[u64]; LISTS],
            tables: &mut Tables,
        ) -> [u64; LISTS] {
            let mut counts = queries.map(|queries| (lanes.len() * queries.len()) as u64);
            let asked: usize = queries.iter().map(|queries| queries.len()).sum();
            if active == 0 {
                return counts;
            }
            // The relation is symmetric, so where that fills blocks better the queries are the lanes, each list by itself.
            let turned: usize = queries.iter().map(|queries| cycles(queries.len(), lanes.len())).sum();
            if turned < cycles(lanes.len(), asked) {
                for (count, queries) in counts.iter_mut().zip(queries) {
                    *count -= attacked(queries, [lanes], active.reverse_bits(), tables)[0];
                }
            } else {
                for (count, attacked) in counts.iter_mut().zip(attacked(lanes, queries, active, tables)) {
                    *count -= attacked;
                }
            }
            counts
        }

        /// About what it takes to match so many lanes with so many queries.
        #[$features]
        #[inline]
        fn cycles(lanes: usize, queries: usize) -> usize {
            let (whole, rest) = (lanes / (64 * Vector::WORDS), lanes % (64 * Vector::WORDS));
            let block = 700 + 4 * queries;
            let last = if rest <= 64 * narrow::WORDS { narrow::CYCLES.0 + narrow::CYCLES.1 * queries } else { block };
            whole * block + last.min(rest * queries / Vector::WORDS)
        }

        /// For each list of queries the pairs of a lane and a query that share one of the keys.
        #[$features]
        #[inline]
        fn attacked<const LISTS: usize>(
            lanes: &[u64],
            queries: [&[u64]; LISTS],
            active: u64,
            tables: &mut Tables,
        ) -> [u64; LISTS] {
            let mut counts = [0; LISTS];
            let asked: usize = queries.iter().map(|queries| queries.len()).sum();
            let Tables { words, gathered } = tables;
            let mut gathered_queries = queries;
            let direct =
                |block: &[u64]| block.len() * asked <= Vector::WORDS * (narrow::CYCLES.0 + narrow::CYCLES.1 * asked);
            if GATHERED && !lanes.chunks(64 * Vector::WORDS).all(direct) {
                gathered.clear();
                let gather = Gather::<AT>::new(active);
                for queries in queries {
                    if gather.is_short() {
                        gathered.extend(queries.iter().map(|&query| gather.apply::<4>(query)));
                    } else {
                        gathered.extend(queries.iter().map(|&query| gather.apply::<6>(query)));
                    }
                }
                let mut rest = &gathered[..];
                for queries in &mut gathered_queries {
                    (*queries, rest) = rest.split_at(queries.len());
                }
            }
            let windows = Windows::new(active, asked);
            for block in lanes.chunks(64 * Vector::WORDS) {
                if direct(block) {
                    for &lane in block {
                        for (count, queries) in counts.iter_mut().zip(queries) {
                            *count += (queries.len() as u64) - count_disjoint(queries, lane.reverse_bits());
                        }
                    }
                } else if block.len() <= 64 * narrow::WORDS {
                    narrow::match_block(block, gathered_queries, windows, words, &mut counts);
                } else {
                    match_block(block, gathered_queries, windows, words, &mut counts);
                }
            }
            counts
        }

        /// The keys that any of the patterns holds.
        #[$features]
        #[inline]
        fn union(patterns: &[u64]) -> u64 {
            patterns.iter().fold(0, |keys, pattern| keys | pattern)
        }
    };
}
pub(super) use kernels;
