//! The vector of AVX-512, and lists of words, made and filtered with it.

use std::arch::x86_64::*;
use std::hint::black_box;

use crate::engine::lanes::KEY_BITS;
use crate::engine::lanes::fault::{planted, without_first};
use crate::engine::lanes::kernels::packing;
use crate::engine::lanes::windows::{LARGEST, Windows};

#[derive(Clone, Copy)]
pub(super) struct Vector(pub(super) __m512i);

impl Vector {
    pub(super) const WORDS: usize = 8;

    compiled_for! { target_feature(enable = "avx512f"):
        pub(super) fn splat(word: u64) -> Self { Self(_mm512_set1_epi64(word.cast_signed())) }

        // SAFETY: there are eight words.
        pub(super) fn of(words: &[u64; 8]) -> Self { Self(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }) }

        // SAFETY: there is room for eight words.
        pub(super) fn store(self, to: &mut [u64; 8]) { unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self.0) } }
        pub(super) fn or(self, other: Self) -> Self { Self(_mm512_or_si512(self.0, other.0)) }

        /// The carry is found from the sum and two of the bits, so that each result takes the register of a bit: with the
        /// majority of all three, every adder copied one (1.02 to 1.03 of all time at N = 20 to 26).
        pub(super) fn add3(self, second: Self, third: Self) -> (Self, Self) {
            let sum = _mm512_ternarylogic_epi64::<0b1001_0110>(self.0, second.0, third.0);
            (Self(sum), Self(_mm512_ternarylogic_epi64::<0b1101_0100>(second.0, third.0, sum)))
        }

        /// Which words share no bit with those of `avoided`, a bit for each.
        fn disjoint(self, avoided: Self) -> u32 { _mm512_testn_epi64_mask(self.0, avoided.0).into() }

        fn masked_or(self, mask: Self, other: Self) -> Self {
            Self(_mm512_ternarylogic_epi64::<0b1111_1000>(other.0, self.0, mask.0))
        }

        /// Writes the words of a set one after another: compressed in a register and stored whole, for a compressing
        /// store takes twice as long on Zen 5.
        ///
        /// # Safety
        /// `to` has room for eight words.
        unsafe fn pack(self, set: u32, to: *mut u64) {
            // SAFETY: as this function demands.
            unsafe { _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi64(set as u8, self.0)) };
        }

        pub(super) fn plus(self, other: Self) -> Self { Self(_mm512_add_epi64(self.0, other.0)) }
        pub(super) fn sum(self) -> u64 { _mm512_reduce_add_epi64(self.0).cast_unsigned() }
    }
}

/// Queries are gathered at each look-up: every processor with AVX-512 has a fast PEXT, which hides behind the loads.
pub(super) const GATHERED: bool = false;

/// Where the keys of a query go: into 16 bits for each window, of four windows in a word.
pub(super) struct Slots {
    active: u64,
    to: [u64; 2],
    /// Keys in the first word.
    near: u32,
    shifts: [u32; 3],
}

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

    /// Nothing is to be done before the look-ups.
    pub(super) fn gather_all<const AT: u32>(_: u64, _: &[u64], _: &mut Vec<u64>) {}

    /// See [`Slots`].
    pub(super) fn slots<const COUNT: usize, const AT: u32>(windows: Windows) -> Slots {
        const { assert!(LARGEST + AT as usize <= 16, "a window's keys and the zeros below them take 16 bits") };
        let mut to = [0; 2];
        for window in 0..COUNT {
            to[window / 4] |= ((1 << windows.keys(window).len()) - 1) << AT << (window % 4 * 16);
        }
        let active = without_first(windows.active, planted("gathering"));
        // Shifts by a register leave the word in place; by a constant they would be preceded by a copy.
        Slots { active, to, near: to[0].count_ones(), shifts: black_box([16, 32, 48]) }
    }

    /// For each window the distance of the entry that a query asks for from the beginning of the table, in bytes. One
    /// that has 16 bits of its own is taken from them by one or two instructions.
    pub(super) fn distances<const COUNT: usize, const AT: u32>(query: u64, slots: &Slots) -> [usize; COUNT] {
        let keys = _pext_u64(query, slots.active);
        let words = [_pdep_u64(keys, slots.to[0]), if COUNT > 4 { _pdep_u64(keys >> slots.near, slots.to[1]) } else { 0 }];
        let mut distances = [0; COUNT];
        for (window, distance) in distances.iter_mut().enumerate() {
            let word = words[window / 4];
            *distance = match window % 4 {
                0 => usize::from(word as u16),
                1 => (word as u32 >> (slots.shifts[0] & 31)) as usize,
                2 => usize::from((word >> (slots.shifts[1] & 63)) as u16),
                _ => (word >> (slots.shifts[2] & 63)) as usize,
            };
        }
        distances
    }
}

packing!(target_feature(enable = "avx512f,bmi1,bmi2,popcnt"));
