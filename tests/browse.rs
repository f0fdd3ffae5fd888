//! `queens browse` and its terminal: the screen is left as it was, and nothing hangs.

#![cfg(all(unix, feature = "cli"))]

use std::fs::File;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Child;

use crate::common::runs::{end, hang_ups_arrive, shell, shown_until, signal, terminal};
use crate::common::{output, texts};
use rustix::process::Signal;

/// A full screen that waits for a key, and the other end of its terminal; before it, the shell does this.
fn browsing(before: &str) -> (Child, File) {
    let (mut master, terminal) = terminal(80);
    let mut command = shell(Path::new("."), &format!("{before} exec QUEENS browse 8"));
    command.env("TERM", "xterm").stdin(terminal.try_clone().unwrap()).stdout(terminal);
    let mut child = command.spawn().unwrap();
    drop(command);
    // It is on where the board has been drawn.
    shown_until(&mut master, "quit");
    assert!(child.try_wait().unwrap().is_none());
    (child, master)
}

#[test]
fn a_signal_leaves_the_screen_as_it_was() {
    hang_ups_arrive();
    for sent in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::USR2] {
        let (child, mut master) = browsing("");
        signal(&child, sent);
        let left = "\u{1b}[?1049l";
        assert!(shown_until(&mut master, left).contains(left), "{sent:?} leaves the other screen");
        assert_eq!(end(child).status.signal(), Some(sent.as_raw()));
    }
}

/// A shell without job control could not continue it.
#[test]
fn control_z_does_nothing_where_nobody_would_go_on() {
    let (child, mut master) = browsing("trap '' TSTP;");
    master.write_all(b"\x1a").unwrap();
    master.write_all(b"q").unwrap();
    assert_eq!(end(child).status.code(), Some(0));
}

/// A full screen whose window is closed ends, even where no signal tells it.
#[test]
fn browse_ends_with_its_terminal() {
    let (child, master) = browsing("");
    drop(master);
    let (code, _, err) = texts(&end(child));
    assert_eq!(code, Some(1), "{err}");
    assert!(err.starts_with("error: "), "{err}");
}

#[test]
fn browse_wants_a_terminal() {
    let (code, out, err) = output(Path::new("."), "browse 8");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("needs a terminal"), "{err}");
}
