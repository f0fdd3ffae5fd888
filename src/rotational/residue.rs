//! What is known of the number of all solutions before anybody has counted them: its remainder.

use crate::board::Size;
use crate::count::CountError;

use super::RotationalCount;
use crate::board::rotation::{Rotation, RotationalBoard};

/// The remainder that the number of all solutions must leave.
///
/// The symmetries of the square gather solutions in classes of eight, of four where a half turn leaves them unchanged,
/// and of two where a quarter turn does; no reflection leaves one unchanged for N > 1. So with f, a and b classes of
/// each kind there are 8f + 4a + 2b solutions, 4a + 2b of them unchanged by a half turn and 2b by a quarter turn: the
/// first and the second number are the same modulo 8, the first and the third modulo 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residue {
    /// 8, or 4 where the solutions unchanged by a half turn take too long to count.
    pub modulus: u128,
    /// From 0 to less than that.
    pub residue: u128,
}

/// Up to here the solutions unchanged by a half turn are counted: seconds of one core at the most.
const HALF_TURNS: usize = 28;

impl Residue {
    /// For a board of this size, on this many threads, 0 for every core; none up to N = 1, where every symmetry leaves
    /// the one solution unchanged.
    ///
    /// ```
    /// use queens::{Residue, Size};
    /// let eight = Residue::new(Size::new(8)?, 1)?.expect("a board of more than one square");
    /// assert!(eight.admits(92) && !eight.admits(93));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where no threads can be had.
    pub fn new(size: Size, threads: usize) -> Result<Option<Self>, CountError> {
        let (modulus, rotation) = match size.get() {
            0..=1 => return Ok(None),
            2..=HALF_TURNS => (8, Rotation::Half),
            _ => (4, Rotation::Quarter),
        };
        let board = RotationalBoard::new(rotation, size.get()).expect("turns are counted beyond every Size");
        let unchanged = RotationalCount::new(board).threads(threads).run()?.count;
        Ok(Some(Self { modulus, residue: unchanged % modulus }))
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
    fn published_totals_are_admitted_and_their_neighbours_are_not() {
        for n in 2..=20 {
            let all = oeis::QUEENS.term(n).unwrap();
            let residue = Residue::new(Size::new(n).unwrap(), 2).unwrap().unwrap();
            assert_eq!(residue.modulus, 8);
            assert!(residue.admits(all), "N = {n}");
            assert!((1..8).all(|wrong| !residue.admits(all + wrong)), "N = {n}");
            assert_eq!(all % 4, oeis::QUARTER_TURN.term(n).unwrap() % 4, "N = {n}");
        }
        assert_eq!(Residue::new(Size::new(1).unwrap(), 1).unwrap(), None);
        let large = Residue::new(Size::new(32).unwrap(), 2).unwrap().unwrap();
        assert_eq!((large.modulus, large.residue), (4, oeis::QUARTER_TURN.term(32).unwrap() % 4));
    }
}
