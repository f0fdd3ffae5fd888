//! Files of a run that are read, moved, deleted, private or on a full disk, and outputs whose reader leaves.

use std::fs;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::common::{
    COUNT, DELAY, HOUR, Running, delay, files, finish, ledger_text, made_up, matches, output, queens, reached, read,
    shell, texts, total, unfinished, wait_for,
};

#[test]
fn a_checkpoint_can_be_read_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c");
    let run = Running::begin(folder.path(), delay(queens(folder.path(), COUNT), DELAY));
    let (mut before, mut growths) = ((0, 0), 0);
    wait_for("saves with more units", || {
        // Many times, to read it during saves; this fails if the file is missing or damaged.
        for _ in 0..20 {
            let found = read(&file).reached();
            assert!(found >= before);
            growths += usize::from(found > before);
            before = found;
        }
        growths >= 5
    });
    let (code, out, err) = output(folder.path(), "merge c");
    assert_eq!((code, out.as_str()), (Some(4), ""), "the file of a run can be read: {err}");
    fs::remove_file(&file).unwrap();
    wait_for("another save", || file.exists());
    assert!(reached(&file) >= before, "the new file has everything");
    run.signal(Signal::KILL);
    run.end();
    assert!(reached(&file) >= before);
}

/// Runs a script whose `QUEENS` respects the modes of files, even if the tests run as root.
fn without_privileges(folder: &Path, script: &str) -> (Option<i32>, String, String) {
    let bare = "setpriv --inh-caps=-all --bounding-set=-dac_override,-dac_read_search QUEENS";
    let queens = if rustix::process::geteuid().is_root() { bare } else { "QUEENS" };
    finish(shell(folder, &script.replace("QUEENS", queens)))
}

/// A read-only lock file is enough, a complete file needs no lock, and errors name the file that cannot be written.
#[test]
fn unwritable_paths_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let script = "umask 0277; QUEENS count 9 --checkpoint c -q; QUEENS count 9 --checkpoint c -q; ls -l .c.lock";
    let (code, out, err) = without_privileges(folder.path(), script);
    assert!(code == Some(0) && out.starts_with("352\n352\n-rw"), "{out}{err}");
    let line = "QUEENS count 9 --checkpoint d -q";
    let result = without_privileges(folder.path(), &format!("{line}; rm d; chmod 444 .d.lock; {line}"));
    assert_eq!(result, (Some(0), "352\n352\n".to_owned(), String::new()));
    let script =
        "rm .c.lock; chmod 555 .; QUEENS count 9 --checkpoint c -q; QUEENS count 9 --checkpoint e -q; chmod 755 .";
    let (code, out, err) = without_privileges(folder.path(), script);
    assert_eq!((code, out.as_str()), (Some(0), "352\n"), "{err}");
    assert!(err.starts_with("error: e: cannot be saved: its lock .e.lock: Permission denied"), "{err}");
    let (code, _, err) = without_privileges(folder.path(), "echo 1 >a.txt; chmod 0 a.txt; QUEENS solutions 6 -o a.txt");
    let refused = "error: cannot write a.txt: it cannot be read, so it may be a ledger: Permission denied";
    assert!(code == Some(1) && err.starts_with(refused), "{err}");
}

