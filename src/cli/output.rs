//! The door to stdout, to files and to stderr.
//!
//! A result goes to stdout or to a file, which is written whole or not at all, and never over a ledger. All else goes to
//! stderr, from a thread of its own, for which nobody waits long: a terminal stopped by ^S, or a pipe that nobody reads,
//! holds up nobody who has something to save.
//!
//! Names of files, and what is in them, may have control characters, which no terminal gets: they are escaped here, and in
//! the cells of [tables](super::text::row).

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use queens::Draft;
use queens::ledger::is_ledger;

use super::failure::Failure;
use super::{signals, text, threads};

/// Whether `-q` was given. Relaxed: it is set before any other thread starts.
static QUIET: AtomicBool = AtomicBool::new(false);

/// What `--color` and `-q` say, for the whole program.
pub(crate) fn set(color: ColorChoice, quiet: bool) {
    let color = match color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    color.write_global();
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Whether `-q` was given.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Whether a path of an output is stdout.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Where a result goes.
pub(crate) enum Output {
    Stdout(AutoStream<io::Stdout>),
    File(PathBuf, BufWriter<Draft>),
    #[cfg_attr(not(unix), expect(dead_code))]
    Appended(PathBuf, File),
}

impl Output {
    /// Opens stdout (no path, or `-`) or begins a file. What cannot be written fails here, before the work.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| !is_stdout(path)) else {
            return Ok(Self::Stdout(anstream::stdout()));
        };
        check_no_ledger(path)?;
        #[cfg(unix)]
        if let Some(file) = appended(path).map_err(|error| unwritten(path, &error))? {
            return Ok(Self::Appended(path.to_owned(), file));
        }
        let draft = Draft::new(path).map_err(|error| unwritten(path, &error))?;
        signals::remove_at_death(draft.path().to_owned());
        Ok(Self::File(path.to_owned(), BufWriter::new(draft)))
    }

    /// Writes some of the result, at once if it goes to stdout. That may be closed, by a reader who has enough.
    pub(crate) fn write(&mut self, text: &str) -> Result<(), Failure> {
        match self {
            Self::Stdout(out) => out.write_all(text.as_bytes()).map_err(|error| unprinted(&error)),
            Self::File(path, out) => out.write_all(text.as_bytes()).map_err(|error| unwritten(path, &error)),
            Self::Appended(path, out) => out.write_all(text.as_bytes()).map_err(|error| unwritten(path, &error)),
        }
    }

    /// The result is whole. A file that is dropped without this leaves what was there before.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Stdout(mut out) => out.flush().map_err(|error| unprinted(&error)),
            Self::Appended(..) => Ok(()),
            Self::File(path, out) => {
                // It may have become one meanwhile.
                check_no_ledger(&path)?;
                let draft = out.into_inner().map_err(io::IntoInnerError::into_error);
                draft.and_then(Draft::commit).map_err(|error| unwritten(&path, &error))
            }
        }
    }
}

/// What is appended to: a pipe, a device, or a file that the shell has opened. Of stdout and stderr these are the descriptors
/// themselves: if stdout were opened anew, its next bytes would overwrite these.
#[cfg(unix)]
fn appended(path: &Path) -> io::Result<Option<File>> {
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

/// No result takes the place of a ledger.
fn check_no_ledger(path: &Path) -> Result<(), Failure> {
    let why = match is_ledger(path) {
        Ok(false) => return Ok(()),
        Ok(true) => "it is a ledger".to_owned(),
        Err(error) => format!("it cannot be read, so it may be a ledger: {error}"),
    };
    Err(Failure::Run(format!("cannot write {}: {why}", path.display())))
}

fn unprinted(error: &io::Error) -> Failure {
    match error.kind() {
        // The second of a socket whose reader has left something unread.
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => Failure::Closed,
        _ => unwritten(Path::new("stdout"), error),
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::Run(format!("cannot write {}: {error}", path.display()))
}

/// Whether a list or a table is printed, of which a reader may have enough. Relaxed: only the main thread asks.
pub(crate) static IS_TABLE: AtomicBool = AtomicBool::new(false);

/// Whether the reader of a list or a table has closed stdout: the next line, which would tell, may take days.
pub(crate) fn is_closed() -> bool {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        // Of no event some systems tell no end; this one never comes.
        let mut stdout = [PollFd::from_borrowed_fd(rustix::stdio::stdout(), PollFlags::RDBAND)];
        let is_told = IS_TABLE.load(Ordering::Relaxed) && poll(&mut stdout, Some(&Timespec::default())) == Ok(1);
        is_told && stdout[0].revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL)
    }
    #[cfg(not(unix))]
    false
}

/// Prints a list or a table on stdout, of which a reader may have enough after some lines.
pub(crate) fn list(text: &str) -> Result<(), Failure> {
    let mut out = Output::open(None)?;
    out.write(text)?;
    out.finish()
}

/// Prints a result on stdout, whose reader needs all of it.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    list(text).map_err(Failure::of_whole)
}

/// What is good to know, unless `-q` was given.
pub(crate) fn note(text: &str) {
    if !is_quiet() {
        say(text);
    }
}

/// What went wrong, though the command goes on.
pub(crate) fn warning(text: &str) {
    labelled("warning", AnsiColor::Yellow.on_default().bold(), text);
}

/// Why the command fails.
pub(crate) fn error(text: &str) {
    labelled("error", AnsiColor::Red.on_default().bold(), text);
}

fn labelled(label: &str, style: Style, line: &str) {
    write_line(format!("{style}{label}:{style:#} {}\n", text::printable(line)));
}

/// What is to be known even with `-q`.
pub(crate) fn say(line: &str) {
    write_line(text::printable(line) + "\n");
}

/// Writes a line on stderr, from a thread that is waited for no longer than a reader needs who reads at all; while an earlier
/// line is stuck, not even that long.
fn write_line(line: String) {
    const TIMEOUT: Duration = Duration::from_secs(1);
    // Relaxed: lines are printed by the main thread.
    static STUCK: AtomicU32 = AtomicU32::new(0);
    let is_first = STUCK.load(Ordering::Relaxed) == 0;
    let (done, waiting) = mpsc::channel::<()>();
    let write = move || {
        STUCK.fetch_add(1, Ordering::Relaxed);
        let _ = anstream::stderr().write_all(line.as_bytes());
        STUCK.fetch_sub(1, Ordering::Relaxed);
        drop(done);
    };
    // If no thread can be started, the exit code has to do.
    if threads::start("stderr", write).is_ok() && is_first {
        let _ = waiting.recv_timeout(TIMEOUT);
    }
}
