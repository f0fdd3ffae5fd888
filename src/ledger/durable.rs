//! Files that appear whole or not at all, and outlive a power cut once they have appeared.
//!
//! A [`Draft`] is written and synced under a passing name beside its place, then renamed to it, and then the folder is
//! synced, which is what makes the new name last. Windows has no call for the last step: there a power cut may bring
//! the file before back, whole.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::ledger::bounded::{Bounded, retry};

/// Links that lead on to links, before they are taken to lead in a circle.
const LINKS: usize = 40;

/// The file that a name leads to, through symbolic links, where it need not exist: a link stays one if it is the file
/// that is replaced.
///
/// Whether the links may be followed is for the system to say: Linux follows none that somebody else has left in a
/// folder like `/tmp`, where it would lead a program to the user's own files. So the system is asked for the same file.
///
/// # Errors
/// If the links lead in a circle or elsewhere a moment later, or the system does not follow them.
pub fn target(path: &Path) -> io::Result<PathBuf> {
    let place = followed(path)?;
    if place == path {
        return Ok(place);
    }
    let leads_there = match (fs::metadata(path), fs::symlink_metadata(&place)) {
        (Ok(led_to), Ok(there)) => is_same(&led_to, &there),
        (Err(led_to), there) if led_to.kind() == io::ErrorKind::NotFound => there.is_err(),
        (Err(error), _) => return Err(error),
        (Ok(_), Err(_)) => false,
    };
    // A name without a file says nothing of the links that led to it, so these are read again.
    if leads_there && followed(path)? == place {
        Ok(place)
    } else {
        Err(io::Error::other("it is not known where its symbolic link leads"))
    }
}

/// Where a name leads to by symbolic links, as they are read one by one.
fn followed(path: &Path) -> io::Result<PathBuf> {
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

/// Opens a regular file. Nothing else is opened, so that no pipe is waited for, no device touched and no link followed.
///
/// # Errors
/// If the system refuses; of the kind [`io::ErrorKind::InvalidInput`] where it is no regular file.
pub(crate) fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let check = |about: &Metadata| {
        let error = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
        if about.is_file() { Ok(()) } else { Err(error()) }
    };
    match fs::symlink_metadata(path) {
        Ok(about) => check(&about)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // It may be another one by now.
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits() as i32);
    }
    let file = options.open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

/// Whether two descriptions are of one file.
#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Elsewhere files do not tell which they are.
#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// Whether an open file is the one that has this name, itself and not by a link.
///
/// # Errors
/// If the system refuses to say.
pub(crate) fn has_name(file: &File, path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(named) => Ok(is_same(&file.metadata()?, &named)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The folder that a file of this name is in.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the names in the folder of `path` last.
///
/// # Errors
/// If the system refuses.
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
    /// If the system refuses.
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
    /// If the system refuses.
    pub fn sync(&self) -> io::Result<()> {
        sync(self.file.as_file())
    }

    /// Takes the place, and is the file that is there from then on. [`sync_folder`] makes that last.
    ///
    /// # Errors
    /// If the system refuses; the file that was there is then untouched.
    pub fn rename(self) -> io::Result<File> {
        self.file.persist(&self.place).map_err(|error| error.error)
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
        assert!(has_name(&draft.rename().unwrap(), &place).unwrap());
        sync_folder(&place).unwrap();
        assert_eq!((names(), fs::read(&place).unwrap()), (1, b"new".to_vec()));
    }

    #[test]
    #[cfg(unix)]
    fn a_name_leads_to_the_last_link() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("b", at("a")).unwrap();
        symlink(at("c"), at("b")).unwrap();
        // Whether there is a file or not.
        assert_eq!(["a", "b", "c"].map(|name| target(&at(name)).unwrap()), [at("c"), at("c"), at("c")]);
        fs::write(at("c"), "").unwrap();
        assert_eq!(target(&at("a")).unwrap(), at("c"));
        symlink("e", at("d")).unwrap();
        symlink("d", at("e")).unwrap();
        assert!(target(&at("d")).is_err(), "a circle");
        // The system leads elsewhere than the link as it reads, be there a file of that name or not.
        let gone = File::create(at("f")).unwrap();
        fs::remove_file(at("f")).unwrap();
        let name = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&gone));
        if cfg!(target_os = "linux") {
            assert_eq!(target(Path::new(&name)).unwrap_err().kind(), io::ErrorKind::Other);
            fs::write(at("f (deleted)"), "").unwrap();
            assert_eq!(target(Path::new(&name)).unwrap_err().kind(), io::ErrorKind::Other);
        }
    }

    #[test]
    #[cfg(unix)]
    fn only_regular_files_are_opened() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "").unwrap();
        symlink("file", at("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(made.success());
        let open = |path: &Path| open_regular(path, File::options().read(true)).map_err(|error| error.kind());
        assert!(open(&at("file")).is_ok());
        for name in ["link", "socket", "pipe", ".", "/dev/null"] {
            assert_eq!(open(&at(name)).unwrap_err(), io::ErrorKind::InvalidInput, "{name}");
        }
        assert_eq!(open(&at("none")).unwrap_err(), io::ErrorKind::NotFound);
        assert!(open_regular(&at("new"), File::options().write(true).create(true)).is_ok());
    }
}
