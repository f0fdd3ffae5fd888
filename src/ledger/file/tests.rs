//! Saved, locked, linked and replaced files, and temporary files.

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

/// A new folder with the file `c`, which has two units.
fn saved() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    let mut store = LedgerFile::open(&path).unwrap();
    assert!(store.ledger().is_none() && store.is_locked());
    store.save(&ledger(1)).unwrap();
    store.save(&ledger(2)).unwrap();
    (folder, path)
}

/// Makes a pipe without a process: `mkfifo` would inherit the locks of other tests until it calls `exec`.
#[cfg(target_os = "linux")]
fn make_pipe(path: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

/// The names in a folder, except locks.
fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| !name.contains(".lock")).collect();
    names.sort();
    names
}

#[test]
fn two_runs_cannot_share_a_file() {
    let (folder, path) = saved();
    let first = LedgerFile::open(&path).unwrap();
    let error = LedgerFile::open(&path).unwrap_err();
    assert!(matches!(error, LedgerFileError::Busy(_)) && error.to_string().ends_with("c: in use by another run"));
    assert!(LedgerFile::open(folder.path().join("d")).is_ok());
    #[cfg(unix)]
    {
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("c", &link).unwrap();
        assert!(matches!(LedgerFile::open(link), Err(LedgerFileError::Busy(_))), "by another name");
    }
    drop(first);
    let mut first = LedgerFile::open(&path).unwrap();
    // A complete file is only read.
    first.save(&ledger(9)).unwrap();
    let mut complete = LedgerFile::open(&path).unwrap();
    assert!(!complete.is_locked() && matches!(complete.save(&ledger(9)), Err(LedgerFileError::Busy(_))));
}

/// Another count or shard would overwrite the results.
#[test]
fn a_store_refuses_other_counts() {
    let (_folder, path) = saved();
    let mut store = LedgerFile::open(&path).unwrap();
    let mut begun = LedgerFile::open(path.with_file_name("begun")).unwrap();
    begun.save(&ledger(1)).unwrap();
    let nine = Placement::empty(Size::new(9).unwrap());
    let of_nine = Ledger::new(Fingerprint { prefix: nine, ..ledger(0).fingerprint() }, ledger(0).shard());
    for (other, is_shard) in [(of_nine, false), (ledger(0).emptied(), true)] {
        for store in [&mut store, &mut begun] {
            let Err(LedgerFileError::Ledger(_, error)) = store.save(&other) else { panic!("it was saved") };
            assert_eq!(matches!(error, LedgerError::Shard { .. }), is_shard, "{error}");
        }
    }
    assert_eq!((read(&path).unwrap(), store.save(&ledger(3)).is_ok()), (ledger(2), true));
    // A save may lack units that the same store saved, but no others.
    assert!(store.save(&ledger(2)).is_ok() && begun.save(&ledger(0)).is_ok());
    assert!(matches!(store.save(&ledger(1)), Err(LedgerFileError::Lacking(_))));
}

/// A save replaces only the file that was read or saved last.
#[test]
fn a_save_keeps_a_file_of_another_program() {
    let (_folder, path) = saved();
    let mut store = LedgerFile::open(&path).unwrap();
    for other in [&*encode(&ledger(9)).unwrap(), "92\n", &encode(&ledger(2)).unwrap()[..80]] {
        fs::write(&path, other).unwrap();
        assert!(matches!(store.save(&ledger(3)), Err(LedgerFileError::Moved(_))), "{other}");
        assert_eq!(fs::read_to_string(&path).unwrap(), other);
    }
    fs::write(&path, "").unwrap();
    assert!(store.save(&ledger(3)).is_ok() && store.save(&ledger(4)).is_ok());
}

