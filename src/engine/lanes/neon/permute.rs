//! [Permuting bytes](super::super::permuting) with NEON: windows of four keys, 32 queries to a block.

use std::arch::aarch64::*;
use std::array::from_fn;

use super::{COST, Vector, byte_sums, retain};
use crate::engine::lanes::permuting::permuting;
use crate::engine::lanes::windows::Gather;

/// Gathers the keys of all windows, from patterns or from their mirror images.
struct Places {
    gather: Gather<0>,
    is_mirrored: bool,
}

permuting! { target_feature(enable = "neon"), 5 6 7 8:
    /// The places of the frequent keys in a pattern; bit 63, which is no key, stands for missing ones.
    fn bucket_keys(frequent: u64) -> [u32; MAX_FREQUENT] {
        let mut left = frequent;
        from_fn(|_| {
            let place = left.trailing_zeros().min(63);
            left &= left.wrapping_sub(1);
            place
        })
    }

    /// Takes two instructions per key; gathering them all takes 26. The highest bit is cleared, because the bucket of a
    /// pattern that had it would be out of range.
    fn bucket(pattern: u64, places: [u32; MAX_FREQUENT]) -> u64 {
        let pattern = pattern & !(1 << 63);
        places.into_iter().zip(0..).fold(0, |bucket, (place, key)| bucket | (pattern >> (place & 63) & 1) << key)
    }

    fn places<const COUNT: usize>(windows: u64, is_mirrored: bool) -> Places {
        Places { gather: Gather::new(windows), is_mirrored }
    }

    fn index<const COUNT: usize>(eight: &[u64; 8], places: &Places) -> [u64; COUNT] {
        // The bytes of window w from each pattern, then those of window w + 1.
        const BYTES: [[u8; 16]; 4] = {
            let (mut bytes, mut at) = ([[0; 16]; 4], 0);
            while at < 64 {
                bytes[at / 16][at % 16] = (at / 8 % 2 * 32 + at % 8 * 4 + at / 16) as u8;
                at += 1;
            }
            bytes
        };
        let mut keys = [0; 8];
        for (keys, &pattern) in keys.iter_mut().zip(eight) {
            *keys = places.gather.apply(if places.is_mirrored { pattern.reverse_bits() } else { pattern }) as u32;
        }
        // SAFETY: there are two vectors of four words.
        let keys = unsafe { [vld1q_u32(keys.as_ptr()), vld1q_u32(keys[4..].as_ptr())] }.map(|keys| vreinterpretq_u8_u32(keys));
        let low = keys.map(|keys| vandq_u8(keys, vdupq_n_u8(15)));
        let high = keys.map(|keys| vshrq_n_u8::<4>(keys));
        let all = uint8x16x4_t(low[0], low[1], high[0], high[1]);
        let words = BYTES.each_ref().map(|bytes| {
            // SAFETY: there are sixteen bytes.
            let two = vreinterpretq_u64_u8(vqtbl4q_u8(all, unsafe { vld1q_u8(bytes.as_ptr()) }));
            [vgetq_lane_u64::<0>(two), vgetq_lane_u64::<1>(two)]
        });
        from_fn(|window| words.as_flattened()[window])
    }

    fn tabulate<const COUNT: usize>(lanes: &[u64; COUNT], tables: &mut [[u64; TABLE]; COUNT]) {
        const ENTRIES: [u64; 2] = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
        let entries = vreinterpretq_u8_u64(load(&ENTRIES));
        for (lanes, table) in lanes.iter().zip(tables) {
            // One bit per entry and lane: whether the lane holds one of the entry's keys. The last lane comes first.
            let mut bits = vdupq_n_u8(0);
            for lane in lanes.to_be_bytes() {
                bits = vsliq_n_u8::<1>(vtstq_u8(entries, vdupq_n_u8(lane)), bits);
            }
            // SAFETY: there is room for two words.
            unsafe { vst1q_u64(table.as_mut_ptr(), vreinterpretq_u64_u8(bits)) };
        }
    }

    // SAFETY: there are two words.
    fn load(words: &[u64; 2]) -> uint64x2_t { unsafe { vld1q_u64(words.as_ptr()) } }

    fn sum<const COUNT: usize>(
        queries: &[[[u64; 4]; COUNT]],
        tables: &[[[u64; TABLE]; COUNT]],
        sums: &mut [[u64; 4]],
    ) {
        for (queries, sum) in queries.iter().zip(sums) {
            let queries = queries.each_ref().map(|words| Vector::of(words).0.map(|half| vreinterpretq_u8_u64(half)));
            let mut found = Vector::of(sum);
            // A byte has room for the lanes of 31 tables.
            for tables in tables.chunks(31) {
                let mut bytes = [vdupq_n_u8(0); 2];
                for table in tables {
                    let mut lanes = [vdupq_n_u8(0); 2];
                    for (query, table) in queries.iter().zip(table) {
                        let table = vreinterpretq_u8_u64(load(table));
                        for (lanes, &query) in lanes.iter_mut().zip(query) {
                            *lanes = vorrq_u8(*lanes, vqtbl1q_u8(table, query));
                        }
                    }
                    for (bytes, lanes) in bytes.iter_mut().zip(lanes) {
                        *bytes = vaddq_u8(*bytes, vcntq_u8(lanes));
                    }
                }
                found = found.plus(Vector(bytes.map(|half| byte_sums(half))));
            }
            found.store(sum);
        }
    }
}
