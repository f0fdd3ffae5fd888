//! The command line: one file a command, and what they share.

mod agree;
mod args;
mod audit;
mod bench;
mod board;
#[cfg(feature = "browse")]
mod browse;
mod columns;
mod command;
mod count;
#[cfg(all(test, feature = "browse", feature = "png"))]
mod docs;
mod ending;
mod estimate;
mod exit;
#[cfg(test)]
mod golden;
mod keep;
mod long;
mod machine;
mod memory;
mod merge;
mod output;
mod panics;
mod printer;
mod profile;
mod progress;
mod save;
mod show;
mod signals;
mod solutions;
mod stdout;
mod symmetries;
mod units;
mod values;
mod verify;
mod watch;

use std::ffi::OsString;
use std::io;

use clap::{CommandFactory, FromArgMatches};
use queens::CountError;
use queens::ledger::LedgerError;
use queens::ledger::store::StoreError;
use queens::run::Halt;

use args::{Args, Command};
pub(crate) use exit::Exit;

/// Parses, runs, and reports what went wrong on stderr; the exit code is all that is left to the caller.
pub(crate) fn run(args: impl IntoIterator<Item = OsString>) -> Exit {
    stdout::start();
    signals::start();
    panics::catch();
    let matches = command::command().try_get_matches_from(args);
    let args = match matches.and_then(|matches| Args::from_arg_matches(&matches)) {
        Ok(args) => args,
        Err(error) => return output::usage(&error),
    };
    output::choose_colour(args.color);
    let result = match args.command {
        Command::Count(count) => count::run(&count),
        Command::Merge(merge) => merge::run(&merge),
        Command::Audit(audit) => audit::run(&audit),
        Command::Profile(profile) => profile::run(&profile),
        Command::Verify(verify) => verify::run(&verify),
        Command::Bench(bench) => bench::run(&bench),
        Command::Estimate(estimate) => estimate::run(&estimate),
        Command::Solutions(solutions) => solutions::run(&solutions),
        Command::Symmetries(symmetries) => symmetries::run(&symmetries),
        Command::Show(show) => show::run(&show),
        #[cfg(feature = "browse")]
        Command::Browse(browse) => browse::run(&browse),
        Command::Completions { shell } => completions(shell).map_err(Failure::from),
        Command::Man { command } => man(command.as_deref()),
    };
    match result {
        Ok(()) if stdout::is_lost() => {
            output::error("writing the result failed: nobody reads it");
            Exit::Failure
        }
        Ok(()) | Err(Failure::Closed) => Exit::Success,
        Err(Failure::Usage(error)) => output::usage(&error),
        Err(Failure::Run(exit, message)) => {
            output::error(&message);
            exit
        }
        Err(Failure::Told(exit)) => exit,
        Err(Failure::Signal(signal)) => signals::die_of(signal),
    }
}

/// Why a command ended early.
#[derive(Debug)]
enum Failure {
    /// The reader of stdout went away with some of it, as `| head` does: no failure at all.
    Closed,
    /// The arguments made no sense together.
    Usage(clap::Error),
    /// Something went wrong, in words for people.
    Run(Exit, String),
    /// All has been said already.
    Told(Exit),
    /// A signal ended it; all has been said already.
    Signal(i32),
}

impl Failure {
    /// The value of one argument makes no sense, for a reason that only shows beside the others.
    fn invalid(argument: &str, value: &str, reason: &impl std::fmt::Display) -> Self {
        let message = format!("invalid value '{value}' for '{argument}': {reason}\n");
        Self::Usage(Args::command().error(clap::error::ErrorKind::ValueValidation, message))
    }
}

impl Failure {
    /// What went wrong, in a line.
    #[cfg(feature = "browse")]
    fn reason(&self) -> String {
        match self {
            Self::Usage(error) => output::one_line(error),
            Self::Run(_, message) => output::harmless(message).into_owned(),
            Self::Closed | Self::Told(_) | Self::Signal(_) => "it failed".to_owned(),
        }
    }

    /// The arguments do not go together.
    fn usage(reason: &impl std::fmt::Display) -> Self {
        Self::Usage(Args::command().error(clap::error::ErrorKind::ArgumentConflict, format!("{reason}\n")))
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
        let wrong = matches!(error, CountError::Gate(_) | CountError::Halt(Halt::Differs { .. }));
        Self::Run(if wrong { Exit::Difference } else { Exit::Failure }, error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let wrong = matches!(error, StoreError::Ledger(_, LedgerError::Conflict { .. }));
        Self::Run(if wrong { Exit::Difference } else { Exit::Failure }, error.to_string())
    }
}

/// The completion script for a shell.
fn completions(shell: clap_complete::Shell) -> io::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command::command(), "queens", &mut script);
    stdout::write_all(&mut io::stdout().lock(), &script)
}

/// The manual page of the program or of one command, the same on every machine: its version alone, not what is in use.
fn man(of: Option<&str>) -> Result<(), Failure> {
    let mut all = command::command().long_version(None::<&str>);
    all.build();
    let page = match of {
        None => all,
        Some(name) => {
            let names: Vec<&str> =
                all.get_subcommands().map(clap::Command::get_name).filter(|name| *name != "help").collect();
            let Some(sub) = all.find_subcommand(name).filter(|sub| sub.get_name() != "help") else {
                let reason = format!("no command; there are {}", names.join(", "));
                return Err(Failure::invalid("[COMMAND]", name, &reason));
            };
            let page = format!("queens-{}", sub.get_name());
            sub.clone().long_version(None::<&str>).name(page.clone()).display_name(page)
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    Ok(stdout::write_all(&mut io::stdout().lock(), &text)?)
}
