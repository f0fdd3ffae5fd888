//! AVX-512: 512 lanes, three-way logic in one instruction, lists compressed in registers, and where the processor has
//! VPOPCNTDQ, bits counted in place.

use std::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_si512, _mm512_maskz_compress_epi64,
    _mm512_maskz_loadu_epi64, _mm512_or_si512, _mm512_popcnt_epi64, _mm512_reduce_add_epi64, _mm512_set1_epi64,
    _mm512_setzero_si512, _mm512_sll_epi64, _mm512_srl_epi64, _mm512_storeu_si512, _mm512_ternarylogic_epi64,
    _mm512_testn_epi64_mask, _mm512_xor_si512,
};

use super::shell::shell;
use super::vector::Vector;
use super::{KEY_BITS, Partners, Tables, Windows, kernel};

/// 512 lanes on a processor with AVX-512F; `POPCNT` says whether it also has VPOPCNTDQ.
#[derive(Clone, Copy, Debug)]
pub struct Avx512<const POPCNT: bool>(());

#[derive(Clone, Copy)]
struct Bits<const POPCNT: bool>(__m512i);

#[derive(Clone, Copy)]
struct Counts<const POPCNT: bool> {
    /// Carry-save planes of weight 1, 2 and 4; zero with VPOPCNTDQ.
    planes: [Bits<POPCNT>; 3],
    /// Bits counted, in each word.
    counted: __m512i,
    /// Bits counted in units of eight, without VPOPCNTDQ.
    eights: u64,
}

