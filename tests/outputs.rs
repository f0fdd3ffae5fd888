//! What becomes of the file that a result is to go to: every argument that names one, with every kind of file.

#![cfg(all(feature = "cli", target_os = "linux"))]

use std::fs::{self, File};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use queens::ledger::store::Store;
use rustix::fs::{Mode, OFlags};
use tempfile::TempDir;

use crate::common::outputs::{KEPT, OUTPUTS};
use crate::common::runs::{end, shell};
use crate::common::{output, queens, texts};

/// What the lines of the tables read: two shards and a result of `bench`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for line in ["count 8 --shard 1/2 --out s1 -q", "count 8 --shard 2/2 --out s2 -q"] {
        assert_eq!(output(folder.path(), line).0, Some(0));
    }
    let bench = output(folder.path(), "bench 6 --engine naive --threads 1 --runs 1 --json=b");
    assert_eq!(bench.0, Some(0), "{}", bench.2);
    folder
}

/// The file as a result, from which the time that it took is left out.
fn shape(bytes: &[u8]) -> (String, usize) {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    (text.chars().take(12).collect(), text.lines().count())
}

/// The commands and what they write, each into a new file.
fn written(path: &Path) -> Vec<(&'static str, (String, usize))> {
    let written = OUTPUTS.iter().map(|(.., line)| {
        let (code, _, err) = output(path, &line.replace("FILE", "new"));
        assert_eq!(code, Some(0), "{line}: {err}");
        let result = fs::read(path.join("new")).unwrap();
        fs::remove_file(path.join("new")).unwrap();
        assert!(!result.is_empty(), "{line}");
        (*line, shape(&result))
    });
    written.collect()
}

/// A ledger is refused by how it begins: what is left of it may be worth days.
#[test]
fn no_result_takes_the_place_of_a_ledger() {
    let folder = folder();
    let path = folder.path();
    let ledger = fs::read_to_string(path.join("s1")).unwrap();
    let utf_16: Vec<u8> = ledger.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let kinds: [(&str, Vec<u8>); 7] = [
        ("whole", ledger.clone().into()),
        ("cut", ledger[..40].into()),
        ("damaged", ledger.replace("unit ", "unit 1").into()),
        ("crlf", ledger.replace('\n', "\r\n").into()),
        ("marked", format!("\u{feff}{ledger}").into()),
        ("utf-16", [&[0xff, 0xfe], &utf_16[..]].concat()),
        ("newer", ledger.replace("queens ledger ", "queens ledger 1").into()),
    ];
    for (name, bytes) in &kinds {
        fs::write(path.join(name), bytes).unwrap();
    }
    symlink("whole", path.join("link")).unwrap();
    fs::create_dir(path.join("in")).unwrap();
    // A run that will save there; and its lock, by the name of a link.
    let _used = Store::open(path.join("used")).unwrap();
    symlink(".used.lock", path.join("lock")).unwrap();
    let ledgers = kinds.iter().map(|(name, _)| *name).chain(["link", "used", "lock"]);
    let reason = "it is a checkpoint or a shard, or belongs to one";
    let places =
        ledgers.map(|name| (name, reason)).chain([("in", "is a directory"), ("no/o", "there is no folder no")]);
    let lock = fs::metadata(path.join(".used.lock")).unwrap();
    for (place, reason) in places {
        for (.., line) in OUTPUTS {
            let line = line.replace("FILE", place);
            let expected = format!("error: cannot write {place}: {reason}\n");
            assert_eq!(output(path, &line), (Some(1), String::new(), expected), "{line}");
        }
    }
    for (name, bytes) in &kinds {
        assert_eq!(&fs::read(path.join(name)).unwrap(), bytes, "{name}");
    }
    let lock_now = fs::metadata(path.join(".used.lock")).unwrap();
    assert_eq!(lock.modified().unwrap(), lock_now.modified().unwrap());
    let left = fs::read_dir(path)
        .unwrap()
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with(".tmp")));
    assert_eq!(left.count(), 0);
}

