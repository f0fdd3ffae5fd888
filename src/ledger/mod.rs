//! Ledgers: which units of a plan are finished, and the tally of each.
//!
//! A checkpoint is an unfinished ledger and a shard's result is a finished one over its units. Resuming and merging
//! are one operation, the union of ledgers with the same [`Fingerprint`], so no unit can ever enter a total twice.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`format`](mod@format) | a ledger as text: versioned, checksummed |
//! | [`store`] | a ledger as a file: locked, saved durably, with the save before it beside it |

mod fingerprint;
pub mod format;
mod lock;
pub mod store;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::shard::Shard;
use crate::tally::{Overflow, Tally};

pub(crate) use fingerprint::PROFILE;
use fingerprint::differ;
pub use fingerprint::{Fingerprint, Subject};

/// Why a ledger does not take something in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// It belongs to another count.
    #[error("it is for {what} {found}, not {wanted}")]
    Foreign {
        /// What differs.
        what: &'static str,
        /// What the ledger has.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// No such unit, or none of this shard.
    #[error("unit {unit} is none of shard {shard} of a plan with {units} units")]
    Outside {
        /// The unit.
        unit: usize,
        /// The ledger's shard.
        shard: Shard,
        /// The units of the plan.
        units: usize,
    },
    /// Two tallies for one unit: one of them is wrong.
    #[error("unit {unit} has two tallies, {first} and {second}")]
    Conflict {
        /// The unit.
        unit: usize,
        /// The tally that stood there.
        first: Box<Tally>,
        /// The tally that came.
        second: Box<Tally>,
    },
}

/// Where a ledger comes from: for people, never compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The machine's name.
    pub host: String,
    /// Name and version of the program.
    pub program: String,
    /// Seconds of wall time spent, over every run that added to it.
    pub seconds: f64,
    /// Seconds of processor time that all threads of these runs spent together. `None` where one of them could not tell:
    /// on Windows, or by version 0.1.
    pub cpu_seconds: Option<f64>,
}

impl Default for Origin {
    /// From nowhere, and nothing spent.
    fn default() -> Self {
        Self { host: String::new(), program: String::new(), seconds: 0.0, cpu_seconds: Some(0.0) }
    }
}

/// Finished units and their tallies.
///
/// ```
/// use queens::ledger::{Fingerprint, Ledger};
/// use queens::{Placement, Shard, Size};
/// let prefix = Placement::empty(Size::new(8)?);
/// let fingerprint = Fingerprint { subject: prefix.into(), engine: "naive".into(), plan: "rows".into(), units: 4 };
/// let mut ledger = Ledger::new(fingerprint, Shard::new(1, 2)?);
/// ledger.record(2, 32.into())?;
/// assert!(ledger.record(2, 33.into()).is_err(), "a unit has one tally");
/// assert_eq!(ledger.todo(), [0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ledger {
    fingerprint: Fingerprint,
    shard: Shard,
    tallies: BTreeMap<usize, Tally>,
    /// Where it comes from.
    pub origin: Origin,
}

impl Ledger {
    /// A ledger without a finished unit.
    pub fn new(fingerprint: Fingerprint, shard: Shard) -> Self {
        Self { fingerprint, shard, tallies: BTreeMap::new(), origin: Origin::default() }
    }

    /// What its units mean.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// Which units it is for.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    /// The finished units in order.
    pub fn tallies(&self) -> impl Iterator<Item = (usize, Tally)> {
        self.tallies.iter().map(|(&unit, tally)| (unit, tally.clone()))
    }

    /// How many units are finished.
    pub fn finished(&self) -> usize {
        self.tallies.len()
    }

    /// How many units its shard has.
    pub fn units(&self) -> usize {
        self.shard.units(self.fingerprint.units).len()
    }

    /// The units of its shard that are not finished, in order.
    pub fn todo(&self) -> Vec<usize> {
        self.shard.units(self.fingerprint.units).filter(|unit| !self.tallies.contains_key(unit)).collect()
    }

