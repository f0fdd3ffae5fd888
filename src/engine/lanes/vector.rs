//! What a kernel needs of an instruction set.

use super::KEY_BITS;

/// A vector of 64-bit words.
///
/// # Safety
/// Every function may be called only where the processor has the instruction set of the implementing type, and pointers
/// must be valid for the words they are said to cover. All are `inline(always)`, so that they become part of the
/// kernel's shell, which is compiled for that instruction set.
pub(super) unsafe trait Vector: Copy {
    /// Words of a vector.
    const WORDS: usize;

    /// Sums of bit counts, still spread over the lanes.
    type Counts: Copy;

    unsafe fn splat(word: u64) -> Self;
    /// Loads [`Self::WORDS`] words.
    unsafe fn load(from: *const u64) -> Self;
    /// Stores [`Self::WORDS`] words.
    unsafe fn store(self, to: *mut u64);
    unsafe fn or(self, other: Self) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    /// Each word shifted left.
    unsafe fn shl<const BITS: usize>(self) -> Self;
    /// Each word shifted right.
    unsafe fn shr<const BITS: usize>(self) -> Self;

    #[inline(always)]
    unsafe fn or3(self, second: Self, third: Self) -> Self {
        // SAFETY: the caller's duty is the same.
        unsafe { self.or(second).or(third) }
    }

    /// Exchanges the bits of `self` outside `mask` with those of `other` inside it, which stand `BITS` lower. `mask`
    /// holds the lower `BITS` of every 2 × `BITS`.
    #[inline(always)]
    unsafe fn exchange<const BITS: usize>(self, other: Self, mask: Self) -> (Self, Self) {
        // SAFETY: the caller's duty is the same.
        unsafe {
            let swap = self.shr::<BITS>().xor(other).and(mask);
            (self.xor(swap.shl::<BITS>()), other.xor(swap))
        }
    }

    /// Carry-save adder: three bits of one weight in each lane become one of that weight and one of twice that.
    #[inline(always)]
    unsafe fn add3(self, second: Self, third: Self) -> (Self, Self) {
        // SAFETY: the caller's duty is the same.
        unsafe {
            let half = self.xor(second);
            (half.xor(third), self.and(second).or(half.and(third)))
        }
    }

    /// Adds eight vectors to bit planes of weight 1, 2 and 4, and returns the plane of weight 8 that they carry.
    #[inline(always)]
    unsafe fn add8(planes: [Self; 3], v: [Self; 8]) -> ([Self; 3], Self) {
        let [ones, twos, fours] = planes;
        // SAFETY: the caller's duty is the same.
        unsafe {
            let (ones, two_a) = ones.add3(v[0], v[1]);
            let (ones, two_b) = ones.add3(v[2], v[3]);
            let (twos, four_a) = twos.add3(two_a, two_b);
            let (ones, two_a) = ones.add3(v[4], v[5]);
            let (ones, two_b) = ones.add3(v[6], v[7]);
            let (twos, four_b) = twos.add3(two_a, two_b);
            let (fours, eight) = fours.add3(four_a, four_b);
            ([ones, twos, fours], eight)
        }
    }

    unsafe fn no_counts() -> Self::Counts;
    /// Adds the bits of eight vectors to the counts.
    unsafe fn count8(counts: &mut Self::Counts, vectors: [Self; 8]);
    /// Adds the bits of one vector to the counts.
    unsafe fn count(counts: &mut Self::Counts, vector: Self);
    unsafe fn total(counts: Self::Counts) -> u64;

    /// How many of `len` patterns share no bit with `avoid`.
    #[inline(always)]
    unsafe fn count_disjoint(patterns: *const u64, len: usize, avoid: u64) -> u64 {
        // SAFETY: the caller vouches for `len` patterns.
        let patterns = unsafe { std::slice::from_raw_parts(patterns, len) };
        patterns.iter().map(|pattern| u64::from(pattern & avoid == 0)).sum()
    }

    /// Writes the keys of `pattern`, and `add`, for each of `len` patterns that shares no bit with `avoid`, and returns
    /// how many.
    ///
    /// # Safety
    /// `readable` ≥ `len` words can be read; `out` has room for `len` words and [`Self::WORDS`] more.
    #[inline(always)]
    unsafe fn compress(
        patterns: *const u64,
        len: usize,
        readable: usize,
        avoid: u64,
        add: u64,
        out: *mut u64,
    ) -> usize {
        let _ = readable;
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
}
