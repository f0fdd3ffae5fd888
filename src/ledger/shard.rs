//! Shards: the units of a plan, dealt to M machines like cards.

use std::fmt;
use std::str::FromStr;

use crate::names::ValueError;

/// Shard K of M: the units K-1, K-1+M, K-1+2M and so on of a plan. It is written `K/M`; the whole plan is `1/1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    index: u32,
    of: u32,
}

impl Shard {
    /// The whole plan.
    pub const WHOLE: Self = Self { index: 1, of: 1 };
    /// The largest number of shards.
    pub const MAX: u32 = 1_000_000;

    /// Shard `index` of `of`; fails unless 1 ≤ `index` ≤ `of` ≤ [`Self::MAX`].
    pub fn new(index: u32, of: u32) -> Result<Self, ValueError> {
        if 0 < index && index <= of && of <= Self::MAX { Ok(Self { index, of }) } else { Err(Self::error()) }
    }

    fn error() -> ValueError {
        ValueError(format!("a shard is K/M with 1 ≤ K ≤ M ≤ {}, as in 3/16", Self::MAX))
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
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let numbers = text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        numbers.ok_or_else(Self::error).and_then(|(index, of)| Self::new(index, of))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_parsed_and_anything_else_is_refused() {
        for text in ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/b", "1/1000001", " 1/3"] {
            let refused = text.parse::<Shard>().unwrap_err().to_string();
            assert_eq!(refused, "a shard is K/M with 1 ≤ K ≤ M ≤ 1000000, as in 3/16", "{text}");
        }
        assert_eq!("1/1".parse(), Ok(Shard::WHOLE));
        assert_eq!("1000000/1000000".parse(), Shard::new(Shard::MAX, Shard::MAX));
        assert_eq!("7/9".parse::<Shard>().unwrap().to_string(), "7/9");
        let shard: Shard = "7/9".parse().unwrap();
        assert_eq!((shard.index(), shard.of(), shard.is_whole()), (7, 9, false));
    }
}
