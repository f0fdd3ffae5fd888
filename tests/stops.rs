//! Stop and go on, on every system: by the key or the signal that it has, by a kill, by the clock.

use std::path::Path;

use queens::ledger;

use crate::common::{Running, ended, output, queens, reached, texts, total, until, waiting};

/// A count of seconds, with the wait of each unit.
const LINE: &str = "count 14 --engine backtrack -t 2 --checkpoint c --checkpoint-every 10ms";
const WAIT: u32 = 50;

/// A run that has saved a unit, and that `interrupt` reaches.
fn begun(folder: &Path) -> Running {
    let mut command = waiting(queens(folder, LINE), WAIT);
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, 0x200 /* CREATE_NEW_PROCESS_GROUP */);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let before = reached(&folder.join("c"));
    let run = Running::start(command);
    // While a file is replaced, Windows may refuse to open it.
    until("a unit", || ledger::read(&folder.join("c")).is_ok_and(|ledger| ledger.reached() > before));
    run
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
    let (code, out, err) = texts(&run.end());
    // Elsewhere it dies of the signal.
    assert_eq!((code, out.as_str()), (cfg!(windows).then_some(130), ""), "{err}");
    assert!(err.ends_with(" units in c; the same command goes on\n"), "{err}");
    let run = begun(path);
    let (code, out, err) = output(path, LINE);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("c: in use by another run"), "{err}");
    // Kills it.
    drop(run);
    let before = reached(&file);
    let limited = waiting(queens(path, &format!("{LINE} --max-time 500ms")), WAIT);
    let (code, out, err) = ended(limited);
    assert_eq!((code, out.as_str()), (Some(75), ""), "{err}");
    assert!(reached(&file) > before);
    let (code, out, err) = output(path, LINE);
    assert_eq!((code, out), (Some(0), total(14)), "{err}");
}
