//! Files that are saved, damaged, locked and taken away.

use super::*;
use crate::{Placement, Size};
#[cfg(unix)]
use std::time::{Duration, Instant};

fn ledger(units: usize) -> Ledger {
    let prefix = Placement::empty(Size::new(8).unwrap());
    let fingerprint = Fingerprint { subject: prefix.into(), engine: "naive".into(), plan: "a plan".into(), units: 9 };
    let mut ledger = Ledger::new(fingerprint, Shard::WHOLE);
    for unit in 0..units {
        ledger.record(unit, 4.into()).unwrap();
    }
    ledger
}

fn load(path: &Path) -> Result<Option<(Ledger, Option<StoreError>)>, StoreError> {
    Store::open(path)?.load(ledger(0).fingerprint(), Shard::WHOLE)
}

/// A store with two saves, one of one unit and one of two.
fn saved_twice() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    let mut store = Store::open(&path).unwrap();
    assert!(store.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap().is_none());
    store.save(&ledger(1)).unwrap();
    store.save(&ledger(2)).unwrap();
    (folder, path)
}

#[test]
fn what_is_saved_is_found() {
    let (folder, path) = saved_twice();
    let (found, fallback) = load(&path).unwrap().unwrap();
    assert!(fallback.is_none());
    assert_eq!(found, ledger(2));
    assert_eq!(read(&folder.path().join(".c.previous")).unwrap(), ledger(1));
    let names = || {
        let entries = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        // On Windows an unlocked file stays.
        names.retain(|name| cfg!(unix) || name != ".c.lock");
        names
    };
    assert_eq!(names(), [".c.previous", "c"], "the lock goes with the store");
    Store::open(&path).unwrap().tidy().unwrap();
    assert_eq!(names(), ["c"]);
}

#[test]
fn two_runs_cannot_share_a_file() {
    let (_folder, path) = saved_twice();
    let first = Store::open(&path).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Busy(_))));
    drop(first);
    Store::open(&path).unwrap();
}

/// If somebody removes the lock file, another run can start; still only one of the two saves.
#[test]
#[cfg(unix)]
fn a_lost_lock_is_taken_anew_or_ends_the_saving() {
    let (folder, path) = saved_twice();
    let lock = folder.path().join(".c.lock");
    let mut first = Store::open(&path).unwrap();
    first.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap();
    // No other run came: this one goes on, whether or not the ledger's file was removed as well.
    fs::remove_file(&lock).unwrap();
    first.save(&ledger(3)).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Busy(_))));
    fs::remove_file(&lock).unwrap();
    fs::remove_file(&path).unwrap();
    first.save(&ledger(4)).unwrap();
    fs::remove_file(&lock).unwrap();
    let mut second = Store::open(&path).unwrap();
    second.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap();
    assert!(matches!(first.save(&ledger(5)), Err(StoreError::Busy(_))), "the other is there");
    second.save(&ledger(6)).unwrap();
    assert!(matches!(first.save(&ledger(7)), Err(StoreError::Busy(_))));
    // More saves than files exist: if the inode number of the first save were free, the system would use it again.
    for _ in 0..4 {
        second.save(&ledger(6)).unwrap();
    }
    drop(second);
    assert!(matches!(first.save(&ledger(7)), Err(StoreError::Overtaken(_))), "the other has been there");
    assert_eq!(read(&path).unwrap(), ledger(6));
    drop(first);
    assert_eq!(load(&path).unwrap().unwrap().0, ledger(6));
    assert!(!lock.exists());
}

/// Another run may have found no file and saved, before this run saved for the first time.
#[test]
#[cfg(unix)]
fn a_file_that_was_not_there_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    let mut first = Store::open(&path).unwrap();
    let lock = folder.path().join(".c.lock");
    fs::remove_file(&lock).unwrap();
    let mut second = Store::open(&path).unwrap();
    second.save(&ledger(2)).unwrap();
    fs::remove_file(&lock).unwrap();
    second.save(&ledger(3)).unwrap();
    drop(second);
    assert!(matches!(first.save(&ledger(1)), Err(StoreError::Overtaken(_))));
    assert_eq!(read(&path).unwrap(), ledger(3));
}

