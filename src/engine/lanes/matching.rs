//! Matching one block with queries: the tables, and the look-ups in them.

/// Expands `match_block`, for a file with
///
/// - `Vector`, as [`kernels!`](super::kernels) needs it, and `ones`, which counts the bits of each of its words;
/// - `key_rows`, which makes a vector of each key of a block of lanes;
/// - `gather`, which brings the keys that matter together in a query.
///
/// Where shifts by a register are fast and leave their source as it is (BMI2), `$unknown` is `black_box`, which hides
/// their counts from the compiler, else `identity`: by constants each window would copy the query first, and look-ups wait
/// for the decoder (0.95 of the time at N = 22 to 26 with AVX-512, 0.98 to 0.99 with AVX2).
macro_rules! matching {
    ($features:meta, $unknown:path) => {
        use $crate::engine::lanes::fault::{KernelFault, planted, without_first};
        use $crate::engine::lanes::windows::{ENTRIES, Windows};

        /// Bytes of a vector, as a power of two: where the first key of a gathered query lies, so that one shift and one
        /// mask make the distance of an entry in bytes.
        pub(super) const AT: u32 = Vector::WORDS.trailing_zeros() + 3;

        compiled_for! { $features:
            /// Adds for each list of queries the pairs of a lane of the block and a query that share a key.
            pub(super) fn match_block<const LISTS: usize>(
                block: &[u64],
                queries: [&[u64]; LISTS],
                windows: Windows,
                words: &mut Vec<u64>,
                counts: &mut [u64; LISTS],
            ) {
                let room = (ENTRIES + 64) * Vector::WORDS + 8;
                if words.len() < room {
                    words.resize(room, 0);
                }
                // Vectors that straddle cache lines would cost twice; eight words more leave room to begin at a line.
                let skip = words.as_ptr().align_offset(64);
                let (table, rows) = words[skip..].split_at_mut(ENTRIES * Vector::WORDS);
                let rows = rows.as_chunks_mut().0.first_chunk_mut().expect("there is room");
                tabulate(block, windows, rows, table);
                table[0] ^= planted(KernelFault::Table(windows.size));
                for (count, queries) in counts.iter_mut().zip(queries) {
                    *count += attacked_in(queries, windows, table);
                }
            }

            /// The sum over the gathered queries of the lanes that share a key with it.
            fn attacked_in(queries: &[u64], windows: Windows, table: &[u64]) -> u64 {
                match windows.size {
                    5 => attacked_in_windows_of::<5>(queries, windows, table),
                    6 => attacked_in_windows_of::<6>(queries, windows, table),
                    7 => attacked_in_windows_of::<7>(queries, windows, table),
                    8 => attacked_in_windows_of::<8>(queries, windows, table),
                    size => unreachable!("windows have no {size} keys"),
                }
            }

            fn attacked_in_windows_of<const SIZE: usize>(queries: &[u64], windows: Windows, table: &[u64]) -> u64 {
                match windows.count {
                    1 => sum::<SIZE, 1>(queries, windows.active, table),
                    2 => sum::<SIZE, 2>(queries, windows.active, table),
                    3 => sum::<SIZE, 3>(queries, windows.active, table),
                    4 => sum::<SIZE, 4>(queries, windows.active, table),
                    5 => sum::<SIZE, 5>(queries, windows.active, table),
                    6 => sum::<SIZE, 6>(queries, windows.active, table),
                    7 => sum::<SIZE, 7>(queries, windows.active, table),
                    8 => sum::<SIZE, 8>(queries, windows.active, table),
                    count => unreachable!("there are no {count} windows"),
                }
            }

            /// See [`attacked_in`], for `COUNT` windows of `SIZE` keys.
            fn sum<const SIZE: usize, const COUNT: usize>(queries: &[u64], active: u64, table: &[u64]) -> u64 {
                assert!(table.len() >= (COUNT << SIZE) * Vector::WORDS);
                let active = without_first(active, planted(KernelFault::Gathering));
                let shifts: [usize; COUNT] = $unknown(std::array::from_fn(|window| SIZE * window));
                let mut counts = Counts::new();
                let (eights, rest) = queries.as_chunks::<8>();
                for eight in eights {
                    // A loop: without link-time optimisation `eight.map` called its closure for each look-up, and the
                    // join took up to 1.16 times as long.
                    let mut found = [Vector::splat(0); 8];
                    for (found, &query) in found.iter_mut().zip(eight) {
                        *found = look_up::<SIZE, COUNT>(gather::<AT>(query, active), shifts, table);
                    }
                    counts.add8(found);
                }
                for &query in rest {
                    counts.add(look_up::<SIZE, COUNT>(gather::<AT>(query, active), shifts, table));
                }
                counts.total()
            }

            /// The lanes that share a key with the query.
            fn look_up<const SIZE: usize, const COUNT: usize>(query: u64, shifts: [usize; COUNT], table: &[u64]) -> Vector {
                let entry = |window: usize| {
                    let query = if window == 0 { query } else { query >> shifts[window] };
                    let distance = query as usize & (((1 << SIZE) - 1) << AT);
                    // SAFETY: each of `COUNT` windows has `1 << SIZE` entries; [`sum`] asked for them.
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

            /// Fills the table of each window for a block of lanes.
            fn tabulate(block: &[u64], windows: Windows, rows: &mut [[u64; Vector::WORDS]; 64], table: &mut [u64]) {
                // The queries are mirrored: their first key is the last one of the lanes.
                key_rows(block, windows.active.reverse_bits(), rows);
                rows[0][0] ^= planted(KernelFault::Transposition);
                let rows = &rows[..windows.active.count_ones() as usize];
                for (window, rows) in rows.rchunks(windows.size).enumerate() {
                    fill(rows, &mut table[(window << windows.size) * Vector::WORDS..]);
                }
            }

            /// Fills a table with the OR of every subset of the rows: entry i takes the last row but k where bit k of i is set.
            fn fill(rows: &[[u64; Vector::WORDS]], table: &mut [u64]) {
                let entries = table.as_chunks_mut().0;
                Vector::splat(0).store(&mut entries[0]);
                for (key, row) in rows.iter().rev().enumerate() {
                    let row = Vector::of(row);
                    match key {
                        0 => double::<1>(row, entries),
                        1 => double::<2>(row, entries),
                        2 => double::<4>(row, entries),
                        3 => double::<8>(row, entries),
                        4 => double::<16>(row, entries),
                        5 => double::<32>(row, entries),
                        6 => double::<64>(row, entries),
                        _ => double::<128>(row, entries),
                    }
                }
            }

            /// The next `FILLED` entries of a table: those before, and one more key. The constant lets the loop be unrolled.
            fn double<const FILLED: usize>(row: Vector, entries: &mut [[u64; Vector::WORDS]]) {
                let (filled, rest) = entries.split_at_mut(FILLED);
                for (without, with) in filled.iter().zip(&mut rest[..FILLED]) {
                    Vector::of(without).or(row).store(with);
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
            compiled_for! { $features:
                fn new() -> Self {
                    let zero = Vector::splat(0);
                    Self { planes: [zero; 3], eights: zero, rest: zero }
                }

                /// Adds the bits of eight vectors. Seven adders and one count are cheaper than eight counts; where the
                /// processor counts bits in one instruction, as cheap.
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
                fn add(&mut self, v: Vector) {
                    self.rest = self.rest.plus(ones(v));
                }

                fn total(self) -> u64 {
                    let [one, two, four] = self.planes.map(|plane| ones(plane).sum());
                    self.rest.sum() + one + 2 * two + 4 * four + 8 * self.eights.sum() + planted(KernelFault::Sums)
                }
            }
        }
    };
}
pub(super) use matching;