/// The other files are still read, and no name or content can send control characters to the terminal.
#[test]
fn unreadable_files_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let script = "QUEENS count 9 --checkpoint a -q; cp a b; mkdir lost+found; chmod 0 b lost+found
        QUEENS status . | grep -c complete; QUEENS merge . -q; echo $?; QUEENS audit . -q | grep -c detects
        QUEENS merge a b lost+found -q; echo $?; cat a | QUEENS merge /dev/stdin -q; chmod 755 lost+found";
    let (_, out, err) = without_privileges(folder.path(), script);
    assert_eq!(out, "352\n1\n352\n0\n1\n352\n1\n352\n", "{err}");
    let named =
        [" ./b: cannot be read: Permission", " ./lost+found: cannot be read: Permission", " 2 paths cannot be read"];
    assert_eq!(named.map(|text| err.matches(text).count()), [3, 3, 1], "{err}");
    let script = r#"chmod 644 b; x=$(printf 'x\033[2Jy\302\233'); mv b "$x"; QUEENS status .; QUEENS status --json .
        QUEENS count 9 --checkpoint "$x"; echo >>"$x"; QUEENS status .; QUEENS count 9 --checkpoint "$x"; QUEENS symmetries "$x"; QUEENS count "$x"
        mv forged "$x"; QUEENS audit "$x" --share 100%"#;
    fs::write(folder.path().join("forged"), made_up(8, 100)).unwrap();
    let (_, out, err) = finish(shell(folder.path(), script));
    let all = out + &err;
    assert!(all.matches(r"x\u001b[2Jy\u009b").count() >= 8, "{err}");
    assert!(!all.contains(['\u{1b}', '\u{9b}']), "{err}");
}

/// The relative name is short, but the absolute one is longer than the system allows.
#[cfg(target_os = "linux")] // the length, and `env -C`
#[test]
fn files_in_deep_folders_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let lower = vec!["x".repeat(199); 15].join("/");
    let upper = folder.path().join(&lower);
    fs::create_dir_all(&upper).unwrap();
    let lines =
        ["count 9 --checkpoint c -q", "solutions 6 -o a.txt"].map(|line| format!("env -C {lower} QUEENS {line}; "));
    let script = format!("mkdir -p {lower}; {}", lines.map(|line| line.repeat(2)).concat());
    let (code, out, err) = finish(shell(&upper, &script));
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "352\n352\n", ""));
}

/// Files are created at the targets of links, an empty file becomes a checkpoint, and a file keeps its mode whatever the
/// umask.
#[test]
fn links_and_modes_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mkdir sub; ln -s sub/there c; ln -s sub/list a.txt; QUEENS count 9 --checkpoint c -q; QUEENS solutions 6 -o a.txt
        : >e; chmod 606 e sub/list; QUEENS count 9 --checkpoint e -q; QUEENS solutions 6 -o a.txt; QUEENS status /dev/null";
    let (code, out, err) = finish(shell(folder.path(), script));
    assert_eq!((code, out.as_str()), (Some(1), "352\n352\n"), "{err}");
    assert!(err.contains("/dev/null: not a ledger of queens"), "{err}");
    let at = |name: &str| folder.path().join(name);
    assert!(at("c").is_symlink() && at("a.txt").is_symlink());
    assert!(read(&at("sub/there")).is_complete() && read(&at("e")).is_complete());
    // Links to folders are followed, each folder once.
    let script = "mkdir r; ln -s ../sub r/one; ln -s . r/self; ln -s . r/twice; QUEENS status r | grep -c complete; QUEENS merge r -q";
    assert_eq!(finish(shell(folder.path(), script)), (Some(0), "1\n352\n".to_owned(), String::new()));
    assert_eq!(["e", "sub/list"].map(|name| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777), [0o606; 2]);
}

