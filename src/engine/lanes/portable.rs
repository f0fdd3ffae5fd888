//! Portable code: plain arrays of words, which the compiler turns into the target's vectors.
//!
//! Compiled like this for AVX2, transposing took 2,567 instructions instead of 1,773, because the compiler vectorized
//! across rows, and adders got their vectors in memory. So each instruction set has its own intrinsics.

use std::array::from_fn;

use super::cost::PORTABLE as COST;
use super::kernels::kernels;
use super::matching::transposing;
use super::windows::{GATHERED, gather_all, gathered};

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Portable(());

#[derive(Clone, Copy)]
struct Vector([u64; 4]);

impl Vector {
    const WORDS: usize = 4;

    compiled_for! { cfg(all()):
        fn splat(word: u64) -> Self { Self([word; 4]) }
        fn of(words: &[u64; 4]) -> Self { Self(*words) }
        fn store(self, to: &mut [u64; 4]) { *to = self.0; }
        fn or(self, other: Self) -> Self { Self(from_fn(|i| self.0[i] | other.0[i])) }

        fn exchange<const BITS: usize>(self, other: Self, mask: Self) -> (Self, Self) {
            let swap: [u64; 4] = from_fn(|i| (self.0[i] >> BITS ^ other.0[i]) & mask.0[i]);
            (Self(from_fn(|i| self.0[i] ^ swap[i] << BITS)), Self(from_fn(|i| other.0[i] ^ swap[i])))
        }

        fn add3(self, second: Self, third: Self) -> (Self, Self) {
            let half: [u64; 4] = from_fn(|i| self.0[i] ^ second.0[i]);
            let carry = from_fn(|i| self.0[i] & second.0[i] | half[i] & third.0[i]);
            (Self(from_fn(|i| half[i] ^ third.0[i])), Self(carry))
        }

        fn plus(self, other: Self) -> Self { Self(from_fn(|i| self.0[i] + other.0[i])) }
        fn sum(self) -> u64 { self.0.iter().sum() }
    }
}

compiled_for! { cfg(all()):
    fn ones(vector: Vector) -> Vector { Vector(vector.0.map(|word| word.count_ones().into())) }

    pub(super) fn count_disjoint(patterns: &[u64], avoid: u64) -> u64 {
        patterns.iter().map(|pattern| u64::from(pattern & avoid == 0)).sum()
    }

    /// Writes the keys, and the bits of `add`, of each of `len` patterns without a bit of `avoid`. Returns their
    /// number. NEON uses these functions too, because with two words per register packing does not pay.
    ///
    /// # Safety
    /// `len` words can be read; `out` has room for one more than `len`.
    pub(super) unsafe fn compress(patterns: *const u64, len: usize, avoid: u64, add: u64, out: *mut u64) -> usize {
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

/// See [`Kernels::retain`]. Not inlined, because its loop then lacked registers.
#[inline(never)]
pub(super) fn retain(patterns: &[u64], avoid: u64, out: &mut Vec<u64>) {
    out.reserve(patterns.len() + 1);
    let len = out.len();
    // SAFETY: room was reserved for all patterns and one more, and `kept` words were written.
    unsafe {
        let kept = compress(patterns.as_ptr(), patterns.len(), avoid, 0, out.as_mut_ptr().add(len));
        out.set_len(len + kept);
    }
}

transposing!(cfg(all()));
kernels!(Portable, cfg(all()), true);
