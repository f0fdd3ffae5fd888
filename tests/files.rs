//! What becomes of files beside a run: read, deleted, full, private and those of others.

use std::fs;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::common::{
    COUNT, HOUR, Running, WAIT, agrees, ended, files, ledger_text, made_up, output, queens, reached, read, shell,
    texts, total, unfinished, until, waiting,
};

#[test]
fn a_checkpoint_is_whole_at_every_moment() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c");
    let run = Running::begin(folder.path(), waiting(queens(folder.path(), COUNT), WAIT));
    let (mut before, mut growths) = ((0, 0), 0);
    until("saves with more units", || {
        // Many times a look, to meet every moment of a save; fails where the file is not there or not whole.
        for _ in 0..20 {
            let found = read(&file).reached();
            assert!(found >= before);
            growths += usize::from(found > before);
            before = found;
        }
        growths >= 5
    });
    let (code, out, err) = output(folder.path(), "merge c");
    assert_eq!((code, out.as_str()), (Some(4), ""), "a live one can be read: {err}");
    symlink("c", folder.path().join("link")).unwrap();
    let (code, out, err) = output(folder.path(), &COUNT.replace(" c ", " link "));
    assert_eq!((code, out.as_str()), (Some(1), ""), "nobody else saves in it, by whatever name");
    assert!(err.contains("link: in use by another run"), "{err}");
    fs::remove_file(&file).unwrap();
    until("another save", || file.exists());
    assert!(reached(&file) >= before, "nothing is missing in the new one");
    run.signal(Signal::KILL);
    run.end();
    assert!(reached(&file) >= before);
}

/// Again and again, and not more often than it was told: two saves come before the first interval.
#[test]
fn a_checkpoint_is_saved_once_an_interval() {
    const INTERVAL: Duration = Duration::from_millis(200);
    let folder = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let run = Running::start(waiting(queens(folder.path(), &COUNT.replace("5ms", "200ms")), WAIT));
    let (mut last, mut saves) = (0, 0);
    until("three saves more", || {
        let found = fs::metadata(folder.path().join("c")).map_or(last, |about| about.ino());
        saves += u32::from(found != last);
        last = found;
        saves >= 5
    });
    assert!(begun.elapsed() > 2 * INTERVAL, "{:?}", begun.elapsed());
    drop(run);
}

/// The program without what root may do: root may read and write whatever the modes are.
fn restrained(folder: &Path, script: &str) -> (Option<i32>, String, String) {
    let bare = "setpriv --inh-caps=-all --bounding-set=-dac_override,-dac_read_search QUEENS";
    let queens = if rustix::process::geteuid().is_root() { bare } else { "QUEENS" };
    ended(shell(folder, &script.replace("QUEENS", queens)))
}

/// A lock that may only be read is locked, a folder that may not be written is no reason not to tell a total, and what stands
/// in the way is named.
#[test]
fn what_may_not_be_written_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        "umask 0777; QUEENS count 9 --checkpoint c -q; chmod 644 c; QUEENS count 9 --checkpoint c -q; ls -l .c.lock";
    let (code, out, err) = restrained(folder.path(), script);
    assert!(code == Some(0) && out.starts_with("352\n352\n-rw"), "{out}{err}");
    let line = "QUEENS count 9 --checkpoint d -q";
    let told = restrained(folder.path(), &format!("{line}; rm d; chmod 444 .d.lock; {line}"));
    assert_eq!(told, (Some(0), "352\n352\n".to_owned(), String::new()));
    let script =
        "rm .c.lock; chmod 555 .; QUEENS count 9 --checkpoint c -q; QUEENS count 9 --checkpoint e -q; chmod 755 .";
    let (code, out, err) = restrained(folder.path(), script);
    assert_eq!((code, out.as_str()), (Some(0), "352\n"), "{err}");
    assert!(err.starts_with("error: e: cannot be saved: its lock .e.lock: Permission denied"), "{err}");
    let (code, _, err) = restrained(folder.path(), "echo 1 >a.txt; chmod 0 a.txt; QUEENS solutions 6 -o a.txt");
    let refused = "error: cannot write a.txt: it cannot be read, so it may be a ledger: Permission denied";
    assert!(code == Some(1) && err.starts_with(refused), "{err}");
}

