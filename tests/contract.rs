//! What the program promises: one row a promise. This table comes before the program, not after it.
//!
//! Rows with exit code 2 are usage errors, whose options may not exist. The options of all others are held against
//! clap's own list, both ways: an option without a row fails, and so does a row with an option that clap does not have.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::{files, ledger_text, output, resealed, unfinished};

/// Command line; files before; exit code; stdout; words on stderr; files after.
///
/// - Files before: prepared files by their names (`prepared` below), `whole:r/1` under another name.
/// - Stdout is exact, but that `...` stands for anything. An object is JSON that has at least these fields.
/// - Words on stderr are separated by ` | `. None: stderr is empty.
/// - Files after are all that there are, but for locks: `name=` as before, `name~text` with this text in it,
///   `name` with any content.
type Row = (&'static str, &'static str, i32, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Counts: the number alone on stdout, the comparison with OEIS on stderr.
    ("count 8", "", 0, "92\n", "agrees with OEIS A000170", ""),
    ("count 8 -q", "", 0, "92\n", "", ""),
    ("count 0", "", 0, "1\n", "agrees with OEIS A000170", ""),
    ("count 2", "", 0, "0\n", "agrees with OEIS A000170", ""),
    ("count 3", "", 0, "0\n", "agrees with OEIS A000170", ""),
    ("count 13 --engine auto", "", 0, "73712\n", "agrees with OEIS A000170", ""),
    ("count 12 --engine join --isa portable -t 1", "", 0, "14200\n", "agrees with OEIS A000170", ""),
    ("count 9 --engine naive --threads 2", "", 0, "352\n", "agrees with OEIS A000170", ""),
    ("count 9 --prefix 13 -q", "", 0, "3\n", "", ""),
    ("count 9 --prefix 1,3 -q", "", 0, "3\n", "", ""),
    ("count 8 --unique", "", 0, "12\n", "agrees with OEIS A002562", ""),
    ("count 12 --symmetry half", "", 0, "80\n", "agrees with OEIS A032522", ""),
    ("count 12 --symmetry quarter", "", 0, "8\n", "agrees with OEIS A033148", ""),
    ("count 8 --json", "", 0, r#"{"command":"count","n":8,"count":"92","engine":"backtrack"}"#, "", ""),
    ("count 8 --unique --json", "", 0, r#"{"n":8,"count":"92","unique":"12"}"#, "", ""),
    ("count 8 --json=out.json", "", 0, "92\n", "agrees with OEIS A000170", r#"out.json~"count":"92""#),
    // Ranges are b-files.
    ("count 0-4", "", 0, "0 1\n1 1\n2 0\n3 0\n4 2\n", "agree with OEIS A000170", ""),
    ("count 4-8 --unique -q", "", 0, "4 1\n5 2\n6 1\n7 6\n8 12\n", "", ""),
    ("count 1-6 --symmetry half", "", 0, "1 1\n2 0\n3 0\n4 2\n5 2\n6 4\n", "agree with OEIS A032522", ""),
    ("count 8-9 --json", "", 0, r#"{"command":"count"}"#, "", ""),
    ("count 4-3", "", 2, "", "3-4", ""),
    ("count 4-8 --checkpoint c", "", 2, "", "--checkpoint", ""),
    ("count 4-8 --prefix 1", "", 2, "", "--prefix", ""),

    // Checkpoints: one option begins a file, or goes on with it, or refuses it by name.
    ("count 11 --checkpoint c", "", 0, "2680\n", "agrees with OEIS A000170", "c~queens"),
    ("count 11 --checkpoint begun", "begun", 0, "2680\n", "agrees with OEIS A000170", "begun"),
    ("count 11 --checkpoint begun --json", "begun", 0, r#"{"count":"2680","engine":"naive"}"#, "", "begun"),
    ("count 11 --checkpoint begun --isa portable -t 1 --checkpoint-every 1ms -q", "begun", 0, "2680\n", "", "begun"),
    ("count 11 --unique --checkpoint begun -q", "begun", 0, "341\n", "", "begun"),
    ("count 11 --checkpoint whole", "whole", 0, "2680\n", "whole | complete | agrees with OEIS A000170", "whole="),
    ("count 11 --unique --checkpoint whole", "whole", 0, "341\n", "whole | complete | OEIS A002562", "whole="),
    ("count 11 --checkpoint forged", "forged", 3, "", "3480 | A000170 | 2680", "forged="),
    ("count 12 --checkpoint whole", "whole", 1, "", "whole | N = 11", "whole="),
    ("count 11 --prefix 1 --checkpoint whole", "whole", 1, "", "whole", "whole="),
    ("count 11 --engine join --checkpoint whole", "whole", 1, "", "whole | backtrack | join", "whole="),
    ("count 11 --shard 1/4 --checkpoint whole", "whole", 1, "", "whole | shard", "whole="),
    ("count 11 --checkpoint other-plan", "other-plan", 1, "", "other-plan | rows/9", "other-plan="),
    ("count 11 --checkpoint damaged", "damaged", 1, "", "damaged", "damaged="),
    ("count 11 --checkpoint format-1", "format-1", 1, "", "format-1 | format 1", "format-1="),
    ("count 11 --checkpoint list.txt", "list.txt", 1, "", "list.txt", "list.txt="),
    ("count 8 --checkpoint no/c", "", 1, "", "no/c", ""),
    ("count 8 --checkpoint-every 5s", "", 2, "", "--checkpoint", ""),
    ("count 8 --symmetry half --checkpoint c", "", 2, "", "--symmetry | --checkpoint", ""),
    ("count 8 --symmetry half --unique", "", 2, "", "--symmetry | --unique", ""),
    ("count 8 --symmetry half --prefix 1", "", 2, "", "--symmetry | --prefix", ""),

    // A limit of time. It is 75 in `out_of_time` below: how long a unit takes depends on the machine.
    ("count 20 --engine naive --checkpoint c --max-time 1ms", "", 1, "", "give a longer --max-time", "c"),
    ("count 9 --checkpoint c --max-time 1h -q", "", 0, "352\n", "", "c"),
    ("count 8 --max-time 1h", "", 2, "", "--checkpoint", ""),

    // Shards: the part of a shard is never on stdout.
    ("count 11 --engine backtrack --shard 1/4 --checkpoint c", "", 0, "", "c | 1/4", "c"),
    ("count 11 --engine backtrack --shard 1/4 --checkpoint c --json", "", 0, r#"{"part":"736","count":null}"#, "", "c"),
    ("count 11 --shard 1/4 --checkpoint s1", "s1", 0, "", "s1 | complete", "s1="),
    ("count 11 --shard 2/4 --checkpoint s1", "s1", 1, "", "s1 | 1/4 | 2/4", "s1="),
    ("count 11 --shard 1/4", "", 2, "", "--checkpoint", ""),
    ("count 11 --shard 5/4 --checkpoint c", "", 2, "", "--shard", ""),
    ("count 11 --unique --shard 1/4 --checkpoint c", "", 2, "", "--unique | --shard", ""),

    // Status: what is done and what is missing.
    ("status whole", "whole", 0, "...whole...", "", "whole="),
    ("status .", "s1:r/1 s2:r/deep/2 begun4:r/4", 0, "...r/1...r/deep/2...r/4...", "", "r/1= r/deep/2= r/4="),
    ("status s1 damaged", "s1 damaged", 0, "...damaged...remove it and count it again...", "", "s1= damaged="),
    ("status begun whole --json", "begun whole", 0, r#"{"command":"status"}"#, "", "begun= whole="),
    ("status --missing s1 s2", "s1 s2", 0, "3-4\n", "", "s1= s2="),
    ("status --missing r", "s1:r/1 s3:r/3 damaged2:r/2", 0, "2,4\n", "", "r/1= r/2= r/3="),
    ("status --missing s1 s2 s3 begun4", "s1 s2 s3 begun4", 0, "4\n", "", "s1= s2= s3= begun4="),
    ("status --missing s1 s2 s3 s4", "s1 s2 s3 s4", 0, "", "", "s1= s2= s3= s4="),
    ("status --missing .", "list.txt", 1, "", "no ledger", "list.txt="),
    ("status none", "", 1, "", "none", ""),

    // Merge: the total alone, or nothing.
    ("merge s1 s2 s3 s4", "s1 s2 s3 s4", 0, "2680\n", "agrees with OEIS A000170", "s1= s2= s3= s4="),
    ("merge r -q", "s1:r/1 s2:r/deep/2 s3:r/3 s4:r/4", 0, "2680\n", "", "r/1= r/deep/2= r/3= r/4="),
    ("merge s1 s2 begun s3 s4", "s1 s2 s3 s4 begun", 1, "", "begun", "s1= s2= s3= s4= begun="),
    ("merge whole --json", "whole", 0, r#"{"command":"merge","count":"2680"}"#, "", "whole="),
    ("merge s1 s2 s3 s4 -o all", "s1 s2 s3 s4", 0, "2680\n", "agrees", "s1= s2= s3= s4= all~queens"),
    ("merge s1 s2 s4", "s1 s2 s4", 4, "", "3", "s1= s2= s4="),
    ("merge s1 s2 s3 damaged", "s1 s2 s3 damaged", 4, "", "damaged | 4", "s1= s2= s3= damaged="),
    ("merge begun", "begun", 4, "", "45 units", "begun="),
    ("merge forged", "forged", 3, "", "3480 | A000170 | 2680", "forged="),
    ("merge whole forged", "whole forged", 3, "", "forged | unit 0 | 22 | 822", "whole= forged="),
    ("merge none", "", 1, "", "none", ""),

    // Audit: any time, by anybody, from the file.
    ("audit whole --share 100%", "whole", 0, "...45...", "", "whole="),
    ("audit s1 begun4 --share 1% --seed 7 -t 1 --isa portable --json", "s1 begun4", 0,
        r#"{"command":"audit"}"#, "", "s1= begun4="),
    ("audit whole --max-time 100ms", "whole", 0, "...", "", "whole="),
    ("audit forged --share 100%", "forged", 3, "...822...", "unit 0", "forged="),
    ("audit damaged", "damaged", 1, "", "damaged", "damaged="),

    // Estimates, published terms again, times.
    ("estimate 6-7 --max-time 100ms -t 1 --seed 1 --isa portable", "", 0, "...6...4...7...40...", "", ""),
    ("estimate 8 --max-time 100ms --json", "", 0, r#"..."command":"estimate"..."oeis":"92","counted":"92"..."#, "", ""),
    ("verify 6-8 --isa portable -t 1", "", 0, "...join...backtrack...naive...8...92...", "", ""),
    ("verify 4-6 --engine naive --unique", "", 0, "...A002562...", "", ""),
    ("verify 4 --json", "", 0, r#"{"command":"verify"}"#, "", ""),
    ("bench 6 --engine naive --runs 1 -t 1,2", "", 0, "...naive...", "", ""),
    ("bench 6 7 --engine join --runs 1 -t 1 --isa portable --json", "", 0, r#"{"command":"bench"}"#, "", ""),

    // Lists: formats by extension, else by --format.
    ("solutions 6", "", 0, "246135\n362514\n415263\n531642\n", "", ""),
    ("solutions 6 --fundamental", "", 0, "246135\n", "", ""),
    ("solutions 8 --from 8 --limit 1", "", 0, "82417536\n", "", ""),
    ("solutions 8 --skip 91", "", 0, "84136275\n", "", ""),
    ("solutions 8 --prefix 1 --queen 4,6", "", 0, "15863724\n17468253\n", "", ""),
    ("solutions 32 --limit 1", "", 0,
        "1,3,5,2,4,9,11,13,15,6,18,24,26,30,25,31,28,32,27,29,16,19,10,8,17,12,21,7,14,23,20,22\n", "", ""),
    ("solutions 0", "", 0, "\n", "", ""),
    ("solutions 3", "", 0, "", "N = 3", ""),
    ("solutions 8 --limit 0", "", 0, "", "limit", ""),
    ("solutions 4 --format lines", "", 0, "2413\n3142\n", "", ""),
    ("solutions 4 --format boards", "", 0, "...2413\n. . Q .\nQ . . .\n. . . Q\n. Q . .\n...", "", ""),
    ("solutions 4 --format csv", "", 0, "number,column1,column2,column3,column4\n1,2,4,1,3\n2,3,1,4,2\n", "", ""),
    ("solutions 4 --format svg", "", 0, "<svg...</svg>\n", "", ""),
    ("solutions 6 -o a.txt", "", 0, "", "", "a.txt~415263"),
    ("solutions 6 -o a.txt --format boards", "", 0, "", "", "a.txt~Q"),
    ("solutions 6 -o a.csv", "", 0, "", "", "a.csv~number,column1"),
    ("solutions 6 -o a.svg", "", 0, "", "", "a.svg~<svg"),
    ("solutions 6 -o a.html", "", 0, "", "", "a.html~<!doctype"),
    ("solutions 6 -o -", "", 0, "246135\n362514\n415263\n531642\n", "", ""),
    ("solutions 6 -o a", "", 2, "", ".txt | .csv | .svg | .html", ""),
    ("solutions 6 -o a.json", "", 2, "", ".txt | .csv | .svg | .html", ""),

    // One board.
    ("symmetries 2413", "", 0, "...2413...identity...3142...reflection...", "", ""),
    ("symmetries 2413 --json", "", 0, r#"{"command":"symmetries","class_size":2}"#, "", ""),
    ("symmetries 158", "", 2, "", "3 queens", ""),
    ("show 2413", "", 0, "...♛...♛...♛...♛...", "", ""),
    ("show 158 -n 8", "", 0, "...♛...♛...♛...8...", "", ""),
    ("show -n 8 --queen 4,2 --queen 1,1", "", 0, "...♛...♛...", "", ""),
    ("show -n 8 --number 4", "", 0, "...17582463...", "", ""),
    ("show -n 8 --number 93", "", 2, "", "92", ""),
    ("show 2413 -o x.svg", "", 0, "", "", "x.svg~<svg"),
    ("show 2413 -o x.txt", "", 0, "", "", "x.txt~♛"),
    ("show 2413 -o x.png", "", 2, "", ".txt | .svg", ""),

    // Files are written whole or not at all, and never over a ledger.
    ("solutions 6 -o list.txt", "list.txt", 0, "", "", "list.txt~246135"),
    ("solutions 6 -o a.txt", "whole:a.txt", 1, "", "a.txt", "a.txt="),
    ("show 2413 -o a.svg", "begun:a.svg", 1, "", "a.svg", "a.svg="),
    ("count 8 --json=c", "damaged:c", 1, "...", "c", "c="),
    ("merge s1 s2 s3 s4 -o s1", "s1 s2 s3 s4", 1, "...", "s1", "s1= s2= s3= s4="),
    ("solutions 6 -o no/a.txt", "", 1, "", "no/a.txt", ""),

    // Usage errors say what is allowed, and which queens are in each other's way.
    ("", "", 2, "", "count | solutions", ""),
    ("cuont 8", "", 2, "", "count", ""),
    ("count 33", "", 2, "", "0 to 32", ""),
    ("count 35 --symmetry half", "", 2, "", "34", ""),
    ("count 70 --symmetry quarter", "", 2, "", "69", ""),
    ("solutions 33", "", 2, "", "0 to 32", ""),
    ("count 8 --engine fast", "", 2, "", "auto, join, backtrack, naive", ""),
    ("count 8 --isa mmx", "", 2, "", "portable, neon, avx2", ""),
    ("count 8 --resume", "", 2, "", "--resume", ""),
    ("count 8 --prefix 11", "", 2, "", "column 1 | column 2 | share a row", ""),
    ("count 8 --prefix 12", "", 2, "", "column 1 | column 2 | share a diagonal", ""),
    ("count 8 --prefix 9", "", 2, "", "outside the board | 1 to 8", ""),
    ("solutions 8 --queen 1,1 --queen 1,5", "", 2, "", "1,1 | 1,5 | share a column", ""),
    ("show -n 8 --queen 9,1", "", 2, "", "9,1 | outside the board", ""),

    // What every command has.
    ("count 33 --color always", "", 2, "", "\u{1b}[ | 0 to 32", ""),
    ("--help", "", 0, "...solutions...75...", "", ""),
    ("count --help", "", 0, "...--checkpoint...", "", ""),
    ("--version", "", 0, "queens ...", "", ""),
    ("completions bash --color never", "", 0, "..._queens()...", "", ""),
    ("completions basic", "", 2, "", "bash | fish | zsh", ""),
    ("man", "", 0, "....TH queens 1...", "", ""),
    ("man count --quiet", "", 0, "....TH queens-count 1...", "", ""),
    ("man cuont", "", 2, "", "count", ""),
];

/// The prepared files. Ledgers are of N = 11, whose plan of rows has 45 units; unit 0 has 22 solutions.
fn prepared(name: &str) -> String {
    let count = |options: &str| ledger_text(&format!("count 11 {options}"));
    match name {
        "list.txt" => "not a ledger\n".to_owned(),
        "whole" => count("--engine backtrack"),
        "begun" => unfinished(&count("--engine naive"), 5),
        "begun4" => unfinished(&prepared("s4"), 5),
        "s1" | "s2" | "s3" | "s4" => count(&format!("--engine backtrack --shard {}/4", &name[1..])),
        "damaged" => prepared("whole").replacen("unit 0 22\n", "unit 0 23\n", 1),
        "damaged2" => prepared("s2").replacen("unit ", "unit 1", 1),
        "forged" => resealed(&prepared("whole").replacen("unit 0 22\n", "unit 0 822\n", 1)),
        "other-plan" => resealed(&prepared("whole").replace("rows/1 ", "rows/9 ")),
        "format-1" => resealed(&prepared("whole").replacen("queens ledger 2\n", "queens ledger 1\n", 1)),
        _ => panic!("no file is prepared as {name}"),
    }
}

#[test]
fn every_promise_is_kept() {
    let broken: Vec<String> =
        ROWS.iter().filter_map(|row| Some(format!("queens {}: {}", row.0, fault(row)?))).collect();
    assert!(broken.is_empty(), "{} of {} rows:\n{}", broken.len(), ROWS.len(), broken.join("\n"));
}

/// What is wrong with a row, if anything is.
fn fault(&(line, before, code, stdout, stderr, after): &Row) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut texts = std::collections::BTreeMap::new();
    for entry in before.split_whitespace() {
        let (name, place) = entry.split_once(':').unwrap_or((entry, entry));
        let path = folder.path().join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        texts.insert(place, prepared(name));
        fs::write(path, &texts[place]).unwrap();
    }
    let (found, out, err) = output(folder.path(), line);
    let say = |what: &str| Some(format!("{what}, with exit code {found:?}\n  stdout: {out:?}\n  stderr: {err:?}"));
    if found != Some(code) {
        return say(&format!("not exit code {code}"));
    }
    if !agrees(stdout, &out) {
        return say(&format!("stdout is not {stdout:?}"));
    }
    if stderr.is_empty() && !err.is_empty() {
        return say("something is on stderr");
    }
    if let Some(word) = stderr.split(" | ").find(|word| !err.contains(word)) {
        return say(&format!("stderr does not say {word:?}"));
    }
    if !line.contains("--color always") && (out.contains('\u{1b}') || err.contains('\u{1b}')) {
        return say("colour without a terminal");
    }
    let mut left = files(folder.path());
    for entry in after.split_whitespace() {
        let (place, expected) = entry.split_at(entry.find(['=', '~']).unwrap_or(entry.len()));
        let text = fs::read_to_string(folder.path().join(place)).unwrap_or_default();
        let is_right = match expected.split_at(expected.len().min(1)) {
            ("=", _) => text == texts[place],
            (_, part) => text.contains(part),
        };
        if !left.remove(place) || !is_right {
            return say(&format!("file {entry}: {text:?}"));
        }
    }
    if left.is_empty() { None } else { say(&format!("these files are left: {left:?}")) }
}

/// Whether stdout is what a row says.
fn agrees(pattern: &str, text: &str) -> bool {
    if pattern.starts_with('{') {
        let expected: serde_json::Value = serde_json::from_str(pattern).unwrap();
        let Ok(found) = serde_json::from_str::<serde_json::Value>(text) else { return false };
        return expected.as_object().unwrap().iter().all(|(name, value)| found.get(name) == Some(value));
    }
    let mut parts = pattern.split("...");
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap()) else { return false };
    let mut last = None;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        last = Some(part);
    }
    match last {
        None | Some("") => last.is_some() || rest.is_empty(),
        Some(part) => rest.is_empty() || text.ends_with(part),
    }
}

/// Stopped by the clock with more in the file than at the start, the same command goes on. Longer and longer, until a
/// unit is finished within that time on this machine.
#[test]
fn out_of_time() {
    let folder = tempfile::tempdir().unwrap();
    let line = |doubled: u32| format!("count 16 --engine naive -t 1 --checkpoint c --max-time {}ms", 100 << doubled);
    let mut runs = (0..10).map(|doubled| output(folder.path(), &line(doubled)));
    let (code, out, err) =
        runs.find(|(_, _, err)| !err.contains("give a longer --max-time")).expect("a unit is finished");
    assert_eq!((code, out.as_str()), (Some(75), ""), "{err}");
    assert!(err.contains(" units in c; the same command goes on"), "{err}");
}

/// An option or a command by its long name, where a short one has one.
fn long(option: &str) -> &str {
    match option {
        "-h" => "--help",
        "-V" => "--version",
        "-q" => "--quiet",
        "-t" => "--threads",
        "-o" => "--output",
        "-n" => "--size",
        long => long,
    }
}

/// Commands and their options as clap completes them for bash.
fn options_of_clap() -> BTreeSet<(String, String)> {
    let script = output(Path::new("."), "completions bash").1;
    let mut found = BTreeSet::new();
    let arms = script.split("\n        queens__subcmd__").skip(1);
    for (arm, rest) in arms.filter_map(|arm| arm.split_once(")\n            opts=\"")) {
        let words = rest.split('"').next().unwrap().split(' ').filter(|word| word.starts_with('-'));
        if !arm.starts_with("help") {
            found.extend(words.map(|option| (arm.to_owned(), long(option).to_owned())));
        }
    }
    found
}

#[test]
fn every_option_has_a_row_and_every_row_is_of_an_option() {
    const EVERYWHERE: [&str; 4] = ["--color", "--help", "--quiet", "--version"];
    let clap = options_of_clap();
    let rows: BTreeSet<(String, String)> = ROWS
        .iter()
        .filter(|row| row.2 != 2)
        .filter_map(|row| row.0.split_once(' '))
        .flat_map(|(command, rest)| {
            let options = rest.split(' ').filter(|word| word.starts_with('-') && word.len() > 1);
            let names = options.map(|option| long(option.split('=').next().unwrap()));
            names.map(|name| (command.to_owned(), name.to_owned())).collect::<Vec<_>>()
        })
        .collect();
    let commands: BTreeSet<&str> =
        ROWS.iter().filter(|row| row.2 != 2).filter_map(|row| row.0.split(' ').next()).collect();
    let commands: BTreeSet<&str> = commands.into_iter().filter(|command| !command.starts_with('-')).collect();
    let of_clap: BTreeSet<&str> = clap.iter().map(|(command, _)| command.as_str()).collect();
    assert_eq!(commands, of_clap, "commands of rows, and of clap");
    let everywhere =
        commands.iter().flat_map(|&command| EVERYWHERE.map(|option| (command.to_owned(), option.to_owned())));
    let rows: BTreeSet<_> = rows.into_iter().chain(everywhere).collect();
    let without_row: Vec<_> = clap.difference(&rows).collect();
    let without_option: Vec<_> = rows.difference(&clap).collect();
    assert!(
        without_row.is_empty() && without_option.is_empty(),
        "no row: {without_row:?}\nno option: {without_option:?}"
    );
}
