//! Signals: what they stop is saved and dies of them, what was ignored stays ignored, and nothing hangs.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{
    COUNT, ENDLESS, HOUR, Running, WAIT, agrees, ended, files, ledger_text, made_up, queens, reached, read, resealed,
    shell, texts, until, waiting,
};

/// Waits until signals are listened to and, but for a list, there is a thread named `work`.
fn working(run: &Running, line: &str) {
    let name = if line.starts_with("show") { "signals" } else { "work" };
    let tasks = format!("/proc/{}/task", run.id());
    let is_it =
        |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).is_ok_and(|found| found.trim() == name);
    until(name, || fs::read_dir(&tasks).is_ok_and(|mut tasks| tasks.any(|task| task.is_ok_and(is_it))));
}

/// Ends the run by a signal. It prints nothing, dies of the signal, and says how far its file is.
fn stopped(folder: &Path, run: Running, sent: Signal) {
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
fn each_signal_saves_and_the_same_command_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for sent in [Signal::INT, Signal::TERM, Signal::HUP, Signal::XCPU, Signal::USR1, Signal::USR2] {
        stopped(path, Running::begin(path, waiting(queens(path, COUNT), WAIT)), sent);
    }
}

/// GNU `timeout` sends its signal twice, to the process and to its group.
#[test]
fn a_repeat_at_once_is_the_same_signal() {
    let stop = || {
        let folder = tempfile::tempdir().unwrap();
        let run = Running::start(waiting(queens(folder.path(), ENDLESS), HOUR));
        working(&run, ENDLESS);
        run.signal(Signal::TERM);
        stopped(folder.path(), run, Signal::TERM);
    };
    thread::scope(|scope| (0..5).for_each(|_| drop(scope.spawn(stop))));
}

/// Calls of the system that fail or hang as `CALL` says, and a log of the saves.
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
    return REAL(fsync)(file);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*work)(void *), void *with) {
    static int started;
    const char *fails = getenv("FAILS");
    return fails && ++started == atoi(fails) ? EAGAIN : REAL(pthread_create)(thread, how, work, with);
}
"#;

/// The program with this one of [`CALLS`].
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

/// A file system without locks: the run says so, and leaves alone what may be another's. A shard without units is complete when
/// it is saved first. Neither a folder that cannot be closed nor a sync that is refused is a reason to fail.
#[test]
fn where_there_are_no_locks_a_run_says_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".c.aB3dE6gH.new"), "").unwrap();
    for (file, out, warnings) in [("c", "352\n", 1), ("c", "352\n", 0), ("d --shard 99/99", "", 1)] {
        let (code, found, err) =
            ended(with_call(folder.path(), "no-locks", &format!("count 9 -q --checkpoint {file}")));
        assert_eq!((code, found.as_str()), (Some(0), out), "{err}");
        assert_eq!(err.matches(": this file system has no locks").count(), warnings, "{err}");
    }
    assert!(folder.path().join(".c.aB3dE6gH.new").exists());
}

/// A folder in which no file takes the place of another would lose all that is counted: the first save would be the last.
#[test]
fn where_no_file_can_be_replaced_nothing_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = ended(with_call(folder.path(), "no-replacing", ENDLESS));
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("c: cannot be saved: Device or resource busy (os error 16); mount its folder"), "{err}");
}

/// What another has put in the place of the file in mid-run stays, and the run is saved elsewhere.
#[test]
fn a_file_that_was_put_in_the_place_of_another_stays() {
    let (folder, other) = (tempfile::tempdir().unwrap(), made_up(14, 365_596));
    let line = COUNT.replace("5ms", "1h");
    let run = Running::start(waiting(queens(folder.path(), &line), WAIT));
    working(&run, &line);
    fs::write(folder.path().join("c"), &other).unwrap();
    sleep(Duration::from_millis(500));
    run.signal(Signal::TERM);
    let (_, _, err) = texts(&run.end());
    let said = "saved ... in queens-14-...\nerror: c: moved, or replaced by another file\n";
    assert!(agrees(said, &err) && fs::read_to_string(folder.path().join("c")).unwrap() == other, "{err}");
}

