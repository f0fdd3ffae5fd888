//! Signals: a run that a signal stops is saved and dies of the signal, an ignored signal stays ignored, and nothing hangs.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{
    COUNT, DELAY, ENDLESS, HOUR, Running, delay, files, finish, ledger_text, made_up, matches, queens, reached, read,
    reseal, shell, texts, wait_for,
};

/// Waits until the program handles signals and has started its work. `show` works on the main thread.
fn wait_for_work(run: &Running, line: &str) {
    let name = if line.starts_with("show") { "signals\n" } else { "work\n" };
    let threads = format!("/proc/{}/task", run.id());
    let is_it = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("comm")).is_ok_and(|found| found == name);
    wait_for(name, || fs::read_dir(&threads).is_ok_and(|mut all| all.any(|thread| thread.is_ok_and(is_it))));
}

/// Sends a signal twice, as GNU `timeout` does, to the process and to its group. The run dies of the signal, and reports
/// only how many units are saved.
fn stop_by(folder: &Path, run: Running, sent: Signal) {
    run.signal(sent);
    run.signal(sent);
    let result = run.end_soon();
    let (_, out, err) = texts(&result);
    assert_eq!((result.status.signal(), out.as_str()), (Some(sent.as_raw()), ""), "{err}");
    let ledger = read(&folder.join("c"));
    let saved = format!("saved {} of {} units in c; the same command resumes\n", ledger.finished(), ledger.units());
    assert!(err.ends_with(&saved), "{err}{saved}");
    assert!(files(folder).iter().eq(["c"]), "nothing else is left");
}

#[test]
fn each_signal_saves_and_the_same_command_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for sent in [Signal::INT, Signal::TERM, Signal::HUP, Signal::XCPU, Signal::USR1, Signal::USR2] {
        stop_by(path, Running::begin(path, delay(queens(path, COUNT), DELAY)), sent);
    }
    // A run whose tasks never end waits a second for them, and the repeated signal does not end it earlier.
    fs::remove_file(path.join("c")).unwrap();
    let run = Running::start(delay(queens(path, ENDLESS), HOUR));
    wait_for_work(&run, ENDLESS);
    stop_by(path, run, Signal::TERM);
}

/// System calls that fail or block if `CALL` names them, and a log of the saves. The thread number `FAILS` cannot start.
const CALLS: &str = r#"
#define REAL(call) ((typeof(call) *)dlsym(RTLD_NEXT, #call))
static int is(const char *call) { const char *named = getenv("CALL"); return named && !strcmp(named, call); }
static void note(const char *call, struct stat about) {
    FILE *log = is("block") ? fopen("log", "a") : NULL;
    if (log) fprintf(log, S_ISDIR(about.st_mode) ? "%s folder\n" : "%s %ld\n", call, (long)about.st_size), fclose(log);
}
int flock(int file, int how) { return is("no-locks") ? (errno = 524, -1) : REAL(flock)(file, how); }
int closedir(DIR *folder) { return is("no-locks") ? (errno = EIO, -1) : REAL(closedir)(folder); }
int rename(const char *from, const char *to) {
    struct stat about;
    if (is("no-replacing") && access(to, F_OK) == 0) return errno = EBUSY, -1;
    if (stat(from, &about) == 0) note("rename", about);
    return REAL(rename)(from, to);
}
int fsync(int file) {
    struct stat about;
    if (is("no-locks")) return errno = EINVAL, -1;
    while (is("block") && access("block", F_OK) == 0) close(open("blocked", O_CREAT, 0600)), usleep(1000);
    if (fstat(file, &about) == 0) note("fsync", about);
    return is("no-folder-sync") && S_ISDIR(about.st_mode) ? (errno = EIO, -1) : REAL(fsync)(file);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*work)(void *), void *with) {
    static int started;
    const char *fails = getenv("FAILS");
    return fails && ++started == atoi(fails) ? EAGAIN : REAL(pthread_create)(thread, how, work, with);
}
"#;

/// `queens` with one of the faults in [`CALLS`].
fn with_call(folder: &Path, call: &str, line: &str) -> Command {
    static BUILT: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("calls.c"), CALLS).unwrap();
        let mut cc = Command::new("cc");
        cc.args("-D_GNU_SOURCE -w -shared -fPIC -o calls.so calls.c -ldl".split(' ')).current_dir(&folder);
        for header in "dirent dlfcn errno fcntl pthread stdio stdlib string sys/stat unistd".split(' ') {
            cc.args(["-include", &format!("{header}.h")]);
        }
        assert!(cc.status().unwrap().success());
        folder
    });
    let mut command = queens(folder, line);
    command.env("LD_PRELOAD", BUILT.path().join("calls.so")).env("CALL", call);
    command
}

