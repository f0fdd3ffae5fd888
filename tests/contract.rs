//! The program's contract, one promise per row. Change a row before the program.
//!
//! To add a row, write the command line and the fields that differ from `ROW`, which is a success without files and output.
//!
//! Every option of every command must occur in a row. Rows with exit code 2 do not count: they are usage errors.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use queens::{EngineKind, Isa, available_threads};
use rayon::prelude::*;
use serde_json::Value;

use crate::common::{
    self, SOON, delay, files, finish, ledger_text, made_up, made_up_by, output, queens, reseal, slashed, unfinished,
};

/// A command line and its promised results.
#[derive(Clone, Copy)]
struct Row {
    /// `WRONG` before the command makes every published term wrong, and `UNPUBLISHED` removes the terms. Only a test build
    /// allows this.
    line: &'static str,
    /// Files before: the names of prepared ones (see `make_file`); `whole:r/1` has another name, `r/1`.
    files: &'static str,
    code: i32,
    /// Stdout, in which `...` stands for any text. JSON must contain at least these fields, and `"number"` stands for any
    /// number.
    out: &'static str,
    /// Stderr: texts separated by ` | ` must occur; a text that ends a line is all of stderr; empty means no stderr.
    err: &'static str,
    /// All files after, except locks: `name=` is unchanged, `name~text` contains this text, `name` has any content. `=`: the
    /// files before, unchanged.
    left: &'static str,
}

const ROW: Row = Row { line: "", files: "", code: 0, out: "", err: "", left: "=" };

macro_rules! rows {
    ($($line:expr => $($field:ident: $value:expr),*;)*) => { &[$(Row { line: $line, $($field: $value,)* ..ROW }),*] };
}

