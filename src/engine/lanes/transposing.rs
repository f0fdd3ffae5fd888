//! Rows of keys from lanes, by exchanging ever smaller blocks of bits, for vectors of whatever length.

/// Expands `key_rows` for a `Vector` with `splat`, `of`, `store` and `exchange`; `$features` as in
/// [`kernels!`](super::kernels).
macro_rules! transposing {
    ($features:meta) => {
        compiled_for! { $features:
            /// Row k gets the k-th of the `keys` of each lane, a bit for each, in the same order for all rows. Lanes beyond
            /// the block hold no key; later rows are anything.
            fn key_rows(block: &[u64], keys: u64, rows: &mut [[u64; Vector::WORDS]; 64]) {
                let (first, end) = (keys.trailing_zeros(), 64 - keys.leading_zeros());
                let mut all = [Vector::splat(0); 64];
                if end - first <= 32 {
                    transpose_half(block, first, all.first_chunk_mut().expect("64 are more than 32"));
                } else {
                    transpose(block, first, &mut all);
                }
                let mut left = keys >> first;
                for row in &mut rows[..keys.count_ones() as usize] {
                    all[left.trailing_zeros() as usize].store(row);
                    left &= left - 1;
                }
            }

            /// Row k gets bit `first` + k of each lane: lane l of word w is pattern l * WORDS + w. Lanes beyond the block
            /// hold no key.
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

            /// One step in transposing the bit matrices that each word position of the rows holds: swaps the blocks of
            /// `STEP` rows and bits beside the diagonal.
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
