//! The bar, on a terminal as a person has one: it shows how far a run is, ^C ends it, and ^S holds up nothing.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use queens::EngineKind;
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::common::{
    ENDLESS, HOUR, Running, agrees, alone, let_signals_arrive, made_up, made_up_by, read, unfinished, waiting,
    with_program,
};
use crate::shown::{agree, shown};

/// A script in the foreground of a terminal of its own, where QUEENS is the program, [`waiting`] for so many milliseconds, and the
/// other end of that terminal.
fn at_terminal(folder: &Path, script: &str, wait: u32) -> (File, Running) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    tcsetwinsize(&master, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let terminal = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let_signals_arrive();
    let mut command = Command::new("setsid");
    command.args(["--ctty", "sh", "-c", &with_program(script)]).current_dir(folder).env("TERM", "xterm");
    let end = || terminal.try_clone().unwrap();
    alone(&mut command);
    command.stdin(end()).stdout(end()).stderr(end());
    (master.into(), Running::start(waiting(command, wait)))
}

/// Reads what is shown up to this text, or else to the end.
fn shown_until(master: &mut File, text: &str) -> String {
    let mut shown = String::new();
    while !shown.contains(text) {
        let mut piece = [0; 4096];
        let Ok(read) = master.read(&mut piece) else { break };
        shown += &String::from_utf8_lossy(&piece[..read]);
    }
    shown
}

/// A bar as it was shown last, `N = 20  [=====>    ]  50%  86 of 171`: its title, its length, its percent, and what is beside it.
fn bar(shown: &str) -> (&str, f64, f64, &str) {
    let line = shown.rsplit(['\r', '\n', 'K']).find(|line| line.contains('%')).expect(shown);
    let (title, rest) = line.split_once("  [").expect(line);
    let (drawn, rest) = rest.split_once(']').expect(line);
    let (percent, beside) = rest.split_once('%').expect(line);
    let length = drawn.matches('=').count() as f64 / drawn.chars().count() as f64;
    (title, 100.0 * length, percent.trim().parse().unwrap(), beside.trim())
}

#[test]
fn a_bar_shows_how_far_it_is_until_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    // Of this engine each unit has one task.
    let begun = unfinished(&made_up_by(EngineKind::Naive, 20, 0), 86);
    fs::write(folder.path().join("c"), begun).unwrap();
    let (mut master, run) = at_terminal(folder.path(), &format!("exec QUEENS {ENDLESS}"), HOUR);
    let shown = shown_until(&mut master, "of 171");
    let (title, length, percent, beside) = bar(&shown);
    assert!((title, percent, beside) == ("N = 20", 50.0, "86 of 171") && (45.0..=55.0).contains(&length), "{shown:?}");
    master.write_all(b"\x03").unwrap();
    let said = shown_until(&mut master, "the same command resumes");
    assert_eq!(run.end().status.signal(), Some(2));
    // The bar is gone before the last word.
    assert!(said.contains("\u{1b}[2Ksaved 86 of 171 units in c;"), "{said:?}");
}

/// What has no end that is known shows how long it has worked, without the time that ^Z has taken.
#[test]
fn a_stopped_process_does_not_work() {
    let (folder, begun) = (tempfile::tempdir().unwrap(), Instant::now());
    let (mut master, run) = at_terminal(folder.path(), "exec QUEENS estimate 28 -t 1 --max-time 1h", 0);
    let shown = shown_until(&mut master, " s");
    assert!(bar(&shown).2 < 1.0, "{shown:?}");
    run.signal(Signal::STOP);
    sleep(Duration::from_secs(4));
    run.signal(Signal::CONT);
    // The first may have been drawn before.
    let shown = (0..3).map(|_| shown_until(&mut master, "%")).collect::<String>() + &shown_until(&mut master, " s");
    let worked: f64 = bar(&shown).3.split(' ').next().unwrap().parse().unwrap();
    assert!(worked < begun.elapsed().as_secs_f64() - 3.5, "{shown:?}");
    drop(run);
}

/// A terminal that ^S has stopped takes no more. The run saves all the same, and ends when it is told to; and so does who waits
/// for the terminal to take a row.
#[test]
fn a_stopped_terminal_holds_up_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let stop = |line: &str, seen: &str, wait: u32| {
        let (mut master, run) = at_terminal(folder.path(), &format!("exec QUEENS {line}"), wait);
        shown_until(&mut master, seen);
        master.write_all(b"\x13").unwrap();
        // Some rounds of the bar or some rows more, of which the first is stuck.
        sleep(Duration::from_millis(500));
        run.signal(Signal::TERM);
        assert_eq!(run.end_soon().status.signal(), Some(15), "{line}");
    };
    thread::scope(|scope| {
        scope.spawn(|| stop(ENDLESS, "of 171", HOUR));
        scope.spawn(|| stop("verify 7-20 --engine naive", "352", 20));
    });
    assert_eq!(read(&folder.path().join("c")).finished(), 0);
}

