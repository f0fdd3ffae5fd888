//! Windows: which keys decide, and how they are cut up for the look-ups.

/// Entries of all tables of a block together, at most.
pub(super) const ENTRIES: usize = MOST << SIZES[0];

/// The keys that a window may have, the size that takes the fewest look-ups first.
pub(super) const SIZES: [usize; 4] = [8, 7, 6, 5];

/// The most windows there are.
pub(super) const MOST: usize = 8;

/// Of 40 to 52 keys only those matter that some lane *and* some query hold: 25 to 28 in the large calls of N = 18 to 27.
/// They are brought together at the low end of each query and cut into windows of equal size; the last may have fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// The keys that matter, as bits of a query.
    pub(super) active: u64,
    /// Keys of a window, one of [`SIZES`].
    pub(super) size: usize,
    /// How many windows there are.
    pub(super) count: usize,
}

impl Windows {
    /// The cheapest windows over these keys, of which there are 1 to 52. Large ones take fewer look-ups and longer to fill.
    #[inline]
    pub(super) fn cheapest(active: u64, largest: usize, cost: impl Fn(Self) -> f64) -> Self {
        let keys = active.count_ones() as usize;
        debug_assert!((1..=52).contains(&keys));
        let of = |size: usize| Self { active, size, count: keys.div_ceil(size) };
        let (mut best, mut least) = (of(largest), cost(of(largest)));
        for windows in SIZES.into_iter().filter(|&size| size < largest).map(of) {
            let cost = cost(windows);
            // Small windows would not fit the tables where there are many keys.
            if windows.count <= MOST && cost < least {
                (best, least) = (windows, cost);
            }
        }
        best
    }

    /// Entries of all tables.
    pub(super) fn entries(self) -> usize {
        let last = self.active.count_ones() as usize - (self.count - 1) * self.size;
        ((self.count - 1) << self.size) + (1 << last)
    }
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

    /// Whether four steps are enough.
    pub(super) fn is_short(&self) -> bool {
        self.moves[4] | self.moves[5] == 0
    }

    /// The bits of `word` under the mask.
    #[inline(always)]
    pub(super) fn apply<const STEPS: usize>(&self, word: u64) -> u64 {
        let mut bits = (word & self.mask) >> self.first;
        for step in 0..STEPS {
            let moving = bits & self.moves[step];
            bits = bits ^ moving | moving >> (1 << step);
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lanes::cost::PORTABLE;
    use proptest::prelude::*;

    /// Bit by bit.
    fn gathered(word: u64, mask: u64) -> u64 {
        let bits = (0..64).filter(|bit| mask >> bit & 1 == 1).map(|bit| word >> bit & 1);
        bits.enumerate().map(|(to, bit)| bit << to).sum()
    }

    proptest! {
        #[test]
        fn bits_are_gathered(word: u64, mask: (u64, u64)) {
            for mask in [mask.0, mask.0 & mask.1, mask.0 | mask.1, mask.1 >> 30].map(|mask| mask & !63) {
                if mask != 0 {
                    let gather = Gather::<6>::new(mask);
                    prop_assert_eq!(gather.apply::<6>(word), gathered(word, mask) << 6);
                    if gather.is_short() {
                        prop_assert_eq!(gather.apply::<4>(word), gathered(word, mask) << 6);
                    }
                }
            }
        }
    }

    #[test]
    fn windows_hold_every_key() {
        for keys in 1..=52 {
            for queries in [0, 1, 100, 200, 400, 1000, 10_000] {
                let Windows { size, count, .. } = PORTABLE.windows(((1 << keys) - 1) << 6, queries);
                assert!(size * count >= keys && size * (count - 1) < keys && count <= 8, "{keys} keys");
            }
        }
        // Few queries are not worth large tables.
        assert!(PORTABLE.windows(((1 << 26) - 1) << 6, 50).size < PORTABLE.windows(((1 << 26) - 1) << 6, 5000).size);
    }
}
