//! How a command fails, and the exit code of each failure.

use std::error::Error;
use std::fmt::Display;
use std::iter;
use std::path::Path;
use std::process::ExitCode;

use queens::ledger::{LedgerError, StoreError};
use queens::{CountError, MethodError, ValueError};

use super::output;

/// Why a command ended early, in one line for people.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// The arguments do not go together, or one cannot be.
    Usage(String),
    /// It failed at run time.
    Run(String),
    /// A result is not what it should be.
    Wrong(String),
    /// Units or shards are missing at a merge.
    Missing(String),
    /// A signal has stopped it before the end.
    Stopped,
    /// The time of `--max-time` is over, and has said what is saved.
    TimeUp,
    /// The reader of stdout has closed it and has enough, as `| head` does.
    Closed,
}

impl Failure {
    /// The value of an argument is not allowed, which clap could not see.
    pub(crate) fn value(argument: &str, value: impl Display, reason: impl Display) -> Self {
        Self::Usage(format!("invalid value '{value}' for '{argument}': {reason}"))
    }

    /// The same, with the name of the file that it is about.
    pub(crate) fn of_file(self, path: &Path) -> Self {
        let name = |message: String| format!("{}: {message}", path.display());
        match self {
            Self::Run(message) => Self::Run(name(message)),
            Self::Wrong(message) => Self::Wrong(name(message)),
            other => other,
        }
    }

    /// The same of a result that is lost unless all of it is read.
    pub(crate) fn of_whole(self) -> Self {
        if matches!(self, Self::Closed) { Self::Run("cannot write stdout: broken pipe".to_owned()) } else { self }
    }

    /// Says what failed, and returns its exit code.
    pub(crate) fn exit(self) -> ExitCode {
        let (code, message) = match self {
            Self::Closed => return ExitCode::SUCCESS,
            // The process dies of the signal.
            Self::Stopped => return ExitCode::FAILURE,
            Self::TimeUp => return ExitCode::from(75),
            Self::Run(message) => (1, message),
            Self::Usage(message) => (2, message),
            Self::Wrong(message) => (3, message),
            Self::Missing(message) => (4, message),
        };
        output::error(&message);
        ExitCode::from(code)
    }
}

impl From<CountError> for Failure {
    fn from(error: CountError) -> Self {
        let message = told(&error);
        match error {
            CountError::Value(_) | CountError::Symmetric { .. } | CountError::Method(_) => Self::Usage(message),
            CountError::SelfCheck { .. } => Self::Wrong(message),
            CountError::Stopped => Self::Stopped,
            _ => Self::Run(message),
        }
    }
}

impl From<ValueError> for Failure {
    fn from(error: ValueError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<MethodError> for Failure {
    fn from(error: MethodError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        let message = error.to_string();
        match error {
            LedgerError::Contradiction { .. } => Self::Wrong(message),
            _ => Self::Run(message),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Run(of_store(&error))
    }
}

/// An error of a ledger's file, and what to do about it.
pub(crate) fn of_store(error: &StoreError) -> String {
    let advice = match error {
        StoreError::Busy(_) => "; wait for its end or choose another file",
        StoreError::Ledger(_, LedgerError::Damaged) => "; remove it and count it again",
        StoreError::Ledger(_, LedgerError::NotALedger | LedgerError::Contents) => "; choose another file",
        _ => "",
    };
    told(error) + advice
}

/// An error and what it came from.
fn told(error: &dyn Error) -> String {
    iter::successors(Some(error), |&error| error.source()).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