/// A warning has a line of its own, and the bar of a background process would break the line that somebody types.
#[test]
fn nothing_is_printed_into_a_bar_and_no_bar_into_a_line() {
    let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let line = "QUEENS count 16 --engine backtrack -t 2 --checkpoint c --checkpoint-every";
    let (mut master, run) = at_terminal(folder.path(), &format!("ulimit -f 1; exec {line} 2500ms"), 100);
    let script = format!("set -m; {line} 1s --max-time 2500ms & wait $!; echo so $?");
    let (mut background, _run) = at_terminal(other.path(), &script, 100);
    let shown = shown_until(&mut master, "counting continues");
    // And the bar comes back.
    assert_eq!(bar(&shown_until(&mut master, "units")).0, "N = 16");
    run.signal(Signal::TERM);
    run.end_soon();
    let (before, _) = shown.split_once("warning").expect(&shown);
    let before = before.trim_end_matches(|c: char| c != 'K');
    assert!(before.contains('%') && before.ends_with("\u{1b}[2K"), "{shown:?}");
    let shown = shown_until(&mut background, "so 75");
    assert!(shown.contains("saved") && !shown.contains('%'), "{shown:?}");
    // After `stty tostop`, a message from the background would stop a program that does not ignore the signal for it.
    let (mut master, _run) = at_terminal(folder.path(), "stty tostop; set -m; QUEENS count 11 & wait; echo so $?", 0);
    let shown = shown_until(&mut master, "so 0");
    assert!(shown.contains("2,680"), "{shown:?}");
}

/// At a terminal an answer has words around its number, and columns that people can read.
#[test]
fn answers_at_a_terminal_are_for_people() {
    let folder = tempfile::tempdir().unwrap();
    // What README begins with, of a smaller board.
    let smaller = |text: &str| text.replace("18", "14").replace("666,090,624", "365,596");
    let readme = &shown(include_str!("../README.md"), "text")[0];
    fs::write(folder.path().join("made-up"), made_up(11, 2680)).unwrap();
    let first = smaller(&readme.command).replace("queens", "QUEENS") + " -t 2";
    for (line, expected) in [
        (
            "QUEENS count 8-9",
            " N  count         time  check\r\n 8     92 ...  agrees with OEIS A000170\r\n 9    352 ...",
        ),
        ("QUEENS count 11 -q", "2680\r\n"),
        ("QUEENS show 2413", "...\u{1b}[..."),
        ("QUEENS show 2413 --color never", "..."),
        ("TERM=dumb QUEENS show 2413", "..."),
        // A complete file tells nothing of a run that counted nothing.
        ("QUEENS count 11 --checkpoint c -q; QUEENS count 11 --checkpoint c", "...engine     backtrack\r\ntime ..."),
        ("QUEENS count 11 --shard 1/2 --checkpoint s", "...saved    shard 1/2 is in s; add up the shards ..."),
        // Nobody knows how long it took.
        ("QUEENS merge made-up", "...shards     1\r\n"),
        (&first, "...365,596..."),
    ] {
        let (mut master, run) = at_terminal(folder.path(), line, 0);
        let mut shown = shown_until(&mut master, "nothing but the end");
        assert!(run.end().status.success() && agrees(expected, &shown), "{line}: {shown:?}");
        let is_plain = |line: &str| line.chars().count() <= 80 && !line.contains('\u{1b}');
        assert!(expected.contains('\u{1b}') || shown.lines().all(is_plain), "{shown:?}");
        if line == first {
            // It takes a second on a busy machine.
            let lines: Vec<&str> = shown.lines().filter(|line| !line.starts_with("self-check")).collect();
            let expected: Vec<String> = readme.lines.iter().map(|line| smaller(line)).collect();
            assert!(agree(&expected, &lines), "{shown}");
            shown.clear();
        }
        assert!(!shown.contains("self-check"), "{line}: {shown}");
    }
}

/// Nor is there a bar where it is not wanted, or cannot be drawn.
#[test]
fn a_bar_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let line = ENDLESS.split(" --checkpoint").next().unwrap();
    let runs = ["exec QUEENS -q", "TERM=dumb exec QUEENS"]
        .map(|queens| at_terminal(folder.path(), &format!("{queens} {line}"), HOUR));
    sleep(Duration::from_millis(2500));
    for (mut master, run) in runs {
        run.signal(Signal::TERM);
        assert_eq!(shown_until(&mut master, "saves a count"), "nothing was saved; use --checkpoint FILE\r\n");
        run.end();
    }
}