/// Another user of the folder can leave a pipe there, which would block the run that opens it.
#[test]
#[cfg(unix)]
fn only_regular_files_are_taken_for_its_own() {
    for (role, what) in [("lock", "lock"), ("previous", "previous save")] {
        let (folder, path) = saved_twice();
        let place = folder.path().join(format!(".c.{role}"));
        let _ = fs::remove_file(&place);
        assert!(std::process::Command::new("mkfifo").arg(&place).status().unwrap().success());
        let error = Store::open(&path).unwrap_err().to_string();
        let name = place.display();
        let expected = format!("{name}: not a regular file, which is what a ledger's {what} has to be; remove it");
        assert_eq!(error, expected);
        fs::remove_file(&place).unwrap();
        fs::create_dir(&place).unwrap();
        assert!(matches!(Store::open(&path), Err(StoreError::Misplaced(..))));
    }
    // A pipe that appears while the file is in use.
    let (folder, path) = saved_twice();
    let mut store = Store::open(&path).unwrap();
    for name in ["c", ".c.previous"] {
        fs::remove_file(folder.path().join(name)).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(folder.path().join(name)).status().unwrap().success());
    }
    let found = store.load(ledger(0).fingerprint(), Shard::WHOLE);
    assert!(matches!(found, Err(StoreError::NotAFile(_))), "{found:?}");
}

/// Whatever happens to the newest save, the previous one is used and the reason reported. A damaged save never
/// replaces a good one.
#[test]
fn a_damaged_newest_save_falls_back() {
    let (folder, path) = saved_twice();
    let good = fs::read(&path).unwrap();
    let cuts = (0..good.len()).map(|length| good[..length].to_vec());
    let flips = (0..good.len() * 8).map(|bit| {
        let mut flipped = good.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        flipped
    });
    for damaged in cuts.chain(flips) {
        fs::write(&path, &damaged).unwrap();
        let (found, fallback) = load(&path).unwrap().unwrap();
        assert!(matches!(fallback, Some(StoreError::Format(..))), "{fallback:?}");
        assert_eq!(found, ledger(1));
    }
    let mut store = Store::open(&path).unwrap();
    store.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap();
    store.save(&ledger(3)).unwrap();
    assert_eq!(read(&path).unwrap(), ledger(3));
    assert_eq!(read(&folder.path().join(".c.previous")).unwrap(), ledger(1));
    drop(store);
    // As if the run was killed between the two renames.
    fs::remove_file(&path).unwrap();
    assert!(matches!(Store::open(&path).unwrap().begin(), Err(StoreError::Earlier(..))));
    let (found, fallback) = load(&path).unwrap().unwrap();
    assert!(matches!(fallback, Some(StoreError::Missing(_))));
    assert_eq!(found, ledger(1));
}

#[test]
fn without_an_earlier_save_damage_is_refused() {
    let (folder, path) = saved_twice();
    Store::open(&path).unwrap().tidy().unwrap();
    fs::write(&path, "queens ledger 1\nn 8\n").unwrap();
    assert!(matches!(load(&path), Err(StoreError::Format(_, FormatError::Cut))));
    assert!(matches!(load(folder.path()), Err(StoreError::NotAFile(_))));
    assert!(load(&folder.path().join("none")).unwrap().is_none());
    assert!(matches!(load(&folder.path().join("no/folder")), Err(StoreError::Io { .. })));
}

#[test]
fn another_count_is_refused() {
    let (_folder, path) = saved_twice();
    let mut store = Store::open(&path).unwrap();
    let other = Fingerprint { plan: "b plan".into(), ..ledger(0).fingerprint().clone() };
    let error = store.load(&other, Shard::WHOLE).unwrap_err().to_string();
    assert!(error.ends_with("c: it is for the plan a plan, not b plan"), "{error}");
    let error = store.load(ledger(0).fingerprint(), Shard::new(1, 2).unwrap()).unwrap_err().to_string();
    assert!(error.ends_with("c: it is for shard 1/1, not 1/2"), "{error}");
    // The previous save does not help either.
    fs::write(&path, "damaged").unwrap();
    assert!(store.load(&other, Shard::WHOLE).is_err());
}

