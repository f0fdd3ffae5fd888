//! Why a command ended early.

use std::fmt::Display;
use std::io;

use queens::CountError;
use queens::ledger::LedgerError;
use queens::ledger::store::StoreError;
use queens::run::RunError;

use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::stdout;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of stdout went away with some of it, as `| head` does: no failure at all.
    Closed,
    /// The arguments made no sense together, in words for people.
    Usage(String),
    /// Something went wrong, in words for people.
    Run(Exit, String),
    /// All has been said already.
    AlreadyReported(Exit),
    /// A signal ended it; all has been said already.
    Signal(i32),
}

impl Failure {
    /// The value of one argument makes no sense, for a reason that only shows beside the others.
    pub(crate) fn invalid(argument: &str, value: &str, reason: &impl Display) -> Self {
        Self::Usage(format!("invalid value '{value}' for '{argument}': {reason}"))
    }

    /// The arguments do not go together.
    pub(crate) fn usage(reason: &impl Display) -> Self {
        Self::Usage(reason.to_string())
    }

    /// What went wrong, in a line.
    #[cfg(feature = "browse")]
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Usage(message) | Self::Run(_, message) => {
                crate::cli::terminal::messages::harmless(message).into_owned()
            }
            Self::Closed | Self::AlreadyReported(_) | Self::Signal(_) => "it failed".to_owned(),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if stdout::is_enough(&error) {
            Self::Closed
        } else {
            Self::Run(Exit::Failure, format!("writing the result failed: {error}"))
        }
    }
}

impl From<&CountError> for Failure {
    fn from(error: &CountError) -> Self {
        if let CountError::Method(error) = error {
            return Self::usage(error);
        }
        let wrong = matches!(error, CountError::SelfCheck(_) | CountError::Run(RunError::Differs { .. }));
        Self::Run(if wrong { Exit::Difference } else { Exit::Failure }, error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let wrong = matches!(error, StoreError::Ledger(_, LedgerError::Conflict { .. }));
        Self::Run(if wrong { Exit::Difference } else { Exit::Failure }, error.to_string())
    }
}
