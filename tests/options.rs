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

use std::collections::BTreeSet;

use crate::common::option_table::{Expect, Form, LEDGER, OF_ALL, TWICE, check, form, options, row, row_with};
use crate::common::{output, queens, runs};

use Expect::{
    Differs, Ends, Equal, Exit, Field, File, Length, Lines, Loses, Never, NotZero, Out, Refused, Same, Saves, Silent,
    Stops,
};

const FILE: Expect = File("o.json", "{\"schema\":");
const CLASH: Expect = Refused("cannot be used with");
const ONE_N: Expect = Refused("--prefix, --queen, --shard, --checkpoint and --max-time need a single N, not a range");
const NEVER: Expect = Never("--prefix, --queen, --shard, --checkpoint and --max-time need a single N, not a range");
const NO_SHARD: Expect = Refused("count the shards without --unique and merge them");

#[test]
fn count() {
    let long = |name, line, long| Form { long, ..form(name, line) };
    let forms = [
        long("plain", "12", "15 --engine naive --threads 1"),
        form("range", "11-12"),
        long("prefix", "12 --prefix 3", "16 --prefix 3 --engine naive --threads 1"),
        long("queens", "12 --queen 4,2", "16 --queen 9,2 --engine naive --threads 1"),
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
    let [queen, beside, only, before] = ["7,1", "1,3 7,1", "4,2", "1,3 4,2"].map(|queens| Field("queens", queens));
    let foreign = Exit(1, "error: plain.part: it is for ");
    #[rustfmt::skip]
    let rows = [
        //                                                    plain    range     prefix   queens   unique    half     quarter  shard     resumed
        row("--engine naive",                                [naive,   naives,   naive,   naive,   naive,    CLASH,   CLASH,   naive,    foreign]),
        row("--isa portable",                                [isa,     isas,     isa,     isa,     isa,      isa,     isa,     isa,      isa]),
        row("--threads 5",                                   [five,    fives,    five,    five,    five,     five,    five,    five,     five]),
        row("--prefix 3",                                    [prefix,  ONE_N,    prefix,  before,  CLASH,    CLASH,   CLASH,   prefix,   foreign]),
        row("--queen 7,1",                                   [queen,   ONE_N,    beside,  only,    CLASH,    CLASH,   CLASH,   queen,    foreign]),
        row("--unique",                                      [unique,  uniques,  CLASH,   CLASH,   unique,   CLASH,   CLASH,   NO_SHARD, unique]),
        row("--symmetry half",                               [half,    halves,   CLASH,   CLASH,   CLASH,    half,    TWICE,   half,     foreign]),
        row("--symmetry quarter",                            [quarter, quarters, CLASH,   CLASH,   CLASH,    TWICE,   quarter, quarter,  foreign]),
        row("--json",                                        [object; 9]),
        row("--json=o.json",                                 [FILE; 9]),
        row("--quiet",                                       [Silent,  Silent,   Same,    Same,    Silent,   Silent,  Silent,  Silent,   Silent]),
        row("--progress json",                               [Ends; 9]),
        row("--checkpoint c",                                [saved,   ONE_N,    saved,   saved,   saved,    saved,   saved,   saved,    resumed]),
        row_with("--checkpoint-every 1ms", "--checkpoint c", [Saves,   NEVER,    Saves,   Saves,   Saves,    Saves,   Saves,   Saves,    Saves]),
        // A shard goes on from its checkpoint without being told to.
        row_with("--resume", "--checkpoint {form}.part",     [resumed, NEVER,    resumed, resumed, resumed,  resumed, resumed, Same,     resumed]),
        row("--max-time 50ms",                               [Stops,   ONE_N,    Stops,   Stops,   Stops,    Stops,   Stops,   Stops,    Stops]),
        row_with("--no-save", "--max-time 50ms",             [Loses,   NEVER,    Loses,   Loses,   Loses,    Loses,   Loses,   Loses,    CLASH]),
        row("--double-check 100%",                           [twice,   twices,   twice,   twice,   twice,    twice,   twice,   twice,    twice]),
        row_with("--shard 1/2", "--out s",                   [shard,   ONE_N,    shard,   shard,   NO_SHARD, shard,   shard,   shard,    foreign]),
        row_with("--out s", "--shard 1/2",                   [result,  ONE_N,    result,  result,  NO_SHARD, result,  result,  result,   foreign]),
    ];
    check("count", &forms, &rows);
}

#[test]
fn audit() {
    let forms = [
        form("plain", "plain"),
        form("prefix", "prefix"),
        form("queens", "queens"),
        form("half", "half"),
        form("quarter", "quarter"),
        form("shard", "shard"),
        form("shards", "s1 s2"),
        form("unfinished", "plain.part"),
    ];
    #[rustfmt::skip]
    let rows = [
        row("--units 2",       [Length("drawn", 2); 8]),
        row("--tasks 0",       [Field("audited_tasks", "0"); 8]),
        row("--seed 7",        [Field("seed", "7"); 8]),
        row("--max-time 1ns",  [Exit(1, "nothing was compared: no unit was recounted within"); 8]),
        row("--isa portable",  [Field("isa", "portable"); 8]),
        row("--threads 5",     [Field("threads", "5"); 8]),
        row("--json",          [Field("command", "audit"); 8]),
        row("--json=o.json",   [FILE; 8]),
        row("--progress json", [Ends; 8]),
    ];
    check("audit", &forms, &rows);
}

#[test]
fn merge() {
    let forms = [
        form("plain", "plain"),
        form("prefix", "prefix"),
        form("queens", "queens"),
        form("half", "half"),
        form("quarter", "quarter"),
        form("shards", "s1 s2"),
        Form { exit: 4, ..form("missing", "s1") },
    ];
    #[rustfmt::skip]
    let rows = [
        row("--json",        [Field("command", "merge"); 7]),
        row("--json=o.json", [FILE; 7]),
        row("--quiet",       [Silent, Same, Same, Silent, Silent, Silent, Same]),
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
    let (source, wrong) = (Field("source", "b.txt"), Exit(3, "= 7 in b.txt is 40, but"));
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
    let (object, seed) = (Field("command", "estimate"), Differs("count/mean"));
    let (half, naive) = (Field("symmetry", "half"), Field("engine", "naive"));
    let (isa, five) = (Field("isa", "portable"), Field("threads", "5"));
    let (counted, least) = (Field("count_samples", "20"), Field("count_samples", "2"));
    let (halves, naives) = (Field("estimates/1/symmetry", "half"), Field("estimates/1/engine", "naive"));
    let (isas, fives) = (Field("estimates/1/isa", "portable"), Field("estimates/1/threads", "5"));
    let (counts, leasts) = (Field("estimates/1/count_samples", "20"), Field("estimates/1/count_samples", "2"));
    let seeds = Differs("estimates/1/count/mean");
    #[rustfmt::skip]
    let rows = [
        //                      plain    range   half     quarter
        row("--symmetry half", [half,    halves, half,    TWICE]),
        row("--engine naive",  [naive,   naives, CLASH,   CLASH]),
        row("--isa portable",  [isa,     isas,   isa,     isa]),
        row("--threads 5",     [five,    fives,  five,    five]),
        row("--samples 20",    [counted, counts, counted, counted]),
        row("--seed 7",        [seed,    seeds,  seed,    seed]),
        row("--max-time 1ns",  [least,   leasts, least,   least]),
        row("--progress json", [Ends,    Ends,   Ends,    Ends]),
        row("--json",          [object,  object, object,  object]),
        row("--json=o.json",   [FILE,    FILE,   FILE,    FILE]),
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