    /// Whether every unit of its shard is finished.
    pub fn is_complete(&self) -> bool {
        self.finished() == self.units()
    }

    /// The sum of its tallies.
    ///
    /// # Errors
    /// Where it does not fit.
    pub fn total(&self) -> Result<Tally, Overflow> {
        self.tallies.values().try_fold(Tally::default(), Tally::join)
    }

    /// Whether it is about this shard of this count.
    ///
    /// # Errors
    /// Where it is not.
    pub fn check(&self, fingerprint: &Fingerprint, shard: Shard) -> Result<(), LedgerError> {
        self.fingerprint.check(fingerprint)?;
        differ("shard", &self.shard.to_string(), &shard.to_string())
    }

    /// Enters a finished unit. Entering the same tally again changes nothing.
    ///
    /// # Errors
    /// Where the unit is not one of the shard, or has another tally.
    pub fn record(&mut self, unit: usize, tally: Tally) -> Result<(), LedgerError> {
        let units = self.fingerprint.units;
        if unit >= units || !self.shard.contains(unit) {
            return Err(LedgerError::Outside { unit, shard: self.shard, units });
        }
        match self.tallies.entry(unit) {
            Entry::Vacant(entry) => {
                entry.insert(tally);
                Ok(())
            }
            Entry::Occupied(entry) if *entry.get() == tally => Ok(()),
            Entry::Occupied(entry) => {
                let (first, second) = (Box::new(entry.get().clone()), Box::new(tally));
                Err(LedgerError::Conflict { unit, first, second })
            }
        }
    }

    /// Enters all that `other` knows, whatever its shard.
    ///
    /// # Errors
    /// Where it belongs to another count, or contradicts what is here; this ledger is then of no further use.
    pub fn join(&mut self, other: &Self) -> Result<(), LedgerError> {
        other.fingerprint.check(&self.fingerprint)?;
        let before = self.finished();
        other.tallies().try_for_each(|(unit, tally)| self.record(unit, tally))?;
        // The same file given twice was computed once.
        if self.finished() > before {
            self.origin.seconds += other.origin.seconds;
            self.origin.cpu_seconds = self.origin.cpu_seconds.zip(other.origin.cpu_seconds).map(|(a, b)| a + b);
        }
        Ok(())
    }

