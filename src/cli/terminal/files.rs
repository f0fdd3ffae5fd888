//! `-o FILE`: a file that appears whole or not at all; without it, or for `-`, stdout.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read as _, StdoutLock, Write};
use std::path::{Path, PathBuf};

use queens::ledger::durable::{folder, sync_folder, target};
use tempfile::NamedTempFile;

use super::signals::UnfinishedFile;
use crate::cli::terminal::{Exit, Failure, stdout};

/// Where a result goes. Nothing is buffered here: write in large pieces.
pub(crate) struct Output {
    to: Destination,
    /// As the user named it.
    name: PathBuf,
}

enum Destination {
    Stdout(StdoutLock<'static>),
    /// Written beside its final place under a temporary name, then renamed; removed if a signal ends the program before.
    File(NamedTempFile, PathBuf, UnfinishedFile),
    /// A device or a named pipe, which can only be written to as it is.
    Special(File),
}

/// Whether a file's name means stdout: a file that stdout leads to is written to and not replaced.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-" || path.as_os_str() == "/dev/stdout"
}

/// A file written whole or not at all, over an earlier one of the name; or stdout.
pub(crate) fn save(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let mut out = Output::open(Some(path))?;
    out.write(content)?;
    out.finish()
}

/// Fails where a file of this name could not be made, so that the error comes before a long run and not after it.
pub(crate) fn try_out(path: &Path) -> Result<(), Failure> {
    if is_stdout(path) { Ok(()) } else { Output::open(Some(path)).map(drop) }
}

impl Output {
    /// Stdout, or the file of this name; an existing file stays as it is until [`Output::finish`].
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(name) = path.filter(|path| !is_stdout(path)) else {
            return Ok(Self { to: Destination::Stdout(io::stdout().lock()), name: PathBuf::from("stdout") });
        };
        let to = Destination::open(name).map_err(|error| failure(name, &error))?;
        Ok(Self { to, name: name.to_owned() })
    }

    /// Whether it is a file, and no stream.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.to, Destination::File(..))
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = match &mut self.to {
            Destination::Stdout(out) => stdout::write_all(out, bytes),
            Destination::File(draft, ..) => draft.as_file_mut().write_all(bytes),
            Destination::Special(file) => stdout::write_all(file, bytes),
        };
        written.map_err(|error| failure(&self.name, &error))
    }

    /// Makes the file appear, durably: the file is synced, renamed, and then its folder is synced.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Destination::File(draft, path, _unfinished) = self.to else { return Ok(()) };
        let finish = || {
            draft.as_file().sync_all()?;
            draft.persist(&path)?;
            sync_folder(&path)
        };
        finish().map_err(|error| failure(&self.name, &error))
    }
}

impl Destination {
    fn open(path: &Path) -> io::Result<Self> {
        let about = fs::metadata(path);
        match &about {
            Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            // By this name, for there may be no other: `/dev/fd/3` may be a pipe, which has none.
            Ok(about) if !about.is_file() => return Ok(Self::Special(File::options().write(true).open(path)?)),
            _ => {}
        }
        // A link stays a link: the new file is made in the folder of the file that it points to.
        let path = target(path)?;
        let permissions = about.ok().map(|about| about.permissions());
        let (draft, unfinished) = UnfinishedFile::draft(&path, permissions.as_ref())?;
        Ok(Self::File(draft, path, unfinished))
    }
}

/// A file's content, if it is no larger than any file for this program.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    const MOST: u64 = 1 << 24;
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST { Err(io::Error::other("larger than 16 MiB")) } else { Ok(bytes) }
}

/// Why a file cannot be written; a reader that has closed the pipe is no failure.
fn failure(name: &Path, error: &io::Error) -> Failure {
    if stdout::is_closed_by_reader(error) {
        return Failure::Closed;
    }
    let folder = folder(name);
    let reason = if error.kind() == io::ErrorKind::NotFound && !folder.exists() {
        format!("there is no folder {}", folder.display())
    } else {
        reason(error)
    };
    Failure::Run(Exit::Failure, format!("cannot write {}: {reason}", name.display()))
}

/// The system's message alone: without the number of the error, and without the name of the temporary file, which
/// [`tempfile`] wraps around it.
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
    fn temporary_names_stay_hidden() {
        let error = NamedTempFile::new_in("/no such folder").unwrap_err();
        assert!(error.to_string().contains(".tmp"));
        if cfg!(unix) {
            assert_eq!(reason(&error), "No such file or directory");
        }
        assert_eq!(reason(&io::ErrorKind::IsADirectory.into()), io::ErrorKind::IsADirectory.to_string());
    }
}