/// Other files are replaced, whole, by whatever name; their permissions stay.
#[test]
fn other_files_are_replaced() {
    let folder = folder();
    let path = folder.path();
    let old = "# queens ledger 4\n";
    symlink("old", path.join("link")).unwrap();
    for (line, expected) in written(path) {
        for place in ["old", "link"] {
            fs::write(path.join("old"), old).unwrap();
            fs::set_permissions(path.join("old"), fs::Permissions::from_mode(0o666)).unwrap();
            let (code, _, err) = output(path, &line.replace("FILE", place));
            assert_eq!(code, Some(0), "{line}: {err}");
            assert_eq!(shape(&fs::read(path.join("old")).unwrap()), expected, "{line}");
            assert_eq!(fs::metadata(path.join("old")).unwrap().permissions().mode() & 0o777, 0o666, "{line}");
            assert!(path.join("link").is_symlink());
        }
    }
}

/// A descriptor is written to where it stands, and a pipe or a device as it is; none of them is read or waited for.
#[test]
fn what_is_no_file_is_written_to_as_it_is() {
    let folder = folder();
    let path = folder.path();
    assert!(Command::new("mkfifo").arg(path.join("pipe")).status().unwrap().success());
    symlink("/proc/self/fd/3", path.join("three")).unwrap();
    symlink("/proc/thread-self/fd", path.join("descriptors")).unwrap();
    for (line, expected) in written(path) {
        let run = |place: &str, script: &str| {
            let line = format!("QUEENS {}", line.replace("FILE", place));
            let (code, out, err) = texts(&end(shell(path, &script.replace("RUN", &line)).spawn().unwrap()));
            assert_eq!(code, Some(0), "{line}: {err}");
            out
        };
        let between = |text: &str, place: &str| {
            let text = text.strip_prefix("a\n").and_then(|text| text.strip_suffix("b\n"));
            assert_eq!(text.map(|text| shape(text.as_bytes())), Some(expected.clone()), "{line} with {place}");
        };
        // The same open file before and after, and so a position that all share.
        for place in ["/dev/fd/3", "/proc/self/fd/3", "three", "descriptors/3"] {
            run(place, "{ echo a >&3; RUN >stdout 2>stderr; echo b >&3; } 3>o");
            between(&fs::read_to_string(path.join("o")).unwrap(), place);
        }
        for place in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            run(place, "{ echo a; RUN 2>stderr; echo b; } >o");
            between(&fs::read_to_string(path.join("o")).unwrap(), place);
        }
        // Beside what else is said there.
        run("/dev/stderr", "echo a >log; RUN >stdout 2>>log");
        let log = fs::read_to_string(path.join("log")).unwrap();
        assert!(log.starts_with("a\n") && log.contains(&expected.0) && log.lines().count() > expected.1, "{log}");
        let piped =
            [run("/dev/fd/3", "RUN 3>&1 >stdout 2>stderr | cat"), run("pipe", "cat pipe & RUN >stdout 2>stderr; wait")];
        for text in piped {
            assert_eq!(shape(text.as_bytes()), expected, "{line}");
        }
        run("/dev/null", "RUN >stdout");
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let closed = ["/dev/fd/7", "/dev/fd/-1"].map(|place| (place, "Bad file descriptor"));
        for (place, reason) in closed.into_iter().chain([("/dev/fd/0", "it is open for reading only")]) {
            let expected = format!("error: cannot write {place}: {reason}\n");
            assert_eq!(output(path, &line.replace("FILE", place)), (Some(1), String::new(), expected), "{line}");
        }
    }
    // What another process has open is not replaced either.
    let log = File::options().append(true).create(true).open(path.join("log")).unwrap();
    let name = format!("/proc/{}/fd/{}", std::process::id(), log.as_raw_fd());
    fs::write(path.join("log"), "a\n").unwrap();
    assert_eq!(output(path, &format!("solutions 4 -o {name}")).0, Some(0));
    assert_eq!(fs::read_to_string(path.join("log")).unwrap(), "a\n2413\n3142\n");
}