/// A limit on the size of files stands for a full disk: the first save fits, later ones do not.
#[test]
fn a_failed_save_keeps_the_count_and_the_save_before() {
    let folder = tempfile::tempdir().unwrap();
    let line = "count 14 --engine backtrack -t 2 --checkpoint c --checkpoint-every 1ms";
    let (code, out, err) = finish(shell(folder.path(), &format!("ulimit -f 0; exec QUEENS {line}")));
    assert_eq!((code, out.as_str()), (Some(1), ""), "a run that cannot save counts nothing: {err}");
    assert!(files(folder.path()).is_empty(), "temporary files are left");
    let script = format!("ulimit -f 1; exec QUEENS {line}");
    let (code, out, err) = finish(delay(shell(folder.path(), &script), 10));
    // The total is printed, but it is an error that the file lacks units.
    assert_eq!((code, out), (Some(1), total(14)), "{err}");
    // A repeated error is printed once. A save may succeed in between, because a finished unit takes less space than its part.
    let printed = err.matches("c: cannot be saved: File too large").count();
    assert!((1..5).contains(&printed) && !err.contains("c: moved"), "{err}");
    assert!(!read(&folder.path().join("c")).is_complete());
    let (code, out, err) = output(folder.path(), line);
    assert_eq!((code, out), (Some(0), total(14)), "{err}");
    // Units that are not in the file are reported as lost. Each run is longer, until its file exceeds the limit.
    let limited = |doubled: u32| {
        fs::remove_file(folder.path().join("d")).unwrap_or_default();
        let line = "QUEENS count 16 --engine backtrack -t 2 --checkpoint d --checkpoint-every 1ms --max-time";
        finish(delay(shell(folder.path(), &format!("ulimit -f 1; {line} {}ms", 250 << doubled)), 20))
    };
    let (code, _, err) = (0..9).map(limited).find(|(.., err)| err.contains("lost")).expect("a save fails");
    let words: Vec<&str> = err.rsplit("; lost: ").next().unwrap().split(' ').collect();
    let number = |at: usize| words[at].replace(',', "").parse::<usize>().unwrap();
    assert!(code == Some(1) && words[3] == "finished", "{err}");
    assert_eq!(number(0) + read(&folder.path().join("d")).finished(), number(2), "{err}");
    assert!(files(folder.path()).iter().eq(["c", "d"]), "a new file that cannot be saved is left");
}

/// Only regular files are replaced. A file that the shell has opened is appended to, and later output does not overwrite it.
#[test]
fn outputs_to_pipes_and_open_files_are_appended() {
    let folder = tempfile::tempdir().unwrap();
    for (script, expected) in [
        ("QUEENS count 8 -q --json=/dev/stdout >>log; cat log", "old\n92\n{...\"92\"...}\n"),
        ("QUEENS count 8 -q --json=/dev/stdout >log; cat log", "92\n{...\"92\"...}\n"),
        ("QUEENS count 8 -q --json=/dev/fd/3 3>>log; cat log", "92\nold\n{...\"92\"...}\n"),
        ("mkfifo p; cat p & QUEENS count 8 -q --json=p >log; wait", "{...\"92\"...}\n"),
        ("(yes; QUEENS solutions 4 -o b.txt) | QUEENS count 8 -q --json=/dev/null; cat b.txt", "92\n2413\n3142\n"),
        ("ln -s /dev/stdout a; ln -s a b.svg; QUEENS show 2413 -o b.svg >>log; cat log", "old\n...\"3\"/>\n<g..."),
        ("QUEENS count 9 -q --checkpoint c; QUEENS merge c -q -o /dev/fd/1 >log; tail -n 1 log", "352\n352\n"),
        ("QUEENS status c x --json=/dev/stderr >s 2>log || cat log", "...: x: ...\n{...}\nerror: 1 path...\n"),
        ("QUEENS count 8 --json=/dev/stdout >>c; QUEENS merge c -q", "352\n"),
        ("for o in . /dev/fd/3 /dev/fd/9; do QUEENS count 8 --json=$o 3<. && exit 1; done; :", ""),
    ] {
        fs::write(folder.path().join("log"), "old\n").unwrap();
        let (code, out, err) = finish(shell(folder.path(), script));
        assert!(code == Some(0) && matches(expected, &out), "{script}: {out}{err}");
    }
}

