//! What the documents say of commands, options, exit codes, engines and file formats, held against the tables of the program.

use std::collections::BTreeSet;

use clap::Command;
use queens::ENGINES;

use crate::cli::args::command;
use crate::cli::terminal::{
    Exit,
    file_format::{CSV, HTML, JSON, SVG, TEXT},
    signals::SIGNALLED,
};

/// The documents that show or name commands, with their texts.
fn documents() -> Vec<(String, String)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(root.join("docs")).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let named = ["README.md", "CONTRIBUTING.md", "docs/results/README.md"].map(|name| root.join(name));
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path.strip_prefix(root).unwrap().display().to_string(), text)
    };
    files.chain(named).map(read).collect()
}

fn document(name: &str) -> String {
    documents().into_iter().find(|(document, _)| document == name).unwrap().1
}

/// What stands between single backquotes, outside of blocks.
fn spans(text: &str) -> Vec<&str> {
    let prose = text.split("\n```").step_by(2);
    prose.flat_map(|prose| prose.split('`').skip(1).step_by(2)).collect()
}

/// The words of a line in a shell that are one command's, comments and what it is piped to left out.
fn words(line: &str) -> Vec<&str> {
    let line = line.split(" #").next().unwrap_or_default();
    line.split_whitespace().take_while(|word| !matches!(*word, "|" | "&&" | ">" | ";")).collect()
}

fn named<'a>(commands: &'a Command, name: &str) -> Option<&'a Command> {
    commands.get_subcommands().find(|sub| sub.get_name() == name)
}

/// Whether the command, or any where none is given, has the option.
fn has_option(all: &Command, of: Option<&Command>, option: &str) -> bool {
    let commands: Vec<&Command> = of.map_or_else(|| all.get_subcommands().chain([all]).collect(), |one| vec![one]);
    let is_it = |argument: &clap::Arg| {
        let long = argument.get_long_and_visible_aliases().unwrap_or_default();
        long.contains(&option) || argument.get_short().is_some_and(|short| option == short.to_string())
    };
    commands.iter().any(|command| command.get_arguments().any(is_it))
}

/// The program's sources, the tests among them too.
fn sources(folder: &std::path::Path) -> Vec<String> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| match path.extension() {
            None => sources(&path),
            Some(extension) if extension == "rs" => vec![std::fs::read_to_string(&path).unwrap()],
            Some(_) => Vec::new(),
        })
        .collect()
}

/// A command that a message names is one that the program takes, with a value in the place of each gap.
#[test]
fn commands_in_messages_are_taken() {
    let mut commands = BTreeSet::new();
    for text in sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let quoted = ['\'', '`'].into_iter().flat_map(|quote| {
                let begin = format!("{quote}queens ");
                let commands = line.split(&begin).skip(1).filter_map(move |rest| rest.split_once(quote));
                commands.map(|(command, _)| command.to_owned()).collect::<Vec<_>>()
            });
            commands.extend(quoted);
        }
    }
    // The name of a command alone stands for the command.
    commands.retain(|command| command.contains(' ') && !command.starts_with("ledger"));
    assert!(commands.len() > 5, "{commands:?}");
    for command in commands {
        // A P is a placement or a percentage.
        let is_taken = ["1", "1%"].into_iter().any(|p| {
            let words = command.split(' ').map(|word| match word {
                "N" | "K" => "8",
                "P" => p,
                gap if gap.starts_with('{') && gap.ends_with('}') => "8",
                word => word,
            });
            crate::cli::args::command().try_get_matches_from(["queens"].into_iter().chain(words)).is_ok()
        });
        assert!(is_taken, "'queens {command}'");
    }
}

fn built() -> Command {
    let mut all = command();
    all.build();
    all
}

