//! The command line as a whole: the definitions of the arguments, with examples below the help of each command and exit
//! codes below that of the program.

use clap::{Command, CommandFactory};

use super::args::Args;

/// Below the program's help, and in every manual page.
const EXITS: &str = "\
Exit codes:
  0    done
  1    failed at run time
  2    wrong arguments
  3    a result differs from what it should be
  4    shards are missing at a merge
  75   stopped before the end, and can be resumed
  129  ended by SIGHUP, as shells report it; 130: by SIGINT (Ctrl-C); 143: by SIGTERM";

/// How many examples `-h` shows, of those that `--help` does.
const FIRST: usize = 2;

/// Commands, and examples of each: the line to type, and what it does.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "count",
        &[
            ("queens count 16", "14772512"),
            ("queens count 8 --prefix 158", "completions of three queens"),
            ("queens count 22 --checkpoint n22", "kill it at any time, then add --resume"),
            ("queens count 22 --shard 1/16 --out r/1", "one part in sixteen, for queens merge"),
        ],
    ),
    (
        "merge",
        &[
            ("queens merge r", "merges the results in this folder, or names the missing shards"),
            ("queens merge r/1 r/2 --json", "for programs"),
        ],
    ),
    (
        "status",
        &[("queens status r", "which shards are complete, and the time left"), ("queens status n22", "a checkpoint")],
    ),
    (
        "audit",
        &[
            ("queens audit n22", "random units of a checkpoint, for about a minute"),
            ("queens audit r/1 r/2 --max-time 2h", "random units of two shards, for two hours"),
        ],
    ),
    (
        "profile",
        &[
            ("queens profile 12", "placements of 0 to 12 queens"),
            ("queens profile 1-12 -q", "the triangle, as a b-file"),
        ],
    ),
    (
        "verify",
        &[
            ("queens verify", "every engine, for the sizes that it counts quickly"),
            ("queens verify --engine join --to 17", "one engine, for larger boards"),
        ],
    ),
    (
        "bench",
        &[
            ("queens bench", "every engine, and a score"),
            ("queens bench 15 16 --threads 1,2 --json=now.json", "saved, for scripts/plot to draw"),
            ("queens bench 15 16 --compare old.json --tolerance 10%", "exit code 3 if it is slower"),
            ("queens bench --from a.json --compare b.json", "two machines that were timed"),
            ("queens bench --score --markdown -", "a table to share"),
        ],
    ),
    (
        "estimate",
        &[
            ("queens estimate 24 --max-time 30s", "the count and the time of a long run"),
            ("queens estimate 36 --symmetry half", "only those that a half turn leaves unchanged"),
        ],
    ),
    (
        "solutions",
        &[
            ("queens solutions 8", "all 92"),
            ("queens solutions 8 --from 425 --limit 3", "three, from 4,2,5 on"),
            ("queens solutions 8 --rank 42586137", "its number in the list, 31"),
            ("queens solutions 8 -o sheet.svg", "all 92 on one sheet, which a browser prints"),
            ("queens solutions 8 -o queens.html", "a page to walk through"),
        ],
    ),
    (
        "symmetries",
        &[
            ("queens symmetries 15863724", "its eight images, each named"),
            ("queens symmetries 2,4,1,3 --json", "for programs"),
        ],
    ),
    (
        "show",
        &[
            ("queens show 15863724", "a board in the terminal"),
            ("queens show 158 -o 158.svg", "three queens and the lines of each"),
            ("queens show --number 31 8", "the 31st of 92"),
        ],
    ),
    #[cfg(feature = "browse")]
    ("browse", &[("queens browse 8", "? tells the keys"), ("queens browse 8 --at 31", "from the 31st on")]),
    (
        "completions",
        &[
            ("queens completions bash", "for ~/.local/share/bash-completion/completions/queens"),
            ("queens completions fish", "for ~/.config/fish/completions/queens.fish"),
        ],
    ),
    ("man", &[("queens man", "the program's page"), ("queens man count", "the page of queens count")]),
];

/// The definition of the command line, from which help and completions are made.
pub(crate) fn command() -> Command {
    with_examples("")
}

/// The same for manual pages, each of which has the exit codes.
pub(crate) fn manual() -> Command {
    with_examples(&format!("\n\n{EXITS}"))
}

fn with_examples(end: &str) -> Command {
    EXAMPLES.iter().fold(Args::command().after_help(EXITS), |command, (name, lines)| {
        let first = &lines[..FIRST.min(lines.len())];
        command.mut_subcommand(name, |sub| sub.after_help(below(first)).after_long_help(below(lines) + end))
    })
}

fn below(lines: &[(&str, &str)]) -> String {
    let width = lines.iter().map(|(line, _)| line.len()).max().unwrap_or(0);
    let lines: Vec<String> = lines.iter().map(|(line, what)| format!("  {line:width$}  # {what}")).collect();
    format!("Examples:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every example is what its command takes, and every command has as many as its short help shows.
    #[test]
    fn examples_are_what_the_commands_take() {
        for (name, lines) in EXAMPLES {
            for (line, _) in *lines {
                let matches = command().try_get_matches_from(line.split_whitespace());
                assert_eq!(matches.unwrap().subcommand_name(), Some(*name), "{line}");
            }
        }
        let all = command();
        for sub in all.get_subcommands() {
            let examples = EXAMPLES.iter().find(|(name, _)| *name == sub.get_name());
            assert!(examples.is_some_and(|(_, lines)| lines.len() >= FIRST), "{}", sub.get_name());
        }
    }
}
