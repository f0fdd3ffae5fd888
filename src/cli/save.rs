//! `-o FILE`: a file that appears whole or not at all; without it, stdout.

use std::fs::{self, File};
use std::io::{self, StdoutLock, Write};
use std::path::{Path, PathBuf};

use queens::ledger::store::target;
use tempfile::NamedTempFile;

use super::signals::Litter;

/// Where a result goes. Nothing is buffered here: write in large pieces.
pub(crate) enum Output {
    Stdout(StdoutLock<'static>),
    /// Written beside its final place under a passing name, then renamed; gone if a signal ends the program before.
    File(NamedTempFile, PathBuf, Litter),
    /// A device or a named pipe, which can only be written to as it is.
    Special(File),
}

impl Output {
    /// Stdout, or the file of this name; an existing file stays as it is until [`Output::finish`].
    pub(crate) fn open(path: Option<&Path>) -> io::Result<Self> {
        let Some(path) = path else { return Ok(Self::Stdout(io::stdout().lock())) };
        // A link goes on pointing to the file, so it is the file's folder that the new one is made in.
        let path = target(path)?;
        let mut mode = None;
        match fs::metadata(&path) {
            Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(about) if !about.is_file() => return Ok(Self::Special(File::options().write(true).open(path)?)),
            Ok(about) => mode = Some(about.permissions()),
            Err(_) => {}
        }
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let (file, litter) = Litter::make(|| builder.tempfile_in(folder(&path)), NamedTempFile::path)?;
        if let Some(mode) = mode {
            file.as_file().set_permissions(mode)?;
        }
        Ok(Self::File(file, path, litter))
    }

    /// Makes the file appear, durably: the file is synced, renamed, and then its folder is synced.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        if let Self::File(file, path, _litter) = self {
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
            Self::File(file, ..) => file.write(bytes),
            Self::Special(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::File(file, ..) => file.flush(),
            Self::Special(file) => file.flush(),
        }
    }
}