// SAFETY: every intrinsic is of AVX-512F, or of VPOPCNTDQ where `POPCNT` says so.
unsafe impl<const POPCNT: bool> Vector for Bits<POPCNT> {
    const WORDS: usize = 8;
    type Counts = Counts<POPCNT>;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        Self(unsafe { _mm512_set1_epi64(word.cast_signed()) })
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for AVX-512F and for eight words.
        Self(unsafe { _mm512_loadu_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller vouches for AVX-512F and for eight words.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        Self(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn shl<const BITS: usize>(self) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        Self(unsafe { _mm512_sll_epi64(self.0, _mm_cvtsi32_si128(BITS as i32)) })
    }

    #[inline(always)]
    unsafe fn shr<const BITS: usize>(self) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        Self(unsafe { _mm512_srl_epi64(self.0, _mm_cvtsi32_si128(BITS as i32)) })
    }

    #[inline(always)]
    unsafe fn or3(self, second: Self, third: Self) -> Self {
        // SAFETY: the caller vouches for AVX-512F.
        Self(unsafe { _mm512_ternarylogic_epi64::<0b1111_1110>(self.0, second.0, third.0) })
    }

    #[inline(always)]
    unsafe fn exchange<const BITS: usize>(self, other: Self, mask: Self) -> (Self, Self) {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe {
            // In the mask the second operand, outside it the third.
            let low = _mm512_ternarylogic_epi64::<0b1100_1010>(mask.0, self.0, other.shl::<BITS>().0);
            let high = _mm512_ternarylogic_epi64::<0b1100_1010>(mask.0, self.shr::<BITS>().0, other.0);
            (Self(low), Self(high))
        }
    }

    #[inline(always)]
    unsafe fn add3(self, second: Self, third: Self) -> (Self, Self) {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe {
            let sum = _mm512_ternarylogic_epi64::<0b1001_0110>(self.0, second.0, third.0);
            let carry = _mm512_ternarylogic_epi64::<0b1110_1000>(self.0, second.0, third.0);
            (Self(sum), Self(carry))
        }
    }

    #[inline(always)]
    unsafe fn no_counts() -> Counts<POPCNT> {
        // SAFETY: the caller vouches for AVX-512F.
        let zero = unsafe { _mm512_setzero_si512() };
        Counts { planes: [Self(zero); 3], counted: zero, eights: 0 }
    }

    #[inline(always)]
    unsafe fn count8(counts: &mut Counts<POPCNT>, vectors: [Self; 8]) {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe {
            if POPCNT {
                // One count and one addition a vector are as many instructions as the carry-save adders.
                for vector in vectors {
                    Self::count(counts, vector);
                }
            } else {
                let (planes, eight) = Self::add8(counts.planes, vectors);
                counts.planes = planes;
                counts.eights += eight.ones();
            }
        }
    }

    #[inline(always)]
    unsafe fn count(counts: &mut Counts<POPCNT>, vector: Self) {
        // SAFETY: the caller vouches for AVX-512F, and for VPOPCNTDQ where `POPCNT` says so.
        unsafe {
            let ones = if POPCNT {
                _mm512_popcnt_epi64(vector.0)
            } else {
                _mm512_maskz_loadu_epi64(1, [vector.ones().cast_signed()].as_ptr())
            };
            counts.counted = _mm512_add_epi64(counts.counted, ones);
        }
    }

    #[inline(always)]
    unsafe fn total(counts: Counts<POPCNT>) -> u64 {
        // SAFETY: the caller vouches for AVX-512F.
        unsafe {
            let counted = _mm512_reduce_add_epi64(counts.counted).cast_unsigned();
            let [one, two, four] = counts.planes.map(|plane| if POPCNT { 0 } else { plane.ones() });
            counted + one + 2 * two + 4 * four + 8 * counts.eights
        }
    }

    #[inline(always)]
    unsafe fn count_disjoint(patterns: *const u64, len: usize, avoid: u64) -> u64 {
        // SAFETY: nothing beyond `len` is read.
        unsafe {
            let avoid = Self::splat(avoid).0;
            let mut disjoint = 0;
            let mut index = 0;
            while index + 8 <= len {
                let pattern = _mm512_loadu_si512(patterns.add(index).cast());
                disjoint += _mm512_testn_epi64_mask(pattern, avoid).count_ones();
                index += 8;
            }
            if index < len {
                let inside = (1 << (len - index)) - 1;
                let pattern = _mm512_maskz_loadu_epi64(inside, patterns.add(index).cast());
                disjoint += (_mm512_testn_epi64_mask(pattern, avoid) & inside).count_ones();
            }
            disjoint.into()
        }
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
        // SAFETY: nothing beyond `readable` is read; what is stored stays within eight words of what was kept so far.
        unsafe {
            let [avoid, add, keys] = [avoid, add, KEY_BITS].map(|word| Self::splat(word).0);
            let mut kept = 0;
            // Compressed in a register and stored whole: a compressing store takes twice as long on Zen 5. Patterns
            // beyond `len` are packed behind the others, where the next store or nobody finds them: leaving them out
            // only from the count spares a mask operation.
            let mut put = |pattern: __m512i, inside: u32| {
                let keep = _mm512_testn_epi64_mask(pattern, avoid);
                let packed =
                    _mm512_maskz_compress_epi64(keep, _mm512_ternarylogic_epi64::<0b1111_1000>(add, pattern, keys));
                _mm512_storeu_si512(out.add(kept).cast(), packed);
                kept += (u32::from(keep) & inside).count_ones() as usize;
            };
            let mut index = 0;
            while index + 8 <= len {
                put(_mm512_loadu_si512(patterns.add(index).cast()), !0);
                index += 8;
            }
            if index < len {
                let inside = (1 << (len - index)) - 1;
                // Masked loads only at the very end: in a loop they take ten times as long on Zen 5.
                let pattern = if index + 8 <= readable {
                    _mm512_loadu_si512(patterns.add(index).cast())
                } else {
                    _mm512_maskz_loadu_epi64(inside as u8, patterns.add(index).cast())
                };
                put(pattern, inside);
            }
            kept
        }
    }
}

impl<const POPCNT: bool> Bits<POPCNT> {
    /// How many bits are set, word by word.
    #[inline(always)]
    unsafe fn ones(self) -> u64 {
        let mut words = [0u64; 8];
        // SAFETY: the caller vouches for AVX-512F; there is room for eight words.
        unsafe { self.store(words.as_mut_ptr()) };
        words.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

shell!(
    Avx512<true>,
    Bits<true>,
    Self(()),
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vpopcntdq")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt"),
    "avx512f,avx512vpopcntdq,bmi1,bmi2,popcnt"
);
shell!(
    Avx512<false>,
    Bits<false>,
    Self(()),
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt"),
    "avx512f,bmi1,bmi2,popcnt"
);
