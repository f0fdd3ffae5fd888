//! `queens status` as its users see it.

#![cfg(feature = "cli")]

use std::fs;
use std::time::Duration;

use crate::common::{output, sealed, shards};
use queens::Shard;
use queens::ledger::Ledger;
use queens::ledger::store::{self, Store};

/// What a file says of times far away takes nobody else's file with it, and what is empty is no shard at all.
#[test]
fn odd_files_in_a_folder_harm_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shards(path, 3);
    let with = |name: &str, to: &str| {
        let text = fs::read_to_string(path.join(name)).unwrap();
        let body = text[..text.rfind("sha256").unwrap()].lines().map(|line| {
            let is_it = line.split(' ').next() == to.split(' ').next();
            format!("{}\n", if is_it { to } else { line })
        });
        sealed(&body.collect::<String>())
    };
    // As long as a ledger's time may be: a million of them have a sum.
    for name in ["s1", "s2", "s3"] {
        fs::write(path.join(name), with(name, "seconds 9223372036854.000")).unwrap();
    }
    fs::write(path.join("odd"), with("s1", "saved 9223372036854775808")).unwrap();
    fs::write(path.join("slurm-3.err"), "").unwrap();
    let (code, out, err) = output(path, "status .");
    assert_eq!((code, err.as_str()), (Some(0), "skipped, empty: ./slurm-3.err\n"));
    assert!(out.contains("complete   3: 1-3\n") && !out.contains("slurm"), "{out}");
    assert!(out.contains("damaged  ./odd: not written by this program: '9223372036854775808' is no time\n"), "{out}");
    fs::remove_file(path.join("odd")).unwrap();
    let skipped = "skipped, empty: ./slurm-3.err\n".to_owned();
    assert_eq!(output(path, "merge -q ."), (Some(0), "2680\n".to_owned(), skipped));
    assert!(!output(path, "status .").1.contains("damaged"));
    // Named, it is told.
    assert_eq!(output(path, "status slurm-3.err").0, Some(1));
    // Longer times are refused.
    fs::write(path.join("s1"), with("s1", "seconds 9223372036855.000")).unwrap();
    let (code, _, err) = output(path, "merge s1");
    assert!(code == Some(1) && err.contains("its runs took longer than any can"), "{err}");
}

/// A file that is named and cannot be read is an error, which keeps nothing of the others back.
#[test]
fn one_damaged_file_hides_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shards(path, 2);
    fs::write(path.join("empty"), "").unwrap();
    let (code, out, err) = output(path, "status empty s1 gone s2");
    let told = "error: empty: cut short: its last line is not a checksum\nerror: gone: there is no such file\n";
    assert_eq!((code, err.as_str()), (Some(1), told));
    assert!(out.contains("file      s1\n") && out.contains("file      s2\n") && !out.contains("damaged"), "{out}");
    let (code, out, _) = output(path, "status empty s1 --json");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let files = (&json["counts"][0]["files"][0]["file"], &json["damaged"][0]["file"]);
    assert_eq!((code, files), (Some(1), (&"s1".into(), &"empty".into())));
    // No run of this one has taken any time, which is not worth a row.
    let ledger = store::read(&path.join("s1")).unwrap();
    let empty = Ledger::new(ledger.fingerprint().clone(), Shard::WHOLE);
    Store::open(path.join("begun")).unwrap().save(&empty).unwrap();
    let (code, out, _) = output(path, "status begun");
    assert!(code == Some(0) && out.contains("\nunits ") && !out.contains("\nspent "), "{out}");
}

/// A total is compared with what is known of it, as by a merge; a wrong one is not shown as the count.
#[test]
fn a_wrong_total_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 11 --engine backtrack --checkpoint whole -q").0, Some(0));
    let (code, out, _) = output(path, "status whole");
    assert!(code == Some(0) && out.contains("\nsolutions  2,680\ncheck      agrees with OEIS A000170\n"), "{out}");
    fs::create_dir(path.join("r")).unwrap();
    for k in 1..=2 {
        let line = format!("count 11 --engine backtrack --shard {k}/2 --out r/{k}");
        assert_eq!(output(path, &line).0, Some(0));
    }
    let forge = |name: &str| {
        let text = fs::read_to_string(path.join(name)).unwrap();
        let unit = text.lines().find(|line| line.starts_with("unit ")).unwrap();
        let (unit_name, tally) = unit.rsplit_once(' ').unwrap();
        let forged = format!("{unit_name} {}", tally.parse::<u128>().unwrap() + 8);
        fs::write(path.join(name), sealed(&text[..text.rfind("sha256").unwrap()].replace(unit, &forged))).unwrap();
    };
    forge("whole");
    forge("r/2");
    let found = "found 2688, but OEIS A000170 has 2680";
    // Of the two files of one count the forged one is told too.
    assert_eq!(output(path, "count 11 --engine backtrack --checkpoint right -q").0, Some(0));
    for line in ["status whole", "status r", "status r/1 r/2", "status right whole", "status r --json"] {
        let (code, out, err) = output(path, line);
        assert_eq!((code, err), (Some(3), format!("error: {found}\n")), "{line}");
        assert_eq!(
            out.contains(&format!("  WRONG: {found}\n")),
            !line.contains("r/1") && !line.contains("json"),
            "{out}"
        );
        assert!(!out.contains("2,688"), "{out}");
    }
}

