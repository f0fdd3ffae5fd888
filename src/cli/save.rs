//! `-o FILE`: a file that appears whole or not at all; without it, stdout.

use std::fs::{self, File};
use std::io::{self, StdoutLock, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Where a result goes. Nothing is buffered here: write in large pieces.
pub(crate) enum Output {
    Stdout(StdoutLock<'static>),
    /// Written beside its final place under a passing name, then renamed.
    File(NamedTempFile, PathBuf),
    /// A device or a named pipe, which can only be written to as it is.
    Special(File),
}

impl Output {
    /// Stdout, or the file of this name; an existing file stays as it is until [`Output::finish`].
    pub(crate) fn open(path: Option<&Path>) -> io::Result<Self> {
        let Some(path) = path else { return Ok(Self::Stdout(io::stdout().lock())) };
        // A link goes on pointing to the file, so it is the file's folder that the new one is made in.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&path) {
            Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(about) if !about.is_file() => return Ok(Self::Special(File::options().write(true).open(path)?)),
            _ => {}
        }
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Ok(Self::File(builder.tempfile_in(folder(&path))?, path))
    }

    /// Makes the file appear, durably: the file is synced, renamed, and then its folder is synced.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        if let Self::File(file, path) = self {
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            #[cfg(unix)]
            File::open(folder(&path))?.sync_all()?;
        }
        Ok(())
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::File(file, _) => file.write(bytes),
            Self::Special(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::File(file, _) => file.flush(),
            Self::Special(file) => file.flush(),
        }
    }
}
