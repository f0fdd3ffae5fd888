//! What the program promises: one row a promise. This table comes before the program, not after it.
//!
//! Rows with exit code 2 are usage errors, whose options may not exist. The options of all others are held against
//! clap's own list, both ways: an option without a row fails, and so does a row with an option that clap does not have.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use rayon::prelude::*;
use serde_json::Value;

use crate::common::{self, ended, files, ledger_text, made_up, output, queens, resealed, slashed, unfinished};

/// Command line; files before; exit code; stdout; words on stderr; files after.
///
/// - Before the command line, `WRONG` makes every published term wrong, and `UNPUBLISHED` takes it away, which only a program of
///   the tests allows.
/// - Files before: prepared files by their names (`prepared` below), `whole:r/1` under another name.
/// - Stdout is exact, but that `...` stands for anything. An object is JSON that has at least these fields.
/// - Words on stderr are separated by ` | `; with the end of a line it is all of stderr, as stdout is. None: it is empty.
/// - Files after are all that there are, but for locks: `name=` as before, `name~text` with this text in it,
///   `name` with any content.
type Row = (&'static str, &'static str, i32, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Counts: the number alone on stdout, the comparison with OEIS on stderr.
    ("count 8", "", 0, "92\n", "agrees with OEIS A000170\n", ""),
    ("count 12 --engine join --isa portable -t 1", "", 0, "14200\n", "agrees with OEIS A000170\n", ""),
    ("count 12 --symmetry quarter", "", 0, "8\n", "agrees with OEIS A033148\n", ""),
    ("count 8 --json", "", 0, r#"{"command":"count","n":8,"count":"92","engine":"backtrack"}"#, "", ""),
    ("count 8 --unique --json", "", 0, r#"{"n":8,"count":"92","unique":"12"}"#, "", ""),
    ("count 8 --json=out.json", "", 0, "92\n", "agrees with OEIS A000170", r#"out.json~"count":"92""#),
    ("count 8 --prefix 15 --json", "", 0, r#"{"prefix":"15","count":"1","check":null,"total_seconds":0}"#, "", ""),
    ("count 20 --engine naive --json=no/x", "", 1, "", "error: cannot write no/x: ...\n", ""),
    ("WRONG count 8", "", 3, "",
        "error: N = 8: found 92, but OEIS A000170 has 93\n", ""),
    ("WRONG count 8 --checkpoint c", "", 3, "", "has 93; queens audit finds the wrong units of a file", "c"),
    ("count 12 --queen 4,2", "", 2, "", "`queens solutions 12 --queen 4,2 | wc -l`", ""),
    ("WRONG count 8 --json", "", 3, "", "found 92", ""),
    ("WRONG count 8 --unique", "", 3, "", "found 12", ""),
    // Ranges are b-files.
    ("count 0-4", "", 0, "0 1\n1 1\n2 0\n3 0\n4 2\n", "5 terms agree with OEIS A000170\n", ""),
    ("count 4-8 --unique -q", "", 0, "4 1\n5 2\n6 1\n7 6\n8 12\n", "", ""),
    ("count 1-6 --symmetry half", "", 0, "1 1\n2 0\n3 0\n4 2\n5 2\n6 4\n", "6 terms agree with OEIS A032522\n", ""),
    ("count 8-9 --json", "", 0, r#"{"command":"count","sequence":"A000170","terms":[{"n":8,"count":"92"},{"n":9}]}"#, "", ""),
    ("WRONG count 7-8", "", 3, "", "error: N = 7: found 40, but OEIS A000170 has 41\n\
        error: N = 8: found 92, but OEIS A000170 has 93\nerror: 2 results unlike OEIS A000170\n", ""),
    ("count 8-8", "", 0, "8 92\n", "1 term agrees with OEIS A000170\n", ""),
    ("WRONG count 8-8 --json", "", 3, r#"{"terms":[]}"#, "found 92 | 1 result unlike", ""),
    ("count 4-8 --checkpoint c", "", 2, "", "--checkpoint", ""),
    ("count 4-8 --prefix 1", "", 2, "", "--prefix", ""),

    // Checkpoints: one option begins a file, or goes on with it, or refuses it by name.
    ("count 11 --checkpoint c", "", 0, "2680\n", "agrees with OEIS A000170\n", "c~queens"),
    ("count 11 --checkpoint begun --json", "begun", 0, r#"{"count":"2680","engine":"naive"}"#, "", "begun"),
    ("count 11 --checkpoint begun --isa portable -t 1 --checkpoint-every 1ms -q", "begun", 0, "2680\n", "", "begun"),
    ("count 11 --checkpoint whole", "whole", 0, "2680\n",
        "whole is complete: nothing is counted again\nagrees with OEIS A000170\n", "whole="),
    ("count 11 --checkpoint runs --json", "runs", 0, r#"..."total_seconds":3..."#, "complete", "runs="),
    // It tells nothing of a run that counted nothing.
    ("count 11 --checkpoint whole --json", "whole", 0,
        r#"{"count":"2680","engine":"backtrack","isa":null,"threads":null,"seconds":null,"check_seconds":null}"#, "complete", "whole="),
    ("count 11 --unique --checkpoint whole", "whole", 0, "341\n", "whole | complete | OEIS A002562", "whole="),
    ("count 11 --checkpoint forged", "forged", 3, "", "3480 | A000170 | 2680", "forged="),
    ("count 12 --checkpoint whole", "whole", 1, "", "whole | N = 11", "whole="),
    ("count 11 --engine join --checkpoint whole", "whole", 1, "", "whole | backtrack | join", "whole="),
    ("count 11 --checkpoint other-plan", "other-plan", 1, "", "other-plan | rows/9", "other-plan="),
    ("count 11 --checkpoint damaged", "damaged", 1, "", "damaged", "damaged="),
    ("count 11 --checkpoint escape", "escape", 1, "", r"escape | rows/1\u001b[2J", "escape="),
    ("count 11 --unique --checkpoint odd", "odd", 3, "", "2681 solutions contradict", "odd="),
    ("count 11 --checkpoint list.txt", "list.txt", 1, "", "list.txt", "list.txt="),
    ("count 8 --checkpoint no/c", "", 1, "", "error: no/c: cannot be saved: its folder is not there\n", ""),
    ("count 8 --checkpoint -", "", 2, "", "'-' for '--checkpoint <FILE>': stdout is for the count", ""),
    ("count 8 --symmetry half --checkpoint c", "", 2, "", "--symmetry | --checkpoint", ""),
    ("count 8 --symmetry half --unique", "", 2, "", "--symmetry | --unique", ""),
    ("count 8 --symmetry half --prefix 1", "", 2, "", "--symmetry | --prefix", ""),

    // A limit of time. It is 75 in tests/stops.rs: how long a unit takes depends on the machine.
    ("count 20 --engine naive --checkpoint c --max-time 1ms", "", 1, "",
        "saved 0 of 171 units in c\nerror: nothing was finished in that time; give a longer --max-time\n", "c"),
    ("count 9 --checkpoint c --checkpoint-every 400000000000years -q", "", 0, "352\n", "", "c"),
    ("count 8 --max-time 1h30m", "", 2, "", "--checkpoint", ""),

    // Shards: the part of a shard is never on stdout.
    ("count 11 --engine backtrack --shard 1/4 --checkpoint c", "", 0, "",
        "shard 1/4 is in c; queens merge adds the shards\n", "c"),
    ("count 11 --engine backtrack --shard 1/4 --checkpoint c --json", "", 0, r#"{"part":"736","count":null}"#, "", "c"),
    ("count 11 --shard 2/4 --checkpoint s1", "s1", 1, "", "s1 | 1/4 | 2/4", "s1="),
    // Of 45 units the 46th shard of 64 has none.
    ("count 11 --shard 46/64 --checkpoint c", "", 0, "", "c | 46/64", "c~46/64"),
    ("count 11 --unique --shard 1/4 --checkpoint c", "", 2, "", "--unique | --shard", ""),

    // Status: what is done and what is missing.
    ("status .", "s1:r/1 s2:r/deep/2 begun4:r/4", 0, "...r/1...r/deep/2...r/4...", "", "r/1= r/deep/2= r/4="),
    ("status s1 s2", "s1 s2", 0, "...N = 11 by backtrack: shards 3-4 of 4 are missing or unfinished\nN = 11 by backtrack: \
        2 of 4 shards complete, 23 of 45 units\n...", "", "s1= s2="),
    ("status", "s1:r/1", 0, "...r/1...", "", "r/1="),
    ("status timed --json", "timed", 0, r#"{"counts":[{"core_seconds":12,"core_seconds_left":33}]}"#, "", "timed="),
    // A number of shards that was mistyped.
    ("status s1 s46", "s1 s46", 0, "...: shards 2-4 of 4 are...of 4 shards...: shards 2-4 and 30 more of 64 are...of 64 shards...", "", "s1= s46="),
    ("status --missing s1 s46", "s1 s46", 2, "", "backtrack in 4 shards and | backtrack in 64 shards", "s1= s46="),
    ("status --missing s1 whole", "s1 whole", 0, "", "", "s1= whole="),
    ("status part whole --json", "part whole", 0,
        r#"{"command":"status","files":[{"file":"whole","shard":"1/1"},{"file":"part","finished":5,"units":190,"parts":1}],
        "counts":[{"n":11,"missing":[],"finished":45},{"n":21,"engine":"backtrack","missing":[1]}]}"#, "", "part= whole="),
    ("status timed", "timed", 0, "...  node-0123.clust…  timed\nN = 11 by backtrack: shards 2-4 of 4 are missing or unfinished\n\
        N = 11 by backtrack: 1 of 4 shards complete, 12 of 45 units\nN = 11 by backtrack: core time 12.0 s, by that 33.0 s left\n",
        "", "timed="),
    ("status short", "short", 0, "...1 of 4 shards complete, 12 of 45 units\n", "", "short="),
    // The run that saved last, wherever it stands.
    ("status runs", "runs", 0, "...45/45  1970-01-01 00:03  b     runs\nN = 11 by backtrack: core time 6.00 s\n", "", "runs="),
    ("merge huge", "huge", 1, "", "huge: not written by this program", "huge="),
    ("merge other-plan", "other-plan", 1, "", "other-plan: made with plan rows/9 N=11 | this program uses rows/1 N=11", "other-plan="),
    ("status --missing whole begun", "whole begun", 2, "", "N = 11 by naive | N = 11 by backtrack", "whole= begun="),
    ("status --missing .", "list.txt", 1, "", "no ledger", "list.txt="),

    // What is strange is named and hides nothing else; it is a failure where it was named. So in `merge` and `audit`.
    ("status r", "s1:r/1 damaged2:r/2 format-1:r/3 crlf:r/4 list.txt:r/5", 0, "N ...r/1...",
        "r/2: damaged | remove it and count it again | r/3: ledger format 1 | r/4: damaged", "r/1= r/2= r/3= r/4= r/5="),
    ("status r", "s1:r/1 damaged2:r/.2 escape:r/deep/.x", 0, "...r/1...", "", "r/1= r/.2= r/deep/.x="),
    ("status s1 damaged none empty", "s1 damaged empty", 1, "...s1...",
        "damaged: damaged | none: cannot be read | empty: not a ledger | 3 paths cannot be read", "s1= damaged= empty="),
    ("status r r/2", "s1:r/1 damaged2:r/2", 1, "...r/1...", "r/2: damaged | 1 path", "r/1= r/2="),
    ("merge whole forged begun", "whole forged begun", 3, "", "whole: unit 0 | forged: unit 0 | contradict",
        "whole= forged= begun="),
    ("status r whole -q", "whole forged:r/1", 3, "...whole...r/1...", "r/1: unit 0 | whole: unit 0 | contradict", "whole= r/1="),
    ("status --missing s1 s2 s3 s4 forged4", "s1 s2 s3 s4 forged4", 3, "4\n", "s4: unit | forged4: unit",
        "s1= s2= s3= s4= forged4="),
    ("merge r", "s1:r/1 s2:r/2 s3:r/3 s4:r/4 damaged:r/5 format-1:r/6", 0, "2680\n", "r/5: damaged | r/6: ledger format 1",
        "r/1= r/2= r/3= r/4= r/5= r/6="),
    ("merge whole crlf", "whole crlf", 1, "2680\n", "crlf: damaged | 1 path cannot be read", "whole= crlf="),
    ("merge s1 s3 damaged", "s1 s3 damaged", 4, "", "warning: damaged: damaged: ...; remove it and count it again\n\
        error: 1 path cannot be read\nerror: shards 2, 4 of 4 are missing or unfinished; 23 of 45 units are finished\n",
        "s1= s3= damaged="),
    ("merge s2 s4 none forged4 -o all", "s2 s4 forged4", 3, "", "none | s4: unit | forged4: unit", "s2= s4= forged4="),
    ("audit s1 damaged2", "s1 damaged2", 1, "...differ     0...", "damaged2: damaged", "s1= damaged2="),
    ("audit s1 s4 forged4 --share 100%", "s1 s4 forged4", 3, "...12 of 12 units...", "s4: unit | forged4: unit",
        "s1= s4= forged4="),

    // Merge: the total alone, or nothing.
    ("merge s1 s2 begun s3 s4", "s1 s2 s3 s4 begun", 1, "", "begun", "s1= s2= s3= s4= begun="),
    ("merge runs --json", "runs", 0, r#"{"command":"merge","count":"2680","engine":"backtrack","shards":1,"missing":[],
        "finished":45,"units":45,"seconds":3.5,"core_seconds":6}"#, "", "runs="),
    ("merge none", "", 1, "", "error: none: cannot be read: ...\n", ""),
    ("merge s1 s46", "s1 s46", 4, "", "error: shards 2-4 of 4 are missing or unfinished; shards 2-4 and 30 more of 64 are missing or \
        unfinished; `queens status --missing` lists them; 12 of 45 units are finished\n", "s1= s46="),
    ("merge whole -o -", "whole", 2, "", "stdout is for the total", "whole="),
    ("merge part", "part", 4, "", "error: 5 of 190 units and parts of 1 are finished\n", "part="),
    ("merge forged -o all", "forged", 3, "",
        "error: N = 11: found 3480, but OEIS A000170 has 2680; queens audit finds the wrong units of a file\n", "forged="),
    ("UNPUBLISHED merge whole", "whole", 0, "2680\n", "the remainder modulo 8 is right; OEIS has no such term\n", "whole="),
    ("UNPUBLISHED merge odd", "odd", 3, "", "found 2681 | it is 0 modulo 8", "odd="),

    // Audit: any time, by anybody, from the file.
    ("audit s1 begun4 --share 1% --seed 7 -t 1 --isa portable --json", "s1 begun4", 0,
        r#"{"command":"audit"}"#, "", "s1= begun4="),
    ("audit whole --max-time 100ms", "whole", 0, "...", "", "whole="),
    ("audit whole --share 1%", "whole", 0, "...1 of 45 units...one wrong unit with a chance of 2.2%, ten with 22%\n...", "",
        "whole="),
    ("audit whole --share 0%", "whole", 0, "...1 of 45 units...", "", "whole="),
    ("audit whole --share 0", "whole", 0, "...1 of 45 units...", "", "whole="),
    ("audit whole --share 0.5", "whole", 0, "...23 of 45 units...", "", "whole="),
    ("audit forged --share 100%", "forged", 3, "unit 0 of forged: the file has 822, recounted 22\nN...differ     1\n...",
        "1 wrong unit", "forged="),
    ("audit s1 r --share 100% --json", "s1 forged4:r/4", 3, r#"{"differences":1,"chance_to_find_one":1,"finished":23}"#,
        "unit 3 of r/4 (shard 4/4): the file has | 1 wrong unit", "s1= r/4="),
    ("audit begun0", "begun0", 1, "", "error: there is nothing to audit: no task is finished\n", "begun0="),
    // The 46th shard of 45 units.
    ("audit s46", "s46", 0, "...recounted  0 of 0 units...", "", "s46="),

    // Estimates, published terms again, times.
    ("estimate 13-14 --max-time 1m -t 1 --seed 1 --isa portable", "", 0,
        "...73,712...365,596...MB\nby backtrack and join, portable, on 1 thread\n", "", ""),
    ("estimate 8 --max-time 100ms --json", "", 0, r#"..."command":"estimate"..."counted":"92"..."oeis":"92"..."#, "", ""),
    ("estimate 27-28 --max-time 1ms -t 1", "", 0, "...234,907,967,154,122,528...28  ...-  ...", "", ""),
    ("estimate 24 --max-time 300ms --seed 5", "", 0, "...227,514,171,973,736...timed: N = 24 by tasks of...95% intervals; by...seed 5\n", "", ""),
    ("WRONG estimate 5-6 --max-time 1s", "", 3, "...11...5...by backtrack...", "found 10 | found 4 | 2 results unlike", ""),
    ("verify 6-8 --isa portable -t 1", "", 0, "...join...backtrack...naive...8...92...", "", ""),
    ("verify 4 --json", "", 0, r#"{"command":"verify","sequence":"A000170","results":[
        {"n":4,"engine":"backtrack","count":"2","oeis":"2","agrees":true},{"engine":"naive","agrees":true}]}"#, "", ""),
    ("verify 4-5 --engine join", "", 0, "...1 result: all agree with OEIS A000170\nleft out: join at N = 4\n", "", ""),
    ("verify 0-2 --unique", "", 0, "...4 results: all agree...join at N = 1-2; N = 0, which OEIS lacks\n", "", ""),
    ("verify 20", "", 2, "", "join at N = 20; backtrack at N = 20; naive at N = 20", ""),
    ("WRONG verify 7-8 --engine naive", "", 3, "...✗          40\n...✗          92\n2 results: 2 differ...", "found 40 | found 92", ""),
    ("bench 6 7 --engine join --runs 1 -t 1 --isa portable --json", "", 0, r#"{"command":"bench",
        "results":[{"n":6,"engine":"join","isa":"portable","threads":1,"count":"4","speed_up":1},{"n":7}]}"#, "", ""),
    ("bench 13 --runs 1 -t 1", "", 0, "...N  engine...median       least  ...left out: naive at N = 13\n", "", ""),
    ("WRONG bench 6 --engine naive --runs 1", "", 3, "...", "found 4", ""),

    // Lists: formats by extension, else by --format.
    ("solutions 6", "", 0, "246135\n362514\n415263\n531642\n", "", ""),
    ("solutions 6 --fundamental", "", 0, "246135\n", "", ""),
    ("solutions 8 --from 8 --limit 1", "", 0, "82417536\n", "", ""),
    ("solutions 8 --prefix 1 --queen 4,6", "", 0, "15863724\n17468253\n", "", ""),
    ("solutions 32 --limit 1", "", 0,
        "1,3,5,2,4,9,11,13,15,6,18,24,26,30,25,31,28,32,27,29,16,19,10,8,17,12,21,7,14,23,20,22\n", "", ""),
    ("solutions 0", "", 0, "\n", "", ""),
    ("solutions 3", "", 0, "", "N = 3", ""),
    ("solutions 4 --limit 4294967296", "", 0, "2413\n3142\n", "", ""),
    ("solutions 4 --skip 18446744073709551615 --format svg", "", 0, "...", "no solutions after the first 18,446,744,073,709,", ""),
    ("solutions 4 --format boards --limit 1", "", 0, "1: 2413\n. . Q .\nQ . . .\n. . . Q\n. Q . .\n\n", "", ""),
    ("solutions 4 --format csv --skip 1", "", 0, "number,column1,column2,column3,column4\n2,3,1,4,2\n", "", ""),
    // The page says which solutions it shows, and has the eight images of each.
    ("solutions 4 --format html", "", 0,
        r#"...{"first":1,..."fundamental":false,"n":4,..."solutions":["2413 2413 2413 2413 3142 3142 3142 3142","3142 ..."total":2}..."#, "", ""),
    ("solutions 8 --format html --prefix 2 --skip 2 --limit 1", "", 0,
        r#"..."first":3,..."prefix":"2",..."total":null}..."#, "", ""),
    ("solutions 3 --format html --fundamental", "", 0,
        r#"..."first":1,..."fundamental":true,..."total":0}..."#, "N = 3 has no fundamental solutions", ""),
    ("solutions 6 -o a.txt --format boards", "", 0, "", "", "a.txt~Q"),
    ("solutions 6 -o a.txt", "", 0, "", "", "a.txt~246135"),
    ("solutions 6 -o a.SVG", "", 0, "", "", "a.SVG~<svg"),
    ("solutions 6 -o - --format html", "", 0, "<!doctype html>...", "", ""),
    ("solutions 6 -o -", "", 0, "246135\n362514\n415263\n531642\n", "", ""),
    ("solutions 6 -o a", "", 2, "", ".txt | .csv | .svg | .html", ""),
    ("solutions 6 -o a.csv --format boards", "", 2, "", "'boards' for '--format <FORMAT>': a.csv | .txt | .csv | .svg | .html", ""),

    // One board.
    ("symmetries 2413", "", 0, "...2413...identity...3142...reflection...", "", ""),
    ("symmetries 2413 --json", "", 0, r#"{"command":"symmetries","n":4,"placement":"2413","class_size":2,"fundamental":"2413",
        "images":[{"placement":"2413"},{"placement":"3142"}]}"#, "", ""),
    ("symmetries 158", "", 2, "", "3 queens", ""),
    // An attacked square names the first queen that attacks it, and the lower left square is dark.
    ("show 24 -n 4", "", 0, "   ┌────────────┐\n 1 │ a ░a░   ░░░│\n 2 │░♛░ a ░a░ a │\n 3 │ a ░a░ b ░░░│\n 4 │░a░ ♛ ░a░ b │\n\
        \x20  └────────────┘\n     1  2  3  4\nA letter is the column of the first queen that attacks the square: a is 1.\n", "", ""),
    ("show 2413", "", 0, "   ┌────────────┐\n 1 │   ░░░ ♛ ░░░│\n 2 │░♛░   ░░░   │\n 3 │   ░░░   ░♛░│\n 4 │░░░ ♛ ░░░   │\n\
        \x20  └────────────┘\n     1  2  3  4\n", "", ""),
    ("show -n 5", "", 0, "... 1 │░░░   ░░░   ░░░│\n 2 │   ░░░   ░░░   │\n...", "", ""),
    ("show 24 -n 4 --color always", "", 0,
        "...\u{1b}[38;5;16m\u{1b}[48;5;109m ♛ \u{1b}[0m\u{1b}[38;5;16m\u{1b}[48;5;255m a \u{1b}[0m...", "", ""),
    ("show -n 32", "", 0, "...", "", ""),
    ("show -n 8 --queen 4,2 --queen 1,1", "", 0, "...♛...♛...", "", ""),
    ("show -n 8 --number 4", "", 0, "...17582463...", "", ""),
    ("show -n 8 --number 93", "", 2, "", "92", ""),
    ("show --queen 4,2", "", 2, "", "-n <N> is missing", ""),
    ("show 2413 -o x.txt", "", 0, "", "", "x.txt~♛"),

    // Files are written whole or not at all, and never over a ledger.
    ("solutions 6 -o list.txt", "list.txt", 0, "", "", "list.txt~246135"),
    ("solutions 6 -o a.txt", "whole:a.txt", 1, "", "a.txt", "a.txt="),
    ("count 8 --json=c", "damaged:c", 1, "...", "c", "c="),
    ("count 9 --checkpoint c --json=c", "", 1, "352\n", "c: it is a ledger", "c~queens"),
    ("solutions 6 -o no/a.txt", "", 1, "", "no/a.txt", ""),

    // Usage errors say what is allowed, and which queens are in each other's way.
    ("", "", 2, "", "count | solutions", ""),
    ("count 8-33", "", 2, "", "invalid value '33' for '<N>': N is a whole number from 0 to 32", ""),
    ("estimate 8-33", "", 2, "", "invalid value '33' for '<N>': N is a whole number from 0 to 32", ""),
    ("verify 8-33", "", 2, "", "invalid value '33' for '<N>': N is a whole number from 0 to 32", ""),
    ("bench 8 33", "", 2, "", "invalid value '33' for '<N>': N is a whole number from 0 to 32", ""),
    ("count 70 --symmetry quarter", "", 2, "", "69", ""),
    ("count 8 --engine fast", "", 2, "", "auto, join, backtrack, naive", ""),
    (if cfg!(target_arch = "x86_64") { "count 8-9 --isa neon" } else { "count 8-9 --isa avx2" }, "", 2, "", "error: ...\n", ""),
    ("count 8 --prefix 11", "", 2, "", "column 1 | column 2 | share a row", ""),
    ("solutions 8 --queen 1,1 --queen 1,5", "", 2, "", "1,5 | column 1, row 1 | share a column", ""),

    // What every command has.
    ("count 33 --color always", "", 2, "", "\u{1b}[ | 0 to 32", ""),
    ("cuont 8 --color always", "", 2, "", "\u{1b}[", ""),
    ("--help", "", 0, "...solutions...75...", "", ""),
    ("help audit", "", 0, "...--isa...portable...", "", ""),
    ("count --help", "", 0, "...What to count:...Long runs:...--checkpoint...Examples:...", "", ""),
    ("count --help --color always", "", 0, "...\u{1b}[...", "", ""),
    ("--version", "", 0, "queens ...", "", ""),
    ("completions bash --color never", "", 0, "..._queens()...", "", ""),
    // The page of the program names no page that there is not.
    ("man", "", 0, "....TH queens 1...\nqueens\\-man(1)\nPrint the manual page of the program or of a command, for `man \\-l \\-`\n\
        .SH NOTES\nExit codes: 0 success...", "", ""),
    ("man count --quiet", "", 0, "....TH queens-count 1...\n.SH NOTES\nExamples:\n  queens count 18\n...", "", ""),
    ("man cuont", "", 2, "", "count", ""),
];

/// The prepared files, each made once.
fn prepared(name: &str) -> String {
    static MADE: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let made = MADE.lock().unwrap().get(name).cloned();
    made.unwrap_or_else(|| {
        let text = made_file(name);
        MADE.lock().unwrap().insert(name.to_owned(), text.clone());
        text
    })
}

/// Ledgers are of N = 11, whose plan of rows has 45 units; unit 0 has 22 solutions.
fn made_file(name: &str) -> String {
    let count = |options: &str| ledger_text(&format!("count 11 {options}"));
    match name {
        "list.txt" => "not a ledger\n".to_owned(),
        "empty" => String::new(),
        "whole" => count("--engine backtrack"),
        "part" => resealed(&unfinished(&made_up(21, 0), 5).replace("sha256 ", "part 5 1 0\nsha256 ")),
        "begun" => unfinished(&count("--engine naive"), 5),
        "prefixed" => ledger_text("count 9 --prefix 1"),
        "join" => count("--engine join"),
        "begun0" => unfinished(&prepared("whole"), 0),
        "begun4" => unfinished(&prepared("s4"), 5),
        "s46" => count("--engine backtrack --shard 46/64"),
        "s1" | "s2" | "s3" | "s4" => count(&format!("--engine backtrack --shard {}/4", &name[1..])),
        "damaged" => prepared("whole").replacen("unit 0 22\n", "unit 0 23\n", 1),
        "damaged2" => prepared("s2").replacen("unit ", "unit 1", 1),
        "forged" => resealed(&prepared("whole").replacen("unit 0 22\n", "unit 0 822\n", 1)),
        "odd" => resealed(&prepared("whole").replacen("unit 0 22\n", "unit 0 23\n", 1)),
        "forged4" => resealed(&prepared("s4").replacen("unit 3 ", "unit 3 1", 1)),
        "huge" => resealed(&prepared("whole").replacen("units 45\n", "units 9000000000000000\n", 1)),
        "escape" => resealed(&prepared("whole").replace("rows/1 ", "rows/1\u{1b}[2J ")),
        "crlf" => prepared("whole").replace('\n', "\r\n"),
        "runs" | "timed" | "short" => {
            let text = prepared(if name == "runs" { "whole" } else { "s1" });
            let run = text.lines().find(|line| line.starts_with("run\t")).unwrap();
            let runs = match name {
                "runs" => "run\t2.0\t200\t1.500\t2.000\t9\t-\tb\t-\nrun\t1.0\t100\t2.000\t4.000\t36\t-\ta\t-",
                "timed" => "run\t1.0\t100\t9.000\t12.000\t12\t-\tnode-0123.cluster\t-",
                _ => "run\t1.0\t100\t0.000\t0.000\t12\t-\ta\t-",
            };
            resealed(&text.replace(run, runs))
        }
        "other-plan" => resealed(&prepared("whole").replace("rows/1 ", "rows/9 ")),
        "format-1" => resealed(&prepared("whole").replacen("queens ledger 2\n", "queens ledger 1\n", 1)),
        _ => panic!("no file is prepared as {name}"),
    }
}

#[test]
fn every_promise_is_kept() {
    let broken: Vec<String> =
        ROWS.par_iter().filter_map(|row| Some(format!("queens {}: {}", row.0, fault(row)?))).collect();
    assert!(broken.is_empty(), "{} of {} rows:\n{}", broken.len(), ROWS.len(), broken.join("\n"));
}

/// What is before a command line, and the line.
fn terms(line: &str) -> (&str, &str) {
    line.split_once(' ').filter(|(terms, _)| ["WRONG", "UNPUBLISHED"].contains(terms)).unwrap_or(("", line))
}

/// What is wrong with a row, if anything is.
fn fault(&(line, before, code, stdout, stderr, after): &Row) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut texts = BTreeMap::new();
    for entry in before.split_whitespace() {
        let (name, place) = entry.split_once(':').unwrap_or((entry, entry));
        let path = folder.path().join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        texts.insert(place, prepared(name));
        fs::write(path, &texts[place]).unwrap();
    }
    let (terms, line) = terms(line);
    let mut command = queens(folder.path(), line);
    // Too little for a count: threads get what they need.
    command.env("RUST_MIN_STACK", "16384");
    command.env("QUEENS_TERMS", terms.to_lowercase());
    let (found, out, err) = ended(command);
    let (stdout, stderr) = (&*slashed(stdout), &*slashed(stderr));
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
    let is_all = stderr.ends_with('\n') && common::agrees(stderr, &err);
    if !is_all && stderr.split(" | ").any(|word| word.ends_with('\n') || !err.contains(word)) {
        return say(&format!("stderr does not say {stderr:?}"));
    }
    let is_table =
        ["audit ", "bench ", "estimate ", "show ", "status ", "verify "].iter().any(|name| line.contains(name));
    if is_table
        && !out.starts_with('{')
        && out.lines().any(|line| line.chars().count() > 80 && !line.contains('\u{1b}'))
    {
        return say("a line of more than 80 columns");
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
        let expected: Value = serde_json::from_str(pattern).unwrap();
        return serde_json::from_str(text).is_ok_and(|found| has(&found, &expected));
    }
    common::agrees(pattern, text)
}

/// Whether JSON has at least these fields: in lists, the first elements do. Times that are 0 have any value.
fn has(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            expected.iter().all(|(name, value)| found.get(name).is_some_and(|found| has(found, value)))
        }
        (Value::Array(found), Value::Array(expected)) if !expected.is_empty() => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(found, expected)| has(found, expected))
        }
        (Value::Number(found), Value::Number(expected)) => {
            expected.as_f64() == Some(0.0) || found.as_f64() == expected.as_f64()
        }
        _ => found == expected,
    }
}

/// What is no value of an argument is refused by its name.
#[test]
fn wrong_values_are_refused() {
    for (line, values) in [
        ("count -- ", "- 8- -8 70 1-70 9-3 1-2-3 x"),
        ("audit c --share=", "1 2 101% -1% % NaN% "),
        ("audit c --max-time=", "0s 5 -1s "),
        ("solutions 6 -o ", "a.png folder.txt/a"),
        ("count 8 -t ", "x -1 18446744073709551616"),
        ("count ", "-1"),
        ("bench 6 -t ", "x -1"),
        ("bench 6 --runs ", "x 0"),
        ("estimate 8 --seed ", "x -1"),
        ("audit c --seed ", "x -1"),
        ("solutions 6 --limit ", "x 0 -1"),
        ("solutions 6 --skip ", "x -1"),
        ("show -n 8 --number ", "x 0"),
    ] {
        for value in values.split(' ') {
            let (code, _, err) = output(Path::new("."), &format!("{line}{value}"));
            let is_named = err.starts_with(&format!("error: invalid value '{value}' for '"));
            assert!(code == Some(2) && is_named, "{line}{value}: {code:?} {err}");
            assert!(["digit", "..", "-- "].iter().all(|word| !err.contains(word)), "it says what is allowed: {err}");
        }
    }
}

/// No board of a sheet lies across the edge of a page, which is A4 at 96 dots an inch.
#[test]
fn sheets_break_between_boards() {
    for n in [8, 12, 20] {
        let (_, sheet, _) = output(Path::new("."), &format!("solutions {n} --limit 50 --format svg"));
        let height = sheet.split("height=\"").nth(1).unwrap().split_once('"').unwrap().0.parse::<usize>().unwrap();
        assert!(height > 1122 && height.is_multiple_of(1122), "N = {n}: {height}");
        let groups: Vec<&str> = sheet.split("<g transform=\"translate(").skip(1).collect();
        assert_eq!(groups.len(), 50, "N = {n}");
        for group in groups {
            let (at, scale) = group.split_once(") scale(").unwrap();
            let (x, y) = at.split_once(' ').unwrap();
            let (x, y): (usize, usize) = (x.parse().unwrap(), y.parse().unwrap());
            let side = scale.split_once(')').unwrap().0.parse::<f64>().unwrap() * (n * 100) as f64;
            assert!(x + side as usize <= 794 - 30 && y % 1122 + side as usize <= 1122 - 30, "N = {n}: {at}");
        }
    }
}

/// Every field of every object is documented, and every documented one is there.
#[test]
fn objects_have_the_documented_fields() {
    let document = include_str!("../docs/formats.md");
    let everywhere = ["command", "version", "mean", "low", "high"].map(str::to_owned);
    for (command, lines) in [
        ("count N", "8 --unique|8 --prefix 1|8 --symmetry half|11 --shard 1/4 --checkpoint s1"),
        ("count A-B", "7-8 --prefix 1|7-8"),
        ("status", "s1 begun damaged"),
        ("merge", "s1|prefixed"),
        ("audit", "join"),
        ("estimate", "6 --max-time 1s"),
        ("verify", "6"),
        ("bench", "6 --runs 1"),
        ("symmetries", "2413"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        for name in ["s1", "begun", "damaged", "prefixed", "join"] {
            fs::write(folder.path().join(name), prepared(name)).unwrap();
        }
        let mut found = BTreeSet::new();
        for line in lines.split('|') {
            let name = command.split(' ').next().unwrap();
            let (_, out, _) = output(folder.path(), &format!("{name} {line} --json"));
            let texts: Vec<&str> = out.split('"').collect();
            let names = texts.windows(2).filter(|texts| texts[1].starts_with(':')).map(|texts| texts[0].to_owned());
            found.extend(names);
        }
        let (_, paragraph) = document.split_once(&format!("- **`{command}`**:")).expect(command);
        let paragraph = paragraph.split("\n- **").next().unwrap().split("\n\n").next().unwrap();
        let mut documented: BTreeSet<String> = paragraph.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        documented.retain(|name| !["null", "count N"].contains(&&**name));
        if command == "count A-B" {
            found.retain(|name| ["sequence", "terms"].contains(&&**name));
        }
        documented.extend(everywhere.clone());
        found.extend(everywhere.clone());
        assert_eq!(found, documented, "{command}");
    }
}

/// The clock of `--max-time` ends estimates and audits too: with more time they do more.
#[test]
fn more_time_is_more_work() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(output(folder.path(), "count 12 --engine naive --checkpoint c -q").0, Some(0));
    let object = |line: &str| serde_json::from_str::<Value>(&output(folder.path(), line).1).unwrap();
    let [little, much] = ["1ms", "1s"]
        .map(|time| object(&format!("estimate 22 --max-time {time} --json"))["estimates"][0]["spent_seconds"].clone());
    assert!(much.as_f64() > little.as_f64().map(|little| 1.5 * little), "{much} s, {little} s");
    let audit = object("audit c --max-time 1ms -t 1 --json");
    assert!(audit["recounted"].as_array().unwrap().len() < audit["finished"].as_u64().unwrap() as usize, "{audit}");
    // Who forges a ledger does not know the seed.
    assert_ne!(audit["seed"], object("audit c --max-time 1ms --json")["seed"]);
}

/// Every cell is what the object of the same run has, to the digits that are shown; and the times of a benchmark are in order.
#[test]
fn cells_are_what_objects_have() {
    /// `12 min 03 s`, `270 h ±70%`, `1.20 ms *`, `✓ 1.20 ms`: in seconds, or bytes.
    fn value(cell: &str) -> f64 {
        let shown = cell.trim_start_matches('✓').split(['±', '×', '*']).next().unwrap();
        let unit = |name: &str| match name {
            "µs" => 1e-6,
            "ms" => 1e-3,
            "min" => 60.0,
            "h" => 3600.0,
            "days" => 86400.0,
            "years" => 31_557_600.0,
            "MB" => 1e6,
            _ => 1.0,
        };
        let number = |word: &str| word.replace(',', "").parse::<f64>().unwrap();
        let words: Vec<&str> = shown.split_whitespace().collect();
        words.chunks(2).map(|pair| number(pair[0]) * pair.get(1).map_or(1.0, |name| unit(name))).sum()
    }
    let folder = tempfile::tempdir().unwrap();
    // The rows of a list, each with its cells: so many of them are the last ones, and are compared.
    let rows = |line: &str, list: &str, digits: i32, values: fn(&Value) -> Vec<Value>| {
        let (code, out, err) = output(folder.path(), &format!("{line} --json=o"));
        assert_eq!(code, Some(0), "{line}: {err}");
        let object = fs::read_to_string(folder.path().join("o")).unwrap();
        let object: Value = serde_json::from_str(&object).unwrap();
        let shown = out.lines().skip_while(|line| !line.trim_start().starts_with("N ")).skip(1);
        let rows: Vec<_> = shown.zip(object[list].as_array().unwrap()).collect();
        for (shown, row) in &rows {
            let values = values(row);
            let cells: Vec<&str> = shown.split("  ").map(str::trim).filter(|cell| !["", "✓"].contains(cell)).collect();
            let values = cells.iter().skip(cells.len() - values.len()).zip(values);
            // Where the clock of a thread is coarse, as on Windows, a short look may tell nothing.
            if list == "estimates" {
                let [core, time] = [3, 2].map(|place| cells[cells.len() - place].split(' ').collect::<Vec<_>>());
                assert!(time.len() == 2 && (core.len() == 1 || core[1] == time[1]), "one unit a row: {shown}");
            }
            for (cell, wanted) in values.filter(|(cell, _)| **cell != "unknown") {
                let (found, wanted) = (value(cell), wanted.as_f64().unwrap());
                assert!((found - wanted).abs() <= 0.51 * 10f64.powi(1 - digits) * wanted, "{shown}: {cell}, {row}");
            }
        }
        assert!(!rows.is_empty(), "{out}");
        object
    };
    for line in ["estimate 16 --max-time 1ms", "estimate 22 --max-time 100ms -t 2"] {
        rows(line, "estimates", 2, |row| {
            vec![row["core_seconds"]["mean"].clone(), row["seconds"]["mean"].clone(), row["memory"].clone()]
        });
    }
    rows("verify 9 --engine naive", "results", 3, |row| vec![row["seconds"].clone()]);
    let bench = rows("bench 9 10 --engine naive -t 1,2 --runs 5", "results", 3, |row| {
        let seconds = row["seconds"].as_array().unwrap();
        assert!(seconds.is_sorted_by_key(|time| time.as_f64().unwrap()) && row["median"] == seconds[2], "{row}");
        vec![
            row["threads"].clone(),
            row["median"].clone(),
            seconds[0].clone(),
            seconds[4].clone(),
            row["speed_up"].clone(),
        ]
    });
    assert_eq!(bench["results"].as_array().unwrap().len(), 4);
    let default = rows("bench 6 --engine naive -t 1", "results", 3, |_| Vec::new());
    assert_eq!(default["results"][0]["seconds"].as_array().unwrap().len(), 10);
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
    let (clap, mut rows) = (options_of_clap(), BTreeSet::new());
    for line in ROWS.iter().filter(|row| row.2 != 2).map(|row| terms(row.0).1) {
        let mut words = line.split(' ');
        let command = words.next().unwrap();
        if command != "help" && !command.starts_with('-') {
            let options = words.filter(|word| word.starts_with('-') && word.len() > 1);
            let names = options.map(|option| long(option.split('=').next().unwrap())).chain(EVERYWHERE);
            rows.extend(names.map(|name| (command.to_owned(), name.to_owned())));
        }
    }
    let without_row: Vec<_> = clap.difference(&rows).collect();
    let without_option: Vec<_> = rows.difference(&clap).collect();
    assert!(
        without_row.is_empty() && without_option.is_empty(),
        "no row: {without_row:?}\nno option: {without_option:?}"
    );
}