/// Another run may start before a save, or while it is written: its draft and its save are left alone.
#[test]
#[cfg(unix)]
fn the_lock_is_looked_for_before_and_after_writing() {
    let (folder, path) = saved_twice();
    let mut first = Store::open(&path).unwrap();
    first.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap();
    let written = first.write(&encode(&ledger(3))).unwrap();
    fs::remove_file(folder.path().join(".c.lock")).unwrap();
    let second = Store::open(&path).unwrap();
    assert!(matches!(first.take_place(written), Err(StoreError::Busy(_))));
    let draft = second.write(&encode(&ledger(4))).unwrap();
    assert!(matches!(first.save(&ledger(3)), Err(StoreError::Busy(_))));
    assert!(draft.path().exists());
    assert_eq!(read(&path).unwrap(), ledger(2));
}

/// The newest save gets its second name without losing its first.
#[test]
fn the_file_is_there_while_the_one_before_is_kept() {
    let (folder, path) = saved_twice();
    let mut store = Store::open(&path).unwrap();
    store.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap();
    store.keep_previous().unwrap();
    assert_eq!(read(&path).unwrap(), ledger(2));
    assert_eq!(read(&folder.path().join(".c.previous")).unwrap(), ledger(2));
}

/// A path without a file name, or one where no file can be created, is reported before anything is counted.
#[test]
fn what_cannot_be_saved_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Store::open(folder.path().join("no/..")), Err(StoreError::NotAFile(_))));
    let path = folder.path().join("c");
    let store = Store::open(&path).unwrap();
    store.rehearse(&ledger(0)).unwrap();
    fs::create_dir(folder.path().join(".c.new")).unwrap();
    assert!(matches!(store.rehearse(&ledger(0)), Err(StoreError::Io { doing: "removing", .. })));
    // The rehearsal writes as much as the longest possible save, and not much more.
    let (empty, mut full) = (ledger(0), ledger(0));
    (0..9).for_each(|unit| full.record(unit, u128::MAX.into()).unwrap());
    let (longest, full) = (Store::longest(&empty).len(), encode(&full).len());
    assert!((full..2 * full).contains(&longest), "{longest} for {full}");
}

/// A file left over from a run that was killed while saving does no harm.
#[test]
fn leftovers_are_replaced() {
    let (folder, path) = saved_twice();
    for role in ["new", "lock"] {
        fs::write(folder.path().join(format!(".c.{role}")), "leftover").unwrap();
    }
    let mut store = Store::open(&path).unwrap();
    store.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap();
    store.save(&ledger(4)).unwrap();
    assert_eq!(read(&path).unwrap(), ledger(4));
}

/// Between opening and locking the file, another run may end and a third may begin.
#[test]
#[cfg(unix)]
fn a_file_that_lost_its_name_is_no_lock() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, path) = (folder.path().join("c"), folder.path().join(".c.lock"));
    let open = || File::options().create(true).truncate(false).write(true).open(&path).unwrap();
    assert!(Lock::on(open(), &path, &ledger).unwrap().is_some());
    assert!(!path.exists(), "gone with the lock");
    let removed = open();
    fs::remove_file(&path).unwrap();
    assert!(Lock::on(removed, &path, &ledger).unwrap().is_none());
    let replaced = open();
    fs::remove_file(&path).unwrap();
    let other = Lock::take(&ledger).unwrap();
    assert!(Lock::on(replaced, &path, &ledger).unwrap().is_none());
    assert!(other.holds().unwrap(), "what is no lock removes none");
    assert!(Lock::is_held(&ledger));
    let begun = Instant::now();
    assert!(matches!(Lock::take(&ledger), Err(StoreError::Busy(_))));
    assert!(begun.elapsed() >= Duration::from_millis(50), "it might be held by somebody who only asks");
    // If somebody removes the file of a lock, another run can lock it; the first lock then leaves the new file
    // alone.
    fs::remove_file(&path).unwrap();
    let third = Lock::take(&ledger).unwrap();
    assert!(!other.holds().unwrap());
    drop(other);
    assert!(third.holds().unwrap());
    drop(third);
    drop(open());
    assert!(!Lock::is_held(&ledger), "a file that nobody has locked is no lock");
}
