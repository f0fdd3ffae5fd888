//! The command line as a whole, with examples below the help of each command and exit codes below that of the program. What
//! each command takes is said beside it.

use clap::{ColorChoice, CommandFactory, Parser, Subcommand};
use queens::Isa;

use crate::cli::terminal::OutputPath;

/// Counts, checks and shows the solutions of the N-queens problem.
#[derive(Parser, Debug)]
#[command(name = "queens", version, long_version = long_version(), propagate_version = true)]
pub(crate) struct Args {
    /// When to use colours; auto: if the output is a terminal, unless `NO_COLOR` or `TERM=dumb` says no
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 900)]
    pub(crate) color: ColorChoice,

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
    /// Show the manual page of the program or of a command, or print it as roff unless stdout is a terminal
    Man {
        /// A command, for example count
        command: Option<String>,
    },
}

/// What `--version` prints, of which `-V` prints the first line.
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

/// Below the program's help, and in every manual page.
const EXITS: &str = "\
Exit codes:
  0    done
  1    failed at run time, or stopped with nothing to resume
  2    wrong arguments
  3    a result differs from what it should be
  4    shards are missing at a merge
  75   stopped before the end and saved: can be resumed
  129  ended by SIGHUP, as shells report it; 130: by SIGINT (Ctrl-C); 143: by SIGTERM";

/// How many examples `-h` shows, of those that `--help` does.
const FIRST: usize = 2;

/// Examples of each command: the line to type, and what it does.
const EXAMPLES: &[(&str, &str)] = &[
    ("queens count 16", "14772512"),
    ("queens count 8 --prefix 158", "completions of three queens"),
    ("queens count 22 --checkpoint n22", "kill it at any time, then add --resume"),
    ("queens count 22 --shard 1/16 --out r/1", "one part in sixteen, for queens merge"),
    ("queens merge r", "merges the results in this folder, or names the missing shards"),
    ("queens merge r/1 r/2 --json", "for programs"),
    ("queens status r", "which shards are complete, and the time left"),
    ("queens status n22", "a checkpoint"),
    ("queens audit n22", "random units of a checkpoint, for about a minute"),
    ("queens audit r/1 r/2 --max-time 2h", "random units of two shards, for two hours"),
    ("queens profile 12", "placements of 0 to 12 queens"),
    ("queens profile 1-12 -q", "the triangle, as a b-file"),
    ("queens verify", "every engine, for the sizes that it counts quickly"),
    ("queens verify --engine join 0-17", "one engine, for larger boards"),
    ("queens bench", "every engine, and a score"),
    ("queens bench 15 16 --threads 1,2 --json=now.json", "saved, for scripts/plot to draw"),
    ("queens bench 15 16 --compare old.json --tolerance 10%", "exit code 3 if it is slower"),
    ("queens bench --score --compare zen5", "beside a machine that comes with the program"),
    ("queens bench --from a.json --compare b.json", "two machines that were timed"),
    ("queens bench --score --markdown", "a table to share"),
    ("queens estimate 24 --max-time 30s", "the count and the time of a long run"),
    ("queens estimate 36 --symmetry half", "only solutions unchanged by a half turn"),
    ("queens solutions 8", "all 92"),
    ("queens solutions 8 --from 425 --limit 3", "three, from 4,2,5 on"),
    ("queens solutions 8 --rank 42586137", "its number in the list, 31"),
    ("queens solutions 8 --queen 4,2 --queen h5", "those with two given queens"),
    ("queens solutions 8 -o sheet.svg", "all 92 on one sheet, which a browser prints"),
    ("queens solutions 8 -o queens.html", "a page to walk through"),
    ("queens symmetries 15863724", "its eight images, each named"),
    ("queens symmetries 2,4,1,3 --json", "for programs"),
    ("queens show 15863724", "a board in the terminal"),
    ("queens show 158 -o 158.svg", "three queens and the lines of each"),
    ("queens show --number 31 8", "the 31st of 92"),
    ("queens show -n 8 --queen d4", "a queen in column 4 and the fourth row from the bottom"),
    ("queens browse 8", "? shows the keys"),
    ("queens browse 8 --number 31", "from the 31st on"),
    ("queens completions bash", "for ~/.local/share/bash-completion/completions/queens"),
    ("queens completions fish", "for ~/.config/fish/completions/queens.fish"),
    ("queens man", "the program's page"),
    ("queens man count", "the page of queens count"),
];