/// If the group cannot be kept, the new group has no more rights than other users.
#[cfg(target_os = "linux")] // setpriv
#[test]
fn files_keep_their_owner_and_group() {
    if !rustix::process::geteuid().is_root() {
        assert!(std::env::var_os("QUEENS_TEST_ALL").is_none(), "this test needs root");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("begun"), unfinished(&ledger_text("count 9"), 3)).unwrap();
    for (user, before, after) in [
        (1002, "1001:3000 640", "1002:3000 640"),
        (1002, "1001:1001 664", "1002:1002 644"),
        (1001, "1001:3000 640", "1001:3000 640"),
        (0, "1001:3000 600", "1001:3000 600"),
    ] {
        let (owner, mode) = before.split_once(' ').unwrap();
        // The program may be in a folder that only root may enter.
        let script = format!(
            "exec 9<QUEENS ; chmod 755 .; rm -rf d; mkdir d; chgrp 3000 d; chmod 770 d; cp begun d/c; cd d; echo >o
            chown {owner} c o; chmod {mode} c o; count() {{
            setpriv --reuid {user} --regid {user} --groups 3000 /proc/self/fd/9 count 9 -q \"$@\"; }}
            count --checkpoint c; count --json=o; stat -c '%u:%g %a' c o; stat -c '%g %a' .c.lock"
        );
        let (_, out, err) = finish(shell(folder.path(), &script));
        assert_eq!(out, format!("352\n352\n{after}\n{after}\n3000 660\n"), "{user}, {before}: {err}");
    }
}

/// A run that was started in the folder keeps saving there.
#[test]
fn a_folder_may_be_renamed_during_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let [before, after] = ["d", "e"].map(|name| folder.path().join(name));
    fs::create_dir(&before).unwrap();
    let count = "cd d; exec QUEENS count 20 --engine backtrack -t 1 --checkpoint-every 1ms --checkpoint c";
    let run = Running::start(shell(folder.path(), count));
    wait_for("a save", || before.join("c").exists());
    let saved = || fs::metadata(after.join("c")).unwrap().modified().unwrap();
    // Some of these moves happen during a save.
    for _ in 0..100 {
        fs::rename(&before, &after).unwrap();
        fs::create_dir(&before).unwrap();
        let there = saved();
        wait_for("the next save", || saved() > there);
        fs::remove_dir(&before).expect("an empty folder");
        fs::rename(&after, &before).unwrap();
    }
    run.signal(Signal::TERM);
    let (_, _, err) = texts(&run.end());
    assert!(matches("saved ... in c; the same command resumes\n", &err), "{err}");
}

/// The new file is in the current folder or, failing that, in the one for temporary files. Merged with the old file, the
/// run counts once.
#[test]
fn a_run_whose_file_is_lost_saves_to_a_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let start = |script: &str| {
        fs::create_dir(path.join("d")).unwrap();
        let script = script.replace("COUNT", "QUEENS count 14 --engine backtrack -t 1 --checkpoint-every 1ms");
        let run = Running::start(delay(shell(path, &script), 20));
        wait_for("a unit", || reached(&path.join("d/c")) > (0, 0));
        run
    };
    let run = start("exec COUNT --checkpoint d/c");
    fs::rename(path.join("d"), path.join("e")).unwrap();
    run.signal(Signal::TERM);
    let result = run.end();
    let (_, out, err) = texts(&result);
    assert_eq!((result.status.signal(), out.as_str()), (Some(15), ""), "{err}");
    let expected = "saved ... units... in queens-14-....ledger on ...; the same command with --checkpoint queens-14-....ledger \
        resumes\nerror: d/c: cannot be saved: no such folder\n";
    assert!(matches(&format!("...{expected}"), &err), "{err}");
    let name = err.split("--checkpoint ").nth(1).unwrap().split(' ').next().unwrap();
    let (file, copy) = (read(&path.join("e/c")), read(&path.join(name)));
    let both = file.merge(copy.clone()).unwrap();
    assert_eq!((both.runs().len(), both.reached(), both.elapsed()), (1, copy.reached(), copy.elapsed()));
    let line = format!("count 14 --engine backtrack -t 1 --checkpoint {name} --max-time 1ms");
    let (_, _, err) = finish(delay(queens(path, &line), 20));
    assert!(err.starts_with("saved ") && err.contains(" in queens-14-"), "{line}: {err}");
    // A shard is saved to the new file, or its units are lost. Nothing can be written in a deleted folder. Another failure
    // is reported beside that of the save.
    for (variables, options, code, expected) in [
        ("TMPDIR=$PWD", "--shard 1/4", 1, "the complete shard is in /...queens-14-...\nSHARD\nERROR\n"),
        ("TMPDIR=$PWD/none", "--shard 1/4", 1, "SHARD\nERROR; lost: ... units\n"),
        ("TMPDIR=$PWD QUEENS_TERMS=wrong", "", 3, "ERROR\nerror: N = 14: found 365596, ...\n"),
        ("QUEENS_FAULT=expand@0 QUEENS_HOUR=200", "--shard 1/4", 3, "ERROR; lost: ...\nerror: self-check failed...\n"),
    ] {
        let run = start(&format!("export {variables}; cd d; exec COUNT {options} --checkpoint c"));
        wait_for("the folder is deleted", || fs::remove_dir_all(path.join("d")).is_ok());
        let (found, out, err) = texts(&run.end());
        assert_eq!((found, out.as_str()), (Some(code), ""), "{err}");
        let expected = expected.replace("SHARD", "shard 1/4 has 91928 solutions");
        let expected = expected.replace("ERROR", "error: c: moved, or replaced by another file");
        assert!(matches(&format!("...{expected}"), &err), "{err}");
    }
}

