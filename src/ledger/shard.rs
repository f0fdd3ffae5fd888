//! Shards: the units of a plan dealt to M machines in turn, like cards.

use std::fmt;
use std::str::FromStr;

/// Shard K of M: the units K-1, K-1+M, K-1+2M and so on of a plan. It is written `K/M`; the whole plan is `1/1`.
///
/// ```
/// use queens::ledger::Shard;
/// let shard: Shard = "2/3".parse()?;
/// assert_eq!(shard.units(8).collect::<Vec<_>>(), [1, 4, 7]);
/// assert!("4/3".parse::<Shard>().is_err());
/// # Ok::<(), queens::ledger::ShardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    index: u32,
    of: u32,
}

/// Why something is not a [`Shard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a shard is K/M with 1 ≤ K ≤ M ≤ {}, as in 3/16", Shard::MOST)]
pub struct ShardError;

impl Shard {
    /// The whole plan.
    pub const WHOLE: Self = Self { index: 1, of: 1 };
    /// The largest number of shards.
    pub const MOST: u32 = 1_000_000;

    /// Shard `index`, counted from 1, of `of`.
    pub const fn new(index: u32, of: u32) -> Result<Self, ShardError> {
        if 0 < index && index <= of && of <= Self::MOST { Ok(Self { index, of }) } else { Err(ShardError) }
    }

    /// Its number K, from 1.
    pub const fn index(self) -> u32 {
        self.index
    }

    /// The number M of shards.
    pub const fn of(self) -> u32 {
        self.of
    }

    /// Whether this is the whole plan.
    pub fn is_whole(self) -> bool {
        self == Self::WHOLE
    }

    /// Its units, in order, of a plan with `units` units.
    pub fn units(self, units: usize) -> impl ExactSizeIterator<Item = usize> {
        (self.index as usize - 1..units).step_by(self.of as usize)
    }

    /// Whether the shard has this unit.
    pub const fn contains(self, unit: usize) -> bool {
        unit % self.of as usize == self.index as usize - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let number = |part: &str| part.parse().map_err(|_| ShardError);
        let (index, of) = text.split_once('/').ok_or(ShardError)?;
        Self::new(number(index)?, number(of)?)
    }
}

/// Ascending numbers as text, with consecutive numbers written as ranges, as job arrays take them: `3,7-9`.
///
/// ```
/// assert_eq!(queens::ledger::ranges([3, 7, 8, 9]), "3,7-9");
/// ```
pub fn ranges(numbers: impl IntoIterator<Item = u32>) -> String {
    let numbers: Vec<u32> = numbers.into_iter().collect();
    let runs = numbers.chunk_by(|number, next| number + 1 == *next).map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run[0].to_string(),
    });
    runs.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_shards_are_shards() {
        for text in ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/b", "1/1000001", " 1/3"] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError), "{text}");
        }
        assert_eq!("1/1".parse(), Ok(Shard::WHOLE));
        assert_eq!("1000000/1000000".parse(), Shard::new(Shard::MOST, Shard::MOST));
        assert_eq!(Shard::new(Shard::MOST, Shard::MOST).map(Shard::index), Ok(Shard::MOST));
        assert_eq!("7/9".parse::<Shard>().unwrap().to_string(), "7/9");
        let shard: Shard = "7/9".parse().unwrap();
        assert_eq!((shard.index(), shard.of(), shard.is_whole()), (7, 9, false));
    }

    #[test]
    fn runs_are_drawn_together() {
        assert_eq!(ranges([]), "");
        assert_eq!(ranges([5]), "5");
        assert_eq!(ranges([1, 2, 4, 6, 7, 8]), "1-2,4,6-8");
    }

    proptest! {
        #[test]
        fn every_unit_is_in_one_shard(units in 0usize..200, of in 1u32..30) {
            let mut dealt = vec![0; units];
            for index in 1..=of {
                let shard = Shard::new(index, of).unwrap();
                for unit in shard.units(units) {
                    prop_assert!(shard.contains(unit));
                    dealt[unit] += 1;
                }
            }
            prop_assert!(dealt.iter().all(|&times| times == 1));
        }
    }
}