/// A file that the command reads or saves, by its nature: by other spellings, links and descriptors too.
#[test]
fn no_result_takes_the_place_of_what_its_command_reads() {
    let folder = folder();
    let path = folder.path();
    let name = path.file_name().unwrap().to_str().unwrap();
    symlink("there", path.join("link")).unwrap();
    symlink("none", path.join("to-none")).unwrap();
    fs::write(path.join("there"), "8 92\n").unwrap();
    let shown = |line: &str| texts(&end(shell(path, &format!("QUEENS {line}")).spawn().unwrap()));
    let is_unchanged = || {
        let is_there = fs::read_to_string(path.join("there")).unwrap() == "8 92\n";
        is_there && !path.join("none").exists() && !path.join(".none.lock").exists()
    };
    let refused = |line: &str, place: &str, reason: &str| {
        let expected = format!("error: cannot write {place}: {reason}\n");
        assert_eq!(shown(line), (Some(2), String::new(), expected), "{line}");
        assert!(is_unchanged(), "{line}");
    };
    let there = ["there", "./there", "link", "/dev/fd/3", &format!("../{name}/there")].map(str::to_owned);
    let none = ["none", "./none", "to-none", &format!("../{name}/none")].map(str::to_owned);
    let reason = "the same command reads or saves this file";
    for (.., line) in KEPT {
        for (first, places) in [("there", &there[..]), ("none", &none)] {
            for place in places {
                let line = line.replacen("FILE", first, 1).replacen("FILE", place, 1);
                refused(&format!("{line} 3>>there"), place, reason);
            }
        }
    }
    // Another result of the same command, of which one would be lost; stdout and stderr are results too.
    let reason = "another result goes to the same file";
    for (first, places) in [("there", &there[..]), ("none", &none)] {
        for place in places {
            let line = format!("show 158 --json={first} -o {place}");
            let (code, out, err) = shown(&format!("{line} 3>>there"));
            assert_eq!((code, out.as_str()), (Some(2), ""), "{line}: {err}");
            assert!(err.starts_with("error: cannot write ") && err.ends_with(&format!(": {reason}\n")), "{err}");
            assert!(is_unchanged(), "{line}");
        }
    }
    refused("show 158 -o there >>there", "there", reason);
    assert_eq!(shown("show 158 -o there 2>>there").0, Some(2));
    let twice = "error: only one result goes to stdout; give the others a file\n";
    let run = output(path, "show 158 --json=- -o /dev/fd/1");
    assert_eq!(run, (Some(2), String::new(), twice.to_owned()));
    // Streams do each other no harm.
    assert_eq!(output(path, "show 158 --json=/dev/null -o /dev/null").0, Some(0));
    assert_eq!(shown("show 158 --json=/dev/fd/3 -o /dev/fd/3 >stdout 3>o").0, Some(0));
    let both = fs::read_to_string(path.join("o")).unwrap();
    assert!(both.contains("\"placement\"") && both.contains("1  2  3  4"), "{both}");
}

/// What the shard of another count left is not written over because it is damaged.
#[test]
fn a_damaged_ledger_is_written_anew_by_its_own_command_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    output(path, "count 20 --engine naive --checkpoint big --max-time 1ms");
    output(path, "count 12 --engine naive --shard 2/2 --out other -q");
    output(path, "count 12 --shard 1/2 --out engine -q");
    fs::write(path.join(".lost.lock"), "").unwrap();
    for name in ["big", "other", "engine"] {
        let text = fs::read_to_string(path.join(name)).unwrap();
        for (damaged, reason) in [
            (text.replace("\nhost ", "\nHost "), "damaged: the checksum does not match the contents"),
            (text.replace("units", "Units"), "damaged: the checksum does not match the contents"),
            (text[..text.len() - 1].to_owned(), "cut short: its last line is not a checksum"),
        ] {
            fs::write(path.join(name), &damaged).unwrap();
            let told = format!("error: {name}: {reason}; put a copy in its place, or begin anew under another name\n");
            let expected = (Some(1), String::new(), told);
            assert_eq!(output(path, &format!("count 12 --engine naive --shard 1/2 --out {name}")), expected);
            let checkpoint = format!("count 12 --engine naive --shard 1/2 --out o --checkpoint {name}");
            assert_eq!(output(path, &checkpoint), expected);
            assert_eq!(fs::read_to_string(path.join(name)).unwrap(), damaged);
        }
    }
    for line in ["count 12 --shard 1/2 --out .lost.lock", "count 12 --checkpoint .lost.lock --resume"] {
        let (code, _, err) = output(path, line);
        assert!(code == Some(1) && err.contains("reserved for the lock or the next save of another ledger"), "{err}");
    }
    assert_eq!(fs::read(path.join(".lost.lock")).unwrap(), b"");
    // One file by two names.
    for checkpoint in ["./o", "o"] {
        let (code, _, err) = output(path, &format!("count 12 --shard 1/2 --out o --checkpoint {checkpoint}"));
        assert!(code == Some(2) && err.contains("--checkpoint and --out must be different files"), "{err}");
    }
}

