//! Rows of keys from lanes with GFNI, a word of 64 lanes at a time.
//!
//! Corresponding bytes of 64 lanes are collected, a *plane*; then one instruction transposes eight bits of eight lanes.
//! Exchanging ever smaller blocks of bits ([`transposing`](crate::engine::lanes::matching)) processes every bit from
//! the first key to the last, half of them active, and its rows exceed the registers: N = 17 and 19 took 6 % longer.

use std::arch::x86_64::*;
use std::array::from_fn;

use super::Vector;

compiled_for! { target_feature(enable = "avx512f,avx512bw,bmi1"):
    /// The planes of the first `bytes` bytes of 64 lanes from bit `first` on.
    fn planes(lanes: &[u64; 64], first: u32, bytes: usize) -> [__m512i; 8] {
        let eights = lanes.as_chunks().0;
        let shift = _mm_cvtsi32_si128(first as i32);
        let lanes = from_fn(|i| _mm512_srl_epi64(Vector::of(&eights[i]).0, shift));
        if bytes > 4 {
            return eight_planes(&lanes);
        }
        let (low, high) = in_twos(&lanes);
        let [a, b, c, d] = four_planes_of(from_fn(|i| _mm512_unpacklo_epi16(low[i], high[i])));
        [a, b, c, d, a, a, a, a]
    }

    /// A plane for each of the eight bytes of the lanes.
    fn eight_planes(lanes: &[__m512i; 8]) -> [__m512i; 8] {
        let (low, high) = in_twos(lanes);
        let fours: [__m512i; 4] = from_fn(|i| _mm512_unpackhi_epi16(low[i], high[i]));
        let [a, b, c, d] = four_planes_of(from_fn(|i| _mm512_unpacklo_epi16(low[i], high[i])));
        let [e, f, g, h] = four_planes_of(fours);
        [a, b, c, d, e, f, g, h]
    }

    /// Interleaves corresponding bytes of two lanes.
    fn in_twos(lanes: &[__m512i; 8]) -> ([__m512i; 4], [__m512i; 4]) {
        let low = from_fn(|i| _mm512_unpacklo_epi8(lanes[2 * i], lanes[2 * i + 1]));
        (low, from_fn(|i| _mm512_unpackhi_epi8(lanes[2 * i], lanes[2 * i + 1])))
    }

    /// Four planes from vectors in which corresponding bytes of four lanes are adjacent.
    fn four_planes_of(v: [__m512i; 4]) -> [__m512i; 4] {
        let low = [_mm512_unpacklo_epi32(v[0], v[1]), _mm512_unpacklo_epi32(v[2], v[3])];
        let high = [_mm512_unpackhi_epi32(v[0], v[1]), _mm512_unpackhi_epi32(v[2], v[3])];
        [
            _mm512_unpacklo_epi64(low[0], low[1]),
            _mm512_unpackhi_epi64(low[0], low[1]),
            _mm512_unpacklo_epi64(high[0], high[1]),
            _mm512_unpackhi_epi64(high[0], high[1]),
        ]
    }
}

compiled_for! { target_feature(enable = "avx512f,avx512bw,bmi1,gfni"):
    /// Row k gets the k-th of the `keys` of each lane, one bit per lane, in the same order for all rows. The bits of
    /// each byte are transposed, then the bytes with bits of the same key are collected by the shuffles above. Lanes
    /// beyond the block hold no key; later rows are undefined.
    pub(in crate::engine::lanes) fn key_rows(block: &[u64], keys: u64, rows: &mut [[u64; 8]; 64]) {
        let first = keys.trailing_zeros();
        let mut left = keys >> first;
        let bytes = (64 - left.leading_zeros()).div_ceil(8) as usize;
        // The planes of all bytes, for each 64 lanes.
        let planes: [[__m512i; 8]; 8] = from_fn(|word| {
            let lanes = block.get(64 * word..).unwrap_or_default();
            match lanes.first_chunk() {
                Some(lanes) => planes(lanes, first, bytes),
                None if lanes.is_empty() => [_mm512_setzero_si512(); 8],
                None => {
                    let mut padded = [0; 64];
                    padded[..lanes.len()].copy_from_slice(lanes);
                    planes(&padded, first, bytes)
                }
            }
        });
        let mut row = 0;
        for byte in 0..bytes {
            let mut plane = [_mm512_setzero_si512(); 8];
            for (to, from) in plane.iter_mut().zip(&planes) {
                *to = transposed(from[byte]);
            }
            for from in eight_planes(&plane) {
                // The next row overwrites the row of a key that is not active.
                Vector(from).store(&mut rows[row % 64]);
                row += left as usize & 1;
                left >>= 1;
            }
        }
    }

    /// Transposes eight times eight bits in each word, with rows reversed: bit i of byte j becomes bit 7 - j of byte i.
    pub(super) fn transposed(bytes: __m512i) -> __m512i {
        // A product of matrices, the left of which has a single bit in each byte.
        let unit = _mm512_set1_epi64(0x8040_2010_0804_0201_u64.cast_signed());
        _mm512_gf2p8affine_epi64_epi8::<0>(unit, bytes)
    }
}
