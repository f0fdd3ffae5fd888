//! `-o FILE`: a file that appears whole or not at all; without it, or for `-`, stdout.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read as _, StdoutLock, Write};
use std::path::{Path, PathBuf};

use queens::bounded::Bounded;
use queens::durable::{Draft, folder, sync_folder, target};

use super::signals::UnfinishedFile;
use crate::cli::terminal::exit::Exit;
use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::stdout;

/// Where a result goes. Nothing is buffered here: write in large pieces.
pub(crate) struct Output {
    to: To,
    /// As the user named it.
    name: PathBuf,
}

enum To {
    Stdout(StdoutLock<'static>),
    /// Written beside its final place under a passing name, then renamed; gone if a signal ends the program before.
    File(Draft, PathBuf, UnfinishedFile),
    /// A device or a named pipe, which can only be written to as it is.
    Special(File),
}

/// Whether a file's name stands for stdout. What it leads to may be a file, to be written to and not to be replaced.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-" || path.as_os_str() == "/dev/stdout"
}

/// A file written whole or not at all, over an earlier one of the name; or stdout.
pub(crate) fn save(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let mut out = Output::open(Some(path))?;
    out.write(content)?;
    out.finish()
}

/// Fails where a file of this name could not be made, so that this shows before a long run and not after it.
pub(crate) fn try_out(path: &Path) -> Result<(), Failure> {
    if is_stdout(path) { Ok(()) } else { Output::open(Some(path)).map(drop) }
}

impl Output {
    /// Stdout, or the file of this name; an existing file stays as it is until [`Output::finish`].
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(name) = path.filter(|path| !is_stdout(path)) else {
            return Ok(Self { to: To::Stdout(io::stdout().lock()), name: PathBuf::from("stdout") });
        };
        let to = To::open(name).map_err(|error| unwritable(name, &error))?;
        Ok(Self { to, name: name.to_owned() })
    }

    /// Whether a terminal would show what is written.
    pub(crate) fn is_terminal(&self) -> bool {
        matches!(&self.to, To::Stdout(out) if io::IsTerminal::is_terminal(out))
    }

    /// Whether it is a file, and no stream.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.to, To::File(..))
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = match &mut self.to {
            To::Stdout(out) => stdout::write_all(out, bytes),
            To::File(draft, ..) => draft.write_all(bytes),
            To::Special(file) => stdout::write_all(file, bytes),
        };
        written.map_err(|error| self.failure(&error))
    }

    /// Makes the file appear, durably: the file is synced, renamed, and then its folder is synced.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let name = self.name;
        self.to.finish().map_err(|error| failure(&name, &error))
    }

    fn failure(&self, error: &io::Error) -> Failure {
        failure(&self.name, error)
    }
}

impl To {
    fn open(path: &Path) -> io::Result<Self> {
        let about = fs::metadata(path);
        match &about {
            Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            // By its own name, for no other need lead there: `/dev/fd/3` may be a pipe that has none.
            Ok(about) if !about.is_file() => return Ok(Self::Special(File::options().write(true).open(path)?)),
            _ => {}
        }
        // A link goes on pointing to the file, so it is the file's folder that the new one is made in.
        let path = target(path)?;
        let permissions = about.ok().map(|about| about.permissions());
        let (draft, unfinished) = UnfinishedFile::make(|| Draft::new(&path, None, permissions.as_ref()), Draft::path)?;
        Ok(Self::File(draft, path, unfinished))
    }

    fn finish(self) -> io::Result<()> {
        if let Self::File(draft, path, _litter) = self {
            draft.sync()?;
            draft.rename()?;
            sync_folder(&path)?;
        }
        Ok(())
    }
}

/// A file's content, which has an end.
///
/// # Errors
/// Where it cannot be read, or is larger than anything this program reads.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    const MOST: u64 = 1 << 24;
    let mut bytes = Vec::new();
    Bounded::new(File::open(path)?).take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST { Err(io::Error::other("larger than 16 MiB")) } else { Ok(bytes) }
}

/// A reader that has enough is no failure.
fn failure(name: &Path, error: &io::Error) -> Failure {
    if stdout::is_enough(error) { Failure::Closed } else { unwritable(name, error) }
}

fn unwritable(name: &Path, error: &io::Error) -> Failure {
    let mut message = format!("cannot write {}: {}", name.display(), reason(error));
    let folder = folder(name);
    if error.kind() == io::ErrorKind::NotFound && !folder.exists() {
        message = format!("cannot write {}: there is no folder {}", name.display(), folder.display());
    }
    Failure::Run(Exit::Failure, message)
}

/// What went wrong, in the system's words: without its number, and without the passing name of a file that its user
/// never gave, which [`tempfile`] wraps around it.
pub(crate) fn reason(error: &io::Error) -> String {
    let wrapped = error.get_ref().and_then(Error::source);
    let text = wrapped.map_or_else(|| error.to_string(), ToString::to_string);
    match text.rfind(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passing_names_stay_hidden() {
        let error = tempfile::NamedTempFile::new_in("/no such folder").unwrap_err();
        assert!(error.to_string().contains(".tmp"));
        if cfg!(unix) {
            assert_eq!(reason(&error), "No such file or directory");
        }
        assert_eq!(reason(&io::ErrorKind::IsADirectory.into()), io::ErrorKind::IsADirectory.to_string());
    }
}