/// A run without a lock keeps leftovers, which may belong to another run. A shard without units is complete at its first
/// save. A folder that cannot be closed and a refused sync are no errors.
#[test]
fn a_file_system_without_locks_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".c.aB3dE6gH.new"), "").unwrap();
    for (file, out, warnings) in [("c", "352\n", 1), ("c", "352\n", 0), ("d --shard 99/99", "", 1)] {
        let (code, found, err) =
            finish(with_call(folder.path(), "no-locks", &format!("count 9 -q --checkpoint {file}")));
        assert_eq!((code, found.as_str()), (Some(0), out), "{err}");
        assert_eq!(err.matches(": this file system has no locks").count(), warnings, "{err}");
    }
    assert!(folder.path().join(".c.aB3dE6gH.new").exists());
}

/// A run in such a folder would lose all but its first save or, at a power cut, its last save.
#[test]
fn a_folder_where_files_cannot_be_replaced_or_synced_is_refused() {
    let refused = |call, cause: &str| {
        let folder = tempfile::tempdir().unwrap();
        let (code, out, err) = finish(with_call(folder.path(), call, "count 9 --checkpoint c"));
        assert_eq!((code, out.as_str()), (Some(1), ""));
        assert!(err.starts_with(&format!("error: c: cannot be saved: {cause}")), "{err}");
    };
    refused("no-replacing", "Device or resource busy (os error 16); mount its folder");
    refused("no-folder-sync", "Input/output error (os error 5)");
}

/// The run is saved in a new file instead.
#[test]
fn a_file_that_another_program_replaced_is_kept() {
    let (folder, other) = (tempfile::tempdir().unwrap(), made_up(14, 365_596));
    let line = COUNT.replace("5ms", "1h");
    let run = Running::start(delay(queens(folder.path(), &line), DELAY));
    wait_for_work(&run, &line);
    fs::write(folder.path().join("c"), &other).unwrap();
    sleep(Duration::from_millis(500));
    run.signal(Signal::TERM);
    let (_, _, err) = texts(&run.end());
    let expected = "saved ... in queens-14-...\nerror: c: moved, or replaced by another file\n";
    assert!(matches(expected, &err) && fs::read_to_string(folder.path().join("c")).unwrap() == other, "{err}");
}

/// Whichever thread cannot start, there is a result, which is saved, or an error.
#[test]
fn a_thread_that_cannot_start_loses_no_result() {
    let (whole, mut unchecked) = (ledger_text("count 9"), 0);
    // The threads that a result needs: one for signals and, for each work, one and those that were requested.
    for (line, result, needed) in [
        ("count 9 --checkpoint c -t 3", "352\n", 5),
        ("count 8 --unique -t 3", "12\n", 13),
        ("verify 8 --unique --engine naive -t 3 --json", "{...\n", 13),
        ("solutions 4", "2413\n3142\n", 2),
        ("audit whole -t 3 --share 100%", "...differ     0\n...", 6),
    ] {
        let is_saved = line.contains("checkpoint");
        let is_refused = |fails: &usize| {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("whole"), &whole).unwrap();
            let mut command = with_call(folder.path(), "", line);
            command.env("QUEENS_TERMS", if is_saved { "unpublished" } else { "" }).env("FAILS", fails.to_string());
            let (code, out, err) = finish(command);
            let is_refused = (code, &*out) == (Some(1), "") && err.starts_with("error: ");
            assert!(is_refused || code == Some(0) && matches(result, &out), "{fails}, {line}: {out}{err}");
            let file = folder.path().join("c");
            let is_complete = file.exists() && read(&file).is_complete();
            assert_eq!(is_complete, is_saved && !is_refused, "{fails}, {line}");
            unchecked += usize::from(err.contains("modulo 8 was not checked"));
            is_refused
        };
        assert!((1..=needed + 5).filter(is_refused).eq(1..=needed), "{line}");
    }
    assert_eq!(unchecked, 4, "the check of the remainder has threads of its own");
}

/// Starts a run whose first save blocks, or whose saves block after its work has begun.
fn start_blocking_saves(folder: &Path, line: &str, milliseconds: u32, is_first: bool) -> Running {
    let block = || fs::write(folder.join("block"), "").unwrap();
    if is_first {
        block();
    }
    let run = Running::start(delay(with_call(folder, "block", line), milliseconds));
    if !is_first {
        wait_for_work(&run, line);
        block();
    }
    run
}

