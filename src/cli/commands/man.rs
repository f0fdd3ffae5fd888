//! `queens man [COMMAND]`

use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};

use crate::cli::terminal::{Failure, signals, stdout};

/// The manual page of the program or of one command, the same on every machine: its version alone, not the instruction set
/// in use. A terminal gets it as `man` shows pages, where there is one.
pub(crate) fn run(of: Option<&str>, command: clap::Command) -> Result<(), Failure> {
    let mut all = command.long_version(None::<&str>);
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
    if io::stdout().is_terminal() && shown(&text).unwrap_or(false) {
        return Ok(());
    }
    Ok(stdout::write_all(&mut io::stdout().lock(), &text)?)
}

/// Has `man` show a page, which sets it for the terminal and calls the pager; says whether it did.
fn shown(page: &[u8]) -> io::Result<bool> {
    // The pager decides what Ctrl-C does.
    let _listening = signals::listen(|_| ())?;
    // Not every `man` knows the option; an error of its own would only confuse.
    let mut man = Command::new("man").args(["-l", "-"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    // A `man` that ends early has read as much as it wanted.
    let _ = man.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(page));
    Ok(man.wait()?.success())
}