#[rustfmt::skip]
#[allow(clippy::needless_update, reason = "a row may have all fields")]
const ROWS: &[Row] = rows! {
    // Counts: the number alone on stdout, the comparison with OEIS on stderr.
    "count 8" => out: "92\n", err: "agrees with OEIS A000170\n";
    "count 12 --engine join --isa portable -t 1" => out: "14200\n", err: "agrees with OEIS A000170\n";
    "count 12 --symmetry quarter" => out: "8\n", err: "agrees with OEIS A033148\n";
    "count 8 --json" => out: r#"{"command":"count","n":8,"count":"92","engine":"backtrack"}"#;
    "count 8 --unique --engine naive --json" => out: r#"{"n":8,"count":"92","unique":"12","engine":"naive","total_seconds":"number"}"#;
    "count 8 --json=out.json" => out: "92\n", err: "agrees with OEIS A000170", left: r#"out.json~"count":"92""#;
    "count 8 --prefix 15 --engine naive --json" => out: r#"{"prefix":"15","count":"1","check":null,"engine":"naive"}"#;
    "count 20 --engine naive --json=no/x" => code: 1, err: "error: cannot write no/x: ...\n";
    "WRONG count 8" => code: 3, err: "error: N = 8: found 92, but OEIS A000170 has 93\n";
    "WRONG count 8 --checkpoint c" => code: 3, err: "has 93; find the wrong units with queens audit", left: "c";
    "count 12 --queen 4,2" => code: 2, err: "`queens solutions 12 --queen 4,2 | wc -l`";
    "WRONG count 8 --json" => code: 3, err: "found 92";
    "WRONG count 8 --unique" => code: 3, err: "found 12";
    // Ranges are b-files.
    "count 0-4" => out: "0 1\n1 1\n2 0\n3 0\n4 2\n", err: "5 terms agree with OEIS A000170\n";
    "count 4-8 --unique -q" => out: "4 1\n5 2\n6 1\n7 6\n8 12\n";
    "count 1-6 --symmetry half" => out: "1 1\n2 0\n3 0\n4 2\n5 2\n6 4\n", err: "6 terms agree with OEIS A032522\n";
    "count 8-9 --json" => out: r#"{"command":"count","sequence":"A000170","terms":[{"n":8,"count":"92"},{"n":9}]}"#;
    "WRONG count 7-8" => code: 3, err: "error: N = 7: found 40, but OEIS A000170 has 41\n\
        error: N = 8: found 92, but OEIS A000170 has 93\nerror: disagreement with OEIS A000170 in 2 results\n";
    "count 8-8" => out: "8 92\n", err: "1 term agrees with OEIS A000170\n";
    "WRONG count 8-8 --json" => code: 3, out: r#"{"terms":[]}"#, err: "found 92 | in 1 result";
    "count 4-8 --checkpoint c" => code: 2, err: "--checkpoint";
    "count 4-8 --prefix 1" => code: 2, err: "--prefix";

    // Checkpoints: one option creates a file, resumes from it, or refuses it by name.
    "count 11 --checkpoint c" => out: "2680\n", err: "agrees with OEIS A000170\n", left: "c~queens";
    "count 11 --checkpoint begun --json" => files: "begun", out: r#"{"count":"2680","engine":"naive"}"#, left: "begun";
    "count 11 --checkpoint begun --isa portable -t 1 --checkpoint-every 1ms -q" => files: "begun", out: "2680\n", left: "begun";
    "count 11 --checkpoint whole" => files: "whole", out: "2680\n",
        err: "whole is already complete\nagrees with OEIS A000170\n";
    "count 11 --checkpoint runs --json" => files: "runs", out: r#"..."total_seconds":3..."#, err: "complete";
    // For a complete file, threads, instruction set and times are null.
    "count 11 --checkpoint whole --json" => files: "whole",
        out: r#"{"count":"2680","engine":"backtrack","isa":null,"threads":null,"seconds":null,"check_seconds":null}"#, err: "complete";
    "count 11 --unique --checkpoint whole" => files: "whole", out: "341\n", err: "whole | complete | OEIS A002562";
    "count 11 --checkpoint forged" => files: "forged", code: 3, err: "3480 | A000170 | 2680";
    "count 12 --checkpoint whole" => files: "whole", code: 1, err: "whole: it belongs to N = 11 by backtrack, not to N = 12 by ";
    "count 11 --prefix 1 --checkpoint join" => files: "join", code: 1, err: "join: it belongs to N = 11 by join, not to N = 11: 1 by ";
    "count 12 --checkpoint prefixed" => files: "prefixed", code: 1, err: ": it belongs to N = 12: 2,4,6,8,10,12 by backtrack, not to N";
    "count 11 --engine join --checkpoint whole" => files: "whole", code: 1, err: "whole | backtrack | join";
    "count 11 --checkpoint other-plan" => files: "other-plan", code: 1, err: "other-plan | rows/9";
    "count 11 --checkpoint damaged" => files: "damaged", code: 1, err: "damaged";
    "count 11 --checkpoint format-1" => files: "format-1", code: 1, err: "format-1: ledger format 1";
    "count 11 --checkpoint escape" => files: "escape", code: 1, err: r"escape | rows/1\u001b[2J";
    "count 11 --unique --checkpoint odd" => files: "odd", code: 3, err: "2684 solutions contradict | queens audit";
    "count 11 --checkpoint list.txt" => files: "list.txt", code: 1, err: "list.txt: not a ledger of queens; choose another file";
    "count 8 --checkpoint no/c" => code: 1, err: "error: no/c: cannot be saved: no such folder\n";
    "count 8 --checkpoint -" => code: 2, err: "'-' for '--checkpoint <FILE>': stdout is for the count";
    "count 8 --symmetry half --checkpoint c" => code: 2, err: "--symmetry | --checkpoint";
    "count 8 --symmetry half --engine naive" => code: 2, err: "--symmetry | --engine";
    "count 8 --symmetry half --unique" => code: 2, err: "--symmetry | --unique";
    "count 8 --symmetry half --prefix 1" => code: 2, err: "--symmetry | --prefix";
    "count 8 --unique --prefix 1" => code: 2, err: "--unique | --prefix";

    // A time limit. Exit code 75 is tested in tests/stops.rs, because the time of a unit depends on the machine.
    "count 20 --engine naive --checkpoint c --max-time 1ms" => code: 1,
        err: "saved 0 of 171 units in c\nerror: no task finished in that time; give a longer --max-time\n", left: "c";
    "count 9 --shard 1/1 --checkpoint c --checkpoint-every 400000000000years -q" => out: "352\n", left: "c";
    "count 8 --max-time 1h30m" => code: 2, err: "--checkpoint <FILE>";
    "count 8 --checkpoint-every 1s" => code: 2, err: "--checkpoint <FILE>";
    "count 8 --shard 1/2" => code: 2, err: "--checkpoint <FILE>";

    // Shards: the subtotal of a shard is never on stdout.
    "count 11 --engine backtrack --shard 1/4 --checkpoint c" => err: "shard 1/4 is in c; add up the shards with queens merge\n", left: "c";
    "count 11 --engine backtrack --shard 1/4 --checkpoint c --json" => out: r#"{"part":"736","count":null}"#, left: "c";
    "count 11 --shard 2/4 --checkpoint s1" => files: "s1", code: 1, err: "s1 | 1/4 | 2/4";
    // There are 45 units, so the 46th shard has none.
    "count 11 --shard 46/64 --checkpoint c" => err: "c | 46/64", left: "c~46/64";
    "count 11 --unique --shard 1/4 --checkpoint c" => code: 2, err: "--unique | --shard";

    // Status: finished and missing shards.
    "status ." => files: "s1:r/1 s2:r/deep/2 begun4:r/4", out: "...complete, 12/12...r/1...r/deep/2...45%, 5/11...r/4...";
    "status s1 s2" => files: "s1 s2", out: "...N = 11 by backtrack: shards 3-4 of 4 are missing or unfinished\nN = 11 by backtrack: \
        2 of 4 shards complete, 23 of 45 units\n...";
    "status" => files: "s1:r/1", out: "...r/1...";
    "status timed --json" => files: "timed", out: r#"{"counts":[{"core_seconds":12,"core_seconds_left":33}]}"#;
    // One number of shards is mistyped.
    "status s1 s46" => files: "s1 s46",
        out: "...: shards 2-4 of 4 are...of 4 shards...: shards 2-4 and 30 more of 64 are...list them with...of 64 shards...";
    "status --missing s1 s46" => files: "s1 s46", code: 2, err: "backtrack in 4 shards and | backtrack in 64 shards";
    "status --missing s1 whole" => files: "s1 whole";
    "status part whole --json" => files: "part whole",
        out: r#"{"command":"status","files":[{"file":"whole","shard":"1/1"},{"file":"part","finished":5,"units":190,"parts":1}],
        "counts":[{"n":11,"missing":[],"finished":45},{"n":21,"engine":"backtrack","missing":[1]}]}"#;
    "status n28" => files: "n28", out: "...complete, 78360/78360...";
    "status whole s1 --json" => files: "whole s1", out: r#"{"counts":[{"shards":4,"missing":[]}]}"#;
    "status runs --json" => files: "runs", out: r#"{"files":[{"seconds":3.5,"saved":200,"host":"b"}],"counts":[{"core_seconds":6}]}"#;
    "status timed" => files: "timed", out: "...  node-0123.clust…  timed\nN = 11 by backtrack: shards 2-4 of 4 are missing or unfinished\n\
        N = 11 by backtrack: 1 of 4 shards complete, 12 of 45 units\nN = 11 by backtrack: core time 12.0 s, about 33.0 s left\n";
    "status short" => files: "short", out: "...1 of 4 shards complete, 12 of 45 units\n";
    // The table shows the run that saved last, whatever its place in the file.
    "status runs" => files: "runs", out: "...45/45  1970-01-01 00:03  b     runs\nN = 11 by backtrack: core time 6.00 s\n";
    "merge huge" => files: "huge", code: 1, err: "error: huge: not written by this program; choose another file\n";
    "merge other-plan" => files: "other-plan", code: 1, err: "other-plan: made with plan rows/9 N=11 | this program uses rows/1 N=11";
    "status --missing whole begun" => files: "whole begun", code: 2, err: "N = 11 by naive | N = 11 by backtrack";
    "status --missing ." => files: "list.txt", code: 1, err: "no ledger";
    "status --missing --json" => code: 2, err: "--missing | --json";

    // Bad files are reported and do not hide others; they are errors only if named as arguments. Also in `merge` and `audit`.
    "status r" => files: "s1:r/1 damaged2:r/2 format-1:r/3 crlf:r/4 list.txt:r/5", out: "N ...r/1...",
        err: "r/2: damaged | remove it and count it again | r/3: ledger format 1 | r/4: damaged";
    "status r" => files: "s1:r/1 damaged2:r/.2 escape:r/deep/.x prefixed:r/p", out: "...r/1\n12: 2,4,6,8,10,…  ...r/p...";
    "status s1 damaged none empty" => files: "s1 damaged empty", code: 1, out: "...s1...",
        err: "damaged: damaged | none: cannot be read | empty: not a ledger | 3 paths cannot be read";
    "status . damaged2 --json" => files: "s1 damaged2", code: 1, err: "1 path", out: r#"..."damaged":["damaged2: ...1/4..."#;
    "merge whole forged begun" => files: "whole forged begun", code: 3, err: "whole: unit 0 | forged: unit 0 | 2 files contradict each other; count their shards again";
    "status r whole -q" => files: "whole forged:r/1", code: 3, out: "...whole...r/1...", err: "r/1: unit 0 | whole: unit 0 | contradict";
    "status --missing s1 s2 s3 s4 forged4" => files: "s1 s2 s3 s4 forged4", code: 3, out: "4\n", err: "s4: unit | forged4: unit";
    "merge r" => files: "s1:r/1 s2:r/2 s3:r/3 s4:r/4 damaged:r/5 format-1:r/6", out: "2680\n", err: "r/5: damaged | r/6: ledger format 1";
    "merge whole crlf" => files: "whole crlf", code: 1, out: "2680\n", err: "crlf: damaged | 1 path cannot be read";
    "merge s1 s3 damaged" => files: "s1 s3 damaged", code: 4, err: "warning: damaged: damaged: ...; remove it and count it again\n\
        error: 1 path cannot be read\nerror: shards 2, 4 of 4 are missing or unfinished; 23 of 45 units are finished\n";
    "merge s2 s4 none forged4 -o all" => files: "s2 s4 forged4", code: 3, err: "none | s4: unit | forged4: unit";
    "audit s1 damaged2" => files: "s1 damaged2", code: 1, out: "...differ     0...", err: "damaged2: damaged";
    "audit s1 s4 forged4 --share 100%" => files: "s1 s4 forged4", code: 3, out: "...12 of 12 units...", err: "s4: unit | forged4: unit";

    // Merge: only a total is on stdout.
    "merge s1 s2 begun s3 s4" => files: "s1 s2 s3 s4 begun", code: 1, err: "begun";
    "merge runs --json" => files: "runs", out: r#"{"command":"merge","count":"2680","engine":"backtrack","shards":1,"missing":[],
        "finished":45,"units":45,"seconds":3.5,"core_seconds":6}"#;
    "merge empty none" => files: "empty", code: 1, err: "warning: empty: ...\nerror: none: cannot be read: ...\n";
    "merge s1 s40 --json" => files: "s1 s40", code: 4, out: r#"{"count":null,"shards":40}"#,
        err: "error: shards 2-4 of 4 are missing or unfinished; shards 2-4, 6-8, 10-12, 14-16, 18-20, 22-24, 26-28, 30-32, \
        34-36, 38-39 of 40 are missing or unfinished; 13 of 45 units are finished\n";
    "merge whole -o -" => files: "whole", code: 2, err: "stdout is for the total";
    "merge s1 s3 -o all" => files: "s1 s3", code: 4, err: "shards 2, 4 of 4 are missing", left: "s1= s3= all~queens";
    "merge begun0 -o all" => files: "begun0", code: 4, err: "error: 0 of 45 units are finished\n", left: "begun0= all~queens";
    "merge prefixed" => files: "prefixed", out: "2\n";
    "merge part" => files: "part", code: 4, err: "error: 5 of 190 units and 1 partial unit are finished\n";
    "merge forged -o all" => files: "forged", code: 3,
        err: "error: N = 11: found 3480, but OEIS A000170 has 2680; find the wrong units with queens audit\n";
    "UNPUBLISHED merge whole" => files: "whole", out: "2680\n", err: "correct modulo 8; not in OEIS\n";
    "UNPUBLISHED merge odd" => files: "odd", code: 3, err: "found 2684 | requires 0 modulo 8";

    // Audits.
    // A seed draws the same units again.
    "audit s1 s4 --share 20% --seed 7 -t 1 --isa portable --json" => files: "s1 s4", out: r#"{"command":"audit","seed":7,
        "recounted":[{"unit":4},{"unit":11},{"unit":16},{"unit":39},{"unit":43}]}"#;
    "audit s1 begun4 --share 1% --seed 7 -t 1" => files: "s1 begun4", out: "N          11\n\
        recounted  1 of 17 units, by backtrack, portable\ntasks      1, ...\ndiffer     0\n...\nseed       7\nthreads    1\n...";
    "audit whole --max-time 100ms" => files: "whole", out: "...";
    "audit whole --max-time 1s --share 1%" => files: "whole", code: 2, err: "--share | --max-time";
    "audit whole --share 1%" => files: "whole", out: "...1 of 45 units...one wrong unit with probability 2.2%, ten with 22%\n...";
    "audit whole --share 20% --json" => files: "whole", out: r#"{"differences":0,"chance_to_find_one":0.2,"finished":45}"#;
    "audit whole --share 0%" => files: "whole", out: "...1 of 45 units...";
    "audit whole --share 0.5" => files: "whole", out: "...23 of 45 units...";
    "audit forged --share 100%" => files: "forged", code: 3, out: "unit 0 of forged: file says 822, recount gives 22\nN...differ     1\n...",
        err: "error: 1 wrong unit; remove the files that contain them and count again\n";
    "audit s1 r --share 100% --json" => files: "s1 forged4:r/4", code: 3, out: r#"{"differences":1,"chance_to_find_one":1,"finished":23}"#,
        err: "unit 3 of r/4 (shard 4/4): file says | 1 wrong unit";
    "audit wrong-part --share 100% --json=o" => files: "wrong-part", code: 3,
        out: "unit 0 of wrong-part: file says 9, recount gives 0\nN...", err: "1 wrong unit", left: "wrong-part= o~\"differences\":1";
    "audit begun0 none" => files: "begun0", code: 1,
        err: "warning: none: ...error: 1 path cannot be read\nerror: nothing to audit: no task is finished\n";
    // A shard without units.
    "audit s46" => files: "s46", out: "...recounted  0 of 0 units...";

    // Estimates, verifications and benchmarks.
    "estimate 13-14 --max-time 1m -t 1 --seed 1 --isa portable" =>
        out: "...73,712...365,596...MB\nby backtrack and join, portable, on 1 thread\n";
    "estimate 8 --max-time 1m --json" => out: r#"..."command":"estimate"..."counted":"92"..."oeis":"92"..."#;
    "estimate 20 --max-time 1ns -t 1 --seed 5 --json" =>
        out: r#"{"seed":5,"estimates":[{"count":{"mean":37470521300.76}}]}"#;
    "estimate 27-28 --max-time 1ms -t 1" => out: "...234,907,967,154,122,528...28  ...-  ...";
    "estimate 24 --max-time 300ms --seed 5" => out: "...227,514,171,973,736...time of N = 24 extrapolated from...95% intervals; by...seed 5\n";
    "WRONG estimate 5-6 --max-time 1m" => code: 3, out: "...11...5...by backtrack...", err: "found 10 | found 4 | in 2 results";
    "verify 6-8 --isa portable -t 1" => out: "...join...backtrack...naive...8...92...";
    "verify 4 --json" => out: r#"{"command":"verify","sequence":"A000170","results":[
        {"n":4,"engine":"backtrack","count":"2","oeis":"2","agrees":true},{"engine":"naive","agrees":true}]}"#;
    "verify 4-5 --engine join" => out: "...in agreement with OEIS A000170: 1 of 1\nskipped: join at N = 4\n";
    "verify 0-2 --unique" => out: "...in agreement with OEIS A002562: 4 of 4...join at N = 1-2; N = 0 (not in OEIS)\n";
    // Each engine counts its largest board, but not the next one. From N = 16, the join matches blocks and permuted bytes.
    "verify 14-17 -t 2" =>
        out: "...\n14 ...✓...✓...✓...\n15 ...✓...✓...-\n16 ...✓...✓...-\n17 ...✓...-...-\nin agreement with OEIS A000170: 8 of 8\n\
        skipped: backtrack at N = 17; naive at N = 15-17\n";
    "verify 18" => code: 2, err: "join at N = 18; backtrack at N = 18; naive at N = 18";
    "WRONG verify 7-8 --engine naive" => code: 3, out: "...✗          40\n...✗          92\nin agreement with OEIS A000170: 0 of 2\n...",
        err: "found 40 | found 92";
    "bench 6 7 --engine join --runs 1 -t 2 --isa portable --json" => out: r#"{"command":"bench",
        "results":[{"n":6,"engine":"join","isa":"portable","threads":2,"count":"4","speed_up":null},{"n":7}]}"#;
    "bench 12 13 16 17 --runs 1 -t 2" => out: "...N  engine...median       least  ...\n12  naive...\n13  backtrack...\n16  backtrack...\n\
        17  join...skipped: backtrack at N = 17; naive at N = 13,16-17\n";
    "WRONG bench 6 --engine naive --runs 1" => code: 3, out: "...", err: "found 4";

    // Lists: the extension or --format determines the format.
    "solutions 6" => out: "246135\n362514\n415263\n531642\n";
    "solutions 6 --fundamental" => out: "246135\n";
    "solutions 8 --prefix 1 --queen 1,1 --limit 1" => out: "15863724\n";
    "solutions 8 --prefix 1 --queen 4,6 --from 158" => out: "15863724\n17468253\n";
    "solutions 8 --fundamental --from 26 --queen 5,1 --skip 3 --limit 2 --format csv" =>
        out: "number,column1,column2,...,column8\n4,3,5,8,4,1,7,2,6\n";
    "solutions 32 --limit 1" => out: "1,3,5,2,4,9,11,13,15,6,18,24,26,30,25,31,28,32,27,29,16,19,10,8,17,12,21,7,14,23,20,22\n";
    "solutions 9 --prefix 13 --limit 1" => out: "136824975\n";
    "solutions 10 --limit 1" => out: "1,3,6,8,10,5,9,2,4,7\n";
    "solutions 0" => out: "\n";
    "solutions 8 --prefix 13 --queen 4,2 --from 2 --skip 5" =>
        err: "N = 8 has no solutions beginning with 13 with a queen on 4,2 from 2 on after the first 5\n";
    "solutions 4 --limit 4294967296" => out: "2413\n3142\n";
    "solutions 4 --skip 18446744073709551615 --format html" => out: r#"..."total":2}..."#, err: "no solutions after the first 18,446,744,073,709,";
    "solutions 4 --format boards --skip 1" => out: "2: 3142\n. Q . .\n. . . Q\nQ . . .\n. . Q .\n\n";
    // The page describes its selection of solutions, and contains the eight images of each.
    "solutions 4 --format html" =>
        out: r#"...{"first":1,..."fundamental":false,"n":4,..."solutions":["2413 2413 2413 2413 3142 3142 3142 3142","3142 ..."total":2}..."#;
    "solutions 11 --format html" => out: r#"..."n":11,..."#;
    "solutions 12 --format html" => out: r#"..."total":14200}..."#, err: "wrote 5,000 solutions; continue with --skip 5000\n";
    "solutions 12 --format html --limit 5000" => out: "...";
    "solutions 12 --format svg --skip 9200" => out: "...>9201: ...>9202: ...";
    "solutions 8 --format html --prefix 2 --skip 2 --limit 1" => out: r#"..."first":3,..."prefix":"2",..."total":null}..."#;
    "solutions 8 --format html --queen 3,8 --limit 1" => out: r#"..."queens":["3,8"],..."total":null}..."#;
    "solutions 8 --format html --from 26 --limit 1" => out: r#"..."from":"26",..."total":null}..."#;
    "solutions 3 --format html --fundamental" => out: r#"..."first":1,..."fundamental":true,..."total":0}..."#,
        err: "N = 3 has no fundamental solutions";
    "solutions 6 -o a.txt --format boards" => left: "a.txt~Q";
    "solutions 10 -o a.csv" => left: "a.csv~column9,column10";
    "solutions 6 -o a.SVG" => left: "a.SVG~<svg";
    "solutions 6 -o - --format html" => out: r#"<!doctype html>..."symmetries":["identity",..."#;
    "solutions 6 -o a" => code: 2, err: ".txt | .csv | .svg | .html";
    "solutions 6 -o a.csv --format boards" => code: 2, err: "'boards' for '--format <FORMAT>': the file must end in .txt, not .csv";

    // One board.
    "symmetries 2413 --json" => out: r#"{"command":"symmetries","n":4,"placement":"2413","class_size":2,"fundamental":"2413",
        "images":[{"placement":"2413"},{"placement":"3142"}]}"#;
    "symmetries 3142" => out: "3142  identity, ...2413  reflection ...2 distinct images; the fundamental solution is 2413.\n";
    "symmetries 158" => code: 2, err: "3 queens";
    // An attacked square shows the first queen that attacks it, and the lower left square is dark.
    "show 24 -n 4" => out: "   ┌────────────┐\n 1 │ a ░a░   ░░░│\n 2 │░♛░ a ░a░ a │\n 3 │ a ░a░ b ░░░│\n 4 │░a░ ♛ ░a░ b │\n\
        \x20  └────────────┘\n     1  2  3  4\nLetters give the column of the square's first attacker: a = 1.\n";
    "show 2413" => out: "   ┌────────────┐\n 1 │   ░░░ ♛ ░░░│\n 2 │░♛░   ░░░   │\n 3 │   ░░░   ░♛░│\n 4 │░░░ ♛ ░░░   │\n\
        \x20  └────────────┘\n     1  2  3  4\n";
    "show -n 5" => out: "... 1 │░░░   ░░░   ░░░│\n 2 │   ░░░   ░░░   │\n...";
    "show 24 -n 4 --color always" => out: "...\u{1b}[38;5;16m\u{1b}[48;5;109m ♛ \u{1b}[0m\u{1b}[38;5;16m\u{1b}[48;5;255m a \u{1b}[0m...";
    "show -n 32" => out: "...27  29  31\n";
    // From 26 columns, squares are two characters wide; from column 27, letters are capitals.
    "show -n 25" => out: "...\n     1  2  3...24 25\n";
    "show -n 26" => out: "...\n    1   3   5...25\n";
    "show -n 27 --queen 27,3 --queen 26,1" => out: "... 1 │z░z ...z A░♛ A░...";
    "show -n 8 --queen 4,2 --number 2" => out: "2: 36824175\n...";
    "show -n 8 --number 93" => code: 2, err: "92";
    "show 2413 --number 1" => code: 2, err: "--number";
    "show --queen 4,2" => code: 2, err: "add -n <N>";
    "show 2,4 -n 5 --queen 1,2 -o x.txt --color always" => left: "x.txt~5";

    // Files are written completely or not at all, and ledgers are never overwritten.
    "solutions 6 -o list.txt" => files: "list.txt", left: "list.txt~246135";
    "solutions 6 -o a.txt" => files: "whole:a.txt", code: 1, err: "a.txt";
    "solutions 6 -o a.txt" => files: "format-1:a.txt", code: 1, err: "a.txt";
    "count 8 --json=c" => files: "damaged:c", code: 1, out: "...", err: "c";
    "count 9 --checkpoint c --json=c" => code: 1, out: "352\n", err: "c: it is a ledger", left: "c~queens";
    "solutions 6 -o no/a.txt" => code: 1, err: "no/a.txt";

    // Usage errors list the allowed values, or the queens that attack each other.
    "" => code: 2, err: "count | solutions";
    "count 8-29 --engine join" => code: 2, err: "the join engine counts whole boards of N = 5 to 28";
    "estimate 8-33" => code: 2, err: "invalid value '33' for '<N>': N is a whole number from 0 to 32";
    "verify 8-33" => code: 2, err: "invalid value '33' for '<N>': N is a whole number from 0 to 32";
    "bench 8 33" => code: 2, err: "invalid value '33' for '<N>': N is a whole number from 0 to 32";
    "count 70 --symmetry quarter" => code: 2, err: "69";
    "count 35 --symmetry half" => code: 2, err: "34";
    // The whole range is checked first, because counting takes hours.
    "count 30-35 --symmetry half" => code: 2, err: "34";
    "count 9-3" => code: 2, err: "the smaller board comes first: 3-9";
    "count 8 --engine naive --isa avx2" => code: 2, err: "error: ...\n";
    "count 8 --engine fast" => code: 2, err: "auto, join, backtrack, naive";
    if cfg!(target_arch = "x86_64") { "count 8-9 --isa neon" } else { "count 8-9 --isa avx2" } => code: 2, err: "error: ...\n";
    "solutions 8 --prefix 1 --from 11" => code: 2, err: "'11' for '--from <P>' | column 1 | column 2 | share a row";
    "solutions 8 --queen 1,1 --queen 1,5" => code: 2, err: "1,5 | column 1, row 1 | share a column";

    "count 33 --color always" => code: 2, err: "\u{1b}[ | 0 to 32";
    "count --zzz --color always" => code: 2, err: "\u{1b}[ | ; usage: queens count";
    "--help" => out: "...solutions...75...";
    "help audit" => out: "...[default: 1m]...--isa...portable...";
    "count --help" => out: "...What to count:...Long runs:...--checkpoint...[default: 60s]...Examples:...";
    "help estimate" => out: "...[default: 10s]...";
    "help verify" => out: "...[default: 0-14]...";
    "help bench" => out: "...[default: 12 14 16 18]...[default: 1,0]...";
    "count --help --color always" => out: "...\u{1b}[...";
    "--version" => out: "queens ...";
    "completions fish --color never" => out: "...complete -c queens ...";
    // The manual page refers only to pages that exist.
    "man" => out: "....TH queens 1...\nqueens\\-man(1)\nPrint the manual page of the program or a command (pipe to `man \\-l \\-`)\n\
        .SH NOTES\nExit codes: 0 success...";
    "man count --quiet" => out: "....TH queens-count 1...\n.SH NOTES\nExamples:\n  queens count 18\n...";
    "man cuont" => code: 2, err: "the commands are count, status, ";
};

