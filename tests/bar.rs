//! The progress bar at a terminal: it shows how far a run is, ^C ends the run, and ^S does not delay its end.

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
    ENDLESS, HOUR, Running, SOON, clear_environment, delay, let_signals_arrive, made_up, made_up_by, matches, read,
    reseal, unfinished, with_program,
};
use crate::shown::{examples, lines_match};

/// Runs a script, whose tasks have a [`delay`], in the foreground of a new terminal. Returns the other end of the terminal.
fn at_terminal(folder: &Path, script: &str, milliseconds: u32) -> (File, Running) {
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
    clear_environment(&mut command);
    command.stdin(end()).stdout(end()).stderr(end());
    (master.into(), Running::start(delay(command, milliseconds)))
}

/// Reads the terminal up to this text, or to the end.
fn read_until(master: &mut File, text: &str) -> String {
    let mut shown = String::new();
    while !shown.contains(text) {
        let mut buffer = [0; 4096];
        let Ok(read) = master.read(&mut buffer) else { break };
        shown += &String::from_utf8_lossy(&buffer[..read]);
    }
    shown
}

/// The title, the length in percent, the percent and the text after it of the last bar that was shown:
/// `N = 20  [=====>    ]  50%  86 of 171`.
fn bar(shown: &str) -> (&str, f64, f64, &str) {
    let line = shown.rsplit(['\r', '\n', 'K']).find(|line| line.contains('%')).expect(shown);
    let (title, rest) = line.split_once("  [").expect(line);
    let (drawn, rest) = rest.split_once(']').expect(line);
    let (percent, text) = rest.split_once('%').expect(line);
    let length = drawn.matches('=').count() as f64 / drawn.chars().count() as f64;
    (title, 100.0 * length, percent.trim().parse().unwrap(), text.trim())
}

/// The shell leads the process group. Meanwhile, quiet runs and dumb terminals have no bar.
#[test]
fn a_bar_shows_the_progress_until_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    let line = ENDLESS.split(" --checkpoint").next().unwrap();
    let without_bar = ["exec QUEENS -q", "TERM=dumb exec QUEENS"]
        .map(|queens| at_terminal(folder.path(), &format!("{queens} {line}"), HOUR));
    // With this engine, each unit has one task.
    let begun = unfinished(&made_up_by(EngineKind::Naive, 20, 0), 86);
    fs::write(folder.path().join("c"), begun).unwrap();
    let (mut master, run) = at_terminal(folder.path(), &format!("QUEENS {ENDLESS}; exit"), HOUR);
    let shown = read_until(&mut master, "of 171");
    let (title, length, percent, text) = bar(&shown);
    assert!((title, percent, text) == ("N = 20", 50.0, "86 of 171") && (45.0..=55.0).contains(&length), "{shown:?}");
    master.write_all(b"\x03").unwrap();
    for (_, run) in &without_bar {
        run.signal(Signal::TERM);
    }
    let shown = read_until(&mut master, "the same command resumes");
    assert_eq!(run.end().status.signal(), Some(2));
    for (mut master, _run) in without_bar {
        assert_eq!(read_until(&mut master, "no such text"), "nothing was saved; use --checkpoint FILE\r\n");
    }
    // The bar is removed before the last line.
    assert!(shown.contains("\u{1b}[2Ksaved 86 of 171 units in c;"), "{shown:?}");
}

/// An estimate has no known end, so its bar shows the time worked, without the time after ^Z. A stop while the bar is drawn
/// is counted, so one of five attempts is enough.
#[test]
fn time_after_ctrl_z_is_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let is_subtracted = |_| {
        let begun = Instant::now();
        let (mut master, run) = at_terminal(folder.path(), "exec QUEENS estimate 28 -t 1 --max-time 100s", 0);
        let shown = read_until(&mut master, " s");
        assert!(bar(&shown).2 < 50.0 && begun.elapsed() >= Duration::from_secs(2), "{shown:?}");
        run.signal(Signal::STOP);
        sleep(Duration::from_secs(4));
        run.signal(Signal::CONT);
        // The first bars may have been drawn before the stop.
        let shown = (0..3).map(|_| read_until(&mut master, "%")).collect::<String>() + &read_until(&mut master, " s");
        let (_, _, percent, text) = bar(&shown);
        let (worked, elapsed) = (text.split(' ').next().unwrap().parse::<f64>().unwrap(), begun.elapsed());
        assert!(percent > 1.0 && elapsed < 8 * SOON, "{shown:?}, {elapsed:?}");
        worked < elapsed.as_secs_f64() - 3.5
    };
    assert!((0..5).any(is_subtracted));
}

/// After ^S a terminal accepts no output. A run still saves and ends at a signal, and so does a command that waits to print
/// a row.
#[test]
fn a_stopped_terminal_does_not_delay_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let stop = |line: &str, seen: &str, milliseconds: u32| {
        let (mut master, run) = at_terminal(folder.path(), &format!("exec QUEENS {line}"), milliseconds);
        read_until(&mut master, seen);
        master.write_all(b"\x13").unwrap();
        // By then the next bar or row is blocked.
        sleep(Duration::from_millis(500));
        run.signal(Signal::TERM);
        assert_eq!(run.end_soon().status.signal(), Some(15), "{line}");
    };
    thread::scope(|scope| {
        scope.spawn(|| stop(ENDLESS, "of 171", HOUR));
        scope.spawn(|| stop("verify 7-20 --engine naive", "352", 20));
        scope.spawn(|| stop("count 1 --checkpoint d", "", 300));
    });
    assert_eq!(read(&folder.path().join("c")).finished(), 0);
}

