//! The algorithms, written once and expanded for every instruction set.
//!
//! They are macros for the sake of features (see the header of [`super`]). A file that expands [`kernels!`] has in scope
//!
//! ```text
//! COST: Cost                                        what the steps cost
//! Vector: Copy, of Vector::WORDS words
//!     splat(u64), of(&[u64; WORDS]), store(self, &mut [u64; WORDS]), or(self, Vector), plus(self, Vector)
//!     sum(self) -> u64                              of its words
//!     add3(self, Vector, Vector) -> (Vector, Vector)
//!         a carry-save adder: three bits of one weight become one of that weight and one of twice that
//! ones(Vector) -> Vector                            how many bits are set in each word
//! key_rows                                          see transposing!
//! GATHERED: bool                                    whether queries are gathered once for all blocks, or at each look-up
//! gather_all::<AT>(keys, queries, &mut Vec<u64>)    appends the queries with these keys brought together from bit AT on
//! gathered::<AT>(query, keys) -> u64                such a query, at its look-up
//! retain, count_disjoint, compress                  see packing!
//! ```
//!
//! Nothing here may be called that lacks the attribute, but for plain functions on words, which need no features.

/// Implements `Lanes` for `$token`. `$features` is the attribute that every function gets:
/// `target_feature(enable = "...")`, or one that does nothing where the target needs none; `$detected` tells whether
/// this processor has them, and those of the module `$permuting`, the other way to match, where there is one.
macro_rules! kernels {
    ($token:ty, $features:meta, $detected:expr $(, $permuting:ident)?) => {
        use $crate::engine::lanes::cost::{Cost, Matcher};
        use $crate::engine::lanes::{BEYOND, Call, KEY_BITS, Lanes, Partners, Tables, rank};

        $crate::engine::lanes::matching::matching!($features);

        impl $token {
            /// The proof that this processor has the instructions, if it does.
            pub(in crate::engine::lanes) fn detect() -> Option<&'static dyn Lanes> {
                ($detected).then_some(&Self(()))
            }
        }

        #[allow(unused_unsafe, reason = "portable code needs no proof")]
        impl Lanes for $token {
            fn cost(&self) -> Cost {
                COST
            }

            fn join_quadrants(&self, stream: &[u64], partners: Partners, out: &mut Vec<u64>) {
                let before = out.len();
                // SAFETY: `self` proves that the processor has the features.
                unsafe { join_quadrants(stream, partners, out) }
                out.truncate(out.len() - (out.len() - before).min(planted("joined-quadrants") as usize));
            }

            fn retain(&self, patterns: &[u64], avoid: u64, out: &mut Vec<u64>) {
                let before = out.len();
                // SAFETY: as above.
                unsafe { retain(patterns, avoid, out) }
                out.truncate(out.len() - (out.len() - before).min(planted("retain") as usize));
            }

            fn union(&self, patterns: &[u64]) -> u64 {
                // SAFETY: as above.
                let keys = unsafe { union(patterns) };
                without_first(keys, planted("union"))
            }

            fn conflicts(&self, by: Matcher, call: Call, tables: &mut Tables, counts: &mut [u64]) {
                $(if let Matcher::Permuted(dense) = by {
                    // SAFETY: as above.
                    return unsafe { $permuting::conflicts(dense, call, tables, counts) };
                })?
                // SAFETY: as above.
                match by {
                    Matcher::Pairs => unsafe { compare(call.patterns, call.queries, counts) },
                    Matcher::Blocks { windows, fewest } => unsafe {
                        match_blocks(windows, fewest, call, tables, counts);
                    },
                    Matcher::Permuted(_) => unreachable!("this set permutes no bytes"),
                }
            }
        }

        compiled_for! { $features:
            /// See [`Lanes::join_quadrants`].
            fn join_quadrants(stream: &[u64], partners: Partners, out: &mut Vec<u64>) {
                let Some(last) = partners.starts.len().checked_sub(2) else { return };
                let patterns = &partners.patterns[..partners.patterns.len() - BEYOND];
                // The length stays in a register: through memory it would be the longest chain of the loop.
                let (mut len, mut capacity, mut to) = (out.len(), out.capacity(), out.as_mut_ptr());
                for &pattern in stream {
                    let run = last - rank(pattern);
                    let pattern = pattern & KEY_BITS;
                    let (start, end) = (partners.starts[run] as usize, partners.starts[run + 1] as usize);
                    let run = &patterns[start..end];
                    if capacity - len < run.len() + Vector::WORDS {
                        // SAFETY: `len` words were written, no more than were reserved.
                        unsafe { out.set_len(len) };
                        out.reserve(run.len() + Vector::WORDS);
                        (capacity, to) = (out.capacity(), out.as_mut_ptr());
                    }
                    // SAFETY: there is room for every partner, and `WORDS` more, and so many words follow any run.
                    len += unsafe {
                        compress(partners.patterns.as_ptr().add(start), run.len(), pattern, pattern, to.add(len))
                    };
                }
                // SAFETY: `len` words were written, no more than were reserved.
                unsafe { out.set_len(len) };
            }

            /// See [`Lanes::union`].
            fn union(patterns: &[u64]) -> u64 { patterns.iter().fold(0, |keys, pattern| keys | pattern) }

            /// [`Lanes::conflicts`] in blocks, and by comparing those of fewer patterns than are tabulated.
            fn match_blocks(windows: usize, fewest: usize, call: Call, tables: &mut Tables, counts: &mut [u64]) {
                let Call { keys, patterns, queries } = call;
                let windows = Windows { active: keys, count: windows };
                if patterns.len().min(64 * Vector::WORDS) < fewest {
                    return compare(patterns, queries, counts);
                }
                let Tables { words, gathered, .. } = tables;
                if GATHERED {
                    gathered.clear();
                    let active = without_first(windows.active, planted("gathering"));
                    for queries in queries {
                        gather_all::<AT>(active, queries, gathered);
                    }
                }
                for block in patterns.chunks(64 * Vector::WORDS) {
                    if block.len() < fewest {
                        compare(block, queries, counts);
                    } else {
                        match_block(block, queries, gathered, windows, words, counts);
                    }
                }
            }

            /// [`Lanes::conflicts`] by comparing each pattern with each query.
            fn compare(patterns: &[u64], queries: &[&[u64]], counts: &mut [u64]) {
                for pattern in patterns {
                    for (count, queries) in counts.iter_mut().zip(queries) {
                        *count += (queries.len() as u64) - count_disjoint(queries, pattern.reverse_bits());
                    }
                }
                counts[0] -= planted("pairs").min(counts[0]);
            }
        }
    };
}
pub(super) use kernels;

