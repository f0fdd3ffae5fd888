//! [Permuting bytes](super::super::permuting) with AVX2: windows of four keys, 32 queries to a block.

use std::arch::x86_64::*;

use super::{COST, Vector, byte_counts, retain};
use crate::engine::lanes::permuting::{SHARING, permuting};

/// The keys of all windows in a pattern, and whether they are in reverse order.
struct Places {
    keys: u64,
    is_mirrored: bool,
}

permuting! { target_feature(enable = "avx2,bmi1,bmi2,popcnt"), 5 6 7 8:
    fn bucket_keys(frequent: u64) -> u64 { frequent }
    fn bucket(pattern: u64, frequent: u64) -> u64 { _pext_u64(pattern, frequent) }

    fn places<const COUNT: usize>(windows: u64, is_mirrored: bool) -> Places {
        Places { keys: if is_mirrored { windows.reverse_bits() } else { windows }, is_mirrored }
    }

    fn index<const COUNT: usize>(eight: &[u64; 8], places: &Places) -> [u64; COUNT] {
        // One byte per window, ...
        let rows = eight.map(|pattern| _pdep_u64(_pext_u64(pattern, places.keys), 0x0f0f_0f0f_0f0f_0f0f).cast_signed());
        // ... then the bytes of two patterns, of four and of all eight side by side.
        let twos = _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
        let twos = [0, 2, 4, 6].map(|row| _mm_shuffle_epi8(_mm_set_epi64x(rows[row + 1], rows[row]), twos));
        let low = [0, 2].map(|two| _mm_unpacklo_epi16(twos[two], twos[two + 1]));
        let high = [0, 2].map(|two| _mm_unpackhi_epi16(twos[two], twos[two + 1]));
        let mut windows = [
            _mm_unpacklo_epi32(low[0], low[1]),
            _mm_unpackhi_epi32(low[0], low[1]),
            _mm_unpacklo_epi32(high[0], high[1]),
            _mm_unpackhi_epi32(high[0], high[1]),
        ];
        if places.is_mirrored {
            let mirror = _mm_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15);
            windows = windows.map(|two| _mm_shuffle_epi8(mirror, two));
        }
        let words = windows.map(|two| [_mm_cvtsi128_si64(two), _mm_extract_epi64::<1>(two)]);
        let words = words.as_flattened();
        std::array::from_fn(|window| {
            words[if places.is_mirrored { COUNT - 1 - window } else { window }].cast_unsigned()
        })
    }

    fn tabulate<const COUNT: usize>(lanes: &[u64; COUNT], tables: &mut [[u64; TABLE]; COUNT]) {
        // The entries that hold a key of a lane, for the first eight, without the fourth key, and for the others.
        let entries = Vector::of(&[SHARING, SHARING, SHARING, !0]);
        let put = |lanes: [u64; 2]| {
            let two = _mm256_broadcastsi128_si256(_mm_set_epi64x(lanes[1].cast_signed(), lanes[0].cast_signed()));
            // Eight lanes of eight entries become eight entries of eight lanes.
            let words = transposed(_mm256_shuffle_epi8(entries.0, two));
            let mut words_of_two = [0; 4];
            Vector(_mm256_permute4x64_epi64::<0b11_01_10_00>(words)).store(&mut words_of_two);
            words_of_two
        };
        let (twos, rest) = lanes.as_chunks::<2>();
        let (tables, last) = tables.as_chunks_mut::<2>();
        for (lanes, tables) in twos.iter().zip(tables) {
            *tables = put(*lanes).as_chunks().0.try_into().expect("there are two");
        }
        for (lanes, table) in rest.iter().zip(last) {
            *table = *put([*lanes, 0]).first_chunk().expect("there are two");
        }
    }

    /// Transposes eight times eight bits in each word (Warren, *Hacker's Delight*, 7-3).
    fn transposed(words: __m256i) -> __m256i {
        let exchanged = |words: __m256i, bits: i32, mask: i64| {
            let bits = _mm_cvtsi32_si128(bits);
            let mask = _mm256_set1_epi64x(mask);
            let swap = _mm256_and_si256(_mm256_xor_si256(words, _mm256_srl_epi64(words, bits)), mask);
            _mm256_xor_si256(words, _mm256_xor_si256(swap, _mm256_sll_epi64(swap, bits)))
        };
        let twos = exchanged(words, 7, 0x00aa_00aa_00aa_00aa);
        let fours = exchanged(twos, 14, 0x0000_cccc_0000_cccc);
        exchanged(fours, 28, 0x0000_0000_f0f0_f0f0)
    }

    fn sum<const COUNT: usize>(
        queries: &[[[u64; 4]; COUNT]],
        tables: &[[[u64; TABLE]; COUNT]],
        sums: &mut [[u64; 4]],
    ) {
        for (queries, sum) in queries.iter().zip(sums) {
            let queries = queries.each_ref().map(|words| Vector::of(words).0);
            let mut found = _mm256_setzero_si256();
            // A byte has room for the lanes of 31 tables.
            for tables in tables.chunks(31) {
                let mut bytes = _mm256_setzero_si256();
                for table in tables {
                    let mut lanes = _mm256_setzero_si256();
                    for (query, table) in queries.iter().zip(table) {
                        let [low, high] = table.map(u64::cast_signed);
                        let table = _mm256_broadcastsi128_si256(_mm_set_epi64x(high, low));
                        lanes = _mm256_or_si256(lanes, _mm256_shuffle_epi8(table, *query));
                    }
                    bytes = _mm256_add_epi8(bytes, byte_counts(lanes));
                }
                found = _mm256_add_epi64(found, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
            }
            Vector::of(sum).plus(Vector(found)).store(sum);
        }
    }
}
