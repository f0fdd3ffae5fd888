//! How the program ends: exit codes, as promised to scripts, failures of a command, and panics.

use std::fmt::Display;
use std::panic::PanicHookInfo;
use std::process::ExitCode;
use std::time::Duration;
use std::{io, panic, process, thread};

use queens::CountError;
use queens::ledger::LedgerError;
use queens::ledger::store::StoreError;
use queens::run::{RunError, SelfCheckError};

use crate::cli::terminal::{escape, messages, signals, stdout};

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
            Self::Usage(message) | Self::Run(_, message) => escape::harmless(message).into_owned(),
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
        let wrong = matches!(error, CountError::SelfCheck(_) | CountError::Run(RunError::Differs { .. }));
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

/// How long a save may take after a panic. After this time it waits for a lock that the failed thread holds.
const SAVE_TIMEOUT: Duration = Duration::from_secs(10);

/// From here on panics are reported in a line, with exit code 1, and long runs saved first.
///
/// The thread that failed never returns: in a release build the process would be aborted before anything could be saved.
pub(crate) fn catch_panics() {
    let main = thread::current().id();
    panic::set_hook(Box::new(move |info| {
        let message = panic_message(info);
        // The main thread saves, reports the failure and ends the process, unless it has failed itself.
        if thread::current().id() != main && signals::tell_failed(&message) {
            thread::sleep(SAVE_TIMEOUT);
        }
        messages::error(&message);
        process::exit(Exit::Failure.code().into());
    }));
}

fn panic_message(info: &PanicHookInfo<'_>) -> String {
    let what = info.payload_as_str().unwrap_or("a panic without a message");
    let place = info.location().map_or(String::new(), |place| format!(" ({}:{})", place.file(), place.line()));
    format!("the program failed: {what}{place}")
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
