//! Checked sums. A sum is exact or it is an error; it never wraps.

use std::fmt;
use std::str::FromStr;

/// A sum of solutions times weights; in a profile also the sums of the placements of fewer queens.
///
/// It is written as its numbers with spaces in between, the solutions last.
///
/// ```
/// use queens::tally::Tally;
/// let tally: Tally = "1 8 42".parse()?;
/// assert_eq!((tally.fewer(), tally.get()), ([1, 8].as_slice(), 42));
/// # Ok::<(), std::num::ParseIntError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    solutions: u128,
    /// Placements of 0, 1, 2, ... queens; empty except in a profile.
    fewer: Vec<u128>,
}

/// A sum does not fit in 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the count does not fit in 128 bits")]
pub struct Overflow;

impl Tally {
    /// The solutions so far.
    pub const fn get(&self) -> u128 {
        self.solutions
    }

    /// The placements of 0, 1, 2, ... queens so far; empty except in a profile.
    pub fn fewer(&self) -> &[u128] {
        &self.fewer
    }

    /// Whether it can be the sum of `part` and another tally.
    pub(crate) fn covers(&self, part: &Self) -> bool {
        let fewer = |tally: &Self, queens| tally.fewer.get(queens).copied().unwrap_or(0);
        self.solutions >= part.solutions
            && (0..part.fewer.len()).all(|queens| fewer(self, queens) >= fewer(part, queens))
    }

    /// Adds `count` solutions, each of which stands for `weight` solutions.
    ///
    /// # Errors
    /// If the sum would not fit.
    pub fn add(&mut self, count: u64, weight: u64) -> Result<(), Overflow> {
        // A product of two 64-bit numbers always fits in 128 bits; the sum may not.
        self.solutions = self.solutions.checked_add(u128::from(count) * u128::from(weight)).ok_or(Overflow)?;
        Ok(())
    }

    /// Adds `count` placements of `queens` queens, each of which stands for `weight` placements.
    ///
    /// # Errors
    /// If the sum would not fit.
    pub fn add_fewer(&mut self, queens: usize, count: u64, weight: u64) -> Result<(), Overflow> {
        self.fewer.resize(self.fewer.len().max(queens + 1), 0);
        let sum = &mut self.fewer[queens];
        *sum = sum.checked_add(u128::from(count) * u128::from(weight)).ok_or(Overflow)?;
        Ok(())
    }

    /// The sum of two tallies.
    ///
    /// # Errors
    /// If the sum would not fit.
    pub fn plus(mut self, other: &Self) -> Result<Self, Overflow> {
        self.solutions = self.solutions.checked_add(other.solutions).ok_or(Overflow)?;
        self.fewer.resize(self.fewer.len().max(other.fewer.len()), 0);
        for (sum, more) in self.fewer.iter_mut().zip(&other.fewer) {
            *sum = sum.checked_add(*more).ok_or(Overflow)?;
        }
        Ok(self)
    }
}

impl From<u128> for Tally {
    fn from(count: u128) -> Self {
        Self { solutions: count, fewer: Vec::new() }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fewer.iter().try_for_each(|sum| write!(f, "{sum} "))?;
        write!(f, "{}", self.solutions)
    }
}

impl FromStr for Tally {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (fewer, solutions) = text.rsplit_once(' ').map_or((None, text), |(fewer, last)| (Some(fewer), last));
        let fewer = fewer.into_iter().flat_map(|fewer| fewer.split(' ')).map(str::parse).collect::<Result<_, _>>()?;
        Ok(Self { solutions: solutions.parse()?, fewer })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_or_errors() {
        let mut tally = Tally::from(u128::MAX - 6);
        assert_eq!(tally.add(3, 2), Ok(()));
        assert_eq!(tally.get(), u128::MAX);
        assert_eq!(tally.add(1, 1), Err(Overflow));
        assert_eq!(tally.add(0, 8), Ok(()));
        assert_eq!(Tally::from(u128::MAX).plus(&Tally::from(1)), Err(Overflow));
        let mut large = Tally::default();
        assert_eq!(large.add(u64::MAX, u64::MAX), Ok(()));
        assert_eq!(large.get(), u128::from(u64::MAX) * u128::from(u64::MAX));
    }

    #[test]
    fn sums_of_fewer_queens_are_kept_apart() {
        let mut tally = Tally::from(92);
        assert_eq!(tally.add_fewer(2, 21, 2), Ok(()));
        let joined = Tally::default().plus(&tally).unwrap().plus(&"1 8 0 140 92".parse().unwrap()).unwrap();
        assert_eq!(joined, "1 8 42 140 184".parse().unwrap());
        assert_eq!(joined.to_string(), "1 8 42 140 184");
        let full: Tally = format!("{} 0", u128::MAX).parse().unwrap();
        assert_eq!(full.clone().plus(&full), Err(Overflow));
        assert_eq!(full.clone().add_fewer(0, 1, 1), Err(Overflow));
        for text in ["", " ", "1 ", " 1", "1  2", "1 -2", "x"] {
            assert!(text.parse::<Tally>().is_err(), "'{text}'");
        }
    }
}
