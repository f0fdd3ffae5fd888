//! Matching one block with queries: the rows of its keys, the tables, and the look-ups.

/// Expands `match_block` for [`kernels!`](super::kernels), which lists what it needs.
macro_rules! matching {
    ($features:meta) => {
        use $crate::engine::lanes::fault::{planted, without_first};
        use $crate::engine::lanes::windows::{MAX_KEYS, Windows, offsets, slots};

        /// log2 of a vector's bytes: with a window's first key at this bit, masking yields the entry's byte offset.
        pub(super) const AT: u32 = Vector::WORDS.trailing_zeros() + 3;

        /// Entries between the tables of two consecutive windows.
        const TABLE_STRIDE: usize = 1 << MAX_KEYS;

        /// The pairs of a lane and a gathered query with a common key. (Inlined, joins took 1 % more instructions.)
        #[$features]
        #[inline(never)]
        fn conflicts_in(queries: &[u64], windows: Windows, table: &[u64]) -> u64 {
            with_constant!(windows.count, 1 2 3 4 5 6 7, sum(queries, windows, table))
        }

        compiled_for! { $features:
            /// Adds, per list of queries, its pairs with a lane of the block that share a key.
            pub(super) fn match_block(
                block: &[u64],
                queries: &[&[u64]],
                mut gathered: &[u64],
                windows: Windows,
                words: &mut Vec<u64>,
                counts: &mut [u64],
            ) {
                let room = (windows.count * TABLE_STRIDE + 64) * Vector::WORDS + 8;
                if words.len() < room {
                    words.resize(room, 0);
                }
                // Align to a cache line, because straddling loads cost twice; eight spare words leave room.
                let skip = words.as_ptr().align_offset(64);
                let (table, rows) = words[skip..].split_at_mut(windows.count * TABLE_STRIDE * Vector::WORDS);
                let rows = rows.as_chunks_mut().0.first_chunk_mut().expect("there is room");
                tabulate(block, windows, rows, table);
                table[0] ^= planted("first-entries");
                table[((1 << windows.keys(0).len()) - 1) * Vector::WORDS] ^= planted("last-entries");
                for (count, mut queries) in counts.iter_mut().zip(queries.iter().copied()) {
                    if GATHERED {
                        (queries, gathered) = gathered.split_at(queries.len());
                    }
                    *count += conflicts_in(queries, windows, table);
                }
            }

            /// See [`conflicts_in`], for `COUNT` windows.
            fn sum<const COUNT: usize>(queries: &[u64], windows: Windows, table: &[u64]) -> u64 {
                assert!(table.len() >= COUNT * TABLE_STRIDE * Vector::WORDS);
                let (slots, keys) = (slots::<COUNT, AT>(windows), without_first(windows.active, planted("gathering")));
                let offsets = |query| offsets::<COUNT>(gathered::<AT>(query, keys), &slots);
                let mut counts = Counts::new();
                let (eights, rest) = queries.as_chunks::<8>();
                for eight in eights {
                    // A loop: without LTO `eight.map` called its closure per look-up, and joins took up to 16 % longer.
                    let mut found = [Vector::splat(0); 8];
                    for (found, &query) in found.iter_mut().zip(eight) {
                        *found = look_up(offsets(query), table);
                    }
                    counts.add8(found);
                }
                for &query in rest {
                    counts.add(look_up(offsets(query), table));
                }
                counts.total()
            }

            /// The lanes that share a key with a query whose entries are at these byte offsets in the tables.
            fn look_up<const COUNT: usize>(offsets: [usize; COUNT], table: &[u64]) -> Vector {
                // SAFETY: a window has at most `TABLE_STRIDE` entries; [`sum`] checked the length.
                let entry = |window: usize| unsafe {
                    Vector::of(&*table.as_ptr().byte_add((window * TABLE_STRIDE << AT) + offsets[window]).cast())
                };
                let mut lanes = entry(0);
                let mut window = 1;
                while window < COUNT {
                    lanes = lanes.or(entry(window));
                    window += 1;
                }
                lanes
            }

            /// Fills the table of each window for a block of lanes.
            fn tabulate(block: &[u64], windows: Windows, rows: &mut [[u64; Vector::WORDS]; 64], table: &mut [u64]) {
                // Queries are mirrored: their first key is the last one of the lanes.
                key_rows(block, windows.active.reverse_bits(), rows);
                rows[0][0] ^= planted("transposition");
                let mut rows = &rows[..windows.active.count_ones() as usize];
                for (window, table) in table.chunks_mut(TABLE_STRIDE * Vector::WORDS).enumerate() {
                    let (later, these) = rows.split_at(rows.len() - windows.keys(window).len());
                    fill(these, table);
                    rows = later;
                }
            }

            /// Fills a table with the ORs of all subsets of the rows: bit k of an index is the k-th row from the end.
            fn fill(rows: &[[u64; Vector::WORDS]], table: &mut [u64]) {
                let entries = table.as_chunks_mut().0;
                Vector::splat(0).store(&mut entries[0]);
                for (key, row) in rows.iter().rev().enumerate() {
                    let row = Vector::of(row);
                    with_constant!(key, 0 1 2 3 4 5 6 7 8, double(row, entries));
                }
            }

            /// Doubles the filled entries: adds one more key to each. The constant lets the loop be unrolled.
            fn double<const KEYS: usize>(row: Vector, entries: &mut [[u64; Vector::WORDS]]) {
                let (filled, rest) = entries.split_at_mut(1 << KEYS);
                for (without, with) in filled.iter().zip(&mut rest[..1 << KEYS]) {
                    Vector::of(without).or(row).store(with);
                }
            }
        }

        /// Sums of bit counts, still spread over the lanes.
        struct Counts {
            /// Carry-save planes of weight 1, 2 and 4.
            planes: [Vector; 3],
            /// Their carries, in units of eight, per word.
            eights: Vector,
            /// Counts of vectors that were added one by one.
            rest: Vector,
        }

        impl Counts {
            compiled_for! { $features:
                fn new() -> Self {
                    let zero = Vector::splat(0);
                    Self { planes: [zero; 3], eights: zero, rest: zero }
                }

                /// Adds the bits of eight vectors. Seven adders and one popcount are cheaper than eight popcounts, or
                /// equal if the processor has a vector popcount.
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

                fn add(&mut self, v: Vector) {
                    self.rest = self.rest.plus(ones(v));
                }

                fn total(self) -> u64 {
                    let [one, two, four] = self.planes.map(|plane| ones(plane).sum());
                    self.rest.sum() + one + 2 * two + 4 * four + 8 * self.eights.sum() + planted("sums")
                }
            }
        }
    };
}
pub(super) use matching;

