//! The command line: arguments in, an answer and an exit code out.
//!
//! Each command is one file in `commands`, which reads from its arguments to its [`answer`]. They share what stands here:
//! [`output`] is the door to stdout, stderr and files, [`ledgers`] the one to checkpoints that are read; [`work`] watches what
//! takes long, with [`signals`] and the bar of [`progress`], and [`run`] saves it; [`text`] writes numbers. To add an option, add a field to the `Args` of its
//! command.

mod answer;
mod args;
mod check;
mod commands;
mod engines;
mod failure;
mod formats;
mod ledgers;
mod machine;
mod output;
mod progress;
mod run;
mod signals;
mod stream;
mod text;
mod threads;
mod work;

use std::process::ExitCode;

use args::Command;
use commands::{audit, bench, count, estimate, manual, merge, show, solutions, status, symmetries, verify};

/// Runs the command that the arguments name.
pub(crate) fn run() -> ExitCode {
    queens::internals::obey_environment();
    if let Err(error) = signals::start() {
        return failure::Failure::Run(format!("cannot handle signals: {error}")).exit();
    }
    machine::huge_pages(false);
    let args = match args::parse() {
        Ok(args) => args,
        Err(code) => return code,
    };
    output::set(args.color, args.quiet);
    let result = match args.command {
        Command::Count(args) => count::run(&args),
        Command::Status(args) => status::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Estimate(args) => estimate::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Solutions(args) => solutions::run(&args),
        Command::Symmetries(args) => symmetries::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { command } => manual::page(command.as_deref()),
    };
    let code = result.map_or_else(failure::Failure::exit, |()| ExitCode::SUCCESS);
    signals::die_if_told();
    code
}
