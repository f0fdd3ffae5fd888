//! Files that are saved, damaged, locked, linked and taken away.

use super::*;
use crate::ledger::{Fingerprint, Partial, Shard};
use crate::{EngineKind, Placement, Size};

fn ledger(units: usize) -> Ledger {
    let prefix = Placement::empty(Size::new(8).unwrap());
    let mut ledger = Ledger::new(Fingerprint { prefix, engine: EngineKind::Naive }, Shard::new(1, 3).unwrap());
    for unit in ledger.todo().into_iter().take(units) {
        ledger.set(unit, Partial { tasks: Partial::WHOLE, tally: 4 });
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

/// A pipe. A process that these tests start, such as `mkfifo`, holds their locks until it is another program.
#[cfg(target_os = "linux")]
fn make_pipe(path: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

/// The names in a folder, but for locks.
fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| !name.contains(".lock")).collect();
    names.sort();
    names
}

#[test]
fn two_runs_cannot_share_a_file() {
    let (folder, path) = saved();
    let first = Store::open(&path).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::Busy(_)));
    assert!(error.to_string().ends_with("c: in use by another run"));
    assert!(Store::open(folder.path().join("d")).is_ok());
    #[cfg(unix)]
    {
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("c", &link).unwrap();
        assert!(matches!(Store::open(link), Err(StoreError::Busy(_))), "by another name");
    }
    drop(first);
    let mut first = Store::open(&path).unwrap();
    // A complete one is only told.
    first.save(&ledger(9)).unwrap();
    let mut told = Store::open(&path).unwrap();
    assert!(!told.is_locked() && matches!(told.save(&ledger(9)), Err(StoreError::Busy(_))));
}

/// What a file has of one count or shard is not lost to another.
#[test]
fn a_store_saves_what_is_of_its_count() {
    let (_folder, path) = saved();
    let mut store = Store::open(&path).unwrap();
    let mut begun = Store::open(path.with_file_name("begun")).unwrap();
    begun.save(&ledger(1)).unwrap();
    let of_nine = Ledger::new(
        Fingerprint { prefix: Placement::empty(Size::new(9).unwrap()), ..ledger(0).fingerprint() },
        ledger(0).shard(),
    );
    for (other, is_shard) in [(of_nine, false), (ledger(0).emptied(), true)] {
        for store in [&mut store, &mut begun] {
            let Err(StoreError::Ledger(_, error)) = store.save(&other) else { panic!("it was saved") };
            assert_eq!(matches!(error, LedgerError::Shard { .. }), is_shard, "{error}");
        }
    }
    assert_eq!((read(&path).unwrap(), store.save(&ledger(3)).is_ok()), (ledger(2), true));
    // What it has saved itself may be taken out again, and nothing else.
    assert!(store.save(&ledger(2)).is_ok() && begun.save(&ledger(0)).is_ok());
    assert!(matches!(store.save(&ledger(1)), Err(StoreError::Lacking(_))));
}

/// A save replaces what was read or saved last, and nothing that was put there since.
#[test]
fn a_save_leaves_other_files_alone() {
    let (_folder, path) = saved();
    let mut store = Store::open(&path).unwrap();
    for other in [&*encode(&ledger(9)).unwrap(), "92\n", &encode(&ledger(2)).unwrap()[..80]] {
        fs::write(&path, other).unwrap();
        assert!(matches!(store.save(&ledger(3)), Err(StoreError::Moved(_))), "{other}");
        assert_eq!(fs::read_to_string(&path).unwrap(), other);
    }
    fs::write(&path, "").unwrap();
    assert!(store.save(&ledger(3)).is_ok() && store.save(&ledger(4)).is_ok());
}

/// The folder of a run is moved, and the same command begins anew: neither takes the other's file.
#[test]
#[cfg(unix)]
fn a_store_whose_folder_was_moved_saves_nothing() {
    let (folder, _) = saved();
    let (here, moved) = (folder.path().join("run"), folder.path().join("moved"));
    fs::create_dir(&here).unwrap();
    let mut first = Store::open(here.join("c")).unwrap();
    first.save(&ledger(1)).unwrap();
    fs::rename(&here, &moved).unwrap();
    assert!(matches!(first.save(&ledger(2)), Err(StoreError::Moved(_))));
    fs::create_dir(&here).unwrap();
    let mut second = Store::open(here.join("c")).unwrap();
    second.save(&ledger(4)).unwrap();
    assert!(matches!(first.save(&ledger(3)), Err(StoreError::Moved(_))));
    assert_eq!((read(&moved.join("c")).unwrap(), read(&here.join("c")).unwrap()), (ledger(1), ledger(4)));
    fs::remove_dir_all(&here).unwrap();
    fs::rename(&moved, &here).unwrap();
    first.save(&ledger(3)).unwrap();
}

/// Drives remove old files: each save makes the lock new.
#[test]
#[cfg(unix)]
fn a_lock_that_has_gone_is_made_again() {
    let (folder, path) = saved();
    let (lock, old) = (folder.path().join(".c.lock"), std::time::SystemTime::UNIX_EPOCH);
    let mut store = Store::open(&path).unwrap();
    fs::remove_file(&lock).unwrap();
    store.save(&ledger(3)).unwrap();
    File::open(&lock).unwrap().set_modified(old).unwrap();
    store.save(&ledger(4)).unwrap();
    assert!(fs::metadata(&lock).unwrap().modified().unwrap() > old);
    assert!(matches!(Store::open(&path), Err(StoreError::Busy(_))));
    fs::remove_file(&lock).unwrap();
    let mut other = Store::open(&path).unwrap();
    assert!(matches!(store.save(&ledger(5)), Err(StoreError::Busy(_))));
    other.save(&ledger(5)).unwrap();
    assert!(matches!(store.save(&ledger(6)), Err(StoreError::Moved(_))));
}