/// A prepared file, which is made once.
fn prepared(name: &str) -> String {
    static MADE: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let made = MADE.lock().unwrap().get(name).cloned();
    made.unwrap_or_else(|| {
        let text = make_file(name);
        MADE.lock().unwrap().insert(name.to_owned(), text.clone());
        text
    })
}

/// Most ledgers are for N = 11 by backtracking, which has 45 units; unit 0 has 22 solutions.
fn make_file(name: &str) -> String {
    let count = |options: &str| ledger_text(&format!("count 11 {options}"));
    match name {
        "list.txt" => "not a ledger\n".to_owned(),
        "empty" => String::new(),
        "whole" => count("--engine backtrack"),
        "n28" => reseal(&made_up_by(EngineKind::Join, 28, 0).replace(" 0\n", " 1234567890123\n")),
        "part" => reseal(&unfinished(&made_up(21, 0), 5).replace("sha256 ", "part 5 1 0\nsha256 ")),
        "wrong-part" => {
            reseal(&unfinished(&made_up_by(EngineKind::Join, 15, 0), 0).replace("sha256 ", "part 0 1 9\nsha256 "))
        }
        "begun" => unfinished(&count("--engine naive"), 5),
        "prefixed" => ledger_text("count 12 --prefix 2,4,6,8,10,12"),
        "join" => count("--engine join"),
        "begun0" => unfinished(&prepared("whole"), 0),
        "begun4" => unfinished(&prepared("s4"), 5),
        "s40" => count("--engine backtrack --shard 40/40"),
        "s46" => count("--engine backtrack --shard 46/64"),
        "s1" | "s2" | "s3" | "s4" => count(&format!("--engine backtrack --shard {}/4", &name[1..])),
        "damaged" => prepared("whole").replacen("unit 0 22\n", "unit 0 23\n", 1),
        "damaged2" => prepared("s2").replacen("unit ", "unit 1", 1),
        "forged" => reseal(&prepared("whole").replacen("unit 0 22\n", "unit 0 822\n", 1)),
        "odd" => reseal(&prepared("whole").replacen("unit 0 22\n", "unit 0 26\n", 1)),
        "forged4" => reseal(&prepared("s4").replacen("unit 3 ", "unit 3 1", 1)),
        "huge" => reseal(&prepared("whole").replacen("units 45\n", "units 9000000000000000\n", 1)),
        "escape" => reseal(&prepared("whole").replace("rows/1 ", "rows/1\u{1b}[2J ")),
        "crlf" => prepared("whole").replace('\n', "\r\n"),
        "runs" | "timed" | "short" => {
            let text = prepared(if name == "runs" { "whole" } else { "s1" });
            let run = text.lines().find(|line| line.starts_with("run\t")).unwrap();
            let runs = match name {
                "runs" => {
                    "run\t3.0\t150\t0.000\t0.000\t0\t-\tc\t-\n\
                    run\t2.0\t200\t1.500\t2.000\t9\t-\tb\t-\nrun\t1.0\t100\t2.000\t4.000\t36\t-\ta\t-"
                }
                "timed" => "run\t1.0\t100\t9.000\t12.000\t12\t-\tnode-0123.cluster\t-",
                _ => "run\t1.0\t100\t0.000\t0.000\t12\t-\ta\t-",
            };
            reseal(&text.replace(run, runs))
        }
        "other-plan" => reseal(&prepared("whole").replace("rows/1 ", "rows/9 ")),
        "format-1" => reseal(&prepared("whole").replacen("queens ledger 2\n", "queens ledger 1\n", 1)),
        _ => panic!("no file is prepared as {name}"),
    }
}