/// What cannot be read is named, and hides nothing else; so in a folder with files of others, where no name and no content
/// writes to the terminal what it likes.
#[test]
fn strange_files_hide_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let script = "QUEENS count 9 --checkpoint a -q; cp a b; mkdir lost+found; chmod 0 b lost+found
        QUEENS status . | grep -c complete; QUEENS merge . -q; echo $?; QUEENS audit . -q | grep -c detects
        QUEENS merge a b lost+found -q; echo $?; cat a | QUEENS merge /dev/stdin -q; chmod 755 lost+found";
    let (_, out, err) = restrained(folder.path(), script);
    assert_eq!(out, "352\n1\n352\n0\n1\n352\n1\n352\n", "{err}");
    let named =
        [" ./b: cannot be read: Permission", " ./lost+found: cannot be read: Permission", " 2 paths cannot be read"];
    assert_eq!(named.map(|text| err.matches(text).count()), [3, 3, 1], "{err}");
    let script = r#"chmod 644 b; x=$(printf 'x\033[2Jy\302\233'); mv b "$x"; QUEENS status .; QUEENS status --json .
        QUEENS count 8 --checkpoint "$x"; echo >>"$x"; QUEENS status .; QUEENS count 9 --checkpoint "$x"; QUEENS symmetries "$x"; QUEENS count "$x"
        mv forged "$x"; QUEENS audit "$x" --share 100%"#;
    fs::write(folder.path().join("forged"), made_up(8, 100)).unwrap();
    let (_, out, err) = ended(shell(folder.path(), script));
    let all = out + &err;
    assert!(all.matches(r"x\u001b[2Jy\u009b").count() >= 8, "{err}");
    assert!(!all.contains(['\u{1b}', '\u{9b}']), "{err}");
}

/// A name that is short where the program runs, in a folder whose whole name is longer than the system takes.
#[cfg(target_os = "linux")] // the length, and `env -C`
#[test]
fn files_in_deep_folders_are_saved_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let lower = vec!["x".repeat(199); 15].join("/");
    let upper = folder.path().join(&lower);
    fs::create_dir_all(&upper).unwrap();
    let lines =
        ["count 9 --checkpoint c -q", "solutions 6 -o a.txt"].map(|line| format!("env -C {lower} QUEENS {line}; "));
    let script = format!("mkdir -p {lower}; {}", lines.map(|line| line.repeat(2)).concat());
    let (code, out, err) = ended(shell(&upper, &script));
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "352\n352\n", ""));
}

/// Files are made where links lead; an empty one is begun; what some may read or write stays so, whatever the umask; what is no ledger is not damaged.
#[test]
fn links_and_private_files_stay_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mkdir sub; ln -s sub/there c; ln -s sub/list a.txt; QUEENS count 9 --checkpoint c -q; QUEENS solutions 6 -o a.txt
        : >e; chmod 606 e sub/list; QUEENS count 9 --checkpoint e -q; QUEENS solutions 6 -o a.txt; QUEENS status /dev/null";
    let (code, out, err) = ended(shell(folder.path(), script));
    assert_eq!((code, out.as_str()), (Some(1), "352\n352\n"), "{err}");
    assert!(err.contains("/dev/null: not a ledger of queens"), "{err}");
    let at = |name: &str| folder.path().join(name);
    assert!(at("c").is_symlink() && at("a.txt").is_symlink());
    assert!(read(&at("sub/there")).is_complete() && read(&at("e")).is_complete());
    // Links to folders are followed, each folder once.
    let script = "mkdir r; ln -s ../sub r/one; ln -s . r/self; ln -s . r/twice; QUEENS status r | grep -c complete; QUEENS merge r -q";
    assert_eq!(ended(shell(folder.path(), script)), (Some(0), "1\n352\n".to_owned(), String::new()));
    assert_eq!(["e", "sub/list"].map(|name| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777), [0o606; 2]);
}