/// The lock of a complete ledger is not needed, and the error of any other names the lock.
#[test]
#[cfg(target_os = "linux")]
fn a_lock_that_is_no_file_is_left_alone() {
    let (folder, path) = saved();
    let (lock, victim) = (folder.path().join(".c.lock"), folder.path().join("victim"));
    fs::write(&victim, "precious").unwrap();
    let as_link = || std::os::unix::fs::symlink("victim", &lock).unwrap();
    let as_folder = || fs::create_dir(&lock).unwrap();
    let as_pipe = || make_pipe(&lock);
    for make in [&as_link as &dyn Fn(), &as_folder, &as_pipe] {
        fs::remove_file(&lock).or_else(|_| fs::remove_dir(&lock)).unwrap();
        make();
        let Err(StoreError::Save(_, error)) = Store::open(&path) else { panic!("it is not locked") };
        assert!(error.to_string().contains(".c.lock: a link, or not a file"), "{error}");
        fs::write(&path, encode(&ledger(9)).unwrap()).unwrap();
        let told = Store::open(&path).unwrap();
        assert!(told.ledger().unwrap().is_complete() && !told.is_locked());
        fs::write(&path, encode(&ledger(1)).unwrap()).unwrap();
    }
    assert_eq!(fs::read(victim).unwrap(), b"precious");
}

/// Whoever may use the folder may use a new lock, and one that is there is left as it is.
#[test]
#[cfg(unix)]
fn a_lock_is_for_all_who_use_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (path, lock) = (folder.path().join("c"), folder.path().join(".c.lock"));
    for (mode, expected) in [(0o700, 0o600), (0o2775, 0o664), (0o1777, 0o666)] {
        fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        assert!(Store::open(&path).unwrap().is_locked());
        assert_eq!(fs::metadata(&lock).unwrap().mode() & 0o777, expected);
        fs::write(&lock, "of another").unwrap();
        assert!(Store::open(&path).unwrap().is_locked());
        assert_eq!(fs::read(&lock).unwrap(), b"of another");
        fs::remove_file(&lock).unwrap();
    }
}

/// A pipe would block whoever opens it, a device has no end, and neither may be replaced.
#[test]
#[cfg(target_os = "linux")]
fn only_files_are_opened() {
    let (folder, _) = saved();
    let pipe = folder.path().join("pipe");
    make_pipe(&pipe);
    for place in [&*pipe, Path::new("/dev/null")] {
        assert!(matches!(Store::open(place), Err(StoreError::Read(..))));
        assert!(Draft::new(place).is_err() && !is_ledger(place).unwrap());
    }
    assert!(matches!(read(Path::new("/dev/zero")), Err(StoreError::Ledger(_, LedgerError::NotALedger))));
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
    fs::remove_file(&path).unwrap();
    drop(store);
    Store::open(at("sub/chain")).unwrap().save(&ledger(2)).unwrap();
    assert!(at("sub/chain").is_symlink() && at("sub/there").is_symlink(), "also where it leads to nothing");
    assert_eq!(read(&path).unwrap(), ledger(2));
    for nowhere in ["circle", "nosuch/..", "nosuch/", "nosuch/."] {
        symlink(nowhere, at("circle")).unwrap();
        assert!(matches!(Store::open(at("circle")), Err(StoreError::Read(..))) && Draft::new(&at("circle")).is_err());
        fs::remove_file(at("circle")).unwrap();
    }
}

/// Killed runs leave drafts. Those of other files may be in use.
#[test]
fn leftovers_are_removed_by_the_holder_of_the_lock() {
    let (folder, path) = saved();
    let others = [".c.2.aB3dE6gH.new", ".c.aB3dE6g.new", ".c.aB3dE6gH", ".d.aB3dE6gH.new", "c"];
    let first = Store::open(&path).unwrap();
    for name in [".c.aB3dE6gH.new", ".c.00000000.new"].iter().chain(&others[..4]) {
        fs::write(folder.path().join(name), "queens").unwrap();
    }
    let before = names(folder.path());
    assert!(Store::open(&path).is_err());
    assert_eq!(names(folder.path()), before);
    drop(first);
    let mut store = Store::open(&path).unwrap();
    let mut left = others.to_vec();
    left.sort_unstable();
    assert_eq!(names(folder.path()), left);
    // A save does not read the folder, which may have a hundred thousand files.
    fs::write(folder.path().join(".c.aB3dE6gH.new"), "queens").unwrap();
    store.save(&ledger(3)).unwrap();
    assert_eq!(names(folder.path()).len(), left.len() + 1);
}

/// Whoever writes the same file at the same time takes no draft for a leftover that is about to be locked.
#[test]
fn writers_keep_their_drafts() {
    let folder = tempfile::tempdir().unwrap();
    let write = || {
        for _ in 0..300 {
            let done = Draft::new(&folder.path().join("b")).unwrap().commit();
            // Windows may deny a place that another takes at the same moment.
            assert!(done.is_ok() || cfg!(windows), "{done:?}");
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(write))));
    assert_eq!(names(folder.path()), ["b"]);
}

/// Nor does what a kill has left of another.
#[test]
fn a_draft_takes_the_place_or_leaves_no_trace() {
    let (folder, _) = saved();
    let place = folder.path().join("b");
    fs::write(&place, "old").unwrap();
    fs::write(folder.path().join(".b.aB3dE6gH.new"), "left").unwrap();
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
