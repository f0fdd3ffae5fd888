//! AVX2: eight boards at a time, packed and spread by permutations, tabulated for all 256 masks.

use std::arch::x86_64::*;

use super::Packing;
use super::kernel::search;
use crate::engine::lanes::Avx2;

/// One byte per lane, widened on use: words would take 16 of the 32 kilobytes of the L1 cache.
static PACKING: Packing<256, 8> = Packing::new();

/// As a mask, all bits of each selected word are set.
#[derive(Clone, Copy)]
struct Words(__m256i);

impl Words {
    const COUNT: usize = 8;

    compiled_for! { target_feature(enable = "avx2,popcnt"):
        // SAFETY: there are eight words.
        fn load(from: &[u32; 8]) -> Self { Self(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }) }

        // SAFETY: there is room for eight words.
        fn store(self, to: &mut [u32; 8]) { unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) } }
        fn and(self, other: Self) -> Self { Self(_mm256_and_si256(self.0, other.0)) }
        fn or(self, other: Self) -> Self { Self(_mm256_or_si256(self.0, other.0)) }
        fn not(self) -> Self { Self(_mm256_xor_si256(self.0, _mm256_set1_epi32(-1))) }
        fn less_one(self) -> Self { Self(_mm256_add_epi32(self.0, _mm256_set1_epi32(-1))) }
        fn twice(self) -> Self { Self(_mm256_add_epi32(self.0, self.0)) }
        fn half(self) -> Self { Self(_mm256_srli_epi32::<1>(self.0)) }
        fn zeros(self) -> Self { Self(_mm256_cmpeq_epi32(self.0, _mm256_setzero_si256())) }

        fn permuted(self, lanes: [u8; 8]) -> Self {
            let lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(lanes)));
            Self(_mm256_permutevar8x32_epi32(self.0, lanes))
        }

        fn replaced(self, lanes: Self, from: &[u32; 8]) -> Self {
            let spread = Self::load(from).permuted(PACKING.spread[lanes.bits()]);
            Self(_mm256_blendv_epi8(self.0, spread.0, lanes.0))
        }

        fn or_where(self, lanes: Self, other: Self) -> Self { self.or(other.and(lanes)) }

        fn packed(self, lanes: Self, to: &mut [u32; 8]) { self.permuted(PACKING.packed[lanes.bits()]).store(to); }

        fn bits(self) -> usize { _mm256_movemask_ps(_mm256_castsi256_ps(self.0)) as usize }
        fn count(self) -> usize { self.bits().count_ones() as usize }
    }
}

search!(target_feature(enable = "avx2,bmi1,bmi2,popcnt"), Avx2);
