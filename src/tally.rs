//! Checked sums. A count is exact or it is an error: nothing here wraps.

/// A sum of counts times weights, or the news that it does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally(u128);

/// A sum grew past 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the count does not fit in 128 bits")]
pub struct Overflow;

impl Tally {
    /// The sum so far.
    pub const fn get(self) -> u128 {
        self.0
    }

    /// Adds `count` solutions, each standing for `weight`.
    ///
    /// # Errors
    /// Where the sum would not fit.
    pub fn add(&mut self, count: u64, weight: u64) -> Result<(), Overflow> {
        // A product of two 64-bit numbers always fits in 128 bits; the sum need not.
        self.0 = self.0.checked_add(u128::from(count) * u128::from(weight)).ok_or(Overflow)?;
        Ok(())
    }

    /// The sum of two tallies.
    ///
    /// # Errors
    /// Where it would not fit.
    pub fn join(self, other: Self) -> Result<Self, Overflow> {
        self.0.checked_add(other.0).map(Self).ok_or(Overflow)
    }
}

impl From<u128> for Tally {
    fn from(count: u128) -> Self {
        Self(count)
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
        assert_eq!(Tally::from(u128::MAX).join(Tally::from(1)), Err(Overflow));
        let mut large = Tally::default();
        assert_eq!(large.add(u64::MAX, u64::MAX), Ok(()));
        assert_eq!(large.get(), u128::from(u64::MAX) * u128::from(u64::MAX));
    }
}
