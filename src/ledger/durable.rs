//! Files that appear completely or not at all, and survive a power cut once they have appeared.
//!
//! A [`Draft`] is written and synced under a temporary name in the folder of the file that it will replace. Then it is
//! renamed, and the folder is synced, which makes the new name survive a power cut. Windows has no call for this last
//! step: there a power cut may bring back the previous file, complete.
//!
//! A relative name stays relative: the folders above the working folder may be closed to the user, or their names too
//! long to be joined.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::iter;
use std::path::{Path, PathBuf};

/// The file that a name leads to through symbolic links. The file need not exist. Replacing this file, rather than the
/// name, leaves the link a link.
///
/// The system decides whether links may be followed. Linux, for example, does not follow a link that somebody else has
/// left in a folder like `/tmp`, where it could lead a program to the user's own files. So this function asks the
/// system whether it reaches the same file.
///
/// # Errors
/// If the links lead in a circle, if they change meanwhile, or if the system does not follow them.
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
    // If the file does not exist, the comparison says nothing about the links, so these are read again.
    if leads_there && followed(path)? == place {
        Ok(place)
    } else {
        Err(io::Error::other("it is not known where its symbolic link leads"))
    }
}

/// A path and what its symbolic links lead to, one by one. Links may lead in a circle.
pub fn links(path: &Path) -> impl Iterator<Item = PathBuf> {
    iter::successors(Some(path.to_owned()), |path| Some(folder(path).join(fs::read_link(path).ok()?)))
}

/// After so many links that lead to links, they are taken to lead in a circle.
pub const MOST_LINKS: usize = 40;

/// Follows symbolic links by reading them one by one.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut paths: Vec<PathBuf> = links(path).take(MOST_LINKS + 1).collect();
    let last = paths.pop().filter(|_| paths.len() < MOST_LINKS);
    last.ok_or_else(|| io::Error::other("too many symbolic links"))
}

/// Opens a regular file and nothing else: it does not wait for a pipe, touch a device or follow a link. For these, the
/// kind of the error is [`io::ErrorKind::InvalidInput`].
pub(crate) fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let check = |about: Metadata| {
        let error = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
        if about.is_file() { Ok(()) } else { Err(error()) }
    };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        about => check(about?)?,
    }
    // The name may belong to another file by now, so the opened file is checked too.
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits() as i32);
    }
    let file = options.open(path)?;
    check(file.metadata()?)?;
    Ok(file)
}

/// Whether two descriptions are of the same file.
#[cfg(unix)]
pub fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// On other systems files cannot be identified.
#[cfg(not(unix))]
pub fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// Whether two names are of one file, which need not exist: links are followed, and a folder may have several names.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) if cfg!(unix) => is_same(&one, &other),
        (Ok(_), Ok(_)) => fs::canonicalize(one).ok().zip(fs::canonicalize(other).ok()).is_some_and(|(a, b)| a == b),
        (Err(_), Err(_)) => {
            let (Ok(one), Ok(other)) = (target(one), target(other)) else { return false };
            let is_same_name = one.file_name().is_some() && one.file_name() == other.file_name();
            one == other || is_same_name && is_same_file(folder(&one), folder(&other))
        }
        _ => false,
    }
}

/// Whether this name is that of the open file itself, not of a link to it.
pub(crate) fn has_name(file: &File, path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        named => Ok(is_same(&file.metadata()?, &named?)),
    }
}

/// The folder of the file with this name.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the names in the folder of `path` survive a power cut.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder(path))?.sync_all() } else { Ok(()) }
}

/// A file that is being written in the folder of the one that it will replace, which is unchanged until then. If it is
/// dropped before, it is removed.
#[derive(Debug)]
pub struct Draft {
    file: File,
    name: TemporaryName,
}

/// The name of a file that is removed with it; an empty one is of no file.
#[derive(Debug)]
struct TemporaryName(PathBuf);

