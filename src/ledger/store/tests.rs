//! Files that are saved, damaged, locked, linked and taken away.

use super::*;
use crate::ledger::{Fingerprint, Shard};
use crate::{EngineKind, Placement, Size};

fn ledger(units: usize) -> Ledger {
    let prefix = Placement::empty(Size::new(8).unwrap());
    let fingerprint = Fingerprint { prefix, engine: EngineKind::Naive, plan: "a plan".into(), units: 9 };
    let mut ledger = Ledger::new(fingerprint, Shard::WHOLE);
    for unit in 0..units {
        ledger.record(unit, 4).unwrap();
    }
    ledger
}

/// A folder, and in it `c` with two units.
fn saved() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    let mut store = Store::open(&path).unwrap();
    assert!(store.ledger().is_none() && store.is_locked());
    store.save(&ledger(1)).unwrap();
    store.save(&ledger(2)).unwrap();
    (folder, path)
}

/// The names in a folder, but for locks.
fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| !name.contains(".lock")).collect();
    names.sort();
    names
}

#[test]
fn what_is_saved_is_found() {
    let (folder, path) = saved();
    assert_eq!(names(folder.path()), ["c"]);
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.ledger(), Some(&ledger(2)));
    fs::remove_file(&path).unwrap();
    store.save(&ledger(3)).unwrap();
    assert_eq!(read(&path).unwrap(), ledger(3));
}

#[test]
fn two_runs_cannot_share_a_file() {
    let (folder, path) = saved();
    let first = Store::open(&path).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::Busy(_)));
    assert!(error.to_string().ends_with("c: in use by another run; wait for its end or choose another file"));
    assert!(Store::open(folder.path().join("d")).is_ok());
    #[cfg(unix)]
    {
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("c", &link).unwrap();
        assert!(matches!(Store::open(link), Err(StoreError::Busy(_))), "by another name");
    }
    drop(first);
    Store::open(&path).unwrap();
}

#[test]
fn a_damaged_file_is_refused_and_left() {
    let (folder, path) = saved();
    let text = fs::read_to_string(&path).unwrap();
    for (damaged, is_damage) in [
        (&text[..text.len() - 1], true),
        (&*text.replace("unit 1 4", "unit 1 5"), true),
        (&*text.replace("ledger 2", "ledger 1"), false),
        ("92\n", false),
    ] {
        fs::write(&path, damaged).unwrap();
        let error = Store::open(&path).unwrap_err();
        assert!(matches!(error, StoreError::Format(..)) && error.is_damage() == is_damage, "{error}");
        assert_eq!((fs::read_to_string(&path).unwrap(), names(folder.path())), (damaged.to_owned(), vec!["c".into()]));
    }
}

#[test]
fn ledgers_are_known_by_their_first_bytes() {
    let (folder, path) = saved();
    let with = |text: &str| {
        fs::write(&path, text).unwrap();
        is_ledger(&path)
    };
    assert!(is_ledger(&path) && with("queens ledger 1\nn 8\n") && with("queens ledger "));
    assert!(!with("queens ledger") && !with("") && !with("a queens ledger 2\n"));
    assert!(!is_ledger(folder.path()) && !is_ledger(&folder.path().join("none")));
}

/// The message has the name that was given, not those of the files beside it.
#[test]
fn what_cannot_be_saved_is_said_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no/c");
    let error = Store::open(&path).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}: cannot be saved: ", path.display())), "{error}");
    for no_file in [folder.path().to_owned(), folder.path().join("no/.."), PathBuf::new()] {
        assert!(matches!(Store::open(&no_file), Err(StoreError::Read(..))), "{}", no_file.display());
        assert!(Draft::new(&no_file).is_err());
    }
    assert!(matches!(read(&path), Err(StoreError::Read(..))));
}

/// A pipe would block whoever opens it, a device has no end, and neither may be replaced.
#[test]
#[cfg(target_os = "linux")]
fn only_files_are_opened() {
    let (folder, path) = saved();
    let make_pipe = |path: &Path| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    let pipe = folder.path().join("pipe");
    make_pipe(&pipe);
    for place in [&*pipe, Path::new("/dev/null")] {
        assert!(matches!(Store::open(place), Err(StoreError::Read(..))));
        assert!(Draft::new(place).is_err() && !is_ledger(place));
    }
    assert!(matches!(read(Path::new("/dev/zero")), Err(StoreError::Format(_, FormatError::NotALedger))));
    make_pipe(&folder.path().join(".c.lock"));
    Store::open(&path).unwrap();
}