/// The definition of the command line, from which help and completions are made.
pub(crate) fn command() -> clap::Command {
    with_examples("")
}

/// The same for manual pages, each of which has the exit codes.
pub(crate) fn manual() -> clap::Command {
    with_examples(&format!("\n\n{EXITS}"))
}

fn with_examples(end: &str) -> clap::Command {
    Args::command().after_help(EXITS).mut_subcommands(|sub| {
        let examples = examples(sub.get_name());
        let sub = sub.mut_args(OutputPath::completed);
        let first = below(&examples[..FIRST.min(examples.len())]);
        sub.after_help(first).after_long_help(below(&examples) + end)
    })
}

fn examples(command: &str) -> Vec<(&'static str, &'static str)> {
    EXAMPLES.iter().copied().filter(|(line, _)| line.split(' ').nth(1) == Some(command)).collect()
}

fn below(examples: &[(&str, &str)]) -> String {
    let width = examples.iter().map(|(line, _)| line.len()).max().unwrap_or(0);
    let lines: Vec<String> = examples.iter().map(|(line, what)| format!("  {line:width$}  # {what}")).collect();
    format!("Examples:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::error::ErrorKind;

    #[test]
    fn the_definition_is_consistent() {
        Args::command().debug_assert();
    }

    /// Placements and shares, both called P, and files, which may have any name, are left to tests/options.rs. What an option
    /// makes of 0, if that is a value, is there too, among the values at the ends.
    #[test]
    fn no_value_is_empty_and_few_are_0() {
        let all = command();
        let taking = |value: &str| {
            let options =
                all.get_subcommands().flat_map(|sub| sub.get_arguments().map(move |arg| (sub.get_name(), arg)));
            let options = options.filter(|(_, arg)| arg.get_action().takes_values());
            let taking = options.filter_map(|(sub, arg)| {
                let (long, of) = (arg.get_long()?, arg.get_value_names()?.first()?.as_str());
                let line = ["queens", sub, &format!("--{long}={value}")];
                let kind = all.clone().try_get_matches_from(line).err().map(|error| error.kind());
                let is_refused = matches!(kind, Some(ErrorKind::ValueValidation | ErrorKind::InvalidValue));
                let is_told = is_refused || ["P", "C,R", "FILE", "FILE|NAME"].contains(&of);
                (!is_told).then(|| format!("{sub} --{long}"))
            });
            taking.collect::<Vec<_>>()
        };
        assert_eq!(taking(""), [""; 0]);
        let zero = [
            "count --threads", "audit --tasks", "audit --seed", "audit --threads", "profile --threads",
            "verify --threads", "bench --threads", "bench --tolerance", "estimate --threads", "estimate --seed",
            "solutions --limit", "solutions --skip", "show --seed", "show --size",
        ];
        assert_eq!(taking("0"), zero);
    }

    /// Every example is what its command takes, and every command has as many as its short help shows.
    #[test]
    fn examples_are_what_the_commands_take() {
        let (all, mut tried) = (command(), 0);
        for sub in all.get_subcommands() {
            let examples = examples(sub.get_name());
            assert!(examples.len() >= FIRST, "{}", sub.get_name());
            for (line, _) in &examples {
                let matches = command().try_get_matches_from(line.split_whitespace());
                assert_eq!(matches.unwrap().subcommand_name(), Some(sub.get_name()), "{line}");
            }
            tried += examples.len();
        }
        assert_eq!(tried + 2 * usize::from(cfg!(not(feature = "browse"))), EXAMPLES.len(), "an example of no command");
    }
}
