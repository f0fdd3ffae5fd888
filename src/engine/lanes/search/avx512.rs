//! AVX-512F: sixteen boards at a time, packed by compressing in a register and spread by an expanding load.

use std::arch::x86_64::*;

use super::kernel::{mask_of_bits, search};
use crate::engine::lanes::{Avx512Ice, Avx512f};

#[derive(Clone, Copy)]
struct Words(__m512i);

impl Words {
    const COUNT: usize = 16;

    compiled_for! { target_feature(enable = "avx512f"):
        // SAFETY: there are sixteen words.
        fn load(from: &[u32; 16]) -> Self { Self(unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }) }

        // SAFETY: there is room for sixteen words.
        fn store(self, to: &mut [u32; 16]) { unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self.0) } }
        fn and(self, other: Self) -> Self { Self(_mm512_and_si512(self.0, other.0)) }
        fn or(self, other: Self) -> Self { Self(_mm512_or_si512(self.0, other.0)) }
        fn not(self) -> Self { Self(_mm512_andnot_si512(self.0, _mm512_set1_epi32(-1))) }
        fn less_one(self) -> Self { Self(_mm512_add_epi32(self.0, _mm512_set1_epi32(-1))) }
        fn twice(self) -> Self { Self(_mm512_slli_epi32::<1>(self.0)) }
        fn half(self) -> Self { Self(_mm512_srli_epi32::<1>(self.0)) }
        fn zeros(self) -> Mask { Mask(_mm512_testn_epi32_mask(self.0, self.0)) }

        fn replaced(self, lanes: Mask, from: &[u32; 16]) -> Self {
            // SAFETY: there are sixteen words, and no more are read.
            Self(unsafe { _mm512_mask_expandloadu_epi32(self.0, lanes.0, from.as_ptr().cast()) })
        }

        fn or_where(self, lanes: Mask, other: Self) -> Self {
            Self(_mm512_mask_or_epi32(self.0, lanes.0, self.0, other.0))
        }

        /// Compresses in a register, because a compressing store takes many times as long on Zen 4.
        fn packed(self, lanes: Mask, to: &mut [u32; 16]) {
            Self(_mm512_maskz_compress_epi32(lanes.0, self.0)).store(to);
        }
    }
}

mask_of_bits!(target_feature(enable = "avx512f,popcnt"), __mmask16);

// Later AVX-512 extensions would not help here.
search!(target_feature(enable = "avx512f,bmi1,bmi2,popcnt"), Avx512f, Avx512Ice);