/// A quota on the size of files stands for a full disk: the first save fits, later ones do not.
#[test]
fn a_failed_save_neither_stops_the_count_nor_harms_the_save_before() {
    let folder = tempfile::tempdir().unwrap();
    let line = "count 14 --engine backtrack -t 2 --checkpoint c --checkpoint-every 1ms";
    let (code, out, err) = ended(shell(folder.path(), &format!("ulimit -f 0; exec QUEENS {line}")));
    assert_eq!((code, out.as_str()), (Some(1), ""), "nothing is counted that cannot be saved: {err}");
    assert!(files(folder.path()).is_empty(), "nothing is left lying about");
    let script = format!("ulimit -f 1; exec QUEENS {line}");
    let (code, out, err) = ended(waiting(shell(folder.path(), &script), 10));
    // The total is printed; that the file has only a part of it is a failure.
    assert_eq!((code, out), (Some(1), total(14)), "{err}");
    // What repeats is told once. A unit's line is shorter than that of its part, so that a save may succeed in between.
    let told = err.matches("c: cannot be saved: File too large").count();
    assert!((1..5).contains(&told) && !err.contains("c: moved"), "{err}");
    assert!(!read(&folder.path().join("c")).is_complete());
    let (code, out, err) = output(folder.path(), line);
    assert_eq!((code, out), (Some(0), total(14)), "{err}");
    // Lost is what the file lacks. Longer and longer, until it may not grow any more.
    let limited = |doubled: u32| {
        fs::remove_file(folder.path().join("d")).unwrap_or_default();
        let line = "QUEENS count 16 --engine backtrack -t 2 --checkpoint d --checkpoint-every 1ms --max-time";
        ended(waiting(shell(folder.path(), &format!("ulimit -f 1; {line} {}ms", 250 << doubled)), 20))
    };
    let (code, _, err) = (0..9).map(limited).find(|(.., err)| err.contains("lost")).expect("a save fails");
    let words: Vec<&str> = err.rsplit("; lost: ").next().unwrap().split(' ').collect();
    let number = |at: usize| words[at].replace(',', "").parse::<usize>().unwrap();
    assert!(code == Some(1) && words[3] == "finished", "{err}");
    assert_eq!(number(0) + read(&folder.path().join("d")).finished(), number(2), "{err}");
}

/// Only an ordinary file is replaced. What the shell has opened is appended to, and nothing that comes later overwrites it.
#[test]
fn outputs_are_appended_to_what_is_no_ordinary_file() {
    let folder = tempfile::tempdir().unwrap();
    for (script, expected) in [
        ("QUEENS count 8 -q --json=/dev/stdout >>log; cat log", "old\n92\n{...\"92\"...}\n"),
        ("QUEENS count 8 -q --json=/dev/stdout >log; cat log", "92\n{...\"92\"...}\n"),
        ("QUEENS count 8 -q --json=/dev/fd/3 3>>log; cat log", "92\nold\n{...\"92\"...}\n"),
        ("mkfifo p; cat p & QUEENS count 8 -q --json=p >log; wait", "{...\"92\"...}\n"),
        ("QUEENS count 8 -q --json=/dev/null", "92\n"),
        ("ln -s /dev/stdout a.txt; QUEENS solutions 4 -o a.txt >>log; cat log", "old\n2413\n3142\n"),
        ("QUEENS count 9 -q --checkpoint c; QUEENS merge c -q -o /dev/stdout >log; tail -n 1 log", "352\n352\n"),
        ("QUEENS status c x --json=/dev/stderr >s 2>log || cat log", "...: x: ...\n{...}\nerror: 1 path...\n"),
        ("QUEENS count 8 --json=/dev/stdout >>c; QUEENS merge c -q", "352\n"),
        ("for o in . /dev/fd/3 /dev/fd/9; do QUEENS count 8 --json=$o 3<. && exit 1; done; :", ""),
    ] {
        fs::write(folder.path().join("log"), "old\n").unwrap();
        let (code, out, err) = ended(shell(folder.path(), script));
        assert!(code == Some(0) && agrees(expected, &out), "{script}: {out}{err}");
    }
}

