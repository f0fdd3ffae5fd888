//! Instruction sets: which there are, which this processor has, and from a name to the proof of it.

use std::fmt;
use std::str::FromStr;

#[cfg(target_arch = "aarch64")]
use super::Neon;
#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512Ice, Avx512f};
use super::{Lanes, LevelSearch, Portable};
use crate::names::{self, ValueError};

/// An instruction set for which the hot loops are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Isa {
    /// What every processor of the target has.
    Portable,
    /// NEON, which every 64-bit Arm processor has.
    Neon,
    /// AVX2, with BMI1, BMI2 and POPCNT: Haswell, Zen and later.
    Avx2,
    /// AVX-512 F, BW, DQ and VL: Skylake-X.
    Avx512f,
    /// AVX-512 with VBMI, VPOPCNTDQ and GFNI too: Ice Lake, Zen 4 and later.
    Avx512,
}

/// Something to do with the lanes of an instruction set, whichever type they have.
pub trait WithLanes {
    /// What comes of it.
    type Output;

    /// Does it.
    fn with<L: Lanes + LevelSearch>(self, lanes: L) -> Self::Output;
}

impl Isa {
    /// Every instruction set, on whatever processor, the fastest of a processor last.
    pub const ALL: [Self; 5] = [Self::Portable, Self::Neon, Self::Avx2, Self::Avx512f, Self::Avx512];

    /// Those that this processor has.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|isa| isa.is_available())
    }

    /// The fastest that this processor has.
    pub fn best() -> Self {
        Self::available().last().unwrap_or(Self::Portable)
    }

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        struct Nothing;
        impl WithLanes for Nothing {
            type Output = ();
            fn with<L: Lanes>(self, _: L) {}
        }
        self.with(Nothing).is_some()
    }

    /// Does `job` with the lanes of this instruction set; `None` where the processor lacks it.
    #[doc(hidden)]
    pub fn with<J: WithLanes>(self, job: J) -> Option<J::Output> {
        match self {
            Self::Portable => Portable::detect().map(|lanes| job.with(lanes)),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => Neon::detect().map(|lanes| job.with(lanes)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Avx2::detect().map(|lanes| job.with(lanes)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512f => Avx512f::detect().map(|lanes| job.with(lanes)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => Avx512Ice::detect().map(|lanes| job.with(lanes)),
            #[cfg(not(target_arch = "aarch64"))]
            Self::Neon => None,
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512f | Self::Avx512 => None,
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512f => "avx512f",
            Self::Avx512 => "avx512",
        })
    }
}

impl FromStr for Isa {
    type Err = ValueError;

    /// Reads an instruction set as it is displayed.
    fn from_str(name: &str) -> Result<Self, ValueError> {
        names::read(name, &Self::ALL)
    }
}
