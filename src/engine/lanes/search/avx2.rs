//! AVX2: eight boards at a time, packed and spread by a permutation that a table has for each of the 256 masks.

use std::arch::x86_64::{
    __m256i, _mm_cvtsi64_si128, _mm256_add_epi32, _mm256_and_si256, _mm256_andnot_si256, _mm256_blendv_epi8,
    _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_cvtepu8_epi32, _mm256_loadu_si256, _mm256_movemask_ps,
    _mm256_or_si256, _mm256_permutevar8x32_epi32, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_srli_epi32,
    _mm256_storeu_si256, _mm256_xor_si256,
};

use super::kernel::search;
use super::packing::Packing;
use crate::engine::lanes::Avx2;

/// A byte for each lane, widened when it is used: words would take 16 of the 32 kilobytes of the first-level cache.
static PACKING: Packing<256, 8> = Packing::new();

#[derive(Clone, Copy)]
struct Words(__m256i);

/// All bits of each word of the mask.
#[derive(Clone, Copy)]
struct Mask(__m256i);

impl Words {
    const COUNT: usize = 8;

    #[target_feature(enable = "avx2")]
    #[inline]
    fn load(from: &[u32; 8]) -> Self {
        // SAFETY: there are eight words.
        Self(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn store(self, to: &mut [u32; 8]) {
        // SAFETY: there is room for eight words.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn and(self, other: Self) -> Self {
        Self(_mm256_and_si256(self.0, other.0))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn or(self, other: Self) -> Self {
        Self(_mm256_or_si256(self.0, other.0))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn not(self) -> Self {
        Self(_mm256_xor_si256(self.0, _mm256_set1_epi32(-1)))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn without(self, other: Self) -> Self {
        Self(_mm256_andnot_si256(other.0, self.0))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn less_one(self) -> Self {
        Self(_mm256_add_epi32(self.0, _mm256_set1_epi32(-1)))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn twice(self) -> Self {
        Self(_mm256_add_epi32(self.0, self.0))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn half(self) -> Self {
        Self(_mm256_srli_epi32::<1>(self.0))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn zeros(self) -> Mask {
        Mask(_mm256_cmpeq_epi32(self.0, _mm256_setzero_si256()))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn permuted(self, lanes: [u8; 8]) -> Self {
        let lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(lanes)));
        Self(_mm256_permutevar8x32_epi32(self.0, lanes))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn replaced(self, lanes: Mask, from: &[u32; 8]) -> Self {
        let spread = Self::load(from).permuted(PACKING.spread[usize::from(lanes.bits())]);
        Self(_mm256_blendv_epi8(self.0, spread.0, lanes.0))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn or_where(self, lanes: Mask, other: Self) -> Self {
        Self(_mm256_or_si256(self.0, _mm256_and_si256(lanes.0, other.0)))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn packed(self, lanes: Mask, to: &mut [u32; 8]) {
        self.permuted(PACKING.packed[usize::from(lanes.bits())]).store(to);
    }
}

impl Mask {
    /// A bit for each lane.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn bits(self) -> u8 {
        _mm256_movemask_ps(_mm256_castsi256_ps(self.0)) as u8
    }

    #[target_feature(enable = "avx2,popcnt")]
    #[inline]
    fn count(self) -> usize {
        self.bits().count_ones() as usize
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn and(self, other: Self) -> Self {
        Self(_mm256_and_si256(self.0, other.0))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn or(self, other: Self) -> Self {
        Self(_mm256_or_si256(self.0, other.0))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn not(self) -> Self {
        Self(_mm256_xor_si256(self.0, _mm256_set1_epi32(-1)))
    }
}

search!(target_feature(enable = "avx2,bmi1,bmi2,popcnt"), Avx2);
