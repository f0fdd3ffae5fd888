//! The vector of AVX-512, and lists of words, made and filtered with it.

use std::arch::x86_64::*;

use crate::engine::lanes::KEY_BITS;

#[derive(Clone, Copy)]
pub(super) struct Vector(pub(super) __m512i);

impl Vector {
    pub(super) const WORDS: usize = 8;

    compiled_for! { target_feature(enable = "avx512f"):
        pub(super) fn splat(word: u64) -> Self { Self(_mm512_set1_epi64(word.cast_signed())) }

        // SAFETY: there are eight words.
        pub(super) fn of(words: &[u64; 8]) -> Self { unsafe { Self::load(words.as_ptr()) } }

        /// # Safety
        /// Eight words can be read there.
        // SAFETY: the caller vouches for eight words.
        pub(super) unsafe fn load(from: *const u64) -> Self { Self(unsafe { _mm512_loadu_si512(from.cast()) }) }

        // SAFETY: there is room for eight words.
        pub(super) fn store(self, to: &mut [u64; 8]) { unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self.0) } }
        pub(super) fn or(self, other: Self) -> Self { Self(_mm512_or_si512(self.0, other.0)) }

        pub(super) fn or3(self, second: Self, third: Self) -> Self {
            Self(_mm512_ternarylogic_epi64::<0b1111_1110>(self.0, second.0, third.0))
        }

        /// Carry-save adder: three bits of one weight in each lane become one of that weight and one of twice that. The
        /// carry is found from the sum and two of the bits, so that each result takes the register of a bit: with the
        /// majority of all three, every adder copied one (1.02 to 1.03 of all time at N = 20 to 26).
        pub(super) fn add3(self, second: Self, third: Self) -> (Self, Self) {
            let sum = _mm512_ternarylogic_epi64::<0b1001_0110>(self.0, second.0, third.0);
            (Self(sum), Self(_mm512_ternarylogic_epi64::<0b1101_0100>(second.0, third.0, sum)))
        }

        pub(super) fn plus(self, other: Self) -> Self { Self(_mm512_add_epi64(self.0, other.0)) }
        pub(super) fn sum(self) -> u64 { _mm512_reduce_add_epi64(self.0).cast_unsigned() }
    }
}

/// Queries are gathered at each look-up: every processor with AVX-512 has a fast PEXT, which hides behind the loads.
pub(super) const GATHERED: bool = false;

compiled_for! { target_feature(enable = "avx512f,avx512bw,bmi2,popcnt"):
    /// How many bits are set in each word, by looking up half bytes as with AVX2.
    pub(super) fn ones(vector: Vector) -> Vector {
        // The counts of 0 to 15, four to a word, the least first in the lowest byte.
        let counts = _mm512_set4_epi32(0x0403_0302, 0x0302_0201, 0x0302_0201, 0x0201_0100);
        let nibble = _mm512_set1_epi8(15);
        let low = _mm512_shuffle_epi8(counts, _mm512_and_si512(vector.0, nibble));
        let high = _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi16::<4>(vector.0), nibble));
        Vector(_mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512()))
    }

    /// The bits of a query under the mask, from bit `AT` on, where they make the distance of an entry in bytes. Below
    /// its keys a query has zeros, which take the places below `AT` and spare a shift.
    pub(super) fn gather<const AT: u32>(query: u64, mask: u64) -> u64 { _pext_u64(query, mask | ((1 << AT) - 1)) }

    /// How many patterns share no bit with `avoid`.
    pub(super) fn count_disjoint(patterns: &[u64], avoid: u64) -> u64 {
        let (eights, rest) = patterns.as_chunks::<8>();
        let avoided = Vector::splat(avoid).0;
        let disjoint = |eight| _mm512_testn_epi64_mask(Vector::of(eight).0, avoided).count_ones();
        let whole: u32 = eights.iter().map(disjoint).sum();
        u64::from(whole) + rest.iter().map(|pattern| u64::from(pattern & avoid == 0)).sum::<u64>()
    }
}

