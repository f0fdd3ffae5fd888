//! Solutions up to symmetry, by Burnside's lemma.

use crate::board::Size;
use crate::count::CountError;

use super::RotationalCount;
use crate::board::rotation::{Rotation, RotationalBoard};

/// What Burnside's lemma needs of a board besides the number of all its solutions.
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
    "self-check failed: {all} solutions, {half} unchanged by a half rotation and {quarter} by a quarter rotation give \
     no whole number of symmetry classes for N = {size}"
)]
pub struct NotDivisible {
    size: Size,
    all: u128,
    half: u128,
    quarter: u128,
}

impl Unique {
    /// Counts the solutions that turns leave unchanged, on this many threads, 0 for every core; seconds
    /// up to N = 28, where the full count takes decades.
    ///
    /// # Errors
    /// Where a sum does not fit or no threads can be had.
    pub fn new(size: Size, threads: usize) -> Result<Self, CountError> {
        let count = |rotation| {
            let board = RotationalBoard::new(rotation, size.get()).expect("turns are counted beyond every Size");
            RotationalCount::new(board).threads(threads).run().map(|report| report.count)
        };
        Ok(Self { size, half: count(Rotation::Half)?, quarter: count(Rotation::Quarter)? })
    }

    /// The number of symmetry classes (OEIS A002562) of a board with `all` solutions.
    ///
    /// ```
    /// use queens::{Size, Unique};
    /// let eight = Unique::new(Size::new(8)?, 1)?;
    /// assert_eq!(eight.classes(92)?, 12);
    /// assert!(eight.classes(93).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where the division by 8 leaves a remainder, so that `all` cannot be right.
    pub fn classes(&self, all: u128) -> Result<u128, NotDivisible> {
        let Self { size, half, quarter } = *self;
        // Up to N = 1 every symmetry leaves the one solution unchanged, reflections too.
        let sum = if size.get() <= 1 { all.checked_mul(8) } else { all.checked_add(half + 2 * quarter) };
        let exact = sum.filter(|sum| sum % 8 == 0).map(|sum| sum / 8);
        exact.ok_or(NotDivisible { size, all, half, quarter })
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
}
