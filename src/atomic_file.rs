//! Files that are replaced whole or not at all, and survive a power cut.
//!
//! An [`AtomicFile`] is written and synced under a random name in the same folder, then renamed. Syncing the folder
//! makes the new name survive a power cut too. Windows cannot do that: there the old file may come back, whole.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::iter;
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

#[cfg(unix)]
use rustix::{fs as unix, io::Errno};

/// An atomically replaced file: written under a temporary name in the same folder, then renamed. Dropping it uncommitted
/// removes it. If its process is killed, the next draft of the same file removes it, unless the file system has no
/// locks.
///
/// The file keeps the mode of the one it replaces, and its owner and group if the system allows it. A symbolic link
/// stays a link; its target is replaced or created.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    path: PathBuf,
    place: PathBuf,
}

/// Drafts are named `.NAME.`, then `RANDOM` letters and digits, then `SUFFIX`.
const RANDOM: usize = 8;
const SUFFIX: &str = ".new";

impl AtomicFile {
    /// Creates a draft of this file, and removes drafts that killed processes left.
    ///
    /// # Errors
    /// If the file is a folder or a device, for example, or its folder cannot be written.
    pub fn new(place: &Path) -> io::Result<Self> {
        let place = resolve_links(place)?;
        remove_leftovers(&place);
        Self::begin(&place)
    }

    /// Like `new` for a [resolved](resolve_links) path, without looking for drafts that killed processes left.
    pub(crate) fn begin(place: &Path) -> io::Result<Self> {
        let draft = loop {
            let random: String = iter::repeat_with(fastrand::alphanumeric).take(RANDOM).collect();
            let path = sibling(place, &(random + SUFFIX));
            let draft = Self { file: File::create_new(&path)?, path, place: place.to_owned() };
            match lock(&draft.file) {
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                Ok(_) if draft.path.exists() => break draft,
                // Another process has removed it before it was locked.
                _ => {}
            }
        };
        if let Ok(old) = fs::metadata(&draft.place) {
            #[cfg(unix)]
            copy_owner(&draft.file, &old, 0o777);
            #[cfg(not(unix))]
            let _ = draft.file.set_permissions(old.permissions());
        }
        Ok(draft)
    }

    /// The temporary path, valid until `commit`.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the file durably. After an error the old file is unchanged, unless only syncing the folder failed.
    pub fn commit(self) -> io::Result<()> {
        sync(&self.file)?;
        if cfg!(not(unix)) {
            // Windows denies readers a locked file.
            let _ = self.file.unlock();
            return fs::rename(&self.path, &self.place);
        }
        fs::rename(&self.path, &self.place)?;
        let synced = sync(&File::open(self.place.with_file_name("."))?);
        synced.or_else(|error| if is_unsupported(&error) { Ok(()) } else { Err(error) })
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // After `commit` no file has this name.
        let _ = fs::remove_file(&self.path);
    }
}

/// Resolves symbolic links, whether or not the final file exists. (`canonicalize` may make a path too long for the
/// system.)
///
/// # Errors
/// If links cannot be followed, or lead in a circle or to something other than a file.
pub(crate) fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    let links = iter::successors(Some(path.to_owned()), |link| Some(link.with_file_name(fs::read_link(link).ok()?)));
    // The system follows 40 links.
    let place = links.take(41).last().unwrap_or_default();
    let is_file = match fs::metadata(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(about) => about.is_file(),
        // Unlike `folder/` and `folder/.`, a file's path ends with its name.
        Err(_) => place.file_name().is_some_and(|name| place.to_string_lossy().ends_with(&*name.to_string_lossy())),
    };
    if is_file { Ok(place) } else { Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file")) }
}

/// The hidden file `.NAME.role` in the same folder, which a shell's `*` does not match.
pub(crate) fn sibling(path: &Path, role: &str) -> PathBuf {
    let name = path.file_name().expect("a resolved path has a name");
    let hidden: OsString = [".".as_ref(), name, ".".as_ref(), role.as_ref()].into_iter().collect();
    path.with_file_name(hidden)
}

/// Removes the drafts of this file that killed processes left. A living process has locked its draft.
pub(crate) fn remove_leftovers(place: &Path) {
    let (folder, start) = (place.with_file_name("."), sibling(place, ""));
    let start = start.file_name().unwrap_or_default().as_encoded_bytes();
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
    // `fs::read_dir` panics if closing the folder fails.
    #[cfg(unix)]
    for entry in File::open(folder).map(unix::Dir::new).into_iter().flatten().flatten().flatten() {
        remove(std::os::unix::ffi::OsStrExt::from_bytes(entry.file_name().to_bytes()));
    }
    #[cfg(not(unix))]
    fs::read_dir(folder).into_iter().flatten().flatten().for_each(|entry| remove(&entry.file_name()));
}

/// Gives a new file the owner, group and these mode bits of another, if the system allows it. If the group cannot be
/// kept, the new group gets the bits of all others, because the old bits were meant for other people.
#[cfg(unix)]
pub(crate) fn copy_owner(file: &File, other: &fs::Metadata, bits: u32) {
    let (mut mode, group) = (other.mode() & bits, Some(other.gid()));
    let _ = fchown(file, Some(other.uid()), group).or_else(|_| fchown(file, None, group));
    if file.metadata().is_ok_and(|about| about.gid() != other.gid()) {
        mode = mode & 0o707 | (mode & 0o007) << 3;
    }
    // Drives of other systems have no modes.
    let _ = file.set_permissions(fs::Permissions::from_mode(mode));
}

/// Syncs a file or a folder. On macOS, network drives refuse `sync_all`, which also flushes the disk's own cache.
fn sync(file: &File) -> io::Result<()> {
    let synced = file.sync_all();
    #[cfg(unix)]
    let synced = synced.or_else(|error| if is_unsupported(&error) { Ok(unix::fsync(file)?) } else { Err(error) });
    synced
}

/// Opens a file in order to lock it, read-only if necessary. Refuses a link or a pipe of this name.
pub(crate) fn open_for_lock(path: &Path) -> io::Result<File> {
    let open = |write| {
        let mut options = File::options();
        #[cfg(unix)]
        options.custom_flags((unix::OFlags::NOFOLLOW | unix::OFlags::NONBLOCK).bits() as i32);
        options.read(true).write(write).open(path)
    };
    open(true).or_else(|_| open(false))
}

/// Locks a file until it is closed. `Ok(false)` if the file system has no locks; `WouldBlock` if another process has the
/// lock.
pub(crate) fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock().map_err(io::Error::from) {
        Err(error) if !is_unsupported(&error) => Err(error),
        locked => Ok(locked.is_ok()),
    }
}

/// Whether the file system cannot sync this, or has no locks, at least for read-only files (EBADF).
pub(crate) fn is_unsupported(error: &io::Error) -> bool {
    #[cfg(unix)]
    let codes = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOLCK, Errno::NOTTY, Errno::BADF];
    // Some network drives return the kernel's internal ENOTSUPP, 524.
    #[cfg(unix)]
    return error.raw_os_error().is_some_and(|code| code == 524 || codes.map(Errno::raw_os_error).contains(&code));
    // ERROR_INVALID_FUNCTION and ERROR_NOT_SUPPORTED.
    #[cfg(not(unix))]
    matches!(error.raw_os_error(), Some(1 | 50))
}
