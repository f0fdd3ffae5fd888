//! `queens completions SHELL`

use std::io;

use clap_complete::Shell;

use crate::cli::terminal::{Failure, stdout};

/// Prints the completion script of a shell for a command line.
pub(crate) fn run(shell: Shell, mut command: clap::Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "queens", &mut script);
    Ok(stdout::write_all(&mut io::stdout().lock(), &script)?)
}
