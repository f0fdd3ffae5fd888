//! Every argument that names a file. The program's own tests hold the list against the definition of its arguments, so that
//! a new option is not without the tests of `tests/outputs.rs`.

/// Arguments that name a result: the command, the argument, and a line of the command in which `FILE` is the result.
pub(crate) const OUTPUTS: [(&str, &str, &str); 12] = [
    ("audit", "json", "audit s1 s2 --seed 7 --units 2 --json=FILE"),
    ("bench", "json", "bench --from b --json=FILE"),
    ("count", "json", "count 8 --json=FILE"),
    ("estimate", "json", "estimate 8 --samples 20 --json=FILE"),
    ("merge", "json", "merge s1 s2 --json=FILE"),
    ("profile", "json", "profile 4 --json=FILE"),
    ("show", "json", "show 158 --json=FILE"),
    ("show", "output", "show 158 -o FILE"),
    ("solutions", "output", "solutions 6 -o FILE"),
    ("status", "json", "status s1 --json=FILE"),
    ("symmetries", "json", "symmetries 2413 --json=FILE"),
    ("verify", "json", "verify 0-5 --json=FILE"),
];

/// Arguments that name what is read or saved, and a line of the command in which `FILE` is that and a result.
pub(crate) const KEPT: [(&str, &str, &str); 8] = [
    ("audit", "paths", "audit s1 FILE --json=FILE"),
    ("bench", "compare", "bench --from b --compare FILE --json=FILE"),
    ("bench", "from", "bench --from FILE --json=FILE"),
    ("count", "checkpoint", "count 32 --checkpoint FILE --json=FILE"),
    ("count", "out", "count 32 --shard 1/2 --out FILE --json=FILE"),
    ("merge", "paths", "merge s1 FILE --json=FILE"),
    ("status", "paths", "status s1 FILE --json=FILE"),
    ("verify", "bfile", "verify --bfile FILE --json=FILE"),
];
