//! Windows: which keys decide, and how they are divided for the look-ups.

use std::array::from_fn;
use std::ops::Range;

/// With fewer keys than these, a window is not worth a load of its own.
pub(super) const FEWEST_KEYS: usize = 5;

/// The most keys of a window.
pub(super) const MOST_KEYS: usize = 9;

/// The most windows there are.
pub(super) const MOST_WINDOWS: usize = 7;

/// The keys that matter are those that some lane *and* some query hold. They are divided into windows as equal as can be: the
/// first ones may have a key more than the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// The keys that matter, as bits of a query.
    pub active: u64,
    /// How many windows there are.
    pub count: usize,
}

impl Windows {
    /// The keys of a window, by their places among those that matter.
    pub(super) fn keys(self, window: usize) -> Range<usize> {
        let keys = self.active.count_ones() as usize;
        let start = |window: usize| window * (keys / self.count) + window.min(keys % self.count);
        start(window)..start(window + 1)
    }

    /// Entries of all tables.
    pub(super) fn entries(self) -> f64 {
        let (keys, count) = (self.active.count_ones(), self.count as u32);
        f64::from((count + keys % count) << (keys / count))
    }
}

/// Where the keys of each window are in a query that [`Gather`] has brought together: a shift and a mask.
#[inline(always)]
pub(super) fn slots<const COUNT: usize, const AT: u32>(windows: Windows) -> [(usize, usize); COUNT] {
    from_fn(|window| (windows.keys(window).start, ((1 << windows.keys(window).len()) - 1) << AT))
}

/// For each window the distance of the entry that a query asks for from the beginning of the table, in bytes. Shifts by
/// a register leave the query in place: by constants each would be preceded by a copy (1.01 to 1.02 of the time with
/// AVX2).
#[inline(always)]
pub(super) fn distances<const COUNT: usize>(query: u64, slots: &[(usize, usize); COUNT]) -> [usize; COUNT] {
    let mut distances = [0; COUNT];
    for (window, (distance, (shift, mask))) in distances.iter_mut().zip(slots).enumerate() {
        let query = if window == 0 { query } else { query >> (shift & 63) };
        *distance = query as usize & mask;
    }
    distances
}

/// Queries are gathered before the look-ups, by vector code.
pub(super) const GATHERED: bool = true;

/// So nothing is left to be done with one.
#[inline(always)]
pub(super) fn gathered<const AT: u32>(query: u64, _keys: u64) -> u64 {
    query
}

/// Appends the queries with the keys that matter brought together.
#[inline(always)]
pub(super) fn gather_all<const AT: u32>(active: u64, queries: &[u64], out: &mut Vec<u64>) {
    let gather = Gather::<AT>::new(active);
    out.extend(queries.iter().map(|&query| gather.apply(query)));
}

/// Brings the bits of a mask together, in their order, from bit `AT` on: what x86 calls PEXT, which takes hundreds of
/// cycles on Zen 1 and 2 and which other processors lack. Each step moves some of the bits right by a power of two
/// (H. S. Warren, *Hacker's Delight*, 2nd edition, 7-4); a loop over queries becomes vector code.
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
        // Bits of the mask with an odd number of holes below them move by one; then holes are counted in pairs, ...
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
                assert!(cut.into_iter().eq(0..keys) && windows.count <= MOST_WINDOWS, "{keys} keys");
                assert!((0..windows.count).all(|window| (1..=MOST_KEYS).contains(&windows.keys(window).len())));
            }
        }
        // Few queries are not worth large tables.
        assert!(PORTABLE.windows(((1 << 26) - 1) << 6, 50).count > PORTABLE.windows(((1 << 26) - 1) << 6, 5000).count);
    }
}
