//! [Permuting bytes](super::super::permuting) with AVX-512: windows of six keys, 64 queries to a block.

use std::arch::x86_64::*;
use std::array::{self, from_fn};

use super::rows::transposed;
use super::{Vector, retain};
use crate::engine::lanes::cost::AVX512 as COST;
use crate::engine::lanes::permuting::{SHARING, permuting};

permuting! { target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512bitalg,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"), 4 5 6:
    fn bucket_keys(frequent: u64) -> u64 { frequent }
    fn bucket(pattern: u64, frequent: u64) -> u64 { _pext_u64(pattern, frequent) }

    /// The places of each window's keys in a pattern, one byte each.
    fn places<const COUNT: usize>(windows: u64, is_mirrored: bool) -> [Vector; COUNT] {
        let mut places = [0; COUNT];
        let mut left = windows;
        for word in &mut places {
            for key in 0..WINDOW {
                let place = u64::from(left.trailing_zeros());
                left &= left - 1;
                *word |= if is_mirrored { 63 - place } else { place } << (8 * key);
            }
        }
        places.map(|places| Vector::splat(places))
    }

    fn index<const COUNT: usize>(eight: &[u64; 8], places: &[Vector; COUNT]) -> [u64; COUNT] {
        from_fn(|window| _mm512_bitshuffle_epi64_mask(Vector::of(eight).0, places[window].0))
    }

    /// The order of the lanes in an entry does not matter.
    fn tabulate<const COUNT: usize>(lanes: &[u64; COUNT], tables: &mut [[u64; TABLE]; COUNT]) {
        // The three high keys of each eight entries. The entries that hold one of a lane's low keys are alike in each.
        const EIGHT: u64 = 0x0808_0808_0808_0808;
        const HIGH: [u64; 8] = [0, EIGHT, 2 * EIGHT, 3 * EIGHT, 4 * EIGHT, 5 * EIGHT, 6 * EIGHT, 7 * EIGHT];
        let [low, high, all] = [&[SHARING; 8], &HIGH, &[!0; 8]].map(|words| Vector::of(words).0);
        for (table, lanes) in tables.iter_mut().zip(lanes) {
            // Each word has the eight lanes, one byte per lane.
            let lanes = _mm512_set1_epi64(lanes.cast_signed());
            let without_high = _mm512_testn_epi8_mask(lanes, high);
            let entries = _mm512_mask_permutexvar_epi8(all, without_high, lanes, low);
            // Eight entries of eight lanes become eight lanes of eight entries.
            Vector(transposed(entries)).store(table);
        }
    }

    fn sum<const COUNT: usize>(
        queries: &[[[u64; 8]; COUNT]],
        tables: &[[[u64; 8]; COUNT]],
        sums: &mut [[u64; 8]],
    ) {
        // Two blocks at a time, so that each table is read once for both.
        let (twos, rest) = queries.as_chunks::<2>();
        let (sums_of_twos, sum_of_rest) = sums.as_chunks_mut::<2>();
        for (two, sums) in twos.iter().zip(sums_of_twos) {
            sum_of(two, tables, sums);
        }
        for (one, sum) in rest.iter().zip(sum_of_rest) {
            sum_of(array::from_ref(one), tables, array::from_mut(sum));
        }
    }

    /// See [`sum`], for `BLOCKS` blocks.
    fn sum_of<const COUNT: usize, const BLOCKS: usize>(
        queries: &[[[u64; 8]; COUNT]; BLOCKS],
        tables: &[[[u64; 8]; COUNT]],
        sums: &mut [[u64; 8]; BLOCKS],
    ) {
        let queries = queries.each_ref().map(|block| block.each_ref().map(|words| Vector::of(words)));
        let mut found = sums.each_ref().map(|sum| Vector::of(sum));
        for table in tables {
            for (found, queries) in found.iter_mut().zip(&queries) {
                *found = found.plus(attacked_lanes(queries, table));
            }
        }
        for (found, sum) in found.into_iter().zip(sums) {
            found.store(sum);
        }
    }

    /// The pairs of each eight of 64 queries with one of eight lanes that share a key.
    fn attacked_lanes<const COUNT: usize>(queries: &[Vector; COUNT], tables: &[[u64; 8]; COUNT]) -> Vector {
        let mut lanes = Vector::splat(0);
        for (query, table) in queries.iter().zip(tables) {
            lanes = lanes.or(Vector(_mm512_permutexvar_epi8(query.0, Vector::of(table).0)));
        }
        Vector(_mm512_popcnt_epi64(lanes.0))
    }
}
