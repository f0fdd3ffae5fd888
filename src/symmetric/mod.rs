//! Solutions that a turn of the board leaves unchanged, counted in one go.
#![allow(unused_variables)]

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::engine::lanes::Isa;
use crate::oeis::{self, Sequence};
use crate::request::Report;
use crate::run::CountError;
use crate::watch::Watch;

/// A turn of the board about its centre.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rotation {
    /// By 180 degrees.
    Half,
    /// By 90 degrees. The direction does not matter: a solution that one leaves unchanged, the other does too.
    Quarter,
}

impl Rotation {
    /// The sizes of board that are counted.
    pub const fn sizes(self) -> RangeInclusive<usize> {
        match self {
            Self::Half => 0..=34,
            Self::Quarter => 0..=69,
        }
    }

    /// The published terms: A032522 or A033148.
    pub fn sequence(self) -> &'static Sequence {
        match self {
            Self::Half => &oeis::HALF_TURN,
            Self::Quarter => &oeis::QUARTER_TURN,
        }
    }

    /// Its name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::Quarter => "quarter",
        }
    }
}

impl fmt::Display for Rotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No turn has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown turn '{0}'; choose half or quarter")]
pub struct UnknownRotation(String);

impl FromStr for Rotation {
    type Err = UnknownRotation;

    fn from_str(text: &str) -> Result<Self, UnknownRotation> {
        let found = [Self::Half, Self::Quarter].into_iter().find(|rotation| rotation.name() == text);
        found.ok_or_else(|| UnknownRotation(text.to_owned()))
    }
}

/// By its name.
#[cfg(feature = "serde")]
impl serde::Serialize for Rotation {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Counts the solutions on a board of `n` columns and rows that a turn leaves unchanged, on all threads.
///
/// # Errors
/// If `n` is not in [`Rotation::sizes`], the self-check fails, the threads cannot be started, or it was stopped.
pub fn count(
    rotation: Rotation,
    n: usize,
    isa: Option<Isa>,
    threads: usize,
    watch: &Watch,
) -> Result<Report, CountError> {
    todo!("symmetric")
}