/// Whichever thread cannot start: a finished count is printed, and its file is complete, or neither.
#[test]
fn a_thread_that_cannot_start_loses_no_count() {
    let printed = (1..=10).map(|fails| {
        let folder = tempfile::tempdir().unwrap();
        let mut command = with_call(folder.path(), "", "count 9 --checkpoint c -t 2");
        command.env("QUEENS_TERMS", "unpublished").env("FAILS", fails.to_string());
        let (code, out, err) = ended(command);
        let file = folder.path().join("c");
        let is_complete = file.exists() && read(&file).is_complete();
        let expected = if is_complete { (Some(0), "352\n") } else { (Some(1), "") };
        assert_eq!((code, out.as_str()), expected, "thread {fails}: {err}");
        err
    });
    assert!(printed.filter(|err| err.contains("modulo 8 was not checked")).count() > 0, "no comparison has failed");
}

/// Begins a run whose saves can hang, and waits until its work begins, unless its first save hangs.
fn saving(folder: &Path, line: &str, wait: u32, is_first: bool) -> Running {
    let block = || fs::write(folder.join("block"), "").unwrap();
    if is_first {
        block();
    }
    let run = Running::start(waiting(with_call(folder, "block", line), wait));
    if !is_first {
        working(&run, line);
        block();
    }
    run
}

fn hangs(folder: &Path) {
    until("a save that hangs", || folder.join("blocked").exists());
}

