//! Burnside's lemma: the number of solutions up to symmetry, and the remainder that all solutions must leave.
//!
//! The number of classes is the mean, over the eight symmetries of the square, of the solutions that each leaves
//! unchanged. For N > 1 no reflection leaves any solution unchanged: a queen and its mirror image would share a row, a
//! column or a diagonal. So there are `(all + unchanged by the half turn + 2 × unchanged by the quarter turn) / 8`
//! classes. This division must leave no remainder, which checks the full count modulo 8.

use crate::board::{Rotation, RotationalBoard, Size};
use crate::request::Request;
use crate::run::CountError;

/// The number of solutions that this turn leaves unchanged.
fn unchanged(rotation: Rotation, size: Size, threads: usize) -> Result<u128, CountError> {
    let board = RotationalBoard::new(rotation, size.get()).expect("turns are counted beyond every Size");
    Ok(Request::rotational(board).threads(threads).count()?.count)
}

/// The numbers that Burnside's lemma needs of a board, besides the number of all its solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unique {
    size: Size,
    /// Solutions unchanged by a half turn, OEIS A032522.
    pub half: u128,
    /// Solutions unchanged by a quarter turn, OEIS A033148.
    pub quarter: u128,
}

/// The symmetries do not fit the count: one of the three numbers is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "self-check failed: {all} solutions, {} unchanged by a half rotation and {} by a quarter rotation give no whole \
     number of symmetry classes for N = {}", .unique.half, .unique.quarter, .unique.size
)]
pub struct NotDivisible {
    all: u128,
    unique: Unique,
}

impl Unique {
    /// Counts the solutions that turns leave unchanged. That takes seconds up to N = 28, where one core would need
    /// decades for all solutions.
    pub fn new(size: Size, threads: usize) -> Result<Self, CountError> {
        let count = |rotation| unchanged(rotation, size, threads);
        Ok(Self { size, half: count(Rotation::Half)?, quarter: count(Rotation::Quarter)? })
    }

    /// The number of symmetry classes (OEIS A002562) of a board with `all` solutions, which is wrong if the division by
    /// 8 leaves a remainder.
    ///
    /// ```
    /// use queens::{Size, Unique};
    /// let eight = Unique::new(Size::new(8)?, 1)?;
    /// assert_eq!(eight.classes(92)?, 12);
    /// assert!(eight.classes(93).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn classes(&self, all: u128) -> Result<u128, NotDivisible> {
        // Up to N = 1 every symmetry leaves the one solution unchanged, reflections too.
        let is_tiny = self.size.get() <= 1;
        let sum = if is_tiny { all.checked_mul(8) } else { all.checked_add(self.half + 2 * self.quarter) };
        sum.filter(|sum| sum % 8 == 0).map(|sum| sum / 8).ok_or(NotDivisible { all, unique: *self })
    }
}

/// The remainder that the number of all solutions must leave.
///
/// The symmetries of the square gather solutions in classes: of eight, of four if a half turn leaves them unchanged,
/// and of two if a quarter turn does. No reflection leaves a solution unchanged for N > 1. So with f, a and b classes
/// of each kind there are 8f + 4a + 2b solutions; 4a + 2b of them are unchanged by a half turn, and 2b by a quarter
/// turn. The first and the second number have the same remainder modulo 8, the first and the third modulo 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residue {
    /// 8, or 4 if counting the solutions unchanged by a half turn would take too long.
    pub modulus: u128,
    /// From 0 to `modulus` - 1.
    pub residue: u128,
}

/// The largest N for which the solutions unchanged by a half turn are counted: that takes seconds of one core at most.
const HALF_TURNS: usize = 28;

/// The modulus for a board of this size, and the turn that leaves as many solutions unchanged.
fn modulus(size: Size) -> Option<(u128, Rotation)> {
    match size.get() {
        0..=1 => None,
        2..=HALF_TURNS => Some((8, Rotation::Half)),
        _ => Some((4, Rotation::Quarter)),
    }
}

impl Residue {
    /// For a board of this size; none up to N = 1, where every symmetry leaves the one solution unchanged.
    ///
    /// ```
    /// use queens::{Residue, Size};
    /// let eight = Residue::new(Size::new(8)?, 1)?.expect("a board of more than one square");
    /// assert!(eight.admits(92) && !eight.admits(93));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(size: Size, threads: usize) -> Result<Option<Self>, CountError> {
        let Some((modulus, rotation)) = modulus(size) else { return Ok(None) };
        Ok(Some(Self { modulus, residue: unchanged(rotation, size, threads)? % modulus }))
    }

    /// Whether this can be the number of all solutions.
    pub fn admits(&self, all: u128) -> bool {
        all % self.modulus == self.residue
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oeis;

    #[test]
    fn published_totals_give_published_classes() {
        for n in 1..=18 {
            let unique = Unique::new(Size::new(n).unwrap(), 2).unwrap();
            let all = oeis::QUEENS.term(n).unwrap();
            assert_eq!(unique.classes(all), Ok(oeis::UNIQUE.term(n).unwrap()), "N = {n}");
            if n > 1 {
                for wrong in 1..8 {
                    assert!(unique.classes(all + wrong).is_err(), "N = {n}, off by {wrong}");
                }
            }
        }
    }

    #[test]
    fn published_totals_are_admitted_and_their_neighbours_are_not() {
        (2..=12).for_each(is_admitted);
        assert_eq!(Residue::new(Size::new(1).unwrap(), 1).unwrap(), None);
        // N = 28, of which nobody has published the total, has the larger one too.
        let [eight, four] = [(8, Rotation::Half), (4, Rotation::Quarter)].map(Some);
        let found = [0, 1, 2, 24, 25, 26, 27, 28, 29, 32].map(|n| modulus(Size::new(n).unwrap()));
        assert_eq!(found, [None, None, eight, eight, eight, eight, eight, eight, four, four]);
    }

    #[test]
    fn published_totals_of_large_boards_are_admitted() {
        (13..=20).for_each(is_admitted);
        let large = Residue::new(Size::new(32).unwrap(), 2).unwrap().unwrap();
        assert_eq!((large.modulus, large.residue), (4, oeis::QUARTER_TURN.term(32).unwrap() % 4));
    }

    fn is_admitted(n: usize) {
        let all = oeis::QUEENS.term(n).unwrap();
        let residue = Residue::new(Size::new(n).unwrap(), 2).unwrap().unwrap();
        assert_eq!(residue.modulus, 8);
        assert!(residue.admits(all), "N = {n}");
        assert!((1..8).all(|wrong| !residue.admits(all + wrong)), "N = {n}");
        assert_eq!(all % 4, oeis::QUARTER_TURN.term(n).unwrap() % 4, "N = {n}");
    }
}
