//! Lists of patterns, made and filtered, with AVX-512.
//!
//! What is kept is compressed in a register and stored whole: a compressing store takes twice as long on Zen 5. Where the
//! next store goes depends on all before it, and a load must wait for the place of every earlier store that the
//! processor thinks it may depend on; once it has seen two 4096 bytes apart, it thinks so for a while. So several vectors
//! are loaded before the first is stored: one by one, filtering took up to three times as long on Zen 4.

use std::arch::x86_64::*;

use super::vector::Vector;
use crate::engine::lanes::KEY_BITS;

/// See [`Lanes::retain`](crate::engine::lanes::Lanes::retain).
///
/// To read the groups of a list in one go, and to count afterwards where each ends, from masks of what was kept, was no
/// faster than a call for each group.
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
    // Two or four runs side by side, loaded before the first is stored as in [`retain`], were no faster (0.98), and halves
    // stored apart slower (0.93 to 1.0).
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
