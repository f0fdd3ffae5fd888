//! NEON, which every 64-bit Arm processor has: 256 lanes in two registers of 128.

use std::arch::aarch64::{
    uint64x2_t, vaddq_u64, vbslq_u64, vcntq_u8, vdupq_n_s64, vdupq_n_u64, veorq_u64, vgetq_lane_u64, vld1q_u64,
    vorrq_u64, vpaddlq_u8, vpaddlq_u16, vpaddlq_u32, vreinterpretq_u8_u64, vshlq_u64, vst1q_u64,
};

use super::keeping::keeping;
use super::kernels::kernels;
use super::matching::matching;
use super::neon as narrow;
use super::transposing::transposing;

/// 256 lanes on a 64-bit Arm processor.
#[derive(Clone, Copy, Debug)]
pub struct Neon(());

/// Two registers: half as many look-ups for as many lanes as with AVX2, and the tables fit the first-level cache.
#[derive(Clone, Copy)]
struct Vector([uint64x2_t; 2]);

impl Vector {
    const WORDS: usize = 4;

    #[target_feature(enable = "neon")]
    #[inline]
    fn splat(word: u64) -> Self {
        Self([vdupq_n_u64(word); 2])
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn of(words: &[u64; 4]) -> Self {
        // SAFETY: there are four words.
        unsafe { Self::load(words.as_ptr()) }
    }

    /// # Safety
    /// Four words can be read there.
    #[target_feature(enable = "neon")]
    #[inline]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for four words.
        Self(unsafe { [vld1q_u64(from), vld1q_u64(from.add(2))] })
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn store(self, to: &mut [u64; 4]) {
        let to = to.as_mut_ptr();
        // SAFETY: there is room for four words.
        unsafe {
            vst1q_u64(to, self.0[0]);
            vst1q_u64(to.add(2), self.0[1]);
        }
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn or(self, other: Self) -> Self {
        Self([vorrq_u64(self.0[0], other.0[0]), vorrq_u64(self.0[1], other.0[1])])
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn or3(self, second: Self, third: Self) -> Self {
        self.or(second).or(third)
    }

    /// Exchanges the bits of `self` outside `mask` with those of `other` inside it, which stand `BITS` lower. `mask`
    /// holds the lower `BITS` of every 2 × `BITS`.
    #[target_feature(enable = "neon")]
    #[inline]
    fn exchange<const BITS: usize>(self, other: Self, mask: Self) -> (Self, Self) {
        let (left, right) = (vdupq_n_s64(BITS as i64), vdupq_n_s64(-(BITS as i64)));
        // In the mask the first choice, outside it the second; a negative count shifts right.
        let low = |i: usize| vbslq_u64(mask.0[i], self.0[i], vshlq_u64(other.0[i], left));
        let high = |i: usize| vbslq_u64(mask.0[i], vshlq_u64(self.0[i], right), other.0[i]);
        (Self([low(0), low(1)]), Self([high(0), high(1)]))
    }

    /// Carry-save adder: three bits of one weight in each lane become one of that weight and one of twice that.
    #[target_feature(enable = "neon")]
    #[inline]
    fn add3(self, second: Self, third: Self) -> (Self, Self) {
        let half = |i: usize| veorq_u64(self.0[i], second.0[i]);
        let sum = |i: usize| veorq_u64(half(i), third.0[i]);
        // Where the first two differ the third decides, else either of them.
        let carry = |i: usize| vbslq_u64(half(i), third.0[i], self.0[i]);
        (Self([sum(0), sum(1)]), Self([carry(0), carry(1)]))
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn plus(self, other: Self) -> Self {
        Self([vaddq_u64(self.0[0], other.0[0]), vaddq_u64(self.0[1], other.0[1])])
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn sum(self) -> u64 {
        let both = vaddq_u64(self.0[0], self.0[1]);
        vgetq_lane_u64::<0>(both) + vgetq_lane_u64::<1>(both)
    }
}

/// How many bits are set in each word.
#[target_feature(enable = "neon")]
#[inline]
fn ones(vector: Vector) -> Vector {
    let word = |i: usize| vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u64(vector.0[i])))));
    Vector([word(0), word(1)])
}

/// About the cycles to fill the tables of a block, and for each query.
pub(super) const CYCLES: (usize, usize) = (1000, 4);

/// Queries are gathered before the look-ups, by vector code.
const GATHERED: bool = true;

/// Nothing is left to do.
#[target_feature(enable = "neon")]
#[inline]
fn gather<const AT: u32>(query: u64, _: u64) -> u64 {
    query
}

/// How many patterns share no bit with `avoid`.
#[target_feature(enable = "neon")]
#[inline]
fn count_disjoint(patterns: &[u64], avoid: u64) -> u64 {
    patterns.iter().map(|pattern| u64::from(pattern & avoid == 0)).sum()
}

/// Writes the keys of each of `len` patterns that shares no bit with `avoid`, and `add`, and returns how many. Word by
/// word: with two words to a register there is nothing to pack.
///
/// # Safety
/// `len` words can be read; `out` has room for one more than `len`.
#[target_feature(enable = "neon")]
#[inline]
unsafe fn compress(patterns: *const u64, len: usize, _: usize, avoid: u64, add: u64, out: *mut u64) -> usize {
    let mut kept = 0;
    for index in 0..len {
        // SAFETY: `index` < `len`, and at most `index` words were written before.
        unsafe {
            let pattern = *patterns.add(index);
            *out.add(kept) = pattern & KEY_BITS | add;
            kept += usize::from(pattern & avoid == 0);
        }
    }
    kept
}

transposing!(target_feature(enable = "neon"));
keeping!(target_feature(enable = "neon"));
matching!(target_feature(enable = "neon"));
kernels!(Neon, "neon", target_feature(enable = "neon"), std::arch::is_aarch64_feature_detected!("neon"));
