//! Stopped runs resume, on every system: after its interrupt key or signal, after a kill, and after `--max-time`.

use std::fs;
use std::path::Path;

use crate::common::{COUNT, DELAY, Running, delay, finish, output, queens, reached, read, texts, total};

/// Starts a run that [`interrupt`] can reach, and waits until it has saved a task.
fn start(folder: &Path) -> Running {
    let mut command = delay(queens(folder, COUNT), DELAY);
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

/// Sends Ctrl-Break. Unlike Ctrl-C, it can be sent to a process group; the program handles both.
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
fn interrupted_killed_and_timed_out_runs_resume() {
    let folder = tempfile::tempdir().unwrap();
    let (path, file) = (folder.path(), folder.path().join("c"));
    let run = start(path);
    let before = reached(&file);
    interrupt(&run);
    let (code, out, err) = texts(&run.end_soon());
    // On Unix it dies of the signal.
    assert_eq!((code, out.as_str()), (cfg!(windows).then_some(130), ""), "{err}");
    assert!(err.ends_with(" units in c; the same command resumes\n"), "{err}");
    assert!(reached(&file) > before, "tasks in progress are finished and saved");
    let run = start(path);
    let (code, out, err) = output(path, COUNT);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert_eq!(err, "error: c: in use by another run; wait until that run ends or choose another file\n");
    // This kills the run.
    drop(run);
    let before = reached(&file);
    let limited = delay(queens(path, &format!("{COUNT} --max-time 1s")), DELAY);
    let (code, out, err) = finish(limited);
    assert_eq!((code, out.as_str()), (Some(75), ""), "{err}");
    assert!(reached(&file) > before);
    let (code, out, err) = output(path, &format!("{COUNT} --json=o"));
    assert_eq!((code, out), (Some(0), total(14)), "{err}");
    let object: serde_json::Value = serde_json::from_str(&fs::read_to_string(path.join("o")).unwrap()).unwrap();
    let (ledger, seconds) = (read(&file), object["total_seconds"].as_f64().unwrap());
    assert!((seconds - ledger.elapsed().as_secs_f64()).abs() < 0.01, "{seconds} s in all runs");
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = about.split("model name\t: ").nth(1).and_then(|rest| rest.lines().next()).map(str::trim);
    assert!(ledger.runs().iter().all(|run| run.processor.as_deref() == name));
    let of_runs: Option<u64> = ledger.runs().iter().map(|run| run.units).sum();
    assert_eq!(of_runs, Some(ledger.finished() as u64), "each run has the number of units that it finished");
}
