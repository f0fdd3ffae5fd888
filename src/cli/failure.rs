//! How a command fails, and the exit code of each failure.

use std::error::Error;
use std::fmt::Display;
use std::io::ErrorKind::ResourceBusy;
use std::iter;
use std::path::Path;
use std::process::ExitCode;

use queens::ledger::{LedgerError, StoreError};
use queens::{CountError, MethodError};

use super::output;

/// Why a command ended early, in one line for people; the worst comes last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Failure {
    /// The reader of stdout has closed it and has enough, as `| head` does.
    Closed,
    /// The time of `--max-time` is over, and has said what is saved.
    TimeUp,
    /// A signal has stopped it before the end.
    Stopped,
    /// The arguments do not go together, or one cannot be.
    Usage(String),
    /// It failed at run time.
    Run(String),
    /// Units or shards are missing at a merge.
    Missing(String),
    /// A result is not what it should be.
    Wrong(String),
}

/// Reports every failure but the worst, which is returned to be reported last. After a stop nothing more is reported.
pub(crate) fn worst(results: impl IntoIterator<Item = Result<(), Failure>>) -> Result<(), Failure> {
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
    /// The value of an argument is not allowed, which clap could not see.
    pub(crate) fn value(argument: &str, value: impl Display, reason: impl Display) -> Self {
        Self::Usage(format!("invalid value '{value}' for '{argument}': {reason}"))
    }

    /// The failure, where it is one.
    pub(crate) fn when(self, is_so: bool) -> Result<(), Self> {
        if is_so { Err(self) } else { Ok(()) }
    }

    /// What is wrong with the ledger in a file.
    pub(crate) fn of_ledger(path: &Path, error: &LedgerError) -> Self {
        let message = format!("{}: {error}", path.display());
        if matches!(error, LedgerError::Contradiction { .. }) { Self::Wrong(message) } else { Self::Run(message) }
    }

    /// The same of a total, which may be wrong in one unit of a file if it is of one.
    pub(crate) fn of_units(self, is_of_file: bool) -> Self {
        match self {
            Self::Wrong(message) if is_of_file => {
                Self::Wrong(message + "; queens audit finds the wrong units of a file")
            }
            failure => failure,
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
            CountError::Value(_) | CountError::Method(_) => Self::Usage(message),
            CountError::SelfCheck { .. } => Self::Wrong(message),
            CountError::Stopped => Self::Stopped,
            CountError::Threads(_) => Self::Run(message + "; -t takes fewer"),
            _ => Self::Run(message),
        }
    }
}

impl From<MethodError> for Failure {
    fn from(error: MethodError) -> Self {
        Self::Usage(error.to_string())
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
        StoreError::Save(path, _) | StoreError::Moved(path)
            if path.parent().is_some_and(|folder| !folder.join(".").exists()) =>
        {
            return format!("{}: cannot be saved: its folder is not there", path.display());
        }
        StoreError::Save(_, error) if error.kind() == ResourceBusy => "; mount its folder, not the file alone",
        StoreError::Busy(_) => "; wait for its end or choose another file",
        StoreError::Ledger(_, LedgerError::Damaged) => "; remove it and count it again",
        StoreError::Ledger(_, LedgerError::NotALedger | LedgerError::Contents) => "; choose another file",
        _ => "",
    };
    match error {
        StoreError::Ledger(path, error) => format!("{}: {error}{advice}", path.display()),
        _ => told(error) + advice,
    }
}

/// An error and what it came from, which some repeat.
fn told(error: &dyn Error) -> String {
    let chain = iter::successors(Some(error), |&error| error.source());
    let mut texts: Vec<String> = chain.map(ToString::to_string).collect();
    texts.dedup();
    texts.join(": ")
}
