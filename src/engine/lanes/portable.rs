//! Any processor: plain arrays of words, which the compiler turns into whatever vectors the target has.

use std::array::from_fn;

use super::shell::shell;
use super::vector::Vector;
use super::{Partners, Tables, Windows, kernel};

/// 256 lanes in four words.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

#[derive(Clone, Copy)]
struct Words([u64; 4]);

#[derive(Clone, Copy)]
struct Counts {
    planes: [Words; 3],
    eights: u64,
    rest: u64,
}

// SAFETY: nothing here needs more than any processor has.
unsafe impl Vector for Words {
    const WORDS: usize = 4;
    type Counts = Counts;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        Self([word; 4])
    }

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller vouches for four words.
        Self(unsafe { from.cast::<[u64; 4]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller vouches for four words.
        unsafe { to.cast::<[u64; 4]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] ^ other.0[i]))
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        Self(from_fn(|i| self.0[i] & other.0[i]))
    }

    #[inline(always)]
    unsafe fn shl<const BITS: usize>(self) -> Self {
        Self(self.0.map(|word| word << BITS))
    }

    #[inline(always)]
    unsafe fn shr<const BITS: usize>(self) -> Self {
        Self(self.0.map(|word| word >> BITS))
    }

    #[inline(always)]
    unsafe fn no_counts() -> Counts {
        Counts { planes: [Self([0; 4]); 3], eights: 0, rest: 0 }
    }

    #[inline(always)]
    unsafe fn count8(counts: &mut Counts, vectors: [Self; 8]) {
        // SAFETY: needs nothing.
        let (planes, eight) = unsafe { Self::add8(counts.planes, vectors) };
        counts.planes = planes;
        counts.eights += ones(eight);
    }

    #[inline(always)]
    unsafe fn count(counts: &mut Counts, vector: Self) {
        counts.rest += ones(vector);
    }

    #[inline(always)]
    unsafe fn total(counts: Counts) -> u64 {
        let [one, two, four] = counts.planes.map(ones);
        counts.rest + one + 2 * two + 4 * four + 8 * counts.eights
    }
}

#[inline(always)]
fn ones(words: Words) -> u64 {
    words.0.iter().map(|word| u64::from(word.count_ones())).sum()
}

shell!(Portable, Words, Self, true);