fn wait_for_blocked_save(folder: &Path) {
    wait_for("a save that blocks", || folder.join("blocked").exists());
}

/// A disk that stops responding blocks a save: the first one, one after an interval, one at a stop, or the last one. A run
/// that one signal stops waits for the save, and ends by this signal, even if SIGXCPU follows with each second of processor
/// time; then everything counted is in the file. A kill or another signal ends it at once and keeps the save before.
#[test]
fn one_signal_waits_for_a_blocked_save_and_a_second_does_not() {
    let rare = &ENDLESS.replace("20ms", "1h");
    let short = "count 9 --engine naive -t 1 --checkpoint c --checkpoint-every 1h";
    let moments = [("first", ENDLESS, HOUR), ("interval", ENDLESS, HOUR), ("stop", rare, HOUR), ("last", short, 20)];
    let end = |(moment, line, milliseconds): (&str, &str, u32), by: Option<Signal>| {
        let folder = tempfile::tempdir().unwrap();
        let (path, file) = (folder.path(), folder.path().join("c"));
        let run = start_blocking_saves(path, line, milliseconds, moment == "first");
        let before = reached(&file);
        for sent in [Signal::HUP, Signal::XCPU] {
            if moment != "stop" {
                wait_for_blocked_save(path);
            }
            run.signal(sent);
            sleep(Duration::from_millis(1300));
        }
        match by {
            Some(signal) => run.signal(signal),
            None => fs::remove_file(path.join("block")).unwrap(),
        }
        let result = run.end_soon();
        let (_, out, err) = texts(&result);
        assert_eq!(result.status.signal(), Some(by.unwrap_or(Signal::HUP).as_raw()), "{moment}: {err}");
        if by.is_some() {
            assert_eq!((reached(&file), out.as_str()), (before, ""), "{moment}: {err}");
            return;
        }
        let (is_last, ledger) = (moment == "last", read(&file));
        let is_reported = if is_last { out == "352\n" } else { err.starts_with("saved 0 of 171 units in c;") };
        assert!(is_reported && ledger.is_complete() == is_last, "{moment}: {out}{err}");
        // Each save reaches the disk before it gets its name, and then the name reaches the disk.
        let log = fs::read_to_string(path.join("log")).unwrap();
        for save in log.lines().collect::<Vec<_>>().chunks(3) {
            let size = save[0].strip_prefix("fsync ").expect(&log);
            assert!(size != "0" && save[1..] == [&format!("rename {size}"), "fsync folder"], "{moment}: {log}");
        }
        assert!(files(path).iter().all(|name| !name.starts_with(".c")), "{:?}", files(path));
    };
    let ends = [None, Some(Signal::KILL), Some(Signal::TERM)];
    let cases = moments.iter().flat_map(|moment| ends.map(|by| (*moment, by)));
    thread::scope(|scope| cases.for_each(|(moment, by)| drop(scope.spawn(move || end(moment, by)))));
}

/// A kill may follow soon, so the save does not wait for the tasks in progress, which may take another second. A count that
/// ends within that second is printed. On a busy machine one of twenty attempts is fast enough.
#[test]
fn a_stop_saves_at_once() {
    let is_quick = |_| {
        let folder = tempfile::tempdir().unwrap();
        let ending = Running::start(delay(queens(folder.path(), "count 1 -q"), 1000));
        let run = start_blocking_saves(folder.path(), &ENDLESS.replace("20ms", "1h"), HOUR, false);
        // By then tasks are in progress.
        sleep(Duration::from_millis(300));
        let begun = Instant::now();
        ending.signal(Signal::TERM);
        run.signal(Signal::TERM);
        wait_for_blocked_save(folder.path());
        let (elapsed, result) = (begun.elapsed(), ending.end());
        elapsed < Duration::from_millis(500) && (result.status.signal(), &*result.stdout) == (Some(15), b"1\n")
    };
    assert!((0..20).any(is_quick));
}

/// Only the join of a large board gains from huge pages. They would cost any other work memory.
#[test]
fn huge_pages_are_for_the_join_of_large_boards() {
    for (line, expected) in
        [("count 26", "1"), ("count 25", "0"), ("count 26 --engine backtrack", "0"), ("verify 20 --engine naive", "0")]
    {
        let folder = tempfile::tempdir().unwrap();
        let run = Running::start(delay(queens(folder.path(), line), HOUR));
        wait_for_work(&run, line);
        let status = fs::read_to_string(format!("/proc/{}/status", run.id())).unwrap();
        // Older kernels lack this line.
        let is_enabled = status.lines().find_map(|line| line.strip_prefix("THP_enabled:\t"));
        assert!(is_enabled.is_none_or(|digit| digit == expected), "{line}: {is_enabled:?}");
    }
}