/// A second run in a new folder of the same name keeps its own file.
#[test]
#[cfg(unix)]
fn a_store_whose_folder_was_moved_saves_nothing() {
    let (folder, _) = saved();
    let (here, moved) = (folder.path().join("run"), folder.path().join("moved"));
    fs::create_dir(&here).unwrap();
    let mut first = LedgerFile::open(here.join("c")).unwrap();
    first.save(&ledger(1)).unwrap();
    fs::rename(&here, &moved).unwrap();
    assert!(matches!(first.save(&ledger(2)), Err(LedgerFileError::Moved(_))));
    fs::create_dir(&here).unwrap();
    let mut second = LedgerFile::open(here.join("c")).unwrap();
    second.save(&ledger(4)).unwrap();
    assert!(matches!(first.save(&ledger(3)), Err(LedgerFileError::Moved(_))));
    assert_eq!((read(&moved.join("c")).unwrap(), read(&here.join("c")).unwrap()), (ledger(1), ledger(4)));
    fs::remove_dir_all(&here).unwrap();
    fs::rename(&moved, &here).unwrap();
    first.save(&ledger(3)).unwrap();
}

/// Each save also renews the time of the lock, because some cluster drives delete old files.
#[test]
#[cfg(unix)]
fn a_deleted_lock_is_created_again() {
    let (folder, path) = saved();
    let (lock, old) = (folder.path().join(".c.lock"), std::time::SystemTime::UNIX_EPOCH);
    let mut store = LedgerFile::open(&path).unwrap();
    fs::remove_file(&lock).unwrap();
    store.save(&ledger(3)).unwrap();
    File::open(&lock).unwrap().set_modified(old).unwrap();
    store.save(&ledger(4)).unwrap();
    assert!(fs::metadata(&lock).unwrap().modified().unwrap() > old);
    assert!(matches!(LedgerFile::open(&path), Err(LedgerFileError::Busy(_))));
    fs::remove_file(&lock).unwrap();
    let mut other = LedgerFile::open(&path).unwrap();
    assert!(matches!(store.save(&ledger(5)), Err(LedgerFileError::Busy(_))));
    other.save(&ledger(5)).unwrap();
    assert!(matches!(store.save(&ledger(6)), Err(LedgerFileError::Moved(_))));
}

/// A complete ledger needs no lock. For any other ledger, the error names the lock.
#[test]
#[cfg(target_os = "linux")]
fn a_lock_that_is_not_a_file_is_refused() {
    let (folder, path) = saved();
    let (lock, victim) = (folder.path().join(".c.lock"), folder.path().join("victim"));
    fs::write(&victim, "precious").unwrap();
    let as_link = || std::os::unix::fs::symlink("victim", &lock).unwrap();
    let as_folder = || fs::create_dir(&lock).unwrap();
    let as_pipe = || make_pipe(&lock);
    for make in [&as_link as &dyn Fn(), &as_folder, &as_pipe] {
        fs::remove_file(&lock).or_else(|_| fs::remove_dir(&lock)).unwrap();
        make();
        let Err(LedgerFileError::Save(_, error)) = LedgerFile::open(&path) else { panic!("the lock was used") };
        assert!(error.to_string().contains(".c.lock: a link, or not a file"), "{error}");
        fs::write(&path, encode(&ledger(9)).unwrap()).unwrap();
        let complete = LedgerFile::open(&path).unwrap();
        assert!(complete.ledger().unwrap().is_complete() && !complete.is_locked());
        fs::write(&path, encode(&ledger(1)).unwrap()).unwrap();
    }
    assert_eq!(fs::read(victim).unwrap(), b"precious");
}

/// All users of the folder can use a new lock. The contents of an existing lock are kept.
#[test]
#[cfg(unix)]
fn a_lock_has_the_permissions_of_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (path, lock) = (folder.path().join("c"), folder.path().join(".c.lock"));
    for (mode, expected) in [(0o700, 0o600), (0o2775, 0o664), (0o1777, 0o666)] {
        fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        assert!(LedgerFile::open(&path).unwrap().is_locked());
        assert_eq!(fs::metadata(&lock).unwrap().mode() & 0o777, expected);
        fs::write(&lock, "of another").unwrap();
        assert!(LedgerFile::open(&path).unwrap().is_locked());
        assert_eq!(fs::read(&lock).unwrap(), b"of another");
        fs::remove_file(&lock).unwrap();
    }
}

