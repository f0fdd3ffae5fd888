//! What the documents list, held against what the program does: fields of JSON objects, files, tests, links.

#![cfg(feature = "cli")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::output;
use queens::Shard;
use queens::ledger::Ledger;
use queens::ledger::store::{self, Store};
use serde_json::Value;

type Names = BTreeSet<String>;

/// The sections of `docs/formats.md`, each with lines that print its objects, with every field that they ever have.
const OBJECTS: [(&str, &[&str]); 13] = [
    (
        "queens count",
        &[
            "count 8 --json",
            "count 9 --prefix 1 --json",
            "count 9 --unique --json",
            "count 9 --symmetry half --json",
            "count 8-9 --json",
            "count 9 --shard 1/2 --out s1 --json",
            "count 30 --engine naive --checkpoint thirty --resume --json",
        ],
    ),
    ("queens merge", &["merge s1 --json", "merge s1 s2 --json", "merge thirty --json"]),
    ("queens status", &["status . --json"]),
    ("queens profile", &["profile 8 --json", "profile 2-3 --json"]),
    ("queens audit", &["audit s1 s2 --json", "audit turn --json"]),
    ("queens verify", &["verify 0-6 --json", "verify --bfile b 0-5 --json", "verify --symmetry half 0-6 --json"]),
    ("queens estimate", &["estimate 9 --samples 20 --json", "estimate 16 --symmetry half --samples 20 --json"]),
    // The board of the score.
    ("queens bench", &["bench 17 --engine join --runs 1 --threads 1 --compare zen5 --json"]),
    ("queens show", &["show 158 --json", "show --number 31 8 --json"]),
    ("queens symmetries", &["symmetries 15863724 --json"]),
    (
        "--progress json",
        &[
            "count 9 --progress json",
            "count 9 --progress json --checkpoint c --resume",
            "count 14 --engine naive --progress json --checkpoint d --max-time 1ms",
            "count 9 --progress json --checkpoint c",
        ],
    ),
    (
        "--progress json` of `verify`, `audit`, `bench`, `estimate` and `solutions",
        &["verify 0-6 --progress json", "verify --bfile b 0-5 --progress json"],
    ),
    ("queens solutions", &["solutions 6 --format jsonl", "solutions 6 --fundamental --format jsonl"]),
];

fn document(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What stands between single backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The names in the first column of the tables of a section, those of file extensions left out.
fn fields(document: &str, section: &str) -> Names {
    let heading = |line: &str| line.strip_prefix("## ").is_some_and(|title| title.trim_matches('`') == section);
    let lines = document.lines().skip_while(|line| !heading(line)).skip(1).take_while(|line| !line.starts_with("## "));
    let cells = lines.filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    cells.flat_map(quoted).filter(|name| !name.starts_with('.')).map(str::to_owned).collect()
}

/// The names of all fields, those of objects within objects too.
fn names(value: &Value, found: &mut Names) {
    match value {
        Value::Object(object) => object.iter().for_each(|(name, value)| {
            found.insert(name.clone());
            names(value, found);
        }),
        Value::Array(values) => values.iter().for_each(|value| names(value, found)),
        _ => {}
    }
}

/// What the lines read.
fn files(folder: &Path) {
    let made = |line: &str| assert_eq!(output(folder, line).0, Some(0), "{line}");
    made("count 9 --shard 2/2 --out s2");
    made("count 9 --symmetry half --checkpoint turn");
    fs::write(folder.join("b"), "5 11\n").unwrap();
    fs::write(folder.join("cut"), "queens ledger 1\n").unwrap();
    // Of N = 30 nobody knows more than a remainder.
    assert_eq!(output(folder, "count 30 --engine naive --checkpoint begun --max-time 1ms").0, Some(75));
    let mut ledger = Ledger::new(store::read(&folder.join("begun")).unwrap().fingerprint().clone(), Shard::WHOLE);
    for unit in 0..ledger.units() {
        ledger.record(unit, 8.into()).unwrap();
    }
    Store::open(folder.join("thirty")).unwrap().save(&ledger).unwrap();
}

/// Every field is named in its section or among those of most objects, and every name is that of a field.
#[test]
fn formats_name_every_field() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    let text = document("docs/formats.md");
    let common = fields(&text, "Most objects");
    let (mut all, mut faults) = (Names::new(), Vec::new());
    for (section, lines) in OBJECTS {
        let named = fields(&text, section);
        let mut found = Names::new();
        for line in lines {
            let (_, out, err) = output(folder.path(), line);
            let objects = [out.as_str(), &err].map(str::lines).into_iter().flatten();
            let objects = objects.filter_map(|line| serde_json::from_str::<Value>(line).ok());
            objects.for_each(|object| names(&object, &mut found));
        }
        assert!(!found.is_empty() && !named.is_empty(), "{section}: {found:?}, {named:?}");
        let only = |these: &Names, others: &Names| -> Vec<String> { these.difference(others).cloned().collect() };
        let told: Names = named.union(&common).cloned().collect();
        for name in only(&found, &told) {
            faults.push(format!("docs/formats.md does not name `{name}` of {section}"));
        }
        for name in only(&named, &found) {
            faults.push(format!("docs/formats.md names `{name}` of {section}, which has no such field"));
        }
        all.extend(found);
    }
    faults.extend(common.difference(&all).map(|name| format!("no object has `{name}`, which docs/formats.md names")));
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Every command that prints objects has its section and its lines.
#[test]
fn formats_have_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let help = output(folder.path(), "help").1;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"count") && commands.contains(&"help"), "{help}");
    for command in commands {
        let help = output(folder.path(), &format!("help {command}")).1;
        let prints = help.contains("--json") || help.contains("- json");
        let title = format!("queens {command}");
        assert_eq!(prints, OBJECTS.iter().any(|(section, _)| *section == title), "{title}");
    }
}