/// `nohup` ignores SIGHUP, and `sh` ignores SIGINT for a command that ends with `&`.
#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let run = Running::begin(path, delay(shell(path, &format!("trap '' HUP INT; exec QUEENS {COUNT}")), DELAY));
    for ignored in [Signal::HUP, Signal::INT] {
        let before = reached(&path.join("c"));
        run.signal(ignored);
        wait_for("more in the file", || reached(&path.join("c")) > before);
    }
    stop_by(path, run, Signal::TERM);
}

/// A command that SIGTERM stops prints the results it has, reports where a count is saved, and dies of the signal. It
/// prints no JSON object and leaves no temporary file.
///
/// Command line; text that is printed before the signal is sent; all of stdout; all of stderr. `...` stands for any text,
/// and the last lines must match as well.
#[rustfmt::skip]
const STOPPED: &[(&str, &str, &str, &str)] = &[
    ("count 22 --engine naive -t 1", "", "", "nothing was saved; use --checkpoint FILE\n"),
    ("count 34 --symmetry half --json", "", "", "counts with --symmetry are not saved\n"),
    ("count 2-20 --engine naive", "2 0\n", "2 0\n", "nothing was saved; use --checkpoint FILE\n"),
    ("WRONG count 2-20 --engine naive", "has 1", "", "error: N = 2: found 0, but OEIS A000170 has 1\n..."),
    ("WRONG verify 2-20 --engine naive", "has 1", " N ...\n 2 ...\n", "error: N = 2: found 0, but OEIS A000170 has 1\n"),
    ("count 22 -t 1 --json", "estimate", "", "`queens estimate 22` estimates ...; `--checkpoint FILE` saves ...\n..."),
    ("count 22 -t 1 -q", "", "", "nothing was saved; use --checkpoint FILE\n"),
    ("count 22 -t 1 --prefix 1", "", "", "nothing was saved; use --checkpoint FILE\n"),
    ("count 21 -t 1", "", "", "nothing was saved; use --checkpoint FILE\n"),
    ("count 7-20 --engine naive --json", "", "", "nothing was saved; use --checkpoint FILE\n"),
    ("estimate 8-28 --max-time 1h -t 1", "counted", " N ...\n...counted...MB\n", ""),
    ("verify 2-20 --engine naive", "✓", " N ...\n 2 ... 0 ...✓...\n", ""),
    ("bench 2 20 --engine naive -t 1 --runs 1 --json=o", " 2  naive", "...\n 2  naive...1.00\n", ""),
    ("audit forged --share 100% -t 1", "unit", "unit ... of forged: file says ...", ""),
    ("audit forged --share 100% -t 1 --json", "unit", "", "unit ... of forged: file says ..."),
    ("merge n32 -q", "", "6\n", ""),
    ("solutions 20 -o all.txt", "draft", "", ""),
    ("show -n 24 --number 1000000000", "", "", ""),
];

#[test]
fn a_stop_ends_each_command_by_its_signal() {
    // Some tallies are one too large. The half-turn count of N = 32, which checks the total, takes minutes.
    let forged = reseal(&ledger_text("count 15 --engine backtrack").replace("0\nunit", "1\nunit"));
    let n32 = made_up(32, 6);
    let stop = |(line, seen, out, err): (&str, &str, &str, &str)| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::write(path.join("forged"), &forged).unwrap();
        fs::write(path.join("n32"), &n32).unwrap();
        let (terms, line) = line.split_once("WRONG ").map_or(("", line), |(_, line)| ("wrong", line));
        let milliseconds = if line.contains("naive") || line.starts_with("count 2") { HOUR } else { 0 };
        let mut command = delay(shell(path, &format!("exec QUEENS {line} >out 2>err")), milliseconds);
        command.env("QUEENS_TERMS", terms);
        let run = Running::start(command);
        let text = |name: &str| fs::read_to_string(path.join(name)).unwrap_or_default();
        match seen {
            // A file with contents is removed at the end.
            "draft" => wait_for("a temporary file", || {
                let length = |name: &String| fs::metadata(path.join(name)).map_or(0, |about| about.len());
                files(path).iter().any(|name| name.starts_with('.') && length(name) > 0)
            }),
            "" => {
                wait_for_work(&run, line);
                // By then a task is in progress.
                sleep(Duration::from_millis(300));
            }
            seen => wait_for(line, || text("out").contains(seen) || text("err").contains(seen)),
        }
        run.signal(Signal::TERM);
        let result = run.end_soon();
        assert_eq!(result.status.signal(), Some(15), "{line}: {}", text("err"));
        for (expected, name) in [(out, "out"), (err, "err")] {
            let (text, last) = (text(name), |text: &str| text.lines().last().unwrap_or_default().to_owned());
            assert!(matches(expected, &text) && matches(&last(expected), &last(&text)), "{line}: {text:?}");
        }
        assert!(!text("err").contains("disagreement"), "{line}: {:?}", text("err"));
        assert!(files(path).iter().eq(["err", "forged", "n32", "out"]), "{line}: {:?}", files(path));
    };
    // Some wait a second for the tasks in progress.
    thread::scope(|scope| STOPPED.iter().for_each(|case| drop(scope.spawn(|| stop(*case)))));
}

