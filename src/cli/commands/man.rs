//! `queens man [COMMAND]`

use std::io;

use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::stdout;

/// Prints the manual page of the program or of one command, the same on every machine: its version alone, not what is in
/// use.
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
    Ok(stdout::write_all(&mut io::stdout().lock(), &text)?)
}
