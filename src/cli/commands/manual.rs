//! `queens completions SHELL` and `queens man [COMMAND]`, both generated from the definitions of the arguments.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::args::Args;
use crate::cli::failure::{Failure, Result};
use crate::cli::output;

pub(crate) fn completions(shell: Shell) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "queens", &mut script);
    output::list(&String::from_utf8_lossy(&script))
}

pub(crate) fn page(of: Option<&str>) -> Result {
    // `queens help` has no page of its own.
    let mut program = Args::command().disable_help_subcommand(true);
    program.build();
    let command = match of {
        None => program,
        Some(name) => {
            let all: Vec<String> = program.get_subcommands().map(|one| one.get_name().to_owned()).collect();
            let missing = || Failure::value("[COMMAND]", name, format!("the commands are {}", all.join(", ")));
            let command = program.find_subcommand_mut(name).map(std::mem::take).ok_or_else(missing)?;
            command.name(format!("queens-{name}")).display_name(format!("queens-{name}"))
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).expect("a page in memory can be written");
    // EXTRA is clap's heading of the text after the options.
    output::list(&String::from_utf8_lossy(&page).replace(".SH EXTRA", ".SH NOTES"))
}
