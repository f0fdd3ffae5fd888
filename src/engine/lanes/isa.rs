//! Instruction sets: which there are, which this processor has, and from a name to the proof of it.

use std::fmt;
use std::str::FromStr;

#[cfg(target_arch = "aarch64")]
use super::Neon;
#[cfg(target_arch = "x86_64")]
use super::{Avx2, Avx512Ice, Avx512f};
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
    /// AVX-512 F, BW, DQ and VL, and nothing that came later: Skylake-X.
    Avx512f,
    /// The best version of AVX-512 that the processor has: with VPOPCNTDQ and GFNI on Ice Lake, Zen 4 and later, else
    /// the same as [`Isa::Avx512f`]. [`Isa::version`] tells which.
    Avx512,
}

/// Lanes that are compiled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Portable,
    Neon,
    Avx2,
    Avx512f,
    Avx512Ice,
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
    pub const ALL: [Self; 5] = [Self::Portable, Self::Neon, Self::Avx2, Self::Avx512f, Self::Avx512];

    /// Those compiled into this program.
    pub fn compiled() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|isa| match isa {
            Self::Portable => true,
            Self::Neon => cfg!(target_arch = "aarch64"),
            Self::Avx2 | Self::Avx512f | Self::Avx512 => cfg!(target_arch = "x86_64"),
        })
    }

    /// Those that this processor has too, each with code of its own: `avx512f` is left out where it is the best version of
    /// AVX-512, and so what `avx512` means.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::distinct(Version::is_available)
    }

    /// The sets that run on a processor with these versions, the last of those that mean the same one.
    fn distinct(has: impl Fn(Version) -> bool) -> impl Iterator<Item = Self> {
        let all = Self::ALL.map(|isa| (isa, isa.best_version(&has)));
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
        self.best_version(Version::is_available).is_some()
    }

    /// Which version of it runs on this processor, as its type's name.
    pub fn version(self) -> Option<&'static str> {
        self.with(TypeName)
    }

    /// Does `job` with the best lanes of this instruction set that the processor has; `None` where it has none.
    pub fn with<J: WithLanes>(self, job: J) -> Option<J::Output> {
        self.best_version(Version::is_available)?.with(job)
    }

    /// Of the versions that go by this name the first that there is, the best first.
    fn best_version(self, has: impl Fn(Version) -> bool) -> Option<Version> {
        let versions: &[Version] = match self {
            Self::Portable => &[Version::Portable],
            Self::Neon => &[Version::Neon],
            Self::Avx2 => &[Version::Avx2],
            Self::Avx512f => &[Version::Avx512f],
            Self::Avx512 => &[Version::Avx512Ice, Version::Avx512f],
        };
        versions.iter().copied().find(|&version| has(version))
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

impl Version {
    /// Whether it is compiled for this target, and this processor has it.
    fn is_available(self) -> bool {
        self.with(IsThere).is_some()
    }

    /// Does `job` with its lanes, where it is available.
    fn with<J: WithLanes>(self, job: J) -> Option<J::Output> {
        match self {
            Self::Portable => Portable::detect().map(|lanes| job.with(lanes)),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => Neon::detect().map(|lanes| job.with(lanes)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Avx2::detect().map(|lanes| job.with(lanes)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512f => Avx512f::detect().map(|lanes| job.with(lanes)),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Ice => Avx512Ice::detect().map(|lanes| job.with(lanes)),
            #[cfg(not(target_arch = "aarch64"))]
            Self::Neon => None,
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512f | Self::Avx512Ice => None,
        }
    }
}

struct IsThere;

impl WithLanes for IsThere {
    type Output = ();

    fn with<L: Lanes>(self, _: L) {}
}

#[cfg(test)]
impl Isa {
    /// The type of the lanes that run under this name on this processor, for tests of whatever chooses by it.
    pub(crate) fn lanes(self) -> &'static str {
        match self.best_version(Version::is_available).expect("the processor has it") {
            Version::Portable => "Portable",
            Version::Neon => "Neon",
            Version::Avx2 => "Avx2",
            Version::Avx512f => "Avx512f",
            Version::Avx512Ice => "Avx512Ice",
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// On processors that nobody here may have: what is chosen is by name, and each version is named once.
    #[test]
    fn the_best_version_that_there_is_goes_by_the_name() {
        let processors: [(&[Version], &[Isa]); 4] = [
            (&[], &[Isa::Portable]),
            (&[Version::Avx2], &[Isa::Portable, Isa::Avx2]),
            (&[Version::Avx2, Version::Avx512f], &[Isa::Portable, Isa::Avx2, Isa::Avx512]),
            (
                &[Version::Avx2, Version::Avx512f, Version::Avx512Ice],
                &[Isa::Portable, Isa::Avx2, Isa::Avx512f, Isa::Avx512],
            ),
        ];
        for (versions, expected) in processors {
            let has = |version| version == Version::Portable || versions.contains(&version);
            assert_eq!(Isa::distinct(has).collect::<Vec<_>>(), expected, "{versions:?}");
            let ice = versions.contains(&Version::Avx512Ice).then_some(Version::Avx512Ice);
            let plain = versions.contains(&Version::Avx512f).then_some(Version::Avx512f);
            assert_eq!(Isa::Avx512.best_version(has), ice.or(plain), "{versions:?}");
            assert_eq!(Isa::Avx512f.best_version(has), plain, "{versions:?}");
        }
    }

    /// Each name stands for lanes of its own: those of `avx2` are not `portable` ones under another name.
    #[test]
    fn every_set_runs_its_own_lanes() {
        struct Type;
        impl WithLanes for Type {
            type Output = &'static str;
            fn with<L: Lanes + Search>(self, _: L) -> &'static str {
                std::any::type_name::<L>()
            }
        }
        for isa in Isa::available() {
            let lanes = isa.with(Type).unwrap();
            assert_eq!(lanes.rsplit("::").next(), Some(isa.lanes()), "{isa} runs {lanes}");
        }
    }
}
