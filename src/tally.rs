//! Checked sums. A sum is exact or it is an error; it never wraps.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

/// A sum of solutions times weights.
///
/// ```
/// use queens::tally::Tally;
/// let mut tally: Tally = "42".parse()?;
/// tally.add(5, 8)?;
/// assert_eq!(tally.get(), 82);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tally(u128);

/// A sum does not fit in 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the count does not fit in 128 bits")]
pub struct Overflow;

impl Tally {
    /// The solutions so far.
    pub const fn get(self) -> u128 {
        self.0
    }

    /// Adds `count` solutions, each of which stands for `weight` solutions.
    pub fn add(&mut self, count: u64, weight: u64) -> Result<(), Overflow> {
        // A product of two 64-bit numbers always fits in 128 bits; the sum may not.
        self.0 = self.0.checked_add(u128::from(count) * u128::from(weight)).ok_or(Overflow)?;
        Ok(())
    }

    /// The sum of two tallies.
    pub fn plus(self, other: Self) -> Result<Self, Overflow> {
        self.0.checked_add(other.0).map(Self).ok_or(Overflow)
    }
}

/// Numbers for JSON, where most readers would round them, are strings.
#[cfg(feature = "serde")]
pub(crate) fn as_text<S: serde::Serializer>(number: &impl ToString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&number.to_string())
}

#[cfg(feature = "serde")]
pub(crate) fn all_as_text<S: serde::Serializer>(numbers: &[u128], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers.iter().map(u128::to_string))
}

#[cfg(feature = "serde")]
impl serde::Serialize for Tally {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        as_text(self, serializer)
    }
}

impl From<u128> for Tally {
    fn from(count: u128) -> Self {
        Self(count)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Tally {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        text.parse().map(Self)
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
        assert_eq!(Tally::from(u128::MAX).plus(Tally::from(1)), Err(Overflow));
        let mut large = Tally::default();
        assert_eq!(large.add(u64::MAX, u64::MAX), Ok(()));
        assert_eq!(large.get(), u128::from(u64::MAX) * u128::from(u64::MAX));
    }

    #[test]
    fn tallies_are_written_as_their_number() {
        assert_eq!(Tally::from(92).to_string().parse(), Ok(Tally::from(92)));
        for text in ["", " ", "1 ", "1 2", "-2", "x"] {
            assert!(text.parse::<Tally>().is_err(), "'{text}'");
        }
    }
}
