//! The command line as a whole; what each command takes is said beside it.

use clap::{Parser, Subcommand};
use queens::Isa;

use super::terminal::colour::Colour;

/// Counts, checks and shows the solutions of the N-queens problem.
#[derive(Parser, Debug)]
#[command(name = "queens", version, long_version = long_version(), propagate_version = true)]
pub(crate) struct Args {
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 900)]
    pub(crate) color: Colour,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Count the solutions on a board of N columns and N rows
    Count(super::commands::count::Args),
    /// Merge the results of shards, or name the missing shards
    Merge(super::commands::merge::Args),
    Status(super::commands::status::Args),
    Audit(super::commands::audit::Args),
    /// Count the placements of k queens on the first k columns, for k = 0 to N (A319284)
    Profile(super::commands::profile::Args),
    /// Recompute the terms that OEIS publishes and compare
    Verify(super::commands::verify::Args),
    /// Time the engines on this machine, for several sizes and numbers of threads
    Bench(super::commands::bench::Args),
    /// Predict the count and the time of a long run from random samples
    Estimate(super::commands::estimate::Args),
    /// Print the solutions themselves, in lexicographic order
    Solutions(super::commands::solutions::Args),
    /// Name the images of a solution under the eight symmetries of the square
    Symmetries(super::commands::symmetries::Args),
    /// Show one board, in the terminal or as a picture
    Show(super::commands::show::Args),
    #[cfg(feature = "browse")]
    /// Walk through the solutions, full screen
    Browse(super::commands::browse::Args),
    /// Print the completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Show the manual page of the program or of a command; where stdout is no terminal, print it (roff)
    Man {
        /// A command, for example count
        command: Option<String>,
    },
}

/// What `--version` adds to `-V`.
fn long_version() -> String {
    format!(
        "{}\ncommit {}\ntarget {}\ninstruction sets compiled in: {}; in use: {}",
        env!("CARGO_PKG_VERSION"),
        env!("QUEENS_COMMIT"),
        env!("QUEENS_TARGET"),
        Isa::compiled().map(Isa::name).collect::<Vec<_>>().join(", "),
        // The version's own name, not that of the choice: what the lanes that run say of themselves.
        Isa::best().version().expect("the best set is one that the processor has"),
    )
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        super::Args::command().debug_assert();
    }
}
