//! What becomes of files beside a run: deleted, read, linked and private ones, and those without an end.

#![cfg(all(unix, feature = "cli"))]

mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use common::runs::{LINE, end, total, units, until};
use common::{output, queens, tallies, texts};

#[test]
fn a_checkpoint_deleted_in_mid_run_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let child = queens(path, &format!("{LINE} -q")).spawn().unwrap();
    for _ in 0..3 {
        until("a save", || path.join("c").exists() && path.join(".c.previous").exists());
        fs::remove_file(path.join("c")).unwrap();
        let _ = fs::remove_file(path.join(".c.previous"));
    }
    until("another save", || path.join("c").exists());
    let (code, out, err) = texts(&end(child));
    assert_eq!((code, out, err.as_str()), (Some(0), total(14), ""));
    assert_eq!(output(path, &format!("{LINE} --resume")).1, total(14));
}

#[test]
fn a_live_checkpoint_is_whole_at_every_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // Many times as long as what is looked at.
    let mut child = queens(path, &LINE.replace("14", "15")).spawn().unwrap();
    until("the first save", || path.join("c").exists());
    let (mut before, mut growths) = (0, 0);
    until("saves with more units than before", || {
        assert!(child.try_wait().unwrap().is_none(), "it was over before it was read");
        // Many times a look, to meet every moment of a save.
        for _ in 0..20 {
            // Fails where the file is not there or not whole.
            let found = tallies(&path.join("c")).len();
            assert!(found >= before);
            growths += usize::from(found > before);
            before = found;
        }
        growths >= 10
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(tallies(&path.join("c")).len() >= before);
}

#[test]
fn a_live_checkpoint_can_be_merged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let child = queens(path, LINE).spawn().unwrap();
    until("a first unit", || units(path) > 0);
    let (code, out, err) = output(path, "merge c");
    assert_eq!((code, out.as_str()), (Some(4), "1\n"), "{err}");
    end(child);
}

#[test]
fn an_earlier_save_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (code, _, err) = output(path, &format!("{} --max-time 200ms", LINE.replace("14", "20")));
    assert_eq!(code, Some(75), "{err}");
    fs::remove_file(path.join("c")).unwrap();
    let previous = fs::read(path.join(".c.previous")).unwrap();
    let (code, out, err) = output(path, "count 9 --checkpoint c");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert_eq!(
        err,
        "error: c: it is gone, but the save before it is here, .c.previous; go on from that with --resume or remove it\n"
    );
    // Asked to go on, it does not begin from nothing either.
    let (code, _, err) = output(path, "count 9 --engine naive --checkpoint c --resume");
    assert_eq!((code, err.as_str()), (Some(1), "error: .c.previous: it is for N = 20, not 9\n"));
    assert_eq!(fs::read(path.join(".c.previous")).unwrap(), previous);
    assert!(!path.join("c").exists());
}

#[test]
fn two_names_of_one_file_are_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("far")).unwrap();
    symlink("far/c", path.join("c")).unwrap();
    let child = queens(path, LINE).spawn().unwrap();
    until("the first save", || path.join("far/c").exists());
    for name in ["far/c", "c"] {
        let (code, _, err) =
            output(path, &format!("{} --resume", LINE.replace("--checkpoint c", &format!("--checkpoint {name}"))));
        assert_eq!((code, err.contains("in use by another run")), (Some(1), true), "{err}");
    }
    assert_eq!(texts(&end(child)).1, total(14));
    assert!(path.join("c").is_symlink());
    assert_eq!(output(path, "merge far/c").1, total(14));
    // A lock is no link to somewhere else.
    symlink("elsewhere", path.join(".d.lock")).unwrap();
    let (code, _, err) = output(path, "count 9 --checkpoint d");
    assert_eq!((code, err.starts_with("error: .d.lock: ")), (Some(1), true), "{err}");
    assert!(!path.join("elsewhere").exists());
}

#[test]
fn what_only_its_owner_may_read_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mode = |name: &str| fs::metadata(path.join(name)).unwrap().permissions().mode() & 0o777;
    let private = |name: &str| fs::set_permissions(path.join(name), fs::Permissions::from_mode(0o600)).unwrap();
    output(path, "count 9 --engine naive --checkpoint c --max-time 1ms");
    private("c");
    assert_eq!(output(path, "count 9 --engine naive --checkpoint c --resume").1, total(9));
    assert_eq!(mode("c"), 0o600);
    fs::write(path.join("list"), "").unwrap();
    private("list");
    symlink("list", path.join("link")).unwrap();
    assert_eq!(output(path, "solutions 6 -o link").0, Some(0));
    assert_eq!((mode("list"), path.join("link").is_symlink()), (0o600, true));
    assert_eq!(fs::read_to_string(path.join("list")).unwrap().lines().count(), 4);
    // A link to what is not there yet is followed too.
    symlink("new", path.join("dangling")).unwrap();
    assert_eq!(output(path, "solutions 6 -o dangling").0, Some(0));
    assert!(path.join("dangling").is_symlink() && path.join("new").exists());
}

#[test]
fn files_without_an_end_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = queens(folder.path(), "merge /dev/zero").spawn().unwrap();
    let (code, _, err) = texts(&end(run));
    assert_eq!((code, err.as_str()), (Some(1), "error: /dev/zero: not a ledger of queens\n"));
    let run = queens(folder.path(), "verify --bfile /dev/zero").spawn().unwrap();
    let (code, _, err) = texts(&end(run));
    assert_eq!((code, err.as_str()), (Some(1), "error: /dev/zero: larger than 16 MiB\n"));
}