#[test]
fn every_promise_is_kept() {
    let broken = |row: &Row| Some(format!("queens {}: {}", row.line, broken_promise(row)?));
    let broken: Vec<String> = ROWS.par_iter().filter_map(broken).collect();
    assert!(broken.is_empty(), "{} of {} rows:\n{}", broken.len(), ROWS.len(), broken.join("\n"));
}

/// Separates `WRONG` or `UNPUBLISHED` from a command line.
fn split_terms(line: &str) -> (&str, &str) {
    line.split_once(' ').filter(|(terms, _)| ["WRONG", "UNPUBLISHED"].contains(terms)).unwrap_or(("", line))
}

/// How the program breaks the promise of a row, if it does.
fn broken_promise(&Row { line, files: before, code, out: stdout, err: stderr, left: after }: &Row) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut texts_before = BTreeMap::new();
    for entry in before.split_whitespace() {
        let (name, place) = entry.split_once(':').unwrap_or((entry, entry));
        let path = folder.path().join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        texts_before.insert(place, prepared(name));
        fs::write(path, &texts_before[place]).unwrap();
    }
    let (terms, line) = split_terms(line);
    let mut command = queens(folder.path(), line);
    // This is too little for a count, so threads must set the size they need.
    command.env("RUST_MIN_STACK", "16384");
    command.env("QUEENS_TERMS", terms.to_lowercase());
    // A usage error that is found after the work, or a slow search for a first solution, takes hours.
    let (found, out, err) = finish(command);
    let (stdout, stderr) = (&*slashed(stdout), &*slashed(stderr));
    let broken = |how: &str| Some(format!("{how}, with exit code {found:?}\n  stdout: {out:?}\n  stderr: {err:?}"));
    if found != Some(code) {
        return broken(&format!("not exit code {code}"));
    }
    if !stdout_matches(stdout, &out) {
        return broken(&format!("stdout is not {stdout:?}"));
    }
    if stderr.is_empty() && !err.is_empty() {
        return broken("stderr is not empty");
    }
    let is_all = stderr.ends_with('\n') && common::matches(stderr, &err);
    if !is_all && stderr.split(" | ").any(|word| word.ends_with('\n') || !err.contains(word)) {
        return broken(&format!("stderr lacks {stderr:?}"));
    }
    let is_table =
        ["audit ", "bench ", "estimate ", "show ", "status ", "verify "].iter().any(|name| line.contains(name));
    if is_table
        && !out.starts_with('{')
        && out.lines().any(|line| line.chars().count() > 80 && !line.contains('\u{1b}'))
    {
        return broken("a line of more than 80 columns");
    }
    if !line.contains("--color always") && (out.contains('\u{1b}') || err.contains('\u{1b}')) {
        return broken("colour without a terminal");
    }
    let mut left = files(folder.path());
    let same = texts_before.keys().map(|place| format!("{place}=")).collect::<Vec<_>>().join(" ");
    for entry in (if after == "=" { &same } else { after }).split_whitespace() {
        let (place, expected) = entry.split_at(entry.find(['=', '~']).unwrap_or(entry.len()));
        let text = fs::read_to_string(folder.path().join(place)).unwrap_or_default();
        let is_right = match expected.split_at(expected.len().min(1)) {
            ("=", _) => text == texts_before[place],
            // Files never have colors.
            (_, part) => text.contains(part) && !text.contains('\u{1b}'),
        };
        if !left.remove(place) || !is_right {
            return broken(&format!("file {entry}: {text:?}"));
        }
    }
    if !left.is_empty() {
        return broken(&format!("these files are left: {left:?}"));
    }
    if code != 0 || err.is_empty() {
        return None;
    }
    // With `-q` only warnings remain, also now that the command's files exist.
    let (_, _, err) = output(folder.path(), &format!("{line} -q"));
    if err.lines().all(|line| line.starts_with("warning: ")) { None } else { broken("a note with -q") }
}