#[test]
#[cfg(unix)]
fn a_link_stays_a_link() {
    use std::os::unix::fs::symlink;
    let (folder, path) = saved();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("sub")).unwrap();
    symlink("../c", at("sub/there")).unwrap();
    symlink("there", at("sub/chain")).unwrap();
    let mut store = Store::open(at("sub/chain")).unwrap();
    store.save(&ledger(3)).unwrap();
    assert!(at("sub/chain").is_symlink() && at("sub/there").is_symlink() && !path.is_symlink());
    assert_eq!(read(&path).unwrap(), ledger(3));
    assert_eq!((names(folder.path()).join(" "), names(&at("sub")).join(" ")), ("c sub".into(), "chain there".into()));
    symlink("none", at("dangling")).unwrap();
    assert!(matches!(Store::open(at("dangling")), Err(StoreError::Read(..))));
    symlink("circle", at("circle")).unwrap();
    assert!(matches!(Store::open(at("circle")), Err(StoreError::Read(..))));
}

/// Also what the umask takes from new files.
#[test]
#[cfg(unix)]
fn a_save_keeps_the_mode() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path) = saved();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    fs::write(folder.path().join("new"), "").unwrap();
    assert_eq!(mode(&path), mode(&folder.path().join("new")));
    for wanted in [0o600, 0o666, 0o440] {
        fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
        Store::open(&path).unwrap().save(&ledger(3)).unwrap();
        assert_eq!(mode(&path), wanted);
    }
}

/// Killed runs leave drafts. Those of other files may be in use.
#[test]
fn leftovers_are_removed_by_the_holder_of_the_lock() {
    let (folder, path) = saved();
    let others = [".c.2.aB3dE6gH.new", ".c.aB3dE6g.new", ".c.aB3dE6gH", ".c.aB3d-6gH.new", ".d.aB3dE6gH.new", "c"];
    let first = Store::open(&path).unwrap();
    for name in [".c.aB3dE6gH.new", ".c.00000000.new"].iter().chain(&others[..5]) {
        fs::write(folder.path().join(name), "queens").unwrap();
    }
    let before = names(folder.path());
    assert!(Store::open(&path).is_err());
    assert_eq!(names(folder.path()), before);
    drop(first);
    drop(Store::open(&path).unwrap());
    let mut left = others.to_vec();
    left.sort_unstable();
    assert_eq!(names(folder.path()), left);
}

#[test]
fn a_draft_takes_the_place_or_leaves_no_trace() {
    let (folder, _) = saved();
    let place = folder.path().join("b");
    fs::write(&place, "old").unwrap();
    let mut draft = Draft::new(&place).unwrap();
    draft.write_all(b"new").unwrap();
    assert_eq!((names(folder.path()).len(), fs::read(&place).unwrap()), (3, b"old".to_vec()));
    drop(draft);
    assert_eq!((names(folder.path()).len(), fs::read(&place).unwrap()), (2, b"old".to_vec()));
    let mut draft = Draft::new(&place).unwrap();
    draft.write_all(b"new").unwrap();
    draft.commit().unwrap();
    assert_eq!((names(folder.path()).len(), fs::read(&place).unwrap()), (2, b"new".to_vec()));
}

/// What a file system cannot do is no error; that a disk fails is one.
#[test]
#[cfg(unix)]
fn what_a_file_system_lacks_is_told_from_what_fails() {
    use crate::ledger::draft::lacks;
    use rustix::io::Errno;
    let is_lack = |errno: Errno, number| lacks(&errno.into(), number);
    for errno in [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP] {
        assert!(is_lack(errno, Errno::INVAL), "{errno}");
    }
    assert!(is_lack(Errno::NOLCK, Errno::NOLCK) && !is_lack(Errno::NOLCK, Errno::INVAL));
    assert!(!is_lack(Errno::IO, Errno::INVAL) && !is_lack(Errno::NOSPC, Errno::INVAL));
}
