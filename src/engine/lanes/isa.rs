//! Instruction sets: which there are, which this processor has, and from a name to the proof of it.

use std::fmt;
use std::str::FromStr;

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

/// `with_lanes!(isa, |lanes| work)` is what comes of the work with the lanes of an instruction set, or `None` where the processor
/// lacks it. The work is compiled for each type of lanes.
#[doc(hidden)]
#[macro_export]
macro_rules! with_lanes {
    ($isa:expr, $work:expr) => {{
        use lanes::{Isa, Lanes as _};
        use $crate::internals::lanes;
        match $isa {
            Isa::Portable => lanes::Portable::detect().map($work),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => lanes::Neon::detect().map($work),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => lanes::Avx2::detect().map($work),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512f => lanes::Avx512f::detect().map($work),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => lanes::Avx512Ice::detect().map($work),
            _ => None,
        }
    }};
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
        with_lanes!(self, |_| ()).is_some()
    }
}

/// The name of the variant in small letters.
impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{self:?}").to_lowercase())
    }
}

impl FromStr for Isa {
    type Err = ValueError;

    /// Reads an instruction set as it is displayed.
    fn from_str(name: &str) -> Result<Self, ValueError> {
        names::read(name, &Self::ALL)
    }
}