/// A disk that answers no more holds up each save: the first, an interval's, that of a stop, the last. One signal waits for it,
/// also where the system repeats it with each second of processor time, and then all that was counted is in the file. A kill
/// or another signal ends it at once, and what was there before is in the file.
#[test]
fn a_signal_waits_for_a_save_that_hangs_and_a_second_one_does_not() {
    let rare = &ENDLESS.replace("20ms", "1h");
    let short = "count 9 --engine naive -t 1 --checkpoint c --checkpoint-every 1h";
    let moments = [("first", ENDLESS, HOUR), ("interval", ENDLESS, HOUR), ("stop", rare, HOUR), ("last", short, 20)];
    let end = |(moment, line, wait): (&str, &str, u32), by: Option<Signal>| {
        let folder = tempfile::tempdir().unwrap();
        let (path, file) = (folder.path(), folder.path().join("c"));
        let run = saving(path, line, wait, moment == "first");
        let before = reached(&file);
        for _ in 0..2 {
            if moment != "stop" {
                hangs(path);
            }
            run.signal(Signal::XCPU);
            sleep(Duration::from_millis(1300));
        }
        match by {
            Some(signal) => run.signal(signal),
            None => fs::remove_file(path.join("block")).unwrap(),
        }
        let result = run.end_soon();
        let (_, out, err) = texts(&result);
        assert_eq!(result.status.signal(), Some(by.map_or(24, Signal::as_raw)), "{moment}: {err}");
        if by.is_some() {
            assert_eq!((reached(&file), out.as_str()), (before, ""), "{moment}: {err}");
            return;
        }
        let (is_last, ledger) = (moment == "last", read(&file));
        let is_said = if is_last { out == "352\n" } else { err.starts_with("saved 0 of 171 units in c;") };
        assert!(is_said && ledger.is_complete() == is_last, "{moment}: {out}{err}");
        // Each save is whole on the disk before it gets its name, and then that is.
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

/// A kill may follow soon: the save does not wait for the tasks in hand, which may take another second. A busy machine may need
/// several attempts.
#[test]
fn a_stop_saves_at_once() {
    let is_quick = |_| {
        let folder = tempfile::tempdir().unwrap();
        let run = saving(folder.path(), &ENDLESS.replace("20ms", "1h"), HOUR, false);
        // Then there are tasks in hand.
        sleep(Duration::from_millis(300));
        let begun = Instant::now();
        run.signal(Signal::TERM);
        hangs(folder.path());
        begun.elapsed() < Duration::from_millis(500)
    };
    assert!((0..20).any(is_quick));
}

/// Only the join of a large board has use for huge pages, which would take memory from any other work.
#[test]
fn the_join_of_a_large_board_has_huge_pages() {
    for (line, expected) in
        [("count 26", "1"), ("count 25", "0"), ("count 26 --engine backtrack", "0"), ("verify 20 --engine naive", "0")]
    {
        let folder = tempfile::tempdir().unwrap();
        let run = Running::start(waiting(queens(folder.path(), line), HOUR));
        working(&run, line);
        let status = fs::read_to_string(format!("/proc/{}/status", run.id())).unwrap();
        // Older kernels do not tell.
        let told = status.lines().find_map(|line| line.strip_prefix("THP_enabled:"));
        assert!(told.is_none_or(|told| told.trim() == expected), "{line}: {told:?}");
    }
}

/// As under `nohup`, and as `sh` starts what ends with `&`.
#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let run = Running::begin(path, waiting(shell(path, &format!("trap '' HUP INT; exec QUEENS {COUNT}")), WAIT));
    for ignored in [Signal::HUP, Signal::INT] {
        let before = reached(&path.join("c"));
        run.signal(ignored);
        until("more in the file", || reached(&path.join("c")) > before);
    }
    stopped(path, run, Signal::TERM);
}

/// What a command has found when SIGTERM comes in the middle of its work is on stdout, and at its end there is nothing more
/// but where a count is saved. It dies of the signal, and leaves no object and no draft.
///
/// Command line; what has been printed when the signal comes; all of stdout, and of stderr, where `...` is anything, but on
/// the last line.
const STOPPED: &[(&str, &str, &str, &str)] = &[
    ("count 20 --engine naive -t 1", "", "", "nothing was saved; use --checkpoint FILE\n"),
    ("count 34 --symmetry half --json", "", "", "counts with --symmetry are not saved\n"),
    ("count 2-20 --engine naive", "2 0\n", "2 0\n", "nothing was saved; use --checkpoint FILE\n"),
    ("WRONG count 2-20 --engine naive", "has 1", "", "error: N = 2: found 0, but OEIS A000170 has 1\n..."),
    (
        "WRONG verify 2-20 --engine naive",
        "has 1",
        " N ...\n 2 ...\n",
        "error: N = 2: found 0, but OEIS A000170 has 1\n",
    ),
    (
        "count 22 -t 1 --json",
        "estimate",
        "",
        "`queens estimate 22` estimates the time; `--checkpoint FILE` saves the count\n...",
    ),
    ("count 22 -t 1 -q", "", "", "nothing was saved; use --checkpoint FILE\n"),
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
    // Some tallies are one too large. The half turn of N = 32, by which its count is checked, takes minutes.
    let forged = resealed(&ledger_text("count 15 --engine backtrack").replace("0\nunit", "1\nunit"));
    let n32 = made_up(32, 6);
    let stop = |(line, seen, out, err): (&str, &str, &str, &str)| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::write(path.join("forged"), &forged).unwrap();
        fs::write(path.join("n32"), &n32).unwrap();
        let wait = if line.contains("naive") { HOUR } else { 0 };
        let (terms, line) = line.split_once("WRONG ").map_or(("", line), |(_, line)| ("wrong", line));
        let mut command = waiting(shell(path, &format!("exec QUEENS {line} >out 2>err")), wait);
        command.env("QUEENS_TERMS", terms);
        let run = Running::start(command);
        let text = |name: &str| fs::read_to_string(path.join(name)).unwrap_or_default();
        match seen {
            // Once something is in it, its end is cared for.
            "draft" => until("a draft", || {
                let length = |name: &String| fs::metadata(path.join(name)).map_or(0, |about| about.len());
                files(path).iter().any(|name| name.starts_with('.') && length(name) > 0)
            }),
            "" => {
                working(&run, line);
                // Then it is in the midst of a task.
                sleep(Duration::from_millis(300));
            }
            seen => until(line, || text("out").contains(seen) || text("err").contains(seen)),
        }
        run.signal(Signal::TERM);
        let result = run.end_soon();
        assert_eq!(result.status.signal(), Some(15), "{line}: {}", text("err"));
        for (expected, name) in [(out, "out"), (err, "err")] {
            let (text, last) = (text(name), |text: &str| text.lines().last().unwrap_or_default().to_owned());
            assert!(agrees(expected, &text) && agrees(&last(expected), &last(&text)), "{line}: {text:?}");
        }
        assert!(!text("err").contains("disagreement"), "{line}: {:?}", text("err"));
        assert!(files(path).iter().eq(["err", "forged", "n32", "out"]), "{line}: {:?}", files(path));
    };
    // Some wait for a second for what is in hand.
    thread::scope(|scope| STOPPED.iter().for_each(|case| drop(scope.spawn(|| stop(*case)))));
}

