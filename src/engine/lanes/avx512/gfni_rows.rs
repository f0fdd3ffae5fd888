//! Rows of keys from lanes with AVX-512 and GFNI, which transposes eight bits of eight lanes in one instruction.
//!
//! As in [`super::rows`] equal bytes are brought together; then the bits of each byte, and then, by the same
//! shuffles, the bytes that hold bits of the same key.

use std::arch::x86_64::*;

use super::rows::{eight_planes, four_planes, shifted};
use super::vector::Vector;

compiled_for! { target_feature(enable = "avx512f,avx512bw,bmi1,gfni"):
    /// See [`super::rows::key_rows`].
    pub(in crate::engine::lanes) fn key_rows(block: &[u64], keys: u64, rows: &mut [[u64; 8]; 64]) {
        let first = keys.trailing_zeros();
        let mut left = keys >> first;
        let bytes = (64 - left.leading_zeros()).div_ceil(8) as usize;
        // For each 64 lanes the planes of all bytes.
        let planes: [[__m512i; 8]; 8] = std::array::from_fn(|word| {
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
                // The row of a key that does not matter makes room for the next.
                Vector(from).store(&mut rows[row % 64]);
                row += left as usize & 1;
                left >>= 1;
            }
        }
    }

    /// The planes of the first bytes, as many as there are, of 64 lanes.
    fn planes(lanes: &[u64; 64], first: u32, bytes: usize) -> [__m512i; 8] {
        let lanes = shifted(lanes, first);
        if bytes > 4 {
            return eight_planes(&lanes);
        }
        let [a, b, c, d] = four_planes(&lanes);
        [a, b, c, d, a, a, a, a]
    }

    /// Eight times eight bits transposed in each word, rows reversed: bit i of byte j becomes bit 7 - j of byte i.
    fn transposed(bytes: __m512i) -> __m512i {
        // A product of matrices whose left one has a single bit in each byte.
        let unit = _mm512_set1_epi64(0x8040_2010_0804_0201_u64.cast_signed());
        _mm512_gf2p8affine_epi64_epi8::<0>(unit, bytes)
    }
}