/// Results that cannot be written completely are an error.
#[cfg(target_os = "linux")] // /dev/full
#[test]
fn writing_to_a_full_disk_fails() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(output(folder.path(), "count 9 --checkpoint c -q").0, Some(0));
    assert_eq!(output(folder.path(), "count 9 --shard 1/2 --checkpoint s -q").0, Some(0));
    let lines = "count 8|count 0-9|solutions 9|show 158|status c|merge c|audit c|estimate 6 --max-time 1m|verify 4|
        bench 6 --runs 1|symmetries 2413|completions bash|man|--help|count --help|--version|count 8 --json=/dev/full";
    let objects =
        "count 8|count 0-9|status c|merge c|audit c|estimate 6 --max-time 1m|verify 4|bench 6 --runs 1|symmetries 2413";
    let with_file = objects.split('|').map(|line| format!("{line} --json=o"));
    for line in lines.split('|').map(|line| line.trim().to_owned()).chain(with_file) {
        let script = format!("QUEENS {line} >/dev/full");
        let (code, _, err) = finish(shell(folder.path(), &script));
        assert_eq!(code, Some(1), "{line}");
        assert!(err.contains("No space left") && err.contains("/full") == line.contains("/full"), "{line}: {err}");
    }
    // Both errors are printed, and the worse one decides the exit code.
    for (code, line, error) in [
        (3, "count 7-8", "in 2 results"),
        (3, "verify 7", "disagreement with OEIS"),
        (3, "estimate 7 --max-time 1m", "in 1 result"),
        (1, "status c none", "1 path cannot be read"),
        (1, "audit c none", "1 path cannot be read"),
        (4, "merge s -o m", "cannot write m: File too large"),
    ] {
        let mut command = shell(folder.path(), &format!("ulimit -f 0; QUEENS {line} --json=o"));
        command.env("QUEENS_TERMS", "wrong");
        let (found, _, err) = finish(command);
        let are_printed = err.contains(error) && err.contains("cannot write o: File too large");
        assert!(found == Some(code) && are_printed, "{line}: {err}");
    }
}