/// Whether stdout matches the row.
fn stdout_matches(pattern: &str, text: &str) -> bool {
    if pattern.starts_with('{') {
        let expected: Value = serde_json::from_str(pattern).unwrap();
        return serde_json::from_str(text).is_ok_and(|found| contains_json(&found, &expected));
    }
    common::matches(pattern, text)
}

/// Whether JSON contains at least these fields. `"number"` stands for any number.
fn contains_json(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            expected.iter().all(|(name, value)| found.get(name).is_some_and(|found| contains_json(found, value)))
        }
        (Value::Array(found), Value::Array(expected)) if !expected.is_empty() => {
            found.len() == expected.len()
                && found.iter().zip(expected).all(|(found, expected)| contains_json(found, expected))
        }
        (Value::Number(found), Value::Number(expected)) => {
            (found.as_f64().unwrap() - expected.as_f64().unwrap()).abs() < 1e-9
        }
        (Value::Number(_), Value::String(any)) => any == "number",
        _ => found == expected,
    }
}

#[test]
fn invalid_values_are_refused_by_argument() {
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
        ("solutions 8 --queen ", "9,1 1,9 0,1 x"),
        ("solutions 6 --limit ", "x 0 -1"),
        ("solutions 6 --skip ", "x -1"),
        ("show -n 8 --number ", "x 0"),
    ] {
        for value in values.split(' ') {
            let (code, _, err) = output(Path::new("."), &format!("{line}{value}"));
            let is_named = err.starts_with(&format!("error: invalid value '{value}' for '"));
            assert!(code == Some(2) && is_named, "{line}{value}: {code:?} {err}");
            assert!(
                ["digit", "..", "-- "].iter().all(|word| !err.contains(word)),
                "the allowed values are missing: {err}"
            );
        }
    }
}

