//! Windows: the active keys, and their division for the look-ups.

use std::array::from_fn;
use std::ops::Range;

/// The fewest keys that make a window worth its load.
pub(super) const MIN_KEYS: usize = 5;

/// The most keys of a window.
pub(super) const MAX_KEYS: usize = 9;

pub(super) const MAX_WINDOWS: usize = 7;

/// Divides the active keys, those that some lane *and* some query hold, evenly; the first windows may have one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// The active keys, as bits of a query.
    pub active: u64,
    /// The number of windows.
    pub count: usize,
}

impl Windows {
    /// The keys of a window, as indices of active keys.
    pub(super) fn keys(self, window: usize) -> Range<usize> {
        let keys = self.active.count_ones() as usize;
        let start = |window: usize| window * (keys / self.count) + window.min(keys % self.count);
        start(window)..start(window + 1)
    }

    pub(super) fn entries(self) -> f64 {
        let (keys, count) = (self.active.count_ones(), self.count as u32);
        f64::from((count + keys % count) << (keys / count))
    }
}

/// A shift and a mask per window, which extract its keys from a query gathered by [`Gather`].
#[inline(always)]
pub(super) fn slots<const COUNT: usize, const AT: u32>(windows: Windows) -> [(usize, usize); COUNT] {
    from_fn(|window| (windows.keys(window).start, ((1 << windows.keys(window).len()) - 1) << AT))
}

/// The byte offset of a query's entry in the table of each window. Shifts by a register keep the query intact; each
/// shift by a constant would first copy it (1 to 2 % slower with AVX2).
#[inline(always)]
pub(super) fn offsets<const COUNT: usize>(query: u64, slots: &[(usize, usize); COUNT]) -> [usize; COUNT] {
    let mut offsets = [0; COUNT];
    for (window, (offset, (shift, mask))) in offsets.iter_mut().zip(slots).enumerate() {
        let query = if window == 0 { query } else { query >> (shift & 63) };
        *offset = query as usize & mask;
    }
    offsets
}

/// Whether queries are gathered before the look-ups, by vector code.
pub(super) const GATHERED: bool = true;

/// Returns the query, which is already gathered.
#[inline(always)]
pub(super) fn gathered<const AT: u32>(query: u64, _keys: u64) -> u64 {
    query
}

/// Appends the queries with their active keys brought together.
#[inline(always)]
pub(super) fn gather_all<const AT: u32>(active: u64, queries: &[u64], out: &mut Vec<u64>) {
    let gather = Gather::<AT>::new(active);
    out.extend(queries.iter().map(|&query| gather.apply(query)));
}

/// Brings the bits under a mask together, in order, from bit `AT` on. This is x86's PEXT, which takes hundreds of
/// cycles on Zen 1 and 2 and which other processors lack. Each step moves some of the bits right by a power of two (H.
/// S. Warren, *Hacker's Delight*, 2nd edition, 7-4); a loop over queries becomes vector code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gather<const AT: u32> {
    mask: u64,
    first: u32,
    moves: [u64; 6],
}

impl<const AT: u32> Gather<AT> {
    /// For a mask that is not empty and has no bit below `AT`.
    pub(super) fn new(mask: u64) -> Self {
        let first = mask.trailing_zeros() - AT;
        let mut left = mask >> first >> AT;
        // Bits above an odd number of holes move by one. Each later step halves the holes and doubles the move.
        let mut holes = !left << 1;
        let mut moves = [0; 6];
        for (step, moved) in moves.iter_mut().enumerate() {
            let mut odd = holes;
            for shift in [1, 2, 4, 8, 16, 32] {
                odd ^= odd << shift;
            }
            let moving = odd & left;
            left = left ^ moving | moving >> (1 << step);
            holes &= !odd;
            *moved = moving << AT;
        }
        Self { mask, first, moves }
    }

    /// The bits of `word` under the mask.
    #[inline(always)]
    pub(super) fn apply(&self, word: u64) -> u64 {
        let mut bits = (word & self.mask) >> self.first;
        for (step, moves) in self.moves.iter().enumerate() {
            let moving = bits & moves;
            bits = bits ^ moving | moving >> (1 << step);
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lanes::KEY_BITS;
    use crate::engine::lanes::cost::PORTABLE;
    use crate::tests::cases;

    /// Bit by bit.
    fn gathered(word: u64, mask: u64) -> u64 {
        let bits = (0..64).filter(|bit| mask >> bit & 1 == 1).map(|bit| word >> bit & 1);
        bits.enumerate().map(|(to, bit)| bit << to).sum()
    }

    #[test]
    fn bits_are_gathered() {
        for mut random in cases() {
            let [word, a, b] = from_fn(|_| random.u64(..));
            for mask in [a, a & b, a | b, b >> 30].map(|mask| mask & !63) {
                assert_eq!(Gather::<6>::new(mask).apply(word), gathered(word, mask) << 6, "{word:x} {mask:x}");
            }
        }
    }

    #[test]
    fn windows_hold_every_key() {
        for keys in 1..=KEY_BITS.count_ones() as usize {
            for queries in [0, 1, 100, 200, 400, 1000, 10_000] {
                let windows = PORTABLE.windows(((1 << keys) - 1) << 6, queries);
                let cut: Vec<_> = (0..windows.count).flat_map(|window| windows.keys(window)).collect();
                assert!(cut.into_iter().eq(0..keys) && windows.count <= MAX_WINDOWS, "{keys} keys");
                assert!((0..windows.count).all(|window| (1..=MAX_KEYS).contains(&windows.keys(window).len())));
            }
        }
        // Few queries do not pay for large tables.
        assert!(PORTABLE.windows(((1 << 26) - 1) << 6, 50).count > PORTABLE.windows(((1 << 26) - 1) << 6, 5000).count);
    }
}
