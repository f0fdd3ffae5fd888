//! Why a command ended early.

use std::fmt::Display;
use std::io;

use queens::CountError;
use queens::ledger::LedgerError;
use queens::ledger::store::StoreError;
use queens::run::SelfCheckError;

use crate::cli::terminal::{Exit, stdout};

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of stdout closed it after reading some of it, as `| head` does: no failure at all.
    Closed,
    /// The arguments are wrong, with a message for people.
    Usage(String),
    /// Something went wrong, with a message for people.
    Run(Exit, String),
    /// The message has been printed already.
    AlreadyReported(Exit),
    /// A signal ended it; the message has been printed already.
    Signal(i32),
}

impl Failure {
    /// The value of an argument is wrong, which clap could not see.
    pub(crate) fn invalid(argument: &str, value: &str, reason: &impl Display) -> Self {
        Self::Usage(format!("invalid value '{value}' for '{argument}': {reason}"))
    }

    /// The arguments do not go together.
    pub(crate) fn usage(reason: &impl Display) -> Self {
        Self::Usage(reason.to_string())
    }

    /// The message, in one line.
    #[cfg(feature = "browse")]
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Usage(message) | Self::Run(_, message) => {
                crate::cli::terminal::escape::harmless(message).into_owned()
            }
            Self::Closed | Self::AlreadyReported(_) | Self::Signal(_) => "it failed".to_owned(),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if stdout::is_closed_by_reader(&error) {
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
        let wrong = matches!(error, CountError::SelfCheck(_) | CountError::Differs { .. });
        Self::Run(if wrong { Exit::Difference } else { Exit::Failure }, error.to_string())
    }
}

impl From<SelfCheckError> for Failure {
    fn from(error: SelfCheckError) -> Self {
        Self::from(&CountError::from(error))
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let wrong = matches!(error, StoreError::Ledger(_, LedgerError::Conflict { .. }));
        Self::Run(if wrong { Exit::Difference } else { Exit::Failure }, error.to_string())
    }
}
