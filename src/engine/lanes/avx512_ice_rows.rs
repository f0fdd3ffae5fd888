//! Rows of keys from lanes with AVX-512 and GFNI, which transposes eight bits of eight lanes in one instruction.
//!
//! As in [`super::avx512_rows`] equal bytes are brought together; then the bits of each byte, and then, by the same
//! shuffles, the bytes that hold bits of the same key.

use std::arch::x86_64::{__m512i, _mm512_gf2p8affine_epi64_epi8, _mm512_set1_epi64, _mm512_setzero_si512};

use super::avx512::Vector;
use super::avx512_rows::{eight_planes, four_planes, shifted};

/// See [`super::avx512_rows::key_rows`].
#[target_feature(enable = "avx512f,avx512bw,bmi1,gfni")]
#[inline]
pub(super) fn key_rows(block: &[u64], keys: u64, rows: &mut [[u64; 8]; 64]) {
    let first = keys.trailing_zeros();
    let mut left = keys >> first;
    let bytes = (64 - left.leading_zeros()).div_ceil(8) as usize;
    // For each byte the planes of all lanes, 64 to a vector.
    let mut planes = [[_mm512_setzero_si512(); 8]; 8];
    let (whole, rest) = block.as_chunks::<64>();
    let mut put = |word: usize, lanes: &[u64; 64]| {
        let lanes = shifted(lanes, first);
        if bytes <= 4 {
            for (plane, from) in planes.iter_mut().zip(four_planes(&lanes)) {
                plane[word] = from;
            }
        } else {
            for (plane, from) in planes[..bytes].iter_mut().zip(eight_planes(&lanes)) {
                plane[word] = from;
            }
        }
    };
    for (word, lanes) in whole.iter().enumerate() {
        put(word, lanes);
    }
    if !rest.is_empty() {
        let mut lanes = [0; 64];
        lanes[..rest.len()].copy_from_slice(rest);
        put(whole.len(), &lanes);
    }
    let mut row = 0;
    for plane in &planes[..bytes] {
        for from in eight_planes(&plane.map(|bytes| transposed(bytes))) {
            // The row of a key that does not matter makes room for the next.
            Vector(from).store(&mut rows[row % 64]);
            row += left as usize & 1;
            left >>= 1;
        }
    }
}

/// Eight times eight bits transposed in each word, rows reversed: bit i of byte j becomes bit 7 - j of byte i.
#[target_feature(enable = "avx512f,gfni")]
#[inline]
fn transposed(bytes: __m512i) -> __m512i {
    // A product of matrices whose left one has a single bit in each byte.
    let unit = _mm512_set1_epi64(0x8040_2010_0804_0201_u64.cast_signed());
    _mm512_gf2p8affine_epi64_epi8::<0>(unit, bytes)
}
