//! Instruction sets: their names, their detection, and the kernels for each.

#[cfg(target_arch = "aarch64")]
use super::Neon;
#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512Ice, Avx512f};
use super::{Kernels, Portable};
use crate::names::named;

/// An instruction set for which the hot loops are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Isa {
    /// Instructions that every processor of the target has.
    Portable,
    /// NEON, which every 64-bit Arm processor has.
    Neon,
    /// AVX2, with BMI1, BMI2 and POPCNT: Haswell, Zen and later.
    Avx2,
    /// AVX-512 F, BW, DQ and VL: Skylake-X.
    Avx512f,
    /// AVX-512 with BITALG, GFNI, VBMI and VPOPCNTDQ as well: Ice Lake, Zen 4 and later.
    Avx512,
}

// Ordered by speed: [`Isa::best`] takes the last one that the processor has.
named!(Isa { Portable: "portable", Neon: "neon", Avx2: "avx2", Avx512f: "avx512f", Avx512: "avx512" });

impl Isa {
    /// The instruction sets of this processor.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|isa| isa.is_available())
    }

    /// The fastest instruction set of this processor.
    pub fn best() -> Self {
        Self::available().last().unwrap_or(Self::Portable)
    }

    /// Whether this processor has the instruction set.
    pub fn is_available(self) -> bool {
        self.kernels().is_some()
    }

    /// The kernels for this instruction set, or `None` if the processor lacks it.
    #[doc(hidden)]
    pub fn kernels(self) -> Option<&'static dyn Kernels> {
        match self {
            Self::Portable => Portable::detect(),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => Neon::detect(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Avx2::detect(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512f => Avx512f::detect(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => Avx512Ice::detect(),
            _ => None,
        }
    }
}
