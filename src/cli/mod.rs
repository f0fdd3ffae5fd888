//! The command line: arguments in, exit code out.

mod args;
mod commands;
mod draw;
mod long_run;
mod terminal;
#[cfg(test)]
mod tests;

use std::ffi::OsString;

use clap::{ArgMatches, ColorChoice, FromArgMatches, ValueEnum};

use args::{Args, Command};
use commands::{
    audit, bench, count, definitions, estimate, merge, profile, show, solutions, status, symmetries, verify,
};
use terminal::{Exit, Failure, Form, Tell, catch_panics, files, messages, signals, stdout};

/// Parses, runs, and reports what went wrong on stderr; the exit code is all that is left to the caller.
pub(crate) fn run(args: impl IntoIterator<Item = OsString>) -> Exit {
    stdout::start();
    signals::start();
    catch_panics();
    long_run::huge_pages_for(None);
    let args: Vec<OsString> = args.into_iter().collect();
    let matches = args::command().try_get_matches_from(&args);
    let result = match matches.and_then(|matches| Ok((Args::from_arg_matches(&matches)?, matches))) {
        Ok((args, matches)) => run_command(args, &matches),
        Err(error) => {
            set_colour(colour_in(&args));
            messages::usage(&error)
        }
    };
    match result {
        Ok(()) | Err(Failure::Closed) => Exit::Success,
        Err(Failure::Run(exit, message)) => {
            messages::error(&message);
            exit
        }
        Err(Failure::AlreadyReported(exit)) => exit,
        Err(Failure::Signal(signal)) => signals::die_of(signal),
    }
}

fn run_command(args: Args, matches: &ArgMatches) -> Result<(), Failure> {
    set_colour(args.color);
    files::guard(matches)?;
    match args.command {
        Command::Count(args) => count::run(&args)?.tell(&args.form),
        Command::Merge(args) => merge::run(&args)?.tell(&args.form),
        Command::Status(args) => status::run(&args)?.tell(&Form::text(&args.json)),
        Command::Audit(args) => audit::run(&args)?.tell(&Form::text(&args.json)),
        Command::Profile(args) => profile::run(&args)?.tell(&args.form),
        Command::Verify(args) => verify::run(&args)?.tell(&Form::text(&args.json)),
        Command::Bench(args) => bench::run(&args)?.tell(&Form::text(&args.json)),
        Command::Estimate(args) => estimate::run(&args)?.tell(&Form::text(&args.json)),
        Command::Solutions(args) => solutions::run(&args),
        Command::Symmetries(args) => symmetries::run(&args)?.tell(&Form::text(&args.json)),
        Command::Show(args) => show::run(&args),
        #[cfg(feature = "browse")]
        Command::Browse(args) => commands::browse::run(&args),
        Command::Completions { shell } => definitions::completions(shell, args::command()),
        Command::Man { command } => definitions::man(command.as_deref(), args::manual()),
    }
}

/// What `--color` asks for in a line that is wrong elsewhere.
fn colour_in(args: &[OsString]) -> ColorChoice {
    let apart = args.iter().skip_while(|arg| *arg != "--color").nth(1).and_then(|value| value.to_str());
    let value = apart.or_else(|| args.iter().find_map(|arg| arg.to_str()?.strip_prefix("--color=")));
    value.and_then(|value| ColorChoice::from_str(value, false).ok()).unwrap_or_default()
}

fn set_colour(colour: ColorChoice) {
    let colour = match colour {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    colour.write_global();
}