const DOCUMENTS: [&str; 17] = [
    "README.md", "CONTRIBUTING.md", "docs/28.md", "docs/README.md", "docs/clusters.md", "docs/commands.md",
    "docs/design.md", "docs/formats.md", "docs/join.md", "docs/long-runs.md", "docs/machines.md", "docs/packages.md",
    "docs/reliability.md", "docs/results/README.md", "docs/terms.md", "docs/verification.md", "docs/verified.md",
];

/// Each picture says the machine, version and date of the data that it was drawn of, by `scripts/plot`.
#[test]
fn pictures_are_of_the_data() {
    let machines = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/machines")).unwrap();
    let machines = machines.map(|file| format!("docs/machines/{}", file.unwrap().file_name().display()));
    for (picture, data) in
        [("docs/speed.svg", vec!["docs/peers.json".to_owned()]), ("docs/machines.svg", machines.collect())]
    {
        let drawn = document(picture);
        for name in data {
            let saved: Value = serde_json::from_str(&document(&name)).unwrap();
            let text = |field: &str| saved[field].as_str().unwrap();
            let (cores, version) = (&saved["machine"]["cores"], text("version"));
            let about = format!("{}, {cores} cores; queens {version}, {}; ", text("cpu"), &text("date")[..10]);
            assert!(drawn.contains(&about), "{picture} is not of {name}, which is of {about}: draw it by scripts/plot");
            let engines: Vec<&Value> = saved["results"].as_array().unwrap().iter().map(|row| &row["engine"]).collect();
            assert!(!engines.is_empty() && engines.iter().all(|name| drawn.contains(name.as_str().unwrap())), "{name}");
        }
    }
}

/// Files and folders that are named, and links, lead somewhere.
#[test]
fn what_documents_point_to_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut lost = Vec::new();
    for name in DOCUMENTS {
        let text = document(name);
        let folder = root.join(name);
        let links = text.split("](").skip(1).filter_map(|link| link.split(')').next());
        let near = links.filter(|link| !link.contains("://") && !link.starts_with('#'));
        lost.extend(near.filter(|link| !folder.with_file_name(link).exists()).map(|link| format!("{name}: {link}")));
        // Where it is packaged, the folders of the repository alone are not.
        let places = ["src/", "tests/", "scripts/", "benches/", "examples/", "docs/"];
        let paths = quoted(&text).filter_map(|span| span.split([' ', '{']).next());
        let paths = paths.filter(|path| places.iter().any(|place| path.starts_with(place)));
        lost.extend(paths.filter(|path| !root.join(path).exists()).map(|path| format!("{name}: {path}")));
    }
    assert!(lost.is_empty(), "{lost:#?}");
}

/// The texts of a folder's Rust files and of those in the folders in it.
fn sources(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of =
        |path: PathBuf| if path.is_dir() { sources(&path) } else { fs::read_to_string(path).into_iter().collect() };
    entries.flat_map(of).collect()
}

/// The tests that `docs/reliability.md` names exist; a name may be cut short by an ellipsis.
#[test]
fn promises_name_their_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = [sources(&root.join("tests")), sources(&root.join("src"))].concat();
    let text = document("docs/reliability.md");
    let is_test = |name: &str| {
        name.contains('_') && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    let tests: Vec<&str> = quoted(&text).filter(|span| is_test(span.trim_end_matches('…'))).collect();
    let exists = |name: &str| match name.strip_suffix('…') {
        Some(begin) => sources.iter().any(|source| source.contains(&format!("fn {begin}"))),
        None => sources.iter().any(|source| source.contains(&format!("fn {name}()"))),
    };
    let lost: Vec<&&str> = tests.iter().filter(|name| !exists(name)).collect();
    assert!(tests.len() > 10 && lost.is_empty(), "{lost:?}");
}
