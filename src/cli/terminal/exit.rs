//! Exit codes, as promised to scripts.

use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Success,
    /// Failed at run time.
    Failure,
    /// The arguments were wrong.
    Usage,
    /// A result differs from what it should be.
    Difference,
    /// Shards are missing at a merge.
    Missing,
    /// Stopped before the end, saved, and can be resumed.
    Stopped,
    /// Ended by the signal with this number, where the system does not report that itself: 128 plus the number.
    Signal(u8),
}

impl Exit {
    /// All but those of signals.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 6] =
        [Self::Success, Self::Failure, Self::Usage, Self::Difference, Self::Missing, Self::Stopped];

    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::Difference => 3,
            Self::Missing => 4,
            Self::Stopped => 75,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn codes_are_a_promise() {
        assert_eq!(Exit::ALL.map(Exit::code), [0, 1, 2, 3, 4, 75]);
        assert_eq!([2, 15].map(|signal| Exit::Signal(signal).code()), [130, 143]);
    }
}
