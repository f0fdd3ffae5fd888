//! Runs under limits of memory, stack, files and time: the right number, or an error that says why, and what is saved is gone
//! on with.

#![cfg(all(unix, feature = "cli"))]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::runs::{counting, end, first_line, out_of_time, shell, signal, thread_named, total, until};
use crate::common::{output, queens, skipped, texts};
use queens::ledger::store::{self, Store};
use queens::ledger::{Ledger, Partial};
use queens::{EngineKind, Request, Shard, Size};
use rustix::process::{Signal, getuid};

/// The shell to run limited commands with: root is above some limits, so as nobody where the test is root.
fn limited(folder: &Path, script: &str) -> Output {
    let mut command = shell(folder, script);
    if getuid().is_root() {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
        let program = folder.join("queens");
        if !program.exists() {
            // By a process of its own: what other tests start meanwhile would hold the copy open, and it could not be run.
            assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_queens")).arg(&program).status().unwrap().success());
        }
        let script = script.replace("QUEENS", "./queens");
        command = Command::new("setpriv");
        command.args(["--reuid=65534", "--clear-groups", "sh", "-c", &script]).current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    }
    end(command.spawn().unwrap())
}

/// Whatever the system refuses is an error in one line, not a crash and not a loop.
#[test]
fn limits_are_errors() {
    for (script, reason) in [
        ("ulimit -n 5; exec QUEENS count 12 --checkpoint c", "Too many open files"),
        ("umask 0477; exec QUEENS count 12 --checkpoint c", "Permission denied"),
        ("exec prlimit --nproc=1 QUEENS count 12 --checkpoint c --threads 3", "Resource temporarily unavailable"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let result = limited(folder.path(), script);
        let (code, out, err) = texts(&result);
        if script.starts_with("umask") && code == Some(0) {
            // Nothing had to be read again.
            assert_eq!(out, total(12));
            continue;
        }
        assert_eq!((code, out.as_str(), result.status.signal()), (Some(1), "", None), "{script}: {err}");
        assert!(err.starts_with("error: ") && err.contains(reason) && err.lines().count() == 1, "{script}: {err}");
    }
}

/// Huge pages would only fill gaps between the short lists of smaller boards.
#[test]
#[cfg(target_os = "linux")]
fn only_large_boards_have_huge_pages() {
    let folder = tempfile::tempdir().unwrap();
    for (line, thread, are_given) in [
        ("count 25", "run", false),
        ("count 26", "run", true),
        ("count 26 --engine backtrack", "run", false),
        ("estimate 25 --max-time 1h", "estimate", false),
        ("estimate 26 --max-time 1h", "estimate", true),
    ] {
        let mut child = queens(folder.path(), line).spawn().unwrap();
        thread_named(thread, &child);
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        match status.lines().find_map(|line| line.strip_prefix("THP_enabled:")) {
            Some(enabled) => assert_eq!(enabled.trim() == "1", are_given, "{line}"),
            None => skipped("this kernel does not say who has huge pages"),
        }
    }
}

/// Wherever memory ends, be it for a thread, a table or a list: the right number or an error, never a hang, and what was
/// saved is gone on with.
#[test]
fn no_memory_is_an_error() {
    let mut failed = 0;
    for threads in [1, 2] {
        for kilobytes in (24_000..=104_000).step_by(8_000) {
            let what = format!("{kilobytes} kB, {threads} threads");
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path();
            let line = format!("count 15 --threads {threads} --checkpoint c --checkpoint-every 10ms --resume -q");
            let mut limited = shell(path, &format!("ulimit -v {kilobytes}; exec QUEENS {line}"));
            let result = end(limited.env("RUST_BACKTRACE", "1").spawn().unwrap());
            let (code, out, err) = texts(&result);
            if code == Some(0) {
                assert_eq!(out, total(15), "{what}: {err}");
                continue;
            }
            assert_eq!((code, result.status.signal(), out.as_str()), (Some(1), None, ""), "{what}: {err}");
            assert!(err.contains("error: ") || err.contains("memory allocation of "), "{what}: {err}");
            failed += 1;
            assert_eq!(output(path, &line).1, total(15), "{what}");
        }
    }
    assert!(failed > 0, "memory was never short");
}

/// A stack that is too small for any thread is an error too, and no hang.
#[test]
fn no_stack_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for threads in [1, 2] {
        let line = format!("count 14 --threads {threads} --checkpoint c --resume");
        let child = queens(folder.path(), &line).env("RUST_MIN_STACK", "1").spawn().unwrap();
        let (code, out, err) = texts(&end(child));
        assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
        assert!(err.contains("has overflowed its stack"), "{err}");
        assert_eq!(output(folder.path(), &line).1, total(14));
        fs::remove_file(folder.path().join("c")).unwrap();
    }
}