/// Two counts in one folder that the same signal stops save to different files, and print the command that resumes each.
#[test]
fn autosave_uses_a_unique_file_name() {
    let folder = tempfile::tempdir().unwrap();
    let given = "count --engine backtrack -t 1 --isa portable --prefix 1 -- 16";
    let line = &given.replace("-- ", "");
    let runs = [0, 1].map(|_| Running::start(delay(queens(folder.path(), given), DELAY)));
    let range = Running::start(delay(queens(folder.path(), "count 16-17 --engine backtrack -t 1"), DELAY));
    // In a test build, one second counts as the minute before an autosave.
    sleep(Duration::from_secs(4));
    for run in &runs {
        run.signal(Signal::TERM);
    }
    let names = runs.map(|run| {
        let (id, result) = (run.id(), run.end_soon());
        let (_, out, err) = texts(&result);
        assert_eq!((result.status.signal(), out.as_str()), (Some(15), ""), "{err}");
        let (saved, resume) = err.split_once("; the same command with --checkpoint ").expect(&err);
        let name = resume.strip_suffix(" resumes\n").expect(&err);
        // `queens-22-20261126T1512-4711.ledger`
        let shape: String = name.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        let zeros = "0".repeat(id.to_string().len());
        assert_eq!(shape, format!("queens-00-00000000T0000-{zeros}.ledger"));
        assert!(name.ends_with(&format!("-{id}.ledger")) && saved.contains(&format!(" in {name} on ")), "{err}");
        assert!(reached(&folder.path().join(name)) > (0, 0), "{err}");
        let line = format!("{line} --checkpoint {name} --max-time 1ms");
        let (code, _, err) = finish(delay(queens(folder.path(), &line), DELAY));
        assert!([Some(1), Some(75)].contains(&code) && !err.contains("cannot"), "{err}");
        name.to_owned()
    });
    assert_ne!(names[0], names[1]);
    // In another container, a run has the same number.
    let taken = folder.path().join(format!("{}-{}.ledger", names[0].rsplit_once('-').unwrap().0, range.id()));
    fs::write(&taken, "taken").unwrap();
    range.signal(Signal::TERM);
    let (_, _, err) = texts(&range.end());
    let resume = "`queens count 16` with the other options and --checkpoint queens-16-....ledger resumes\n";
    assert!(matches(&format!("saved ... in queens-16-...; {resume}"), &err), "{err}");
    assert_eq!(fs::read_to_string(taken).unwrap(), "taken");
}

/// A signal without a handler does not end the first process of a container, so it ends with the shell's exit code.
#[test]
fn the_first_process_of_a_container_exits_with_143() {
    let isolate = ["--user", "--map-root-user", "--pid", "--fork"];
    if !Command::new("unshare").args(isolate).arg("true").output().is_ok_and(|run| run.status.success()) {
        assert!(std::env::var_os("QUEENS_TEST_ALL").is_none(), "no process namespace may be made here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = format!("exec unshare {} QUEENS {COUNT}", isolate.join(" "));
    let outer = Running::begin(folder.path(), delay(shell(folder.path(), &script), DELAY));
    let inner = fs::read_to_string(format!("/proc/{0}/task/{0}/children", outer.id())).unwrap();
    kill_process(Pid::from_raw(inner.trim().parse().unwrap()).unwrap(), Signal::TERM).unwrap();
    let (code, out, err) = texts(&outer.end_soon());
    assert_eq!((code, out.as_str()), (Some(143), ""), "{err}");
    assert!(err.contains("saved "), "{err}");
}
