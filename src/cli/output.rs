//! Writes to stdout, files and stderr.
//!
//! A result goes to stdout or to a file, which is written whole or not at all, and never over a ledger. Everything else
//! goes to stderr, from a separate thread that is waited for only briefly: a terminal stopped by ^S, or a pipe that
//! nobody reads, must not delay a save.
//!
//! Control characters in names and contents of files are escaped here and in the cells of [tables](super::text::row).

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use queens::AtomicFile;
use queens::ledger::is_ledger;

use super::failure::{Failure, Result};
use super::{signals, text, threads};

/// Whether `-q` was given. Relaxed: it is set before any other thread starts.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Sets `--color` and `-q` for the whole program.
pub(crate) fn set(color: ColorChoice, quiet: bool) {
    let color = match color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    color.write_global();
    QUIET.store(quiet, Ordering::Relaxed);
}

pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Whether the path of an output means stdout.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

pub(crate) enum Output {
    /// Stdout (`-`), or a file that is appended to.
    Open(PathBuf, Box<dyn Write>),
    File(PathBuf, BufWriter<AtomicFile>),
}

impl Output {
    /// Opens stdout (no path, or `-`) or a file, so that an unwritable one fails before the work.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path.filter(|path| !is_stdout(path)) else {
            return Ok(Self::Open("-".into(), Box::new(anstream::stdout())));
        };
        check_no_ledger(path)?;
        #[cfg(unix)]
        if let Some(file) = open_to_append(path).map_err(|error| write_error(path, &error))? {
            return Ok(Self::Open(path.to_owned(), Box::new(file)));
        }
        let draft = AtomicFile::new(path).map_err(|error| write_error(path, &error))?;
        signals::remove_on_signal(draft.path().to_owned());
        Ok(Self::File(path.to_owned(), BufWriter::new(draft)))
    }

    /// Writes a piece of the result, to stdout at once.
    pub(crate) fn write(&mut self, text: &str) -> Result {
        let (path, out): (_, &mut dyn Write) = match self {
            Self::Open(path, out) => (path, out),
            Self::File(path, out) => (path, out),
        };
        out.write_all(text.as_bytes()).map_err(|error| write_error(path, &error))
    }

    /// Completes the result. A file that is dropped instead leaves the earlier one in place.
    pub(crate) fn finish(self) -> Result {
        match self {
            Self::Open(path, mut out) => out.flush().map_err(|error| write_error(&path, &error)),
            Self::File(path, out) => {
                // It may have become a ledger in the meantime.
                check_no_ledger(&path)?;
                let draft = out.into_inner().map_err(io::IntoInnerError::into_error);
                draft.and_then(AtomicFile::commit).map_err(|error| write_error(&path, &error))
            }
        }
    }
}

/// Opens a pipe, a device, or a file that the shell has opened, to append; else `None`. Duplicates the descriptors of
/// stdout and stderr: if stdout were opened anew, its next bytes would overwrite these.
#[cfg(unix)]
fn open_to_append(path: &Path) -> io::Result<Option<File>> {
    use rustix::stdio::{stderr, stdout};
    use std::os::{fd::BorrowedFd, unix::fs::FileTypeExt};
    let duplicate = |out: BorrowedFd| out.try_clone_to_owned().map(|out| Some(out.into()));
    let next = |link: &PathBuf| Some(link.with_file_name(link.read_link().ok()?));
    let kind = path.metadata().map(|about| about.file_type());
    let mut is_appended = kind.as_ref().is_ok_and(|kind| kind.is_fifo() || kind.is_char_device());
    // The system follows 40 links.
    for link in std::iter::successors(std::path::absolute(path).ok(), next).take(41) {
        match link.to_str() {
            Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => return duplicate(stdout()),
            Some("/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2") => return duplicate(stderr()),
            _ => {}
        }
        let folder = link.parent().and_then(|folder| folder.canonicalize().ok()).unwrap_or_default();
        let is_open = folder.starts_with("/proc") || folder.starts_with("/dev/fd");
        is_appended |= is_open && kind.as_ref().is_ok_and(std::fs::FileType::is_file);
    }
    is_appended.then(|| File::options().append(true).open(path)).transpose()
}

/// Fails if a result would replace a ledger.
fn check_no_ledger(path: &Path) -> Result {
    let why = match is_ledger(path) {
        Ok(false) => return Ok(()),
        Ok(true) => "it is a ledger".to_owned(),
        Err(error) => format!("it cannot be read, so it may be a ledger: {error}"),
    };
    Err(Failure::Run(format!("cannot write {}: {why}", path.display())))
}

fn write_error(path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        // A socket resets the connection if its reader closes it with unread data.
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset if is_stdout(path) => Failure::Closed,
        _ if is_stdout(path) => Failure::Run(format!("cannot write stdout: {error}")),
        _ => Failure::Run(format!("cannot write {}: {error}", path.display())),
    }
}

/// Whether a list or table is printed, whose reader may stop early. Relaxed: only the main thread asks.
pub(crate) static IS_TABLE: AtomicBool = AtomicBool::new(false);

/// Whether the reader of a list or table has closed stdout. Asked separately, because the next write may be days away.
pub(crate) fn is_closed() -> bool {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        // Some systems report hang-up only if an event is requested; RDBAND never occurs.
        let mut stdout = [PollFd::from_borrowed_fd(rustix::stdio::stdout(), PollFlags::RDBAND)];
        let is_ready = IS_TABLE.load(Ordering::Relaxed) && poll(&mut stdout, Some(&Timespec::default())) == Ok(1);
        is_ready && stdout[0].revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL)
    }
    #[cfg(not(unix))]
    false
}

/// Prints a list or table on stdout, whose reader may stop early.
pub(crate) fn list(text: &str) -> Result {
    let mut out = Output::open(None)?;
    out.write(text)?;
    out.finish()
}

/// Prints a result on stdout that must be read in full.
pub(crate) fn print(text: &str) -> Result {
    list(text).map_err(Failure::require_full_output)
}

/// Prints a note on stderr, unless `-q` was given.
pub(crate) fn note(text: &str) {
    if !is_quiet() {
        report(text);
    }
}

pub(crate) fn warning(text: &str) {
    labelled("warning", AnsiColor::Yellow.on_default().bold(), text);
}

pub(crate) fn error(text: &str) {
    labelled("error", AnsiColor::Red.on_default().bold(), text);
}

fn labelled(label: &str, style: Style, line: &str) {
    write_line(format!("{style}{label}:{style:#} {}\n", text::printable(line)));
}

/// Prints a line on stderr, even with `-q`.
pub(crate) fn report(line: &str) {
    write_line(text::printable(line) + "\n");
}

/// Writes a line on stderr from a separate thread. Waits at most a second for it once the thread, which a busy machine
/// delays, has begun; not while an earlier line is stuck.
fn write_line(line: String) {
    const TIMEOUT: Duration = Duration::from_secs(1);
    // Relaxed: lines are printed by the main thread.
    static STUCK: AtomicU32 = AtomicU32::new(0);
    let is_first = STUCK.load(Ordering::Relaxed) == 0;
    let (done, waiting) = mpsc::channel::<()>();
    let write = move || {
        STUCK.fetch_add(1, Ordering::Relaxed);
        let _ = done.send(());
        let _ = anstream::stderr().write_all(line.as_bytes());
        STUCK.fetch_sub(1, Ordering::Relaxed);
        drop(done);
    };
    // If no thread can be started, only the exit code remains.
    if threads::start("stderr", write).is_ok() && is_first {
        let _ = waiting.recv();
        let _ = waiting.recv_timeout(TIMEOUT);
    }
}
