//! The command line as a whole: the definitions of the arguments, with examples and exit codes below each help and in each
//! manual page.

use clap::{Command, CommandFactory};

use super::args::Args;

/// Below every help, after the examples.
const EXITS: &str = "\
Exit codes:
  0    done
  1    failed at run time
  2    wrong arguments
  3    a result differs from what it should be
  4    shards are missing at a merge
  75   stopped before the end, and can be resumed
  130  ended by SIGINT (Ctrl-C), as shells report it; 143: by SIGTERM";

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
    ("merge", &[("queens merge r", "joins the results in this folder, or names those that are missing")]),
    (
        "status",
        &[("queens status r", "which shards are complete, and the time left"), ("queens status n22", "a checkpoint")],
    ),
    ("profile", &[("queens profile 12", "placements of 0 to 12 queens")]),
    (
        "verify",
        &[
            ("queens verify", "every engine, as far as it is quick"),
            ("queens verify --engine join --to 17", "one engine, further"),
        ],
    ),
    (
        "bench",
        &[
            ("queens bench", "every engine, and a score, in about a minute"),
            ("queens bench 15 16 --threads 1,2 --json now.json --plot now.svg", "saved and drawn"),
            ("queens bench 15 16 --compare old.json --tolerance 10%", "exit code 3 where slower"),
            ("queens bench --from a.json b.json --plot ab.svg", "two machines in one picture"),
            ("queens bench --score --markdown -", "to be shared"),
        ],
    ),
    ("estimate", &[("queens estimate 24 --max-time 30s", "the count and the time of a long run")]),
    (
        "solutions",
        &[
            ("queens solutions 8", "all 92"),
            ("queens solutions 8 --from 425 --limit 3", "from the middle"),
            ("queens solutions 8 --rank 42586137", "31"),
            ("queens solutions 8 --fundamental -o sheet.svg", "the twelve boards on one sheet"),
            ("queens solutions 8 -o queens.html", "a page to walk through"),
        ],
    ),
    ("symmetries", &[("queens symmetries 15863724", "its eight images, each named")]),
    (
        "show",
        &[
            ("queens show 15863724", "a board in the terminal"),
            ("queens show 158 -o 158.svg", "three queens and what each attacks"),
            ("queens show --number 31 8", "the 31st of 92"),
        ],
    ),
    #[cfg(feature = "browse")]
    ("browse", &[("queens browse 8", "? tells the keys"), ("queens browse 8 --at 31", "from the 31st on")]),
    ("completions", &[("queens completions bash", "for ~/.local/share/bash-completion/completions/queens")]),
    ("man", &[("queens man count", "the page of queens count")]),
];

/// The definition of the command line, from which help, completions and manual pages are made.
pub(crate) fn command() -> Command {
    EXAMPLES.iter().fold(Args::command().after_long_help(EXITS), |command, (name, lines)| {
        command.mut_subcommand(name, |sub| sub.after_long_help(below(lines)))
    })
}

fn below(lines: &[(&str, &str)]) -> String {
    let width = lines.iter().map(|(line, _)| line.len()).max().unwrap_or(0);
    let lines: Vec<String> = lines.iter().map(|(line, what)| format!("  {line:width$}  # {what}")).collect();
    format!("Examples:\n{}\n\n{EXITS}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every example is what its command takes, and commands without one are few.
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
            assert!(sub.get_name() == "audit" || EXAMPLES.iter().any(|(name, _)| *name == sub.get_name()));
        }
    }
}