/// One folder or file that nobody may read does not take the others with it.
#[test]
fn what_may_not_be_read_is_told_beside_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert_eq!(output(path, "count 8 --checkpoint c").0, Some(0));
    fs::create_dir(path.join("private")).unwrap();
    fs::write(path.join("secret"), "s").unwrap();
    for name in ["private", "secret"] {
        fs::set_permissions(path.join(name), fs::Permissions::from_mode(0o0)).unwrap();
    }
    let (code, out, err) = texts(&limited(path, "exec QUEENS status ."));
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("state      complete"), "{out}");
    assert!(err.starts_with("skipped, Permission denied: ./private\n"), "{err}");
    assert!(out.contains("./secret: reading failed: Permission denied"), "{out}");
}

/// Twenty thousand years, which is the longest time that an option takes.
#[test]
fn the_longest_time_is_never() {
    let folder = tempfile::tempdir().unwrap();
    let line = "count 12 -q --checkpoint c --checkpoint-every 175307616h --max-time 175307616h";
    assert_eq!(output(folder.path(), line), (Some(0), total(12), String::new()));
}

#[test]
fn time_too_short_for_a_task_is_told_and_ends_a_loop() {
    let folder = tempfile::tempdir().unwrap();
    let line = "count 20 --engine naive --threads 1 --checkpoint c --resume --max-time 20ms";
    let (code, _, err) = output(folder.path(), line);
    assert_eq!(code, Some(75));
    assert!(err.contains("warning: no task was finished within 20.0 ms: give a longer --max-time"), "{err}");
    let (code, _, err) = output(folder.path(), line);
    assert_eq!(code, Some(1));
    assert!(err.contains("error: no task was finished within 20.0 ms: give a longer --max-time"), "{err}");
    // With the same time the command would get no further; whoever types it has given it, and is told.
    assert!(err.contains(" count 20 --engine naive --threads 1 --checkpoint c --resume\n"), "{err}");
    // Without a checkpoint there is nothing to go on from.
    let (code, _, err) = output(folder.path(), "count 20 --engine naive --threads 1 --max-time 20ms");
    assert_eq!(code, Some(1));
    assert!(err.ends_with("error: no task was finished within 20.0 ms: give a longer --max-time\n"), "{err}");
}