/// Closing stdout early is fine for a list or a table, and an error for any other result.
#[test]
fn only_lists_may_end_early() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(output(folder.path(), "count 9 --checkpoint c -q").0, Some(0));
    let lists = "solutions 9|symmetries 2413|count 0-4|verify 4|estimate 6|status c|man|
        bench 6 --runs 1|completions bash";
    let others = "show 158|solutions 9 --format svg|count 8|count 8 --json|verify 4 --json=o.json|count 0-4 --json|verify 4 --json|merge c|audit c|status c --json|symmetries 2413 --json";
    for (code, error, lines) in
        [(0, "", lists), (1, "roken pipe", others), (1, "1 path cannot be read", "status c none")]
    {
        for line in lines.split('|') {
            let (pipe, socket) = (std::io::pipe().unwrap().1, OwnedFd::from(UnixStream::pair().unwrap().0));
            for stdout in [Stdio::from(pipe), socket.into()] {
                let mut command = queens(folder.path(), line);
                command.stdout(stdout);
                let (found, _, err) = finish(command);
                let is_printed = err.contains(error) && err.contains("roken pipe") == (error == "roken pipe");
                assert!(found == Some(code) && is_printed, "{line}: {found:?} {err}");
            }
        }
    }
}

/// A run that waited a second for each line would take 31 seconds.
#[cfg(target_os = "linux")] // the size of a pipe
#[test]
fn a_blocked_stderr_delays_a_run_once() {
    let (_reader, mut pipe) = std::io::pipe().unwrap();
    std::io::Write::write_all(&mut pipe, &vec![b' '; 1 << 16]).unwrap();
    let mut command = queens(Path::new("."), "count 1-30 --symmetry quarter");
    command.env("QUEENS_TERMS", "wrong").stderr(pipe);
    let begun = Instant::now();
    assert_eq!(finish(command).0, Some(3));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

/// Results are written at once, without waiting for a full buffer. A command whose reader has left ends at once, although
/// its second board would take hours.
#[test]
fn a_list_ends_with_its_reader() {
    let folder = tempfile::tempdir().unwrap();
    for (script, lines) in [
        ("QUEENS solutions 20 --skip 1000000000000 | true", 0),
        ("QUEENS bench 2 20 --engine naive -t 1 --runs 1 --isa portable | grep -m 1 ' 2  naive'", 1),
    ] {
        let (code, out, _) = texts(&Running::start(delay(shell(folder.path(), script), HOUR)).end_soon());
        assert_eq!((code, out.lines().count()), (Some(0), lines), "{script}");
    }
    let (mut reader, stdout) = std::io::pipe().unwrap();
    let mut command = queens(folder.path(), "solutions 32");
    command.stdout(stdout);
    let (run, mut buffer) = (Running::start(command), vec![0; 1 << 16]);
    let length = reader.read(&mut buffer).unwrap();
    assert!((1..1 << 15).contains(&length), "{length} bytes at first");
    drop(reader);
    assert_eq!(run.end_soon().status.code(), Some(0));
    // The reader of a socket leaves with or without unread data.
    for (line, last) in [("solutions 10", "1"), ("bench 2 20 --engine naive -t 1 --runs 1", "1.00\n")] {
        let (mut reader, stdout) = UnixStream::pair().unwrap();
        let mut command = delay(queens(folder.path(), line), HOUR);
        command.stdout(OwnedFd::from(stdout));
        let (run, mut shown) = (Running::start(command), Vec::new());
        while !shown.ends_with(last.as_bytes()) {
            shown.push(0);
            reader.read_exact(shown.last_mut().map(std::slice::from_mut).unwrap()).unwrap();
        }
        drop(reader);
        assert_eq!(texts(&run.end_soon()), (Some(0), String::new(), String::new()), "{line}");
    }
}

/// The limit of memory at which threads no longer start depends on the machine.
#[cfg(target_os = "linux")] // the limit
#[test]
fn threads_that_cannot_start_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let expected =
        "error: could not start the threads: Resource temporarily unavailable (os error 11); try fewer with -t\n";
    let is_reported = |megabytes: u32| {
        let script = format!("ulimit -c 0; ulimit -v {megabytes}000; exec QUEENS count 12 -t 16 -q");
        finish(shell(folder.path(), &script)) == (Some(1), String::new(), expected.to_owned())
    };
    assert!((40..400).step_by(4).any(is_reported));
}