/// Pages are A4 at 96 dots per inch.
#[test]
fn no_board_crosses_the_edge_of_a_page() {
    // Just below and above each change of the number of boards in a row.
    for (n, across) in [(10, 4), (11, 3), (16, 3), (17, 2)] {
        let (_, sheet, _) = output(Path::new("."), &format!("solutions {n} --limit 50 --format svg"));
        let height = sheet.split("height=\"").nth(1).unwrap().split_once('"').unwrap().0.parse::<usize>().unwrap();
        assert!(height > 1122 && height.is_multiple_of(1122), "N = {n}: {height}");
        let groups: Vec<&str> = sheet.split("<g transform=\"translate(").skip(1).collect();
        assert_eq!(groups.len(), 50, "N = {n}");
        let mut columns = BTreeSet::new();
        for group in groups {
            let (at, scale) = group.split_once(") scale(").unwrap();
            let (x, y) = at.split_once(' ').unwrap();
            let (x, y): (usize, usize) = (x.parse().unwrap(), y.parse().unwrap());
            let side = scale.split_once(')').unwrap().0.parse::<f64>().unwrap() * (n * 100) as f64;
            assert!(x + side as usize <= 794 - 30 && y % 1122 + side as usize <= 1122 - 30, "N = {n}: {at}");
            columns.extend((y == 45).then_some(x));
        }
        assert_eq!(columns.len(), across, "N = {n}");
    }
}

