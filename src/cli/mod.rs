//! The command line: arguments in, an answer and an exit code out.
//!
//! Each command is one file in `commands`, which leads from arguments to an [`answer`]. They share the other modules:
//! [`output`] writes to stdout, stderr and files; [`ledgers`] reads checkpoints; [`work`] runs long work with
//! [`signals`] and the [`progress`] bar, and [`run`] saves it. To add an option, add a field to a command's `Args`.

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
    signals::exit_by_pending_signal();
    code
}
