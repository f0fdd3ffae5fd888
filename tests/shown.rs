//! The examples of the documents: each command prints the output that is shown, except for times and machines.

use std::path::{Path, PathBuf};
use std::{env, fs};

use queens::{Method, Placement, Size};

use crate::common::{files, finish, program, shell};

/// The beginnings of commands that are not run here, and the reasons.
const NOT_RUN: &[(&str, &str)] = &[
    (".ci/run", "runs this test"),
    ("cargo ", "builds"),
    ("queens bench", "a minute; tests/contract.rs runs it on small boards"),
    ("queens count 22", "an hour"),
    ("queens count 24", "days"),
    ("queens estimate", "runs until its time limit"),
    ("queens merge r", "needs the shards of the lines above it"),
    ("queens status", "the same"),
    ("scripts/", "each has its own use"),
];

/// A command in a document, and the output that is shown below it.
pub(crate) struct Example {
    pub(crate) command: String,
    pub(crate) lines: Vec<String>,
}

fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let of = |folder: &str| fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = [".", "docs", "docs/results"].into_iter().flat_map(of).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    found.sort();
    found
}

/// The examples in code blocks of this kind.
pub(crate) fn examples(text: &str, kind: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    for block in text.split(&format!("```{kind}\n")).skip(1).map(|block| block.split("```").next().unwrap()) {
        for line in block.lines().map(str::trim).filter(|line| !line.is_empty()) {
            match (line.strip_prefix("$ "), found.last_mut()) {
                (Some(typed), _) => {
                    let command = typed.split(" #").next().unwrap().trim().to_owned();
                    found.push(Example { command, lines: Vec::new() });
                }
                (None, Some(last)) => last.lines.push(line.to_owned()),
                (None, None) => panic!("'{line}' is not below a command"),
            }
        }
    }
    found
}

/// The words of a line, without times and instruction sets, which differ between runs.
fn reproducible_words(line: &str) -> Vec<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_unit = |word: &&str| ["ns", "µs", "us", "ms", "s", "min"].contains(&word.trim_end_matches(','));
    let is_time = |at: usize| is_unit(&words[at]) || words.get(at + 1).is_some_and(is_unit);
    let isas = queens::Isa::ALL.map(|isa| isa.to_string());
    (0..words.len())
        .filter(|&at| !is_time(at) && !isas.iter().any(|isa| isa == words[at]))
        .map(|at| words[at])
        .collect()
}

/// Whether the printed lines match those shown, in which `...` stands for any number of lines.
pub(crate) fn lines_match(shown: &[String], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=printed.len()).any(|skipped| lines_match(rest, &printed[skipped..]))
        }
        Some((first, rest)) => printed.split_first().is_some_and(|(line, others)| {
            reproducible_words(first) == reproducible_words(line) && lines_match(rest, others)
        }),
    }
}

#[test]
fn examples_of_documents_are_right() {
    let path = format!("{}:{}", program().parent().unwrap().display(), env::var("PATH").unwrap());
    let (mut faults, mut run, mut pictures) = (Vec::new(), 0, 0);
    for document in documents() {
        let folder = tempfile::tempdir().unwrap();
        for Example { command, lines } in examples(&fs::read_to_string(&document).unwrap(), "console") {
            if NOT_RUN.iter().any(|(begin, _)| command.starts_with(begin)) {
                continue;
            }
            // A document shows both streams, as a terminal does.
            let script = format!("{{ {command}; }} 2>&1");
            let mut typed = shell(folder.path(), &script);
            typed.env("PATH", &path);
            let (code, printed, _) = finish(typed);
            run += 1;
            if code != Some(0) || (!lines.is_empty() && !lines_match(&lines, &printed.lines().collect::<Vec<_>>())) {
                let shown = lines.join("\n");
                faults.push(format!(
                    "{}: $ {command}\nshown:\n{shown}\nprinted, {code:?}:\n{printed}",
                    document.display()
                ));
            }
        }
        // A picture in docs is the one that the document's command writes.
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
        for made in files(folder.path()).iter().filter(|made| docs.join(made).exists()) {
            pictures += 1;
            if fs::read(docs.join(made)).unwrap() != fs::read(folder.path().join(made)).unwrap() {
                faults.push(format!("docs/{made} is not the picture that a command in {} writes", document.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    assert!(run >= 9 && pictures >= 1, "only {run} commands were run, and {pictures} pictures compared");
}

#[test]
fn memory_in_documents_is_that_of_the_library() {
    let megabytes = |n: usize, threads| {
        let size = Size::new(n).unwrap();
        Method::choose(None, None, &Placement::empty(size)).unwrap().memory(size, threads).unwrap() / 1_000_000
    };
    let each = |n| megabytes(n, 2) - megabytes(n, 1);
    let number = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse::<usize>().unwrap();
    let mut rows = 0;
    for text in documents().into_iter().chain(["src/request.rs".into()]).map(|path| fs::read_to_string(path).unwrap()) {
        for row in text.lines().filter(|line| line.ends_with(" MB |")) {
            let n = number(&row[2..]);
            let expected = format!("| {:.1} GB | {} MB |", megabytes(n, 32) as f64 / 1000.0, each(n));
            assert!(row.ends_with(&expected), "{row}, not {expected}");
            rows += 1;
        }
        for (at, _) in text.match_indices(" MB at N = ") {
            let (shown, n) = (text[..at].rsplit(' ').next().unwrap(), number(&text[at + " MB at N = ".len()..]));
            assert_eq!(shown, each(n).to_string(), "megabytes at N = {n}");
        }
    }
    assert!(rows >= 4, "only {rows} rows were compared");
}
