//! Keys: the diagonals by which east and west attack each other.
//!
//! Let x be a square's distance east of the middle and y its distance south of it, negative to the west and the
//! north. East and west queens attack each other along diagonals that cross the middle: those with |x + y| < h or
//! |y - x| < h. Each is a key, and a half is the set of keys that its queens hold. Two halves make a solution when
//! they share no key.
//!
//! Keys also tell whether a north and a south quadrant of the same half fit together, since whatever diagonal they
//! share crosses the middle too. So one AND joins quadrants into halves, and the same AND halves into boards.
//!
//! ```text
//!   bits 6..31: x + y from -(h-1) to h-1        bits 38..63: y - x, the same
//!
//!   north-east queen (i, j):  x + y = j - i           y - x = -(gap + i + j)
//!   south-east queen (i, j):  x + y = gap + i + j     y - x = i - j
//! ```
//!
//! West halves are listed as their own mirror images in the east, which swaps the two kinds of key: bit k of an east
//! pattern meets bit k ± 32 of a west one ([`mirrored`]).

use crate::engine::lanes::KEYS;

/// North or south of the middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    North,
    South,
}

/// Which bit stands for which diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Keys {
    pub(super) half: usize,
    /// The least |x| + |y|: 1 for even N, 2 for odd N, where the middle lines lie between.
    pub(super) gap: usize,
    /// Whether the long diagonals, key 0 of both kinds, have no bit, because no east queen may stand there.
    pub(super) without_long: bool,
}

impl Keys {
    /// Bits of each kind.
    pub(super) fn width(&self) -> usize {
        2 * self.half - 1 - usize::from(self.without_long)
    }

    /// The keys of an east queen in row i, column j of its quadrant.
    pub(super) fn queen(&self, side: Side, i: usize, j: usize) -> u64 {
        let (i, j, gap) = (i as i32, j as i32, self.gap as i32);
        match side {
            Side::North => self.bit(j - i) | self.bit(-(gap + i + j)) << 32,
            Side::South => self.bit(gap + i + j) | self.bit(i - j) << 32,
        }
    }

    /// The bit of a diagonal, none where it does not cross the middle.
    fn bit(&self, diagonal: i32) -> u64 {
        let h = self.half as i32;
        if diagonal.abs() >= h || (diagonal == 0 && self.without_long) {
            return 0;
        }
        1 << (KEYS as i32 + h - 1 + diagonal - i32::from(diagonal > 0 && self.without_long))
    }
}

/// A pattern as seen from the other half.
#[inline(always)]
pub(super) fn mirrored(pattern: u64) -> u64 {
    pattern.rotate_left(32)
}
