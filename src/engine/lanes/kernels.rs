//! The algorithms, written once and expanded for every instruction set.
//!
//! They are macros because of target features (see [`super`]). A file that expands [`kernels!`] has in scope
//!
//! ```text
//! COST: Cost                                        the cost of the steps
//! Vector: Copy, of Vector::WORDS words
//!     splat(u64), of(&[u64; WORDS]), store(self, &mut [u64; WORDS]), or(self, Vector), plus(self, Vector)
//!     sum(self) -> u64                              of its words
//!     add3(self, Vector, Vector) -> (Vector, Vector)
//!         a carry-save adder: three bits of one weight become one of that weight and one of twice that
//! ones(Vector) -> Vector                            the number of bits set in each word
//! key_rows                                          see transposing!
//! GATHERED: bool                                    whether queries are gathered once for all blocks, not per look-up
//! gather_all::<AT>(keys, queries, &mut Vec<u64>)    appends the queries' bits of these keys, adjacent from bit AT on
//! gathered::<AT>(query, keys) -> u64                the same for one query, at its look-up
//! retain, count_disjoint, compress                  see packing!
//! ```
//!
//! Nothing here may call a function without the attribute, except plain functions on words, which need no features.

/// Implements `Kernels` for `$token`. `$features` is the attribute of every function: `target_feature(enable = "...")`,
/// or one without effect if the target needs none. `$detected` is whether this processor has these features and those
/// of the module `$permuting`, the other matcher, if there is one.
macro_rules! kernels {
    ($token:ty, $features:meta, $detected:expr $(, $permuting:ident)?) => {
        use $crate::engine::lanes::cost::{Cost, Matcher};
        use $crate::engine::lanes::{KEY_BITS, Kernels, PADDING, Partners, Sides, Tables, rank};

        $crate::engine::lanes::matching::matching!($features);

        impl $token {
            /// The proof that this processor has the instructions, or `None`.
            pub(in crate::engine::lanes) fn detect() -> Option<&'static dyn Kernels> {
                ($detected).then_some(&Self(()))
            }
        }

        #[allow(unused_unsafe, reason = "portable code needs no proof")]
        impl Kernels for $token {
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

            fn conflicts(&self, by: Matcher, sides: Sides, tables: &mut Tables, counts: &mut [u64]) {
                $(if let Matcher::Permuted(dense) = by {
                    // SAFETY: as above.
                    return unsafe { $permuting::conflicts(dense, sides, tables, counts) };
                })?
                // SAFETY: as above.
                match by {
                    Matcher::Pairs => unsafe { compare(sides.patterns, sides.queries, counts) },
                    Matcher::Blocks { windows, min_lanes } => unsafe {
                        match_blocks(windows, min_lanes, sides, tables, counts);
                    },
                    Matcher::Permuted(_) => unreachable!("this set permutes no bytes"),
                }
            }
        }

        compiled_for! { $features:
            /// See [`Kernels::join_quadrants`].
            fn join_quadrants(stream: &[u64], partners: Partners, out: &mut Vec<u64>) {
                let Some(last) = partners.starts.len().checked_sub(2) else { return };
                let patterns = &partners.patterns[..partners.patterns.len() - PADDING];
                // Keep the length in a register: through memory it would be the loop's critical dependency.
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
                    // SAFETY: there is room for every partner and `WORDS` more, and as many words follow any run.
                    len += unsafe {
                        compress(partners.patterns.as_ptr().add(start), run.len(), pattern, pattern, to.add(len))
                    };
                }
                // SAFETY: `len` words were written, no more than were reserved.
                unsafe { out.set_len(len) };
            }

            /// See [`Kernels::union`].
            fn union(patterns: &[u64]) -> u64 { patterns.iter().fold(0, |keys, pattern| keys | pattern) }

            /// [`Kernels::conflicts`] in blocks, except that blocks of fewer than `min_lanes` patterns are compared.
            fn match_blocks(windows: usize, min_lanes: usize, sides: Sides, tables: &mut Tables, counts: &mut [u64]) {
                let Sides { keys, patterns, queries } = sides;
                let windows = Windows { active: keys, count: windows };
                if patterns.len().min(64 * Vector::WORDS) < min_lanes {
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
                    if block.len() < min_lanes {
                        compare(block, queries, counts);
                    } else {
                        match_block(block, queries, gathered, windows, words, counts);
                    }
                }
            }

            /// [`Kernels::conflicts`] by comparing each pattern with each query.
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
/// disjoint(self, avoided: Vector) -> u32       the words that share no bit with `avoided`, one bit each
/// masked_or(self, mask: Vector, Vector)        (self AND mask) OR the other vector
/// unsafe pack(self, set: u32, to: *mut u64)    writes the words of a set, adjacent, then perhaps others
/// ```
#[cfg(target_arch = "x86_64")]
macro_rules! packing {
    ($features:meta) => {
        compiled_for! { $features:
            pub(super) fn count_disjoint(patterns: &[u64], avoid: u64) -> u64 {
                let (vectors, rest) = patterns.as_chunks();
                let avoided = Vector::splat(avoid);
                let whole: u32 = vectors.iter().map(|words| Vector::of(words).disjoint(avoided).count_ones()).sum();
                u64::from(whole) + rest.iter().map(|pattern| u64::from(pattern & avoid == 0)).sum::<u64>()
            }

            /// See [`Kernels::retain`](crate::engine::lanes::Kernels::retain).
            ///
            /// Each store address depends on all earlier results, and after one 4 KiB alias the processor makes loads
            /// wait for these stores for a while. So several vectors are loaded before the first store; one at a time,
            /// filtering took up to three times as long on Zen 4.
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
                // One by one, because a masked load may access the memory beyond: QEMU's does, and not all manuals
                // exclude it.
                for &pattern in last {
                    // SAFETY: as above.
                    unsafe { *to.add(len) = pattern };
                    len += usize::from(pattern & avoid == 0);
                }
                // SAFETY: `len` words were written.
                unsafe { out.set_len(len) };
            }

            /// Writes the keys, and the bits of `add`, of each of `len` patterns without a bit of `avoid`. Returns
            /// their number.
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
                // Patterns beyond `len` are packed after the others, where they are overwritten or ignored. Excluding
                // them only from the count saves a mask operation.
                let mut put = |pattern: Vector, inside: u32| {
                    let keep = pattern.disjoint(avoid);
                    // SAFETY: stores stay within `WORDS` words of the patterns kept so far.
                    unsafe { pattern.masked_or(keys, add).pack(keep, out.add(kept)) };
                    kept += (keep & inside).count_ones() as usize;
                };
                // All but the last, perhaps partial vector. Most runs fit one, so only this branch needs prediction.
                let mut index = 0;
                while index + Vector::WORDS < len {
                    // SAFETY: these words are readable.
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