/// Opening a pipe would block, a device has no end, and neither may be replaced.
#[test]
#[cfg(target_os = "linux")]
fn only_regular_files_are_opened() {
    let (folder, _) = saved();
    let pipe = folder.path().join("pipe");
    make_pipe(&pipe);
    for place in [&*pipe, Path::new("/dev/null")] {
        assert!(matches!(LedgerFile::open(place), Err(LedgerFileError::Read(..))));
        assert!(AtomicFile::new(place).is_err() && !is_ledger(place).unwrap());
    }
    assert!(matches!(read(Path::new("/dev/zero")), Err(LedgerFileError::Ledger(_, LedgerError::NotALedger))));
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
    // The second time the links lead nowhere.
    for units in [3, 2] {
        LedgerFile::open(at("sub/chain")).unwrap().save(&ledger(units)).unwrap();
        assert!(at("sub/chain").is_symlink() && at("sub/there").is_symlink() && !path.is_symlink());
        assert_eq!(read(&path).unwrap(), ledger(units));
        assert_eq!((names(folder.path()).concat(), names(&at("sub")).concat()), ("csub".into(), "chainthere".into()));
        fs::remove_file(&path).unwrap();
    }
    for nowhere in ["circle", "nosuch/..", "nosuch/", "nosuch/."] {
        symlink(nowhere, at("circle")).unwrap();
        assert!(
            matches!(LedgerFile::open(at("circle")), Err(LedgerFileError::Read(..)))
                && AtomicFile::new(&at("circle")).is_err()
        );
        fs::remove_file(at("circle")).unwrap();
    }
}

/// Killed runs leave temporary files. Those of other checkpoints may be in use.
#[test]
fn leftovers_are_removed_by_the_holder_of_the_lock() {
    let (folder, path) = saved();
    let others = [".c.2.aB3dE6gH.new", ".c.aB3dE6g.new", ".c.aB3dE6gH", ".d.aB3dE6gH.new", "c"];
    let first = LedgerFile::open(&path).unwrap();
    for name in [".c.aB3dE6gH.new", ".c.00000000.new"].iter().chain(&others[..4]) {
        fs::write(folder.path().join(name), "queens").unwrap();
    }
    let before = names(folder.path());
    assert!(LedgerFile::open(&path).is_err());
    assert_eq!(names(folder.path()), before);
    drop(first);
    let mut store = LedgerFile::open(&path).unwrap();
    let mut left = others.to_vec();
    left.sort_unstable();
    assert_eq!(names(folder.path()), left);
    // A save does not read the folder, which may have a hundred thousand files.
    fs::write(folder.path().join(".c.aB3dE6gH.new"), "queens").unwrap();
    store.save(&ledger(3)).unwrap();
    assert_eq!(names(folder.path()).len(), left.len() + 1);
}

/// A new draft that is not yet locked is not removed as a leftover.
#[test]
fn simultaneous_writers_keep_their_drafts() {
    let folder = tempfile::tempdir().unwrap();
    let write = || {
        for _ in 0..300 {
            let done = AtomicFile::new(&folder.path().join("b")).unwrap().commit();
            // Windows may refuse to replace a file while another writer replaces it.
            assert!(done.is_ok() || cfg!(windows), "{done:?}");
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(write))));
    assert_eq!(names(folder.path()), ["b"]);
}

/// Leftovers of killed writers are removed too.
#[test]
fn a_draft_replaces_its_file_or_is_removed() {
    let (folder, _) = saved();
    let place = folder.path().join("b");
    fs::write(&place, "old").unwrap();
    fs::write(folder.path().join(".b.aB3dE6gH.new"), "left").unwrap();
    let mut draft = AtomicFile::new(&place).unwrap();
    draft.write_all(b"new").unwrap();
    assert_eq!((names(folder.path()).len(), fs::read(&place).unwrap()), (3, b"old".to_vec()));
    drop(draft);
    assert_eq!((names(folder.path()).len(), fs::read(&place).unwrap()), (2, b"old".to_vec()));
    let mut draft = AtomicFile::new(&place).unwrap();
    draft.write_all(b"new").unwrap();
    draft.commit().unwrap();
    assert_eq!((names(folder.path()).len(), fs::read(&place).unwrap()), (2, b"new".to_vec()));
}