/// Exit code 75 promises that the last line resumes the run, and the program takes it; what saved nothing, or nothing that a
/// loop would get on with, ends otherwise.
#[test]
fn only_what_can_be_resumed_ends_with_75() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (endless, long) = ("count 20 --engine naive --threads 1 --max-time 20ms", "count 19 --threads 1");
    for (line, expected) in [
        (endless.to_owned(), 1),
        (format!("{endless} --no-save"), 1),
        (format!("{endless} --unique"), 1),
        (format!("{endless} --shard 1/2 --out s"), 1),
        (format!("{endless} --checkpoint c"), 75),
        (format!("{endless} --checkpoint c --resume"), 1),
        (format!("{endless} --checkpoint d --shard 1/2 --out s"), 75),
        (format!("{long} --no-save"), 1),
        (long.to_owned(), 75),
        (format!("{long} --shard 1/2 --out s"), 75),
        ("count 19-20 --max-time 1s".to_owned(), 2),
        ("audit c --max-time 1s".to_owned(), 1),
        ("audit queens-19.ledger --max-time 1ns".to_owned(), 1),
        ("estimate 20 --max-time 10ms".to_owned(), 0),
    ] {
        let run = |line: &str| output(path, line);
        let (line, (code, _, err)) =
            if line.starts_with(long) { out_of_time(&line, run) } else { (line.clone(), run(&line)) };
        assert_eq!(code, Some(expected), "{line}: {err}");
        let command = err.lines().find_map(|line| line.strip_prefix("    ")).map(str::to_owned);
        assert_eq!(command.is_some(), code == Some(75) || line.contains("--resume"), "{line}: {err}");
        if let Some(command) = command.filter(|_| code == Some(75)) {
            let resumed = command.split_once("queens ").unwrap().1.to_owned();
            // Where nothing was finished, it does without a time.
            assert_eq!(resumed.contains("--max-time"), !line.starts_with(endless), "{line}: {resumed}");
            let resumed = if line.starts_with(endless) { resumed + " --max-time 20ms" } else { resumed };
            // It takes the save, though the time may be too short to finish another task.
            let (again, _, err) = output(path, &resumed);
            assert!(matches!(again, Some(0 | 1 | 75)) && !err.contains("no checkpoint yet"), "{resumed}: {err}");
        }
    }
}

/// Runs without a checkpoint that are given a time are saved in files of their own, never over others, from which the commands
/// that they print go on: runs that stop at once too, and one whose earlier file was moved.
#[test]
fn runs_that_stop_at_once_are_saved_without_being_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("queens-19.ledger"), "mine").unwrap();
    let line = "count 19 --threads 1";
    let stopped = |line: &str| {
        let (line, (code, out, err)) = out_of_time(line, |line| output(path, line));
        assert_eq!((code, out.as_str()), (Some(75), ""), "{line}: {err}");
        (line, err)
    };
    let name = || {
        let (line, err) = stopped(line);
        let command = err.lines().last().unwrap();
        let (_, options) = command.split_once(&format!("queens {line} --checkpoint ")).expect(command);
        options.strip_suffix(" --resume").unwrap().to_owned()
    };
    let names: BTreeSet<String> = std::thread::scope(|scope| {
        let runs = [(); 4].map(|()| scope.spawn(name));
        runs.map(|run| run.join().unwrap()).into()
    });
    assert_eq!(names, [2, 3, 4, 5].map(|number| format!("queens-19.{number}.ledger")).into());
    assert_eq!(fs::read_to_string(path.join("queens-19.ledger")).unwrap(), "mine");
    let saved = |name: &str| store::read(&path.join(name)).unwrap().reached();
    assert!(names.iter().all(|name| saved(name) > (0, 0)));
    fs::rename(path.join("queens-19.2.ledger"), path.join("kept")).unwrap();
    assert_eq!(name(), "queens-19.2.ledger");
    let before = saved("kept");
    stopped(&format!("{line} --checkpoint kept --resume"));
    assert!(saved("kept") > before, "it went on");
    assert_eq!(fs::read_dir(path).unwrap().count(), 6, "nothing else is left");
}

/// The command typed again says how to go on from what an earlier run has saved; another count, or `-q`, has nothing to say.
#[test]
fn a_save_is_found_by_the_command_typed_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (line, (code, ..)) = out_of_time("count 19 --threads 1", |line| output(path, line));
    assert_eq!(code, Some(75));
    let told = |line: &str| output(path, line).2;
    let err = told(&line);
    let (found, rest) = err.split_once('\n').unwrap();
    assert!(
        found.starts_with("queens-19.ledger has ") && found.ends_with(" units of this count; to go on from there"),
        "{err}"
    );
    let command = rest.lines().next().unwrap();
    assert!(command.ends_with(&format!("queens {line} --checkpoint queens-19.ledger --resume")), "{err}");
    for option in ["-q", "--engine naive"] {
        assert!(!told(&format!("{line} {option}")).contains("of this count"), "{option}");
    }
}

