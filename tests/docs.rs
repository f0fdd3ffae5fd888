//! What the documents list, held against what there is: files, tests, links.

#![cfg(feature = "cli")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn document(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What stands between single backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
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

/// The memory of a cluster's tasks is what `queens estimate` says.
#[test]
fn the_memory_of_a_task_is_that_of_an_estimate() {
    let text = document("docs/clusters.md");
    let rows =
        text.split("| memory of a task |").nth(1).unwrap().lines().skip(2).take_while(|line| line.starts_with('|'));
    let mut seen = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (n, threads) = (cells[1].parse().unwrap(), cells[2].split(" × ").nth(1).unwrap().parse().unwrap());
        let (size, (number, unit)) = (queens::Size::new(n).unwrap(), cells[4].split_once(' ').unwrap());
        let megabytes = queens::Method::choose(None, None, size).unwrap().memory(size, threads) / 1_000_000;
        let tenths = (megabytes + 50) / 100;
        let shown = if unit == "GB" { format!("{}.{}", tenths / 10, tenths % 10) } else { megabytes.to_string() };
        assert_eq!(number, shown, "{row}");
        seen += 1;
    }
    assert!(seen > 3, "{seen} rows");
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
