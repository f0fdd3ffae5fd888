//! What the documents show as typed is typed, and prints what they show: times and machines aside.

#![cfg(all(unix, feature = "cli"))]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// Commands that are shown and not run here, by how their lines begin, and why.
const NOT_RUN: &[(&str, &str)] = &[
    (".ci/run", "runs this test"),
    ("cargo ", "builds"),
    ("queens bench", "minutes; tests/bench.rs runs it on small boards"),
    ("queens browse", "needs a terminal; src/cli/commands/browse has tests with one"),
    ("queens count 22", "an hour; tests/shards.rs runs shards of small boards"),
    ("queens count 24", "days; tests/survive.rs stops and resumes small boards"),
    ("queens count 28", "years; the same"),
    ("queens estimate", "as long as it may; its tests sample small boards"),
    ("queens merge r", "needs the shards of the lines above it"),
    ("queens status r", "the same"),
    ("scripts/plot", "needs matplotlib; tests/docs.rs holds its pictures against their data"),
    ("scripts/slurm/", "needs a cluster; scripts/slurm/test has one"),
];

/// A command as a document shows it, and the lines below it.
struct Shown {
    document: String,
    command: String,
    lines: Vec<String>,
}

fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let of = |folder: &str| fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = [".", "docs", "docs/results"].into_iter().flat_map(of).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    found.sort();
    found
}

fn shown(path: &Path) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let text = fs::read_to_string(path).unwrap();
    for block in text.split("```console\n").skip(1).map(|block| block.split("```").next().unwrap()) {
        for line in block.lines() {
            let last = found.last_mut();
            match (line.strip_prefix("$ "), last) {
                (Some(typed), _) => {
                    let command = typed.split(" #").next().unwrap().trim().to_owned();
                    found.push(Shown { document: path.display().to_string(), command, lines: Vec::new() });
                }
                (None, Some(last)) => last.lines.push(line.to_owned()),
                (None, None) => panic!("{}: '{line}' is nobody's output", path.display()),
            }
        }
    }
    found
}

/// The words of a line, wherever its columns begin, with one word for what no other run repeats: times and instruction sets.
fn plain(line: &str) -> Vec<&str> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    for at in 0..words.len() {
        if ["(avx", "(neon", "(portable"].iter().any(|isa| words[at].starts_with(isa)) {
            words[at] = "ISA";
        }
        if at > 0 && words[at - 1].parse::<f64>().is_ok() && ["ns", "µs", "ms", "s", "min"].contains(&words[at]) {
            (words[at - 1], words[at]) = ("TIME", "UNIT");
        }
    }
    words
}

/// Whether the lines are those shown, where `...` stands for any number of them.
fn agree(shown: &[String], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "..." => (0..=printed.len()).any(|skipped| agree(rest, &printed[skipped..])),
        Some((first, rest)) => {
            printed.split_first().is_some_and(|(line, others)| plain(first) == plain(line) && agree(rest, others))
        }
    }
}

#[test]
fn what_documents_show_is_what_the_program_prints() {
    let program = Path::new(env!("CARGO_BIN_EXE_queens")).parent().unwrap();
    let path = format!("{}:{}", program.display(), env::var("PATH").unwrap());
    let (mut faults, mut run, mut left_out) = (Vec::new(), 0, BTreeSet::new());
    for document in documents() {
        let folder = tempfile::tempdir().unwrap();
        for Shown { document, command, lines } in shown(&document) {
            if let Some((begin, _)) = NOT_RUN.iter().find(|(begin, _)| command.starts_with(begin)) {
                left_out.insert(*begin);
                continue;
            }
            // On a slow machine these would also say how far they are and how long they take.
            let quiet = |line: String, name| {
                line.replace(&format!("queens {name} "), &format!("queens {name} --progress never "))
            };
            let command = ["count", "verify", "audit"].into_iter().fold(command, quiet);
            // A document shows what a person sees, so both streams in one.
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("{{ {command}; }} 2>&1")]).current_dir(folder.path()).env("PATH", &path);
            let output = shell.env_remove("NO_COLOR").env("COLUMNS", "120").stdin(Stdio::null()).output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            let printed: Vec<&str> = printed.lines().collect();
            run += 1;
            if !output.status.success() {
                faults.push(format!("{document}: $ {command}\n{}: {}", output.status, printed.join("\n")));
            } else if !lines.is_empty() && !agree(&lines, &printed) {
                faults.push(format!(
                    "{document}: $ {command}\nshown:\n{}\nprinted:\n{}",
                    lines.join("\n"),
                    printed.join("\n")
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    let stale: Vec<&str> = NOT_RUN.iter().map(|(begin, _)| *begin).filter(|begin| !left_out.contains(begin)).collect();
    assert!(run >= 9 && stale.is_empty(), "{run} commands were run; no document shows {stale:?} any more");
}

#[test]
fn lines_agree_up_to_times() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let same = |shown: &str, printed: &str| agree(&lines(shown), &printed.lines().collect::<Vec<_>>());
    assert!(same("a 1.75 ms  b", "a 12 s b") && same("one\n...\nfour", "one\ntwo\nthree\nfour") && same("...", ""));
    assert!(same("by join (avx512)", "by join (portable)"));
    assert!(
        !same("a 1.75 ms b", "a 1.75 ms c")
            && !same("one", "one\ntwo")
            && !same("92", "91")
            && !same("one\n...\nfour", "one")
    );
}
