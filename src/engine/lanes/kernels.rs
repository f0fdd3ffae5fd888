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
        use $crate::engine::lanes::windows::{ENTRIES, Gather, Windows};
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
                tables: &mut Tables,
            ) -> [u64; LISTS] {
                // SAFETY: as above.
                unsafe { disjoint(lanes, queries, tables) }
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

        /// Bytes of a vector, as a power of two: where the first key of a gathered query lies, so that one shift and one
        /// mask make the distance of an entry in bytes.
        const AT: u32 = Vector::WORDS.trailing_zeros() + 3;

        /// See [`Lanes::disjoint`].
        #[$features]
        #[inline]
        fn disjoint<const LISTS: usize>(lanes: &[u64], queries: [&[u64]; LISTS], tables: &mut Tables) -> [u64; LISTS] {
            let mut counts = queries.map(|queries| (lanes.len() * queries.len()) as u64);
            let asked: usize = queries.iter().map(|queries| queries.len()).sum();
            let active = queries.iter().fold(0, |keys, queries| keys | union(queries)) & union(lanes).reverse_bits();
            if active == 0 {
                return counts;
            }
            let windows = Windows::new(active, asked);
            let Tables { words, gathered } = tables;
            if GATHERED {
                gathered.clear();
                let gather = Gather::<AT>::new(active);
                for queries in queries {
                    if gather.is_short() {
                        gathered.extend(queries.iter().map(|&query| gather.apply::<4>(query)));
                    } else {
                        gathered.extend(queries.iter().map(|&query| gather.apply::<6>(query)));
                    }
                }
            }
            words.resize(ENTRIES * Vector::WORDS + 8, 0);
            // Vectors that straddle cache lines would cost twice; eight words more leave room to begin at a line.
            let skip = words.as_ptr().align_offset(64);
            let table = &mut words[skip..skip + ENTRIES * Vector::WORDS];
            for block in lanes.chunks(64 * Vector::WORDS) {
                if block.len() <= FEW_LANES {
                    for &lane in block {
                        for (count, queries) in counts.iter_mut().zip(queries) {
                            *count -= (queries.len() as u64) - count_disjoint(queries, lane.reverse_bits());
                        }
                    }
                    continue;
                }
                tabulate(block, windows, table);
                let mut rest = &gathered[..];
                for (count, queries) in counts.iter_mut().zip(queries) {
                    if GATHERED {
                        let (now, later) = rest.split_at(queries.len());
                        *count -= attacked_in(now, windows, table);
                        rest = later;
                    } else {
                        *count -= attacked_in(queries, windows, table);
                    }
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

        /// The sum over the gathered queries of the lanes that share a key with it.
        #[$features]
        #[inline]
        fn attacked_in(queries: &[u64], windows: Windows, table: &[u64]) -> u64 {
            match (windows.size, windows.count) {
                (5, 1) => attacked::<5, 1>(queries, windows.active, table),
                (5, 2) => attacked::<5, 2>(queries, windows.active, table),
                (5, 3) => attacked::<5, 3>(queries, windows.active, table),
                (5, 4) => attacked::<5, 4>(queries, windows.active, table),
                (5, 5) => attacked::<5, 5>(queries, windows.active, table),
                (5, 6) => attacked::<5, 6>(queries, windows.active, table),
                (5, 7) => attacked::<5, 7>(queries, windows.active, table),
                (5, _) => attacked::<5, 8>(queries, windows.active, table),
                (6, 1) => attacked::<6, 1>(queries, windows.active, table),
                (6, 2) => attacked::<6, 2>(queries, windows.active, table),
                (6, 3) => attacked::<6, 3>(queries, windows.active, table),
                (6, 4) => attacked::<6, 4>(queries, windows.active, table),
                (6, 5) => attacked::<6, 5>(queries, windows.active, table),
                (6, 6) => attacked::<6, 6>(queries, windows.active, table),
                (6, 7) => attacked::<6, 7>(queries, windows.active, table),
                (6, _) => attacked::<6, 8>(queries, windows.active, table),
                (_, 1) => attacked::<7, 1>(queries, windows.active, table),
                (_, 2) => attacked::<7, 2>(queries, windows.active, table),
                (_, 3) => attacked::<7, 3>(queries, windows.active, table),
                (_, 4) => attacked::<7, 4>(queries, windows.active, table),
                (_, 5) => attacked::<7, 5>(queries, windows.active, table),
                (_, 6) => attacked::<7, 6>(queries, windows.active, table),
                (_, 7) => attacked::<7, 7>(queries, windows.active, table),
                _ => attacked::<7, 8>(queries, windows.active, table),
            }
        }

        /// See [`attacked_in`], for `COUNT` windows of `SIZE` keys.
        #[$features]
        #[inline]
        fn attacked<const SIZE: usize, const COUNT: usize>(queries: &[u64], active: u64, table: &[u64]) -> u64 {
            assert!(table.len() >= (COUNT << SIZE) * Vector::WORDS);
            let mut counts = Counts::new();
            let (eights, rest) = queries.as_chunks::<8>();
            for eight in eights {
                counts.add8(eight.map(|query| look_up::<SIZE, COUNT>(gather(query, active), table)));
            }
            for &query in rest {
                counts.add(look_up::<SIZE, COUNT>(gather(query, active), table));
            }
            counts.total()
        }

        /// The lanes that share a key with the query.
        #[$features]
        #[inline]
        fn look_up<const SIZE: usize, const COUNT: usize>(query: u64, table: &[u64]) -> Vector {
            let entry = |window: usize| {
                let distance = (query >> (SIZE * window)) as usize & (((1 << SIZE) - 1) << AT);
                // SAFETY: each of `COUNT` windows has `1 << SIZE` entries; [`attacked`] asked for them.
                unsafe { Vector::load(table.as_ptr().byte_add((window << SIZE << AT) + distance)) }
            };
            let mut lanes = entry(0);
            let mut window = 1;
            while window + 1 < COUNT {
                lanes = lanes.or3(entry(window), entry(window + 1));
                window += 2;
            }
            if window < COUNT { lanes.or(entry(window)) } else { lanes }
        }

        /// Transposes a block of lanes and fills the table of each window.
        #[$features]
        #[inline]
        fn tabulate(block: &[u64], windows: Windows, table: &mut [u64]) {
            // The queries are mirrored.
            let mut keys = windows.active;
            let lane_keys = keys.reverse_bits();
            let (first, end) = (lane_keys.trailing_zeros(), 64 - lane_keys.leading_zeros());
            let mut rows = [Vector::splat(0); 64];
            if end - first <= 32 {
                transpose_half(block, first, rows.first_chunk_mut().expect("64 are more than 32"));
            } else {
                transpose(block, first, &mut rows);
            }
            for window in 0..windows.count {
                let mut next = [Vector::splat(0); 7];
                let mut count = 0;
                while count < windows.size && keys != 0 {
                    next[count] = rows[(63 - keys.trailing_zeros() - first) as usize];
                    keys &= keys - 1;
                    count += 1;
                }
                fill(&next[..count], &mut table[(window << windows.size) * Vector::WORDS..]);
            }
        }

        /// Row k gets bit `first` + k of each lane: lane l of word w is pattern l * WORDS + w. Lanes beyond the block
        /// hold no key.
        #[$features]
        #[inline]
        fn transpose(block: &[u64], first: u32, rows: &mut [Vector; 64]) {
            let mut words = [0; 64 * Vector::WORDS];
            for (word, &lane) in words.iter_mut().zip(block) {
                *word = lane >> first;
            }
            for (row, from) in rows.iter_mut().zip(words.as_chunks().0) {
                *row = Vector::of(from);
            }
            step::<32, 64>(rows);
            step::<16, 64>(rows);
            step::<8, 64>(rows);
            step::<4, 64>(rows);
            step::<2, 64>(rows);
            step::<1, 64>(rows);
        }

        /// [`transpose`] for keys within 32 bits, in less than half the time.
        #[$features]
        #[inline]
        fn transpose_half(block: &[u64], first: u32, rows: &mut [Vector; 32]) {
            let mut words = [0; 32 * Vector::WORDS];
            let (near, far) = block.split_at(block.len().min(words.len()));
            for (word, &lane) in words.iter_mut().zip(near) {
                *word = lane >> first & 0xffff_ffff;
            }
            for (word, &lane) in words.iter_mut().zip(far) {
                *word |= lane >> first << 32;
            }
            for (row, from) in rows.iter_mut().zip(words.as_chunks().0) {
                *row = Vector::of(from);
            }
            step::<16, 32>(rows);
            step::<8, 32>(rows);
            step::<4, 32>(rows);
            step::<2, 32>(rows);
            step::<1, 32>(rows);
        }

        /// Fills a table with the OR of every subset of the rows: entry i takes row k where bit k of i is set.
        #[$features]
        #[inline]
        fn fill(rows: &[Vector], table: &mut [u64]) {
            let entries = table.as_chunks_mut().0;
            Vector::splat(0).store(&mut entries[0]);
            for (key, &row) in rows.iter().enumerate() {
                match key {
                    0 => double::<1>(row, entries),
                    1 => double::<2>(row, entries),
                    2 => double::<4>(row, entries),
                    3 => double::<8>(row, entries),
                    4 => double::<16>(row, entries),
                    5 => double::<32>(row, entries),
                    _ => double::<64>(row, entries),
                }
            }
        }

        /// The next `FILLED` entries of a table: those before, and one more key. The constant lets the loop be unrolled.
        #[$features]
        #[inline]
        fn double<const FILLED: usize>(row: Vector, entries: &mut [[u64; Vector::WORDS]]) {
            let (filled, rest) = entries.split_at_mut(FILLED);
            for (without, with) in filled.iter().zip(&mut rest[..FILLED]) {
                Vector::of(without).or(row).store(with);
            }
        }

        /// One step in transposing the bit matrices that each word position of the rows holds: swaps the blocks of
        /// `STEP` rows and bits beside the diagonal.
        #[$features]
        #[inline]
        fn step<const STEP: usize, const ROWS: usize>(rows: &mut [Vector; ROWS]) {
            // Bits 0 to STEP - 1 of every 2 * STEP.
            let mask = Vector::splat(!0 / ((1 << STEP) + 1));
            for block in (0..ROWS).step_by(2 * STEP) {
                for row in block..block + STEP {
                    (rows[row], rows[row + STEP]) = rows[row].exchange::<STEP>(rows[row + STEP], mask);
                }
            }
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
    };
}
pub(super) use kernels;
