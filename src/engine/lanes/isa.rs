//! Instruction sets: which there are, which this processor has, and from a name to the proof of it.

use std::fmt;
use std::str::FromStr;

#[cfg(target_arch = "aarch64")]
use super::Neon;
#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512, Avx512Ice};
use super::{Lanes, Portable, Search};

/// An instruction set for which the hot loops are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Isa {
    /// What every processor of the target has.
    Portable,
    /// NEON, which every 64-bit Arm processor has.
    Neon,
    /// AVX2, with BMI1, BMI2 and POPCNT: Haswell, Zen and later.
    Avx2,
    /// AVX-512 F, BW, DQ and VL, and more of it where the processor has that ([`Isa::version`]).
    Avx512,
}

/// Why an instruction set can't be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IsaError {
    /// No such name.
    #[error("no instruction set is named '{0}'; there are {names}", names = names(Isa::ALL.into_iter()))]
    Unknown(String),
    /// Not on this processor.
    #[error("this processor has no {0}; it has {names}", names = names(Isa::available()))]
    Missing(Isa),
}

/// Something to do with the lanes of an instruction set, whichever type they have.
pub trait WithLanes {
    /// What comes of it.
    type Output;

    /// Does it.
    fn with<L: Lanes + Search>(self, lanes: L) -> Self::Output;
}

impl Isa {
    /// Every instruction set, on whatever processor, the fastest of a processor last.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Neon, Self::Avx2, Self::Avx512];

    /// Those compiled into this program.
    pub fn compiled() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|isa| match isa {
            Self::Portable => true,
            Self::Neon => cfg!(target_arch = "aarch64"),
            Self::Avx2 | Self::Avx512 => cfg!(target_arch = "x86_64"),
        })
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
        self.with(IsThere).is_some()
    }

    /// Which version of it runs on this processor, as its type's name.
    pub fn version(self) -> Option<&'static str> {
        self.with(TypeName)
    }

    /// Does `job` with the best lanes of this instruction set that the processor has; `None` where it has none.
    pub fn with<J: WithLanes>(self, job: J) -> Option<J::Output> {
        match self {
            Self::Portable => Portable::detect().map(|lanes| job.with(lanes)),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => Neon::detect().map(|lanes| job.with(lanes)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Avx2::detect().map(|lanes| job.with(lanes)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => match Avx512Ice::detect() {
                Some(lanes) => Some(job.with(lanes)),
                None => Avx512::detect().map(|lanes| job.with(lanes)),
            },
            #[cfg(not(target_arch = "aarch64"))]
            Self::Neon => None,
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => None,
        }
    }

    /// Its name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

struct IsThere;

impl WithLanes for IsThere {
    type Output = ();

    fn with<L: Lanes>(self, _: L) {}
}

struct TypeName;

impl WithLanes for TypeName {
    type Output = &'static str;

    fn with<L: Lanes>(self, _: L) -> &'static str {
        L::NAME
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
