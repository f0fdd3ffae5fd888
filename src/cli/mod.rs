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
mod long_run;
mod terminal;
#[cfg(test)]
mod tests;

use std::ffi::OsString;

use clap::{ColorChoice, FromArgMatches};

use args::{Args, Command};
use commands::{
    audit, bench, completions, count, estimate, man, merge, profile, show, solutions, status, symmetries, verify,
};
use terminal::{Failure, catch_panics, messages, signals, stdout};

pub(crate) use terminal::exit::Exit;

/// Parses, runs, and reports what went wrong on stderr; the exit code is all that is left to the caller.
pub(crate) fn run(args: impl IntoIterator<Item = OsString>) -> Exit {
    stdout::start();
    signals::start();
    catch_panics();
    let matches = args::command().try_get_matches_from(args);
    let args = match matches.and_then(|matches| Args::from_arg_matches(&matches)) {
        Ok(args) => args,
        Err(error) => return messages::usage(&error),
    };
    let colour = match args.color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    colour.write_global();
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
        Command::Completions { shell } => completions::run(shell, args::command()),
        Command::Man { command } => man::run(command.as_deref(), args::manual()),
    };
    match result {
        Ok(()) if stdout::is_lost() => {
            messages::error("writing the result failed: nobody reads it");
            Exit::Failure
        }
        Ok(()) | Err(Failure::Closed) => Exit::Success,
        Err(Failure::Run(exit, message)) => {
            messages::error(&message);
            exit
        }
        Err(Failure::AlreadyReported(exit)) => exit,
        Err(Failure::Signal(signal)) => signals::die_of(signal),
    }
}