/// Whoever resumes another's file, or replaces an output, leaves it to its owner and its group. A group that cannot be kept may
/// do what all others may.
#[cfg(target_os = "linux")] // setpriv
#[test]
fn files_keep_their_owner_and_group() {
    if !rustix::process::geteuid().is_root() {
        assert!(std::env::var_os("QUEENS_TEST_ALL").is_none(), "only root can be several users");
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
        // The program may lie where only root may go.
        let script = format!(
            "exec 9<QUEENS; chmod 755 .; rm -rf d; mkdir d; chgrp 3000 d; chmod 770 d; cp begun d/c; cd d; echo >o
            chown {owner} c o; chmod {mode} c o; count() {{
            setpriv --reuid {user} --regid {user} --groups 3000 /proc/self/fd/9 count 9 -q \"$@\"; }}
            count --checkpoint c; count --json=o; stat -c '%u:%g %a' c o; stat -c '%g %a' .c.lock"
        );
        let (_, out, err) = ended(shell(folder.path(), &script));
        assert_eq!(out, format!("352\n352\n{after}\n{after}\n3000 660\n"), "{user}, {before}: {err}");
    }
}

/// A run goes on saving in its folder, whatever that is called meanwhile, if it was started there.
#[test]
fn a_folder_may_be_moved_with_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let [before, after] = ["d", "e"].map(|name| folder.path().join(name));
    fs::create_dir(&before).unwrap();
    let count = "cd d; exec QUEENS count 20 --engine backtrack -t 1 --checkpoint-every 1ms --checkpoint c";
    let run = Running::start(shell(folder.path(), count));
    until("a save", || before.join("c").exists());
    let saved = || fs::metadata(after.join("c")).unwrap().modified().unwrap();
    // At some of so many moments it is just saving.
    for _ in 0..100 {
        fs::rename(&before, &after).unwrap();
        fs::create_dir(&before).unwrap();
        let there = saved();
        until("the next", || saved() > there);
        fs::remove_dir(&before).expect("nothing is saved there");
        fs::rename(&after, &before).unwrap();
    }
    run.signal(Signal::TERM);
    let (_, _, err) = texts(&run.end());
    assert!(agrees("saved ... in c; the same command resumes\n", &err), "{err}");
}

/// What cannot be saved in its file is saved here, or else where temporary files are. That is the same run, so that it counts
/// once where both are merged.
#[test]
fn what_cannot_be_saved_in_its_file_is_saved_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let begun = |script: &str| {
        fs::create_dir(path.join("d")).unwrap();
        let script = script.replace("COUNT", "QUEENS count 14 --engine backtrack -t 1 --checkpoint-every 1ms");
        let run = Running::start(waiting(shell(path, &script), 20));
        until("a unit", || reached(&path.join("d/c")) > (0, 0));
        run
    };
    let run = begun("exec COUNT --checkpoint d/c");
    fs::rename(path.join("d"), path.join("e")).unwrap();
    run.signal(Signal::TERM);
    let result = run.end();
    let (_, out, err) = texts(&result);
    assert_eq!((result.status.signal(), out.as_str()), (Some(15), ""), "{err}");
    let said = "saved ... units... in queens-14-....ledger on ...; the same command with --checkpoint queens-14-....ledger \
        resumes\nerror: d/c: cannot be saved: no such folder\n";
    assert!(agrees(&format!("...{said}"), &err), "{err}");
    let name = err.split("--checkpoint ").nth(1).unwrap().split(' ').next().unwrap();
    let (file, copy) = (read(&path.join("e/c")), read(&path.join(name)));
    let both = file.merge(copy.clone()).unwrap();
    assert_eq!((both.runs().len(), both.reached(), both.elapsed()), (1, copy.reached(), copy.elapsed()));
    let line = format!("count 14 --engine backtrack -t 1 --checkpoint {name} --max-time 1ms");
    let (_, _, err) = ended(waiting(queens(path, &line), 20));
    assert!(err.starts_with("saved ") && err.contains(" in queens-14-"), "{line}: {err}");
    // The part of a shard is in the copy, or else on stderr. Nobody can write in a folder that is gone.
    for (temporary, saved) in [(".", "...\nthe complete shard is in /...queens-14-...\n"), ("none", "...\n")] {
        let script = format!("export TMPDIR=$PWD/{temporary}; cd d; exec COUNT --shard 1/4 --checkpoint c");
        let run = begun(&script);
        until("no folder", || fs::remove_dir_all(path.join("d")).is_ok());
        let (code, out, err) = texts(&run.end());
        assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
        let lost = if temporary == "none" { "; lost: ... units" } else { "" };
        let told = format!("{saved}shard 1/4 has ... solutions\nerror: c: moved, or replaced by another file{lost}\n");
        assert!(agrees(&told, &err), "{err}");
    }
}

/// A result that could not be written whole is a failure; a reader who has enough is none.
#[cfg(target_os = "linux")] // /dev/full
#[test]
fn full_outputs_fail_and_closed_ones_do_not() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(output(folder.path(), "count 9 --checkpoint c -q").0, Some(0));
    let lines = "count 8|count 0-9|solutions 9|show 158|status c|merge c|audit c|estimate 6 --max-time 1m|verify 4|
        bench 6 --runs 1|symmetries 2413|completions bash|man|--help|count --help|--version";
    let objects =
        "count 8|count 0-9|status c|merge c|audit c|estimate 6 --max-time 1m|verify 4|bench 6 --runs 1|symmetries 2413";
    let with_file = objects.split('|').map(|line| format!("{line} --json=o"));
    for line in lines.split('|').map(|line| line.trim().to_owned()).chain(with_file) {
        let script = format!("QUEENS {line} >/dev/full");
        let (code, _, err) = ended(shell(folder.path(), &script));
        assert_eq!(code, Some(1), "{line}");
        assert!(err.contains("No space left"), "{line}: {err}");
    }
    // Of two failures both are told, and the worst decides.
    for (code, line, told) in [
        (3, "count 7-8", "in 2 results"),
        (3, "verify 7", "disagreement with OEIS"),
        (3, "estimate 7 --max-time 1m", "in 1 result"),
        (1, "status c none", "1 path cannot be read"),
        (1, "audit c none", "1 path cannot be read"),
    ] {
        let mut command = shell(folder.path(), &format!("ulimit -f 0; QUEENS {line} --json=o"));
        command.env("QUEENS_TERMS", "wrong");
        let (found, _, err) = ended(command);
        let is_told = err.contains(told) && err.contains("cannot write o: File too large");
        assert!(found == Some(code) && is_told, "{line}: {err}");
    }
}

