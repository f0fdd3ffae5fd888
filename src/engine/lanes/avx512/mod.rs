//! AVX-512: 512 lanes, three-way logic in one instruction, lists compressed in registers.

use std::arch::x86_64::*;

use super::KEY_BITS;
use super::kernels::{kernels, packing};
use super::matching::transposing;
use super::windows::gather_all;

pub(super) mod permute;
pub(super) mod rows;

pub(super) use self::{ice::Avx512Ice, skylake::Avx512f};

#[derive(Clone, Copy)]
struct Vector(__m512i);

impl Vector {
    const WORDS: usize = 8;

    compiled_for! { target_feature(enable = "avx512f"):
        fn splat(word: u64) -> Self { Self(_mm512_set1_epi64(word.cast_signed())) }

        // SAFETY: there are eight words.
        fn of(words: &[u64; 8]) -> Self { Self(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }) }

        // SAFETY: there is room for eight words.
        fn store(self, to: &mut [u64; 8]) { unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self.0) } }
        fn or(self, other: Self) -> Self { Self(_mm512_or_si512(self.0, other.0)) }

        fn exchange<const BITS: usize>(self, other: Self, mask: Self) -> (Self, Self) {
            let bits = _mm_cvtsi32_si128(BITS as i32);
            let (right, left) = (_mm512_srl_epi64(self.0, bits), _mm512_sll_epi64(other.0, bits));
            // The second choice under the mask, the first outside it.
            let low = _mm512_ternarylogic_epi64::<0b1101_1000>(left, self.0, mask.0);
            (Self(low), Self(_mm512_ternarylogic_epi64::<0b1101_1000>(other.0, right, mask.0)))
        }

        /// Derives the carry from the sum and two of the bits, so that each result overwrites a bit's register. With
        /// the majority of all three, every adder copied one (2 to 3 % slower at N = 20 to 26).
        fn add3(self, second: Self, third: Self) -> (Self, Self) {
            let sum = _mm512_ternarylogic_epi64::<0b1001_0110>(self.0, second.0, third.0);
            (Self(sum), Self(_mm512_ternarylogic_epi64::<0b1101_0100>(second.0, third.0, sum)))
        }

        fn disjoint(self, avoided: Self) -> u32 { _mm512_testn_epi64_mask(self.0, avoided.0).into() }

        fn masked_or(self, mask: Self, other: Self) -> Self {
            Self(_mm512_ternarylogic_epi64::<0b1111_1000>(other.0, self.0, mask.0))
        }

        /// Compresses in a register, because a compressing store takes twice as long on Zen 5.
        ///
        /// # Safety
        /// `to` has room for eight words.
        unsafe fn pack(self, set: u32, to: *mut u64) {
            // SAFETY: as this function demands.
            unsafe { _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi64(set as u8, self.0)) };
        }

        fn plus(self, other: Self) -> Self { Self(_mm512_add_epi64(self.0, other.0)) }
        fn sum(self) -> u64 { _mm512_reduce_add_epi64(self.0).cast_unsigned() }
    }
}

/// False: queries are gathered at each look-up, because every processor with AVX-512 has a fast PEXT, which hides
/// behind the loads. Gathered before, N = 17 to 20 took 2 to 4 % longer on a Zen 4.
const GATHERED: bool = false;

compiled_for! { target_feature(enable = "avx512f,avx512bw,bmi2"):
    /// PEXT also takes the zeros below a query's keys, so that no shift is needed.
    fn gathered<const AT: u32>(query: u64, keys: u64) -> u64 { _pext_u64(query, keys | ((1 << AT) - 1)) }

    /// Looks up half bytes, as with AVX2.
    fn ones(vector: Vector) -> Vector {
        // The bit counts of 0 to 15, four per 32 bits, from the lowest byte up.
        let counts = _mm512_set4_epi32(0x0403_0302, 0x0302_0201, 0x0302_0201, 0x0201_0100);
        let nibble = _mm512_set1_epi8(15);
        let low = _mm512_shuffle_epi8(counts, _mm512_and_si512(vector.0, nibble));
        let high = _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi16::<4>(vector.0), nibble));
        Vector(_mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512()))
    }
}

packing!(target_feature(enable = "avx512f,bmi1,bmi2,popcnt"));

/// The first version of AVX-512: keys are transposed as with AVX2, and bits are counted by half bytes.
mod skylake {
    use super::*;
    use crate::engine::lanes::cost::AVX512F as COST;

    /// 512 lanes on a processor with AVX-512 F, BW, DQ and VL: Skylake-X and later.
    #[derive(Clone, Copy, Debug)]
    pub(in crate::engine::lanes) struct Avx512f(());

    transposing!(target_feature(enable = "avx512f,bmi1"));

    kernels!(
        Avx512f,
        target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt"),
        detected!("avx512f", "avx512bw", "avx512dq", "avx512vl", "bmi1", "bmi2", "popcnt")
    );
}

/// The additions of Ice Lake and Zen 4: counting bits in one instruction (VPOPCNTDQ), transposing bits (GFNI),
/// permuting bytes (VBMI) and gathering bits of every word (BITALG).
mod ice {
    use super::rows::key_rows;
    use super::*;
    use crate::engine::lanes::cost::AVX512 as COST;

    /// 512 lanes on a processor with these additions: Ice Lake, Zen 4 and later.
    #[derive(Clone, Copy, Debug)]
    pub(in crate::engine::lanes) struct Avx512Ice(());

    compiled_for! { target_feature(enable = "avx512f,avx512vpopcntdq"):
        fn ones(vector: Vector) -> Vector { Vector(_mm512_popcnt_epi64(vector.0)) }
    }

    kernels!(
        Avx512Ice,
        target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"),
        detected!(
            "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi", "avx512bitalg", "avx512vpopcntdq", "gfni",
            "bmi1", "bmi2", "popcnt"
        ),
        permute
    );
}
