//! Files that appear whole or not at all, and survive a power cut once they have appeared.
//!
//! A [`Draft`] is written and synced under a random name in the folder of the file whose place it takes. Then it is renamed,
//! and the folder is synced, so that the new name survives a power cut too. Windows has no call for this last step: there
//! a power cut may bring back the previous file, whole.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::iter;
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

#[cfg(unix)]
use rustix::{fs as unix, io::Errno};

/// A file that is written beside its place, which it takes whole or not at all. If it is dropped before, it is removed; if
/// its process is killed, whoever opens this place next removes it, unless the file system has no locks.
///
/// The file has the mode of the one that it replaces, and its owner and group where the system allows it; where there is
/// none, those of any new file. A symbolic link stays a link: the file that it leads to is replaced, or made.
#[derive(Debug)]
pub struct Draft {
    file: File,
    path: PathBuf,
    place: PathBuf,
}

/// Drafts are named `.NAME.` and so many letters and digits, and then this.
const RANDOM: usize = 8;
const SUFFIX: &str = ".new";

impl Draft {
    /// Begins the file that is to take this place, and removes what killed runs have left beside it.
    ///
    /// # Errors
    /// If the place is a folder, a device or the like, or no file can be made in its folder.
    pub fn new(place: &Path) -> io::Result<Self> {
        let place = followed(place)?;
        remove_leftovers(&place);
        Self::begin(&place)
    }

    /// The same of a place that was [followed], whose folder is not read again.
    pub(crate) fn begin(place: &Path) -> io::Result<Self> {
        let draft = loop {
            let random: String = iter::repeat_with(fastrand::alphanumeric).take(RANDOM).collect();
            let path = beside(place, &(random + SUFFIX));
            let draft = Self { file: File::create_new(&path)?, path, place: place.to_owned() };
            match lock(&draft.file) {
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                Ok(_) if draft.path.exists() => break draft,
                // Another writer has taken it for a leftover.
                _ => {}
            }
        };
        if let Ok(old) = fs::metadata(&draft.place) {
            #[cfg(unix)]
            give(&draft.file, &old, 0o777);
            #[cfg(not(unix))]
            let _ = draft.file.set_permissions(old.permissions());
        }
        Ok(draft)
    }

    /// The name that it has until it takes its place.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the place, durably. After an error, what was there before is still there, unless the error came from syncing
    /// the folder.
    pub fn commit(self) -> io::Result<()> {
        sync(&self.file)?;
        if cfg!(not(unix)) {
            // Windows would keep readers out of a locked file.
            let _ = self.file.unlock();
            return fs::rename(&self.path, &self.place);
        }
        fs::rename(&self.path, &self.place)?;
        let synced = sync(&File::open(self.place.with_file_name("."))?);
        synced.or_else(|error| if is_lack(&error) { Ok(()) } else { Err(error) })
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Once it has taken its place, no file has this name.
        let _ = fs::remove_file(&self.path);
    }
}

