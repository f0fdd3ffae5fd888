//! How the program ends: exit codes, as promised to scripts, failures of a command, and panics.

use std::fmt::Display;
use std::panic::PanicHookInfo;
use std::process::ExitCode;
use std::time::Duration;
use std::{io, panic, process, thread};

use queens::CountError;
use queens::SelfCheckError;
use queens::ledger::LedgerError;
use queens::ledger::store::StoreError;

use crate::cli::terminal::{files, messages, signals, stdout};

/// How the program ends. By a signal it ends as [`signals::die_of`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done.
    Success = 0,
    /// Failed at run time, or stopped with nothing to resume.
    Failure = 1,
    /// The arguments were wrong.
    Usage = 2,
    /// A result differs from what it should be.
    Difference = 3,
    /// Shards are missing at a merge.
    Missing = 4,
    /// Stopped before the end and saved, even if nothing was finished by then: can be resumed.
    Stopped = 75,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        (exit as u8).into()
    }
}

/// Why a command ended early.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// The reader of stdout closed it after reading some of it, as `| head` does: no failure at all.
    Closed,
    /// Something is wrong, be it the arguments, with a message for people.
    Run(Exit, String),
    /// The message has been printed already.
    AlreadyReported(Exit),
    /// A signal ended it; the message has been printed already.
    Signal(i32),
}

impl Failure {
    /// The value of an argument is wrong, which clap could not see.
    pub(crate) fn invalid(argument: &str, value: &str, reason: &impl Display) -> Self {
        Self::usage(&format!("invalid value '{value}' for '{argument}': {reason}"))
    }

    /// The arguments do not go together.
    pub(crate) fn usage(reason: &impl Display) -> Self {
        Self::Run(Exit::Usage, reason.to_string())
    }

    /// A result could not be written to stdout.
    pub(crate) fn unwritten(error: &io::Error) -> Self {
        if stdout::is_closed_by_reader(error) {
            return Self::Closed;
        }
        Self::Run(Exit::Failure, format!("writing the result failed: {}", files::reason(error)))
    }

    /// The message, in one line.
    #[cfg(feature = "browse")]
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Run(_, message) => super::escape::harmless(message),
            Self::Closed | Self::AlreadyReported(_) | Self::Signal(_) => "it failed".to_owned(),
        }
    }
}

impl From<CountError> for Failure {
    fn from(error: CountError) -> Self {
        let exit = match &error {
            CountError::Method(_) => Exit::Usage,
            CountError::SelfCheck(_) | CountError::Differs { .. } => Exit::Difference,
            _ => Exit::Failure,
        };
        Self::Run(exit, error.to_string())
    }
}

impl From<SelfCheckError> for Failure {
    fn from(error: SelfCheckError) -> Self {
        CountError::from(error).into()
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
        process::exit(Exit::Failure as i32);
    }));
}

fn panic_message(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let what = text.unwrap_or("a panic without a message");
    let place = info.location().map_or(String::new(), |place| format!(" ({}:{})", place.file(), place.line()));
    format!("the program failed: {what}{place}")
}
