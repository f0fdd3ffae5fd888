//! Keys: the diagonals by which east and west attack each other.
//!
//! Let x be a square's distance east of the middle and y its distance south of it, negative to the west and the north.
//! East and west queens attack each other along diagonals that cross the middle: those with |x + y| < h or |y - x| < h.
//! Each is a key. A north and a south quadrant of one half also attack each other only along keys, because a diagonal
//! that both touch crosses the middle. So one AND compares quadrants of a half, and halves of a board.
//!
//! ```text
//!   north-east queen (i, j):  x + y = j - i           y - x = -(gap + i + j)
//!   south-east queen (i, j):  x + y = gap + i + j     y - x = i - j
//!
//!   bits of a pattern:   . . .  x + y, outermost first | y - x, outermost last  . . .
//!                               h-1, 1-h, h-2, 2-h, ..   .., 2-h, h-2, 1-h, h-1
//! ```
//!
//! West halves are listed as their mirror images in the east. This swaps the two kinds of key, which reverses the bits
//! of a pattern (`reverse_bits`), because the keys are in the middle of the word. Only the innermost queens hold the
//! outermost keys, so once these queens are fixed, the remaining keys are contiguous in the middle.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NorthSouth {
    North,
    South,
}

/// The assignment of diagonals to bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Keys {
    pub(super) half: usize,
    /// The smallest |x| + |y|: 1 for even N, 2 for odd N, whose middle lines lie between.
    pub(super) gap: usize,
    /// Whether the long diagonals, key 0 of both kinds, have no bit because no east queen may be there.
    pub(super) without_long: bool,
}

impl Keys {
    /// The number of keys of each kind.
    pub(super) fn width(&self) -> usize {
        2 * self.half - 1 - usize::from(self.without_long)
    }

    /// The keys of an east queen in row i, column j of its quadrant.
    pub(super) fn queen(&self, side: NorthSouth, i: usize, j: usize) -> u64 {
        let (i, j, gap) = (i as i32, j as i32, self.gap as i32);
        match side {
            NorthSouth::North => self.bit(j - i) | self.bit(-(gap + i + j)).reverse_bits(),
            NorthSouth::South => self.bit(gap + i + j) | self.bit(i - j).reverse_bits(),
        }
    }

    /// The keys, in the order of the east, of a queen on the middle row at this distance west of the centre.
    pub(super) fn middle_row_queen(&self, distance: u8) -> u64 {
        let distance = i32::from(distance);
        self.bit(-distance) | self.bit(distance).reverse_bits()
    }

    /// The bit of a diagonal x + y, or 0 if it does not cross the middle.
    fn bit(&self, diagonal: i32) -> u64 {
        let h = self.half as i32;
        if diagonal.abs() >= h || (diagonal == 0 && self.without_long) {
            return 0;
        }
        // Preceded by two bits per distance farther out and, if negative, by its opposite.
        let before = 2 * (h - 1 - diagonal.abs()) + i32::from(diagonal < 0);
        1 << (32 - self.width() as i32 + before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_fill_the_middle_of_the_word() {
        for half in 2..=14 {
            for without_long in [false, true] {
                let keys = Keys { half, gap: 1, without_long };
                let h = half as i32;
                let bits: Vec<u64> = (-h..=h).map(|diagonal| keys.bit(diagonal)).filter(|&bit| bit != 0).collect();
                let all = bits.iter().fold(0, |all, bit| all | bit | bit.reverse_bits());
                assert_eq!(bits.len(), keys.width());
                assert_eq!(all, ((1u64 << (2 * keys.width())) - 1) << (32 - keys.width()), "h = {half}");
            }
        }
    }

    #[test]
    fn keys_are_the_diagonals_that_cross_the_middle() {
        for (half, gap) in [(3, 1), (4, 1), (3, 2), (5, 2)] {
            let keys = Keys { half, gap, without_long: false };
            // Twice the distances from the middle: whole numbers, on even boards too.
            let place = |side: NorthSouth, i: usize, j: usize| {
                let away = |distance: usize| 2 * distance as i32 + gap as i32;
                let y = if side == NorthSouth::North { -away(i) } else { away(i) };
                (away(j), y)
            };
            let squares = || {
                let sides = [NorthSouth::North, NorthSouth::South].into_iter();
                sides.flat_map(move |side| (0..half).flat_map(move |i| (0..half).map(move |j| (side, i, j))))
            };
            for (side, i, j) in squares() {
                for (other, k, l) in squares() {
                    let ((x, y), (west_x, west_y)) = (place(side, i, j), place(other, k, l));
                    let attack = (x + west_x).abs() == (y - west_y).abs();
                    let meet = keys.queen(side, i, j) & keys.queen(other, k, l).reverse_bits() != 0;
                    assert_eq!(meet, attack, "h = {half}, gap = {gap}: {side:?} {i} {j} and {other:?} {k} {l}");
                }
            }
        }
    }
}
