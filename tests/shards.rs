//! A count in sixteen shards, as on sixteen machines: counted in any order, by any number of threads, gone on with, merged,
//! audited.

use std::fs;

use crate::common::{output, read, total, unfinished};

#[test]
fn sixteen_shards_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("r")).unwrap();
    let count = |k: u32| {
        // Another machine may lack vectors, and has other cores.
        let isa = if k.is_multiple_of(2) { "--isa portable" } else { "" };
        let line = format!("count 14 --shard {k}/16 --checkpoint r/{k} -t {} {isa}", 1 + k % 3);
        let (code, out, err) = output(path, &line);
        assert_eq!((code, out.as_str()), (Some(0), ""), "{line}: {err}");
    };
    let missing = || output(path, "status --missing r").1;
    [8, 2, 5, 1, 16, 9, 14, 12].into_iter().for_each(count);
    assert_eq!(missing(), "3-4,6-7,10-11,13,15\n");
    let (code, out, err) = output(path, "merge r");
    assert_eq!((code, out.as_str()), (Some(4), ""), "{err}");
    assert!(err.contains("shards 3-4, 6-7, 10-11, 13, 15 of 16 are missing or unfinished"), "{err}");
    [3, 4, 6, 7, 10, 11, 13, 15].into_iter().for_each(count);

    // One is damaged and one was stopped: both are missing, and are counted again.
    let damaged = fs::read_to_string(path.join("r/3")).unwrap().replacen("unit ", "unit 1", 1);
    fs::write(path.join("r/3"), damaged).unwrap();
    let begun = unfinished(&fs::read_to_string(path.join("r/6")).unwrap(), 1);
    fs::write(path.join("r/6"), begun).unwrap();
    assert_eq!(missing(), "3,6\n");
    let (code, out, err) = output(path, "status r");
    assert!(out.contains("r/6") && err.contains("r/3: damaged") && code == Some(0), "{out}{err}");
    fs::remove_file(path.join("r/3")).unwrap();
    [3, 6].into_iter().for_each(count);
    assert_eq!(missing(), "");

    let (code, out, err) = output(path, "merge r -o all");
    assert_eq!((code, out), (Some(0), total(14)), "{err}");
    assert!(read(&path.join("all")).is_complete());
    assert_eq!(output(path, "merge all r/2 r").1, total(14), "what is twice counts once");
    assert_eq!(output(path, "count 14 --checkpoint all -q").1, total(14), "the union goes on like any other");
    let (code, out, err) = output(path, "audit r --share 20% --seed 3");
    assert_eq!(code, Some(0), "{out}{err}");
}
