//! Stdout, and whether anybody reads it.
//!
//! A reader that closes the pipe when it has enough, as `| head` does, is no failure. Where nothing at all could be
//! written, the result is lost, which is one: the reader was gone before, or stdout was closed from the start, as by `>&-`.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
#[cfg(unix)]
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether something was written. Relaxed: one thread writes results.
static WRITTEN: AtomicBool = AtomicBool::new(false);

/// Writes all of it.
pub(crate) fn write_all(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let mut out = Noting(out);
    out.write_all(bytes).and_then(|()| out.flush())
}

/// Prints a text in one piece, with its colours where stdout shows colours.
pub(crate) fn print(text: &str) -> io::Result<()> {
    // Codes are removed here: a writer that removes them would write a piece for each.
    let plain = anstream::AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never;
    let text = if plain { Cow::Owned(anstream::adapter::strip_str(text).to_string()) } else { Cow::Borrowed(text) };
    write_all(&mut anstream::stdout().lock(), text.as_bytes())
}

/// Another descriptor of the process by its number, if it can be written to: it stays where it is in its file.
#[cfg(unix)]
pub(crate) fn descriptor(number: i32) -> io::Result<File> {
    use rustix::fs::OFlags;
    let is_open = ["/dev/fd", "/proc/self/fd"].iter().any(|all| Path::new(all).join(number.to_string()).exists());
    if !is_open {
        return Err(rustix::io::Errno::BADF.into());
    }
    // SAFETY: it is open, which -1 never is, and is borrowed for this call alone.
    #[expect(unsafe_code, reason = "the user names a descriptor by its number")]
    let descriptor = rustix::io::dup(unsafe { std::os::fd::BorrowedFd::borrow_raw(number) })?;
    let mode = rustix::fs::fcntl_getfl(&descriptor)? & OFlags::RWMODE;
    let is_written = mode == OFlags::WRONLY || mode == OFlags::RDWR;
    if is_written { Ok(descriptor.into()) } else { Err(io::Error::other("it is open for reading only")) }
}

/// Elsewhere descriptors have no names.
#[cfg(not(unix))]
pub(crate) fn descriptor(_: i32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Columns of the terminal; where stdout is none, more than any table has.
pub(crate) fn width() -> usize {
    console::Term::stdout().size_checked().map_or(usize::MAX, |(_, columns)| columns.into())
}

/// Whether the error says that the reader has closed the pipe after reading some of the result.
pub(crate) fn is_closed_by_reader(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe && WRITTEN.load(Ordering::Relaxed)
}

/// Notes in [`WRITTEN`] whether anything could be written.
struct Noting<W>(W);

impl<W: Write> Write for Noting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        WRITTEN.fetch_or(written > 0, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Makes writing fail where stdout was closed when the program began.
///
/// The standard library replaces a closed stream by /dev/null before `main`, and so the result would be lost silently.
/// Writing to a pipe that nobody reads is an error.
#[cfg(unix)]
pub(crate) fn start() {
    if before_main::WAS_CLOSED.load(Ordering::Relaxed)
        && let Ok((_, writer)) = io::pipe()
    {
        // Where this fails, stdout stays /dev/null.
        let _ = rustix::stdio::dup2_stdout(writer);
    }
}

/// Elsewhere this is not done.
#[cfg(not(unix))]
pub(crate) fn start() {}

/// Whether stdout is open, asked before the standard library starts.
#[cfg(unix)]
mod before_main {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub(super) static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    /// The system's loader calls the functions that this section points to, before `main`.
    ///
    /// SAFETY: the section holds pointers to functions that take nothing they need, which this is, and nothing of the
    /// standard library is used there that would have to be started: a system call and a store.
    #[expect(unsafe_code, reason = "there is no other way to be called before main")]
    #[used]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        let closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
        WAS_CLOSED.store(closed, Ordering::Relaxed);
    }
}
