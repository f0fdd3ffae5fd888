//! `queens man [COMMAND]` and `queens completions SHELL`: what the definitions of the arguments say, for `man` and for shells.

use std::io::{self, IsTerminal, Write};
use std::process::{self, Stdio};

use clap::Command;
use clap_complete::Shell;

use crate::cli::terminal::{Failure, signals, stdout};

/// Prints the completion script of a shell for a command line.
pub(crate) fn completions(shell: Shell, mut command: Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "queens", &mut script);
    stdout::write_all(&mut io::stdout().lock(), &script).map_err(|error| Failure::unwritten(&error))
}

/// The manual page of the program or of one command, the same on every machine: its version alone, not the instruction set
/// in use. A terminal gets it as `man` shows pages, where there is one.
pub(crate) fn man(of: Option<&str>, command: Command) -> Result<(), Failure> {
    let mut all = command.long_version(None::<&str>);
    all.build();
    let page = if let Some(name) = of {
        let commands = || all.get_subcommands().filter(|command| command.get_name() != "help");
        let Some(command) = commands().find(|command| command.get_name() == name) else {
            let names: Vec<&str> = commands().map(Command::get_name).collect();
            let reason = format!("no command; there are {}", names.join(", "));
            return Err(Failure::invalid("[COMMAND]", name, &reason));
        };
        let page = format!("queens-{name}");
        command.clone().long_version(None::<&str>).name(page.clone()).display_name(page)
    } else {
        all
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(|error| Failure::unwritten(&error))?;
    if io::stdout().is_terminal() && shown(&text).unwrap_or(false) {
        return Ok(());
    }
    stdout::write_all(&mut io::stdout().lock(), &text).map_err(|error| Failure::unwritten(&error))
}

/// Has `man` show a page, which sets it for the terminal and calls the pager; says whether it did.
fn shown(page: &[u8]) -> io::Result<bool> {
    // The pager decides what Ctrl-C does.
    let _listening = signals::listen(|_| ())?;
    // Not every `man` knows the option; an error of its own would only confuse.
    let mut man = process::Command::new("man").args(["-l", "-"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    // A `man` that ends early has read as much as it wanted.
    let _ = man.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(page));
    Ok(man.wait()?.success())
}
