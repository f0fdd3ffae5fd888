//! The wiring of the command line: every option of the commands that count, in every form of each command, is seen in
//! what the command does, or refused with a sentence.
//!
//! A table for each command has a row for each option and a column for each form. The options are those that the
//! program itself completes in a shell, so that a new one fails until it has its row. Every run is made without the
//! option too, and what is expected must not be seen there: no row can hold by chance. Where the form's own line has the
//! option, as `--prefix` in a count with a prefix, there is nothing to leave out.
//!
//! What is expected of threads, instruction sets and double checks are fields that are told by the count that ran.

#![cfg(all(feature = "cli", unix))]

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use crate::common::{output, queens, runs};
use queens::ledger::Ledger;
use queens::ledger::store::{self, Store};
use queens::{Isa, available_threads};
use serde_json::Value;
use tempfile::TempDir;

use Expect::{
    Differs, Ends, Equal, Exit, Field, File, Length, Lines, Loses, Never, NotZero, Out, Refused, Same, Saves, Silent,
    Stops, Text,
};

/// How an option is seen. A field is named by its path in the object of `--json`, as in `terms/0/isa`.
#[derive(Clone, Copy, Debug)]
enum Expect {
    /// A field has this value.
    Field(&'static str, &'static str),
    /// A field is this text.
    Text(&'static str, &'static str),
    /// A field is a number, and not 0.
    NotZero(&'static str),
    /// Two fields are the same number, and not 0.
    Equal(&'static str, &'static str),
    /// A field is an array of this length.
    Length(&'static str, usize),
    /// A field has another value than without the option.
    Differs(&'static str),
    /// Stdout has this text.
    Out(&'static str),
    /// Stdout has this many lines.
    Lines(usize),
    /// The last object on stderr is the only end, and has all the work done.
    Ends,
    /// Stderr is empty.
    Silent,
    /// There is a file of this name, which begins with this text.
    File(&'static str, &'static str),
    /// Exit code 2, nothing on stdout, and an error of one line with this sentence.
    Refused(&'static str),
    /// This exit code, and this sentence on stderr.
    Exit(i32, &'static str),
    /// A long run has more in its checkpoint than it began with, before it has ended.
    Saves,
    /// A long run ends before its time, is saved and says so.
    Stops,
    /// A long run ends before its time, and nothing is saved.
    Loses,
    /// The option changes nothing here.
    Same,
    /// The form, or what goes with the option, is refused with this sentence whether the option is there or not.
    Never(&'static str),
}

/// A form of a command.
struct Form {
    name: &'static str,
    /// What comes after the name of the command.
    line: &'static str,
    /// The same for a count of half a second at least on one thread of any machine; empty where no row needs it.
    long: &'static str,
    exit: i32,
}

const fn form(name: &'static str, line: &'static str) -> Form {
    Form { name, line, long: "", exit: 0 }
}

/// An option with its value, other options that go with it, and how it is seen in each of the forms.
struct Row<const FORMS: usize> {
    option: &'static str,
    with: &'static str,
    expected: [Expect; FORMS],
}

const fn row<const FORMS: usize>(option: &'static str, expected: [Expect; FORMS]) -> Row<FORMS> {
    Row { option, with: "", expected }
}

const fn row_with<const FORMS: usize>(
    option: &'static str,
    with: &'static str,
    expected: [Expect; FORMS],
) -> Row<FORMS> {
    Row { option, with, expected }
}

/// What every command has, and `every_command_has_the_options_of_all` tries.
const OF_ALL: [&str; 3] = ["--color", "--help", "--version"];

const LEDGER: &str = "queens ledger";
const FILE: Expect = File("o.json", "{\"schema\":");
const CLASH: Expect = Refused("cannot be used with");
const TWICE: Expect = Refused("cannot be used multiple times");
const ONE_N: Expect = Refused("--prefix, --shard, --checkpoint and --max-time need a single N, not a range");
const NEVER: Expect = Never("--prefix, --shard, --checkpoint and --max-time need a single N, not a range");
const NO_SHARD: Expect = Refused("count the shards without --unique and merge them");

#[test]
fn count() {
    let long = |name, line, long| Form { long, ..form(name, line) };
    let forms = [
        long("plain", "12", "15 --engine naive --threads 1"),
        form("range", "11-12"),
        long("prefix", "12 --prefix 3", "16 --prefix 3 --engine naive --threads 1"),
        long("unique", "12 --unique", "15 --unique --engine naive --threads 1"),
        long("half", "20 --symmetry half", "26 --symmetry half --isa portable --threads 1"),
        long("quarter", "33 --symmetry quarter", "48 --symmetry quarter --isa portable --threads 1"),
        long("shard", "12 --shard 1/2 --out s", "15 --engine naive --threads 1 --shard 1/2 --out s"),
        long(
            "resumed",
            "12 --checkpoint plain.part --resume",
            "15 --engine naive --threads 1 --checkpoint long.part --resume",
        ),
    ];
    let (object, saved, result) = (Field("command", "count"), File("c", LEDGER), File("s", LEDGER));
    let (naive, naives) = (Field("engine", "naive"), Field("terms/0/results/0/engine", "naive"));
    let (isa, isas) = (Field("isa", "portable"), Field("terms/0/results/0/isa", "portable"));
    let (five, fives) = (Field("threads", "5"), Field("terms/1/results/0/threads", "5"));
    let (unique, uniques) = (Field("unique", "1787"), Field("sequence", "A002562"));
    let (half, halves) = (Field("symmetry", "half"), Field("sequence", "A032522"));
    let (quarter, quarters) = (Field("symmetry", "quarter"), Field("sequence", "A033148"));
    let (twice, twices) = (Equal("double_checked", "units"), NotZero("terms/0/results/0/double_checked_tasks"));
    let (prefix, shard, resumed) = (Field("prefix", "3"), Field("shard", "1/2"), NotZero("resumed"));
    let foreign = Exit(1, "error: plain.part: it is for ");
    #[rustfmt::skip]
    let rows = [
        //                                                    plain    range     prefix   unique    half     quarter  shard     resumed
        row("--engine naive",                                [naive,   naives,   naive,   naive,    CLASH,   CLASH,   naive,    foreign]),
        row("--isa portable",                                [isa,     isas,     isa,     isa,      isa,     isa,     isa,      isa]),
        row("--threads 5",                                   [five,    fives,    five,    five,     five,    five,    five,     five]),
        row("--prefix 3",                                    [prefix,  ONE_N,    prefix,  CLASH,    CLASH,   CLASH,   prefix,   foreign]),
        row("--unique",                                      [unique,  uniques,  CLASH,   unique,   CLASH,   CLASH,   NO_SHARD, unique]),
        row("--symmetry half",                               [half,    halves,   CLASH,   CLASH,    half,    TWICE,   half,     foreign]),
        row("--symmetry quarter",                            [quarter, quarters, CLASH,   CLASH,    TWICE,   quarter, quarter,  foreign]),
        row("--json",                                        [object; 8]),
        row("--json=o.json",                                 [FILE; 8]),
        row("--quiet",                                       [Silent,  Silent,   Same,    Silent,   Silent,  Silent,  Silent,   Silent]),
        row("--progress json",                               [Ends; 8]),
        row("--checkpoint c",                                [saved,   ONE_N,    saved,   saved,    saved,   saved,   saved,    resumed]),
        row_with("--checkpoint-every 1ms", "--checkpoint c", [Saves,   NEVER,    Saves,   Saves,    Saves,   Saves,   Saves,    Saves]),
        // A shard goes on from its checkpoint without being told to.
        row_with("--resume", "--checkpoint {form}.part",     [resumed, NEVER,    resumed, resumed,  resumed, resumed, Same,     resumed]),
        row("--max-time 50ms",                               [Stops,   ONE_N,    Stops,   Stops,    Stops,   Stops,   Stops,    Stops]),
        row_with("--no-save", "--max-time 50ms",             [Loses,   NEVER,    Loses,   Loses,    Loses,   Loses,   Loses,    CLASH]),
        row("--double-check 100%",                           [twice,   twices,   twice,   twice,    twice,   twice,   twice,    twice]),
        row_with("--shard 1/2", "--out s",                   [shard,   ONE_N,    shard,   NO_SHARD, shard,   shard,   shard,    foreign]),
        row_with("--out s", "--shard 1/2",                   [result,  ONE_N,    result,  NO_SHARD, result,  result,  result,   foreign]),
    ];
    check("count", &forms, &rows);
}

#[test]
fn audit() {
    let forms = [
        form("plain", "plain"),
        form("prefix", "prefix"),
        form("half", "half"),
        form("quarter", "quarter"),
        form("shard", "shard"),
        form("shards", "s1 s2"),
        form("unfinished", "plain.part"),
    ];
    #[rustfmt::skip]
    let rows = [
        row("--units 2",       [Length("drawn", 2); 7]),
        row("--tasks 0",       [Field("audited_tasks", "0"); 7]),
        row("--seed 7",        [Field("seed", "7"); 7]),
        row("--max-time 1ns",  [Exit(1, "nothing was compared: no unit was recounted within"); 7]),
        row("--isa portable",  [Field("isa", "portable"); 7]),
        row("--threads 5",     [Field("threads", "5"); 7]),
        row("--json",          [Field("command", "audit"); 7]),
        row("--json=o.json",   [FILE; 7]),
        row("--progress json", [Ends; 7]),
    ];
    check("audit", &forms, &rows);
}

#[test]
fn merge() {
    let forms = [
        form("plain", "plain"),
        form("prefix", "prefix"),
        form("half", "half"),
        form("quarter", "quarter"),
        form("shards", "s1 s2"),
        Form { exit: 4, ..form("missing", "s1") },
    ];
    #[rustfmt::skip]
    let rows = [
        row("--json",        [Field("command", "merge"); 6]),
        row("--json=o.json", [FILE; 6]),
        row("--quiet",       [Silent, Same, Silent, Silent, Silent, Same]),
    ];
    check("merge", &forms, &rows);
}

#[test]
fn verify() {
    let forms = [
        form("plain", "0-8"),
        form("range", "7-8"),
        form("unique", "0-8 --unique"),
        form("half", "0-8 --symmetry half"),
        form("quarter", "0-8 --symmetry quarter"),
        form("profile", "0-8 --profile"),
    ];
    let naive = Field("terms/0/results/0/engine", "naive");
    let (isa, five) = (Field("terms/0/results/0/isa", "portable"), Field("terms/0/results/0/threads", "5"));
    let [half, unique, profile] = ["A032522", "A002562", "A319284"].map(|id| Field("sequence", id));
    let (source, wrong) = (Field("source", "b.txt"), Exit(3, "N = 7 in b.txt is 40, but"));
    #[rustfmt::skip]
    let rows = [
        //                      plain    range    unique  half   quarter profile
        row("--symmetry half", [half,    half,    CLASH,  half,  TWICE,  CLASH]),
        row("--engine naive",  [naive,   naive,   naive,  CLASH, CLASH,  CLASH]),
        row("--isa portable",  [isa,     isa,     isa,    isa,   isa,    isa]),
        row("--threads 5",     [five,    five,    five,   five,  five,   five]),
        row("--unique",        [unique,  unique,  unique, CLASH, CLASH,  CLASH]),
        row("--profile",       [profile, profile, CLASH,  CLASH, CLASH,  profile]),
        row("--bfile b.txt",   [source,  source,  wrong,  wrong, wrong,  wrong]),
        row("--json",          [Field("command", "verify"); 6]),
        row("--json=o.json",   [FILE; 6]),
        row("--progress json", [Ends; 6]),
    ];
    check("verify", &forms, &rows);
}

#[test]
fn estimate() {
    let forms = [
        form("plain", "10"),
        form("range", "9-10"),
        form("half", "12 --symmetry half"),
        form("quarter", "12 --symmetry quarter"),
    ];
    let one_n = Never("estimate needs a single N, not a range");
    let (object, seed) = (Field("command", "estimate"), Differs("count/mean"));
    let (half, naive) = (Field("symmetry", "half"), Field("engine", "naive"));
    let (isa, five) = (Field("isa", "portable"), Field("threads", "5"));
    let (counted, least) = (Field("count_samples", "20"), Field("count_samples", "2"));
    #[rustfmt::skip]
    let rows = [
        //                      plain    range  half     quarter
        row("--symmetry half", [half,    one_n, half,    TWICE]),
        row("--engine naive",  [naive,   one_n, CLASH,   CLASH]),
        row("--isa portable",  [isa,     one_n, isa,     isa]),
        row("--threads 5",     [five,    one_n, five,    five]),
        row("--samples 20",    [counted, one_n, counted, counted]),
        row("--seed 7",        [seed,    one_n, seed,    seed]),
        row("--max-time 1ns",  [least,   one_n, least,   least]),
        row("--progress json", [Ends,    one_n, Ends,    Ends]),
        row("--json",          [object,  one_n, object,  object]),
        row("--json=o.json",   [FILE,    one_n, FILE,    FILE]),
    ];
    check("estimate", &forms, &rows);
}

#[test]
fn bench() {
    // One engine, one run of each: what is timed here does not matter.
    let forms = [
        form("plain", "6 --engine backtrack --runs 1 --threads 5"),
        form("range", "5-6 --engine backtrack --runs 1 --threads 5"),
        form("saved", "--from saved.json"),
    ];
    let (isa, five) = (Field("results/0/isa", "portable"), Field("results/0/threads", "5"));
    let (one, engine) = (Length("results/0/seconds", 1), Field("results/0/engine", "backtrack"));
    let [slower, by] = ["slower than in fast.json by more than 10%", "by more than 50%"].map(|told| Exit(3, told));
    #[rustfmt::skip]
    let rows = [
        //                                                  plain   range   saved
        row("--threads 5",                                 [five,   five,   CLASH]),
        row("--runs 1",                                    [one,    one,    CLASH]),
        row("--engine backtrack",                          [engine, engine, CLASH]),
        row("--isa portable",                              [isa,    isa,    CLASH]),
        // What it times, `a_score_is_of_large_boards` looks at.
        row("--score",                                     [CLASH; 3]),
        row("--json",                                      [Field("command", "bench"); 3]),
        row("--json=o.json",                               [FILE; 3]),
        row("--markdown",                                  [Out("| processor |"); 3]),
        row("--from saved.json",                           [CLASH,  CLASH,  five]),
        row("--compare fast.json",                         [slower; 3]),
        row("--compare gone",                              [Exit(1, "there are zen4, zen5"); 3]),
        row_with("--tolerance 50%", "--compare fast.json", [by; 3]),
        row("--progress json",                             [Ends,   Ends,   Same]),
    ];
    check("bench", &forms, &rows);
}

#[test]
fn solutions() {
    let forms = [form("plain", "8"), form("prefix", "8 --prefix 1"), form("fundamental", "8 --fundamental")];
    let [none, one, two, three, four, eleven, twelve, sixteen, most] = [0, 1, 2, 3, 4, 11, 12, 16, 91].map(Lines);
    let (csv, commas, third) = (File("o.csv", "number,"), Out("1,5,8,6,3,7,2,4"), Out("3\n"));
    let foreign = Refused("the fundamental solution of its class is");
    #[rustfmt::skip]
    let rows = [
        //                       plain    prefix   fundamental
        row("--prefix 1",       [four,    four,    two]),
        row("--from 16",        [most,    three,   eleven]),
        row("--fundamental",    [twelve,  two,     twelve]),
        row("--queen 3,8",      [sixteen, two,     four]),
        row("--symmetry half",  [four,    none,    CLASH]),
        row("--limit 1",        [one; 3]),
        row("--skip 1",         [most,    three,   eleven]),
        row("--rank 17468253",  [third,   third,   foreign]),
        row("--format list",    [commas; 3]),
        row("--output o.csv",   [csv; 3]),
        row("--progress json",  [Ends; 3]),
    ];
    check("solutions", &forms, &rows);
}

/// It times boards of its own, and those alone.
#[test]
fn a_score_is_of_large_boards() {
    let folder = tempfile::tempdir().unwrap();
    for (option, sizes) in [("--score", 17..=32), ("", 10..=16)] {
        let child = queens(folder.path(), &format!("bench {option} --progress json")).spawn().unwrap();
        let line = runs::first_line(child, |line| line.contains("N = "));
        let n = line.split("N = ").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
        assert!(sizes.contains(&n.parse().unwrap()), "bench {option}: {line}");
    }
}

#[test]
fn every_command_has_the_options_of_all() {
    let folder = tempfile::tempdir().unwrap();
    // A wrong extension is an error of the command and not of the line, and so has its colour.
    for (command, line) in [
        ("count", "8 --json=o.txt"),
        ("audit", "c --json=o.txt"),
        ("merge", "c --json=o.txt"),
        ("verify", "--json=o.txt"),
        ("estimate", "8 --json=o.txt"),
        ("bench", "--json=o.txt"),
        ("solutions", "8 --output=o.xyz"),
    ] {
        let all: BTreeSet<String> = options(command).into_iter().flatten().collect();
        assert!(OF_ALL.iter().all(|option| all.contains(*option)), "{command}: {all:?}");
        let (code, out, _) = output(folder.path(), &format!("{command} --help"));
        assert!(code == Some(0) && out.contains(&format!("Usage: queens {command}")), "{out}");
        let (code, out, _) = output(folder.path(), &format!("{command} --version"));
        assert!(code == Some(0) && out.contains(env!("CARGO_PKG_VERSION")), "{out}");
        for (when, is_coloured) in [("always", true), ("never", false), ("auto", false)] {
            let (code, _, err) = output(folder.path(), &format!("{command} {line} --color {when}"));
            assert_eq!((code, err.contains('\u{1b}')), (Some(2), is_coloured), "{command} --color {when}: {err}");
        }
    }
}

/// Values at the ends of what an option takes, `0` wherever it is one, those just beyond, and options written together.
#[rustfmt::skip]
const VALUES: &[(&str, Expect)] = &[
    ("count 0 --json", Text("count", "1")),
    ("count 0-0 --json", Length("terms", 1)),
    ("count 33", Refused("N is a whole number from 0 to 32")),
    ("count 39 --symmetry half", Refused("are counted for N = 0 to 38, not 39")),
    ("count 78 --symmetry quarter", Refused("quarter to 77")),
    ("count 77-78 --symmetry quarter", Refused("quarter to 77")),
    ("count 4 --threads=0 --json", NotZero("threads")),
    ("count 4 --threads=8193", Refused("from 0 (every core) to 8192")),
    ("count 4 --threads=-1", Refused("from 0 (every core) to 8192")),
    ("count 8 --prefix=", Refused("names at least one queen")),
    ("count 8 --prefix=0", Refused("rows go from 1 to 8")),
    ("count 8 --prefix=15863724 --json", Text("count", "1")),
    ("count 8 --prefix=158637241", Refused("9 queens are more than the 8 columns")),
    ("count 4 --checkpoint=-", Refused("needs a file, and - is a stream")),
    ("count 4 --checkpoint c --checkpoint-every=0s", Refused("more than zero")),
    ("count 4 --checkpoint c --checkpoint-every=175307616h", File("c", LEDGER)),
    ("count 4 --max-time=0s", Refused("more than zero")),
    ("count 4 --max-time=175307616h --json", Text("count", "2")),
    ("count 8 --double-check=0 --json", Field("double_checked_tasks", "0")),
    ("count 8 --double-check=0% --json", Field("double_checked_tasks", "0")),
    ("count 8 --double-check=100% --json", Equal("double_checked", "units")),
    ("count 8 --double-check=100.1%", Refused("from 0% to 100%")),
    ("count 8 --double-check=-1%", Refused("from 0% to 100%")),
    ("count 8 --double-check=", Refused("from 0% to 100%")),
    ("count 8 --double-check=1", Refused("for 1 percent write 1%")),
    ("count 8 --out s --shard=0/2", Refused("1 ≤ K ≤ M ≤ 1000000")),
    ("count 8 --out s --shard=3/2", Refused("1 ≤ K ≤ M ≤ 1000000")),
    ("count 8 --out s --shard=1/0", Refused("1 ≤ K ≤ M ≤ 1000000")),
    ("count 8 --out s --shard=1/1000001", Refused("1 ≤ K ≤ M ≤ 1000000")),
    ("count 8 --out s --shard=1/1 --json", Text("count", "92")),
    ("count 8 --out s --shard=1000000/1000000 --json", Field("units", "0")),
    ("count 8 --shard 1/2 -o-", Refused("needs a file, and - is a stream")),
    ("count 8 -qt5 --json", Field("threads", "5")),
    ("count 8 -qt 5 --json=-", Field("threads", "5")),
    ("count 8 --json --json", TWICE),
    ("count 8 --json --progress json", Ends),
    ("profile 0 --json", Length("profile", 1)),
    ("profile 0-0 --json", Length("terms", 1)),
    ("profile 32-33", Refused("N is a whole number from 0 to 32")),
    ("profile 3 --threads=0 --json", NotZero("threads")),
    ("verify 0-0 --json", Length("terms", 1)),
    ("verify 0-0 --json", Length("terms", 1)),
    ("verify 33", Refused("N is a whole number from 0 to 32")),
    ("verify 0-0 --unique", Exit(1, "A002562 has no term from N = 0 to 0")),
    ("verify 0-0 --symmetry half", Exit(1, "A032522 has no term from N = 0 to 0")),
    ("verify 28-32", Exit(1, "A000170 has no term from N = 28 to 32")),
    ("verify 0-0 --profile --json", Length("terms", 1)),
    ("verify 0-4 --threads=0 --json", NotZero("terms/0/results/0/threads")),
    ("verify 0-5 --engine naive --engine naive --json", Length("terms/5/results", 1)),
    ("verify 0-5 --engine naive --engine join --json", Length("terms/5/results", 2)),
    ("estimate 0 --json", Field("count/mean", "1.0")),
    ("estimate 33", Refused("N is a whole number from 0 to 32")),
    ("estimate 8 --samples=0", Refused("S is a whole number from 2 to 1000000000")),
    ("estimate 8 --samples=1", Refused("S is a whole number from 2 to 1000000000")),
    ("estimate 8 --samples=2 --json", Field("count_samples", "2")),
    ("estimate 8 --samples=1000000001", Refused("S is a whole number from 2 to 1000000000")),
    ("estimate 8 --samples=1000000000 --max-time 1ms --json", NotZero("count_samples")),
    ("estimate 8 --max-time=0s", Refused("more than zero")),
    ("estimate 4 --samples 9 --seed=0 --json", Text("seed", "0")),
    ("estimate 4 --samples 9 --seed=18446744073709551615 --json", Text("seed", "18446744073709551615")),
    ("estimate 4 --samples 9 --threads=0 --json", NotZero("threads")),
    ("audit plain --units=0", Refused("U is a whole number from 1 to 4294967295")),
    ("audit plain --units=4294967295 --json", Length("drawn", 55)),
    ("audit plain --units=4294967296", Refused("U is a whole number from 1 to 4294967295")),
    // Without a line on what was not done.
    ("audit plain --tasks=0", Lines(11)),
    ("audit plain --tasks=1", Lines(13)),
    ("audit plain --units 1 --tasks=4294967295 --json", NotZero("audited_tasks")),
    ("audit plain --units 1 --tasks=4294967296", Refused("T is a whole number from 0 to 4294967295")),
    ("audit plain --units 1 --seed=0 --json", Text("seed", "0")),
    ("audit plain --units 1 --seed=18446744073709551615 --json", Text("seed", "18446744073709551615")),
    ("audit plain --seed=18446744073709551616", Refused("S is a whole number from 0 to 18446744073709551615")),
    ("audit plain --max-time=0s", Refused("more than zero")),
    ("audit plain --units 1 --threads=0 --json", NotZero("threads")),
    ("bench 0 --engine naive --runs 1 --json", Field("results/0/n", "0")),
    ("bench 33", Refused("N is a whole number from 0 to 32")),
    ("bench 3 --runs=0", Refused("R is a whole number from 1 to 1000")),
    ("bench 3 --runs=1001", Refused("R is a whole number from 1 to 1000")),
    ("bench 3 --engine naive --runs 1 --threads=0 --json", NotZero("results/0/threads")),
    ("bench 3 --engine naive --runs 1 --threads=1,1 --json", Length("results", 1)),
    ("bench 3 --threads=1,", Refused("threads are a whole number")),
    ("bench 3 --engine naive --engine naive --runs 1 -t1 --json", Length("results", 1)),
    ("bench --from saved.json --compare saved.json --tolerance=0", Out("ratio: ")),
    ("bench --from saved.json --compare fast.json --tolerance=0%", Exit(3, "by more than 0%")),
    ("bench --from saved.json --compare fast.json --tolerance=1000%", Exit(3, "by more than 1000%")),
    ("bench --from saved.json --compare fast.json --tolerance=1001%", Refused("from 0% to 1000%")),
    ("bench --from saved.json --json --markdown", Refused("stdout")),
    ("bench --from saved.json --json=o.json --markdown", Out("| processor |")),
    ("bench --from zen5 --json", Field("cpu", "AMD EPYC")),
    ("solutions 0", Lines(1)),
    ("solutions 33", Refused("N is a whole number from 0 to 32")),
    ("solutions 8 --limit=0", Lines(0)),
    ("solutions 8 --limit=18446744073709551615", Lines(92)),
    ("solutions 8 --limit=18446744073709551616", Refused("L is a whole number from 0 to 18446744073709551615")),
    ("solutions 8 --skip=0", Lines(92)),
    ("solutions 8 --skip=91", Lines(1)),
    ("solutions 8 --skip=92", Lines(0)),
    ("solutions 8 --skip=18446744073709551615", Lines(0)),
    ("solutions 8 --skip=90 --limit=1 -o-", Lines(1)),
    ("solutions 8 --prefix=1 --from=17 --skip=1 --limit=3 --fundamental", Lines(0)),
    ("solutions 8 --prefix=", Refused("names at least one queen")),
    ("solutions 8 --from=", Refused("names at least one queen")),
    ("solutions 8 --rank=", Refused("names at least one queen")),
    ("solutions 8 --prefix=9", Refused("rows go from 1 to 8")),
    ("symmetries 1 --json", Field("class_size", "1")),
    ("show --number=0 8", Refused("K is a whole number from 1 to 18446744073709551615")),
    ("show --number=92 8 --json", Text("placement", "84136275")),
    ("show --number=93 8", Refused("numbered from 1 to 92")),
    ("show --number=1 0 --json", Field("number", "1")),
    ("show --random 2", Refused("there is no solution")),
    ("show 1 --size=0", Refused("more than the 0 columns of the board")),
    ("show 1 -n32 --json", Field("n", "32")),
    ("show 1 -n33", Refused("N is a whole number from 0 to 32")),
    ("show 1 --output=-", Out("")),
    ("browse 8 --number=0", Refused("K is a whole number from 1 to 18446744073709551615")),
    ("browse 8 --number=93", Refused("numbered from 1 to 92")),
    ("browse 8 --from=", Refused("names at least one queen")),
    ("browse 8 --queen=", Refused("is not a square")),
];

#[test]
fn values_at_the_ends() {
    let (runs, mut failures) = (Runs { command: "", made: RefCell::default() }, Vec::new());
    for (line, expected) in VALUES {
        let seen = runs.run(line);
        if !expected.holds(&seen, None, 0) {
            let Seen { code, out, err, .. } = &*seen;
            failures.push(format!("{expected:?} is not seen\n    queens {line}\n    {code:?}\n    {out}{err}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Too little memory for so many threads is told before any begins, in every form of a count whose need is known: all
/// but those of turns, which need little. How the run ends is another matter.
#[test]
#[cfg(target_os = "linux")]
fn too_little_memory_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (form, is_told) in [
        ("8", true),
        ("7-8", true),
        ("8 --prefix 3", true),
        ("8 --unique", true),
        ("8 --shard 1/2 --out s", true),
        ("8 --checkpoint c --resume", true),
        ("8 --symmetry half", false),
    ] {
        for (threads, warned) in [(200, is_told), (2, false)] {
            let line = format!("count {form} --threads {threads}");
            let mut limited = std::process::Command::new("sh");
            limited.args(["-c", "ulimit -v 150000 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_queens")]);
            let run = limited.args(line.split_whitespace()).current_dir(folder.path()).output().unwrap();
            let err = String::from_utf8_lossy(&run.stderr);
            let told = "warning: 200 threads may take 215 MB of memory, and 153 MB are free; --threads 138 would fit";
            assert_eq!(err.contains(told), warned, "{line}: {err}");
        }
    }
}

/// Compares every row with what the command does, and the rows with the options that there are.
fn check<const FORMS: usize>(command: &'static str, forms: &[Form; FORMS], rows: &[Row<FORMS>]) {
    let spellings = options(command);
    let listed: BTreeSet<&str> = rows.iter().map(|row| name(row.option)).collect();
    for names in &spellings {
        let has_row = names.iter().any(|name| listed.contains(name.as_str()));
        let is_excepted = names.iter().any(|name| OF_ALL.contains(&name.as_str()));
        assert!(has_row || is_excepted, "'queens {command}' has {names:?}, of which tests/options.rs has no row");
    }
    let known = |row: &str| spellings.iter().flatten().any(|name| name == row);
    assert!(listed.iter().all(|row| known(row)), "'queens {command}' has not all of {listed:?}");

    let runs = Runs { command, made: RefCell::default() };
    let mut failures = Vec::new();
    for row in rows {
        let names = spellings.iter().find(|names| names.iter().any(|of| of == name(row.option))).unwrap();
        for (place, (form, expected)) in forms.iter().zip(row.expected).enumerate() {
            // By each of its names in turn.
            let spelled = row.option.replacen(name(row.option), &names[place % names.len()], 1);
            if let Some(failure) = runs.failure(form, row, &spelled, expected) {
                failures.push(format!("{command} {} in the form '{}': {failure}", row.option, form.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn name(option: &str) -> &str {
    option.split([' ', '=']).next().unwrap()
}

/// The names of each option of a command, as the program tells a shell.
fn options(command: &str) -> Vec<Vec<String>> {
    let (_, script, _) = output(Path::new("."), "completions fish");
    let of = format!("complete -c queens -n \"__fish_queens_using_subcommand {command}\" ");
    let lines = script.lines().filter_map(|line| line.strip_prefix(&of));
    let names = lines.filter_map(|line| {
        let words: Vec<&str> = line.split(" -d ").next()?.split_whitespace().collect();
        let named = |pair: &[&str]| match pair[0] {
            "-s" => Some(format!("-{}", pair[1])),
            "-l" => Some(format!("--{}", pair[1])),
            _ => None,
        };
        Some(words.windows(2).filter_map(named).collect::<Vec<_>>())
    });
    let names: Vec<Vec<String>> = names.filter(|names| !names.is_empty()).collect();
    assert!(names.len() > OF_ALL.len(), "no options of {command} in:\n{script}");
    names
}

/// What a run has left.
struct Seen {
    folder: TempDir,
    code: Option<i32>,
    out: String,
    err: String,
}

/// Runs of a command, each made once.
struct Runs {
    command: &'static str,
    made: RefCell<HashMap<String, Rc<Seen>>>,
}

impl Runs {
    fn run(&self, line: &str) -> Rc<Seen> {
        let line = format!("{} {line}", self.command).trim().to_owned();
        let seen = self.made.borrow().get(&line).cloned();
        seen.unwrap_or_else(|| {
            let folder = with_files(&line);
            let (code, out, err) = output(folder.path(), &line);
            let seen = Rc::new(Seen { folder, code, out, err });
            self.made.borrow_mut().insert(line, Rc::clone(&seen));
            seen
        })
    }

    /// Why the option is not seen as expected.
    fn failure<const FORMS: usize>(
        &self,
        form: &Form,
        row: &Row<FORMS>,
        spelled: &str,
        expected: Expect,
    ) -> Option<String> {
        let is_long = matches!(expected, Saves | Stops | Loses);
        let line = if is_long { form.long } else { form.line };
        let has = |option: &str| !option.is_empty() && line.split(' ').any(|word| word == name(option));
        let with = if has(row.with) { String::new() } else { row.with.replace("{form}", form.name) };
        // The object is not asked for where that is the option.
        let json = if expected.is_of_json() && name(row.option) != "--json" { " --json" } else { "" };
        let without = format!("{line} {with}{json}");
        // A second time where the parser is to refuse that.
        let is_own = has(row.option) && !matches!(expected, Refused(_));
        let line = if is_own { without.clone() } else { format!("{line} {with} {spelled}{json}") };
        if is_long {
            let holds = self.long(&line, expected);
            return (!holds).then(|| format!("{expected:?} is not seen\n    queens {} {line}", self.command));
        }
        let seen = self.run(&line);
        let told = format!("    queens {} {line}\n    {:?}\n    {}{}", self.command, seen.code, seen.out, seen.err);
        let base = if is_own { None } else { Some(self.run(&without)) };
        if !expected.holds(&seen, base.as_deref(), form.exit) {
            return Some(format!("{expected:?} is not seen\n{told}"));
        }
        let is_default = [("--isa", Isa::best() == Isa::Portable), ("--threads", available_threads() == 5)]
            .iter()
            .any(|&(option, is_default)| is_default && name(row.option) == option);
        let by_chance = base.is_some_and(|base| expected.holds(&base, None, form.exit));
        (by_chance && !is_default && !matches!(expected, Same | Differs(_) | Never(_)))
            .then(|| format!("{expected:?} is seen without it too\n{told}"))
    }

    fn long(&self, line: &str, expected: Expect) -> bool {
        let line = format!("{} {line}", self.command);
        let folder = with_files(&line);
        if matches!(expected, Stops) {
            let (code, _, err) = output(folder.path(), &line);
            // Exit code 1 where a machine is so busy that no task was finished.
            return matches!(code, Some(75 | 1)) && err.contains("the time is up: saved ");
        }
        if matches!(expected, Loses) {
            let (code, _, err) = output(folder.path(), &line);
            return code == Some(1) && err.contains("the time is up: nothing was saved");
        }
        let checkpoint = line.split(' ').skip_while(|word| *word != "--checkpoint").nth(1).unwrap();
        let checkpoint = folder.path().join(checkpoint);
        // At its end a run saves too.
        let unfinished = || store::read(&checkpoint).ok().filter(|ledger| !ledger.is_complete());
        let reached = || unfinished().map_or((0, 0), |ledger| ledger.reached());
        let before = reached();
        let mut child = queens(folder.path(), &line).spawn().unwrap();
        loop {
            let has_more = reached() > before;
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            if has_more {
                child.kill().unwrap();
                child.wait().unwrap();
                return true;
            }
            sleep(Duration::from_millis(2));
        }
    }
}

impl Expect {
    fn is_of_json(self) -> bool {
        matches!(self, Field(..) | Text(..) | NotZero(_) | Equal(..) | Length(..) | Differs(_))
    }

    /// Whether it is seen, beside the run without the option.
    fn holds(self, seen: &Seen, base: Option<&Seen>, exit: i32) -> bool {
        let Seen { folder, code, out, err } = seen;
        let object = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let of = |out: &str, field: &str| object(out).pointer(&format!("/{field}")).cloned().unwrap_or_default();
        let field = |field: &str| of(out, field);
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let is_right = match self {
            Field(name, value) => text(&field(name)) == value,
            Text(name, value) => field(name) == value,
            NotZero(name) => field(name).as_u64().is_some_and(|number| number > 0),
            Equal(one, other) => field(one).as_u64().is_some_and(|number| number > 0) && field(one) == field(other),
            Length(name, length) => field(name).as_array().is_some_and(|array| array.len() == length),
            Differs(name) => !field(name).is_null() && base.is_some_and(|base| of(&base.out, name) != field(name)),
            Out(text) => out.starts_with(text) || out.contains(&format!("\n{text}")),
            Lines(lines) => out.lines().count() == lines,
            Ends => {
                let events: Vec<Value> = err.lines().map(object).collect();
                let ends = events
                    .iter()
                    .filter(|event| ["finished", "saved", "stopped"].iter().any(|end| event["event"] == *end));
                let is_all = |end: &Value| end["event"] == "finished" && end["share"] == 1.0 && end["left"] == 0.0;
                ends.count() == 1 && events.iter().any(is_all)
            }
            Silent => err.is_empty(),
            File(name, begins) => fs::read_to_string(folder.path().join(name)).is_ok_and(|of| of.starts_with(begins)),
            Same => base.is_some_and(|base| {
                (&base.err, base.code, base.out.lines().count()) == (err, *code, out.lines().count())
            }),
            Refused(sentence) | Never(sentence) => {
                let is_one_line = err.starts_with("error: ") && err.lines().count() == 1;
                return *code == Some(2) && out.is_empty() && is_one_line && err.contains(sentence);
            }
            Exit(other, sentence) => return *code == Some(other) && err.contains(sentence),
            Saves | Stops | Loses => unreachable!("a long run"),
        };
        is_right && *code == Some(exit)
    }
}

/// Ledgers of every form of a count, complete and with a third of the units, shards, saved results of the bench and a
/// b-file.
static FILES: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let run = |line: &str| {
        let (code, _, err) = output(path, line);
        assert!(code == Some(0) || line.contains("--max-time"), "{line}: {err}");
    };
    for (name, line) in [
        ("plain", "12"),
        ("prefix", "12 --prefix 3"),
        ("half", "20 --symmetry half"),
        ("quarter", "33 --symmetry quarter"),
        ("shard", "12 --shard 1/2 --out unused"),
    ] {
        run(&format!("count {line} --checkpoint {name} -q"));
        let whole = store::read(&path.join(name)).unwrap();
        let mut part = Ledger::new(whole.fingerprint().clone(), whole.shard());
        for (unit, tally) in whole.tallies().step_by(3).take(18) {
            part.record(unit, tally).unwrap();
        }
        Store::open(path.join(format!("{name}.part"))).unwrap().save(&part).unwrap();
    }
    fs::copy(path.join("plain.part"), path.join("unique.part")).unwrap();
    run("count 15 --engine naive --threads 1 --checkpoint long.part --max-time 100ms");
    for k in [1, 2] {
        run(&format!("count 12 --shard {k}/2 --out s{k} -q"));
    }
    fs::write(path.join("b.txt"), "7 40\n8 92\n").unwrap();
    run("bench 5-6 --engine backtrack --runs 1 --threads 5 --json=saved.json");
    let mut fast: Value = serde_json::from_str(&fs::read_to_string(path.join("saved.json")).unwrap()).unwrap();
    for result in fast["results"].as_array_mut().unwrap() {
        for field in ["median", "fastest", "slowest"] {
            result[field] = 1e-12.into();
        }
    }
    fs::write(path.join("fast.json"), fast.to_string()).unwrap();
    folder
});

/// A folder with those files that the line names.
fn with_files(line: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for word in line.split(' ') {
        let file = FILES.path().join(word);
        if !word.is_empty() && file.is_file() {
            fs::copy(file, folder.path().join(word)).unwrap();
        }
    }
    folder
}