/// Expands what [`kernels!`] needs for lists of words, `count_disjoint`, `retain` and `compress`, for a `Vector` with
///
/// ```text
/// disjoint(self, avoided: Vector) -> u32       which words share no bit with those of `avoided`, a bit for each
/// masked_or(self, mask: Vector, Vector)        the bits under the mask, and those of another
/// unsafe pack(self, set: u32, to: *mut u64)    writes the words of a set one after another, maybe others behind them
/// ```
#[cfg(target_arch = "x86_64")]
macro_rules! packing {
    ($features:meta) => {
        compiled_for! { $features:
            /// How many patterns share no bit with `avoid`.
            pub(super) fn count_disjoint(patterns: &[u64], avoid: u64) -> u64 {
                let (vectors, rest) = patterns.as_chunks();
                let avoided = Vector::splat(avoid);
                let whole: u32 = vectors.iter().map(|words| Vector::of(words).disjoint(avoided).count_ones()).sum();
                u64::from(whole) + rest.iter().map(|pattern| u64::from(pattern & avoid == 0)).sum::<u64>()
            }

            /// See [`Lanes::retain`](crate::engine::lanes::Lanes::retain).
            ///
            /// Where the next store goes depends on all before it, and a load must wait for the place of every earlier
            /// store that the processor thinks it may depend on; once it has seen two 4096 bytes apart, it thinks so
            /// for a while. So several vectors are loaded before the first is stored: one by one, filtering took up to
            /// three times as long on Zen 4.
            pub(super) fn retain(patterns: &[u64], avoid: u64, out: &mut Vec<u64>) {
                out.reserve(patterns.len() + Vector::WORDS);
                let avoided = Vector::splat(avoid);
                let mut len = out.len();
                let to = out.as_mut_ptr();
                let mut put = |vector: Vector| {
                    let keep = vector.disjoint(avoided);
                    // SAFETY: room was reserved for all patterns and `WORDS` more, and no more were kept than read.
                    unsafe { vector.pack(keep, to.add(len)) };
                    len += keep.count_ones() as usize;
                };
                let (many, few) = patterns.as_chunks::<{ Vector::WORDS * Vector::WORDS }>();
                for many in many {
                    let mut vectors = [avoided; Vector::WORDS];
                    for (vector, words) in vectors.iter_mut().zip(many.as_chunks().0) {
                        *vector = Vector::of(words);
                    }
                    for vector in vectors {
                        put(vector);
                    }
                }
                let (vectors, last) = few.as_chunks();
                for words in vectors {
                    put(Vector::of(words));
                }
                // One by one: a load under a mask might ask for the memory beyond. QEMU does, and not every manual
                // promises otherwise.
                for &pattern in last {
                    // SAFETY: as above.
                    unsafe { *to.add(len) = pattern };
                    len += usize::from(pattern & avoid == 0);
                }
                // SAFETY: so many words were written.
                unsafe { out.set_len(len) };
            }

            /// Writes the keys of each of `len` patterns that shares no bit with `avoid`, and `add`, and returns how
            /// many.
            ///
            /// # Safety
            /// `len` words and `WORDS` more can be read; `out` has room for as many.
            pub(super) unsafe fn compress(
                patterns: *const u64,
                len: usize,
                avoid: u64,
                add: u64,
                out: *mut u64,
            ) -> usize {
                let [avoid, add, keys] = [avoid, add, KEY_BITS].map(|word| Vector::splat(word));
                let mut kept = 0;
                // Patterns beyond `len` are packed behind the others, where the next store or nobody finds them:
                // leaving them out only from the count spares a mask operation.
                let mut put = |pattern: Vector, inside: u32| {
                    let keep = pattern.disjoint(avoid);
                    // SAFETY: what is stored stays within `WORDS` words of what was kept so far.
                    unsafe { pattern.masked_or(keys, add).pack(keep, out.add(kept)) };
                    kept += (keep & inside).count_ones() as usize;
                };
                // All but the last vector, or less: most runs of a quadrant are that short, and then this one branch is
                // all there is to guess.
                let mut index = 0;
                while index + Vector::WORDS < len {
                    // SAFETY: these are readable.
                    put(Vector::of(unsafe { &*patterns.add(index).cast() }), !0);
                    index += Vector::WORDS;
                }
                // SAFETY: no more than `WORDS` words beyond `len` are read.
                put(Vector::of(unsafe { &*patterns.add(index).cast() }), (1 << (len - index)) - 1);
                kept
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use packing;