/// Expands `key_rows` by exchanging ever smaller blocks of bits, for a `Vector` as in [`kernels!`](super::kernels) with
///
/// ```text
/// exchange::<BITS>(self, other: Vector, mask: Vector) -> (Vector, Vector)
///     exchanges the bits of `self` outside `mask`, the lower BITS of every 2 * BITS, with those of `other` inside it,
///     which are BITS lower
/// ```
macro_rules! transposing {
    ($features:meta) => {
        compiled_for! { $features:
            /// Row k gets the k-th of the `keys` of each lane, one bit per lane, in the same order for all rows. Lanes
            /// beyond the block hold no key; later rows are undefined. If the keys lie within 32 bits, it takes less
            /// than half the time.
            fn key_rows(block: &[u64], keys: u64, rows: &mut [[u64; Vector::WORDS]; 64]) {
                let (first, end) = (keys.trailing_zeros(), 64 - keys.leading_zeros());
                let mut all = [Vector::splat(0); 64];
                if end - first <= 32 {
                    let mut words = [0; 32 * Vector::WORDS];
                    let (near, far) = block.split_at(block.len().min(words.len()));
                    for (word, &lane) in words.iter_mut().zip(near) {
                        *word = lane >> first & 0xffff_ffff;
                    }
                    for (word, &lane) in words.iter_mut().zip(far) {
                        *word |= lane >> first << 32;
                    }
                    transpose::<32>(&words, all.first_chunk_mut().expect("64 are more than 32"));
                } else {
                    let mut words = [0; 64 * Vector::WORDS];
                    for (word, &lane) in words.iter_mut().zip(block) {
                        *word = lane >> first;
                    }
                    transpose::<64>(&words, &mut all);
                }
                let mut left = keys >> first;
                for row in &mut rows[..keys.count_ones() as usize] {
                    all[left.trailing_zeros() as usize].store(row);
                    left &= left - 1;
                }
            }

            /// Bit k of word l * WORDS + w becomes bit l of word w of row k. With 32 rows, a word holds two matrices,
            /// and bit 32 + k becomes bit 32 + l.
            fn transpose<const ROWS: usize>(words: &[u64], rows: &mut [Vector; ROWS]) {
                for (row, from) in rows.iter_mut().zip(words.as_chunks().0) {
                    *row = Vector::of(from);
                }
                if ROWS == 64 {
                    step::<32, ROWS>(rows);
                }
                step::<16, ROWS>(rows);
                step::<8, ROWS>(rows);
                step::<4, ROWS>(rows);
                step::<2, ROWS>(rows);
                step::<1, ROWS>(rows);
            }

            /// Swaps blocks of `STEP` rows and bits beside the diagonal of each word position's bit matrix.
            fn step<const STEP: usize, const ROWS: usize>(rows: &mut [Vector; ROWS]) {
                // Bits 0 to STEP - 1 of every 2 * STEP.
                let mask = Vector::splat(!0 / ((1 << STEP) + 1));
                for block in (0..ROWS).step_by(2 * STEP) {
                    for row in block..block + STEP {
                        (rows[row], rows[row + STEP]) = rows[row].exchange::<STEP>(rows[row + STEP], mask);
                    }
                }
            }
        }
    };
}
pub(super) use transposing;