/// Two counts of one folder that are stopped after a while by the same signal save themselves under names of their own, and
/// print what goes on.
#[test]
fn what_is_saved_without_being_asked_has_a_name_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let given = "count --engine backtrack -t 1 --isa portable --prefix 1 -- 16";
    let line = &given.replace("-- ", "");
    let runs = [0, 1].map(|_| Running::start(waiting(queens(folder.path(), given), WAIT)));
    let range = Running::start(waiting(queens(folder.path(), "count 16-17 --engine backtrack -t 1"), WAIT));
    // A program of the tests calls a second what is a minute.
    sleep(Duration::from_millis(1500));
    for run in &runs {
        run.signal(Signal::TERM);
    }
    let names = runs.map(|run| {
        let (id, result) = (run.id(), run.end_soon());
        let (_, out, err) = texts(&result);
        assert_eq!((result.status.signal(), out.as_str()), (Some(15), ""), "{err}");
        let (said, goes_on) = err.split_once("; the same command with --checkpoint ").expect(&err);
        let name = goes_on.strip_suffix(" resumes\n").expect(&err);
        // `queens-22-20261126T1512-4711.ledger`
        let shape: String = name.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        let zeros = "0".repeat(id.to_string().len());
        assert_eq!(shape, format!("queens-00-00000000T0000-{zeros}.ledger"));
        assert!(name.ends_with(&format!("-{id}.ledger")) && said.contains(&format!(" in {name} on ")), "{err}");
        assert!(reached(&folder.path().join(name)) > (0, 0), "{err}");
        let line = format!("{line} --checkpoint {name} --max-time 1ms");
        let (code, _, err) = ended(waiting(queens(folder.path(), &line), WAIT));
        assert!([Some(1), Some(75)].contains(&code) && !err.contains("cannot"), "{err}");
        name.to_owned()
    });
    assert_ne!(names[0], names[1]);
    range.signal(Signal::TERM);
    let (_, _, err) = texts(&range.end());
    let goes_on = "`queens count 16` with the other options and --checkpoint queens-16-....ledger resumes\n";
    assert!(agrees(&format!("saved ... in queens-16-...; {goes_on}"), &err), "{err}");
}

/// The first process of a container has no signal that would end it: it ends by the exit code that shells have for it.
#[test]
fn the_first_process_of_a_container_ends_by_its_exit_code() {
    let isolate = ["--user", "--map-root-user", "--pid", "--fork"];
    if !Command::new("unshare").args(isolate).arg("true").output().is_ok_and(|run| run.status.success()) {
        assert!(std::env::var_os("QUEENS_TEST_ALL").is_none(), "no process namespace may be made here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = format!("exec unshare {} QUEENS {COUNT}", isolate.join(" "));
    let outer = Running::begin(folder.path(), waiting(shell(folder.path(), &script), WAIT));
    let inner = fs::read_to_string(format!("/proc/{0}/task/{0}/children", outer.id())).unwrap();
    kill_process(Pid::from_raw(inner.trim().parse().unwrap()).unwrap(), Signal::TERM).unwrap();
    let (code, out, err) = texts(&outer.end_soon());
    assert_eq!((code, out.as_str()), (Some(143), ""), "{err}");
    assert!(err.contains("saved "), "{err}");
}
