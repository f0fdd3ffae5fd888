//! The algorithms, written once and expanded for every instruction set.
//!
//! A macro rather than generic functions, so that each function has the features of its instruction set (see the
//! header of [`super`]). A file that expands it has in scope
//!
//! - `Vector`, a `Copy` type of `Vector::WORDS` words, with `splat`, `of`, `load`, `store`, `or`, `or3`, `plus`, `sum`;
//!   `exchange`, a step of transposing; and `add3`, a carry-save adder;
//! - `ones`, which counts the bits of each word of a `Vector`;
//! - `compress` and `count_disjoint` on lists of words.
//!
//! Nothing here may be called that lacks the attribute, but for plain functions on words, which need no features.

/// Implements `Lanes` for `$token`, named `$name`. `$features` is the attribute that every function gets:
/// `target_feature(enable = "...")`, or one that does nothing where the target needs none; `$detected` tells whether
/// this processor has them.
macro_rules! kernels {
    ($token:ty, $name:literal, $features:meta, $detected:expr) => {
        use $crate::engine::lanes::windows::{ENTRIES, Windows};
        use $crate::engine::lanes::{KEY_BITS, Lanes, Partners, Tables, rank};

        /// Up to so many lanes are compared with the queries one by one: filling tables for them takes longer.
        const FEW_LANES: usize = 24;

        #[allow(unused_unsafe, reason = "portable code needs no proof")]
        impl Lanes for $token {
            const NAME: &'static str = $name;
            const LANES: usize = 64 * Vector::WORDS;

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
                windows: &Windows,
                tables: &mut Tables,
            ) -> [u64; LISTS] {
                // SAFETY: as above.
                unsafe { disjoint(lanes, queries, windows, tables) }
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

        /// See [`Lanes::keep`].
        #[$features]
        #[inline]
        fn keep(patterns: &[u64], avoid: u64, out: &mut Vec<u64>) {
            out.reserve(patterns.len() + Vector::WORDS);
            let len = out.len();
            // SAFETY: room was reserved for all patterns and `WORDS` more; as many words as are returned were written.
            unsafe {
                let to = out.as_mut_ptr().add(len);
                let kept = compress(patterns.as_ptr(), patterns.len(), patterns.len(), avoid, 0, to);
                out.set_len(len + kept);
            }
        }

        /// See [`Lanes::disjoint`].
        #[$features]
        #[inline]
        fn disjoint<const LISTS: usize>(
            lanes: &[u64],
            queries: [&[u64]; LISTS],
            windows: &Windows,
            tables: &mut Tables,
        ) -> [u64; LISTS] {
            tables.words.resize(ENTRIES * Vector::WORDS + 8, 0);
            // Vectors that straddle cache lines would cost twice; eight words more leave room to begin at a line.
            let skip = tables.words.as_ptr().align_offset(64);
            let table = &mut tables.words[skip..skip + ENTRIES * Vector::WORDS];
            let mut counts = [0; LISTS];
            for block in lanes.chunks(64 * Vector::WORDS) {
                if block.len() <= FEW_LANES {
                    for &lane in block {
                        for (count, queries) in counts.iter_mut().zip(queries) {
                            *count += count_disjoint(queries, lane.reverse_bits());
                        }
                    }
                    continue;
                }
                tabulate(block, windows, table);
                for (count, queries) in counts.iter_mut().zip(queries) {
                    let pairs = (queries.len() * 64 * Vector::WORDS) as u64;
                    let attacked = match (windows.count, windows.sevens) {
                        (5, 0) => attacked::<5, 0>(queries, windows, table),
                        (5, _) => attacked::<5, 2>(queries, windows, table),
                        (6, _) => attacked::<6, 0>(queries, windows, table),
                        (7, _) => attacked::<7, 0>(queries, windows, table),
                        (8, _) => attacked::<8, 0>(queries, windows, table),
                        _ => attacked::<9, 0>(queries, windows, table),
                    };
                    *count += pairs - attacked;
                }
            }
            counts
        }

        /// Sums of bit counts, still spread over the lanes.
        #[derive(Clone, Copy)]
        struct Counts {
            /// Carry-save planes of weight 1, 2 and 4.
            planes: [Vector; 3],
            /// What they carried, in units of eight, in each word.
            eights: Vector,
            /// What was added without them.
            rest: Vector,
        }

        impl Counts {
            #[$features]
            #[inline]
            fn new() -> Self {
                let zero = Vector::splat(0);
                Self { planes: [zero; 3], eights: zero, rest: zero }
            }

            /// Adds the bits of eight vectors. Seven adders and one count are cheaper than eight counts; where the
            /// processor counts bits in one instruction, as cheap.
            #[$features]
            #[inline]
            fn add8(&mut self, v: [Vector; 8]) {
                let [low, twos, fours] = self.planes;
                let (low, two_a) = low.add3(v[0], v[1]);
                let (low, two_b) = low.add3(v[2], v[3]);
                let (twos, four_a) = twos.add3(two_a, two_b);
                let (low, two_a) = low.add3(v[4], v[5]);
                let (low, two_b) = low.add3(v[6], v[7]);
                let (twos, four_b) = twos.add3(two_a, two_b);
                let (fours, eight) = fours.add3(four_a, four_b);
                self.planes = [low, twos, fours];
                self.eights = self.eights.plus(ones(eight));
            }

            /// Adds the bits of one vector.
            #[$features]
            #[inline]
            fn add(&mut self, v: Vector) {
                self.rest = self.rest.plus(ones(v));
            }

            #[$features]
            #[inline]
            fn total(self) -> u64 {
                let [one, two, four] = self.planes.map(|plane| ones(plane).sum());
                self.rest.sum() + one + 2 * two + 4 * four + 8 * self.eights.sum()
            }
        }

        /// The sum over the queries of the lanes that share a key with it, lanes beyond the block included.
        #[$features]
        #[inline]
        fn attacked<const COUNT: usize, const SEVENS: usize>(queries: &[u64], windows: &Windows, table: &[u64]) -> u64 {
            let mut counts = Counts::new();
            let (eights, rest) = queries.as_chunks::<8>();
            for eight in eights {
                counts.add8(eight.map(|query| look_up::<COUNT, SEVENS>(query, windows, table)));
            }
            for &query in rest {
                counts.add(look_up::<COUNT, SEVENS>(query, windows, table));
            }
            counts.total()
        }

        /// The first entry of a window's table.
        const fn first_entry(window: usize, sevens: usize) -> usize {
            (window << 6) + ((if window < sevens { window } else { sevens }) << 6)
        }

        /// The lanes that share a key with the query.
        #[$features]
        #[inline]
        fn look_up<const COUNT: usize, const SEVENS: usize>(query: u64, windows: &Windows, table: &[u64]) -> Vector {
            // Keys begin at bit 6 or above, so that one shift and one mask make the distance of an entry in bytes: this
            // loop is bound by the number of its instructions, and with an index to be multiplied it takes a quarter
            // longer.
            let bytes = 8 * Vector::WORDS;
            let entry = |window: usize| {
                let shift = windows.shifts[window] - bytes.trailing_zeros();
                let last = if window < SEVENS { 127 } else { 63 };
                let distance = (query >> shift) as usize & (last * bytes);
                // SAFETY: the table of a window has `last + 1` vectors.
                unsafe { Vector::load(table.as_ptr().byte_add(first_entry(window, SEVENS) * bytes + distance)) }
            };
            let mut lanes = entry(0).or3(entry(1), entry(2));
            let mut window = 3;
            while window + 1 < COUNT {
                lanes = lanes.or3(entry(window), entry(window + 1));
                window += 2;
            }
            if window < COUNT { lanes.or(entry(window)) } else { lanes }
        }

        /// Transposes a block of lanes and fills the table of each window. Lanes beyond the block share every key.
        #[$features]
        #[inline]
        fn tabulate(block: &[u64], windows: &Windows, table: &mut [u64]) {
            let mut words = [0; 64 * Vector::WORDS];
            words[..block.len()].copy_from_slice(block);
            let mut rows = [Vector::splat(0); 64];
            for (row, from) in rows.iter_mut().zip(words.as_chunks().0) {
                *row = Vector::of(from);
            }
            step::<32>(&mut rows);
            step::<16>(&mut rows);
            step::<8>(&mut rows);
            step::<4>(&mut rows);
            step::<2>(&mut rows);
            step::<1>(&mut rows);
            // Lane l of word w is pattern l * WORDS + w of the block.
            let mut beyond = [0; Vector::WORDS];
            for (word, beyond) in beyond.iter_mut().enumerate() {
                let lanes = (block.len() + Vector::WORDS - 1 - word) / Vector::WORDS;
                *beyond = if lanes == 64 { 0 } else { !0 << lanes };
            }
            for window in 0..windows.count {
                let table = &mut table[first_entry(window, windows.sevens) * Vector::WORDS..];
                let empty = if window == 0 { Vector::of(&beyond) } else { Vector::splat(0) };
                // The queries are mirrored.
                let last = 63 - windows.shifts[window] as usize;
                let keys = if window < windows.sevens { 7 } else { 6 };
                fill(empty, rows[..=last].iter().rev().take(keys), table);
            }
        }

        /// Fills a table with the OR of `empty` and every subset of the rows: entry i takes row k where bit k of i is set.
        #[$features]
        #[inline]
        fn fill<'a>(empty: Vector, rows: impl Iterator<Item = &'a Vector>, table: &mut [u64]) {
            let (entries, _) = table.as_chunks_mut();
            empty.store(&mut entries[0]);
            for (key, &row) in rows.enumerate() {
                let (filled, rest) = entries.split_at_mut(1 << key);
                for (without, with) in filled.iter().zip(rest) {
                    Vector::of(without).or(row).store(with);
                }
            }
        }

        /// One step in transposing the 64×64 bit matrices that each word position of the rows holds: swaps the blocks
        /// of `STEP` rows and bits beside the diagonal.
        #[$features]
        #[inline]
        fn step<const STEP: usize>(rows: &mut [Vector; 64]) {
            // Bits 0 to STEP - 1 of every 2 * STEP.
            let mask = Vector::splat(!0 / ((1 << STEP) + 1));
            for block in (0..64).step_by(2 * STEP) {
                for row in block..block + STEP {
                    (rows[row], rows[row + STEP]) = rows[row].exchange::<STEP>(rows[row + STEP], mask);
                }
            }
        }
    };
}
pub(super) use kernels;