/// The file that a name leads to through symbolic links, whether it is there or not. Its absolute name may be too long for the
/// system.
///
/// # Errors
/// If links may not be followed, or lead in a circle or to something that is not a file.
pub(crate) fn followed(path: &Path) -> io::Result<PathBuf> {
    let links = iter::successors(Some(path.to_owned()), |link| Some(link.with_file_name(fs::read_link(link).ok()?)));
    // The system follows 40 links.
    let place = links.take(41).last().unwrap_or_default();
    let is_file = match fs::metadata(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(about) => about.is_file(),
        // `folder/` and `folder/.` end otherwise.
        Err(_) => place.file_name().is_some_and(|name| place.to_string_lossy().ends_with(&*name.to_string_lossy())),
    };
    if is_file { Ok(place) } else { Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file")) }
}

/// The hidden file `.NAME.role` beside a file: a shell's `*` does not find it.
pub(crate) fn beside(path: &Path, role: &str) -> PathBuf {
    let name = path.file_name().expect("a place that was followed has a name");
    let hidden: OsString = [".".as_ref(), name, ".".as_ref(), role.as_ref()].into_iter().collect();
    path.with_file_name(hidden)
}

/// Removes the drafts of this file that killed runs have left. A living writer has the lock of its draft.
pub(crate) fn remove_leftovers(place: &Path) {
    let (folder, beside) = (place.with_file_name("."), beside(place, ""));
    let start = beside.file_name().unwrap_or_default().as_encoded_bytes();
    let remove = |name: &OsStr| {
        let (path, name) = (place.with_file_name(name), name.as_encoded_bytes());
        let rest = name.strip_prefix(start).and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
        if rest.is_some_and(|random| random.len() == RANDOM)
            && let Ok(draft) = open_for_lock(&path)
            && matches!(lock(&draft), Ok(true))
        {
            let _ = fs::remove_file(path);
        }
    };
    // The standard library panics where a folder cannot be closed.
    #[cfg(unix)]
    for entry in File::open(folder).map(unix::Dir::new).into_iter().flatten().flatten().flatten() {
        remove(std::os::unix::ffi::OsStrExt::from_bytes(entry.file_name().to_bytes()));
    }
    #[cfg(not(unix))]
    fs::read_dir(folder).into_iter().flatten().flatten().for_each(|entry| remove(&entry.file_name()));
}

/// Gives a new file the owner, the group and these bits of the mode of another, as far as the system allows it. Where the
/// group cannot be kept, the bits of the group would be for people of another: these get the bits of all others.
#[cfg(unix)]
pub(crate) fn give(file: &File, other: &fs::Metadata, bits: u32) {
    let (mut mode, group) = (other.mode() & bits, Some(other.gid()));
    let _ = fchown(file, Some(other.uid()), group).or_else(|_| fchown(file, None, group));
    if file.metadata().is_ok_and(|about| about.gid() != other.gid()) {
        mode = mode & 0o707 | (mode & 0o007) << 3;
    }
    // Drives of other systems refuse this.
    let _ = file.set_permissions(fs::Permissions::from_mode(mode));
}

/// Writes a file or a folder to its disk. On macOS network drives refuse to empty the cache of the disk too.
fn sync(file: &File) -> io::Result<()> {
    let synced = file.sync_all();
    #[cfg(unix)]
    let synced = synced.or_else(|error| if is_lack(&error) { Ok(unix::fsync(file)?) } else { Err(error) });
    synced
}

/// Opens a file in order to lock it: for reading if it may not be written, and no link or pipe that has taken its name.
pub(crate) fn open_for_lock(path: &Path) -> io::Result<File> {
    let open = |write| {
        let mut options = File::options();
        #[cfg(unix)]
        options.custom_flags((unix::OFlags::NOFOLLOW | unix::OFlags::NONBLOCK).bits() as i32);
        options.read(true).write(write).open(path)
    };
    open(true).or_else(|_| open(false))
}

/// Locks a file for as long as it is open. Returns whether it is locked: not where the file system has no locks. The error that
/// it would block says that another has the lock.
pub(crate) fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock().map_err(io::Error::from) {
        Err(error) if !is_lack(&error) => Err(error),
        locked => Ok(locked.is_ok()),
    }
}

/// Whether an error says that the file system cannot sync folders, or lock files: any, or those that may only be read (EBADF).
pub(crate) fn is_lack(error: &io::Error) -> bool {
    #[cfg(unix)]
    let lacks = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOLCK, Errno::NOTTY, Errno::BADF];
    // Some network drives pass on the kernel's own ENOTSUPP, 524.
    #[cfg(unix)]
    return error.raw_os_error().is_some_and(|code| code == 524 || lacks.map(Errno::raw_os_error).contains(&code));
    // ERROR_INVALID_FUNCTION and ERROR_NOT_SUPPORTED.
    #[cfg(not(unix))]
    matches!(error.raw_os_error(), Some(1 | 50))
}
