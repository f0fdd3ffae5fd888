//! AVX2: 256 lanes.

use std::arch::x86_64::*;

use super::avx2 as narrow;
use super::cost::{AVX2, Cost};
use super::kernels::{kernels, retaining};
use super::matching::{matching, transposing};

/// 256 lanes on a processor with AVX2.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

const COST: Cost = AVX2;

#[derive(Clone, Copy)]
pub(super) struct Vector(__m256i);

impl Vector {
    pub(super) const WORDS: usize = 4;

    compiled_for! { target_feature(enable = "avx2"):
        pub(super) fn splat(word: u64) -> Self { Self(_mm256_set1_epi64x(word.cast_signed())) }

        // SAFETY: there are four words.
        pub(super) fn of(words: &[u64; 4]) -> Self { unsafe { Self::load(words.as_ptr()) } }

        /// # Safety
        /// Four words can be read there.
        // SAFETY: the caller vouches for four words.
        pub(super) unsafe fn load(from: *const u64) -> Self { Self(unsafe { _mm256_loadu_si256(from.cast()) }) }

        // SAFETY: there is room for four words.
        pub(super) fn store(self, to: &mut [u64; 4]) { unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) } }
        pub(super) fn or(self, other: Self) -> Self { Self(_mm256_or_si256(self.0, other.0)) }
        pub(super) fn or3(self, second: Self, third: Self) -> Self { self.or(second).or(third) }

        /// Exchanges the bits of `self` outside `mask` with those of `other` inside it, which are `BITS` lower. `mask`
        /// holds the lower `BITS` of every 2 × `BITS`.
        fn exchange<const BITS: usize>(self, other: Self, mask: Self) -> (Self, Self) {
            let bits = _mm_cvtsi32_si128(BITS as i32);
            let swap = _mm256_and_si256(_mm256_xor_si256(_mm256_srl_epi64(self.0, bits), other.0), mask.0);
            let low = _mm256_xor_si256(self.0, _mm256_sll_epi64(swap, bits));
            (Self(low), Self(_mm256_xor_si256(other.0, swap)))
        }

        /// Carry-save adder: three bits of one weight in each lane become one of that weight and one of twice that.
        pub(super) fn add3(self, second: Self, third: Self) -> (Self, Self) {
            let half = _mm256_xor_si256(self.0, second.0);
            let carry = _mm256_or_si256(_mm256_and_si256(self.0, second.0), _mm256_and_si256(half, third.0));
            (Self(_mm256_xor_si256(half, third.0)), Self(carry))
        }

        pub(super) fn plus(self, other: Self) -> Self { Self(_mm256_add_epi64(self.0, other.0)) }

        pub(super) fn sum(self) -> u64 {
            let (low, high) = (_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0));
            let both = _mm_add_epi64(low, high);
            (_mm_cvtsi128_si64(both) + _mm_extract_epi64::<1>(both)).cast_unsigned()
        }
    }
}

/// Queries are gathered before the look-ups, by vector code.
const GATHERED: bool = true;

compiled_for! { target_feature(enable = "avx2,popcnt"):
    /// How many bits are set in each word, by looking up half bytes (Muła, Kurz and Lemire,
    /// [arXiv:1611.07612](https://arxiv.org/abs/1611.07612)).
    pub(super) fn ones(vector: Vector) -> Vector {
        let counts = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let nibble = _mm256_set1_epi8(15);
        let low = _mm256_shuffle_epi8(counts, _mm256_and_si256(vector.0, nibble));
        let high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16::<4>(vector.0), nibble));
        Vector(_mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256()))
    }

    /// Which of four patterns share no bit with `avoid`, one bit each.
    fn disjoint_mask(pattern: __m256i, avoid: __m256i) -> u32 {
        let disjoint = _mm256_cmpeq_epi64(_mm256_and_si256(pattern, avoid), _mm256_setzero_si256());
        _mm256_movemask_pd(_mm256_castsi256_pd(disjoint)).cast_unsigned()
    }

    /// Nothing is left to do.
    fn gather<const AT: u32>(query: u64, _: u64) -> u64 { query }

    /// How many patterns share no bit with `avoid`.
    fn count_disjoint(patterns: &[u64], avoid: u64) -> u64 {
        let (fours, rest) = patterns.as_chunks::<4>();
        let avoided = Vector::splat(avoid).0;
        let whole: u32 = fours.iter().map(|four| disjoint_mask(Vector::of(four).0, avoided).count_ones()).sum();
        u64::from(whole) + rest.iter().map(|pattern| u64::from(pattern & avoid == 0)).sum::<u64>()
    }
}

/// Writes the keys of each of `len` patterns that shares no bit with `avoid`, and `add`, and returns how many.
///
/// # Safety
/// `readable` ≥ `len` words can be read; `out` has room for `len` words and four more.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
unsafe fn compress(patterns: *const u64, len: usize, readable: usize, avoid: u64, add: u64, out: *mut u64) -> usize {
    let [avoid, add, keys] = [avoid, add, KEY_BITS].map(|word| Vector::splat(word).0);
    let mut kept = 0;
    let mut put = |pattern: __m256i, inside: u32| {
        let keep = disjoint_mask(pattern, avoid);
        // SAFETY: an order has eight words; what is stored stays within four words of what was kept so far.
        unsafe {
            let order = _mm256_loadu_si256(PACK[keep as usize].as_ptr().cast());
            let both = _mm256_or_si256(_mm256_and_si256(pattern, keys), add);
            _mm256_storeu_si256(out.add(kept).cast(), _mm256_permutevar8x32_epi32(both, order));
        }
        kept += (keep & inside).count_ones() as usize;
    };
    let mut index = 0;
    while index + 4 <= len {
        // SAFETY: these four are readable.
        put(unsafe { Vector::load(patterns.add(index)).0 }, !0);
        index += 4;
    }
    if index < len {
        let pattern = if index + 4 <= readable {
            // SAFETY: as it says.
            unsafe { Vector::load(patterns.add(index)) }
        } else {
            let mut last = [0; 4];
            for (word, last) in last.iter_mut().enumerate().take(len - index) {
                // SAFETY: it is below `len`.
                *last = unsafe { *patterns.add(index + word) };
            }
            Vector::of(&last)
        };
        put(pattern.0, (1 << (len - index)) - 1);
    }
    kept
}

/// For each set of four words the order of half words that brings its members to the front.
const PACK: [[u32; 8]; 16] = {
    let mut table = [[0; 8]; 16];
    let mut set = 0;
    while set < 16 {
        let (mut word, mut to) = (0, 0);
        while word < 4 {
            if set >> word & 1 == 1 {
                table[set][to] = 2 * word;
                table[set][to + 1] = 2 * word + 1;
                to += 2;
            }
            word += 1;
        }
        set += 1;
    }
    table
};

transposing!(target_feature(enable = "avx2,bmi1"));
retaining!(target_feature(enable = "avx2,bmi1,bmi2,popcnt"));
matching!(target_feature(enable = "avx2,bmi1,bmi2,popcnt"), std::hint::black_box);
kernels!(Avx2, "avx2", target_feature(enable = "avx2,bmi1,bmi2,popcnt"), detected!("avx2", "bmi1", "bmi2", "popcnt"));