/// See [`Lanes::retain`](crate::engine::lanes::Lanes::retain).
///
/// What is kept is compressed in a register and stored whole: a compressing store takes twice as long on Zen 5. Where the
/// next store goes depends on all before it, and a load must wait for the place of every earlier store that the
/// processor thinks it may depend on; once it has seen two 4096 bytes apart, it thinks so for a while. So several vectors
/// are loaded before the first is stored: one by one, filtering took up to three times as long on Zen 4.
#[target_feature(enable = "avx512f,bmi2,popcnt")]
#[inline]
pub(super) fn retain(patterns: &[u64], avoid: u64, out: &mut Vec<u64>) {
    out.reserve(patterns.len() + 8);
    let avoided = Vector::splat(avoid).0;
    let mut len = out.len();
    let to = out.as_mut_ptr();
    let (many, few) = patterns.as_chunks::<64>();
    for many in many {
        let mut vectors = [avoided; 8];
        for (vector, eight) in vectors.iter_mut().zip(many.as_chunks().0) {
            *vector = Vector::of(eight).0;
        }
        for vector in vectors {
            // SAFETY: room was reserved for all patterns and eight more, and no more were kept than read; so below.
            len += unsafe { put(vector, _mm512_testn_epi64_mask(vector, avoided), to.add(len)) };
        }
    }
    // SAFETY: as above, and `few` is a slice; then so many words were written.
    unsafe {
        len += compress(few.as_ptr(), few.len(), few.len(), avoid, 0, to.add(len));
        out.set_len(len);
    }
}

/// Writes the patterns of a mask, in order, and returns how many. A function, not a closure in [`retain`]: without link-time
/// optimisation the compiler called that one, and `array::map` too, which took three times as long.
///
/// # Safety
/// `to` has room for eight words.
#[target_feature(enable = "avx512f,popcnt")]
#[inline]
unsafe fn put(pattern: __m512i, keep: u8, to: *mut u64) -> usize {
    // SAFETY: as this function demands.
    unsafe { _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi64(keep, pattern)) };
    keep.count_ones() as usize
}

/// Writes the keys of each of `len` patterns that shares no bit with `avoid`, and `add`, and returns how many.
///
/// # Safety
/// `readable` ≥ `len` words can be read; `out` has room for `len` words and eight more.
#[target_feature(enable = "avx512f,bmi2,popcnt")]
#[inline]
pub(super) unsafe fn compress(
    patterns: *const u64,
    len: usize,
    readable: usize,
    avoid: u64,
    add: u64,
    out: *mut u64,
) -> usize {
    let [avoid, add, keys] = [avoid, add, KEY_BITS].map(|word| Vector::splat(word).0);
    let mut kept = 0;
    // Patterns beyond `len` are packed behind the others, where the next store or nobody finds them: leaving them out
    // only from the count spares a mask operation.
    let mut put = |pattern: __m512i, inside: u32| {
        let keep = _mm512_testn_epi64_mask(pattern, avoid);
        let both = _mm512_ternarylogic_epi64::<0b1111_1000>(add, pattern, keys);
        // SAFETY: what is stored stays within eight words of what was kept so far.
        unsafe { _mm512_storeu_si512(out.add(kept).cast(), _mm512_maskz_compress_epi64(keep, both)) };
        kept += (u32::from(keep) & inside).count_ones() as usize;
    };
    // All but the last eight, or fewer: most runs of a quadrant are that short, and then this one branch is all there
    // is to guess.
    let mut index = 0;
    while index + 8 < len {
        // SAFETY: these eight are readable.
        put(unsafe { Vector::load(patterns.add(index)).0 }, !0);
        index += 8;
    }
    let inside = _bzhi_u32(!0, (len - index) as u32);
    // SAFETY: nothing beyond `readable` is read. Masked loads only at the very end: in a loop they take ten times as
    // long on Zen 5.
    let pattern = unsafe {
        if index + 8 <= readable {
            Vector::load(patterns.add(index)).0
        } else {
            _mm512_maskz_loadu_epi64(inside as u8, patterns.add(index).cast())
        }
    };
    put(pattern, inside);
    kept
}