/// Where no name helps, the reason is that of the system, and no save is spoken of that never was. Whatever keeps a single name
/// from being used costs nothing.
#[test]
fn a_save_without_being_asked_tries_other_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let line = "count 19 --threads 1";
    let unwritten = |line: &str| texts(&end(shell(path, &format!("ulimit -f 0; exec QUEENS {line}")).spawn().unwrap()));
    let (_, (code, out, err)) = out_of_time(line, unwritten);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    let told = "writing failed: File too large (os error 27)\nthe time is up: nothing was saved\n";
    assert!(err.contains(told) && !err.contains("another run") && !err.contains("before"), "{err}");
    assert_eq!(fs::read_dir(path).unwrap().count(), 0, "nothing is left");
    fs::create_dir(path.join(".queens-19.ledger.new")).unwrap();
    fs::create_dir(path.join(".queens-19.2.ledger.lock")).unwrap();
    fs::create_dir(path.join("queens-19.3.ledger")).unwrap();
    let _run = Store::open(path.join("queens-19.4.ledger")).unwrap();
    let (_, (code, _, err)) = out_of_time(line, |line| output(path, line));
    assert_eq!(code, Some(75), "{err}");
    assert!(err.ends_with("--checkpoint queens-19.5.ledger --resume\n"), "{err}");
}

/// Whatever is advised at the end of a run that was stopped early, the same command takes.
#[test]
fn what_is_advised_is_taken() {
    for line in
        ["22", "22-23", "22 --no-save", "22 --unique", "22 --prefix 1", "22 --shard 1/2 --out o", "36 --symmetry half"]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let line = format!("count {line} --threads 1");
        let child = queens(path, &line).spawn().unwrap();
        counting(&child);
        signal(&child, Signal::TERM);
        let err = texts(&end(child)).2;
        // Before it there may be what a run of seconds is told.
        let advice = err.lines().last().and_then(|line| line.strip_prefix("SIGTERM: nothing was saved")).expect(&err);
        let takes_a_checkpoint = !line.contains("22-23") && !line.contains("--no-save");
        assert_eq!(advice, if takes_a_checkpoint { "; --checkpoint FILE saves a run" } else { "" }, "{line}");
        let (code, _, err) = output(path, &format!("{line} --checkpoint c --max-time 1ms"));
        assert_eq!(code, Some(if takes_a_checkpoint { 75 } else { 2 }), "{line}: {err}");
    }
    // So are the names of an unfinished shard.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let line = "count 11 --engine backtrack --shard 1/2";
    let request = Request::solutions(Size::new(11).unwrap()).engine(EngineKind::Backtrack);
    let ledger = Ledger::new(request.fingerprint().unwrap(), "1/2".parse().unwrap());
    Store::open(path.join("o")).unwrap().save(&ledger).unwrap();
    let (code, _, err) = output(path, &format!("{line} --out o"));
    let told = "error: o: an unfinished shard; resume it with --checkpoint o, and give --out another name\n";
    assert_eq!((code, err.as_str()), (Some(1), told));
    assert_eq!(output(path, &format!("{line} --checkpoint o --out p")).0, Some(0));
}