#[test]
fn status_tells_shards_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for k in [1, 2] {
        assert_eq!(output(path, &format!("count 11 --engine backtrack --shard {k}/6 --out r/{k}")).0, Some(0));
    }
    let whole = store::read(&path.join("r/2")).unwrap();
    let units = whole.fingerprint().units;
    let begun = |k: u32, name: &str| {
        let mut ledger = Ledger::new(whole.fingerprint().clone(), Shard::new(k, 6).unwrap());
        ledger.record(k as usize - 1, 1.into()).unwrap();
        ledger.begin_run(Some("a processor".to_owned()));
        let run = ledger.current_run().unwrap();
        (run.elapsed, run.double_checked, run.differed) = (Duration::from_secs(2), Some(5), Some(u64::from(k == 4)));
        let mut store = Store::open(path.join(name)).unwrap();
        store.save(&ledger).unwrap();
        store
    };
    fs::create_dir(path.join("c")).unwrap();
    drop(begun(3, "c/3"));
    let held = begun(4, "c/4");
    // Without a save, and told by its name.
    let unsaved = Store::open(path.join("r/5")).unwrap();
    fs::write(path.join("r/6"), "queens ledger 1\n").unwrap();
    let status = |line: &str| -> serde_json::Value {
        let (code, out, err) = output(path, &format!("status --json {line}"));
        assert_eq!((code, err.as_str()), (Some(0), ""));
        serde_json::from_str(&out).unwrap()
    };
    let json = status(".");
    let count = &json["counts"][0];
    let lists = ["complete", "running", "stopped", "missing"].map(|name| count[name].to_string());
    assert_eq!(lists, ["[1,2]", "[4,5]", "[3]", "[6]"], "{json}");
    let done = (1..=2).map(|k| Shard::new(k, 6).unwrap().units(units).len()).sum::<usize>() + 2;
    assert_eq!((&count["units"], &count["units_done"]), (&units.into(), &done.into()));
    assert_eq!((&json["damaged"][0]["file"], json["counts"].as_array().unwrap().len()), (&"./r/6".into(), 1));
    // As long as so far for each unit, by the two that are running.
    let (seconds, left) = (count["seconds"].as_f64().unwrap(), count["left"].as_f64().unwrap());
    let expected = seconds / done as f64 * (units - done) as f64 / 2.0;
    assert!(seconds >= 4.0 && (left - expected).abs() < 1e-6 * expected, "{left} {expected}");
    let text = output(path, "status .").1;
    for line in [
        "complete  2: 1-2\n", "running   2: 4-5\n", "stopped   1: 3\n", "missing   1: 6\n", " with 2 running\n",
        "damaged  ./r/6: cut short",
    ] {
        assert!(text.contains(line), "{text}");
    }
    // The record of the runs.
    let count = &status(".")["counts"][0];
    assert_eq!((&count["double_checked_tasks"], &count["differed"]), (&10.into(), &1.into()), "{count}");
    let program = concat!("queens ", env!("CARGO_PKG_VERSION"));
    assert_eq!((&count["programs"], &count["count"]), (&serde_json::json!([program]), &serde_json::Value::Null));
    let machines: Vec<&str> = count["machines"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let host = machines.iter().find_map(|name| name.strip_suffix(" (a processor)")).unwrap();
    assert!(machines.len() == 2 && machines.iter().all(|name| name.starts_with(host)), "{count}");
    let of = |file: &str| count["files"].as_array().unwrap().iter().find(|of| of["file"] == file).unwrap();
    let run = &of("./c/4")["runs"][0];
    assert_eq!((&run["seconds"], &run["differed"], &run["host"]), (&2.0.into(), &1.into(), &host.into()));
    assert_eq!(of("./r/1")["runs"][0]["double_checked_tasks"], 0);
    let text = output(path, "status .").1;
    for line in ["checked   10 tasks counted twice, 1 DIFFERED\n", "plan      rows/1 N=11 ", " (a processor)\n"] {
        assert!(text.contains(line), "{text}");
    }
    // One file: of a single unit nobody can tell how long the others take.
    let text = output(path, "status c/4").1;
    assert!(text.contains("\nstate     running, saved ") && text.contains("\nleft      not known yet\n"), "{text}");
    drop((held, unsaved));
    assert!(output(path, "status c/4").1.contains("state     stopped, saved "));
    // As a run leaves it that is killed.
    fs::write(path.join("r/.5.lock"), "").unwrap();
    assert_eq!(status(".")["counts"][0]["running"].to_string(), "[]");
    assert_eq!(status(".")["unsaved"], serde_json::json!([]));
    assert_eq!(status(".")["counts"][0]["left"], serde_json::Value::Null, "nothing is running");
    // Another count in the same folder is told apart.
    assert_eq!(output(path, "count 8 --checkpoint r/eight").0, Some(0));
    assert_eq!(status("r")["counts"].as_array().unwrap().len(), 2);
    fs::write(path.join("r/notes"), "not a ledger\n").unwrap();
    assert!(output(path, "status r").1.contains("state      complete, saved "));
    for (line, reason) in [
        ("status none", "none: there is no such file"),
        ("status r/6", "r/6: cut short: its last line is not a checksum"),
        ("status r/notes", "r/notes: not a ledger of queens"),
    ] {
        assert_eq!(output(path, line), (Some(1), String::new(), format!("error: {reason}\n")));
    }
    fs::create_dir(path.join("empty")).unwrap();
    assert_eq!(output(path, "status empty").2, "error: empty: neither a checkpoint nor a shard\n");
    assert_eq!(output(path, "status").0, Some(2));
}
