//! The command line: arguments in, exit code out.
//!
//! | folder | what is there |
//! | --- | --- |
//! | `commands/` | a file or a folder for each command: its arguments, and what it prints |
//! | `long_run/` | what a run of hours needs: its options, the checkpoint, supervision, progress, the check of its result |
//! | `draw/` | boards as text and as SVG |
//! | `terminal/` | text, numbers, tables, JSON, colour, files, signals, errors and exit codes |
//!
//! Each folder imports from those below it alone.

mod args;
mod commands;
mod draw;
mod help;
mod long_run;
mod terminal;
#[cfg(test)]
mod tests;

use std::ffi::OsString;

use clap::FromArgMatches;

use args::{Args, Command};
use commands::{
    audit, bench, count, definitions, estimate, merge, profile, show, solutions, status, symmetries, verify,
};
use terminal::failure::Failure;
use terminal::{colour, messages, panics, signals, stdout};

pub(crate) use terminal::exit::Exit;

/// Parses, runs, and reports what went wrong on stderr; the exit code is all that is left to the caller.
pub(crate) fn run(args: impl IntoIterator<Item = OsString>) -> Exit {
    stdout::start();
    signals::start();
    panics::catch();
    let matches = help::command().try_get_matches_from(args);
    let args = match matches.and_then(|matches| Args::from_arg_matches(&matches)) {
        Ok(args) => args,
        Err(error) => return messages::usage(&error),
    };
    colour::choose_colour(args.color);
    let result = match args.command {
        Command::Count(count) => count::run(&count),
        Command::Merge(merge) => merge::run(&merge),
        Command::Status(status) => status::run(&status),
        Command::Audit(audit) => audit::run(&audit),
        Command::Profile(profile) => profile::run(&profile),
        Command::Verify(verify) => verify::run(&verify),
        Command::Bench(bench) => bench::run(&bench),
        Command::Estimate(estimate) => estimate::run(&estimate),
        Command::Solutions(solutions) => solutions::run(&solutions),
        Command::Symmetries(symmetries) => symmetries::run(&symmetries),
        Command::Show(show) => show::run(&show),
        #[cfg(feature = "browse")]
        Command::Browse(browse) => commands::browse::run(&browse),
        Command::Completions { shell } => definitions::completions(shell, help::command()),
        Command::Man { command } => definitions::man(command.as_deref(), help::manual()),
    };
    match result {
        Ok(()) if stdout::is_lost() => {
            messages::error("writing the result failed: nobody reads it");
            Exit::Failure
        }
        Ok(()) | Err(Failure::Closed) => Exit::Success,
        Err(Failure::Usage(message)) => {
            messages::error(&message);
            Exit::Usage
        }
        Err(Failure::Run(exit, message)) => {
            messages::error(&message);
            exit
        }
        Err(Failure::AlreadyReported(exit)) => exit,
        Err(Failure::Signal(signal)) => signals::die_of(signal),
    }
}
