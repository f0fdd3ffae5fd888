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

fn load(path: &Path) -> Result<Option<Ledger>, StoreError> {
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
    assert_eq!(load(&path).unwrap(), Some(ledger(2)));
    let entries = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    // On Windows an unlocked file stays.
    let names: Vec<_> = entries.filter(|name| cfg!(unix) || name != ".c.lock").collect();
    assert_eq!(names, ["c"], "the lock goes with the store");
}

/// The run that saves is recorded with the time of its last save, beside the runs before it.
#[test]
fn a_save_has_its_time() {
    let (_folder, path) = saved_twice();
    let mut first = ledger(2);
    first.begin_run(Some("a processor".to_owned()));
    Store::open(&path).unwrap().save(&first).unwrap();
    let mut second = load(&path).unwrap().unwrap();
    assert!(second.current_run().is_none(), "a run that was read is over");
    second.begin_run(None);
    Store::open(&path).unwrap().save(&second).unwrap();
    let runs = read(&path).unwrap().runs().to_vec();
    let names: Vec<_> = runs.iter().map(|run| run.processor.as_deref()).collect();
    assert_eq!((names, &runs[0]), (vec![Some("a processor"), None], &second.runs()[0]));
    let saved = runs[1].saved.unwrap();
    assert!(UNIX_EPOCH.elapsed().unwrap().as_secs().abs_diff(saved) < 1000, "{saved}");
    let program = concat!("queens ", env!("CARGO_PKG_VERSION"));
    assert_eq!((runs[1].program.as_deref(), runs[1].host.is_some()), (Some(program), true));
}

/// N = 28 has a hundred thousand units or so.
#[test]
fn a_file_of_megabytes_is_found_whole() {
    const UNITS: usize = 100_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    let mut large = Ledger::new(Fingerprint { units: UNITS, ..ledger(0).fingerprint().clone() }, Shard::WHOLE);
    for unit in 0..UNITS {
        large.record(unit, (u128::from(u64::MAX) + unit as u128).into()).unwrap();
    }
    Store::open(&path).unwrap().save(&large).unwrap();
    assert!(fs::metadata(&path).unwrap().len() > 3 << 20);
    assert_eq!(read(&path).unwrap(), large);
}

/// A file that is new replaces none, even one that appears while it is written.
#[test]
fn what_is_created_replaces_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    let mut store = Store::open(&path).unwrap();
    store.create(&ledger(1)).unwrap();
    assert!(matches!(store.create(&ledger(2)), Err(StoreError::Exists(_))));
    store.save(&ledger(3)).unwrap();
    assert_eq!(read(&path).unwrap(), ledger(3));
    // As the first test of `create` finds none.
    let draft = store.draft(&ledger(4)).unwrap();
    let late = store.take_place(draft, true);
    assert!(matches!(late, Err(StoreError::Exists(_))), "{late:?}");
    assert_eq!((read(&path).unwrap(), fs::read_dir(folder.path()).unwrap().count()), (ledger(3), 2));
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
    assert_eq!(load(&path).unwrap(), Some(ledger(6)));
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
    let (folder, path) = saved_twice();
    let place = folder.path().join(".c.lock");
    let pipe = |place: &Path| assert!(std::process::Command::new("mkfifo").arg(place).status().unwrap().success());
    pipe(&place);
    let error = Store::open(&path).unwrap_err().to_string();
    let name = place.display();
    assert_eq!(error, format!("{name}: the lock of a ledger must be a regular file; remove this one"));
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::NotALock(..))));
    fs::remove_dir(&place).unwrap();
    // A pipe that appears while the file is in use.
    let mut store = Store::open(&path).unwrap();
    fs::remove_file(&path).unwrap();
    pipe(&path);
    let found = store.load(ledger(0).fingerprint(), Shard::WHOLE);
    assert!(matches!(found, Err(StoreError::NotAFile(_))), "{found:?}");
}

#[test]
fn a_damaged_save_is_refused() {
    let (folder, path) = saved_twice();
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
}

/// Another run may start before a save, or while it is written: its draft and its save are left alone.
#[test]
#[cfg(unix)]
fn the_lock_is_looked_for_before_and_after_writing() {
    let (folder, path) = saved_twice();
    let mut first = Store::open(&path).unwrap();
    first.load(ledger(0).fingerprint(), Shard::WHOLE).unwrap();
    let written = first.draft(&ledger(3)).unwrap();
    fs::remove_file(folder.path().join(".c.lock")).unwrap();
    let second = Store::open(&path).unwrap();
    assert!(matches!(first.take_place(written, false), Err(StoreError::Busy(_))));
    let draft = second.write(&encode(&ledger(4))).unwrap();
    assert!(matches!(first.save(&ledger(3)), Err(StoreError::Busy(_))));
    assert!(draft.path().exists());
    assert_eq!(read(&path).unwrap(), ledger(2));
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
    full.begin_run(Some("AMD EPYC 9B14 96-Core Processor".to_owned()));
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