    /// Which of `of` shards have units that are not finished here, from 1.
    pub fn unfinished_shards(&self, of: u32) -> impl Iterator<Item = u32> {
        let open = move |index: &u32| {
            let shard = Shard::new(*index, of).expect("1 ≤ index ≤ of");
            !shard.units(self.fingerprint.units).all(|unit| self.tallies.contains_key(&unit))
        };
        (1..=of).filter(open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Placement, Size};
    use proptest::prelude::*;

    fn fingerprint(units: usize) -> Fingerprint {
        let prefix = Placement::empty(Size::new(12).unwrap());
        Fingerprint { subject: prefix.into(), engine: "naive".into(), plan: "a plan".into(), units }
    }

    #[test]
    fn differences_are_named_the_plainest_first() {
        let ours = fingerprint(5);
        let prefix = Placement::parse("1,3", Size::new(12).unwrap()).unwrap();
        let cases = [
            (
                Fingerprint { subject: Placement::empty(Size::new(11).unwrap()).into(), units: 4, ..ours.clone() },
                "it is for N = 11, not 12",
            ),
            (Fingerprint { subject: prefix.into(), ..ours.clone() }, "it is for the prefix 1,3, not of no queens"),
            (Fingerprint { engine: "join".into(), ..ours.clone() }, "it is for the engine join, not naive"),
            (Fingerprint { plan: "b plan".into(), ..ours.clone() }, "it is for the plan b plan, not a plan"),
            (fingerprint(6), "it is for a plan with units: 6, not 5"),
        ];
        for (theirs, message) in cases {
            assert_eq!(theirs.check(&ours).unwrap_err().to_string(), message);
            let mut ledger = Ledger::new(ours.clone(), Shard::WHOLE);
            assert_eq!(ledger.join(&Ledger::new(theirs, Shard::WHOLE)).unwrap_err().to_string(), message);
        }
        assert_eq!(ours.check(&fingerprint(5)), Ok(()));
    }

    #[test]
    fn units_stay_in_their_shard() {
        let mut ledger = Ledger::new(fingerprint(10), Shard::new(2, 3).unwrap());
        let outside = |unit| LedgerError::Outside { unit, shard: Shard::new(2, 3).unwrap(), units: 10 };
        assert_eq!(ledger.record(0, 1.into()), Err(outside(0)));
        assert_eq!(ledger.record(10, 1.into()), Err(outside(10)));
        assert_eq!(ledger.record(4, 1.into()), Ok(()));
        assert!(!ledger.is_complete());
        assert_eq!(ledger.todo(), [1, 7]);
    }

    proptest! {
        /// However a plan is dealt and in whichever order the parts come, overlaps included, they make the whole.
        #[test]
        fn any_partition_merges_to_the_whole(
            tallies in proptest::collection::vec((any::<u64>(), 0u32..8, any::<bool>()), 0..60),
            reversed: bool,
        ) {
            let fingerprint = fingerprint(tallies.len());
            let part = |keep: &dyn Fn(u32, bool) -> bool| {
                let mut ledger = Ledger::new(fingerprint.clone(), Shard::WHOLE);
                for (unit, &(tally, owner, twice)) in tallies.iter().enumerate() {
                    if keep(owner, twice) {
                        ledger.record(unit, u128::from(tally).into()).unwrap();
                    }
                }
                ledger
            };
            let whole = part(&|_, _| true);
            // Part 8 holds units that another part has too.
            let mut parts: Vec<Ledger> = (0..8).map(|p| part(&|owner, _| owner == p)).collect();
            parts.push(part(&|_, twice| twice));
            if reversed {
                parts.reverse();
            }
            let mut merged = Ledger::new(fingerprint.clone(), Shard::WHOLE);
            for part in &parts {
                merged.join(part).unwrap();
            }
            prop_assert_eq!(&merged, &whole);
            prop_assert!(merged.is_complete());
            let sum: u128 = tallies.iter().map(|&(tally, ..)| u128::from(tally)).sum();
            prop_assert_eq!(merged.total().unwrap().get(), sum);
        }

        /// Shards make the whole, and those left out are named.
        #[test]
        fn shards_merge_to_the_whole(units in 0usize..60, of in 1u32..10, lost in 1u32..10) {
            let mut merged = Ledger::new(fingerprint(units), Shard::WHOLE);
            for index in (1..=of).filter(|&index| index != lost) {
                let mut ledger = Ledger::new(fingerprint(units), Shard::new(index, of).unwrap());
                for unit in ledger.todo() {
                    ledger.record(unit, (unit as u128).into()).unwrap();
                }
                prop_assert!(ledger.is_complete());
                merged.join(&ledger).unwrap();
            }
            let missing: Vec<u32> = merged.unfinished_shards(of).collect();
            let lost_units = lost <= of && (lost as usize) <= units;
            prop_assert_eq!(missing, if lost_units { vec![lost] } else { vec![] });
            prop_assert_eq!(merged.is_complete(), !lost_units);
        }

        /// A tally that differs between two ledgers never passes.
        #[test]
        fn contradictions_are_found(units in 1usize..40, unit in 0usize..40, by in 1u128..1000) {
            let unit = unit % units;
            let mut ours = Ledger::new(fingerprint(units), Shard::WHOLE);
            let mut theirs = ours.clone();
            ours.record(unit, 1000.into()).unwrap();
            theirs.record(unit, (1000 + by).into()).unwrap();
            prop_assert_eq!(
                ours.join(&theirs),
                Err(LedgerError::Conflict { unit, first: Box::new(1000.into()), second: Box::new((1000 + by).into()) })
            );
        }
    }
}
