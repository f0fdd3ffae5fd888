//! Files that appear whole or not at all, and outlive a power cut once they have appeared.
//!
//! A [`Draft`] is written and synced under a passing name beside its place, then renamed to it, and then the folder is
//! synced, which is what makes the new name last. Windows has no call for the last step: there a power cut may bring
//! the file before back, whole.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::bounded::{Bounded, retry};

/// Links that lead on to links, before they are taken to lead in a circle.
const LINKS: usize = 40;

/// The file that a name leads to, through symbolic links, where it need not exist: a link stays one if it is the file
/// that is replaced.
///
/// # Errors
/// Where the links lead in a circle.
pub fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(link) => path = folder(&path).join(link),
            // No link, or nothing at all.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The folder that a file of this name is in.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the names in the folder of `path` last.
///
/// # Errors
/// Where the system refuses.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { sync(&File::open(folder(path))?) } else { Ok(()) }
}

/// Waits until a file, or a folder, is on the disk.
fn sync(file: &File) -> io::Result<()> {
    // Apple's systems have a call of their own for that, and Windows too.
    let once = || {
        #[cfg(all(unix, not(target_vendor = "apple")))]
        return Ok(rustix::fs::fsync(file)?);
        #[cfg(not(all(unix, not(target_vendor = "apple"))))]
        file.sync_all()
    };
    retry(once)
}

/// A file being written beside the one whose place it will take. Dropped, it is gone.
#[derive(Debug)]
pub struct Draft {
    file: tempfile::NamedTempFile,
    place: PathBuf,
}

impl Draft {
    /// One for this place, with the permissions of the file that is there: with those of any new file where there is none.
    /// Its passing name is one that nothing has, or this one.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn new(place: &Path, name: Option<&OsStr>, permissions: Option<&Permissions>) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        if let Some(name) = name {
            builder.prefix(name).rand_bytes(0);
        }
        #[cfg(unix)]
        builder.permissions(permissions.cloned().unwrap_or(std::os::unix::fs::PermissionsExt::from_mode(0o666)));
        let file = builder.tempfile_in(folder(place))?;
        if let Some(permissions) = permissions {
            // What the umask takes from a new file, the old one had.
            file.as_file().set_permissions(permissions.clone())?;
        }
        Ok(Self { file, place: place.to_owned() })
    }

    /// Its passing name.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Waits until all that was written is on the disk.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn sync(&self) -> io::Result<()> {
        sync(self.file.as_file())
    }

    /// Takes the place. [`sync_folder`] makes that last.
    ///
    /// # Errors
    /// Where the system refuses; the file that was there is then untouched.
    pub fn rename(self) -> io::Result<()> {
        self.file.persist(&self.place).map(drop).map_err(|error| error.error)
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        Bounded::new(self.file.as_file_mut()).write_all(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_takes_the_place_or_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("file");
        let names = || fs::read_dir(folder.path()).unwrap().count();
        fs::write(&place, "old").unwrap();
        let mut draft = Draft::new(&place, None, None).unwrap();
        draft.write_all(b"new").unwrap();
        assert_eq!((names(), fs::read(&place).unwrap()), (2, b"old".to_vec()));
        drop(draft);
        assert_eq!((names(), fs::read(&place).unwrap()), (1, b"old".to_vec()));
        let mut draft = Draft::new(&place, Some(OsStr::new(".file.new")), None).unwrap();
        assert_eq!(draft.path().file_name(), Some(OsStr::new(".file.new")));
        draft.write_all(b"new").unwrap();
        draft.sync().unwrap();
        draft.rename().unwrap();
        sync_folder(&place).unwrap();
        assert_eq!((names(), fs::read(&place).unwrap()), (1, b"new".to_vec()));
    }
}
