//! Instruction sets: which there are, which this processor has, and from a name to the proof of it.

use std::fmt;
use std::str::FromStr;

#[cfg(target_arch = "aarch64")]
use super::Neon;
#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512Ice, Avx512f};
use super::{Lanes, LevelSearch, Portable};

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
    /// AVX-512 F, BW, DQ and VL, and nothing that came later: Skylake-X.
    Avx512f,
    /// The best version of AVX-512 that the processor has: with VPOPCNTDQ and GFNI on Ice Lake, Zen 4 and later, else
    /// the same as [`Isa::Avx512f`]. [`Isa::version`] tells which.
    Avx512,
}

/// Why an instruction set can't be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IsaError {
    /// No such name.
    #[error("unknown instruction set '{0}'; choose one of {names}", names = names(Isa::ALL.into_iter()))]
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
    fn with<L: Lanes + LevelSearch>(self, lanes: L) -> Self::Output;
}

/// By its name.
#[cfg(feature = "serde")]
impl serde::Serialize for Isa {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Isa {
    /// Every instruction set, on whatever processor, the fastest of a processor last.
    pub const ALL: [Self; 5] = [Self::Portable, Self::Neon, Self::Avx2, Self::Avx512f, Self::Avx512];

    /// Those compiled into this program.
    pub fn compiled() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|isa| match isa {
            Self::Portable => true,
            Self::Neon => cfg!(target_arch = "aarch64"),
            Self::Avx2 | Self::Avx512f | Self::Avx512 => cfg!(target_arch = "x86_64"),
        })
    }

    /// Those that this processor has too, each with code of its own: `avx512f` is left out where it is the best version
    /// of AVX-512, and so what `avx512` means.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::distinct(Self::version)
    }

    /// The sets that have a version, the last of those that have the same one.
    fn distinct(version: impl Fn(Self) -> Option<&'static str>) -> impl Iterator<Item = Self> {
        let all = Self::ALL.map(|isa| (isa, version(isa)));
        all.into_iter().enumerate().filter_map(move |(place, (isa, version))| {
            let again = all[place + 1..].iter().any(|&(_, later)| later == version);
            (version.is_some() && !again).then_some(isa)
        })
    }

    /// The fastest that this processor has.
    pub fn best() -> Self {
        Self::available().last().unwrap_or(Self::Portable)
    }

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        self.version().is_some()
    }

    /// Which version of it runs on this processor, as its type's name; `None` where there is none.
    pub fn version(self) -> Option<&'static str> {
        struct Version;
        impl WithLanes for Version {
            type Output = &'static str;
            fn with<L: Lanes>(self, _: L) -> &'static str {
                L::NAME
            }
        }
        self.with(Version)
    }

    /// Does `job` with the best lanes of this instruction set that the processor has; `None` where it has none.
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
            Self::Avx512 => match Avx512Ice::detect() {
                Some(lanes) => Some(job.with(lanes)),
                None => Self::Avx512f.with(job),
            },
            #[cfg(not(target_arch = "aarch64"))]
            Self::Neon => None,
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512f | Self::Avx512 => None,
        }
    }

    /// Its name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512f => "avx512f",
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The type of the lanes that run under a name on this processor, for tests of whatever chooses by it.
    impl Isa {
        pub(crate) fn lanes(self) -> &'static str {
            match self.version().expect("the processor has it") {
                "portable" => "Portable",
                "neon" => "Neon",
                "avx2" => "Avx2",
                "avx512f" => "Avx512f",
                "avx512 with VPOPCNTDQ" => "Avx512Ice",
                other => unreachable!("{other}"),
            }
        }
    }

    /// On processors that nobody here may have: each version is named once.
    #[test]
    fn every_version_goes_by_one_name() {
        type Versions = &'static [(Isa, &'static str)];
        let processors: [(Versions, &[Isa]); 4] = [
            (&[], &[Isa::Portable]),
            (&[(Isa::Avx2, "avx2")], &[Isa::Portable, Isa::Avx2]),
            (&[(Isa::Avx2, "avx2"), (Isa::Avx512f, "f"), (Isa::Avx512, "f")], &[Isa::Portable, Isa::Avx2, Isa::Avx512]),
            (
                &[(Isa::Avx2, "avx2"), (Isa::Avx512f, "f"), (Isa::Avx512, "ice")],
                &[Isa::Portable, Isa::Avx2, Isa::Avx512f, Isa::Avx512],
            ),
        ];
        for (versions, expected) in processors {
            let version = |isa| match isa {
                Isa::Portable => Some("portable"),
                _ => versions.iter().find(|(of, _)| *of == isa).map(|&(_, version)| version),
            };
            assert_eq!(Isa::distinct(version).collect::<Vec<_>>(), expected, "{versions:?}");
        }
    }

    /// The best version of AVX-512 that the processor has goes by its name; which features that is, the tests of
    /// `lanes` ask.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn avx512_is_the_best_version() {
        let best = if Avx512Ice::detect().is_some() { Some(Avx512Ice::NAME) } else { Isa::Avx512f.version() };
        assert_eq!(Isa::Avx512.version(), best);
    }

    /// Each name stands for lanes of its own: those of `avx2` are not `portable` ones under another name.
    #[test]
    fn every_set_runs_its_own_lanes() {
        struct TypeName;
        impl WithLanes for TypeName {
            type Output = &'static str;
            fn with<L: Lanes + LevelSearch>(self, _: L) -> &'static str {
                std::any::type_name::<L>()
            }
        }
        for isa in Isa::available() {
            let lanes = isa.with(TypeName).unwrap();
            assert_eq!(lanes.rsplit("::").next(), Some(isa.lanes()), "{isa} runs {lanes}");
        }
    }
}
