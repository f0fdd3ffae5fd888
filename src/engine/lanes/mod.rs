//! Bit-sliced matching: which of many patterns share no bit with a query, hundreds of pairs at a time.
//!
//! *Lanes* are the patterns of one side, 256 or 512 of them transposed so that each key is one vector with a bit for
//! each pattern. The keys are cut into windows of six or seven; for each window a table holds the OR of every subset of its
//! vectors. A query then costs one look-up a window: the zero bits of their OR are the lanes that share no key with it.
//!
//! ```text
//!            lane  0 1 2 3 ...
//! key 0  ->        1 0 0 1          query 1 0 1 ...  picks  key 0 | key 2  =  1 0 1 1 ...
//! key 1  ->        0 1 0 0                                                        ^ lane 1 is its partner
//! key 2  ->        1 0 1 0
//! ```
//!
//! The interface is [`Lanes`]. [`kernel`] holds the algorithms, once, over the operations of [`vector::Vector`];
//! each instruction set is a file with those operations and a thin shell. A value of a type that implements `Lanes`
//! proves that the processor has the instructions, for its only constructor asks.
//!
//! This is the only place with `unsafe` code: intrinsics, and pointers in loops where each bounds check would cost as
//! much as the work.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod kernel;
mod portable;
mod shell;
#[cfg(test)]
mod tests;
mod vector;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::Avx512;
pub use portable::Portable;

use std::fmt;
use std::str::FromStr;

/// An instruction set for which the matching is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// What every processor of the target has.
    Portable,
    /// AVX2, with BMI1, BMI2 and POPCNT.
    Avx2,
    /// AVX-512F, with VPOPCNTDQ where the processor has it.
    Avx512,
}

/// Why an instruction set can't be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IsaError {
    /// No such name.
    #[error("no instruction set is named '{0}'; there are portable, avx2 and avx512")]
    Unknown(String),
    /// Not on this processor.
    #[error("this processor has no {0}; it has {names}", names = names(Isa::available()))]
    Missing(Isa),
}

impl Isa {
    /// Every instruction set, on whatever processor, the fastest last.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Those compiled into this program.
    pub fn compiled() -> impl Iterator<Item = Self> {
        let count = if cfg!(target_arch = "x86_64") { 3 } else { 1 };
        Self::ALL.into_iter().take(count)
    }

    /// Those that this processor has too.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::compiled().filter(|isa| isa.is_available())
    }

    /// The fastest that this processor has.
    pub fn best() -> Self {
        Self::available().last().unwrap_or(Self::Portable)
    }

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => Avx512::<false>::detect().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// Its name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

/// Names with commas between.
pub fn names(isas: impl Iterator<Item = Isa>) -> String {
    isas.map(Isa::name).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Isa {
    type Err = IsaError;

    fn from_str(text: &str) -> Result<Self, IsaError> {
        Self::ALL.into_iter().find(|isa| isa.name() == text).ok_or_else(|| IsaError::Unknown(text.to_owned()))
    }
}

/// Windows of keys that a query may be cut into.
const WINDOWS: usize = 9;

/// Entries of all tables together: nine windows of six keys, or two of seven and three of six.
const ENTRIES: usize = WINDOWS << 6;

/// How the keys of a pattern are cut into windows of six, and some of seven. Windows may overlap.
///
/// Keys lie in the middle of the word: `width` of one kind below bit 32, as many of the other from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Where each begins.
    shifts: [u32; WINDOWS],
    count: usize,
    /// How many, the first, are of seven.
    sevens: usize,
}

impl Windows {
    /// Windows over `width` ≤ 26 keys of each kind without the `decided` outermost at either end, by steps of two:
    /// those that the innermost queens hold, which have been compared before.
    ///
    /// # Panics
    /// Where the keys do not leave the lowest six bits free.
    pub fn new(width: usize, decided: usize) -> Self {
        assert!(width <= 26, "keys lie from bit 6 to bit 57");
        let start = 32 - width + (2 * decided).min(width);
        let keys = 2 * width - (4 * decided).min(2 * width);
        // Two tables of seven keys are cheaper than a sixth look-up; five would no longer fit in the first-level cache.
        let (count, sevens) = match keys {
            0..=30 => (5, 0),
            31..=32 => (5, 2),
            33..=36 => (6, 0),
            37..=42 => (7, 0),
            43..=48 => (8, 0),
            _ => (9, 0),
        };
        let mut shifts = [0; WINDOWS];
        let mut next = start;
        for (window, shift) in shifts.iter_mut().enumerate().take(count) {
            let size = if window < sevens { 7 } else { 6 };
            // The last windows end with the last key, and so may overlap those before.
            *shift = next.min((start + keys).saturating_sub(size).max(start)) as u32;
            next += size;
        }
        Self { shifts, count, sevens }
    }
}

/// The bits of a pattern that may hold keys.
pub const KEY_BITS: u64 = ((1 << 52) - 1) << 6;

/// A pattern of a quadrant with the rank of its column set, below 4096, in the bits beside the keys. A list of ranks
/// would take a fifth more memory, and one more load for each pattern.
pub fn ranked(pattern: u64, rank: u16) -> u64 {
    debug_assert!(pattern & !KEY_BITS == 0 && rank < 1 << 12);
    pattern | u64::from(rank).rotate_right(6)
}

/// The rank in a pattern.
#[inline(always)]
fn rank(pattern: u64) -> usize {
    pattern.rotate_left(6) as usize & 0xfff
}

/// Ranked patterns of the other quadrant of the half in runs, one for each column set.
#[derive(Clone, Copy, Debug)]
pub struct Partners<'a> {
    /// All of them.
    pub patterns: &'a [u64],
    /// Where each run begins; one more for the end.
    pub starts: &'a [u32],
}

/// Room for the tables of one block of lanes.
#[derive(Debug, Default)]
pub struct Tables {
    words: Vec<u64>,
}

/// The operations of the join on many patterns, by some instruction set.
pub trait Lanes: Copy + Send + Sync + 'static {
    /// Lanes of a block.
    const LANES: usize;

    /// The proof that this processor has the instructions, if it does.
    fn detect() -> Option<Self>;

    /// For each ranked pattern p of the stream and each q in its run, the one as far from the last as p's rank is from
    /// 0, appends the keys of both where they share none.
    fn pairs(self, stream: &[u64], partners: Partners, out: &mut Vec<u64>);

    /// Appends the patterns that share no bit with `avoid`.
    fn keep(self, patterns: &[u64], avoid: u64, out: &mut Vec<u64>);

    /// For each list of queries the number of pairs of a lane and a query that share no bit, where the queries are
    /// mirrored: bit k of a query meets bit 63 - k of a lane. Bits outside of `windows` must not matter.
    fn disjoint<const LISTS: usize>(
        self,
        lanes: &[u64],
        queries: [&[u64]; LISTS],
        windows: &Windows,
        tables: &mut Tables,
    ) -> [u64; LISTS];
}
