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
}

impl Exit {
    const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::Difference => 3,
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
        let codes = [Exit::Success, Exit::Failure, Exit::Usage, Exit::Difference].map(Exit::code);
        assert_eq!(codes, [0, 1, 2, 3]);
    }
}