/// The limit of a control group is that of the groups in it too, as a batch system sets one for a job and starts its steps in
/// others. Only who may make groups can test it.
#[test]
#[cfg(target_os = "linux")]
fn memory_of_the_groups_around_is_told() {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap();
    let mut groups = groups.lines().filter_map(|line| line.split_once(':')?.1.split_once(':'));
    let (root, name) = groups.clone().find(|group| group.0 == "memory").map_or_else(
        || ("/sys/fs/cgroup", groups.find(|group| group.0.is_empty()).map_or("/", |group| group.1)),
        |group| ("/sys/fs/cgroup/memory", group.1),
    );
    let own = Path::new(root).join(name.trim_start_matches('/'));
    let own = if own.exists() { own } else { root.into() };
    let job = own.join(format!("queens-test-{}", std::process::id()));
    let limit = ["memory.max", "memory.limit_in_bytes"].map(|name| job.join(name));
    let is_made = fs::create_dir(&job).is_ok();
    let step = job.join("step");
    let result = (|| {
        let limit = limit.iter().find(|limit| limit.exists())?;
        fs::write(limit, "60000000").ok()?;
        fs::create_dir(&step).ok()?;
        let folder = tempfile::tempdir().unwrap();
        let script = format!("echo $$ >{}/cgroup.procs && exec QUEENS count 20 --threads 4", step.display());
        let child = shell(folder.path(), &script).spawn().unwrap();
        Some(first_line(child, |_| true))
    })();
    let remove = |group: &Path| until("an empty group", || !group.exists() || fs::remove_dir(group).is_ok());
    if is_made {
        remove(&step);
        remove(&job);
    }
    let Some(line) = result else { return skipped("no control group with a limit of memory may be made here") };
    let (_, free) = line.split_once(" MB of memory, and ").expect(&line);
    let megabytes: u64 = free.split(' ').next().unwrap().parse().unwrap();
    // Some of the 60 are used, by this run at least.
    assert!(line.starts_with("warning: 4 threads may take ") && (1..59).contains(&megabytes), "{line}");
}

/// A run that resumes recounts first what earlier runs have saved, which may take longer than they did: it says so.
#[test]
fn time_too_short_for_a_recount_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let request = Request::solutions(Size::new(28).unwrap()).engine(EngineKind::Naive);
    let mut ledger = Ledger::new(request.fingerprint().unwrap(), Shard::WHOLE);
    ledger.record_partial(5, Partial { tasks: 2, tally: 8.into() }).unwrap();
    Store::open(folder.path().join("c")).unwrap().save(&ledger).unwrap();
    let line = "count 28 --engine naive --checkpoint c --resume --max-time 20ms --double-check 100%";
    let (code, _, err) = output(folder.path(), line);
    assert_eq!(code, Some(1));
    let told = "error: no task was finished within 20.0 ms: the double check has recounted 0 of 2 tasks of earlier runs; \
                give a longer --max-time or a smaller --double-check\n";
    assert!(err.ends_with(told), "{err}");
    let (_, _, events) = output(folder.path(), &format!("{line} --progress json"));
    let last: serde_json::Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
    assert_eq!((&last["recounted"], &last["to_recount"]), (&0.into(), &2.into()), "{events}");
}

/// Too little memory for so many threads is told before any begins, in every form of a count whose need is known: all
/// but those of turns, which need little. How the run ends is another matter.
#[test]
#[cfg(target_os = "linux")]
fn too_little_memory_is_told() {
    let folder = tempfile::tempdir().unwrap();
    for (form, is_told) in [
        ("8", true),
        ("7-8", true),
        ("8 --prefix 3", true),
        ("8 --unique", true),
        ("8 --shard 1/2 --out s", true),
        ("8 --checkpoint c --resume", true),
        ("8 --symmetry half", false),
    ] {
        for (threads, warned) in [(200, is_told), (2, false)] {
            let line = format!("count {form} --threads {threads}");
            let mut limited = Command::new("sh");
            limited.args(["-c", "ulimit -v 150000 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_queens")]);
            let run = limited.args(line.split_whitespace()).current_dir(folder.path()).output().unwrap();
            let err = String::from_utf8_lossy(&run.stderr);
            let told = "warning: 200 threads may take 215 MB of memory, and 153 MB are free; --threads 138 would fit";
            assert_eq!(err.contains(told), warned, "{line}: {err}");
        }
    }
}