/// A background process has no bar, which would break the line that the user types.
#[test]
fn bar_and_messages_use_separate_lines() {
    let [folder, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let line = "QUEENS count 16 --engine backtrack -t 2 --checkpoint c --checkpoint-every";
    let (mut master, run) = at_terminal(folder.path(), &format!("ulimit -f 1; exec {line} 2500ms"), 100);
    let script = format!("set -m; {line} 1s --max-time 2500ms & wait $!; echo so $?");
    let (mut background, _run) = at_terminal(other.path(), &script, 100);
    let shown = read_until(&mut master, "counting continues");
    // The bar is drawn again below the warning.
    assert_eq!(bar(&read_until(&mut master, "units")).0, "N = 16");
    run.signal(Signal::TERM);
    run.end_soon();
    let (before, _) = shown.split_once("warning").expect(&shown);
    let before = before.trim_end_matches(|c: char| c != 'K');
    assert!(before.contains('%') && before.ends_with("\u{1b}[2K"), "{shown:?}");
    let shown = read_until(&mut background, "so 75");
    assert!(shown.contains("saved") && !shown.contains('%'), "{shown:?}");
    // After `stty tostop`, printing in the background stops a program that does not ignore SIGTTOU.
    let (mut master, _run) = at_terminal(folder.path(), "stty tostop; set -m; QUEENS count 11 & wait; echo so $?", 0);
    let shown = read_until(&mut master, "so 0");
    assert!(matches("...2,680...so 0...", &shown), "{shown:?}");
}

/// Numbers have headings, separators and units there.
#[test]
fn results_at_a_terminal_are_formatted() {
    let folder = tempfile::tempdir().unwrap();
    // The first example of the README, whose commands begin with `cargo run --release --`.
    let readme = &examples(include_str!("../README.md"), "text")[0];
    let text = made_up(11, 2680);
    let run = text.lines().find(|line| line.starts_with("run\t")).unwrap();
    let timed = reseal(&text.replace(run, "run\t1.0\t100\t2.000\t4.000\t45\t-\ta\t-"));
    fs::write(folder.path().join("timed"), timed).unwrap();
    let first = format!("QUEENS{} -t 2", readme.command.split("--").last().unwrap());
    for (line, expected) in [
        (
            "QUEENS count 8-9",
            " N  count         time  check\r\n 8     92 ...  agrees with OEIS A000170\r\n 9    352 ...",
        ),
        ("QUEENS count 11 -q; QUEENS count 11 | cat", "2680\r\n...2680\r\n..."),
        ("QUEENS show 2413", "...\u{1b}[..."),
        ("QUEENS show 2413 --color never; ! QUEENS x --color never", "..."),
        ("TERM=dumb QUEENS show 2413", "..."),
        // For a complete file, threads and instruction set are omitted.
        ("QUEENS count 11 --checkpoint c -q; QUEENS count 11 --checkpoint c", "...engine     backtrack\r\ntime ..."),
        ("QUEENS count 11 --shard 1/2 --checkpoint s", "...saved    shard 1/2 is in s; add up the shards ..."),
        (
            "QUEENS count 8 --unique; QUEENS count 8 --prefix 15; QUEENS count 8 --symmetry quarter",
            "...unique     12\r\nsolutions  92\r\n...prefix     15\r\n...symmetry   unchanged by a quarter turn\r\n...",
        ),
        (
            "QUEENS_TERMS=unpublished QUEENS count 8-8; QUEENS_TERMS=wrong QUEENS count 8-8 2>/dev/null; :",
            "...92 ...  not in OEIS\r\n...92 ...  differs from OEIS\r\n",
        ),
        (
            "QUEENS merge timed",
            "...solutions  2,680\r\n...shards     1\r\ntime       2.00 s in all runs\r\ncore time  4.00 s\r\n",
        ),
        (&first, "...92..."),
    ] {
        let (mut master, run) = at_terminal(folder.path(), line, 0);
        let mut shown = read_until(&mut master, "no such text");
        assert!(run.end().status.success() && matches(expected, &shown), "{line}: {shown:?}");
        let is_plain = |line: &str| line.chars().count() <= 80 && !line.contains('\u{1b}');
        assert!(expected.contains('\u{1b}') || shown.lines().all(is_plain), "{shown:?}");
        if line == first {
            // On a busy machine the self-check takes a second, so it is listed.
            let lines: Vec<&str> = shown.lines().filter(|line| !line.starts_with("self-check")).collect();
            assert!(lines_match(&readme.lines, &lines), "{shown}");
            shown.clear();
        }
        assert!(!shown.contains("self-check"), "{line}: {shown}");
    }
}