impl Drop for TemporaryName {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

impl Draft {
    /// Makes the file. It has the given permissions, or those of any new file. Its temporary name is `name`, or one that
    /// no other file has.
    pub fn new(place: &Path, name: Option<&OsStr>, permissions: Option<&Permissions>) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        if let Some(permissions) = permissions {
            use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
            options.mode(permissions.mode() & 0o7777);
        }
        let random = || iter::repeat_with(fastrand::alphanumeric).take(8).collect::<String>();
        let (file, path) = loop {
            let path = place.with_file_name(name.map_or_else(|| format!(".tmp{}", random()).into(), OsStr::to_owned));
            match options.open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && name.is_none() => {}
                file => break (file?, path),
            }
        };
        let draft = Self { file, name: TemporaryName(path) };
        if let Some(permissions) = permissions {
            // The umask may have removed permissions that the old file had.
            draft.file.set_permissions(permissions.clone())?;
        }
        Ok(draft)
    }

    /// The file.
    pub fn as_file(&self) -> &File {
        &self.file
    }

    /// The file, to be written.
    pub fn as_file_mut(&mut self) -> &mut File {
        &mut self.file
    }

    /// Its temporary name.
    pub fn path(&self) -> &Path {
        &self.name.0
    }

    /// Makes it replace `place`, in the same folder. [`sync_folder`] makes that survive a power cut.
    pub fn replace(mut self, place: &Path) -> io::Result<File> {
        fs::rename(self.path(), place)?;
        self.name.0.clear();
        Ok(self.file)
    }

    /// Gives it this name, in the same folder, or fails if a file has it, even one that was made a moment ago.
    pub fn claim(self, place: &Path) -> io::Result<File> {
        match fs::hard_link(self.path(), place) {
            Ok(()) => Ok(self.file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // The file system has no hard links. There, the look before has to do.
            Err(_) => self.replace(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_draft_takes_the_place_or_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("file");
        let names = || fs::read_dir(folder.path()).unwrap().count();
        fs::write(&place, "old").unwrap();
        let unused = Draft::new(&place, None, None).unwrap();
        unused.as_file().write_all(b"new").unwrap();
        assert_eq!((names(), fs::read(&place).unwrap()), (2, b"old".to_vec()));
        drop(unused);
        assert_eq!((names(), fs::read(&place).unwrap()), (1, b"old".to_vec()));
        let named = Draft::new(&place, Some(OsStr::new(".file.new")), None).unwrap();
        assert_eq!(named.path().file_name(), Some(OsStr::new(".file.new")));
        named.as_file().write_all(b"new").unwrap();
        assert!(has_name(&named.replace(&place).unwrap(), &place).unwrap());
        sync_folder(&place).unwrap();
        assert_eq!((names(), fs::read(&place).unwrap()), (1, b"new".to_vec()));
    }

    /// Also those that the umask takes from new files.
    #[test]
    #[cfg(unix)]
    fn a_draft_has_the_permissions_it_is_told() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        for mode in [0o600, 0o666] {
            let draft = Draft::new(&folder.path().join("file"), None, Some(&Permissions::from_mode(mode))).unwrap();
            assert_eq!(fs::metadata(draft.path()).unwrap().permissions().mode() & 0o777, mode);
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_name_leads_to_the_last_link() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("b", at("a")).unwrap();
        symlink(at("c"), at("b")).unwrap();
        // Both if the file exists and if it does not.
        assert_eq!(["a", "b", "c"].map(|name| target(&at(name)).unwrap()), [at("c"), at("c"), at("c")]);
        fs::write(at("c"), "").unwrap();
        assert_eq!(target(&at("a")).unwrap(), at("c"));
        symlink("e", at("d")).unwrap();
        symlink("d", at("e")).unwrap();
        assert!(target(&at("d")).is_err(), "a circle");
        // The system leads elsewhere than the text of the link, whether or not a file of that name exists.
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