#[test]
fn objects_have_exactly_the_documented_fields() {
    let document = include_str!("../docs/formats.md");
    let everywhere = ["command", "version", "mean", "low", "high"].map(str::to_owned);
    for (command, lines) in [
        ("count N", "8 --unique|8 --prefix 1|8 --symmetry half|11 --shard 1/4 --checkpoint s1"),
        ("count A-B", "7-8 --prefix 1|7-8"),
        ("status", "s1 begun damaged"),
        ("merge", "s1|prefixed"),
        ("audit", "join"),
        ("estimate", "6 --max-time 1m"),
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

/// An estimate uses its `--max-time`, and an audit ends after it.
#[test]
fn max_time_determines_the_work() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(output(folder.path(), "count 12 --engine naive --checkpoint c -q").0, Some(0));
    let object = |line: &str| serde_json::from_str::<Value>(&output(folder.path(), line).1).unwrap();
    let estimates = ["1ms", "3s"].map(|time| object(&format!("estimate 22 --max-time {time} -t 1 --json")));
    let [little, much] = estimates.each_ref().map(|one| one["estimates"][0]["spent_seconds"].as_f64().unwrap());
    // Half of the time goes to samples of the count. On a busy machine the self-check alone may take a second.
    assert!(little < SOON.as_secs_f64() && much >= 1.4, "{little} s, {much} s");
    let audits = [(); 2].map(|()| object("audit c --max-time 1ms -t 1 --json"));
    let [recounted, all] = ["recounted", "finished"].map(|name| &audits[0][name]);
    assert!(recounted.as_array().unwrap().len() < all.as_u64().unwrap() as usize, "{}", audits[0]);
    // Seeds are random, so that a forger cannot know the audited units.
    assert!([estimates, audits].iter().all(|[one, other]| one["seed"] != other["seed"]));
}

/// JSON has the instruction set and threads that were used.
#[test]
fn counting_commands_use_the_requested_isa_and_threads() {
    const LINES: &str = "count 12|count 12 --engine join|count 8-9|count 8 --prefix 1|count 12 --unique|\
        count 12 --symmetry half|count 12-13 --symmetry quarter|count 12 --checkpoint c|count 12 --shard 1/2 --checkpoint s|\
        audit whole|estimate 8 --max-time 1m|estimate 24 --max-time 1ms|verify 8 --engine join|\
        verify 8 --engine backtrack --unique|bench 8 --engine join --runs 1";
    for isa in ["portable", Isa::best().name()] {
        let (folder, threads) = (tempfile::tempdir().unwrap(), available_threads() + 1);
        fs::write(folder.path().join("whole"), prepared("whole")).unwrap();
        for line in LINES.split('|') {
            let (code, out, err) = output(folder.path(), &format!("{line} -t {threads} --isa {isa} --json"));
            assert_eq!(code, Some(0), "{line}: {err}");
            for (field, value) in [("isa", format!("\"{isa}\"")), ("threads", threads.to_string())] {
                let [all, right] = ["", &value].map(|value| out.matches(&format!("\"{field}\":{value}")).count());
                assert!(all > 0 && all == right, "{line}: {field}, not {value}: {out}");
            }
        }
    }
    let (code, _, err) = output(Path::new("."), &format!("verify 8 --isa {}", Isa::best()));
    assert_eq!(code, Some(0), "the naive engine is portable only: {err}");
    let (_, out, _) = output(Path::new("."), "count 12 --json");
    let default = format!("\"isa\":\"{}\",\"threads\":{},", Isa::best(), available_threads());
    assert!(out.contains(&default), "{out}, not {default}");
}

/// Tables and JSON of one run have the same numbers, to the digits shown. Derived numbers are computed again from raw ones.
#[test]
fn tables_and_objects_have_the_same_numbers() {
    /// The half-width of a cell's interval in percent, or `None` if the cell has no interval.
    fn half_width(cell: &str) -> Option<f64> {
        cell.split_once('±')?.1.strip_suffix('%')?.parse().ok()
    }
    /// The times of a row of a benchmark; empty for other rows.
    fn seconds(row: &Value) -> Vec<f64> {
        row["seconds"].as_array().into_iter().flatten().map(|time| time.as_f64().unwrap()).collect()
    }
    /// The seconds, bytes or number of a cell such as `12 min 03 s`, `270 h ±70%`, `1.20 ms *` or `✓ 1.20 ms`.
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
    // Compares the last cells of each row with the values of the same row in a list of the object.
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
            // A time is unknown if a thread's clock is too coarse, as on Windows.
            if list == "estimates" {
                let [core, time] = [3, 2].map(|place| cells[cells.len() - place].split(' ').collect::<Vec<_>>());
                assert!(time.len() == 2 && (core.len() == 1 || core[1] == time[1]), "one unit a row: {shown}");
            }
            for (cell, wanted) in values.filter(|(cell, _)| **cell != "unknown") {
                let number = |end: &str| wanted[end].as_f64().or(wanted.as_f64()).unwrap();
                let (mean, low, high) = (number("mean"), number("low"), number("high"));
                let percent = 100.0 * ((high / mean).max(mean / low) - 1.0);
                for (found, wanted) in [(Some(value(cell)), mean), (half_width(cell), percent)] {
                    let is_near = |found: f64| (found - wanted).abs() <= 0.51 * 10f64.powi(1 - digits) * wanted;
                    assert!(found.is_none_or(is_near), "{shown}: {cell}, {row}");
                }
            }
        }
        assert!(!rows.is_empty(), "{out}");
        // A mark where the times of a row are more than 10 % apart, and a line below.
        let are_apart = |times: Vec<f64>| times.last() > times.first().map(|least| 1.1 * least).as_ref();
        let marked = rows.iter().filter(|(_, row)| are_apart(seconds(row))).count();
        assert_eq!(out.matches('*').count(), marked + marked.min(1), "{out}");
        object
    };
    for line in ["estimate 16 --max-time 1ms -t 1", "estimate 22 --max-time 100ms -t 2"] {
        rows(line, "estimates", 2, |row| {
            vec![row["count"].clone(), row["core_seconds"].clone(), row["seconds"].clone(), row["memory"].clone()]
        });
    }
    rows("verify 9 --engine naive", "results", 3, |row| vec![row["seconds"].clone()]);
    let bench = rows("bench 9 10 --engine naive -t 2,1,2 --runs 12", "results", 3, |row| {
        let times = seconds(row);
        let median = f64::midpoint(times[5], times[6]);
        assert!(times.is_sorted() && (row["median"].as_f64().unwrap() / median - 1.0).abs() < 1e-9, "{row}");
        vec![row["threads"].clone(), median.into(), times[0].into(), times[11].into(), row["speed_up"].clone()]
    });
    let results = bench["results"].as_array().unwrap();
    assert_eq!(results.iter().map(|row| &row["threads"]).collect::<Vec<_>>(), [1, 2, 1, 2]);
    for (at, row) in results.iter().enumerate() {
        let number = |row: &Value, name: &str| row[name].as_f64().or_else(|| row[name].as_str()?.parse().ok()).unwrap();
        let [of_one, of_this] = [&results[at & !1], row].map(|row| number(row, "median"));
        let expected = [of_one / of_this, number(row, "count") / of_this];
        let found = ["speed_up", "solutions_per_second"].map(|name| number(row, name));
        assert!(found.iter().zip(expected).all(|(found, expected)| (found / expected - 1.0).abs() < 1e-9), "{row}");
    }
    let default = rows("bench 6 --engine join", "results", 3, |_| Vec::new());
    let threads = default["results"].as_array().unwrap().iter().map(|row| row["threads"].as_u64().unwrap() as usize);
    assert_eq!(threads.collect::<BTreeSet<_>>(), BTreeSet::from([1, available_threads()]));
    let object = |line: &str, milliseconds| -> Value {
        let (_, out, err) = finish(delay(queens(folder.path(), &format!("{line} --json")), milliseconds));
        serde_json::from_str(&out).expect(&err)
    };
    // Ten runs, or as many as start within two seconds.
    let runs = |milliseconds| seconds(&object("bench 1 --engine naive -t 1", milliseconds)["results"][0]).len();
    assert!((1..10).contains(&runs(700)) && (0..20).any(|_| runs(0) == 10));
    // Wall time includes the wait, processor time does not.
    let [count, estimate] = ["count 1 --engine naive", "estimate 1 --max-time 1m"].map(|line| object(line, 700));
    let of_estimate = |name: &str| estimate["estimates"][0][name]["mean"].as_f64().unwrap();
    let [wall, core] = ["seconds", "core_seconds"].map(of_estimate);
    assert!(wall >= 0.7 && count["seconds"].as_f64() >= Some(0.7), "{count} {estimate}");
    assert!(core < 0.5 * wall || cfg!(windows), "{estimate}");
    // No time includes the self-check. On a busy machine one of three attempts shows it.
    let least = |line: &str, field: &str| {
        let time = |_| object(&format!("{line} --engine join -t 1"), 0).pointer(field).unwrap().as_f64().unwrap();
        (0..10).map(time).fold(f64::INFINITY, f64::min)
    };
    let is_without_check = |_| {
        let times = [least("count 6", "/seconds"), least("bench 6 --runs 1", "/results/0/seconds/0")];
        4.0 * times[0].max(times[1]) < least("count 6", "/check_seconds")
    };
    assert!((0..3).any(is_without_check));
}

/// The options of each command are read from clap's completions for bash. A row with an unknown option fails by its exit code.
#[test]
fn every_option_has_a_row() {
    const EVERYWHERE: [&str; 4] = ["--color", "--help", "--quiet", "--version"];
    let mut options = BTreeSet::new();
    let script = output(Path::new("."), "completions bash").1;
    let commands = script.split("\n        queens__subcmd__").skip(1);
    for (command, rest) in commands.filter_map(|command| command.split_once(")\n            opts=\"")) {
        let words = rest.split('"').next().unwrap().split(' ').filter(|word| word.starts_with("--"));
        let own = words.filter(|option| !command.starts_with("help") && !EVERYWHERE.contains(option));
        options.extend(own.map(|option| (command, option)));
    }
    assert!(options.len() > 40, "{options:?}");
    for (_, line) in ROWS.iter().filter(|row| row.code != 2).map(|row| split_terms(row.line)) {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        for word in rest.split(' ') {
            let option = match word.split('=').next().unwrap() {
                "-n" => "--size",
                "-o" => "--output",
                "-t" => "--threads",
                long => long,
            };
            options.remove(&(command, option));
        }
    }
    assert!(options.is_empty(), "no row: {options:?}");
}