/// Every line of the table, and those that save a ledger.
fn lines() -> impl Iterator<Item = String> {
    let saves = ["count 9 --checkpoint FILE -q", "count 9 --shard 1/2 --out FILE -q"];
    OUTPUTS.iter().map(|(.., line)| *line).chain(saves).map(|line| line.replace("FILE", "o"))
}

/// The names are those that the user gave: the system is asked for no folder above the one that the run works in.
#[test]
fn folders_above_may_be_closed_or_deep() {
    let folder = folder();
    let path = folder.path();
    let program = path.join("in/queens");
    fs::create_dir(path.join("in")).unwrap();
    for name in ["s1", "s2", "b"] {
        fs::copy(path.join(name), path.join("in").join(name)).unwrap();
    }
    // By a process of its own: what other tests start meanwhile would hold the file open, and it could not be run.
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_queens")).arg(&program).status().unwrap().success());
    let set = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set(&path.join("in"), 0o777);
    // Nothing is closed to root.
    let (user, closed) = if rustix::process::geteuid().is_root() {
        ("setpriv --reuid 65534 --regid 65534 --clear-groups", 0o700)
    } else {
        ("", 0o000)
    };
    for line in lines() {
        let script = format!("cd in && chmod {closed:o} .. && {user} ./queens {line}");
        let run = texts(&end(shell(path, &script).spawn().unwrap()));
        set(path, 0o755);
        assert_eq!(run.0, Some(0), "{line}: {}", run.2);
        fs::remove_file(path.join("in/o")).unwrap();
    }
    // A file that cannot be read may be a ledger.
    fs::write(path.join("in/secret"), "").unwrap();
    set(&path.join("in/secret"), 0o222);
    for (.., line) in OUTPUTS {
        let line = line.replace("FILE", "secret");
        let (code, out, err) = texts(&end(shell(path, &format!("cd in && {user} ./queens {line}")).spawn().unwrap()));
        let reason = "error: cannot write secret: it may be a checkpoint, which cannot be told: Permission denied\n";
        assert_eq!((code, out.as_str(), err.as_str()), (Some(1), "", reason), "{line}");
    }
    // Deeper than any name may be long.
    let mut deep: OwnedFd = File::open(path).unwrap().into();
    let name = "n".repeat(200);
    for _ in 0..25 {
        rustix::fs::mkdirat(&deep, &name, Mode::RWXU).unwrap();
        deep = rustix::fs::openat(&deep, &name, OFlags::DIRECTORY | OFlags::RDONLY, Mode::empty()).unwrap();
    }
    let below = PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), deep.as_raw_fd()));
    for name in ["s1", "s2", "b"] {
        fs::copy(path.join(name), below.join(name)).unwrap();
    }
    for line in lines() {
        let (code, _, err) = texts(&end(queens(&below, &line).spawn().unwrap()));
        assert_eq!(code, Some(0), "{line}: {err}");
        fs::remove_file(below.join("o")).unwrap();
    }
}

/// What is missing is told in the same words by every command.
#[test]
fn a_missing_file_is_told_in_one_way() {
    let folder = folder();
    for line in ["merge none", "audit none", "status none", "verify --bfile none"] {
        assert_eq!(
            output(folder.path(), line),
            (Some(1), String::new(), "error: none: there is no such file\n".into())
        );
    }
    for line in ["bench --from none", "bench --from b --compare none"] {
        let (code, out, err) = output(folder.path(), line);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{line}");
        assert!(err.starts_with("error: none: there is no such file, and no machine of this name"), "{err}");
    }
}
