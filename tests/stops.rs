//! Stop and go on, on every system: by the key or the signal that it has, by a kill, by the clock.

use std::path::Path;

use crate::common::{COUNT, Running, WAIT, ended, output, queens, reached, read, texts, total, waiting};

/// A run that has saved a unit, and that `interrupt` reaches.
fn begun(folder: &Path) -> Running {
    let mut command = waiting(queens(folder, COUNT), WAIT);
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, 0x200 /* CREATE_NEW_PROCESS_GROUP */);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Running::begin(folder, command)
}

#[cfg(unix)]
fn interrupt(run: &Running) {
    run.signal(rustix::process::Signal::TERM);
}

/// Ctrl-Break, which handlers of Ctrl-C have too: of the two it alone reaches a group of processes.
#[cfg(windows)]
#[expect(unsafe_code, reason = "the standard library cannot do it")]
fn interrupt(run: &Running) {
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GenerateConsoleCtrlEvent(event: u32, group: u32) -> i32;
    }
    // SAFETY: It takes two numbers.
    assert_ne!(unsafe { GenerateConsoleCtrlEvent(1, run.id()) }, 0, "{}", std::io::Error::last_os_error());
}

#[test]
fn interrupted_killed_and_out_of_time_it_goes_on_to_the_total() {
    let folder = tempfile::tempdir().unwrap();
    let (path, file) = (folder.path(), folder.path().join("c"));
    let run = begun(path);
    interrupt(&run);
    let (code, out, err) = texts(&run.end_soon());
    // Elsewhere it dies of the signal.
    assert_eq!((code, out.as_str()), (cfg!(windows).then_some(130), ""), "{err}");
    assert!(err.ends_with(" units in c; the same command resumes\n"), "{err}");
    let run = begun(path);
    let (code, out, err) = output(path, COUNT);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("c: in use by another run"), "{err}");
    // Kills it.
    drop(run);
    let before = reached(&file);
    let limited = waiting(queens(path, &format!("{COUNT} --max-time 1s")), WAIT);
    let (code, out, err) = ended(limited);
    assert_eq!((code, out.as_str()), (Some(75), ""), "{err}");
    assert!(reached(&file) > before);
    let (code, out, err) = output(path, COUNT);
    assert_eq!((code, out), (Some(0), total(14)), "{err}");
    let ledger = read(&file);
    let of_runs: Option<u64> = ledger.runs().iter().map(|run| run.units).sum();
    assert_eq!(of_runs, Some(ledger.finished() as u64), "each run has the units that it has finished itself");
}