/// A reader who closes stdout has enough of a list or a table, and has lost any other result.
#[test]
fn only_lists_may_end_early() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(output(folder.path(), "count 9 --checkpoint c -q").0, Some(0));
    let lists = "solutions 9|symmetries 2413|count 0-4|verify 4|estimate 6|status c|man|
        bench 6 --runs 1|completions bash";
    let others = "show 158|solutions 9 --format svg|count 8|count 8 --json|verify 4 --json=o.json|count 0-4 --json|verify 4 --json|merge c|audit c|status c --json|symmetries 2413 --json";
    for (code, said, lines) in
        [(0, "", lists), (1, "roken pipe", others), (1, "1 path cannot be read", "status c none")]
    {
        for line in lines.split('|') {
            let (pipe, socket) = (std::io::pipe().unwrap().1, OwnedFd::from(UnixStream::pair().unwrap().0));
            for stdout in [Stdio::from(pipe), socket.into()] {
                let mut command = queens(folder.path(), line);
                command.stdout(stdout);
                let (found, _, err) = ended(command);
                let is_lost = said == "roken pipe";
                let is_said = err.contains(said) && err.contains("roken pipe") == is_lost;
                assert!(found == Some(code) && is_said, "{line}: {found:?} {err}");
            }
        }
    }
}

/// Each of 31 lines would wait for a second.
#[cfg(target_os = "linux")] // the size of a pipe
#[test]
fn who_does_not_read_stderr_delays_it_once() {
    let (_reader, mut pipe) = std::io::pipe().unwrap();
    std::io::Write::write_all(&mut pipe, &vec![b' '; 1 << 16]).unwrap();
    let mut command = queens(Path::new("."), "count 1-30 --symmetry quarter");
    command.env("QUEENS_TERMS", "wrong").stderr(pipe);
    let begun = Instant::now();
    assert_eq!(ended(command).0, Some(3));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

/// What is found is written at once, not in full pieces, and whoever has enough waits for nothing: the second of these boards takes
/// hours.
#[test]
fn a_list_ends_with_its_reader() {
    let folder = tempfile::tempdir().unwrap();
    for (script, lines) in [
        ("QUEENS solutions 20 --skip 1000000000000 | true", 0),
        ("QUEENS bench 2 20 --engine naive -t 1 --runs 1 --isa portable | grep -m 1 ' 2  naive'", 1),
    ] {
        let (code, out, _) = texts(&Running::start(waiting(shell(folder.path(), script), HOUR)).end_soon());
        assert_eq!((code, out.lines().count()), (Some(0), lines), "{script}");
    }
    let (mut reader, stdout) = std::io::pipe().unwrap();
    let mut command = queens(folder.path(), "solutions 32");
    command.stdout(stdout);
    let (run, mut piece) = (Running::start(command), vec![0; 1 << 16]);
    let length = reader.read(&mut piece).unwrap();
    assert!((1..1 << 15).contains(&length), "{length} bytes at first");
    drop(reader);
    assert_eq!(run.end_soon().status.code(), Some(0));
    // The reader of a socket has left something unread, or nothing.
    for (line, last) in [("solutions 10", "1"), ("bench 2 20 --engine naive -t 1 --runs 1", "1.00\n")] {
        let (mut reader, stdout) = UnixStream::pair().unwrap();
        let mut command = waiting(queens(folder.path(), line), HOUR);
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

/// Where there is too little memory for so many threads, fewer are advised. How little that is depends on the machine.
#[cfg(target_os = "linux")] // the limit
#[test]
fn threads_that_cannot_start_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let told =
        "error: could not start the threads: Resource temporarily unavailable (os error 11); try fewer with -t\n";
    let is_told = |megabytes: u32| {
        let script = format!("ulimit -c 0; ulimit -v {megabytes}000; exec QUEENS count 12 -t 16 -q");
        ended(shell(folder.path(), &script)) == (Some(1), String::new(), told.to_owned())
    };
    assert!((40..400).step_by(4).any(is_told));
}
