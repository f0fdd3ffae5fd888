//! How a command fails, and the exit code of each failure.

use std::error::Error;
use std::fmt::Display;
use std::io::ErrorKind::ResourceBusy;
use std::iter;
use std::path::Path;
use std::process::ExitCode;

use queens::CountError;
use queens::ledger::{LedgerError, LedgerFileError};

use super::output;

/// Why a command failed or ended early; the worst comes last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Failure {
    /// The reader of stdout has closed it, as `| head` does.
    Closed,
    /// The time of `--max-time` is over; what is saved has been reported.
    TimeUp,
    Stopped,
    /// An argument is invalid, or contradicts another.
    Usage(String),
    Run(String),
    /// Units or shards are missing at a merge.
    Missing(String),
    Wrong(String),
}

/// The result of whatever can fail with a [`Failure`].
pub(crate) type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// Reports all failures but the worst, which is returned to be reported last. Reports nothing after a stop.
pub(crate) fn report_lesser(results: impl IntoIterator<Item = Result>) -> Result {
    let mut failures: Vec<Failure> = results.into_iter().filter_map(Result::err).collect();
    failures.sort();
    failures.dedup();
    if failures.contains(&Failure::Stopped) {
        return Err(Failure::Stopped);
    }
    let worst = failures.pop();
    failures.into_iter().map(Failure::exit).for_each(drop);
    worst.map_or(Ok(()), Err)
}

impl Failure {
    /// An invalid value of an argument that clap could not refuse.
    pub(crate) fn value(argument: &str, value: impl Display, reason: impl Display) -> Self {
        Self::Usage(format!("invalid value '{value}' for '{argument}': {reason}"))
    }

    /// `Err(self)` if the condition holds.
    pub(crate) fn when(self, is_failure: bool) -> Result {
        if is_failure { Err(self) } else { Ok(()) }
    }

    /// An error of the ledger in a file.
    pub(crate) fn from_ledger(path: &Path, error: &LedgerError) -> Self {
        Self::Run(format!("{}: {error}", path.display()))
    }

    /// Suggests an audit if the total comes from a file, because it may be wrong in one unit.
    pub(crate) fn suggest_audit(has_file: bool) -> impl FnOnce(Self) -> Self {
        move |failure| match failure {
            Self::Wrong(message) if has_file => Self::Wrong(message + "; find the wrong units with queens audit"),
            failure => failure,
        }
    }

    /// Turns a closed stdout into a failure, for results that must be read in full.
    pub(crate) fn require_full_output(self) -> Self {
        if matches!(self, Self::Closed) { Self::Run("cannot write stdout: broken pipe".to_owned()) } else { self }
    }

    /// Reports the failure, and returns its exit code.
    pub(crate) fn exit(self) -> ExitCode {
        let (code, message) = match self {
            Self::Closed => return ExitCode::SUCCESS,
            // Not used: the signal ends the process.
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
        let message = error_chain(&error);
        match error {
            CountError::Value(_) | CountError::NotForJoin | CountError::OnlyPortable(..) | CountError::Missing(_) => {
                Self::Usage(message)
            }
            CountError::SelfCheck { .. } => Self::Wrong(message),
            CountError::Stopped => Self::Stopped,
            CountError::Threads(_) => Self::Run(message + "; try fewer with -t"),
            _ => Self::Run(message),
        }
    }
}

impl From<LedgerFileError> for Failure {
    fn from(error: LedgerFileError) -> Self {
        Self::Run(store_message(&error))
    }
}

/// An error of a ledger's file, and its remedy.
pub(crate) fn store_message(error: &LedgerFileError) -> String {
    let is_gone = |path: &Path| path.parent().is_some_and(|folder| !folder.join(".").exists());
    let advice = match error {
        LedgerFileError::Save(path, _) | LedgerFileError::Moved(path) if is_gone(path) => {
            return format!("{}: cannot be saved: no such folder", path.display());
        }
        LedgerFileError::Save(_, error) if error.kind() == ResourceBusy => "; mount its folder, not the file alone",
        LedgerFileError::Busy(_) => "; wait until that run ends or choose another file",
        LedgerFileError::Ledger(_, LedgerError::Damaged) => "; remove it and count it again",
        LedgerFileError::Ledger(_, LedgerError::NotALedger | LedgerError::Contents) => "; choose another file",
        _ => "",
    };
    match error {
        LedgerFileError::Ledger(path, error) => format!("{}: {error}{advice}", path.display()),
        _ => error_chain(error) + advice,
    }
}

/// An error and its sources, without repetitions.
fn error_chain(error: &dyn Error) -> String {
    let chain = iter::successors(Some(error), |&error| error.source());
    let mut texts: Vec<String> = chain.map(ToString::to_string).collect();
    texts.dedup();
    texts.join(": ")
}
