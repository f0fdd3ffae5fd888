//! AVX2: 256 lanes.

use std::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm256_add_epi8, _mm256_add_epi64, _mm256_and_si256, _mm256_castsi256_pd,
    _mm256_cmpeq_epi64, _mm256_extract_epi64, _mm256_loadu_si256, _mm256_movemask_pd, _mm256_or_si256,
    _mm256_permutevar8x32_epi32, _mm256_sad_epu8, _mm256_set1_epi8, _mm256_set1_epi64x, _mm256_setr_epi8,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_srli_epi16,
    _mm256_storeu_si256, _mm256_xor_si256,
};

use super::shell::shell;
use super::vector::Vector;
use super::{KEY_BITS, Partners, Tables, Windows, kernel};

/// 256 lanes on a processor with AVX2.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

#[derive(Clone, Copy)]
struct Bits(__m256i);

#[derive(Clone, Copy)]
struct Counts {
    planes: [Bits; 3],
    eights: __m256i,
    rest: __m256i,
}

// SAFETY: every intrinsic is of AVX2 or older.
unsafe impl Vector for Bits {
    const WORDS: usize = 4;
    type Counts = Counts;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: the caller vouches for AVX2.
        Self(unsafe { _mm256_set1_epi64x(word.cast_signed()) })
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for AVX2 and for four words.
        Self(unsafe { _mm256_loadu_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller vouches for AVX2 and for four words.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller vouches for AVX2.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller vouches for AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller vouches for AVX2.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn shl<const BITS: usize>(self) -> Self {
        // SAFETY: the caller vouches for AVX2.
        Self(unsafe { _mm256_sll_epi64(self.0, _mm_cvtsi32_si128(BITS as i32)) })
    }

    #[inline(always)]
    unsafe fn shr<const BITS: usize>(self) -> Self {
        // SAFETY: the caller vouches for AVX2.
        Self(unsafe { _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(BITS as i32)) })
    }

    #[inline(always)]
    unsafe fn no_counts() -> Counts {
        // SAFETY: the caller vouches for AVX2.
        let zero = unsafe { _mm256_setzero_si256() };
        Counts { planes: [Self(zero); 3], eights: zero, rest: zero }
    }

    #[inline(always)]
    unsafe fn count8(counts: &mut Counts, vectors: [Self; 8]) {
        // SAFETY: the caller vouches for AVX2.
        unsafe {
            let (planes, eight) = Self::add8(counts.planes, vectors);
            counts.planes = planes;
            counts.eights = _mm256_add_epi64(counts.eights, eight.ones());
        }
    }

    #[inline(always)]
    unsafe fn count(counts: &mut Counts, vector: Self) {
        // SAFETY: the caller vouches for AVX2.
        counts.rest = unsafe { _mm256_add_epi64(counts.rest, vector.ones()) };
    }

    #[inline(always)]
    unsafe fn compress(
        patterns: *const u64,
        len: usize,
        readable: usize,
        avoid: u64,
        add: u64,
        out: *mut u64,
    ) -> usize {
        // SAFETY: nothing beyond `readable` is read; what is stored stays within four words of what was kept so far.
        unsafe {
            let [avoid, add, keys] = [avoid, add, KEY_BITS].map(|word| Self::splat(word).0);
            let mut kept = 0;
            let mut put = |pattern: __m256i, inside: u32| {
                let disjoint = _mm256_cmpeq_epi64(_mm256_and_si256(pattern, avoid), _mm256_setzero_si256());
                let keep = _mm256_movemask_pd(_mm256_castsi256_pd(disjoint)).cast_unsigned();
                let order = _mm256_loadu_si256(PACK[keep as usize].as_ptr().cast());
                let both = _mm256_or_si256(_mm256_and_si256(pattern, keys), add);
                let packed = _mm256_permutevar8x32_epi32(both, order);
                _mm256_storeu_si256(out.add(kept).cast(), packed);
                kept += (keep & inside).count_ones() as usize;
            };
            let mut index = 0;
            while index + 4 <= len {
                put(_mm256_loadu_si256(patterns.add(index).cast()), !0);
                index += 4;
            }
            if index < len {
                let pattern = if index + 4 <= readable {
                    _mm256_loadu_si256(patterns.add(index).cast())
                } else {
                    let mut last = [0u64; 4];
                    for (word, last) in last.iter_mut().enumerate().take(len - index) {
                        *last = *patterns.add(index + word);
                    }
                    _mm256_loadu_si256(last.as_ptr().cast())
                };
                put(pattern, (1 << (len - index)) - 1);
            }
            kept
        }
    }

    #[inline(always)]
    unsafe fn total(counts: Counts) -> u64 {
        // SAFETY: the caller vouches for AVX2.
        unsafe {
            let [one, two, four] = counts.planes.map(|plane| sum(plane.ones()));
            sum(counts.rest) + one + 2 * two + 4 * four + 8 * sum(counts.eights)
        }
    }
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

impl Bits {
    /// How many bits are set in each word, by looking up half bytes (Muła, Kurz and Lemire,
    /// [arXiv:1611.07612](https://arxiv.org/abs/1611.07612)).
    #[inline(always)]
    unsafe fn ones(self) -> __m256i {
        // SAFETY: the caller vouches for AVX2.
        unsafe {
            let counts = _mm256_setr_epi8(
                0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
            );
            let nibble = _mm256_set1_epi8(15);
            let low = _mm256_shuffle_epi8(counts, _mm256_and_si256(self.0, nibble));
            let high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16::<4>(self.0), nibble));
            _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256())
        }
    }
}

/// The sum of the four words.
#[inline(always)]
unsafe fn sum(words: __m256i) -> u64 {
    // SAFETY: the caller vouches for AVX2.
    unsafe {
        [
            _mm256_extract_epi64::<0>(words),
            _mm256_extract_epi64::<1>(words),
            _mm256_extract_epi64::<2>(words),
            _mm256_extract_epi64::<3>(words),
        ]
        .iter()
        .map(|word| word.cast_unsigned())
        .sum()
    }
}

shell!(
    Avx2,
    Bits,
    Self(()),
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt"),
    "avx2,bmi1,bmi2,popcnt"
);