#[test]
fn every_command_is_listed() {
    let text = document("docs/commands.md");
    let table = text.split("# Commands and exit codes\n\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let listed = table.lines().filter_map(|line| line.split(" | ").next()).flat_map(spans);
    let listed: BTreeSet<&str> =
        listed.filter_map(|span| span.strip_prefix("queens ")?.split_whitespace().next()).collect();
    let all = built();
    let commands: BTreeSet<&str> =
        all.get_subcommands().map(Command::get_name).filter(|name| *name != "help").collect();
    assert_eq!(listed, commands);
}

/// Whatever a document shows as typed parses, as far as the command itself goes.
#[test]
fn shown_command_lines_parse() {
    let mut shown = 0;
    for (name, text) in documents() {
        for block in text.split("\n```").skip(1).step_by(2) {
            for line in
                block.lines().filter_map(|line| line.trim_start().strip_prefix("$ ").or(Some(line.trim_start())))
            {
                let words = words(line);
                // `{}` and `$K` stand for a number where a shell or GNU parallel fills it in.
                if words.first() != Some(&"queens") || line.contains(['{', '$']) || line.contains("...") {
                    continue;
                }
                let parsed = command().try_get_matches_from(&words);
                let is_help = parsed.as_ref().is_err_and(|error| !error.use_stderr());
                assert!(parsed.is_ok() || is_help, "{name}: {line}: {}", parsed.unwrap_err());
                shown += 1;
            }
        }
    }
    assert!(shown > 20, "only {shown}");
}

/// Options of other programs that the documents name.
const FOREIGN: &[&str] = &["--bench", "--cpus-per-task", "--record"];

/// An option that is named in prose is one of its command, or of any command where it stands alone.
#[test]
fn named_options_are_the_programs() {
    let all = built();
    let mut lost = Vec::new();
    let mut foreign: BTreeSet<&str> = FOREIGN.iter().copied().collect();
    let documents = documents();
    for (name, text) in &documents {
        for span in spans(text) {
            let words: Vec<&str> = span.split_whitespace().collect();
            let of = match words.as_slice() {
                // A line of a manifest.
                ["queens", "=", ..] => continue,
                ["queens", command, ..] if !command.starts_with('-') => {
                    let Some(found) = named(&all, command) else {
                        lost.push(format!("{name}: {span}: no such command"));
                        continue;
                    };
                    Some(found)
                }
                // What else begins with a word is another program's, unless it is a command without its program.
                [first, ..] if !first.starts_with('-') => match named(&all, first) {
                    Some(found) => Some(found),
                    None => continue,
                },
                _ => None,
            };
            for word in words.iter().filter(|word| word.starts_with("--") && word.len() > 2) {
                let option = word.trim_start_matches('-').split(['=', '`', ']']).next().unwrap();
                if !has_option(&all, of, option) && !FOREIGN.contains(word) {
                    lost.push(format!("{name}: {span}: no option {word}"));
                }
                foreign.remove(word);
            }
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
    assert!(foreign.is_empty(), "no document names {foreign:?} any more");
}

/// The whole numbers of a text.
fn numbers(text: &str) -> BTreeSet<u8> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[test]
fn exit_codes_are_listed() {
    let all = [Exit::Success, Exit::Failure, Exit::Usage, Exit::Difference, Exit::Missing, Exit::Stopped];
    let codes = all.map(|exit| exit as u8);
    assert_eq!(codes, [0, 1, 2, 3, 4, 75], "they are a promise");
    let text = document("docs/commands.md");
    let table = text.split("\n| code | meaning |").nth(1).unwrap();
    let signals = [1, 2, 15].map(|signal| SIGNALLED as u8 + signal);
    assert_eq!(numbers(table), codes.into_iter().chain(signals).collect());
    let help = command().get_after_help().unwrap().to_string();
    assert_eq!(numbers(&help), numbers(table), "{help}");
}

#[test]
fn engines_are_listed() {
    let text = document("docs/design.md");
    let table = text.split("\n| engine |").nth(1).unwrap().split("\n\n").next().unwrap();
    let listed: Vec<&str> = table.lines().filter_map(|line| line.split('`').nth(1)).collect();
    for engine in ENGINES {
        assert!(listed.contains(&engine.name), "docs/design.md does not list {}", engine.name);
    }
    assert!(listed.contains(&queens::EngineKind::Cover.info().name));
}

/// The formats of `queens solutions`, with the extensions that mean them.
#[test]
fn formats_are_listed() {
    let text = document("docs/formats.md");
    let all = built();
    let solutions = named(&all, "solutions").unwrap();
    let format = solutions.get_arguments().find(|argument| argument.get_long() == Some("format")).unwrap();
    let formats: Vec<String> = format.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let table = text.split("\n| extension | format |").nth(1).unwrap().split("\n\n").next().unwrap();
    let named = spans(table);
    let is_named = |format: &String| named.iter().any(|span| *span == format || *span == format!("--format {format}"));
    let lost: Vec<&String> = formats.iter().filter(|format| !is_named(format)).collect();
    assert!(lost.is_empty(), "docs/formats.md does not name {lost:?}");
    let extensions: BTreeSet<&str> = named.iter().filter_map(|span| span.strip_prefix('.')).collect();
    assert_eq!(extensions, [TEXT, JSON, CSV, HTML, SVG].concat().into_iter().collect());
    let words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let count = format!("in {} formats", words[formats.len()]);
    assert!(document("docs/commands.md").contains(&count), "docs/commands.md does not say '{count}'");
}
